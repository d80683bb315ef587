"""What prevents a game from starting, and what does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbm.domain.configuration import HouseRules, Limits
from pbm.server import Settings
from tests.conversation import ROBOT, Got, House
from tests.features.test_play import said


def refused(mails: list[Got]) -> str:
    """The text of the only mail, which must refuse something, in one line."""
    (got,) = mails
    assert got.refuses, got.body
    return " ".join(got.body.split())


def started(mails: list[Got]) -> int:
    boards = {got.board for got in mails if got.board is not None and "A new game" in got.body}
    assert len(boards) == 1, [got.body for got in mails]
    return int(boards.pop() or 0)


def end(house: House, loser: str, board: int) -> list[Got]:
    return said(house, loser, f"cross resign {board} {{}}")


@pytest.mark.parametrize("line", [
    "cross challenge -size=3 --unrated me bob",
    "cross challenge me -size=3 bob --UNRATED",
    "cross -size=3 challenge --unrated alice bob",
    "cross --unrated challenge alice bob [ -size=3 ]",
])  # fmt: skip
def test_options_may_stand_anywhere(people: House, line: str) -> None:
    mails = people.send("alice", line)
    assert started(mails) == 101
    assert "-size=3, unrated, " in " ".join(mails[0].body.split())


@pytest.mark.parametrize("word", ["-handicap", "-handicap=-X", "--rated=no", "-size", "-size=1"])
def test_an_unfit_option_is_quoted(people: House, word: str) -> None:
    assert f'"{word.casefold()}' in refused(people.send("alice", f"cross challenge me bob {word}"))


@pytest.mark.parametrize(("words", "meant"), [
    ("cross -radius=4", "-size=4,"),
    ("loops -n=6", "-size=6,"),
    ("loops -colors=purple", "-first=purple,"),
    ("crossgeo -colours=none", "-version=g,"),
    ("crossgeo -colors=rb", "-version=rb,"),
    ("crossgeo -board=complete -n=5", "-board=complete -points=5 "),
    ("dots -n=4", "-columns=4 -rows=4,"),
    ("clobber -radius=4", "-columns=4 -rows=4,"),
    ("polygon -size=7 -colors=none", "-sides=7 -colours=any,"),
])  # fmt: skip
def test_an_option_has_the_names_that_players_know_from_elsewhere(people: House, words: str, meant: str) -> None:
    game, *options = words.split()
    mails = people.send("alice", " ".join([game, "challenge", *options, "me bob"]))
    assert started(mails) == 101
    assert meant in " ".join(mails[0].body.split())


@pytest.mark.parametrize(("words", "sentence"), [
    ("cross -colours=none", '"-colours=none" is no option here. Cross has -size=N; every game has '),
    ("hex -colors=red", '"-colors=red" is no option here. Hex has -size=N; every game has '),
    ("polygon -radius=5", '"-radius=5" is no option here. Vertex/Intersection Polygon Game has -sides=N, '),
    ("four -n=5", '"-n=5" is no option here. Four in a Row has -columns=N, -rows=N, -line=N; '),
    ("loops -colors=none", '"-first=none" does not fit: -first takes yellow or purple.'),
    ("crossgeo -n=5", '"-points" means nothing with -board=1: it goes with -board=complete.'),
    ("dots -n=1", '"-size=1" does not fit: -size takes a number from 2 to 12.'),
    ("crossgeo -fair=maybe", '"-fair=maybe" does not fit: -fair takes yes or no.'),
])  # fmt: skip
def test_where_a_game_has_no_such_option_what_it_has_is_said(people: House, words: str, sentence: str) -> None:
    game, *options = words.split()
    assert sentence in refused(people.send("alice", " ".join([game, "challenge", *options, "me bob"])))


def test_me_needs_an_address_of_a_player(people: House) -> None:
    (got,) = people.send("x@example.com", "cross challenge me bob")
    assert "one word, the name that you would like to be called by" in " ".join(got.body.split())
    assert started(people.answer("x@example.com", "xena")) == 101


def test_who_refuses_challenges_may_still_challenge(people: House) -> None:
    said(people, "alice", "cross limit {} reject")
    assert "alice takes no challenges of Cross" in refused(people.send("bob", "cross challenge me alice"))
    people.send("alice", "cross games")
    assert started(people.answer("alice", "cross challenge me bob")) == 101
    assert started(people.send("bob", "loops challenge me alice")) == 102


def test_a_refusal_names_everybody_who_stands_in_the_way(people: House) -> None:
    said(people, "alice", "cross limit {} reject")
    said(people, "bob", "cross limit {} 1")
    people.game("cross bob carol")
    text = refused(people.send("carol", "cross challenge alice bob"))
    assert "alice takes no challenges" in text
    assert "bob has 1 board" in text


def test_ended_games_do_not_count_for_a_limit(people: House) -> None:
    said(people, "bob", "cross limit {} 1")
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    refused(people.send("alice", "cross challenge me bob"))
    end(people, "alice", board)
    assert started(people.send("alice", "cross challenge me bob")) == board + 1


def test_a_game_against_oneself_counts_once(people: House) -> None:
    said(people, "bob", "cross limit {} 2")
    people.game("cross bob bob")
    assert started(people.send("alice", "cross challenge me bob")) == 102
    refused(people.send("alice", "cross challenge me bob"))


def test_a_player_has_a_daily_measure_and_a_stranger_a_smaller_one(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(stranger_answers_per_day=9, challenges_per_day=3)))
    house.players("alice", "bob")
    for _ in range(3):
        started(house.send("alice", "cross challenge me bob"))
    assert "limited to 3 a day" in refused(house.send("alice", "cross challenge me bob"))
    for _ in range(5):
        assert not house.send("x@example.com", "cross challenge alice bob")[-1].refuses
    assert "challenges by one stranger are limited to 5 a day" in refused(
        house.send("x@example.com", "cross challenge alice bob")
    )


def test_nobody_has_more_games_than_the_server_lets_them(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(active_games=2)))
    house.players("alice", "bob", "carol")
    house.game("cross alice bob")
    house.game("loops bob carol")
    assert "bob has 2 boards under way" in refused(house.send("carol", "cross challenge me bob"))


def test_a_block_holds_whoever_asks_and_says_no_more_than_it_must(people: House) -> None:
    said(people, "alice", "block {} bob")
    assert "alice does not take challenges from you." in refused(people.send("bob", "cross challenge me alice"))
    assert "do not play each other" in refused(people.send("x@example.com", "cross challenge bob alice"))
    assert "alice does not take challenges from you." in refused(people.send("bob", "cross challenge alice carol"))
    assert "unblock bob" in refused(people.send("alice", "cross challenge me bob"))
    started(people.send("carol", "cross challenge me alice"))


def test_a_block_holds_for_rematches_and_seeks(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    end(people, "alice", board)
    said(people, "alice", "block {} bob")
    said(people, "alice", "cross seek {} 3")
    assert "does not take challenges" in refused(people.answer("bob", "rematch", board))
    assert "does not take challenges" in refused(said(people, "bob", "take 1 {}"))


def test_a_rematch_exchanges_seats_and_keeps_the_options(people: House) -> None:
    board = people.game("cross -size=3 --unrated alice bob", ["C3", "B2"])
    end(people, "alice", board)
    again = started(people.answer("alice", "rematch", board, vouched=True))
    with people.service.store.read() as tx:
        old, new = tx.matches.load(board), tx.matches.load(again)
    assert old is not None
    assert new is not None
    assert [player.userid for player in new.players] == ["bob", "alice"]
    assert (new.options, new.rated) == (old.options, False)


def test_two_who_ask_for_a_rematch_get_one(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    end(people, "alice", board)
    again = started(people.answer("alice", "rematch", board, vouched=True))
    assert f"it is board {again}" in refused(people.answer("bob", "rematch", board, vouched=True))
    assert f"it is board {again}" in refused(said(people, "alice", f"cross rematch {board} {{}}"))


def test_a_game_nobody_played_has_no_rematch(people: House) -> None:
    board = people.game("cross -size=3 alice bob")
    end(people, "alice", board)
    assert "was void" in refused(people.answer("bob", "rematch", board))


def test_a_spectator_gets_no_rematch(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    end(people, "alice", board)
    assert "carol is not a player" in refused(said(people, "carol", f"rematch {board} {{}}"))


def test_a_board_of_ones_own_goes_along_with_its_rematch(people: House) -> None:
    drawn = "0,0 1,1 r\n0,1 1,0 b\n0,0 0,1 g\n1,0 1,1 g"
    mails = people.send("alice", "crossgeo challenge me bob", f"{drawn}\n\nMine!")
    board = started(mails)
    assert "Mine!" in mails[1].body
    people.answer("alice", mails[0].body.partition("for instance:\n\n")[2].split()[0], board)
    said(people, "bob", f"crossgeo resign {board} {{}}")
    with people.service.store.read() as tx:
        match = tx.matches.load(board)
    assert match is not None
    if match.result is None or match.result.ending.value != "void":
        again = started(people.answer("bob", "rematch", board, vouched=True))
        with people.service.store.read() as tx:
            new = tx.matches.load(again)
        assert new is not None
        assert new.body == match.body == drawn
