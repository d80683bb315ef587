"""Tournaments held by mail from the first to the last round: nothing holds them up, and everybody is told once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

import pytest

from pbm.domain.calendars import StopKind
from pbm.domain.configuration import HouseRules
from pbm.domain.errors import NotAllowed
from pbm.domain.match import Ending
from pbm.features.tournament import letters, rounds
from pbm.server import Settings
from pbm.server.arbiter import Arbiter
from pbm.server.rows import end_halt, halt
from pbm.server.steward import Steward
from pbm.store.tournaments import Meeting, Stage, Tournament
from tests.conversation import ROBOT, Got, House, address_of, password

DAY = timedelta(days=1)
NOW = timedelta(minutes=1)
NAMES = ("ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal", "ivy", "joe", "kim", "leo")


def tournament(house: House, name: str = "cup") -> Tournament:
    with house.service.store.read() as tx:
        found = tx.tournaments.find(name)
    assert found is not None
    return found


def meetings(house: House, name: str = "cup") -> list[Meeting]:
    with house.service.store.read() as tx:
        return tx.tournaments.meetings(tournament(house, name).id)


def under_way(house: House, name: str = "cup") -> list[Meeting]:
    with house.service.store.read() as tx:
        return tx.tournaments.under_way(tournament(house, name).id)


def make(house: House, words: str, players: Iterable[str], name: str = "cup") -> list[Got]:
    """Let the operator's player create and all others join and start a tournament; returns the mails of its start."""
    house.player("maker")
    kind, *options = words.split()
    house.send("maker", f"tournament create {name} {kind} cross maker {password('maker')} -size=3 {' '.join(options)}")
    house.send("maker", f"unfollow maker {password('maker')} {name}")
    for userid in players:
        house.player(userid)
        join(house, userid, name)
    house.send("maker", f"tournament start {name} maker {password('maker')}")
    return house.wait(NOW)


def join(house: House, userid: str, name: str = "cup") -> list[Got]:
    return house.send(userid, f"tournament join {name} {userid} {password(userid)}")


def play(house: House, better: Callable[[str, str], bool], name: str = "cup") -> list[Got]:
    """End all running boards after a few moves: the better player wins. Returns the mails sent when all are over."""
    for meeting in under_way(house, name):
        first, second = (player.userid for player in meeting.players)
        loser = second if better(first, second) else first
        for player, move in ((first, "C3"), (second, "B2"), *([(first, "C2")] if loser == second else [])):
            house.answer(player, move, meeting.board)
        house.answer(loser, "resign!", meeting.board)
    return house.wait(NOW)


@pytest.fixture(autouse=True)
def no_faults(house: House) -> Iterator[None]:
    """The agenda would only try a failed item again, so look for items that were."""
    yield
    with house.service.store.read() as tx:
        tried = [tx.agenda.get("tournament", each.id) for each in tx.tournaments.listed()]
    assert all(item is None or item.attempts == 0 for item in tried)


def by_name(one: str, two: str) -> bool:
    return one < two


def divisions(house: House) -> dict[int, set[str]]:
    """The players of each division in the present season."""
    found: dict[int, set[str]] = {}
    for each in meetings(house):
        if each.season == tournament(house).season:
            found.setdefault(each.division, set()).update(player.userid for player in each.players)
    return found


def table(got: Got) -> list[str]:
    """The userids in tables of standings, from the top; one division's follow another's."""
    return [match[1] for match in re.finditer(r"^ *\d+ +[\d.]+ +\d+ +\d+ +\d+  (\w+)", got.body, re.MULTILINE)]


def to(mails: Iterable[Got], userid: str, subject: str = "pbm: ") -> list[Got]:
    return [got for got in mails if got.address == f"{userid}@example.net" and got["Subject"].startswith(subject)]


def test_a_swiss_of_eight_by_mail(house: House) -> None:
    mails = make(house, "swiss -players=4..16 -rounds=4", NAMES[:8])
    for number in range(1, 5):
        assert tournament(house).round == number
        assert len(under_way(house)) == 4
        for userid in NAMES[:8]:
            (told,) = to(mails, userid)
            assert f"Round {number} of 4 of cup begins.\n" in told.body
            (board,) = to(mails, userid, "Cross Board")
            assert f"Tournament: cup, round {number}, until 31 Jan 2026." in board.body
            assert f"on board {board.board}, against" in told.body
        mails = play(house, by_name)
    over = tournament(house)
    assert over.stage is Stage.OVER
    (told,) = to(mails, "hal")
    assert told["Subject"] == "pbm: cup: the result"
    assert "ann has won it" in told.body
    assert table(told)[0] == "ann"
    assert table(told)[-1] == "hal"
    pairs = [frozenset((each.first, each.second)) for each in meetings(house)]
    assert len(set(pairs)) == len(pairs) == 16
    for userid in NAMES[:8]:
        firsts = sum(each.first.userid == userid for each in meetings(house))
        assert abs(2 * firsts - 4) <= 2
    assert house.wait(400 * DAY) == []
    with house.service.store.read() as tx:
        assert "tournament" not in tx.agenda.counts(house.now)
        records = tx.ratings.standings("cross")
    assert len(records) == 8


