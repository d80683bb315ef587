"""Which matches are rated, and what is kept of it."""

from __future__ import annotations

import pytest

from pbm.domain.ratings import Rating, rate
from tests.conversation import Got, House, password


@pytest.fixture
def people(house: House) -> House:
    for userid in ("alice", "bob", "carol"):
        house.player(userid)
    return house


def resign(house: House, userid: str, board: int) -> list[Got]:
    return house.send(userid, f"cross resign {board} {userid} {password(userid)}")


def ratings(house: House) -> dict[str, int]:
    with house.service.store.read() as tx:
        return {player.userid: record.rating.shown for player, record in tx.ratings.standings("cross")}


def test_the_end_of_a_game_rates_both_and_tells_both(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    mails = {got.address: got.body for got in resign(people, "alice", board)}
    assert "Your rating went down from 1500 to 1338 (provisional)." in mails["alice@example.net"]
    assert "bob's rating went up from 1500 to 1662 (provisional)." in mails["alice@example.net"]
    assert "Your rating went up from 1500 to 1662 (provisional)." in mails["bob@example.net"]
    assert ratings(people) == {"bob": 1662, "alice": 1338}


def test_what_a_match_did_is_kept_with_all_its_numbers(people: House) -> None:
    for loser, winner in (("alice", "bob"), ("bob", "carol")):
        board = people.game(f"cross -size=3 {loser} {winner}", ["C3", "B2"])
        resign(people, loser, board)
    with people.service.store.read() as tx:
        changes = tx.ratings.changes(board)
        bob, carol = (tx.players.find(userid) for userid in ("bob", "carol"))
    assert bob is not None
    assert carol is not None
    assert set(changes) == {bob.id, carol.id}
    won, lost = changes[carol.id], changes[bob.id]
    assert won.before == Rating()
    assert won.after == rate(won.before, [(lost.before, 1.0)])
    assert lost.after == rate(lost.before, [(won.before, 0.0)])


def test_wins_losses_and_draws_are_counted(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    people.answer("alice", "propose", board)
    people.answer("bob", "accept", board)
    resign(people, "alice", people.game("cross -size=3 alice bob", ["C3", "B2"]))
    with people.service.store.read() as tx:
        records = {player.userid: record for player, record in tx.ratings.standings("cross")}
    assert [(r.won, r.lost, r.drawn) for r in (records["alice"], records["bob"])] == [(0, 1, 1), (1, 0, 1)]
    (got,) = people.send("x@example.com", "cross standings")
    assert "Won  Lost Ties" in got.body


def test_a_game_given_up_in_the_first_round_is_not_rated(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3"])
    (mail, *_) = resign(people, "bob", board)
    assert "rat" not in mail.body.partition("void")[2].partition("\n\n")[0]
    assert ratings(people) == {}


@pytest.mark.parametrize("words", ["cross -size=3 --unrated alice bob", "cross -size=3 alice alice"])
def test_a_game_that_is_not_rated_says_so(people: House, words: str) -> None:
    board = people.game(words, ["C3", "B2"])
    mails = resign(people, "alice", board)
    assert all("The game was not rated." in mail.body for mail in mails)
    assert ratings(people) == {}


def test_a_game_that_ends_by_its_rules_is_rated(people: House) -> None:
    board = people.game("cross -size=2 alice bob")
    player, last = "alice", ""
    while "rating" not in last:
        (got,) = [got for got in people.mailboxes[f"{player}@example.net"] if got.board == board][-1:]
        choice = got.body.partition("for instance:\n\n")[2].split()[0]
        last = people.answer(player, choice, board)[0].body
        player = "bob" if player == "alice" else "alice"
    assert len(ratings(people)) == 2


def test_games_have_ratings_of_their_own(people: House) -> None:
    resign(people, "alice", people.game("cross -size=3 alice bob", ["C3", "B2"]))
    with people.service.store.read() as tx:
        assert tx.ratings.standings("loops") == []
