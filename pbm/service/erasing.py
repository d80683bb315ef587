"""Erasing a player: a week after he has asked for it, the server forgets him."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.service.agenda import Occasion, when_due
from pbm.service.leaving import remove_account
from pbm.service.names import ERASED
from pbm.service.tables import Table
from pbm.service.telling import Tools, tell_players
from pbm.store import Transaction

ERASE = "erase"
"""What is on the agenda of a player who wants to be erased, and the purpose of the ticket that asks whether he does."""

SWEEP = "sweep"
"""What is on the agenda while mails of others are looked through for an erased player."""


@when_due(ERASE)
def erase_when_due(occasion: Occasion) -> None:
    """An account that was deleted meanwhile is erased all the same."""
    occasion.tx.outbox.add(erase(occasion.tx, occasion.tools, int(occasion.item.key), occasion.now), occasion.now)


@when_due(SWEEP)
def sweep_when_due(occasion: Occasion) -> None:
    """Some mails at a time, so that nobody waits for it."""
    payload = occasion.item.payload
    done = occasion.tx.erasure.sweep(payload["names"], (payload["inbox"], payload["outbox"]))
    if done is not None:
        _plan_sweep(occasion.tx, occasion.item.key, payload["names"], done, occasion.now)


def _plan_sweep(tx: Transaction, key: object, names: Collection[str], done: tuple[int, int], now: datetime) -> None:
    tx.agenda.put(SWEEP, key, now, names=sorted(names), inbox=done[0], outbox=done[1])


def erase(tx: Transaction, tools: Tools, player_id: int, now: datetime) -> list[Mail]:
    """Forget a player; returns the mails to those whose games with him end by it."""
    traces = tx.erasure.traces(player_id)
    if traces is None:
        return []
    player = Player(player_id, _neutral_name(tx, player_id))
    tx.erasure.rename(traces, player.userid)
    mails: list[Mail] = []
    if not traces.removed:
        for table in remove_account(tx, player, lambda board: Table.load(tx, tools.states, board, now), now):
            mails += tell_players(tx, tools, table)
    tx.erasure.forget(traces)
    _plan_sweep(tx, player_id, traces.names, (0, 0), now)
    return mails


def _neutral_name(tx: Transaction, player_id: int) -> str:
    """Nobody else can have taken it, but an import may have brought it along."""
    names = (f"{ERASED}{player_id}{suffix}" for suffix in ("", *(f"-{number}" for number in range(2, 100))))
    return next(name for name in names if not tx.players.is_taken(name))
