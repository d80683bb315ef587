"""Buckets: what is drawn comes back evenly, and one that was emptied stays closed until half of it is back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pbm.core.limits import BUCKETS, GUESSES, HOME, LONGEST, Act, Memory, Pool, Whose, excess, minute, spend
from pbm.domain.configuration import Limits

START = datetime(2026, 1, 1, tzinfo=UTC)
ALICE = Whose(Pool.PROVEN, author="player 1", to="alice@example.net")
HOUR = timedelta(hours=1)


@given(
    most=st.integers(1, 30),
    pauses=st.lists(st.integers(0, 400), max_size=120),
)
def test_nobody_gets_more_than_a_bucket_and_what_comes_back(most: int, pauses: list[int]) -> None:
    book, limits, now, taken = Memory(), Limits(challenges_per_day=most), START, list[datetime]()
    for pause in pauses:
        now += timedelta(minutes=pause)
        problem = excess(book, limits, now, Act.CHALLENGE, ALICE)
        if problem is None:
            spend(book, limits, now, Act.CHALLENGE, ALICE)
            taken.append(now)
        else:
            assert now < problem.until <= now + timedelta(days=1)
            assert excess(book, limits, problem.until, Act.CHALLENGE, ALICE) is None
            a_moment_before = problem.until - timedelta(microseconds=1)
            assert excess(book, limits, a_moment_before, Act.CHALLENGE, ALICE) is not None
    for first in range(len(taken)):
        for last in range(first, len(taken)):
            back = (taken[last] - taken[first]) / timedelta(days=1) * most
            assert last - first + 1 <= most + back + 1


def test_a_refusal_says_what_was_too_much_and_until_when() -> None:
    book, limits = Memory(), Limits(challenges_per_day=4)
    for _ in range(4):
        assert excess(book, limits, START, Act.CHALLENGE, ALICE) is None
        spend(book, limits, START, Act.CHALLENGE, ALICE)
    problem = excess(book, limits, START, Act.CHALLENGE, ALICE)
    assert problem is not None
    assert problem.until == START + 12 * HOUR
    words = "Too much for now: challenges by one player are limited to 4 a day. Try again after 2026-01-01 12:00 UTC."
    assert str(problem) == words


def test_one_factor_changes_all_limits() -> None:
    once, twice = Limits(), Limits(scale=2)
    assert all(bucket.most(twice) == 2 * bucket.most(once) for bucket in BUCKETS)
    assert all(bucket.most(Limits(scale=0.01)) >= 1 for bucket in BUCKETS)
    assert [bucket.most(Limits(scale=9, invitations_per_day=0)) for bucket in BUCKETS if bucket.name == "invite"] == [0]


def test_what_allows_nothing_refuses_at_once() -> None:
    problem = excess(Memory(), Limits(invitations_per_day=0), START, Act.INVITE, ALICE)
    assert problem is not None
    assert "limited to 0 a day" in str(problem)


def test_the_unproven_draw_nothing_that_is_for_others() -> None:
    """Whatever anybody causes whom nothing proves, each bucket of those who prove more stays as it was."""
    book, limits = Memory(), Limits()
    forger = Whose(
        Pool.UNPROVEN, "x@e.example", "x@e.example", "185.1.2.3", "185.1.2.0/24", "v@small.example", "alice", "m"
    )
    for act in {act for bucket in BUCKETS for act in bucket.acts if Pool.UNPROVEN in bucket.pools}:
        spend(book, limits, START, act, forger, parts=1_000_000)
        assert excess(book, limits, START, act, forger) is not None
        assert excess(book, limits, START, act, forger._replace(pool=Pool.PROVEN)) is None


def test_large_providers_are_counted_by_mailbox_and_network_only() -> None:
    book, limits = Memory(), Limits()
    for number in range(200):
        one = Whose(Pool.UNPROVEN, network=f"185.1.{number}.0/24", to=f"x{number}@gmail.com")
        assert excess(book, limits, START, Act.CONFIRM, one) is None
        spend(book, limits, START, Act.CONFIRM, one)
    assert excess(book, limits, START, Act.CONFIRM, Whose(Pool.UNPROVEN, to="x@gmail.com")) is None
    again = Whose(Pool.UNPROVEN, to="x.1+tag@gmail.com")
    for _ in range(2):
        spend(book, limits, START, Act.CONFIRM, again)
    assert excess(book, limits, START, Act.CONFIRM, again) is not None


def test_small_costs_are_counted_in_tenths_of_a_second() -> None:
    book, limits = Memory(), Limits(computing_seconds_per_hour=1)
    for _ in range(9):
        spend(book, limits, START, Act.COMPUTING, ALICE, parts=1)
    assert excess(book, limits, START, Act.COMPUTING, ALICE) is None
    spend(book, limits, START, Act.COMPUTING, ALICE, parts=6)
    problem = excess(book, limits, START, Act.COMPUTING, ALICE)
    assert problem is not None
    assert "limited to 1 an hour" in str(problem)
    assert problem.until == START + HOUR
    spend(book, limits, START, Act.COMPUTING, ALICE, parts=6000)
    assert excess(book, limits, START + 1.2 * HOUR, Act.COMPUTING, ALICE) is None


def test_each_bucket_has_a_name_that_the_store_can_hold() -> None:
    names = [bucket.name for bucket in BUCKETS]
    assert len({*names}) == len(names)
    assert all(len(name) <= 20 for name in names)
    assert {*LONGEST} | GUESSES <= {*names, HOME}


def test_every_act_draws_from_something() -> None:
    assert {act for bucket in BUCKETS for act in bucket.acts} == {*Act}


def test_every_setting_but_the_factor_is_of_a_bucket() -> None:
    of_buckets = {bucket.tokens for bucket in BUCKETS if isinstance(bucket.tokens, str)}
    assert of_buckets | {"scale"} == {*Limits.model_fields}
    assert len(Limits.model_fields) <= 15


def test_a_minute_is_rounded_up() -> None:
    assert minute(START + timedelta(seconds=1)) == "2026-01-01 00:01 UTC"
    assert minute(START) == "2026-01-01 00:00 UTC"
