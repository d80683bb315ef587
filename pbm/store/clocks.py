"""The columns of a board that hold its clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, ScalarSelect, exists, or_, select

from pbm.domain.clock import Clock, read_control
from pbm.domain.settings import Settings
from pbm.store.tables import absences, matches

STOPPED: Mapping[str, Any] = dict.fromkeys(
    ("left1", "left2", "turn_left", "ticking_since", "deadline_at", "overrun_at", "due_at", "gift")
) | {"paused": False}
"""Of a board that has no clock, or none any more."""

COLUMNS = tuple(STOPPED)


def columns_of(clock: Clock | None) -> Mapping[str, Any]:
    """What is stored of a clock, but for its control, which never changes, and the seat, which the board has."""
    if clock is None:
        return STOPPED
    return {
        "left1": clock.left[0],
        "left2": clock.left[1],
        "turn_left": clock.turn_left,
        "ticking_since": clock.since,
        "deadline_at": clock.deadline_at,
        "overrun_at": clock.overrun_at,
        "due_at": clock.due_at,
        "paused": clock.paused,
        "gift": clock.gift or None,
    }


def clock_of(row: Row[Any]) -> Clock | None:
    """row: of matches."""
    if row.ticking_since is None or row.seat_to_move is None:
        return None
    return Clock(
        read_control(row.control),
        row.seat_to_move,
        (row.left1, row.left2),
        row.ticking_since,
        row.turn_left,
        row.paused,
        row.deadline_at,
        row.overrun_at,
        row.due_at,
        row.gift or 0,
    )


@lru_cache(maxsize=5000)
def settings_of(stored: str) -> Settings:
    """The settings from the column of a player."""
    return Settings.chosen(json.loads(stored))


def is_interrupted() -> ScalarSelect[bool]:
    """Whether anything stops a board's clock at some time after it was last touched; a column of its row."""
    concerned = or_(absences.c.player_id.in_((matches.c.seat1_id, matches.c.seat2_id)), absences.c.player_id.is_(None))
    lasting = or_(absences.c.ends_at.is_(None), absences.c.ends_at > matches.c.ticking_since)
    return select(exists().where(concerned, lasting).correlate(matches)).scalar_subquery()
