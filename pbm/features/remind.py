"""Reminders, digests and calendar files.

Reminders that fall due together are one mail. Each board is checked when the mail is written, so no reminder is sent
that has become pointless because the player has moved, or has chosen a digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from games import GAMES
from pbm.compose.composer import RENEWED, SET_BACK
from pbm.compose.notices import Answer, Gathering, Notice, Posed
from pbm.compose.views import Expiry, lasting
from pbm.core.board import ANSWER_IN, QUESTION, OpenBoard, set_clocks
from pbm.core.bus import ReminderDue, SettingsSaved, subscribes
from pbm.core.last_day import SOON, decisions
from pbm.core.notify import Desk, notice_of, reader_of
from pbm.core.registry import DIGESTED, Occasion, handles, when_due
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.domain.errors import NotAllowed, NotFound, Unreadable
from pbm.domain.match import IntentKind, Match, Player, Seat, UnderWay, other
from pbm.domain.settings import Settings
from pbm.domain.spans import OFF, is_punctual, ladder_in_words, next_digest, read_ladder
from pbm.reading.commands import Command
from pbm.reading.verbs import ACCOUNT, LOOKING, Entry, Locks, Verb
from pbm.store import Transaction
from pbm.store.house import TOLD
from pbm.values import frozen

DIGEST, REMIND = "digest", "remind"
MOMENT = timedelta(microseconds=1)
_NEVER = datetime.max.replace(tzinfo=UTC)


@frozen
class Running:
    """A running board, from the view of one of its players."""

    match: Match
    seat: Seat
    """The player's; the first, if both are theirs."""
    to_move: bool
    """Whether the player is to move."""
    decided_at: datetime | None = None
    """When its tournament decides it; None outside tournaments, or if that is not known."""

    @property
    def asked(self) -> bool:
        """Whether the opponent has asked the player something that they have not answered."""
        offer = self.match.offer
        return offer is not None and self.match.player(other(offer.seat)) == self.match.player(self.seat)

    @property
    def settings(self) -> Settings:
        return self.match.settings[self.seat - 1]

    @property
    def deadline(self) -> datetime | None:
        """When the time of the side to move is over, or the tournament decides the board; None once that has come."""
        clock = self.match.clock
        own = clock.deadline_at if clock and clock.overrun_at is None else None
        return min(filter(None, (own, self.decided_at)), default=None)

    @property
    def is_decided(self) -> bool:
        """Whether the tournament decides the board before the clock does."""
        return self.decided_at is not None and self.decided_at == self.deadline

    @property
    def may_claim(self) -> bool:
        """Whether the opponent's time is up."""
        return not self.to_move and self.match.clock is not None and self.match.clock.overrun_at is not None

    @property
    def changed_at(self) -> datetime:
        """When its last move was made, or the open question was asked."""
        asked_at = self.match.offer.since if self.match.offer is not None else None
        return max(self.match.moved_at, asked_at or self.match.moved_at)

    def is_urged(self, now: datetime) -> bool:
        """Whether the player is to move, has time left, and it runs: not while they are away, nor in a pause.

        What a tournament decides soon is urgent also then, because that waits for nobody.
        """
        clock, decided_at = self.match.clock, self.decided_at if self.is_decided else None
        # A tournament waits for nobody, whatever the clock says.
        if self.to_move and decided_at is not None and now < decided_at <= now + SOON:
            return self.settings.remind != OFF
        # No time runs then, so nothing is urgent.
        if not self.to_move or clock is None or clock.paused or self.is_away(now):
            return False
        return clock.deadline_at is None or clock.deadline_at > now

    def is_away(self, now: datetime) -> bool:
        """Whether the player's clock stands still now, as on vacation or while no mail reaches them."""
        return any(stop.holds(now) for stop in self.match.stops[self.seat - 1])


@subscribes(SettingsSaved)
def plan_digest(event: SettingsSaved, tx: Transaction) -> None:
    """Plan the player's next digest, if they want one."""
    player, settings = event.player, event.settings
    if settings.daily_at == OFF:
        tx.agenda.drop(DIGEST, player.id)
    else:
        tx.agenda.put(DIGEST, player.id, next_digest(settings.daily_at, settings.zone, tx.now))


@subscribes(ReminderDue)
def plan_reminder(event: ReminderDue, tx: Transaction) -> None:
    """Plan a reminder for a moment later, so that boards that fall due at the same instant are in one mail."""
    player = event.player
    tx.lock([f"{REMIND} {player.id}"])
    waiting = tx.agenda.get(REMIND, player.id)
    boards = {*(waiting.payload["boards"] if waiting else ()), event.board}
    tx.agenda.put(REMIND, player.id, tx.now + MOMENT, boards=sorted(boards))


