"""Rounds and seasons: a board that ends counts in its tournament, and the next round starts after the last board."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain

from pbm.core.bus import MatchEnded, MatchReopened, ReminderDue, publish, subscribes
from pbm.core.last_day import decided_at, notice_at
from pbm.core.notify import tell_players
from pbm.core.registry import Occasion, when_due
from pbm.domain.errors import NotAllowed
from pbm.domain.events import MatchStarted
from pbm.domain.match import LOOK_AGAIN, Player
from pbm.domain.tournaments import pairings, swiss
from pbm.domain.tournaments.bouts import DRAW, LOSS, WIN, Bout
from pbm.domain.tournaments.terms import Kind
from pbm.features.tournament.crosstables import standings_of
from pbm.features.tournament.director import ENDING, HOLDING, Director, Ladder
from pbm.store import Transaction
from pbm.store.tournaments import Entrant, Stage

_POINTS = {None: (DRAW, DRAW), 1: (WIN, LOSS), 2: (LOSS, WIN)}
"""The half points of both seats, by the winner's seat; a void game counts as a draw."""


@subscribes(MatchEnded)
def settle_bout(event: MatchEnded, tx: Transaction) -> None:
    """Count a board that has just ended in its tournament, and let that check at once whether its round is over."""
    match = event.match
    meeting = tx.tournaments.on_board(match.board) if match.tournament else None
    tournament = tx.tournaments.get(meeting.tournament_id) if meeting else None
    if meeting is None or tournament is None or tournament.stage.ended or match.result is None:
        return
    points = _POINTS[match.result.winner]
    tx.tournaments.settle(meeting.id, pairings.settled(points) if tournament.terms.kind is Kind.KNOCKOUT else points)
    tx.agenda.put(HOLDING, tournament.id, tx.now)


@subscribes(MatchReopened)
def unsettle_bout(event: MatchReopened, tx: Transaction) -> None:
    """Take back what a reopened board counted in its tournament; it counts again when it ends.

    Raises: NotAllowed if its round is over, or it has been counted on its ladder.
    """
    meeting = tx.tournaments.on_board(event.match.board) if event.match.tournament else None
    tournament = tx.tournaments.get(meeting.tournament_id) if meeting else None
    if meeting is None or tournament is None or meeting.points is None:
        return
    present = tournament.season, 0 if tournament.terms.kind is Kind.LADDER else tournament.round
    # The pairings after it were made by its result.
    if tournament.stage is not Stage.RUNNING or (meeting.season, meeting.round) != present:
        raise NotAllowed(f"{tournament.name} has gone on since board {event.match.board} ended.")
    tx.tournaments.settle(meeting.id, None)


