"""Conditional moves (plans), held moves, and previews.

A player can have moves held so that they can be taken back (see pbm/core/decisions.py). The agenda plays a held move
in the transaction that drops its item, and so only once, and only if the board is still the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from games import GAMES
from games.rules import GameError
from pbm.compose.notices import Answer, Drawn
from pbm.compose.views import plain, until
from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.core.decisions import move_of
from pbm.core.notify import Writer, notice_of, reader_of, tell_players
from pbm.core.registry import Occasion, handles, on_board, when_due
from pbm.core.reply import done, tell_sender
from pbm.core.request import Request
from pbm.domain import plans
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, NotYourTurn, Rejected
from pbm.domain.events import CommentMade, IntentDropped
from pbm.domain.match import IntentKind, Offer, OfferKind, Seat, State, other
from pbm.domain.plans import Plan
from pbm.reading.commands import NOTHING, Command, as_played, split_guard
from pbm.reading.verbs import LOOKING, PLAYING, Alteration, Entry, Locks, Verb


@handles(
    on_board("GAME plan BOARD USERID PASSWORD [PLAN...]", alters=Alteration(asks=True, takes_plan=True), wordy=True),
    Entry(
        50, "say what you do if your opponent does this or that; alone it shows what you have said, and none drops it"
    ),
)
def plan(request: Request, command: Command) -> Answer | None:
    command = _with_plies(request, command)
    board, seat = request.author.seated(command)
    board.check_running()
    text = "\n".join(filter(None, (command.args.get("PLAN", ""), command.plan)))
    planned = next((intent for intent in board.intents.of(seat) if intent.kind in plans.KINDS), None)
    if text and text.casefold() not in NOTHING:
        tree = plans.understood(text)
        _check_time(board, seat, tree)
        decisions.keep_plan(board, seat, decisions.check_plan(board, board.state, seat, tree))
        instead = ", in place of the earlier one" if planned is not None else ""
        return tell_sender(request, command, board, seat, f"your plan is kept{instead}.")
    if planned is None:
        raise NotFound(f"You have no plan on board {board.match.board}.", "plan if E5: D4; if any: F6")
    if not text:
        reader, (tree, _) = replace(request.author.reader(), seat=seat), plans.of(planned)
        notice = notice_of(board, reader, shown="this is your plan.", plan=tuple(plans.layout(tree)))
        request.outgoing.notices.append(notice)
        return None
    board.intents.drop(planned)
    return tell_sender(request, command, board, seat, "you have no plan any more.")


def _with_plies(request: Request, command: Command) -> Command:
    """The command; in an answer to a board, if all its words are numbers, the first is a move, not a board."""
    board, plies = command.args.get("BOARD", ""), command.args.get("PLAN", "")
    # In an answer to a board its number is known, and "plan 101 5" may name edges 101 and 5.
    answers = request.sender.seat is not None and command.credentials is None
    if not (answers and board and plies and all(map(str.isdecimal, plies.split()))):
        return command
    return replace(command, args={"PLAN": f"{board} {plies}"})


def _check_time(board: OpenBoard, seat: Seat, tree: Plan) -> None:
    """Check that the plan is about the opponent's next move or offer. Raises: NotYourTurn, NotAllowed."""
    hold = board.intents.find(seat, IntentKind.HOLD)
    if hold is not None:
        raise NotYourTurn(
            f"{move_of(hold)} still waits to be played. To change your plan, send the move once more, with it."
        )
    if seat == board.state.to_move:
        raise NotYourTurn(
            "It is your turn, and a plan is for what your opponent does then. Send your move, and your plan below it."
        )
    # A plan answers what is yet to come, and this offer waits for an answer now.
    if board.match.offer == Offer(OfferKind.DRAW, other(seat)) and plans.fitting(tree, plans.DRAW):
        userid = board.match.player(other(seat)).userid
        raise NotAllowed(f'{userid} offers a draw already: answer "accept" or "reject".')


@when_due(IntentKind.HOLD, within=timedelta(days=1))
def play_held(occasion: Occasion) -> None:
    """Play a held move whose time has come; its player's clock ran only until they sent it."""
    number, seat = map(int, occasion.item.key.split(":"))
    board = occasion.open(number)
    intent = board.intents.find(seat, IntentKind.HOLD)
    # They have taken it back, or the opponent's move has put it away.
    if intent is None:
        return
    board.intents.drop(intent)
    player = board.match.player(seat)
    comments = (CommentMade(number, userid=player.userid, text=intent.comment),) if intent.comment else ()
    move, _, planned = intent.text.partition("\n")
    text, guard = split_guard(move)
    try:
        if text == plans.RESIGN:
            board.check_running(guard, "It")
            board.resign(seat)
        else:
            plan = plans.reread(planned) if planned else ()
            decisions.play_ply(board, seat, text, guard, plan, decided_at=intent.since)
    except (Rejected, GameError) as error:
        board.events.append(IntentDropped(number, seat, intent.kind, intent.text, str(error)))
        notice = notice_of(board, reader_of(occasion, player, seat), events=tuple(board.events))
        occasion.owe(occasion.tools.composer.notice(notice, occasion.now))
        return
    occasion.owe(tell_players(occasion, board, comments, Writer(player)))


