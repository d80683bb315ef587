"""What a mail may act on, by what it shows: the table of proofs, tried out mail in, mail out."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from itertools import cycle
from pathlib import Path

import pytest
from sqlalchemy import select

from pbm.server.senders import PROOFS
from pbm.store.tables import attempts
from tests.conversation import Got, House, address_of, record

ACTS = (
    "message carol\n\nI resign from all.",
    "broadcast\n\nCome and play elsewhere.",
    "block bob",
    "set challenges none",
    "cross challenge alice carol",
    "cross challenge me carol",
    "tournament create cup swiss cross",
    "set hold 5m",
    "remind off",
    "vacation 2026-02-01 1w",
    "revoke",
    "follow bob",
    "cross seek 2",
    "erase me",
    "signoff",
    "102 resign",
    "rematch 102",
    "chat 102\n\nI am alice.",
    "note 102\n\nI am alice.",
    "why 102",
    "review 102",
    "showas 102",
    "showas me active",
    "showas",
    "calendar 102",
    "calendar all",
    "export",
    "export 101",
    "puzzle",
    "test display",
    "password evilpass1",
    "add eve@mallory.example",
    "rename mallory",
    "delete",
)
"""What a player's word alone brings about, beyond the board whose mail is answered."""
OF_A_MOVE = {"matches", "plies", "paces", "remarks"}
"""The tables that a move with words below it changes."""
AT_ONCE = {"showas", "erase me"}
"""What is about the board that is answered, and what asks for help where it stands below a move."""
VERDICTS = {
    "none": "",
    "dmarc fails": "dmarc=fail header.from=example.net",
    "spf fails": "spf=fail smtp.mailfrom=example.net",
    "both fail": "spf=fail smtp.mailfrom=example.net; dmarc=fail header.from=example.net",
    "passed": "dkim=pass header.d=example.net",
}


def send(house: House, text: str, verdict: str, mail: int = 0, board: int | None = 101) -> list[Got]:
    """A mail with alice's From and the token of a mail that she got, judged by our own mail server."""
    answer = house.answering("alice", text, board, mail=mail)
    field = f"Authentication-Results: mx.example.org; {VERDICTS[verdict]}\r\n".encode() if VERDICTS[verdict] else b""
    return house.deliver(replace(answer, raw=field + answer.raw))


@pytest.mark.parametrize("verdict", ["none", "dmarc fails", "spf fails", "both fail"])
def test_the_token_of_a_board_and_a_forged_from_act_on_nothing_else(verdict: str, table: House) -> None:
    """A board mail that its player has forwarded: all of these were done in her name."""
    table.player("carol")
    table.game("cross -size=4 alice bob")
    for act in ACTS:
        before = table.dump()
        mails = send(table, act, verdict, mail=1)
        assert table.dump() == before, act
        # Whom else it concerns hears at most what a stranger could have asked for, too.
        assert {got.address for got in mails} <= {address_of("alice"), address_of("carol")}, act
        heard = [got["Subject"] for got in mails if got.address == address_of("carol")]
        assert all("would like to play" in subject or "challenge" in subject for subject in heard), (act, heard)


@pytest.mark.parametrize(
    ("verdict", "act"), [*zip(cycle(["none", "dmarc fails"]), sorted({*ACTS} - AT_ONCE), strict=False)]
)
def test_nor_do_they_below_a_move(verdict: str, act: str, table: House) -> None:
    """Her move is hers, whoever sends it, but it is no proof of what stands below it."""
    table.player("carol")
    table.game("cross -size=4 alice bob")
    table.answer("bob", "C4", 101)
    before = table.dump()
    mails = send(table, f"C3\n{act}", verdict)
    assert record(table) == ["D4", "C4", "C3"]
    changed = {name for name, rows in table.dump().items() if rows != before[name]}
    assert changed <= OF_A_MOVE
    others = {got["Subject"] for got in mails if got.board != 101}
    assert others <= {"pbm: was that you?", "pbm: choose a password"} | {got["Subject"] for got in mails if got.refuses}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_on_its_own_board_it_acts_whatever_from_says(verdict: str, table: House) -> None:
    table.answer("bob", "C4", 101)
    send(table, "C3", verdict)
    assert record(table) == ["D4", "C4", "C3"]


def test_what_our_mail_server_passes_acts_at_once(table: House) -> None:
    assert [got["Subject"] for got in send(table, "set mail text", "passed")] == ["pbm: your settings"]


