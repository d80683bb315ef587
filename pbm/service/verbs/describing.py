"""The verb that tells what everybody may know of a player."""

from __future__ import annotations

from dataclasses import dataclass

from games import GAMES
from pbm.compose import Answer
from pbm.domain.calendars import StopKind
from pbm.domain.commands import Command
from pbm.domain.pace import Pace
from pbm.service.handling import Handling
from pbm.service.verbs.registry import done, handles
from pbm.service.verbs.selecting import find_player
from pbm.store.ratings import Record


@dataclass(frozen=True, slots=True)
class Row:
    """A player in one game. record: None if he has no rating in it. active: boards under way."""

    game: str
    record: Record | None
    pace: Pace
    active: int


@handles("about")
def about(handling: Handling, command: Command) -> Answer | None:
    """Never an address, nor anything he has chosen for himself."""
    tx, player = handling.tx, find_player(handling, command.args.get("PLAYER", "me"))
    ratings, paces = tx.ratings.of_player(player.id), tx.paces.of_player(player.id)
    active = tx.matches.active_counts((player.id,))[player.id]
    rows = [
        Row(name, ratings.get(name), paces.get(name, Pace()), active.get(name, 0))
        for name in GAMES
        if name in ratings or name in paces or name in active
    ]
    text = handling.tools.composer.pages.render(
        "about.txt",
        player=player,
        since=tx.players.created_at(player.id),
        bot=bool(tx.players.bots((player.id,))),
        away=[each.stop for each in tx.absences.of(player.id, StopKind.VACATION, handling.now)],
        now=handling.now,
        rows=rows,
        zone=handling.correspondent().settings.zone,
    )
    return done(command, text.rstrip("\n"), f"pbm: about {player.userid}")