@handles(
    Verb("GAME cancel BOARD USERID PASSWORD", PLAYING, Locks.BOARDS, wordy=True),
    Entry(60, 'take back a move that still waits, if you have chosen "set hold"'),
)
def cancel(request: Request, command: Command) -> Answer | None:
    board, seat = request.author.seated(command)
    hold = board.intents.find(seat, IntentKind.HOLD)
    if hold is not None:
        board.intents.drop(hold)
        return tell_sender(request, command, board, seat, f"{move_of(hold)} is taken back; nobody has heard of it.")
    number, played = board.match.board, [ply for ply in board.match.record if ply.seat == seat and not ply.auto]
    if not played or board.match.result is not None:
        ended = " has ended, and" if board.match.result is not None else ":"
        raise NotFound(f"Board {number}{ended} nothing of yours waits there.")
    at = until(played[-1].played_at, board.match.settings[seat - 1].zone)
    late = f"{played[-1].notation} was played on {at}, so it is too late."
    raise NotFound(f"Nothing of yours waits on board {number}: {late}", "undo")


MAX_PLIES = 100


@handles(
    Verb("GAME preview [OPTIONS] BOARD[#PLY]|new [MOVE...]", LOOKING, Locks.NOTHING, shortest=4),
    Entry(40, "see what a line of moves would lead to; nothing is played"),
)
def preview(request: Request, command: Command) -> Answer | None:
    words = command.args.get("MOVE", "").split()
    # Each ply is judged, which in late positions of Polygon takes some hundredths of a second.
    if len(words) > MAX_PLIES:
        raise BadArguments(f"A preview has at most {MAX_PLIES} plies; yours has {len(words)}.")
    if command.args.get("BOARD", "").casefold() == "new":
        game, options = GAMES[command.game or ""], [option.casefold() for option in command.options]
        state, notations, _ = _line(State.start(game, options), words[1:] if words[:1] == ["2"] else words)
        text = request.outgoing.page(
            "preview.txt",
            state=state,
            options=command.options,
            notations=notations,
            ending=_ending(state),
            drawing=plain(state),
        )
        return done(command, text, f"pbm: preview of {game.info.title}")
    if command.options:
        raise BadArguments(
            f'"{command.options[0]}": options go with a new board.', "GAME preview new 2 -size=5 MOVE..."
        )
    _of_board(request, command, words)
    return None


def _of_board(request: Request, command: Command, words: Sequence[str]) -> None:
    board = request.boards.named(command)
    ply = command.args.get("BOARD", "").partition("#")[2]
    begun = board.at(int(ply)) if ply else board.state
    state, notations, seats = _line(begun, words)
    shown = f"{' '.join(notations) or 'no move'} would lead to this. {_ending(state)}Nothing is played."
    reader = replace(request.author.reader(), seat=request.author.proven_seat(board))
    is_now = not ply and board.match.result is None
    offered = _as_plan(reader.seat, notations, seats) if is_now and reader.seat else ()
    drawn = Drawn(begun.plies, tuple(notations))
    request.outgoing.notices.append(notice_of(board, reader, drawn=drawn, shown=shown, offered=offered))


def _as_plan(seat: Seat, notations: Sequence[str], seats: Sequence[Seat]) -> tuple[str, ...]:
    """The lines that do what was shown: the player's move, if it is their turn, and a plan of the plies after it."""
    is_mine = seats[:1] == [seat]
    now, later = notations[:1] if is_mine else [], notations[is_mine:]
    # A plan pairs a ply of the opponent with one answer; where a side moves twice there is no such pair.
    take_turns = all(one != two for one, two in pairwise(seats))
    pairs = len(later) // 2 if take_turns else 0
    planned = plans.layout(plans.chain(later[: 2 * pairs])) if 0 < pairs <= plans.MAX_DEPTH else []
    return (*now, *map(str.strip, planned)) if planned else ()


def _line(state: State, words: Sequence[str]) -> tuple[State, list[str], list[Seat]]:
    """The state after a line of plies, their notations, and the seat of each. Raises: BadArguments."""
    notations, seats = [], []
    for word in words:
        seats.append(state.to_move)
        try:
            state, notation = state.play(as_played(word))
        except (GameError, Rejected) as error:
            raise BadArguments(f'"{word}" as ply {state.plies + 1}: {error}') from None
        notations.append(notation)
    return state, notations, seats


def _ending(state: State) -> str:
    """A sentence with a space after it if the line ends the game; otherwise empty."""
    outcome = state.outcome
    if outcome is None:
        return ""
    if outcome.winner is None:
        return f"The game would be drawn {outcome.reason}. "
    return f"{state.game.sides(state.options)[outcome.winner - 1]} would have won {outcome.reason}. "
