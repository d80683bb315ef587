"""Operators' acts on people and letters: banning, reaching, writing and answering."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pbm.core import by_operator
from pbm.core.clocks import note_reach
from pbm.core.notify import Desk
from pbm.domain.addresses import check_address, is_player, subject_of
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.events import MatchDecided
from pbm.domain.mail import Arrival, Mail, Received
from pbm.domain.match import Player
from pbm.server.club import Hand, acts
from pbm.server.rows import player_named, received
from pbm.store import Transaction
from pbm.store.players import Ban


def give(tx: Transaction, player: Player, addresses: Sequence[str]) -> None:
    """Give a player addresses that are confirmed at once. Raises: BadArguments."""
    for address in dict.fromkeys(addresses):
        check_address(address)
        tx.players.add_address(player.id, address, tx.now, confirmed=True)


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
            running = tx.matches.summaries(player_ids=(player.id,), active=True, limit=None) if forfeit else []
            boards = [summary.board for summary in running]
            for number in boards:
                board = at.open(number)
                board.forfeit(player, "is suspended", MatchDecided(number))
                self._told(at, board)
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

    def set_addresses(self, userid: str, addresses: Sequence[str]) -> None:
        """Replace a player's addresses by these, which are confirmed at once; old and new ones are told."""
        with self._club.store.write() as tx:
            player = player_named(tx, userid)
            before = tx.players.confirmed(player.id)
            tx.players.drop_addresses(player.id)
            give(tx, player, addresses)
            note_reach(tx, player, 0)
            after = tx.players.confirmed(player.id)
            for what, own, others in (("address", after, before), ("moved", before, after)):
                to = [each for each in own if each not in others]
                mails = self._letters(tx, player, "pbm: your address", "account-news.txt", to, what=what)
                tx.outbox.add(mails, tx.now)

    def write_to(self, userids: list[str], subject: str, text: str) -> int:
        """Write a letter to players, or to all if none is named; returns to how many. Raises: BadArguments."""
        subject = " ".join(subject.split())
        # A line break in a header would begin another field.
        if not subject.isprintable():
            raise BadArguments("The subject holds a control character. Write one line of plain text.")
        with self._club.store.read() as tx:
            players = [player_named(tx, userid) for userid in userids] if userids else tx.players.all()
            mails = by_operator.letters_to(self._at(tx), players, subject, text)
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
            by_operator.close(tx, numbers, "by the operator")

    def answer(self, number: int, text: str) -> str:
        """Answer a mail that waits for the operator, and close it; returns where the answer goes."""
        with self._club.store.write() as tx:
            written = by_operator.answer_to(self._club.tools, _parked(tx, number), text, tx.now)
            if written is None:
                raise NotAllowed(f"Mail {number} does not tell who wrote it: pbm inbox show {number}")
            tx.outbox.add([written], tx.now)
            by_operator.close(tx, [number], "answered")
        return written.address

    def forward(self, number: int, address: str) -> None:
        """Forward a mail that waits for the operator to somebody, as it came in, and close it."""
        check_address(address)
        with self._club.store.write() as tx:
            row = _parked(tx, number)
            tx.outbox.add([by_operator.forwarded(self._club.tools, row, address, tx.now)], tx.now)
            by_operator.close(tx, [number], f"forwarded to {address}")


def _parked(tx: Transaction, number: int) -> Received:
    row = received(tx, number)
    if row.state is not Arrival.PARKED:
        raise NotAllowed(f"Mail {number} does not wait for you: it is {row.state.value}.")
    return row
