"""Seeks: players look for opponents, and others, or a robot, take them up on it."""

from __future__ import annotations

from datetime import timedelta

from games import GAMES, AnyGame
from games.rules import OptionError
from pbm.compose.notices import Answer, Outcome
from pbm.compose.views import lasting
from pbm.core.board import OpenBoard
from pbm.core.notify import Desk, readers_of, tell_players
from pbm.core.registry import REFUSALS, Occasion, by_player, handles, redeems, when_due
from pbm.core.reply import done, refuse
from pbm.core.request import Request
from pbm.core.robots import ANY, LEVEL_OF, robot_named
from pbm.core.start import (
    MatchTerms,
    check_willing,
    fits,
    read_terms,
    robot_wanted,
    seeks_shown,
    split_window,
    start_match,
    take_body,
)
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.events import MatchStarted
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.mailin import strip_subject
from pbm.reading.commands import Command
from pbm.reading.verbs import STARTING, Entry, Verb
from pbm.store.tickets import Seek, Ticket

UNTAKEN = "seek"
"""The kind of agenda items for seeks that a robot is to take."""

PATIENCE = timedelta(days=1)
"""How long people can take such a seek before a robot does; the time begins again after each game."""

ANNOUNCED = "seek"
"""The purpose of tickets of players who are told of a seek."""
SPREAD = "sought"
"""The kind of agenda items for seeks of which more players are to be told."""
AT_ONCE = 50
"""Followers of a game who are looked at in one transaction, so that others need not wait long."""
_ANNOUNCED_DAYS = 30
_ONESELF = "me"


@handles(
    Verb("GAME seek [OPTIONS] USERID PASSWORD [GAMES]", STARTING, bare=True),
    Entry(20, "look for opponents, for one game or more; 0 for no more; alone it lists who looks for one"),
)
def seek(request: Request, command: Command) -> Answer | None:
    """Open, withdraw or list seeks. A player has one open seek for each game; a new one replaces it."""
    if command.game is None:
        return _all_seeks(request, command)
    game = GAMES[command.game]
    # Alone it asks who looks for a game, and needs no proof.
    if not command.args and not command.options:
        return done(command, _seeks_of(request, game), f"pbm: {game.info.title} players wanted")
    player = request.author.who(command)
    wanted = _wanted(request, command, player)
    body = take_body(request, game)
    options = tuple(map(str.casefold, command.options))
    _terms(request, game, options, body)
    robot = robot_wanted(options)
    old = request.tx.seeks.own(player.id, game.info.name)
    # The same seek keeps its number, by which others take it.
    if old is not None and wanted and (old.options, old.body) == (options, body):
        request.tx.seeks.set_wanted(old.id, wanted)
        return done(command, f"Seek {old.id} now looks for {_games(wanted)} of {game.info.title}.")
    if old is not None:
        request.tx.seeks.set_wanted(old.id, 0)
    if not wanted:
        return done(command, f"You look for no more games of {game.info.title}.")
    fresh = request.tx.seeks.add(player, game.info.name, options, body, wanted, request.now)
    if _pair(request, fresh):
        return None
    # Whoever opens and withdraws seeks would write to all followers each time.
    if not request.tx.tickets.issued_since(ANNOUNCED, _announced(fresh), request.now - timedelta(days=1)):
        request.outgoing.letters += _announcements(request, fresh)
    text = (
        f"You look for {_games(wanted)} of {game.info.title}, as seek {fresh.id}. The player who takes it moves first. "
        f'"{game.info.name} seek 0" withdraws it.'
    )
    if robot:
        request.tx.agenda.put(UNTAKEN, fresh.id, request.now + PATIENCE)
        text += f" If nobody has taken it within {lasting(PATIENCE)}, {robot} does."
    return done(command, text)


def _all_seeks(request: Request, command: Command) -> Answer:
    """The open seeks of all games. Raises: BadArguments, because options are of one game."""
    if command.options:
        raise BadArguments("A seek is for one game, which stands in front:", f"hex seek {' '.join(command.options)}")
    sought = [game for game in GAMES.values() if request.tx.seeks.open(game.info.name, 1)]
    text = "\n".join(_seeks_of(request, game) for game in sought)
    nobody = 'Nobody is looking for opponents at the moment. "hex seek 1" tells others that you are, in any game.'
    return done(command, text or nobody, "pbm: players wanted")


