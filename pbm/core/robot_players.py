"""Which players are our robots."""

from __future__ import annotations

from collections.abc import Collection

from pbm.bots.levels import LEVELS
from pbm.domain.match import Player
from pbm.store import Transaction

LEVEL_OF = {f"robot{level}": level for level in sorted(LEVELS)}
"""The level of each robot, by userid."""


def robots_among(tx: Transaction, players: Collection[Player]) -> list[Player]:
    """The players that are our robots; other people's bots have passwords."""
    named = {player.id: player for player in players if player.userid.casefold() in LEVEL_OF}
    if not named:
        return []
    return [named[key] for key in sorted(tx.players.bots(named)) if not tx.players.password_hash(key)]


def robots(tx: Transaction) -> list[Player]:
    """The robots that somebody has played."""
    found = (tx.players.find(name) for name in LEVEL_OF)
    return robots_among(tx, [player for player in found if player is not None])
