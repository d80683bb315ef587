"""Operators' acts on tournaments and new boards; players are told in the same words as when a mail did the same."""

from __future__ import annotations

from collections.abc import Sequence

from games import GAMES, LEFT_OUT
from pbm.core.notify import Desk
from pbm.core.robots import robot_named
from pbm.core.start import start_match
from pbm.domain.errors import NotFound
from pbm.domain.events import MatchStarted
from pbm.domain.match import Match
from pbm.features.tournament import entries as entering
from pbm.server.club import Hand, acts
from pbm.server.rows import player_named, tournament_named
from pbm.store.tournaments import Tournament


class Organizer(Hand):
    """Tournaments and new boards."""

    def create(self, name: str, kind: str, game: str, words: Sequence[str], body: str = "") -> Tournament:
        """Create a tournament. words: the options of the tournament and of its game."""
        with self._club.store.write() as tx:
            return entering.create(tx, name, kind, game, words, body, None)

    def start(self, name: str) -> Tournament:
        """Start it, or the next season of a league; a running server does so at its next turn."""
        with self._club.store.write() as tx:
            tournament = tournament_named(tx, name)
            entering.start(tx, tournament)
            return tournament

    def cancel(self, name: str) -> Tournament:
        """End it early, and tell its players and followers."""
        with self._club.store.write() as tx:
            tournament = tournament_named(tx, name)
            tx.outbox.add(entering.cancel(self._at(tx), tournament), tx.now)
            return tournament

    @acts
    def start_match(self, at: Desk, game: str, userids: tuple[str, str], words: Sequence[str], body: str = "") -> Match:
        if game not in GAMES:
            why = f"It is left out: {LEFT_OUT[game]} " if game in LEFT_OUT else ""
            raise NotFound(f'There is no game "{game}". {why}The games are {", ".join(GAMES)}.')
        first, second = (robot_named(at.tx, userid) or player_named(at.tx, userid) for userid in userids)
        board = start_match(at, GAMES[game], words, body, (first, second))
        board.events.append(MatchStarted(board.match.board))
        return self._told(at, board)
