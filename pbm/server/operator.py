"""The acts of an operator at the command line. Players are told in the same words as when a mail did the same."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from games import GAMES, LEFT_OUT
from games.rules import GameError
from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.core.credentials import check_address, check_free, check_password, check_userid
from pbm.core.notify import Desk, tell_players
from pbm.core.robots import robot_named
from pbm.core.start import start_match
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.errors import BadArguments, NotFound, Rejected
from pbm.domain.events import MatchDecided, MatchStarted
from pbm.domain.mail import Mail
from pbm.domain.match import Match, Player, Result, State
from pbm.features.absence import note_reach
from pbm.features.account import renew_password, to_confirm
from pbm.features.erase import erase
from pbm.features.export import export_of
from pbm.features.postmaster import address_of
from pbm.features.talk import spread
from pbm.server.club import Club
from pbm.server.intake import Imported, Watched, take_in, take_in_record
from pbm.server.rows import player_named, waiting_broadcast
from pbm.store import Transaction
from pbm.store.pulse import HEARTBEAT, SILENCE


class Hand:
    """The base of operators' acts on a club. All acts may raise Rejected, GameError or DatabaseTrouble."""

    def __init__(self, club: Club) -> None:
        self._club = club

    def _at(self, tx: Transaction) -> Desk:
        return Desk(tx, self._club.tools)

    def _told(self, at: Desk, board: OpenBoard) -> Match:
        """Tell the players of a board what happened; returns its match."""
        at.owe(tell_players(at, board))
        return board.match

    def _letters(
        self, tx: Transaction, player: Player, subject: str, page: str, to: Sequence[str] | None = None, **words: Any
    ) -> list[Mail]:
        """Letters with a page to all addresses of a player. to: other addresses instead, such as earlier ones."""
        tools, addresses = self._club.tools, tx.players.confirmed(player.id)
        words = {"addresses": addresses, "postmaster": address_of(tools), **words}
        to = addresses if to is None else to
        return [self._at(tx).letter(each, subject, page, player, **words) for each in to]


H = TypeVar("H", bound=Hand)
P = ParamSpec("P")
T = TypeVar("T")


