"""Lists come in parts: each tells how the next one is asked for, and none is larger than a mail should be."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from bench import worlds
from bench.attacks import letter
from pbm.server import Arriving, Service, Settings
from pbm.store import Store

BOARDS = 450
LARGEST = 60_000
RENAMED = "UPDATE players SET userid = 'somebody-long-' || id WHERE userid LIKE 'q%'"
OVER = """
UPDATE matches SET ended_at = started_at + board, ending = 'resigned', winner = 1, reason = 'by resignation',
seat_to_move = NULL WHERE board % 2 = 0
"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with many boards, of which every other has ended, and players with long names who get HTML."""
    url = f"sqlite:///{tmp_path_factory.mktemp('crowd')}/pbm.db"
    worlds.make(url, BOARDS, 6, 1)
    service = Service(Store(url), Settings(worlds.ROBOT))
    with service.store.write() as tx:
        tx._connection.execute(text(RENAMED))
        tx._connection.execute(text(OVER))
    yield service
    service.close()


def asked(service: Service, subject: str, body: str = "") -> str:
    """The text of the answer, which is not too large."""
    own = "p0@players.example"
    service.accept([Arriving(own, (worlds.ROBOT.address,), letter(own, subject, body, 1))])
    service.handle()
    with service.store.read() as tx:
        raw = tx.outbox.latest(None, 1)[0].mail.raw
    assert len(raw) < LARGEST
    return raw.decode().partition("text/html")[0]


@pytest.mark.parametrize(
    ("subject", "row", "count"),
    [
        ("cross games", r"^ *(\d+)  cross ", BOARDS + 1),
        ("cross games inactive", r"^ *(\d+)  cross ", BOARDS // 2),
        ("cross history", r"^\d{4}-\d\d-\d\d +(\d+) ", BOARDS // 2),
    ],
)
def test_the_last_line_of_each_part_brings_the_next(crowd: Service, subject: str, row: str, count: int) -> None:
    found: list[str] = []
    while subject:
        told = asked(crowd, subject)
        found += re.findall(row, told, re.MULTILINE)
        following = re.search(r" come by: (.+?)\r?$", told, re.MULTILINE)
        subject = following[1] if following else ""
    assert len(found) == len(set(found)) == count


def test_lists_of_many_games_are_cut_short_as_a_whole(crowd: Service) -> None:
    told = asked(crowd, "list cross loops hex")
    assert re.search(r"The others come by: list loops hex\r?$", told, re.MULTILINE)


def test_several_lists_in_one_mail_are_not_too_large_either(crowd: Service) -> None:
    told = asked(crowd, "multiple", "cross games\ncross history\ncross games after 200\ncross standings")
    assert told.count("send the line in a mail of its own") == 2


def test_a_number_that_no_board_has_begins_a_part_all_the_same(crowd: Service) -> None:
    assert "There are no Cross games" in asked(crowd, "cross games after 999999")
    assert "No game of Cross has ended" in asked(crowd, "cross history before 1")


def test_an_export_of_many_boards_is_not_too_large(crowd: Service) -> None:
    with crowd.store.write() as tx:
        tx._connection.execute(text("UPDATE matches SET seat1_id = (SELECT id FROM players WHERE userid = 'p0')"))
    told = asked(crowd, "export p0 bench-secret")
    assert re.search(r"The next ones come by: export \d+\r?$", told, re.MULTILINE)
