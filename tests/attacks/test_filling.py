"""Nobody fills the disk: what did nothing is cut, and strangers come again before there is no room."""

from __future__ import annotations

from collections.abc import Callable

from pbm.domain.configuration import HouseRules
from pbm.domain.mail import Arrival
from pbm.server import Settings
from tests.conversation import ROBOT, House

NewHouse = Callable[..., House]
LINES = "What a stranger writes, again and again.\r\n" * 25_000
"""1 MB."""
CUT_TO = 8192


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


def test_a_header_block_without_end_is_cut_once_enough_of_them_wait_for_the_operator(new_house: NewHouse) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(parked_mails=1)))
    for state, most in ((Arrival.PARKED, 10**6), (Arrival.IGNORED, 50_000)):
        house.send("eve@mallory.example", "x" * 900_000)
        row = house.inbox_row
        assert row.state is state
        assert len(row.raw) < most


def test_what_a_player_commands_is_kept_whole(table: House) -> None:
    table.answer("alice", "C3\r\n" + LINES, 101)
    assert len(body(table)) > len(LINES)


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
        tx.inbox.renew(row.id)
    assert table.service.handle() == 1
    assert table.inbox_row.state is Arrival.IGNORED
