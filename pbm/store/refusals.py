"""Who gets no mail, and from whom: addresses that bounce, games not chosen.

The log of the operator's commands is kept here, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import bindparam, case, func, or_, select, update

from pbm.domain.mail import Delivery
from pbm.domain.match import Player
from pbm.store.players import SOUND
from pbm.store.statements import Queries, made
from pbm.store.tables import PLAYERS, acts, addresses, follows, game_choices, outbox, players

FORGOTTEN_AFTER = timedelta(days=60)
"""A failure this long ago no longer counts: the next one begins a new count."""

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


@dataclass(eq=False)
class Bounces(Queries):
    """Failures are counted for an address, whoever has it; each mail of ours counts once."""

    def mail_of(self, keys: Collection[str]) -> Returned | None:
        """The mail of ours that has one of the keys; None if there is none."""
        columns = (outbox.c.id, outbox.c.address, outbox.c.player_id, outbox.c.bounced_at)
        found = select(*columns).where(outbox.c.key.in_([key[:40] for key in keys])).order_by(outbox.c.id).limit(1)
        return self._first(found, lambda row: Returned(row.id, row.address, row.player_id, row.bounced_at is not None))

    def count(self, mail: Returned, now: datetime, *, hard: bool) -> int:
        """Count a failure; returns how many hard ones the address now has, 0 if nobody has the address.

        A mail that is late may still fail for good, so only a hard failure marks the mail.
        """
        owned = addresses.c.address_key == mail.address.casefold()
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

    def unfollow_all(self, player_id: int) -> None:
        """Let the player follow no boards and no games any more."""
        self._drop(follows, player_id=player_id)
        self._update(game_choices, game_choices.c.player_id == player_id, follows=False, notify_ends=False)


@dataclass(frozen=True, slots=True)
class GameChoice:
    """accepts: takes challenges. most_active: boards under way at once; None for no limit but the server's.

    notify_ends: wants the final mail of every board of the game. follows: wants all boards and seeks of the game.
    """

    accepts: bool = True
    most_active: int | None = None
    notify_ends: bool = False
    follows: bool = False


class Choices(Queries):
    """A player without a row has the defaults."""

    def of(self, game: str, player_ids: Iterable[int]) -> dict[int, GameChoice]:
        """The choices of each player asked for."""
        return self._of_game(game_choices, game, player_ids, partial(made, GameChoice), GameChoice())

    def of_one(self, game: str, player_id: int) -> GameChoice:
        return self.of(game, (player_id,))[player_id]

    def change(self, player_id: int, game: str, **changes: bool | int | None) -> None:
        values = asdict(self.of_one(game, player_id)) | changes
        self._put(game_choices, {"player_id": player_id, "game": game}, values)

    def followers(self, game: str) -> list[Player]:
        """Players who want to hear of every board and seek of the game."""
        found = PLAYERS.join(game_choices, game_choices.c.player_id == players.c.id)
        wanted = (game_choices.c.game == game) & game_choices.c.follows & players.c.removed_at.is_(None)
        return self._players(found.where(wanted).order_by(players.c.id))


class LogLine(NamedTuple):
    """who: the operator, by their name on the system. words: the command, with passwords masked."""

    at: datetime
    who: str
    words: str


class Acts(Queries):
    """No line is ever deleted; an erased player gets another name in them."""

    def add(self, act: LogLine) -> None:
        self._insert(acts, **act._asdict())

    def newest_at(self) -> datetime | None:
        """The latest instant of the last lines; the clock may have been put right between two of them."""
        return max(self._column(select(acts.c.at).order_by(acts.c.id.desc()).limit(20)), default=None)

    def latest(self, limit: int, about: str = "") -> list[LogLine]:
        """The latest lines, newest last. about: text that the command must hold, in any case."""
        found = select(acts).order_by(acts.c.id.desc()).limit(limit)
        if about:
            found = found.where(func.lower(acts.c.words).contains(about.lower(), autoescape=True))
        return self._all(found, partial(made, LogLine))[::-1]

    def rename(self, names: Collection[str], name: str) -> None:
        """Replace each of a player's names by this one."""
        word = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, names))})(?![\w-])", re.IGNORECASE)
        named = or_(*(func.lower(acts.c.words).contains(each.lower(), autoescape=True) for each in names))
        for row in self._connection.execute(select(acts.c.id, acts.c.words).where(named)).all():
            self._update(acts, acts.c.id == row.id, words=word.sub(name, row.words))
