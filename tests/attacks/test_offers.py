"""Games that strangers propose for others: none starts until those it names agree, and none of their text is shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from pbm.domain.configuration import Limits
from pbm.server import Settings
from pbm.server.operator import Administration
from tests.conversation import ROBOT, Got, House, address_of, password

TEXT = "Buy cheap pills at shop.example!"
PATIENT = Limits(unproven_answers_per_hour=1000, stranger_answers_per_day=1000)


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


def test_an_answer_that_is_never_clear_agrees_to_nothing(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    for words in ("What a lovely blue.", "What a lovely red.", "How do I play?", "Which clock is it?"):
        (got,) = people.answer("alice", words, mail=1)
        assert "That was no plain yes or no" in got.body
    assert people.answer("alice", "What a lovely green.") == [], "a program may be answering"
    (got,) = people.answer("bob", "yes", mail=1)
    assert "as soon as alice agrees" in got.body
    assert boards(people) == 0
    assert started(people.answer("alice", "yes", mail=2))


def test_a_question_that_runs_out_agrees_to_nothing(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    people.wait(timedelta(days=6))
    people.answer("bob", "What a lovely blue.")
    assert people.wait(timedelta(days=3)) == []
    (got,) = people.answer("bob", "yes")
    assert "alice has not agreed in time, so nothing starts" in got.body
    assert boards(people) == 0


@pytest.mark.parametrize("words", ["revoke alice alicepass", "change password alice alicepass otherpass"])
def test_a_question_that_is_void_agrees_to_nothing_and_is_asked_again(words: str, people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    people.wait(timedelta(days=2))
    got = people.send("alice", words)[0]
    assert got["Subject"] == "pbm: a game of Cross?"
    assert not started(people.answer("bob", "yes"))
    assert "All earlier emails are void" in got.body
    assert "within 5 days" in got.body
    assert not started(people.answer("alice", "yes", mail=1)), "what a thief of the earlier mail would send"
    assert started(people.answer("alice", "yes", mail=2))


def test_the_question_comes_again_after_the_operator_has_set_another_password(people: House) -> None:
    people.send("alice", "set alice alicepass challenges ask")
    people.send("bob", "cross challenge -size=4 bob alice")
    Administration(people.service).reset_password("alice")
    (got,) = people.collect()
    assert (got.address, got["Subject"]) == (address_of("alice"), "pbm: a game of Cross?")
    assert started(people.answer("alice", "yes"))


def test_what_was_declined_or_taken_back_is_not_asked_again(people: House) -> None:
    people.send("alice", "set alice alicepass challenges ask")
    for words in ("withdraw bob bobpass alice", ""):
        people.send("bob", "cross challenge -size=4 bob alice")
        people.send("bob", words) if words else people.answer("alice", "no")
    (got,) = people.send("alice", "revoke alice alicepass")
    assert got["Subject"] == "pbm: old emails are void"


def told(mails: list[Got]) -> dict[str, str]:
    """The last text to each address, in one line."""
    return {got.address: " ".join(got.body.split()) for got in mails}


def open_offers(house: House) -> int:
    with house.service.store.read() as tx:
        return len(tx.agenda.of("offer"))


def test_those_who_have_agreed_are_told_when_nobody_else_does(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    people.send("x@example.com", "hex challenge alice bob")
    people.answer("alice", "yes", mail=1)
    people.answer("alice", "yes", mail=2)
    got = people.wait(timedelta(days=8))
    assert sorted(each.address for each in got) == [address_of(userid) for userid in ("alice", "alice", "carol")]
    assert "bob has not answered whether they want the game you agreed to" in told(got)[address_of("alice")]
    assert "bob has not answered whether they want the game you asked for" in told(got)[address_of("carol")]
    assert open_offers(people) == 0


def test_two_who_have_not_answered_are_named(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    (got,) = people.wait(timedelta(days=8))
    assert "alice and bob have not answered" in " ".join(got.body.split())


@pytest.mark.parametrize("leaver", ["carol", "bob"])
def test_an_offer_ends_when_one_of_its_players_leaves(leaver: str, people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    people.answer("alice", "yes")
    people.send(leaver, f"delete {leaver} {password(leaver)}")
    got = told(people.wait(timedelta(minutes=1)))
    assert f"{leaver} has left the server, so the game you agreed to does not start." in got[address_of("alice")]
    assert len(got) == (2 if leaver == "bob" else 1), "the challenger is told, too"
    assert open_offers(people) == 0
    assert not started(people.answer("bob", "yes", mail=1))


def test_what_an_erased_player_wrote_in_an_offer_is_forgotten(people: House) -> None:
    people.send("carol", "erase me carol carolpass")
    people.wait(timedelta(days=6))
    people.send("carol", "cross challenge -size=4 alice bob", "A secret of carol's.")
    people.wait(timedelta(days=2))
    assert open_offers(people) == 0


def test_a_game_that_all_want_and_that_cannot_start_is_told_to_all(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    people.answer("alice", "yes")
    people.send("alice", "block alice alicepass bob")
    got = told(people.answer("bob", "yes", mail=1))
    assert set(got) == {address_of(userid) for userid in ("alice", "bob", "carol")}
    reason = "alice and bob do not play each other."
    assert f"bob agrees to a game of Cross. {reason}" in got[address_of("carol")]
    assert reason in got[address_of("bob")]
    assert open_offers(people) == 0


def test_one_who_has_agreed_is_told_that_the_game_is_taken_back(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    people.answer("alice", "yes")
    got = told(people.send("carol", "withdraw carol carolpass bob"))
    assert got[address_of("alice")].startswith("carol has taken back the game of Cross that you agreed to.")
    assert set(got) == {address_of("alice"), address_of("carol")}


def test_two_answers_in_one_batch_start_one_game(people: House) -> None:
    people.send("carol", "cross challenge -size=4 alice bob")
    answers = [people.answering(userid, "yes") for userid in ("alice", "bob", "alice", "bob")]
    people.service.accept([*answers, *answers])
    while people.service.handle():
        pass
    assert boards(people) == 1
    assert open_offers(people) == 0


def test_accounts_that_were_to_play_each_other_and_are_merged_do_not(people: House) -> None:
    people.send("alice", "set alice alicepass challenges ask")
    people.send("bob", "cross challenge -size=4 bob alice")
    Administration(people.service).merge("bob", "alice")
    people.wait(timedelta(minutes=1))
    assert not started(people.answer("alice", "yes", mail=2))
    assert boards(people) == open_offers(people) == 0
