"""A move costs the same however many boards there are: no statement on its way reads a whole table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from pbm.store import Store
from tests.conversation import House

Asked = list[tuple[str, Any]]
HARMLESS = ("SCAN CONSTANT ROW", "SCAN anon_1")
"""No tables: a row made of nothing, and what a part of the statement has found."""


@contextmanager
def hearing(store: Store, asked: Asked) -> Iterator[None]:
    """What is asked of the database meanwhile, with its parameters."""

    def hear(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: object) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
            asked.append((statement, parameters))

    event.listen(store._engine, "before_cursor_execute", hear)
    yield
    event.remove(store._engine, "before_cursor_execute", hear)


def test_no_statement_of_a_move_reads_a_whole_table(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    service, store = table.service, table.service.store
    if store.locks_rows:
        pytest.skip("the plans of SQLite")
    asked: Asked = []
    handle = service.handle

    def heard(limit: int = 50) -> int:
        with hearing(store, asked):
            return handle(limit)

    monkeypatch.setattr(service, "handle", heard)
    table.answer("bob", "E4\nHere I come.")
    with hearing(store, asked):
        service.agenda.run()
        with store.write() as tx:
            tx.outbox.claim(table.now, table.now + timedelta(hours=1), 10)
            tx.outbox.sent([1, 2], table.now)
    assert len(asked) > 10
    with store._engine.connect() as connection:
        for statement, parameters in asked:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            scans = [step[3] for step in plan if step[3].startswith("SCAN") and step[3] not in HARMLESS]
            assert not scans, f"{scans} in {statement}"
