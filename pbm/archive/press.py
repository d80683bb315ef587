"""Prints the site: all its pages from what is public, in a fixed order, independent of the time of printing.

Boards, players and tournaments are read from the store page by page. A game is published once it has ended and counts,
unless one of its players has `set archive off` or was erased. Such players are named nowhere: tournaments they are in
show a neutral name instead.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from markupsafe import Markup

from games import GAMES
from games.rules import GameError
from pbm.archive.exhibits import Public, Replay, careers, crosstables, paged, ranked, replayed, standings_plot
from pbm.archive.site import Site, feed_of, opened
from pbm.compose.pages import Pages
from pbm.core.credentials import ERASED
from pbm.domain.errors import Rejected
from pbm.domain.match import Player
from pbm.resources import folder
from pbm.store import Store, Transaction
from pbm.store.lists import Finished, Person
from pbm.store.matches import batched
from pbm.store.ratings import Tally
from pbm.store.tournaments import Meeting, Tournament
from pbm.values import frozen

LATEST = 50
"""The most games on the page of a game or a player."""
PER_PAGE = 100  # filled from the oldest on, so that pages do not change
"""Games on each page of the full list."""
NAMES = 300
"""The most players or tournaments on a page."""
NEAR = 5
"""How many pages before and after itself a page links to, besides the first and the last."""
PAGE = 500
"""Rows of one query."""
AT_ONCE = 50
"""How many players' ratings are read in one transaction."""

T = TypeVar("T")
Watched = Callable[[Sequence[Finished]], Iterable[Finished]]


@dataclass(slots=True)
class Collection:
    """people: those who may be named, by id. boards: in the order they ended."""

    people: dict[int, Person]
    boards: list[Finished]
    tournaments: list[tuple[Tournament, list[Meeting]]]
    standings: dict[str, list[tuple[Player, Tally]]]

    def by_player(self) -> list[tuple[Player, list[Finished]]]:
        """Each player who has games, with these, by userid."""
        boards: dict[Player, list[Finished]] = {}
        for board in self.boards:
            # Once, also if they played against themselves.
            for player in dict.fromkeys(board.players):
                boards.setdefault(player, []).append(board)
        return sorted(boards.items(), key=lambda each: each[0].userid.casefold())

    @property
    def games(self) -> list[str]:
        played = {board.game for board in self.boards}
        return [name for name in GAMES if name in played]


def collected(store: Store) -> Collection:
    """All that is public, as of one instant."""
    with store.read() as tx:
        people = {
            person.player.id: person
            for person in _all(tx.archive.people, lambda person: person.player.id)
            # Erased players have a name and a row only for the sake of their opponents.
            if person.settings.archive == "on" and not person.player.userid.startswith(ERASED)
        }
        boards, tournaments = _boards(tx, people), []
        for key in _all(tx.archive.tournaments, lambda key: key):
            tournament, meetings = tx.tournaments.get(key), tx.tournaments.meetings(key)
            # The package of its game may be missing now.
            if tournament is not None and meetings and tournament.game in GAMES:
                tournaments.append((tournament, meetings))
        played = {board.game for board in boards}
        best = {game: [rank for rank in tx.ratings.standings(game) if rank[0].id in people] for game in played}
        return Collection(people, boards, tournaments, best)


def _boards(tx: Transaction, public: Mapping[int, Person]) -> list[Finished]:
    """The boards between players who are shown, in the order in which they ended. public: the players, by id."""
    ended = (each for each in _all(tx.archive.finished, lambda each: each.board) if each.game in GAMES)
    boards = [each for each in ended if all(player.id in public for player in each.players)]
    return sorted(boards, key=lambda each: (each.ended_at, each.board))


def _all(query: Callable[[int, int], list[T]], key: Callable[[T], int]) -> Iterator[T]:
    """The rows of all pages of a query."""
    after = 0
    while rows := query(after, PAGE):
        yield from rows
        after = key(rows[-1])


