"""Imports of players, from files that `export` wrote here or on another server, and of games, from record files.

Anybody can write such a file. A file that this server has signed is believed; from any other, ratings, confirmed
addresses and games of players who are here are left out, unless the operator says that it can be trusted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from games import GAMES
from games.rules import GameError
from pbm.core.board import difference
from pbm.core.bus import SettingsSaved, publish
from pbm.core.credentials import USERID
from pbm.domain import game_record
from pbm.domain.addresses import check_address
from pbm.domain.errors import BadArguments, NotAllowed, Rejected
from pbm.domain.match import IntentKind, Player, Ply, State
from pbm.domain.settings import CHOICES, Settings
from pbm.domain.spans import read_ladder
from pbm.features.export import FORMAT, VERSION, is_signed, told_game
from pbm.store import Transaction
from pbm.store.belongings import PEOPLE, SECTIONS, instant
from pbm.values import frozen

Watched = Callable[[Sequence[dict[str, Any]]], Iterable[dict[str, Any]]]


@frozen
class Imported:
    userid: str
    games: int
    renumbered: Mapping[int, int]
    """The numbers of boards in the file, each with the number it has now, where that is another."""
    doubted: bool = False
    """The file has no signature of ours, and the operator has not said that it can be trusted."""
    left_out: tuple[int, ...] = ()
    """Games of players who are here, by their numbers in the file."""


@dataclass(slots=True)
class _Import:
    """One import in progress."""

    tx: Transaction
    data: Mapping[str, Any]
    now: datetime
    player_id: int = 0
    boards: dict[int, int] = field(default_factory=dict)
    """The number of each board here, by its number in the file."""
    ids: dict[str, int] = field(default_factory=dict)
    """The ids of players, by userid."""

    def id_of(self, userid: Any) -> int:
        """The id of a player who is here, or else of a name that is added for them. Raises: BadArguments."""
        # Anybody can write a file, and userids go into mails and addresses as they stand.
        if not isinstance(userid, str) or not USERID.fullmatch(userid):
            raise BadArguments(f'"{str(userid)[:40]}" in the file cannot be a userid.')
        if userid not in self.ids:
            holder = self.tx.belongings.holder(userid)
            self.ids[userid] = holder[0] if holder else self.tx.belongings.add_name(userid, self.now)
        return self.ids[userid]


def take_in(
    tx: Transaction,
    contents: Sequence[bytes],
    *,
    names: Sequence[str] = (),
    trusted: bool = False,
    watched: Watched = iter,
) -> Imported:
    """Import a player. contents: the parts of the export, in any order. names: the names of their files.

    trusted: the operator says that it can be trusted. watched: sees games pass. Raises: BadArguments, NotAllowed.
    """
    called = names or ["The file"] * len(contents)
    # A large export comes in several parts, so that each fits into one mail.
    parts = [_read(content, name) for content, name in zip(contents, called, strict=True)]
    doubted = not trusted and not all(is_signed(tx, part) for part in parts)
    data = _joined(parts)
    userid, left_out = data["userid"], []
    # Otherwise a file that names somebody would add games to their account.
    if _is_here(tx, userid):
        raise NotAllowed(f'There is, or was, a player "{userid}" here already; nothing was changed.')
    if doubted:
        left_out = [game["board"] for game in data["games"] if _is_of_others(tx, game, userid)]
        data = _doubted(data, left_out)
    taken = _Import(tx, data, tx.now)
    taken.player_id = taken.id_of(userid)
    for game in watched(sorted(data["games"], key=lambda each: each["board"])):
        _take_game(taken, game)
    _take_player(taken)
    renumbered = {old: new for old, new in taken.boards.items() if old != new}
    return Imported(userid, len(data["games"]), renumbered, doubted, tuple(left_out))


def _is_of_others(tx: Transaction, game: Mapping[str, Any], userid: str) -> bool:
    """Whether the game would be added to those of another player who is here, and is not here already."""
    names = game.get("players")
    others = [name for name in names if name != userid] if isinstance(names, list) else []
    return any(_is_here(tx, name) for name in others) and not _is_there(tx, game)


def _is_here(tx: Transaction, userid: Any) -> bool:
    """Whether a word of a file is the userid of a player here, and not only a name that an import has added."""
    holder = tx.belongings.holder(userid) if isinstance(userid, str) and USERID.fullmatch(userid) else None
    return holder is not None and not holder[1]


def _is_there(tx: Transaction, game: Mapping[str, Any]) -> bool:
    there = tx.matches.load(game["board"])
    if there is None:
        return False
    (known,) = tx.belongings.matches([game["board"]], 0)
    told = json.loads(told_game(known, there))
    return all(told.get(name) == game.get(name) for name in _SAME)


def _doubted(data: Mapping[str, Any], left_out: Collection[int]) -> dict[str, Any]:
    """The data that is taken from a file that anybody may have written. left_out: games that are not taken."""
    kept = {
        name: [row for row in rows if not (isinstance(row, dict) and row.get("board") in left_out)]
        for name, rows in data.items()
        if name in SECTIONS
    }
    games = [{**game, "rated": False, "rating_changes": {}} for game in data["games"] if game["board"] not in left_out]
    # An address counts only once its owner has said so here: the file may name anybody's.
    asked = [{**row, "confirmed_at": None} if isinstance(row, dict) else row for row in data["addresses"]]
    return {**data, **kept, "games": games, "addresses": asked, "ratings": [], "reliability": []}


def take_in_record(tx: Transaction, text: str, *, trusted: bool) -> int:
    """Make an unrated board of the record of a finished game; returns its number.

    Players who are not here are added as names. trusted: the operator says that it can be trusted.
    Raises: BadArguments, GameError, Rejected.
    """
    record = game_record.read(text)
    here = [userid for userid in record.players if _is_here(tx, userid)]
    if here and not trusted:
        raise NotAllowed(f"{here[0]} is a player here, and anybody can write such a file. To take it in, say --trust.")
    ids = _Import(tx, {}, tx.now)
    first, second = (Player(ids.id_of(userid), userid) for userid in record.players)
    match = tx.matches.add(
        record.game, record.version, record.options, record.body, (first, second), 1, record.started_at, rated=False
    )
    states = record.states()
    for before, after, move in zip(states, states[1:], record.moves, strict=False):
        ply = Ply(move, before.to_move, record.started_at)
        tx.matches.add_ply(match, ply, after.to_move, None)
        match = match._replace(record=match.record.appended(ply), revision=match.revision + 1)
    tx.matches.end(match.board, record.result, record.ended_at, None)
    return match.board


def _read(content: bytes, name: str) -> dict[str, Any]:
    """The data of a file. name: the beginning of sentences about it. Raises: BadArguments."""
    try:
        data = json.loads(content)
    # Deeply nested lists exhaust the stack of the parser.
    except (ValueError, RecursionError):
        raise BadArguments(f"{name} is no JSON, so no export of a player.") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadArguments(f"{name} is no export of a player.")
    # Another version may mean something else by the same field.
    if data.get("version") != VERSION:
        raise BadArguments(f"{name} is of version {data.get('version')}; this server reads version {VERSION}.")
    lists = {"games", *SECTIONS, *PEOPLE}
    missing = sorted({"userid", "here_since", "bot", "settings", *lists} - data.keys())
    wrong = sorted(name for name in lists & data.keys() if not isinstance(data[name], list))
    if missing or wrong:
        raise BadArguments(f'{name} is not whole: "{(missing + wrong)[0]}" is missing or no list.')
    if not all(isinstance(each, dict) and type(each.get("board")) is int for each in data["games"]):
        raise BadArguments(f"{name} is not whole: a game has no board.")
    return data


def _joined(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The data of all parts of an export together. Raises: BadArguments if a part is missing."""
    ordered = sorted(parts, key=lambda part: _part(part)["first"])
    wanted: int | None = 0
    for part in ordered:
        if part["userid"] != ordered[0]["userid"]:
            raise BadArguments(f"The files are of {ordered[0]['userid']} and of {part['userid']}.")
        if _part(part)["first"] != wanted:
            break
        wanted = _part(part)["next"]
    else:
        if wanted is None:
            lists = {name: value for name, value in ordered[0].items() if isinstance(value, list)}
            whole = {name: [row for part in ordered for row in part.get(name, [])] for name in lists}
            return {**ordered[0], **whole}
    missing = "begins with the account" if wanted == 0 else f'"export {wanted}" brings'
    raise BadArguments(f"The files are not all parts of one export: what {missing} is not there, or is there twice.")


