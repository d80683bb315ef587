"""The table of answers, from mail to mail: what people write, where, and what they get back.

tests/reading/answers.tsv holds situation, whether anything may be done, a part of the mail that comes back, and what
was said. That nothing is done which was not meant is asserted; how many get what they want is printed. Whoever finds a
sentence that is read badly adds a row, and mends the phrase book. `make test` says every third row; `-m "oracle or not
oracle"` says all, as .ci/run does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pbm.compose.tell import mail_bytes
from pbm.domain.configuration import Limits
from pbm.domain.mail import Received
from pbm.server import Arriving, Settings
from pbm.store import Transaction
from pbm.store.tables import matches, players
from tests.conversation import ROBOT, Got, House

TABLE = Path(__file__).parent.parent / "reading" / "answers.tsv"
VOUCHED = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
PATIENT = Limits(answers_per_hour=10_000, messages_per_day=10_000)
EVERY = 3
"""A row of so many is said by `make test`, the others only by .ci/run."""


Situation = Callable[[House], Callable[[str], Arriving]]
"""Sets the scene, and gives what writes a mail in it."""


def a_letter(house: House) -> Callable[[str], Arriving]:
    house.send("bert", "help")
    ours = house.mailboxes["bert@example.net"][-1]

    def answering(said: str) -> Arriving:
        house.mailboxes["bert@example.net"] = [ours]
        return house.answering("bert", said)

    return answering


def a_first_mail(house: House) -> Callable[[str], Arriving]:
    house.send("joe@home.example", "hi", "hello")
    return lambda said: house.answering("joe@home.example", said)


def of_board(game: str, *moves: str, asks: tuple[str, str] | None = None) -> Situation:
    """bert answers board 101. asks: who says what on it before."""

    def begin(house: House) -> Callable[[str], Arriving]:
        house.game(game, list(moves))
        if asks is not None:
            house.answer(*asks, 101)
        return lambda said: house.answering("bert", said, 101)

    return begin


def without_its_board(house: House) -> Callable[[str], Arriving]:
    house.game("cross -size=4 bert anna")
    return lambda said: house.mail("bert", said, **VOUCHED)


SITUATIONS = {
    "letter": a_letter,
    "newcomer": a_first_mail,
    "board": of_board("cross -size=4 bert anna"),
    "moved": of_board("cross -size=4 bert anna", "C3"),
    "offered": of_board("cross -size=4 bert anna", "C3", "D4", asks=("anna", "propose")),
    "resigning": of_board("cross -size=4 bert anna", "C3", "D4", asks=("bert", "resign")),
    "takeback": of_board("cross -size=4 bert anna", "C3", "D4", asks=("anna", "undo")),
    "ended": of_board("cross -size=4 bert anna", "C3", "D4", asks=("bert", "resign!")),
    "robot": of_board("cross -size=4 bert robot1"),
    "column": of_board("four bert anna"),
    "swapping": of_board("cross -size=4 anna bert", "D4"),
    "stones": of_board("go -size=9 bert anna"),
    "lines": of_board("dots bert anna"),
    "segments": of_board("polygon bert anna"),
    "elsewhere": without_its_board,
}


_KEPT = "board", "plies", "ended_at", "ending", "winner", "offer", "offered_by", "offered_at"
_BOARDS = select(*(matches.c[name] for name in _KEPT)).order_by(matches.c.board)
_PLAYERS = select(func.count()).select_from(players).where(players.c.removed_at.is_(None))


class _Undone(Exception):
    """Rolls back what a mail has done, so that the next one finds all as it was."""


def state(tx: Transaction) -> tuple[object, ...]:
    """What a mail can do that cannot be undone by its writer alone."""
    boards = tx._connection.execute(_BOARDS).all()
    return boards, tx._connection.execute(_PLAYERS).scalar_one()


def tried(house: House, tx: Transaction, before: object, mail: Arriving) -> tuple[str, bool]:
    """What the writer gets, on one line and without the numbers of boards, and whether the mail did anything."""
    row = Received(1, house.now, mail.mail_from, mail.recipients, mail.raw)
    handler, told, acted = house.service.handler, "", False
    with suppress(_Undone), tx.savepoint():
        tx.now = house.now
        (prepared,) = handler.check(handler.read(tx, [row]))
        settled = handler.handle(tx, prepared)
        own = [each for each in settled.mails if each.address == mail.mail_from]
        told = "\n".join(Got(each.address, mail_bytes(each), each.board).letter for each in own)
        acted = state(tx) != before
        raise _Undone
    house.service.tools.states.forget()
    return " ".join(re.sub(r"\bBoard \d+", "Board", told.removeprefix("Subject: ")).split()), acted


def rows(situation: str) -> Iterator[tuple[bool, str, str]]:
    """Whether something may be done, a part of the answer, and what is said."""
    for line in TABLE.read_text().splitlines()[1:]:
        where, acts, told, said = line.split("\t")
        if where == situation:
            yield acts == "act", told, said.replace("\\n", "\n")


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.oracle) for first in range(1, EVERY))])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_nothing_is_done_that_was_not_meant(situation: str, first: int, new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, PATIENT))
    house.players("anna", "bert")
    written, score, wrong = SITUATIONS[situation](house), Counter[bool](), []
    house.service.store.only_tries = True
    with house.service.store.write() as tx:
        before = state(tx)
        some = islice(rows(situation), first, None, EVERY)
        answers = [(*row, *tried(house, tx, before, written(row[-1]))) for row in some]
    for may_act, wanted, said, told, acted in answers:
        is_wanted = wanted.casefold() in told.casefold() if wanted else not told
        score[is_wanted] += 1
        if not is_wanted:
            print(f"{situation}\t{wanted}\t{said!r}\t{'DONE ' if acted else ''}{told[:150]}")
        if acted and not may_act:
            wrong.append((said, told[:200]))
    print(f"{situation}: {score[True]} of {score.total()} as wanted")
    assert wrong == []


@pytest.mark.parametrize("said", ["c3-c5\nGood luck, and see you!", "Hi anna,\n\nc3-c5\n", "Qc3-c4, as you expected"])
def test_no_opponent_reads_what_was_to_be_played(said: str, house: House) -> None:
    house.players("anna", "bert")
    house.game("dots bert anna")
    assert [got.address for got in house.answer("bert", said, 101)] == ["bert@example.net"]
