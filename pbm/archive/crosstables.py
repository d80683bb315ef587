"""Tournaments as tables: who stands where, and every result, with a link to the game where it is published."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pbm.domain.match import Player
from pbm.domain.tournaments.standings import ROBIN, SWISS, Line, TieBreak, standings
from pbm.domain.tournaments.terms import Kind
from pbm.store.tournaments import Meeting, Tournament

WIDEST = 24
"""Players of a table with a column for each of them; where there are more, it has one for each round."""
MOST_CELLS = 700
"""Of a page."""
_SCORES = ("0", "½", "1")


@dataclass(frozen=True, slots=True)
class Score:
    """What a cell says. board: to be linked to; None where it is not published."""

    text: str
    board: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """player: None for one who is not to be named. cells: the results against each column."""

    rank: int
    player: Player | None
    points: str
    cells: tuple[tuple[Score, ...], ...]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Of a season and division, or a part of its rows."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def cells(self) -> int:
        return len(self.rows) * (len(self.columns) + 3)


@dataclass(frozen=True, slots=True)
class Public:
    """What may be shown: the boards that are published, and the players who may be named."""

    boards: Collection[int]
    players: Collection[int]


def crosstables(tournament: Tournament, meetings: Sequence[Meeting], public: Public) -> Iterator[Crosstable]:
    """The newest season first, a table for each division, cut into parts where it is too long for a page."""
    for season in sorted({each.season for each in meetings}, reverse=True):
        held = [each for each in meetings if each.season == season]
        for division in sorted({each.division for each in held}):
            yield from _of_division(tournament, [each for each in held if each.division == division], public)


def paged(tables: Iterator[Crosstable]) -> Iterator[list[Crosstable]]:
    """As many on each page as it can take; at least one page."""
    page: list[Crosstable] = []
    for table in tables:
        if page and sum(each.cells for each in (*page, table)) > MOST_CELLS:
            yield page
            page = []
        page.append(table)
    yield page


def _of_division(tournament: Tournament, held: Sequence[Meeting], public: Public) -> Iterator[Crosstable]:
    kind = tournament.terms.kind
    players = {player.id: player for meeting in held for player in meeting.players}
    tie_breaks: Sequence[TieBreak] = () if kind in (Kind.LADDER, Kind.KNOCKOUT) else SWISS
    if kind in (Kind.ROUND_ROBIN, Kind.LEAGUE):
        tie_breaks = ROBIN
    lines = standings(list(players), [each.bout for each in held], tie_breaks)
    table = _Table(held, {line.entrant: number for number, line in enumerate(lines, 1)}, public)
    matrix = kind in (Kind.ROUND_ROBIN, Kind.LEAGUE) and len(lines) <= WIDEST
    rounds = sorted({each.round for each in held})[-30:]
    columns = tuple(map(str, range(1, len(lines) + 1))) if matrix else tuple(f"R{number}" for number in rounds)
    rows = [table.row(line, players, [each.entrant for each in lines] if matrix else None, rounds) for line in lines]
    heading = f"Season {held[0].season}, division {held[0].division}" if kind is Kind.LEAGUE else "Standings"
    most = MOST_CELLS // (len(columns) + 3)
    for start in range(0, len(rows), most):
        yield Crosstable(heading, columns, tuple(rows[start : start + most]))


@dataclass(frozen=True, slots=True)
class _Table:
    held: Sequence[Meeting]
    numbers: Mapping[int, int]
    public: Public

    def row(self, line: Line, players: Mapping[int, Player], against: Sequence[int] | None, rounds: list[int]) -> Row:
        """against: the players of the columns; None where there is one for each round."""
        mine = [each for each in self.held if each.bout.holds(line.entrant)]
        if against is None:
            found = [[each for each in mine if each.round == number] for number in rounds]
        else:
            found = [[each for each in mine if each.bout.opponent(line.entrant) == other] for other in against]
        cells = tuple(
            tuple(self._result(each, line.entrant, named=against is None) for each in column) for column in found
        )
        player = players[line.entrant] if line.entrant in self.public.players else None
        return Row(line.rank, player, f"{float(line.points):g}", cells)

    def _result(self, meeting: Meeting, player: int, *, named: bool) -> Score:
        bout = meeting.bout
        score = "·" if bout.points is None else _SCORES[bout.score(player)]
        opponent = bout.opponent(player)
        text = score if not named else f"{score} bye" if opponent is None else f"{score} v {self.numbers[opponent]}"
        return Score(text, meeting.board if meeting.board in self.public.boards else None)
