"""What players get as time passes: once, on time, and nothing that has become pointless."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import lxml.html
import pytest
from icalendar import Calendar

from games import GAMES
from pbm.domain.mail import Arrival
from pbm.domain.match import State
from tests.conversation import Got, House, address_of, record

DAY = timedelta(days=1)
VOUCHED = "mx.example.org; dkim=pass header.d=example.net"


@pytest.fixture
def digested(house: House) -> House:
    return house.lived(set_digest)


def set_digest(house: House) -> None:
    """alice is to move on the boards 101 and 102, bob on 103; alice has a digest at 8 o'clock UTC."""
    house.players("alice", "bob")
    house.game("cross -size=4 -clock=10d alice bob", ["D4", "C4"])
    house.game("cross -size=4 -clock=9d bob alice", ["D4"])
    house.game("loops -size=4 alice bob", ["B2"])
    house.send("alice", "set alice alicepass digest 08:00")


def subjects(mails: list[Got], userid: str) -> list[str]:
    return [got["Subject"] for got in mails if got.address == address_of(userid)]


def digest(house: House) -> Got:
    """alice's next digest."""
    (got,) = [got for got in house.wait(DAY) if "waiting for you" in got["Subject"]]
    assert got.address == address_of("alice")
    return got


# Digests


def test_on_vacation_a_digest_comes_only_for_something_new(digested: House) -> None:
    digest(digested)
    digested.send("alice", "vacation alice alicepass now 5d")
    assert subjects(digested.wait(3 * DAY), "alice") == []
    digested.answer("bob", "C3", 103)
    assert "Loops Board 103: bob played C3" in digest(digested).body
    assert subjects(digested.wait(DAY), "alice") == []
    digest(digested)


def test_the_most_urgent_board_comes_first(digested: House) -> None:
    body = digest(digested).body
    assert [int(each) for each in re.findall(r"Board (\d+):", body)] == [102, 101]
    assert re.search(r"^Where others are to move, and since when:\n\n +103  loops +bob +\w", body, re.MULTILINE)


def test_a_digest_comes_each_day_and_not_at_all_when_nothing_waits(digested: House) -> None:
    days = [subjects(digested.wait(DAY), "alice") for _ in range(3)]
    assert [len(each) for each in days] == [1, 1, 1]
    assert len({each[0] for each in days}) == 3, "each names its day"
    digested.answer("alice", "102 C4\n101 E4")
    assert subjects(digested.wait(DAY), "alice") == []


def test_a_digest_comes_although_reminders_are_off(digested: House) -> None:
    digested.send("alice", "set alice alicepass remind off")
    assert "101" in digest(digested).body


def test_a_question_waits_also_where_the_one_who_asks_is_to_move(digested: House) -> None:
    shown, _, others = digest(digested).body.partition("Where others are to move, and since when:")
    assert "103" not in shown
    assert "103  loops  bob " in others
    digested.answer("bob", "propose", 103)
    body = digest(digested).body
    assert "  103 accept" in body
    assert "Where others are to move" not in body


def test_a_move_waits_for_the_digest(digested: House) -> None:
    assert subjects(digested.answer("bob", "C3", 103), "alice") == []
    assert "bob played C3" in digest(digested).body


@pytest.mark.parametrize("text", ["C3\nWell?", "resign!", "propose", "undo"])
def test_words_and_offers_and_ends_come_at_once(text: str, digested: House) -> None:
    digested.answer("bob", "C3", 103)
    digested.answer("alice", "103 B4")
    board = 101 if text == "undo" else 103
    got = subjects(digested.answer("bob", text.replace("C3", "A4"), board), "alice")
    assert len(got) == 1


def test_a_new_game_comes_at_once_and_so_does_a_move_that_leaves_little_time(digested: House) -> None:
    mails = digested.send("bob", "cross challenge -clock=12h alice bob")
    assert len(subjects(mails, "alice")) == 1
    assert len(subjects(digested.answer("alice", "C3", 104), "alice")) == 1, "it answers her mail"
    assert len(subjects(digested.answer("bob", "D3", 104), "alice")) == 1, "she would be late"


