"""A board in the hand of the service: a stored match together with its state, replayed from its record and remembered.

What happens on it is stored at once, and kept as events of which its players are told when all is done.
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
    with_clock,
)
from pbm.store import HOUSE, Transaction

NO_BOARD = 0
"""The number that a board seems to have which a rehearsal has started."""

REMEMBERED = 24_000_000
"""Octets of all boards that are remembered."""
_OF_A_BOARD, _OF_A_PLY = 1600, 26
"""Octets that these take there, without what positions of some games hold of the plies before."""


class States:
    """The latest boards with their states, so that a move need not read and replay the whole record.

    Only a cache: the record decides. A transaction that is rolled back has to empty it, for the next ply of a board it
    held then gets a number and a revision that the cache knows from another ply.
    """

    def __init__(self) -> None:
        self._octets = 0
        self._boards: OrderedDict[int, tuple[Match, State]] = OrderedDict()
        self.damaged: dict[int, str] = {}
        """Boards met whose records cannot be replayed, and why, until that is told."""

    def match(self, board: int) -> Match | None:
        """The board as it was when it was met last."""
        known = self._boards.get(board)
        return known[0] if known else None

    def of(self, match: Match) -> State:
        """Raises: Unreadable where the game is not there, or the record cannot be replayed."""
        if match.game not in GAMES:
            raise Unreadable(
                f"Board {match.board} waits: its game, {match.game}, cannot be played here at present. Nothing is "
                "lost, and nobody loses on time meanwhile."
            )
        before, known = self._boards.get(match.board, (None, None))
        is_same = before is not None and before.record.notations == match.record.notations
        state = known if is_same and known and known.game is GAMES[match.game] else self._replayed(match)
        self.keep(match, state)
        return state

    def reads(self, match: Match) -> bool:
        """Whether there is a state of the board."""
        try:
            self.of(match)
        except Unreadable:
            return False
        return True

    def _replayed(self, match: Match) -> State:
        """Raises: Unreadable."""
        try:
            return replay(GAMES[match.game], match.options, match.body, match.record.notations, judged=False)
        except (GameError, Rejected) as error:
            self.damaged[match.board] = str(error)
            raise Unreadable(
                f"Board {match.board} waits: it cannot be read at present, by a fault of ours. The operator is told. "
                "Nobody loses on time meanwhile."
            ) from error

    def keep(self, match: Match, state: State) -> None:
        known = self._boards.pop(match.board, None)
        self._octets += _weight(state) - (_weight(known[1]) if known else 0)
        self._boards[match.board] = (match, state)
        while self._octets > REMEMBERED:
            self._octets -= _weight(self._boards.popitem(last=False)[1][1])

    def forget(self) -> None:
        self._boards.clear()
        self._octets = 0


def _weight(state: State) -> int:
    """About how many octets a remembered board takes."""
    return _OF_A_BOARD + (_OF_A_PLY + state.game.info.octets_a_ply) * state.plies


def set_clocks(tx: Transaction, boards: Sequence[int], changed: Callable[[Match, Clock], Clock]) -> None:
    """Change the clocks of boards, as far as any run there, and when the boards need the server next."""
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
    elif match.result.ending is Ending.RULES and state.result != match.result:
        return f"the row says {match.result}, the record {state.result}"
    return ""


SILENCE = "silence"
"""An item on the agenda of a board while a draw has been offered: an offer left unanswered for long is accepted."""
SILENT_FOR, SILENT_IN_TOURNAMENTS_FOR = timedelta(days=21), timedelta(days=7)
QUESTION = "question"
"""An item on the agenda of a board while one player has asked the other something."""
ANSWER_IN = timedelta(days=2)
"""How long a question waits for its answer before its hearer is reminded."""


class Decisions:
    """What the players of a board have decided for later, and what they wait to be answered."""

    def __init__(self, tx: Transaction, board: int, now: datetime) -> None:
        self._tx = tx
        self._board = board
        self._now = now
        self._known: list[Intent] | None = None

    def of(self, seat: Seat | None) -> list[Intent]:
        """Those of a seat; none for a spectator."""
        return [intent for intent in self._all() if intent.seat == seat]

    def find(self, seat: Seat, kind: IntentKind) -> Intent | None:
        """The seat's decision of a kind; there is but one."""
        return next((intent for intent in self.of(seat) if intent.kind is kind), None)

    def _all(self, but: Intent | None = None) -> list[Intent]:
        """Those of both seats. but: without the one of its seat and kind."""
        if self._known is None:
            self._known = self._tx.intents.of(self._board)
        return [each for each in self._known if but is None or (each.seat, each.kind) != (but.seat, but.kind)]

    def keep(self, intent: Intent) -> None:
        """In place of one of the same kind."""
        self._known = sorted([*self._all(but=intent), intent._replace(since=self._now)], key=lambda each: each.kind)
        self._tx.intents.keep(self._board, intent, self._now)
        if intent.until is not None:
            self._tx.agenda.put(IntentKind.HOLD, f"{self._board}:{intent.seat}", intent.until)

    def drop(self, intent: Intent) -> None:
        self._known = self._all(but=intent)
        self._tx.intents.drop(self._board, intent)
        if intent.kind is IntentKind.HOLD:
            self._tx.agenda.drop(IntentKind.HOLD, f"{self._board}:{intent.seat}")

    def put_away(self, intent: Intent, reason: str) -> list[Event]:
        """Drop it; its player is told the reason, if there is one."""
        self.drop(intent)
        return [IntentDropped(self._board, intent.seat, intent.kind, intent.text, reason)] if reason else []


