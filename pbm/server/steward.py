"""Operators' acts on people and letters: banning, renaming, merging, writing and answering."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pbm.core import credentials
from pbm.core.bus import AccountsMerged, publish
from pbm.core.credentials import check_address, is_player, subject_of
from pbm.core.notify import Desk
from pbm.core.rating import rate_player_anew, unrate_match
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.events import MatchDecided
from pbm.domain.mail import Arrival, Mail, Received
from pbm.domain.match import Player
from pbm.features import postmaster
from pbm.features.erase import end_account
from pbm.server.operator import Hand, acts
from pbm.server.rows import player_named, received
from pbm.store import Transaction
from pbm.store.players import Ban


class Steward(Hand):
    """People, and letters."""

    @acts
    def ban(self, at: Desk, who: str, until: datetime | None, reason: str, *, forfeit: bool = False) -> list[int]:
        """Ban a player, an address or a domain. until: None for good. Returns the boards that are lost by it."""
        tx, subject, boards = at.tx, subject_of(who), list[int]()
        if is_player(subject):
            player = player_named(tx, subject)
            # An old name names them, too.
            subject = player.userid.casefold()
            # Nobody should meet them any more.
            for seek in tx.seeks.of(player.id):
                tx.seeks.set_wanted(seek.id, 0)
            boards = self._forfeit(at, player) if forfeit else []
            page, words = "suspended.txt", {"until": until, "reason": reason.rstrip("."), "asked": False}
            self._write(tx, player, "pbm: you are suspended", page, **words)
        elif forfeit:
            raise NotAllowed("Games are forfeited by players: name the userid.")
        tx.bans.put(Ban(subject, tx.now, until, reason))
        return boards

    def lift(self, who: str) -> None:
        """Lift a ban; a player whose ban was not over is told."""
        subject = subject_of(who)
        with self._club.store.write() as tx:
            player = tx.players.find(subject) if is_player(subject) else None
            subject = player.userid.casefold() if player is not None else subject
            held = tx.bans.of([subject], tx.now)
            if not tx.bans.lift(subject):
                raise NotFound(f'"{who}" is not kept out.')
            if held and player is not None:
                self._write(tx, player, "pbm: you may play again", "account-news.txt", what="lifted")

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

    def write_to(self, userids: list[str], subject: str, text: str) -> int:
        """Write a letter to players, or to all if none is named; returns to how many. Raises: BadArguments."""
        subject = " ".join(subject.split())
        # A line break in a header would begin another field.
        if not subject.isprintable():
            raise BadArguments("The subject holds a control character. Write one line of plain text.")
        with self._club.store.read() as tx:
            players = [player_named(tx, userid) for userid in userids] if userids else tx.players.all()
            mails = postmaster.letters_to(self._at(tx), players, subject, text)
        return self._send(mails)

    def tell_of_move(self, before: str, address: str) -> int:
        """Tell all players that the server has another address; returns how many."""
        with self._club.store.read() as tx:
            mails = [
                letter
                for player in tx.players.all()
                for letter in self._letters(
                    tx, player, "pbm: our new address", "new-address.txt", old=before, new=address
                )
            ]
        return self._send(mails)

    def _send(self, mails: Sequence[Mail]) -> int:
        """Put mails into the outbox, composed while others write; returns to how many players."""
        with self._club.store.write() as tx:
            tx.outbox.add(mails, tx.now)
        return len({mail.player_id for mail in mails})

    def close(self, numbers: list[int]) -> None:
        """Close mails that wait for the operator."""
        with self._club.store.write() as tx:
            for number in numbers:
                _parked(tx, number)
            postmaster.close(tx, numbers, "by the operator")

    def answer(self, number: int, text: str) -> str:
        """Answer a mail that waits for the operator, and close it; returns where the answer goes."""
        with self._club.store.write() as tx:
            written = postmaster.answer_to(self._club.tools, _parked(tx, number), text, tx.now)
            if written is None:
                raise NotAllowed(f"Mail {number} does not tell who wrote it: pbm inbox show {number}")
            tx.outbox.add([written], tx.now)
            postmaster.close(tx, [number], "answered")
        return written.address

    def forward(self, number: int, address: str) -> None:
        """Forward a mail that waits for the operator to somebody, as it came in, and close it."""
        check_address(address)
        with self._club.store.write() as tx:
            row = _parked(tx, number)
            tx.outbox.add([postmaster.forwarded(self._club.tools, row, address, tx.now)], tx.now)
            postmaster.close(tx, [number], f"forwarded to {address}")

    def _forfeit(self, at: Desk, player: Player) -> list[int]:
        running = at.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)
        for summary in running:
            board = at.open(summary.board)
            board.forfeit(player, "is suspended", MatchDecided(summary.board))
            self._told(at, board)
        return [summary.board for summary in running]

    def _write(self, tx: Transaction, player: Player, subject: str, page: str, **words: Any) -> None:
        """Mail a page to all addresses of a player."""
        tx.outbox.add(self._letters(tx, player, subject, page, **words), tx.now)


def _parked(tx: Transaction, number: int) -> Received:
    row = received(tx, number)
    if row.state is not Arrival.PARKED:
        raise NotAllowed(f"Mail {number} does not wait for you: it is {row.state.value}.")
    return row
