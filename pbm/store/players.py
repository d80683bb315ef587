"""Players, their addresses and settings, what came back from there, whom they block, and the operator's bans."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Set
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, cast

from sqlalchemy import BindParameter, Column, ColumnElement, bindparam, case, func, or_, select, update

from pbm.domain.likeness import look, mailbox
from pbm.domain.mail import Delivery
from pbm.domain.match import Player
from pbm.store.matches import batched
from pbm.store.statements import Queries, among, made
from pbm.store.tables import PLAYERS, addresses, bans, blocks, former_names, outbox, players

SOUND: Mapping[str, Any] = {"bounces": 0, "soft_bounces": 0, "last_bounced_at": None, "suspended_at": None}
"""The columns of an address from which no mail has come back."""
MOST_ALIKE = 500
"""How many userids are searched for one that may be meant."""


class Address(NamedTuple):
    """Where a player reads mail. It counts once confirmed_at is set."""

    id: int
    player_id: int
    address: str
    confirmed_at: datetime | None
    bounces: int = 0
    """How many mails failed there for good."""
    soft_bounces: int = 0
    """How many failed for now."""
    suspended_at: datetime | None = None
    """Since when nothing is sent there; None if mail is sent there."""


class Mailed(NamedTuple):
    """A player as the reader of mails."""

    addresses: tuple[str, ...]
    """Those that mail may go to, oldest first."""
    epoch: int
    settings: Mapping[str, str]


_MAILED = (
    select(
        players.c.id,
        players.c.epoch,
        players.c.settings,
        addresses.c.address,
        addresses.c.confirmed_at,
        addresses.c.suspended_at,
    )
    .outerjoin(addresses, addresses.c.player_id == players.c.id)
    .where(among(players.c.id, "players"))
    .order_by(addresses.c.id)
)
_ADDRESSES = select(addresses).where(addresses.c.player_id == bindparam("player")).order_by(addresses.c.id)
_OWNERS = (
    PLAYERS.join(addresses, addresses.c.player_id == players.c.id)
    .where(addresses.c.address_key == bindparam("key"))
    .where(addresses.c.confirmed_at.is_not(None), players.c.removed_at.is_(None))
    .order_by(players.c.id)
)


def id_of(key: BindParameter[str] | str) -> ColumnElement[int]:
    """The id of whoever has or had a userid. key: the userid in lower case."""
    has = select(players.c.id).where(players.c.userid_key == key).scalar_subquery()
    had = select(former_names.c.player_id).where(former_names.c.name_key == key).scalar_subquery()
    return func.coalesce(has, had)


_FOUND = PLAYERS.where(players.c.id == id_of(bindparam("key")), players.c.removed_at.is_(None))
_OF_ID = PLAYERS.where(players.c.id == bindparam("player"), players.c.removed_at.is_(None))
_BOTS = select(players.c.id).where(among(players.c.id, "players"), players.c.bot)
_PROGRAMS = (
    PLAYERS.where(among(players.c.userid_key, "keys"), players.c.bot, players.c.password_hash == "")
    .where(players.c.removed_at.is_(None))
    .order_by(players.c.id)
)


class Players(Queries):
    """A removed player keeps their row, because their old boards name it; but no query finds them."""

    def add(self, userid: str, password_hash: str, now: datetime) -> Player:
        names = {"userid": userid, "userid_key": userid.casefold(), "look": look(userid)}
        return Player(self._add(players, **names, password_hash=password_hash, created_at=now), userid)

    def find(self, userid: str) -> Player | None:
        """userid: the one they have or had before, in any case."""
        return self._first(_FOUND, Player._make, {"key": userid.casefold()})

    def knows(self, userid: str) -> bool:
        """Whether anybody has or had the userid, and is still here."""
        return self.find(userid) is not None

    def like(self, userid: str) -> list[str]:
        """Some userids of about the same length that begin with the same letter."""
        # A range of one letter, which the index gives.
        key, length = players.c.userid_key, func.length(players.c.userid)
        first, size = userid[:1].casefold(), len(userid)
        query = (
            select(players.c.userid)
            .where(key >= first, key < f"{first}\uffff", length.between(size - 2, size + 2))
            .where(players.c.removed_at.is_(None))
            .order_by(key)
            .limit(MOST_ALIKE)
        )
        return self._column(query)

    def is_taken(self, userid: str, besides: int = 0) -> bool:
        """Whether anybody has or had this userid, or one that looks like it. besides: the id of a player who may."""
        # Whoever has a name that looks like another's could pass for them.
        has = select(players.c.id).where(players.c.look == look(userid), players.c.id != besides)
        had = select(former_names.c.player_id).where(
            former_names.c.look == look(userid), former_names.c.player_id != besides
        )
        return self._is_any(has) or self._is_any(had)

    def former_names(self, player_id: int) -> list[str]:
        """The userids that the player had before, in lower case."""
        return self._column(select(former_names.c.name_key).where(former_names.c.player_id == player_id))

    def keep_name(self, player: Player, wanted: str) -> None:
        """Let the player's userid find them when they have taken the wanted one."""
        self._drop(former_names, name_key=wanted.casefold())
        # Only the case has changed: the userid itself finds them.
        if player.userid.casefold() != wanted.casefold():
            key = player.userid.casefold()
            self._put(former_names, {"name_key": key}, {"player_id": player.id, "look": look(key)})

    def all(self) -> list[Player]:
        return self._players(PLAYERS.where(players.c.removed_at.is_(None)).order_by(players.c.userid_key))

    def after(self, player_id: int, most: int) -> tuple[list[Player], int | None]:
        """The next players by id, and the last id that was looked at; None if no more follow."""
        query = select(players.c.id, players.c.userid, players.c.removed_at).where(players.c.id > player_id)
        rows = self._connection.execute(query.order_by(players.c.id).limit(most)).all()
        here = [Player(row.id, row.userid) for row in rows if row.removed_at is None]
        return here, rows[-1].id if len(rows) == most else None

    def password_hash(self, player_id: int) -> str:
        return str(self._value(players.c.password_hash, player_id))

    def set_password_hash(self, player_id: int, password_hash: str) -> None:
        self._change(player_id, password_hash=password_hash)

    def revoke_tokens(self, player_id: int) -> None:
        """Invalidate all tokens of the player and of their seats given out so far."""
        self._change(player_id, epoch=players.c.epoch + 1)

    def remove(self, player_id: int, now: datetime) -> None:
        self._change(player_id, removed_at=now, epoch=players.c.epoch + 1)  # mails they still have identify nobody
        self.drop_addresses(player_id)

    def _value(self, column: Column[Any], player_id: int) -> Any:
        return self._connection.execute(select(column).where(players.c.id == player_id)).scalar_one()

    def _change(self, player_id: int, **values: Any) -> None:
        self._update(players, players.c.id == player_id, **values)

    def addresses(self, player_id: int) -> list[Address]:
        """All of a player's addresses, oldest first."""
        return self._all(_ADDRESSES, _address, {"player": player_id})

    def confirmed(self, player_id: int) -> list[str]:
        """The addresses that mail may go to, oldest first."""
        return [own.address for own in self.addresses(player_id) if own.confirmed_at and not own.suspended_at]

    def askable(self, player_id: int) -> list[str]:
        """The same or, if no mail reaches the player, all that are confirmed: who asks for a mail may be back."""
        own = self.addresses(player_id)
        return self.confirmed(player_id) or [address.address for address in own if address.confirmed_at]

    def is_doubtful(self, player_id: int) -> bool:
        """Whether a mail to one of the player's addresses has come back."""
        return any(own.bounces or own.soft_bounces or own.suspended_at for own in self.addresses(player_id))

    def unreachable(self, player_id: int) -> bool:
        """Whether no mail reaches the player: they have confirmed addresses, and all are suspended."""
        confirmed = [address for address in self.addresses(player_id) if address.confirmed_at]
        return bool(confirmed) and all(address.suspended_at for address in confirmed)

    def add_address(self, player_id: int, address: str, now: datetime, *, confirmed: bool) -> Address:
        confirmed_at = now if confirmed else None
        key = self._add(addresses, player_id=player_id, address=address, created_at=now, confirmed_at=confirmed_at)
        return Address(key, player_id, address, confirmed_at)

    def drop_addresses(self, player_id: int) -> None:
        self._drop(addresses, player_id=player_id)

    def drop_address(self, address_id: int) -> None:
        self._drop(addresses, id=address_id)

    def drop_unconfirmed(self, player_id: int, before: datetime) -> None:
        """Drop the addresses that were added before the instant and never confirmed."""
        waiting = addresses.c.confirmed_at.is_(None) & (addresses.c.created_at < before)
        self._delete(addresses, addresses.c.player_id == player_id, waiting)

    def of_address(self, address: str) -> list[Player]:
        """The players whose confirmed address this is."""
        # Confirmed addresses are ASCII, but "ß" folds to "ss": another domain must not pass for one of theirs.
        if not address.isascii():
            return []
        return self._all(_OWNERS, Player._make, {"key": address.casefold()})

    def confirm(self, address_id: int, now: datetime) -> Address | None:
        """Confirm an address and return it; None if its player has dropped it or is gone."""
        owned = select(addresses).join(players).where(addresses.c.id == address_id, players.c.removed_at.is_(None))
        address = self._first(owned, _address)
        if address is None:
            return None
        self._update(addresses, addresses.c.id == address_id, confirmed_at=now, **SOUND)
        return address._replace(confirmed_at=now, bounces=0, soft_bounces=0, suspended_at=None)

    def get(self, player_id: int | None) -> Player | None:
        return self._first(_OF_ID, Player._make, {"player": player_id})

    def bots(self, player_ids: Collection[int]) -> frozenset[int]:
        """Those of the players that the operator calls programs."""
        return frozenset(self._column(_BOTS, {"players": [*player_ids]}))

    def programs(self, userids: Collection[str]) -> list[Player]:
        """Those with one of the userids that are programs of this server: other people's bots have passwords."""
        return self._all(_PROGRAMS, Player._make, {"keys": [userid.casefold() for userid in userids]})

    def set_bot(self, player_id: int, *, bot: bool) -> None:
        self._change(player_id, bot=bot)

    def created_at(self, player_id: int) -> datetime:
        """When the player registered."""
        return cast("datetime", self._value(players.c.created_at, player_id))

    def epoch(self, player_id: int) -> int:
        """How often the player's tokens were revoked."""
        return int(self._value(players.c.epoch, player_id))

    def settings(self, player_id: int) -> dict[str, str]:
        """The player's choices; a setting without one has its default."""
        return dict(json.loads(self._value(players.c.settings, player_id)))

    def mailed(self, player_ids: Collection[int]) -> dict[int, Mailed]:
        """What is needed to write to each of the players."""
        readers: dict[int, Mailed] = {}
        # Of all players, when the operator writes to everybody.
        parts = (self._connection.execute(_MAILED, {"players": some}) for some in batched([*player_ids]))
        for row in chain.from_iterable(parts):
            reader = readers.get(row.id) or Mailed((), row.epoch, json.loads(row.settings))
            # A player without such an address still has settings and an epoch.
            reads = row.confirmed_at is not None and row.suspended_at is None
            readers[row.id] = reader._replace(addresses=(*reader.addresses, row.address)) if reads else reader
        return readers

    def save_settings(self, player_id: int, settings: Mapping[str, str]) -> None:
        self._change(player_id, settings=json.dumps(dict(settings), sort_keys=True))

    def choose(self, player_id: int, **choices: str) -> None:
        """Change some of the player's settings."""
        self.save_settings(player_id, self.settings(player_id) | choices)


