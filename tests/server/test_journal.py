"""Some mails are handled in one transaction, but a fault in one of them affects only that one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import event
from structlog.testing import capture_logs

from pbm.compose.tell import mail_bytes
from pbm.domain.mail import Arrival, Mail
from pbm.server import Arriving, batch
from pbm.store.queues import Outbox
from tests.conversation import House


def states(house: House) -> list[tuple[str, str]]:
    with house.service.store.read() as tx:
        return [(mail.state.value, mail.reason) for mail in tx.inbox.latest(None, 10)[::-1]]


def accept(house: House, *mails: tuple[str, str]) -> None:
    written = [house.mail(userid, subject) for userid, subject in mails]
    house.service.accept([Arriving(mail.mail_from, mail.recipients, mail.raw) for mail in written])


def test_what_cannot_be_written_down_parks_its_own_mail_only(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    add = Outbox.add_all

    def fail_for_one(outbox: Outbox, mails: Mapping[Any, Sequence[Mail]], now: datetime) -> dict[Any, list[int]]:
        owed = [mail for some in mails.values() for mail in some]
        if any("C4" in mail.subject or b"played C4" in mail_bytes(mail) for mail in owed):
            raise RuntimeError("a fault of ours")
        return add(outbox, mails, now)

    monkeypatch.setattr(Outbox, "add_all", fail_for_one)
    before = len(states(table))
    accept(
        table,
        ("carol", "cross standings"),
        ("bob", "cross move 101 bob bobpass C4"),
        ("alice", "cross show 101"),
    )
    assert sum(iter(table.service.handle, 0)) == 3  # in several batches if the machine is busy
    parked, reason = states(table)[before + 1]
    assert (parked, reason.endswith("RuntimeError: a fault of ours")) == (Arrival.PARKED, True)
    assert [state for state, _ in (states(table)[before], states(table)[before + 2])] == [Arrival.HANDLED] * 2
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert [ply.notation for ply in match.record] == ["D4"]


def test_a_mail_is_handled_at_once_however_long_its_password_takes(table: House) -> None:
    accept(table, ("bob", "cross move 101 bob bobpass C4"))
    assert table.service.handle() == 1


@pytest.mark.parametrize("seconds", [0.0, 60.0], ids=["each alone", "all together"])
def test_others_may_write_between_mails_and_none_is_counted_twice(
    seconds: float, table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "_SECONDS_AT_ONCE", seconds)
    accept(table, *[("bob", f"help {name}") for name in ("move", "swap", "take", "seek", "show")])
    assert sum(iter(table.service.handle, 0)) == 5
    assert {state for state, _ in states(table)[-5:]} == {Arrival.HANDLED}


def test_mails_with_passwords_wait_for_those_without_but_for_their_own(table: House) -> None:
    guesses = [(f"x{number}", f"signup name{number} open-sesame{number}") for number in range(6)]
    accept(table, *guesses, ("bob", "about alice"), ("x5", "help move"))
    while table.service.handle():  # several times if the machine is busy
        pass
    subjects = [got["Subject"] for got in table.collect()]
    assert subjects[0] == "pbm: about alice"
    assert subjects.index("pbm: help move") > 5


def test_a_mail_that_comes_twice_in_one_batch_is_handled_once(table: House) -> None:
    before = len(states(table))
    mail = table.mail("bob", "cross move 101 bob bobpass C4")
    table.service.accept([Arriving(mail.mail_from, mail.recipients, mail.raw)] * 2)
    assert sum(iter(table.service.handle, 0)) == 2
    assert [state for state, _ in states(table)[before:]] == [Arrival.HANDLED, Arrival.IGNORED]


@pytest.mark.parametrize(
    ("dated", "second"), [("Date: Thu, 1 Jan 2026 12:00:00 +0000\r\n", Arrival.IGNORED), ("", Arrival.HANDLED)]
)
def test_a_mail_without_a_message_id_is_known_by_its_bytes_if_they_are_dated(
    dated: str, second: Arrival, table: House
) -> None:
    """A date tells a mail that is delivered again from the mail of a person who says the same thing twice."""
    raw = f"From: alice@example.net\r\n{dated}Subject: show 101 alice alicepass\r\n\r\n".encode()
    for _ in range(2):
        table.deliver(Arriving("alice@example.net", ("pbm@example.org",), raw))
    assert [state for state, _ in states(table)[-2:]] == [Arrival.HANDLED, second]


def test_the_log_tells_whose_mail_did_what_where(table: House) -> None:
    with capture_logs() as logged:
        table.send("alice", "cross move 101 alice alicepass C4")
    told = [{name: line[name] for name in ("userid", "verb", "board") if name in line} for line in logged]
    assert [each for each in told if each] == [{"userid": "alice", "verb": "move", "board": "101"}]
    assert "alicepass" not in str(logged)


def test_a_move_minds_what_an_earlier_mail_of_its_batch_has_changed(table: House) -> None:
    accept(table, ("alice", "set alice alicepass subject constant"), ("bob", "cross move 101 bob bobpass C4"))
    assert sum(iter(table.service.handle, 0)) == 2
    with table.service.store.read() as tx:
        told = [queued.mail.subject for queued in tx.outbox.latest(None, 10) if queued.mail.address.startswith("alice")]
    assert "Cross Board 101 alice-bob" in told


def test_a_move_asks_the_database_sixteen_times_at_most(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements are what a move costs."""
    monkeypatch.setattr(batch, "_SECONDS_AT_ONCE", 60.0)
    asked, count = list[object](), 10
    for number in range(count):
        table.players(f"one{number}", f"two{number}")
        table.game(f"cross -size=4 one{number} two{number}", ["D4"])
    table.service.accept([table.answering(f"two{number}", "C4", 102 + number) for number in range(count)])
    listening = (table.service.store._engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    event.listen(*listening)
    assert table.service.handle() == count
    event.remove(*listening)
    assert len(asked) <= 16 * count
