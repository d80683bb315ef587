"""Real command lines: each gets one clear answer, whatever game or server it was written for.

The lines lie outside the repository, in the folder PBM_CORPUS names or beside it; without them nothing is checked.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from pbm.domain.mail import Arrival
from tests.conversation import Got, House

FOLDER = Path(os.environ.get("PBM_CORPUS", Path(__file__).parent.parent.parent / "shared" / "corpus"))
SENDERS = {"a player": "bob", "a stranger": "stranger@example.com"}
MOVES = ("F6", "swap")
"""Lines that are moves in an answer to a board mail."""
MESSAGES = (
    "Those wacky provisionals",
    "werewolf list",
    "Werewolf join 35 username password",
    "Send - Werewolf join 35 username password",
)
"""Lines that are a message to the opponent there."""


def lines() -> Iterator[str]:
    path = FOLDER / "commands.tsv"
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["text"].removeprefix("Subject: ")


LINES = list(lines())
needs_corpus = pytest.mark.skipif(not LINES, reason=f"no commands.tsv in {FOLDER}; PBM_CORPUS names another folder")


@needs_corpus
@pytest.mark.parametrize(("sender", "line"), [*zip(cycle(SENDERS), LINES, strict=False)])
def test_a_line_gets_one_clear_answer_as_the_subject_in_the_text_and_in_an_answer_to_a_board(
    sender: str, line: str, table: House
) -> None:
    """Only moves change anything, and on their board; there other words may be kept back until it is said for whom."""
    before = table.dump()
    answered_once(table, line, table.send(SENDERS[sender], line))
    answered_once(table, line, table.send("another@example.com", "", line))
    assert line.startswith("signup ") or table.dump() == before
    answers = table.answer("bob", line, 101)
    if line in (*MOVES, *MESSAGES):
        assert sorted(got.address for got in answers) == ["alice@example.net", "bob@example.net"]
        return
    answered_once(table, line, answers)
    assert line.startswith("signup ") or {**table.dump(), "intents": []} == before


def answered_once(house: House, line: str, answers: list[Got]) -> None:
    assert not house.parked(), house.parked()[-1].reason
    assert house.inbox_row.state is Arrival.HANDLED, house.inbox_row.reason
    assert len(answers) == 1, f"{len(answers)} answers to {line!r}"


@needs_corpus
@pytest.mark.parametrize("line", [line for line in LINES if line.startswith(">")])
@pytest.mark.parametrize("place", ["subject", "text", "answer"])
def test_a_quoted_line_is_never_carried_out(place: str, line: str, house: House) -> None:
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    before = house.dump()
    if place == "subject":
        (got,) = house.send("bob", line)
        assert got.refuses
    elif place == "text":
        house.send("bob", "hello", f"Hello!\n\n{line}\n{line}")
    else:
        house.answer("bob", line, 101)
    assert house.dump() == before
