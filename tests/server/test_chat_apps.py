"""Answers by chat programs, which write to the List-Post of a board: the same address in all of its mails."""

from __future__ import annotations

import re

import pytest

from pbm.domain.tokens import ChatToken, Signer
from tests.conversation import ROBOT, SECRET, Got, House, address_of


def posted_at(got: Got) -> str:
    found = re.fullmatch(r"<mailto:(\S+)>", got["List-Post"])
    assert found
    return found[1]


def say(house: House, userid: str, text: str, after: Got | None, **headers: str) -> list[Got]:
    """Send what a chat program sends, all of it new but for the reference to `after`, the last mail of the chat."""
    box = [got for got in house.mailboxes[address_of(userid)] if got.board == 101]
    joined = {"In_Reply_To": after["Message-ID"], "References": after["Message-ID"]} if after else {}
    return house.send(userid, f"Message from {userid}", text, posted_at(box[0]), Chat_Version="1.0", **joined | headers)


@pytest.fixture
def playing(house: House) -> House:
    house.players("alice", "bob")
    house.game("cross -size=3 alice bob")
    return house


def last(house: House, userid: str) -> Got:
    return house.mailboxes[address_of(userid)][-1]


def test_the_address_of_a_chat_never_changes(playing: House) -> None:
    """A chat program makes a chat read-only if its address changes."""
    for number, move in enumerate(("A1", "B2", "C3", "D4")):
        userid = ("alice", "bob")[number % 2]
        assert "nothing was changed" not in say(playing, userid, move, last(playing, userid))[0].body
    for userid in ("alice", "bob"):
        box = [got for got in playing.mailboxes[address_of(userid)] if got.board == 101]
        assert len(box) > 4
        assert len({posted_at(got) for got in box}) == 1
    playing.player("carol")
    playing.send("carol", "cross subscribe 101 carol carolpass")
    for move in ("E5", "A2"):
        playing.answer("alice" if move == "E5" else "bob", move, 101)
    boxes = {posted_at(got) for got in playing.mailboxes[address_of("carol")] if got.board == 101}
    assert boxes == {ROBOT.address}


def test_what_was_written_to_an_earlier_board_plays_nothing(playing: House) -> None:
    first = last(playing, "alice")
    say(playing, "alice", "A1", first)
    say(playing, "bob", "B2", last(playing, "bob"))
    (refused,) = say(playing, "alice", "C3", first)
    assert "Your email answers an earlier state of the board" in " ".join(refused.body.split())
    say(playing, "alice", "C3", refused)
    assert "alice played C3" in last(playing, "bob").body


def test_the_own_message_before_it_is_read_as_part_of_the_chat(playing: House) -> None:
    first = last(playing, "alice")
    say(playing, "alice", "chat\nGood luck!", first, Message_ID="<luck@example.net>")
    own = f"{first['Message-ID']} <luck@example.net>"
    got = say(playing, "alice", "A1", None, In_Reply_To="<luck@example.net>", References=own)
    assert any("alice played A1" in " ".join(mail.body.split()) for mail in got)


def test_a_move_that_was_played_is_not_changed_by_editing_the_message(playing: House) -> None:
    """The board as it is tells the sender so."""
    first = last(playing, "alice")
    say(playing, "alice", "A1", first, Message_ID="<move@localhost>")
    joined = {"In_Reply_To": "<move@localhost>", "References": f"{first['Message-ID']} <move@localhost>"}
    (told,) = say(playing, "alice", "> A1\n\n\u270f\ufe0fB2", None, Chat_Edit="<move@localhost>", **joined)
    assert "Your email answers an earlier state of the board" in " ".join(told.body.split())
    assert "1 A1" in told.body


def test_a_chat_that_begins_with_an_answer_plays_on_the_present_board(playing: House) -> None:
    assert any("alice played A1" in got.body for got in say(playing, "alice", "A1", None))


def test_a_mail_of_ours_that_is_forgotten_was_an_early_one(playing: House) -> None:
    say(playing, "alice", "A1", last(playing, "alice"))
    (refused,) = say(playing, "bob", "B2", None, In_Reply_To="<gone@example.org>")
    assert "an earlier state" in " ".join(refused.body.split())


def test_the_address_is_void_once_its_player_revokes_their_mails_or_nobody_made_it(playing: House) -> None:
    address = posted_at(last(playing, "alice"))
    forged = Signer(b"guessed").seal(ChatToken(101, 1, 0))
    assert forged not in address
    assert Signer(bytes.fromhex(SECRET)).seal(ChatToken(101, 1, 0)) in address
    stranger = "mallory@evil.example"
    got = playing.send(stranger, "", "A1", f"pbm+{forged}@example.org", Chat_Version="1.0")
    assert not any("played A1" in mail.body for mail in got)
    playing.send("alice", "revoke alice alicepass")
    got = playing.send(stranger, "", "A1", address, Chat_Version="1.0")
    assert not any("played A1" in mail.body for mail in got)


def test_an_answer_to_the_welcome_needs_no_password(house: House) -> None:
    """The page says so."""
    house.player("bob")
    house.send("dora@example.net", "signup dora")
    (welcome,) = house.answer("dora", "yes")
    assert "Welcome, dora!" in welcome.body
    got = house.answer("dora", "cross challenge me bob")
    assert {mail.board for mail in got} == {101}
