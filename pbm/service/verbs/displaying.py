"""The mail by which players find out what their mail programs show."""

from __future__ import annotations

from games import GAMES
from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.match import State
from pbm.service.handling import Handling
from pbm.service.verbs.registry import handles


@handles("test display")
def show_display(handling: Handling, command: Command) -> Answer | None:
    """In all forms, whatever the player has chosen."""
    reader = handling.reader(handling.who(command))
    sample = State.start(GAMES["cross"], ["-size=3"])
    for move in ("C3", "B2", "D3"):
        sample, _ = sample.play(move)
    handling.letters += handling.tools.composer.display(reader, sample, handling.now, handling.message)
    return None