def test_followers_hear_of_every_move(digested: House) -> None:
    digested.player("carol")
    digested.send("carol", "set carol carolpass digest 08:00")
    digested.send("carol", "cross subscribe 101 carol carolpass")
    assert len(subjects(digested.answer("alice", "E4", 101), "carol")) == 1


def test_who_has_a_digest_gets_no_reminders(digested: House) -> None:
    mails = [subject for _ in range(8) for subject in subjects(digested.wait(DAY), "alice")]
    assert len(mails) == 8
    assert all("waiting for you" in subject for subject in mails)


def test_after_an_outage_there_is_one_digest_or_none(digested: House) -> None:
    digested.wait(timedelta(hours=20))
    digested.sleep(3 * DAY)  # it is eight o'clock and some minutes again
    late = subjects(digested.collect(), "alice")
    assert late == []
    assert len(subjects(digested.sleep(DAY), "alice")) == 1
    mails = subjects(digested.sleep(timedelta(hours=23)), "alice")
    assert mails == [], "half a day late: the next comes soon"
    assert len(subjects(digested.wait(DAY), "alice")) == 1


def test_the_hour_moves_with_the_time_zone(digested: House) -> None:
    digested.send("alice", "set alice alicepass timezone Asia/Tokyo")
    assert digest(digested)["Date"].endswith("23:00:00 +0000")


def test_a_digest_that_is_called_off_does_not_come(digested: House) -> None:
    digested.send("alice", "set alice alicepass digest off")
    assert subjects(digested.wait(DAY), "alice") == []
    assert len(subjects(digested.answer("bob", "C3", 103), "alice")) == 1


def test_nobody_who_has_left_gets_one(digested: House) -> None:
    digested.send("alice", "delete alice alicepass")
    assert subjects(digested.wait(2 * DAY), "alice") == []


def test_an_answer_plays_on_each_board_and_tells_each_opponent_what_was_meant_for_them(digested: House) -> None:
    digested.player("carol")
    digested.game("cross -size=4 alice carol")
    digest(digested)
    mails = digested.answer("alice", "102 C4\nHello bob!\n104 D4\nHello carol!\n101 E4")
    assert record(digested, 101)[-1] == "E4"
    told = {(got.address, got.board): got.body for got in mails if "writes:" in got.body}
    assert sorted(told) == [(address_of("bob"), 102), (address_of("carol"), 104)]
    assert "Hello bob!" in told[address_of("bob"), 102]
    assert "Hello carol!" not in told[address_of("bob"), 102]


def test_answers_between_the_quoted_boards_are_found(digested: House) -> None:
    got = digest(digested)
    quoted = [f"> {line}".rstrip() for line in got.body.splitlines()]
    place = quoted.index("> Cross Board 101: bob played C4 on Thu 1 Jan 12:03.")
    body = "\n".join([*quoted[:place], "102 C4", "", *quoted[place:], "", "101 E4", ""])
    digested.send("alice", f"Re: {got['Subject']}", body, to=got["Reply-To"])
    assert (record(digested, 102)[-1], record(digested, 101)[-1]) == ("C4", "E4")


@pytest.mark.parametrize("mark", ["", "  ", "-- "])
def test_a_quote_without_marks_plays_nothing(mark: str, digested: House) -> None:
    got = digest(digested)
    digested.send("alice", f"Re: {got['Subject']}", f"102 C4\n\n{mark}{got.body}", to=got["Reply-To"])
    assert record(digested, 102)[-1] == "C4"
    assert record(digested, 101) == ["D4", "C4"]
    digested.send("alice", f"Re: {got['Subject']}", got.body, to=got["Reply-To"])
    assert record(digested, 101) == ["D4", "C4"]


@pytest.mark.parametrize("text", ["1 move", "101", "E4", "101 E4 and C3", "yes"])
def test_what_is_no_move_plays_nothing(text: str, digested: House) -> None:
    digest(digested)
    before = digested.dump()
    digested.answer("alice", text)
    assert digested.inbox_row.state is Arrival.HANDLED
    assert {name: rows for name, rows in digested.dump().items() if name != "agenda"} == {
        name: rows for name, rows in before.items() if name != "agenda"
    }


