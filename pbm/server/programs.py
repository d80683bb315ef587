"""Programs that play here without mail: somebody's own, and the robots, which think one task after the other.

A program is shown each board where its player is to move. What it answers is read as the answer to a mail of the board,
and all that follows is the same. Nothing is thought about within a transaction; see pbm/core/robots.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic
from typing import Any

import structlog

from games.rules import GameError, MoveError
from pbm.bots import Mind, NoThought, Stopped
from pbm.compose.machine import addressed
from pbm.compose.views import View
from pbm.core.board import OpenBoard
from pbm.core.notify import Desk, Tools, rehearse
from pbm.core.request import Incoming, Request, Sender
from pbm.core.robots import TAKEN, Ask, Source, Task, charge, spent
from pbm.domain.errors import NotFound, Rejected
from pbm.domain.match import Seat
from pbm.domain.reading import read
from pbm.domain.tokens import SeatToken
from pbm.domain.verbs import Standing
from pbm.mailin import Action, Message
from pbm.server.order import Order, mails_of, parse_all
from pbm.store import HOUSE, DatabaseTrouble, Store, Transaction
from pbm.store.house import Item

log = structlog.get_logger()

AGAIN = timedelta(minutes=10)
"""After which a task is tried again that failed."""

FORGIVEN = timedelta(days=1)
"""After which nothing is known any more of a task that failed; nor where the clock was ahead by as much."""


LONGEST_THOUGHT = 120.0
"""Seconds that count, at most."""


HELD = timedelta(seconds=20)
"""How long a task is left to whoever has taken it, unless they say that they are still at it."""


LATE = 20.0
"""Seconds by the clock after which others do not wait for a thought any longer; few take so many."""


class Shift:
    """What thinkers of one process know of one another, where they settle the same tasks.

    They take turns, so that all goes in its order, but nobody waits for one who is late: a reserve settles all else
    meanwhile, except for tasks of the game that is thought about, which may be what takes so long.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._working: dict[object, tuple[str, float]] = {}
        self.failed: dict[str, datetime] = {}
        """When tasks failed, by key."""

    @contextmanager
    def turn(self, thinker: object, *, is_reserve: bool) -> Iterator[frozenset[str] | None]:
        """The turn of a thinker, if it is theirs: the games to be left alone meanwhile; None where it is not."""
        with self._lock:
            now = monotonic()
            others = [found for each, found in self._working.items() if each is not thinker]
            is_theirs = all(now - since >= LATE for _, since in others) and (bool(others) or not is_reserve)
            if is_theirs:
                self._working[thinker] = "", now
        try:
            yield frozenset(game for game, _ in others) if is_theirs else None
        finally:
            with self._lock:
                self._working.pop(thinker, None)

    def begins(self, thinker: object, game: str) -> None:
        """A thinker whose turn it is has found something to do."""
        with self._lock:
            self._working[thinker] = game, monotonic()


class Thinker:
    """Settles tasks one after the other; those that failed before wait for all others.

    Any number of processes may run some over the same database: what one has taken, the others leave alone. No lock is
    held meanwhile, and when a process is killed others soon take what it had.

    shift: of those who settle the same tasks. seconds: by the clock, after which a thought is given up. ask: has a
    question answered; None for a process of its own. is_reserve: it settles nothing unless another one is late.
    """

    def __init__(
        self,
        store: Store,
        tools: Tools,
        sources: Sequence[Iterable[Source]],
        shift: Shift,
        seconds: float,
        ask: Ask | None = None,
        *,
        is_reserve: bool = False,
    ) -> None:
        self._store, self._tools, self._sources = store, tools, sources
        self._shift, self._is_reserve = shift, is_reserve
        self._mind = Mind(seconds, meanwhile=self._hold)
        self._ask = ask or self._mind
        self._taken = ""

    def stop(self) -> None:
        """Give up what is being thought, by whatever thread: it will be thought again."""
        self._mind.stop()

    def run(self, limit: int = 1) -> int:
        """Settle tasks, the most urgent first; returns how many there were. Raises: DatabaseTrouble."""
        for done in range(limit):
            with self._shift.turn(self, is_reserve=self._is_reserve) as left_alone:
                task = self._next(left_alone) if left_alone is not None else None
                if task is None:
                    return done
                if self._take(task):
                    self._shift.begins(self, task.game)
                    self._settle(task)
        return limit

    def _next(self, left_alone: Collection[str]) -> Task | None:
        """left_alone: games of which no task is to be taken."""
        now = self._store.clock()
        failed = self._shift.failed = {key: at for key, at in self._shift.failed.items() if abs(now - at) < FORGIVEN}
        with self._store.read() as tx:
            at, again = Desk(tx, self._tools), list[Task]()
            pause, taken = spent(at), {item.key for item in tx.agenda.of(TAKEN) if _holds(item, now)}
            for task in (task for sources in self._sources for source in sources for task in source(at)):
                if task.whom in pause or task.key in taken or task.game in left_alone:
                    continue
                failed_at = failed.get(task.key)
                if failed_at is None:
                    return task
                if now - failed_at >= AGAIN:
                    again.append(task)
            return min(again, key=lambda task: failed[task.key], default=None)

    def _take(self, task: Task) -> bool:
        """Whether it is ours: nobody else has taken it meanwhile."""
        with self._store.write(durable=False) as tx:
            taken = tx.agenda.get(TAKEN, task.key)
            if taken is not None and _holds(taken, tx.now):
                return False
            tx.agenda.put(TAKEN, task.key, tx.now + HELD)
        self._taken = task.key
        return True

    def _hold(self) -> None:
        """Say that we are still at it. Where that fails somebody else may think the same: for nothing, but no harm."""
        with suppress(DatabaseTrouble), self._store.write(durable=False) as tx:
            tx.agenda.put(TAKEN, self._taken, tx.now + HELD)

    def _settle(self, task: Task) -> None:
        began_at = self._store.clock()
        try:
            found = task.work(self._ask)
            with self._store.read() as tx:
                rehearse(Desk(tx, self._tools), lambda at: task.then(at, found))
            with self._giving_back(task, began_at) as at:
                task.then(at, found)
        except Stopped:
            with self._store.write() as tx:
                tx.agenda.drop(TAKEN, task.key)
        except DatabaseTrouble:
            self._tools.states.forget()
            raise
        except Exception as error:
            self._tools.states.forget()
            self._shift.failed[task.key] = self._store.clock()
            known = isinstance(error, NoThought | GameError | Rejected)
            log.error("thought_failed", task=task.key, reason=str(error), exc_info=None if known else error)
            with self._giving_back(task, began_at) as at:
                task.failed(at, str(error))

    @contextmanager
    def _giving_back(self, task: Task, began_at: datetime) -> Iterator[Desk]:
        """A transaction after which the task is not ours any more; the thought is counted."""
        with self._store.write() as tx:
            at = Desk(tx, self._tools)
            tx.agenda.drop(TAKEN, task.key)
            charge(at, task.whom, self._since(began_at))
            yield at

    def _since(self, began_at: datetime) -> float:
        """Seconds; no more than any thought takes, for clocks leap."""
        return min((self._store.clock() - began_at).total_seconds(), LONGEST_THOUGHT)


