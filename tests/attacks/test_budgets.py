"""Each kind of mail that somebody may get because of others has a budget, which docs/security.md names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pbm.domain.configuration import Limits
from pbm.server import Settings
from tests.conversation import ROBOT, House, address_of

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "docs" / "security.md").read_text()
ROWS = re.findall(r"^\| `([a-z-]+\.txt)` \| (.+) \| (.+) \|$", SECURITY, re.MULTILINE)
LARGE, MOST = 1000, 2


def test_every_kind_of_mail_is_named_once() -> None:
    others = [line for line in SECURITY.splitlines() if line.startswith("`")]
    letters = [path.name for path in (ROOT / "templates/mails").glob("*.txt")]
    named = [name for name, _, _ in ROWS] + re.findall(r"`([a-z-]+\.txt)`", "\n".join(others))
    assert sorted(named) == sorted(letters)


def test_every_budget_is_a_limit() -> None:
    assert set(re.findall(r"`limits\.([a-z_]+)`", SECURITY)) <= set(Limits.model_fields)
    caused = SECURITY.partition("## Caused by anybody")[2].partition("\n## ")[0]
    assert set(re.findall(r"`limits\.([a-z_]+)`", caused)) <= {case[0] for case in CASES} | OTHERS


OTHERS = {"answers_per_hour", "answers_per_hour_in_all", "stranger_challenges_per_day"}
"""Limits tested elsewhere: of robots, of half of all answers, and of a sender who proposes games."""
SIGNUP, OWN = "signup joe{letter} a-good-word joe@example.com", "m{n}@e{n}.example"
CASES = [
    ("stranger_replies_per_day", "list", "joe@example.com", "list of games", "joe@example.com"),
    ("unproven_answers_per_hour", "list", "alice", "list of games", "alice"),
    ("unproven_help_per_hour", "help cross", "alice", "help", "alice"),
    ("unproven_answers_per_domain_per_hour", "list", "alice", "list of games", "alice"),
    ("unproven_answers_per_network_per_hour", "list", "alice", "list of games", "alice"),
    ("answers_per_board_per_hour", "cross show 101", "alice", "Board 101", "alice"),
    ("confirmations_per_day", SIGNUP, OWN, "confirm your address", "joe@example.com"),
    ("held_asks_per_day", "cross seek {n}", "alice", "was that you", "alice"),
    ("resets_per_day", "reset password alice", OWN, "choose a password", "alice"),
    ("offers_to_one_per_day", "cross challenge alice bob", OWN, "a game of", "alice"),
    ("", "erase me", "alice", "erase you", "alice"),
    *(
        (f"unasked_per_{by}_per_day", line, sender, subject, victim)
        for by in ("domain", "network")
        for line, sender, subject, victim in (
            (SIGNUP, OWN, "confirm your address", "joe@example.com"),
            ("list", "joe@example.com", "list of games", "joe@example.com"),
            ("cross seek {n}", "alice", "was that you", "alice"),
            ("reset password alice", OWN, "choose a password", "alice"),
            ("erase me", "alice", "erase you", "alice"),
            ("cross challenge alice bob", OWN, "a game of", "alice"),
        )
    ),
]


@pytest.mark.parametrize(("limit", "line", "sender", "subject", "victim"), CASES)
def test_nobody_gets_more_than_the_budget(
    limit: str, line: str, sender: str, subject: str, victim: str, new_house: Callable[..., House]
) -> None:
    """All other limits on what a forger may cause are too high to be reached."""
    plenty = {name: LARGE for name in Limits.model_fields if re.search("_per_(hour|day)|per_hour_in_all", name)}
    house = new_house(Settings(ROBOT, Limits.model_validate({**plenty, limit: MOST} if limit else plenty)))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob")
    box = house.mailboxes.setdefault(address_of(victim), [])
    box.clear()
    for number in range(5):
        words = line.format(n=number + 1, letter=chr(97 + number))
        at = "Received", f"from mail.e.example (unknown [185.12.64.{number + 1}]) by mx.example.org; Thu, 1 Jan"
        house.send(sender.format(n=number), words, **dict([at]))
    got = [mail for mail in box if subject in mail["Subject"]]
    assert 0 < len(got) <= (MOST if limit else 3)