@frozen
class Published:
    """The result of a run."""

    pages: int
    written: int
    removed: int
    skipped: tuple[int, ...]
    """Boards whose records cannot be replayed."""


def publish(store: Store, target: Path, title: str, domain: str, *, watched: Watched = iter) -> Published:
    """Bring the site in a folder up to date. domain: the server's, which the ids of feeds contain. watched: sees boards
    pass whose pages are made.

    Raises: FolderTaken, DatabaseTrouble, OSError.
    """
    collection = collected(store)
    with opened(target) as site:
        press = Press(store, site, collection, title, domain, watched)
        press.print_all()
        written, removed = len(site.changed), len(site.gone)
        site.commit()
    return Published(len(site.paths), written, removed, tuple(press.skipped))


@dataclass(slots=True)
class Press:
    """One run."""

    store: Store
    site: Site
    collection: Collection
    title: str
    domain: str
    """The server's."""
    watched: Watched = iter
    """See publish."""
    skipped: list[int] = field(default_factory=list)
    """See Published."""

    def print_all(self) -> None:
        self._print_boards()
        unsound = set(self.skipped)
        self.collection.boards = [each for each in self.collection.boards if each.board not in unsound]
        self.site.put("style.css", (folder("templates") / "site/style.css").read_text(encoding="utf-8"))
        players = self.collection.by_player()
        linked = {player.id for player, _ in players}
        for game in self.collection.games:
            best = ranked(self.collection.standings[game])
            words = {"game": game, "ranked": best, "plot": standings_plot(game, best), "linked": linked}
            boards, title = [board for board in self.collection.boards if board.game == game], GAMES[game].info.title
            self._print_list("game", f"game/{game}", title, boards, **words)
        self._print_players(players)
        self._print_tournaments(linked)
        tournaments = [tournament for tournament, _ in self.collection.tournaments]
        self._print_names("tournaments", tournaments[::-1])
        self._print_names("players", players)
        latest = self.collection.boards[: -LATEST - 1 : -1]
        self._page("index.html", "index", self.title, collection=self.collection, latest=latest)

    def _print_players(self, players: Sequence[tuple[Player, Sequence[Finished]]]) -> None:
        for some in batched(players, AT_ONCE):
            with self.store.read() as tx:
                rated = {player: tx.archive.rated(player.id) for player, _ in some}
            for player, boards in some:
                base, person = f"player/{slug(player)}", self.collection.people[player.id]
                words = {"player": player, "person": person, "careers": careers(player, boards, rated[player])}
                self._print_list("player", base, player.userid, boards, **words)

    def _print_tournaments(self, linked: Set[int]) -> None:
        """linked: the ids of the players who have a page."""
        public = Public({each.board: None for each in self.collection.boards}, self.collection.people)
        by_board = {each.board: each for each in self.collection.boards}
        for tournament, meetings in self.collection.tournaments:
            base = f"tournament/{tournament.id}"
            boards = [by_board[each.board] for each in meetings if each.board in by_board]
            boards.sort(key=lambda each: (each.ended_at, each.board))
            self._feed(base, tournament.name, boards, tournament.created_at)
            pages = list(paged(crosstables(tournament, meetings, public)))
            words = {
                "tournament": tournament,
                "boards": boards[: -LATEST - 1 : -1],
                "pages": len(pages),
                "feed": f"{base}.atom",
            }
            for number, tables in enumerate(pages, 1):
                path = f"{base}/{number}.html" if number > 1 else f"{base}.html"
                self._page(path, "tournament", tournament.name, tables=tables, number=number, linked=linked, **words)

    def _print_names(self, template: str, those: Sequence[object]) -> None:
        """All players or tournaments, on as many pages as needed, at least one."""
        pages = list(batched(those, NAMES)) or [()]
        for number, told in enumerate(pages, 1):
            path = f"{template}/{number}.html" if number > 1 else f"{template}.html"
            self._page(path, template, template.capitalize(), told=told, number=number, pages=len(pages))

    def _feed(self, path: str, title: str, boards: Sequence[Finished], updated_at: datetime) -> None:
        self.site.put(f"{path}.atom", feed_of(path, title, boards, updated_at, self.title, self.domain))

    def _page(self, path: str, template: str, heading: str, **words: object) -> None:
        root = "../" * path.count("/")
        common = {"root": root, "site": self.title, "heading": heading, "path": path, "slug": slug, "feed": None}
        common["nearby"] = nearby
        self.site.put(path, Pages().render(f"site/{template}.html", **common | words))

    def _print_list(self, template: str, base: str, heading: str, boards: Sequence[Finished], **words: object) -> None:
        """The page of a game or a player, its feed, and the list of all games if they do not fit there."""
        self._feed(base, heading, boards, boards[-1].ended_at)
        # A list of its own only if they do not all fit on the page.
        lists = list(batched(boards, PER_PAGE)) if len(boards) > LATEST else []
        latest = boards[: -LATEST - 1 : -1]
        words |= {"lists": len(lists), "base": base, "feed": f"{base}.atom"}
        self._page(f"{base}.html", template, heading, boards=latest, number=0, **words)
        for number, some in enumerate(lists, 1):
            told = f"{heading}: games, page {number} of {len(lists)}"
            self._page(f"{base}/{number}.html", "list", told, boards=some, number=number, **words)

    def _print_boards(self) -> None:
        # Replaying and drawing all records takes long; what is made of the same stays.
        stale = [each for each in self.collection.boards if not self.site.keeps(each.board, made_of(each, self.title))]
        for finished in self.watched(stale):
            with self.store.read() as tx:
                record = tx.archive.record(finished.board)
            try:
                self._print_board(finished, replayed(finished, record))
            # One record that was altered must not keep all others from being published.
            except (GameError, Rejected):
                self.skipped.append(finished.board)

    def _print_board(self, finished: Finished, game: Replay) -> None:
        heading = f"Board {finished.board}: {GAMES[finished.game].info.title}"
        ends = ("", *(f"-{number}" for number in range(2, len(game.parts) + 1)))
        paths = tuple(f"board/{finished.board}{end}.html" for end in ends)
        parts = [
            (part.steps[0].ply, part.steps[-1].ply, Path(path).name)
            for part, path in zip(game.parts, paths, strict=True)
        ]
        words = {"finished": finished, "sides": game.sides, "parts": parts}
        for number, (path, part) in enumerate(zip(paths, game.parts, strict=True)):
            svg = Markup(part.svg)  # noqa: S704  all text in it is escaped
            self._page(path, "board", heading, number=number, steps=part.steps, svg=svg, **words)
        self.site.note(finished.board, made_of(finished, self.title), paths)


def nearby(number: int, count: int) -> list[int]:
    """The pages that a page links to, out of `count`. number: its own number, 0 for a page before them."""
    return sorted({1, count, *range(max(1, number - NEAR), min(count, number + NEAR) + 1)})


def slug(player: Player) -> str:
    """The name of a player's files, unique because no two userids differ only in case."""
    # With a dot, bob's page would be the folder of a player called bob.html, and a web server takes what stands between
    # dots for the kind of the file.
    return player.userid.casefold().replace(".", "~")


def made_of(finished: Finished, title: str) -> str:
    """A digest that changes when the pages of a board would."""
    return hashlib.blake2b(f"{_program()} {title} {finished!r}".encode(), digest_size=12).hexdigest()


@cache
def _program() -> str:
    """A digest of all that makes the pages of boards: rules, drawings, templates."""
    here = Path(__file__).parent
    modules = {Path(inspect.getfile(type(game))).parent for game in GAMES.values()}
    sources = [path for place in (here, here.parent / "draw", *modules) for path in place.rglob("*.py")]
    sources += (folder("templates") / "site").iterdir()
    digest = hashlib.blake2b(digest_size=12)
    for path in sorted(sources):
        digest.update(path.read_bytes())
    return digest.hexdigest()
