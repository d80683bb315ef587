"""Nothing is drawn while others wait to write, neither by jobs nor by the operator's acts; nor are letters to all
written then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from pbm import draw
from pbm.compose import Composer, views
from pbm.domain.mail import Mail
from pbm.domain.match import Ending, Result
from pbm.domain.tokens import SeatToken, Signer
from pbm.draw.picture import picture
from pbm.server import Arriving, batch
from pbm.server.arbiter import Arbiter
from pbm.server.docket import Prepared
from pbm.server.operator import Administration
from pbm.server.steward import Steward
from pbm.store import Store, Transaction
from pbm.store.matches import Matches
from tests.conversation import ROBOT, SECRET, House

DAY = timedelta(days=1)
SEEN: list[str] = []
WRITING: list[int] = []


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was drawn, and whether others had to wait for it."""
    write = Store.write

    @contextmanager
    def writes(store: Store, **how: Any) -> Iterator[Transaction]:
        with write(store, **how) as tx:
            WRITING.append(1)
            try:
                yield tx
            finally:
                WRITING.pop()

    def noted(name: str, made: Callable[..., Any]) -> Callable[..., Any]:
        def make(*args: Any) -> Any:
            SEEN.append(f"{name} while others wait" if WRITING else name)
            return made(*args)

        return make

    monkeypatch.setattr(Store, "write", writes)
    monkeypatch.setattr(views, "picture", noted("picture", picture))
    monkeypatch.setattr(draw, "lines", noted("text", draw.lines))
    return SEEN


@pytest.fixture
def table(house: House) -> House:
    """Players who get pictures and text; alice is to move on both boards."""
    for userid in ("alice", "bob"):
        house.player(userid)
        house.send(userid, f"set {userid} {userid}pass mail both")
        house.send(userid, f"set {userid} {userid}pass picture on")
    house.game("cross -size=4 -clock=10d alice bob", ["D4", "C4"])
    house.game("cross -size=5 -clock=9d bob alice", ["D4"])
    return house


def afresh(house: House) -> None:
    """Forget what a server forgets when it is started again."""
    house.service.tools.states.forget()
    views.view_of.cache_clear()
    SEEN.clear()


def digest(house: House) -> None:
    house.send("alice", "set alice alicepass digest 08:00")
    afresh(house)
    house.wait(DAY)


def reminder(house: House) -> None:
    afresh(house)
    house.wait(9 * DAY)


def hold(house: House) -> None:
    house.send("alice", "set alice alicepass hold 3h")
    house.answer("alice", "E4", 101)
    afresh(house)
    house.wait(DAY)


def tournament(house: House) -> None:
    house.player("carol")
    house.send("alice", "tournament create rainy robin cross alice alicepass -size=6 -players=3..3")
    for userid in ("alice", "bob", "carol"):
        house.send(userid, f"tournament join rainy {userid} {userid}pass")
    afresh(house)
    house.wait(DAY)


def move(house: House) -> None:
    Administration(house.service).move(101, "alice", "E4")


def end(house: House) -> None:
    Administration(house.service).end(101, Result(Ending.FORFEIT, 1, "it rains"))


def challenge(house: House) -> None:
    Administration(house.service).start_match("cross", ("alice", "bob"), ("-size=8",))


def void(house: House) -> None:
    Arbiter(house.service).void(101)


def ban(house: House) -> None:
    Steward(house.service).ban("bob", None, "he shouted", forfeit=True)


def remove(house: House) -> None:
    Administration(house.service).remove_player("bob")


