"""Seeks: counted down, taken once, and announced sparingly."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from pbm.core.start import MOST_SEEKS
from pbm.domain.configuration import HouseRules
from pbm.features import seek
from pbm.server import Settings
from tests.conversation import ROBOT, House, address_of
from tests.core.test_start import refused
from tests.features.test_play import said


def wanted(house: House, game: str = "cross") -> list[tuple[str, int]]:
    with house.service.store.read() as tx:
        return [(seek.player.userid, seek.wanted) for seek in tx.seeks.open(game)]


def test_a_seek_is_counted_down_and_then_gone(people: House) -> None:
    said(people, "alice", "cross seek {} 2 -size=3")
    for left in ([("alice", 1)], []):
        mails = said(people, "bob", "take 1 {}")
        assert {got["Subject"].rpartition(" ")[2] for got in mails} == {"bob-alice"}
        assert wanted(people) == left
    assert "not open" in refused(said(people, "bob", "take 1 {}"))


def test_a_challenge_to_the_same_game_counts_it_down(people: House) -> None:
    said(people, "alice", "cross seek {} 2 -size=3")
    people.send("bob", "cross challenge me alice -size=4")
    people.send("bob", "cross challenge me alice -size=3 --unrated")
    people.send("alice", "cross challenge me bob -size=3")
    assert wanted(people) == [("alice", 2)]
    people.send("bob", "cross challenge me alice -SIZE=3")
    assert wanted(people) == [("alice", 1)]


def test_a_player_has_one_seek_in_each_game(people: House) -> None:
    said(people, "alice", "cross seek {} 2 -size=3")
    said(people, "alice", "cross seek {} 5 -size=3")
    assert wanted(people) == [("alice", 5)]
    said(people, "alice", "cross seek {} -size=4")
    said(people, "alice", "loops seek {}")
    assert wanted(people) == [("alice", 1)]
    assert "not open" in refused(said(people, "bob", "take 1 {}"))
    said(people, "alice", "cross seek {} 0")
    assert wanted(people) == []
    assert wanted(people, "loops") == [("alice", 1)]


@pytest.mark.parametrize("words", [
    "cross seek {} 21", "cross seek {} -1", "cross seek {} many", "cross seek {} -size=99", "cross seek {} --clock=1",
    "crossgeo seek {} -board=9",
])  # fmt: skip
def test_a_seek_that_cannot_be_is_refused(people: House, words: str) -> None:
    refused(said(people, "alice", words))
    assert wanted(people) == wanted(people, "crossgeo") == []


@pytest.mark.parametrize("text", ["yes", "Yes, gladly", "take it", "TAKE 1", "yes.\nHave fun!"])
def test_followers_are_told_and_the_first_gets_the_game(people: House, text: str) -> None:
    for userid in ("bob", "carol"):
        said(people, userid, "cross subscribe all {}")
    said(people, "alice", "cross seek {}")
    mails = people.answer("bob", text)
    assert any(got["Subject"] == "Cross Board 101 bob-alice" for got in mails)
    assert ("Have fun!" in " ".join(got.body for got in mails)) == ("fun" in text)
    assert "somebody may have been faster" in refused(people.answer("carol", "yes", mail=2))


def test_a_seeker_is_announced_once_a_day(people: House) -> None:
    said(people, "bob", "cross subscribe all {}")
    assert len(said(people, "alice", "cross seek {} -size=3")) == 2
    assert len(said(people, "alice", "cross seek {} -size=4")) == 1
    said(people, "alice", "cross seek {} 0")
    assert len(said(people, "alice", "cross seek {} -size=3")) == 1


@pytest.mark.parametrize("words", [("alice", "block {} bob"), ("bob", "block {} alice")])
def test_who_is_blocked_is_not_told(people: House, words: tuple[str, str]) -> None:
    said(people, "bob", "cross subscribe all {}")
    said(people, *words)
    assert [got.address for got in said(people, "alice", "cross seek {}")] == ["alice@example.net"]


def test_an_announcement_shows_nothing_of_the_seekers_mail(people: House) -> None:
    said(people, "bob", "cross subscribe all {}")
    told = next(got for got in said(people, "alice", "cross seek {}") if got.address == "bob@example.net")
    assert "alice@" not in told.text
    assert "mail-" not in told.text


def test_who_wants_to_hear_no_more_does_not(people: House) -> None:
    said(people, "bob", "cross subscribe all {}")
    said(people, "alice", "cross seek {}")
    people.answer("bob", "unsubscribe")
    assert len(said(people, "carol", "cross seek {} -size=4")) == 1


def test_seeks_pair_only_where_both_ratings_and_all_terms_suit(people: House) -> None:
    said(people, "alice", "cross seek {} -size=3 --rating=1000-1400")
    said(people, "bob", "cross seek {} -size=3 --unrated")
    said(people, "carol", "cross seek {} 2 -size=3")
    assert wanted(people) == [("alice", 1), ("bob", 1), ("carol", 2)]
    mails = said(people, "bob", "cross seek {} -size=3 --rating=1500-1500")
    assert {got["Subject"] for got in mails} == {"Cross Board 101 bob-carol"}
    assert wanted(people) == [("alice", 1), ("carol", 1)]


def test_a_seek_of_who_is_full_waits(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(active_games=1)))
    house.players("alice", "bob")
    said(house, "alice", "cross seek {}")
    house.game("loops alice alice")
    assert "alice has 1 board under way" in refused(said(house, "bob", "take 1 {}"))
    assert wanted(house) == [("alice", 1)]


def test_a_list_of_many_seeks_holds_the_oldest(people: House) -> None:
    """Also within standings: no answer grows with the club."""
    with people.service.store.write() as tx:
        carol = tx.players.find("carol")
        assert carol is not None
        for _ in range(MOST_SEEKS):
            tx.seeks.add(carol, "cross", (), "", 1, people.now)
    for line in ("cross seek", "cross standings"):
        (got,) = people.send("bob", line)
        assert got.body.count("carol") == MOST_SEEKS
        assert "left out" not in got.body
    said(people, "alice", "cross seek {} 2 -size=3")
    for line in ("cross seek", "cross standings"):
        (got,) = people.send("bob", line)
        assert got.body.count("carol") == MOST_SEEKS
        assert "Newer ones are left out." in got.body


def test_a_mail_that_only_says_who_it_is_from_takes_nothing(people: House) -> None:
    said(people, "alice", "cross seek {}")
    (got,) = people.send("bob", "take 1")
    assert "was that you" in got["Subject"]
    (got,) = people.send("x@example.com", "take 1")
    assert "one word, the name that you would like to be called by" in " ".join(got.body.split())
    assert wanted(people) == [("alice", 1)]


def test_a_drawn_board_goes_along_with_a_seek(people: House) -> None:
    drawn = "0,0 1,1 r\n0,1 1,0 b\n0,0 0,1 g\n1,0 1,1 g"
    said(people, "alice", "crossgeo seek {}", drawn)
    said(people, "bob", "take 1 {}")
    with people.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.body == drawn


def waited(house: House) -> list[str]:
    """The subjects of the mails that come within two days."""
    return [got["Subject"] for got in house.wait(timedelta(days=2))]


def test_a_robot_takes_a_seek_that_nobody_took_if_the_seeker_wants_that(people: House) -> None:
    said(people, "alice", "cross seek {} 2 -size=3 --robot=2")
    said(people, "bob", "cross seek {} -size=4")
    assert [subject.split()[-1] for subject in waited(people)] == ["robot2-alice", "robot2-alice"]
    assert wanted(people) == [("bob", 1)]


def test_a_seek_that_was_taken_or_withdrawn_is_left_alone(people: House) -> None:
    said(people, "alice", "cross seek {} -size=3 --robot")
    said(people, "bob", "take 1 {}")
    said(people, "carol", "cross seek {} --robot")
    said(people, "carol", "cross seek {} 0")
    assert not [subject for subject in waited(people) if "robot" in subject]


def test_a_player_with_as_many_boards_as_they_want_gets_no_robot_until_one_ends(people: House) -> None:
    board = people.game("cross -size=3 alice bob")
    said(people, "alice", "cross limit {} 1")
    said(people, "alice", "cross seek {} -size=3 --robot")
    assert not [subject for subject in waited(people) if "robot" in subject]
    people.send("bob", f"cross resign {board} bob bobpass")
    assert [subject for subject in waited(people) if "robot3-alice" in subject]


def test_many_followers_are_told_a_few_at_a_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seek, "AT_ONCE", 2)
    house.players("zoe", *"abcdef")
    for userid in ("zoe", *"abcdef"):
        house.send(userid, f"follow {userid} {userid}pass cross")
    house.send("c", "block c cpass zoe")
    told = [got.address for got in house.send("zoe", "cross seek zoe zoepass")]
    assert told == [address_of("a"), address_of("zoe")], "zoe is a follower, too"
    assert [got.address for got in house.wait(timedelta())] == [address_of(userid) for userid in "bdef"]
    assert house.answer("f", "yes")[0].board == 101


def test_nobody_else_is_told_of_a_seek_that_is_taken(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seek, "AT_ONCE", 1)
    house.players("a", "b", "zoe")
    for userid in "ab":
        house.send(userid, f"follow {userid} {userid}pass cross")
    house.send("zoe", "cross seek zoe zoepass")
    house.answer("a", "yes")
    assert not any(got.address == address_of("b") and "looks for" in got["Subject"] for got in house.wait(timedelta()))


def test_seek_alone_lists_the_seeks_of_all_games(house: House) -> None:
    house.players("alice", "bob")
    (nobody,) = house.send("bob", "seek")
    assert "Nobody is looking for opponents" in " ".join(nobody.body.split())
    house.send("alice", "hex seek alice alicepass")
    house.send("alice", "cross seek alice alicepass")
    (got,) = house.send("bob", "seek")
    assert "Hex" in got.body
    assert "Cross" in got.body
    (refused,) = house.send("bob", "seek -clock=3d")
    assert "hex seek -clock=3d" in refused.body
