"""Messages between players: where they go, what they show, and how many are allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from games import GAMES
from games.rules import KINDS
from pbm.domain.configuration import HouseRules, Limits
from pbm.features import talk
from pbm.server import Settings
from pbm.server.operator import Administration
from tests.conversation import ROBOT, Got, House, address_of


def addressees(mails: list[Got]) -> list[str]:
    return [got.address for got in mails]


def test_nothing_in_a_message_shows_where_its_author_reads(people: House) -> None:
    people.send("alice@example.net", "message alice alicepass bob", "Hello!")
    (got,) = people.mailboxes[address_of("bob")]
    assert got["From"] == '"alice via pbm" <pbm@example.org>'
    assert "alice@" not in got.text
    assert "mail-1" not in got.text, "the id of her mail tells whose server wrote it"


def test_an_answer_goes_back_and_forth_for_weeks(people: House) -> None:
    people.send("alice", "message alice alicepass bob", "Hello!")
    for player, other in (("bob", "alice"), ("alice", "bob"), ("bob", "alice")):
        people.now += timedelta(days=5)
        told = people.answer(player, f"I am {player}.")
        assert addressees(told) == [address_of(other)]
        assert f"  I am {player}." in told[0].body
    assert addressees(people.answer("bob", "Once more.", mail=1)) == [address_of("alice")]


def test_an_answer_from_elsewhere_is_told_to_the_player_in_whose_name_it_goes(people: House) -> None:
    people.send("alice", "message alice alicepass bob", "Hello!")
    passed_on, told = people.answer("eve@elsewhere.example", "I am bob.", of="bob")
    assert (passed_on.address, told.address) == (address_of("alice"), address_of("bob"))
    assert "from eve@elsewhere.example, which is not one of your addresses" in " ".join(told.body.split())


@pytest.mark.parametrize("words", ["C4\nYou fool!", "propose\nYou fool!"])
def test_words_below_a_move_do_not_reach_an_opponent_who_has_blocked_their_writer(words: str, people: House) -> None:
    people.game("cross -size=4 alice bob", ["D4"])
    people.send("carol", "follow carol carolpass 101")
    people.send("alice", "block alice alicepass bob")
    got = {each.address: each for each in people.answer("bob", words, 101)}
    assert "You fool!" in got[address_of("carol")].body
    assert got[address_of("alice")].board == 101
    assert "You fool!" not in got[address_of("alice")].text


def test_an_answer_that_cannot_be_passed_on_is_refused_to_its_writer(people: House) -> None:
    people.send("alice", "message alice alicepass bob", "Hello!")
    for text in ("", "\n".join(["x" * 70] * 80), "cross move 101 bob bobpass F6"):
        (got,) = people.answer("bob", text, mail=1)
        assert (got.address, got.refuses) == (address_of("bob"), True)
        assert "bobpass" not in got.text
    people.send("alice", "block alice alicepass bob")
    (got,) = people.answer("bob", "Hello?", mail=1)
    assert "takes no messages from you" in got.body
    people.send("alice", "delete alice alicepass")
    (got,) = people.answer("bob", "Hello?", mail=1)
    assert "has left" in got.body
    assert not people.parked()


@pytest.mark.parametrize(
    "words", ["move 101 bob bobpass D4", "cross challenge bob bobpass carol", "password is bobpass"]
)
def test_a_password_in_an_answer_to_a_message_is_read_by_nobody_else(words: str, people: House) -> None:
    people.send("alice", "message alice alicepass bob", "Hi")
    assert not any("bobpass" in got.body for got in people.answer("bob", words))


def test_a_message_goes_to_all_or_to_nobody(people: House) -> None:
    assert addressees(people.send("alice", "message alice alicepass bob, carol BOB", "Hi")) == [
        address_of("bob"),
        address_of("carol"),
        address_of("alice"),
    ]
    people.send("carol", "block carol carolpass alice")
    assert addressees(people.send("alice", "message alice alicepass bob carol", "Hi")) == [address_of("alice")]
    assert addressees(people.send("carol", "message carol carolpass alice", "Hi")) == [address_of("carol")]


def test_what_an_answered_board_shows_is_enough_to_write_a_message(people: House) -> None:
    people.game("cross -size=3 alice bob")
    told = people.answer("alice", "message carol\nCome and see!", 101, vouched=True)
    assert addressees(told) == [address_of("carol"), address_of("alice")]
    assert "  Come and see!" in told[0].body


def test_an_answer_may_name_many_hearers(people: House) -> None:
    people.player("dave")
    people.send("alice", "set alice alicepass")
    told = people.answer("alice", "message bob carol dave\nHello all.")
    assert addressees(told) == [*map(address_of, ("bob", "carol", "dave", "alice"))]


def test_so_many_messages_a_day_and_no_more(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(messages_per_day=2)))
    house.players("alice", "bob")
    refused = [house.send("alice", "message alice alicepass bob", "Hi")[-1].refuses for _ in range(3)]
    assert refused == [False, False, True]
    house.now += timedelta(days=1)
    assert not house.send("alice", "message alice alicepass bob", "Hi")[-1].refuses


def test_a_broadcast_reaches_who_wants_it(people: House) -> None:
    people.player("dave")
    people.send("bob", "set bob bobpass broadcasts off")
    people.send("carol", "block carol carolpass alice")
    told = people.send("alice", "broadcast alice alicepass", "Hello, world!")
    assert addressees(told) == [address_of("dave"), address_of("alice")]
    assert "1 player" in told[1].body


def test_a_broadcast_to_many_goes_out_some_at_a_time_and_once_to_each(
    people: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "AT_ONCE", 2)
    for number in range(4):
        people.player(f"dave{number}")
    told = people.send("alice", "broadcast alice alicepass", "Hello, world!")
    assert addressees(told) == [address_of("bob"), address_of("alice")]
    assert "to all players." in told[1].body
    people.send("dave1", "set dave1 dave1pass broadcasts off")
    later = people.wait(timedelta(seconds=1))
    assert addressees(later) == [*map(address_of, ("carol", "dave0", "dave2", "dave3"))]
    assert people.wait(timedelta(days=8)) == []


def test_one_click_ends_broadcasts(people: House) -> None:
    (got, *_) = people.send("alice", "broadcast alice alicepass", "Hello!")
    address, _, subject = got["List-Unsubscribe"].strip("\r\n <>").removeprefix("mailto:").partition("?subject=")
    (told,) = people.send("bob", subject.replace("%20", " "), to=address)
    assert "broadcasts is now off." in told.body
    people.now += timedelta(days=2)
    assert address_of("bob") not in addressees(people.send("alice", "broadcast alice alicepass", "Again!"))


def test_a_moderated_broadcast_waits_for_the_operator(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(broadcast_moderation="on")))
    house.players("alice", "bob")
    admin = Administration(house.service)
    assert addressees(house.send("alice", "broadcast alice alicepass", "Hello!")) == [address_of("alice")]
    with house.service.store.read() as tx:
        waiting = [(each.id, each.author.userid, each.text) for each in tx.broadcasts.waiting()]
    assert waiting == [(1, "alice", "Hello!")]
    assert admin.approve_broadcast(1) == 1
    assert addressees(house.collect()) == [address_of("bob")]
    with house.service.store.read() as tx:
        assert tx.broadcasts.waiting() == []
    assert house.send("alice", "broadcast alice alicepass", "Again!")[0].refuses


def test_the_operator_is_told_that_a_broadcast_waits(new_house: Callable[..., House]) -> None:
    rules = HouseRules(broadcast_moderation="on")
    house = new_house(Settings(ROBOT, operator="operator@example.com", house=rules))
    house.players("alice", "bob")
    told, answer = house.send("alice", "broadcast alice alicepass", "Hello!")
    assert (told.address, answer.address) == ("operator@example.com", address_of("alice"))
    assert told["Subject"] == "pbm: broadcast 1 waits for you"
    assert "alice writes:\n\n  Hello!\n" in told.body
    assert "pbm player broadcast approve 1 " in told.body
    assert "alicepass" not in told.text
    assert "alice@example.net" not in told.text


def test_there_need_be_no_broadcasts(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, house=HouseRules(broadcast_moderation="closed")))
    house.player("alice")
    (got,) = house.send("alice", "broadcast alice alicepass", "Hello!")
    assert "no broadcasts" in got.body


def test_quoted_lines_are_no_commands(people: House) -> None:
    (got,) = people.send("alice", "multiple", "> delete alice alicepass\n\n  cross games alice\n\n> signup x xpass\n")
    assert "delete" not in got.body
    assert not got.refuses


def test_twenty_commands_and_no_more(people: House) -> None:
    (got,) = people.send("alice", "multiple", "list\n" * 21)
    assert got["Subject"] == "pbm: 20 of 21 commands done"
    assert "NOT TRIED" in got.body


@pytest.mark.parametrize(
    "comment", ["Set your mind at ease", "message in a bottle", "add a bit of salt", "Take care of it"]
)
def test_a_comment_below_a_move_is_no_command(comment: str, table: House) -> None:
    told = table.answer("bob", f"B2\n{comment}", 101)
    (to_alice,) = [got for got in told if got.address == address_of("alice")]
    assert comment in to_alice.body


def test_a_command_with_a_password_below_a_move_is_never_passed_on(table: House) -> None:
    told = table.send("bob", "", "cross move 101 bob bobpass B2\nchange password bob bobpass Sesame1\n")
    assert not [got for got in told if "Sesame1" in got.text]
    assert "change password" not in next(got.body for got in told if got.address == address_of("alice"))


def test_games_of_a_kind_are_listed_by_how_much_they_are_played_and_by_title(people: House) -> None:
    for _ in range(2):
        people.game("havannah alice bob")
    people.game("y alice bob")
    (listed,), (helped,) = people.send("alice", "list"), people.send("alice", "help")
    for kind in KINDS:
        of_kind = sorted((game.info for game in GAMES.values() if game.info.kind == kind), key=lambda info: info.title)
        assert re.findall(r"^  help (\w+) ", helped.body.partition(f"Games of {kind}:")[2], re.MULTILINE)[
            : len(of_kind)
        ] == [info.name for info in of_kind]
        played = sorted(of_kind, key=lambda info: -{"havannah": 2, "y": 1}.get(info.name, 0))
        rows = re.findall(r"^  (\w+) +\d+\+? +\d+\+?$", listed.body.partition(f"\n{kind}\n")[2], re.MULTILINE)
        assert rows[: len(of_kind)] == [info.name for info in played]


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066", "\u061c", "\u115f", "\u3164", "\uffa0", "\u2800", "\u180e", "\u2063", "\U000e0041"]
)
@pytest.mark.parametrize("words", ["chat Well {}played", "C4\n\nWell {}played", "message alice\n\nWell {}played"])
def test_what_nobody_sees_is_not_passed_on(hidden: str, words: str, table: House) -> None:
    """Nor are characters that reverse the words around them: a reader could not tell what was written."""
    mails = table.answer("bob", words.format(hidden), 101, vouched=True)
    (got,) = (got for got in mails if got.address == "alice@example.net")
    assert hidden not in got.text
    assert re.search("Well ? ?played", got.body)


@pytest.mark.parametrize("words", ["می‌خواهم بازی کنم", "क्‍ष is a letter", "שלום alice", "well done 👨‍👩‍👧 ❤️"])
def test_letters_that_belong_together_stay_together(words: str, table: House) -> None:
    mails = table.answer("bob", f"chat {words}", 101)
    (got,) = (got for got in mails if got.address == "alice@example.net")
    assert words in got.body
