"""Moves that wait a while before they are played, for players who have chosen to be able to take them back.

A move is checked when it is sent. Until its time nobody else hears of it, nor of what was written with it. It is
played by the agenda, in the transaction that takes it off, so once; and only if the board is still the same.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from games.rules import GameError
from pbm.compose import Answer, Reader
from pbm.compose.views import until
from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.core.decisions import move_of, tell_sender
from pbm.core.notify import notice_of, reader_of, tell_players
from pbm.core.registry import Occasion, handles, when_due
from pbm.core.request import Request
from pbm.domain import plans
from pbm.domain.commands import Command, split_guard
from pbm.domain.errors import NotFound, Rejected
from pbm.domain.events import CommentMade, IntentDropped
from pbm.domain.match import Intent, IntentKind, Seat
from pbm.domain.verbs import PLAYING, Locks, Verb


@when_due(IntentKind.HOLD, within=timedelta(days=1))
def play_held(occasion: Occasion) -> None:
    """Play the move that has waited long enough; its player's clock has run until they sent it."""
    number, seat = map(int, occasion.item.key.split(":"))
    tx, tools, now = occasion.tx, occasion.tools, occasion.now
    board = occasion.open(number)
    intent = board.intents.find(seat, IntentKind.HOLD)
    if intent is None:
        return
    board.intents.drop(intent)
    player = board.match.player(seat)
    comments = (CommentMade(number, userid=player.userid, text=intent.comment),) if intent.comment else ()
    try:
        _play(board, intent)
    except (Rejected, GameError) as error:
        board.events.append(IntentDropped(number, seat, intent.kind, intent.text, str(error)))
        reader: Reader = replace(reader_of(occasion, player), seat=seat)
        notice = notice_of(board, reader, events=tuple(board.events))
        tx.outbox.add(tools.composer.notice(notice, now), now)
        return
    tx.outbox.add(tell_players(occasion, board, comments, player), now)


def _play(board: OpenBoard, intent: Intent) -> None:
    """Raises: as OpenBoard.play."""
    move, _, planned = intent.text.partition("\n")
    text, guard = split_guard(move)
    if text == plans.RESIGN:
        board.check_running(guard, "It")
        board.resign(intent.seat)
    else:
        plan = plans.reread(planned) if planned else ()
        decisions.play_ply(board, intent.seat, text, guard, plan, decided_at=intent.since)


@handles(
    Verb("GAME cancel BOARD USERID PASSWORD", PLAYING, Locks.BOARDS, rank=60, wordy=True),
    'take back a move that still waits, if you have chosen "set hold"',
)
def cancel(request: Request, command: Command) -> Answer | None:
    board, seat = request.author.seated(command)
    held = board.intents.find(seat, IntentKind.HOLD)
    if held is None:
        raise _nothing_waits(board, seat)
    board.intents.drop(held)
    return tell_sender(request, command, board, seat, f"{move_of(held)} is taken back; nobody has heard of it.")


def _nothing_waits(board: OpenBoard, seat: Seat) -> Rejected:
    """Why there is nothing to cancel: it may be too late."""
    number, played = board.match.board, [ply for ply in board.match.record if ply.seat == seat and not ply.auto]
    if not played or board.match.result is not None:
        ended = " has ended, and" if board.match.result is not None else ":"
        return NotFound(f"Board {number}{ended} nothing of yours waits there.")
    at = until(played[-1].played_at, board.match.settings[seat - 1].zone)
    return NotFound(
        f"Nothing of yours waits on board {number}: {played[-1].notation} was played on {at}, so it is too late.",
        "undo",
    )
