"""`pbm status` on a database with known rows."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbm.cli.standing import _duration, lines_of
from pbm.domain.calendars import StopKind
from pbm.domain.mail import Arrival, Delivery, Settlement
from pbm.server.rows import halt
from pbm.server.status import status_of
from pbm.store import Store
from pbm.store.house import THINKS
from pbm.store.overview import SPANS
from pbm.store.pulse import HEARTBEAT
from pbm.store.queues import NewMail
from pbm.store.tables import inbox, matches
from pbm.store.tickets import Key
from tests.cli.conftest import Pbm
from tests.cli.test_serve import PBM
from tests.conversation import House
from tests.patience import PATIENCE_SECONDS

MINUTE = timedelta(minutes=1)


def test_a_server_with_nothing_to_do(pbm: Pbm) -> None:
    shown = pbm("status").stdout
    assert "0 players, 0 boards under way" in shown
    assert "     0 new\n" in shown
    assert "     0 ever; last minute 0, hour 0, day 0\n" in shown
    assert "pbm player resume" not in shown
    assert re.search(r"^database 0\.\d MB, \d% of it unused$", shown, re.MULTILINE)
    told = json.loads(pbm("status", "--json").stdout)
    assert told["inbox"]["new"] == {"mails": 0, "oldest_seconds": None}
    assert told["outbox"]["ever"] == 0
    assert told["database"]["octets"] > told["database"]["unused"] >= 0


def test_a_monitor_sees_by_the_exit_code_that_no_server_is_at_work(pbm: Pbm, tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'pbm.db'}")
    for minutes, code in ((1, 0), (6, 1)):
        with store.write() as tx:
            tx.absences.note(HEARTBEAT, datetime.now(UTC) - minutes * MINUTE)
        said = pbm("status", "--alive", code=code)
        assert said.stdout == ""
        assert said.stderr.startswith("No server is at work, since " if code else "")
    store.close()


def test_everything_that_wants_the_operator_is_shown_with_what_they_may_do(table: House) -> None:
    now = table.now
    with table.service.store.write() as tx:
        tx.inbox.settle([Settlement(1, Arrival.PARKED, "a fault")], now)
        tx.bounces.suspend("bob@example.net", now)
        for mail in tx.outbox.latest(Delivery.QUEUED, 10):
            tx.outbox.postpone(mail.id, now + MINUTE, "451 later\nand more")
        tx.guesses.put(Key("login", "alice"), 7, now, now + 4 * MINUTE)
        alice = tx.players.find("alice")
        assert alice is not None
        tx.broadcasts.add(alice, "Hello", now, sent=False)
    shown = "\n".join(lines_of(status_of(table.service.store, now + 2 * MINUTE)))
    for expected in (
        "1 parked     the oldest 3 min old: pbm inbox list --state parked",
        "2 failed     the oldest",
        "pbm outbox list --state failed",
        "2 x 451 later and more",
        "1 address suspended: pbm player resume USERID",
        "bob@example.net (bob), since",
        "1 lock against guessing: pbm player unlock WHO",
        "login alice: 7, to ",
        "(in 2 min)",
        "1 broadcast waiting: pbm player broadcast list",
    ):
        assert expected in shown, expected


def test_what_stands_still_is_told_in_a_line_with_its_end(table: House) -> None:
    store, now = table.service.store, table.now
    assert lines_of(status_of(store, now))[1] == "", "nothing does"
    with store.write() as tx:
        for mail in tx.outbox.latest(Delivery.QUEUED, 10):
            tx.outbox.postpone(mail.id, now + MINUTE, "451 later")
    for kind in (StopKind.HALT, StopKind.MAINTENANCE):
        halt(table.service.store, kind)
    shown = "\n".join(lines_of(status_of(store, now + 5 * MINUTE)))
    assert "min ago): pbm doctor" in shown, shown
    assert "No email goes out, since" in shown
    assert "All clocks stand still, since" in shown
    assert "(5 min ago): pbm maintenance off" in shown


def test_robots_that_no_process_lets_think_are_told_in_a_line(table: House) -> None:
    store, said = table.service.store, "No robot moves, because no process thinks: pbm work --do think"
    assert said not in lines_of(status_of(store, table.now)), "none is to move"
    table.game("cross -size=4 alice robot1", ["D4"])
    assert said in lines_of(status_of(store, table.now))
    table.service.live([THINKS])
    assert said not in lines_of(status_of(store, table.now + 4 * MINUTE))
    assert said in lines_of(status_of(store, table.now + 6 * MINUTE))


def test_a_server_that_is_down_is_told_in_a_line(table: House) -> None:
    store, now = table.service.store, table.now
    table.service.beat()
    assert lines_of(status_of(store, now + 4 * MINUTE))[1] == "", "it may be about to say so"
    assert lines_of(status_of(store, now + 6 * MINUTE))[1].endswith("(6 min ago): pbm serve")
    table.service.beat()
    assert lines_of(status_of(store, table.now + MINUTE))[1] == ""


def test_boards_that_wait_for_robots_are_counted(house: House) -> None:
    house.players("alice", "bob")
    house.game("cross -size=4 alice robot1", ["C3"])
    house.game("cross -size=4 alice bob", ["C3"])
    look = status_of(house.service.store, house.now + MINUTE)
    assert "robots       1 board      the oldest 3 min old" in lines_of(look)
    house.game("cross -size=4 bob robot1", ["C3"])
    look = status_of(house.service.store, house.now + MINUTE)
    assert any(line.startswith("robots       2 boards     the oldest") for line in lines_of(look))


def test_boards_that_fall_due_come_first(table: House) -> None:
    board = table.game("cross -size=4 alice bob")
    with table.service.store.write() as tx:
        for number, due_at in ((101, table.now - MINUTE), (board, table.now + MINUTE)):
            tx._connection.execute(matches.update().where(matches.c.board == number).values(due_at=due_at))
    look = status_of(table.service.store, table.now)
    assert look.deadlines.overdue == 1
    assert [each.board for each in look.deadlines.next] == [101, board]
    assert "1 board overdue" in lines_of(look)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(ages=st.lists(st.integers(0, 100_000), max_size=12), gaps=st.integers(1, 3))
def test_flows_are_counted_as_a_plain_count_would(house: House, ages: Sequence[int], gaps: int) -> None:
    """They are counted by halving, over ids with gaps."""
    now = house.now
    with house.service.store.write() as tx:
        tx._connection.execute(inbox.delete())
        for place, age in enumerate(sorted(ages, reverse=True)):
            row = {"recipients": "[]", "raw": b"", "state": "handled", "received_at": now - timedelta(seconds=age)}
            tx._connection.execute(inbox.insert().values(id=1 + place, **row))
    with house.service.store.read() as tx:
        flow = tx.overview.inbox(now).flow
    assert dict(flow.within) == {
        name: sum(timedelta(seconds=age) < span for age in ages) for name, span in SPANS.items()
    }
    assert flow.ever == len(ages)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (90_000, "1 d 1 h"), (-5, "0 s")],
)
def test_durations_are_told_in_two_units(seconds: int, expected: str) -> None:
    assert _duration(timedelta(seconds=seconds)) == expected


@pytest.fixture
def _heeds_ctrl_c() -> Iterator[None]:
    """Let child processes hear SIGINT, even if a shell has started the tests with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.servers
