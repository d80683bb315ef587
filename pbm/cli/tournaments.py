"""`pbm tournament`: round robins, Swiss tournaments, leagues and ladders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

import click

from pbm.cli.boards import game_option, parted
from pbm.cli.frame import GAME_WORDS, Group, irrevocable, lists, reads
from pbm.cli.output import TEXT, Row, content_of, json_option, print_fields, print_json, print_rows, row_of, say

if TYPE_CHECKING:  # help pages need none of these
    from pbm.features.tournament.crosstables import EntrantRow, Standings
    from pbm.server.organizer import Organizer
    from pbm.store import Transaction
    from pbm.store.tournaments import Meeting, Tournament


@click.group(cls=Group)
def tournament() -> None:
    """Round robins, Swiss tournaments, leagues and ladders: make, list, show, start, cancel them."""


@tournament.command(context_settings=GAME_WORDS)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="NAME KIND GAME [-NAME=VALUE]...")
@click.option("--body", type=TEXT, help="A board you drew, for games that take one; - is standard input.")
@json_option
def create(organizer: Organizer, words: tuple[str, ...], body: TextIO | None, as_json: bool) -> None:
    """Make a tournament that players may join by mail.

    KIND is round-robin, swiss, knockout, ladder or league. Options of the tournament and of its game, such as
    -players=4..16, -start=2027-01-31 or -size=4, may stand anywhere; the page `help tournament create`, sent by email,
    lists them all.
    """
    (name, kind, game), options = parted(words, "a name, a kind and a game", "cup swiss cross -rounds=5")
    made = organizer.create(name, kind, game, options, content_of(body) if body else "")
    if as_json:
        print_json(_row(made, 0))
    else:
        say(f"{made.name} is open; it starts at the latest on {made.terms.starts_at:%Y-%m-%d %H:%M} UTC.")


@tournament.command("list")
@game_option
@click.option("--ended", is_flag=True, help="Those that are over, in place of those that are not.")
@lists("There are no tournaments.")
def list_(tx: Transaction, game: str | None, ended: bool) -> list[Row]:
    """Tournaments that are open or go on."""
    shown = tx.tournaments.with_sizes(tx.tournaments.listed(game, ended=ended))
    return [_row(made, players) for made, players in shown]


def _print_tournament(row: dict[str, Any]) -> None:
    tables = row.pop("standings"), row.pop("pairings")
    print_fields(row)
    for rows in filter(None, tables):
        click.echo()
        print_rows(rows, nothing="")


@tournament.command()
@reads(_print_tournament)
def show(tx: Transaction, name: str) -> dict[str, Any]:
    """A tournament: its terms, players, standings, and pairings."""
    from pbm.features.tournament.crosstables import standings_of
    from pbm.server.rows import tournament_named

    made = tournament_named(tx, name)
    players = [entrant.player.userid for entrant in tx.tournaments.entrants(made.id) if entrant.left_at is None]
    return {
        **_row(made, len(players)),
        "options": " ".join(made.options),
        "userids": players,
        "standings": [_standing(table, row) for table in standings_of(tx, made) for row in table.rows],
        "pairings": [_pairing(meeting) for meeting in tx.tournaments.meetings(made.id, made.season)],
    }


@tournament.command()
def start(organizer: Organizer, name: str) -> str:
    """Start a tournament now, with those who have joined.

    Or start the next season of a league. A running server on the same database does so at once.
    """
    return f"{organizer.start(name).name} starts as soon as the server attends to it."


@tournament.command()
@irrevocable("End the tournament {name} early?")
def cancel(organizer: Organizer, name: str) -> str:
    """End a tournament early.

    Its boards continue outside of it; its players are told.
    """
    return f"{organizer.cancel(name).name} is cancelled; its players are told."


def _row(made: Tournament, players: int) -> dict[str, Any]:
    creator = made.creator.userid if made.creator else None
    return {
        **row_of(made, "name terms.kind game"),
        "creator": creator,
        "state": made.stage,
        **row_of(made, "season round"),
        "players": players,
        "due_at": made.due_at,
    }


def _standing(table: Standings, row: EntrantRow) -> Row:
    tie_breaks = zip(map(str.casefold, table.tie_breaks), row.tie_breaks, strict=True)
    return {
        "division": table.number or None,
        **row_of(row, "rank userid points won drawn lost"),
        **dict(tie_breaks),
    }


def _pairing(meeting: Meeting) -> Row:
    return {
        **row_of(meeting, "round division board"),
        "first": meeting.first.userid,
        "second": meeting.second.userid if meeting.second else None,
        "result": meeting.points and "-".join(f"{points / 2:g}" for points in meeting.points),
    }