@pytest.mark.parametrize(
    "deed",
    [
        lambda house: Steward(house.service).write_to([], "Hello", "It snows."),
        lambda house: Steward(house.service).tell_of_move("old@example.org", "pbm@example.org"),
    ],
)
def test_letters_to_all_are_written_before(
    deed: Callable[[House], int], table: House, drawn: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    letter = Composer.letter

    def noted(*args: Any, **words: Any) -> Mail:
        drawn.append("letter while others wait" if WRITING else "letter")
        return letter(*args, **words)

    afresh(table)
    monkeypatch.setattr(Composer, "letter", noted)
    assert deed(table) == 2
    assert len(table.collect()) == 2
    assert drawn == ["letter", "letter"]


@pytest.mark.parametrize("deed", [digest, reminder, hold, tournament, move, end, challenge, void, ban, remove])
def test_it_is_drawn_before(deed: Callable[[House], None], table: House, drawn: list[str]) -> None:
    afresh(table)
    deed(table)
    assert table.collect() or deed in (digest, reminder, hold, tournament)
    assert drawn
    assert not [each for each in drawn if "wait" in each]


def test_the_mails_about_a_move_can_go_before_anything_else_is_worked_out(table: House) -> None:
    move = table.answering("alice", "E4", 101)
    challenges = [table.mail("bob", "cross challenge alice bob bob bobpass") for _ in range(2)]
    table.service.accept([*challenges, move])
    owed: list[list[int]] = []
    while table.service.handle(committed=lambda: owed.append([got.board or 0 for got in table.collect()])):
        pass
    assert owed[0] == [101, 101]
    assert [board for boards in owed[1:] for board in boards] == [103, 103, 104, 104]


def test_a_move_that_waits_for_an_earlier_mail_is_not_passed_by_the_next_of_its_board(
    table: House,
) -> None:
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    bob = 1 if match.players[0].userid == "bob" else 2
    next_one = SeatToken(101, bob, match.revision + 1, 0)
    to = f"{ROBOT.local_part}+{Signer(bytes.fromhex(SECRET)).seal(next_one)}@{ROBOT.domain}"
    mails = [
        table.mail("alice", "help"),
        table.answering("alice", "E4", 101),
        table.mail("bob", "Re: 101", "A1", to=to),
    ]
    table.service.accept(mails)
    while table.service.handle():
        pass
    with table.service.store.read() as tx:
        played = tx.matches.load(101)
    assert played is not None
    assert [ply.notation for ply in played.record[-2:]] == ["E4", "A1"]


@contextmanager
def coming_meanwhile(table: House, mail: Arriving, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let a mail come while boards are read for a long answer; gives the subjects of the mails owed, in order."""
    owed: list[str] = []
    mails, load = [mail], Matches.load_all

    def loads(*args: Any) -> Any:
        if mails:
            table.service.accept([mails.pop()])
        return load(*args)

    monkeypatch.setattr(batch, "_SECONDS_OF_A_BITE", 0.0)
    monkeypatch.setattr(Matches, "load_all", loads)
    table.service.handle(committed=lambda: owed.extend(got["Subject"] for got in table.collect()))
    yield owed
    owed += [got["Subject"] for got in table.collect()]
    assert not mails


def test_a_move_that_comes_while_an_export_is_worked_out_is_played_before(
    table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    move, export = table.answering("alice", "E4", 101), table.mail("bob", "export bob bobpass")
    with coming_meanwhile(table, move, monkeypatch) as owed:
        table.service.accept([export])
        table.service.handle()
    assert [subject.partition(" ")[0] for subject in owed] == ["Cross", "Cross", "pbm:"]
    assert table.service.handler.overtaken > 0


def test_a_move_that_comes_while_a_digest_is_worked_out_is_played_before(
    table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.send("alice", "set digest 08:00 alice alicepass")
    table.now = table.now.replace(hour=8) + timedelta(days=1)
    move = table.answering("alice", "E4", 101)
    with coming_meanwhile(table, move, monkeypatch) as owed:
        assert table.service.agenda.run()
    assert [subject.partition(" ")[0] for subject in owed] == ["Cross", "Cross", "pbm:"]


def test_a_move_stays_behind_what_is_in_hand_of_its_board(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    move, export = table.answering("alice", "E4", 101), table.answering("bob", "export", 101)
    with coming_meanwhile(table, move, monkeypatch) as owed:
        table.service.accept([export])
        while table.service.handle():
            pass
    assert owed[0].startswith("pbm: your games")
    assert len(owed) == 3


def fail_while_let_pass(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let every mail that overtakes others fail when it is worked out; gives the lanes of these mails."""
    let_pass, foresee = batch.Batches.let_pass, batch.Batches._foresee
    passing, lanes = list[bool](), list[str]()

    def passes(batches: batch.Batches) -> None:
        passing.append(True)
        let_pass(batches)
        passing.pop()

    def fails(batches: batch.Batches, work: Sequence[Prepared], *view: Any) -> Any:
        if passing and work:
            lanes.extend(mail.row.lane for mail in work)
            raise RuntimeError("a fault of ours")
        return foresee(batches, work, *view)

    monkeypatch.setattr(batch.Batches, "let_pass", passes)
    monkeypatch.setattr(batch.Batches, "_foresee", fails)
    return lanes


def test_a_move_that_fails_while_it_is_let_pass_is_played_afterwards(
    table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    move, export = table.answering("alice", "E4", 101), table.mail("bob", "export bob bobpass")
    with coming_meanwhile(table, move, monkeypatch) as owed:
        fail_while_let_pass(monkeypatch)
        table.service.accept([export])
        while table.service.handle():
            pass
    assert sorted(subject.partition(" ")[0] for subject in owed) == ["Cross", "Cross", "pbm:"]


def test_what_is_in_hand_stays_first_though_another_move_fails_that_is_let_pass(
    table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = fail_while_let_pass(monkeypatch)
    monkeypatch.setattr(batch, "_SECONDS_OF_A_BITE", 0.0)
    export = table.answering("bob", "export", 101)
    later = [table.answering("alice", "E4", 101), table.answering("alice", "D4", 102)]
    let_pass = batch.Batches.let_pass

    def comes(batches: batch.Batches) -> None:
        if later:
            table.service.accept([later.pop()])
        let_pass(batches)

    monkeypatch.setattr(batch.Batches, "let_pass", comes)
    table.service.accept([export])
    while table.service.handle():
        pass
    assert not later
    assert [lane for lane in passed if "101" in lane] == []
    assert passed
