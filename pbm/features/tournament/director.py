"""How a tournament is run: it starts or is called off, and its boards begin, and end at their deadlines. And ladders.

Ladders: which players may challenge each other, and how a game changes the rungs. Kinds with rounds are in rounds.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from games import GAMES
from games.rules import joined
from pbm.core.board import OpenBoard
from pbm.core.last_day import counted, decided_at, notice_at
from pbm.core.notify import Desk, tell_players
from pbm.core.start import seed_of, start_match
from pbm.domain.errors import NotAllowed, Unreadable
from pbm.domain.events import RoundEnded
from pbm.domain.mail import Mail
from pbm.domain.match import LOOK_AGAIN, Ending, Player, Result
from pbm.domain.tournaments import pairings
from pbm.domain.tournaments.bouts import Bout, histories, seated
from pbm.domain.tournaments.terms import Kind, quicker, time_used, why_decided
from pbm.features.tournament import letters
from pbm.features.tournament.crosstables import Standings, standings_of
from pbm.store.tournaments import Entrant, Meeting, Stage, Tournament

HOLDING = "tournament"
"""The kind of agenda items that run tournaments; the key is the tournament's id."""
ENDING = "tournament ends"
"""The kind of agenda items for boards that a tournament will soon decide; the key is the board."""
CLOCK = "10d+1d"
"""The clock of the boards, if the tournament's creator has not chosen one."""


