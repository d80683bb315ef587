"""Verbs that play on a board: at once, as soon as it is one's turn, or after a look at what would be."""

from __future__ import annotations

from dataclasses import replace

from games.rules import BadNotation, MoveError
from pbm.compose import Answer, times
from pbm.domain import plans
from pbm.domain.commands import Command, split_guard
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, Rejected
from pbm.domain.match import SWAP, Intent, IntentKind, Seat, State
from pbm.domain.plans import PASSING
from pbm.domain.verbs import find
from pbm.service import holding
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.telling import notice_of
from pbm.service.verbs.registry import HANDLERS, done, handles

PASSES = ("--", "—", "–")
"""The pass as the classic server wrote it; mail programs make one dash of two."""
VERBS_AS_MOVES = frozenset({PASSING, SWAP, "propose", "undo", "accept", "reject", "resign"})
"""Verbs that may stand where a move is expected."""
NOTHING = frozenset({"none", "cancel"})


@handles("move")
def move(handling: Handling, command: Command) -> Answer | None:
    text, guard = split_guard(command.args["MOVE"])
    verb = _verb_meant(text)
    if verb is not None:
        if guard is not None:
            handling.seated(command)[0].check_running(guard)
        return HANDLERS[verb](handling, command)
    if plans.BEGINNING.match(text) and ":" in text:
        return HANDLERS["plan"](handling, replace(command, args={**command.args, "PLAN": text}))
    table, seat = handling.seated(command)
    return _play(handling, command, table, seat, text, guard)


def _play(
    handling: Handling, command: Command, table: Table, seat: Seat, text: str, guard: int | None = None
) -> Answer | None:
    """Play a move, with what is planned for then; or let it wait, as the player may have chosen.

    Raises: as Table.play.
    """
    plan = plans.read(command.plan) if command.plan else ()
    until = holding.until(handling, table, seat)
    if until is None:
        table.play(seat, text, guard, plan)
        return None
    what, after = holding.hold(handling, table, seat, text, guard, plan, until)
    return tell_sender(handling, command, table, seat, what, after, passes_on=True)


def _verb_meant(text: str) -> str | None:
    """The verb that a move's text is."""
    verb = find(PASSING if text in PASSES else text.rstrip(".!"), per_game=True)
    return verb.name if verb is not None and verb.name in VERBS_AS_MOVES else None


def as_played(text: str) -> str:
    """The text of a ply: pass and swap however they are written."""
    verb = _verb_meant(text)
    return verb if verb in (PASSING, SWAP) else text