@pytest.mark.parametrize("verdict", ["none", "passed"])
def test_an_answer_to_a_mail_to_the_player_acts_at_once(verdict: str, house: House) -> None:
    house.player("alice")
    house.send("alice", "help")
    house.wait(timedelta(days=13))
    assert [got["Subject"] for got in send(house, "set mail text", verdict, board=None)] == ["pbm: your settings"]


@pytest.mark.parametrize("verdict", ["dmarc fails", "spf fails"])
def test_unless_our_mail_server_says_that_it_is_not_from_there(verdict: str, house: House) -> None:
    house.player("alice")
    house.send("alice", "help")
    (asked,) = send(house, "set mail text", verdict, board=None)
    assert asked["Subject"] == "pbm: was that you?"
    (got,) = house.answer("alice", "yes")
    assert got["Subject"] == "pbm: your settings"


def test_a_mail_to_the_player_proves_them_for_two_weeks_and_at_the_address_it_went_to(house: House) -> None:
    house.player("alice")
    with house.service.store.write() as tx:
        alice = tx.players.find("alice")
        assert alice is not None
        tx.players.add_address(alice.id, "alice@work.example", house.now, confirmed=True)
    (home,) = house.send("alice", "set alice alicepass mail text")[:1]
    with house.service.store.write() as tx:
        tx.players.add_address(alice.id, "alice@new.example", house.now, confirmed=True)
    mail = house.mail("alice@new.example", "set picture off", to=home["Reply-To"])
    (asked,) = house.deliver(mail)
    assert asked["Subject"] == "pbm: was that you?", "it was never mailed there"
    mail = house.mail("alice@work.example", "set picture off", to=home["Reply-To"])
    assert {got["Subject"] for got in house.deliver(mail)} == {"pbm: your settings"}
    house.wait(timedelta(days=15))
    late = house.mail("alice", "set picture on", to=home["Reply-To"])
    assert all(got.refuses or got["Subject"] == "pbm: was that you?" for got in house.deliver(late))


def test_a_move_does_not_wait_for_what_needs_more_proof(table: House) -> None:
    table.answer("bob", "C4", 101)
    mails = send(table, "C3\nset mail text", "none")
    assert record(table) == ["D4", "C4", "C3"]
    assert [got["Subject"] for got in mails if "was that you" in got["Subject"]] == ["pbm: was that you?"]
    place = [got["Subject"] for got in table.mailboxes[address_of("alice")]].index("pbm: was that you?")
    assert any(got["Subject"] == "pbm: your settings" for got in table.answer("alice", "yes", mail=place + 1))


def test_what_stands_below_a_move_draws_as_what_proves_nothing(table: House) -> None:
    """Else whoever has a forwarded board mail would use up what its player may have others asked."""
    table.answer("bob", "C4", 101)
    send(table, "C3\nsignup somebody secret-word victim@elsewhere.example", "none")
    about = attempts.c.kind == "question domain"
    with table.service.store.read() as tx:
        drawn = tx._connection.execute(select(attempts.c.subject).where(about)).scalars().all()
    assert drawn == ["elsewhere.example unproven"]


def test_a_fourth_question_is_refused_with_until_when(table: House) -> None:
    for _ in range(4):
        (got,) = table.send("alice", "block bob")
    told = " ".join(got.body.split())
    until = f"{table.now + timedelta(hours=8):%Y-%m-%d}"
    assert 'questions "was that you?" to one player are limited to 3 a day. Try again after ' + until in told
    assert "block USERID PASSWORD" in told, "or prove it"


def test_a_move_above_what_is_refused_for_want_of_proof_is_told_as_done(table: House) -> None:
    for _ in range(3):
        table.send("alice", "block bob")
    table.answer("bob", "C4", 101)
    got = send(table, "C3\nblock bob\nexport", "none")[-1]
    told = " ".join(got.body.split())
    assert "nothing was changed" not in told
    assert re.search("DONE: C3 .*FAILED: block bob Too much for now: .* NOT TRIED: export", told), told


def test_no_refusal_names_a_limit_without_until_when() -> None:
    """One class makes that sentence."""
    pages = [*Path("pbm/core").rglob("*.py"), *Path("pbm/server").rglob("*.py"), *Path("pbm/features").rglob("*.py")]
    limiting = re.compile("Too much for now|Try again|once a day, and|are limited to")
    telling = {path.name for path in pages if limiting.search(path.read_text())}
    assert telling == {"limits.py", "export.py"}, "export counts what it sent; all others draw from buckets"


def test_the_page_for_operators_prints_the_table() -> None:
    page = Path("docs/security.md").read_text()
    rows = [f"| {clue.value} | {worth.reach.value} | {worth.failed.value} |" for clue, worth in PROOFS.items()]
    assert "\n".join(rows) in page
