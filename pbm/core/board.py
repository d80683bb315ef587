"""An open board: a stored match together with its state, which is replayed from its record and cached.

What happens on it is stored at once, and collected as events, which its players are told when all commands are done.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from games import GAMES
from games.rules import GameError
from pbm.core.bus import MatchEnded, MatchReopened, publish
from pbm.core.rating import count_match, rate_match, unrate_match
from pbm.domain.clock import Clock
from pbm.domain.errors import MatchOver, NotAllowed, NotFound, NotYourTurn, Rejected, Stale, Unreadable
from pbm.domain.events import (
    Event,
    IntentDropped,
    MovePlayed,
    OfferAccepted,
    OfferCancelled,
    OfferRejected,
    PlyTakenBack,
    Resigned,
    SidesSwapped,
)
from pbm.domain.mail import Remark, RemarkKind
from pbm.domain.match import (
    SWAP,
    WORDS_KEPT,
    Ending,
    Intent,
    IntentKind,
    Match,
    Offer,
    OfferKind,
    Player,
    Ply,
    Result,
    Seat,
    State,
    due,
    other,
    replay,
)
from pbm.store import HOUSE, Transaction

REMEMBERED = 100_000
"""Plies of all cached boards, which take some 300 octets each."""
_OF_A_BOARD = 8
"""As many plies take as much as the rest of a board."""


class States:
    """The boards met last, with their states, so that a move need not read and replay the whole record.

    Only a cache: the record decides. After a rollback it must be emptied: the next ply of a board would get a number
    and a revision that the cache knows from the ply that was undone.
    """

    def __init__(self) -> None:
        self._plies = 0
        self._boards: OrderedDict[int, tuple[Match, State]] = OrderedDict()
        self.damaged: dict[int, str] = {}
        """Boards whose records cannot be replayed, and why, until the operator is told."""

    def match(self, board: int) -> Match | None:
        """The board as it was last seen."""
        match, _ = self._boards.get(board, (None, None))
        return match

    def of(self, match: Match) -> State:
        """The state of a match. Raises: Unreadable if its game is not installed or its record cannot be replayed."""
        if match.game not in GAMES:
            raise Unreadable(
                f"Board {match.board} waits: its game, {match.game}, cannot be played here at present. Nothing is "
                "lost, and nobody loses on time meanwhile."
            )
        before, state = self._boards.get(match.board, (None, None))
        # A ply may have been taken back, or another process may have played on.
        is_same = before is not None and before.record.notations == match.record.notations
        if state is None or not is_same or state.game is not GAMES[match.game]:
            try:
                state = replay(GAMES[match.game], match.options, match.body, match.record.notations, judged=False)
            except (GameError, Rejected) as error:
                self.damaged[match.board] = str(error)
                raise Unreadable(
                    f"Board {match.board} waits: it cannot be read at present, by a fault of ours. The operator is "
                    "told. Nobody loses on time meanwhile."
                ) from error
        self.keep(match, state)
        return state

    def reads(self, match: Match) -> bool:
        """Whether the board can be read."""
        try:
            self.of(match)
        except Unreadable:
            return False
        return True

    def keep(self, match: Match, state: State) -> None:
        _, before = self._boards.pop(match.board, (None, None))
        self._plies += _weight(state) - (_weight(before) if before else 0)
        self._boards[match.board] = (match, state)
        # The board met longest ago goes first.
        while self._plies > REMEMBERED:
            self._plies -= _weight(self._boards.popitem(last=False)[1][1])

    def forget(self) -> None:
        self._boards.clear()
        self._plies = 0


def _weight(state: State) -> int:
    return _OF_A_BOARD + state.plies


def set_clocks(tx: Transaction, boards: Sequence[int], changed: Callable[[Match, Clock], Clock]) -> None:
    """Change the clocks of those boards that have one, and when these boards need the server next."""
    loaded = [(match, match.clock) for match in tx.matches.load_all(boards) if match.clock is not None]
    clocks = {match.board: due(match, changed(match, clock), tx.now, match.moved_at) for match, clock in loaded}
    tx.matches.set_clocks(clocks)


def difference(tx: Transaction, match: Match, state: State) -> str:
    """How the board's row and its replayed record differ; empty where they agree."""
    plies, seat_to_move = tx.matches.plies_stored(match.board)
    if plies != state.plies:
        return f"the row counts {plies} plies, the record holds {state.plies}"
    if match.result is None:
        if state.result is not None:
            return "the record has ended, the row has not"
        if seat_to_move != state.to_move:
            return f"seat {state.to_move} is to move, the row says {seat_to_move}"
    # Resignations and agreements are in no record.
    elif match.result.ending is Ending.RULES and state.result != match.result:
        return f"the row says {match.result}, the record {state.result}"
    return ""


