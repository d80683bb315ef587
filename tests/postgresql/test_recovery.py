"""The recipe in docs/postgresql.md for going back to an instant, followed on a server made for it."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, text

from pbm.cli import main
from pbm.server.arbiter import Arbiter
from tests.conversation import House, address_of
from tests.postgresql.cluster import Cluster, made

pytestmark = pytest.mark.postgresql
PAGE = (Path(__file__).parents[2] / "docs/postgresql.md").read_text()
BLOCKS = r"^<!-- recovery: {} -->\n```\w+\n(.*?)^```"
INSTANT = "2026-01-31 17:59:00+00"


def blocks(cluster: Cluster, kind: str) -> list[str]:
    """The blocks of the page, in order, with this server's folders in them."""
    found = re.findall(BLOCKS.format(kind), PAGE, re.MULTILINE | re.DOTALL)
    places = {"/var/backups": cluster.place, "/var/lib/postgresql/15/main": cluster.data}
    for there, here in (*places.items(), ("/var/lib/postgresql/15", cluster.place)):
        found = [block.replace(there, str(here)) for block in found]
    return found


def configure(cluster: Cluster, block: str) -> None:
    with (cluster.data / "postgresql.conf").open("a") as file:
        file.write(block)


def asked(cluster: Cluster, query: str) -> str:
    engine = create_engine(cluster.url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        answer = str(connection.execute(text(query)).scalar_one())
    engine.dispose()
    return answer


def recorded(house: House) -> list[str]:
    match = Arbiter(house.service).board(101)
    return [ply.notation for ply in match.record]


def test_back_to_an_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was played before it is kept; what came later counts for nothing, and players are told."""
    with made() as cluster:
        archiving, restoring = blocks(cluster, "settings")
        copying, placing, telling = blocks(cluster, "commands")
        cluster.run("mkdir", "-p", cluster.place / "wal")
        configure(cluster, archiving)
        cluster.start({})
        house = House(cluster.url)
        house.now = datetime.now(UTC)  # as on the command line
        house.players("alice", "bob")
        house.game("cross -size=4 alice bob", ["D4"])
        cluster.run("sh", "-c", copying)
        house.answer("bob", "C4", 101)
        instant = asked(cluster, "SELECT clock_timestamp()")
        time.sleep(0.01)
        house.answer("alice", "B3", 101)
        lost = house.answering("bob", "D3", 101)
        house.service.close()
        cluster.stop("fast")  # the rest of the log is archived
        cluster.run("sh", "-ec", placing)
        configure(cluster, restoring.replace(INSTANT, instant))
        cluster.start({})
        while asked(cluster, "SELECT pg_is_in_recovery()") == "True":
            time.sleep(0.05)
        monkeypatch.setenv("PBM_DATABASE", cluster.url)
        for line in telling.splitlines():
            done = CliRunner().invoke(main, line.split()[1:])
            assert done.exit_code == 0, f"{line}: {done.output}"
        recovered = House(cluster.url, first_key=1001)
        recovered.now = house.now
        assert recorded(recovered) == ["D4", "C4"]
        recovered.deliver(lost)
        assert recorded(recovered) == ["D4", "C4"]
        told = recovered.wait(timedelta(minutes=5))
        back = [got.address for got in told if got["Subject"] == "pbm: your boards were set back"]
        assert sorted(back) == [address_of("alice"), address_of("bob")]
        mails = recovered.answer("alice", "101 B3")
        assert any("alice played B3" in got.body for got in mails), [got.body for got in mails]
        recovered.service.close()
        cluster.stop()
