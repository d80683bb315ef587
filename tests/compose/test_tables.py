"""Tables of players with names of usual length: none is wider than a phone's line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta

import pytest

from pbm.compose.html import NARROW
from tests.conversation import Got, House, address_of, password
from tests.features.test_tournament import NAMES, make, play

LONG = tuple(f"{name}-{name}-{name}"[:10] for name in NAMES[:6])


def rows(mails: Iterable[Got]) -> list[str]:
    """The lines of all tables in mails that are not about a board."""
    told = [got.body for got in mails if got["Subject"].startswith("pbm: ")]
    blocks = [block.split("\n") for body in told for block in body.split("\n\n") if re.search(r"\S {2,}\S", block)]
    return [line for block in blocks for line in block]


def assert_narrow(mails: Iterable[Got], *headings: str) -> None:
    lines = rows(mails)
    assert [line for line in lines if len(line) > NARROW] == []
    for heading in headings:
        assert heading.split() in map(str.split, lines)


@pytest.mark.parametrize(("ends", "ties"), [("resign!", ""), ("draw", "Ties")])
def test_what_ratings_tell(ends: str, ties: str, house: House) -> None:
    one, two = LONG[:2]
    house.player(one)
    house.player(two)
    board = house.game(f"cross -size=3 {one} {two}", ["C3", "B2"])
    house.answer(one, ends, board)
    house.answer(two, "draw", board)
    assert_narrow(house.answer(one, "why", board), f"you {two}")
    assert_narrow(
        house.send("somebody@example.com", "cross standings"),
        f"Rank Rating Won Lost {ties} Active/Max Name",
        "Rating +/- Timeouts Time/move Name",
    )
    assert_narrow(house.send(one, f"about {two}"), "Game Rating +/- Won Lost Ties", "Game Active Timeouts Time/move")


def test_what_waits(house: House) -> None:
    one, two = LONG[:2]
    house.player(one)
    house.player(two)
    house.game(f"hex {one} {two}")
    moved = house.game(f"cross -size=3 {one} {two}", ["C3"])
    house.send(two, f"set digest 08:00 {two} {password(two)}")
    assert_narrow(house.send(two, f"calendar {two} {password(two)}"), f"{moved} cross Thu 22 Jan 12:03 UTC you")
    (digest,) = (got for got in house.wait(timedelta(days=1)) if got.address == address_of(two))
    assert f"  101  hex  {one}  Thu 1 Jan 12:01" in digest.body.splitlines()


def test_games_of_players_with_long_names_are_told_below_each_other(house: House) -> None:
    one, two = "Wolfeschlegelsteinhausen", "Bartholomew-Featherstone"
    house.player(one, "both")
    house.player(two)
    house.game(f"cross -size=3 {one} {two}", ["C3"])
    (got,) = house.send(one, f"games {one}")
    assert f"  101  cross, {one} - {two}, 1 ply:\n       {two} to move until 22 Jan\n" in got.body
    assert "<pre" not in got.part("text/html"), "it flows"


def test_a_clock_fits_the_narrowest_phone(house: House) -> None:
    one, two = LONG[:2]
    house.player(one)
    house.player(two)
    house.game(f"cross -size=3 {one} {two}")
    (got,) = house.answer(two, "show", 101)
    lines = got.body.splitlines()
    at = lines.index(f"Clock  {one}  21d")
    assert lines[at + 1 : at + 3] == ["        until Thu 22 Jan 12:01 UTC", f"       {two}  21d"]


def test_a_long_name_makes_only_its_own_rows_long(house: House) -> None:
    mails = make(house, "swiss -players=4..16 -rounds=3", ("Wolfeschlegelsteinhausen", *LONG[:3]))
    mails += play(house, lambda one, _: one in LONG[:1])
    mails += house.send(LONG[0], "tournament standings cup") + house.send(LONG[0], "tournament pairings cup")
    mails += house.send(LONG[0], "cross standings")
    long = [line for line in rows(mails) if len(line) > NARROW]
    assert long
    assert all("Wolfeschlegelsteinhausen" in line for line in long)


def test_the_tables_about_a_player_have_letters_of_one_size(house: House) -> None:
    house.player("alice", "both")
    house.player("bob")
    house.game("cross -size=3 alice bob", ["C3", "B2"])
    house.answer("alice", "resign!", 101)
    (got,) = house.send("alice", "about bob")
    assert len(re.findall("<pre", got.part("text/html"))) == 2
    assert len({*re.findall("font-size:[0-9]+px;line-height:1.2", got.part("text/html"))}) == 1


def test_before_the_first_ply_no_list_of_moves_is_shown(house: House) -> None:
    house.player("alice")
    house.player("bob")
    board = house.game("cross -size=3 alice bob")
    assert "alice (O)  " not in house.answer("bob", "show", board)[-1].body
    moved = house.answer("alice", "C3", board)[-1].body
    assert "    alice (O)        bob (X)\n  1 C3" in moved


def test_which_tournaments_there_are(house: House) -> None:
    make(house, "round-robin", LONG)
    assert_narrow(house.send(LONG[0], "tournaments"), "Name Kind Game Players Now")


@pytest.mark.parametrize(
    ("words", "decided", "pairings"),
    [
        ("swiss -players=4..16 -rounds=4", "Buchholz S-B Direct", "Board Result Moves first - second"),
        ("round-robin", "Direct S-B", "Board Result Moves first - second"),
        ("league", "Direct S-B", "Div. Board Result Moves first - second"),
    ],
)
def test_what_tournaments_tell(words: str, decided: str, pairings: str, house: House) -> None:
    mails = make(house, words, LONG)
    for number in range(4):
        mails += play(house, lambda one, two: (LONG.index(one) + LONG.index(two)) % 3 > 0)
        if number == 1:
            mails += house.send(LONG[5], f"tournament leave cup {LONG[5]} {password(LONG[5])}")
        mails += [got for what in ("standings", "pairings") for got in house.send(LONG[0], f"tournament {what} cup")]
    assert_narrow(mails, "Rank Points Won Drawn Lost Name", f"Rank {decided} Name", pairings)
