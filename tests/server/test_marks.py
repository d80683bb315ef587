"""To obey and to answer are two decisions: whatever mark a mail bears, a player's clean move is played."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import pytest

from pbm.domain.mail import Arrival
from pbm.mailin.silence import LOOP_HEADER
from pbm.server import Arriving
from tests.conversation import ROBOT, Got, House, address_of, record

RELAYS = (
    "X-Auto-Response-Suppress: OOF, DR, RN, NRN",
    "X-Auto-Response-Suppress: All",
    "Precedence: bulk",
    "Precedence: list",
    "Precedence: junk",
    "List-Unsubscribe: <mailto:x@relay.example>",
    "List-Id: <x.relay.example>",
    "Mailing-List: x",
    "X-Campaignid: 7",
    "X-Spam-Flag: YES",
    "X-Spam-Status: Yes, score=9",
)
RESPONDERS = (
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated",
    "Auto-Submitted: auto-replied (vacation)",
    "Precedence: auto_reply",
    "X-Auto-Generated: 1",
    "X-Autoreply: yes",
    "X-Autorespond: x",
    "X-Apple-Action: VACATION",
    "X-Failed-Recipients: x@relay.example",
    "X-Post-MessageClass: 9; Autoresponder",
    "Subject: Automatic reply: Board 101",
    "Subject: AUTO: Bob is out of the office",
)
PATHS = ("", "games-bounces@relay.example", "relay-bounce@relay.example", "owner-x@relay.example", "MAILER-DAEMON")
OTHER_WORDS = (
    "I am out of the office until Monday. In urgent cases, write to Ann.",
    "Thank you for your message.",
    "Thanks!",
    "I resign from my post at the end of the month.",
    "This is the mail system. I could not deliver your message.",
    "yes, I will answer on Monday",
    "",
)

MOVES = (
    "C4\n\nhelp cross",
    "C4\n\nnote she is weak",
    "C4\n\nset mail text",
    "C4\n\nvacation 2026-03-01 2w",
    "C4, thanks",
    "C4 please",
    "C4 - hello",
    "C4 \N{THUMBS UP SIGN}",
    "Hi Alice,\n\nC4\n\nCheers,\nBob",
    "I play C4",
)
"""Mails that surely play, whatever stands around the move."""
PROOFS = "vouched", "password", "player's token"
"""Each with some of the marks: which mark it is counts only before anybody looks for a proof."""
VOUCHED = f"Authentication-Results: {ROBOT.authserv_id}; dkim=pass header.d=example.net"


def bearing(mail: Arriving, mark: str) -> Arriving:
    """The mail with a field on top, in place of its own of that name."""
    name = mark.partition(":")[0].encode()
    lines = [line for line in mail.raw.split(b"\r\n") if not line.startswith(name + b":")]
    return replace(mail, raw=b"\r\n".join([mark.encode(), *lines]))


def repliers(mails: list[Got]) -> set[str]:
    return {got.address for got in mails}


@pytest.mark.parametrize("mark", RELAYS)
def test_a_relays_mark_changes_nothing_for_a_move(mark: str, table: House) -> None:
    mails = table.deliver(bearing(table.answering("bob", "C4\n\nGood luck!", 101), mark))
    assert record(table) == ["D4", "C4"]
    assert repliers(mails) == {address_of("alice"), address_of("bob")}
    assert any("Good luck!" in got.body for got in mails if got.address == address_of("alice"))


@pytest.mark.parametrize("mark", RESPONDERS)
def test_a_responders_mark_only_withholds_the_answer(mark: str, table: House) -> None:
    mails = table.deliver(bearing(table.answering("bob", "C4", 101), mark))
    assert record(table) == ["D4", "C4"]
    assert repliers(mails) == {address_of("alice")}


def a_board_for_each(house: House) -> None:
    house.players("alice", "bob")
    for _ in MOVES:
        house.game("cross -size=4 alice bob", ["D4"])


@pytest.mark.parametrize(("number", "mark"), [*enumerate([*RELAYS, *RESPONDERS])])
def test_whatever_stands_around_a_move_it_is_played(number: int, mark: str, house: House) -> None:
    """Every second one with a mark, the others with the next."""
    house.lived(a_board_for_each)
    for board, words in [*enumerate(MOVES, 101)][number % 2 :: 2]:
        house.deliver(bearing(house.answering("bob", words, board), mark))
        assert record(house, board) == ["D4", "C4"], words


@pytest.mark.parametrize(("proof", "mark"), [*zip(cycle(PROOFS), RELAYS, strict=False)])
def test_any_proof_plays(proof: str, mark: str, table: House) -> None:
    if proof == "player's token":
        table.send("bob", "list")
        mail = table.answering("bob", "101 C4")
    elif proof == "password":
        mail = table.mail("bob", "cross move 101 bob bobpass C4")
    else:
        mail = bearing(table.mail("bob", "cross move 101 C4"), VOUCHED)
    mails = table.deliver(bearing(mail, mark))
    assert record(table) == ["D4", "C4"]
    assert repliers(mails) == {address_of("alice"), address_of("bob")}


def test_a_wrong_password_proves_nothing(table: House) -> None:
    wrong = bearing(table.mail("bob", "cross move 101 bob wrongpass C4"), RELAYS[0])
    assert len(table.deliver(wrong)) == 1
    assert record(table) == ["D4"]
    again = bearing(table.mail("bob", "cross move 101 bob wrongpass C4"), RELAYS[0])
    assert table.deliver(again) == [], "one answer a ply, for it may be a machine's"


@pytest.mark.parametrize(("words", "mark"), [*zip(cycle(["yes", "Yes, please."]), RELAYS, strict=False)])
def test_an_answer_to_a_boards_question_counts(words: str, mark: str, table: House) -> None:
    (asked,) = table.deliver(bearing(table.answering("bob", "resign", 101), mark))
    assert "yes" in asked.body
    table.deliver(bearing(table.answering("bob", words, 101), mark))
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.result is not None


@pytest.mark.parametrize("mark", RELAYS)
def test_an_answer_to_a_question_of_ours_counts(mark: str, table: House) -> None:
    (asked,) = table.send("bob", "move 101 C4")
    assert asked["Subject"] == "pbm: was that you?"
    assert table.deliver(bearing(table.answering("bob", "I am away until Monday."), mark)) == []
    table.deliver(bearing(table.answering("bob", "yes"), mark))
    assert record(table) == ["D4", "C4"]


@pytest.mark.parametrize("mark", RESPONDERS)
def test_a_responder_answers_no_question(mark: str, table: House) -> None:
    table.send("bob", "move 101 C4")
    assert table.deliver(bearing(table.answering("bob", "yes"), mark)) == []
    assert record(table) == ["D4"]


def test_two_vouched_programs_come_to_an_end(table: House) -> None:
    """They answer every mail with the same move behind a relay; bob's is not legal, alice has no turn."""

    def answered(player: str, words: str) -> list[Got]:
        return table.deliver(bearing(bearing(table.mail(player, words), VOUCHED), RELAYS[0]))

    rounds = [answered(*turn) for _ in range(5) for turn in (("bob", "move 101 Z99"), ("alice", "move 999 Z99"))]
    assert rounds[4:] == [[]] * 6


