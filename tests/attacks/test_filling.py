"""Nobody fills the disk: what did nothing is cut, and strangers come again before there is no room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from pbm.core.limits import minute
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.configuration import HouseRules, Limits
from pbm.domain.mail import Arrival
from pbm.mailin import Robot
from pbm.server import Arriving, Service, Settings
from pbm.store import DatabaseTrouble, Store
from tests.conversation import ROBOT, House

NewHouse = Callable[..., House]
OPERATOR = "root@example.org"
LINES = "What a stranger writes, again and again.\r\n" * 25_000
"""1 MB."""
CUT_TO = 8192
TAKEN = 20
"""Mails of 1 MB after which 20 MB are used up."""


def body(house: House) -> bytes:
    return house.inbox_row.raw.partition(b"\r\n\r\n")[2]


def test_a_large_mail_of_a_stranger_is_cut_whether_it_is_answered_or_not(table: House) -> None:
    for number in range(6):
        table.send("eve@mallory.example", "help", LINES)
        row = table.inbox_row
        assert number or row.state is Arrival.HANDLED
        assert row.raw.startswith(b"From: eve@mallory.example\r\n")
        assert CUT_TO - 100 < len(body(table)) <= CUT_TO
        assert LINES.encode().startswith(body(table))


def test_what_has_no_lines_is_cut_as_well(table: House) -> None:
    table.send("eve@mallory.example", "help", "x" * 900_000)
    assert len(body(table)) == CUT_TO


def test_what_waits_for_the_operator_is_cut_as_well_unless_the_fault_is_ours(new_house: NewHouse) -> None:
    """Anybody can write to postmaster, or a header block without end, and 500 of such mails wait."""
    house = new_house(Settings(ROBOT, house=HouseRules(parked_mails=2)))
    house.send("eve@mallory.example", "A letter", LINES, to="postmaster@example.org")
    assert house.inbox_row.state is Arrival.PARKED
    assert 60_000 < len(body(house)) <= 65_536
    for state, most in ((Arrival.PARKED, 110_000), (Arrival.IGNORED, 50_000)):
        house.send("eve@mallory.example", "x" * 900_000)
        row = house.inbox_row
        assert row.state is state
        assert len(row.raw) < most


def test_no_move_is_kept_whole(table: House) -> None:
    """Whoever plays, or has a forwarded board mail, could else fill the disk with what is attached."""
    for text in ("C4", "D5", "Z9", "show"):
        table.answer("bob", f"{text}\r\n{LINES}", 101, mail=1)
        assert len(body(table)) <= CUT_TO, text


def test_a_second_delivery_of_a_large_mail_is_cut(table: House) -> None:
    table.answer("alice", "C3\r\n" + LINES, 101)
    assert table.last is not None
    table.deliver(table.last)
    assert table.inbox_row.reason.startswith("ignore: the same")
    assert len(body(table)) <= CUT_TO


def test_a_mail_without_a_mark_of_its_own_is_cut_and_still_handled_anew(table: House) -> None:
    """What the operator brings back is read from what was kept."""
    table.send("alice", "help", LINES, Auto_Submitted="auto-generated")
    row = table.inbox_row
    assert row.state is Arrival.IGNORED
    assert len(row.raw) < 10_000
    with table.service.store.write() as tx:
        tx.inbox.handle_again(row.id)
    assert table.service.handle() == 1
    assert table.inbox_row.state is Arrival.IGNORED


def refused(house: House, mail: Arriving) -> str:
    (reply,) = house.service.accept([mail])
    return reply[:9]


def of_stranger(house: House, network: int = 1, body: str = "") -> Arriving:
    """A mail that our mail server took from a machine in the network with this number."""
    where = f"from far.example (unknown [185.12.{network}.9]) by mx.example.org; Thu, 1 Jan 2026 12:00:00 +0000"
    return house.mail("eve@mallory.example", "list", body, Received=where)


def test_a_network_may_send_so_many_octets_a_day_and_others_are_not_concerned(table: House) -> None:
    large = of_stranger(table, body=LINES)
    replies = [refused(table, large) for _ in range(25)]
    assert replies == [*[""] * TAKEN, *["452 4.7.1"] * (25 - TAKEN)]
    assert refused(table, of_stranger(table, network=2, body=LINES)) == ""
    for claimed in ("alice@example.net", "bob@example.net"):
        assert refused(table, replace(large, mail_from=claimed)) == "452 4.7.1", "anybody can write that"
    vouched = b"Authentication-Results: mx.example.org; dkim=pass header.d=example.net\r\n"
    alice = large.raw.replace(b"From: eve@mallory.example", b"From: alice@example.net")
    for raw in (vouched + large.raw, vouched.replace(b"=pass", b"=fail") + alice):
        assert refused(table, replace(large, raw=raw)) == "452 4.7.1"
    assert refused(table, replace(large, raw=vouched + alice)) == "", "it is a player's"
    assert refused(table, table.answering("bob", LINES, 101)) == ""
    (reply,) = table.service.accept([large])
    limit, _, until = reply.partition(" Try again after ")
    assert limit == (
        "452 4.7.1 Too much for now: megabytes of emails from one writer or network are limited to 20 a day."
    )
    assert until in [f"{minute(table.now + timedelta(hours=12, minutes=late))}." for late in range(30)]
    table.now += timedelta(days=1)
    while table.service.handle():
        pass
    assert refused(table, large) == ""


def test_nobody_sends_more_than_that_not_even_in_answer_to_a_board(table: House) -> None:
    large = table.answering("alice", LINES, 101)
    replies = [refused(table, large) for _ in range(25)]
    assert replies.count("452 4.7.1") == 25 - TAKEN
    assert refused(table, table.answering("bob", LINES, 101)) == "", "the other seat has its own"


def test_whoever_has_a_forwarded_board_puts_off_no_move_of_its_player(table: House) -> None:
    """Not even where they write from the same network. What is for everybody together is used up as well."""
    table.answer("bob", "C4", 101)
    seat, latest = (table.mailboxes["alice@example.net"][at]["Reply-To"] for at in (0, -1))
    unplaced = replace(of_stranger(table, body=LINES), raw=LINES.encode())
    while refused(table, unplaced) == "":
        pass

    def of(writer: str, number: int, text: str, size: int = 0, token: str = seat) -> Arriving:
        where = f"from far.example (unknown [185.12.{number}.9]) by mx.example.org; Thu, 1 Jan 2026 12:00:00 +0000"
        return table.mail(writer, "Re: your move", text + LINES[:size], to=token, Received=where)

    large = of("eve@mallory.example", 1, "hi\r\n", len(LINES))
    while refused(table, large) == "":
        pass
    assert refused(table, large) == "452 4.7.1"
    small = [refused(table, of("eve@mallory.example", 1, "hi\r\n", 60_000)) for _ in range(30)]
    assert small.count("") <= 1, "they answer an earlier position, of which less than 64 kB are not counted at once"
    assert refused(table, of("alice", 1, "C3", token=latest)) == ""
    assert refused(table, of("alice", 2, "C3", token=latest)) == ""
    assert refused(table, of("alice", 2, "C3\r\n", len(LINES))) == "", "of another network there is as much as ever"


def test_nor_does_whoever_has_the_latest_one_in_the_same_network(table: House) -> None:
    """What is for this position, too, is used up by small mails, in nobody's name that counts for anything."""
    table.answer("bob", "C4", 101)
    latest = table.mailboxes["alice@example.net"][-1]["Reply-To"]
    where = "from far.example (unknown [185.12.1.9]) by mx.example.org; Thu, 1 Jan 2026 12:00:00 +0000"
    move, text = table.mail("alice", "Re: your move", "C3", to=latest, Received=where), "hi\r\n" + LINES[:60_000]
    forged = replace(table.mail("alice", "Re: your move", text, to=latest, Received=where), mail_from="eve@x.example")
    assert any(refused(table, forged) == "452 4.7.1" for _ in range(800))
    assert refused(table, move) == ""
    while refused(table, replace(forged, mail_from="alice@example.net")) == "":
        pass
    vouched = b"Authentication-Results: mx.example.org; dkim=pass header.d=example.net\r\n"
    assert refused(table, replace(move, raw=vouched + move.raw)) == "", "only a verdict tells them apart now"