def test_a_knockout_of_five_by_mail(house: House) -> None:
    mails = make(house, "knockout", NAMES[:5])
    assert tournament(house).round == 1
    (told,) = to(mails, "ann")
    assert "You have no game this time, but a point." in told.body
    assert len(under_way(house)) == 1
    mails = play(house, by_name)
    assert [{player.userid for player in each.players} for each in under_way(house)] == [{"ann", "dan"}, {"ben", "cat"}]
    play(house, by_name)
    (final,) = under_way(house)
    first, second = (player.userid for player in final.players)
    assert {first, second} == {"ann", "ben"}
    for player, text in ((first, "C3"), (second, "B2"), (first, "propose"), (second, "accept")):
        house.answer(player, text, final.board)
    mails = house.wait(NOW)
    (told,) = to(mails, "eve")
    assert tournament(house).stage is Stage.OVER
    assert f"{second} has won it" in told.body
    assert table(told)[:2] == [second, first]


def test_in_a_knockout_one_who_leaves_is_out_and_the_opponent_goes_on(house: House) -> None:
    make(house, "knockout", NAMES[:4])
    house.send("ann", f"tournament leave cup ann {password('ann')}")
    mails = play(house, by_name)
    (final,) = under_way(house)
    assert {player.userid for player in final.players} == {"dan", "ben"}
    assert "ann" not in {got.address.partition("@")[0] for got in mails}


def test_a_swiss_may_be_joined_late_and_a_round_left_out(house: House) -> None:
    make(house, "swiss -rounds=4", NAMES[:5])
    play(house, by_name)
    assert tournament(house).round == 2
    house.player("kim")
    (got,) = join(house, "kim")
    assert "You are paired from the next round on" in got.body
    (got,) = house.send("ann", f"tournament bye cup ann {password('ann')}")
    assert "You have a bye in round 3 of cup, for half a point." in got.body
    mails = play(house, by_name)
    (told,) = to(mails, "ann")
    assert "You have no game this time, but half a point." in told.body
    assert "kim" in {player.userid for each in under_way(house) for player in each.players}
    (got,) = house.send("ann", f"tournament bye cup ann {password('ann')}")
    assert "You have a bye in round 4 of cup, for no point." in got.body
    house.player("leo")
    (got,) = join(house, "leo")
    assert "has started, so nobody can join any more" in got.body
    play(house, by_name)
    (got,) = house.send("ben", f"tournament bye cup ben {password('ben')}")
    assert "Round 4 of cup is the last." in got.body
    with house.service.store.read() as tx:
        kim = tx.players.find("kim")
        assert kim is not None
    scores = [each.bout.score(kim.id) for each in meetings(house) if each.bout.holds(kim.id) and each.board is None]
    assert scores == [1, 0]


def test_who_leaves_a_swiss_has_no_bye_in_it_any_more(house: House) -> None:
    """The bye they had asked for is gone, and who comes back gets half a point for the missed round, as all do."""
    make(house, "swiss -rounds=4", NAMES[:5])
    for words in ("bye cup ann", "leave cup ann"):
        house.send("ann", f"tournament {words} {password('ann')}")
    mails = play(house, by_name)
    assert all("ann" not in {player.userid for player in each.players} for each in meetings(house) if each.round == 2)
    assert "half a point" not in to(mails, "ben")[0].body
    join(house, "ann")
    (rested,) = (each for each in meetings(house) if each.round == 2 and each.first.userid == "ann")
    assert rested.points == (1, 0)


@pytest.mark.parametrize("kind", ["round-robin", "knockout", "ladder"])
def test_a_bye_is_asked_for_in_a_swiss_alone(house: House, kind: str) -> None:
    make(house, kind, NAMES[:2])
    (got,) = house.send("ann", f"tournament bye cup ann {password('ann')}")
    assert "a bye is asked for in a Swiss" in got.body


