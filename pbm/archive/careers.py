"""How players stand in a game, and how one player did in each, as words and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from markupsafe import Markup

from games import GAMES
from pbm.domain.match import Player
from pbm.draw import plots
from pbm.draw.chart import Bar
from pbm.store.archive import Finished, Rated
from pbm.store.ratings import Record

MOST_RANKED = 300
MOST_DRAWN = 40
MOST_GAMES = 100
"""Rated games in a plot; older ones are left out."""

Ranked = tuple[int, Player, Record]
"""rank: 0 for those of whom not enough is known."""


@dataclass(frozen=True, slots=True)
class Career:
    """A player in one game. plot: empty where nothing was rated."""

    title: str
    tally: str
    rating: int | None
    plot: Markup


def ranked(standings: Sequence[tuple[Player, Record]]) -> list[Ranked]:
    """The best of a game, the best first."""
    ranks = count(1)
    best = standings[:MOST_RANKED]
    return [(0 if record.rating.provisional else next(ranks), player, record) for player, record in best]


def standings_plot(game: str, best: Sequence[Ranked]) -> Markup:
    """Empty where nobody is rated."""
    bars = [
        Bar(player.userid, record.rating.rating, 2 * record.rating.deviation, not record.rating.provisional)
        for _, player, record in best[:MOST_DRAWN]
    ]
    described = f"Ratings of {GAMES[game].info.title}, the best first, each with two deviations to either side"
    return Markup(plots.standings(bars, described) if bars else "")  # noqa: S704  all text in it is escaped


def careers(player: Player, boards: Sequence[Finished], rated: Sequence[Rated]) -> list[Career]:
    """One for each game of theirs, in the order of the registry."""
    return [
        _career(game, player, own, [each.rating for each in rated if each.game == game])
        for game in GAMES
        if (own := [each for each in boards if each.game == game])
    ]


def _career(game: str, player: Player, boards: Sequence[Finished], ratings: Sequence[float]) -> Career:
    title, latest = GAMES[game].info.title, ratings[-MOST_GAMES:]
    described = f"Rating of {player.userid} in {title} after each of the last {len(latest)} rated games"
    plot = Markup(plots.history(latest, described) if latest else "")  # noqa: S704  all text in it is escaped
    return Career(title, _tally(player, boards), round(latest[-1]) if latest else None, plot)


def _tally(player: Player, boards: Sequence[Finished]) -> str:
    winners = [each.result.winner and each.players[each.result.winner - 1] for each in boards]
    won, drawn = winners.count(player), winners.count(None)
    counts = ((won, "won"), (drawn, "drawn"), (len(boards) - won - drawn, "lost"))
    return ", ".join(f"{number} {word}" for number, word in counts if number)
