"""What is asked of the database costs the same however many boards there are: a move, and what is done by itself.

What all verbs ask is judged with their conversations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Select, select

from pbm.store.tables import absences, matches
from tests.conversation import House
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
