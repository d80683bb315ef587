"""A game to keep: after its end, a mail with the whole game as an animation and as a file for programs.

Both take too long for a transaction, so they are made outside of one; see pbm/core/robots.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from games.scene import Scene
from pbm.compose import Answer, Figure, Notice, Part, Reader
from pbm.core.board import OpenBoard
from pbm.core.bus import MatchEnded, subscribes
from pbm.core.notify import Desk, before_the_end, notice_of, reader_of
from pbm.core.rating import told_changes
from pbm.core.registry import HANDLERS, handles
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.core.robots import Ask, Task, give_up, hints_told, orders, thinks
from pbm.domain import game_record
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed
from pbm.domain.game_record import GameRecord
from pbm.domain.match import Ending, Match
from pbm.domain.verbs import LOOKING, Locks, Verb
from pbm.draw.brush import Picture
from pbm.draw.picture import film
from pbm.store import Transaction
from pbm.store.house import THINK

WORD = "keepsake"
BOTH = 0
"""In place of a player's id: both players of the board who have not turned keepsakes off."""
MOST_WAITING = 5
"""Replays for one player that may be under way."""
FEWEST_PLIES = 2
"""Plies of a game that is worth keeping."""


@dataclass(frozen=True, slots=True)
class Keepsake:
    picture: Picture | None
    """None if it would be too large."""
    name: str
    """The name of the record's file."""
    record: str
    plies: int


@subscribes(MatchEnded)
def keep(event: MatchEnded, tx: Transaction) -> None:
    if _is_worth_it(event.match):
        tx.agenda.put(THINK, f"{WORD} {event.match.board}:{BOTH}", tx.now)


def _is_worth_it(match: Match) -> bool:
    result = match.result
    return result is not None and result.ending is not Ending.VOID and len(match.record) >= FEWEST_PLIES


@handles(
    Verb(
        "GAME replay BOARD USERID PASSWORD",
        LOOKING,
        Locks.BOARDS,
        rank=165,
        lasting=True,
        other_usage="BOARD PLY [MOVE...]",
    ),
    "get a game that has ended as an animation, and as a file for programs; or see any board after a ply",
)
def replay(request: Request, command: Command) -> Answer | None:
    """Order a replay; with the number of a ply, show the board after it, or what moves would then lead to."""
    if "PLY" in command.args:
        at = f"{command.args.get('BOARD', '')}#{command.args['PLY'].removeprefix('#')}"
        looks = HANDLERS["preview" if "MOVE" in command.args else "show"]
        return looks(request, replace(command, args={**command.args, "BOARD": at}))
    player, board = request.author.who(command), request.boards.named(command)
    number = board.match.board
    if board.match.result is None:
        raise NotAllowed(f"Board {number} goes on. It can be replayed when it has ended.", f"show {number}")
    if not _is_worth_it(board.match):
        raise NotAllowed(f"On board {number} too little was played for a replay.", f"show {number}")
    if sum(whom == player.id for _, _, whom in orders(request.tx, WORD)) >= MOST_WAITING:
        raise NotAllowed(f"{MOST_WAITING} replays for you are still under way; wait for them.")
    request.tx.agenda.put(THINK, f"{WORD} {number}:{player.id}", request.now)
    return done(command, f"The whole game of board {number} comes in a separate email.")


@thinks
def keepsakes(at: Desk) -> Iterator[Task]:
    """The keepsakes to make, the oldest order first. Each is tried once, because it would fail again."""
    for item, number, player_id in orders(at.tx, WORD):
        match = at.tx.matches.load(number)
        record = GameRecord.of(match) if match is not None and match.result is not None else None
        words: dict[str, Any] = {"what": "replay of", "board": number, "reason": ""}
        failed = partial(give_up, item, 1, player_id, f"pbm: replay of board {number}", "no-lesson.txt", **words)
        yield Task(item.key, partial(_made, number, record), partial(_send, item.key, number, player_id), failed)


def _made(number: int, record: GameRecord | None, _: Ask) -> Keepsake | None:
    """The keepsake; None for a game that has been reopened. Raises: GameError, Rejected."""
    if record is None:
        return None
    states = record.states()
    text, ending = game_record.write(record, states)

    def scene(ply: int) -> Scene:
        return states[ply].game.scene(states[ply].position, states[ply].last)

    return Keepsake(film(scene, len(states) - 1), f"{record.game}-{number}.{ending}", text, len(record.moves))


def _send(key: str, number: int, player_id: int, at: Desk, made: Keepsake | None) -> None:
    """Send the keepsake, unless another process has sent it or the game has changed meanwhile."""
    if not at.tx.agenda.drop(THINK, key) or made is None:
        return
    board = at.open(number)
    if board.match.result is None or len(board.match.record) != made.plies:
        return
    for reader in _readers(at, board.match, player_id):
        at.owe(at.tools.composer.notice(_notice(at.tx, board, reader, made), at.now))


def _readers(at: Desk, match: Match, player_id: int) -> list[Reader]:
    """The readers of a keepsake: the player who asked, or both players as far as they want keepsakes."""
    asked = at.tx.players.get(player_id)
    people = dict.fromkeys(match.players) if player_id == BOTH else [asked] if asked else []
    readers = [reader_of(at, player, match.seat_of(player.id)) for player in people]
    return [reader for reader in readers if asked or reader.settings.keepsake == "on"]


def _notice(tx: Transaction, board: OpenBoard, reader: Reader, made: Keepsake) -> Notice:
    match, picture = board.match, made.picture if reader.settings.picture != "off" else None
    moving, figure = made.name.rpartition(".")[0] + ".gif", None
    files = [f"The whole game for programs: {made.name}"]
    attached = [Part.file(made.name, "text/plain; charset=utf-8", made.record.encode())]
    if picture is not None:
        files.insert(0, f"The whole game as an animation: {moving}")
        if reader.settings.mail == "text":
            attached.insert(0, Part.file(moving, picture.kind, picture.data))
        else:
            described = f"The game from its beginning to its end, {made.plies} plies."
            figure = Figure(files[0], picture, described, moving)
    one, other = match.players
    return notice_of(
        board,
        reader,
        events=told_changes(tx, match),
        before=before_the_end(board),
        whole_record=True,
        page="keepsake.txt",
        words={
            "files": files,
            "tally": tx.matches.head_to_head(match.game, one.id, other.id),
            "hints": hints_told(tx, match),
        },
        figure=figure,
        attached=tuple(attached),
    )
