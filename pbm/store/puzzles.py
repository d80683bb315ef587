"""Puzzles, each made once for all players, and how each player answered them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, exists, func, select

from pbm.store.matches import seated
from pbm.store.statements import Queries
from pbm.store.tables import matches, puzzle_tries, puzzles
from pbm.values import frozen


@frozen
class Puzzle:
    """posed_at, solved: as to the player it was asked for; None if it was not posed, or not answered."""

    id: int
    game: str
    options: tuple[str, ...]
    """Of the game it is from."""
    moves: tuple[str, ...]
    """The moves that lead to the position."""
    line: tuple[str, ...]
    """The only winning move, and a possible continuation."""
    posed_at: datetime | None = None
    solved: bool | None = None


@frozen
class Streak:
    """Puzzles solved in a row now (running) and at most (longest), and solved at all, of those answered."""

    running: int
    longest: int
    solved: int
    answered: int


class Puzzles(Queries):
    """Only the first answer to a puzzle counts."""

    def add(
        self,
        game: str,
        options: Sequence[str],
        moves: Sequence[str],
        line: Sequence[str],
        now: datetime,
        board: int | None = None,
    ) -> Puzzle:
        """board: where it was found; None if a robot played the game against itself."""
        words = {"options": " ".join(options), "moves": " ".join(moves), "line": " ".join(line)}
        key = self._add(puzzles, game=game, created_at=now, board=board, **words)
        return Puzzle(key, game, tuple(options), tuple(moves), tuple(line))

    def count(self, game: str) -> int:
        """How many puzzles there are of a game."""
        return self._count(puzzles, puzzles.c.game == game)

    def get(self, number: int, player_id: int) -> Puzzle | None:
        """The puzzle, and how the player answered it."""
        return next(iter(self._where(player_id, puzzles.c.id == number, 1)), None)

    def open(self, player_id: int, games: Collection[str]) -> Puzzle | None:
        """The puzzle from these games that the player has not answered; None if there is none."""
        waits = puzzle_tries.c.posed_at.is_not(None) & puzzle_tries.c.answered_at.is_(None)
        return next(iter(self._where(player_id, puzzles.c.game.in_(games) & waits, 1)), None)

    def fresh(self, player_id: int, games: Collection[str], limit: int) -> list[Puzzle]:
        """Puzzles from these games that were not posed to the player and are from no board of theirs, oldest first."""
        # Whoever played the game may remember the move.
        theirs = exists().where(matches.c.board == puzzles.c.board, seated(player_id))
        new = puzzle_tries.c.posed_at.is_(None) & ~theirs
        return self._where(player_id, puzzles.c.game.in_(games) & new, limit)

    def _where(self, player_id: int, condition: ColumnElement[bool], limit: int) -> list[Puzzle]:
        own = (puzzle_tries.c.puzzle_id == puzzles.c.id) & (puzzle_tries.c.player_id == player_id)
        query = select(puzzles, puzzle_tries.c.posed_at, puzzle_tries.c.solved).outerjoin(puzzle_tries, own)
        return self._all(query.where(condition).order_by(puzzles.c.id).limit(limit), _puzzle)

    def posed_by_game(self, player_id: int) -> dict[str, int]:
        """How many puzzles of each game were posed to the player."""
        query = select(puzzles.c.game, func.count()).join(puzzle_tries, puzzle_tries.c.puzzle_id == puzzles.c.id)
        rows = self._connection.execute(query.where(puzzle_tries.c.player_id == player_id).group_by(puzzles.c.game))
        return {row[0]: row[1] for row in rows}

    def pose(self, player_id: int, number: int, now: datetime) -> None:
        self._insert(puzzle_tries, player_id=player_id, puzzle_id=number, posed_at=now)

    def settle(self, player_id: int, number: int, now: datetime, *, solved: bool) -> bool:
        """Keep the answer; False if the player had answered before, and nothing was changed."""
        own = (puzzle_tries.c.player_id == player_id) & (puzzle_tries.c.puzzle_id == number)
        waits = puzzle_tries.c.answered_at.is_(None)
        return self._update(puzzle_tries, own, waits, answered_at=now, solved=solved) != 0

    def streak(self, player_id: int) -> Streak:
        query = select(puzzle_tries.c.solved).where(
            puzzle_tries.c.player_id == player_id, puzzle_tries.c.answered_at.is_not(None)
        )
        ordered = query.order_by(puzzle_tries.c.answered_at, puzzle_tries.c.puzzle_id)
        running = longest = 0
        answers = self._column(ordered)
        for solved in answers:
            running = running + 1 if solved else 0
            longest = max(longest, running)
        return Streak(running, longest, sum(answers), len(answers))


def _puzzle(row: Row[Any]) -> Puzzle:
    options, moves, line = (tuple(words.split()) for words in (row.options, row.moves, row.line))
    return Puzzle(row.id, row.game, options, moves, line, row.posed_at, row.solved)
