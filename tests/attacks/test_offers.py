"""Games that strangers propose for others: none starts until those it names agree, and none of their text is shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbm.domain.configuration import Limits
from pbm.server import Settings
from tests.conversation import ROBOT, Got, House, address_of, password

TEXT = "Buy cheap pills at shop.example!"
PATIENT = Limits(unproven_answers_per_hour=1000, stranger_replies_per_day=1000)


@pytest.fixture
def people(new_house: Callable[..., House]) -> House:
    house = new_house(Settings(ROBOT, PATIENT))
    house.players("alice", "bob", "carol")
    return house


def boards(house: House) -> int:
    with house.service.store.read() as tx:
        return len(tx.matches.summaries(limit=1000))


def started(mails: list[Got]) -> bool:
    return any("A new game" in got.body for got in mails)


def test_strangers_start_no_game_and_their_text_reaches_nobody(people: House) -> None:
    for number in range(50):
        people.send(f"m{number}@evil{number}.example", "cross challenge -size=4 alice bob", TEXT)
    assert boards(people) == 0
    for userid in ("alice", "bob"):
        box = people.mailboxes[address_of(userid)]
        assert len(box) == 5
        assert not [got for got in box if TEXT in got.body]


def test_somebody_in_a_players_name_starts_nothing(people: House) -> None:
    told = people.send("bob", "cross challenge bob alice", TEXT, Authentication_Results="mx.evil.example; dkim=pass")
    assert [got.address for got in told] == [address_of("bob")]
    assert boards(people) == 0
    assert started(people.answer("bob", "yes"))


def test_a_game_between_others_starts_once_both_agree(people: House) -> None:
    told = people.send("carol", "cross challenge -size=4 alice bob", "Play!")
    assert {got.address for got in told} == {address_of(userid) for userid in ("alice", "bob", "carol")}
    assert not started(people.answer("alice", "yes"))
    mails = people.answer("bob", "Yes, with pleasure!")
    assert started(mails)
    assert all("Play!" in got.body for got in mails)
    assert boards(people) == 1


def test_one_who_declines_ends_it_for_both(people: House) -> None:
    people.send("x@example.com", "cross challenge -size=4 alice bob")
    people.answer("alice", "No! Who are you?")
    assert not started(people.answer("bob", "yes"))
    assert boards(people) == 0


def test_an_offer_agreed_to_twice_is_one_game(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    people.answer("alice", "yes")
    people.answer("alice", "yes", mail=1)
    people.answer("bob", "yes", mail=1)
    people.answer("bob", "yes", mail=1)
    assert boards(people) == 1


def test_one_line_refuses_all(people: House) -> None:
    people.send("carol", "cross challenge alice bob")
    people.answer("alice", "never", mail=1)
    (got,) = people.send("bob", "cross challenge me alice")
    assert "alice takes no challenges" in got.body


def test_the_challenged_choose_whose_games_start_at_once(people: House) -> None:
    people.send("alice", f"set alice {password('alice')} challenges known")
    assert not started(people.send("bob", "cross challenge -size=3 me alice"))
    assert started(people.answer("alice", "yes"))
    assert not started(people.send("bob", "cross challenge -size=3 me alice")), "neither has moved yet"
    people.answer("bob", "C3", 101)
    people.answer("alice", "B2", 101)
    assert started(people.send("bob", "cross challenge -size=3 me alice"))
    people.send("alice", f"set alice {password('alice')} challenges ask")
    assert not started(people.send("bob", "cross challenge -size=3 me alice"))
    assert started(people.send("alice", "cross challenge -size=3 me bob"))


def test_a_password_proves_a_challenger(people: House) -> None:
    assert started(people.send("other@example.com", "cross challenge me bob alice alicepass -size=3"))
    assert not started(people.send("other@example.com", "cross challenge me bob alice wrongword -size=3"))


@pytest.mark.parametrize("words", ["robot robot", "robot3 robot", "robot2 robot2", "robot1 robot2"])
@pytest.mark.parametrize("sender", ["eve@elsewhere.example", "alice"])
def test_nobody_makes_robots_think_for_nobody(sender: str, words: str, people: House) -> None:
    people.send(sender, f"cross challenge {words}")
    assert boards(people) == 0