_address = partial(made, Address)


FORGOTTEN_AFTER = timedelta(days=60)  # then the next one begins a new count
"""A failure this long ago no longer counts."""

_troubled = or_(addresses.c.bounces > 0, addresses.c.soft_bounces > 0, addresses.c.suspended_at.is_not(None))
_others_work = (
    select(addresses.c.id)
    .where(addresses.c.player_id == bindparam("player"), addresses.c.suspended_at.is_(None))
    .where(addresses.c.confirmed_at.is_not(None))
    .exists()
)
_ALIVE = (
    update(addresses)
    .where(addresses.c.player_id == bindparam("player"), _troubled)
    .where(or_(addresses.c.address_key == bindparam("sender"), ~_others_work))
    .values(SOUND)
)


class Returned(NamedTuple):
    """A mail of ours that came back, or that was complained about."""

    id: int
    address: str
    player_id: int | None
    counted: bool
    """Whether it was counted as failed for good before."""


class Bounces(Queries):
    """Failures are counted for an address, whoever has it; each mail of ours counts once."""

    def mail_of(self, keys: Collection[str]) -> Returned | None:
        """The mail of ours that has one of the keys; None if there is none."""
        columns = outbox.c.id, outbox.c.address, outbox.c.player_id, outbox.c.bounced_at.is_not(None)
        query = select(*columns).where(outbox.c.key.in_([key[:40] for key in keys])).order_by(outbox.c.id).limit(1)
        return self._first(query, Returned._make)

    def count(self, mail: Returned, now: datetime, *, hard: bool) -> int:
        """Count a failure; returns how many hard ones the address now has, 0 if nobody has the address."""
        owned = addresses.c.address_key == mail.address.casefold()
        # The mail is not marked: one that is late may still fail for good.
        if not hard:
            self._update(addresses, owned, soft_bounces=addresses.c.soft_bounces + 1)
        elif not mail.counted:
            self.mark(mail, now)
            fresh = addresses.c.last_bounced_at > now - FORGOTTEN_AFTER
            bounces = case((fresh, addresses.c.bounces + 1), else_=1)
            self._update(addresses, owned, bounces=bounces, last_bounced_at=now)
        return self._only(select(func.max(addresses.c.bounces)).where(owned)) or 0

    def mark(self, mail: Returned, now: datetime) -> None:
        """Mark the mail, so that its failure is not counted again."""
        self._update(outbox, outbox.c.id == mail.id, bounced_at=now)

    def suspend(self, address: str, now: datetime) -> list[Player]:
        """Send nothing more to the address, not even what waits for it; returns the players who lose it by that."""
        owned = (addresses.c.address_key == address.casefold()) & addresses.c.suspended_at.is_(None)
        hit = self._players(PLAYERS.join(addresses).where(owned, players.c.removed_at.is_(None)))
        self._update(addresses, owned, suspended_at=now)
        waiting = (outbox.c.address == address) & (outbox.c.state == Delivery.QUEUED.value)
        self._update(outbox, waiting, state=Delivery.FAILED.value, done_at=now, trouble="the address is suspended")
        return hit

    def alive(self, player_id: int, sender: str) -> None:
        """Let the address the player wrote from work again; if no address of theirs works, let all work again."""
        self._connection.execute(_ALIVE, {"player": player_id, "sender": sender.casefold()})

    def resume(self, player_id: int) -> int:
        """Send to all addresses of the player again; returns how many were suspended."""
        own = addresses.c.player_id == player_id
        number = self._count(addresses, own, addresses.c.suspended_at.is_not(None))
        self._update(addresses, own, **SOUND)
        return number


