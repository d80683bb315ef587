"""Which boards the words of a command mean: numbers, players, and what narrows a list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.match import Player, Seat
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.telling import perspective
from pbm.store.matches import Summary

MAX_LISTED = 1000

FILTERS = ("active", "inactive", "next")
"""Words that narrow a list: boards that are played on, that have ended, where one of the players is to move."""

_NOISE = frozenset({"all", "board", "boards", "standard"})
_BOARD = re.compile(r"(\d{1,12})?(?:#(-?\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class AtPly:
    """A board, now or as it was after a ply; negative plies count back from the end."""

    board: int
    ply: int | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for, in the order it was written."""

    boards: tuple[AtPly, ...] = ()
    players: tuple[Player, ...] = ()
    filters: tuple[str, ...] = ()


def select(handling: Handling, words: Iterable[str]) -> Selection:
    """Raises: BadArguments, NotFound, NotAllowed."""
    boards: list[AtPly] = []
    players: list[Player] = []
    filters: list[str] = []
    for word in dict.fromkeys(words):
        folded = word.casefold()
        if folded in FILTERS:
            filters.append(folded)
        elif word[0].isdigit() or word[0] == "#":
            boards.append(_board(handling, word))
        elif folded not in _NOISE:
            players.append(find_player(handling, word))
    return Selection(tuple(boards), tuple(players), tuple(filters))


def _board(handling: Handling, word: str) -> AtPly:
    match = _BOARD.fullmatch(word)
    if match is None:
        raise BadArguments(f'"{word}" is not the number of a board: write for instance 101 or 101#5.')
    number, ply = match.groups()
    board = int(number) if number else handling.sender.board
    if board is None:
        raise NotFound(f'Which board? Write its number in front of "{word}".')
    return AtPly(board, int(ply) if ply else None)


def find_player(handling: Handling, userid: str) -> Player:
    """userid: `me` is who sent the mail. Raises: NotFound, NotAllowed."""
    if userid.casefold() == "me":
        return sender(handling)
    player = handling.tx.players.find(userid)
    if player is None:
        raise NotFound(f'There is no player "{userid}" here.')
    return player


def sender(handling: Handling) -> Player:
    """Who sent the mail, as it seems; good enough for what anybody may see. Raises: NotAllowed."""
    player = handling.identified or handling.sender.proven or handling.sender.claimed
    if player is None:
        raise NotAllowed('Who is "me"? Your address is not known here: write a userid.')
    return player


def listed(handling: Handling, selection: Selection, game: str | None) -> list[Summary]:
    """The boards of the players, narrowed by all filters, oldest first."""
    players = selection.players or ((sender(handling),) if "next" in selection.filters else ())
    active = None if not selection.filters else "inactive" not in selection.filters
    if "inactive" in selection.filters and len(selection.filters) > 1:
        return []
    ids = tuple(player.id for player in players)
    found = handling.tx.matches.summaries(game=game, player_ids=ids, active=active, limit=MAX_LISTED)
    return [summary for summary in found if "next" not in selection.filters or _to_move(summary) in players]


def _to_move(summary: Summary) -> Player | None:
    return None if summary.seat_to_move is None else summary.players[summary.seat_to_move - 1]


def proven_seat(handling: Handling, table: Table) -> Seat | None:
    """The seat from which the sender may see the board: only one he has proved to have."""
    token = handling.sender.seat
    if token is not None and token.board == table.match.board:
        return token.seat
    proven = handling.sender.proven
    seat = table.match.seat_of(proven.id) if proven else None
    return None if seat is None else perspective(table, seat)
