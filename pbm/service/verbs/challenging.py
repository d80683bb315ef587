"""Verbs that start games."""

from __future__ import annotations

import re

from games import GAMES
from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.events import MatchStarted
from pbm.domain.match import Player
from pbm.service.handling import Handling
from pbm.service.starting import start_match
from pbm.service.verbs.registry import done, handles


@handles("challenge")
def challenge(handling: Handling, command: Command) -> Answer | None:
    assert command.game is not None  # noqa: S101  the parser asks for it
    first, second = (_opponent(handling, command.args[name]) for name in ("USERID1", "USERID2"))
    known = handling.sender.proven or handling.sender.claimed
    challenger = known if known in (first, second) else None
    game = GAMES[command.game]
    body, handling.comment = _split_body(handling.comment) if game.info.takes_body else ("", handling.comment)
    table = start_match(handling.tx, game, command.options, body, (first, second), handling.now)
    handling.adopt(table, MatchStarted(table.match.board, challenger=challenger.userid if challenger else ""))
    if challenger is not None:
        handling.identified = challenger
        return None
    return done(command, f"Board {table.match.board} has started; its players get the board.")


def _opponent(handling: Handling, userid: str) -> Player:
    """A player who can be mailed. Raises: NotFound, NotAllowed."""
    player = handling.tx.players.find(userid)
    if player is None:
        raise NotFound(f'There is no player "{userid}" here.')
    if not handling.tx.players.confirmed(player.id)[player.id]:
        raise NotAllowed(f"{player.userid} has not confirmed an address yet, so no game can start.")
    return player


def _split_body(text: str) -> tuple[str, str]:
    """The board a challenger drew and his comment: the first paragraph is a board if a line of it starts like one."""
    paragraph, _, rest = text.strip().partition("\n\n")
    drawn = any(re.match(r"\s*\d+\s*,\s*\d", line) for line in paragraph.splitlines())
    return (paragraph, rest.strip()) if drawn else ("", text)