def test_a_league_with_promotion_by_mail(house: House) -> None:
    make(house, "league -division=4 -promote=1 -pause=5", NAMES[:8])
    order = {name: index for index, name in enumerate(NAMES)}
    assert divisions(house) == {1: set(NAMES[:4]), 2: set(NAMES[4:8])}
    for _ in range(3):
        mails = play(house, by_name)
    assert tournament(house).stage is Stage.PAUSED
    (told,) = to(mails, "eve")
    assert told["Subject"] == "pbm: cup: season 1 is over"
    assert table(told) == sorted(NAMES[:8], key=order.__getitem__)
    assert re.search(r"dan +from 1 to 2", told.body)
    assert re.search(r"eve +from 2 to 1", told.body)

    house.send("ben", f"tournament leave cup ben {password('ben')}")
    house.player("ivy")
    assert "next season" in join(house, "ivy")[0].body
    assert house.wait(4 * DAY) == []
    mails = house.wait(2 * DAY)
    assert (tournament(house).stage, tournament(house).season, tournament(house).round) == (Stage.RUNNING, 2, 1)
    assert divisions(house) == {1: {"ann", "cat", "eve", "dan"}, 2: {"fay", "gus", "hal", "ivy"}}
    assert len(to(mails, "ivy")) == 1
    assert not to(mails, "ben")
    (board,) = to(mails, "ivy", "Cross Board")
    assert "Tournament: cup, season 2, division 2, round 1, until 5 Feb 2026." in board.body


def test_who_has_not_moved_all_season_is_out_of_the_league(house: House) -> None:
    make(house, "league -division=4 -days-per-round=3 --clock=none", NAMES[:4])
    for _ in range(3):
        for meeting in under_way(house):
            if meeting.first.userid != "dan":
                house.answer(meeting.first.userid, "C3", meeting.board)
            if meeting.second is not None and meeting.second.userid != "dan":
                house.answer(meeting.second.userid, "B2", meeting.board)
        mails = house.wait(4 * DAY)
    assert tournament(house).stage is Stage.PAUSED
    (told,) = to(mails, "dan", "pbm: cup: season 1 is over")
    assert "dan has not made a move in the whole season and so left the league." in " ".join(told.body.split())
    house.wait(8 * DAY)
    assert divisions(house) == {1: {"ann", "ben", "cat"}}


def test_who_has_won_all_games_before_they_could_move_stays_in_the_league(house: House) -> None:
    make(house, "league --clock=1d -pause=5", NAMES[:2])
    (meeting,) = under_way(house)
    house.wait(2 * DAY)
    assert tournament(house).stage is Stage.PAUSED
    join(house, "maker")
    house.wait(5 * DAY)
    assert divisions(house) == {1: {meeting.second and meeting.second.userid, "maker"}}


def test_who_is_out_of_the_league_is_told_how_to_come_back_and_equals_share_first_place(house: House) -> None:
    make(house, "league -division=4 -days-per-round=3 --clock=none", NAMES[:4])
    for _ in range(3):
        for meeting in under_way(house):
            first, second = (player.userid for player in meeting.players)
            for player, text in ((first, "C3"), (second, "B2"), (first, "propose"), (second, "accept")):
                if player != "dan" and (text == "C3" or "dan" not in (first, second)):
                    house.answer(player, text, meeting.board)
        mails = house.wait(3 * DAY)
    told = {userid: " ".join(to(mails, userid, "pbm: cup: season 1")[0].body.split()) for userid in ("ann", "dan")}
    assert all("is over. ann, ben and cat share first place." in words for words in told.values())
    assert 'Until then "tournament join cup" takes you in.' in told["dan"]
    assert '"tournament leave cup" takes you out' in told["ann"]
    assert '"tournament leave cup" takes you out' not in told["dan"]
    assert not join(house, "dan")[0].refuses


def test_a_league_that_nobody_plays_in_ends(house: House) -> None:
    make(house, "league -days-per-round=3", NAMES[:4])
    (told,) = to(house.wait(30 * DAY), "ann", "pbm: cup: the result")
    assert "No season follows, for too few are left" in told.body
    assert tournament(house).stage is Stage.OVER
    assert house.wait(400 * DAY) == []


def test_the_next_season_may_be_started_early(house: House) -> None:
    make(house, "league -pause=100", NAMES[:2])
    (meeting,) = under_way(house)
    house.answer(meeting.first.userid, "C3", meeting.board)
    house.answer(meeting.second.userid if meeting.second else "", "resign!", meeting.board)
    house.wait(NOW)
    assert tournament(house).stage is Stage.PAUSED
    join(house, "maker")
    house.send("maker", f"tournament start cup maker {password('maker')}")
    house.wait(NOW)
    assert (tournament(house).stage, tournament(house).season) == (Stage.RUNNING, 2)