def _holds(taken: Item, now: datetime) -> bool:
    """Whether a task is left to whoever has taken it: not for hours because a clock was set back, or runs ahead."""
    return now < taken.due_at < now + 2 * HELD


Program = Callable[[str], str]
"""From a board as one line of JSON to what the program answers: a move, or another line that a mail might hold."""
MOST_TRIES = 3
"""Answers that change nothing of a board, after which it is left alone until it has changed."""


class _Undone(Exception):
    """An answer was refused, and all of it is taken back."""

    def __init__(self, refusal: Exception) -> None:
        self.refusal = refusal


class Programs:
    """Plays for one player. ask: the program."""

    def __init__(self, store: Store, tools: Tools, userid: str, ask: Program) -> None:
        """Raises: NotFound."""
        self._store, self._tools, self._ask = store, tools, ask
        self._left_alone: dict[int, int] = {}
        with store.read() as tx:
            player = tx.players.find(userid)
        if player is None:
            raise NotFound(f'There is no player "{userid}" here.')
        self._player = player

    def play(self) -> int:
        """Show the program each board that waits for its player, once; returns how many plies came of it."""
        return sum(self._play(board) for board in self._waiting())

    def _waiting(self) -> list[int]:
        with self._store.read() as tx:
            boards = tx.matches.summaries(player_ids=(self._player.id,), active=True, limit=None)
            return [each.board for each in boards if each.to_move == self._player]

    def _play(self, number: int) -> bool:
        """Whether the board has changed by what the program answers."""
        refusal: Exception | None = None
        for _ in range(MOST_TRIES):
            with self._store.read() as tx:
                board = OpenBoard.load(tx, self._tools.states, number)
            seat, revision = board.state.to_move, board.match.revision
            if board.match.player(seat) != self._player or self._left_alone.get(number) == revision:
                return False
            answer = self._ask(_line(board, seat, refusal))
            try:
                with self._store.write() as tx:
                    tx.lock([HOUSE])
                    self._carry_out(tx, board, seat, answer)
                    after = tx.matches.summary(number)
            except _Undone as undone:
                refusal = undone.refusal
                self._tools.states.forget()
                continue
            if after is None or after.revision != revision:
                return True
            refusal = None
        self._left_alone[number] = revision
        return False

    def _carry_out(self, tx: Transaction, board: OpenBoard, seat: Seat, answer: str) -> None:
        """Do what an answer says, and owe the mails it causes. Raises: _Undone."""
        match = board.match
        standing = Standing(match.game, match.board, known=True, proven=True)
        token = SeatToken(match.board, seat, match.revision, tx.players.epoch(self._player.id))
        own = self._player
        sender = Sender(standing, token, match.board, own, own, seated=own, at_home=(own,))
        reading = read("", answer, standing)
        request = Request(tx, self._tools, Incoming(_message(answer), received_at=tx.now), sender)
        Order(reading, parse_all(tx, reading.lines, standing)).carry_out(request)
        if request.refusal is not None:
            raise _Undone(request.refusal)
        tx.outbox.add([replace(mail, reply=False) for mail in mails_of(request)], tx.now)


def _line(board: OpenBoard, seat: Seat, refusal: Exception | None) -> str:
    """The board as the part for programs of a mail has it, in one line."""
    candidates = refusal.candidates if isinstance(refusal, MoveError) else ()
    shown, error = View(board.state).machine(board.match), str(refusal) if refusal else ""
    return json.dumps(json.loads(addressed(shown, seat, "", error=error, candidates=candidates)))


def _message(text: str) -> Message:
    return Message(
        Action.REPLY, None, "", "", text, None, None, (), authenticated=True, direct=True, answers_us=False
    )  # fmt: skip


def answer_in(line: str) -> str:
    """The answer in a line of a program: {"answer": "D4"}. Raises: ValueError."""
    found: Any = json.loads(line)
    if not isinstance(found, dict) or not isinstance(found.get("answer"), str):
        raise ValueError('a line must be such as {"answer": "D4"}')
    return str(found["answer"])
