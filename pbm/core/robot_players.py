"""Which players are our robots."""

from __future__ import annotations

from collections.abc import Collection

from pbm.bots.levels import LEVELS
from pbm.domain.match import Player
from pbm.store import Transaction

LEVEL_OF = {f"robot{level}": level for level in sorted(LEVELS)}
"""The level of each robot, by userid."""


def robots_among(tx: Transaction, players: Collection[Player]) -> list[Player]:
    """The players that are our robots."""
    named = [player.userid for player in players if player.userid.casefold() in LEVEL_OF]
    return tx.players.programs(named) if named else []


def robots(tx: Transaction) -> list[Player]:
    """The robots that somebody has played."""
    return tx.players.programs(LEVEL_OF)
