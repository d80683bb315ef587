"""Whatever words follow a verb or stand below it, the mail is answered; if it is refused, no board changes."""

from __future__ import annotations

import random

import pytest

from pbm.domain.verbs import VERBS
from tests.conversation import House

WORDS = """
    101 102 999 101#1 101#-1 101#99 #-1 #2 # 0 -1 alice bob carol nobody me all new next active inactive board 2
    alicepass wrongpass D4 C3 F6#2 F6#x swap pass -- undo accept resign none zoom B 3x7 20 1e9 -size=3 -size=x --x
    \u2014 \uff26\uff16 ' " %s {} ; ] [ > <x>
""".split()  # noqa: SIM905  a list of them would be a page
SEAT_VERBS = frozenset(verb.name for verb in VERBS if verb.per_game) | {"all show"}


@pytest.mark.parametrize("name", sorted(SEAT_VERBS))
def test_any_words_behind_a_verb_are_answered(table: House, name: str) -> None:
    table.game("polygon -sides=5 bob alice", ["A-C"])
    chance, after = random.Random(name), table.dump()
    for _ in range(10):
        words = " ".join(chance.choices(WORDS, k=chance.randint(0, 5)))
        how, before = chance.randrange(3), after
        if how == 0:
            mails = table.send("stranger@example.com" if chance.random() < 0.2 else "alice", f"cross {name} {words}")
        elif how == 1:
            mails = table.send("bob", f"cross {name} 101 bob bobpass {words}", "text")
        else:
            mails = table.answer("alice", f"{name} {words}", chance.choice((101, 102)))
        assert not table.parked(), f"{name} {words}"
        assert mails or table.inbox_row.state == "handled"
        after = table.dump()
        assert after == before or not any(got.refuses for got in mails), f"{name} {words}"


@pytest.mark.parametrize("name", sorted(verb.name for verb in VERBS))
def test_a_verb_without_any_words_is_answered(table: House, name: str) -> None:
    vouched = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
    for words in (name, f"cross {name}"):
        table.send("alice", words, **vouched)
        table.send("alice", words)
        table.answer("alice", words, mail=1)
        table.answer("bob", words, 101)
        table.send("stranger@example.com", words)
        assert not table.parked(), words


@pytest.mark.parametrize("command", ["show", "games", "standings", "set mail text", "follow carol", "block carol"])
def test_words_below_a_command_that_passes_none_on_are_not_lost_in_silence(table: House, command: str) -> None:
    table.player("carol")
    board = table.game("cross alice bob")
    signed = ("Thanks!", "Best,\nBob", "Robert Miller", "Bob\nTel. 555-7788", "")
    for below in ("What is the number on the left?", *signed):
        (got,) = table.answer("bob", f"{command}\n\n{below}", board)
        told = 'What you wrote was not passed on: "chat" sends it.' in " ".join(got.body.split())
        assert told == below.endswith("?"), below