def test_everybody_has_the_other_seat_in_the_next_season(house: House) -> None:
    make(house, "league -division=4 -promote=0", NAMES[:4])
    for _ in range(3):
        play(house, by_name)
    house.wait(8 * DAY)
    for _ in range(2):
        play(house, by_name)
    seats = [(each.season, each.first.userid, each.second and each.second.userid) for each in meetings(house)]
    assert all((2, second, first) in seats for season, first, second in seats if season == 1)


def test_a_round_ends_at_its_deadline_and_time_decides(house: House) -> None:
    make(house, "round-robin -days-per-round=10 --clock=none", NAMES[:4])
    one, two = under_way(house)
    house.wait(2 * DAY)
    house.answer(one.first.userid, "C3", one.board)
    house.answer(two.first.userid, "C3", two.board)
    house.wait(4 * DAY)
    house.answer(two.second.userid if two.second else "", "B2", two.board)
    house.wait(3 * DAY)
    assert tournament(house).round == 1
    mails = house.wait(2 * DAY)
    assert tournament(house).round == 2
    settled = {each.id: each.points for each in meetings(house)}
    assert settled[one.id] == (2, 0)
    assert settled[two.id] == (0, 2)
    (board,) = [got for got in to(mails, one.first.userid, "Cross Board") if got.board == one.board]
    assert "The tournament's time for this game is over." in board.body
    assert "You (O) won because dan has used more time: 7 days, and ann 2 days." in " ".join(board.body.split())
    assert len(under_way(house)) == 2


def test_a_vacation_does_not_hold_a_round_up(house: House) -> None:
    make(house, "round-robin -days-per-round=10", NAMES[:2])
    (meeting,) = under_way(house)
    mover = meeting.first.userid
    (noted,) = house.send(mover, f"vacation {mover} {password(mover)} 2026-01-02 2026-01-25")
    assert "games in cup are decided on the day that their emails name" in " ".join(noted.body.split())
    house.answer(mover, "pause", meeting.board)
    mails = house.answer(meeting.second.userid if meeting.second else "", "accept", meeting.board)
    assert all("the tournament does not wait" in " ".join(got.body.split()) for got in mails)
    assert all("Tournament: cup, round 1, until 11 Jan 2026." in got.body for got in mails)
    house.wait(11 * DAY)
    assert tournament(house).stage is Stage.OVER
    assert meetings(house)[0].points == (0, 2)


def reminded(mails: Iterable[Got]) -> list[tuple[str, int | None]]:
    """Whom reminders went to, and of which board; None for several boards."""
    return [(got.address.partition("@")[0], got.board) for got in mails if re.search(r"a\s+reminder|waiting", got.text)]


def movers(house: House) -> list[tuple[str, int | None]]:
    """Who is to move on each running board on which nothing was played."""
    return [(each.first.userid, each.board) for each in under_way(house)]


@pytest.mark.parametrize("kind", ["round-robin", "ladder", "swiss"])
def test_who_is_to_move_is_reminded_once_before_the_end_of_a_round(house: House, kind: str) -> None:
    make(house, f"{kind} -days-per-round=20 --clock=none", NAMES[:4])
    if kind == "ladder":
        house.send("dan", f"tournament challenge cup dan {password('dan')} ann")
    expected = movers(house)
    assert expected
    assert reminded(house.wait(16.9 * DAY)) == []
    mails = house.wait(2.9 * DAY)
    assert reminded(mails) == expected
    assert all("In 3 days the tournament decides the game" in " ".join(got.body.split()) for got in mails)


def test_of_a_short_round_players_are_reminded_late_in_it(house: House) -> None:
    make(house, "round-robin -days-per-round=1 --clock=none", NAMES[:2])
    assert reminded(house.wait(0.7 * DAY)) == []
    assert reminded(house.wait(0.2 * DAY)) == [("ann", 101)]


@pytest.mark.parametrize("words", ["remind off", "set digest 08:00"])
def test_a_player_who_wants_no_reminders_gets_none_of_a_round(house: House, words: str) -> None:
    make(house, "round-robin -days-per-round=20 --clock=none", NAMES[:2])
    house.answer("ann", words, 101, vouched=True)
    assert [got["Subject"] for got in house.wait(19.9 * DAY) if "a reminder" in got.body] == []


def test_of_a_clock_that_runs_out_before_the_round_ends_only_the_clock_reminds(house: House) -> None:
    make(house, "round-robin -days-per-round=20 --clock=18d", NAMES[:2])
    mails = [got for got in house.wait(17.9 * DAY) if "a reminder" in got.body]
    assert ["Your time is over" in " ".join(got.body.split()) for got in mails] == [True, True]