SILENCE = "silence"
"""The kind of a board's agenda item while a draw is offered: an offer left unanswered for long is accepted."""
SILENT_FOR, SILENT_IN_TOURNAMENTS_FOR = timedelta(days=21), timedelta(days=7)
QUESTION = "question"
"""The kind of a board's agenda item while one player has asked the other something."""
ANSWER_IN = timedelta(days=2)
"""How long a question waits for an answer before the player asked is reminded."""


class Decisions:
    """What the players of a board have decided for later, and what they have asked each other."""

    def __init__(self, tx: Transaction, board: int, now: datetime) -> None:
        self._tx = tx
        self._board = board
        self._now = now
        self._stored: list[Intent] | None = None
        """Those of both seats; None if they have changed since they were read."""

    def of(self, *seats: Seat | None) -> list[Intent]:
        """The decisions of these seats; none for a spectator (None)."""
        if self._stored is None:
            self._stored = self._tx.intents.of(self._board)
        return [intent for intent in self._stored if intent.seat in seats]

    def find(self, seat: Seat, kind: IntentKind) -> Intent | None:
        """The seat's decision of a kind; there is at most one."""
        return next((intent for intent in self.of(seat) if intent.kind is kind), None)

    def keep(self, intent: Intent) -> None:
        """Store a decision in place of the seat's earlier one of the same kind."""
        self._stored = None
        self._tx.intents.keep(self._board, intent, self._now)
        # A held move needs nobody's mail to be played.
        if intent.until is not None:
            self._tx.agenda.put(IntentKind.HOLD, f"{self._board}:{intent.seat}", intent.until)

    def drop(self, intent: Intent) -> None:
        self._stored = None
        self._tx.intents.drop(self._board, intent)
        if intent.kind is IntentKind.HOLD:
            self._tx.agenda.drop(IntentKind.HOLD, f"{self._board}:{intent.seat}")

    def put_away(self, intent: Intent, reason: str) -> list[Event]:
        """Drop a decision; its player is told the reason, if there is one."""
        self.drop(intent)
        return [IntentDropped(self._board, intent.seat, intent.kind, intent.text, reason)] if reason else []