@dataclass(slots=True)
class Director(Desk):
    """Runs one tournament at one instant. Subclasses, for the kinds of tournaments, define `begin` and `proceed`."""

    tournament: Tournament
    mails: list[Mail] = field(default_factory=list)
    placed: dict[int, int] = field(default_factory=dict)
    """The division that each player, by id, was placed in just now."""
    waits: bool = False
    """Whether a board that must end cannot be read at present."""

    def begin(self) -> None:
        """Begin the tournament: there are enough players, and it is time."""
        raise NotImplementedError

    def proceed(self) -> None:
        """Go on with a tournament that has begun, after something has ended or fallen due."""
        raise NotImplementedError

    def go_on(self) -> None:
        """Go on, or begin if it is time or all places are taken, and enough players came; if too few, call it off."""
        terms, players = self.tournament.terms, self.present()
        if self.tournament.stage is not Stage.OPEN:
            self.proceed()
        elif len(players) < terms.most and not self.is_due():
            self.keep()
        elif len(players) < terms.fewest:
            self.tell(self.audience(), "tournament-off.txt", "called off", joined=len(players))
            self.keep(stage=Stage.CANCELLED, due_at=None, ended_at=self.now)
        else:
            self.begin()
        self.owe(self.mails)

    def keep(self, **changes: Any) -> None:
        """Store changes of the tournament, and when it must be looked at again."""
        self.tournament = replace(self.tournament, **changes)
        self.tx.tournaments.save(self.tournament)
        next_at = self.next_at()
        if next_at is None:
            self.tx.agenda.drop(HOLDING, self.tournament.id)
        else:
            soonest = self.now + LOOK_AGAIN if self.waits else next_at
            self.tx.agenda.put(HOLDING, self.tournament.id, max(next_at, soonest))

    def next_at(self) -> datetime | None:
        """When something must happen by itself; None for never."""
        due_at = self.tournament.due_at
        return self.over_at(due_at) if due_at is not None and self.tournament.stage is Stage.RUNNING else due_at

    def present(self) -> list[Entrant]:
        """The players who are in the tournament, by seed."""
        return self.tx.tournaments.present(self.tournament.id)

    def admitted(self, players: Sequence[Player]) -> list[Player]:
        """Those of the players who are not banned."""
        banned = self.tx.bans.banned(players, self.tx.now)
        return [each for each in players if each not in banned]

    def over_at(self, due_at: datetime) -> datetime:
        """When the time of a round that ends at `due_at` is really over: outages and halts are not counted."""
        return decided_at(self.tx, self.tournament.terms, due_at) or self.now + LOOK_AGAIN

    def is_due(self) -> bool:
        due_at = Director.next_at(self)
        return due_at is not None and due_at <= self.now

    def tell(
        self, players: Sequence[int], page: str, subject: str, standings: Sequence[Standings] = (), **words: Any
    ) -> None:
        """players: their ids. words: as for letters.tell."""
        words["standings"] = [asdict(table) for table in standings]
        self.mails += letters.tell(self, players, self.tournament, page, subject, words)

    def audience(self) -> list[int]:
        return letters.audience(self.tx, self.tournament)

    def by_rating(self, players: Sequence[Entrant]) -> list[Player]:
        """The strongest player first; of equals, the one who joined first."""
        records = self.tx.ratings.of(self.tournament.game, [each.player.id for each in players])
        ranked = sorted(players, key=lambda each: (-records[each.player.id].rating.shown, each.joined_at))
        return [each.player for each in ranked]

    def place(self, divisions: Sequence[Sequence[Player]]) -> None:
        self.placed = {player.id: number for number, division in enumerate(divisions, 1) for player in division}
        self.tx.tournaments.place(self.tournament.id, [[player.id for player in division] for division in divisions])

    def start(self, bout: Bout, division: int, due_at: datetime, challenger: Player | None = None) -> OpenBoard | None:
        """Store a bout and start its board; None if there is nothing to play."""
        tournament, board = self.tournament, None
        if bout.points is None:
            first, second = (self.tx.players.get(each or 0) for each in (bout.first, bout.second))
            assert first is not None  # noqa: S101  a player who leaves the server leaves all tournaments
            assert second is not None  # noqa: S101
            board = start_match(
                self, GAMES[tournament.game], tournament.options, tournament.body, (first, second),
                tournament=label_of(tournament, division, due_at), default_clock=CLOCK,
                # The same random board for all bouts of a season, so that chance favours nobody.
                seed=seed_of(f"{tournament.name} {tournament.season}"),
            )  # fmt: skip
            self.tx.agenda.put(ENDING, board.match.board, notice_at(tournament.terms, due_at))
        number, challenger_id = board.match.board if board else None, challenger.id if challenger else None
        self.tx.tournaments.add_meeting(
            tournament, bout, division, number, self.now, due_at=due_at, challenger_id=challenger_id
        )
        return board

    def decide(self, overdue: Sequence[Meeting]) -> None:
        """End boards at their deadline; a board that cannot be read waits until it can be."""
        self.tx.lock(f"board {meeting.board}" for meeting in overdue)
        for meeting in overdue:
            if meeting.board is not None:
                try:
                    board = self.open(meeting.board)
                except Unreadable:
                    self.waits = True
                    continue
                # What came later, while the server was away, counts for nobody.
                until = min(self.now, self.over_at(meeting.due_at or self.now))
                used = time_used(board.match, board.state.to_move, until, counted(self.tx, board.match.started_at))
                result = Result(Ending.DECIDED, quicker(used), why_decided(board.match, used))
                board.end(result, RoundEnded(meeting.board))
                self.mails += tell_players(self, board)


def label_of(tournament: Tournament, division: int, due_at: datetime) -> str:
    """The name of the tournament in the emails of its boards, and the day that decides them, whatever clocks say."""
    last = f"until {due_at.day} {due_at:%b %Y}"
    if tournament.terms.kind is Kind.LADDER:
        return f"{tournament.name}, {last}"
    place = f"season {tournament.season}, division {division}, " if tournament.terms.kind is Kind.LEAGUE else ""
    return f"{tournament.name}, {place}round {tournament.round}, {last}"


_LATE = frozenset({Ending.FORFEIT, Ending.DECIDED})
"""Endings that mean a loss on time."""


