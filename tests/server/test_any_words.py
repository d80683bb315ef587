"""Whatever words follow a verb or stand below it, the mail is answered; if it is refused, no board changes."""

from __future__ import annotations

import random

import pytest

from pbm.reading.verbs import VERBS
from tests.conversation import House, address_of, record

WORDS = """
    101 102 999 101#1 101#-1 101#99 #-1 #2 # 0 -1 alice bob carol nobody me all new next active inactive board 2
    alicepass wrongpass D4 C3 F6#2 F6#x swap pass -- undo accept resign none zoom B 3x7 20 1e9 -size=3 -size=x --x
    \u2014 \uff26\uff16 ' " %s {} ; ] [ > <x>
""".split()  # noqa: SIM905  a list of them would be a page
SEAT_VERBS = frozenset(verb.name for verb in VERBS if verb.per_game) | {"all show"}


@pytest.mark.parametrize("name", sorted(SEAT_VERBS))
def test_any_words_behind_a_verb_are_answered(table: House, name: str) -> None:
    table.game("polygon -sides=5 bob alice", ["A-C"])
    chance, after = random.Random(name), {**table.dump(), "intents": []}
    for number in range(2):  # all verbs together have all ways and words
        words = " ".join(chance.choices(WORDS, k=chance.randint(0, 5)))
        how, before = chance.randrange(3), after
        if how == 0:
            mails = table.send(
                f"stranger{number}@example.com" if chance.random() < 0.2 else "alice", f"cross {name} {words}"
            )
        elif how == 1:
            mails = table.send("bob", f"cross {name} 101 bob bobpass {words}", "text")
        else:
            mails = table.answer("alice", f"{name} {words}", chance.choice((101, 102)))
        assert not table.parked(), f"{name} {words}"
        assert mails or table.inbox_row.state == "handled"
        after = {**table.dump(), "intents": []}  # words that are kept back until their writer says for whom they are
        assert after == before or not any(got.refuses for got in mails), f"{name} {words}"


@pytest.mark.parametrize("name", sorted(verb.name for verb in VERBS))
def test_a_verb_without_any_words_is_answered(table: House, name: str) -> None:
    vouched = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
    table.answer("bob", name, 101)
    table.send("alice", f"cross {name}", **vouched)
    table.send("stranger@example.com", name)
    assert not table.parked(), name


OF_ALL_KINDS = [
    "show", "games", "standings", "set mail text", "follow carol", "block carol", "hex seek", "hex seek -size=5",
    "take 1", "withdraw carol", "puzzle", "hex limit 3", "tournaments", "tournament create cup swiss hex", "calendar",
    "tournament join summer", "tournament leave spring", "tournament show spring", "export", "erase me", "revoke",
    "queue D4", "plan if D4: E5", "preview F6", "vacation 2w", "hex challenge me carol",
]  # fmt: skip


def offer(house: House) -> None:
    """On board 102 bob is asked for a first move; there is a seek, a tournament he has joined, and one he may join."""
    house.player("carol")
    house.game("cross alice bob")
    house.send("alice", "hex seek alice alicepass -size=4")
    for name in ("spring", "summer"):
        house.send("alice", f"tournament create {name} swiss cross alice alicepass")
    house.answer("bob", "tournament join spring", vouched=True)


@pytest.mark.parametrize("command", OF_ALL_KINDS)
def test_words_below_a_command_reach_somebody_or_come_back(table: House, command: str) -> None:
    table.lived(offer)
    question = "Which number stands at the left?"
    signed = ("Thanks!", "Best,\nBob", "Robert Miller", "Bob\nTel. 555-7788", "Have a nice day!")
    for below in (question, signed[OF_ALL_KINDS.index(command) % len(signed)], ""):
        mails = table.answer("bob", f"{command}\n\n{below}", 102, vouched=True)
        texts = {got.address: " ".join(got.body.split()) for got in mails}
        own = texts.pop(address_of("bob"))
        told = "What you wrote was not passed on" in own
        is_back = told or any(got.refuses and question in got.body for got in mails)
        is_passed_on = any(question in text for text in texts.values())
        assert (is_back, is_passed_on) in ((True, False), (False, True)) if below == question else not told, own


