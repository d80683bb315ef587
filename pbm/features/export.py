"""A player's games and data as files: one JSON for programs, and a text for each game.

The JSON holds nothing that only this server knows, and is always written in the same way. So what another server makes
of it gives the same file again, but for tournaments and messages, which stay in the file. Nothing in it shows where
anybody else reads mail. No mail is larger than others: what one does not take comes in parts, each of them a file of
its own that tells which part it is, and all of them together can be taken in.

Anybody can write such a file. One that this server has signed is taken for what it says; of any other one no ratings,
no confirmed addresses and no games of players who are here, unless the operator says that it is to be trusted.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from games import GAMES
from games.rules import GameError
from pbm.compose import Answer, Part
from pbm.compose.pages import Pages, plain
from pbm.compose.views import move_list
from pbm.core.board import difference
from pbm.core.bus import SettingsSaved, publish
from pbm.core.credentials import USERID, check_address
from pbm.core.notify import Desk
from pbm.core.registry import handles
from pbm.core.request import Request
from pbm.domain import game_record
from pbm.domain.commands import Command
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, Rejected
from pbm.domain.mail import Remark, RemarkKind
from pbm.domain.match import IntentKind, Match, Player, Ply, State
from pbm.domain.settings import CHOICES, Settings
from pbm.domain.spans import read_ladder
from pbm.domain.verbs import ACCOUNT, Locks, Verb
from pbm.store import Transaction
from pbm.store.belongings import OF_BOARDS, PEOPLE, SECTIONS, instant
from pbm.store.ratings import Change
from pbm.store.tickets import MESSAGE

FORMAT, VERSION = "pbm player", 1
MAX_LOOSE, MAX_GAMES = 20, 100
"""Games that are sent as files of their own; of more an archive is made. Games of one mail."""
MAX_OCTETS = 38_000
"""Octets of the files of one mail, which becomes a third larger than that."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to be attached."""

    name: str
    kind: str
    """Its media type."""
    data: bytes


def data_of(tx: Transaction, player: Player) -> dict[str, Any]:
    """Everything of a player; see pbm.store.belongings for what the names mean."""
    return {
        **_account(tx, player),
        "games": tx.belongings.matches(tx.belongings.boards(player.id), player.id),
        **_things(tx, player),
    }


def _account(tx: Transaction, player: Player) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "userid": player.userid,
        "here_since": tx.players.created_at(player.id).isoformat(),
        "bot": bool(tx.players.bots((player.id,))),
        "settings": tx.players.settings(player.id),
    }


def _things(tx: Transaction, player: Player) -> dict[str, list[Any]]:
    """All else that is stored of the player, in lists."""
    return {
        **tx.belongings.sections(player.id),
        **tx.belongings.people(player.id),
        "tournaments": tx.belongings.tournaments(player.id),
        "messages": tx.belongings.messages(player.userid, MESSAGE),
    }


def export_of(tx: Transaction, player: Player) -> bytes:
    """Everything of a player as JSON, signed."""
    return _signed(tx, _lines(data_of(tx, player)))


def _signed(tx: Transaction, lines: Mapping[str, str]) -> bytes:
    return _joined_lines({**lines, "signature": _json(tx.secrets.sign(_joined_lines(lines)))})


