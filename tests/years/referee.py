"""The referee of a simulated club: knows what was said and told, reads the tables, and nothing of the program.

Every sentence it gives is a promise that was broken. It has its own rules of clocks, of tables, and of who may do what.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path

from tests.years.story import Said, Story

_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_TERM = re.compile(r"(\d+)([mhdw])")
_USUAL = timedelta(days=21)
"""How long a move may take where nothing else was agreed."""
_BY_TIME = frozenset({"forfeit", "void"})
ROBOTS = re.compile(r"robot\d+")


@dataclass(frozen=True)
class Ply:
    number: int
    notation: str
    userid: str
    played_at: datetime
    is_automatic: bool


@dataclass(frozen=True)
class Board:
    number: int
    game: str
    players: tuple[str, str]
    options: str
    control: str
    started_at: datetime
    ended_at: datetime | None
    ending: str | None
    winner: int | None
    is_rated: bool
    plies: tuple[Ply, ...]


def broken(story: Story, database: Path) -> Iterator[str]:
    """Whatever promise was broken, in sentences. The club must be at rest."""
    with closing(sqlite3.connect(database)) as tables:
        boards = list(_boards(story, tables))
        yield from _not_handled_once(story, tables)
        yield from _not_delivered(story, tables)
        yield from _nobody_answered(story, tables)
        yield from _changed_by_others(story, tables, boards)
        yield from _tables_differ(story, tables, boards)
        yield from _not_erased(story, tables)
    for board in boards:
        yield from _not_played_by_its_player(story, board)
        yield from _not_told(story, board)
        yield from _ended_wrongly(story, board)
        yield from _played_when_kept_out(story, board)
    yield from story.seen
    yield from _leaked(story)
    yield from _told_differently(story)


def _instant(microseconds: int) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=microseconds)


def _boards(story: Story, tables: sqlite3.Connection) -> Iterator[Board]:
    """With the userids that players had first."""
    names = dict(tables.execute("SELECT id, userid FROM players").fetchall()) | story.ids
    rows = tables.execute(
        "SELECT board, game, seat1_id, seat2_id, options, control, started_at, ended_at, ending, winner, rated "
        "FROM matches"
    )
    for board, game, first, second, options, control, started_at, ended_at, ending, winner, rated in rows.fetchall():
        players = names[first], names[second]
        found = tables.execute(
            "SELECT ply, notation, seat, played_at, auto FROM plies WHERE board = ? ORDER BY ply", (board,)
        )
        plies = tuple(
            Ply(ply, text, players[seat - 1], _instant(at), bool(auto)) for ply, text, seat, at, auto in found
        )
        yield Board(
            board, game, players, options, control, _instant(started_at), _instant(ended_at) if ended_at else None,
            ending, winner, bool(rated), plies,
        )  # fmt: skip


def _by_key(tables: sqlite3.Connection) -> dict[str, list[tuple[int, str, str]]]:
    """The rows of what came in, by Message-ID: number, state and reason."""
    rows: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for number, raw, state, reason in tables.execute("SELECT id, raw, state, reason FROM inbox ORDER BY id"):
        rows[str(message_from_bytes(raw)["Message-ID"])[1:-1]].append((number, state, reason))
    return rows


def _not_handled_once(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """What was acknowledged is handled exactly once; nobody else's fault parks it."""
    rows = _by_key(tables)
    for said in story.said:
        states = [state for _, state, reason in rows[said.key] if "handled before" not in reason]
        if not states and (said.safe_at is None or _is_forgotten(story, said)):
            continue
        if len(states) != 1 or states[0] not in ("handled", "ignored"):
            yield f'{said.key} by {said.author}, "{said.line}", is in the inbox as {rows[said.key]}'


