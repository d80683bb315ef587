"""How a match begins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from games import AnyGame
from games.rules import OptionError
from pbm.domain.errors import BadArguments
from pbm.domain.match import Player, State
from pbm.service.tables import Table
from pbm.store import Transaction

MAX_BODY = 20_000
"""Characters of a board that a challenger draws himself."""


def start_match(
    tx: Transaction, game: AnyGame, words: Sequence[str], body: str, seats: tuple[Player, Player], now: datetime
) -> Table:
    """Store a new match and return it. Raises: OptionError, BadArguments."""
    if len(body) > MAX_BODY:
        raise BadArguments(f"A board of your own may take {MAX_BODY} characters; yours takes {len(body)}.")
    words = tuple(word.casefold() for word in words)
    state = State.start(game, words, body)
    if state.outcome is not None:
        raise OptionError("With these options the game would be over before it starts.")
    match = tx.matches.add(game.info.name, game.info.version, words, body, seats, state.to_move, now)
    return Table(tx, match, state, match.revision, now)
