"""Ladders: who challenges whom, and what a game does to the rungs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from games.rules import joined
from pbm.core.board import OpenBoard
from pbm.domain.errors import NotAllowed
from pbm.domain.match import Ending, Player
from pbm.domain.tournaments import pairings
from pbm.domain.tournaments.bouts import Bout, histories, seated
from pbm.features.tournament import letters
from pbm.features.tournament.director import Director
from pbm.store.tournaments import Meeting, Stage

_LATE = frozenset({Ending.FORFEIT, Ending.DECIDED})
"""Ends by which a game is lost through time."""


@dataclass(slots=True)
class Ladder(Director):
    """Entrants are seeded by their rungs. due_at: when it is looked who has been idle."""

    def begin(self) -> None:
        self.place([self.by_rating(self.present())])
        self.keep(stage=Stage.RUNNING, season=1, due_at=self.now + timedelta(days=self.tournament.terms.idle))
        self._tell_of_rungs(letters.audience(self.tx, self.tournament), "the ladder stands")

    def proceed(self) -> None:
        under_way = self.tx.tournaments.under_way(self.tournament.id)
        self.decide([each for each in under_way if each.due_at is not None and self.over_at(each.due_at) <= self.now])
        for meeting in self.tx.tournaments.meetings(self.tournament.id, round_=0):
            if meeting.points is not None:
                self._climb(meeting)
        if self.is_due():
            self._drop_idle()
        self.keep()

    def next_at(self) -> datetime | None:
        deadlines = [each.due_at for each in self.tx.tournaments.under_way(self.tournament.id)]
        over_at = [self.over_at(each) for each in deadlines if each is not None]
        return min(filter(None, [*over_at, Director.next_at(self)]), default=None)

    def rungs(self) -> list[Player]:
        """From the highest."""
        return [each.player for each in self.present()]

    def reachable(self, challenger: Player) -> list[Player]:
        """Those the player may challenge now, from the highest; nobody while a challenge of theirs is under way."""
        under_way = self.tx.tournaments.under_way(self.tournament.id)
        if any(each.challenger_id == challenger.id for each in under_way):
            return []
        players = {player.id: player for player in self.rungs()}
        busy = {each.challenged for each in under_way}
        playing = {
            player for each in under_way for player in (each.first, each.second) if each.bout.holds(challenger.id)
        }
        near = (
            players[each] for each in pairings.within_reach(list(players), challenger.id, self.tournament.terms.rungs)
        )
        return [player for player in near if player not in busy and player not in playing]

    def challenge(self, challenger: Player, opponent: Player) -> OpenBoard:
        """Raises: NotAllowed that tells whom they may challenge."""
        near = self.reachable(challenger)
        if opponent not in near:
            raise NotAllowed(f"You cannot challenge {opponent.userid} now. {self.choice(challenger)}")
        pair = (opponent.id, challenger.id)
        bouts = [meeting.bout for meeting in self.tx.tournaments.meetings(self.tournament.id)]
        order = seated(*pair, histories(pair, bouts))
        due_at = self.now + self.tournament.terms.time_per_round
        board = self.start(Bout(*order), 1, due_at, challenger)
        assert board is not None  # noqa: S101  a bout of two has a board
        self.keep()
        return board

    def choice(self, challenger: Player) -> str:
        """A sentence on whom they may challenge."""
        if any(each.challenger_id == challenger.id for each in self.tx.tournaments.under_way(self.tournament.id)):
            return "You have challenged somebody already; that game must end first."
        if self.rungs()[0] == challenger:
            return "You are on the highest rung: there is nobody to challenge."
        names = joined((player.userid for player in self.reachable(challenger)), "or")
        return (
            f"You may challenge {names}." if names else "All within your reach are challenged already: wait a little."
        )

    def _climb(self, meeting: Meeting) -> None:
        """Move the rungs after a game that has ended; its players are told."""
        challenger, challenged = meeting.challenger, meeting.challenged
        players = {player.id: player for player in self.rungs()}
        before = after = list(players)
        scores = [meeting.bout.score(player.id) for player in (challenger, challenged)]
        if scores[0] > scores[1]:
            after = pairings.after_win(before, challenger.id, challenged.id)
        elif scores[0] < scores[1] and self._late(meeting):
            after = pairings.dropped(before, {challenger.id})
        self.place([[players[each] for each in after]])
        self.tx.tournaments.set_round(meeting.id, self.tournament.round + 1)
        self.keep(round=self.tournament.round + 1)
        both = [player for player in (challenger, challenged) if player.id in players]
        news = [(player.userid, before.index(player.id) + 1, after.index(player.id) + 1) for player in both]
        self._tell_of_rungs(both, "your rung", news)

    def _late(self, meeting: Meeting) -> bool:
        summary = self.tx.matches.summary(meeting.board) if meeting.board is not None else None
        return summary is not None and summary.result is not None and summary.result.ending in _LATE

    def _drop_idle(self) -> None:
        """Players who have had no game for too long go down by a rung; all are told how the ladder stands."""
        since = self.now - timedelta(days=self.tournament.terms.idle)
        played = {
            player.id
            for each in self.tx.tournaments.meetings(self.tournament.id)
            if each.points is None or each.starts_at > since
            for player in each.players
        }
        entrants = self.present()
        idle = {each.player.id for each in entrants if each.player.id not in played and each.joined_at <= since}
        players = {each.player.id: each.player for each in entrants}
        before, after = list(players), pairings.dropped(list(players), idle)
        self.place([[players[each] for each in after]])
        self.keep(due_at=self.now + timedelta(days=self.tournament.terms.idle))
        places = [(each, before.index(each) + 1, after.index(each) + 1) for each in after if each in idle]
        news = [(players[each].userid, above, below) for each, above, below in places if above != below]
        self._tell_of_rungs(letters.audience(self.tx, self.tournament), "how it stands", news)

    def _tell_of_rungs(
        self, players: Sequence[Player], subject: str, news: Sequence[tuple[str, int, int]] = ()
    ) -> None:
        """news: userids, with their rung before and now."""
        standings = letters.standings_of(self.tx, self.tournament)
        self.tell(players, "tournament-ladder.txt", subject, standings, news=news)