def test_words_for_a_board_are_passed_on_and_a_resignation_is_asked_about(digested: House) -> None:
    digest(digested)
    mails = digested.answer("alice", "101 things to do")
    assert [got.address for got in mails] == [address_of("alice"), address_of("bob")]
    (got,) = digested.answer("alice", "101 resign now")
    assert "Really resign?" in got.body
    assert record(digested, 101) == ["D4", "C4"]


def test_an_old_digest_plays_on_no_board_that_has_gone_on(digested: House) -> None:
    old = len(digested.mailboxes[address_of("alice")]) + 1
    digest(digested)
    digested.answer("alice", "E4", 101)
    digested.answer("bob", "C3", 101)
    (got,) = digested.answer("alice", "101 D3", mail=old)
    assert "has changed since" in got.body
    assert record(digested, 101) == ["D4", "C4", "E4", "C3"]
    digested.answer("alice", "102 C4", mail=old)
    assert record(digested, 102) == ["D4", "C4"]


def test_a_changed_password_ends_the_right_to_answer_a_digest(digested: House) -> None:
    digest(digested)
    digested.send("alice", "change password alice alicepass Sesame1")
    digested.answer("mallory@example.com", "102 C4", of="alice", mail=-1)
    assert record(digested, 102) == ["D4"]


def test_each_board_in_html_has_links_that_play(digested: House) -> None:
    digested.send("alice", "set alice alicepass mail both")
    got = digest(digested)
    page = lxml.html.fromstring(got.part("text/html"))
    links = {
        (*_opened(url), link.text) for link in page.iter("a") if (url := link.get("href", "")).startswith("mailto:")
    }
    addresses = {address for address, *_ in links}
    assert len(addresses) == 2, "one for each board"
    assert "101 C4" not in {shown for *_, shown in links}, "the board above has that link"
    assert page.xpath("count(//hr)") == 2
    assert len(got.part("text/html")) < 102_000
    address, subject, body = next(link[:3] for link in links if link[2] == "C4")
    digested.send("alice", subject, body, to=address)
    assert record(digested, 102)[-1] == "C4"


