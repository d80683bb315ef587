"""Verbs that show the standings of a game, its finished games, and what anybody may know of a player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import NamedTuple

from games import GAMES
from pbm.compose.notices import Answer, Chart
from pbm.core.registry import handles
from pbm.core.reply import MOST_LISTED, done, is_full, parted
from pbm.core.request import Request
from pbm.core.robots import robot_called
from pbm.core.start import seeks_shown
from pbm.domain.calendars import StopKind
from pbm.domain.match import Player
from pbm.domain.ratings import Pace
from pbm.draw.plots import Bar
from pbm.reading.commands import Command
from pbm.reading.verbs import LOOKING, Entry, Locks, Verb
from pbm.store.ratings import Tally

MAX_RANKED = 150
"""Players in the standings; lower ones are left out."""
MAX_DRAWN = 40
"""Players in the picture of the ratings."""
INACTIVE_AFTER = timedelta(days=180)
"""A player with no game under way and no rated end for so long is listed below the others."""
ESTABLISHED, PROVISIONAL, INACTIVE = "Established", "Provisional", "Inactive"
ALL = "All by rating, each with two deviations to either side"


class PlayerRow(NamedTuple):
    userid: str
    tally: Tally
    section: str
    standing: tuple[object, ...]
    """Their row in the table of their section; only established players have a rank."""
    reliability: tuple[object, ...]
    """Their row in the table of all players."""


@handles(
    Verb("GAME standings [PLAYER...]", LOOKING, Locks.NOTHING, wordy=True, aliases=("ratings",)),
    Entry(150, "the ratings of a game, and who looks for opponents; or those of players, without GAME in all games"),
)
def standings(request: Request, command: Command) -> Answer:
    """Established players by rank, then provisional ones, then inactive ones; then all, with their reliability.

    Reliability has no effect on ratings.
    """
    players = _players_named(request, command.args.get("PLAYER", "").split())
    if command.game is None:
        text = "\n\n".join(_of_player(request, player) for player in players)
        return done(command, text, f"pbm: standings of {_names(players)}"[:78])
    game, title = command.game, GAMES[command.game].info.title
    rows = _rows(request, game)
    named = [player.userid for player in players]
    # Ranks are those among all, so they are worked out before.
    if named:
        rows = [row for row in rows if row.userid in named]
    names = (ESTABLISHED, PROVISIONAL, INACTIVE)
    sections = {name: [row.standing for row in rows if row.section == name] for name in names}
    text = request.outgoing.page(
        "standings.txt",
        title=title,
        game=game,
        sections=sections,
        rows=[row.reliability for row in rows],
        heading=f"{ALL}:",
        players=named,
        more=len(rows) == MAX_RANKED,
        **seeks_shown(request, game),
        drawn=any(row.tally.drawn for row in rows),
    )
    return replace(done(command, text, f"pbm: {title} standings"), chart=_chart(title, rows))


def _rows(request: Request, game: str) -> list[PlayerRow]:
    """The rated players, the best first."""
    tx, ranks = request.tx, count(1)
    rated = [(player, tally.at(request.now)) for player, tally in tx.ratings.standings(game, MAX_RANKED)]
    ids = [player.id for player, _ in rated]
    choices, counts, paces = tx.choices.of(game, ids), tx.matches.active_counts(ids), tx.paces.of(game, ids)
    rows = []
    for player, tally in rated:
        active, pace, choice = counts[player.id].get(game, 0), paces[player.id], choices[player.id]
        most = "-" if choice.most_active is None else choice.most_active
        limit = most if choice.accepts else 0
        section, userid, rating = _section(tally, active, request.now), player.userid, tally.rating.shown
        rank = next(ranks) if section == ESTABLISHED else ""
        standing = rank, rating, tally.won, tally.lost, tally.drawn, active, limit, userid
        reach = round(2 * tally.rating.deviation)
        reliability = section[0], rating, reach, f"{pace.timeouts}/{pace.finished}", pace.shown, userid
        rows.append(PlayerRow(userid, tally, section, standing, reliability))
    return rows


def _chart(title: str, rows: Sequence[PlayerRow]) -> Chart | None:
    if not rows:
        return None
    ratings = [(row.userid, row.tally.rating) for row in rows[:MAX_DRAWN]]
    bars = tuple(Bar(userid, each.rating, 2 * each.deviation, not each.provisional) for userid, each in ratings)
    ranges = [
        f"{userid} {each.shown}, surely between {each.rating - 2 * each.deviation:.0f} and "
        f"{each.rating + 2 * each.deviation:.0f}{', provisional' if each.provisional else ''}"
        for userid, each in ratings
    ]
    return Chart(f"{ALL}:", bars, f"Ratings of {title}, the best first: {'; '.join(ranges)}.")


def _section(tally: Tally, active: int, now: datetime) -> str:
    # Whoever is playing is not gone, however long a game takes.
    if not active and tally.rated_at is not None and now - tally.rated_at > INACTIVE_AFTER:
        return INACTIVE
    return PROVISIONAL if tally.rating.provisional else ESTABLISHED


@handles(
    Verb("GAME history [PLAYER...]", LOOKING, Locks.NOTHING, wordy=True),
    Entry(180, "the games that have ended, the latest first; or those of players, without GAME of all games"),
)
def history(request: Request, command: Command) -> Answer:
    words, before = parted(command.args.get("PLAYER", "").split(), "before")
    players, game = _players_named(request, words), command.game
    boards = request.tx.matches.finished(game, tuple(player.id for player in players), MOST_LISTED, before)
    more = f"{game or 'all'} history {' '.join([*words, 'before'])} {boards[-1].board}" if is_full(boards) else ""
    text = request.outgoing.page(
        "history.txt",
        title=GAMES[game].info.title if game else "",
        boards=boards,
        names=_names(players),
        zone=request.author.reader().settings.zone,
        more=more.removeprefix("all "),
    )
    subject = f"pbm: history of {GAMES[game].info.title if game else 'all'} games"
    return done(command, text, f"{subject} of {_names(players)}"[:78] if players else subject)


def _players_named(request: Request, words: Sequence[str]) -> list[Player]:
    """The players that the words name, each once. Raises: NotFound, NotAllowed."""
    return list(dict.fromkeys(map(request.author.player_named, words)))


def _names(players: Sequence[Player]) -> str:
    return ", ".join(player.userid for player in players)


class GameRow(NamedTuple):
    """How a player stands in one game."""

    game: str
    tally: Tally | None
    """None if they have no rating in it."""
    pace: Pace
    active: int
    """Boards under way."""


@handles(
    Verb("about [PLAYER]", LOOKING, Locks.NOTHING, wordy=True),
    Entry(170, "what anybody may know of a player: ratings, how reliable and how fast they are, vacations"),
)
def about(request: Request, command: Command) -> Answer:
    word = command.args.get("PLAYER", "me")
    # Robots are not rated, and all about them stands on one page.
    if robot := robot_called(request.tx, word):
        return done(command, request.outgoing.page("robots.txt"), f"pbm: about {robot}")
    player = request.author.player_named(word)
    return done(command, _of_player(request, player), f"pbm: about {player.userid}")


def _of_player(request: Request, player: Player) -> str:
    """What anybody may know of a player: never their addresses or settings."""
    tx = request.tx
    tallies, paces = tx.ratings.of_player(player.id), tx.paces.of_player(player.id)
    ratings = {game: tally.at(request.now) for game, tally in tallies.items()}
    active = tx.matches.active_counts((player.id,))[player.id]
    rows = [
        GameRow(name, ratings.get(name), paces.get(name, Pace()), active.get(name, 0))
        for name in GAMES
        if name in ratings or name in paces or name in active
    ]
    return request.outgoing.page(
        "about.txt",
        player=player,
        since=tx.players.created_at(player.id),
        bot=bool(tx.players.bots((player.id,))),
        away=[each.stop for each in tx.absences.of(player.id, StopKind.VACATION, request.now)],
        now=request.now,
        rows=rows,
        zone=request.author.reader().settings.zone,
    )
