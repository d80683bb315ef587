"""A finished game as a text for programs, in the usual format for the game or else in our own.

Our own format is the line `pbm record 1`, then lines of a name and a value, an empty line, and one line per ply:

    pbm record 1
    Game: yavalath 1
    Options: -size=5
    First: alice
    Second: bob
    Started: 2026-01-01T12:01:00+00:00
    Ended: 2026-01-02T08:30:00+00:00
    Result: resigned 2 by resignation

    1 C3
    2 swap

The game is followed by the version of its rules; the result by the winner's seat (0 for nobody) and the reason. A board
drawn for the game is given in lines that begin with `Body:`. In SGF (FF[4]) the same head is the value of the private
property PBM of the root, and a swap is a node `PBM[swap]` with a comment, or `swap-sides` if the format has that. PB
and PW hold the colours at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from games import GAMES
from games.rules import Side, counted
from games.scene import PlaneBoard
from pbm.domain import sgf
from pbm.domain.errors import BadArguments
from pbm.domain.match import SWAP, Ending, Match, Result, Seat, State
from pbm.values import frozen

FIRST_LINE = "pbm record 1"
WRITER = "pbm:2"
"""Our name in SGF, and the version of our files."""


@frozen
class GameRecord:
    """players: userids, by seat. moves: canonical notations, including a swap."""

    game: str
    version: int
    options: tuple[str, ...]
    body: str
    players: tuple[str, str]
    started_at: datetime
    ended_at: datetime
    result: Result
    moves: tuple[str, ...]

    @classmethod
    def of(cls, match: Match) -> GameRecord:
        """The record of a match that has ended."""
        assert match.result is not None  # noqa: S101  as the docstring says
        assert match.ended_at is not None  # noqa: S101  as above
        names, moves = (match.players[0].userid, match.players[1].userid), match.record.notations
        return cls(
            match.game, match.version, match.options, match.body, names,
            match.started_at, match.ended_at, match.result, moves,
        )  # fmt: skip

    def states(self) -> list[State]:
        """The states before the first ply and after each. Raises: GameError, Rejected if the record is not sound."""
        states = [State.start(GAMES[self.game], self.options, self.body)]
        for move in self.moves:
            states.append(states[-1].play(move)[0])
        return states


def write(record: GameRecord, states: list[State]) -> tuple[str, str]:
    """The text, and the extension for its file name. states: as record.states() returns them."""
    if GAMES[record.game].info.sgf:
        return _sgf(record, states), "sgf"
    plies = (f"{number} {move}" for number, move in enumerate(record.moves, 1))
    return "\n".join([FIRST_LINE, *_head(record), "", *plies, ""]), "txt"


def is_record(text: str) -> bool:
    """Whether a text seems to be a record and nothing else."""
    return text.lstrip().startswith(("(;", FIRST_LINE))


def read(text: str) -> GameRecord:
    """Raises: BadArguments, GameError, Rejected."""
    if text.lstrip().startswith("("):
        return _of_sgf(text)
    first, *lines = text.strip().splitlines()
    if first.strip() != FIRST_LINE:
        raise BadArguments(f'The file is no record: its first line is not "{FIRST_LINE}".')
    end = lines.index("") if "" in lines else len(lines)
    moves: list[tuple[Seat, str]] = [(0, line.partition(" ")[2].strip()) for line in lines[end:] if line.strip()]
    return _checked(lines[:end], lambda _: moves)


def _head(record: GameRecord) -> Iterator[str]:
    yield f"Game: {record.game} {record.version}"
    yield f"Options: {' '.join(record.options)}".rstrip()
    yield from (f"Body: {line}".rstrip() for line in record.body.splitlines())
    yield f"First: {record.players[0]}"
    yield f"Second: {record.players[1]}"
    yield f"Started: {record.started_at.isoformat()}"
    yield f"Ended: {record.ended_at.isoformat()}"
    yield f"Result: {record.result.ending.value} {record.result.winner or 0} {record.result.reason}".rstrip()


def _headed(head: list[str]) -> GameRecord:
    """The record without its moves. Raises: BadArguments."""
    values = {name: value.strip() for name, _, value in (line.partition(":") for line in head)}
    body = "\n".join(line.removeprefix("Body:").removeprefix(" ") for line in head if line.startswith("Body:"))
    try:
        game, _, version = values["Game"].partition(" ")
        if game not in GAMES:
            raise BadArguments(f'There is no game "{game[:40]}" here.')
        ending, winner, *reason = values["Result"].split(" ", 2)
        result = Result(Ending(ending), int(winner) or None, "".join(reason))
        return GameRecord(
            game, int(version), tuple(values["Options"].split()), body, (values["First"], values["Second"]),
            _instant(values["Started"]), _instant(values["Ended"]), result, (),
        )  # fmt: skip
    except KeyError as error:
        raise BadArguments(f"The record is not whole: it lacks a line {error.args[0]}.") from None
    # The file may have been edited.
    except (ValueError, OverflowError) as error:
        raise BadArguments(f"The record cannot be read: {error}.") from None


def _checked(head: list[str], seated: Callable[[State], Iterable[tuple[Seat, str]]]) -> GameRecord:
    """The record, with canonical notations and the result by the rules. seated: its moves, from its start.

    Raises: BadArguments, GameError, Rejected.
    """
    record = _headed(head)
    game, result = GAMES[record.game], record.result
    # Later versions may have rules that are not known here; earlier ones stay readable.
    if not 1 <= record.version <= game.info.version:
        version = f"{record.version}"[:9]
        raise BadArguments(
            f"The record is of version {version} of {game.info.name}; this server plays version {game.info.version}."
        )
    start = State.start(game, record.options, record.body)
    state, moves, below = sgf.replayed(start, [*seated(start)])
    by_rules = state.result
    if below:
        raise BadArguments(f"The record goes on after its end, with {counted(below, 'move')}.")
    # A file may have been edited: what the rules say decides, and only what they cannot know is believed.
    if (by_rules is None) == (result.ending is Ending.RULES) or result.winner not in (None, 1, 2):
        raise BadArguments(f"The record does not end as it says, {result.ending.value}.")
    return replace(record, result=by_rules or result, moves=moves)


def _instant(word: str) -> datetime:
    """Raises: ValueError, OverflowError."""
    return datetime.fromisoformat(word).astimezone(UTC)


def _sgf(record: GameRecord, states: list[State]) -> str:
    game, last = GAMES[record.game], states[-1]
    colour = sgf.colours_of(states[0])
    points = {cell.name: letters for letters, cell in sgf.cells_of(states[0]).items()}
    # Programs take PB and PW for those who hold the colours at the end, as RE does.
    names = {colour[last.side(seat)]: record.players[seat - 1] for seat in (1, 2)}
    root = {
        "FF": "4", "GM": str(game.info.sgf), "CA": "UTF-8", "AP": WRITER, "SZ": _size(states[0]),
        "PB": names["B"], "PW": names["W"], "DT": f"{record.ended_at:%Y-%m-%d}", "RE": _outcome(record, last),
        "PBM": "\n".join(_head(record)),
    }  # fmt: skip
    nodes = [";" + "".join(f"{name}[{_escaped(value)}]" for name, value in root.items()) + _set_up(states[0])]
    for state, move in zip(states, record.moves, strict=False):
        side = colour[game.to_move(state.position)]
        if move == SWAP:
            # HexGui and its kind know this move; programs for Gomoku show a comment, and no player moves twice there.
            comment = f"C[{_escaped(f'{record.players[1]} swaps sides: the first stone is theirs now.')}]"
            nodes.append(f";{side}[swap-sides]{comment}" if game.info.sgf == sgf.HEX else f";{comment}PBM[{SWAP}]")
        elif game.info.sgf in sgf.LETTERED:
            nodes.append(f";{side}[{points.get(move, '' if move == sgf.PASS else move)}]")
        else:
            nodes.append(f";{side}[{_escaped(move.lower())}]")
    return "(" + "\n".join(nodes) + ")\n"


def _set_up(start: State) -> str:
    """Fields that Go programs also need: komi, handicap and the stones on the board at the start."""
    if start.game.info.sgf != sgf.GO:
        return ""
    stones = [letters for letters, cell in sgf.cells_of(start).items() if cell.piece]
    handicap = f"HA[{len(stones)}]AB" + "".join(f"[{letters}]" for letters in stones) if stones else ""
    return f"KM[{start.options.choice('komi')}]{handicap}"


def _size(start: State) -> str:
    board = start.game.scene(start.position, None).board
    if isinstance(board, PlaneBoard):
        return "1"
    rows = {cell.row for cell in board.cells}
    columns = sum(cell.row == min(rows) for cell in board.cells)
    # As SGF writes boards that are not square.
    return str(columns) if columns == len(rows) else f"{columns}:{len(rows)}"


def _outcome(record: GameRecord, last: State) -> str:
    result = record.result
    if result.ending is Ending.VOID:
        return "Void"
    if result.winner is None:
        return "Draw"
    how = {Ending.RESIGNED: "Resign", Ending.FORFEIT: "Time"}.get(result.ending, "")
    if result.scores is not None:
        points = abs(result.scores[0] - result.scores[1])
        how = f"{points / 2:g}" if last.game.info.halves else str(points)
    return f"{sgf.colours_of(last)[last.side(result.winner)]}+{how}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")


def _of_sgf(text: str) -> GameRecord:
    """Raises: BadArguments, GameError, Rejected."""
    nodes = sgf.main_line(text.strip())
    head = sgf.first(nodes[0], sgf.OURS).splitlines() if nodes else []
    if not head:
        raise BadArguments("Only records that this server has written can be taken in: this one has no property PBM.")

    def seated(start: State) -> Iterator[tuple[Seat, str]]:
        cells = sgf.cells_of(start, is_old=sgf.first(nodes[0], "AP") != WRITER)
        return sgf.seated_moves(sgf.moves_of(nodes, start, cells), start, cells, sgf.colours_of(start)[Side.FIRST])

    return _checked(head, seated)
