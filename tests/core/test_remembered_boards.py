"""The boards a server remembers are those of the database, also after what was done to them was undone."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pbm.server import Service
from pbm.store.queues import Outbox
from tests.conversation import House


def record(house: House) -> list[str]:
    with house.service.store.read() as tx:
        match = tx.matches.load(101)
        assert match is not None
        return [ply.notation for ply in match.record]


def test_a_ply_that_was_undone_is_forgotten(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process plays one with the same number and revision, and here even at the same instant."""
    instant, add, keys = table.now, Outbox.add, itertools.count()
    faults = iter([RuntimeError("a fault of ours")] * 2)  # in the batch, and in the mail by itself

    def fail_once(outbox: Outbox, *args: Any) -> Any:
        for fault in faults:
            raise fault
        return add(outbox, *args)

    monkeypatch.setattr(Outbox, "add", fail_once)
    (got,) = table.answer("bob", "E4")
    assert got["Subject"] == "pbm: our fault"
    assert record(table) == ["D4"]
    table.now, first = instant, table.service
    table.service = Service(first.store, first.settings, clock=first.clock, make_key=lambda: f"other{next(keys)}")
    assert "bob played C4" in table.answer("bob", "C4", 101)[0].body
    table.service = first
    assert "alice played D5" in table.answer("alice", "D5")[1].body
    assert record(table) == ["D4", "C4", "D5"]
    assert "C4" in table.send("bob", "cross show 101")[0].body