def _seeks_of(request: Request, game: AnyGame) -> str:
    words = {"title": game.info.title, "game": game.info.name, **seeks_shown(request, game.info.name)}
    return request.outgoing.page("seeks.txt", **words)


def _wanted(request: Request, command: Command, player: Player) -> int:
    """How many games a seek is for; 0 withdraws it. Raises: BadArguments.

    A player who names themselves there, as in a challenge, wants one.
    """
    word, most = command.args.get("GAMES", "1"), request.tools.house.open_seek_games
    word = "1" if word.casefold() in (_ONESELF, player.userid.casefold()) else word
    if not (word.isascii() and word.isdecimal() and len(word) < 6 and int(word) <= most):
        # "hex seek robot" wants a robot to step in.
        if word.casefold() in (ANY, *LEVEL_OF):
            level = LEVEL_OF.get(word.casefold(), "")
            option = f"--robot={level}" if level else "--robot"
            raise BadArguments(
                "A robot that plays if nobody else does is an option:", f"{command.game} seek 1 {option}"
            )
        problem = f'"{word}" is not a number of games: take 1 to {most}, or 0 for no more.'
        raise BadArguments(problem, f"{command.game} seek 1")
    return int(word)


def _games(number: int) -> str:
    return "a game" if number == 1 else f"{number} games"


def _terms(request: Request, game: AnyGame, options: tuple[str, ...], body: str) -> MatchTerms:
    """The terms of the game that a seek is for. Raises: OptionError, BadArguments."""
    own, _ = split_window(options)
    try:
        return read_terms(game, own, body, request.tools.house.default_clock)
    except OptionError as error:
        also = " A seek also has --rating=LOWEST-HIGHEST and --robot." if "no option" in str(error) else ""
        raise OptionError(f"{error}{also}") from None


def _pair(request: Request, fresh: Seek) -> bool:
    """Start a game from the oldest seek that asks for the same as the fresh one; False if there is none."""
    game = GAMES[fresh.game]
    terms = _terms(request, game, fresh.options, fresh.body)
    asked = terms.words, terms.rated, terms.control
    for each in request.tx.seeks.open(fresh.game):
        if each.body != fresh.body or each.player == fresh.player:
            continue
        theirs = _terms(request, game, each.options, each.body)
        same = (theirs.words, theirs.rated, theirs.control) == asked
        if same and fits(request, each, fresh.player) and fits(request, fresh, each.player):
            try:
                with request.tx.savepoint():
                    _take(request, fresh.player, each.id)
            except NotAllowed:
                continue
            request.tx.seeks.set_wanted(fresh.id, fresh.wanted - 1)
            return True
    return False


def _announced(sought: Seek) -> str:
    """The subject of the tickets that tell of it."""
    return f"{sought.game} {sought.player.id}"


def _announcements(at: Desk, sought: Seek, after: int = 0) -> list[Mail]:
    """The mails to the next followers of the game by id, without those who do not fit the seek; an answer takes it.

    The rest is put on the agenda.
    """
    tx, seeker, title = at.tx, sought.player, GAMES[sought.game].info.title
    followers = [each for each in tx.choices.followers(sought.game) if each.id > after]
    if len(followers) > AT_ONCE:
        tx.agenda.put(SPREAD, sought.id, at.now, after=followers[AT_ONCE - 1].id)
    shunned = tx.blocks.blockers(seeker.id) | {other.id for other in tx.blocks.blocked(seeker.id)} | {seeker.id}
    asked = [each for each in followers[:AT_ONCE] if each.id not in shunned and fits(at, sought, each)]
    subject = f"pbm: {seeker.userid} looks for a game of {title}"
    payload = {"seek": sought.id, "game": sought.game}
    return [
        at.tools.composer.letter(
            address, subject, "sought.txt", at.now, player=reader.player, form=reader.settings.mail,
            leave="unsubscribe", seek=sought, title=title,
            reply_to=at.issue(ANNOUNCED, _announced(sought), days=_ANNOUNCED_DAYS, player=reader.player, **payload),
        )
        for reader in readers_of(at, asked).values()
        for address in reader.addresses
    ]  # fmt: skip


