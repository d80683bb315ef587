"""A game that starts where another one was: on the same board, or from a position of it or of a record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from games import AnyGame
from pbm.core.board import OpenBoard
from pbm.core.request import Request
from pbm.core.robots import robots_among
from pbm.core.start import take_body
from pbm.domain import foreign_records
from pbm.domain.errors import BadArguments, NotAllowed
from pbm.reading.verbs import FIRST_BOARD

_PLACE = re.compile(r"(\d{1,12})?(?:#(\d{1,6}))?")


class Beginning(NamedTuple):
    """What a challenge starts with. words: its options, without those that name another game."""

    words: tuple[str, ...]
    body: str
    plies: tuple[str, ...] = ()
    """Those that count as played, in canonical notation."""
    origin: str = ""
    """Where they are from, as in "from ply 3 of board 101"; empty if there are none."""


def beginning(request: Request, game: AnyGame, options: Sequence[str]) -> Beginning:
    """Raises: NotFound, NotAllowed, BadArguments."""
    record, body = request.take_record(), take_body(request, game)
    board, position, own = _divided(options)
    if not (board or position):
        # It would be dropped silently.
        if record:
            raise BadArguments(
                "There is a record in your mail. To start from its end write -position, from a ply -position=#12."
            )
        return Beginning(tuple(own), body)
    # Each says which board it is, and they may differ.
    if (board and position) or body:
        raise BadArguments("A board of your own, -board= and -position= exclude each other: take one of them.")
    # A record may leave some options open; a board has all of them.
    if not position.startswith("#"):
        _check_no_options(game, own)
    if board:
        match = request.boards.load(int(board), game.info.name).match
        return Beginning((*match.options, *own), match.body)
    number, ply = _place(position)
    if number is None:
        return _of_record(record, game, own, ply)
    return _of_board(request, request.boards.load(number, game.info.name), own, ply)


def _check_no_options(game: AnyGame, words: Sequence[str]) -> None:
    """Raises: BadArguments for an option of the game."""
    names = {name for option in game.info.options for name in option.names}
    for word in words:
        if word.lstrip("-").casefold().partition("=")[0] in names:
            raise BadArguments(f'What the game starts from has its options already: leave out "{word}".')


def _divided(options: Sequence[str]) -> tuple[str, str, list[str]]:
    """The earlier board, the position, both empty if they are not named, and the options of the game itself."""
    board, position, own = "", "", list[str]()
    for word in options:
        name, _, value = word.lstrip("-").casefold().partition("=")
        if name == "position":
            position = value or "#"
        # Lower numbers, and words, are options of games: "-board=fair".
        elif name == "board" and value.isdecimal() and int(value) >= FIRST_BOARD:
            board = value
        else:
            own.append(word)
    return board, position, own


def _place(position: str) -> tuple[int | None, int | None]:
    """The board and the ply of a text such as "101#12", "101", "#12" or "#". Raises: BadArguments."""
    found = _PLACE.fullmatch(position.removesuffix("#"))
    if found is None:
        raise BadArguments(f'"{position[:40]}" is no position: write for instance -position=101#12.')
    board, ply = found.groups()
    return int(board) if board else None, int(ply) if ply else None


def _of_board(request: Request, board: OpenBoard, own: Sequence[str], ply: int | None) -> Beginning:
    """A position of a board that has ended: a robot, asked from one under way, would help a player there."""
    match = board.match
    if match.result is None and not robots_among(request.tx, match.players):
        raise NotAllowed(f"Board {match.board} goes on. Others can start from its positions when it has ended.")
    state = board.state if ply is None else board.at(ply)
    plies = match.record.notations[: state.plies]
    origin = f"from ply {len(plies)} of board {match.board}"
    return Beginning((*match.options, *own, "--unrated"), match.body, plies, origin)


def _of_record(record: str, game: AnyGame, own: Sequence[str], ply: int | None) -> Beginning:
    """A position of a record, its last one if no ply is named. Raises: BadArguments, NotAllowed."""
    if not record:
        raise BadArguments(
            "Attach the record of a game (SGF, HGF, .trl), or name a board and a ply:", "-position=101#12"
        )
    score = foreign_records.read(record, game.info.name)
    if score.game != game.info.name:
        raise BadArguments(f"Your record is of {score.game}, not of {game.info.name}.")
    if ply is not None and ply > len(score.moves):
        raise BadArguments(f"Your record has {len(score.moves)} plies; there is no ply {ply}.")
    plies = score.moves[:ply]
    origin = f"from ply {len(plies)} of the record{score.remark}"
    return Beginning((*score.options, *own, "--unrated"), score.body, plies, origin)
