"""What each verb does: one function a verb, found by its name.

A handler changes what it must through the handling, and returns the answer to the command; None where the boards that
are mailed say all. Raises: Rejected and GameError, with nothing changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from games import GAMES
from games.rules import GameError
from pbm.compose import Answer, Outcome
from pbm.domain.commands import Command, split_guard
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, Rejected
from pbm.domain.events import MatchStarted, Resigned
from pbm.domain.match import Ending, Player, Result, other
from pbm.domain.verbs import VERBS, Verb, find
from pbm.service.accounts import ask_to_confirm, check_address, check_password, check_userid
from pbm.service.handling import Handling
from pbm.service.starting import start_match

Handler = Callable[[Handling, Command], Answer | None]
HANDLERS: dict[str, Handler] = {}

MAX_SHOWN = 1000


def handles(name: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS[name] = handler
        return handler

    return register


def done(command: Command, text: str, subject: str = "") -> Answer:
    return Answer(command.line, Outcome.DONE, text, subject)


@handles("move")
def move(handling: Handling, command: Command) -> Answer | None:
    text, guard = split_guard(command.args["MOVE"])
    verb = find(text, per_game=True)
    if verb is not None and verb.alters and verb.name == text.casefold() and verb.name in HANDLERS:
        return HANDLERS[verb.name](handling, command)
    table, seat = handling.seated(command)
    table.play(seat, text, guard)
    return None


@handles("swap")
def swap(handling: Handling, command: Command) -> Answer | None:
    _, guard = split_guard(command.args.get("MOVE", ""))
    table, seat = handling.seated(command)
    table.play(seat, "swap", guard)
    return None


@handles("resign")
def resign(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    table.check_running()
    table.end(Result(Ending.RESIGNED, other(seat), "by resignation"), Resigned(table.match.board, seat))
    return None


@handles("challenge")
def challenge(handling: Handling, command: Command) -> Answer | None:
    assert command.game is not None  # noqa: S101  the parser asks for it
    seats = tuple(_opponent(handling, command.args[name]) for name in ("USERID1", "USERID2"))
    challenger = handling.identified.userid if handling.identified else ""
    game = GAMES[command.game]
    body, handling.comment = _split_body(handling.comment) if game.info.takes_body else ("", handling.comment)
    table = start_match(handling.tx, game, command.options, body, (seats[0], seats[1]), handling.now)
    handling.adopt(table, MatchStarted(table.match.board, challenger=challenger))
    if _gets_mail(handling, table.match.players):
        return None
    return done(command, f"Board {table.match.board} has started; its players get the board.")


def _gets_mail(handling: Handling, players: tuple[Player, Player]) -> bool:
    """The sender of the mail is, as far as one can tell, one of the players, and so sees the board anyway."""
    addresses = handling.tx.players.confirmed(*(player.id for player in players))
    return any(handling.message.sender.casefold() == a.casefold() for own in addresses.values() for a in own)


def _opponent(handling: Handling, userid: str) -> Player:
    """A player who can be mailed. Raises: NotFound, NotAllowed."""
    player = handling.tx.players.find(userid)
    if player is None:
        raise NotFound(f'There is no player "{userid}" here.')
    if not handling.tx.players.confirmed(player.id)[player.id]:
        raise NotAllowed(f"{player.userid} has not confirmed an address yet, so no game can start.")
    return player


def _split_body(text: str) -> tuple[str, str]:
    """The board a challenger drew and his comment: the first paragraph is a board if a line of it starts like one."""
    paragraph, _, rest = text.strip().partition("\n\n")
    drawn = any(re.match(r"\s*\d+\s*,\s*\d", line) for line in paragraph.splitlines())
    return (paragraph, rest.strip()) if drawn else ("", text)


@handles("show")
def show(handling: Handling, command: Command) -> Answer | None:
    table = handling.named(command)
    ply = command.args.get("BOARD", "").partition("#")[2]
    number = int(ply) if ply else None
    token = handling.token
    if token is not None and token.board == table.match.board:
        handling.identified = table.match.player(token.seat)
        handling.show(table, handling.reader(token.seat, table), ply=number)
    else:
        handling.show(table, handling.sender(), ply=number)
    return None


@handles("games")
def games(handling: Handling, command: Command) -> Answer | None:
    players = [_player(handling, userid) for userid in command.args.get("USERID", "").split()]
    ids = tuple(player.id for player in players)
    found = handling.tx.matches.summaries(game=command.game, player_ids=ids, limit=MAX_SHOWN)
    title = GAMES[command.game].info.title if command.game else "all"
    text = handling.tools.composer.pages.render(
        "games.txt", title=title, boards=found, players=players, more=len(found) == MAX_SHOWN
    )
    return done(command, text.rstrip("\n"), f"pbm: list of {title} games")


def _player(handling: Handling, userid: str) -> Player:
    player = handling.tx.players.find(userid)
    if player is None:
        raise NotFound(f'There is no player "{userid}" here.')
    return player


@handles("help")
def help_(handling: Handling, command: Command) -> Answer | None:
    pages = handling.tools.composer.pages
    subject = command.args.get("SUBJECT", "index").casefold()
    verb = find(subject) if subject not in GAMES else None
    page = pages.help("-".join(subject.split())) or (_verb_page(handling, verb) if verb else None)
    if page is None:
        names = ", ".join([*pages.subjects(), *(each.name for each in VERBS)])
        raise NotFound(f'There is no help on "{subject[:40]}". There is help on: {names}.')
    return done(command, page.rstrip("\n"), f"pbm: help {'' if subject == 'index' else subject[:40]}".rstrip())


def _verb_page(handling: Handling, verb: Verb) -> str:
    return handling.tools.composer.pages.render("verb.txt", verb=verb, robot=handling.tools.composer.robot.address)


@handles("signup")
def signup(handling: Handling, command: Command) -> Answer | None:
    userid, password = command.args["USERID"], command.args["PASSWORD"]
    check_userid(userid)
    check_password(password)
    addresses = [word.strip(",;") for word in command.args.get("ADDRESS", handling.message.sender).split()]
    if handling.tx.players.is_taken(userid):
        raise NotAllowed(f'The userid "{userid}" is taken; choose another.')
    if len(addresses) > 3:
        raise BadArguments("An account starts with at most three addresses.")
    for address in addresses:
        check_address(address)
    player = handling.tx.players.add(userid, handling.tools.passwords.hash(password), handling.now)
    for address in dict.fromkeys(addresses):
        ask_to_confirm(handling, player, address)
    return None


def run(handling: Handling, command: Command) -> Answer | None:
    """Carry one command out. Raises: Rejected, GameError."""
    return HANDLERS[command.verb.name](handling, command)


REFUSALS = (Rejected, GameError)
"""What a handler may raise that is the sender's to mend."""
