"""Lists come in parts: each tells how to ask for the next, and none is larger than a mail should be."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from bench import worlds
from bench.attacks import letter
from pbm.compose.tell import mail_bytes
from pbm.domain.configuration import Limits
from pbm.reading.verbs import VERBS
from pbm.server import Arriving, Service, Settings
from pbm.store import Store
from tests.conversation import House, address_of

BOARDS = 450
LARGEST = 60_000
RENAMED = "UPDATE players SET userid = 'somebody-long-' || id WHERE userid LIKE 'q%'"
OVER = """
UPDATE matches SET ended_at = started_at + board, ending = 'resigned', winner = 1, reason = 'by resignation',
seat_to_move = NULL WHERE board % 2 = 0
"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with many boards, every other one ended, and players with long names who get HTML."""
    url = f"sqlite:///{tmp_path_factory.mktemp('crowd')}/pbm.db"
    worlds.make(url, BOARDS, 6, 1)
    limits = Limits(unproven_answers_per_hour=1000)
    service = Service(Store(url), Settings(worlds.ROBOT, limits))
    with service.store.write() as tx:
        tx._connection.execute(text(RENAMED))
        tx._connection.execute(text(OVER))
    yield service
    service.close()


def asked(service: Service, subject: str, body: str = "") -> str:
    """The text of the answer, which must not be too large."""
    own = "p0@players.example"
    service.accept([Arriving(own, (worlds.ROBOT.address,), letter(own, subject, body, 1))])
    service.handle()
    with service.store.read() as tx:
        raw = mail_bytes(tx.outbox.latest(None, 1)[0].mail)
    assert len(raw) < LARGEST
    return raw.decode().partition("text/html")[0]


@pytest.mark.parametrize(
    ("subject", "row", "count"),
    [
        ("cross games", r"^ *(\d+)  \S+ - \S+ ", BOARDS + worlds.LINES),
        ("cross games inactive", r"^ *(\d+)  \S+ - \S+ ", (BOARDS + worlds.LINES) // 2),
        ("cross history", r"^\d{4}-\d\d-\d\d +(\d+) ", (BOARDS + worlds.LINES) // 2),
    ],
)
def test_the_last_line_of_each_part_brings_the_next(crowd: Service, subject: str, row: str, count: int) -> None:
    found: list[str] = []
    while subject:
        told = asked(crowd, subject)
        found += re.findall(row, told, re.MULTILINE)
        following = re.search(r"For (?:the next|older) ones, send: (.+?)\r?$", told, re.MULTILINE)
        subject = following[1] if following else ""
    assert len(found) == len(set(found)) == count


def test_lists_of_many_games_are_cut_short_as_a_whole(crowd: Service) -> None:
    told = asked(crowd, "list cross loops hex")
    assert re.search(r"For the others, send: list loops hex\r?$", told, re.MULTILINE)


def test_several_lists_in_one_mail_are_not_too_large_either(crowd: Service) -> None:
    told = asked(crowd, "multiple", "cross games\ncross history\ncross games after 200\ncross standings")
    assert told.count("send the line in a separate email") == 2


def test_a_number_that_no_board_has_begins_a_part_all_the_same(crowd: Service) -> None:
    assert "There are no Cross games" in asked(crowd, "cross games after 999999")
    assert "No game of Cross has ended" in asked(crowd, "cross history before 1")


def test_an_export_of_many_boards_is_not_too_large(crowd: Service) -> None:
    with crowd.store.write() as tx:
        tx._connection.execute(text("UPDATE matches SET seat1_id = (SELECT id FROM players WHERE userid = 'p0')"))
    told = asked(crowd, "export p0 bench-secret")
    assert re.search(r"For the next ones, answer: export \d+\r?$", told, re.MULTILINE)


WORDS = {
    "USERID": "p0", "PASSWORD": "bench-secret", "NEW-USERID": "joe", "NEW-PASSWORD": "a-good-word", "USERID1": "p0",
    "USERID2": "p1", "BOARD": "101", "TO-USERID": "p1", "OTHER": "p1", "NAME": "board", "VALUE": "both", "SEEK": "1",
    "FROM": "2027-01-01", "TO": "1w", "LADDER": "2d 1d", "MOVE": "A1", "PLAN": "A1 A2", "RESULT": "win", "TIME": "1d",
    "KIND": "robin", "GAME": "cross", "ROUND": "1", "SUBJECT": "cross", "POINT": "A1", "FACTOR": "2", "WHAT": "p1",
    "ANSWER": "A1", "PLAYER": "p0 p1 p2", "PLY": "2", "GAMES": "20", "NUMBER": "20", "WORDS": "word " * 300,
    "NOTHING": "none", "ADDRESS": "joe@example.com",
}  # fmt: skip
"""Values for the parameters of verbs."""
LAST = ("delete", "signoff", "erase me", "change address", "change password", "password", "revoke")


def test_no_verb_is_answered_by_more_than_a_mail_should_hold(crowd: Service) -> None:
    """Each verb in a mail of its own, with all the words it may have and text below; all the mails it causes count."""
    own, below = "p0@players.example", "\n".join(["Some words of mine, and some more of them."] * 20)
    sizes: dict[str, int] = {}
    with crowd.store.read() as tx:
        before = tx.outbox.latest(None, 1)[0].id
    for verb in sorted(VERBS, key=lambda verb: verb.name in LAST):
        said = [WORDS.get(param.key, param.key.casefold()) for param in verb.params]
        subject = " ".join([*(["cross"] if verb.per_game else []), verb.name, *said])
        crowd.accept([Arriving(own, (worlds.ROBOT.address,), letter(own, subject, below, 1))])
        crowd.handle()
        with crowd.store.read() as tx:
            new = [queued for queued in tx.outbox.latest(None, 40) if queued.id > before]
        before = max([before, *(queued.id for queued in new)])
        sizes[verb.name] = max([len(mail_bytes(queued.mail)) for queued in new], default=0)
    assert sum(size > 0 for size in sizes.values()) > len(VERBS) * 0.9
    assert {name: size for name, size in sizes.items() if size >= LARGEST} == {}


def test_in_words_moves_are_listed_only_for_the_player_to_move(people: House) -> None:
    for userid in ("alice", "bob"):
        people.send(userid, f"set board words {userid} {userid}pass")
    got = {each.address: each.body for each in people.send("alice", "crossgeo challenge me bob")}
    assert "Red may pick" in got[address_of("alice")]
    assert "Red may pick" not in got[address_of("bob")]
    assert "Segment 17 from X to AB" in got[address_of("bob")]
