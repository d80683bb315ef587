"""A standby that is promoted, as docs/postgresql.md tells: what it has goes on, and what it lacks is told."""

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
from tests.postgresql.cluster import Cluster, free_port, made
from tests.postgresql.test_recovery import asked, recorded

pytestmark = pytest.mark.postgresql
PAGE = (Path(__file__).parents[2] / "docs/postgresql.md").read_text()
COPYING, PROMOTING, *TELLING = "".join(
    re.findall(r"^<!-- standby -->\n```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
).splitlines()


@contextmanager
def pair() -> Iterator[tuple[Cluster, Cluster]]:
    """A server, and its standby that follows it."""
    with made() as first:
        second = replace(first, port=free_port(), folder="standby")
        first.start({})
        try:
            first.run(*place(COPYING, first, second).split())
            second.start({})
            yield first, second
        finally:
            for each in (first, second):
                with suppress(RuntimeError):  # it does not run
                    each.stop()


def place(line: str, first: Cluster, second: Cluster) -> str:
    """A command of the page, with the folders and the address that are here."""
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
    """Wait until the standby has what there is."""
    position = asked(first, "SELECT pg_current_wal_lsn()")
    while asked(second, f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == "False":
        time.sleep(0.05)


@pytest.mark.parametrize("lacks", [False, True])
def test_a_standby_takes_the_place_of_the_first(lacks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers to mails from before count as long as nothing is lost; else all are told how they stand."""
    with pair() as (first, second):
        house = House(both(first, second))
        house.now = datetime.now(UTC)  # as the command line has it
        house.player("alice")
        house.player("bob")
        house.game("cross -size=4 alice bob", ["D4"])
        follow(first, second)
        if lacks:
            second.stop("fast")
        house.answer("bob", "C4", 101)
        answer = house.answering("alice", "B3", 101)
        house.service.close()
        if not lacks:
            follow(first, second)
        first.stop()
        if lacks:
            second.start({})
        second.run(*place(PROMOTING, first, second).split())
        monkeypatch.setenv("PBM_DATABASE", both(first, second))
        for line in TELLING if lacks else ():
            done = CliRunner().invoke(main, line.split()[1:])
            assert done.exit_code == 0, f"{line}: {done.output}"
        after = House(both(first, second), first_key=1001)
        after.now = house.now
        after.deliver(answer)
        assert recorded(after) == (["D4"] if lacks else ["D4", "C4", "B3"])
        told = after.wait(timedelta(minutes=5))
        back = [got.address for got in told if got["Subject"] == "pbm: your boards were set back"]
        assert sorted(back) == ([address_of("alice"), address_of("bob")] if lacks else [])
        after.service.close()
