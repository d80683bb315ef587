"""Whoever answers "to all" answers a player's own mail, with that player's token: they never act for the player.

At the table, bob is to move.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbm.server import Arriving
from tests.conversation import ROBOT, Got, House, address_of, record

CAROL = "carol@elsewhere.example"
VOUCHED = f"{ROBOT.authserv_id}; dkim=pass header.d=example.net"


def to_all(house: House, sender: str, text: str, **headers: str) -> Arriving:
    """The answer "to all" to the mail that came in last: to its address, with its Message-ID in In-Reply-To."""
    assert house.last is not None
    head = house.last.raw.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in head)
    return house.mail(
        sender,
        fields["Subject"],
        f"{text}\n\nOn Thursday, 1 January 2026, Bob <bob@example.net> wrote:\n> C4\n",
        to=fields["To"],
        In_Reply_To=fields["Message-ID"],
        References=f"{fields['References']} {fields['Message-ID']}",
        **headers,
    )


def subjects(mails: list[Got]) -> dict[str, str]:
    return {got.address: got["Subject"] for got in mails}


def result(house: House) -> object:
    with house.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    return match.result


@pytest.mark.parametrize("words", ["resign!", "C4", "chat hello", "pass", "undo", "board 101: C4"])
def test_the_opponent_does_nothing_for_the_player(words: str, table: House) -> None:
    table.answer("bob", "B2", 101)
    before = record(table)
    mails = table.deliver(to_all(table, "alice", words))
    assert record(table) == before
    assert result(table) is None
    assert set(subjects(mails)) <= {address_of("alice")}


def test_the_opponents_own_move_counts_if_their_mail_server_proves_them(table: House) -> None:
    table.answer("bob", "B2", 101)
    table.deliver(to_all(table, "alice", "C4", Authentication_Results=VOUCHED))
    assert record(table)[-2:] == ["B2", "C4"]


def test_the_opponents_own_move_is_asked_about_without_proof(table: House) -> None:
    table.answer("bob", "B2", 101)
    mails = table.deliver(to_all(table, "alice", "C4"))
    assert subjects(mails) == {address_of("alice"): "pbm: was that you?"}
    table.answer("alice", "yes")
    assert record(table)[-2:] == ["B2", "C4"]


def test_both_mails_may_wait_together(table: House) -> None:
    """As after the server was down: the answer is read before the player's mail is handled."""
    first = table.answering("bob", "B2", 101)
    table.last = first
    table.service.accept([first, to_all(table, "alice", "C4"), to_all(table, CAROL, "D4")])
    while table.service.handle():
        pass
    assert record(table)[-1] == "B2"


@pytest.mark.parametrize("vouched", [False, True])
def test_somebody_elses_opinion_is_not_played_but_the_player_is_asked(vouched: bool, table: House) -> None:
    table.player("carol")
    table.answer("bob", "How would you go on?", 101)
    before = record(table)
    headers = {"Authentication_Results": VOUCHED} if vouched else {}
    mails = table.deliver(to_all(table, "carol", "C4", **headers))
    assert record(table) == before
    (got,) = mails
    assert (got.address, got["Subject"]) == (address_of("bob"), "pbm: carol@example.net answered your email")
    assert "C4" in got.body
    assert "101" in got.body
    table.answer("bob", "yes")
    assert record(table) == [*before, "C4"]


def test_references_alone_tell_whose_mail_is_answered(table: House) -> None:
    """Some programs write no In-Reply-To: the last of References is what they answer."""
    table.answer("bob", "How would you go on?", 101)
    before = record(table)
    mail = to_all(table, CAROL, "C4")
    table.deliver(replace(mail, raw=mail.raw.replace(b"In-Reply-To:", b"X-Answered:")))
    assert record(table) == before