@dataclass(slots=True)
class OpenBoard:
    """One board while a mail is handled."""

    tx: Transaction
    match: Match
    state: State
    revision: int
    """As the board was when the mail came to it."""
    now: datetime
    """When the mail came in, so that nobody's clock runs while it waits for us."""
    events: list[Event] = field(default_factory=list)
    intents: Decisions = field(init=False)
    _notes: list[Remark] | None = None

    def __post_init__(self) -> None:
        self.intents = Decisions(self.tx, self.match.board, self.now)
        if self.tx.opened is not None:
            self.tx.opened.append(self)

    @classmethod
    def load(cls, tx: Transaction, states: States, board: int, at: datetime | None = None) -> OpenBoard:
        """at: the instant from which what players do counts, where that is not the present one.

        Raises: NotFound, Unreadable.
        """
        match = tx.matches.load(board, states.match(board))
        if match is None:
            raise NotFound(f"There is no board {board}.")
        return cls(tx, match, states.of(match), match.revision, at or tx.now)

    @property
    def next_ply(self) -> int:
        return len(self.match.record) + 1

    def seat_of(self, player: Player) -> Seat:
        """Somebody who plays against themselves has the seat that is to move. Raises: NotAllowed."""
        seats = [seat for seat in (1, 2) if self.match.player(seat).id == player.id]
        if not seats:
            raise NotAllowed(f"{player.userid} is not a player of board {self.match.board}.")
        return self.state.to_move if len(seats) > 1 else seats[0]

    def check_running(self, guard: int | None = None, what: str = "Your command") -> None:
        """guard: the number the next ply must have. what: was meant for it. Raises: MatchOver, Stale."""
        if self.match.result is not None:
            raise self._over(self.match.board, self.match.result)
        if guard not in (None, self.next_ply):
            raise Stale(f"{what} was meant as ply {guard}, but ply {self.next_ply} is next.")

    def _over(self, number: int, result: Result) -> MatchOver:
        """Why nothing can be done, and how the game goes on."""
        follower = self.tx.matches.rematch_of(number)
        if follower is not None:
            return MatchOver(f"Board {number} has ended; its rematch is board {follower}.", f"show {follower}")
        return MatchOver(f"Board {number} has ended.", "" if result.ending is Ending.VOID else f"rematch {number}")

    def try_play(self, seat: Seat, text: str, guard: int | None = None) -> tuple[State, str]:
        """The state a ply would lead to, and its notation; nothing is changed.

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
        """Store the ply that led to the state; offers and what its player had decided for later are off with it.

        by: what the server has played it for. forced: it was the only ply there was, and what was decided stays.
        """
        seat, board, match, auto = self.state.to_move, self.match.board, self.match, forced or by is not None
        calendars, charged, clock = match.calendars, None, None
        if match.clock is not None:
            charged = match.clock.charged(decided_at or self.now, calendars)
            clock = due(match, charged.after_move(state.to_move, calendars, self.now), self.now, self.now)
        ply = Ply(notation, seat, self.now, auto, charged.left[seat - 1] if charged else None)
        self.match = match._replace(record=match.record.appended(ply), revision=match.revision + 1, clock=clock)
        self.tx.matches.add_ply(match, ply, state.to_move, self.match.clock)
        self.state = state
        played_for = auto, by is IntentKind.PLAN, forced
        self.events.append(
            SidesSwapped(board, seat) if notation == SWAP else MovePlayed(board, seat, notation, *played_for)
        )
        self.cancel_offer()
        off = [each for each in self.intents.of(seat) if each.is_question or not forced]
        for intent in [*off, *(each for each in self.intents.of(other(seat)) if each.is_question)]:
            reason = f"{notation} was played." if intent.kind is IntentKind.HOLD else ""
            self.events += self.intents.put_away(intent, reason)
        if state.result is not None:
            self.end(state.result)

    def agree(self, seat: Seat, *, silently: bool = False) -> None:
        """The seat agrees to a draw. silently: by leaving the offer unanswered."""
        self.set_offer(None)
        self.end(Result(Ending.AGREED, None, "by agreement"), OfferAccepted(self.match.board, seat, silently))

    def reject_offer(self, seat: Seat) -> None:
        """The seat does not want what its opponent asks for."""
        offer = self.match.offer
        if offer is not None:
            self.set_offer(None)
            self.events.append(OfferRejected(self.match.board, seat, offer.kind))

    @property
    def last_chosen(self) -> int:
        """The number of the last ply that a player chose, before those that were forced; 0 if there is none."""
        number = len(self.match.record)
        while number and self.match.record[number - 1].auto and self.at(number - 1).forced is not None:
            number -= 1
        return number

    def take_back(self, consenting: Seat, *, of_other: bool = False) -> None:
        """Take back the last ply that was chosen, with what followed by force, and what was decided since.

        of_other: the last that the other seat chose, with all since. Raises: NotAllowed where it has chosen none.
        """
        plies = self.last_chosen - 1
        while of_other and plies and (self.at(plies).to_move == consenting or self.at(plies).forced is not None):
            plies -= 1
        if of_other and self.at(plies).to_move == consenting:
            raise NotAllowed("You have played nothing yet that could be taken back.")
        taken = self.match.record[plies:]
        self.rewind(plies, PlyTakenBack(self.match.board, consenting, taken[0].notation, len(taken)))

    def rewind(self, plies: int, event: Event) -> None:
        """Take back all plies but the first so many, and what was decided since."""
        for _ in range(plies, len(self.match.record)):
            self._drop_ply()
        self.set_offer(None)
        self.events.append(event)
        for intent in [*self.intents.of(1), *self.intents.of(2)]:
            self.events += self.intents.put_away(intent, "A ply was taken back.")

    def _drop_ply(self) -> None:
        last, match = self.match.record[-1], self.match
        self.state = self.at(-1)
        clock = match.clock and match.clock.taken_back(last.seat, last.time_left, self.now, match.calendars)
        self.match = with_clock(match._replace(record=match.record[:-1], revision=match.revision + 1), clock, self.now)
        self.tx.matches.drop_ply(self.match, self.state.to_move)

    def resign(self, seat: Seat) -> None:
        """Give the game up; before both have played, it then counts for nobody, unless it belongs to a tournament."""
        declined = self.match.opening and not self.match.tournament
        if declined:
            result = Result(Ending.VOID, None, f"{self.match.player(seat).userid} has declined to play")
        else:
            result = Result(Ending.RESIGNED, other(seat), "by resignation")
        self.end(result, Resigned(self.match.board, seat, declined))

    def forfeit(self, player: Player, reason: str, event: Event) -> None:
        """The player loses, whoever is to move. reason: what follows "because alice"."""
        winner = other(self.match.seat_of(player.id) or 1)
        self.end(Result(Ending.FORFEIT, winner, f"because {player.userid} {reason}"), event)

    def set_offer(self, offer: Offer | None) -> None:
        """Remind a player, once, of what they are asked."""
        self.tx.matches.set_offer(self.match.board, offer)
        self.tx.agenda.drop(SILENCE, self.match.board)
        if offer is None:
            self.tx.agenda.drop(QUESTION, self.match.board)
        else:
            self.tx.agenda.put(QUESTION, self.match.board, self.now + ANSWER_IN)
        if offer is not None and offer.kind is OfferKind.DRAW:
            at = self.now + (SILENT_IN_TOURNAMENTS_FOR if self.match.tournament else SILENT_FOR)
            self.tx.agenda.put(SILENCE, self.match.board, at)
        self.match = self.match._replace(offer=offer)

    def set_clock(self, clock: Clock) -> None:
        """Change the clock, and when the board needs the server next."""
        self.match = with_clock(self.match, clock, self.now)
        assert self.match.clock is not None  # noqa: S101  it was set
        self.tx.matches.set_clock(self.match.board, self.match.clock)

    def renew(self) -> None:
        """Read anew what may have changed behind the board's back: what its players have chosen, and when they rest."""
        fresh = self.tx.matches.load(self.match.board, known=self.match)
        if fresh is not None:
            self.match = self.match._replace(clock=fresh.clock, settings=fresh.settings, stops=fresh.stops)

    def cancel_offer(self) -> None:
        """Take back whatever waits for an answer; the players are told."""
        offer = self.match.offer
        if offer is not None:
            self.set_offer(None)
            self.events.append(OfferCancelled(self.match.board, offer.seat, offer.kind))

    def end(self, result: Result, event: Event | None = None) -> None:
        """Let ratings and tournaments follow, which is done alone; see pbm.server.batch."""
        self.tx.lock([HOUSE])
        clock = self.match.clock and self.match.clock.charged(self.now, self.match.calendars)
        self.tx.matches.end(self.match.board, result, self.now, clock)
        revision = self.match.revision + 1
        self.match = self.match._replace(result=result, ended_at=self.now, revision=revision, clock=None)
        if event is not None:
            self.events.append(event)
        for intent in [*self.intents.of(1), *self.intents.of(2)]:
            told = intent.kind in (IntentKind.PLAN, IntentKind.HOLD)
            self.events += self.intents.put_away(intent, "The game is over." if told else "")
        self.events += rate_match(self.tx, self.match)
        publish(MatchEnded(self.match), self.tx)
        count_match(self.tx, self.match)

    def clock_anew(self) -> Clock:
        """With what each had left at their last move, but no less than now, or at the end, as with time given since."""
        match, seat = self.match, self.state.to_move
        had = [next((ply.time_left for ply in reversed(match.record) if ply.seat == each), None) for each in (1, 2)]
        clock = Clock.anew(match.control, seat, (had[0], had[1]), self.now, match.calendars)
        kept = match.clock if match.result is None else self.tx.matches.clock_at_end(match, seat, self.now)
        return clock if kept is None else clock.no_less_than(kept).refreshed(match.calendars)

    def reopen(self, clock: Clock, event: Event) -> None:
        """Take the result back, with all that followed for ratings; what was decided for later is gone.

        Raises: NotAllowed when a tournament has gone on since.
        """
        self.tx.lock([HOUSE])
        ended = self.match
        self.events.append(event)
        self.events += unrate_match(self.tx, ended)
        count_match(self.tx, ended, back=True)
        self.match = ended._replace(result=None, ended_at=None, revision=ended.revision + 1)
        self.tx.matches.reopen(ended.board, self.state.to_move)
        self.set_clock(clock)
        publish(MatchReopened(self.match), self.tx)

    def notes(self, player: Player | None) -> list[Remark]:
        """The player's own notes on the board; nobody else sees them."""
        if player is None or not self.match.annotated:
            return []
        if self._notes is None:
            self._notes = self.tx.remarks.of(RemarkKind.NOTE, self.match.board)
        return [note for note in self._notes if note.author == player]

    def remark(self, kind: RemarkKind, author: Player, text: str) -> None:
        """Keep what somebody writes about the board as it stands."""
        self.tx.remarks.add(kind, Remark(self.match.board, author, len(self.match.record), text, self.now))
        if kind is RemarkKind.NOTE:
            self.match, self._notes = self.match._replace(annotated=True), None

    def drop_notes(self, player: Player) -> int:
        """Forget what the player has written for themselves; returns how many notes there were."""
        self._notes = None
        return self.tx.remarks.drop(RemarkKind.NOTE, self.match.board, player.id)

    def at(self, ply: int) -> State:
        """The state after a ply; negative plies count back from the end. Raises: NotFound."""
        plies = len(self.match.record)
        number = plies + ply if ply < 0 else ply
        if not 0 <= number <= plies:
            raise NotFound(f"Board {self.match.board} has the plies 0 to {plies}; there is no ply {ply}.")
        record = self.match.record.notations[:number]
        return replay(self.state.game, self.match.options, self.match.body, record, judged=False)
