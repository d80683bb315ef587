"""Each kind of mail that somebody may get because of others draws from buckets, which docs/security.md names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbm.core import limits as module
from pbm.core.limits import BUCKETS, DAY, HOUR, Act, Bucket, Pool
from pbm.domain.configuration import HouseRules, Limits
from pbm.server import Settings
from tests.conversation import ROBOT, House, address_of

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
SECURITY = PAGE.read_text()
ROWS = re.findall(r"^\| `([a-z-]+\.txt)` \| (.+) \| (.+) \|$", SECURITY, re.MULTILINE)
MOST = 2
ANSWERS = (Act.ANSWER, Act.HELP, Act.STRANGER, Act.BOARD)
UNPROVEN: dict[str, tuple[Act, ...]] = {
    "answer.txt": (*ANSWERS, Act.PUZZLING),
    "board.txt": ANSWERS,
    "confirm.txt": (Act.CONFIRM,),
    "held.txt": (Act.HELD,),
    "bystander.txt": (Act.HELD,),
    "reset.txt": (Act.RESET,),
    "erase-asked.txt": (Act.ERASE,),
    "offer.txt": (Act.OFFER, Act.CHALLENGE),
}
"""What mails draw that anybody can cause. Those that are not here go out once a day, or as others do."""
PROVEN: dict[str, tuple[Act, ...]] = {
    "invitation.txt": (Act.INVITE,),
    "message.txt": (Act.MESSAGE,),
    "broadcast.txt": (Act.BROADCAST,),
    "broadcast-operator.txt": (Act.BROADCAST,),
    "chat.txt": (Act.CHAT,),
    "kibitz.txt": (Act.KIBITZ,),
}
"""The same for mails that only players cause."""


def test_every_kind_of_mail_is_named_once() -> None:
    others = [line for line in SECURITY.splitlines() if line.startswith("`")]
    letters = [path.name for path in (PAGE.parents[1] / "templates/mails").glob("*.txt")]
    named = [name for name, _, _ in ROWS] + re.findall(r"`([a-z-]+\.txt)`", "\n".join(others))
    assert sorted(named) == sorted(letters)


def test_every_setting_that_is_named_exists() -> None:
    assert set(re.findall(r"`limits\.([a-z_]+)`", SECURITY)) <= set(Limits.model_fields)
    assert set(re.findall(r"`house\.([a-z_]+)`", SECURITY)) <= set(HouseRules.model_fields)


@pytest.mark.parametrize(
    ("page", "acts", "pool"),
    [(page, acts, pool) for pool in Pool for page, acts in (UNPROVEN, PROVEN)[pool is Pool.PROVEN].items()],
)
def test_the_page_names_the_buckets_of_each_mail(page: str, acts: tuple[Act, ...], pool: Pool) -> None:
    (budget,) = (budget for name, _, budget in ROWS if name == page)
    drawn = {bucket.name for bucket in BUCKETS if pool in bucket.pools and not {*acts}.isdisjoint(bucket.acts)}
    assert set(re.findall(r"`([a-z ]+)`", budget)) == drawn


def table() -> Iterator[str]:
    """The table of buckets, as the page shows it."""
    yield "| bucket | what draws from it | counted by | pool | holds |"
    yield "|---|---|---|---|---|"
    for bucket in BUCKETS:
        acts = "; ".join(bucket.acts)
        holds = f"`{bucket.tokens}`" if isinstance(bucket.tokens, str) else str(bucket.tokens)
        per = {HOUR: "an hour", DAY: "a day"}.get(bucket.per) or ("a year" if bucket.per > DAY else "in six hours")
        yield f"| `{bucket.name}` | {acts} | {bucket.by} | {', '.join(bucket.pools)} | {holds} {per} |"


def test_the_page_shows_the_table() -> None:
    """PBM_UPDATE_GOLDEN=1 writes it anew."""
    before, _, rest = SECURITY.partition("| bucket |")
    after = rest[rest.index("\n\n") :]
    wanted = before + "\n".join(table()) + after
    if os.environ.get("PBM_UPDATE_GOLDEN"):
        PAGE.write_text(wanted)
    assert wanted == SECURITY


SIGNUP, OWN = "signup joe{letter} a-good-word joe@example.com", "m{n}@e{n}.example"
CASES = [
    ("stranger", "list", "joe@example.com", "list of games", "joe@example.com"),
    ("stranger domain", "list", "joe@example.com", "list of games", "joe@example.com"),
    ("stranger network", "list", "joe@example.com", "list of games", "joe@example.com"),
    ("unproven answers", "list", "alice", "list of games", "alice"),
    ("unproven answers", "cross show 101", "alice", "Board 101", "alice"),
    ("unproven help", "help cross", "alice", "help", "alice"),
    ("board", "Z9", "alice", "Board 101", "alice"),
    ("seat", "Z9", "alice", "Board 101", "alice"),
    ("answers network", "list", "alice", "list of games", "alice"),
    ("answers in all", "list", "alice", "list of games", "alice"),
    ("answers in all", "list", "joe@example.com", "list of games", "joe@example.com"),
    ("confirm", SIGNUP, OWN, "confirm your address", "joe@example.com"),
    ("no answer", SIGNUP, OWN, "confirm your address", "joe@example.com"),
    ("question domain", SIGNUP, OWN, "confirm your address", "joe@example.com"),
    ("held", "cross seek {n}", "alice", "was that you", "alice"),
    ("reset", "reset password alice", OWN, "choose a password", "alice"),
    ("erase", "erase me", "alice", "erase you", "alice"),
    ("offer", "cross challenge alice bob", OWN, "a game of", "alice"),
    ("proposal", "cross challenge alice bob", "m@e.example", "a game of", "alice"),
    *(
        ("question network", line, sender, subject, victim)
        for line, sender, subject, victim in (
            (SIGNUP, OWN, "confirm your address", "joe@example.com"),
            ("cross seek {n}", "alice", "was that you", "alice"),
            ("reset password alice", OWN, "choose a password", "alice"),
            ("erase me", "alice", "erase you", "alice"),
            ("cross challenge alice bob", OWN, "a game of", "alice"),
        )
    ),
]


def test_each_bucket_of_what_anybody_can_cause_is_tried() -> None:
    acts = {act for each in UNPROVEN.values() for act in each} - {Act.PUZZLING}
    drawn = {bucket.name for bucket in BUCKETS if Pool.UNPROVEN in bucket.pools and not acts.isdisjoint(bucket.acts)}
    assert {name for name, *_ in CASES} == drawn


@pytest.mark.parametrize(("name", "line", "sender", "subject", "victim"), CASES)
def test_nobody_gets_more_than_the_bucket_holds(
    name: str, line: str, sender: str, subject: str, victim: str, new_house: Callable[..., House],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """All other buckets are too large to be emptied."""

    def sized(bucket: Bucket) -> Bucket:
        return bucket._replace(tokens=MOST if bucket.name == name else 1000)

    house = new_house(Settings(ROBOT))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob")
    monkeypatch.setattr(module, "BUCKETS", tuple(map(sized, BUCKETS)))
    box = house.mailboxes.setdefault(address_of(victim), [])
    to = box[0]["Reply-To"] if name in ("board", "seat") else ROBOT.address
    box.clear()
    for number in range(5):
        words = line.format(n=number + 1, letter=chr(97 + number))
        at = "Received", f"from mail.e.example (unknown [185.12.64.{number + 1}]) by mx.example.org; Thu, 1 Jan"
        house.send(sender.format(n=number), words, "", to, **dict([at]))
        house.now -= timedelta(minutes=1)
    got = [mail for mail in box if subject in mail["Subject"]]
    assert 0 < len(got) <= MOST