@pytest.mark.usefixtures("_heeds_ctrl_c")
def test_the_live_view_follows_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'x.db'}"
    Store(database).prepare(datetime.now(UTC))
    mother, child = pty.openpty()
    words = [*PBM, "status", "--watch", "--every", "0.1", "--database", database]
    process = subprocess.Popen(words, stdin=child, stdout=child, stderr=child, env=os.environ | {"TERM": "xterm"})
    os.close(child)
    try:
        seen = _read_until(mother, lambda text: text.count("inbox") >= 2)
        assert "0 new" in seen
        store = Store(database)
        with store.write() as tx:
            tx.inbox.add([NewMail(None, (), b"x")], datetime.now(UTC))
        store.close()
        _read_until(mother, lambda text: "1 new" in text)
        process.send_signal(signal.SIGINT)
        _read_until(mother, lambda text: False)
        assert process.wait(PATIENCE_SECONDS) == 0
    finally:
        process.kill()
        process.wait()
        os.close(mother)


def _read_until(terminal: int, enough) -> str:
    """The output of a terminal until it is enough or ends."""
    text, deadline = "", time.monotonic() + PATIENCE_SECONDS
    while not enough(text):
        assert time.monotonic() < deadline, text
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536).decode("utf-8", "replace")
            except OSError:
                break
    return text
