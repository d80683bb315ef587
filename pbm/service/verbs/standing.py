"""Verbs that tell how players of a game stand, and how its games ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from games import GAMES
from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.service.handling import Handling
from pbm.service.verbs.registry import done, handles
from pbm.store.choices import GameChoice
from pbm.store.ratings import Record

MAX_LISTED = 1000
INACTIVE_AFTER = timedelta(days=180)
"""Without a game under way and without a rated end for so long, a player is listed below the others."""


@dataclass(frozen=True, slots=True)
class Row:
    """One player in the standings. rank: among the established players who are active; 0 for the others."""

    userid: str
    record: Record
    active: int
    limit: str
    seeking: int
    rank: int = 0


@handles("standings")
def standings(handling: Handling, command: Command) -> Answer | None:
    """Established players by rank, then those of whom not much is known yet, then those who are not there."""
    assert command.game is not None  # noqa: S101  the parser asks for it
    tx, game = handling.tx, command.game
    rated, seeks = tx.ratings.standings(game), tx.seeks.open(game)
    ids = [player.id for player, _ in rated]
    choices, counts = tx.choices.of(game, ids), tx.matches.active_counts(ids)
    wanted = {seek.player.id: seek.wanted for seek in seeks}
    sections: dict[str, list[Row]] = {"Established": [], "Provisional": [], "Inactive": []}
    for player, record in rated:
        active = counts[player.id].get(game, 0)
        section = sections[_section(record, active, handling.now)]
        rank = len(section) + 1 if section is sections["Established"] else 0
        row = Row(player.userid, record, active, _limit(choices, player.id), wanted.get(player.id, 0), rank)
        section.append(row)
    text = handling.tools.composer.pages.render(
        "standings.txt",
        title=GAMES[game].info.title,
        game=game,
        sections=sections,
        seeks=seeks,
        drawn=any(record.drawn for _, record in rated),
    )
    return done(command, text.rstrip("\n"), f"pbm: {GAMES[game].info.title} standings")


def _section(record: Record, active: int, now: datetime) -> str:
    if not active and record.rated_at is not None and now - record.rated_at > INACTIVE_AFTER:
        return "Inactive"
    return "Provisional" if record.rating.provisional else "Established"


def _limit(choices: Mapping[int, GameChoice], player_id: int) -> str:
    """A player's limit as the standings show it; "-" for none."""
    choice = choices[player_id]
    if not choice.accepts:
        return "0"
    return "-" if choice.most_active is None else str(choice.most_active)


@handles("history")
def history(handling: Handling, command: Command) -> Answer | None:
    assert command.game is not None  # noqa: S101  the parser asks for it
    title = GAMES[command.game].info.title
    boards = handling.tx.matches.finished(command.game, MAX_LISTED)
    zone = handling.correspondent().settings.zone
    text = handling.tools.composer.pages.render(
        "history.txt", title=title, boards=boards, zone=zone, more=len(boards) == MAX_LISTED
    )
    return done(command, text.rstrip("\n"), f"pbm: history of {title} games")
