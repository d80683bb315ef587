"""How an account ends: the server forgets a player, or what is theirs becomes another player's.

What is theirs alone is deleted; what they share with others gets another name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, or_, select

from pbm.domain.likeness import look, mailbox
from pbm.domain.mail import Arrival, Delivery
from pbm.domain.match import Player
from pbm.store.belongings import NO_PASSWORD, PEOPLE
from pbm.store.house import Acts
from pbm.store.matches import SEATS, batched, seated
from pbm.store.queues import WHOLE, Outbox, queued
from pbm.store.statements import Queries
from pbm.store.tables import (
    OWNS,
    addresses,
    agenda,
    former_names,
    inbox,
    intents,
    matches,
    metadata,
    outbox,
    paces,
    peer_keys,
    players,
    ratings,
    seeks,
    tickets,
    tournament_players,
    tournaments,
)
from pbm.store.tickets import INVITE, Guesses, veiled
from pbm.values import frozen

_MAILS_AT_ONCE = 100
_NAMING = [column for table in metadata.sorted_tables for column in table.c if OWNS in column.info]
"""The columns that say whose a row is, or whom it is about."""
_NOTED = inbox.c.mail_from, inbox.c.lane, inbox.c.reason  # a bounce names its recipient in the reason
"""What is noted of a mail beside it."""
_OPPOSITE = dict(zip(SEATS, reversed(SEATS), strict=True))


@frozen
class Traces:
    """What a player can be found by."""

    player_id: int
    userid: str
    names: frozenset[str]
    """Their userid and all addresses at which they alone have or had mail, in lower case."""
    removed: bool


_Naming = Callable[[bytes, str], bool]


def _naming(names: Collection[str]) -> _Naming:
    """Tells whether octets, or the words they are read as, hold one of the names. No name: none does."""
    # An address counts with any +tag, too.
    either = "|".join(re.escape(name).replace("@", r"(?:\+[\w.+=-]*)?@") for name in names) or r"(?!)"
    pattern = rf"(?<!\w)(?:{either})(?!\w)"
    as_octets, as_text = re.compile(pattern.encode(), re.IGNORECASE), re.compile(pattern, re.IGNORECASE)

    def is_named(raw: bytes, words: str) -> bool:
        return as_octets.search(raw) is not None or as_text.search(words) is not None

    return is_named


class Erasure(Queries):
    """Ends an account. Shared things stay: boards with their records, and their effect on ratings."""

    def traces(self, player_id: int) -> Traces | None:
        """None if there is no such player."""
        row = self._connection.execute(select(players).where(players.c.id == player_id)).one_or_none()
        if row is None:
            return None
        confirmed = select(addresses.c.address_key).where(addresses.c.confirmed_at.is_not(None))
        own = confirmed.where(addresses.c.player_id == player_id)
        written = select(func.lower(outbox.c.address)).where(outbox.c.player_id == player_id)
        former = select(former_names.c.name_key).where(former_names.c.player_id == player_id)
        theirs = self._column(own.union(written, former))
        # What several players read at one address is not this one's to be found by.
        others = confirmed.where(addresses.c.player_id != player_id, addresses.c.address_key.in_(theirs))
        names = frozenset({row.userid_key, *theirs}.difference(self._column(others)))
        return Traces(player_id, row.userid, names, row.removed_at is not None)

    def rename(self, traces: Traces, name: str) -> None:
        """Give the player this name everywhere; nobody can log in as them, and their settings are deleted."""
        self.call(Player(traces.player_id, traces.userid), name)
        self._update(players, players.c.id == traces.player_id, password_hash=NO_PASSWORD, settings="{}")
        Acts(self._connection).rename(traces.names, name)

    def call(self, player: Player, name: str) -> None:
        """Give a player who stays another userid, also in the stated reasons of their results."""
        names = {"userid": name, "userid_key": name.casefold(), "look": look(name)}
        self._update(players, players.c.id == player.id, **names)
        # The userid may be a part of another one, or of an address.
        word = re.compile(rf"(?<![\w.-]){re.escape(player.userid)}(?![\w-])")
        query = select(matches.c.board, matches.c.reason).where(seated(player.id), matches.c.reason.is_not(None))
        for board, reason in self._connection.execute(query).all():
            self._update(matches, matches.c.board == board, reason=word.sub(name, reason))

    def forget(self, traces: Traces) -> None:
        """Delete what is theirs, with their mails, and the mails sent about their boards or because of theirs."""
        for column in _NAMING:
            if column.info[OWNS]:
                self._delete(column.table, column == traces.player_id)
        self._delete(peer_keys, peer_keys.c.address_key.in_(traces.names))
        # Budgets are counted by mailbox, without its +tags and dots.
        names = traces.names | {mailbox(name) for name in traces.names if "@" in name}
        self._delete(tickets, tickets.c.subject.in_(names))
        self._forget_tickets(traces)
        self._delete(agenda, agenda.c.kind == INVITE, agenda.c.key.in_(traces.names))
        for name in (*names, *map(veiled, names), f"player {traces.player_id}"):
            Guesses(self._connection).forget_about(name)
        for seat, column in enumerate(SEATS, 1):
            boards_of = select(matches.c.board).where(column == traces.player_id)
            self._delete(intents, intents.c.board.in_(boards_of), intents.c.seat == seat)
        self._forget_mails(traces)

    def _forget_tickets(self, traces: Traces) -> None:
        """Delete what others were asked, or hold, that names the player; nobody could answer it sensibly any more."""
        named = _naming(traces.names)
        done = 0
        while rows := self._next(select(tickets.c.id, tickets.c.payload), tickets.c.id, done):
            # Their words may be written as \uXXXX in JSON.
            ids = [row.id for row in rows if named(row.payload.encode(), str(json.loads(row.payload)))]
            self._delete(tickets, tickets.c.id.in_(ids))
            done = rows[-1].id

    def _forget_mails(self, traces: Traces) -> None:
        """Also what is not sent yet, if it carries their words or goes to them; how their games end is still told."""
        answered = select(outbox.c.inbox_id).where(outbox.c.player_id == traces.player_id, outbox.c.reply)
        written = or_(func.lower(inbox.c.mail_from).in_(traces.names), inbox.c.id.in_(answered))
        own = self._column(select(inbox.c.id).where(written))
        boards = select(matches.c.board).where(seated(traces.player_id))
        sent = outbox.c.state != Delivery.QUEUED.value
        addressed = or_(outbox.c.player_id == traces.player_id, func.lower(outbox.c.address).in_(traces.names))
        queue = Outbox(self._connection)
        queue.drop(or_(addressed, sent & outbox.c.board.in_(boards)))
        for some in batched(own):
            queue.drop(outbox.c.inbox_id.in_(some))
            self._delete(inbox, inbox.c.id.in_(some))

    def sweep(
        self, names: Collection[str], done: tuple[int, int], searchable: Callable[[bytes], tuple[bytes, str]]
    ) -> tuple[int, int] | None:
        """Empty or delete mails that name the player, a few at a time; of others stays what was searched.

        searchable: gives what may be kept of a mail, and all words of that.
        done: the ids in inbox and outbox up to which this is done. Returns the new ones; None at the end.
        """
        came = self._sweep_inbox(names, done[0], searchable)
        sent = self._sweep_outbox(names, done[1])
        return (came or done[0], sent or done[1]) if came or sent else None

    def _sweep_inbox(
        self, names: Collection[str], after: int, searchable: Callable[[bytes], tuple[bytes, str]]
    ) -> int | None:
        """Empty the next mails that came and name the player; returns the last id looked at, None at the end."""
        named = _naming(names)
        handled = inbox.c.state != Arrival.NEW.value
        rows = self._next(select(inbox.c.id, inbox.c.raw, *_NOTED).where(handled), inbox.c.id, after)
        # Emptied and not deleted: a second delivery is still recognized by the row.
        for row in rows:
            kept, words = searchable(row.raw)
            values = {column.name: "" for column in _NOTED if named(b"", getattr(row, column.name) or "")}
            kept = b"" if named(kept, words) else kept
            if values or kept != row.raw:
                self._update(inbox, inbox.c.id == row.id, raw=kept, **values)
        return rows[-1].id if rows else None

    def _sweep_outbox(self, names: Collection[str], after: int) -> int | None:
        """Delete the next mails of ours that name the player; returns as _sweep_inbox."""
        named, addressed = _naming(names), _naming([name for name in names if "@" in name])
        query = WHOLE.where(outbox.c.id > after).order_by(outbox.c.id).limit(_MAILS_AT_ONCE)
        mails = self._all(query, queued)
        dropped = []
        for mail in mails:
            # What still waits to be sent goes only with an address of theirs: others' words stay others'.
            holds = addressed if mail.state is Delivery.QUEUED else named
            octets = b" ".join((mail.mail.shared, mail.mail.owed, mail.mail.address.encode()))
            if holds(octets, octets.decode(errors="replace")):
                dropped.append(mail.id)
        Outbox(self._connection).drop(outbox.c.id.in_(dropped))
        return mails[-1].id if mails else None

    def _next(self, mails: Select[Any], key: ColumnElement[int], after: int) -> Sequence[Row[Any]]:
        """The next mails after an id, in order."""
        return self._connection.execute(mails.where(key > after).order_by(key).limit(_MAILS_AT_ONCE)).all()

    def shared_events(self, one: int, other: int) -> list[str]:
        """The names of the tournaments that both players are or were in."""
        query = select(tournaments.c.name).order_by(tournaments.c.name)
        for player_id in (one, other):
            own = select(tournament_players.c.tournament_id).where(tournament_players.c.player_id == player_id)
            query = query.where(tournaments.c.id.in_(own))
        return self._column(query)

    def hand_over(self, gone: int, kept: int) -> list[str]:
        """Give all that one player has to the other; what both have stays as the other's.

        Returns the games rated, in which the ratings must be recomputed after.
        """
        # A seat's token names no player: what either has revoked stays revoked for both.
        epoch = select(players.c.epoch).where(players.c.id == gone).scalar_subquery()
        self._update(players, players.c.id == kept, players.c.epoch < epoch, epoch=epoch)
        games = self._add_up(gone, kept)
        self._update(matches, matches.c.seat1_id == gone, matches.c.seat2_id == gone, seat1_id=kept, seat2_id=kept)
        for column in _NAMING:
            # A player has one seek in a game, and those of two may be of the same game.
            if column.table is seeks:
                continue
            # What both have would be there twice, which the keys do not allow.
            if column.primary_key or column.table is addresses:
                key = [addresses.c.address_key] if column.table is addresses else column.table.primary_key
                twin = column.table.alias()
                same = (twin.c[part.name] == part for part in key if part is not column)
                has = select(twin.c[column.name]).where(twin.c[column.name] == kept, *same).exists()
                self._delete(column.table, column == gone, has)
            # Where the two met, nobody may end up playing against themselves.
            owned = [column == gone, *([_OPPOSITE[column] != kept] if column in _OPPOSITE else [])]
            self._update(column.table, *owned, **{column.name: kept})
        # Whoever followed or blocked the other one now would themselves.
        for other in PEOPLE.values():
            self._delete(other.table, other.table.c.player_id == other)
        return games

    def _add_up(self, gone: int, kept: int) -> list[str]:
        """Add the counts of one player to those of the other, game by game; the rows of the one are gone then."""
        for table, sums in (
            (ratings, ("won", "lost", "drawn")),
            (paces, ("finished", "timeouts", "moves", "microseconds")),
        ):
            for row in self._connection.execute(select(table).where(table.c.player_id == gone)).all():
                theirs, own = ((table.c.player_id == player) & (table.c.game == row.game) for player in (gone, kept))
                added = {name: table.c[name] + getattr(row, name) for name in sums}
                if self._update(table, own, **added):
                    self._delete(table, theirs)
                else:
                    self._update(table, theirs, player_id=kept)
        return self._column(select(ratings.c.game).where(ratings.c.player_id == kept))
