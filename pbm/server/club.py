"""The club over one database: what operators' acts work on, and what the server adds the handling of mails to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from pbm.compose.composer import Composer, fresh_key
from pbm.core.board import OpenBoard, States
from pbm.core.bus import heard_in
from pbm.core.by_operator import address_of
from pbm.core.notify import Desk, Tools, tell_players
from pbm.core.passwords import Hasher
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.configuration import HouseRules, Limits
from pbm.domain.mail import Mail
from pbm.domain.match import Match, Player
from pbm.domain.tokens import Signer
from pbm.mailin import Robot
from pbm.store import Store, Transaction
from pbm.store.pulse import HEARTBEAT, SILENCE
from pbm.values import frozen


@frozen
class Settings:
    robot: Robot = field(default_factory=Robot)
    limits: Limits = field(default_factory=Limits)
    operator: str = ""
    """The operator's address; empty for none."""
    house: HouseRules = field(default_factory=HouseRules)


heard_in("pbm.features.everything")


class Club:
    """A database, with the tools for all that is done in it."""

    def __init__(self, store: Store, settings: Settings | None = None, make_key: Callable[[], str] = fresh_key) -> None:
        """Sets an empty database up. Raises: SchemaTrouble if the database is of another version."""
        # Made only where nothing is configured: it takes a while.
        settings = settings or Settings()
        self.store = store
        store.prepare(store.clock())
        signer = Signer()
        with store.read() as tx:
            signer.use(*tx.secrets.keys(tx.now))
        composer = Composer(settings.robot, signer, make_key=make_key)
        self.tools = Tools(composer, States(), Hasher(), settings.limits, settings.house, settings.operator)

    def close(self) -> None:
        self.tools.passwords.close()
        self.store.close()


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

    def _write(self, tx: Transaction, player: Player, subject: str, page: str, **words: Any) -> None:
        """Mail a page to all addresses of a player."""
        tx.outbox.add(self._letters(tx, player, subject, page, **words), tx.now)


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
