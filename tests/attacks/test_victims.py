"""Mails that strangers cause for others: few to a mailbox, to a domain, from a network, whatever From says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from pbm.domain.configuration import Limits
from pbm.domain.likeness import mailbox
from pbm.server import Settings
from tests.conversation import ROBOT, Got, House, address_of

VOUCHED = f"{ROBOT.authserv_id}; dkim=pass header.d=small.example"
PATIENT = Limits(unproven_answers_per_hour=1000, stranger_answers_per_day=1000)


def sent(house: House, sender: str, subject: str, peer: str = "", **headers: str) -> list[Got]:
    """Send a mail by way of a mail server of ours that notes the peer."""
    if peer:
        headers["Received"] = f"from mail.{sender.rpartition('@')[2]} (unknown [{peer}]) by mx.example.org; Thu, 1 Jan"
    return house.send(sender, subject, **headers)


def victims(house: House) -> list[str]:
    """The mailboxes that were asked to confirm an address, one for each question."""
    boxes = (got for box in house.mailboxes.values() for got in box)
    return [mailbox(got.address) for got in boxes if got["Subject"] == "pbm: please confirm your address"]


@pytest.mark.parametrize("own", [True, False], ids=["in their names", "in others'"])
def test_tags_and_dots_make_no_more_of_a_mailbox_and_take_no_userids(
    new_house: Callable[..., House], own: bool
) -> None:
    house = new_house(Settings(ROBOT, PATIENT))
    names = [f"name{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(30)]
    for number, name in enumerate(names):
        victim = f"vic{'.' * (number % 2)}tim+{number}@gmail.com"
        other = f"m{number}@evil{number}.example"
        house.send(victim if own else other, f"signup {name} a-good-word {victim}")
    assert victims(house) == ["victim@gmail.com"] * 3
    with house.service.store.read() as tx:
        assert not [name for name in names if tx.players.is_taken(name)]


def test_a_domain_gets_only_so_many_but_those_it_vouches_for(new_house: Callable[..., House]) -> None:
    limits = PATIENT.model_copy(update={"unasked_per_domain_per_day": 5})
    house = new_house(Settings(ROBOT, limits))
    for number in range(10):
        line = f"signup nam{chr(97 + number)} a-good-word v{number}@small.example"
        house.send(f"m{number}@evil{number}.example", line)
    assert len(victims(house)) == 5
    house.send("joe@small.example", "signup joe a-good-word", Authentication_Results=VOUCHED)
    assert victims(house)[5:] == ["joe@small.example"]


@pytest.mark.parametrize("domain", ["gmail.com", "small.example"])
def test_forgers_starve_neither_players_nor_newcomers_of_a_provider(
    domain: str, new_house: Callable[..., House]
) -> None:
    """20 forged mails use up what forgers may cause there, and nothing of what others may."""
    house = new_house(Settings(ROBOT, Limits(unasked_per_domain_per_day=20, unasked_per_network_per_day=5)))
    house.players("alice", "friend")
    with house.service.store.write() as tx:
        friend = tx.players.find("friend")
        assert friend is not None
        tx.players.add_address(friend.id, f"friend@{domain}", house.now, confirmed=True)
    for number in range(20):
        sent(house, f"x{number}@{domain}", "help", peer=f"185.12.{number // 2}.1")
    forged = [got for address, box in house.mailboxes.items() if address.startswith("x") for got in box]
    assert len(forged) == 20
    resets = house.send(f"friend@{domain}", "reset password")
    assert f"friend@{domain}" in [got.address for got in resets if got["Subject"] == "pbm: choose a password"]
    words = f"cross challenge alice pal@{domain}"
    (invited, told) = house.send("alice", f"{words} alice alicepass")
    assert (invited.address, invited["Subject"]) == (f"pal@{domain}", "pbm: alice invites you to a game of Cross")
    assert "is invited" in told.body
    if domain == "gmail.com":
        (welcomed,) = house.send(f"newcomer@{domain}", "signup newcomer a-good-word")
        assert welcomed["Subject"] == "pbm: please confirm your address"


def test_a_network_causes_only_so_many(new_house: Callable[..., House]) -> None:
    limits = PATIENT.model_copy(update={"unasked_per_network_per_day": 5})
    house = new_house(Settings(ROBOT, limits))
    for number in range(10):
        line = f"signup nam{chr(97 + number)} a-good-word v@victim{number}.example"
        sent(house, f"m{number}@evil{number}.example", line, peer=f"185.12.64.{number + 1}")
    assert len(victims(house)) == 5
    sent(house, "joe@other.example", "signup joe a-good-word", peer="185.12.65.1")
    assert len(victims(house)) == 6


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("cross seek 2", "pbm: was that you?"),
        ("reset password {}", "pbm: choose a password"),
        ("erase me", "pbm: erase you?"),
    ],
)
def test_questions_to_players_that_anybody_causes_from_one_network_are_few(
    line: str, subject: str, new_house: Callable[..., House]
) -> None:
    """In the names of many players."""
    house = new_house(Settings(ROBOT, PATIENT.model_copy(update={"unasked_per_network_per_day": 3})))
    names = [f"nam{chr(97 + number)}" for number in range(6)]
    for name in names:
        house.player(name)
    for number, name in enumerate(names):
        forger = f"x{number}@evil{number}.example" if "{}" in line else name
        sent(house, forger, line.format(name), peer="185.12.64.1")
    asked = [got for name in names for got in house.mailboxes.get(address_of(name), []) if got["Subject"] == subject]
    told = [got for name in names for got in house.mailboxes.get(address_of(name), []) if got["Subject"] != subject]
    assert 0 < len(asked) <= 3
    assert not told
    assert house.inbox_row.reason.startswith("limit: ")
    house.send(
        names[5], line.format(names[5]), Authentication_Results=f"{ROBOT.authserv_id}; dkim=pass header.d=example.net"
    )
    assert house.mailboxes[address_of(names[5])]


def test_what_a_sender_wrote_tells_no_network(new_house: Callable[..., House]) -> None:
    """Only what our own servers wrote above it counts."""
    house = new_house(Settings(ROBOT, PATIENT.model_copy(update={"unasked_per_network_per_day": 2})))
    for number in range(4):
        forged = f"from a (a [185.{number}.1.1]) by mx.evil.example; Thu, 1 Jan"
        field = f"from mx.evil.example (unknown [185.12.64.1]) by mx.example.org; Thu, 1 Jan\r\nReceived: {forged}"
        house.send(f"m{number}@e.example", f"signup nam{chr(97 + number)} a-good-word v@v{number}.org", Received=field)
    assert len(victims(house)) == 2


def test_too_many_mails_that_prove_nothing_are_not_carried_out(table: House) -> None:
    answers = []
    for _ in range(21):
        answers += table.send("bob", "cross show 101")
        table.now -= timedelta(minutes=1)
    assert "this is the last answer" in " ".join(answers[-1].body.split())
    table.player("carol")
    before = table.dump()
    assert not table.send("bob", "list", Authentication_Results="mx.evil.example; none")
    assert table.dump() == before


@pytest.mark.parametrize("words", ["cross challenge -size=4 bob carol", "reset password"])
def test_whoever_uses_up_answers_in_somebodys_name_does_not_stop_what_they_are_asked(words: str, table: House) -> None:
    """Questions have buckets of their own."""
    table.player("carol")
    for _ in range(30):
        table.send("bob", "list")
        table.now -= timedelta(minutes=1)
    got = table.send("bob", words, Authentication_Results="mx.evil.example; none")
    subjects = {each["Subject"] for each in got if each.address == address_of("bob")}
    assert subjects & {"pbm: was that you?", "pbm: a game of Cross?", "pbm: choose a password"}


@pytest.mark.parametrize(
    "words",
    [
        *("No! Who are you?", "I don't know you, please stop.", "nein danke", "Stop sending me mails", "Nope."),
        *("I didn't ask for an account.", "It wasn't me", "That was somebody else."),
    ],
)
def test_an_answer_that_declines_confirms_nothing(words: str, house: House) -> None:
    house.send("mallory", "signup joe a-good-word joe@example.com")
    house.answer("joe@example.com", words)
    assert not house.answer("joe@example.com", "yes", mail=1) or house.mailboxes["joe@example.com"][-1].refuses
    with house.service.store.read() as tx:
        assert tx.players.find("joe") is None


@pytest.mark.parametrize("words", ["Who is this?", "Was soll das? Ich kenne euch nicht.", "huh", "I am out of office."])
def test_an_answer_that_is_no_yes_confirms_nothing_and_is_asked_again_once_a_day(words: str, house: House) -> None:
    house.send("mallory", "signup joe a-good-word joe@example.com")
    (asked,) = house.answer("joe@example.com", words)
    assert asked["Subject"] == "pbm: yes or no?"
    assert not house.answer("joe@example.com", words)
    with house.service.store.read() as tx:
        assert tx.players.find("joe") is None
    assert house.answer("joe@example.com", "yes")[0]["Subject"] == "pbm: welcome"


def test_a_question_answered_from_elsewhere_draws_no_more_than_other_mails(new_house: Callable[..., House]) -> None:
    """Somebody with a question of their own writes answers to it in the names of others."""
    house = new_house(Settings(ROBOT, PATIENT.model_copy(update={"unasked_per_domain_per_day": 2})))
    (asked,) = house.send("mallory@evil.example", "signup joe a-good-word")
    got = [
        got
        for number in range(4)
        for got in house.send(f"m{number}@e.example", "Re: pbm", "Who is this?", to=asked["Reply-To"])
    ]
    assert [mail["Subject"] for mail in got] == ["pbm: yes or no?"] * 2
    assert house.answer("mallory@evil.example", "What?")[0]["Subject"] == "pbm: yes or no?"


@pytest.mark.parametrize(
    "words", ["Yes, that's me! Looking forward to playing.", "Confirming.", "Hi, I hereby confirm. Joe", "Bestätigt"]
)
def test_an_answer_that_confirms_in_a_person_s_words_does(words: str, house: House) -> None:
    house.send("mallory", "signup joe a-good-word joe@example.com")
    assert house.answer("joe@example.com", words)[0]["Subject"] == "pbm: welcome"


@pytest.mark.parametrize("words", ["That wasn't me.", "I did not send that!", "It was not me", "What is this?"])
def test_commands_in_the_name_of_a_player_who_denies_them_are_not_carried_out(words: str, table: House) -> None:
    table.send("bob", "set mail text")
    before = table.dump()
    table.answer("bob", words)
    assert table.dump() == before


def test_the_first_who_confirms_has_the_userid(house: House) -> None:
    house.send("squatter", "signup alice squatpass")
    house.send("alice", "signup alice alicepass")
    assert house.answer("alice", "yes")[0]["Subject"] == "pbm: welcome"
    (got,) = house.answer("squatter", "yes")
    assert got.refuses
    with house.service.store.read() as tx:
        alice = tx.players.find("alice")
        assert alice is not None
        assert tx.players.confirmed(alice.id) == ["alice@example.net"]


@pytest.mark.parametrize(
    "userid",
    ["postmaster", "Admin", "operator", "system", "pbm", "abuse", "robot", "r0bot3", "adrnin", "alice.", "A1ice"],
)
def test_userids_that_pass_for_others_are_not_free(userid: str, house: House) -> None:
    house.player("alice")
    (got,) = house.send("mallory", f"signup {userid} a-good-word")
    assert got.refuses


def test_who_is_vouched_for_at_a_domain_of_their_own_uses_up_no_question_to_others(table: House) -> None:
    """Whoever has shown that an address is theirs is answered there, and not asked."""
    joe = "joe@elsewhere.example"

    def vouched(sender: str, words: str) -> list[Got]:
        results = f"mx.example.org; dkim=pass header.d={address_of(sender).rpartition('@')[2]}"
        return table.send(sender, words, Authentication_Results=results)

    for number in range(5):
        vouched(f"eve@mallory{number}.example", "reset password alice")
        vouched(f"eve@mallory{number}.example", f"signup eve{number}x a-good-word {joe}")
    assert len(table.mailboxes[joe]) == 3
    assert "pbm: choose a password" in [got["Subject"] for got in vouched("alice", "reset password")]
    assert "pbm: please confirm your address" in [got["Subject"] for got in vouched(joe, "signup joe a-good-word")]


@pytest.mark.parametrize("sender", ["joe@elsewhere.example", "alice"])
def test_a_password_does_not_show_whose_the_address_in_from_is(sender: str, table: House) -> None:
    """Whoever has an account would else have anybody asked as often as they like."""
    box = table.mailboxes.setdefault("joe@elsewhere.example", [])
    for _ in range(5):
        table.send(sender, "add alice alicepass joe@elsewhere.example")
    assert [got["Subject"] for got in box].count("pbm: please confirm your address") == 3
