"""A standby is promoted as in docs/postgresql.md: what it has goes on, and players are told about what it lacks."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbm.cli import main
from tests.conversation import House, address_of
from tests.ports import reserved_port
from tests.postgresql.cluster import Cluster, made
from tests.postgresql.test_recovery import asked, recorded

pytestmark = pytest.mark.postgresql
PAGE = (Path(__file__).parents[2] / "docs/postgresql.md").read_text()
COPYING, PROMOTING, *TELLING = "".join(
    re.findall(r"^<!-- standby -->\n```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
).splitlines()


@contextmanager
def servers() -> Iterator[tuple[Cluster, Cluster, Cluster]]:
    """The first one runs; the others have no data yet."""
    with made() as first, reserved_port() as other, reserved_port() as another:
        second, third = replace(first, port=other, folder="second"), replace(first, port=another, folder="third")
        first.start({})
        try:
            yield first, second, third
        finally:
            for each in (first, second, third):
                with suppress(RuntimeError):  # it is not running
                    each.stop()


def join(second: Cluster, first: Cluster) -> None:
    """Make it a standby that follows the first."""
    first.run(*place(COPYING, first, second).split())
    second.start({})


def place(line: str, first: Cluster, second: Cluster) -> str:
    """A command of the page, with our folders and our address in it."""
    for there, here in (
        ("--host=db1.example.org", f"--host=127.0.0.1 --port={first.port} --no-sync"),
        ("--username=replica", "--username=postgres"),
        ("/var/lib/postgresql/15/main", second.data),
    ):
        line = line.replace(there, str(here))
    return line


def both(first: Cluster, second: Cluster) -> str:
    hosts = "&".join(f"host=127.0.0.1:{each.port}" for each in (first, second))
    return f"postgresql://postgres@/postgres?{hosts}&target_session_attrs=read-write"


def follow(first: Cluster, second: Cluster) -> None:
    """Wait until the standby has caught up."""
    position = asked(first, "SELECT pg_current_wal_lsn()")
    while asked(second, f"SELECT pg_last_wal_replay_lsn() >= '{position}'") != "True":
        time.sleep(0.05)


def test_a_standby_takes_the_place_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers to earlier mails count as long as nothing is lost; otherwise all players are told where they stand."""
    with servers() as (first, second, third):
        house = House(both(first, second))
        house.now = datetime.now(UTC)  # as on the command line
        house.players("alice", "bob")
        house.game("cross -size=4 alice bob", ["D4"])
        join(second, first)
        house.answer("bob", "C4", 101)
        answer = house.answering("alice", "B3", 101)
        follow(first, second)
        after = changed_over(house, 1001, first, second)
        after.deliver(answer)
        assert recorded(after) == ["D4", "C4", "B3"]
        assert not told(after)

        join(third, second)
        follow(second, third)
        third.stop("fast")
        after.answer("bob", "E5", 101)
        answer = after.answering("alice", "C5", 101)
        monkeypatch.setenv("PBM_DATABASE", both(second, third))
        last = changed_over(after, 2001, second, third, *TELLING)
        last.deliver(answer)
        assert recorded(last) == ["D4", "C4", "B3"]
        assert told(last) == [address_of("alice"), address_of("bob")]
        last.service.close()


def changed_over(house: House, first_key: int, first: Cluster, second: Cluster, *telling: str) -> House:
    """The house on the second server, which replaces the first. telling: commands to run if data are lost."""
    house.service.close()
    first.stop()
    if telling:
        second.start({})
    second.run(*place(PROMOTING, first, second).split())
    for line in telling:
        done = CliRunner().invoke(main, line.split()[1:])
        assert done.exit_code == 0, f"{line}: {done.output}"
    after = House(both(first, second), first_key=first_key)
    after.now = house.now
    return after


def told(house: House) -> list[str]:
    """The addresses that are told that their boards were set back."""
    mails = house.wait(timedelta(minutes=5))
    return sorted(mail.address for mail in mails if mail["Subject"] == "pbm: your boards were set back")
