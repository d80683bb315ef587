"""Onlookers: they follow boards, players, games and tournaments; many are told of a board some at a time."""

from __future__ import annotations

import re
from collections.abc import Callable

from games import GAMES
from pbm.compose.notices import Answer
from pbm.compose.views import wrapped
from pbm.core.board import OpenBoard
from pbm.core.notify import notice_of
from pbm.core.registry import handles
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.core.robots import robot_called
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.match import Player
from pbm.reading.commands import Command
from pbm.reading.verbs import LOOKING, Entry, Verb
from pbm.store.follows import ALL
from pbm.store.tournaments import Tournament

MAX_FOLLOWED = 50
"""Players whom one player may follow."""

_SEVERAL = "USERID PASSWORD BOARD|all..."
_BOARD = re.compile(r"\d{1,12}")

Wish = OpenBoard | Player | Tournament | str
"""What may be followed: a board, a player, a tournament, or a game, which means all of its boards."""


@handles(
    Verb("follow USERID PASSWORD [WHAT]", LOOKING, bare=True, wordy=True),
    Entry(100, "get the emails of a board, a player's boards, a game or a tournament; alone it lists what you follow"),
)
def follow(request: Request, command: Command) -> Answer | None:
    """Follow what one word names: the number of a board, which then comes, or a player, a tournament or a game."""
    player, word = request.author.who(command), command.args.get("WHAT")
    if word is None:
        return done(command, _listed(request, player), "pbm: what you follow")
    # Hundreds of boards at once would come.
    if robot := robot_called(request.tx, word):
        raise NotAllowed(f"{robot} is a program, which plays with everybody at once: follow a player or a board.")
    wish = _wish(request, word)
    if isinstance(wish, Player):
        return done(command, _follow_player(request, player, wish))
    if isinstance(wish, Tournament):
        if wish.stage.ended:
            raise NotAllowed(f"{wish.name} is over.", f"tournament standings {wish.name}")
        if not request.tx.tournaments.follow(player.id, wish.id):
            raise NotAllowed(f"You follow {wish.name} already.")
        return done(command, f"You follow {wish.name}: its pairings and standings come to you from now on.")
    told = _subscribe(request, player, wish)
    if isinstance(wish, str):
        return done(command, told)
    shown = "how it stands. You get its emails from now on."
    request.outgoing.notices.append(notice_of(wish, request.author.reader(), whole_record=True, shown=shown))
    return None


@handles(
    Verb("unfollow USERID PASSWORD [WHAT]", LOOKING, wordy=True),
    Entry(110, "stop following a board, a player, a game or a tournament; alone the board whose email you answer"),
)
def unfollow(request: Request, command: Command) -> Answer:
    player, word = request.author.who(command), command.args.get("WHAT")
    wish = _wish(request, word) if word is not None else request.boards.named(command)
    if isinstance(wish, Tournament):
        if not request.tx.tournaments.unfollow(player.id, wish.id):
            inside = any(each.id == wish.id for each in request.tx.tournaments.of_player(player.id))
            raise NotFound(f"You do not follow {wish.name}.", f"tournament leave {wish.name}" if inside else "follow")
        return done(command, f"You do not follow {wish.name} any more.")
    if not isinstance(wish, Player):
        return done(command, _unsubscribe(request, player, wish))
    if not request.tx.follows.unfollow_player(player.id, wish.id):
        raise NotFound(f"You do not follow {wish.userid}.")
    return done(command, f"You do not follow {wish.userid} any more.")


def _wish(request: Request, word: str) -> Wish:
    """Raises: NotFound."""
    if _BOARD.fullmatch(word):
        return request.boards.load(int(word))
    if word.casefold() in GAMES:
        return word.casefold()
    named: Player | Tournament | None = request.tx.players.find(word) or request.tx.tournaments.find(word)
    if named is None:
        problem = f'"{word}" is neither the number of a board nor a player, game or tournament here.'
        raise NotFound(problem, "follow 101")
    return named


def _follow_player(request: Request, player: Player, wanted: Player) -> str:
    """Raises: NotAllowed."""
    if wanted == player:
        raise NotAllowed("You get the emails of your own boards anyway.")
    if request.tx.blocks.is_blocked(player.id, by=wanted.id):
        raise NotAllowed(f"{wanted.userid} does not want to be followed by you.")
    followed = request.tx.follows.players(player.id)
    if wanted in followed:
        raise NotAllowed(f"You follow {wanted.userid} already.")
    # Each of their boards costs a mail at each move.
    if len(followed) >= MAX_FOLLOWED:
        raise NotAllowed(
            f"You follow {MAX_FOLLOWED} players, as many as anybody may.", f"unfollow {followed[0].userid}"
        )
    request.tx.follows.follow_player(player.id, wanted.id)
    return f"You follow {wanted.userid}: you get the emails of all their boards from now on."


def _listed(request: Request, player: Player) -> str:
    # Boards, players, tournaments and games are followed in four places, and the first and the last in two ways.
    follows, choices = request.tx.follows, {game: request.tx.choices.of_one(game, player.id) for game in GAMES}
    followed = {
        "players": [each.userid for each in follows.players(player.id)],
        "tournaments": [tournament.name for tournament in request.tx.tournaments.followed(player.id)],
        "games": [game for game, choice in choices.items() if choice.follows],
        "boards": [*map(str, follows.boards(player.id, ends_only=False))],
        "boards, only their ends": [*map(str, follows.boards(player.id, ends_only=True))],
        "games, only their ends": [game for game, choice in choices.items() if choice.notify_ends],
    }
    lines = [f"  {kind}: {', '.join(words)}" for kind, words in followed.items() if words]
    if not lines:
        return 'You follow nothing. "follow 101" follows a board, "follow alice" a player, "follow cross" a game.'
    return wrapped("\n".join(["You follow", *lines, "", '"unfollow" and a word ends it.']))


