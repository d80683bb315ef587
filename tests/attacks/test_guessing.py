"""Guesses of passwords and reply addresses: slowed, then locked, but never for players who answer our mails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from pbm.core.limits import GUESSES
from pbm.domain.configuration import Limits
from pbm.domain.mail import Arrival
from pbm.mailin import Robot
from pbm.server import Settings
from tests.conversation import ROBOT, Got, House

WRONG = "The userid or the password is wrong."
LOCKED = "passwords are limited, and yours was not looked at"
OPEN = "timezone"
"""Found in the list of settings, which a right password shows."""
STRANGER = "mallory@evil.example"
MACHINE = "185.12.64.1"

NewHouse = Callable[..., House]


@pytest.fixture
def open_house(new_house: NewHouse) -> House:
    """alice and bob at board 101; strangers get every answer, so that a test sees it."""
    house = new_house(Settings(ROBOT, Limits(stranger_answers_per_day=1000, unproven_answers_per_hour=1000)))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    return house


def guess(house: House, number: int, userid: str = "alice", sender: str = STRANGER) -> str:
    """The answer to a wrong password, a new one for each number; no time passes."""
    house.now -= timedelta(minutes=1)
    (got,) = house.send(sender, f"set {userid} wrong-{number:04}")
    return said(got)


def login(house: House, sender: str = STRANGER, userid: str = "alice") -> str:
    """The answer to the right password; no time passes."""
    house.now -= timedelta(minutes=1)
    (got,) = house.send(sender, f"set {userid} {userid}pass")
    return said(got)


def said(got: Got) -> str:
    return " ".join(got.body.split())


@contextmanager
def counted(house: House) -> Iterator[list[str]]:
    """The passwords that are checked."""
    looked: list[str] = []
    real = house.service.tools.passwords.verify

    def verify(pairs):
        pairs = list(pairs)
        looked.extend(password for password, _ in pairs)
        return real(pairs)

    house.service.tools.passwords.verify = verify  # type: ignore[method-assign]
    yield looked
    house.service.tools.passwords.verify = real  # type: ignore[method-assign]


def test_after_five_wrong_passwords_none_is_looked_at_not_even_the_right_one(open_house: House) -> None:
    for number in range(5):
        assert WRONG in guess(open_house, number)
    with counted(open_house) as looked:
        told_wrong = guess(open_house, 5)
        told_right = login(open_house)
    assert looked == []
    assert LOCKED in told_wrong
    assert LOCKED in told_right
    sentence = re.compile(r"Too much for now: passwords .*? at any time\.")
    assert sentence.findall(told_wrong) == sentence.findall(told_right), "the answer must not tell which was right"


def test_whoever_goes_on_guessing_gets_no_more_than_twenty_guesses_a_day(open_house: House) -> None:
    """Half of the guesses is back at the time that the refusal names, and none before."""
    begun, number, guesses = open_house.now, 0, list[timedelta]()
    while open_house.now < begun + timedelta(days=1):
        number += 1
        told = guess(open_house, number)
        if WRONG in told:
            guesses.append(open_house.now - begun)
            continue
        assert LOCKED in told
        found = re.search(r"Try again after (\d{4}-\d\d-\d\d \d\d:\d\d) UTC", told)
        assert found is not None
        until = datetime.fromisoformat(found[1]).replace(tzinfo=open_house.now.tzinfo)
        open_house.now = until - timedelta(minutes=2)
        assert LOCKED in guess(open_house, number)
        open_house.now = until
    assert guesses[:5] == [timedelta()] * 5
    assert 15 <= len(guesses) <= 25


def test_a_userid_that_nobody_has_is_locked_in_the_same_words(open_house: House) -> None:
    for number in range(6):
        there, not_there = (guess(open_house, number, userid, f"m{userid}@evil.example") for userid in ("alice", "zoe"))
        assert there.replace("alice", "zoe") == not_there


def test_the_owner_plays_on_by_answering_and_logs_in_from_their_own_address(open_house: House) -> None:
    for number in range(8):
        guess(open_house, number)
    assert LOCKED in login(open_house)
    assert OPEN in login(open_house, "alice")
    open_house.answer("bob", "E4", 101)
    (got, *_) = open_house.answer("alice", "C4", 101)
    assert got.board == 101
    assert not got.refuses


def test_whoever_knows_the_owners_address_locks_no_more_than_passwords_from_there(open_house: House) -> None:
    for number in range(8):
        guess(open_house, number, sender="alice")
    assert LOCKED in login(open_house, "alice")
    assert OPEN in login(open_house, "alice@work.example")
    open_house.answer("bob", "E4", 101)
    assert not open_house.answer("alice", "C4", 101)[0].refuses


def from_network(house: House, number: int, text: str, sender: str = "alice", to: str = ROBOT.address) -> str:
    """The answer to a mail that our mail server took from a machine in the network with this number; no time passes."""
    house.now -= timedelta(minutes=1)
    where = f"from far.example (unknown [185.12.{number}.9]) by mx.example.org; Thu, 1 Jan 2026 12:00:00 +0000"
    (got,) = house.send(sender, text, to=to, Received=where)
    return said(got)


@pytest.mark.parametrize("by_token", [True, False])
def test_forged_guesses_lock_nobody_out_where_they_have_shown_who_they_are(open_house: House, by_token: bool) -> None:
    """by_token: they have answered a mail to the player; otherwise they have written their password."""
    if by_token:
        open_house.send("alice", "help")
        (token,) = {got["Reply-To"] for got in open_house.mailboxes["alice@example.net"][-1:]}
        assert OPEN in from_network(open_house, 1, "set", to=token)
    else:
        assert OPEN in from_network(open_house, 1, "set alice alicepass")
    told = [from_network(open_house, network, f"set alice wrong-{network}") for network in range(2, 30)]
    told += [from_network(open_house, 1, f"set alice wrong-{number}", STRANGER) for number in range(9)]
    assert LOCKED in told[-1]
    assert LOCKED in from_network(open_house, 2, "set alice alicepass"), "as for anybody who has shown nothing"
    assert OPEN in from_network(open_house, 1, "set alice alicepass")
    for number in range(5):
        assert WRONG in from_network(open_house, 1, f"set alice wrong-{number}")
    assert LOCKED in from_network(open_house, 1, "set alice alicepass"), "where they are known, they have as many"


def test_whoever_is_vouched_for_has_no_more_guesses_at_others(open_house: House) -> None:
    """Nor do they use up those of the player."""
    vouched = {"Authentication_Results": "mx.example.org; dkim=pass header.d=evil.example"}
    told = [said(open_house.send(STRANGER, f"set alice wrong-{number}", **vouched)[0]) for number in range(6)]
    assert LOCKED in told[-1]
    own = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
    assert OPEN in said(open_house.send("alice", "set alice alicepass", **own)[0])


def test_one_sender_who_tries_one_password_with_everybody_is_locked(open_house: House) -> None:
    told = [guess(open_house, 1, f"user{number}") for number in range(21)]
    assert all(WRONG in each for each in told[:20])
    assert LOCKED in told[20]
    assert LOCKED in login(open_house, STRANGER)
    assert OPEN in login(open_house, "somebody@else.example")


def test_one_machine_that_names_many_senders_is_locked(new_house: NewHouse) -> None:
    house = new_house(
        Settings(Robot("pbm", "example.org"), Limits(stranger_answers_per_day=1000, unproven_answers_per_hour=1000))
    )
    house.player("alice")

    def guessed(number: int, peer: str) -> str:
        house.now -= timedelta(minutes=1)
        mail = house.mail(f"m{number}@evil.example", f"set user{number} wrong-0001")
        return said(house.deliver(replace(mail, peer=peer))[0])

    told = [guessed(number, MACHINE) for number in range(21)]
    assert WRONG in told[19]
    assert LOCKED in told[20]
    assert WRONG in guessed(30, "185.12.64.2")
    assert all(WRONG in guessed(number, "127.0.0.1") for number in range(40, 70)), "a mail server of ours is everybody"


def test_a_mail_server_in_front_is_no_source(open_house: House) -> None:
    for number in range(30):
        mail = open_house.mail(f"m{number}@evil.example", f"set user{number} wrong-0001")
        assert WRONG in said(open_house.deliver(replace(mail, peer=MACHINE))[0])


def test_guesses_that_come_all_at_once_are_no_more_than_one_by_one(open_house: House) -> None:
    """One batch is read before any of its guesses are counted."""
    mails = [open_house.mail(STRANGER, f"set alice wrong-{number:04}") for number in range(40)]
    open_house.service.accept(mails)
    with counted(open_house) as looked:
        while open_house.service.handle():
            pass
    assert len(looked) == 5


def test_one_password_in_many_mails_that_come_all_at_once_is_one_guess(open_house: House) -> None:
    """As after an outage: all moves are played. A wrong password is checked no more often than if they came singly."""
    for _ in range(14):
        open_house.game("cross -size=4 alice bob", ["D4"])
    moves = [open_house.mail("bob", f"cross move {number} bob bobpass C4") for number in range(101, 116)]
    wrong = [open_house.mail(STRANGER, f"cross move {number} alice wrong-one C4") for number in range(101, 116)]
    open_house.service.accept(moves + wrong)
    with counted(open_house) as looked:
        while open_house.service.handle():
            pass
    assert looked.count("wrong-one") <= 6, "they are looked at two at a time"
    told = [said(got) for got in open_house.collect()]
    assert sum("bob played C4" in text for text in told) == len(moves)


def test_a_right_password_makes_up_for_the_wrong_ones_before_it(open_house: House) -> None:
    for number in range(16):
        assert WRONG in guess(open_house, number, sender="a@typing.example")
        if number % 4 == 3:
            assert OPEN in login(open_house, "a@typing.example")


def test_an_own_account_does_not_buy_more_guesses_at_others(open_house: House) -> None:
    for number in range(20):
        guess(open_house, number, f"user{number}", "bob")
        assert LOCKED in (told := login(open_house, "bob", "bob")) or OPEN in told
    assert LOCKED in guess(open_house, 99, "user99", "bob")


def test_the_lock_outlives_the_process_and_is_forgotten_after_days(open_house: House) -> None:
    for number in range(5):
        guess(open_house, number)
    settings = Settings(ROBOT, Limits(stranger_answers_per_day=1000, unproven_answers_per_hour=1000))
    again = House(open_house.url, settings)
    again.now = open_house.now
    again.collect()
    again.service.tools.composer.make_key = iter(f"again{number}" for number in range(9)).__next__
    assert LOCKED in login(again)
    again.now += timedelta(days=3)
    again.service.tidy()
    with again.service.store.write() as tx:
        assert tx.guesses.forget_about("alice") == 0
    again.service.close()


def test_the_operator_unlocks(open_house: House) -> None:
    for number in range(9):
        guess(open_house, number)
    assert LOCKED in login(open_house)
    with open_house.service.store.write() as tx:
        assert tx.guesses.forget_about("alice", GUESSES) == 1
    assert OPEN in login(open_house)
    with open_house.service.store.write() as tx:
        assert tx.guesses.forget_about("alice", GUESSES) == 0


def test_a_new_password_counts_from_the_beginning(open_house: House) -> None:
    for number in range(9):
        guess(open_house, number)
    open_house.send(STRANGER, "reset password alice")
    open_house.answer("alice", "quite-another")
    assert OPEN in said(open_house.send("a@elsewhere.example", "set alice quite-another")[0])


def test_strangers_together_cost_no_more_than_so_many_looks(new_house: NewHouse) -> None:
    plenty = {"stranger_answers_per_day": 60_000, "unproven_in_all_per_hour": 60_000}
    more = {"questions_per_day": 600, "unasked_per_domain_per_day": 60_000}
    limits = Limits.model_validate({"scale": 1 / 60, **plenty, **more})
    house = new_house(Settings(ROBOT, limits))
    house.player("alice")
    with counted(house) as looked:
        told = [guess(house, number, f"user{number}", f"m{number}@evil.example") for number in range(15)]
    assert len(looked) == 10
    assert LOCKED in told[10]
    assert LOCKED in said(house.send("new@x.example", "signup newcomer a-good-word")[0])
    assert OPEN in login(house, "alice")
    house.now += timedelta(hours=1)
    assert [got["Subject"] for got in house.send("new@x.example", "signup newcomer a-good-word")] == [
        "pbm: please confirm your address"
    ]


def test_many_new_passwords_in_one_mail_cost_three(open_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    real = open_house.service.tools.passwords.hash_all

    def hash_all(words):
        made.extend(words)
        return real(words)

    monkeypatch.setattr(open_house.service.tools.passwords, "hash_all", hash_all)
    open_house.send(STRANGER, "multiple", "\n".join(f"signup new{n} password-{n:03}" for n in range(20)))
    assert len(made) == 3


def to_token(house: House, token: str, sender: str = STRANGER) -> list[Got]:
    house.now -= timedelta(minutes=1)
    return house.send(sender, "F6", to=f"pbm+{token}@example.org")


def test_guessed_reply_addresses_change_nothing_and_are_not_answered_for_long(open_house: House) -> None:
    before = open_house.dump()
    answered = [bool(to_token(open_house, f"{number:026}")) for number in range(30)]
    assert answered == [True] * 20 + [False] * 10
    assert open_house.dump() == before
    with open_house.service.store.read() as tx:
        last = tx.inbox.latest(Arrival.IGNORED, 1)[0]
    assert last.reason.startswith("limit: Too much for now: wrong guesses by one sender are limited to 20 in six hours")


def test_guesses_in_the_owners_name_do_not_keep_them_from_answering(open_house: House) -> None:
    for number in range(30):
        to_token(open_house, f"{number:026}", "bob")
    (got, *_) = open_house.answer("bob", "E4", 101)
    assert not got.refuses


def test_a_token_changed_in_any_place_opens_nothing(open_house: House) -> None:
    address = open_house.mailboxes["bob@example.net"][-1]["Reply-To"]
    token = address.partition("+")[2].partition("@")[0]
    for place, letter in enumerate(token):
        forged = token[:place] + ("a" if letter != "a" else "b") + token[place + 1 :]
        before = open_house.dump()
        to_token(open_house, forged, f"m{place}@evil.example")
        assert open_house.dump() == before


def vouched_signup(house: House, number: int, domain: str, network: int) -> str:
    """The answer to a signup for which our mail server vouches; no time passes."""
    house.now -= timedelta(minutes=1)
    where = f"from far.example (unknown [185.12.{network}.9]) by mx.example.org; Thu, 1 Jan 2026 12:00:00 +0000"
    verdict = f"{ROBOT.authserv_id}; dkim=pass header.d={domain}"
    words, head = f"signup new{chr(97 + number)} a-good-word", {"Authentication_Results": verdict, "Received": where}
    (got,) = house.send(f"m{number}@{domain}", words, **head)
    return said(got)


def test_whoever_has_a_domain_of_their_own_shuts_no_other_newcomer_out(new_house: NewHouse) -> None:
    """With as many mailboxes there as they like, for each of which their mail server vouches."""
    plenty = {"unasked_per_domain_per_day": 9999, "unasked_per_network_per_day": 9999, "questions_per_day": 99}
    house = new_house(Settings(ROBOT, Limits.model_validate({"scale": 0.05, **plenty})))
    told = [vouched_signup(house, number, "evil.example", 1) for number in range(8)]
    assert [LOCKED in each for each in told] == [False] * 5 + [True] * 3
    assert LOCKED not in vouched_signup(house, 20, "good.example", 2)
    (got,) = house.send("new@x.example", "signup newcomer a-good-word")
    assert got["Subject"] == "pbm: please confirm your address"