def test_nobody_is_reminded_of_a_round_that_no_longer_decides(house: House) -> None:
    make(house, "round-robin -days-per-round=20 --clock=none", NAMES[:2])
    house.send("maker", f"tournament cancel cup maker {password('maker')}")
    assert reminded(house.wait(40 * DAY)) == []


def test_an_outage_delays_the_reminder_as_it_delays_the_end_of_the_round(house: House) -> None:
    make(house, "round-robin -days-per-round=20 --clock=none", NAMES[:2])
    house.wait(16 * DAY)
    halt(house.service.store, StopKind.HALT)
    assert reminded(house.wait(2 * DAY)) == []
    end_halt(house.service.store, StopKind.HALT)
    assert reminded(house.wait(0.9 * DAY)) == []
    assert reminded(house.wait(0.2 * DAY)) == [("ann", 101)]
    assert reminded(house.wait(2 * DAY)) == []


def test_several_boards_that_a_round_decides_are_one_reminder_with_its_last_day(house: House) -> None:
    for name in ("cup", "bowl"):
        for userid in ("maker", *NAMES[:2]):
            if name == "cup":
                house.player(userid)
        house.send("maker", f"tournament create {name} robin cross maker {password('maker')} -size=3 --clock=none")
        for userid in NAMES[:2]:
            join(house, userid, name)
        house.send("maker", f"tournament start {name} maker {password('maker')}")
        house.wait(NOW)
    (got,) = [got for got in house.wait(29 * DAY) if reminded([got])]
    told = " ".join(got.body.split())
    assert "Tournament: cup, round 1, until 31 Jan 2026." in told
    assert "Tournament: bowl, round 1, until 31 Jan 2026." in told


def test_who_does_not_come_loses_on_time_though_they_have_not_moved(house: House) -> None:
    make(house, "round-robin", NAMES[:2])
    mails = house.wait(11 * DAY)
    (meeting,) = meetings(house)
    assert meeting.points == (0, 2)
    with house.service.store.read() as tx:
        match = tx.matches.load(meeting.board or 0)
    assert match is not None
    assert match.result is not None
    assert match.result.ending is Ending.FORFEIT
    assert tournament(house).stage is Stage.OVER
    assert "has won it" in to(mails, "ann", "pbm: cup")[-1].body
    assert all("claim" not in got.body for got in mails)
    assert "The game was not rated: it ended before both had moved." in to(mails, "ann", "Cross Board")[-1].body


def test_who_resigns_before_they_have_moved_loses(house: House) -> None:
    make(house, "round-robin", NAMES[:2])
    (meeting,) = under_way(house)
    mails = house.answer(meeting.first.userid, "resign!", meeting.board)
    assert all("declined" not in got.body for got in mails)
    assert meetings(house)[0].points == (0, 2)


def test_a_server_that_was_down_ends_a_round_once(house: House) -> None:
    make(house, "round-robin -days-per-round=10", NAMES[:4])
    mails = house.sleep(200 * DAY)
    assert tournament(house).round == 2
    assert [len(to(mails, userid)) for userid in NAMES[:4]] == [1, 1, 1, 1]
    due_at = tournament(house).due_at
    assert due_at is not None
    assert abs(due_at - house.now - 10 * DAY) < NOW
    assert house.sleep(NOW) == []


def test_who_leaves_loses_what_they_play_and_what_was_to_come(house: House) -> None:
    make(house, "round-robin", NAMES[:4])
    house.send("ann", f"tournament leave cup ann {password('ann')}")
    mails = [*play(house, by_name)]
    for _ in range(2):
        mails += play(house, by_name)
    assert tournament(house).stage is Stage.OVER
    lost = [each for each in meetings(house) if "ann" in (each.first.userid, each.second and each.second.userid)]
    assert len(lost) == 3
    assert all(each.points == ((0, 2) if each.first.userid == "ann" else (2, 0)) for each in lost)
    (result,) = to(mails, "ben", "pbm: cup: the result")
    assert table(result)[-1] == "ann"
    assert "ann*" in result.body
    assert not to(mails, "ann")


def test_an_account_that_ends_leaves_its_tournaments(house: House) -> None:
    make(house, "swiss -rounds=2", NAMES[:4])
    house.send("ann", f"delete ann {password('ann')}")
    mails = play(house, by_name)
    assert tournament(house).round == 2
    paired = {player.userid for each in meetings(house) if each.round == 2 for player in each.players}
    assert paired == {"ben", "cat", "dan"}
    assert not to(mails, "ann")


