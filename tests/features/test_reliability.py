"""How reliable players are: sums that follow from the records, and what players are told about them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from math import exp, pi, sqrt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbm.domain.match import Match
from pbm.domain.ratings import SCALE, Pace, pace_of
from pbm.server.rows import mark_bot
from tests.conversation import House, password

PEOPLE = ("alice", "bob", "carol")


@pytest.fixture
def people(house: House) -> House:
    for userid in PEOPLE:
        house.player(userid)
    return house


def from_scratch(house: House, userid: str) -> Pace:
    """The sums worked out from all records, one after another."""
    total, matches = Pace(), list[Match]()
    with house.service.store.read() as tx:
        matches = [match for board in tx.matches.boards() if (match := tx.matches.load(board)) is not None]
    for match in matches:
        for seat in (1, 2):
            if match.player(seat).userid == userid:
                total += pace_of(match, seat)
    return total


def mark(house: House, userid: str, *, bot: bool) -> None:
    with house.service.store.write() as tx:
        mark_bot(tx, userid, bot=bot)


def kept(house: House, userid: str) -> Pace:
    with house.service.store.read() as tx:
        player = tx.players.find(userid)
        assert player is not None
        return sum(tx.paces.of_player(player.id).values(), Pace())


ENDS = ("resign", "draw", "left open", "given up")
GAMES = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.sampled_from(PEOPLE), st.sampled_from(ENDS), st.integers(0, 50)), max_size=6
)


@given(games=GAMES)
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_what_is_kept_follows_from_the_records(
    games: list[tuple[str, str, str, int]], new_house: Callable[..., House]
) -> None:
    house = new_house()
    for userid in PEOPLE:
        house.player(userid)
    for first, second, end, hours in games:
        board = house.game(f"cross -size=3 {first} {second}")
        if end != "given up":
            house.answer(first, "C3", board)
            house.now += timedelta(hours=hours)
            house.answer(second, "B2", board)
        if end == "draw" and first != second:
            house.answer(first, "propose", board)
            house.answer(second, "accept", board)
        elif end != "left open":
            house.answer(first, "resign!", board)
    for userid in PEOPLE:
        assert kept(house, userid) == from_scratch(house, userid)


def test_a_move_takes_as_long_as_the_opponent_waits(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3"])
    people.now += timedelta(hours=5) - timedelta(minutes=1)
    people.answer("bob", "B2", board)
    people.answer("alice", "resign!", board)
    assert kept(people, "bob") == Pace(1, 0, 1, timedelta(hours=5))
    assert kept(people, "bob").shown == "5 h"
    assert kept(people, "alice").shown == "1 min"


def test_who_leaves_has_lost_by_forfeit(people: House) -> None:
    people.game("cross -size=3 alice bob", ["C3", "B2"])
    people.send("bob", "delete bob bobpass")
    assert (kept(people, "alice").timeouts, kept(people, "alice").finished) == (0, 1)


@pytest.mark.parametrize(
    ("minutes", "shown"), [(0.5, "under 1 min"), (1, "1 min"), (59, "59 min"), (60, "1 h"), (4320, "3.0 days")]
)
def test_a_time_is_told_in_its_largest_unit(minutes: float, shown: str) -> None:
    assert Pace(1, 0, 1, timedelta(minutes=minutes)).shown == shown


# Bots


def test_a_bot_is_not_rated_and_stands_in_no_list(people: House) -> None:
    mark(people, "bob", bot=True)
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    assert "unrated" in people.mailboxes["alice@example.net"][0].body
    (got, *_) = people.answer("alice", "resign!", board)
    assert "The game was not rated." in got.body
    assert "Nobody has a rating" in people.send("carol", "cross standings")[0].body
    assert "bob, a bot" in people.send("carol", "about bob")[0].body
    assert kept(people, "bob").finished == 1


def test_a_game_with_who_has_become_a_bot_meanwhile_is_not_rated(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    mark(people, "bob", bot=True)
    assert "The game was not rated: a bot played in it." in people.answer("alice", "resign!", board)[0].body
    mark(people, "bob", bot=False)
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    assert "rating" in people.answer("alice", "resign!", board)[0].body


# What is told


def numbers(body: str) -> dict[str, list[float]]:
    """The numbers in a mail's table, by the words that open a row."""
    found = {}
    for line in body.partition("again:\n\n")[2].partition("\n\n")[0].splitlines():
        if name := line[:17].strip():
            found[name] = [
                float(value) for value in line[17:].split()[:2] if value.lstrip("+-").replace(".", "").isdigit()
            ]
    return found


def test_a_change_can_be_worked_out_again_from_the_mail(people: House) -> None:
    """By the formulas in the mail, without any of our code."""
    for loser, winner in (("alice", "bob"), ("bob", "carol"), ("alice", "carol")):
        board = people.game(f"cross -size=3 {loser} {winner}", ["C3", "B2"])
        people.send(loser, f"cross resign {board} {loser} {password(loser)}")
    (got,) = people.send("carol", "why carol carolpass")
    table, c = numbers(got.body), SCALE
    (own, his), (deviation, his_deviation) = table["rating before"], table["deviation before"]
    g = 1 / sqrt(1 + 3 * (his_deviation / c) ** 2 / pi**2)
    expected = 1 / (1 + exp(-g * (own - his) / c))
    assert table["weight g"][:1] == [pytest.approx(g, abs=1e-6)]
    assert table["expected score E"][:1] == [pytest.approx(expected, abs=1e-6)]
    after = 1 / sqrt(1 / ((deviation / c) ** 2 + table["volatility after"][0] ** 2) + g**2 * expected * (1 - expected))
    assert table["deviation after D"][:1] == [pytest.approx(after * c, abs=1e-3)]
    change = table["deviation after D"][0] ** 2 * g * (table["score s"][0] - expected) / c
    assert table["change"][:1] == [pytest.approx(change, abs=1e-3)]
    assert own + change > 1700
    assert table["at most"] == table["rating after"][:1] == [1700]
    (got,) = people.send("bob", f"why bob {password('bob')} 101")
    table = numbers(got.body)
    assert "at most" not in table
    assert table["rating after"][:1] == [pytest.approx(1500 + table["change"][0], abs=1e-3)]


def test_the_plot_comes_in_html_and_says_the_same_in_words(people: House) -> None:
    board = people.game("cross -size=3 alice bob", ["C3", "B2"])
    people.answer("alice", "resign!", board)
    people.player("dave", "both")
    (got,) = people.send("dave", "cross standings")
    assert got.forms == ["text/plain", "text/html", "image/png"]
    html = got.part("text/html")
    (picture,) = [part for part in got.parsed.walk() if part.get_content_type() == "image/png"]
    assert f'src="cid:{picture["Content-ID"].strip("<>")}"' in html
    alt = " ".join(html.partition('alt="')[2].partition('"')[0].split())
    assert "bob 1662, surely between 1082 and 2243, provisional" in alt
    assert "alice 1338" in alt
    data = picture.get_payload(decode=True)
    assert isinstance(data, bytes)
    assert data.startswith(b"\x89PNG")
    (text,) = people.send("alice", "cross standings")
    assert text.forms == ["text/plain"]
    assert text.part("text/plain").replace("\n", "") == got.part("text/plain").replace("\n", "")
