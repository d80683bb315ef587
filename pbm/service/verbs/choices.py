"""Verbs by which a player says what may be asked of him: challenges of a game, how many boards, and by whom."""

from __future__ import annotations

from dataclasses import replace

from games import GAMES
from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.errors import BadArguments
from pbm.service.handling import Handling
from pbm.service.verbs.registry import done


def accept_challenges(handling: Handling, command: Command, *, accepts: bool) -> Answer:
    """Take, or refuse, all challenges of the command's game from now on. Raises: NotAllowed, NeedsIdentity."""
    player, game = handling.who(command), _game(command)
    choice = handling.tx.choices.of(game, (player.id,))[player.id]
    handling.tx.choices.set(player.id, game, replace(choice, accepts=accepts))
    title = GAMES[game].info.title
    if accepts:
        return done(command, f"You take challenges of {title} again.")
    return done(command, f'You get no challenges of {title} any more, until you write "{game} accept".')


def _game(command: Command) -> str:
    """Raises: BadArguments."""
    if command.game is None:
        raise BadArguments(f"Which game? Put its name in front of {command.verb.name}.", command.verb.line)
    return command.game
