"""Clocks as values: what a control means, what a move costs, and what an undo or a gift of time does."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pbm.domain.calendars import Calendar, Rests, Stop, StopKind
from pbm.domain.clock import LEAST, MOST, Clock, TimeControl, control_of, read_control
from pbm.domain.errors import BadArguments
from pbm.domain.spans import (
    DAY,
    HOUR,
    MINUTE,
    brief,
    in_words,
    read_duration,
    write_duration,
)

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALWAYS = (Calendar(), Calendar())
DEFAULT = TimeControl(per_move=21 * DAY)


def after(micros: float) -> datetime:
    return START + timedelta(microseconds=micros)


lengths = st.integers(LEAST // MINUTE, MOST // MINUTE).map(lambda minutes: minutes * MINUTE)


@st.composite
def controls(draw: st.DrawFn) -> TimeControl:
    per_move, bank = draw(st.none() | lengths), draw(st.none() | lengths)
    increment = draw(st.just(0) | lengths) if bank is not None else 0
    cap = draw(st.none() | st.just(max(bank, increment))) if bank is not None else None
    timed = per_move is not None or bank is not None
    return TimeControl(per_move, bank, increment, cap, timed and draw(st.booleans()), draw(st.none() | lengths))


@given(controls())
def test_a_control_is_read_as_it_is_written(control: TimeControl) -> None:
    assert read_control(str(control)) == control
    assert len(str(control)) <= 80


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("3d", TimeControl(3 * DAY)),
        ("1d12h", TimeControl(36 * HOUR)),
        ("2w,strict", TimeControl(14 * DAY, strict=True)),
        ("10d+1d", TimeControl(bank=10 * DAY, increment=DAY)),
        ("10D+1D/20D", TimeControl(bank=10 * DAY, increment=DAY, cap=20 * DAY)),
        ("10d+0,move=3d", TimeControl(3 * DAY, 10 * DAY)),
        ("none", TimeControl()),
        ("", TimeControl()),
        ("none,nag=3d", TimeControl(nag=3 * DAY)),
    ],
)
def test_controls_are_read(text: str, control: TimeControl) -> None:
    assert read_control(text) == control


@pytest.mark.parametrize(
    "text",
    [
        "soon",
        "30m",
        "400d",
        "3d+",
        "10d+1d/5d",
        "10d/20d",
        "3d,fast",
        "3d,move=",
        "10d,move=2d",
        "99999999d",
        "3d,nag=1m",
        "+1d",
        "-3d",
    ],
)
def test_what_is_no_clock_is_refused_in_its_own_words(text: str) -> None:
    with pytest.raises(BadArguments) as refusal:
        read_control(text)
    assert any(part in str(refusal.value) for part in (text, *re.split("[+/,=]", text)) if part)


def test_the_classic_options() -> None:
    assert control_of({}, DEFAULT) == DEFAULT
    assert control_of({"totaltime": "30"}, DEFAULT) == TimeControl(bank=30 * DAY)
    assert control_of({"forfeittime": "7"}, DEFAULT) == TimeControl(7 * DAY)
    assert control_of({"totaltime": "30", "forfeittime": "7", "nagtime": "3"}, DEFAULT) == TimeControl(
        7 * DAY, 30 * DAY, nag=3 * DAY
    )
    assert control_of({"clock": "3d", "nagtime": "1"}, DEFAULT) == TimeControl(3 * DAY, nag=DAY)
    assert control_of({"nagtime": "5"}, DEFAULT) == DEFAULT._replace(nag=5 * DAY)


@pytest.mark.parametrize(
    "options",
    [
        {"clock": ""},
        {"totaltime": ""},
        {"totaltime": "x"},
        {"forfeittime": "0"},
        {"nagtime": "366"},
        {"clock": "3d", "totaltime": "3"},
    ],
)
def test_classic_options_that_make_no_sense(options: dict[str, str]) -> None:
    with pytest.raises(BadArguments):
        control_of(options, DEFAULT)


def test_days_per_move_begin_anew_with_each_move() -> None:
    clock = Clock.start(read_control("3d"), 1, START, ALWAYS)
    assert clock.deadline_at == after(3 * DAY)
    clock = clock.charged(after(2 * DAY), ALWAYS).after_move(2, ALWAYS)
    assert (clock.left, clock.deadline_at) == ((3 * DAY, 3 * DAY), after(5 * DAY))


def test_a_bank_shrinks_and_grows_up_to_its_cap() -> None:
    clock = Clock.start(read_control("10d+1d/10d12h"), 1, START, ALWAYS)
    clock = clock.charged(after(4 * DAY), ALWAYS).after_move(2, ALWAYS)
    assert clock.left == (7 * DAY, 10 * DAY)
    clock = clock.charged(after(4 * DAY + HOUR), ALWAYS).after_move(1, ALWAYS)
    assert clock.left == (7 * DAY, 10 * DAY + 12 * HOUR)
    assert clock.deadline_at == after(11 * DAY + HOUR)


def test_a_bank_and_a_limit_for_each_move() -> None:
    clock = Clock.start(read_control("5d+0,move=3d"), 1, START, ALWAYS)
    assert clock.deadline_at == after(3 * DAY)
    clock = clock.charged(after(DAY), ALWAYS)
    assert clock.refreshed(ALWAYS).deadline_at == after(3 * DAY)
    clock = (
        clock.charged(after(2.5 * DAY), ALWAYS)
        .after_move(2, ALWAYS)
        .charged(after(3 * DAY), ALWAYS)
        .after_move(1, ALWAYS)
    )
    assert clock.left == (2.5 * DAY, 4.5 * DAY)
    assert clock.deadline_at == after(5.5 * DAY)


def test_a_late_move_leaves_nothing_but_what_it_earns() -> None:
    for control, left in (("3d", 3 * DAY), ("3d+6h", 6 * HOUR), ("3d+0", 0)):
        late = Clock.start(read_control(control), 1, START, ALWAYS).charged(after(30 * DAY), ALWAYS)
        assert late.after_move(2, ALWAYS).left[0] == left


def test_an_undo_takes_back_what_the_ply_earned_and_no_time_that_was_used() -> None:
    clock = Clock.start(read_control("10d+1d/10d12h"), 1, START, ALWAYS)
    had = clock.charged(after(HOUR), ALWAYS).left[0]
    played = clock.charged(after(HOUR), ALWAYS).after_move(2, ALWAYS)
    back = played.taken_back(1, had, after(2 * HOUR), ALWAYS)
    assert back.left == (had, 10 * DAY - HOUR)
    assert (back.seat, back.since) == (1, after(2 * HOUR))
    given = played.given(1, DAY, after(2 * HOUR), ALWAYS).taken_back(1, had, after(2 * HOUR), ALWAYS)
    assert given.left[0] == had + DAY


def test_an_undo_gives_a_whole_move_where_each_has_its_time() -> None:
    clock = Clock.start(read_control("3d"), 1, START, ALWAYS)
    back = (
        clock.charged(after(2.9 * DAY), ALWAYS).after_move(2, ALWAYS).taken_back(1, DAY // 10, after(3 * DAY), ALWAYS)
    )
    assert back.deadline_at == after(6 * DAY)


def test_a_gift_undoes_that_time_was_up() -> None:
    clock = Clock.start(read_control("3d"), 1, START, ALWAYS)
    over = clock.charged(after(4 * DAY), ALWAYS)._replace(overrun_at=after(4 * DAY))
    given = over.given(1, 2 * DAY, after(5 * DAY), ALWAYS)
    assert (given.overrun_at, given.deadline_at) == (None, after(7 * DAY))
    assert over.given(2, 2 * DAY, after(5 * DAY), ALWAYS).overrun_at is not None


def test_a_pause_takes_no_time() -> None:
    clock = Clock.start(read_control("3d"), 1, START, ALWAYS).with_pause(True, after(DAY), ALWAYS)
    assert clock.deadline_at is None
    assert clock.remaining(1, after(50 * DAY), ALWAYS) == 2 * DAY
    assert clock.with_pause(False, after(50 * DAY), ALWAYS).deadline_at == after(52 * DAY)


def test_what_comes_before_the_clock_was_touched_costs_nothing() -> None:
    clock = Clock.start(read_control("3d"), 1, START, ALWAYS)
    assert clock.charged(after(-HOUR), ALWAYS).after_move(2, ALWAYS).since == START


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 5 * DAY), min_size=1, max_size=6), controls(), st.booleans())
def test_charging_in_between_changes_nothing(waits: list[int], control: TimeControl, away: bool) -> None:
    stop = Stop(StopKind.VACATION, after(2 * DAY), after(9 * DAY))
    calendars = (Calendar(Rests("Europe/Berlin", "22:00-06:00", "sun"), (stop,) if away else ()), Calendar())
    once = Clock.start(control, 1, START, calendars)
    often = once
    for until in range(1, len(waits) + 1):
        often = often.charged(after(sum(waits[:until])), calendars)
    end = after(sum(waits))
    assert often.remaining(1, end, calendars) == once.remaining(1, end, calendars)
    assume(once.remaining(1, end, calendars) > 0)
    assert often.deadline(calendars) == once.deadline(calendars)


@given(st.integers(0, 3650 * DAY).map(lambda length: length // MINUTE * MINUTE))
def test_lengths_are_read_as_they_are_written(length: int) -> None:
    assert read_duration(write_duration(length)) == length


def test_lengths_for_people() -> None:
    assert in_words(DAY + 2 * MINUTE) == "1 day 2 minutes"
    assert brief(3 * DAY - HOUR) == "2d 23h"
    assert brief(21 * DAY - 40_000_000) == "21d"
    assert brief(59) == "0m"