@when_due(DIGEST, within=timedelta(days=2))
def send_digest(occasion: Occasion) -> None:
    """Send a player's digest, unless it is so late that the next one comes soon, or on vacation has nothing new.

    If no board waits, or the player wants no digest, its other parts, such as a puzzle, come in mails of their own.
    """
    tx = occasion.tx
    player = tx.players.get(int(occasion.item.key))
    if player is None:
        return
    settings = Settings.chosen(tx.players.settings(player.id))
    plan_digest(SettingsSaved(player, settings), tx)
    # After a downtime the mail would come at an odd hour, and the next one soon after it.
    if settings.daily_at == OFF or not is_punctual(settings.daily_at, settings.zone, tx.now):
        return
    under_way = boards_under_way(tx, player) if settings.digest != OFF else []
    waiting = _readable(occasion, _waiting(occasion, player, under_way))
    # On vacation the same boards would be told each day.
    if all(board.is_away(tx.now) and board.changed_at < tx.now - timedelta(days=1) for board in waiting):
        waiting = []
    puzzles: list[Posed | None] = []
    for contribute in DIGESTED:
        # A part that needs an unreadable board is left out.
        with suppress(Unreadable):
            puzzles.append(contribute(occasion, player, settings, bool(waiting)))
    if waiting:
        others = [board for board in under_way if not board.waits]
        _gather(occasion, player, waiting, others, daily=True, puzzles=tuple(filter(None, puzzles)))


PLAYERS_A_MINUTE = 100
"""Players who are told within a minute how their boards stand, after earlier mails became void."""
LATELY = timedelta(days=60)
"""A player who had a board, or joined, within this time before may have begun boards that are lost."""


@when_due(TOLD, within=timedelta(hours=1))
def tell_how_boards_stand(occasion: Occasion) -> None:
    """Mail each player their boards after earlier mails became void; some players a minute.

    lost in the payload: the database was set back, and what happened since is lost. Boards begun since are unknown, so
    players who were here lately are told, too, even if they have no boards.
    """
    tx, now, payload = occasion.tx, occasion.now, occasion.item.payload
    is_lost = payload.get("lost", True)
    lost_since = datetime.fromisoformat(payload["since"]) if payload["since"] else None
    # After a set-back nobody can tell which moves are lost, so all who may have made some are told.
    page, here_since = (SET_BACK, (lost_since or now) - LATELY) if is_lost else (RENEWED, None)
    players = tx.matches.busy_players(payload["after"], PLAYERS_A_MINUTE, here_since)
    for player in players:
        boards = boards_under_way(tx, player)
        waiting = [board for board in boards if board.waits] or boards
        others = [board for board in boards if board not in waiting]
        shown = _readable(occasion, running_boards(occasion, player, waiting))
        _gather(occasion, player, shown, others, page=page, lost_since=lost_since)
    if players:
        tx.agenda.put(TOLD, occasion.item.key, now + timedelta(minutes=1), **{**payload, "after": players[-1].id})


@when_due(QUESTION, within=ANSWER_IN)
def remind_of_question(occasion: Occasion) -> None:
    """Remind a player of a question that is still open on a running board."""
    match = occasion.tx.matches.load(int(occasion.item.key))
    # It may have been answered since.
    if match is not None and match.offer is not None and match.result is None:
        plan_reminder(ReminderDue(match.player(other(match.offer.seat)), match.board), occasion.tx)


@when_due(REMIND, within=timedelta(hours=1))
def send_reminder(occasion: Occasion) -> None:
    """Remind a player of several boards in one mail, or of one board in a mail of that board."""
    tx, wanted = occasion.tx, frozenset(occasion.item.payload["boards"])
    player = tx.players.get(int(occasion.item.key))
    # Their digest names the same boards each day.
    if player is None or Settings.chosen(tx.players.settings(player.id)).digest != OFF:
        return
    boards = _waiting(occasion, player, boards_under_way(tx, player))
    due = _readable(occasion, [board for board in boards if board.match.board in wanted and _is_due(tx, board)])
    if not due:
        return
    # What else waits for them comes in the same mail, so that there is no second one soon.
    asked = [board for board in boards if board not in due and (board.asked or board.may_claim)]
    shown = [*due, *_readable(occasion, asked)]
    # One board comes in a mail of its own, which can be answered by a move alone.
    if len(shown) > 1:
        _gather(occasion, player, shown)
    else:
        (notice,) = _notices(occasion, player, shown)
        reminder = replace(notice, shown=_reminding(shown[0], occasion.now))
        occasion.owe(occasion.tools.composer.notice(reminder, occasion.now))


def _is_due(tx: Transaction, board: Running) -> bool:
    """Whether a reminder is still due: the player must move and has no held move, or they have been asked something."""
    if board.is_urged(tx.now):
        # A held move is their move: it only waits until they can no longer take it back.
        return all(intent.kind is not IntentKind.HOLD for intent in tx.intents.of(board.match.board))
    return board.asked and not board.to_move and not board.is_away(tx.now) and board.settings.remind != OFF


def _gather(
    occasion: Occasion, player: Player, waiting: Sequence[Running], others: Sequence[UnderWay] = (), **more: Any
) -> None:
    """Send all boards in one mail. more: fields of Gathering."""
    notices = _notices(occasion, player, waiting)
    gathering = Gathering(reader_of(occasion, player), notices, tuple(others), **more)
    occasion.owe(occasion.tools.composer.gathered(gathering, occasion.now))


