"""Boards and clocks that the operator corrects, as the players see it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games import GAMES
from pbm.cli.output import replayed
from pbm.domain.calendars import StopKind
from pbm.domain.errors import NotAllowed
from pbm.domain.match import Ending, Match
from pbm.domain.spans import DAY
from pbm.server.arbiter import Arbiter
from pbm.server.rows import end_halt, halt
from tests.conversation import House

MOVES = ("D4", "C3", "E5", "B2")


@pytest.fixture
def board(house: House) -> int:
    house.players("alice", "bob")
    return house.game("cross -size=4 alice bob", MOVES)


def hand(house: House) -> Arbiter:
    return Arbiter(house.service)


def match_of(house: House, board: int) -> Match:
    return Arbiter(house.service).board(board)


def told(house: House) -> str:
    return " ".join(" ".join(mail.letter for mail in house.collect()).split())


def ratings(house: House) -> dict[str, float]:
    with house.service.store.read() as tx:
        return {player.userid: record.rating.rating for player, record in tx.ratings.standings("cross")}


def test_a_game_that_was_resigned_goes_on_without_its_ratings(house: House, board: int) -> None:
    house.answer("alice", "resign!", board)
    assert len(ratings(house)) == 2
    hand(house).reopen(board)
    assert "The operator has taken back the end of the game: the game goes on." in told(house)
    assert ratings(house) == {}
    assert match_of(house, board).result is None
    with pytest.raises(NotAllowed, match="goes on already"):
        hand(house).reopen(board)
    assert not house.answer("alice", "A1", board)[0].refuses


def test_plies_are_taken_back_of_a_game_that_is_over(house: House, board: int) -> None:
    house.answer("alice", "resign!", board)
    hand(house).reopen(board, 2)
    match = match_of(house, board)
    assert [ply.notation for ply in match.record] == ["D4", "C3"]
    assert match.clock is not None
    assert match.clock.seat == 1
    text = told(house)
    assert "has taken back the end of the game and all plies from ply 3 on: the game goes on." in text
    assert not house.answer("alice", "F6", board)[0].refuses
    assert replayed(house.service.store, [board])[0].problem == ""


def test_a_game_that_is_over_by_its_rules_needs_a_ply_taken_back(house: House) -> None:
    house.players("alice", "bob")
    board = house.game("four alice bob", ("1", "2", "1", "2", "1", "2", "1"))
    assert match_of(house, board).result is not None
    with pytest.raises(NotAllowed, match="By the rules board 101 is over after ply 7"):
        hand(house).reopen(board)
    hand(house).reopen(board, 6)
    assert match_of(house, board).result is None
    assert replayed(house.service.store, [board])[0].problem == ""


@pytest.mark.parametrize("over", [True, False])
def test_a_void_game_counts_for_nobody(house: House, board: int, over: bool) -> None:
    if over:
        house.answer("alice", "resign!", board)
    hand(house).void(board)
    result = match_of(house, board).result
    assert result is not None
    assert result.ending is Ending.VOID
    assert ratings(house) == {}
    assert "The operator ended the game." in told(house)


def left(house: House, board: int) -> tuple[int, ...]:
    match = match_of(house, board)
    assert match.clock is not None
    return tuple(match.clock.remaining(seat, house.now, match.calendars) for seat in (1, 2))


def test_the_clocks_of_a_board_stand_still_and_run_again(house: House, board: int) -> None:
    before = left(house, board)
    hand(house).stop(board)
    assert "The operator has stopped both clocks." in told(house)
    house.now += timedelta(days=400)
    house.service.agenda.run()
    assert left(house, board) == before
    hand(house).go(board)
    assert "the clocks run again" in told(house)
    house.now += timedelta(days=1)
    assert left(house, board)[0] == before[0] - DAY
    with pytest.raises(NotAllowed, match="The clocks of board 101 run"):
        hand(house).go(board)


def test_time_that_was_given_is_kept_when_plies_are_taken_back(house: House, board: int) -> None:
    before = left(house, board)
    hand(house).extend(board, 5 * DAY)
    house.now += timedelta(days=1)
    hand(house).reopen(board, 2)
    first, second = left(house, board)
    assert (first, second) == (before[0] + 4 * DAY, before[1] + 5 * DAY), "what was used is used"


def test_time_that_was_given_for_the_ply_itself_is_kept_when_it_is_taken_back(house: House, board: int) -> None:
    before = left(house, board)
    hand(house).extend(board, 5 * DAY)
    house.answer("alice", "F6", board)
    hand(house).reopen(board, 4)
    first, second = left(house, board)
    assert before[0] + 4 * DAY < first < before[0] + 5 * DAY, "what was used is used"
    assert second == before[1] + 5 * DAY


@pytest.mark.parametrize("control", ["10d+1d", "10d+1d,move=3d", "3d"])
def test_time_that_was_given_is_there_when_a_game_goes_on_after_its_end(house: House, control: str) -> None:
    house.players("alice", "bob")
    board = house.game(f"cross -size=4 --clock={control} alice bob", MOVES)
    before = left(house, board)
    hand(house).extend(board, 5 * DAY)
    house.answer("alice", "resign!", board)
    hand(house).reopen(board)
    first, second = left(house, board)
    assert before[0] + 4 * DAY < first <= before[0] + 5 * DAY, "what was used is used"
    assert second == before[1] + 5 * DAY
    hand(house).void(board)
    hand(house).reopen(board)
    assert left(house, board) == (first, second), "and twice"


def test_all_clocks_stand_still_and_run_again(house: House, board: int) -> None:
    before = left(house, board)
    halt(house.service.store, StopKind.HALT)
    with pytest.raises(NotAllowed, match="stand still already"):
        halt(house.service.store, StopKind.HALT)
    house.now += timedelta(days=400)
    house.service.agenda.run()
    assert left(house, board) == before
    (mail,) = house.answer("alice", "show", board)
    assert "The operator has stopped all clocks." in mail.body
    end_halt(house.service.store, StopKind.HALT)
    house.now += timedelta(days=1)
    assert before[0] - 2 * DAY < left(house, board)[0] <= before[0] - DAY
    with pytest.raises(NotAllowed, match="All clocks run"):
        end_halt(house.service.store, StopKind.HALT)


def test_time_is_given_on_one_board_or_on_all(house: House, board: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = left(house, board)
    hand(house).extend(board, 2 * DAY)
    assert "The operator gave both players 2 days more." in told(house)
    assert left(house, board) == tuple(seconds + 2 * DAY for seconds in before)
    assert hand(house).extend_all(DAY) == 1
    with monkeypatch.context() as patch:
        patch.delitem(GAMES, "cross")
        assert hand(house).extend_all(DAY) == 1, "whether or not the game is there"
    assert left(house, board) == tuple(seconds + 4 * DAY for seconds in before)
    assert told(house) == ""


def test_maintenance_takes_mail_and_plays_nothing(house: House, board: int) -> None:
    before = left(house, board)
    halt(house.service.store, StopKind.MAINTENANCE)
    house.service.accept([house.answering("alice", "A1", board)])
    assert house.service.handle() == 0
    house.now += timedelta(days=400)
    assert left(house, board) == before
    with house.service.store.read() as tx:
        assert tx.absences.open(StopKind.MAINTENANCE)
    end_halt(house.service.store, StopKind.MAINTENANCE)
    assert house.service.handle() == 1
    assert "Bob" not in told(house)
    assert match_of(house, board).record[-1].notation == "A1"