@dataclass(slots=True)
class OpenBoard:
    """One board while a mail is handled."""

    tx: Transaction
    match: Match
    state: State
    revision: int
    """The board's revision before this mail changed anything."""
    now: datetime
    """When the mail came in, so that nobody loses time while the mail waits here."""
    events: list[Event] = field(default_factory=list)
    intents: Decisions = field(init=False)

    def __post_init__(self) -> None:
        self.intents = Decisions(self.tx, self.match.board, self.now)

    @classmethod
    def load(cls, tx: Transaction, states: States, board: int, at: datetime | None = None) -> OpenBoard:
        """The stored board. at: when its player acted, if not just now. Raises: NotFound, Unreadable."""
        match = tx.matches.load(board, states.match(board))
        if match is None:
            raise NotFound(f"There is no board {board}.")
        return cls(tx, match, states.of(match), match.revision, min(at, tx.now) if at else tx.now)

    @property
    def next_ply(self) -> int:
        return len(self.match.record) + 1

    def perspective(self, player: Player | None) -> Seat | None:
        """The seat from which a player sees the board: the one to move if they have both; None if they have none."""
        seats = [seat for seat in (1, 2) if player is not None and self.match.player(seat).id == player.id]
        if len(seats) > 1:
            return self.state.to_move
        return seats[0] if seats else None

    def seat_of(self, player: Player) -> Seat:
        """The same of a player of the board. Raises: NotAllowed."""
        seat = self.perspective(player)
        if seat is None:
            raise NotAllowed(f"{player.userid} is not a player of board {self.match.board}.")
        return seat

    def check_running(self, guard: int | None = None, what: str = "Your command") -> None:
        """guard: the number the next ply must have. what: the words meant as that ply. Raises: MatchOver, Stale."""
        if self.match.result is not None:
            number, follower = self.match.board, self.tx.matches.rematch_of(self.match.board)
            # With the rematch to go on with.
            if follower is not None:
                raise MatchOver(f"Board {number} has ended; its rematch is board {follower}.", f"show {follower}")
            is_void = self.match.result.ending is Ending.VOID
            raise MatchOver(f"Board {number} has ended.", "" if is_void else f"rematch {number}")
        # A mail may answer a board that has gone on, and "D4" may be legal there as well.
        if guard not in (None, self.next_ply):
            raise Stale(f"{what} was meant as ply {guard}, but ply {self.next_ply} is next.")

    def try_play(self, seat: Seat, text: str, guard: int | None = None) -> tuple[State, str]:
        """The state a ply would lead to, and the ply's notation; nothing is changed.

        guard: the number the ply must have. Raises: MatchOver, NotYourTurn, Stale, MoveError, NotAllowed.
        """
        self.check_running(guard, text)
        if seat != self.state.to_move:
            raise NotYourTurn(f"It is not your turn: {self.match.player(self.state.to_move).userid} is to move.")
        return self.state.play(text)

    def add_ply(
        self,
        state: State,
        notation: str,
        *,
        by: IntentKind | None = None,
        forced: bool = False,
        decided_at: datetime | None = None,
    ) -> None:
        """Store the ply that leads to the state; it cancels open offers and its player's decisions for later.

        by: the kind of decision that the server plays it for. forced: it was the only legal ply; decisions stay.
        """
        seat, board, match, auto = self.state.to_move, self.match.board, self.match, forced or by is not None
        calendars, charged, clock = match.calendars, None, None
        if match.clock is not None:
            charged = match.clock.charged(decided_at or self.now, calendars)
            # The mail may have waited, and the opponent cannot have known of the move any earlier.
            since = max(self.tx.now, charged.since)
            clock = due(match, charged.after_move(state.to_move, calendars, since), since, since)
        ply = Ply(notation, seat, self.now, auto, charged.left[seat - 1] if charged else None)
        self.match = match._replace(record=match.record.appended(ply), revision=match.revision + 1, clock=clock)
        self.tx.matches.add_ply(match, ply, state.to_move, self.match.clock)
        self.state = state
        played_for = auto, by is IntentKind.PLAN, forced
        self.events.append(
            SidesSwapped(board, seat) if notation == SWAP else MovePlayed(board, seat, notation, *played_for)
        )
        self.cancel_offer()
        self._put_away_after(seat, notation, forced=forced)
        if state.result is not None:
            self.end(state.result)

    def _put_away_after(self, seat: Seat, notation: str, *, forced: bool) -> None:
        """Drop what both have decided for the position before the seat's ply; other plans of the opponent stay."""
        # A forced ply was no choice of the seat's, so its plans are meant for the next one.
        own = [intent for intent in self.intents.of(seat) if intent.is_question or not forced]
        # A question was about a position that is gone, so a later yes must not answer it.
        asked = [intent for intent in self.intents.of(other(seat)) if intent.is_question]
        for intent in [*own, *asked]:
            # Words are about no position.
            if intent.text == WORDS_KEPT:
                continue
            # Only a held move is known to be waiting; a plan that is replaced by the move itself needs no word.
            reason = f"{notation} was played." if intent.kind is IntentKind.HOLD else ""
            self.events += self.intents.put_away(intent, reason)

    def agree(self, seat: Seat, *, silently: bool = False) -> None:
        """End the match in a draw, to which the seat agrees. silently: by leaving the offer unanswered."""
        self.set_offer(None)
        self.end(Result(Ending.AGREED, None, "by agreement"), OfferAccepted(self.match.board, seat, silently))

    def reject_offer(self, seat: Seat) -> None:
        """Drop the open offer, if any, because the seat rejects it."""
        offer = self.match.offer
        if offer is not None:
            self.set_offer(None)
            self.events.append(OfferRejected(self.match.board, seat, offer.kind))

    def take_back(self, asker: Seat) -> None:
        """Take back the last ply that the asker chose, with what followed it and all decisions for later."""
        kept = self.match.last_chosen(asker) - 1
        taken = self.match.record[kept:]
        self.rewind(kept, PlyTakenBack(self.match.board, other(asker), taken[0].notation, len(taken)))

    def rewind(self, plies: int, event: Event) -> None:
        """Take back all but the first `plies` plies, and drop the offer and all decisions for later."""
        for last in reversed(self.match.record[plies:]):
            match, self.state = self.match, self.at(-1)
            clock = match.clock and match.clock.taken_back(last.seat, last.time_left, self.now, match.calendars)
            shorter = match._replace(record=match.record[:-1], revision=match.revision + 1)
            self.match = shorter._replace(clock=clock and due(shorter, clock, self.now, shorter.moved_at))
            self.tx.matches.drop_ply(self.match, self.state.to_move)
        self.set_offer(None)
        self.events.append(event)
        for intent in self.intents.of(1, 2):
            if intent.text != WORDS_KEPT:
                self.events += self.intents.put_away(intent, "A ply was taken back.")

    def resign(self, seat: Seat) -> None:
        """Give the game up. Before both have played it is void instead, unless it belongs to a tournament."""
        # A challenge is declined so; whoever has joined a tournament has agreed to its games.
        declined = self.match.opening and not self.match.tournament
        if declined:
            result = Result(Ending.VOID, None, f"{self.match.player(seat).userid} has declined to play")
        else:
            result = Result(Ending.RESIGNED, other(seat), "by resignation")
        self.end(result, Resigned(self.match.board, seat, declined))

    def forfeit(self, player: Player, reason: str, event: Event) -> None:
        """End the match with a loss of the player. reason: what follows "because alice"."""
        winner = other(self.match.seat_of(player.id) or 1)
        self.end(Result(Ending.FORFEIT, winner, f"because {player.userid} {reason}"), event)

    def set_offer(self, offer: Offer | None) -> None:
        """Set the open offer, or None for none, with the one reminder of it; an unanswered draw offer is accepted."""
        self.tx.matches.set_offer(self.match.board, offer)
        self.tx.agenda.drop(SILENCE, self.match.board)
        if offer is None:
            self.tx.agenda.drop(QUESTION, self.match.board)
        else:
            self.tx.agenda.put(QUESTION, self.match.board, self.now + ANSWER_IN)
        # Otherwise a player who never answers would keep a drawn game going.
        if offer is not None and offer.kind is OfferKind.DRAW:
            at = self.now + (SILENT_IN_TOURNAMENTS_FOR if self.match.tournament else SILENT_FOR)
            self.tx.agenda.put(SILENCE, self.match.board, at)
        self.match = self.match._replace(offer=offer)

    def set_clock(self, clock: Clock) -> None:
        """Set the clock, and when the board needs the server next."""
        clock = due(self.match, clock, self.now, self.match.moved_at)
        self.match = self.match._replace(clock=clock)
        self.tx.matches.set_clocks({self.match.board: clock})

    def reload(self) -> None:
        """Read the players' settings and rests, and the clock, again: they may have changed in the database since."""
        fresh = self.tx.matches.load(self.match.board, remembered=self.match)
        if fresh is not None:
            self.match = self.match._replace(clock=fresh.clock, settings=fresh.settings, stops=fresh.stops)

    def cancel_offer(self) -> None:
        """Drop the open offer, if any; the players are told."""
        offer = self.match.offer
        if offer is not None:
            self.set_offer(None)
            self.events.append(OfferCancelled(self.match.board, offer.seat, offer.kind))

    def end(self, result: Result, event: Event | None = None) -> None:
        """End the match, with its ratings and tournaments, under the lock of the house; see pbm.server.batch."""
        self.tx.lock([HOUSE])
        clock = self.match.clock and self.match.clock.charged(self.now, self.match.calendars)
        self.tx.matches.end(self.match.board, result, self.now, clock)
        revision = self.match.revision + 1
        self.match = self.match._replace(result=result, ended_at=self.now, revision=revision, clock=None)
        if event is not None:
            self.events.append(event)
        for intent in self.intents.of(1, 2):
            reason = "The game is over." if intent.kind in (IntentKind.PLAN, IntentKind.HOLD) else ""
            # What nobody will be asked about any more stays its writer's own.
            if intent.text == WORDS_KEPT:
                self.remark(RemarkKind.NOTE, self.match.player(intent.seat), intent.comment)
                reason = "The game is over, so they are among your notes."
            self.events += self.intents.put_away(intent, reason)
        self.events += rate_match(self.tx, self.match)
        publish(MatchEnded(self.match), self.tx)
        count_match(self.tx, self.match)

    def clock_anew(self) -> Clock:
        """A clock with the time each had left at their last move, but no less than they have now, or had at the end."""
        match, seat = self.match, self.state.to_move
        left = {ply.seat: ply.time_left for ply in match.record}
        clock = Clock.start(match.control, seat, self.now, match.calendars, (left.get(1), left.get(2)))
        kept = match.clock if match.result is None else self.tx.matches.clock_at_end(match, seat, self.now)
        return clock if kept is None else clock.no_less_than(kept).refreshed(match.calendars)

    def reopen(self, event: Event) -> None:
        """Take the result back, and what it did to ratings; decisions for later stay dropped.

        Raises: NotAllowed if its tournament has gone on since.
        """
        self.tx.lock([HOUSE])
        ended, clock = self.match, self.clock_anew()
        self.events.append(event)
        self.events += unrate_match(self.tx, ended)
        count_match(self.tx, ended, back=True)
        self.match = ended._replace(result=None, ended_at=None, revision=ended.revision + 1)
        self.tx.matches.reopen(ended.board, self.state.to_move)
        self.set_clock(clock)
        publish(MatchReopened(self.match), self.tx)

    def notes(self, player: Player | None) -> list[Remark]:
        """The player's own notes on the board; nobody else sees them."""
        # Few boards have notes, and every board mail asks for them.
        if player is None or not self.match.annotated:
            return []
        return self.tx.remarks.of(RemarkKind.NOTE, self.match.board, player.id)

    def remark(self, kind: RemarkKind, author: Player, text: str) -> None:
        """Store what somebody writes about the board as it stands."""
        self.tx.remarks.add(kind, Remark(self.match.board, author, len(self.match.record), text, self.now))
        if kind is RemarkKind.NOTE:
            self.match = self.match._replace(annotated=True)

    def at(self, ply: int) -> State:
        """The state after a ply; negative plies count back from the end. Raises: NotFound."""
        plies = len(self.match.record)
        number = plies + ply if ply < 0 else ply
        if not 0 <= number <= plies:
            raise NotFound(f"Board {self.match.board} has the plies 0 to {plies}; there is no ply {ply}.")
        record = self.match.record.notations[:number]
        return replay(self.state.game, self.match.options, self.match.body, record, judged=False)