@dataclass(slots=True)
class Rounds(Director):
    """A round robin, a Swiss, a knockout or a league."""

    def proceed(self) -> None:
        """Begin the next season when it is time; decide overdue boards, and if no board is under way, end the round."""
        is_paused, is_due, tournaments = self.tournament.stage is Stage.PAUSED, self.is_due(), self.tx.tournaments
        if is_due and not is_paused:
            self.decide(tournaments.under_way(self.tournament.id))
        if is_due and is_paused:
            self.begin()
        elif is_paused or tournaments.under_way(self.tournament.id):
            self.keep()
        else:
            self._next_round(ended=True)

    def begin(self) -> None:
        """Begin the tournament, or the next season of a league."""
        terms, players = self.tournament.terms, self.present()
        if len(players) < terms.fewest:
            self._finish()
            return
        self.place(self._divisions(players))
        for entrant in self.tx.tournaments.entrants(self.tournament.id):
            if entrant.left_at is not None:
                self.tx.tournaments.forget(self.tournament.id, entrant.player.id)
        if terms.kind is Kind.SWISS:
            most = pairings.robin_rounds(len(players))
            terms = replace(terms, rounds=min(terms.rounds or swiss.rounds(len(players)), most))
        self.tournament = replace(
            self.tournament, stage=Stage.RUNNING, season=self.tournament.season + 1, round=0, terms=terms
        )
        self._next_round(ended=False)

    def _divisions(self, players: Sequence[Entrant]) -> list[list[Player]]:
        terms, by_id = self.tournament.terms, {each.player.id: each.player for each in players}
        if terms.kind is not Kind.LEAGUE:
            return [self.by_rating(players)]
        # In the first season nothing but ratings is known; later the table of the last one decides.
        if self.tournament.season == 0:
            order = pairings.divided([player.id for player in self.by_rating(players)], terms.division)
        else:
            fresh = self.by_rating([each for each in players if each.division is None])
            ranked = [[row.entrant for row in table.rows] for table in standings_of(self.tx, self.tournament)]
            leavers = set(chain.from_iterable(ranked)) - by_id.keys()
            newcomers = [player.id for player in fresh]
            order = pairings.next_season(ranked, terms.moving, leavers, newcomers, terms.division)
        return [[by_id[each] for each in division] for division in order]

    def rounds(self) -> int:
        """How many rounds the season has."""
        terms = self.tournament.terms
        if terms.kind is Kind.SWISS:
            return terms.rounds
        if terms.kind is Kind.KNOCKOUT:
            return pairings.knockout_rounds(len(self.tx.tournaments.entrants(self.tournament.id)))
        return max(pairings.robin_rounds(len(each), double=terms.double) for each in self._members().values())

    def _members(self) -> dict[int, list[Entrant]]:
        """The players who were in each division when the season began."""
        members: dict[int, list[Entrant]] = {}
        for each in self.tx.tournaments.entrants(self.tournament.id):
            division = self.placed.get(each.player.id, each.division)
            if division is not None:
                members.setdefault(division, []).append(each)
        return members

    def _next_round(self, *, ended: bool) -> None:
        """Pair and start the next round that has a board, or finish. ended: whether a round has just ended."""
        standings = standings_of(self.tx, self.tournament) if ended else []
        # In a Swiss one player alone would have byes only; elsewhere the last one wins what was to come.
        fewest = 2 if self.tournament.terms.kind is Kind.SWISS else 1
        # A round without a board, such as one of byes, is over at once.
        while self.tournament.round < self.rounds() and len(self.present()) >= fewest:
            self.tournament = replace(self.tournament, round=self.tournament.round + 1)
            due_at = self.now + self.tournament.terms.time_per_round
            boards = [board for division, bout in self._pairings() if (board := self.start(bout, division, due_at))]
            if boards:
                self.keep(due_at=due_at)
                words = {
                    "rounds": self.rounds(),
                    "pairings": self.tournament.round,
                    "before": self.tournament.round - 1,
                }
                subject = f"round {self.tournament.round}"
                self.tell(self.audience(), "tournament-round.txt", subject, standings, **words)
                numbers = [board.match.board for board in boards]
                self.tx.agenda.put(BEGUN, f"{self.tournament.id} {self.tournament.round}", self.now, boards=numbers)
                return
        self._finish()

    def _pairings(self) -> list[tuple[int, Bout]]:
        """The bouts of the present round, with their divisions; players who have left or are banned lose theirs."""
        tournament, players = self.tournament, [each.player for each in self.present()]
        here = {each.id for each in self.admitted(players)}
        if tournament.terms.kind in (Kind.SWISS, Kind.KNOCKOUT):
            return [(1, bout) for bout in self._by_results(here)]
        pairs: list[tuple[int, Bout]] = []
        for division, members in self._members().items():
            entrants = [each.player.id for each in members]
            # Divisions differ in size by a player, so the smaller ones are done earlier.
            if tournament.round <= pairings.robin_rounds(len(entrants), double=tournament.terms.double):
                bouts = [_turned(bout, tournament.season) for bout in pairings.robin_bouts(entrants, tournament.round)]
                pairs += [(division, _without_leavers(bout, here)) for bout in bouts if here & {*bout.entrants}]
        return pairs

    def _by_results(self, here: Set[int]) -> list[Bout]:
        """The bouts of a Swiss or a knockout; a bye is worth a win."""
        tournament, meetings = self.tournament, self.tx.tournaments.meetings(self.tournament.id)
        *before, resting = [
            [each.bout for each in meetings if each.round == number] for number in range(1, tournament.round + 1)
        ]
        seeded = list(self.placed) or [each.player.id for each in self.tx.tournaments.entrants(tournament.id)]
        absent = {each for each in seeded if each not in here}
        if tournament.terms.kind is Kind.KNOCKOUT:
            return pairings.knockout_bouts(seeded, before, absent)
        absent |= {bout.first for bout in resting}
        bouts = swiss.bouts(seeded, before, absent=absent, is_last=tournament.round == self.rounds())
        return [replace(bout, points=(WIN, LOSS)) if bout.second is None else bout for bout in bouts]

    def _finish(self) -> None:
        """End the tournament; if it is a league with players left, only the season."""
        tournament, audience = self.tournament, self.audience()
        standings = standings_of(self.tx, tournament)
        gone = (
            self._strike_out() if tournament.terms.kind is Kind.LEAGUE and tournament.stage is Stage.RUNNING else None
        )
        if gone is not None and self.present():
            self.keep(stage=Stage.PAUSED, due_at=self.now + timedelta(days=tournament.terms.pause))
            subject, order = f"season {tournament.season} is over", enumerate(self._divisions(self.present()), 1)
            target = {player.id: number for number, division in order for player in division}
            places = [(each.player.userid, each.division, target[each.player.id]) for each in self.present()]
            moves = [place for place in places if place[1] not in (None, place[2])]
            self.tell(audience, "tournament-season.txt", subject, standings, moves=moves, gone=gone)
        else:
            self.keep(stage=Stage.OVER, due_at=None, ended_at=self.now)
            self.tell(audience, "tournament-over.txt", "the result", standings, before=tournament.round)

    def _strike_out(self) -> list[str]:
        """Remove players from the league who made no move and did not win all games; returns their userids."""
        owing: set[int] = set()
        moved: set[int] = set()
        for meeting in self.tx.tournaments.meetings(self.tournament.id, self.tournament.season):
            match = self.tx.matches.load(meeting.board) if meeting.board is not None else None
            if match is not None:
                won = match.result.winner if match.result is not None else None
                # Whoever won may not have had a move to make.
                owing |= {player.id for seat, player in enumerate(match.players, 1) if seat != won}
                moved |= {match.player(seat).id for seat in set(match.record.seats)}
        # Otherwise they would get the boards of every season for ever.
        idle = [each.player for each in self.present() if each.player.id in owing - moved]
        for player in idle:
            self.tx.tournaments.leave(self.tournament.id, player.id, self.now)
        return [player.userid for player in idle]


