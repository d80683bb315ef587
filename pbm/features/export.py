"""A player's games and data as files: one JSON for programs, and a text for each game.

The JSON holds no internal numbers of this server, and the same data is always written in the same way. So a server that
takes it in (pbm.server.intake) exports the same file again, except for tournaments and messages, which are not taken
in. It shows no address of anybody else. An export that is too large for one mail comes in parts; each is a file of its
own that says which part it is, and a server can take in all of them.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbm.compose.notices import File
from pbm.compose.scoresheet import move_list
from pbm.compose.views import plain
from pbm.core.limits import DAY, TooMuch
from pbm.core.notify import Desk, reader_of
from pbm.core.registry import handles
from pbm.core.request import Request
from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.mail import Remark, RemarkKind
from pbm.domain.match import Match, Player
from pbm.reading.commands import Command
from pbm.reading.verbs import ACCOUNT, Entry, Locks, Verb
from pbm.store import Transaction
from pbm.store.belongings import OF_BOARDS
from pbm.store.matches import batched
from pbm.store.ratings import Change

FORMAT, VERSION = "pbm player", 1
MAX_LOOSE, MAX_GAMES = 20, 100
"""Games that are sent as separate files: with more, all go into an archive; and games of one mail."""
_READ_AT_ONCE = 32
"""Boards that are read by one statement, because only the first of them may fit into a mail."""
MAX_OCTETS = 38_000
"""Octets of the files of one mail; the mail is a third larger."""
BESIDES = 100
"""Octets that an archive adds for each file."""


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
    """All else that is stored about the player, in lists by name."""
    return {
        **tx.belongings.sections(player.id),
        **tx.belongings.people(player.id),
        "tournaments": tx.belongings.tournaments(player.id),
        "messages": tx.belongings.messages(player.userid),
    }


def export_of(tx: Transaction, player: Player) -> bytes:
    """All data of a player as JSON, signed; pbm.store.belongings explains the names."""
    boards = tx.belongings.boards(player.id)
    games = map(told_game, tx.belongings.matches(boards, player.id), tx.matches.load_all(boards))
    return _signed(tx, _lines({**_account(tx, player), **_things(tx, player)}) | {"games": _listed(games)})


def told_game(game: Mapping[str, Any], match: Match) -> str:
    """A match with its record, as JSON. game: the same match as one of a player's belongings."""
    plies = [{**ply._asdict(), "played_at": ply.played_at.isoformat()} for ply in match.record]
    return _json({**game, "record": plies})


def _signed(tx: Transaction, lines: Mapping[str, str]) -> bytes:
    return _joined_lines({**lines, "signature": _json(tx.secrets.sign(_joined_lines(lines)))})


