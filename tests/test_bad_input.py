"""Bad mails: each gets a clear answer or silence, changes nothing, and the next mail works."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbm.domain.mail import Arrival
from pbm.domain.tokens import SeatToken, Signer
from pbm.server import Arriving
from tests.conversation import ROBOT, SECRET, Got, House, address_of

on_one_house = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def unchanged(house: House, act: Callable[[], list[Got]]) -> list[Got]:
    """The mails caused by a mail that must not change anything."""
    before = house.dump()
    got = act()
    assert house.dump() == before
    faults = [mail.reason for mail in house.parked() if not mail.reason.startswith("reject: ")]
    assert not faults
    return got


def refused(house: House, act: Callable[[], list[Got]]) -> Got:
    """The only answer to a refused mail, which goes to its sender."""
    (got,) = unchanged(house, act)
    assert house.last is not None
    assert got.address == house.last.mail_from
    assert got.refuses
    return got


def plays_on(house: House) -> None:
    """Assert that the next mail still works, on the board of the fixture."""
    assert [got.refuses for got in house.answer("bob", "D5", 101)] == [False, False]


REFUSALS = {
    "no such game": ("bob", "chess move 101 bob bobpass D5", 'There is no game "chess" here.'),
    "no such game in a sentence": ("bob", "puzzle for chess", 'There is no game "chess" here.'),
    "words behind what takes none": ("bob", "robots bob bobpass", '"robots" stands alone, without other words.'),
    "a word too many": ("bob", "tournament join cup robot3", '"tournament join" takes fewer words.'),
    "no such game behind the verb": ("bob", "puzzle chess bob bobpass", 'There is no game "chess" here.'),
    "no such game in another place": ("bob", "play chess bob bobpass", 'There is no game "chess" here.'),
    "no such game but like one": ("bob", "puzzle hexx bob bobpass", 'Did you mean "hex"?'),
    "a password in front of the userid": ("bob", "puzzle bobpass bob", "The userid or the password is wrong."),
    "a number where the game is missing": ("bob", "challenge 4ever alice", "4ever"),
    "a board where the game is missing": ("bob", "challenge 101 alice", "101"),
    "a number of seeks where the game is missing": ("bob", "seek 2", "Which game?"),
    "a number of games where the game is missing": ("bob", "limit bob bobpass 5", "Which game?"),
    "a board in place of a player": ("bob", "games 101", "games takes players"),
    "no such verb": ("bob", "cross mave 101 bob bobpass D5", '"mave" is no command of cross. Did you mean "move"?'),
    "nothing like a verb": ("bob", "cross xyzzy", '"xyzzy" is no command of cross.'),
    "no such userid": ("bob", "cross move 101 robert bobpass D5", "The userid or the password is wrong."),
    "a wrong password": ("bob", "cross move 101 bob alicepass D5", "The userid or the password is wrong."),
    "a password in other case": ("bob", "cross move 101 bob BobPass D5", "The userid or the password is wrong."),
    "no such board": ("bob", "cross move 999 bob bobpass D5", "There is no board 999."),
    "a board of 12 digits": ("bob", "cross move 999999999999 bob bobpass D5", "There is no board 999999999999."),
    "a board of 13 digits": ("bob", "cross move 9999999999999 bob bobpass D5", 'These words do not fit "move".'),
    "a board of 19 digits": ("bob", f"unfollow bob bobpass {2**63}", "is neither the number of a board nor a player"),
    "a board of another game": ("bob", "loops move 101 bob bobpass D5", "Board 101 is a game of Cross"),
    "not your turn": ("alice", "cross move 101 alice alicepass D5", "It is not your turn: bob is to move."),
    "not your board": ("carol", "cross move 101 carol carolpass D5", "carol is not a player of board 101."),
    "an occupied cell": ("bob", "cross move 101 bob bobpass D4", "D4 is taken: O has a stone there."),
    "a cell beyond the row": ("bob", "cross move 101 bob bobpass A9", "There is no cell A9: row A holds A1-A4."),
    "a row beyond the board": ("bob", "cross move 101 bob bobpass Z1", "There is no row Z here: the rows are A to G."),
    "a letter alone": ("bob", "cross move 101 bob bobpass D", '"D" is not a cell.'),
    "a number alone": ("bob", "cross move 101 bob bobpass 44", '"44" is not a cell.'),
    "two cells": ("bob", "cross move 101 bob bobpass D5 D6", '"D5 D6" is not a cell.'),
    "no cell at all": ("bob", "cross move 101 bob bobpass D\N{GRINNING FACE}", "is not a cell."),
    "an endless number": ("bob", f"cross move 101 bob bobpass D{'9' * 60}", "is not a cell."),
    "a guard that is none": ("bob", "cross move 101 bob bobpass D5#x", '"#x" is not a ply number'),
    "an empty guard": ("bob", "cross move 101 bob bobpass D5#", '"#" is not a ply number'),
    "a guard of another ply": ("bob", "cross move 101 bob bobpass D5#7", "D5 was meant as ply 7, but ply 2 is next."),
    "a swap out of turn": ("alice", "cross swap 101 alice alicepass", "It is not your turn"),
    "an option of nothing": ("bob", "cross move 101 bob bobpass D5 -size=3", '"move" takes no options.'),
    "too few words": ("dave", "cross move 101 davepass", '"move" needs more words.'),
    "a userid of nobody": ("bob", "cross challenge bob zelda", 'There is no player "zelda" here.'),
    "an option out of range": ("bob", "cross challenge -size=99 bob alice", "a number from 2 to 10"),
    "an option twice": ("bob", "cross challenge -size=3 -size=4 bob alice", "given twice"),
    "no such ply": ("bob", "cross show 101#2", "Board 101 has the plies 0 to 1"),
    "a userid in use": ("dave", "signup ALICE davepass", 'The userid "ALICE" is taken'),
    "a userid like those of robots": ("dave", "signup Robot6 davepass", "is a name for robots"),
    "a userid that is a word of ours": ("dave", "signup resign davepass", "is a word of the server"),
    "a userid with odd characters": ("dave", "signup da,ve davepass", "cannot be a userid"),
    "a password too short": ("dave", "signup dave abc", "A password has 4 to 100 characters"),
    "a password too long": ("dave", f"signup dave {'x' * 101}", "A password has 4 to 100 characters"),
    "an address that is none": ("dave", "signup dave davepass dave", "is not an email address"),
    "help on nothing": ("dave", "help xyzzy", 'There is no help on "xyzzy".'),
    "no command": ("bob", "xyzzy plugh", '"xyzzy" is not a command.'),
    "a line that is quoted": ("bob", "> cross move 101 bob bobpass D5", '">" is not a command.'),
    "a line quoted without a blank": ("bob", ">cross move 101 bob bobpass D5", "There is no game"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_command_that_is_refused_says_why_as_the_subject_and_as_the_first_line(what: str, table: House) -> None:
    table.player("carol")
    sender, line, reason = REFUSALS[what]
    got = refused(table, lambda: table.send(sender, line))
    assert reason in " ".join(got.body.split())
    table.now += timedelta(days=1)  # strangers do not get two answers at once
    written = unchanged(table, lambda: table.send(sender, "hello", line))
    if not line.startswith(">"):  # a quoted line is not the sender's own, so the mail says nothing
        assert reason in " ".join(written[0].body.split())


@pytest.mark.parametrize("text", ["D4", "A9", "44", "D5 D6", "D5#7", "resgin", "D44"])
def test_an_answer_that_is_refused_shows_the_board(text: str, table: House) -> None:
    got = refused(table, lambda: table.answer("bob", text, 101))
    assert got["Subject"] == "Cross Board 101 alice-bob"
    assert "Cross Board 101: nothing was changed." in got.body
    assert "D- . . .(o). . ." in got.body
    assert f"> {text}" in got.body
    plays_on(table)


@pytest.mark.parametrize("subject", ["My move", "your move?", "nice games", "a quick resign"])
def test_a_subject_that_only_talks_of_moves_gives_way_to_a_command(subject: str, table: House) -> None:
    assert [got.refuses for got in table.send("bob", subject, "cross move 101 bob bobpass D5")] == [False, False]


def test_who_only_claims_to_be_a_player_is_asked(table: House) -> None:
    (asked,) = unchanged(table, lambda: table.send("bob", "cross move 101 D5"))
    assert asked["Subject"] == "pbm: was that you?"
    assert asked.address == address_of("bob")
    assert [got.refuses for got in table.answer("bob", "yes")] == [False, False]


def test_who_only_claims_to_be_a_player_is_not_asked_what_would_be_refused(table: House) -> None:
    got = refused(table, lambda: table.send("bob", "cross move 101 D4"))
    assert "D4 is taken" in got.body
    got = refused(table, lambda: table.send("alice", "cross move 101 D5"))
    assert "It is not your turn" in got.body


def test_swap_only_as_the_second_ply(table: House) -> None:
    plays_on(table)
    got = refused(table, lambda: table.answer("alice", "swap", 101))
    assert "A swap is only possible as the second ply" in got.body


def test_a_board_that_has_ended_is_not_played_on(table: House) -> None:
    plays_on(table)
    table.answer("alice", "resign!", 101)
    for act in (
        lambda: table.answer("bob", "D5", 101),
        lambda: table.answer("alice", "D6", 101),
        lambda: table.send("bob", "cross move 101 bob bobpass D5"),
    ):
        got = refused(table, act)
        assert "Board 101 has ended." in got.body
        assert "won by resignation" in got.body


def test_of_two_commands_the_first_stands_when_the_second_fails(table: House) -> None:
    lines = "cross move 101 bob bobpass D5\ncross move 999 bob bobpass D6\nhelp"
    answer = table.send("bob", "", lines)[-1]
    assert answer["Subject"] == "pbm: 1 of 3 commands done"
    order = [answer.body.index(word) for word in ("DONE:", "FAILED:", "There is no board 999.", "NOT TRIED: help")]
    assert order == sorted(order)
    assert "D- . . .(o). . ." not in table.send("bob", "cross show 101")[0].body
    assert [got.refuses for got in table.answer("alice", "D6", 101)] == [False, False]


# Tokens


def test_a_stale_answer_is_answered_with_the_present_board(table: House) -> None:
    plays_on(table)
    got = refused(table, lambda: table.answer("alice", "D6", 101, mail=1))
    assert "answers an earlier state" in got.body
    assert "D- . . . o(x). ." in got.body


def test_a_token_is_read_in_any_case(table: House) -> None:
    to = table.mailboxes[address_of("bob")][-1]["Reply-To"]
    assert len(table.send("bob", "Re: Cross Board 101 alice-bob", "D5", to=to.upper())) == 2


def forged(token: str) -> str:
    return f"pbm+{token}@{ROBOT.domain}"


@pytest.mark.parametrize("place", [0, 5, 12, -1])
def test_a_forged_token_plays_nothing(place: int, table: House) -> None:
    token = table.mailboxes[address_of("bob")][-1]["Reply-To"].removeprefix("pbm+").partition("@")[0]
    changed = [*token]
    changed[place] = "a" if token[place] != "a" else "b"
    to = forged("".join(changed))
    for body in ("D5", "move D5", "resign"):
        assert all(got.refuses for got in unchanged(table, partial(table.send, "bob", "Re: hello", body, to)))
    plays_on(table)


def test_a_token_made_with_another_secret_plays_nothing(table: House) -> None:
    token = Signer(b"guessed").seal(SeatToken(101, 2, 1, 0))
    unchanged(table, lambda: table.send("mallory@example.com", "Re: hello", "D5", to=forged(token)))
    right = Signer(bytes.fromhex(SECRET)).seal(SeatToken(101, 2, 1, 0))
    (question,) = table.send("mallory@example.com", "Re: hello", "D5", to=forged(right))
    assert question.address == address_of("bob"), "nor does the right one by itself: whose mail is it?"
    assert len(table.send("bob", "Re: hello", "D5", to=forged(right))) == 2


def test_a_token_of_one_board_is_no_good_on_another(table: House) -> None:
    table.player("carol")
    table.game("cross -size=4 carol bob", ["D4"])
    unchanged(table, lambda: table.answer("alice", "cross move 102 D5", 101))
    unchanged(table, lambda: table.answer("alice", "cross resign 102", 101))


def test_a_token_of_one_seat_is_no_good_for_the_other(table: House) -> None:
    got = refused(table, lambda: table.answer("alice", "D5", 101))
    assert "It is not your turn: bob is to move." in got.body
    unchanged(table, lambda: table.answer("alice", "cross move 101 bob D5", 101))


# Bytes


def raw(*fields: bytes, body: bytes = b"", sender: str = "bob@example.net") -> Arriving:
    return Arriving(sender, (ROBOT.address,), b"\r\n".join([b"From: " + sender.encode(), *fields, b"", body]))


HOSTILE = {
    "a subject of 100,000 characters": raw(b"Subject: " + b"A" * 100_000),
    "a subject of 30,000 characters": raw(b"Subject: " + b"help " * 6000),
    "zero bytes": raw(b"Subject: cross mo\0ve 101 bob bobpass D5\0", body=b"\0\0D5\0"),
    "nothing but zero bytes": Arriving("bob@example.net", (ROBOT.address,), b"\0" * 1000),
    "eight-bit headers": raw(b"Subject: \xe4\xf6\xfc\xff", b"In-Reply-To: <\xff\xfe@x>", b"Message-ID: <\xff@\xff>"),
    "an eight-bit password": raw(b"Subject: cross move 101 bob pa\xff\xfe\x80ss D5"),
    "eight-bit references": raw(b"References: <\xe4@x> <\xed\xa0\x80@y>", b"Subject: help"),
    "a surrogate in a subject": raw(b"Subject: =?utf-8?b?7aCA?= =?utf-16?b?2AA=?="),
    "an empty mail": Arriving("bob@example.net", (ROBOT.address,), b""),
    "no body": raw(),
    "no subject and no text": raw(b"Subject: ", body=b"\r\n\r\n"),
    "a header without end": Arriving("bob@example.net", (ROBOT.address,), b"From: bob@example.net\r\nSubject: " * 5000),
    "a bomb of parts": raw(
        b"Subject: x",
        b'Content-Type: multipart/mixed; boundary="b0"',
        body=b"".join(
            b'--b%d\r\nContent-Type: multipart/mixed; boundary="b%d"\r\n\r\n' % (depth, depth + 1)
            for depth in range(3000)
        ),
    ),
    "many parts": raw(b"Content-Type: multipart/mixed; boundary=b", body=b"--b\r\n\r\n" * 50_000),
    "an unknown charset": raw(b"Content-Type: text/plain; charset=x-unknown", b"Subject: hello", body=b"D5\xff"),
    "broken base64": raw(b"Content-Transfer-Encoding: base64", b"Subject: hello", body=b"!!!not base64=="),
    "utf-16": raw(b"Content-Type: text/plain; charset=utf-16", b"Subject: hello", body="D5".encode("utf-16")),
    "a sender who is a trick": raw(b"Subject: help", sender="(((((((((("),
    "no sender": Arriving("", (ROBOT.address,), b"Subject: help\r\n\r\n"),
    "two senders": raw(b"From: alice@example.net", b"Subject: cross move 101 D5"),
    "line ends of all kinds": raw(b"Subject: hello", body=b"D5\rD6\nD7\n\rresign\x0bswap\x85"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_bytes_change_nothing(what: str, table: House) -> None:
    got = unchanged(table, lambda: table.deliver(HOSTILE[what]))
    assert len(got) <= 1
    unread = table.inbox_row.reason.startswith("reject: ")
    assert table.inbox_row.state in ((Arrival.PARKED,) if unread else (Arrival.HANDLED, Arrival.IGNORED))
    plays_on(table)


@on_one_house
@given(head=st.binary(max_size=300), body=st.binary(max_size=300))
def test_no_bytes_stop_the_service(table: House, head: bytes, body: bytes) -> None:
    mail = b"From: x@example.com\r\nSubject: " + head + b"\r\n\r\n" + body
    unchanged(table, lambda: table.deliver(Arriving("x@example.com", (ROBOT.address,), mail)))


@on_one_house
@given(text=st.text(max_size=80), subject=st.text(st.characters(codec="utf-8"), max_size=80))
def test_no_text_stops_the_service(table: House, text: str, subject: str) -> None:
    content = f"From: x@example.com\r\nSubject: {' '.join(subject.split())}\r\n\r\n{text}"
    raw_mail = content.encode(errors="surrogatepass")
    unchanged(table, lambda: table.deliver(Arriving("x@example.com", (ROBOT.address,), raw_mail)))


# Passwords

ODD = [
    "a\"b'c;d",
    "pass#word",
    "pass--word",
    "%s%n{}{{x}}",
    "ÄÖÜ€ß",
    "[brackets]",
    "<angles>",
    "p:a:s:s",
    "x,y.z!",
    "1234567",
]


@pytest.mark.parametrize("password", ODD)
def test_a_password_may_hold_odd_characters(password: str, house: House) -> None:
    house.player("alice")
    house.send("bob", f"signup bob {password}")
    house.answer("bob", "yes")
    house.game("cross -size=4 bob alice")
    assert len(house.send("bob", f"cross move 101 bob {password} D4")) == 2
    refused(house, lambda: house.send("bob", f"cross move 101 bob {password}x D5"))
    refused(house, lambda: house.send("bob", f"cross move 101 bob {password} D5"))
    assert not [got for box in house.mailboxes.values() for got in box if password in got.body]


def test_a_password_that_looks_like_an_option_is_refused_unsaid(house: House) -> None:
    got = refused(house, lambda: house.send("bob", "signup bob --geheim"))
    assert "geheim" not in got.text
