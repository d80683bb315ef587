"""Verbs of those who look on."""

from __future__ import annotations

from dataclasses import replace

from games import GAMES
from pbm.compose import Answer
from pbm.compose.pages import wrapped
from pbm.domain.commands import Command
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.match import Player
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.verbs.registry import done, handles
from pbm.store.choices import GameChoice

ALL = "all"


@handles("subscribe")
def subscribe(handling: Handling, command: Command) -> Answer | None:
    player = handling.who(command)
    told = []
    for wish in _wishes(handling, command):
        if isinstance(wish, Table):
            _check_looks_on(wish, player)
            if handling.tx.follows.wish(player.id, wish.match.board) is False:
                raise NotAllowed(f"You follow board {wish.match.board} already.")
            handling.tx.follows.follow(player.id, wish.match.board, ends_only=False)
            told.append(f"You follow board {wish.match.board}: its mails come to you from now on.")
        else:
            _choose(handling, player, wish, replace(_choice(handling, player, wish), follows=True))
            told.append(f"You follow all games of {GAMES[wish].info.title}, those to come as well.")
    return done(command, wrapped("\n".join(told)))


@handles("unsubscribe")
def unsubscribe(handling: Handling, command: Command) -> Answer | None:
    player = handling.who(command)
    told = []
    for wish in _wishes(handling, command):
        if isinstance(wish, Table):
            if not handling.tx.follows.unfollow(player.id, wish.match.board):
                raise NotFound(_why_not_followed(handling, player, wish))
            told.append(f"You do not follow board {wish.match.board} any more.")
        else:
            choice = _choice(handling, player, wish)
            if not choice.follows:
                raise NotFound(f"You do not follow all games of {GAMES[wish].info.title}.")
            _choose(handling, player, wish, replace(choice, follows=False))
            told.append(f"You do not follow all games of {GAMES[wish].info.title} any more.")
    return done(command, wrapped("\n".join(told)))


@handles("notify")
def notify(handling: Handling, command: Command) -> Answer | None:
    """Turns the news of ends on, and the next time off."""
    player = handling.who(command)
    told = []
    for wish in _wishes(handling, command):
        if isinstance(wish, Table):
            told.append(_toggle_board(handling, player, wish))
            continue
        choice = _choice(handling, player, wish)
        _choose(handling, player, wish, replace(choice, notify_ends=not choice.notify_ends))
        games = f"games of {GAMES[wish].info.title}"
        told.append(
            f"You hear of {games} no more." if choice.notify_ends else f"You hear of all {games} when they end."
        )
    return done(command, wrapped("\n".join(told)))


def _toggle_board(handling: Handling, player: Player, table: Table) -> str:
    _check_looks_on(table, player)
    board, follows = table.match.board, handling.tx.follows
    if follows.wish(player.id, board):
        follows.unfollow(player.id, board)
        return f"You do not hear of board {board} any more."
    follows.follow(player.id, board, ends_only=True)
    return f"You hear of board {board} when it ends, and not before."


def _wishes(handling: Handling, command: Command) -> list[Table | str]:
    """The boards, and the game for all of its boards. Raises: NotFound, BadArguments."""
    words = command.args.get("BOARD", "").split() or (
        [] if handling.sender.board is None else [str(handling.sender.board)]
    )
    found: list[Table | str] = []
    for word in dict.fromkeys(words or [ALL]):
        if word.isdecimal():
            found.append(handling.table(int(word), command.game))
        elif word.casefold() == ALL and command.game is not None:
            found.append(command.game)
        else:
            raise BadArguments(f'"{word}" is not the number of a board, nor is it "all".', command.verb.line)
    return found


def _check_looks_on(table: Table, player: Player) -> None:
    """Raises: NotAllowed."""
    if table.match.seat_of(player.id) is not None:
        raise NotAllowed(f"You play on board {table.match.board} yourself: its mails come to you anyway.")


def _why_not_followed(handling: Handling, player: Player, table: Table) -> str:
    title = table.state.game.info.title
    if table.match.seat_of(player.id) is not None:
        return f"You play on board {table.match.board}, so its mails come to you until it ends; resigning ends it."
    if _choice(handling, player, table.match.game).follows:
        return f'You follow all games of {title}, and so board {table.match.board}: "unsubscribe all" ends that.'
    return f"You do not follow board {table.match.board}."


def _choice(handling: Handling, player: Player, game: str) -> GameChoice:
    return handling.tx.choices.of(game, (player.id,))[player.id]


def _choose(handling: Handling, player: Player, game: str, choice: GameChoice) -> None:
    handling.tx.choices.set(player.id, game, choice)