@pytest.mark.parametrize("kind", ["knockout", "round-robin"])
def test_the_last_player_left_wins_all_that_was_to_come(house: House, kind: str) -> None:
    """A player who has left shares no first place with them, even with as many points before."""
    make(house, kind, NAMES[:4])
    one, two = under_way(house)
    winner, *others = [player.userid for meeting in (two, one) for player in meeting.players]
    house.answer(one.first.userid, "resign!", one.board)
    for userid in others:
        house.send(userid, f"tournament leave cup {userid} {password(userid)}")
    (told,) = to(house.wait(NOW), winner)
    assert f"{winner} has won it." in told.body
    assert "* was not played." in told.body


def test_the_last_player_left_ends_an_tournament(house: House) -> None:
    make(house, "round-robin", NAMES[:3])
    for userid in NAMES[:2]:
        house.send(userid, f"tournament leave cup {userid} {password(userid)}")
    house.wait(NOW)
    assert tournament(house).stage is Stage.OVER


def test_too_few_players_and_it_is_called_off(house: House) -> None:
    house.players("maker", "ann")
    house.send("maker", f"tournament create cup swiss cross maker {password('maker')} -players=4..8 -start=2026-01-05")
    join(house, "ann")
    assert house.wait(3 * DAY) == []
    mails = house.wait(2 * DAY)
    assert tournament(house).stage is Stage.CANCELLED
    assert "needs 4 players, and one has joined" in " ".join(to(mails, "ann")[0].body.split())
    assert len(to(mails, "maker")) == 1
    assert "is over" in join(house, "ann")[0].body


def test_players_are_seeded_by_their_ratings(house: House) -> None:
    for userid in NAMES[:4]:
        house.player(userid)
    board = house.game("cross -size=3 ann dan", ["C3", "B2"])
    house.answer("ann", "resign!", board)
    house.player("maker")
    house.send("maker", f"tournament create cup swiss cross maker {password('maker')} -size=3 -players=4")
    for userid in NAMES[:4]:
        join(house, userid)
    house.wait(NOW)
    with house.service.store.read() as tx:
        seeded = [each.player.userid for each in tx.tournaments.entrants(tournament(house).id)]
    assert seeded == ["dan", "ben", "cat", "ann"]


def test_a_ladder(house: House) -> None:
    make(house, "ladder -rungs=2 -idle=30 -days-per-round=20", NAMES[:5])

    def rungs() -> list[str]:
        with house.service.store.read() as tx:
            return [
                each.player.userid for each in tx.tournaments.entrants(tournament(house).id) if each.left_at is None
            ]

    def challenge(one: str, two: str) -> list[Got]:
        return house.send(one, f"tournament challenge cup {one} {password(one)} {two}")

    assert rungs() == list(NAMES[:5])
    assert challenge("eve", "ann")[0].refuses
    challenge("eve", "cat")
    assert challenge("eve", "dan")[0].refuses, "one at a time"
    assert challenge("dan", "cat")[0].refuses, "he is challenged already"
    (meeting,) = under_way(house)
    house.answer("cat", "resign!", meeting.board)
    mails = house.wait(NOW)
    assert rungs() == ["ann", "ben", "eve", "cat", "dan"]
    assert {got.address for got in mails} == {"eve@example.net", "cat@example.net"}

    # A challenger who does not play drops; a challenged player who does not play loses their rung.
    challenge("cat", "eve")
    (meeting,) = under_way(house)
    if meeting.first.userid == "eve":
        house.answer("eve", "C3", meeting.board)
    house.wait(15 * DAY)
    assert rungs() == ["ann", "ben", "eve", "dan", "cat"]

    # Players who have begun no game for a month drop, too: ann and ben go down, but not below each other.
    mails = house.wait(20 * DAY)
    assert rungs() == ["eve", "ann", "ben", "cat", "dan"]
    (told,) = to(mails, "dan", "pbm: cup: how it stands")
    assert '"tournament leave cup" takes you out.' in " ".join(told.body.split())
    assert house.wait(90 * DAY) == [], "all are idle, and nobody goes down any more"

    house.send("ann", f"tournament leave cup ann {password('ann')}")
    assert rungs() == ["eve", "ben", "cat", "dan"]
    join(house, "ann")
    assert rungs()[-1] == "ann"


