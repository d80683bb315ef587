"""What is owed: it is read back as it was written, and makes the same mail each time and anywhere."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from base64 import b64encode
from datetime import timedelta

import pytest

from pbm.compose import owed
from pbm.compose.tell import mail_bytes
from pbm.domain.mail import Mail
from tests.conversation import House

_ELSEWHERE = """
import base64, hashlib, json, sys
from pbm.compose.tell import mail_bytes
from pbm.domain.mail import Mail
for line in sys.stdin:
    words = json.loads(line)
    for name in ("owed", "shared"):
        words[name] = base64.b64decode(words[name])
    print(hashlib.sha256(mail_bytes(Mail(**words))).hexdigest())
"""


@pytest.fixture
def mails(house: House) -> list[Mail]:
    """Mails of each kind: boards with what is said there, a digest, charts, puzzles, files, a keepsake, a review."""
    house.player("alice", "both")
    house.players("bob", "carol")
    house.send("carol", "cross follow --all")
    board = house.game("cross -size=3 alice bob", ["C3", "swap"])
    house.answer("alice", "B4\n\nNice!", board)
    house.answer("bob", "nonsense here", board)
    house.answer("bob", "preview D3", board)
    rated = house.game("cross alice bob", ["F6", "E5"])
    house.answer("alice", "resign!", rated)
    house.answer("alice", "cross standings", rated)
    for line in ("test display", "calendar", "puzzle", "export", "set digest 08:00", "help"):
        house.answer("alice", line, board, vouched=True)
    house.answer("bob", "D3", board)
    house.wait(timedelta(days=1))
    house.answer("bob", "resign!", board)
    house.think()
    house.answer("alice", "review", board)
    house.think()
    with house.service.store.read() as tx:
        return [queued.mail for queued in tx.outbox.latest(None, 1000)]


def test_each_kind_is_read_back_as_it_was_written(mails: list[Mail]) -> None:
    values = [owed.decoded(mail) for mail in mails]
    assert {type(value) for value in values} == {owed.BoardMail, owed.BoardsMail, owed.PageMail}
    pieces = {type(piece) for value in values if isinstance(value, owed.PageMail) for piece in value.pieces}
    assert pieces >= {owed.DrawnBoard, owed.Link, owed.Illustration}
    assert {value.told.shown.page for value in values if isinstance(value, owed.BoardMail)} >= {
        "board.txt",
        "keepsake.txt",
    }
    for mail, value in zip(mails, values, strict=True):
        assert owed.encoded(value) == mail.owed
        assert json.loads(mail.owed)["kind"] == value.kind
        if mail.shared:
            assert owed.encoded(owed.decoded_board(mail.shared)) == mail.shared


def test_a_value_makes_the_same_bytes_twice_and_in_another_process(mails: list[Mail]) -> None:
    here = [hashlib.sha256(mail_bytes(mail)).hexdigest() for mail in mails]
    assert here == [hashlib.sha256(mail_bytes(mail)).hexdigest() for mail in mails]
    lines = [
        json.dumps(mail._asdict() | {name: b64encode(getattr(mail, name)).decode() for name in ("owed", "shared")})
        for mail in mails
    ]
    told = "\n".join(lines)
    run = subprocess.run([sys.executable, "-c", _ELSEWHERE], input=told, capture_output=True, text=True, check=True)
    assert run.stdout.split() == here
