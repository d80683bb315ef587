"""Nothing is drawn while others wait to write, neither by jobs nor by the operator's acts; nor are letters to all
written then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from pbm import draw
from pbm.compose import views
from pbm.compose.composer import Composer
from pbm.domain.mail import Mail
from pbm.domain.tokens import SeatToken, Signer
from pbm.draw import picture as pictures
from pbm.server.steward import Steward
from pbm.store import Store, Transaction
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
    monkeypatch.setattr(pictures, "picture", noted("picture", pictures.picture))
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
