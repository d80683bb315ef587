"""A whole game between two people with nothing but a chat app: two Delta Chat cores, over real mail servers."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.real.chat import CORE, Chatter, Said
from tests.real.servers import MailServers, pbm
from tests.real.test_mail_servers import configuration, operator

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not CORE.exists(), reason="it needs the extra `chat`, which .ci/run installs"),
]

ROBOT = "pbm@example.org"
MOVES = ("A2", "C2", "A1", "B3", "B1")
"""A whole game of Cross, -size=2: the last move connects two opposite sides, and so loses."""


def by_chat(servers: MailServers, name: str) -> str:
    """The recipe for pbm behind Postfix, with its own database."""
    ours = {"127.0.0.1:8024": f"127.0.0.1:{servers.lmtp_port}", f"{servers.folder}/lmtp": f"{servers.folder}/{name}"}
    return configuration(servers, "lmtp", **ours)


def test_two_chat_apps_play_a_whole_game(servers: MailServers) -> None:
    with (
        pbm(servers, "chat", by_chat(servers, "chat")) as file,
        closing(Chatter(servers, "dora")) as dora,
        closing(Chatter(servers, "emil")) as emil,
    ):
        play(dora, emil, dora.meet(ROBOT), emil.meet(ROBOT))
        assert json.loads(operator(file, "board", "show", "101", "--json"))["winner"] == "emil"


def test_two_chat_apps_that_insist_on_encryption_play_a_whole_game(servers: MailServers) -> None:
    """They know nothing of the server but its card."""
    key = servers.folder / "openpgp.key"
    settings = by_chat(servers, "crypt").replace("[delivery]", f'[crypt]\nkey = "{key}"\n\n[delivery]')
    (servers.folder / "crypt.toml").write_text(settings)
    operator(servers.folder / "crypt.toml", "db", "create")
    card = operator(servers.folder / "crypt.toml", "keys", "crypt")
    with (
        pbm(servers, "crypt", settings) as file,
        closing(Chatter(servers, "fay", encrypted=True)) as fay,
        closing(Chatter(servers, "gus", encrypted=True)) as gus,
    ):
        play(fay, gus, fay.meet_by_card(card), gus.meet_by_card(card))
        assert json.loads(operator(file, "board", "show", "101", "--json"))["winner"] == "gus"
        for person in (fay, gus):
            assert all(map(person.is_encrypted, person.heard()))


def play(dora: Chatter, emil: Chatter, asked: int, told: int) -> None:
    """They sign up; one challenges the other, who accepts; they play, and then begin a second board.

    asked, told: their chats with the robot.
    """
    for person, robot in ((dora, asked), (emil, told)):
        person.say(robot, f"signup {person.name}")
        person.wait_for(says("To confirm it"))
        person.say(robot, "yes")
        person.wait_for(says(f"Welcome, {person.name}!"))
    insist(emil, told, "set challenges ask", "challenges is now ask")
    insist(dora, asked, f"cross challenge me {emil.name} -size=2", "is asked")
    emil.wait_for(says(f"{dora.name} challenges you to a game of Cross"))
    emil.say(told, "accept")
    check_board(dora, "Cross Board 101", "ply 1 is next")
    for number, move in enumerate(MOVES, start=1):
        mover, waits = (dora, emil) if number % 2 else (emil, dora)
        mover.say("Cross Board 101", move)
        if number < len(MOVES):
            check_board(waits, "Cross Board 101", f"ply {number + 1} is next")
    for person in (dora, emil):
        ended = person.wait_for(says("won because O connected two opposite sides"))
        assert ended.chat == "Cross Board 101"
    dora.say("Cross Board 101", "chat\nWell played!")
    assert emil.wait_for(says("Well played!")).chat == "Cross Board 101"
    insist(dora, asked, f"hex challenge me {emil.name} -size=3", "is asked")
    emil.wait_for(says(f"{dora.name} challenges you to a game of Hex"))
    emil.say(told, "yes")
    dora.say(check_board(dora, "Hex Board 102", "ply 1 is next").chat, "B2")
    check_board(emil, "Hex Board 102", "ply 2 is next")
    for person in (dora, emil):
        assert len(person.chats()) == 3, "one with the robot, and one for each board"


def insist(person: Chatter, robot: int, command: str, done: str) -> None:
    """Say what concerns more than a board: the robot asks whether it was they, unless something vouches for them.

    A chat app writes to the robot's bare address, and this mail server vouches for nobody.
    """
    before = max((said.id for said in person.heard()), default=0)
    person.say(robot, command)
    asks, is_done = says(f"contains this command: {command}"), says(done)
    heard = person.wait_for(lambda said: said.id > before and (asks(said) or is_done(said)))
    if asks(heard):
        person.say(robot, "yes")
        person.wait_for(lambda said: said.id > before and is_done(said))


def says(words: str) -> Callable[[Said], bool]:
    return lambda said: words in " ".join(said.text.split())


def check_board(person: Chatter, board: str, words: str) -> Said:
    """The message with a board for the player to move: readable text and a picture, in the board's chat."""
    wanted = says(f"{board}:"), says("It is your turn"), says(words)
    shown = person.wait_for(lambda said: all(each(said) for each in wanted))
    assert shown.chat == board
    assert "mailto:" not in shown.text
    assert min(size_of(shown.picture)) > 100
    return shown


def size_of(path: str) -> tuple[int, int]:
    """Width and height of a PNG, from its first chunk."""
    data = Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height
