"""Boards whose stored records cannot be replayed: they wait, the operator is told once, and all else goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import structlog
from sqlalchemy import update

from pbm.cli.output import replayed
from pbm.core.notify import Desk
from pbm.core.registry import Occasion
from pbm.core.robots import Task
from pbm.domain.match import Ending
from pbm.features import remind
from pbm.server import Settings
from pbm.server.thinker import Shift, Thinker
from pbm.store.tables import plies
from tests.conversation import ROBOT, Got, House

OPERATOR = "root@example.org"
BOARD, OTHER, OURS = 101, 102, 103


@pytest.fixture
def house(new_house: Callable[..., House]) -> House:
    """Three boards after one move each; the time on the first runs out soonest."""
    house = new_house(Settings(ROBOT, operator=OPERATOR))
    house.players("alice", "bob", "carol")
    assert house.game("morris --clock=2d alice bob", ["a1"]) == BOARD
    assert house.game("hex -size=4 --clock=2d alice bob", ["b2"]) == OTHER
    assert house.game("morris --clock=30d alice carol", ["a1"]) == OURS
    return house


def alter(house: House, notation: str, board: int = BOARD) -> None:
    """Change the first ply of a board past all checks, and forget the boards in memory."""
    with house.service.store.write() as tx:
        tx._connection.execute(update(plies).where(plies.c.board == board, plies.c.ply == 1).values(notation=notation))
    house.service.tools.states.forget()


def told(mails: list[Got]) -> list[Got]:
    return [got for got in mails if got.address == OPERATOR]


@pytest.mark.parametrize("notation", ["", "pass", "a1-zz"])
def test_a_damaged_board_waits_and_goes_on_when_it_is_mended(house: House, notation: str) -> None:
    alter(house, notation)
    with structlog.testing.capture_logs() as logged:
        mails = house.wait(timedelta(days=3))
    assert [each for each in logged if each["log_level"] == "error"] == []
    (letter,) = told(mails)
    assert letter["Subject"] == "pbm: board 101 cannot be read"
    assert "pbm board verify 101" in letter.body
    assert any("time is up" in got.body for got in mails if got.board == OTHER)
    assert [got for got in mails if got.board == BOARD] == []
    found = replayed(house.service.store, [BOARD])[0]
    assert "cannot be replayed" in found.problem
    alter(house, "a1")
    assert [got for got in house.wait(timedelta(hours=23)) if "time is up" in got.body and got.board == BOARD] == []
    assert len(house.answer("bob", "d1", BOARD)) == 2
    assert house.parked() == []


@pytest.mark.parametrize("wish", ["d1", "show", "say hello", "resign!", "draw", "plan d1", "undo", "Good move, Alice!"])
def test_a_player_who_asks_for_a_damaged_board_gets_a_clear_sentence(house: House, wish: str) -> None:
    alter(house, "zz")
    for _ in range(2):
        (got,) = house.answer("bob", wish, BOARD)
        assert "Board 101 waits: it cannot be read at present, by a fault of ours." in " ".join(got.body.split())
        house.service.agenda.run()
        house.wait(timedelta(hours=1))
    assert len(house.mailboxes[OPERATOR]) == 1
    assert house.parked() == []


@pytest.mark.parametrize("wish", ["games", "history", "standings", "seek", "settings", "follow", "challenge", "help"])
def test_what_is_asked_in_an_answer_to_a_damaged_board_is_answered(house: House, wish: str) -> None:
    alter(house, "zz")
    assert house.answer("bob", wish, BOARD)
    assert house.parked() == []


def test_a_damaged_board_keeps_nothing_else_from_being_shown_and_told(house: House) -> None:
    house.send("bob", "set digest 08:00 bob bobpass")
    alter(house, "zz")
    shown = [got["Subject"] for got in house.send("bob", "all show bob")]
    assert any("Hex Board 102" in each for each in shown)
    assert any("not all boards shown" in each for each in shown)
    digests = [got for got in house.wait(timedelta(days=1)) if got.address == "bob@example.net"]
    assert [("1 board waiting" in got["Subject"], "102" in got.body) for got in digests] == [(True, True)]
    assert any("102" in got.body for got in house.send("bob", "calendar all bob bobpass"))
    assert house.send("bob", "export bob bobpass")
    assert house.parked() == []


def test_who_has_a_damaged_board_may_leave(house: House) -> None:
    alter(house, "zz")
    assert house.send("bob", "delete bob bobpass")[0]["Subject"] == "pbm: goodbye"
    with house.service.store.read() as tx:
        ended = {number: tx.matches.load(number) for number in (BOARD, OTHER)}
    assert {number: match.result and match.result.ending for number, match in ended.items() if match} == {
        BOARD: None,
        OTHER: Ending.FORFEIT,
    }


def test_a_move_that_waits_is_played_when_its_board_is_mended(house: House) -> None:
    house.send("bob", "set hold 30m bob bobpass")
    house.answer("bob", "d1", BOARD)
    alter(house, "zz")
    house.wait(timedelta(days=2))
    alter(house, "a1")
    assert [got.board for got in house.wait(timedelta(hours=1)) if "d1" in got.body] == [BOARD, BOARD]


def test_a_second_damage_is_told_again(house: House) -> None:
    for notation in ("zz", "a1", "zz"):
        alter(house, notation)
        house.answer("bob", "show", BOARD)
        house.service.agenda.run()
        house.wait(timedelta(days=1))
    assert len(house.mailboxes[OPERATOR]) == 2


def test_what_stands_in_a_digest_beside_boards_may_need_the_damaged_one(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def needs(occasion: Occasion, *_: object) -> None:
        occasion.open(BOARD)

    monkeypatch.setattr(remind, "DIGESTED", [needs])
    house.send("bob", "set digest 08:00 bob bobpass")
    alter(house, "zz")
    assert any(got["Subject"].startswith("pbm: 1 board waiting") for got in house.wait(timedelta(days=1)))


def test_what_is_thought_about_elsewhere_does_not_wait_for_a_damaged_board(house: House) -> None:
    def first(at: Desk) -> Iterator[Task]:
        at.open(BOARD)
        yield from ()

    def second(_: Desk) -> Iterator[Task]:
        if not thought:
            yield Task("second", lambda _: [], lambda *_: thought.append(1), lambda *_: None)

    thought: list[int] = []
    alter(house, "zz")
    assert Thinker(house.service.store, house.service.tools, ([first, second],), Shift(), 1.0).run() == 1
    assert thought


def test_a_damaged_board_is_not_decided_and_its_round_waits_for_it(house: House) -> None:
    house.send("alice", "tournament create cup round-robin cross alice alicepass -days-per-round=10 --clock=none")
    house.players("dan", "eve")
    for userid in ("alice", "bob", "dan", "eve"):
        house.send(userid, f"tournament join cup {userid} {userid}pass")
    house.send("alice", "tournament start cup alice alicepass")
    house.wait(timedelta(minutes=1))
    with house.service.store.read() as tx:
        one, two = tx.tournaments.under_way(1)
    for each in (one, two):
        assert each.board is not None
        house.answer(each.first.userid, "C3", each.board)
    assert one.board is not None
    alter(house, "zz", one.board)
    house.wait(timedelta(days=11))
    with house.service.store.read() as tx:
        assert [each.board for each in tx.tournaments.under_way(1)] == [one.board]
    alter(house, "C3", one.board)
    house.wait(timedelta(minutes=15))
    with house.service.store.read() as tx:
        assert len(tx.tournaments.under_way(1)) == 2


def test_a_robot_plays_on_other_boards_and_hints_there(house: House) -> None:
    damaged = house.game("cross -size=4 alice robot1", [])
    sound = house.game("cross -size=4 carol robot1", [])
    house.answer("alice", "C3", damaged)
    house.answer("carol", "C3", sound)
    alter(house, "zz", damaged)
    assert [got.board for got in house.think() if got.board] == [sound]
    house.answer("alice", "hint", damaged)
    house.answer("carol", "hint", sound)
    assert [got.board for got in house.think() if "hint" in got.body] == [sound]
