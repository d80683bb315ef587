"""Clocks on a running server: what they count, what stops them, and that time runs out once, whatever happens."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from pbm.domain.calendars import StopKind
from pbm.domain.clock import Clock
from pbm.domain.configuration import HouseRules
from pbm.domain.mail import Delivery
from pbm.domain.match import Ending, Match
from pbm.domain.spans import DAY, HOUR
from pbm.server import Arriving, Settings
from pbm.server.arbiter import Arbiter
from pbm.server.service import PATIENCE
from pbm.store.pulse import SILENCE
from tests.conversation import ROBOT, Got, House, address_of, password

day, hour, minute = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
OPERATOR = "root@example.org"


@pytest.fixture
def club(new_house: Callable[..., House]) -> House:
    """alice and bob at board 101 with three days a move, after D4 and C3; alice is to move."""
    house = new_house(Settings(ROBOT, operator=OPERATOR))
    for userid in ("alice", "bob"):
        house.player(userid)
        with house.service.store.write() as tx:
            tx.players.save_settings(match_player(house, userid), {"mail": "text", "remind": "off"})
    house.game("cross -size=4 --clock=3d alice bob", ["D4", "C3"])
    return house


def match_player(house: House, userid: str) -> int:
    with house.service.store.read() as tx:
        player = tx.players.find(userid)
    assert player is not None
    return player.id


def match_of(house: House, board: int = 101) -> Match:
    with house.service.store.read() as tx:
        match = tx.matches.load(board)
    assert match is not None
    return match


def clock_of(house: House, board: int = 101) -> Clock:
    clock = match_of(house, board).clock
    assert clock is not None
    return clock


def ending(house: House, board: int = 101) -> tuple[Ending, int | None] | None:
    result = match_of(house, board).result
    return None if result is None else (result.ending, result.winner)


def deadline(house: House, board: int = 101) -> datetime | None:
    match = match_of(house, board)
    return match.clock.deadline(match.calendars) if match.clock else None


def told(mails: list[Got]) -> list[str]:
    """The player whom each mail went to, and its first line."""
    return [f"{got.address.partition('@')[0]}: {got.body.partition(chr(10))[0]}" for got in mails]


def command(house: House, player: str, words: str) -> list[Got]:
    """words: with {} for the userid and the password."""
    return house.send(player, words.format(f"{player} {password(player)}"))


def test_a_clock_counts_until_the_mail_came_in_not_until_it_was_handled(club: House) -> None:
    sent = club.now + day
    club.now = sent
    mail = club.mail("alice", f"cross move 101 alice {password('alice')} E4")
    club.service.accept([mail])
    club.now += 5 * day
    assert club.service.agenda.run() == 0, "a mail that came in time is handled first"
    club.service.handle()
    assert match_of(club).record[-1].played_at == sent
    assert match_of(club).record[-1].time_left == 2 * DAY
    assert clock_of(club).since == club.now, "only now does bob hear of the move"


def test_time_is_called_once_however_long_the_server_slept(club: House) -> None:
    assert told(club.sleep(4 * day)) == [
        "alice: Cross Board 101: Your time is up.",
        "bob: Cross Board 101: alice's time is up.",
    ]
    assert club.sleep(hour) == []
    assert ending(club) is None


def test_a_claim_that_nobody_makes_is_made_by_the_server_once(club: House) -> None:
    club.wait(3 * day)
    club.wait(6 * day)
    assert ending(club) is None
    assert len(club.sleep(60 * day)) == 2
    assert ending(club) == (Ending.FORFEIT, 2)
    assert club.sleep(60 * day) == []


def test_who_claims_before_the_server_called_the_time_wins_as_well(club: House) -> None:
    club.now += 3 * day
    command(club, "bob", "cross claim 101 {}")
    assert ending(club) == (Ending.FORFEIT, 2)


def test_a_late_move_that_came_before_the_time_was_called_counts(club: House) -> None:
    club.now += 3 * day + hour
    command(club, "alice", "cross move 101 {} E4")
    assert clock_of(club).overrun_at is None
    assert clock_of(club).seat == 2


def test_a_draw_on_time(club: House) -> None:
    club.wait(3 * day)
    command(club, "bob", "cross claim 101 {} draw")
    assert ending(club) == (Ending.FORFEIT, None)


def test_giving_up_gives_no_time(club: House) -> None:
    (asked,) = club.answer("alice", "give up", 101)
    assert "Really resign?" in asked.body
    (refused,) = club.answer("alice", "give soon", 101)
    assert '"soon" is not a length of time' in refused.body


def test_no_show_is_void_and_unrated(club: House) -> None:
    board = club.game("cross -size=4 --clock=2d alice bob")
    mails = club.wait(2 * day)
    assert ending(club, board) == (Ending.VOID, None)
    assert not [got for got in mails if "rating" in got.body]


def test_the_second_player_who_does_not_show_up_voids_the_game_too(club: House) -> None:
    board = club.game("cross -size=4 --clock=2d alice bob", ["D4"])
    club.wait(2 * day)
    assert ending(club, board) == (Ending.VOID, None)


def test_a_swap_leaves_the_clock_with_the_person(club: House) -> None:
    board = club.game("cross -size=4 --clock=10d+0 alice bob", ["D4"])
    club.wait(4 * day)
    club.answer("bob", "swap", board)
    left = clock_of(club, board).left
    assert left[0] > 9 * DAY
    assert left[1] < 6 * DAY


def test_who_moves_late_in_a_bank_has_nothing_left_for_their_next_move(club: House) -> None:
    board = club.game("cross -size=4 --clock=2d+0 alice bob", ["D4", "C3"])
    club.wait(3 * day)
    assert clock_of(club, board).overrun_at is not None
    club.answer("alice", "E4", board)
    assert clock_of(club, board).overrun_at is None
    club.answer("bob", "B1", board)
    assert told(club.wait(minute))[:1] == [f"alice: Cross Board {board}: Your time is up."]


def test_a_night_chosen_now_does_not_undo_the_hours_of_today(club: House) -> None:
    used = club.now + 10 * hour
    club.wait(10 * hour)
    command(club, "alice", "set {} sleep 22:00-08:00")
    assert clock_of(club).left[0] <= 3 * DAY - 10 * HOUR
    assert clock_of(club).since >= used
    assert clock_of(club).deadline_at == deadline(club)
    assert deadline(club) is not None
    assert (deadline(club) or used) > used + 3 * day


def test_nights_are_not_moved_along_with_the_sun(club: House) -> None:
    for shift in range(4):
        assert f"{shift + 1:02}:00-09:00" in command(club, "alice", f"set {{}} sleep {shift + 1:02}:00-09:00")[0].body
    assert "4 times within 14 days" in command(club, "alice", "set {} sleep 05:00-09:00")[0].body
    assert "sleep is now off" in command(club, "alice", "set {} sleep off")[0].body
    club.wait(14 * day)
    assert "sleep is now 05:00" in command(club, "alice", "set {} sleep 05:00-09:00")[0].body


def test_a_strict_game_knows_no_nights(club: House) -> None:
    command(club, "alice", "set {} sleep 22:00-08:00")
    strict = club.game("cross -size=4 --clock=3d,strict alice bob")
    mild = club.game("cross -size=4 --clock=3d alice bob")
    assert deadline(club, strict) == match_of(club, strict).started_at + 3 * day
    assert (deadline(club, mild) or club.now) > match_of(club, mild).started_at + 4 * day


def test_a_vacation_moves_the_deadlines_of_all_boards_and_back(club: House) -> None:
    other = club.game("cross -size=4 --clock=5d alice bob")
    before = [deadline(club, board) for board in (101, other)]
    command(club, "alice", "vacation {} 10d")
    after = [deadline(club, board) for board in (101, other)]
    assert [late - early for late, early in zip(after, before, strict=True) if late and early] == [10 * day, 10 * day]
    assert [clock_of(club, board).deadline_at for board in (101, other)] == after
    assert all(late and clock_of(club, board).due_at == late for board, late in zip((101, other), after, strict=True))
    club.wait(4 * day)
    command(club, "alice", "vacation {} end")
    gained = [
        late - early
        for late, early in zip((deadline(club), deadline(club, other)), before, strict=True)
        if late and early
    ]
    assert gained == [4 * day + minute, 4 * day + minute]


@pytest.mark.parametrize("said", ["is over", "is over, I'm back!", "Cancelled.", "over"])
def test_a_vacation_is_over_in_words(said: str, club: House) -> None:
    command(club, "alice", "vacation {} 10d")
    (got,) = club.answer("alice", f"vacation {said}", 101, vouched=True)
    assert "Your vacation is over" in got.body


def test_one_mail_may_hold_a_move_and_a_vacation(club: House) -> None:
    login = f"alice {password('alice')}"
    club.send("alice", "multiple", f"cross show 101\nvacation {login} 3d\ncross move 101 {login} E4")
    assert match_of(club).record[-1].notation == "E4"
    with club.service.store.read() as tx:
        assert len(tx.absences.of(match_player(club, "alice"), StopKind.VACATION, club.now)) == 1


def test_no_time_runs_while_mail_comes_back(club: House) -> None:
    before = deadline(club)
    got = club.mailboxes[address_of("alice")]
    for mail in got[:3]:
        bounce(club, mail)
    assert "mail to alice comes back" in club.send("bob", "cross show 101")[0].body.casefold()
    club.wait(10 * day)
    assert clock_of(club).overrun_at is None
    command(club, "alice", "vacation {}")
    after = deadline(club)
    assert before is not None
    assert after is not None
    assert 10 * day <= after - before <= 10 * day + 10 * minute


def test_mail_that_comes_back_again_and_again_gives_no_more_time_than_once(club: House) -> None:
    for _ in range(3):
        for _ in range(3):
            command(club, "alice", "vacation {}")
        for mail in club.mailboxes[address_of("alice")][-3:]:
            bounce(club, mail)
        club.wait(20 * day)
    assert ending(club) == (Ending.FORFEIT, 2)


def bounce(house: House, got: Got) -> None:
    key = got["Message-ID"].strip("<>").partition("@")[0]
    path = house.service.tools.composer.return_path(key)
    text = (
        "From: MAILER-DAEMON@mx.example.net\r\n"
        f"To: {path}\r\nSubject: Undelivered Mail\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="=b"\r\n\r\n'
        "--=b\r\n\r\nSorry.\r\n--=b\r\nContent-Type: message/delivery-status\r\n\r\n"
        f"Reporting-MTA: dns; mx.example.net\r\n\r\nFinal-Recipient: rfc822; {got.address}\r\n"
        f"Action: failed\r\nStatus: 5.1.1\r\n\r\n--=b--\r\n"
    )
    house.deliver(Arriving("", (path,), text.encode()))


def test_an_outage_while_the_server_was_down_costs_nobody_time(club: House) -> None:
    club.service.beat()
    began, before = club.now, deadline(club)
    club.now += 9 * day
    club.service.beat()
    mails = club.collect()
    assert [got.address for got in mails] == [OPERATOR]
    assert "clocks of all players stood still" in " ".join(mails[0].body.split())
    assert club.sleep(minute) == [], "nobody is reminded, and no time is called"
    assert before is not None
    assert deadline(club) == before + 9 * day
    with club.service.store.read() as tx:
        (outage,) = tx.absences.of(None, StopKind.OUTAGE, began)
    assert (outage.stop.starts_at, outage.stop.ends_at) == (began, began + 9 * day)


@pytest.mark.parametrize("extended", [lambda of: of.extend(101, HOUR), lambda of: of.extend_all(HOUR)])
def test_time_given_while_the_server_is_down_comes_on_top(club: House, extended: Callable[[Arbiter], object]) -> None:
    club.service.beat()
    before = deadline(club)
    assert before is not None
    club.now += 9 * day
    extended(Arbiter(club.service))
    club.now += day
    club.service.beat()
    assert deadline(club) == before + 10 * day + hour


@pytest.mark.parametrize("ahead", [400 * day, -day, -400 * day])
def test_a_mail_taken_in_by_a_wrong_clock_costs_nobody_time(club: House, ahead: timedelta) -> None:
    """As `pbm receive` may, a process of its own."""
    login = f"cross move 101 alice {password('alice')} D3"
    mail = Arriving(address_of("alice"), (ROBOT.address,), f"Subject: {login}\r\n\r\n".encode())
    club.now += ahead
    club.service.accept([mail])
    club.now -= ahead
    club.service.handle()
    assert match_of(club).record[-1].played_at <= club.now
    assert deadline(club) == club.now + 3 * day


def test_an_operators_move_by_a_clock_that_is_behind_costs_nobody_time(club: House) -> None:
    club.now -= 10 * day
    Arbiter(club.service).move(101, "alice", "D3")
    club.now += 10 * day
    assert deadline(club) == club.now + 3 * day


def test_a_short_pause_of_the_server_is_no_outage(club: House) -> None:
    club.service.beat()
    club.now += SILENCE
    club.service.beat()
    with club.service.store.read() as tx:
        assert tx.absences.of(None, StopKind.OUTAGE, club.now - day) == []


def fail_all(house: House) -> None:
    with house.service.store.write() as tx:
        for queued in tx.outbox.latest(Delivery.QUEUED, 1000):
            tx.outbox.postpone(queued.id, house.now + hour, "connection refused")


def test_no_clock_runs_while_nothing_is_delivered(club: House) -> None:
    with club.service.store.write() as tx:
        tx.outbox.sent([queued.id for queued in tx.outbox.latest(Delivery.QUEUED, 1000)], club.now)
        tx.absences.note("delivered", club.now)
    club.answer("alice", "E4")
    fail_all(club)
    written = club.now
    club.now += PATIENCE + minute
    club.service.beat()
    assert deadline(club) is None
    assert "does not go out" in club.send("alice", "cross show 101")[0].body
    for _ in range(5 * 24 * 60):
        club.now += minute
        if club.now.minute == 0:
            club.service.beat()
            club.service.agenda.run()
    assert clock_of(club).overrun_at is None
    with club.service.store.write() as tx:
        tx.absences.note("delivered", club.now)
    club.service.beat()
    assert deadline(club) == club.now + 3 * day - (written - clock_of(club).since)
    assert told(club.wait(3 * day))[-2:] == [
        "alice: Cross Board 101: bob's time is up.",
        "bob: Cross Board 101: Your time is up.",
    ]


def test_an_outage_in_which_nothing_went_out_and_the_server_was_down_is_told_once(club: House) -> None:
    with club.service.store.write() as tx:
        tx.outbox.sent([queued.id for queued in tx.outbox.latest(Delivery.QUEUED, 1000)], club.now)
        tx.absences.note("delivered", club.now)
    club.answer("alice", "E4")
    fail_all(club)
    written = club.now
    club.now += 10 * minute
    club.service.beat()
    club.now += hour
    club.service.beat()
    assert club.collect() == [], "what would be told could not go out, and it is not over"
    club.now += minute
    with club.service.store.write() as tx:
        tx.absences.note("delivered", club.now)
    club.service.beat()
    (mail,) = club.collect()
    assert mail.address == OPERATOR
    assert f"From {written:%Y-%m-%d %H:%M} until {club.now:%Y-%m-%d %H:%M} UTC" in " ".join(mail.body.split())


def test_while_nothing_is_delivered_one_mail_a_minute_is_tried_and_then_all(club: House) -> None:
    club.answer("alice", "E4")
    club.now += PATIENCE + minute
    fail_all(club)
    club.service.beat()

    def due() -> int:
        with club.service.store.read() as tx:
            return sum(queued.due_at <= club.now for queued in tx.outbox.latest(Delivery.QUEUED, 1000))

    assert due() == 0
    club.service.beat()
    assert due() == 1, "though none would be for an hour"
    club.answer("bob", "D5")
    club.now += minute
    with club.service.store.write() as tx:
        tx.outbox.sent([queued.id for queued in tx.outbox.latest(Delivery.QUEUED, 1)], club.now)
        tx.absences.note("delivered", club.now)
    club.service.beat()
    with club.service.store.read() as tx:
        assert due() == len(tx.outbox.latest(Delivery.QUEUED, 1000)) > 1
    with club.service.store.write() as tx:
        ids = [queued.id for queued in tx.outbox.claim(club.now, club.now + minute, 1000)]
    assert ids == sorted(ids), "older mails of a board go first"


def test_one_address_that_fails_stops_nobody(club: House) -> None:
    with club.service.store.write() as tx:
        for queued in tx.outbox.latest(Delivery.QUEUED, 1000):
            if queued.mail.address == address_of("alice"):
                tx.outbox.postpone(queued.id, club.now + hour, "mailbox full")
    club.now += day
    club.service.beat()
    assert deadline(club) is not None


def test_a_rematch_and_a_seek_have_the_clock_that_was_agreed(club: House) -> None:
    club.wait(3 * day)
    command(club, "bob", "cross claim 101 {}")
    (got, *_) = club.answer("bob", "rematch", 101, vouched=True)
    assert got.board is not None
    assert str(match_of(club, got.board).control) == "3d"
    command(club, "alice", "cross seek {} --clock=5d+1d --unrated")
    assert "--clock=5d+1d" in club.send("bob", "cross seek")[0].body
    (got, *_) = command(club, "bob", "take 1 {}")
    assert "5 days for the whole game, 1 day more with each move" in " ".join(got.body.split())


def test_the_default_is_the_operators(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(default_clock="none")))
    house.players("alice", "bob")
    board = house.game("cross -size=4 alice bob", ["D4"])
    assert match_of(house, board).clock is None
    assert house.wait(1000 * day) == []


def test_an_undo_begins_the_move_anew(club: House) -> None:
    club.wait(2 * day)
    club.answer("alice", "E4")
    club.wait(2 * day)
    club.answer("alice", "undo")
    club.answer("bob", "accept")
    clock = clock_of(club)
    assert (clock.seat, clock.left[0]) == (1, 3 * DAY)
    assert clock.since == club.now


def test_every_mail_of_a_board_tells_the_deadline_in_the_zone_of_its_reader(club: House) -> None:
    command(club, "bob", "set {} timezone Asia/Kolkata")
    mails = {got.address: got.body for got in club.answer("alice", "E4")}
    utc = re.search(r"bob +3d\s+until (.*) UTC", mails[address_of("alice")])
    ist = re.search(r"bob +3d\s+until (.*) IST", mails[address_of("bob")])
    assert utc
    assert ist
    at = [datetime.strptime(f"2026 {found[1]}", "%Y %a %d %b %H:%M").replace(tzinfo=UTC) for found in (utc, ist)]
    assert at[1] - at[0] == timedelta(hours=5, minutes=30)


def test_the_last_instant_is_in_time(club: House) -> None:
    until = deadline(club)
    assert until is not None
    club.now = until - minute
    command(club, "alice", "cross move 101 {} E4")
    assert match_of(club).record[-1].time_left == 0
    assert clock_of(club).seat == 2


def test_a_move_that_is_held_back_costs_its_player_only_the_time_until_they_sent_it(club: House) -> None:
    command(club, "alice", "set {} hold 10m")
    began = clock_of(club).since
    club.answer("alice", "E4", 101)
    sent = club.now
    club.wait(10 * minute)
    left = match_of(club).record[-1].time_left
    assert left is not None
    assert began + timedelta(microseconds=3 * DAY - left) == sent
    assert clock_of(club).since == sent + 10 * minute
    assert clock_of(club).left == (3 * DAY, 3 * DAY)