def _readable(occasion: Occasion, boards: Sequence[Running]) -> list[Running]:
    """The boards that can be shown."""
    return [board for board in boards if occasion.tools.states.reads(board.match)]


def _notices(occasion: Occasion, player: Player, boards: Sequence[Running]) -> tuple[Notice, ...]:
    """The boards as their player sees them, the most urgent first."""
    tx, tools, now = occasion.tx, occasion.tools, occasion.now
    reader, notices = reader_of(occasion, player), []
    urgent_first = sorted(boards, key=lambda each: (not each.to_move, each.deadline or _NEVER, each.match.moved_at))
    for running in urgent_first:
        board = OpenBoard(tx, running.match, tools.states.of(running.match), running.match.revision, now)
        notices.append(notice_of(board, replace(reader, seat=board.perspective(player))))
    return tuple(notices)


def _reminding(board: Running, now: datetime) -> str:
    if not board.to_move:
        return "a reminder that you have been asked something."
    # Without a clock nothing ends; the last move tells how long the other has waited.
    if board.deadline is None:
        return f"a reminder, {lasting(now - board.match.moved_at)} after the last move."
    if board.is_decided:
        return f"a reminder. In {lasting(board.deadline - now)} the tournament decides the game, by the time used."
    return f"a reminder. Your time is over in {lasting(board.deadline - now)}."


def boards_under_way(tx: Transaction, player: Player) -> list[UnderWay]:
    """The player's running boards of installed games, in their order."""
    return [board for board in tx.matches.under_way(player.id) if board.game in GAMES]


def running_boards(at: Desk, player: Player, boards: Sequence[UnderWay]) -> list[Running]:
    """The boards of the player, loaded, in their order."""
    tx, states = at.tx, at.tools.states
    to_move = {board.board: board.seat_to_move for board in boards}
    matches = tx.matches.load_all(list(to_move), states.match)
    ends = decisions(tx, player) if any(match.tournament for match in matches) else {}
    running = []
    for match in matches:
        is_to_move = match.player(to_move[match.board]) == player
        running.append(Running(match, match.seat_of(player.id) or 1, is_to_move, ends.get(match.board)))
    return running


def _waiting(at: Desk, player: Player, boards: Sequence[UnderWay]) -> list[Running]:
    """Those of the boards that wait for their player."""
    return running_boards(at, player, [board for board in boards if board.waits])


@handles(
    Verb("remind USERID PASSWORD [LADDER...]", ACCOUNT, bare=True, wordy=True, aliases=("reminder", "reminders")),
    Entry(
        140, "be reminded of your moves so long before your time is over, such as 2d 1d 6h, or off; alone it shows when"
    ),
)
def remind(request: Request, command: Command) -> Answer:
    player = request.author.who(command)
    stored = request.tx.players.settings(player.id)
    if words := command.args.get("LADDER", ""):
        stored = {**stored, "remind": read_ladder(words)}
        request.tx.players.save_settings(player.id, stored)
        numbers = [each.board for each in boards_under_way(request.tx, player)]
        set_clocks(request.tx, numbers, lambda _, clock: clock)  # plans the next reminder of each board again
    return done(command, _told(Settings.chosen(stored)), "pbm: your reminders")


def _told(settings: Settings) -> str:
    ladder = ladder_in_words(settings.remind)
    if settings.digest != OFF:
        reminders = f"reminders {ladder} before your time is over" if ladder else "no reminders"
        return (
            f'You get a digest every day at {settings.digest} instead of reminders. After "set digest off" you would '
            f"get {reminders}."
        )
    if not ladder:
        return 'You get no reminders. To get some, answer for instance "remind 2d 1d 6h".'
    return (
        f"When it is your turn you are reminded {ladder} before your time is over. To "
        'change that, answer with a line such as "remind 2d 1d 6h" or "remind off".'
    )


@handles(
    Verb("calendar [BOARD|all] USERID PASSWORD", LOOKING, Locks.NOTHING, aliases=("ics",)),
    Entry(20, "get the ends of your time as a calendar file, of a board or of all your boards"),
)
def calendar(request: Request, command: Command) -> None:
    word = command.args.get("BOARD", "all" if request.sender.board is None else str(request.sender.board))
    player = request.author.who(command, int(word) if word.isdecimal() else None)
    running = running_boards(request, player, boards_under_way(request.tx, player))
    if word.casefold() != "all":
        board = request.boards.load(int(word))
        board.seat_of(player)
        board.check_running()
        running = [each for each in running if each.match.board == board.match.board]
    timed = [Expiry(each.match, each.deadline, each.is_decided) for each in running if each.deadline is not None]
    if not timed:
        raise NotFound(f"No time runs on board {word} now." if word.isdigit() else "No time runs on your boards now.")
    reader = reader_of(request, player)
    if not reader.addresses:
        raise NotAllowed("None of your addresses takes mail now.")
    request.outgoing.letters += request.tools.composer.calendar(reader, timed, request.now, request.message)
