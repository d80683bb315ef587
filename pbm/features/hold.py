"""Moves that wait a while before they are played, for players who have chosen to be able to take them back.

A move is checked when it is sent. Until its time nobody else hears of it, nor of what was written with it. It is
played by the agenda, in the transaction that takes it off, so once; and only if the board is still the same.
"""

from __future__ import annotations

from dataclasses import replace

from games.rules import GameError
from pbm.compose import Answer, Reader, times
from pbm.core.board import Table
from pbm.core.held import move_of, waiting
from pbm.core.jobs import Occasion, when_due
from pbm.core.notify import notice_of, reader_of, tell_players
from pbm.core.registry import handles
from pbm.core.replies import tell_sender
from pbm.core.request import Handling
from pbm.domain import plans
from pbm.domain.commands import Command, split_guard
from pbm.domain.errors import NotFound, Rejected
from pbm.domain.events import CommentMade, IntentDropped
from pbm.domain.match import Intent, IntentKind, Seat
from pbm.domain.verbs import PLAYING, Locks, Verb


@when_due(IntentKind.HOLD)
def play_held(occasion: Occasion) -> None:
    """Play the move that has waited long enough; its player's clock has run until he sent it."""
    board, seat = map(int, occasion.item.key.split(":"))
    tx, tools, now = occasion.tx, occasion.tools, occasion.now
    table = Table.load(tx, tools.states, board, now)
    intent = waiting(table, seat)
    if intent is None:
        return
    table.drop(intent)
    player = table.match.player(seat)
    comments = (CommentMade(board, userid=player.userid, text=intent.comment),) if intent.comment else ()
    try:
        _play(table, intent)
    except (Rejected, GameError) as error:
        table.events.append(IntentDropped(board, seat, intent.kind, intent.text, str(error)))
        reader: Reader = replace(reader_of(tx, tools, player, now), seat=seat)
        notice = notice_of(table, reader, events=tuple(table.events))
        tx.outbox.add(tools.composer.notice(notice, now), now)
        return
    tx.outbox.add(tell_players(tx, tools, table, comments, player), now)


def _play(table: Table, intent: Intent) -> None:
    """Raises: as Table.play."""
    move, _, planned = intent.text.partition("\n")
    text, guard = split_guard(move)
    if text == plans.RESIGN:
        table.check_running(guard, "It")
        table.resign(intent.seat)
    else:
        plan = plans.reread(planned) if planned else ()
        table.play(intent.seat, text, guard, plan, decided_at=intent.since)


@handles(
    Verb(
        "cancel",
        "BOARD USERID PASSWORD",
        'take back a move that still waits, if you have chosen "set hold"',
        PLAYING,
        Locks.BOARDS,
        rank=60,
        per_game=True,
        wordy=True,
    )
)
def cancel(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    held = waiting(table, seat)
    if held is None:
        raise _nothing_waits(table, seat)
    table.drop(held)
    return tell_sender(handling, command, table, seat, f"{move_of(held)} is taken back; nobody has heard of it.")


def _nothing_waits(table: Table, seat: Seat) -> Rejected:
    """Why there is nothing to cancel: it may be too late."""
    board, played = table.match.board, [ply for ply in table.match.record if ply.seat == seat and not ply.auto]
    if not played or table.match.result is not None:
        ended = " has ended, and" if table.match.result is not None else ":"
        return NotFound(f"Board {board}{ended} nothing of yours waits there.")
    at = times.until(played[-1].played_at, table.match.settings[seat - 1].zone)
    return NotFound(
        f"Nothing of yours waits on board {board}: {played[-1].notation} was played on {at}, so it is too late.", "undo"
    )
