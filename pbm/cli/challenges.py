"""`pbm challenge`: games are started here; a challenge that is accepted or needs no answer is a board at once."""

from __future__ import annotations

import re
from typing import Any, TextIO

import click

from pbm.cli.boards import GAME_WORDS, game_option, player_option
from pbm.cli.frame import NUMBER, Group, Invocation, pass_invocation
from pbm.cli.output import json_option, print_fields, print_rows
from pbm.domain.match import Match
from pbm.store.matches import Summary


@click.group(cls=Group)
def challenge() -> None:
    """Start games between players, look at what was started, cancel it."""


@challenge.command(context_settings=GAME_WORDS)
@click.argument(
    "words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="GAME USERID1 USERID2 [-NAME=VALUE]..."
)
@click.option("--body", type=click.File(), help="A board you drew, for games that take one; - is standard input.")
@json_option
@pass_invocation
def create(invocation: Invocation, words: tuple[str, ...], body: TextIO | None, as_json: bool) -> None:
    """Start a game.

    The first userid moves first, and both players get the board by mail. Options of the game, such as -size=4,
    may stand anywhere.
    """
    options = [word for word in words if re.match(r"--?[a-zA-Z]", word)]
    plain = [word for word in words if word not in options]
    if len(plain) != 3:
        raise click.UsageError(f"Write a game and two userids, not {len(plain)} words: cross -size=4 alice bob.")
    game, first, second = plain
    with invocation.administration() as admin:
        match = admin.start_match(game.casefold(), (first, second), options, body.read() if body else "")
    if as_json:
        print_fields(_row(match), as_json=True)
    else:
        click.echo(f"Board {match.board} has started: {match.game}, {match.player(1).userid} moves first.")


@challenge.command("list")
@game_option
@player_option
@json_option
@pass_invocation
def list_challenges(invocation: Invocation, game: str | None, userid: str | None, as_json: bool) -> None:
    """Games under way, with what they were started with."""
    with invocation.administration() as admin:
        boards = admin.boards(game=game, userid=userid, active=True)
    print_rows([_row(each) for each in boards], as_json=as_json, nothing="There are no games under way.")


@challenge.command("show")
@click.argument("board", type=NUMBER)
@json_option
@pass_invocation
def show_challenge(invocation: Invocation, board: int, as_json: bool) -> None:
    """What a board was started with.

    That is the game, the version of its rules, options, players and a board that the challenger drew.
    """
    with invocation.administration() as admin:
        match, _ = admin.board(board)
    row = _row(match) | {"rules_version": match.version, "over": match.result is not None, "body": match.body}
    print_fields(row, as_json=as_json)


@challenge.command()
@click.argument("board", type=NUMBER)
@pass_invocation
def cancel(invocation: Invocation, board: int) -> None:
    """End a game so that it counts for nobody.

    Both players are told.
    """
    with invocation.administration() as admin:
        admin.cancel(board)
    click.echo(f"Board {board} is cancelled; it counts for nobody.")


def _row(match: Match | Summary) -> dict[str, Any]:
    first, second = match.players
    return {
        "board": match.board,
        "game": match.game,
        "options": " ".join(match.options),
        "player1": first.userid,
        "player2": second.userid,
        "started_at": match.started_at,
    }