def acts(deed: Callable[Concatenate[H, Desk, P], T]) -> Callable[Concatenate[H, P], T]:
    """The decorated method is given a transaction in hand."""

    @wraps(deed)
    def act(self: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._club.store.write() as tx:
            note_silence(tx)
            return deed(self, self._at(tx), *args, **kwargs)

    return act


def note_silence(tx: Transaction) -> None:
    """Begin an outage if no server runs; `watch` ends it. What an operator does then costs nobody that time."""
    last = tx.absences.noted(HEARTBEAT)
    # Otherwise the operator's act ends the silence, and players would be charged for the downtime.
    if last is not None and tx.now - last > SILENCE and not tx.absences.open(StopKind.OUTAGE):
        tx.absences.add(None, Stop(StopKind.OUTAGE, last))


def _give(tx: Transaction, player: Player, addresses: Sequence[str]) -> None:
    """Give a player addresses that are confirmed at once. Raises: BadArguments."""
    for address in dict.fromkeys(addresses):
        check_address(address)
        tx.players.add_address(player.id, address, tx.now, confirmed=True)


class Administration(Hand):
    """Accounts, boards and broadcasts."""

    def add_player(self, userid: str, addresses: Sequence[str], password: str) -> Player:
        """Add a player whose addresses are confirmed at once."""
        check_userid(userid)
        check_password(password)
        hashed = self._club.tools.passwords.hash(password)
        with self._club.store.write() as tx:
            check_free(tx, userid)
            player = tx.players.add(userid, hashed, tx.now)
            _give(tx, player, addresses)
        return player

    def set_addresses(self, userid: str, addresses: Sequence[str]) -> None:
        """Replace a player's addresses by these, which are confirmed at once; old and new ones are told."""
        with self._club.store.write() as tx:
            player = player_named(tx, userid)
            before = tx.players.confirmed(player.id)
            tx.players.drop_addresses(player.id)
            _give(tx, player, addresses)
            note_reach(tx, player, 0)
            after = tx.players.confirmed(player.id)
            for what, own, others in (("address", after, before), ("moved", before, after)):
                to = [each for each in own if each not in others]
                mails = self._letters(tx, player, "pbm: your address", "account-news.txt", to, what=what)
                tx.outbox.add(mails, tx.now)

    def resume(self, userid: str) -> int:
        """Send mail to all of a player's addresses again; returns how many were suspended."""
        with self._club.store.write() as tx:
            player = player_named(tx, userid)
            suspended = tx.bounces.resume(player.id)
            note_reach(tx, player, 0)
        return suspended

    def reset_password(self, userid: str, password: str = "") -> str:
        """Set a password, a random one if it is empty; returns it for the operator to hand over."""
        password = password or secrets.token_hex(8)
        check_password(password)
        hashed = self._club.tools.passwords.hash(password)
        with self._club.store.write() as tx:
            player = player_named(tx, userid)
            renew_password(self._at(tx), player, hashed)
        return password

    @acts
    def remove_player(self, at: Desk, userid: str) -> list[int]:
        """Erase a player at once; returns the boards that they lose by it."""
        player = player_named(at.tx, userid)
        running = at.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)
        at.owe(erase(at, player.id))
        return [summary.board for summary in running]

    def export_player(self, userid: str) -> bytes:
        """All data of a player, as signed JSON."""
        with self._club.store.read() as tx:
            return export_of(tx, player_named(tx, userid))

    def import_player(
        self, *contents: bytes, names: Sequence[str] = (), trusted: bool = False, watched: Watched = iter
    ) -> Imported:
        """Import a player from an export of this server or another one, whole or in all its parts. names: of the files.

        trusted: believe files that this server has not signed, too; otherwise their addresses are asked to confirm.
        watched: sees games pass.
        """
        with self._club.store.write() as tx:
            taken = take_in(tx, contents, names=names, trusted=trusted, watched=watched)
            if taken.doubted:
                player = player_named(tx, taken.userid)
                for each in tx.players.addresses(player.id):
                    asked = to_confirm(self._at(tx), each.address, player.userid, player)
                    tx.outbox.add([asked], tx.now)
            return taken

    def import_records(self, records: Mapping[str, str], *, trusted: bool = False) -> dict[str, int]:
        """Import records of finished games, all or none; returns the board of each, by the name of its file.

        trusted: take games of players who are here, too.
        """
        boards = {}
        with self._club.store.write() as tx:
            for name, text in records.items():
                try:
                    boards[name] = take_in_record(tx, text, trusted=trusted)
                except (GameError, Rejected) as error:
                    raise BadArguments(f"{name}: {error}") from error
        return boards

    @acts
    def start_match(self, at: Desk, game: str, userids: tuple[str, str], words: Sequence[str], body: str = "") -> Match:
        if game not in GAMES:
            why = f"It is left out: {LEFT_OUT[game]} " if game in LEFT_OUT else ""
            raise NotFound(f'There is no game "{game}". {why}The games are {", ".join(GAMES)}.')
        first, second = (robot_named(at.tx, userid) or player_named(at.tx, userid) for userid in userids)
        board = start_match(at, GAMES[game], words, body, (first, second))
        board.events.append(MatchStarted(board.match.board))
        return self._told(at, board)

    def board(self, number: int) -> Match:
        with self._club.store.read() as tx:
            return self._at(tx).open(number).match

    @acts
    def move(self, at: Desk, number: int, userid: str, move: str) -> tuple[Match, State]:
        """Play a move for a player."""
        board = at.open(number)
        decisions.play_ply(board, board.seat_of(player_named(at.tx, userid)), move)
        return self._told(at, board), board.state

    @acts
    def end(self, at: Desk, number: int, result: Result) -> Match:
        """End a running match with a result of the operator's choice."""
        board = at.open(number)
        board.check_running()
        board.end(result, MatchDecided(number))
        return self._told(at, board)

    def approve_broadcast(self, number: int) -> int | None:
        """Send a waiting broadcast; returns to how many players, None if it goes out over time."""
        with self._club.store.write() as tx:
            broadcast = waiting_broadcast(tx, number)
            mails, hearers = spread(self._at(tx), broadcast)
            tx.broadcasts.sent(number, tx.now)
            tx.outbox.add(mails, tx.now)
        return hearers
