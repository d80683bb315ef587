"""Which matches are rated, and what is stored about it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbm.core.rating import rate_match
from pbm.domain.errors import NotAllowed
from pbm.domain.match import Match
from pbm.domain.ratings import Rating, after_match, aged
from pbm.domain.spans import DAY
from pbm.server.arbiter import Arbiter
from tests.conversation import Got, House, password


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
    assert won.after == after_match(won.before, lost.before, 1.0)
    assert lost.after == after_match(lost.before, won.before, 0.0)


def test_wins_losses_and_draws_are_counted(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    people.answer("alice", "propose", board)
    people.answer("bob", "accept", board)
    resign(people, "alice", people.game("cross -size=3 alice bob", ["C3", "B2"]))
    with people.service.store.read() as tx:
        records = {player.userid: record for player, record in tx.ratings.standings("cross")}
    assert [(r.won, r.lost, r.drawn) for r in (records["alice"], records["bob"])] == [(0, 1, 1), (1, 0, 1)]
    (got,) = people.send("x@example.com", "cross standings")
    assert "Won Lost Ties" in got.body


def test_a_game_given_up_in_the_first_round_is_not_rated(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3"])
    (mail, *_) = resign(people, "bob", board)
    assert "rat" not in mail.body.partition("void")[2].partition("\n\n")[0]
    assert ratings(people) == {}


@pytest.mark.parametrize("words", ["cross -size=3 --unrated alice bob", "cross -size=3 alice alice"])
def test_a_game_that_is_not_rated_says_so(people: House, words: str) -> None:
    board = people.game(words, ["C3", "B2"])
    mails = resign(people, "alice", board)
    assert all("The game was not rated" in mail.body for mail in mails)
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


def test_three_games_of_the_same_two_players_are_rated_within_ninety_days(people: House) -> None:
    for _ in range(3):
        resign(people, "alice", people.game("cross -size=3 alice bob", ["C3", "B2"]))
    before = ratings(people)
    board = people.game("cross -size=3 bob alice", ["C3", "B2"])
    reason = "only 3 games of the same two players are rated within 90 days"
    told = [" ".join(got.body.split()) for got in resign(people, "bob", board)]
    assert all(f"not rated: {reason}." in each for each in told), told
    assert ratings(people) == before
    (got,) = people.send("alice", f"why alice {password('alice')} {board}")
    assert f"Board {board} was not rated: {reason}." in " ".join(got.body.split())
    people.sleep(timedelta(days=91))
    resign(people, "alice", people.game("cross -size=3 alice bob", ["C3", "B2"]))
    assert ratings(people) != before


def test_a_game_of_a_player_without_a_confirmed_address_is_not_rated(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    with people.service.store.write() as tx:
        bob = tx.players.find("bob")
        assert bob is not None
        tx.players.drop_addresses(bob.id)
        tx.players.add_address(bob.id, "bob@example.net", people.now, confirmed=False)
    (got,) = [got for got in resign(people, "alice", board) if got.address == "alice@example.net"]
    assert "The game was not rated: bob has no confirmed address." in got.body
    assert ratings(people) == {}


def test_a_rating_ages_where_it_is_shown_and_where_it_is_changed(people: House) -> None:
    resign(people, "alice", people.game("cross -size=3 alice bob", ["C3", "B2"]))
    (fresh,) = people.send("alice", "about bob")
    people.sleep(timedelta(weeks=52))
    (old,) = people.send("alice", "about bob")
    assert fresh.body != old.body
    with people.service.store.read() as tx:
        bob = tx.players.find("bob")
        assert bob is not None
        before = tx.ratings.of("cross", (bob.id,))[bob.id].rating
    board = people.game("cross -size=3 carol bob", ["C3", "B2"])
    resign(people, "carol", board)
    with people.service.store.read() as tx:
        change = tx.ratings.changes(board)[bob.id]
    assert change.before == aged(before, timedelta(weeks=52)) != before


def test_games_have_ratings_of_their_own(people: House) -> None:
    resign(people, "alice", people.game("cross -size=3 alice bob", ["C3", "B2"]))
    with people.service.store.read() as tx:
        assert tx.ratings.standings("loops") == []


def state(house: House) -> dict[str, object]:
    """Everything that follows from the ends of games."""
    kept = house.dump()
    return {name: kept[name] for name in ("ratings", "rating_changes", "paces")}


def test_a_timeout_that_is_taken_back_leaves_all_ratings_as_if_it_had_never_been(people: House) -> None:
    """The same three games, with and without one more that ended first and wrongly."""
    resign(people, "carol", people.game("cross -size=3 bob carol", ["C3", "B2"]))
    wronged = people.game("cross -size=3 --clock=3d alice bob", ["C3", "B2"])
    boards = [people.game(f"cross -size=3 {pair}", ["C3", "B2"]) for pair in ("alice carol", "bob carol")]
    before = state(people)
    people.wait(timedelta(days=11))
    assert state(people) != before
    for board in boards:
        resign(people, "carol", board)
    rated = state(people)
    mails = {got.address: " ".join(got.body.split()) for got in undo_timeout(people, wronged)}
    assert "The operator has annulled the loss on time: the game goes on." in mails["alice@example.net"]
    assert "Your rating went up from" in mails["alice@example.net"]
    assert match(people, wronged).result is None
    assert state(people) != rated
    undone = state(people)
    with people.service.store.write() as tx:
        for userid in ("alice", "bob", "carol"):
            player = tx.players.find(userid)
            assert player is not None
            tx.ratings.drop(player.id, "cross")
        for board in sorted(tx.matches.boards()):
            if tx.ratings.changes(board):
                tx.ratings.take_back(board)
                ended = tx.matches.load(board)
                assert ended is not None
                rate_match(tx, ended)
    assert state(people) == undone


@pytest.mark.parametrize("last_first", [False, True])
def test_games_that_one_email_ended_are_rated_again_each_once_and_in_the_same_order(
    people: House, *, last_first: bool
) -> None:
    """They ended at the same instant, so their ends do not tell their order."""
    wronged = people.game("cross -size=3 alice bob", ["C3", "B2"])
    boards = {rival: people.game(f"cross -size=3 carol {rival}", ["C3", "B2"]) for rival in ("bob", "alice")}
    resign(people, "alice", wronged)
    rivals = sorted(boards, reverse=last_first)
    people.send("carol", "", "\n".join(f"{boards[rival]} resign! carol {password('carol')}" for rival in rivals))
    assert len({match(people, board).ended_at for board in boards.values()}) == 1
    Arbiter(people.service).void(wronged)
    people.collect()
    carol, expected = Rating(), dict[str, int]()
    for rival in rivals:
        expected[rival] = after_match(Rating(), carol, 1.0).shown
        carol = after_match(carol, Rating(), 0.0)
    assert ratings(people) == {**expected, "carol": carol.shown}
    later = people.game("cross -size=3 bob alice", ["C3", "B2"])
    resign(people, "bob", later)
    rated = state(people)
    Arbiter(people.service).void(later)
    assert ratings(people) == {**expected, "carol": carol.shown}
    assert state(people) != rated


def test_a_player_without_another_rated_game_has_no_rating_once_it_is_taken_back(people: House) -> None:
    board = people.game("cross -size=3 --clock=3d alice bob", ["C3", "B2"])
    before = state(people)
    people.wait(timedelta(days=11))
    undo_timeout(people, board)
    assert state(people) == before
    assert ratings(people) == {}


def undo_timeout(house: House, board: int) -> list[Got]:
    Arbiter(house.service).reopen(board)
    return house.collect()


def match(house: House, board: int) -> Match:
    with house.service.store.read() as tx:
        found = tx.matches.load(board)
    assert found is not None
    return found


def test_a_game_goes_on_with_the_time_that_was_left_at_the_last_move(people: House) -> None:
    board = people.game("cross -size=3 --clock=5d+1d alice bob", ["C3", "B2"])
    people.wait(timedelta(days=20))
    assert match(people, board).result is not None
    undo_timeout(people, board)
    clock = match(people, board).clock
    assert clock is not None
    assert clock.seat == 1
    assert clock.overrun_at is None
    assert 5 * DAY < clock.left[0] <= 6 * DAY
    assert clock.deadline_at == clock.due_at or clock.due_at is not None
    people.answer("alice", "A1", board)
    assert len(match(people, board).record) == 3


def test_a_game_that_is_void_for_want_of_a_first_move_goes_on(people: House) -> None:
    board = people.game("cross -size=3 --clock=3d alice bob")
    people.wait(timedelta(days=4))
    assert match(people, board).result is not None
    undo_timeout(people, board)
    people.answer("alice", "A1", board)
    assert len(match(people, board).record) == 1


def test_time_that_was_called_and_not_yet_claimed_is_taken_back_as_well(people: House) -> None:
    board = people.game("cross -size=3 --clock=3d alice bob", ["C3", "B2"])
    people.wait(timedelta(days=4))
    undo_timeout(people, board)
    people.wait(timedelta(days=2))
    assert match(people, board).result is None


def test_a_game_that_goes_on_is_not_reopened(people: House) -> None:
    board = people.game("cross -size=3 --clock=3d alice bob", ["C3", "B2"])
    before = people.dump()
    with pytest.raises(NotAllowed):
        undo_timeout(people, board)
    assert people.dump() == before
