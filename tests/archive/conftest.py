"""A house with games of three players and a tournament; some of these are over."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.conversation import House


@pytest.fixture
def played(house: House) -> House:
    return house.lived(play)


def play(house: House) -> None:
    """alice has resigned two games against bob and one against Carol; Carol resigned one, and plays one against bob."""
    house.players("alice", "bob", "Carol")
    for words, moves in (("cross -size=4 alice bob", ["D4", "C3"]), ("hex alice bob", ["F6", "F7"])):
        board = house.game(words, moves)
        house.answer("alice", "resign!", board)
    board = house.game("crossgeo -board=1 alice Carol", ["1", "2"])
    house.answer("alice", "resign!", board)
    house.game("cross -size=3 Carol bob", ["C3", "B2"])
    board = house.game("hex alice Carol", ["F6"])
    house.answer("Carol", "resign!", board)


@pytest.fixture
def cup(played: House) -> House:
    return played.lived(hold_cup)


def hold_cup(played: House) -> None:
    """A round robin of all three, with the games of its first round over."""
    played.send("alice", "tournament create cup round-robin cross alice alicepass -players=3 -size=3")
    for userid in ("alice", "bob", "Carol"):
        played.send(userid, f"tournament join cup {userid} {userid}pass")
    played.wait(timedelta(minutes=2))
    for meeting in meetings(played):
        if meeting.board:
            played.answer(meeting.first.userid, "C3", meeting.board)
            played.answer(meeting.second.userid, "B2", meeting.board)
            played.answer(meeting.first.userid, "resign!", meeting.board)


def meetings(house: House):
    """The pairings of the only tournament."""
    with house.service.store.read() as tx:
        (tournament,) = tx.tournaments.listed()
        return tx.tournaments.meetings(tournament.id)
