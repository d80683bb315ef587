"""The statements of a move and of the server's own work cost the same however many boards there are.

The statements of all verbs are judged in tests/test_conversations.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Select, event, select

from pbm.features.talk import SPREAD
from pbm.server.organizer import Organizer
from pbm.store.house import Agenda, Item
from pbm.store.tables import absences, matches
from tests.conversation import ROBOT, House
from tests.databases import Databases
from tests.plans import Plans, judged


@pytest.fixture(scope="module")
def judge(databases: Databases) -> Iterator[Plans]:
    plans = Plans(databases)
    yield plans
    plans.close()


def test_no_statement_of_a_move_reads_a_whole_table(table: House, judge: Plans) -> None:
    with judged(judge):
        table.answer("bob", "E4\nHere I come.")
    with judge.judging(table.service.store), table.service.store.write() as tx:
        tx.outbox.claim(table.now, table.now + timedelta(hours=1), 10)
        tx.outbox.sent([1, 2], table.now)
    assert len(judge.judged) > 10
    assert not judge.faults


def test_no_statement_of_a_flood_or_a_broadcast_reads_a_whole_table(table: House, judge: Plans) -> None:
    """Mails with passwords that are put off, a move that comes first, and letters to many."""
    strangers = [table.mail(f"new{n}@x.example", f"signup new{n} a-good-word{n}") for n in range(4)]
    table.service.accept([*strangers, table.answering("bob", "E4", 101)])
    with judged(judge):
        while table.service.handle(1):
            pass
        table.send("alice", "broadcast alice alicepass", "Hello!")
        with table.service.store.write() as tx:
            tx.agenda.put(SPREAD, 1, table.now, after=0)
        table.wait(timedelta(seconds=1))
    assert any("bob played E4" in got.body for got in table.mailboxes["alice@example.net"])
    assert not judge.faults


def test_what_is_done_every_minute_and_every_hour_reads_no_whole_table(house: House, judge: Plans) -> None:
    with judged(judge):
        house.service.beat()
        house.service.tidy()
    assert not judge.faults


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (select(matches.c.board).where(matches.c.winner == 3), "SCAN matches|scan of matches"),
        (select(absences.c.id).where(absences.c.kind == "x1"), "SCAN absences|scan of absences"),
        (select(matches.c.board).where(matches.c.game == "x1").order_by(matches.c.moved_at), "sorting of matches"),
    ],
    ids=["scan", "small rows", "sort"],
)
def test_a_scan_and_a_sort_are_found(statement: Select[tuple[int]], fault: str, house: House, judge: Plans) -> None:
    with judge.judging(house.service.store), house.service.store.read() as tx:
        tx._connection.execute(statement)
    faults, judge.faults = judge.faults, []
    assert re.match(fault, faults[0])


ALL_BOARDS = (
    "export",
    "export 101",
    "calendar all",
    "cross games me",
    "cross history me",
    "about alice",
    "remind 1d",
    "set sleep 23:00-07:00",
    "set timezone Europe/Berlin",
    "vacation 2026-02-01 1w",
    "vacation end",
    "set digest 08:00",
    "revoke",
)
"""Lines that read all boards of a player or change their clocks."""


def statements(house: House, line: str) -> int:
    """The number of statements for a line of alice's, which must not be refused."""
    asked: list[str] = []
    engine = house.service.store._engine

    def hear(_conn: object, _cursor: object, statement: str, *_more: object) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", hear)
    try:
        got = house.send("alice", line, Authentication_Results=f"{ROBOT.authserv_id}; dkim=pass header.d=example.net")
    finally:
        event.remove(engine, "before_cursor_execute", hear)
    assert not got[0].refuses, got[0].body
    return len(asked)


def test_a_verb_asks_as_often_for_thirty_boards_as_for_two(new_house: Callable[..., House]) -> None:
    counts = []
    for boards in (2, 30):
        house = new_house()
        house.players("alice", "bob")
        for _ in range(boards):
            Organizer(house.service).start_match("cross", ("alice", "bob"), ("-size=2", "-clock=10d"))
        house.send("alice", "cross note 101 alice alicepass", "Look.")
        house.send("bob", "cross resign! 101 bob bobpass")
        house.send("alice", "cross show 102 alice alicepass")
        counts.append({line: statements(house, line) for line in ALL_BOARDS})
    assert not {line for line in ALL_BOARDS if counts[1][line] > counts[0][line]}


def test_revoked_emails_read_the_offers_to_their_player_alone(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.players("alice", "bob", "carol")
    for player in ("alice", "carol"):
        house.send(player, f"set challenges ask {player} {player}pass")
        house.send("bob", f"cross challenge me {player} bob bobpass")
    read: set[object] = set()
    get = Agenda.get

    def heard(agenda: Agenda, kind: str, key: object) -> Item | None:
        read.update([key] if kind == "offer" else ())
        return get(agenda, kind, key)

    def unasked(_: Agenda, kind: str) -> list[Item]:
        raise AssertionError(f"all of {kind} are read")

    monkeypatch.setattr(Agenda, "get", heard)
    monkeypatch.setattr(Agenda, "of", unasked)
    got = house.send("alice", "revoke alice alicepass")
    assert [(each.address, each["Subject"]) for each in got] == [
        ("alice@example.net", "pbm: a game of Cross?"),
        ("alice@example.net", "pbm: old emails are void"),
    ]
    assert len(read) == 1


def test_boards_under_way_are_counted_from_indexes_alone(house: House) -> None:
    """A club's standings count thousands of boards, and each would take a page of the file to read."""
    store, asked = house.service.store, list[str]()
    if store.locks_rows:
        pytest.skip("PostgreSQL looks whether others may see a row")
    with store.read() as tx:
        event.listen(tx._connection, "before_cursor_execute", lambda *words: asked.append(words[2]))
        tx.matches.active_counts((1, 2))
        explained = [f"EXPLAIN QUERY PLAN {statement}" for statement in asked]
        plans = [tx._connection.exec_driver_sql(each, (1,) * each.count("?")) for each in explained]
        steps = [row[3] for plan in plans for row in plan if "matches" in row[3]]
    assert len(steps) == 2
    assert all("USING COVERING INDEX ix_matches_ended" in step for step in steps)
