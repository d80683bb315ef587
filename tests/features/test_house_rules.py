"""Each rule of a house holds as the operator has set it, in what is done and in what players read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from inspect import isclass
from pathlib import Path

import pytest

from pbm.cli import settings
from pbm.domain import configuration
from pbm.domain.configuration import HouseRules, Limits, SettingsTable
from pbm.server import Settings
from tests.conversation import ROBOT, House

ODD = HouseRules(
    hard_bounces_to_suspend=2, confirmation_days=3, invitation_days=4, open_seek_games=5, erasure_days=6,
    message_characters=40, claim_days=8, pause_days=9, vacation_days_per_year=11, unreachable_days=12,
    answer_token_days=13,
)  # fmt: skip
"""No value is the default, nor that of another rule."""


@pytest.fixture
def odd(new_house: Callable[..., House]) -> House:
    house = new_house(Settings(ROBOT, Limits(wrong_passwords=2, newcomer_answers_per_day=3), house=ODD))
    house.players("alice", "bob")
    house.game("cross -size=4 --clock=3d alice bob", ["C3", "B2"])
    return house


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("chat\n" + "x" * 41, "at most 40 are passed on"),
        ("cross seek 6", "take 1 to 5"),
        ("vacation 2026-03-01 2026-03-20", "you have 11 days left"),
        ("erase me", "You then have 6 days to change your mind"),
        ("help claim", "neither happens for 8 days"),
        ("help pause", "after 9 days it ends"),
        ("help clock", "for 12 days a year at most"),
        ("change address alice alicepass new@example.net", "within 3 days"),
    ],
)
def test_a_rule_is_told_as_it_is(odd: House, line: str, said: str) -> None:
    assert any(said in " ".join(got.body.split()) for got in odd.answer("alice", line, 101))


def test_a_pause_ends_by_itself(odd: House) -> None:
    odd.answer("alice", "pause", 101)
    assert "paused until Sat 10 Jan" in odd.answer("bob", "accept", 101)[0].body
    assert odd.wait(timedelta(days=8)) == []
    assert "The pause is over" in odd.wait(timedelta(days=1))[0].body


def test_time_that_nobody_claims_wins_by_itself(odd: House) -> None:
    odd.wait(timedelta(days=4))
    assert odd.wait(timedelta(days=6)) == []
    assert "won on time" in odd.wait(timedelta(days=1))[0].body


def test_an_erasure_comes_when_it_was_told(odd: House) -> None:
    (asked,) = odd.answer("alice", "erase me", 101)
    (planned,) = odd.send("alice", "yes", "yes", to=asked["Reply-To"])
    assert "will be deleted on 2026-01-07" in " ".join(planned.body.split())


def test_an_invitation_lasts_as_long_as_it_says(odd: House) -> None:
    told = odd.send("alice", "cross challenge alice zoe@example.com alice alicepass")
    assert any("within 4 days" in " ".join(got.body.split()) for got in told)


def test_passwords_are_not_looked_at_after_so_many_wrong_ones(odd: House) -> None:
    for _ in range(2):
        odd.send("alice", "cross move 101 alice wrong C4")
    (got,) = odd.send("alice", "cross move 101 alice alicepass D4")
    assert "passwords are limited, and yours was not looked at" in " ".join(got.body.split())


def numbers() -> Iterator[tuple[str, str]]:
    """The names and defaults of all settings that have a default of their own."""
    for each in (*vars(configuration).values(), *vars(settings).values()):
        if isclass(each) and issubclass(each, SettingsTable):
            yield from ((name, str(field.default)) for name, field in each.model_fields.items())


def test_each_setting_is_tried_with_a_value_that_is_not_its_default() -> None:
    """Where a test uses the default, it does not notice a setting that nobody reads."""
    root = Path(__file__).parents[1]
    text = "\n".join(path.read_text() for kind in ("*.py", "*.txt") for path in sorted(root.rglob(kind)))
    tried = defaultdict[str, set[str]](set)
    for word, value in re.findall(r"(\w+)[\"']?\s*[=:]\s*(?=([^\s,)}]+))", text):
        # "PBM_HOUSE__CLAIM_DAYS" in the environment is the same.
        parts = word.casefold().split("_")
        for first in range(len(parts)):
            tried["_".join(parts[first:])].add(value.strip("\"'"))
    for name, default in numbers():
        assert tried[name] - {default}, f"{name} is only ever {default}"