def _without_leavers(bout: Bout, here: Set[int]) -> Bout:
    """The bout, which a player who has left loses; byes of a round robin give no points, as all have as many."""
    if bout.second is None:
        return replace(bout, points=(LOSS, LOSS))
    if here >= {*bout.entrants}:
        return bout
    return replace(bout, points=(WIN if bout.first in here else LOSS, WIN if bout.second in here else LOSS))


BEGUN = "tournament boards"
"""The kind of agenda items for boards that have begun and whose players are yet to be told."""
_BOARDS_AT_ONCE = 4
"""Boards whose players are told in one transaction, so that others need not wait long."""


@when_due(BEGUN, within=timedelta(hours=1))
def tell_begun(occasion: Occasion) -> None:
    """Tell the players of the first boards; the agenda tells the others."""
    numbers, tx = occasion.item.payload["boards"], occasion.tx
    if numbers[_BOARDS_AT_ONCE:]:
        tx.agenda.put(BEGUN, occasion.item.key, occasion.now, boards=numbers[_BOARDS_AT_ONCE:])
    tx.lock(f"board {number}" for number in numbers[:_BOARDS_AT_ONCE])
    for board in map(occasion.open, numbers[:_BOARDS_AT_ONCE]):
        if board.match.result is None:
            board.events.append(MatchStarted(board.match.board))
            occasion.owe(tell_players(occasion, board))


@when_due(ENDING, within=timedelta())
def remind_of_end(occasion: Occasion) -> None:
    """Have the player to move reminded that the tournament soon decides the board; later, if outages delay that."""
    tx, now, number = occasion.tx, occasion.now, int(occasion.item.key)
    meeting = tx.tournaments.on_board(number)
    if meeting is None or meeting.due_at is None or meeting.points is not None:
        return
    tournament = tx.tournaments.get(meeting.tournament_id)
    if tournament is None or tournament.stage.ended:
        return
    ends_at = decided_at(tx, tournament.terms, meeting.due_at)
    due_at = now + LOOK_AGAIN if ends_at is None else notice_at(tournament.terms, ends_at)
    # Outages do not count, so the day has moved.
    if due_at > now:
        tx.agenda.put(ENDING, number, due_at)
    else:
        board = occasion.open(number)
        publish(ReminderDue(board.match.player(board.state.to_move), number), tx)


@when_due(HOLDING, within=timedelta())
def hold(occasion: Occasion) -> None:
    """Run a tournament as far as it can go now, and note when it must be looked at again."""
    tournament = occasion.tx.tournaments.get(int(occasion.item.key))
    if tournament is not None and not tournament.stage.ended:
        kind: type[Director] = Ladder if tournament.terms.kind is Kind.LADDER else Rounds
        kind(occasion.tx, occasion.tools, tournament).go_on()


def _turned(bout: Bout, season: int) -> Bout:
    """The bout with its seats exchanged in every other season."""
    return bout if season % 2 or bout.second is None else replace(bout, first=bout.second, second=bout.first)