@pytest.mark.parametrize("kind", ["ladder", "league -pause=100", "swiss -rounds=1"])
def test_what_a_game_has_changed_in_its_tournament_is_not_undone(house: House, kind: str) -> None:
    """Otherwise the game would go on, and its end would count no more."""
    make(house, kind, NAMES[:2])
    if kind == "ladder":
        house.send("ben", f"tournament challenge cup ben {password('ben')} ann")
    (meeting,) = under_way(house)
    assert meeting.board is not None
    play(house, by_name)
    with pytest.raises(NotAllowed, match=f"cup has gone on since board {meeting.board} ended"):
        Arbiter(house.service).reopen(meeting.board)
    assert under_way(house) == []


def test_a_board_of_a_cancelled_tournament_may_be_reopened(house: House) -> None:
    make(house, "round-robin --clock=5d", NAMES[:2])
    house.send("maker", f"tournament cancel cup maker {password('maker')}")
    (meeting,) = under_way(house)
    assert meeting.board is not None
    house.wait(6 * DAY)
    assert Arbiter(house.service).reopen(meeting.board).result is None


def test_many_are_told_some_at_a_time_and_each_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """About a tournament to join, and about its cancelling."""
    monkeypatch.setattr(letters, "_AT_ONCE", 2)
    house.player("maker")
    house.send("maker", f"tournament create cup robin cross maker {password('maker')} -size=3 -players=9..9")
    for userid in NAMES[:5]:
        house.player(userid)
        house.send(userid, f"set {userid} {password(userid)} tournaments on")
        join(house, userid)
    told = [got.address for got in house.wait(7 * DAY) if "to join" in got["Subject"]]
    assert sorted(told) == [address_of(userid) for userid in NAMES[:5]]
    at_once = house.send("maker", f"tournament cancel cup maker {password('maker')}")
    told = [got.address for got in [*at_once, *house.wait(NOW)] if "cancelled" in got["Subject"]]
    assert len(at_once) < len(told)
    assert sorted(told) == [*map(address_of, (*NAMES[:5], "maker"))]
    assert house.wait(DAY) == []


def test_a_large_round_is_told_as_a_small_one(new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch) -> None:
    """A few players at a time: when it starts, and when it is over."""
    told: list[list[tuple[str, str, str]]] = []
    for at_once in (50, 1):
        monkeypatch.setattr(letters, "_AT_ONCE", at_once)
        monkeypatch.setattr(rounds, "_BOARDS_AT_ONCE", at_once)
        house = new_house()
        got = make(house, "swiss -rounds=2", NAMES[:5])
        got += play(house, lambda one, other: one < other)
        got += play(house, lambda one, other: one < other)
        told.append(sorted((each.address, each["Subject"], each.body) for each in got))
    assert told[0] == told[1]
    assert {subject for _, subject, _ in told[1]} >= {"pbm: cup: round 1", "pbm: cup: round 2", "pbm: cup: the result"}


def test_a_cancelled_event_leaves_its_boards_alone(house: House) -> None:
    make(house, "swiss", NAMES[:4])
    house.send("maker", f"tournament cancel cup maker {password('maker')}")
    assert len(under_way(house)) == 2
    board = under_way(house)[0].board
    house.answer("ann", "resign!", board)
    assert house.wait(NOW) == []
    assert tournament(house).stage is Stage.CANCELLED
    assert all(each.points is None for each in meetings(house))


def test_a_void_board_is_worth_as_much_to_both(house: House) -> None:
    make(house, "round-robin", NAMES[:2])
    Arbiter(house.service).void(under_way(house)[0].board or 0)
    house.wait(NOW)
    assert meetings(house)[0].points == (1, 1)
    assert tournament(house).stage is Stage.OVER


def test_unrated_events_move_no_rating(house: House) -> None:
    make(house, "round-robin --unrated", NAMES[:2])
    play(house, by_name)
    with house.service.store.read() as tx:
        assert tx.ratings.standings("cross") == []


def test_who_has_made_too_many_events_makes_no_more(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(open_tournaments=1)))
    house.player("ann")
    assert not house.send("ann", "tournament create one swiss cross ann annpass")[0].refuses
    assert house.send("ann", "tournament create two swiss cross ann annpass")[0].refuses
    house.send("ann", "tournament cancel one ann annpass")
    assert not house.send("ann", "tournament create two swiss cross ann annpass")[0].refuses


@pytest.mark.parametrize("words", ["round-robin", "swiss", "league -division=3"])
def test_no_stage_waits_for_anybody(words: str, house: House) -> None:
    """Nobody ever moves, and still it ends or goes into its next season."""
    make(house, f"{words} -days-per-round=3 --clock=none", NAMES[:5])
    house.wait(30 * DAY)
    over = tournament(house)
    assert over.stage is Stage.OVER or over.season > 1
    assert all(each.points is not None for each in meetings(house) if each.season < over.season)


