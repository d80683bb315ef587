"""The boards in a server's memory are those of the database, even after a rollback."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest

from games import GAMES
from pbm.core import board as boards
from pbm.core.board import States
from pbm.domain.match import Match, Player, Ply, Record, replay
from pbm.server import Service, Settings
from pbm.store.queues import Outbox
from tests.conversation import ROBOT, House, record


def test_a_ply_that_was_undone_is_forgotten(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process plays a ply with the same number and revision, here even at the same instant."""
    instant, add, keys = table.now, Outbox.add_all, itertools.count()
    faults = iter([RuntimeError("a fault of ours")])

    def fail_once(outbox: Outbox, *args: Any, **more: Any) -> Any:
        for fault in faults:
            raise fault
        return add(outbox, *args, **more)

    monkeypatch.setattr(Outbox, "add_all", fail_once)
    (got,) = table.answer("bob", "E4")
    assert got["Subject"] == "pbm: our fault"
    assert record(table) == ["D4"]
    table.now, first = instant, table.service
    table.service = Service(
        first.store, Settings(ROBOT), clock=first.store.clock, make_key=lambda: f"other{next(keys)}"
    )
    assert "bob played C4" in table.answer("bob", "C4", 101)[0].body
    table.service = first
    assert "alice played D5" in table.answer("alice", "D5")[1].body
    assert record(table) == ["D4", "C4", "D5"]
    assert "C4" in table.send("bob", "cross show 101")[0].body


def test_a_row_tells_when_the_last_ply_was_played_that_was_not_taken_back(table: House) -> None:
    table.answer("bob", "C4")
    table.answer("bob", "undo")
    table.answer("alice", "accept")
    assert record(table) == ["D4"]
    with table.service.store.read() as tx:
        match, summary = tx.matches.load(101), tx.matches.summary(101)
        assert match is not None
        assert summary is not None
        assert summary.moved_at == match.moved_at


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def match_of(board: int, plies: int, game: str = "cross") -> Match:
    """A board with this many cells of a row taken, one after another."""
    record = Record.of(Ply(f"A{1 + number}", 1 + number % 2, NOW) for number in range(plies))
    return Match(board, game, 1, ("-size=9",), "", (Player(1, "alice"), Player(2, "bob")), plies, record, NOW)


def keep(states: States, *matches: Match) -> None:
    for match in matches:
        states.keep(match, replay(GAMES[match.game], match.options, "", match.record.notations))


def remembered(states: States) -> list[int]:
    return [number for number in range(1, 100) if states.match(number)]


@pytest.fixture
def room_for_three(monkeypatch: pytest.MonkeyPatch) -> States:
    """A memory with room for three boards of eight plies."""
    monkeypatch.setattr(boards, "REMEMBERED", 3 * (8 + 8))
    return States()


def test_the_boards_that_were_met_longest_ago_are_forgotten(room_for_three: States) -> None:
    keep(room_for_three, *(match_of(number, 8) for number in (1, 2, 3)))
    room_for_three.of(match_of(1, 8))
    keep(room_for_three, match_of(4, 8))
    assert remembered(room_for_three) == [1, 3, 4]


def test_a_board_counts_once_however_often_it_is_met(room_for_three: States) -> None:
    keep(room_for_three, match_of(1, 8), *(match_of(2, plies) for plies in (1, 2, 3, 4, 5, 6, 7, 8)), match_of(3, 8))
    assert remembered(room_for_three) == [1, 2, 3]
    keep(room_for_three, match_of(3, 9))
    assert remembered(room_for_three) == [2, 3]


def test_memory_that_was_emptied_holds_as_many_as_before(room_for_three: States) -> None:
    keep(room_for_three, *(match_of(number, 8) for number in (1, 2, 3)))
    room_for_three.forget()
    assert remembered(room_for_three) == []
    keep(room_for_three, *(match_of(number, 8) for number in (4, 5, 6)))
    assert remembered(room_for_three) == [4, 5, 6]
