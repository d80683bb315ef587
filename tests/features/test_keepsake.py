"""Keepsakes: what remains of an ended game, who gets it, and that it can be imported again."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageSequence

from games import GAMES
from pbm.cli.output import replayed
from pbm.domain.errors import Rejected
from pbm.domain.match import State
from pbm.features import keepsake
from pbm.server.operator import Administration
from tests.conversation import Got, House
from tests.games.variants import EACH


@pytest.fixture
def ended(house: House) -> House:
    """Board 101 of alice and bob, resigned by bob."""
    for userid in ("alice", "bob", "carol"):
        house.player(userid, "both" if userid == "alice" else "text")
    play(house, "a1", "swap", "b2")
    return house


def play(house: House, *moves: str) -> int:
    """The number of a board that bob has resigned after these moves."""
    board = house.game("hex -size=4 alice bob", moves)
    house.send("bob", f"hex resign {board} bob bobpass")
    return board


def attached(got: Got, kind: str) -> bytes:
    (part,) = [part for part in got.parsed.walk() if part.get_content_type() == kind and part.get_filename()]
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload


def test_both_get_the_game_in_its_conversation_and_can_play_once_more(ended: House) -> None:
    mine, his = ended.think()
    assert {mine.address, his.address} == {"alice@example.net", "bob@example.net"}
    assert mine["References"] in ended.mailboxes["alice@example.net"][0]["References"]
    for got in (mine, his):
        frames = ImageSequence.all_frames(Image.open(io.BytesIO(attached(got, "image/gif"))))
        assert len(frames) == 3 + 1, "the boards before and after each ply"
        assert "won" in got.body
    assert "cid:" in mine.part("text/html")
    assert any("rematch" in each.body or each.board != 101 for each in ended.answer("bob", "rematch", vouched=True))
    assert not ended.think(), "once"


@pytest.mark.parametrize(
    ("words", "moves", "told"),
    [
        ("crossgeo -version=rgb", ("1", "3"), "was not rated: most boards of this kind are won by one colour"),
        ("hex -size=4 --unrated", ("a1", "b2"), "The game was not rated."),
        ("hex -size=4", ("a1", "b2"), "rating went up from"),
    ],
)
def test_it_is_told_how_the_ratings_moved_or_why_they_did_not(
    house: House, words: str, moves: tuple[str, ...], told: str
) -> None:
    house.players("alice", "bob")
    board = house.game(f"{words} alice bob", moves)
    house.send("bob", f"{words.split()[0]} resign {board} bob bobpass")
    for got in house.think():
        assert told in " ".join(got.body.split())


def test_a_game_that_goes_on_again_is_not_sent(ended: House) -> None:
    board = play(ended, "b2", "c3", "a4")
    ended.think()
    ended.send("carol", f"replay {board} carol carolpass")
    with ended.service.store.write() as tx:
        tx.matches.reopen(board, 1)
    assert not ended.think()


def test_what_was_sent_is_taken_in_by_another_server(ended: House, new_house: Callable[..., House]) -> None:
    record = attached(ended.think()[0], "text/plain").decode()
    there = new_house()
    there.player("carol")
    board = Administration(there.service).import_records({"a": record})["a"]
    assert [each.problem for each in replayed(there.service.store)] == [""]
    there.send("carol", f"replay {board} carol carolpass")
    (again,) = there.think()
    assert attached(again, "text/plain").decode() == record
    with pytest.raises(Rejected, match="move 3, z9"):
        Administration(there.service).import_records({"a": record.replace("[b2]", "[z9]")})


@pytest.mark.parametrize(("choice", "moving"), [("on", True), ("turn", True), ("off", False)])
def test_a_picture_is_left_out_only_where_none_is_wanted(ended: House, choice: str, *, moving: bool) -> None:
    ended.send("bob", f"set bob bobpass picture {choice}")
    (his,) = [got for got in ended.think() if got.address.startswith("bob")]
    assert ("image/gif" in his.forms) == moving


def test_whoever_asks_too_often_waits(ended: House) -> None:
    for number in range(keepsake.MOST_WAITING):
        play(ended, "a1", "b2", "a3")
        (got,) = ended.send("carol", f"replay {101 + number} carol carolpass")
        assert not got.refuses
    (got,) = ended.send("carol", f"replay {101 + keepsake.MOST_WAITING} carol carolpass")
    assert "still under way" in got.body


@pytest.mark.parametrize("name", EACH)
def test_every_game_leaves_a_keepsake(name: str, house: House) -> None:
    house.player("alice", "both")
    house.player("bob")
    board = house.game(f"{name} alice bob")
    state = State.start(GAMES[name], ())
    for _ in range(2):
        notation = state.game.notate(state.position, next(state.game.moves(state.position)))
        house.answer("alice" if state.to_move == 1 else "bob", notation, board)
        state, _ = state.play(notation)
    loser = "alice" if state.to_move == 1 else "bob"
    house.send(loser, f"{name} resign {board} {loser} {loser}pass")
    mine, _ = house.think()
    assert f"{name}-{board}." in mine.body
    assert "image/gif" in mine.forms


def test_a_stranger_gets_a_replay_without_being_asked_who_they_are(ended: House) -> None:
    (mail,) = ended.send("stranger", "hex replay 101")
    assert attached(mail, "image/gif")
    assert "bob resigned" in mail.body or "won by resignation" in mail.body
