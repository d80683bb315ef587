"""Tournaments in the hand of the operator, at the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.features.tournament import entries as entering
from pbm.features.tournament.letters import Letters, Standings
from pbm.server.service import Service
from pbm.store.tournaments import Entrant, Meeting, Tournament


@dataclass(frozen=True, slots=True)
class TournamentView:
    """A tournament with all there is to see of it. meetings: of the present season."""

    tournament: Tournament
    entrants: tuple[Entrant, ...]
    meetings: tuple[Meeting, ...]
    standings: tuple[Standings, ...]


class Organizer:
    """The operator's actions over a service. All raise Rejected or GameError with a sentence, and DatabaseTrouble."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def create(self, name: str, kind: str, game: str, words: Sequence[str], body: str = "") -> Tournament:
        """words: the options of the tournament and of its game."""
        with self._service.store.write() as tx:
            return entering.create(tx, name, kind, game, words, body, None)

    def all(self, game: str | None = None, *, ended: bool = False) -> list[tuple[Tournament, int]]:
        """With how many players each has, the newest first."""
        with self._service.store.read() as tx:
            return [
                (tournament, tx.tournaments.size(tournament.id))
                for tournament in tx.tournaments.listed(game, ended=ended)
            ]

    def show(self, name: str) -> TournamentView:
        with self._service.store.read() as tx:
            tournament = entering.find(tx, name)
            return TournamentView(
                tournament,
                tuple(tx.tournaments.entrants(tournament.id)),
                tuple(tx.tournaments.meetings(tournament.id, tournament.season)),
                tuple(Letters(tx, self._service.tools, self._service.clock()).standings_of(tournament)),
            )

    def start(self, name: str) -> Tournament:
        """Let it begin, or the next season of a league; the server does so as soon as it runs."""
        with self._service.store.write() as tx:
            tournament = entering.find(tx, name)
            entering.start(tx, tournament)
            return tournament

    def cancel(self, name: str) -> Tournament:
        """End it early; all who are in it are told."""
        now = self._service.clock()
        with self._service.store.write() as tx:
            tournament = entering.find(tx, name)
            tx.outbox.add(entering.cancel(tx, self._service.tools, tournament), now)
            return tournament