def _is_signed(tx: Transaction, data: Mapping[str, Any]) -> bool:
    """This server wrote the data, and nobody has changed it."""
    bare = {name: value for name, value in data.items() if name != "signature"}
    earlier = (json.dumps(bare, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()  # as it was written once
    return any(tx.secrets.has_signed(told, str(data.get("signature", "")), tx.now) for told in (to_json(bare), earlier))


_json = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def to_json(data: Mapping[str, Any]) -> bytes:
    """A line for each row of each list."""
    return _joined_lines(_lines(data))


def _lines(data: Mapping[str, Any]) -> dict[str, str]:
    """Each value by its name."""
    return {
        name: _listed(map(_json, value)) if isinstance(value, list) else _json(value) for name, value in data.items()
    }


def _listed(rows: Iterable[str]) -> str:
    lines = ",\n".join(rows)
    return f"[\n{lines}\n]" if lines else "[]"


def _joined_lines(lines: Mapping[str, str]) -> bytes:
    told = (f"{_json(name)}: {value}" for name, value in sorted(lines.items()))
    return ("{\n" + ",\n".join(told) + "\n}\n").encode()


@dataclass(slots=True)
class Parcel:
    """As much of a player's games and data as one mail takes: their boards from a number on, and what is about them.

    What is about no board comes with the first ones. Several parcels together are an export, each signed by itself.
    """

    tx: Transaction
    player: Player
    first: int
    """The number; 0 for the beginning."""
    boards: list[int]
    """The player's from there on, ascending."""
    account: Mapping[str, Any]
    things: Mapping[str, list[Any]]
    games: Mapping[int, str]
    """As JSON, by board; of the first boards alone."""
    records: Mapping[int, File]

    def files(self) -> tuple[list[File], int | None]:
        """The JSON and the records of games, in one archive where these are many or large; and the board that the next
        parcel begins with. Raises: NotAllowed where a mail takes nothing.
        """
        count = len(self.games)
        while True:
            files = self._files(count)
            self.tx.let_pass()
            size = sum(len(file.data) for file in files)
            if size <= MAX_OCTETS:
                return files, self._next(count)
            if count <= (self.first > 0):
                what = f"Board {self.boards[0]} alone is" if self.first else "What is stored of you is"
                raise NotAllowed(f"{what} too much for a mail: ask the operator of this server for the file.")
            count = max(min(count - 1, count * MAX_OCTETS // size), int(self.first > 0))

    def _next(self, count: int) -> int | None:
        return self.boards[count] if count < len(self.boards) else None

    def _files(self, count: int) -> list[File]:
        """With so many boards."""
        name = f"pbm-{self.player.userid}{f'-{self.first}' if self.first else ''}"
        boards, following = self.boards[:count], self._next(count)
        told = _lines(self._data(boards, following)) | {"games": _listed(self.games[board] for board in boards)}
        files = [File(f"{name}.json", "application/json", _signed(self.tx, told))]
        files += [self.records[board] for board in boards if board in self.records]
        is_small = len(files) - 1 <= MAX_LOOSE and sum(len(file.data) for file in files) <= MAX_OCTETS
        return files if is_small else [_packed(f"{name}.zip", files)]

    def _data(self, boards: Collection[int], following: int | None) -> dict[str, Any]:
        """Without the games."""
        if not self.first and following is None:
            return {**self.account, **self.things}
        kept = {
            name: [row for row in rows if (row["board"] in boards if name in OF_BOARDS else not self.first)]
            for name, rows in self.things.items()
        }
        return {**self.account, "part": {"first": self.first, "next": following}, **kept}


def parcel_of(at: Desk, player: Player, first: int) -> Parcel:
    """first: the lowest number of a board in it."""
    tx = at.tx
    boards = [board for board in tx.belongings.boards(player.id) if board >= first]
    games: dict[int, str] = {}
    records: dict[int, File] = {}
    for some in tx.in_bites(boards[:MAX_GAMES]):
        for game in tx.belongings.matches(some, player.id):
            games[game["board"]] = _json(game)
            tx.let_pass()
        records |= _records(at, player, some)
    return Parcel(tx, player, first, boards, _account(tx, player), _things(tx, player), games, records)


def _records(at: Desk, player: Player, boards: Sequence[int]) -> dict[int, File]:
    """Those of boards that the player plays on."""
    tx, pages, states = at.tx, at.tools.pages, at.tools.states
    loaded = tx.matches.load_all(boards, states.match)
    matches = [each for each in loaded if each.game in GAMES and each.seat_of(player.id) is not None]
    changes = tx.ratings.changes_of([match.board for match in matches])
    remarks: dict[int, list[tuple[RemarkKind, Remark]]] = {board: [] for board in boards}
    for kind, remark in tx.remarks.by(player.id, boards):
        remarks[remark.board].append((kind, remark))
    records = {}
    for match in matches:
        tx.let_pass()
        told = record_of(pages, match, states.of(match), changes[match.board], remarks[match.board])
        name = f"{match.game}-{match.board}.txt"
        records[match.board] = File(name, "text/plain; charset=utf-8", told.encode())
    return records


def record_of(
    pages: Pages,
    match: Match,
    state: State,
    changes: Mapping[int, Change],
    remarks: Sequence[tuple[RemarkKind, Remark]],
) -> str:
    """One game as a text: who, when, every ply, how it stands, and what the player wrote about it."""
    return pages.render(
        "record.txt",
        match=match,
        state=state,
        over=match.result is not None,
        seat=None,
        changes=changes,
        moves=move_list(match, state, whole=True),
        drawing=plain(state),
        remarks=sorted(remarks, key=lambda each: each[1].written_at),
    )


def _packed(name: str, files: list[File]) -> File:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            packed.writestr(zipfile.ZipInfo(file.name), file.data, zipfile.ZIP_DEFLATED)
    return File(name, "application/zip", archive.getvalue())


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import."""

    userid: str
    games: int
    renumbered: Mapping[int, int]
    """Boards whose number was taken, each with the one it has now."""
    doubted: bool = False
    """It bears no signature of ours, and nobody has said that it can be trusted."""
    left_out: tuple[int, ...] = ()
    """Games, by their number in the file, of players who are here."""


@dataclass(slots=True)
class _Import:
    """One file on its way in."""

    tx: Transaction
    data: Mapping[str, Any]
    now: datetime
    player_id: int = 0
    boards: dict[int, int] = field(default_factory=dict)
    """From the numbers of the file to those here."""
    ids: dict[str, int] = field(default_factory=dict)
    """Of players, by userid."""

    def id_of(self, userid: Any) -> int:
        """Of a player who is here, or else of their name, which is put here. Raises: BadArguments."""
        if not isinstance(userid, str) or not USERID.fullmatch(userid):
            raise BadArguments(f'"{str(userid)[:40]}" in the file cannot be a userid.')
        if userid not in self.ids:
            holder = self.tx.belongings.holder(userid)
            self.ids[userid] = holder[0] if holder else self.tx.belongings.add_name(userid, self.now)
        return self.ids[userid]


def take_in(
    tx: Transaction, contents: Sequence[bytes], *, names: Sequence[str] = (), trusted: bool = False
) -> Imported:
    """Make a player of an export. trusted: the operator's word for it. Raises: BadArguments, NotAllowed.

    contents: of its parts, in any order. names: of their files.
    """
    called = names or ["The file"] * len(contents)
    parts = [_read(content, name) for content, name in zip(contents, called, strict=True)]
    doubted = not trusted and not all(_is_signed(tx, part) for part in parts)
    data = _joined(parts)
    userid, left_out = data["userid"], []
    if isinstance(userid, str) and _is_here(tx, userid):
        raise NotAllowed(f'There is, or was, a player "{userid}" here already; nothing was changed.')
    if doubted:
        left_out = [game["board"] for game in data["games"] if _is_of_others(tx, game, userid)]
        data = _doubted(data, left_out)
    taken = _Import(tx, data, tx.now)
    taken.player_id = taken.id_of(userid)
    for game in sorted(data["games"], key=lambda each: each["board"]):
        _take_game(taken, game)
    _take_player(taken)
    renumbered = {old: new for old, new in taken.boards.items() if old != new}
    return Imported(userid, len(data["games"]), renumbered, doubted, tuple(left_out))


def _is_of_others(tx: Transaction, game: Mapping[str, Any], userid: str) -> bool:
    """The game would become one of somebody's who is here, and is not on this server already."""
    names = game.get("players")
    others = [name for name in names if isinstance(name, str) and name != userid] if isinstance(names, list) else []
    return any(_is_here(tx, name) for name in others) and not _is_there(tx, game)


def _is_here(tx: Transaction, userid: str) -> bool:
    """It is a player's, and more than a name that an import has brought along."""
    holder = tx.belongings.holder(userid)
    return holder is not None and not holder[1]


def _is_there(tx: Transaction, game: Mapping[str, Any]) -> bool:
    there = tx.matches.load(game["board"])
    return there is not None and all(
        tx.belongings.match(game["board"], 0).get(name) == game.get(name) for name in _SAME
    )


def _doubted(data: Mapping[str, Any], left_out: Collection[int]) -> dict[str, Any]:
    """All that is taken from a file that anybody may have written. left_out: games that are not."""
    kept = {
        name: [row for row in rows if not (isinstance(row, dict) and row.get("board") in left_out)]
        for name, rows in data.items()
        if name in SECTIONS
    }
    games = [{**game, "rated": False, "rating_changes": {}} for game in data["games"] if game["board"] not in left_out]
    asked = [{**row, "confirmed_at": None} if isinstance(row, dict) else row for row in data["addresses"]]
    return {**data, **kept, "games": games, "addresses": asked, "ratings": [], "reliability": []}


def take_in_record(tx: Transaction, text: str, *, trusted: bool) -> int:
    """Make a board, not rated, of the record of a game that has ended; returns its number.

    Players who are not here become names. trusted: the operator's word for it. Raises: BadArguments, GameError,
    Rejected.
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
        match = replace(match, record=(*match.record, ply), revision=match.revision + 1)
    tx.matches.end(match.board, record.result, record.ended_at, None)
    return match.board


def _read(content: bytes, name: str) -> dict[str, Any]:
    """What a file says. name: as a sentence about it begins. Raises: BadArguments."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise BadArguments(f"{name} is no JSON, so no export of a player.") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadArguments(f"{name} is no export of a player.")
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
    """The contents of all the parts of an export. Raises: BadArguments where one is missing."""
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
    """Which part of an export it is. Raises: BadArguments."""
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
        if name in readers and readers[name](value) != value:
            raise BadArguments(f'"{value}" in the file is not how this server writes {name}.')


def _renumbered(taken: _Import, row: Any) -> Any:
    """A row with the number that its board has here. Raises: BadArguments."""
    if not isinstance(row, dict) or "board" not in row:
        return row
    if row["board"] not in taken.boards:
        raise BadArguments(f"The file tells of board {row['board']}, which is not in it.")
    return {**row, "board": taken.boards[row["board"]]}


def _take_game(taken: _Import, game: dict[str, Any]) -> None:
    """Raises: BadArguments."""
    row, board = dict(game), game["board"]
    names, record, changes, decided = (
        row.pop(name, None) for name in ("players", "record", "rating_changes", "decided")
    )
    if not (isinstance(record, list) and isinstance(changes, dict) and isinstance(decided, list)):
        raise BadArguments(f"Board {board} of the file is not whole.")
    if not isinstance(names, list) or len(names) != 2:
        raise BadArguments(f"Board {board} of the file has not two players.")
    seats = (taken.id_of(names[0]), taken.id_of(names[1]))
    there = taken.tx.matches.load(board)
    if not _is_there(taken.tx, game):
        rematch_of = taken.boards.get(row.get("rematch_of") or 0)
        taken.boards[board] = taken.tx.belongings.add_match(row, None if there else board, seats, rematch_of)
        by_player = {taken.id_of(userid): change for userid, change in changes.items()}
        taken.tx.belongings.add_record(taken.boards[board], record, by_player)
        _check_record(taken.tx, taken.boards[board], board)
    else:
        taken.boards[board] = board
    _take_decided(taken, board, seats, decided)


_SAME = ("game", "version", "options", "body", "players", "started_at", "record")
"""The fields a board must have in common with one of the same number here, to be that one."""


def _take_decided(taken: _Import, board: int, seats: tuple[int, int], decided: list[Any]) -> None:
    """Raises: BadArguments."""
    for row in decided:
        seat = row.get("seat") if isinstance(row, dict) else None
        if seat not in (1, 2) or seats[seat - 1] != taken.player_id:
            raise BadArguments(f"Board {board} of the file holds what only another player may decide.")
        taken.tx.belongings.add_decided(taken.boards[board], seat, row)
    for intent in taken.tx.intents.of(taken.boards[board]):
        if intent.until is not None:
            taken.tx.agenda.put(IntentKind.HOLD, f"{taken.boards[board]}:{intent.seat}", intent.until)


def _check_record(tx: Transaction, board: int, called: int) -> None:
    """The stored board is what its record leads to. called: its number in the file. Raises: BadArguments."""
    try:
        match = tx.matches.load(board)
        assert match is not None  # noqa: S101  it was added
        if match.game not in GAMES:
            raise BadArguments(f'There is no game "{match.game}" here.')
        state = State.start(GAMES[match.game], match.options, match.body)
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


SUBJECT = "pbm: your games and data"


@handles(
    Verb("export USERID PASSWORD [BOARD]", ACCOUNT, Locks.NOTHING, rank=80, wordy=True),
    "get a mail with all your games and all that is stored of you, or with the games from a board on",
)
def export(request: Request, command: Command) -> Answer | None:
    """To one address that they have confirmed: the one they write from, or else the first."""
    player, tools = request.author.who(command), request.tools
    own = request.outgoing.reader(player).addresses
    if not own:
        raise NotAllowed("You have no address that mail may go to, so nothing can be sent.")
    address = next((each for each in own if each.casefold() == request.message.sender.casefold()), own[0])
    most, since = tools.limits.exports_per_day, request.now - timedelta(days=1)
    first = int(command.args.get("BOARD", 0))
    if not first and request.tx.outbox.written_since(player.id, SUBJECT, since) >= most:
        raise NotAllowed(f"All your games can be sent {most} times a day, and have been. Try again tomorrow.")
    parcel = parcel_of(request, player, first)
    if first and not parcel.boards:
        raise NotFound(f"You have no board {first}, nor one of a higher number.")
    files, following = parcel.files()
    request.outgoing.write(
        address,
        f"{SUBJECT}, from board {first} on" if first else SUBJECT,
        "export.txt",
        player=player,
        answers=address.casefold() == request.message.sender.casefold(),
        attached=[_attached(file) for file in files],
        userid=player.userid,
        first=first,
        following=following,
        names=[file.name for file in files],
    )
    return None


def _attached(file: File) -> Part:
    return Part(file.kind, file.data, {"Content-Disposition": f'attachment; filename="{file.name}"'})