@handles("pass")
def pass_(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    try:
        return _play(handling, command, table, seat, PASSING)
    except BadNotation:
        raise NotAllowed(f"{table.state.game.info.title} does not allow passing.") from None


@handles("swap")
def swap(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    return _play(handling, command, table, seat, SWAP)


@handles("resign")
def resign(handling: Handling, command: Command) -> Answer | None:
    """At once in one's turn or in the first round; otherwise it waits, and once more takes it back."""
    table, seat = handling.seated(command)
    table.check_running()
    if seat == table.state.to_move or len(table.match.record) < len(table.match.players):
        if holding.until(handling, table, seat) is not None:
            return _play(handling, command, table, seat, plans.RESIGN)
        table.resign(seat)
        return None
    waiting = intent_of(table, seat, IntentKind.RESIGN)
    if waiting is not None:
        table.drop(waiting)
        return tell_sender(handling, command, table, seat, "you will not resign.")
    table.keep(Intent(seat, IntentKind.RESIGN))
    return tell_sender(handling, command, table, seat, "your resignation waits for your turn.")


@handles("queue")
def queue(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    table.check_running()
    words = command.args["MOVE"]
    text, guard = split_guard(words)
    if _verb_meant(text) == "resign":
        return resign(handling, command)
    if words.casefold() in NOTHING:
        return _drop_queued(handling, command, table, seat)
    if seat == table.state.to_move:
        return move(handling, command)
    if guard not in (None, table.next_ply + 1):
        raise BadArguments(f'"{words}" cannot be queued: your next ply is {table.next_ply + 1}, not {guard}.')
    planned = intent_of(table, seat, IntentKind.PLAN)
    instead = " It takes the place of your plan." if planned is not None else ""
    if command.plan:
        tree = (plans.Branch(plans.ANY, as_played(text), plans.read(command.plan)),)
        table.keep_plan(seat, table.check_plan(table.state, seat, tree))
        return tell_sender(handling, command, table, seat, "your move is queued, with what you plan behind it.")
    text = _queueable(table, text)
    if planned is not None:
        table.drop(planned)
    table.keep(Intent(seat, IntentKind.QUEUE, text if guard is None else f"{text}#{guard}"))
    return tell_sender(handling, command, table, seat, f"{text} is queued.{instead}")


def _drop_queued(handling: Handling, command: Command, table: Table, seat: Seat) -> Answer | None:
    waiting = intent_of(table, seat, IntentKind.QUEUE)
    if waiting is None:
        raise NotFound(f"You have queued no move on board {table.match.board}.")
    table.drop(waiting)
    return tell_sender(handling, command, table, seat, f"{waiting.text} is not queued any more.")


def _queueable(table: Table, text: str) -> str:
    """The move as far as it can be read now, after some legal move of the opponent's; it need not be legal there.

    Raises: BadNotation, NotAllowed.
    """
    meant, state = as_played(text), table.state
    replies = (state.game.notate(state.position, reply) for reply in state.game.moves(state.position))
    after, _ = state.play(next(replies))
    try:
        return after.play(meant)[1]
    except BadNotation:
        raise
    except MoveError:
        return meant


@handles("submit")
def submit(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    text, guard = split_guard(command.args["MOVE"])
    after, notation = table.try_play(seat, as_played(text), guard)
    below = plans.write(table.check_plan(after, seat, plans.read(command.plan))) if command.plan else ""
    table.keep(Intent(seat, IntentKind.SUBMIT, "\n".join(filter(None, (f"{notation}#{table.next_ply}", below)))))
    what = f'{notation} would lead to this. Nothing is played yet: answer "confirm" to play it.'
    return tell_sender(handling, command, table, seat, what, after)


@handles("confirm")
def confirm(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    table.check_running()
    submitted = intent_of(table, seat, IntentKind.SUBMIT)
    if submitted is None:
        raise NotFound(f"You have submitted no move on board {table.match.board}.", "submit MOVE")
    text, _, planned = submitted.text.partition("\n")
    table.play(seat, *split_guard(text), plans.reread(planned) if planned else ())
    return None


@handles("cancel")
def cancel(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    held = holding.waiting(table, seat)
    if held is None:
        raise _nothing_waits(table, seat)
    table.drop(held)
    return tell_sender(
        handling, command, table, seat, f"{holding.move_of(held)} is taken back; nobody has heard of it."
    )


def _nothing_waits(table: Table, seat: Seat) -> Rejected:
    """Why there is nothing to cancel: it may be too late."""
    board, played = table.match.board, [ply for ply in table.match.record if ply.seat == seat and not ply.auto]
    if not played or table.match.result is not None:
        ended = " has ended, and" if table.match.result is not None else ":"
        return NotFound(f"Board {board}{ended} nothing of yours waits there.")
    at = times.until(played[-1].played_at, table.match.settings[seat - 1].zone)
    return NotFound(
        f"Nothing of yours waits on board {board}: {played[-1].notation} was played on {at}, so it is too late.", "undo"
    )


def intent_of(table: Table, seat: Seat, kind: IntentKind) -> Intent | None:
    """What the seat has decided for later of a kind."""
    return next((intent for intent in table.intents(seat) if intent.kind is kind), None)


def tell_sender(
    handling: Handling,
    command: Command,
    table: Table,
    seat: Seat,
    what: str,
    after: State | None = None,
    *,
    passes_on: bool = False,
) -> Answer | None:
    """Tell the sender alone what came of his command: with the board, unless it is mailed to him anyway.

    after: the state to show in place of the present one. passes_on: his comment will be.
    """
    if handling.comment and not passes_on:
        what += ' What you wrote was not passed on: "chat" sends it.'
    if table.events and after is None:
        return done(command, what[0].upper() + what[1:])
    scene = after.game.scene(after.position, after.last) if after else None
    handling.notices.append(notice_of(table, replace(handling.correspondent(), seat=seat), scene=scene, shown=what))
    return None
