"""Mails of real programs, all the way through the server: no unwanted move, none lost, no noise."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from itertools import chain, islice

import pytest

from pbm.domain.configuration import Limits
from pbm.mailin import Action
from pbm.server import Arriving, Settings
from tests.conversation import ROBOT, House, address_of
from tests.mailin import clients
from tests.mailin.test_corpus import CORPUS, INDEX, mail

COMMENT = "Good luck! See you at 10:30."
EVERY = 23
"""The styles of one in so many clients are tried here; the tests of reading try them all."""


@pytest.mark.skipif(not INDEX.is_file(), reason=f"no corpus at {CORPUS}")
@pytest.mark.parametrize("answers_a_board", [True, False])
def test_no_real_mail_moves_a_piece_or_meets_a_fault(answers_a_board: bool, new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(answers_per_hour=1000)))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    before = house.dump()
    to = house.mailboxes[address_of("bob")][-1]["Reply-To"] if answers_a_board else ROBOT.address
    with INDEX.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    rejected = 0
    for row in rows:
        raw = mail(CORPUS / row["file"])
        got = house.deliver(Arriving("somebody@example.com", (to,), raw))
        if Action(row["action"]) not in (Action.REPLY, Action.HELP):
            assert got == [], row["file"]
        assert {mail.address for mail in got} <= {address_of("bob")} or not answers_a_board
        assert house.dump() == before, row["file"]
        rejected += row["action"] == Action.REJECT
        assert [mail.reason.partition(":")[0] for mail in house.parked()] == ["reject"] * rejected, row["file"]


def answers(own: str, ours: str) -> Iterator[tuple[str, str]]:
    """Subtypes and texts of an answer, in the style of one client after another."""
    plain = (("plain", text) for _, text in islice(clients.plain(own, ours), 0, None, EVERY))
    html = (("html", text) for _, text in islice(clients.html(own, ours), 0, None, EVERY))
    return chain(plain, html)


def test_an_answer_plays_and_only_its_writers_words_are_passed_on(new_house: Callable[..., House]) -> None:
    limits = Limits(scale=100)
    house = new_house(Settings(ROBOT, limits))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    ours = house.mailboxes[address_of("bob")][-1].body
    for number, (kind, text) in enumerate(answers(f"D5\n{COMMENT}", ours), 1):
        board = house.send("alice", "cross challenge bob alice -size=4")[0].board
        asked = next(got for got in reversed(house.mailboxes[address_of("bob")]) if got.board == board)
        head = {"From": address_of("bob"), "To": asked["Reply-To"], "Subject": f"Re: {asked['Subject']}"}
        fields = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        content = f"{fields}Message-ID: <{number}@x>\r\nContent-Type: text/{kind}; charset=utf-8\r\n\r\n{text}"
        mails = house.deliver(Arriving(address_of("bob"), (asked["Reply-To"],), content.encode()))
        told = next((got for got in mails if got.address == address_of("alice")), None)
        assert told is not None, text
        assert "bob played D5." in told.body, text
        said = told.body.partition("bob writes:")[2].partition("##-")[0]
        assert said.split() == COMMENT.split(), text
