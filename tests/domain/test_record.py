"""A record is the sequence of its plies."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.match import Ply, Record

INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  given one
TIMES = st.none() | st.integers(-(1 << 62), 1 << 62)
PLIES = st.builds(Ply, st.text(max_size=8), st.sampled_from((1, 2)), INSTANTS, st.booleans(), TIMES)
RECORDS = st.lists(PLIES, max_size=12)
BOUNDS = st.none() | st.integers(-15, 15)
STEPS = st.none() | st.integers(-3, 3).filter(bool)


@given(RECORDS)
def test_it_holds_what_was_put_in(plies: list[Ply]) -> None:
    record = Record.of(plies)
    assert [*record] == plies
    assert [*reversed(record)] == plies[::-1]
    assert (len(record), bool(record)) == (len(plies), bool(plies))
    assert record.notations == tuple(ply.notation for ply in plies)
    assert [*record.seats] == [ply.seat for ply in plies]
    assert all(ply in record for ply in plies)


@given(RECORDS, st.integers(-15, 15))
def test_each_ply_is_found_by_its_place(plies: list[Ply], place: int) -> None:
    record = Record.of(plies)
    if -len(plies) <= place < len(plies):
        assert record[place] == plies[place]
    else:
        with pytest.raises(IndexError):
            record[place]


@given(RECORDS, BOUNDS, BOUNDS, STEPS)
def test_a_slice_is_the_record_of_these_plies(plies: list[Ply], start: int, stop: int, step: int) -> None:
    assert Record.of(plies)[start:stop:step] == Record.of(plies[start:stop:step])


@given(RECORDS, PLIES)
def test_a_ply_more_makes_another_record(plies: list[Ply], ply: Ply) -> None:
    before = Record.of(plies)
    after = before.appended(ply)
    assert [*after] == [*plies, ply]
    assert [*before] == plies
    assert after[:-1] == before != after


@given(RECORDS, RECORDS)
def test_records_are_equal_where_their_plies_are(plies: list[Ply], others: list[Ply]) -> None:
    one, other = Record.of(plies), Record.of(others)
    assert (one == other) == (plies == others)
    assert len({one, Record.of(list(plies))}) == 1
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one  # noqa: S301  our own