def _not_delivered(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """What is owed is sent, if nothing has failed for a while, except to those whose mail servers refuse them."""
    for number, address, state, trouble in tables.execute(
        "SELECT id, address, state, trouble FROM outbox WHERE state <> 'sent'"
    ):
        if address not in story.refused:
            yield f"mail {number} to {address} is {state}: {trouble}"


def _nobody_answered(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """Whoever writes in their own name gets an answer, or somebody else does."""
    rows = _by_key(tables)
    answered = {number for (number,) in tables.execute("SELECT DISTINCT inbox_id FROM outbox")}
    for said in story.said:
        is_own = story.addresses.get(said.author) == said.sender
        if not is_own or said.safe_at is None or _is_forgotten(story, said):
            continue
        if not any(number in answered for number, _, _ in rows[said.key]):
            yield f'nobody was told anything because of {said.key} by {said.author}, "{said.line}": {rows[said.key]}'


def _is_forgotten(story: Story, said: Said) -> bool:
    """Whether a mail may be gone, because it is of somebody who was erased, or may have named them."""
    return any(said.author == userid or said.written_at <= at for userid, at in story.erased.items())


def _not_played_by_its_player(story: Story, board: Board) -> Iterator[str]:
    """Each ply was written by its own player, about this board, and counts once."""
    written: dict[str, list[Said]] = defaultdict(list)
    for said in story.said:
        if said.board == board.number:
            written[f"{said.author} {said.line.casefold()}"].append(said)
    for ply in board.plies:
        if ply.is_automatic or ROBOTS.fullmatch(ply.userid):
            continue
        own = written[f"{ply.userid} {ply.notation.casefold()}"]
        earlier = [said for said in own if said.written_at <= ply.played_at]
        if not earlier:
            yield f"board {board.number}, ply {ply.number}: {ply.userid} never wrote {ply.notation}"
        else:
            own.remove(earlier[0])


def _not_told(story: Story, board: Board) -> Iterator[str]:
    """The other player was told of each ply after it was played."""
    told = [each for each in story.told if each.board == board.number]
    for ply in board.plies:
        other = board.players[0] if board.players[1] == ply.userid else board.players[1]
        address = story.addresses.get(other)
        is_reached = address is not None and address not in story.refused and other != ply.userid
        if not is_reached or ply.is_automatic or {other, ply.userid} & {*story.erased}:
            continue
        sentences = [f"{name} played" for name in (ply.userid, *story.names[ply.userid])]
        since = ply.played_at - story.ahead
        heard = [each.text for each in told if each.address == address and each.told_at >= since]
        if not any(sentence in text and ply.notation in text for text in heard for sentence in sentences):
            yield f"board {board.number}, ply {ply.number}: {other} was never told that {sentences[0]} {ply.notation}"


def _ended_wrongly(story: Story, board: Board) -> Iterator[str]:
    """Nobody resigns but by their own words, and nobody loses by time before their time is over."""
    if board.ended_at is None or board.number in story.voided or {*board.players} & {*story.erased}:
        return
    words = [(said.author, said.line) for said in story.said if said.board == board.number]
    if board.ending == "resigned":
        loser = board.players[2 - board.winner] if board.winner else ""
        if (loser, "resign!") not in words:
            yield f"board {board.number} ended as {loser} resigned, who never did"
    # Whoever resigns before both have moved makes the game void.
    if board.ending in _BY_TIME and "resign!" not in {line for _, line in words}:
        begun = max([board.started_at, *(ply.played_at for ply in board.plies)])
        allowed = _allowed(board.control)
        if board.ended_at - begun < allowed:
            yield f"board {board.number} ended by time after {board.ended_at - begun}, of {allowed} ({board.control})"


def _allowed(control: str) -> timedelta:
    """The least time that a move may take under a clock; the usual one for none."""
    terms = _TERM.findall(control)
    return timedelta(seconds=int(terms[0][0]) * _SECONDS[terms[0][1]]) if terms else _USUAL


def _changed_by_others(story: Story, tables: sqlite3.Connection, boards: list[Board]) -> Iterator[str]:
    """What enemies asked for in others' names has not been done."""
    for (address,) in tables.execute("SELECT address FROM addresses WHERE address LIKE '%evil.example'"):
        yield f"{address} is somebody's address now"
    for number, removed_at, settings in tables.execute("SELECT id, removed_at, settings FROM players WHERE NOT bot"):
        name = story.ids[number]
        if name in story.erased:
            continue
        if removed_at is not None:
            yield f"{name} is gone, and never wanted that"
        if json.loads(settings) != {"mail": "text", "picture": "off"}:
            yield f"{name} has other settings: {settings}"
    for what, table in (
        ("blocked somebody", "blocks"),
        ("is on vacation", "(SELECT player_id FROM absences WHERE kind = 'vacation')"),
        ("wrote to all", "broadcasts"),
    ):
        query = f"SELECT userid FROM {table} JOIN players ON players.id = player_id"  # noqa: S608  names of this file
        for (name,) in tables.execute(query):
            yield f"{name} {what}, and never wanted that"
    wanted = Counter(said.author for said in story.said if story.addresses.get(said.author) == said.sender
                     and ("challenge" in said.line or said.line.startswith("seek")))  # fmt: skip
    begun = Counter(frozenset(board.players) for board in boards)
    for pair, number in begun.items():
        if number > sum(wanted[name] for name in pair):
            yield f"{' and '.join(sorted(pair))} play {number} boards, and asked for fewer"


def _played_when_kept_out(story: Story, board: Board) -> Iterator[str]:
    """Who is kept out does not play."""
    for ply in board.plies:
        for userid, begins, ends in story.kept_out:
            if userid == ply.userid and begins < ply.played_at < ends and not ply.is_automatic:
                yield f"board {board.number}, ply {ply.number}: {ply.userid} played, and was kept out"


def _not_erased(story: Story, tables: sqlite3.Connection) -> Iterator[str]:
    """The address of somebody who was erased is nowhere any more, but in mails that others forged since."""
    for userid, erased_at in story.erased.items():
        address = story.addresses[userid].encode()
        is_forged = any(said.sender == story.addresses[userid] and said.written_at > erased_at for said in story.said)
        for (table,) in tables.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if is_forged and table in ("inbox", "outbox"):
                continue
            for row in tables.execute(f"SELECT * FROM {table}"):  # noqa: S608  the database's own names
                if any(address in (cell if isinstance(cell, bytes) else str(cell).encode()) for cell in row):
                    yield f"{userid} was erased, and {table} still knows their address: {str(row)[:200]}"


def _tables_differ(story: Story, tables: sqlite3.Connection, boards: list[Board]) -> Iterator[str]:
    """The tables of won, lost and drawn games are those of the boards."""
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for board in boards:
        both_moved = len({ply.userid for ply in board.plies}) == 2
        if board.ended_at is None or not board.is_rated or board.ending == "void" or not both_moved:
            continue
        for seat, name in enumerate(board.players, 1):
            outcome = "drawn" if board.winner is None else "won" if board.winner == seat else "lost"
            counted[name, board.game][outcome] += 1
    names = dict(tables.execute("SELECT id, userid FROM players").fetchall()) | story.ids
    for number, game, won, lost, drawn in tables.execute("SELECT player_id, game, won, lost, drawn FROM ratings"):
        name = names[number]
        own = counted.pop((name, game), Counter())
        if (won, lost, drawn) != (own["won"], own["lost"], own["drawn"]):
            yield f"{name} has {won} won, {lost} lost, {drawn} drawn in {game}; the boards say {dict(own)}"
    for (name, game), own in counted.items():
        if name in story.erased:
            continue
        yield f"{name} has no standing in {game}; the boards say {dict(own)}"


def _leaked(story: Story) -> Iterator[str]:
    """What only one may read is in no mail to others, and what enemies wrote in a name in none but to that name."""
    owners = {mark: story.addresses[userid] for mark, userid in story.secrets.items()}
    for said in story.said:
        for mark in re.findall(r"\bevil\w+x\b", said.line):
            owners[mark] = said.sender
    for told in story.told:
        for mark in re.findall(r"\b(?:secret\d+x|evil\w+x)\b", told.text):
            if owners.get(mark) != told.address:
                yield f"{told.address} was told {mark} in {told.key}"


def _told_differently(story: Story) -> Iterator[str]:
    """A mail that is sent again is the same mail."""
    texts: dict[tuple[str, str], str] = {}
    for told in story.told:
        if texts.setdefault((told.address, told.key), told.text) != told.text:
            yield f"{told.key} to {told.address} came with two texts"
