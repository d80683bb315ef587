"""Which boards, players and tournaments are public, read from the store in pages, and how players did in each game.

A game is published once it has ended and counts, unless a player of it has `set archive off` or was erased. Such
players are named nowhere: tournaments they are in show a neutral name in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from markupsafe import Markup

from games import GAMES
from pbm.core.credentials import ERASED
from pbm.domain.match import Player
from pbm.draw import plots
from pbm.draw.plots import Bar
from pbm.store import Store, Transaction
from pbm.store.archive import Finished, Person, Rated
from pbm.store.ratings import Tally
from pbm.store.tournaments import Meeting, Tournament

PAGE = 500
T = TypeVar("T")


@dataclass(slots=True)
class Collection:
    """people: those who may be named, by id. boards: in the order they ended."""

    people: dict[int, Person]
    boards: list[Finished]
    tournaments: list[tuple[Tournament, list[Meeting]]]
    standings: dict[str, list[tuple[Player, Tally]]]

    def by_player(self) -> list[tuple[Player, list[Finished]]]:
        """The games of each who has some, by userid."""
        found: dict[Player, list[Finished]] = {}
        for board in self.boards:
            for player in dict.fromkeys(board.players):
                found.setdefault(player, []).append(board)
        return sorted(found.items(), key=lambda each: each[0].userid.casefold())

    @property
    def linked(self) -> frozenset[int]:
        """The ids of players who have a page."""
        return frozenset(player.id for board in self.boards for player in board.players)

    @property
    def games(self) -> list[str]:
        found = {board.game for board in self.boards}
        return [name for name in GAMES if name in found]


def collected(store: Store) -> Collection:
    """All that is public, as of one instant."""
    with store.read() as tx:
        people = _all(tx.archive.people, lambda each: each.player.id)
        named = (each for each in people if each.settings.archive == "on")
        public = {each.player.id: each for each in named if not each.player.userid.startswith(ERASED)}
        ended = (each for each in _all(tx.archive.finished, lambda each: each.board) if each.game in GAMES)
        boards = [each for each in ended if all(player.id in public for player in each.players)]
        boards.sort(key=lambda each: (each.ended_at, each.board))
        held = [_tournament(tx, key) for key in _all(tx.archive.tournaments, lambda key: key)]
        rated = {game: tx.ratings.standings(game) for game in {each.game for each in boards}}
        best = {game: [each for each in those if each[0].id in public] for game, those in rated.items()}
        return Collection(public, boards, [each for each in held if each[1] and each[0].game in GAMES], best)


def _tournament(tx: Transaction, key: int) -> tuple[Tournament, list[Meeting]]:
    """With its bouts so far."""
    found = tx.tournaments.get(key)
    assert found is not None  # noqa: S101  it was there in this transaction
    return found, tx.tournaments.meetings(key)


def _all(query: Callable[[int, int], list[T]], key: Callable[[T], int]) -> Iterator[T]:
    """All pages of a query."""
    after = 0
    while found := query(after, PAGE):
        yield from found
        after = key(found[-1])


MOST_RANKED = 300
MOST_DRAWN = 40
MOST_GAMES = 100
"""Rated games in a plot; older ones are left out."""

Ranked = tuple[int, Player, Tally]
"""rank: 0 for those of whom not enough is known."""


@dataclass(frozen=True, slots=True)
class Career:
    """A player in one game."""

    title: str
    tally: str
    rating: int | None
    plot: Markup
    """Empty where nothing was rated."""


def ranked(standings: Sequence[tuple[Player, Tally]]) -> list[Ranked]:
    """The best of a game, the best first."""
    ranks = count(1)
    best = standings[:MOST_RANKED]
    return [(0 if tally.rating.provisional else next(ranks), player, tally) for player, tally in best]


def standings_plot(game: str, best: Sequence[Ranked]) -> Markup:
    """Empty where nobody is rated."""
    bars = [
        Bar(player.userid, tally.rating.rating, 2 * tally.rating.deviation, not tally.rating.provisional)
        for _, player, tally in best[:MOST_DRAWN]
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