@pytest.mark.parametrize("path", PATHS)
def test_no_return_path_keeps_a_move_from_being_played(path: str, table: House) -> None:
    table.deliver(replace(table.answering("bob", "C4", 101), mail_from=path))
    assert record(table) == ["D4", "C4"]


@pytest.mark.parametrize("words", ["resign!", "resign", "pass", "draw", "undo"])
@pytest.mark.parametrize("mark", [RELAYS[0], RESPONDERS[0]])
def test_commands_count_as_moves_do(words: str, mark: str, house: House) -> None:
    for number, marked in enumerate((False, True), 101):
        if not marked:
            house.players("alice", "bob")
        house.game("cross -size=4 alice bob", ["D4"])
        mail = house.answering("bob", words, number)
        house.deliver(bearing(mail, mark) if marked else mail)
    with house.service.store.read() as tx:
        boards = [tx.matches.load(board) for board in (101, 102)]
    plain, marked_too = ((board.result, board.record.notations, board.revision) for board in boards if board)
    assert plain == marked_too


@pytest.mark.parametrize("mark", [*RELAYS, *RESPONDERS])
def test_of_a_marked_notice_nothing_comes(mark: str, table: House) -> None:
    before = table.dump()
    for words in OTHER_WORDS:
        assert table.deliver(bearing(table.answering("bob", words, 101), mark)) == [], words
        assert table.dump() == before, words


@pytest.mark.parametrize("mark", [*RELAYS, *RESPONDERS])
def test_nothing_is_played_where_nothing_is_proven(mark: str, table: House) -> None:
    assert table.deliver(bearing(table.mail("bob", "move 101 C4"), mark)) == []
    assert record(table) == ["D4"]


def test_our_own_mail_never_plays(table: House) -> None:
    table.deliver(bearing(table.answering("bob", "C4", 101), f"{LOOP_HEADER}: example.org"))
    assert record(table) == ["D4"]


def test_a_move_ignored_for_its_mark_is_counted(table: House) -> None:
    mail = table.mail("bob", "Re: Cross Board 101 alice-bob", "C4", In_Reply_To="<unknown@elsewhere.example>")
    table.deliver(bearing(mail, RELAYS[0]))
    assert table.inbox_row.reason == "move: not played, X-Auto-Response-Suppress"
    with table.service.store.read() as tx:
        assert tx.inbox.verdicts(["move"]) == {"move": 1}


def test_an_illegal_move_through_a_relay_is_refused_once_a_ply(table: House) -> None:
    """A person must hear of it; a machine that answers every mail with the same must not be answered for ever."""
    (got,) = table.deliver(bearing(table.answering("bob", "Z99", 101), RELAYS[0]))
    assert got.refuses
    assert table.deliver(bearing(table.answering("bob", "Z99", 101), RELAYS[0])) == []


def test_no_number_of_a_board_is_too_long_to_be_ignored(table: House) -> None:
    """A database that cannot hold it would have made the mail our fault."""
    assert table.send("mallory@example.com", "cross show 99999999999999999999", "hi", Precedence="list") == []
    assert table.inbox_row.state is Arrival.IGNORED
