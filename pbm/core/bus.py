"""How features hear of each other: a feature that must act when another one does something subscribes to its event.

Subscribers are called at once, in the same transaction, in the order of their files' names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeVar

from pbm.domain.match import Match, Player
from pbm.domain.settings import Settings
from pbm.store import Transaction
from pbm.values import frozen

K = TypeVar("K")
F = TypeVar("F", bound=Callable[..., Any])


def registers(table: dict[K, F], *keys: K) -> Callable[[F], F]:
    """A decorator that puts a function into a table, under each of the keys."""

    def register(function: F) -> F:
        table.update(dict.fromkeys(keys, function))
        return function

    return register


def joins(listed: list[F]) -> Callable[[F], F]:
    """A decorator that puts a function at the end of a list."""

    def register(function: F) -> F:
        listed.append(function)
        return function

    return register


Reload = Callable[[], None]
"""Tells a board in hand that its players' settings and rests have changed."""


class News:
    """Something that happened and that features may subscribe to."""

    __slots__ = ()


@frozen
class MatchEnded(News):
    """A match has its result."""

    match: Match


@frozen
class MatchReopened(News):
    """A match has lost its result and goes on."""

    match: Match


@frozen
class PlayerHeard(News):
    """A player whom mail may no longer have reached has written, from this address."""

    player: Player
    address: str
    reloads: tuple[Reload, ...] = ()
    """The reloads of the boards in hand."""


@frozen
class ReachChanged(News):
    """Mail may reach a player again, or reach one more address of theirs."""

    player: Player


@frozen
class SettingsSaved(News):
    """A player's choices are stored."""

    player: Player
    settings: Settings


@frozen
class ReminderDue(News):
    """A player is to be reminded of a board."""

    player: Player
    board: int


@frozen
class RecordDamaged(News):
    """The stored record of a board cannot be replayed."""

    board: int
    reason: str


@frozen
class AccountEnded(News):
    """A player leaves the server."""

    player: Player


@frozen
class AccountsMerged(News):
    """All that one player had is another's now; the account of the one is about to end."""

    gone: Player
    kept: Player


E = TypeVar("E", bound=News)
Subscriber = Callable[[E, Transaction], None]

SUBSCRIBERS: dict[type, list[Subscriber[Any]]] = defaultdict(list)


def subscribes(kind: type[E]) -> Callable[[Subscriber[E]], Subscriber[E]]:
    """The decorated function is called with every event of the kind."""
    return joins(SUBSCRIBERS[kind])


_ABSENT: list[str] = []


def heard_in(module: str) -> None:
    """Have a module with subscribers imported when first something happens: many acts cause nothing to hear of."""
    _ABSENT.append(module)


def have_all() -> None:
    """Import the modules of `heard_in` now."""
    while _ABSENT:
        import_module(_ABSENT.pop())


def publish(event: E, tx: Transaction) -> None:
    """Call all subscribers."""
    have_all()
    subscribers: Iterable[Subscriber[E]] = SUBSCRIBERS[type(event)]
    for subscriber in subscribers:
        subscriber(event, tx)
