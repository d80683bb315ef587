"""A renewed secret: older mails count as long as they should, in every process, and no longer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbm.domain.mail import Arrival
from pbm.server.operator import Administration
from pbm.store import Store
from tests.conversation import House, address_of

OVERLAP = timedelta(days=30)


def rotate(house: House, overlap: timedelta = OVERLAP) -> None:
    """Renew the secret as another process does, while the server runs."""
    store = Store(house.url)
    store.rotate_secret(house.now, house.now + overlap)
    store.close()


def test_an_older_mail_plays_during_the_overlap_and_the_next_is_sealed_anew(table: House) -> None:
    before = table.mailboxes[address_of("bob")][-1]["Reply-To"]
    rotate(table)
    mails = table.answer("bob", "C4", 101)
    assert any("bob played C4" in got.body for got in mails)
    board = table.mailboxes[address_of("alice")][-1]["Reply-To"]
    rotate(table)
    rotate(table)
    assert any("alice played C3" in got.body for got in table.answer("alice", "C3", 101))
    assert len({before, board, table.mailboxes[address_of("bob")][-1]["Reply-To"]}) == 3


@pytest.mark.parametrize("sender", ["bob", "eve@elsewhere.example"])
def test_after_the_overlap_an_older_mail_plays_nothing(sender: str, table: House) -> None:
    rotate(table)
    table.now += OVERLAP
    before = table.dump()["plies"]
    mails = table.answer(sender, "C4", 101, of="bob")
    assert table.dump()["plies"] == before
    assert mails
    assert all(got.address == address_of(sender) for got in mails)


def test_whoever_answers_too_late_is_asked_and_goes_on(table: House) -> None:
    rotate(table)
    table.now += OVERLAP
    (asked,) = table.answer("bob", "C4", 101)
    assert asked["Subject"] == "pbm: was that you?"
    assert any("bob played C4" in got.body for got in table.answer("bob", "yes"))


def test_a_later_rotation_can_shorten_the_overlap_but_not_lengthen_it(table: House) -> None:
    rotate(table, timedelta(days=2))
    rotate(table, timedelta(days=90))
    with table.service.store.read() as tx:
        assert tx.secrets.former_until(table.now) == [table.now + timedelta(days=90), table.now + timedelta(days=2)]
    rotate(table, timedelta(days=1))
    table.now += timedelta(days=1)
    with table.service.store.read() as tx:
        assert not tx.secrets.former_until(table.now)


def test_what_is_good_for_nothing_is_kept_nowhere(table: House) -> None:
    with table.service.store.read() as tx:
        old = tx.secrets.keys(table.now)[0].hex()
    rotate(table)
    assert old in str(table.dump()["meta"])
    table.now += OVERLAP
    table.service.tidy()
    assert old not in str(table.dump()["meta"])


def test_what_a_player_has_revoked_stays_void(table: House) -> None:
    old = table.answering("bob", "C4", 101)
    table.answer("bob", "revoke", 101, vouched=True)
    rotate(table)
    before = table.dump()["plies"]
    table.deliver(old)
    assert table.dump()["plies"] == before


def test_at_once_nothing_from_before_counts_and_players_are_told(table: House) -> None:
    asked = table.send("eve@elsewhere.example", "signup eve passw0rd")
    assert asked
    rotate(table, timedelta())
    before = table.dump()
    table.answer("bob", "C4", 101)
    table.answer("eve@elsewhere.example", "yes")
    assert (table.dump()["plies"], table.dump()["players"]) == (before["plies"], before["players"])
    told = [got for got in table.wait(timedelta(minutes=5)) if got["Subject"].endswith("to answer from now on")]
    assert sorted(got.address for got in told) == [address_of("alice"), address_of("bob")]
    assert "lost" not in told[0].body
    assert any("bob played C4" in got.body for got in table.answer("bob", "101 C4"))


def test_an_export_from_before_counts_during_the_overlap(table: House) -> None:
    administration = Administration(table.service)
    export = administration.export_player("alice")
    administration.remove_player("alice")
    rotate(table)
    assert not administration.import_player(export).doubted
    administration.remove_player("alice")
    rotate(table, timedelta())
    assert administration.import_player(export).doubted


def test_a_process_that_only_takes_mail_in_keeps_to_the_new_secret(table: House) -> None:
    """Mails are put in the lanes of their boards by the secret."""
    rotate(table, timedelta())
    table.send("bob", "cross chat 101 bob bobpass", "Hello!")
    answer = table.answering("bob", "C4", 101)
    table.service.accept([answer])
    with table.service.store.read() as tx:
        assert tx.inbox.latest(Arrival.NEW, 1)[-1].lane == "board 101"
