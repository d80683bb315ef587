"""A thousand mails as people and their mail programs write them, bytes in: none plays a move that was not meant."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

import pytest

from pbm.domain.configuration import Limits
from pbm.domain.mail import Received
from pbm.server import Arriving, Settings
from pbm.server.guard import Gate
from pbm.server.handle import Handler
from pbm.store import Transaction
from tests.conversation import ROBOT, House
from tests.domain.test_plain_words import ASIDES, CLAIMS, CLOSINGS, DOUBTS, GREETINGS
from tests.mailin import clients

MAILS = 1000
PATIENT = Limits(answers_per_hour=10_000, answers_per_board_per_hour=10_000, messages_per_day=10_000)


class _NotMeantToLast(Exception):
    """Takes back what a mail has done, so that the next one finds the board as it was."""


@pytest.fixture
def patient(new_house: Callable[..., House]) -> House:
    house = new_house(Settings(ROBOT, PATIENT))
    for userid in ("anna", "bert"):
        house.player(userid)
    return house


def composed(move: str, other: str) -> list[tuple[str, str]]:
    """Texts, each with the move that it makes, "" for none; in an order without order, the same each time."""
    asides = [(aside, move) for aside in ("", *ASIDES)] + [(doubt, "") for doubt in DOUBTS]
    texts = [
        (f"{greeting}{claim}\n{aside}{closing}".replace("MOVE", move).replace("OTHER", other), meant)
        for greeting, claim, (aside, meant), closing in itertools.product(GREETINGS, CLAIMS, asides, CLOSINGS)
    ]
    texts += [
        (f"{greeting}{aside}{closing}".replace("OTHER", other), "")
        for greeting, aside, closing in itertools.product(GREETINGS, ASIDES, CLOSINGS)
    ]
    return random.Random(13).sample(texts, len(texts))


def programs(text: str, ours: str) -> list[bytes]:
    """The text as mail programs send it above, below or without what they quote of our mail; some as HTML too."""
    quoted = "\r\n".join(f"> {line}".rstrip() for line in ours.splitlines())
    line = "On Thu, 1 Jan 2026 at 12:00, pbm <pbm@example.org> wrote:"
    signature = random.Random(text).choice(clients.MOBILE_SIGNATURES)
    return [
        part.replace("\n", "\r\n").replace("\r\r\n", "\r\n").encode()
        for part in (
            f"{text}\n",
            f"{text}\n\n{line}\n{quoted}\n",
            f"{text}\n\n{signature}\n\n{line}\n{quoted}\n",
            f"{line}\n{quoted}\n\n{text}\n",
        )
    ]


def played(house: House, tx: Transaction, handler: Handler, mail: Arriving, now: datetime) -> list[str]:
    """The plies that the mail adds to its board, which stays as it was."""
    row = Received(1, now, mail.mail_from, mail.recipients, mail.raw)
    tx.now = now
    prepared = handler.read(Gate(tx, PATIENT), row, handler.message_of(row))
    (checked,) = handler.check([prepared])
    found: list[str] = []
    with suppress(_NotMeantToLast), tx.savepoint():
        settled = handler.handle(tx, prepared, checked)
        assert settled.mails, mail.raw
        match = tx.matches.load(101)
        assert match is not None
        assert match.result is None
        found = [ply.notation for ply in match.record[1:]]
        raise _NotMeantToLast
    house.service.tools.states.forget()
    return found


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.oracle)])
@pytest.mark.parametrize(
    ("game", "first", "move", "other"),
    [("cross -size=4 anna bert", "C3", "D4", "E5"), ("crossgeo anna bert", "5", "17", "18")],
)
def test_a_thousand_composed_mails_play_nothing_that_was_not_meant(
    patient: House, game: str, first: str, move: str, other: str, step: int
) -> None:
    """Every one of them where CI asks for it, and else one in twenty."""
    patient.game(game, [first])
    ours = patient.mailboxes["bert@example.net"][-1].body
    handler, wrong, right = patient.service._batches._handler, [], 0
    texts = composed(move, other)[: MAILS // 2 : step]
    with patient.service.store.write() as tx:
        for number, (text, meant) in enumerate(texts):
            mail = patient.answering("bert", "TEXT", 101)
            head = mail.raw.partition(b"\r\n\r\n")[0]
            raw = head + b"\r\n\r\n" + programs(text, ours)[number % 4]
            plies = played(patient, tx, handler, Arriving(mail.mail_from, mail.recipients, raw), patient.now)
            wrong += [text] if plies not in ([], [meant]) else []
            right += plies == ([meant] if meant else [])
    assert wrong == []
    assert right >= 0.95 * len(texts)
