"""Programs that play by mail, and say that they are programs (RFC 3834)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbm.server import Arriving
from tests.conversation import Got, House, address_of, record


def marked(house: House, player: str, text: str, board: int = 101, mark: str = "auto-replied") -> list[Got]:
    return house.deliver(marking(house.answering(player, text, board), mark))


def marking(mail: Arriving, mark: str) -> Arriving:
    return replace(mail, raw=f"Auto-Submitted: {mark}\r\n".encode() + mail.raw)


@pytest.fixture
def served(house: House) -> House:
    """bob is a program, and to move."""
    house.players("alice", "bob")
    (got,) = house.send("bob", "set bob bobpass bot on")
    assert "bot is now on." in got.body
    house.game("cross -size=4 alice bob", ["D4"])
    return house


@pytest.mark.parametrize("mark", ["auto-replied", "auto-generated"])
def test_a_program_s_mail_plays(served: House, mark: str) -> None:
    mails = marked(served, "bob", "C4", mark=mark)
    assert record(served) == ["D4", "C4"]
    assert {got.address for got in mails} == {address_of("alice"), address_of("bob")}
    assert "unrated" in served.mailboxes[address_of("alice")][0].body


def test_a_person_s_automatic_answer_is_none(served: House) -> None:
    marked(served, "bob", "C4")
    assert marked(served, "alice", "I am away until Monday.") == []
    assert served.inbox_row.reason == "ignore: Auto-Submitted: auto-replied"
    assert record(served) == ["D4", "C4"]


def test_a_program_away_is_away(served: House) -> None:
    assert marked(served, "bob", "I am away until Monday.", mark="auto-replied (vacation)") == []
    assert record(served) == ["D4"]


def test_without_a_token_or_from_elsewhere_a_program_is_ignored(served: House) -> None:
    assert served.deliver(marking(served.mail("bob", "cross move 101 C4 bob bobpass"), "auto-replied")) == []
    elsewhere = served.answering("eve@elsewhere.example", "Hello!", 101, of="bob")
    assert served.deliver(marking(elsewhere, "auto-replied")) == []
    assert record(served) == ["D4"]


def test_a_program_that_answers_everything_gets_one_answer_a_ply(served: House) -> None:
    (refused,) = marked(served, "bob", "Z99")
    assert refused.refuses
    assert marked(served, "bob", "Z99") == []
    assert served.inbox_row.reason == "limit: not answered. A program gets one answer at each ply."
    assert len(marked(served, "bob", "C4")) == 2
    served.answer("alice", "C3", 101)
    assert len(marked(served, "bob", "Y88")) == 1


@pytest.mark.parametrize("lines", [("chat\nHello!", "chat\nHello!"), ("propose draw", "reject")])
def test_two_programs_that_answer_each_other_come_to_an_end(lines: tuple[str, str], house: House) -> None:
    for userid in ("alice", "bob"):
        house.player(userid)
        house.send(userid, f"set {userid} {userid}pass bot on")
    house.game("cross -size=4 alice bob", ["D4"])
    rounds = [marked(house, *turn) for _ in range(10) for turn in zip(("alice", "bob"), lines, strict=True)]
    assert rounds[0] != []
    assert rounds[-4:] == [[]] * 4
    assert house.inbox_row.reason == "limit: nothing was done, after 12 emails at this ply"
    assert len(marked(house, "bob", "C4")) == 2
    assert len(marked(house, "alice", lines[0])) == 2, "at another ply they are heard again"


def test_nobody_becomes_a_program_in_the_middle_of_a_game(table: House) -> None:
    (got,) = table.answer("bob", "set bot on", 101, vouched=True)
    assert "Your boards have to end first, such as board 101" in got.body
