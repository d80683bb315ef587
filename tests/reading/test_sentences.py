"""The table of sentences: what people write, where, and what it may lead to. A wrong act or a leak is a fault.

sentences.tsv holds situation, expected, said. On a board: a move or a command, "help" for whatever tells or shows
something, "ask", "words" for the other player, "held" for words that are not surely theirs. Invited: yes, no, never,
asks, unclear; "-yes" for anything but a yes. How many are done at once is printed, not asserted.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import pbm.features.everything  # noqa: F401  it brings the verbs
from games import GAMES
from games.rules import MoveError
from pbm.reading.commands import begins, clean
from pbm.reading.consent import consent, introduced
from pbm.reading.intent import ACTS, Ask, Sure, Surroundings, Talk, is_prose, read

TABLE = Path(__file__).with_name("sentences.tsv")
MOST_MILLISECONDS = 30


def rows(situation: str) -> Iterator[tuple[str, str]]:
    """The expected outcomes and sentences of a situation."""
    for line in TABLE.read_text().splitlines()[1:]:
        where, expected, said = line.split("\t")
        if where == situation:
            yield expected, said.replace("\\n", "\n")


def on_board(game: str = "cross") -> Surroundings:
    """The start of a game of bert's with anna, who is not to move."""
    rules = GAMES[game]
    position = rules.start(rules.options(()))

    def legal(words: str) -> str | None:
        try:
            return rules.notate(position, rules.parse(position, words))
        except MoveError:
            return None

    return Surroundings(legal, {"anna", "bert", "dirk"}.__contains__, is_turn=True, rival="anna")


def outcome(said: str) -> str:
    """A move, a command that acts, or "help", "ask", "words", "held"."""
    meant = read(said, on_board())
    if isinstance(meant, Sure):
        name = meant.line.split(" ")[0]
        return meant.line if name in ACTS | {"reject"} or name.isupper() or any(map(str.isdigit, name)) else "help"
    if isinstance(meant, Ask):
        return "ask"
    is_command = begins(clean(said.splitlines()[0]))
    return "held" if meant.is_held or is_command or not is_prose(said) else "words"


def test_nothing_is_done_on_a_board_that_was_not_meant() -> None:
    score, wrong, leaked = Counter[str](), [], []
    for expected, said in rows("board"):
        found = outcome(said)
        acts = found not in ("help", "ask", "words", "held")
        score["as expected" if found == expected else found] += 1
        wrong += [(said, found)] if acts and found.split(" ")[0] != expected.split(" ")[0] else []
        leaked += [said] if found == "words" and expected == "held" else []
    print("\non a board:", dict(score))
    assert wrong == []
    assert leaked == []


def test_only_a_yes_that_is_wholly_a_phrase_agrees_to_a_game() -> None:
    score, wrong = Counter[str](), []
    for expected, said in rows("invited"):
        found = consent(said, ["anna"]).answer.value
        is_right = found == expected or (expected == "-yes" and found != "yes")
        score["as expected" if is_right else f"{found}, not {expected}"] += 1
        wrong += [(said, found)] if found in ("yes", "never") and not is_right else []
    print("\ninvited:", dict(score))
    assert wrong == []


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("joe", "joe"),
        ("I'm Joe", "Joe"),
        ("name: joe", "joe"),
        ("Ich heiße Klaus", "Klaus"),
        ("kim\n\nKim Doe\n+44 20 1234", "kim"),
        ("signup", ""),
        ("Guten Tag, ich würde gerne spielen.", ""),
        ("Bonsoir", ""),
    ],
)
def test_the_name_in_a_first_mail(said: str, name: str) -> None:
    assert introduced(said) == name


GREETINGS = ("", "Hi Bert,\n\n", "Hello!\n", "Dear Bert, ", "Good morning Bert,\n\nthanks for your move. ", "Hey, ")
CLAIMS = (
    "MOVE",
    "I'll play MOVE.",
    "MOVE, how are you?",
    "My move: MOVE",
    "I think I'll take MOVE",
    "Let me try MOVE!",
)
ASIDES = (
    "Nice weather today.", "If I had played OTHER I would have lost.", "Why did you not play OTHER?",
    "I expected OTHER.", "See you on May 5 at 10:30!", "> OTHER", "You should have played OTHER", "I am 42.",
    "Don't you dare!",
)  # fmt: skip
DENIALS = ("I thought about OTHER, but no.", "I considered OTHER but it is worse.")
DOUBTS = (
    "No wait, OTHER.",
    "Sorry, I meant OTHER",
    "Or rather OTHER!",
    "or maybe OTHER",
    "Maybe OTHER.",
    "My move: OTHER",
    "Ah, let me sleep on it.",
    "Ach nein, doch nicht.",
    "Please don't play that yet.",
)
CLOSINGS = ("", "\n\nCheers, Ann", "\n\nThanks for the game!\nAnn", "\nGood luck and have fun :-)")


@pytest.mark.parametrize("game", GAMES)
def test_a_move_that_is_taken_back_is_not_played_and_one_that_is_spoken_of_neither(game: str) -> None:
    here = on_board(game)
    rules = GAMES[game]
    position = rules.start(rules.options(()))
    found = [rules.notate(position, each) for each, _ in zip(rules.moves(position), range(50), strict=False)]
    move, other = found[len(found) // 2], found[len(found) // 3]
    share = random.Random(game)  # two of each: all games together have all
    for aside in (*ASIDES, *DENIALS, *DOUBTS):
        for greeting, claim in zip(
            share.sample(GREETINGS, 2), share.sample(CLAIMS if len(move) > 1 else CLAIMS[3:], 2), strict=True
        ):
            said = f"{greeting}{claim}\n{aside}".replace("MOVE", move).replace("OTHER", other)
            meant = read(said, here)
            assert not isinstance(meant, Sure) or (meant.line == move and aside not in DOUBTS), said
            said = f"{greeting}{aside}".replace("OTHER", other)
            assert not isinstance(read(said, here), Sure) or aside in DOUBTS, said


@pytest.mark.parametrize(
    "word",
    ["lg", "love from", "me", "the", "dann ich spiele", "picture", "please", "ok", "D4", "i", "a1 to", "i hope he,"],
)
def test_no_text_costs_more_than_a_moment(word: str) -> None:
    """A pattern that tries all ways to share out these words would never end; the automaton takes each word once."""
    read("warm up, please", on_board())
    said = "\n".join(" ".join([word] * 25) + "." for _ in range(400))
    read(said, on_board())
    begun = time.process_time()
    read(said, on_board())
    assert (time.process_time() - begun) * 1000 < MOST_MILLISECONDS * 4  # four times: machines that run tests are busy


def test_private_words_are_held_and_courtesies_go_on() -> None:
    assert read("private: bert is weak", on_board()) == Talk(is_held=True)
    assert read("thanks for the nice game", on_board()) == Talk()
