"""Headers for lists and threads: constant for a board, with a command that leaves it; one click only with a page."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit

from games import GAMES
from pbm.compose.wire import Thread, board_headers
from pbm.domain.match import Match, Player, Record, State
from pbm.mailin import Robot
from pbm.server import Settings

ROBOT = Robot(domain="example.org")
STARTED = datetime(2026, 1, 1, 12, tzinfo=UTC)
STATE = State.start(GAMES["cross"], ())
PLAYERS = (Player(1, "alice"), Player(2, "bob"))
MATCH = Match(101, "cross", 1, (), "", PLAYERS, 0, Record(), STARTED)
THREAD = Thread.of(MATCH, STATE)
ANOTHER = MATCH._replace(board=102)
TOKEN = "pbm+token@example.org"
POST = "pbm+chat@example.org"


def test_a_player_can_ask_to_get_off_by_mail_and_never_by_a_click():
    clicks = replace(ROBOT, unsubscribe_url="https://example.org/leave")
    headers = board_headers(clicks, MATCH, THREAD, "", TOKEN, POST)
    assert headers["List-Unsubscribe"].strip() == f"<mailto:{TOKEN}?subject=cross%20unsubscribe%20101>"
    assert "List-Unsubscribe-Post" not in headers
    assert headers["List-Id"] == "Cross Board 101 <101.cross.pbm.example.org>"
    assert headers["List-Post"] == f"<mailto:{POST}>"


def test_a_spectator_leaves_by_mail_and_by_one_click_where_there_is_a_page_for_it():
    assert "List-Unsubscribe-Post" not in board_headers(ROBOT, MATCH, THREAD, "unsubscribe", TOKEN, POST)
    clicks = replace(ROBOT, unsubscribe_url="https://example.org/leave")
    headers = board_headers(clicks, MATCH, THREAD, "unsubscribe all", TOKEN, POST)
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    by_click, by_mail = headers["List-Unsubscribe"].split(", ")
    assert parse_qs(urlsplit(by_click.strip("<>")).query) == {"address": [TOKEN], "command": ["cross unsubscribe all"]}
    assert unquote(by_mail) == f"<mailto:{TOKEN}?subject=cross unsubscribe all>"


def test_outlook_s_thread_is_one_for_each_board_and_tells_when_it_began():
    index = b64decode(board_headers(ROBOT, MATCH, THREAD, "", "", "")["Thread-Index"])
    began = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=int.from_bytes(index[:6] + b"\0\0", "big") // 10)
    assert abs(began - STARTED) < timedelta(seconds=1)
    assert len(index) == 22
    another = board_headers(ROBOT, ANOTHER, Thread.of(ANOTHER, STATE), "", "", "")
    assert index[6:] != b64decode(another["Thread-Index"])[6:]


def headers_of(got):
    assert all(len(line) < 200 for line in got.head.splitlines())
    return got["List-Unsubscribe"].replace(",\r\n", ",").split(", "), got["List-Unsubscribe-Post"]


def test_what_a_program_mails_to_get_off_is_folded_and_whole(table):
    """RFC 5322 wants lines of at most 78; a field with a longer name and first address is folded before the address."""
    head = table.mailboxes["alice@example.net"][-1].head
    before, _, folded = head.partition("\nList-Unsubscribe:\n <mailto:")
    assert before != head
    address, _, command = folded.splitlines()[0].rstrip(">").partition("?subject=")
    assert address.startswith("pbm+")
    assert unquote(command) == "cross unsubscribe 101"


def test_what_comes_by_subscription_can_be_left_by_mail_and_by_one_click(new_house):
    house = new_house(
        Settings(replace(ROBOT, unsubscribe_url="https://example.org/leave", authserv_id="mx.example.org"))
    )
    house.players("alice", "bob", "carol")
    house.game("cross -size=4 alice bob", ["D4"])
    house.send("bob", "set bob bobpass digest 08:00")
    house.send("carol", "cross subscribe all carol carolpass")
    announced = house.send("alice", "cross seek alice alicepass")[0]
    broadcast = next(got for got in house.send("alice", "broadcast alice alicepass", "Hi") if "bob" in got.address)
    daily = house.wait(timedelta(days=1))[0]
    for got, reader, command in (
        (announced, "carol", "unsubscribe"), (broadcast, "bob", "set broadcasts off"), (daily, "bob", "set digest off"),
    ):  # fmt: skip
        (by_click, by_mail), post = headers_of(got)
        assert post == "List-Unsubscribe=One-Click"
        assert parse_qs(urlsplit(by_click.strip("<>")).query)["command"] == [command]
        address, _, subject = unquote(by_mail).strip("<>").removeprefix("mailto:").partition("?subject=")
        assert subject == command
        (done,) = house.send(reader, subject, to=address)
        assert not done.refuses, done.text
    assert not any(got.address == "carol@example.net" for got in house.send("bob", "cross seek bob bobpass"))
