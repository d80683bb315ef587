"""`pbm db copy` between SQLite and PostgreSQL: all rows arrive, however words are sorted, and new ones can follow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from pbm.cli import main
from pbm.server import Service
from pbm.server.organizer import Organizer
from pbm.store import Store
from tests.conversation import House
from tests.databases import VARIABLE, Files, Server

pytestmark = pytest.mark.postgresql
MIXED = ("a-b", "ab", "AC", "a_d", "zoe")
"""Userids that databases sort differently."""


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(os.environ[VARIABLE])
    yield server
    server.close()


@pytest.fixture
def old(tmp_path: Path) -> str:
    """A database of SQLite with a bit of everything."""
    url = Files(tmp_path).ready()
    house = House(url)
    for userid in MIXED:
        house.player(userid)
    house.game("cross -size=4 a-b ab", ["D4", "C3"])
    house.game("loops a_d zoe")
    house.send("ab", "cross challenge AC ab")
    house.send("zoe", "cross seek")
    house.answer("a-b", "resign!", 101)
    with house.service.store.write() as tx:
        tx._connection.execute(text("UPDATE inbox SET reason = 'a' || char(0) || 'b' WHERE id = 1"))
    house.service.close()
    return url


def copied(source: str, target: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["db", "copy", source, target])
    assert result.exit_code == code, result.output
    return result


def test_there_and_back_again(old: str, server: Server, tmp_path: Path) -> None:
    middle, back = server.empty(), f"sqlite:///{tmp_path / 'back.db'}"
    there, again = copied(old, middle).stdout, copied(middle, back).stdout
    (first, said), (second, said_again) = there.split(" ", 1), again.split(" ", 1)
    assert int(second) == int(first) + 1, "the line that the first copy left in the log of commands"
    assert said == said_again == "rows copied, all alike; 3 boards replayed, none differ.\n"
    for url in (middle, back):
        service = Service(Store(url))
        assert [problem for problem in service.store.check() if " is off: " not in problem] == []
        assert Organizer(service).start_match("cross", ("zoe", "ab"), ["-size=4"]).board == 104
        service.close()


def test_a_database_with_something_in_it_is_left_alone(old: str, server: Server) -> None:
    middle = server.empty()
    copied(old, middle)
    assert "TO is not empty" in copied(old, middle, code=1).stderr


def test_a_source_that_is_not_there_is_told(tmp_path: Path, server: Server) -> None:
    assert "There is no database at" in copied(f"sqlite:///{tmp_path / 'none.db'}", server.empty(), code=1).stderr