@dataclass(slots=True)
class Ladder(Director):
    """A ladder; the seeds of its players are their rungs. due_at: when idle players are looked for."""

    def begin(self) -> None:
        self.place([self.by_rating(self.present())])
        self.keep(stage=Stage.RUNNING, season=1, due_at=self.now + timedelta(days=self.tournament.terms.idle))
        self._tell_of_rungs(self.audience(), "the ladder stands")

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
        """The players, from the highest rung down."""
        return [each.player for each in self.present()]

    def reachable(self, challenger: Player) -> list[Player]:
        """The players whom one may challenge now, from the highest rung down; none while a challenge is under way.

        Banned players are passed over, as if they had no rung.
        """
        under_way = self.tx.tournaments.under_way(self.tournament.id)
        # Otherwise one player could challenge everybody above them, and keep the best result.
        if any(each.challenger_id == challenger.id for each in under_way):
            return []
        rungs = self.rungs()
        # A banned player cannot answer, so nobody would get past their rung.
        climbing = {challenger, *self.admitted(rungs)}
        players = {player.id: player for player in rungs if player in climbing}
        # Nobody has to defend their rung twice at a time.
        busy = {each.challenged for each in under_way}
        playing = {player for each in under_way if each.bout.holds(challenger.id) for player in each.players}
        near = pairings.within_reach(list(players), challenger.id, self.tournament.terms.rungs)
        return [players[each] for each in near if players[each] not in busy | playing]

    def challenge(self, challenger: Player, opponent: Player) -> OpenBoard:
        """Start the board of a challenge. Raises: NotAllowed, which says whom they may challenge."""
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
            f"You may challenge {names}." if names else "Nobody within your reach can be challenged now: wait a little."
        )

    def _climb(self, meeting: Meeting) -> None:
        """Change the rungs after a game, and tell its players."""
        challenger, challenged = meeting.challenger, meeting.challenged
        players = {player.id: player for player in self.rungs()}
        before = after = list(players)
        scores = [meeting.bout.score(player.id) for player in (challenger, challenged)]
        if scores[0] > scores[1]:
            after = pairings.after_win(before, challenger.id, challenged.id)
        # Otherwise a challenge that is never played would cost nothing.
        elif scores[0] < scores[1] and self._late(meeting):
            after = pairings.dropped(before, {challenger.id})
        self.place([[players[each] for each in after]])
        self.tx.tournaments.set_round(meeting.id, self.tournament.round + 1)
        self.keep(round=self.tournament.round + 1)
        both = [player for player in (challenger, challenged) if player.id in players]
        news = [(player.userid, before.index(player.id) + 1, after.index(player.id) + 1) for player in both]
        self._tell_of_rungs([player.id for player in both], "your rung", news)

    def _late(self, meeting: Meeting) -> bool:
        summary = self.tx.matches.summary(meeting.board) if meeting.board is not None else None
        return summary is not None and summary.result is not None and summary.result.ending in _LATE

    def _drop_idle(self) -> None:
        """Move players down by a rung who have had no game for too long; if there are any, all are told."""
        entrants = self.present()
        idle, players = self._idle(entrants), {each.player.id: each.player for each in entrants}
        before, after = list(players), pairings.dropped(list(players), idle)
        self.place([[players[each] for each in after]])
        self.keep(due_at=self.now + timedelta(days=self.tournament.terms.idle))
        places = [(each, before.index(each) + 1, after.index(each) + 1) for each in after if each in idle]
        # Who stands lowest, or above somebody who is idle as well, has not moved.
        news = [(players[each].userid, above, below) for each, above, below in places if above != below]
        if news:
            self._tell_of_rungs(self.audience(), "how it stands", news)

    def _idle(self, entrants: Sequence[Entrant]) -> set[int]:
        """The ids of players who have neither played nor joined for too long."""
        since = self.now - timedelta(days=self.tournament.terms.idle)
        meetings = self.tx.tournaments.meetings(self.tournament.id)
        # A game under way counts, however long ago it began.
        recent = [each for each in meetings if each.points is None or each.starts_at > since]
        played = {player.id for each in recent for player in each.players}
        return {each.player.id for each in entrants if each.player.id not in played and each.joined_at <= since}

    def _tell_of_rungs(self, players: Sequence[int], subject: str, news: Sequence[tuple[str, int, int]] = ()) -> None:
        """players: their ids. news: userids, each with their rung before and now."""
        standings = standings_of(self.tx, self.tournament)
        self.tell(players, "tournament-ladder.txt", subject, standings, news=news)
