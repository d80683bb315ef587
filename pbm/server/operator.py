"""Operators' acts on accounts; players are told in the same words as when a mail did the same."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from games.rules import GameError
from pbm.core import credentials
from pbm.core.bus import AccountsMerged, publish
from pbm.core.credentials import check_free, check_password, check_userid
from pbm.core.notify import Desk
from pbm.core.rating import rate_player_anew, unrate_match
from pbm.domain.errors import BadArguments, NotAllowed, Rejected
from pbm.domain.match import Player
from pbm.features.account import renew_password, to_confirm
from pbm.features.erase import end_account, erase
from pbm.features.export import export_of
from pbm.features.talk import spread
from pbm.server.club import Hand, acts
from pbm.server.intake import Imported, Watched, take_in, take_in_record
from pbm.server.rows import player_named, waiting_broadcast
from pbm.server.steward import give
from pbm.store import Transaction


class Administration(Hand):
    """Accounts and broadcasts."""

    def add_player(self, userid: str, addresses: Sequence[str], password: str) -> Player:
        """Add a player whose addresses are confirmed at once."""
        check_userid(userid)
        check_password(password)
        hashed = self._club.tools.passwords.hash(password)
        with self._club.store.write() as tx:
            check_free(tx, userid)
            player = tx.players.add(userid, hashed, tx.now)
            give(tx, player, addresses)
        return player

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

    def rename(self, userid: str, wanted: str) -> Player:
        """Give a player another userid; they are told."""
        with self._club.store.write() as tx:
            player = player_named(tx, userid)
            renamed = credentials.rename(tx, player, wanted)
            self._write(tx, renamed, "pbm: your userid", "account-news.txt", what="renamed", old=player.userid)
        self._club.tools.states.forget()
        return renamed

    def merge(self, userid: str, into: str) -> list[int]:
        """Merge a person's account into another one of theirs. Returns the boards that changed hands.

        Boards on which the two met keep both names, and change no rating.

        Raises: NotAllowed if they still play each other, or are or were in the same tournament.
        """
        with self._club.store.write() as tx:
            gone, kept = player_named(tx, userid), player_named(tx, into)
            if gone.id == kept.id:
                raise NotAllowed(f"{gone.userid} is one account already.")
            if events := tx.erasure.shared_events(gone.id, kept.id):
                raise NotAllowed(f"Both are in {' and '.join(events)}: one must leave it first.")
            boards = [each.board for each in tx.matches.summaries(player_ids=(gone.id,), limit=None)]
            met = self._separate(tx, gone, kept, boards)
            games = tx.erasure.hand_over(gone.id, kept.id)
            for game in games:
                rate_player_anew(tx, game, kept)
            publish(AccountsMerged(gone, kept), tx)
            end_account(tx, gone)
            self._write(tx, kept, "pbm: your accounts", "account-news.txt", what="merged", old=gone.userid)
        self._club.tools.states.forget()
        return [board for board in boards if board not in met]

    def _separate(self, tx: Transaction, gone: Player, kept: Player, boards: list[int]) -> set[int]:
        """Take back the rating changes of games of the two against each other; returns their boards."""
        met = set()
        for number in boards:
            match = tx.matches.load(number)
            if match is None or kept.id not in (match.player(1).id, match.player(2).id):
                continue
            # One person cannot play on both sides of a board.
            if match.result is None:
                raise NotAllowed(f"They play each other on board {number}: pbm board void {number}")
            unrate_match(tx, match)
            met.add(number)
        return met

    def approve_broadcast(self, number: int) -> int | None:
        """Send a waiting broadcast; returns to how many players, None if it goes out over time."""
        with self._club.store.write() as tx:
            broadcast = waiting_broadcast(tx, number)
            mails, hearers = spread(self._at(tx), broadcast)
            tx.broadcasts.sent(number, tx.now)
            tx.outbox.add(mails, tx.now)
        return hearers
