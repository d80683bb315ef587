"""`pbm tournament`: round robins, Swiss tournaments, leagues and ladders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

import click

from pbm.cli.boards import GAME_WORDS, game_option, parted
from pbm.cli.frame import Group, irrevocable, pass_organizer
from pbm.cli.output import TEXT, content_of, json_option, print_fields, print_rows, say

if TYPE_CHECKING:  # help pages need none of these
    from pbm.server.arbiter import Organizer, TournamentView
    from pbm.store.tournaments import Tournament


@click.group(cls=Group)
def tournament() -> None:
    """Round robins, Swiss tournaments, leagues and ladders."""


@tournament.command(context_settings=GAME_WORDS)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="NAME KIND GAME [-NAME=VALUE]...")
@click.option("--body", type=TEXT, help="A board you drew, for games that take one; - is standard input.")
@json_option
@pass_organizer
def create(organizer: Organizer, words: tuple[str, ...], body: TextIO | None, as_json: bool) -> None:
    """Make a tournament that players may join by mail.

    KIND is round-robin, swiss, knockout, ladder or league. Options of the tournament and of its game, such as
    -players=4..16, -start=2027-01-31 or -size=4, may stand anywhere; the page `help tournament create`, sent by email,
    lists them all.
    """
    (name, kind, game), options = parted(words, "a name, a kind and a game", "cup swiss cross -rounds=5")
    made = organizer.create(name, kind, game, options, content_of(body) if body else "")
    if as_json:
        print_fields(_row(made, 0), as_json=True)
    else:
        say(f"{made.name} is open; it starts at the latest on {made.terms.starts_at:%Y-%m-%d %H:%M} UTC.")


@tournament.command("list")
@game_option
@click.option("--ended", is_flag=True, help="Those that are over, in place of those that are not.")
@json_option
@pass_organizer
def list_(organizer: Organizer, game: str | None, ended: bool, as_json: bool) -> None:
    """Tournaments that are open or go on."""
    rows = [_row(each, players) for each, players in organizer.all(game, ended=ended)]
    print_rows(rows, as_json=as_json, nothing="There are no tournaments.")


@tournament.command()
@click.argument("name")
@json_option
@pass_organizer
def show(organizer: Organizer, name: str, as_json: bool) -> None:
    """A tournament: its terms, players, standings, and pairings."""
    overview = organizer.show(name)
    made = overview.tournament
    players = [each.player.userid for each in overview.entrants if each.left_at is None]
    row = _row(made, len(players)) | {"options": " ".join(made.options), "userids": players}
    if as_json:
        print_fields(row | {"standings": _standings(overview), "pairings": _pairings(overview)}, as_json=True)
        return
    print_fields(row, as_json=False)
    for rows in (_standings(overview), _pairings(overview)):
        if rows:
            click.echo()
            print_rows(rows, as_json=False, nothing="")


@tournament.command()
@click.argument("name")
@pass_organizer
def start(organizer: Organizer, name: str) -> None:
    """Start a tournament now, with those who have joined.

    Or start the next season of a league. A running server on the same database does so at once.
    """
    started = organizer.start(name)
    say(f"{started.name} starts as soon as the server attends to it.")


@tournament.command()
@click.argument("name")
@irrevocable("End the tournament {name} early?")
@pass_organizer
def cancel(organizer: Organizer, name: str) -> None:
    """End a tournament early.

    Its boards continue outside of it; its players are told.
    """
    ended = organizer.cancel(name)
    say(f"{ended.name} is cancelled; its players are told.")


def _row(made: Tournament, players: int) -> dict[str, Any]:
    return {
        "name": made.name,
        "kind": made.terms.kind.value,
        "game": made.game,
        "creator": made.creator.userid if made.creator else None,
        "state": made.stage.value,
        "season": made.season,
        "round": made.round,
        "players": players,
        "due_at": made.due_at,
    }


def _standings(overview: TournamentView) -> list[dict[str, Any]]:
    return [
        {
            "division": table.number or None,
            "rank": row.rank,
            "userid": row.userid,
            "points": row.points,
            "won": row.won,
            "drawn": row.drawn,
            "lost": row.lost,
            **{name.casefold(): value for name, value in zip(table.tie_breaks, row.tie_breaks, strict=True)},
        }
        for table in overview.standings
        for row in table.rows
    ]


def _pairings(overview: TournamentView) -> list[dict[str, Any]]:
    return [
        {
            "round": meeting.round,
            "division": meeting.division,
            "board": meeting.board,
            "first": meeting.first.userid,
            "second": meeting.second.userid if meeting.second else None,
            "result": meeting.points and "-".join(f"{points / 2:g}" for points in meeting.points),
        }
        for meeting in overview.meetings
    ]