def test_words_of_a_chat_among_moves_on_several_boards_are_passed_on_once(table: House) -> None:
    second = table.game("cross -size=4 alice bob", ["D4"])
    table.send("bob", "games")
    mails = table.answer("bob", f"101 C4\n101 chat\nWhat a day!\n{second} show\nWhat is this?")
    got = [mail for mail in mails if mail.address == address_of("alice")]
    assert sum("What a day!" in mail.body for mail in got) == 1
    assert not any("What is this?" in mail.body for mail in got)
    (told,) = (mail for mail in mails if "What you wrote was not passed on" in mail.body)
    assert (told.address, told.board) == (address_of("bob"), second)


@pytest.mark.parametrize(
    "text", ["C4 on 102", "C4 for 102", "in 102 C4", "resign 102 and play C4", "Please play C4 on 101 and D5 on 102"]
)
def test_a_move_in_one_sentence_with_another_board_of_the_writer_is_not_played(text: str, table: House) -> None:
    other = table.game("cross -size=4 alice bob", ["D4"])
    before = table.dump()
    (got,) = table.answer("bob", text, 101)
    assert "Your email speaks of board 102, too, so nothing is played." in " ".join(got.body.split()), got.body
    assert table.dump() == before
    table.answer("bob", f"C4 it is. I do {other} tonight.", 101)
    assert record(table) == ["D4", "C4"]


def test_cancel_in_answer_to_a_mail_about_an_invitation_tells_how_to_take_it_back(table: House) -> None:
    table.answer("bob", "hex challenge me friend@there.example", 101, vouched=True)
    (got,) = table.answer("bob", "cancel")
    assert '"withdraw", with the player or the address' in " ".join(got.body.split())
    table.send("bob", "hex challenge me other@there.example")
    (got,) = table.answer("bob", "withdraw")
    assert "Nothing was done, and nothing will be." in got.body


@pytest.mark.parametrize("text", ["C4\n(for 102)", "C4\n\nThis was for game 102.\nCheers", "C4\n102"])
def test_a_move_above_a_line_that_names_another_board_of_the_writer_is_not_played(text: str, table: House) -> None:
    table.game("cross -size=4 alice bob", ["D4"])
    before = table.dump()
    (got,) = table.answer("bob", text, 101)
    assert "Your email speaks of board 102, too, so nothing is played." in " ".join(got.body.split()), got.body
    assert table.dump() == before
    table.answer("bob", "C4\n(for 109)", 101)
    assert record(table) == ["D4", "C4"]


@pytest.mark.parametrize(
    "text", ["I resign game 102.", "I'd like to swap on board 101 and resign board 102", "I give up on game 102"]
)
def test_what_is_to_be_done_on_another_board_of_the_writer_is_no_message(text: str, table: House) -> None:
    table.game("cross -size=4 alice bob", ["D4"])
    before = table.dump()
    (got,) = table.answer("bob", text, 101)
    assert "Your email speaks of board 102, too, so nothing is played." in " ".join(got.body.split()), got.body
    assert table.dump() == before


@pytest.mark.parametrize(
    "text", ["Did you resign game 102?", "You should resign game 102", "I resigned game 102, you know"]
)
def test_what_is_said_of_another_board_is_a_message(text: str, table: House) -> None:
    table.game("cross -size=4 alice bob", ["D4"])
    assert any(got.address == address_of("alice") and text in got.body for got in table.answer("bob", text, 101))


def test_nobody_is_told_to_write_to_a_robot(table: House) -> None:
    board = table.game("cross -size=4 bob robot1")
    for command in ("show", "hint"):
        (got,) = table.answer("bob", f"{command}\nWhich number stands at the left?", board)
        assert "What you wrote was not passed on." in " ".join(got.body.split()), got.body


def test_commands_of_no_board_right_below_those_of_a_digest_are_no_words(table: House) -> None:
    other = table.game("cross -size=4 alice bob", ["D4"])
    vouched = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
    table.send("bob", "standings", **vouched)
    lines = f"101 C4\nset digest 08:00\nvacation 2w\ncross show {other}\n101 chat\nset mail html\n"
    mails = table.answer("bob", f"{lines}{other} C4\nset me free!")
    (done,) = (got.body for got in mails if "DONE: set digest 08:00" in got.body)
    assert "DONE: vacation 2w" in done
    told = "".join(got.body for got in mails if got.address == address_of("alice"))
    assert "set mail html" in told
    assert "set me free!" in told
    assert not any(words in told for words in ("set digest", "vacation 2w", "cross show"))
    assert [record(table), record(table, other)] == [["D4", "C4"]] * 2