@handles(
    Verb("GAME subscribe BOARD|all USERID PASSWORD", LOOKING, shortest=3, other_usage=_SEVERAL),
    Entry(120, "follow a board, or all boards of a game: you get every email of it, too"),
)
def subscribe(request: Request, command: Command) -> Answer:
    return _for_each(request, command, _subscribe)


def _for_each(request: Request, command: Command, change: Callable[[Request, Player, OpenBoard | str], str]) -> Answer:
    """Make the change for each board that the command names; its game stands for all boards of it.

    The answer has a line for each. Raises: NotFound, BadArguments.
    """
    player = request.author.who(command)
    words = command.args.get("BOARD", "").split()
    if not words and request.sender.board is not None:
        words = [str(request.sender.board)]
    wishes: list[OpenBoard | str] = []
    for word in dict.fromkeys(words or [ALL]):
        if _BOARD.fullmatch(word):
            wishes.append(request.boards.load(int(word), command.game))
        # "all" needs a game in front: of all games it would be all mails of the server.
        elif word.casefold() == ALL and command.game is not None:
            wishes.append(command.game)
        else:
            raise BadArguments(f'"{word}" is not the number of a board, nor is it "all".', command.verb.line)
    return done(command, wrapped("\n".join(change(request, player, wish) for wish in wishes)))


def _subscribe(request: Request, player: Player, wish: OpenBoard | str) -> str:
    """Raises: NotAllowed."""
    if isinstance(wish, str):
        request.tx.choices.change(player.id, wish, follows=True)
        return f"You follow all games of {GAMES[wish].info.title}, those to come as well."
    board = wish.match.board
    _check_looks_on(wish, player)
    if request.tx.follows.wish(player.id, board) is False:
        raise NotAllowed(f"You follow board {board} already.")
    request.tx.follows.follow(player.id, board, ends_only=False)
    return f"You follow board {board}: you get its emails from now on."


@handles(
    Verb("GAME unsubscribe BOARD|all USERID PASSWORD", LOOKING, shortest=5, other_usage=_SEVERAL),
    Entry(130, "stop following a board, or all boards of a game"),
)
def unsubscribe(request: Request, command: Command) -> Answer:
    return _for_each(request, command, _unsubscribe)


def _unsubscribe(request: Request, player: Player, wish: OpenBoard | str) -> str:
    """Raises: NotFound."""
    if isinstance(wish, str):
        if not request.tx.choices.of_one(wish, player.id).follows:
            raise NotFound(f"You do not follow all games of {GAMES[wish].info.title}.")
        request.tx.choices.change(player.id, wish, follows=False)
        return f"You do not follow all games of {GAMES[wish].info.title} any more."
    if not request.tx.follows.unfollow(player.id, wish.match.board):
        raise NotFound(_why_not_followed(request, player, wish))
    return f"You do not follow board {wish.match.board} any more."


@handles(
    Verb("GAME notify USERID PASSWORD [BOARD|all...]", LOOKING, other_usage="BOARD|all USERID PASSWORD"),
    Entry(140, "hear of a board, or of all boards of a game, only when they end; once more, and you do not"),
)
def notify(request: Request, command: Command) -> Answer:
    """Turn the news of ends on, or off if it is on."""
    return _for_each(request, command, _toggle)


def _toggle(request: Request, player: Player, wish: OpenBoard | str) -> str:
    """Raises: NotAllowed."""
    if isinstance(wish, str):
        ends, games = not request.tx.choices.of_one(wish, player.id).notify_ends, f"games of {GAMES[wish].info.title}"
        request.tx.choices.change(player.id, wish, notify_ends=ends)
        return f"You hear of all {games} when they end." if ends else f"You hear of {games} no more."
    _check_looks_on(wish, player)
    number, follows = wish.match.board, request.tx.follows
    if follows.wish(player.id, number):
        follows.unfollow(player.id, number)
        return f"You do not hear of board {number} any more."
    follows.follow(player.id, number, ends_only=True)
    return f"You hear of board {number} when it ends, and not before."


def _check_looks_on(board: OpenBoard, player: Player) -> None:
    """Raises: NotAllowed if the player plays on the board."""
    if board.match.seat_of(player.id) is not None:
        raise NotAllowed(f"You play on board {board.match.board} yourself: you get its emails anyway.")


def _why_not_followed(request: Request, player: Player, board: OpenBoard) -> str:
    title = board.state.game.info.title
    if board.match.seat_of(player.id) is not None:
        number = board.match.board
        return (
            f'You play on board {number}, so its emails come until it ends; resigning ends it. See "help mails", too.'
        )
    if request.tx.choices.of_one(board.match.game, player.id).follows:
        return f'You follow all games of {title}, and so board {board.match.board}: "unsubscribe all" ends that.'
    followed = next((each for each in request.tx.follows.players(player.id) if each in board.match.players), None)
    if followed is not None:
        return (
            f'You follow {followed.userid}, and so board {board.match.board}: "unfollow {followed.userid}" ends that.'
        )
    return f"You do not follow board {board.match.board}."