def _opened(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    words = parse_qs(parts.query)
    return unquote(parts.path), words["subject"][0], words["body"][0]


def test_the_links_of_many_boards_share_the_room_there_is(house: House) -> None:
    house.player("alice", "html")
    house.player("bob")
    for _ in range(14):
        house.game("cross alice bob")
    house.send("alice", "set alice alicepass picture off")
    house.send("alice", "set alice alicepass digest 08:00")
    got = digest(house)
    assert len(got.part("text/html")) < 102_000
    assert re.search(r"^ *114 [A-L]\d", got.body, re.MULTILINE), "all can be played on, though not all are drawn"


# Reminders


def timed(house: House, clock: str = "10d", boards: int = 1) -> None:
    """bob is to move on some boards; reminders come 3 days and 1 day before time is up."""
    house.players("alice", "bob")
    for _ in range(boards):
        house.game(f"cross -size=4 -clock={clock} alice bob", ["D4", "C4", "E4"])


def reminders(mails: list[Got]) -> Iterator[Any]:
    yield from (got for got in mails if ": a reminder" in got.body or "waiting for you" in got["Subject"])


def test_rungs_come_in_time_and_to_the_player_to_move_only(house: House) -> None:
    timed(house)
    found = [(got.address, got["Date"][:16]) for got in reminders(house.wait(9.9 * DAY))]
    assert found == [(address_of("bob"), "Thu, 08 Jan 2026"), (address_of("bob"), "Sat, 10 Jan 2026")]


def test_a_reminder_is_answered_like_any_mail_of_the_board(house: House) -> None:
    timed(house)
    (got,) = reminders(house.wait(8 * DAY))
    assert "Your time is over in 3 days." in got.body
    assert "until Sun 11 Jan" in got.body
    house.answer("bob", "D3", 101)
    assert record(house, 101)[-1] == "D3"


def test_boards_that_fall_due_together_are_one_mail(house: House) -> None:
    timed(house, boards=3)
    (got,) = reminders(house.wait(8 * DAY))
    assert re.findall(r"Board (\d+):", got.body) == ["101", "102", "103"]
    house.answer("bob", "103 D3\n101 C3")
    (later,) = reminders(house.wait(2 * DAY))
    assert "Board 102: a reminder" in " ".join(later.body.split())


def test_after_an_outage_only_the_latest_rung_counts(house: House) -> None:
    timed(house, boards=2)
    (got,) = reminders(house.sleep(9.5 * DAY))
    assert len(re.findall(r"Board \d+:", got.body)) == 2
    assert list(reminders(house.sleep(timedelta(hours=1)))) == []


def test_after_a_longer_outage_nobody_is_reminded_of_what_is_over(house: House) -> None:
    timed(house)
    assert list(reminders(house.sleep(30 * DAY))) == []


def test_who_has_moved_in_the_meantime_is_not_reminded(house: House) -> None:
    timed(house)
    house.now += 8 * DAY
    house.service.accept([house.mail("bob", "cross move 101 bob bobpass D3")])
    house.service.handle()
    house.service.agenda.run()
    assert list(reminders(house.collect())) == []


def test_a_ladder_holds_from_the_moment_it_is_chosen(house: House) -> None:
    timed(house)
    house.send("bob", "remind bob bobpass 5d")
    assert len(list(reminders(house.wait(6 * DAY)))) == 1
    house.send("bob", "remind bob bobpass off")
    assert list(reminders(house.wait(3.5 * DAY))) == []


def test_a_board_may_have_a_reminder_of_its_own(house: House) -> None:
    house.players("alice", "bob")
    house.game("cross -size=4 -clock=none,nag=2d alice bob", ["D4"])
    found = [got.body for got in reminders(house.wait(30 * DAY))]
    assert len(found) == 3
    assert "after the last move" in found[0]


def test_who_is_on_vacation_is_not_reminded(house: House) -> None:
    house.players("alice", "bob")
    house.game("cross -size=4 -clock=30d,nag=2d alice bob", ["D4", "C4", "E4"])
    house.send("bob", "vacation bob bobpass now 5d")
    assert [got["Date"][:16] for got in reminders(house.wait(7 * DAY))] == ["Wed, 07 Jan 2026"]


def test_a_question_nobody_has_answered_is_listed_with_a_reminder(house: House) -> None:
    timed(house, boards=2)
    house.answer("bob", "D3", 102)
    house.answer("alice", "propose", 102)
    asked, got = (got for got in reminders(house.wait(8 * DAY)) if got.address == address_of("bob"))
    assert "Board 101" not in asked.body
    assert "alice offers a draw" in " ".join(got.body.split())
    assert "102 accept" in got.body


def test_who_is_asked_is_reminded_once_though_they_are_not_to_move(house: House) -> None:
    timed(house)
    house.answer("bob", "propose", 101)
    (got,) = reminders(house.wait(3 * DAY))
    assert got.address == address_of("alice")
    assert "a reminder that you have been asked something" in got.body
    assert "bob offers a draw" in got.body
    assert [got.address for got in reminders(house.wait(5 * DAY))] == [address_of("bob")]


@pytest.mark.parametrize(
    ("player", "text"),
    [("alice", "reject"), ("bob", "D3"), ("alice", "remind off"), ("alice", "set digest 08:00")],
)
def test_nobody_is_reminded_of_a_question_that_is_settled(player: str, text: str, house: House) -> None:
    timed(house)
    house.answer("bob", "propose", 101)
    house.answer(player, text, 101, vouched=True)
    assert [got for got in reminders(house.wait(2.5 * DAY)) if "a reminder" in got.body] == []


def test_nobody_is_reminded_of_a_board_on_which_their_move_waits(house: House) -> None:
    timed(house)
    house.answer("bob", "set hold 24h", 101, vouched=True)
    house.wait(7.6 * DAY)
    house.answer("bob", "D3", 101)
    assert [got.address for got in reminders(house.wait(DAY))] == []
    assert record(house, 101)[-1] == "D3"


def test_digits_of_other_scripts_are_no_hour(house: House) -> None:
    timed(house)
    (got,) = house.send("bob", "set bob bobpass digest 08:3\u0660")
    assert "digest is off, or a time of day" in " ".join(got.body.split())


# Calendars


def events(got: Got) -> dict[str, Any]:
    attached = next(part for part in got.parsed.walk() if part.get_content_type() == "application/ics")
    content = attached.get_payload(decode=True)
    assert isinstance(content, bytes)
    assert got.part("text/calendar").replace("\n", "\r\n") == content.decode()
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))
    assert b"\n" not in content.replace(b"\r\n", b"")
    calendar = Calendar.from_ical(content)
    assert calendar["METHOD"] == "PUBLISH"
    return {str(event["UID"]): event for event in calendar.walk("VEVENT")}


