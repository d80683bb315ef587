"""Invitations: one mail ever to a stranger, and what their answer brings about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete

from pbm.domain.configuration import HouseRules, Limits
from pbm.server import Settings
from pbm.server.operator import Administration
from pbm.store.tables import invitations
from tests.conversation import ROBOT, Got, House, address_of, password

FRIEND = "friend@home.example"


def known(house: House, userid: str) -> None:
    """Add a player who has got a mail of ours and can answer it."""
    house.player(userid)
    house.send(userid, f"block {userid} {password(userid)}")


@pytest.fixture
def people(house: House) -> House:
    known(house, "alice")
    known(house, "bob")
    return house


def ask(house: House, userid: str, line: str) -> list[Got]:
    return house.answer(userid, line, mail=1)


def to(mails: list[Got], address: str) -> list[Got]:
    return [got for got in mails if got.address == address]


def userids(house: House) -> list[str]:
    with house.service.store.read() as tx:
        return [player.userid for player in tx.players.all()]


def test_a_forged_sender_invites_nobody(people: House) -> None:
    mails = people.send("alice", f"cross challenge me {FRIEND}")
    assert [got.address for got in mails] == [address_of("alice")]
    assert "was that you" in mails[0]["Subject"]


def test_an_inviter_whom_nothing_proves_is_shown_the_whole_line(house: House) -> None:
    house.player("carol")
    (got,) = house.send("carol", f"cross challenge carol {FRIEND}", "Hello friend, my password is carolpass")
    assert f"cross challenge carol {FRIEND} USERID PASSWORD" in got.body
    assert "carolpass" not in got.body


def test_a_stranger_cannot_invite(people: House) -> None:
    (got,) = people.send("x@example.com", f"cross challenge {FRIEND} bob")
    assert got.refuses


@pytest.mark.parametrize(("line", "seats"), [("me {}", "alice-robert"), ("{} me", "robert-alice")])
def test_the_order_of_seats_is_kept(people: House, line: str, seats: str) -> None:
    ask(people, "alice", f"cross challenge {line.format(FRIEND)} -size=3 --unrated")
    mails = people.answer(FRIEND, "yes, robert")
    (board,) = to(mails, address_of("alice"))
    assert board["Subject"] == f"Cross Board 101 {seats}"
    assert "-size=3, unrated" in " ".join(board.body.split())


def test_the_new_player_plays_by_answering_and_has_no_password(people: House) -> None:
    ask(people, "alice", f"cross challenge {FRIEND} me -size=3")
    people.answer(FRIEND, "yes, robert")
    assert "robert played C3" in people.answer(FRIEND, "C3", 101)[0].body.replace("You", "robert")
    for number, guess in enumerate(("", "!", "robert")):
        (got,) = people.send(f"x{number}@example.com", f"cross resign 101 robert {guess or '-'}")
        assert got.refuses


@pytest.mark.parametrize("second", ["alice", "bob"])
def test_nobody_is_invited_twice(people: House, second: str) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    mails = ask(people, second, f"loops challenge me {FRIEND.upper()}")
    assert to(mails, FRIEND) == to(mails, FRIEND.upper()) == []
    assert "nobody is invited twice" in " ".join(mails[0].body.split())


def test_who_has_declined_is_not_asked_again_and_the_inviter_hears_of_it_once(people: House) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    (told,) = people.answer(FRIEND, "No, thanks")
    assert told.address == address_of("alice")
    assert "does not want" in told.body
    assert "friend" not in userids(people)
    assert "nobody is invited twice" in " ".join(ask(people, "bob", f"cross challenge me {FRIEND}")[0].body.split())


def test_what_is_written_beside_a_no_reaches_the_inviter_but_a_bare_no_says_nothing_more(people: House) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    (told,) = people.answer(FRIEND, "No, sorry, I have no time before Easter.")
    assert f"{FRIEND} writes:\n\n  No, sorry, I have no time before Easter." in told.body
    ask(people, "alice", "cross challenge me other@home.example")
    (told,) = people.answer("other@home.example", "No, thanks")
    assert "writes" not in told.body


def test_what_is_written_beside_the_answer_to_an_offer_reaches_the_challenger(people: House) -> None:
    ask(people, "bob", "set challenges ask")
    people.send("alice", "cross challenge me bob alice alicepass", "Are you still there?")
    mails = people.answer("bob", "Yes\nThis is Joe from Berlin.")
    (hers,), (his,) = to(mails, address_of("alice")), to(mails, address_of("bob"))
    assert "bob writes:\n\n  Yes\n  This is Joe from Berlin." in hers.body
    assert "alice writes:\n\n  Are you still there?" in his.body
    assert "alice writes" not in hers.body
    assert "bob writes" not in his.body
    people.send("alice", "cross challenge me bob alice alicepass")
    hers = next(got for got in people.answer("bob", "No, one game is enough for me.") if got.address != his.address)
    assert "bob writes:\n\n  No, one game is enough for me." in hers.body


@pytest.mark.parametrize("words", ["you fool", "Well", "cheater!", "You again", "be quick", "gg wp bro"])
def test_a_short_line_below_the_answer_to_an_offer_reaches_the_challenger(people: House, words: str) -> None:
    ask(people, "bob", "set challenges ask")
    for answer in ("yes", "no"):
        people.send("alice", "cross challenge me bob alice alicepass")
        hers = to(people.answer("bob", f"{answer}\n{words}"), address_of("alice"))[0]
        assert (f"bob writes:\n\n  {answer}\n  {words}" in hers.body) == (words != "Well")


def test_a_yes_to_another_game_starts_none(people: House) -> None:
    ask(people, "bob", "set challenges ask")
    people.send("alice", "cross challenge me bob alice alicepass")
    assert "Please answer again." in " ".join(people.answer("bob", "Yes, let's play Hex!")[0].body.split())
    assert "A new game" in people.answer("bob", "Yes, let's play Cross!")[0].body


@pytest.mark.parametrize("command", ["resign", "block alice", "swap", "set receipts off"])
def test_a_command_below_the_answer_to_an_offer_is_neither_done_nor_passed_on(people: House, command: str) -> None:
    ask(people, "bob", "set challenges ask")
    for answer in ("yes", "no"):
        people.send("alice", "cross challenge me bob alice alicepass")
        mails = people.answer("bob", f"{answer}\n{command}")
        told = " ".join(to(mails, address_of("bob"))[-1].body.split())
        assert f'"{command}" stands below your answer, and was neither done nor passed on.' in told
        assert "bob writes" not in to(mails, address_of("alice"))[0].body


def test_what_a_blocked_player_writes_beside_a_no_reaches_nobody(people: House) -> None:
    ask(people, "bob", "set challenges ask")
    people.send("alice", "cross challenge me bob alice alicepass")
    ask(people, "alice", "block bob")
    told = people.answer("bob", "No, and you will hear more of me.")
    (hers,) = to(told, address_of("alice"))
    assert "bob does not want to play" in hers.body
    assert "writes" not in hers.body


def test_who_agrees_first_is_told_that_their_other_words_were_not_passed_on(people: House) -> None:
    people.send("eve@example.com", "cross challenge alice bob")
    (told,) = people.answer("alice", "Yes\nThis is Joe from Berlin.")
    assert "What you wrote besides was not passed on" in " ".join(told.body.split())
    assert "A new game" in people.answer("bob", "yes")[0].body


@pytest.mark.parametrize("text", ["alice", "robert", "7of9", "remove D4", "D4", "resign", "thanks a lot, see you", ""])
def test_an_unclear_answer_is_asked_about(people: House, text: str) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    (again,) = people.answer(FRIEND, text)
    assert again.address == FRIEND
    assert "Please answer again." in again.body
    assert userids(people) == ["alice", "bob"]
    assert people.answer(FRIEND, "yes, rob")
    assert "rob" in userids(people)


@pytest.mark.parametrize("text", ["yes", "Yes!", "YES, gladly", "ok", "Hi Alice, yes I'd love to!"])
def test_who_agrees_without_a_name_is_asked_for_one_and_answers_with_a_word(people: House, text: str) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    (asked,) = people.answer(FRIEND, text)
    assert (asked.address, asked["Subject"]) == (FRIEND, "pbm: what shall we call you?")
    assert userids(people) == ["alice", "bob"]
    (taken,) = people.answer(FRIEND, "bob")
    assert 'The userid "bob" is taken' in taken.body
    assert any("A new game" in got.body for got in people.answer(FRIEND, "rob"))
    assert userids(people) == ["alice", "bob", "rob"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("help cross", "connects three sides of the board"),
        ("How do I win?", "connects three sides of the board"),
        ("cross", "connects three sides of the board"),
        ("help clock", "pbm@example.org"),
        ("who are you?", "alice plays here"),
    ],
)
def test_what_is_asked_in_answer_to_an_invitation_is_told_and_it_stays_open(
    people: House, text: str, told: str
) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    (again,) = people.answer(FRIEND, text)
    assert told in again.body
    assert "  yes, name: joe" in again.body
    people.answer(FRIEND, "yes, rob", mail=1)
    assert "rob" in userids(people)


@pytest.mark.parametrize("text", ["take me off your list", "I don't know you, please stop", "remove", "No."])
def test_no_means_never_again_even_when_the_inviter_is_forgotten(people: House, text: str) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    people.answer(FRIEND, text)
    with people.service.store.write() as tx:
        tx._connection.execute(delete(invitations))
    for line in (f"cross challenge me {FRIEND}", f"add bob bobpass {FRIEND}", f"signup eve evepass {FRIEND}"):
        mails = ask(people, "bob", line)
        assert to(mails, FRIEND) == []
        assert mails[0].refuses


def test_an_address_of_a_player_means_them(people: House) -> None:
    mails = ask(people, "alice", "cross challenge me BOB@example.net")
    assert {got["Subject"] for got in mails} == {"Cross Board 101 alice-bob"}


def test_an_invitation_is_answered_once(people: House) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    people.answer(FRIEND, "yes, rob", mail=1)
    mails = people.answer(FRIEND, "yes, rob", mail=1)
    assert not any("A new game" in got.body for got in mails)
    assert userids(people).count("rob") == 1


@pytest.mark.parametrize(
    "note", ["Buy at http://shop.example now", "write to shop@shop.example", "see shop.example", "shop \n" * 101]
)
def test_a_note_that_may_be_advertising_stays_out_of_an_invitation(people: House, note: str) -> None:
    told = ask(people, "alice", f"cross challenge me {FRIEND}\n{note}")[-1]
    (first,) = people.mailboxes[FRIEND]
    assert "shop" not in first.body
    assert "Your note was left out" in " ".join(told.body.split())


@pytest.mark.parametrize("line", [
    "cross challenge me pbm@example.org",
    "cross challenge me pbm+abc@example.org",
    "cross challenge me bounce+abc@EXAMPLE.org",
    "cross challenge me x@",
    f"cross challenge bob {FRIEND}",
    f"cross challenge {FRIEND} other@home.example",
    f"cross challenge me {FRIEND} -rows=3",
    f"cross challenge me {FRIEND} --clock=2",
])  # fmt: skip
def test_what_cannot_be_is_refused_and_nobody_is_written_to(people: House, line: str) -> None:
    (got,) = ask(people, "alice", line)
    assert got.address == address_of("alice")
    assert got.refuses


def test_a_player_invites_so_many_a_day(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(invitations_per_day=2)))
    known(house, "alice")
    for number in (1, 2):
        ask(house, "alice", f"cross challenge me friend{number}@home.example")
    (got,) = ask(house, "alice", "cross challenge me friend3@home.example")
    assert "invitations by one player are limited to 2 a day" in " ".join(got.body.split())


def test_an_inviter_who_is_full_by_then_plays_later(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(active_games=1)))
    known(house, "alice")
    ask(house, "alice", f"cross challenge me {FRIEND}")
    house.game("loops alice alice")
    (got,) = house.answer(FRIEND, "yes, robert")
    assert "The game did not start" in got.body
    assert "robert" in userids(house)


def test_an_invitation_by_a_player_who_has_left_still_makes_an_account(people: House) -> None:
    people.send("alice", f"hex challenge alice {FRIEND} alice alicepass")
    people.send("alice", "delete alice alicepass")
    (got,) = people.answer(FRIEND, "yes, robert")
    assert "Welcome, robert!" in got.body
    assert "The game did not start: the player who invited you has left the server." in " ".join(got.body.split())
    assert people.wait(timedelta(days=40)) == []
    with people.service.store.read() as tx:
        assert tx.agenda.of("invite") == []


def test_the_welcome_after_an_invitation_can_be_answered(people: House) -> None:
    ask(people, "alice", f"cross challenge me {FRIEND}")
    welcome = to(people.answer(FRIEND, "yes, robert"), FRIEND)[0]
    assert "Welcome, robert!" in welcome.body
    (told,) = people.answer(FRIEND, "password correct-horse", mail=len(people.mailboxes[FRIEND]) - 1)
    assert told["Subject"] == "pbm: choose a password"


def test_a_player_who_answers_from_another_address_is_asked_which_account_is_to_play(people: House) -> None:
    ask(people, "alice", f"cross challenge {FRIEND} me -size=3")
    answer = people.answering(FRIEND, "yes")
    raw = answer.raw.replace(f"From: {FRIEND}".encode(), b"From: bob@example.net")
    (got,) = people.deliver(replace(answer, raw=raw))
    assert got.address == address_of("bob")
    assert "Write: cross challenge -size=3 me alice" in got.body
    assert userids(people) == ["alice", "bob"]
    people.answer(FRIEND, "yes, name: joe")
    assert userids(people) == ["alice", "bob", "joe"]


@pytest.fixture
def asked(people: House) -> House:
    """Alice has challenged bob, who wants to be asked."""
    ask(people, "bob", "set challenges ask")
    ask(people, "alice", "cross challenge me bob")
    return people


def test_only_the_challenger_takes_a_challenge_back_by_whatever_name(asked: House) -> None:
    Administration(asked.service).rename("alice", "alicia")
    asked.collect()
    with asked.service.store.write() as tx:
        newcomer = tx.players.add("alice", asked.service.tools.passwords.hash("otherpass"), asked.now)
        tx.players.add_address(newcomer.id, "other@example.net", asked.now, confirmed=True)
    (got,) = asked.send("other@example.net", "withdraw alice otherpass bob")
    assert "Nothing that you have asked bob" in got.body
    (got,) = asked.send("alice", f"withdraw alicia {password('alice')} bob")
    assert "Taken back: bob" in got.body
    assert asked.answer("bob", "yes")[0].refuses
    assert not to(asked.wait(timedelta(days=40)), address_of("alice"))


def test_no_answer_is_told_once_when_nobody_can_answer_any_more(asked: House) -> None:
    asked.wait(timedelta(days=3))
    (again,) = asked.answer("bob", "Which colour is that on the board")
    assert "no plain yes or no" in again.body
    assert not asked.wait(timedelta(days=5))
    (told,) = asked.wait(timedelta(days=40))
    assert (told.address, told["Subject"]) == (address_of("alice"), "pbm: no answer")
    assert asked.answer("bob", "yes")[0].refuses


def test_an_invitation_to_the_longest_address_can_be_taken_back(people: House) -> None:
    address = f"{'x' * 60}@{'y' * 60}.{'z' * 60}.example"
    assert to(ask(people, "alice", f"cross challenge me {address}"), address)
    (got,) = ask(people, "alice", f"withdraw {address}")
    assert "Taken back" in got.body
