"""A database that was set back: mails from the lost time do nothing that their owners have not seen."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbm.features import remind
from tests.conversation import Got, House, address_of


def set_back(house: House) -> None:
    """Set the database back, with the server started again."""
    house.service.store.set_back(house.now)
    with house.service.store.read() as tx:
        house.service.tools.composer.signer.use(*tx.secrets.keys(house.now))


@pytest.mark.parametrize("sender", ["eve@elsewhere.example", "bob"])
def test_a_mail_from_before_plays_nothing(sender: str, table: House) -> None:
    set_back(table)
    before = table.dump()
    (got,) = table.answer(sender, "C4", 101, of="bob")
    assert not got["Subject"].startswith("Cross Board")
    assert table.dump() == before


def test_an_answer_to_a_board_that_is_lost_is_told_so(table: House) -> None:
    lost = "pbm+abtacaaaepwky2rt6hbsamcr@example.org"
    (got,) = table.send("bob", "Re: Cross Board 102 alice-bob", "E5", to=lost)
    assert got.body.startswith("The email you answer is void.")
    (got,) = table.send("eve@elsewhere.example", "Re: Cross Board 102 alice-bob", "E5", to=lost)
    assert got["Subject"] == "pbm: games by mail"


def test_the_next_board_has_a_number_that_no_lost_one_had(table: House) -> None:
    set_back(table)
    assert table.game("cross -size=4 alice bob") == 1102


def test_each_time_counts(table: House) -> None:
    set_back(table)
    with table.service.store.read() as tx:
        once = tx.secrets.keys(table.now)
    set_back(table)
    with table.service.store.read() as tx:
        assert tx.secrets.keys(table.now) != once


def test_a_fresh_mail_plays(table: House) -> None:
    set_back(table)
    table.send("bob", "cross show 101")
    assert any("bob played C4" in got.body for got in table.answer("bob", "C4", 101))


@pytest.mark.parametrize("way", ["confirm", "reset", "held", "offer"])
def test_a_mail_that_was_answered_after_the_copy_does_not_come_to_life_again(way: str, table: House) -> None:
    """The copy still waits for the answer, which has come since: nobody can tell."""
    table.player("carol")
    asked = {
        "confirm": ("eve@elsewhere.example", "signup eve passw0rd", "eve@elsewhere.example"),
        "reset": ("bob", "reset password bob", "bob"),
        "held": ("bob", "block alice", "bob"),
        "offer": ("eve@elsewhere.example", "cross challenge -size=4 alice carol", "carol"),
    }
    sender, line, answerer = asked[way]
    table.send(sender, line)
    set_back(table)
    before = table.dump()
    table.answer(answerer, "Yes-1234" if way == "reset" else "yes")
    assert table.dump() == before


def test_what_a_player_revoked_stays_void(table: House) -> None:
    """Even if the copy was made before that."""
    before = table.dump()
    set_back(table)
    table.answer("eve@elsewhere.example", "C4", 101, of="bob")
    assert table.dump()["plies"] == before["plies"]


def told(mails: list[Got]) -> list[Got]:
    return [got for got in mails if got["Subject"] == "pbm: your boards were set back"]


def test_each_player_who_has_boards_or_may_have_lost_some_gets_one_mail(table: House) -> None:
    table.player("carol")
    table.game("cross -size=4 alice bob", ["D4"])
    table.service.beat()
    set_back(table)
    mails = told(table.wait(timedelta(minutes=5)))
    assert sorted(got.address for got in mails) == [address_of("alice"), address_of("bob"), address_of("carol")]
    assert "You have no board now." in next(got for got in mails if got.address == address_of("carol")).body
    got = next(got for got in mails if got.address == address_of("bob"))
    assert "All that happened after Thu 1 Jan" in " ".join(got.body.split())
    assert "Cross Board 101: alice played D4" in got.body
    assert "Cross Board 102: alice played D4" in got.body
    assert any("bob played C4" in each.body for each in table.answer("bob", "101 C4"))
    assert "Where others are to move" not in next(got for got in mails if got.address == address_of("alice")).body


def test_they_are_not_told_all_at_once(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remind, "PLAYERS_A_MINUTE", 1)
    set_back(table)
    assert len(told(table.wait(timedelta(seconds=30)))) == 1
    assert len(told(table.wait(timedelta(minutes=1)))) == 1
    assert not told(table.wait(timedelta(minutes=9)))


def test_who_was_not_about_of_late_is_left_alone(table: House) -> None:
    table.player("carol")
    table.wait(timedelta(days=90))
    table.service.beat()
    set_back(table)
    assert address_of("carol") not in [got.address for got in told(table.wait(timedelta(minutes=5)))]
