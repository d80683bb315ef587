"""Games, players and tournaments as the archive's pages show them.

A game is replayed on one page, or on several if it is too long for one. A player's page shows their record in each
game. A tournament is tables: the standings, and every result, with a link to the game if it is published.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby

from markupsafe import Markup

from games import GAMES
from games.scene import PlaneBoard
from pbm.domain.match import Player, State
from pbm.domain.tournaments.bouts import standings
from pbm.domain.tournaments.terms import Kind
from pbm.draw import plots
from pbm.draw.plots import Bar
from pbm.draw.svg import Board, replay
from pbm.store.lists import Finished
from pbm.store.ratings import Tally
from pbm.store.tournaments import Meeting, Tournament
from pbm.values import frozen

MOST_CHARACTERS = 88_000  # a page stays below 100 kB
"""Of a drawing with its list of moves."""
MOST_SEGMENTS = 20_000
"""The most segments, summed over all boards in the plane that are laid out together: some seconds of work."""
FEW = 30
"""Characters of markup for each move in the list."""


@frozen
class Frame:
    """A position: its ply, the move that led to it, and who made that; the first position has an empty move."""

    ply: int
    notation: str
    seat: int


@frozen
class Stretch:
    """Some positions of a game, and their drawing. The first is the last one of the stretch before."""

    steps: Sequence[Frame]
    svg: str


@frozen
class Replay:
    """A game, in stretches."""

    parts: tuple[Stretch, ...]
    sides: tuple[str, str]
    """The name of each seat's side at the end."""


def replayed(finished: Finished, record: Sequence[str]) -> Replay:
    """Raises: GameError or Rejected if the record is not sound."""
    state = State.start(GAMES[finished.game], finished.options, finished.body)
    boards, steps = [_seen(state)], [Frame(0, "", 0)]
    for notation in record:
        seat = state.to_move
        state, canonical = state.play(notation)
        boards.append(_seen(state))
        steps.append(Frame(state.plies, canonical, seat))
    return Replay(tuple(_parts(boards, steps)), (state.side_name(1), state.side_name(2)))


def _seen(state: State) -> Board:
    return state.game.scene(state.position, state.last).board


def _parts(boards: Sequence[Board], steps: Sequence[Frame]) -> Iterator[Stretch]:
    """As few stretches as possible, by halving."""
    first, last, is_short = steps[0].ply, steps[-1].ply, len(steps) < 3
    # Drawing many segments takes long, so that it is asked before that.
    if is_short or sum(len(board.segments) for board in boards if isinstance(board, PlaneBoard)) <= MOST_SEGMENTS:
        svg = replay(boards, f"The board after each of the moves {first} to {last}", first)
        if is_short or len(svg) + sum(FEW + 2 * len(step.notation) for step in steps) <= MOST_CHARACTERS:
            yield Stretch(steps, svg)
            return
    middle = len(steps) // 2
    yield from _parts(boards[: middle + 1], steps[: middle + 1])
    yield from _parts(boards[middle:], steps[middle:])


MOST_RANKED = 300
MOST_DRAWN = 40
MOST_GAMES = 100
"""Rated games in a plot; older ones are left out."""

Ranked = tuple[int, Player, Tally]
"""Rank, player and tally; rank 0 if too little is known of the player."""


@frozen
class Career:
    """A player in one game."""

    title: str
    tally: str
    rating: int | None
    plot: Markup
    """Empty unless at least two games were rated."""


def ranked(standings: Sequence[tuple[Player, Tally]]) -> list[Ranked]:
    """The best players of a game, best first."""
    ranks = count(1)
    best = standings[:MOST_RANKED]
    return [(0 if tally.rating.provisional else next(ranks), player, tally) for player, tally in best]


def standings_plot(game: str, best: Sequence[Ranked]) -> Markup:
    """Empty if nobody is rated."""
    bars = [
        Bar(player.userid, tally.rating.rating, 2 * tally.rating.deviation, not tally.rating.provisional)
        for _, player, tally in best[:MOST_DRAWN]
    ]
    described = f"Ratings of {GAMES[game].info.title}, the best first, each with two deviations to either side"
    return Markup(plots.standings(bars, described) if bars else "")  # noqa: S704  all text in it is escaped


def careers(player: Player, boards: Sequence[Finished], rated: Sequence[tuple[str, float]]) -> Iterator[Career]:
    """A career for each game they have played, in the order of the registry. rated: games, with ratings."""
    for game in GAMES:
        own = [each for each in boards if each.game == game]
        if own:
            yield _career(game, player, own, [rating for rated_game, rating in rated if rated_game == game])