def is_signed(tx: Transaction, data: Mapping[str, Any]) -> bool:
    """Whether this server wrote the data and nobody has changed it."""
    bare = {name: value for name, value in data.items() if name != "signature"}
    # The form of files that were written before rows had a line each.
    earlier = (json.dumps(bare, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
    return any(
        tx.secrets.has_signed(form, str(data.get("signature", "")), tx.now)
        for form in (_joined_lines(_lines(bare)), earlier)
    )


_json = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def _lines(data: Mapping[str, Any]) -> dict[str, str]:
    """Each value as JSON, by its name; lists have one line for each row."""
    return {
        name: _listed(map(_json, value)) if isinstance(value, list) else _json(value) for name, value in data.items()
    }


def _listed(rows: Iterable[str]) -> str:
    lines = ",\n".join(rows)
    return f"[\n{lines}\n]" if lines else "[]"


def _joined_lines(lines: Mapping[str, str]) -> bytes:
    pairs = (f"{_json(name)}: {value}" for name, value in sorted(lines.items()))
    return ("{\n" + ",\n".join(pairs) + "\n}\n").encode()


@dataclass(slots=True)
class Parcel:
    """As much of a player's games and data as one mail takes: their boards from a number on, and what belongs to these.

    Data that belongs to no board is in the first parcel. All parcels together are an export; each is signed by itself.
    """

    tx: Transaction
    player: Player
    first: int
    """The number of the first board; 0 for the beginning."""
    boards: list[int]
    """The numbers of the player's boards from there on, ascending."""
    account: Mapping[str, Any]
    things: Mapping[str, list[Any]]
    games: dict[int, str] = field(default_factory=dict)
    """As JSON, by board; only as many as may fit in."""
    records: dict[int, File] = field(default_factory=dict)

    def files(self) -> tuple[list[File], int | None]:
        """The JSON and the records of games, in one archive if they are many or large; and the first board of the next
        parcel, or None. Raises: NotAllowed if not even the smallest part fits into a mail.
        """
        count = len(self.games)
        while True:
            following = self.boards[count] if count < len(self.boards) else None
            files = self._files(self.boards[:count], following)
            size = sum(len(file.data) for file in files)
            if size <= MAX_OCTETS:
                return files, following
            # Not even one board, or the account alone, fits: a smaller part does not exist.
            if count <= (self.first > 0):
                what = f"Board {self.boards[0]} alone is" if self.first else "What is stored of you is"
                raise NotAllowed(f"{what} too much for an email: ask the operator of this server for the file.")
            count = max(min(count - 1, count * MAX_OCTETS // size), int(self.first > 0))

    def _files(self, boards: Sequence[int], following: int | None) -> list[File]:
        """The files for these boards. following: the first board of the next parcel."""
        name = f"pbm-{self.player.userid}{f'-{self.first}' if self.first else ''}"
        data = _lines(self._data(boards, following)) | {"games": _listed(self.games[board] for board in boards)}
        files = [File(f"{name}.json", "application/json", _signed(self.tx, data))]
        files += [self.records[board] for board in boards if board in self.records]
        is_small = len(files) - 1 <= MAX_LOOSE and sum(len(file.data) for file in files) <= MAX_OCTETS
        if is_small:
            return files
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in files:
                packed.writestr(zipfile.ZipInfo(file.name), file.data, zipfile.ZIP_DEFLATED)
        return [File(f"{name}.zip", "application/zip", archive.getvalue())]

    def _data(self, boards: Collection[int], following: int | None) -> dict[str, Any]:
        """The JSON's data without the games."""
        if not self.first and following is None:
            return {**self.account, **self.things}
        kept = {
            name: [row for row in rows if (row["board"] in boards if name in OF_BOARDS else not self.first)]
            for name, rows in self.things.items()
        }
        return {**self.account, "part": {"first": self.first, "next": following}, **kept}


def parcel_of(at: Desk, player: Player, first: int) -> Parcel:
    """The parcel of boards from `first` on. It reads only a few more boards than fit into a mail."""
    tx, states = at.tx, at.tools.states
    boards = [board for board in tx.belongings.boards(player.id) if board >= first]
    parcel = Parcel(tx, player, first, boards, _account(tx, player), _things(tx, player))
    stream, taken = zlib.compressobj(), 0
    for some in batched(boards[:MAX_GAMES], _READ_AT_ONCE):
        changes, remarks = tx.ratings.changes_of(some), tx.remarks.by(player.id, some)
        matches = tx.matches.load_all(some, states.match)
        for match, game in zip(matches, tx.belongings.matches(some, player.id), strict=True):
            # Packed one by one, they take little more than together.
            if taken > MAX_OCTETS * 1.1:
                return parcel
            told = parcel.games[match.board] = told_game(game, match)
            taken += len(stream.compress(told.encode())) + len(stream.flush(zlib.Z_SYNC_FLUSH))
            # Boards that they only follow are in the JSON, and a damaged one must not keep them from the rest.
            if match.seat_of(player.id) is not None and states.reads(match):
                own = [each for each in remarks if each[1].board == match.board]
                record = parcel.records[match.board] = _record(at, match, changes[match.board], own)
                taken += len(zlib.compress(record.data)) + BESIDES
    return parcel


def _record(
    at: Desk, match: Match, changes: Mapping[int, Change], remarks: Sequence[tuple[RemarkKind, Remark]]
) -> File:
    """The text of a player's board: who, when, every ply, how it stands, and what they wrote about it."""
    state = at.tools.states.of(match)
    text = at.tools.composer.pages.render(
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
    return File(f"{match.game}-{match.board}.txt", "text/plain; charset=utf-8", text.encode())


SUBJECT = "pbm: your games and data"
MOST_A_DAY = 2
"""Emails with all games of one player."""


@handles(
    Verb("export USERID PASSWORD [FIRST-BOARD]", ACCOUNT, Locks.NOTHING, wordy=True),
    Entry(80, "get an email with all your games and all that is stored about you, or with the games from a board on"),
)
def export(request: Request, command: Command) -> None:
    """Send the export to one confirmed address of the player: the one they write from, or else the first."""
    player, tools = request.author.who(command), request.tools
    own = reader_of(request, player).addresses
    # All that is stored must not go to an address that nobody has confirmed.
    if not own:
        raise NotAllowed("You have no address that mail may go to, so nothing can be sent.")
    address = next((each for each in own if each.casefold() == request.message.sender.casefold()), own[0])
    first = int(command.args.get("FIRST-BOARD", 0))
    # Counted by what was sent, for a command that only reads draws from no bucket.
    sent = [] if first else request.tx.outbox.written(player.id, SUBJECT, request.now - DAY)
    # The files are large, and reading them takes long.
    if len(sent) >= MOST_A_DAY:
        raise TooMuch(f"emails with all your games are limited to {MOST_A_DAY} a day", sent[-MOST_A_DAY] + DAY)
    parcel = parcel_of(request, player, first)
    if first and not parcel.boards:
        raise NotFound(f"You have no board {first}, nor one of a higher number.")
    files, following = parcel.files()
    request.outgoing.write(
        address,
        f"{SUBJECT}, from board {first} on" if first else SUBJECT,
        "export.txt",
        player=player,
        reply_to=tools.composer.answered_by(reader_of(request, player)),
        answers=address.casefold() == request.message.sender.casefold(),
        attached=files,
        first=first,
        following=following,
        names=[file.name for file in files],
    )
