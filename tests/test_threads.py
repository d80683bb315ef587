"""Each board is one conversation, whatever players answer, in whatever order their program gets the mails."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from pbm.domain.configuration import Limits
from pbm.server import Settings
from tests.conversation import ROBOT, Got, House, address_of
from tests.threads import check, threads

LINES = (
    "all show me next", "cross show 101", "cross show 102", "show 101\nshow 102", "101 D4\n102 D4\n103 D4", "C3", "B2",
    "cross seek", "games", "D5\nHello!", "chat\nWhat a game", "set digest 08:00", "set digest off", "next", "resign",
    "cross challenge bob alice -size=3", "102 chat\nAnd you?", "what?", "undo", "accept", "set subject classic",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_mails_of_two_boards_are_never_one_conversation(seed: int, new_house: Callable[..., House]) -> None:
    house, chance = new_house(Settings(ROBOT, Limits(answers_per_hour=1000))), random.Random(seed)
    house.players("alice", "bob")
    for _ in range(3):
        house.game("cross -size=4 alice bob")
    for _ in range(25):
        player, text = chance.choice(("alice", "bob")), chance.choice(LINES)
        if chance.random() < 0.25:
            house.send(player, text.partition("\n")[0], text.partition("\n")[2])
        else:
            house.answer(player, text, mail=chance.randint(1, len(house.mailboxes[address_of(player)])))
    for mails in house.folders.values():
        check(threads(mails))


def test_an_answer_about_all_boards_is_part_of_none(table: House) -> None:
    table.game("cross -size=4 alice bob", ["C3"])
    (first,) = table.answer("bob", "cross show 102", 101)
    both = table.answer("bob", "all show me next", 101)
    fresh = table.send(
        "bob", "all show me next", Authentication_Results="mx.example.org; dkim=pass header.d=example.net"
    )
    assert [got.board for got in both] == [got.board for got in fresh] == [101, 102]
    for got in (first, *both, *fresh):
        assert got["References"] == f"<board-{got.board}@example.org>"
        assert "In-Reply-To" not in got.parsed


def test_a_mail_that_asks_for_one_board_is_told_as_answered(table: House) -> None:
    (got,) = table.send("bob", "cross show 101")
    assert (got["In-Reply-To"], got["References"]) == (f"<mail-{_last(got)}@example.net>", "<board-101@example.org>")


def _last(got: Got) -> str:
    return str(got["In-Reply-To"]).removeprefix("<mail-").partition("@")[0]