def test_a_calendar_file_has_the_ends_of_time_and_moves_its_events_later(house: House) -> None:
    timed(house, boards=2)
    first = events(house.send("bob", "calendar bob bobpass")[0])
    assert set(first) == {"board-101-bob@example.org", "board-102-bob@example.org"}
    event = first["board-101-bob@example.org"]
    assert event["DTEND"].dt == event["DTSTAMP"].dt.replace(minute=4) + 10 * DAY
    assert "your time is over" in event["SUMMARY"]
    house.answer("bob", "D3", 101)
    later = events(house.send("bob", "calendar bob bobpass")[0])["board-101-bob@example.org"]
    assert later["SEQUENCE"] > event["SEQUENCE"]
    assert later["DTEND"].dt > event["DTEND"].dt
    assert "alice's time is over" in later["SUMMARY"]


def test_a_calendar_may_be_of_one_board(house: House) -> None:
    timed(house, boards=2)
    (got,) = house.answer("bob", "calendar", 102)
    assert list(events(got)) == ["board-102-bob@example.org"]


def test_a_calendar_has_the_day_on_which_a_tournament_decides_a_board(house: House) -> None:
    house.players("alice", "bob")
    house.send(
        "alice", "tournament create cup round-robin cross alice alicepass -size=3 -days-per-round=9 --clock=none"
    )
    for userid in ("alice", "bob"):
        house.send(userid, f"tournament join cup {userid} {userid}pass")
    house.send("alice", "tournament start cup alice alicepass")
    house.wait(timedelta(minutes=1))
    (event,) = events(house.send("bob", "calendar bob bobpass")[0]).values()
    assert event["SUMMARY"] == "Cross Board 101: the tournament decides it"
    assert event["DTEND"].dt.date().isoformat() == "2026-01-10"


def test_a_long_name_is_folded(house: House) -> None:
    house.players("abcdefghijklmnopqrst", "bob")
    house.game("loops abcdefghijklmnopqrst bob", ["B2"])
    (event,) = events(house.send("bob", "ics bob bobpass")[0]).values()
    assert "Intersections of Rectangular Loops Board 101" in event["SUMMARY"]


def test_nobody_gets_the_calendar_of_a_board_they_do_not_play_on(house: House) -> None:
    timed(house)
    house.player("carol")
    (got,) = house.send("carol", "calendar 101 carol carolpass")
    assert got.refuses
    (got,) = house.send("carol", "calendar carol carolpass")
    assert "No time runs" in got.body


# The way back without plus addresses


def stripped(house: House, player: str, text: str, got: Got, *, vouched: bool = True) -> list[Got]:
    """An answer by way of a relay that has lost the part after the plus, as some mail servers deliver it."""
    proof = {"Authentication_Results": VOUCHED} if vouched else {}
    mail = house.mail(player, f"Re: {got['Subject']}", text, In_Reply_To=got["Message-ID"], **proof)
    return house.deliver(replace(mail, mail_from="bounces@relay.example"))


def test_the_mail_answered_tells_the_board_and_proves_nothing(house: House) -> None:
    timed(house)
    got = house.mailboxes[address_of("bob")][-1]
    (asked,) = stripped(house, "bob", "D3", got, vouched=False)
    assert asked["Subject"] == "pbm: was that you?"
    assert record(house, 101)[-1] == "E4"
    stripped(house, "mallory@example.com", "D3", got, vouched=False)
    assert record(house, 101)[-1] == "E4"
    stripped(house, "bob", "D3", got)
    assert record(house, 101)[-1] == "D3"


def test_an_old_mail_answered_late_plays_nothing_without_its_token_either(house: House) -> None:
    timed(house)
    old = house.mailboxes[address_of("bob")][-1]
    house.answer("bob", "D3", 101)
    house.answer("alice", "C3", 101)
    (got,) = stripped(house, "bob", "B3", old)
    assert "answers an earlier state of the board" in got.body
    assert record(house, 101)[-1] == "C3"