ANSWERED = (
    "",
    "In-Reply-To: <unknown@example.net>\r\nReferences: {ours} <unknown@example.net>\r\n",
    "In-Reply-To: {theirs}\r\n",
    "In-Reply-To: {ours} <{theirs}>\r\n",
    "In-Reply-To: =?utf-8?q?=3C{theirs}=3E?=\r\nReferences: {ours} <{theirs}>\r\n",
    "In-Reply-To: <m ail{theirs}>\r\nReferences: {ours}\r\n",
)
"""How an answer to a player's mail names it: not at all, as a mail that has not come yet, and oddly."""


@pytest.mark.parametrize("fields", ANSWERED)
def test_only_who_names_a_mail_of_ours_answers_us(fields: str, table: House) -> None:
    ours = [got for got in table.mailboxes[address_of("bob")] if got.board == 101][-1]["Message-ID"]
    table.answer("bob", "How would you go on?", 101)
    before = record(table)
    mail = to_all(table, CAROL, "C4")
    own = dict(line.split(b": ", 1) for line in mail.raw.partition(b"\r\n\r\n")[0].split(b"\r\n"))
    named = fields.format(ours=ours, theirs=own[b"In-Reply-To"].decode().strip("<>")).encode()
    lines = [line for line in mail.raw.split(b"\r\n") if not line.startswith((b"In-Reply-To", b"References"))]
    mails = table.deliver(replace(mail, raw=named + b"\r\n".join(lines)))
    assert record(table) == before
    assert subjects(mails) == {address_of("bob"): f"pbm: {CAROL} answered your email"}


@pytest.mark.parametrize("fields", ["=?utf-8?q?=3C{}=3E?=", "{}", "<{}>", "Your message of Monday <{}>"])
def test_a_redirected_mailbox_may_name_ours_oddly(fields: str, table: House) -> None:
    mail = table.answering(CAROL, "C4", 101, of="bob")
    ours = table.mailboxes[address_of("bob")][-1]["Message-ID"].strip("<>")
    lines = [line for line in mail.raw.split(b"\r\n") if not line.startswith((b"In-Reply-To", b"References"))]
    named = f"In-Reply-To: {fields.format(ours)}\r\n".encode()
    table.deliver(replace(mail, raw=named + b"\r\n".join(lines)))
    assert record(table)[-1] == "C4"


def test_a_tap_on_a_link_plays_from_the_players_address_only(table: House) -> None:
    """Such a mail names no mail that it answers."""
    reply_to = table.mailboxes[address_of("bob")][-1]["Reply-To"]
    mails = table.send(CAROL, "C4", to=reply_to)
    assert subjects(mails) == {address_of("bob"): f"pbm: {CAROL} answered your email"}
    assert record(table) == ["D4"]
    table.send("bob", "C4", to=reply_to)
    assert record(table) == ["D4", "C4"]


@pytest.mark.parametrize("sender", ["alice+games@example.net", CAROL])
def test_whose_move_does_not_count_for_an_unknown_address_is_told(sender: str, table: House) -> None:
    """Alice is to move, and answers bob's mail from an address of hers that we do not know."""
    table.answer("bob", "B2\n\nWhat do you say?", 101)
    before = record(table)
    mails = table.deliver(to_all(table, sender, "C4"))
    assert set(subjects(mails)) == {sender}
    assert "from an address that no player of this board has confirmed" in " ".join(mails[0].body.split())
    assert record(table) == before
    more = [got for _ in range(20) for got in table.deliver(to_all(table, sender, "C4"))]
    assert len(more) <= 10


def test_behind_a_relay_the_player_is_asked_as_well(table: House) -> None:
    table.answer("bob", "How would you go on?", 101)
    mails = table.deliver(to_all(table, CAROL, "C4", X_Spam_Flag="YES"))
    assert subjects(mails) == {address_of("bob"): f"pbm: {CAROL} answered your email"}


