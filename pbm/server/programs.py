"""Programs of players that play here without mail.

A program is shown each board where its player is to move. Its answer is treated like an answer to a mail of the board.
Programs never think within a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from games.rules import MoveError
from pbm.compose.machine import addressed
from pbm.compose.notices import Notice, Reader
from pbm.compose.views import View
from pbm.core.board import OpenBoard
from pbm.core.notify import Tools
from pbm.core.request import Incoming, Request, Sender
from pbm.domain.errors import existing
from pbm.domain.match import Seat
from pbm.domain.tokens import SeatToken
from pbm.mailin import Action, Judgement, Message
from pbm.reading.command_lines import read
from pbm.reading.verbs import Standing
from pbm.server.order import mails_of, order_of
from pbm.store import HOUSE, Store, Transaction

Program = Callable[[str], str]
"""From a board, as one line of JSON, to the program's answer: a move, or any other command."""
MOST_TRIES = 3
"""After so many answers that do not change a board, it is left alone until it changes."""


class _Undone(Exception):
    """An answer was refused, so all of it is undone."""

    def __init__(self, refusal: Exception) -> None:
        self.refusal = refusal


class Programs:
    """Plays for one player. ask: the program."""

    def __init__(self, store: Store, tools: Tools, userid: str, ask: Program) -> None:
        """Raises: NotFound."""
        self._store, self._tools, self._ask = store, tools, ask
        self._left_alone: dict[int, int] = {}
        with store.read() as tx:
            self._player = existing(tx.players.find(userid), f'There is no player "{userid}" here.')

    def play(self) -> int:
        """Show the program each board that waits for its player; returns how many boards its answers changed."""
        return sum(self._play(board) for board in self._waiting())

    def _waiting(self) -> list[int]:
        with self._store.read() as tx:
            boards = tx.matches.summaries(player_ids=(self._player.id,), active=True, limit=None)
            return [each.board for each in boards if each.to_move == self._player]

    def _play(self, number: int) -> bool:
        """Show the program a board; whether its answer has changed the board."""
        refusal: Exception | None = None
        for _ in range(MOST_TRIES):
            with self._store.read() as tx:
                board = OpenBoard.load(tx, self._tools.states, number)
            seat, revision = board.state.to_move, board.match.revision
            # A mail of the player may have changed the board meanwhile.
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
        """Do what an answer says, and put the mails it causes into the outbox. Raises: _Undone."""
        match = board.match
        standing = Standing(match.game, match.board, known=True, proven=True)
        token = SeatToken(match.board, seat, match.revision, tx.players.epoch(self._player.id))
        own = self._player
        sender = Sender(standing, token, own, own, seated=own, at_home=(own,))
        reading = read("", answer, standing, tx.players.knows)
        request = Request(tx, self._tools, Incoming(_message(answer), received_at=tx.now), sender)
        order_of(tx, reading, standing).carry_out(request)
        if request.refusal is not None:
            raise _Undone(request.refusal)
        tx.outbox.add([mail._replace(reply=False) for mail in mails_of(request)], tx.now)


def _line(board: OpenBoard, seat: Seat, refusal: Exception | None) -> str:
    """The board in one line, as in a mail's part for programs."""
    notice = Notice(
        match=board.match,
        state=board.state,
        reader=Reader((), seat=seat),
        problem=str(refusal) if refusal else "",
        nearby=refusal.candidates if isinstance(refusal, MoveError) else (),
    )
    shown = View(board.state).machine(board.match)
    return json.dumps(json.loads(addressed(shown, notice, "", asked=False)))


def _message(text: str) -> Message:
    return Message(
        Action.REPLY, None, "", "", text, None, None, (), Judgement.PASSED, direct=True, answers_us=False
    )  # fmt: skip


def answer_in(line: str) -> str:
    """The answer in a line that a program wrote: {"answer": "D4"}. Raises: ValueError."""
    found: Any = json.loads(line)
    if not isinstance(found, dict) or not isinstance(found.get("answer"), str):
        raise ValueError('a line must be such as {"answer": "D4"}')
    return str(found["answer"])
