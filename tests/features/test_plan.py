"""Plans on a running board: who may see them, when they play, and when they are dropped."""

from __future__ import annotations

import logging
import time

import pytest

from pbm.core import decisions
from pbm.domain.match import Intent, IntentKind, State
from tests.conversation import House
from tests.features.test_play import intents, moves, one, said


def test_plans_answer_each_other_until_one_does_not_fit(table: House) -> None:
    table.answer("bob", "D5\nif C4: C5, then if C3: B2; if any: B4", 101)
    mails = table.answer("alice", "C4\nif C5: C3, then if B2: E4, then if any: resign", 101)
    assert moves(table) == ["D4", "D5", "C4", "C5*", "C3*", "B2*", "E4*"]
    assert intents(table) == ["plan 1 if any: resign#8"]
    assert [got.address for got in mails] == ["alice@example.net", "bob@example.net"]
    assert "bob played C5, as planned." in mails[0].body
    assert "Your plan was dropped" not in mails[1].body
    table.answer("bob", "F5", 101)
    assert "resigned" in one(table.mailboxes["bob@example.net"][-1:])


def test_a_plan_is_not_too_long_for_a_machine_that_is_busy(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is on processor time: the time on a clock also passes while others have the processor."""
    play = State.play

    def play_late(state: State, text: str) -> tuple[State, str]:
        time.sleep(0.3)
        return play(state, text)

    monkeypatch.setattr(decisions, "MAX_SECONDS_OF_A_PLAN", 0.2)
    monkeypatch.setattr(State, "play", play_late)
    table.answer("bob", "D5\nif C4: C5; if C3: B2", 101)
    assert intents(table) == ["plan 2 if C4: C5; if C3: B2#3"]


def test_a_plan_without_an_answer_is_dropped_and_only_its_owner_told(table: House) -> None:
    table.answer("bob", "D5\nif C4: C5", 101)
    for got in table.answer("alice", "C3", 101):
        told = "Your plan was dropped: alice played C3, and it has no answer to that." in " ".join(got.body.split())
        assert told == (got.address == "bob@example.net")
    assert intents(table) == []
    assert moves(table) == ["D4", "D5", "C3"]


def test_an_answer_that_has_become_illegal_is_told_with_its_branch(table: House) -> None:
    table.answer("bob", "D5\nif any: C3", 101)
    (got,) = [got for got in table.answer("alice", "C3", 101) if got.address == "bob@example.net"]
    assert 'alice played C3. In "if any: C3": C3 is taken: O has a stone there.' in " ".join(got.body.split())
    assert intents(table) == []


def test_behind_any_the_board_is_known_again(table: House) -> None:
    table.answer("bob", "D5\nif any: C5, then (if d5: A1; if c-3: B2; if C4: D4)", 101)
    table.answer("alice", "C4", 101)
    assert moves(table) == ["D4", "D5", "C4", "C5*"]
    assert intents(table) == ["plan 2 if C3: B2#5"], "D5 and C4 are taken, so these branches will not come"


def test_nobody_else_sees_a_plan(table: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    table.player("carol", form="both")
    said(table, "carol", "cross subscribe 101 {}")
    with table.service.store.write() as tx:
        player = tx.players.find("alice")
        assert player is not None
        tx.players.save_settings(player.id, {"mail": "both"})
    told = table.answer("bob", "D5\nWell, well.\nif C4: C5, then if any: B3\nif A1: resign", 101)
    told += said(table, "carol", "cross show 101") + said(table, "alice", "cross showas {} 101")
    told += table.answer("alice", "E4\nif C5: B2, then if B3: A1", 101)
    others = [got for got in told if got.address != "bob@example.net"]
    assert len(others) >= 5
    for got in others:
        own = got.address == "alice@example.net" and "Your plan:" in got.body
        assert ("if " in got.raw.decode()) == own or "C5: B2" in got.body, got.raw.decode()
        assert "B3" not in got.body.replace("if B3: A1", "").replace("B3:", "")
        assert "C4: C5" not in got.raw.decode()
    assert any("Well, well." in got.body for got in others)
    assert "B3" not in caplog.text


def test_a_draw_is_accepted_declined_or_answered_by_resigning(table: House) -> None:
    table.answer("bob", "D5; if draw: reject; if C3: C4", 101)
    assert "bob declined the draw." in one(
        [got for got in table.answer("alice", "propose", 101) if "alice" in got.address]
    )
    assert intents(table) == ["plan 2 if draw: reject; if C3: C4#3"]
    table.answer("bob", "if draw: accept", 101)
    (got,) = [got for got in table.answer("alice", "propose", 101) if "bob" in got.address]
    assert "You accepted the draw." in got.body
    assert "dropped" not in got.body


def test_an_offer_that_waits_is_not_for_a_plan(table: House) -> None:
    table.answer("bob", "D5", 101)
    table.answer("alice", "propose", 101)
    assert 'alice offers a draw already: answer "accept" or "reject".' in one(
        table.answer("bob", "if draw: accept", 101)
    )


def test_an_offer_to_take_back_is_not_an_offer_of_a_draw(table: House) -> None:
    table.answer("bob", "D5; if draw: accept", 101)
    table.answer("alice", "undo", 101)
    assert moves(table) == ["D4", "D5"]
    assert intents(table) == ["plan 2 if draw: accept#3"]


def test_an_undo_drops_the_plans_of_both(table: House) -> None:
    table.answer("bob", "D5\nif C4: C5", 101)
    table.answer("bob", "undo", 101)
    mails = table.answer("alice", "accept", 101)
    assert [("Your plan was dropped: A ply was taken back." in got.body) for got in mails] == [False, True]
    assert intents(table) == []


def test_the_end_of_a_game_drops_plans_with_a_word(table: House) -> None:
    table.answer("bob", "D5\nif C4: C5", 101)
    mails = table.answer("alice", "resign!", 101)
    assert [("Your plan was dropped: The game is over." in got.body) for got in mails] == [False, True]


def test_a_plan_below_a_move_that_ends_the_game_is_not_needed(table: House) -> None:
    board = table.game("polygon alice bob")
    (got,) = [got for got in table.answer("alice", "pass\nif A-D: E", board) if "alice" in got.address]
    assert "Your plan was dropped: The game is over." in got.body


def test_a_plan_for_another_ply_does_not_play(table: House) -> None:
    """A safeguard, should a plan ever outlive the position it was made for."""
    table.answer("bob", "D5\nif C4: C5", 101)
    with table.service.store.write() as tx:
        (intent,) = tx.intents.of(101)
        assert intent.kind is IntentKind.PLAN
        tx.intents.keep(101, type(intent)(2, IntentKind.PLAN, "if C4: C5#5"), table.now)
    mails = table.answer("alice", "C4", 101)
    assert moves(table) == ["D4", "D5", "C4"]
    assert any("Your plan was dropped" in got.body for got in mails if "bob" in got.address)


@pytest.mark.parametrize(
    "text",
    ["D5\nif C4: D5", "D5\nif D4: C3", "D5\nif C4; C5", "D5 if any: zebra", "D5\nif C4: accept", "D5\nif D5: D6"],
)
def test_a_move_with_a_plan_that_is_not_sound_is_not_played(text: str, table: House) -> None:
    before = table.dump()
    (got,) = table.answer("bob", text, 101)
    assert got.refuses
    assert "if " in got.body
    assert table.dump() == before


@pytest.mark.parametrize(
    ("player", "text", "problem"),
    [
        ("alice", "if C4: undo", 'In "if C4: undo": "undo" as your own move'),
        ("alice", "If you go: so do I", '"you go" as bob\'s move'),
        ("bob", "if C4: undo", "It is your turn, and a plan is for what your opponent does then."),
    ],
)
def test_what_reads_like_a_plan_is_refused_as_one(player: str, text: str, problem: str, table: House) -> None:
    (got,) = table.answer(player, text, 101)
    assert problem in " ".join(got.body.split())


def test_a_queue_and_a_plan_replace_each_other(table: House) -> None:
    said(table, "alice", "cross plan 101 {} if C4: C3")
    assert intents(table) == ["plan 1 if C4: C3#2"]
    assert "C3 is queued. It takes the place of your plan." in one(said(table, "alice", "cross queue 101 {} C3"))
    assert intents(table) == ["queue 1 C3"]
    assert "in place of the earlier one" in one(said(table, "alice", "cross plan 101 {} C4 C3"))
    assert intents(table) == ["plan 1 if C4: C3#2"]
    assert "you have no plan any more" in one(said(table, "alice", "cross plan 101 {} none"))
    assert "You have no plan" in one(said(table, "alice", "cross plan 101 {} none"))


def test_a_queued_move_may_have_a_plan_behind_it(table: House) -> None:
    said(table, "alice", "cross queue 101 {} C3", "if C4: D5")
    assert intents(table) == ["plan 1 if any: C3, then if C4: D5#2"]
    table.answer("bob", "E5", 101)
    assert moves(table) == ["D4", "E5", "C3*"]
    assert intents(table) == ["plan 1 if C4: D5#4"]


def test_a_submitted_move_keeps_its_plan(table: House) -> None:
    table.answer("bob", "submit D5\nif C4: C5", 101)
    assert moves(table) == ["D4"]
    table.answer("bob", "confirm", 101)
    assert moves(table) == ["D4", "D5"]
    assert intents(table) == ["plan 2 if C4: C5#3"]


def test_plies_of_edges_are_numbers_and_no_board(table: House) -> None:
    board = table.game("crossgeo -board=random -edges=12 -seed=3 alice bob", ["1"])
    (got,) = table.answer("alice", "plan 4 7", board)
    assert "Your plan: if 4: 7." in got.body, got.body


def test_a_plan_on_a_board_that_a_digest_shows(table: House) -> None:
    token = table.answer("bob", "games", 101)[0]
    assert "Reply-To" in token.parsed
    table.send("bob", "Re: pbm", "101 D5\nif C4: C5\nHello!", to=token["Reply-To"])
    assert moves(table) == ["D4", "D5"]
    assert intents(table) == ["plan 2 if C4: C5#3"]


def test_a_mail_that_comes_late_plans_nothing(table: House) -> None:
    table.answer("bob", "D5", 101)
    table.answer("alice", "C3", 101)
    assert "earlier state" in one(table.answer("bob", "if C4: C5", 101, mail=-2))
    assert intents(table) == []


@pytest.mark.parametrize("text", ["if C4: C5", "C4#3", "if C4 C5#3", "#3", "if C4: D5#x"])
def test_a_plan_that_another_server_wrote_badly_harms_nobody(text: str, table: House) -> None:
    table.answer("bob", "D5", 101)
    with table.service.store.write() as tx:
        tx.intents.keep(101, Intent(2, IntentKind.PLAN, text), table.now)
    table.answer("alice", "propose", 101)
    mails = table.answer("alice", "C4", 101)
    assert not table.parked()
    assert moves(table) == ["D4", "D5", "C4"]
    told = ["Your plan was dropped" in got.body for got in mails]
    assert told == [got.address == "bob@example.net" for got in mails]