def _career(game: str, player: Player, boards: Sequence[Finished], ratings: Sequence[float]) -> Career:
    title, latest = GAMES[game].info.title, ratings[-MOST_GAMES:]
    described = f"Rating of {player.userid} in {title} after each of the last {len(latest)} rated games"
    plot = Markup(plots.history(latest, described) if len(latest) > 1 else "")  # noqa: S704  all text in it is escaped
    winners = [each.result.winner and each.players[each.result.winner - 1] for each in boards]
    won, drawn = winners.count(player), winners.count(None)
    counts = ((won, "won"), (drawn, "drawn"), (len(boards) - won - drawn, "lost"))
    tally = ", ".join(f"{number} {word}" for number, word in counts if number)
    return Career(title, tally, round(latest[-1]) if latest else None, plot)


WIDEST = 24
"""The most players of a table with a column for each of them; a larger table has a column for each round."""
MOST_ROUNDS = 30
"""The most columns of rounds, the latest."""
MOST_CELLS = 700
"""The most cells on a page."""
_SCORES = ("0", "½", "1")


@frozen
class Score:
    """One result in a cell."""

    text: str
    board: int | None = None
    """The board to link to; None if it is not published."""


@frozen
class Row:
    """player: None if they are not to be named. cells: the results in each column."""

    rank: int
    player: Player | None
    points: str
    cells: tuple[tuple[Score, ...], ...]


@frozen
class Crosstable:
    """The table of a season and division, or a part of its rows."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def cells(self) -> int:
        return len(self.rows) * (len(self.columns) + 3)


@frozen
class Public:
    """What may be shown: the published boards, and the players who may be named."""

    boards: Collection[int]
    players: Collection[int]


def crosstables(tournament: Tournament, meetings: Sequence[Meeting], public: Public) -> Iterator[Crosstable]:
    """The newest season first, a table for each division, split if it is too long for a page."""
    ordered = sorted(meetings, key=lambda each: (-each.season, each.division))
    kind = tournament.terms.kind
    for (season, division), group in groupby(ordered, key=lambda each: (each.season, each.division)):
        heading = f"Season {season}, division {division}" if kind is Kind.LEAGUE else "Standings"
        yield from _of_division(kind, heading, list(group), public)


def paged(tables: Iterator[Crosstable]) -> Iterator[list[Crosstable]]:
    """As many tables on each page as fit; at least one page."""
    page: list[Crosstable] = []
    for table in tables:
        if page and sum(each.cells for each in (*page, table)) > MOST_CELLS:
            yield page
            page = []
        page.append(table)
    yield page


def _of_division(kind: Kind, heading: str, meetings: Sequence[Meeting], public: Public) -> Iterator[Crosstable]:
    players = {player.id: player for meeting in meetings for player in meeting.players}
    lines = standings(list(players), [meeting.bout for meeting in meetings], kind.tie_breaks)
    columns: dict[int | None, str] = {line.entrant: str(number) for number, line in enumerate(lines, 1)}
    numbers: dict[int | None, str] = {}
    # Only where everybody meets everybody is a column for each player filled.
    if kind not in (Kind.ROUND_ROBIN, Kind.LEAGUE) or len(lines) > WIDEST:
        rounds = sorted({meeting.round for meeting in meetings})
        numbers, columns = columns, {number: f"R{number}" for number in rounds[-MOST_ROUNDS:]}
    rows = []
    for line in lines:
        cells = _cells(line.entrant, meetings, columns, numbers, public.boards)
        player = players[line.entrant] if line.entrant in public.players else None
        rows.append(Row(line.rank, player, f"{float(line.points):g}", cells))
    most = MOST_CELLS // (len(columns) + 3)
    for start in range(0, len(rows), most):
        yield Crosstable(heading, tuple(columns.values()), tuple(rows[start : start + most]))


def _cells(
    entrant: int,
    meetings: Sequence[Meeting],
    columns: Iterable[int | None],
    numbers: Mapping[int | None, str],
    public: Collection[int],
) -> tuple[tuple[Score, ...], ...]:
    """The results of an entrant in each column. numbers: of all players, if a column is a round; empty if a player.

    public: the published boards.
    """
    cells = {column: list[Score]() for column in columns}
    for meeting in meetings:
        if meeting.bout.holds(entrant):
            column = opponent = meeting.bout.opponent(entrant)
            text = "·" if meeting.points is None else _SCORES[meeting.bout.score(entrant)]
            if numbers:
                column = meeting.round
                text += " bye" if opponent is None else f" v {numbers[opponent]}"
            # Only the latest rounds have a column.
            cells.get(column, []).append(Score(text, meeting.board if meeting.board in public else None))
    return tuple(map(tuple, cells.values()))