def _part(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Which part of an export the data is: its first board, and that of the next part. Raises: BadArguments."""
    part = data.get("part", {"first": 0, "next": None})
    if (
        not isinstance(part, dict)
        or type(part.get("first")) is not int
        or type(part.get("next")) not in (int, type(None))
    ):
        raise BadArguments("The file does not tell which part of an export it is.")
    return part


def _take_player(taken: _Import) -> None:
    tx, data, player_id = taken.tx, taken.data, taken.player_id
    _check_settings(data["settings"])
    for row in data["addresses"]:
        check_address(str(row.get("address", "")) if isinstance(row, dict) else "")
    chosen = json.dumps(data["settings"], sort_keys=True)
    tx.belongings.introduce(player_id, data["userid"], chosen, instant(data["here_since"]), bot=data["bot"] is True)
    chosen_by = Player(player_id, data["userid"])
    publish(SettingsSaved(chosen_by, Settings.chosen(data["settings"])), tx)
    for name in SECTIONS:
        tx.belongings.add_rows(name, [_renumbered(taken, row) for row in data[name]], player_id)
    for name in PEOPLE:
        for userid in data[name]:
            tx.belongings.add_person(name, player_id, taken.id_of(userid))


def _check_settings(settings: Any) -> None:
    """Raises: BadArguments."""
    if not isinstance(settings, dict) or not all(isinstance(word, str) for word in settings.values()):
        raise BadArguments("The settings in the file are not as this server writes them.")
    readers = {"remind": read_ladder, **{name: choice.read for name, choice in CHOICES.items()}}
    for name, value in settings.items():
        # A value in another form would be kept as it stands, and no reader of settings expects that.
        if name in readers and readers[name](value) != value:
            raise BadArguments(f'"{value}" in the file is not how this server writes {name}.')


def _renumbered(taken: _Import, row: Any) -> Any:
    """The row, with the number that its board has here. Raises: BadArguments."""
    if not isinstance(row, dict) or "board" not in row:
        return row
    if type(row["board"]) is not int or row["board"] not in taken.boards:
        raise BadArguments(f"The file tells of board {row['board']}, which is not in it.")
    return {**row, "board": taken.boards[row["board"]]}


def _take_game(taken: _Import, game: dict[str, Any]) -> None:
    """Raises: BadArguments."""
    row, board = dict(game), game["board"]
    names, record, changes, decided = (
        row.pop(name, None) for name in ("players", "record", "rating_changes", "decided")
    )
    if problem := _game_problem(row, names, record, changes, decided):
        raise BadArguments(f"Board {board} of the file {problem}.")
    seats = (taken.id_of(names[0]), taken.id_of(names[1]))
    there = taken.tx.matches.load(board)
    # The other player's export may have brought the board before.
    if not _is_there(taken.tx, game):
        rematch_of = taken.boards.get(row.get("rematch_of") or 0)
        taken.boards[board] = taken.tx.belongings.add_match(row, None if there else board, seats, rematch_of)
        by_player = {taken.id_of(userid): change for userid, change in changes.items()}
        taken.tx.belongings.add_record(taken.boards[board], record, by_player)
        _check_record(taken.tx, taken.boards[board], board)
    else:
        taken.boards[board] = board
    _take_decided(taken, board, seats, decided)


def _game_problem(row: Mapping[str, Any], names: Any, record: Any, changes: Any, decided: Any) -> str:
    """What is wrong with the form of a game in a file, as its predicate; empty if nothing is."""
    if not (isinstance(record, list) and isinstance(changes, dict) and isinstance(decided, list)):
        return "is not whole"
    if not isinstance(names, list) or len(names) != 2:
        return "has not two players"
    # A true of JSON is an instance of int, too, and no number of a board.
    if type(row.get("rematch_of")) not in (int, type(None)):
        return "is the rematch of no board"
    if any(isinstance(ply, dict) and ply.get("seat") not in (1, 2) for ply in record):
        return "has a ply of a seat that is neither 1 nor 2"
    return ""


_SAME = ("game", "version", "options", "body", "players", "started_at", "record")
"""The fields in which a board must equal the one with its number here to be the same board."""


def _take_decided(taken: _Import, board: int, seats: tuple[int, int], decided: list[Any]) -> None:
    """Raises: BadArguments."""
    for row in decided:
        seat = row.get("seat") if isinstance(row, dict) else None
        # Plans and votes of the opponent would be played in their name.
        if seat not in (1, 2) or seats[seat - 1] != taken.player_id:
            raise BadArguments(f"Board {board} of the file holds what only another player may decide.")
        if row.get("kind") not in [*IntentKind]:
            raise BadArguments(f"Board {board} of the file holds a decision that is none.")
        taken.tx.belongings.add_decided(taken.boards[board], row)
    for intent in taken.tx.intents.of(taken.boards[board]):
        # A move that can be taken back until then is played by the agenda.
        if intent.until is not None:
            taken.tx.agenda.put(IntentKind.HOLD, f"{taken.boards[board]}:{intent.seat}", intent.until)


def _check_record(tx: Transaction, board: int, called: int) -> None:
    """Raises: BadArguments unless the stored board is what its record leads to. called: its number in the file."""
    try:
        match = tx.matches.load(board)
        assert match is not None  # noqa: S101  it was added
        if match.game not in GAMES:
            raise BadArguments(f'There is no game "{match.game}" here.')
        state = State.start(GAMES[match.game], match.options, match.body)
        # Only the rules say what is legal: a file with a made-up record ends here.
        for number, ply in enumerate(match.record, 1):
            to_move = state.to_move
            state, notation = state.play(ply.notation)
            if (notation, to_move) != (ply.notation, ply.seat):
                raise BadArguments(f"Ply {number} is {notation} of seat {to_move}, not {ply.notation} of {ply.seat}.")
        problem = difference(tx, match, state)
    except (GameError, Rejected, ValueError) as error:
        raise BadArguments(f"Board {called} of the file cannot be replayed: {error}") from None
    if problem:
        raise BadArguments(f"Board {called} of the file does not hold together: {problem}.")