def test_a_game_of_the_house_may_be_called_like_an_tournament(house: House) -> None:
    """Names of tournaments are in nobody's way: they only stand after the word tournament."""
    house.player("ann")
    house.send("ann", "tournament create swiss swiss cross ann annpass")
    assert not house.send("ann", "tournament join SWISS ann annpass")[0].refuses


def test_mails_of_a_large_event_are_cut(house: House) -> None:
    """All players find their own game; the rest is a command away."""
    with house.service.store.write() as tx:
        for number in range(120):
            player = tx.players.add(f"player{number}", "-", house.now)
            tx.players.add_address(player.id, f"player{number}@example.net", house.now, confirmed=True)
            tx.players.save_settings(player.id, {"mail": "text"})
    make(house, "swiss", ())
    with house.service.store.write() as tx:
        for number in range(120):
            player_id = tx.players.find(f"player{number}")
            assert player_id is not None
            tx.tournaments.enter(tournament(house).id, player_id.id, number + 1, house.now)
    house.send("maker", f"tournament start cup maker {password('maker')}")
    mails = house.wait(NOW)
    (told,) = to(mails, "player119")
    assert "and 10 more" in told.body
    assert "You move first on board 160, against player59." in told.body
    assert max(len(got.raw) for got in mails) < 6000
    assert "player119" in house.send("player3", "tournament pairings cup")[0].body


def test_in_a_league_everybody_is_told_of_their_division(house: House) -> None:
    mails = make(house, "league -division=4", NAMES[:8])
    assert "gus" not in to(mails, "ann")[0].body
    assert "ben" not in to(mails, "hal")[0].body
    mails = play(house, by_name)
    assert "Division 2" in to(mails, "hal")[0].body
    assert "Division 1" not in to(mails, "hal")[0].body


def test_on_a_ladder_a_banned_player_is_passed_over(house: House) -> None:
    make(house, "ladder -rungs=1", NAMES[:3])
    Steward(house.service).ban("ben", house.now + 10 * DAY, "abuse")
    house.wait(NOW)
    asked = f"tournament challenge cup cat {password('cat')}"
    assert "You cannot challenge ben now. You may challenge ann." in " ".join(
        house.send("cat", f"{asked} ben")[0].body.split()
    )
    Steward(house.service).ban("ann", house.now + 10 * DAY, "abuse")
    house.wait(NOW)
    (told,) = house.send("cat", asked)
    assert "Nobody within your reach can be challenged now: wait a little." in told.body
    assert not under_way(house)
    house.wait(11 * DAY)
    assert "You may challenge ben." in house.send("cat", asked)[0].body


@pytest.mark.parametrize("kind", ["swiss -rounds=2", "robin", "knockout"])
def test_a_player_who_is_kept_out_is_not_waited_for(house: House, kind: str) -> None:
    make(house, kind, ["alice", "bob", "carol", "dave"])
    Steward(house.service).ban("bob", None, "abuse", forfeit=True)
    house.wait(NOW)
    play(house, lambda first, second: first < second)
    assert all("bob" not in {player.userid for player in meeting.players} for meeting in under_way(house))


def test_a_tournament_on_a_random_board_has_one_of_its_own(house: House) -> None:
    """The same for all its players, told in their mails, but different from other tournaments'."""
    for userid in ("maker", *NAMES[:3]):
        house.player(userid)
    boards = []
    for name in ("one", "two"):
        words = "-board=random -edges=9 -version=rb -players=3"
        house.send("maker", f"tournament create {name} robin crossgeo maker {password('maker')} {words}")
        for userid in NAMES[:3]:
            join(house, userid, name)
        house.wait(40 * DAY)
        with house.service.store.read() as tx:
            found = [tx.matches.load(each.board) for each in meetings(house, name) if each.board]
        assert len(found) > 1
        boards.append({match.options for match in found if match})
    (one,), (two,) = boards
    assert one != two
    assert any(word.startswith("-seed=") for word in one)


def test_a_tournament_is_joined_by_the_beginning_of_its_name_if_only_one_is_open_so(house: House) -> None:
    house.players("ann", "bob")
    house.send("ann", f"tournament create spring-2026 swiss cross ann {password('ann')}")
    (got,) = join(house, "bob", "spring")
    assert "You are in spring-2026." in got.body
    house.send("ann", f"tournament create spring-b swiss cross ann {password('ann')}")
    (got,) = join(house, "ann", "spring")
    assert 'There is no tournament "spring".' in got.body
