"""`pbm board`: games under way and over, as pages, too, and games that the operator starts.

A challenge that is accepted or needs no answer is a board at once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from pbm.cli.frame import GAME_WORDS, NUMBER, GameName, Group, Invocation, Number, irrevocable, lists, shows
from pbm.cli.halts import clock
from pbm.cli.output import (
    FOLDER,
    TEXT,
    Refused,
    content_of,
    counted,
    json_option,
    print_json,
    replayed,
    say,
    watched,
)
from pbm.domain.errors import NotAllowed

if TYPE_CHECKING:  # help pages need none of these
    from pbm.cli import schemas
    from pbm.domain.match import Match, Result, State
    from pbm.server.arbiter import Arbiter
    from pbm.server.organizer import Organizer
    from pbm.store import Transaction
    from pbm.store.matches import Summary


game_option = click.option("--game", type=GameName(), help="Of this game only.")
player_option = click.option("--player", "userid", help="Of this player only.")


def parted(words: Sequence[str], what: str, example: str) -> tuple[list[str], list[str]]:
    """The three words that a command takes, and options such as -size=4, which may stand anywhere among them.

    what: a name for the three. Raises: UsageError for fewer or more words.
    """
    # Not a dash and a digit, which a move may begin with.
    options = [word for word in words if re.match(r"--?[a-zA-Z]", word)]
    plain = [word for word in words if word not in options]
    if len(plain) != 3:
        raise click.UsageError(f"Write {what}, not {len(plain)} words: {example}.")
    return plain, options


def _board_and_ply(_: click.Context, __: click.Parameter, value: str) -> tuple[int, int | None]:
    match = re.fullmatch(r"(\d{1,12})(?:#(-?\d{1,6}))?", value)
    if match is None:
        raise click.BadParameter(f'"{value}" is not a board: write for instance 101, or 101#7 for its ply 7.')
    return int(match[1]), int(match[2]) if match[2] else None


@click.group(cls=Group)
def board() -> None:
    """Games under way and over: start, list, draw, move, verify, end, publish."""


board.add_command(clock)


@board.command("list")
@game_option
@player_option
@click.option("--active/--ended", default=None, help="Only games under way, or only those that are over.")
@click.option("--limit", type=NUMBER, default=1000, show_default=True, help="At most so many, the oldest first.")
@lists("There are no such boards.")
def list_(
    tx: Transaction, game: str | None, userid: str | None, active: bool | None, limit: int
) -> list[schemas.Listed]:
    """Boards, the oldest first."""
    return [
        {
            **_named(summary),
            "plies": summary.plies,
            "to_move": summary.to_move.userid if summary.to_move else None,
            "moved_at": summary.moved_at,
            **_result_row(summary, summary.result),
        }
        for summary in _boards(tx, game, userid, active, limit)
    ]


def _boards(
    tx: Transaction, game: str | None, userid: str | None, active: bool | None, limit: int = 1000
) -> list[Summary]:
    from pbm.server.rows import player_named

    ids = (player_named(tx, userid).id,) if userid else ()
    return tx.matches.summaries(game=game, player_ids=ids, active=active, limit=limit)


def _print_board(match: Match, state: State, as_json: bool) -> None:
    """The board with its drawing and its moves."""
    from pbm import draw
    from pbm.compose.scoresheet import move_list

    drawing = draw.text(state.game.scene(state.position, state.last))
    if as_json:
        over = match.result is not None or state.outcome is not None
        row: schemas.DrawnPrinted = {
            **_named(match),
            "ply": state.plies,
            "to_move": None if over else match.player(state.to_move).userid,
            "started_at": match.started_at,
            "moved_at": match.moved_at,
            "record": [*match.record.notations],
            **_result_row(match, match.result),
            "reason": match.result.reason if match.result else None,
            "drawing": drawing,
        }
        print_json(row)
        return
    names = [f"{match.player(seat).userid} ({state.side_name(seat)})" for seat in (1, 2)]
    click.echo(f"Board {match.board}: {' '.join((match.game, *match.options))}, {' - '.join(names)}")
    click.echo(f"{_standing(match, state)}\n\n{drawing}")
    for line in move_list(match, state, whole=True):
        click.echo(line)


@board.command()
@click.argument("which", callback=_board_and_ply, metavar="BOARD[#PLY]")
@json_option
def show(invocation: Invocation, which: tuple[int, int | None], as_json: bool) -> None:
    """Draw a board as it is now, or as it was after a ply.

    Negative plies count from the end.
    """
    from pbm.server.rows import board_numbered

    number, ply = which
    with invocation.store() as store, store.read() as tx:
        opened = board_numbered(tx, number)
        state = opened.state if ply is None else opened.at(ply)
    _print_board(opened.match, state, as_json)


@board.command(context_settings=GAME_WORDS)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="MOVE...")
@json_option
def move(hand: Arbiter, board: int, userid: str, words: tuple[str, ...], as_json: bool) -> None:
    """Play for a player, as if they had sent the move.

    Both players get an email.
    """
    _print_board(*hand.move(board, userid, " ".join(words)), as_json)


@board.command()
@click.argument("number", type=NUMBER, required=False, metavar="[BOARD]")
@json_option
def verify(invocation: Invocation, number: int | None, as_json: bool) -> None:
    """Replay the record of one board, or of all.

    The result is compared with the database; the exit code is 1 if any board differs.
    """
    with invocation.store() as store:
        verdicts = replayed(store, [number] if number is not None else None)
    wrong = [verdict for verdict in verdicts if verdict.problem]
    if as_json:
        print_json({"verified": len(verdicts), "problems": [asdict(verdict) for verdict in wrong]})
    else:
        for verdict in wrong:
            click.echo(f"Board {verdict.board} ({verdict.game}, {verdict.plies} plies): {verdict.problem}.")
        differ = f"{len(wrong) or 'none'} differ{'' if len(wrong) != 1 else 's'}"
        click.echo(f"{counted(len(verdicts), 'board')} replayed, {differ}.")
    sys.exit(1 if wrong else 0)


@board.command()
@click.option("--result", "word", required=True, metavar="USERID|draw", help="Who wins, or that nobody does.")
def end(hand: Arbiter, board: int, word: str) -> str:
    """End a game with a result that you choose.

    Both players get an email. For a game that shall count for nobody there is pbm board void.
    """
    match = hand.end(board, _decided(hand.board(board), word))
    return f"Board {board}: {_outcome(match)}."


@board.command()
@irrevocable("Make board {board} count for nobody?")
def void(hand: Arbiter, board: int) -> str:
    """Make a game void, under way or over.

    Ratings become as if it had not ended. Both players get an email.
    """
    hand.void(board)
    return f"Board {board} counts for nobody."


@board.command()
def reopen(hand: Arbiter, board: int) -> str:
    """Reopen a game that was over, or undo a loss on time.

    Ratings become as if it had not ended. Each player has the time that was left after their last move. If the game is
    over by its rules, take plies back instead. Both players get an email.
    """
    return _goes_on(hand.reopen(board))


@board.command("take-back")
@click.option("--to", "ply", type=Number(0), required=True, metavar="PLY", help="The last ply that stays.")
@irrevocable("Take back all plies of board {board} after ply {ply}?")
def take_back(hand: Arbiter, board: int, ply: int) -> str:
    """Take back all plies after one, of a game under way or over.

    The end of the game and its ratings are taken back with them. Both players get an email.
    """
    return _goes_on(hand.reopen(board, ply))


@board.command()
@click.argument("target", metavar="FOLDER", type=FOLDER)
@click.option("--title", help="What the site is called. [default: Games by mail at the server's domain]")
def publish(invocation: Invocation, target: Path, title: str | None) -> None:
    """Write finished games to FOLDER as a static site.

    Any web server can serve it. Only changed pages are written, and only when all of them are ready; run it as often as
    you like, whether the server runs or not. Players are named only by their userids. Players who said "set archive
    off" or were erased are not named at all, and their games are left out.
    """
    from pbm.archive.press import publish as published
    from pbm.archive.site import FolderTaken

    with invocation.club() as club:
        domain = club.tools.composer.robot.domain
        name = title or f"Games by mail at {domain}"
        try:
            done = published(club.store, target, name, domain, watched=partial(watched, "Publishing"))
        except FolderTaken as taken:
            raise Refused(str(taken)) from None
    say(f"{target}: {done.pages:,} files, {done.written:,} written, {done.removed:,} removed.")
    for number in done.skipped:
        click.echo(f"Board {number} is left out, for its record cannot be replayed: see pbm board verify.", err=True)


def _goes_on(match: Match) -> str:
    assert match.clock is not None  # noqa: S101  it goes on
    to_move = match.player(match.clock.seat).userid
    return f"Board {match.board} goes on after ply {len(match.record)}: {to_move} is to move."


def _named(board: Match | Summary) -> schemas.Named:
    first, second = board.players
    return {
        "board": board.board,
        "game": board.game,
        "options": " ".join(board.options),
        "player1": first.userid,
        "player2": second.userid,
    }


def _result_row(board: Match | Summary, result: Result | None) -> schemas.EndedPrinted:
    winner = board.players[result.winner - 1].userid if result is not None and result.winner else None
    return {"result": result and result.ending, "winner": winner}


def _standing(match: Match, state: State) -> str:
    if state.plies < len(match.record):
        return f"After ply {state.plies} of {len(match.record)}."
    if match.result is not None:
        return f"Over after {len(match.record)} plies: {_outcome(match)}."
    return f"{match.player(state.to_move).userid} ({state.side_name(state.to_move)}) is to make ply {state.plies + 1}."


def _outcome(match: Match) -> str:
    """How a match ended, as a clause."""
    from pbm.domain.match import Ending

    result = match.result
    if result is None:
        return "under way"
    if result.winner is not None:
        word = f"{match.player(result.winner).userid} won"
    else:
        word = "void" if result.ending is Ending.VOID else "drawn"
    return f"{word} {result.reason}".rstrip()


def _decided(match: Match, word: str) -> Result:
    """The operator's result. Raises: NotAllowed if the word names no player of the board."""
    from pbm.domain.match import Ending, Result

    first, second = (player.userid for player in match.players)
    seats = {"draw": None, first.casefold(): 1, second.casefold(): 2}
    if word.casefold() not in seats:
        raise NotAllowed(f'"{word}" is no result of board {match.board}: write {first} or {second}, or draw.')
    return Result(Ending.DECIDED, seats[word.casefold()], "by decision of the operator")