_BLOCKERS = select(blocks.c.player_id).where(blocks.c.blocked_id == bindparam("player"))


class Blocks(Queries):
    """A blocked player cannot challenge, invite or write to the one who blocked them."""

    def is_blocked(self, player_id: int, by: int) -> bool:
        """Whether the player is blocked by the other."""
        return by in self.blockers(player_id)

    def blockers(self, player_id: int) -> frozenset[int]:
        """The ids of all who have blocked the player."""
        return frozenset(self._connection.scalars(_BLOCKERS, {"player": player_id}))

    def blocked(self, player_id: int) -> list[Player]:
        """The players whom this one has blocked, by userid."""
        query = PLAYERS.join(blocks, blocks.c.blocked_id == players.c.id).where(blocks.c.player_id == player_id)
        return self._players(query.order_by(players.c.userid_key))

    def block(self, player_id: int, other_id: int) -> bool:
        """False if they were blocked already."""
        return self._insert_new(blocks, player_id=player_id, blocked_id=other_id)

    def unblock(self, player_id: int, other_id: int) -> bool:
        """False if they were not blocked."""
        return self._drop(blocks, player_id=player_id, blocked_id=other_id) != 0


class Ban(NamedTuple):
    """subject: a userid, an address, or a domain with @ in front, in lower case; or a mailbox as `unnamed` gives it.

    until: None for good.
    """

    subject: str
    since: datetime
    until: datetime | None
    reason: str


