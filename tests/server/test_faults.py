"""Faults of ours: the mail is parked, no other mail waits for it, and no mail tells what went wrong inside."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from games import GAMES
from pbm.core.passwords import Hasher
from pbm.core.registry import HANDLERS
from pbm.domain.mail import Arrival
from pbm.reading.verbs import VERBS
from pbm.server import Settings
from pbm.server import handle as service
from pbm.store.tables import attempts
from tests.conversation import ROBOT, House, address_of


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("a fault of ours, with geheim in it")


def test_every_verb_has_a_handler_and_every_handler_a_verb() -> None:
    assert {verb.name for verb in VERBS} == set(HANDLERS)


def test_a_fault_of_a_handler_parks_the_mail(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    before = table.dump()
    monkeypatch.setitem(HANDLERS, "show", broken)
    (got,) = table.send("bob", "cross show 101")
    assert got["Subject"] == "pbm: our fault"
    assert "geheim" not in got.text
    assert table.inbox_row.state is Arrival.PARKED
    assert "RuntimeError" in table.inbox_row.reason
    reference = table.inbox_row.reason.partition(":")[0]
    assert reference in got.body
    assert table.dump() == before
    assert len(table.answer("bob", "D5", 101)) == 2


def test_a_fault_undoes_what_the_mail_had_done_before(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    before = table.dump()
    monkeypatch.setitem(HANDLERS, "show", broken)
    (got,) = table.send("bob", "", "cross move 101 bob bobpass D5\ncross show 101")
    assert got["Subject"] == "pbm: our fault"
    assert table.dump() == before


def test_a_mail_that_cannot_be_read_keeps_no_other_waiting(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(service, "identify", broken)
        assert table.send("bob", "help") == []
    assert table.inbox_row.state is Arrival.PARKED
    assert len(table.answer("bob", "D5", 101)) == 2


def test_a_stranger_is_not_told_of_our_faults(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDLERS, "help", broken)
    assert table.send("stranger@example.com", "help") == []


def test_the_operator_is_told(new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch) -> None:
    house = new_house(Settings(ROBOT, operator="root@example.org"))
    monkeypatch.setitem(HANDLERS, "help", broken)
    (row,) = [queued for queued in sent(house, "help") if queued[0] == "root@example.org"]
    assert row[1].startswith("pbm: fault ")


@pytest.mark.parametrize("to", [ROBOT.address, "postmaster@example.org"])
def test_what_proves_nothing_draws_nothing_that_is_for_who_proves_more(
    to: str, new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mails with which we cannot cope, or to the operator, in a player's name: each causes letters."""
    house = new_house(Settings(ROBOT, operator="root@example.org"))
    house.player("bob")
    monkeypatch.setitem(HANDLERS, "list", broken)
    for _ in range(3):
        house.send("bob", "list", to=to)
    with house.service.store.read() as tx:
        kinds = tx._connection.execute(select(attempts.c.kind, attempts.c.subject)).all()
    assert {kind for kind, _ in kinds} >= {"unproven answers"}
    assert [subject for _, subject in kinds if subject.endswith(" proven")] == []


def sent(house: House, subject: str) -> list[tuple[str, str]]:
    """Address and subject of each mail caused by a mail with this subject; their form is not checked."""
    house.service.accept([house.mail("bob", subject)])
    house.service.handle()
    with house.service.store.read() as tx:
        return [(queued.mail.address, queued.mail.subject) for queued in tx.outbox.latest(None, 10)]


def test_a_parked_mail_is_handled_again_when_asked(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(HANDLERS, "move", broken)
        table.answer("bob", "D5", 101)
    with table.service.store.write() as tx:
        tx.inbox.handle_again(table.inbox_row.id)
    assert table.service.handle() == 1
    assert [got.address for got in table.collect()] == [address_of("alice"), address_of("bob")]


def test_a_wrong_userid_takes_the_work_of_a_wrong_password(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of an answer must not tell who has an account."""
    checked: list[str] = []
    verify = table.service.tools.passwords.verify

    def noted(pairs: list[tuple[str, str]]) -> list[bool]:
        checked.extend(password for password, _ in pairs)
        return verify(pairs)

    monkeypatch.setattr(table.service.tools.passwords, "verify", noted)
    answers = [
        table.send(f"{userid}@example.com", f"cross move 101 {userid} wrong1 D5")[0] for userid in ("bob", "nobody")
    ]
    assert checked == ["wrong1", "wrong1"]
    assert answers[0].body.replace("bob", "*****").split("Your email")[0] == answers[1].body.split("Your email")[0]


def test_a_reply_token_needs_no_password_to_be_checked(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hasher, "verify", lambda _, pairs: broken() if list(pairs) else [])
    assert len(table.answer("bob", "D5", 101)) == 2


@pytest.fixture
def without(house: House, monkeypatch: pytest.MonkeyPatch) -> Callable[[], House]:
    """Two boards of two players; calling it removes the game of the first."""
    house.players("alice", "bob")
    house.send("bob", "set digest 08:00 bob bobpass")
    house.game("cross -size=4 --clock=3d alice bob", ["D4"])
    house.game("hex -size=4 --clock=30d alice bob", ["b2"])

    def take_away() -> House:
        monkeypatch.delitem(GAMES, "cross")
        house.service.tools.states.forget()
        return house

    return take_away


def test_a_game_that_is_gone_keeps_nobody_here_who_wants_to_leave(without: Callable[[], House]) -> None:
    house = without()
    house.answer("alice", "erase me", 102)
    house.answer("alice", "yes")
    assert any("erased-1 has left" in got.body for got in house.wait(timedelta(days=8)))
    assert house.send("bob", "delete bob bobpass")[0]["Subject"] == "pbm: goodbye"
    with house.service.store.read() as tx:
        assert tx.players.find("alice") is tx.players.find("bob") is None


def test_a_game_that_is_gone_keeps_nothing_else_from_being_played_and_shown(without: Callable[[], House]) -> None:
    house = without()
    (refused,) = house.answer("bob", "swap", 101)
    assert "Board 101 waits: its game, cross, cannot be played here at present." in refused.body
    assert "> swap" in refused.body
    shown = [got["Subject"] for got in house.send("bob", "all show bob")]
    assert any("Hex Board 102" in each for each in shown)
    assert any("not all boards shown" in each for each in shown)
    digests = house.wait(timedelta(days=1))
    assert any("1 board waiting" in got["Subject"] and "102" in got.body for got in digests)
    assert len(house.answer("bob", "c3", 102)) == 2
    assert house.parked() == []


def test_nobody_loses_on_time_while_a_game_is_gone(
    without: Callable[[], House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm.server.agenda.log.error", broken)
    game = GAMES["cross"]
    house = without()
    house.wait(timedelta(days=4))
    GAMES["cross"] = game
    assert [got.body for got in house.wait(timedelta(hours=23)) if "time is up" in got.body] == []
    assert any("swapped sides" in got.body for got in house.send("bob", "cross move 101 bob bobpass swap"))


@pytest.mark.parametrize("wish", ["games", "history", "standings", "seek", "settings", "follow", "challenge", "help"])
def test_what_is_asked_in_an_answer_to_a_board_whose_game_is_gone_is_answered(
    wish: str, without: Callable[[], House]
) -> None:
    house = without()
    assert house.answer("bob", wish, 101)
    assert house.parked() == []
