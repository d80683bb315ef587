"""A game to keep: after its end, a mail with the whole game as an animation and as a file for programs.

Both take too long for a transaction, so they are made outside of one; see pbm/core/robots.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from pbm.compose.notices import KEEPSAKE, Answer, Notice, Reader
from pbm.core.board import OpenBoard
from pbm.core.bus import MatchEnded, subscribes
from pbm.core.notify import Desk, ends_by_rules, notice_of, reader_of
from pbm.core.rating import rating_events
from pbm.core.registry import HANDLERS, handles
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.core.robots import Task, give_up, hints_told, orders, thinks
from pbm.domain.errors import NotAllowed
from pbm.domain.match import Ending, Match
from pbm.reading.commands import Command
from pbm.reading.verbs import LOOKING, Entry, Locks, Verb
from pbm.store import Transaction
from pbm.store.house import THINK

WORD = "keepsake"
BOTH = 0
"""In place of a player's id: both players of the board who have not turned keepsakes off."""
MOST_WAITING = 5
"""Replays for one player that may be under way."""
FEWEST_PLIES = 2
"""Plies of a game that is worth keeping."""


@subscribes(MatchEnded)
def keep(event: MatchEnded, tx: Transaction) -> None:
    if _is_worth_it(event.match):
        tx.agenda.put(THINK, f"{WORD} {event.match.board}:{BOTH}", tx.now)


def _is_worth_it(match: Match) -> bool:
    result = match.result
    return result is not None and result.ending is not Ending.VOID and len(match.record) >= FEWEST_PLIES


@handles(
    Verb("GAME replay BOARD USERID PASSWORD", LOOKING, Locks.BOARDS, other_usage="BOARD [PLY] [MOVE...]"),
    Entry(165, "get a game that has ended as an animation, and as a file for programs; or see any board after a ply"),
)
def replay(request: Request, command: Command) -> Answer | None:
    """Order a replay; with the number of a ply, show the board after it, or what moves would then lead to."""
    if "PLY" in command.args or "MOVE" in command.args:
        ply = command.args.get("PLY", "").removeprefix("#")
        at = command.args.get("BOARD", "") + (f"#{ply}" if ply else "")
        looks = HANDLERS["preview" if "MOVE" in command.args else "show"]
        return looks(request, replace(command, args={**command.args, "BOARD": at}))
    board = request.boards.named(command)
    number = board.match.board
    # Anybody may see a game that has ended, so nobody need prove who they are.
    player = request.author.who(command) if command.credentials is not None else request.author.reader().player
    if board.match.result is None:
        raise NotAllowed(f"Board {number} goes on. It can be replayed when it has ended.", f"show {number}")
    if not _is_worth_it(board.match):
        raise NotAllowed(f"On board {number} too little was played for a replay.", f"show {number}")
    # A stranger, whose orders could not be counted.
    if player is None:
        request.outgoing.notices.append(_keepsake(request, board, request.author.reader()))
        return None
    if sum(whom == player.id for _, _, whom in orders(request.tx, WORD)) >= MOST_WAITING:
        raise NotAllowed(f"{MOST_WAITING} replays for you are still under way; wait for them.")
    request.tx.agenda.put(THINK, f"{WORD} {number}:{player.id}", request.now)
    return done(command, f"The whole game of board {number} comes in a separate email.")


@thinks
def keepsakes(at: Desk) -> Iterator[Task]:
    """The keepsakes to send, the oldest order first. Each is tried once, because it would fail again."""
    for item, number, player_id in orders(at.tx, WORD):
        words: dict[str, Any] = {"what": "replay of", "board": number, "reason": ""}
        failed = partial(give_up, item, 1, player_id, f"pbm: replay of board {number}", "no-lesson.txt", **words)
        # Nothing is thought about: the film is made when the mail is.
        yield Task(item.key, lambda _: None, partial(_send, item.key, number, player_id), failed)


def _send(key: str, number: int, player_id: int, at: Desk, _: None) -> None:
    """Send the keepsake, unless another process has sent it or the game goes on after all."""
    board = at.open(number)
    # The operator may have reopened or voided the game since.
    if not at.tx.agenda.drop(THINK, key) or not _is_worth_it(board.match):
        return
    notices = [(_keepsake(at, board, reader), None) for reader in _readers(at, board.match, player_id)]
    at.owe(at.tools.composer.notices(notices, at.now))


def _keepsake(at: Desk, board: OpenBoard, reader: Reader) -> Notice:
    match = board.match
    one, other = match.players
    words = {"tally": at.tx.matches.head_to_head(match.game, one.id, other.id), "hints": hints_told(at.tx, match)}
    events, before = rating_events(at.tx, match), ends_by_rules(match)
    return notice_of(board, reader, page=KEEPSAKE, words=words, events=events, before=before)


def _readers(at: Desk, match: Match, player_id: int) -> list[Reader]:
    """The readers of a keepsake: the player who asked, or both players as far as they want keepsakes."""
    asked = at.tx.players.get(player_id)
    people = dict.fromkeys(match.players) if player_id == BOTH else [asked] if asked else []
    readers = [reader_of(at, player, match.seat_of(player.id)) for player in people]
    return [reader for reader in readers if asked or reader.settings.keepsake == "on"]