def test_a_digest_is_answered_without_its_token(digested: House) -> None:
    got = digest(digested)
    stripped(digested, "alice", "102 C4", got)
    assert record(digested, 102)[-1] == "C4"


def test_lines_of_an_unproved_sender_are_held_with_what_stands_below_each(house: House) -> None:
    timed(house, boards=2)
    (asked,) = house.send("bob", "", "101 D3\nHello!\n102 C3\nAnd here.")
    assert asked["Subject"] == "pbm: was that you?"
    mails = house.answer("bob", "yes")
    assert (record(house, 101)[-1], record(house, 102)[-1]) == ("D3", "C3")
    told = {got.board: got.body for got in mails if got.address == address_of("alice")}
    assert "Hello!" in told[101]
    assert "And here." not in told[101]
    assert "And here." in told[102]


def test_held_lines_do_not_play_on_a_board_that_has_gone_on(house: House) -> None:
    timed(house)
    old = house.mailboxes[address_of("bob")][-1]
    (asked,) = stripped(house, "bob", "D3", old, vouched=False)
    held = len(house.mailboxes[address_of("bob")])
    assert asked["Subject"] == "pbm: was that you?"
    house.send("bob", "cross move 101 bob bobpass B3")
    house.send("alice", "cross move 101 alice alicepass C3")
    (got,) = house.answer("bob", "yes", mail=held)
    assert "has changed since" in got.body
    assert record(house, 101)[-2:] == ["B3", "C3"]


def test_of_players_who_share_an_address_the_one_whose_mail_is_answered_is_meant(house: House) -> None:
    timed(house)
    with house.service.store.write() as tx:
        sister = tx.players.add("sister", "", house.now)
        tx.players.add_address(sister.id, address_of("bob"), house.now, confirmed=True)
    stripped(house, "bob", "D3", house.mailboxes[address_of("bob")][-1])
    assert record(house, 101)[-1] == "D3"


def test_who_answers_the_mail_of_another_is_not_that_other(house: House) -> None:
    timed(house)
    got = house.mailboxes[address_of("bob")][-1]
    (refused,) = stripped(house, "alice", "D3", got)
    assert "It is not your turn" in refused.body


# Conversations that mail programs show as one


def test_a_long_game_begins_a_new_conversation_in_time(house: House) -> None:
    house.players("alice", "bob")
    house.game("cross -size=8 alice bob")
    state, chance = State.start(GAMES["cross"], ["-size=8"]), random.Random(0)
    for number in range(60):
        legal = [state.game.notate(state.position, move) for move in state.game.moves(state.position)]
        state, notation = state.play(chance.choice(legal))
        house.answer("bob" if number % 2 else "alice", notation, 101)
    assert len(record(house, 101)) == 60
    received = [got for got in house.mailboxes[address_of("alice")] if got.board == 101]
    threads: dict[str, list[Got]] = {}
    for got in received:
        threads.setdefault(got["References"].split()[0], []).append(got)
    assert list(threads) == ["<board-101@example.org>", "<board-101-2@example.org>"]
    first, second = threads.values()
    assert {got["Subject"] for got in first} == {"Cross Board 101 alice-bob"}
    assert {got["Subject"] for got in second} == {"Cross Board 101 alice-bob (2)"}
    assert len({got["Thread-Index"] for got in received}) == 2
    assert len(first) + len(first) // 2 < 90, "with her own answers"
    ids = {got["Message-ID"] for got in first}
    assert not any(ids & set(got["References"].split()) for got in second[1:]), "only the first answers an old one"
    advice = second[-1].body.partition("for instance:")[2]
    house.send("alice", f"Re: {second[-1]['Subject']}", advice.split()[0], Authentication_Results=VOUCHED)
    assert len(record(house, 101)) == 61


def test_the_subject_of_a_later_conversation_shows_the_board_alone(house: House) -> None:
    timed(house)
    subject = "Re: Cross Board 101 alice-bob (2)"
    house.send("bob", subject, "D3", Authentication_Results=VOUCHED)
    assert record(house, 101)[-1] == "D3"