@board.group()
def challenge() -> None:
    """Start games between players, look at what was started."""


@challenge.command(context_settings=GAME_WORDS)
@click.argument(
    "words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="GAME USERID1 USERID2 [-NAME=VALUE]..."
)
@click.option("--body", type=TEXT, help="A board you drew, for games that take one; - is standard input.")
@json_option
def create(organizer: Organizer, words: tuple[str, ...], body: TextIO | None, as_json: bool) -> None:
    """Start a game.

    The first userid moves first, and both players get the board by mail. Options of the game, such as -size=4,
    may stand anywhere.
    """
    (game, first, second), options = parted(words, "a game and two userids", "cross -size=4 alice bob")
    match = organizer.start_match(game.casefold(), (first, second), options, content_of(body) if body else "")
    if as_json:
        print_json(_row(match))
    else:
        say(f"Board {match.board} has started: {match.game}, {match.player(1).userid} moves first.")


@challenge.command("list")
@game_option
@player_option
@lists("There are no games under way.")
def list_challenges(tx: Transaction, game: str | None, userid: str | None) -> list[schemas.Started]:
    """Games under way, with what they were started with."""
    return [_row(summary) for summary in _boards(tx, game, userid, active=True)]


@challenge.command("show")
@shows
def show_challenge(tx: Transaction, board: int) -> schemas.Challenge:
    """The command that a board was started with.

    It shows the game, the version of its rules, the options, the players, and the board if the challenger drew one.
    """
    from pbm.server.rows import board_numbered

    match = board_numbered(tx, board).match
    return {**_row(match), "rules_version": match.version, "over": match.result is not None, "body": match.body}


challenge.add_command(void, "cancel")


def _row(match: Match | Summary) -> schemas.Started:
    return {**_named(match), "started_at": match.started_at}