def test_small_answers_to_a_board_come_to_an_end_as_well(new_house: NewHouse) -> None:
    house = new_house(Settings(ROBOT, Limits(scale=0.02)))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob")
    small = house.answering("alice", "hi\r\n" + LINES[:60_000], 101)
    replies = [refused(house, small) for _ in range(100)]
    taken = replies.count("")
    assert replies == [*[""] * taken, *["452 4.7.1"] * (100 - taken)]
    assert 1.2 * 2**20 < taken * len(small.raw) < 1.5 * 2**20, "a fiftieth of 20 MB thrice, and what was begun"
    assert refused(house, house.answering("bob", "D4", 101)) == "", "the other seat has its own"


def test_several_processes_count_octets_together(table: House) -> None:
    large = of_stranger(table, body=LINES)
    others = [Service(Store(table.url), Settings(ROBOT), clock=lambda: table.now) for _ in range(2)]
    replies = [reply for _ in range(10) for each in (table.service, *others) for reply in each.accept([large])]
    assert replies.count("") == TAKEN
    for each in others:
        each.close()


def test_a_client_that_has_sent_too_much_is_told_before_it_sends_more(table: House) -> None:
    large = of_stranger(table, body=LINES)
    direct = replace(large, raw=large.raw.replace(b"Received:", b"X-Received:"), peer="185.12.1.9")
    announced = replace(direct, raw=b"")
    house = House(table.url, Settings(Robot("pbm", "example.org")), lambda: table.service.store)
    assert house.service.forecast(announced) == ""
    while house.service.accept([direct]) == [""]:
        pass
    assert house.service.forecast(announced).startswith("452 4.7.1 Too much for now")
    assert house.service.forecast(replace(announced, peer="185.12.2.9")) == ""


