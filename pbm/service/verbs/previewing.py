"""What would be: lines of moves that nobody plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games import GAMES
from games.rules import GameError
from pbm import draw
from pbm.compose import Answer
from pbm.domain import plans
from pbm.domain.commands import Command
from pbm.domain.errors import BadArguments, Rejected
from pbm.domain.match import Seat, State
from pbm.service.handling import Handling
from pbm.service.telling import notice_of
from pbm.service.verbs.playing import as_played
from pbm.service.verbs.registry import done, handles
from pbm.service.verbs.selecting import proven_seat

MAX_PLIES = 100


@handles("preview")
def preview(handling: Handling, command: Command) -> Answer | None:
    words = command.args.get("MOVE", "").split()
    if len(words) > MAX_PLIES:
        raise BadArguments(f"A preview has at most {MAX_PLIES} plies; yours has {len(words)}.")
    if command.args.get("BOARD", "").casefold() == "new":
        return _of_new_board(handling, command, words[1:] if words[:1] == ["2"] else words)
    if command.options:
        raise BadArguments(
            f'"{command.options[0]}": options go with a new board.', "GAME preview new 2 -size=5 MOVE..."
        )
    _of_board(handling, command, words)
    return None


def _of_board(handling: Handling, command: Command, words: Sequence[str]) -> None:
    table = handling.named(command)
    ply = command.args.get("BOARD", "").partition("#")[2]
    state, notations = _line(table.at(int(ply)) if ply else table.state, words)
    shown = f"{' '.join(notations) or 'no move'} would lead to this. {_ending(state)}Nothing is played."
    reader = replace(handling.correspondent(), seat=proven_seat(handling, table))
    scene = state.game.scene(state.position, state.last)
    is_now = not ply and table.match.result is None
    offered = _as_plan(table.state, reader.seat, notations) if is_now and reader.seat else ()
    handling.notices.append(notice_of(table, reader, scene=scene, shown=shown, offered=offered))


def _as_plan(state: State, seat: Seat, notations: Sequence[str]) -> tuple[str, ...]:
    """What the player answers to do what was shown: his move, if it is his turn, and a plan of the plies behind it."""
    is_mine = state.to_move == seat
    now, later = notations[:1] if is_mine else [], notations[is_mine:]
    pairs = len(later) // 2
    planned = plans.layout(plans.chain(later[: 2 * pairs]), indent="") if 0 < pairs <= plans.MAX_DEPTH else []
    return (*now, *map(str.strip, planned)) if planned else ()


def _of_new_board(handling: Handling, command: Command, words: Sequence[str]) -> Answer:
    """A board with the command's options, which exists only in the answer. Raises: OptionError, BadArguments."""
    game = GAMES[command.game or ""]
    state, notations = _line(State.start(game, [option.casefold() for option in command.options]), words)
    text = handling.tools.composer.pages.render(
        "preview.txt",
        state=state,
        options=command.options,
        notations=notations,
        ending=_ending(state),
        drawing=draw.text(game.scene(state.position, state.last)),
    )
    return done(command, text.rstrip("\n"), f"pbm: preview of {game.info.title}")


def _line(state: State, words: Sequence[str]) -> tuple[State, list[str]]:
    """The state after a line of plies, and their notations. Raises: BadArguments."""
    notations = []
    for word in words:
        try:
            state, notation = state.play(as_played(word))
        except (GameError, Rejected) as error:
            raise BadArguments(f'"{word}" as ply {state.plies + 1}: {error}') from None
        notations.append(notation)
    return state, notations


def _ending(state: State) -> str:
    """A sentence with a blank behind it, if the line ends the game; else empty."""
    outcome = state.outcome
    if outcome is None:
        return ""
    if outcome.winner is None:
        return f"The game would be drawn {outcome.reason}. "
    return f"{state.game.sides(state.options)[outcome.winner - 1]} would have won {outcome.reason}. "