@pytest.mark.parametrize(
    ("words", "played"),
    [
        ("Yes, C4", "C4"),
        ("C4", "C4"),
        ("ok C4", "C4"),
        ("c4!", "C4"),
        ("yes please play it", "C4"),
        ("B3", "B3"),
        ("I'll take B3 instead", "B3"),
        ("B3\n\nWell, Bob here.", "B3"),
        ("C4?", ""),
        ("Who is carol?", ""),
        ("No, C4 is bad", ""),
    ],
)
def test_the_player_answers_the_question_as_any_board(words: str, played: str, table: House) -> None:
    table.answer("bob", "How would you go on?", 101)
    before = record(table)
    for _ in range(2):
        table.deliver(to_all(table, CAROL, "C4"))
    question = len(table.mailboxes[address_of("bob")])
    for _ in range(2):
        mails = table.answer("bob", words, mail=question)
        assert record(table) == [*before, *filter(None, [played])]
        assert address_of("bob") in subjects(mails)
        assert played or address_of("alice") not in subjects(mails)
        if played:
            break


def test_the_player_may_say_no(table: House) -> None:
    table.answer("bob", "How would you go on?", 101)
    before = record(table)
    table.deliver(to_all(table, CAROL, "C4"))
    table.answer("bob", "no")
    assert record(table) == before


@pytest.mark.parametrize("words", ["Nice game, you two!", "Z99", "list", "set mail text", "yes", ""])
def test_of_other_words_nothing_comes(words: str, table: House) -> None:
    table.answer("bob", "How would you go on?", 101)
    before = table.dump()
    mails = table.deliver(to_all(table, CAROL, words))
    assert table.dump() == before
    assert not [got for got in mails if got.address == CAROL]


def test_the_player_is_not_asked_for_ever(table: House) -> None:
    table.answer("bob", "How would you go on?", 101)
    asked = [table.deliver(to_all(table, CAROL, "C4")) for _ in range(20)]
    assert 1 <= sum(map(len, asked)) <= 5


def test_the_player_may_answer_their_own_mail(table: House) -> None:
    table.answer("bob", "How would you go on?", 101)
    table.deliver(to_all(table, "bob", "C4"))
    assert record(table)[-1] == "C4"


def test_a_redirected_mailbox_plays_as_before(table: House) -> None:
    table.answer(CAROL, "C4", 101, of="bob")
    assert record(table)[-1] == "C4"


def test_a_message_id_of_ours_is_nobody_elses(table: House) -> None:
    """A stranger who gives their mail the id of ours keeps nobody from answering ours."""
    ours = [got for got in table.mailboxes[address_of("bob")] if got.board == 101][-1]["Message-ID"]
    table.send("mallory@elsewhere.example", "help", Message_ID=ours)
    table.answer(CAROL, "C4", 101, of="bob")
    assert record(table)[-1] == "C4"


def test_two_mails_with_one_message_id_are_two(table: House) -> None:
    """A stranger who knows which Message-ID the player's mail will have cannot make it a repetition."""
    one_id = "<one@example.net>"
    table.send("mallory@elsewhere.example", "help", From="bob@example.net", Message_ID=one_id)
    mail = table.answering("bob", "C4", 101)
    table.deliver(replace(mail, raw=mail.raw.replace(b"<mail-", b"<one@example.net> <mail-", 1)))
    assert record(table)[-1] == "C4"


def test_one_mail_to_two_boards_plays_on_both(table: House) -> None:
    table.game("cross -size=4 alice bob", ["D4"])
    mails = [table.answering("bob", "C4", board) for board in (101, 102)]
    for mail in mails:
        head, _, text = mail.raw.partition(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Message-ID")]
        table.deliver(replace(mail, raw=b"\r\n".join([*lines, b"Message-ID: <one@example.net>", b"", text])))
    assert record(table, 101)[-1] == record(table, 102)[-1] == "C4"


def test_the_same_mail_by_another_way_is_one(table: House) -> None:
    mail = table.answering("bob", "chat hello", 101)
    assert table.deliver(mail)
    assert table.deliver(replace(mail, raw=b"Received: from a.example by b.example; now\r\n" + mail.raw)) == []
    assert table.deliver(replace(mail, raw=mail.raw.replace(b"Subject: ", b"Subject: [EXT] "))) == []