def unnamed(address: str) -> str:
    """The mailbox of an address as the subject of a ban that names nobody."""
    return f"hash:{hashlib.sha256(mailbox(address).encode()).hexdigest()}"


_HOLDING = select(bans).where(
    among(bans.c.subject, "subjects"), or_(bans.c.until.is_(None), bans.c.until > bindparam("now"))
)


class Bans(Queries):
    """One ban for each subject. An expired ban is kept until it is lifted, so that the operator sees it."""

    def put(self, ban: Ban) -> None:
        """Keep the ban in place of the subject's previous one."""
        values = {"since": ban.since, "until": ban.until, "reason": ban.reason}
        self._put(bans, {"subject": ban.subject}, values)

    def lift(self, subject: str) -> bool:
        """Lift a ban; whether there was one."""
        return self._drop(bans, subject=subject) != 0

    def unname(self, userid: str, names: Set[str], stand_in: str, now: datetime) -> None:
        """Let no ban name a player any more; one that is not over is kept for their mailboxes.

        names: the userid and the addresses, in lower case. stand_in: replaces them in reasons.
        """
        word = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
        for ban in self.all():
            kept = ban._replace(reason=word.sub(stand_in, ban.reason))
            banned = names if ban.subject == userid.casefold() else names & {ban.subject}
            # The name goes; what the ban is for stays with the mailbox.
            if banned:
                self.lift(ban.subject)
                is_over = ban.until is not None and ban.until <= now
                subjects = [unnamed(name) for name in banned if "@" in name and not is_over]
            else:
                subjects = [ban.subject] if kept != ban else []
            for subject in subjects:
                self.put(kept._replace(subject=subject))

    def all(self) -> list[Ban]:
        """All bans, oldest first."""
        return self._all(select(bans).order_by(bans.c.since, bans.c.subject), partial(made, Ban))

    def of(self, subjects: Collection[str], now: datetime) -> dict[str, Ban]:
        """The bans on any of the subjects that hold now, by subject."""
        holding = self._all(_HOLDING, partial(made, Ban), {"subjects": [*subjects], "now": now})
        return {ban.subject: ban for ban in holding}

    def banned(self, players: Collection[Player], now: datetime) -> list[Player]:
        """Those of the players who are banned by their userid."""
        banned = self.of([player.userid.casefold() for player in players], now)
        return [player for player in players if player.userid.casefold() in banned]