@pytest.mark.parametrize(
    ("share", "replies"),
    [
        (0.5, ["", "", ""]),
        (1.5, ["452 4.3.1", "", ""]),
        (3, ["452 4.3.1", "452 4.3.1", ""]),
        (9, ["452 4.3.1", "452 4.3.1", "452 4.3.1"]),
    ],
)
def test_the_less_room_there_is_the_fewer_come_in(new_house: NewHouse, share: float, replies: list[str]) -> None:
    """share: the room that should stay free, as a share of the room that is."""
    house = new_house(Settings(ROBOT, operator=OPERATOR))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob")
    free = house.service.store.free_octets()
    if free is None:
        pytest.skip("the database is in memory")
    house.service.renew(Limits(), HouseRules(least_free_megabytes=int(share * free) >> 20), OPERATOR)
    mails = [house.mail("eve@mallory.example", "list"), house.mail("alice", "help"), house.answering("bob", "D4", 101)]
    assert [refused(house, mail) for mail in mails] == replies
    told = [got for got in house.collect() if got.address == OPERATOR]
    assert len(told) == (share > 1)
    for got in told:
        assert got["Subject"] == "pbm: emails are put off"
        assert "house.least_free_megabytes" in got.body
    assert sum(iter(house.service.handle, 0)) == replies.count(""), "what came in is handled"


def test_while_mails_wait_strangers_come_again_then_others_and_moves_never(new_house: NewHouse) -> None:
    house = new_house(Settings(ROBOT, operator=OPERATOR))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob")

    def replies() -> list[str]:
        mails = (
            house.mail("eve@mallory.example", "list"),
            house.mail("alice", "help"),
            house.answering("bob", "D4", 101),
        )
        return [refused(house, mail) for mail in mails]

    assert replies() == ["", "", ""], "nothing waits yet"
    house.now += timedelta(seconds=60)
    assert replies() == ["", "", ""]
    assert not house.collect()
    house.now += timedelta(seconds=1)
    assert replies() == ["452 4.4.5", "", ""]
    house.now += timedelta(minutes=5)
    assert replies() == ["452 4.4.5", "452 4.4.5", ""]
    house.now += timedelta(days=3)
    assert replies() == ["452 4.4.5", "452 4.4.5", ""]
    told = house.collect()
    assert [(got.address, got["Subject"]) for got in told] == [(OPERATOR, "pbm: emails are put off")] * 2
    assert "has waited to be handled for a minute." in told[0].body
    while house.service.handle():
        pass
    house.now += timedelta(seconds=2)
    assert replies() == ["", "", ""], "all is done, so all may come again"


def test_a_flood_by_one_sender_is_put_off_for_itself(table: House) -> None:
    """Of each sender one mail is handled at a time, so thousands by one would keep the oldest waiting for minutes."""
    table.now += timedelta(minutes=1)
    flood = [table.mail("eve@mallory.example", "list") for _ in range(600)]
    replies = table.service.accept(flood[:400]) + table.service.accept(flood[400:])
    assert [reply[:9] for reply in replies] == [*[""] * 500, *["452 4.4.5"] * 100]
    assert refused(table, table.mail("joe@elsewhere.example", "list")) == ""
    chat = [table.answering("alice", "chat", 101)] * 1600
    assert [reply[:9] for reply in table.service.accept(chat)] == [*[""] * 1500, *["452 4.4.5"] * 100]
    assert refused(table, replace(flood[0], mail_from=None, recipients=(), source="1:1")) == "", "it was fetched"
    table.now += timedelta(seconds=2)
    assert refused(table, flood[0]) == "452 4.4.5"


def test_what_waits_because_the_operator_wants_it_keeps_nobody_out(new_house: NewHouse) -> None:
    house = new_house(Settings(ROBOT, operator=OPERATOR))
    with house.service.store.write() as tx:
        tx.absences.add(None, Stop(StopKind.MAINTENANCE, house.now))
    mail = house.mail("eve@mallory.example", "list")
    assert refused(house, mail) == ""
    house.now += timedelta(hours=1)
    assert refused(house, mail) == ""
    assert not house.collect()


def test_a_fetched_mail_stays_in_its_mailbox_while_there_is_no_room(table: House) -> None:
    service = table.service
    if service.store.free_octets() is None:
        pytest.skip("the database is in memory")
    service.renew(Limits(), HouseRules(least_free_megabytes=10**9), "")
    fetched = replace(table.mail("eve@mallory.example", "list"), mail_from=None, recipients=(), source="1:1")
    with pytest.raises(DatabaseTrouble, match=r"4\.3\.1"):
        service.accept([fetched])
    service.renew(Limits(), HouseRules(), "")
    assert refused(table, fetched) == ""