@when_due(SPREAD, within=timedelta(hours=1))
def announce_when_due(due: Occasion) -> None:
    sought = due.tx.seeks.get(int(due.item.key))
    if sought is not None and sought.game in GAMES:
        due.owe(_announcements(due, sought, due.item.payload["after"]))


@handles(Verb("take SEEK USERID PASSWORD", STARTING), Entry(30, "start the game that somebody seeks; you move first"))
def take(request: Request, command: Command) -> None:
    player = request.author.who(command)
    _take(request, player, int(command.args["SEEK"].removeprefix("#")))


@redeems(ANNOUNCED)
@by_player
def answer_announcement(request: Request, ticket: Ticket, player: Player) -> None:
    """Take the announced seek, or stop the announcements."""
    answer = request.message.text.strip() or strip_subject(request.message.subject)
    first, _, rest = answer.partition("\n")
    word = next(iter(first.casefold().split()), "").strip(".,!")
    number = int(ticket.payload["seek"])
    line = f"take {number}"
    try:
        if word == "unsubscribe":
            game = str(ticket.payload["game"])
            request.tx.choices.change(player.id, game, follows=False)
            text = f"You follow the games of {GAMES[game].info.title} no more."
            request.outgoing.answers.append(Answer("unsubscribe", Outcome.DONE, text))
            return
        if word not in ("yes", "take"):
            raise BadArguments(f'"{first[:60]}" is not understood here. To start the game, answer this email.', line)
        request.words.comment = rest.strip()
        with request.tx.savepoint():
            _take(request, player, number)
    except REFUSALS as error:
        refuse(request, line, error)


@when_due(UNTAKEN, within=PATIENCE)
def fill(due: Occasion) -> None:
    """Let a robot take one game of a seek that is still open; does nothing if no game can start."""
    tx = due.tx
    sought = tx.seeks.get(int(due.item.key))
    if sought is None or sought.game not in GAMES:
        return
    robot = robot_named(tx, robot_wanted(sought.options))
    if robot is None:
        return
    tx.agenda.put(UNTAKEN, sought.id, due.now + PATIENCE)
    try:
        board = _begun(due, sought, robot, sought.player)
    except NotAllowed:
        return
    origin = f"Nobody else took seek {sought.id} of {sought.player.userid} within {lasting(PATIENCE)}."
    board.events.append(MatchStarted(board.match.board, origin=origin))
    due.owe(tell_players(due, board))


def _begun(at: Desk, sought: Seek, taker: Player, asker: Player) -> OpenBoard:
    """Start one game of a seek, which then wants one less. asker: the player who starts it. Raises: NotAllowed."""
    game, seats = GAMES[sought.game], (taker, sought.player)
    check_willing(at, game, seats, asker, seats)
    options, _ = split_window(sought.options)
    board = start_match(at, game, options, sought.body, seats)
    at.tx.seeks.set_wanted(sought.id, sought.wanted - 1)
    return board


def _take(request: Request, player: Player, number: int) -> None:
    """Start one game of a seek for a player; the seeker moves second. Raises: NotFound, NotAllowed."""
    sought = request.tx.seeks.get(number)
    if sought is None or sought.game not in GAMES:
        raise NotFound(f"Seek {number} is not open, or not any more: somebody may have been faster.", "GAME seek")
    if sought.player == player:
        raise NotAllowed(f"Seek {number} is your own.", f"{sought.game} seek 0")
    _, (low, high) = split_window(sought.options)
    if not fits(request, sought, player):
        raise NotAllowed(f"Seek {number} is for players rated {low} to {high}.", f"{sought.game} seek")
    board = _begun(request, sought, player, player)
    origin = f"{player.userid} has taken seek {number} of {sought.player.userid}."
    request.boards.adopt(board, MatchStarted(board.match.board, origin=origin))
