"""Verbs by which players choose their settings, how many boards of a game they play, and whom they block."""

from __future__ import annotations

from collections.abc import Mapping

from games import GAMES
from pbm.compose.notices import Answer
from pbm.core.bus import SettingsSaved, publish
from pbm.core.registry import KEEPERS, handles, keeps
from pbm.core.reply import done
from pbm.core.request import Request, no_player
from pbm.core.robots import robot_called
from pbm.domain.errors import BadArguments, NotAllowed
from pbm.domain.match import Player
from pbm.domain.settings import CHOICES, Settings, choice_of
from pbm.reading.commands import Command
from pbm.reading.verbs import ACCOUNT, COMPANY, STARTING, Entry, Verb

UNLIMITED = frozenset({"all", "inf", "none"})


@handles(
    Verb("set USERID PASSWORD [NAME] [VALUE]", ACCOUNT, other_usage="NAME [VALUE] USERID PASSWORD", bare=True),
    Entry(110, "see what you can choose for yourself, or choose it"),
)
def set_(request: Request, command: Command) -> Answer:
    player = request.author.who(command)
    stored = request.tx.players.settings(player.id)
    settings = before = Settings.chosen(stored)
    name, value = command.args.get("NAME", "").casefold(), command.args.get("VALUE", "")
    choices = [choice_of(name)] if name else list(CHOICES.values())
    if value:
        settings = settings.with_choice(name, value)
        chosen = {**stored, name: getattr(settings, name)}
        # More than mails depends on it, such as clocks.
        if name in KEEPERS and settings != before:
            KEEPERS[name](request, player, settings, chosen)
        else:
            request.tx.players.save_settings(player.id, chosen)
        # The next digest or puzzle is planned by these.
        if name in ("digest", "timezone", "puzzle"):
            publish(SettingsSaved(player, settings), request.tx)
    text = request.outgoing.page(
        "settings.txt", settings=settings, choices=choices, changed=bool(value), now=request.now
    )
    return done(command, text, "pbm: your settings")


@keeps("bot")
def become_bot(request: Request, player: Player, settings: Settings, stored: Mapping[str, str]) -> None:
    """Save whether the player is a program; it must not change during their games. Raises: NotAllowed."""
    playing = request.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)
    # Games of a program are not rated, and these began as rated ones.
    if playing:
        raise NotAllowed(f"Your boards have to end first, such as board {playing[0].board}: a program's are not rated.")
    request.tx.players.set_bot(player.id, bot=settings.bot == "on")
    request.tx.players.save_settings(player.id, stored)


@handles(
    Verb("GAME limit USERID PASSWORD [NUMBER|all|accept|reject]", STARTING),
    Entry(50, "how many boards of a game you play at once; alone it shows what you have chosen"),
)
def limit(request: Request, command: Command) -> Answer:
    assert command.game is not None  # noqa: S101  the parser asks for it
    player, game = request.author.who(command), command.game
    most = request.tools.house.active_games
    word, choice = command.args.get("NUMBER", "").casefold(), dict[str, int | None]()
    if word in UNLIMITED:
        choice = {"accepts": True, "most_active": None}
    elif word in ("accept", "reject"):
        choice = {"accepts": word == "accept"}
    elif word.isascii() and word.isdecimal() and len(word) < 6 and int(word) <= most:
        choice = {"accepts": int(word) > 0, "most_active": int(word) or None}
    elif word:
        raise BadArguments(f'"{word}" is not a limit: take a number from 0 to {most}, or all, accept or reject.')
    if choice:
        request.tx.choices.change(player.id, game, **choice)
    active = request.tx.matches.active_counts((player.id,))[player.id]
    text = request.outgoing.page(
        "limit.txt",
        title=GAMES[game].info.title,
        game=game,
        choice=request.tx.choices.of_one(game, player.id),
        here=active.get(game, 0),
        total=sum(active.values()),
        most=most,
    )
    return done(command, text)


@handles(
    Verb("block USERID PASSWORD [OTHER]", COMPANY),
    Entry(70, "have nothing to do with a player; alone it lists whom you have blocked"),
)
def block(request: Request, command: Command) -> Answer:
    player = request.author.who(command)
    if "OTHER" not in command.args:
        names = ", ".join(other.userid for other in request.tx.blocks.blocked(player.id))
        return done(command, f"You have blocked {names}." if names else "You have blocked nobody.")
    if robot := robot_called(request.tx, command.args["OTHER"]):
        raise NotAllowed(f"{robot} is a program, which writes to nobody and challenges nobody: it needs no block.")
    other = _other(request, command)
    if other == player:
        raise NotAllowed("You cannot block yourself.")
    if not request.tx.blocks.block(player.id, other.id):
        return done(command, f"You had blocked {other.userid} before.")
    request.tx.follows.unfollow_player(other.id, player.id)
    text = (
        f"You have blocked {other.userid}, who cannot challenge you, take your seeks, follow you or write to "
        f"you any more. {other.userid} is not told now; whoever tries hears that you do not take it. Games under way "
        "between you go on. "
        f'"unblock {other.userid}" ends it.'
    )
    return done(command, text)


@handles(Verb("unblock USERID PASSWORD OTHER", COMPANY), Entry(80, "end a block"))
def unblock(request: Request, command: Command) -> Answer:
    player, other = request.author.who(command), _other(request, command)
    if not request.tx.blocks.unblock(player.id, other.id):
        raise NotAllowed(f"You have not blocked {other.userid}.", "block")
    return done(command, f"{other.userid} is no longer blocked.")


def _other(request: Request, command: Command) -> Player:
    """Raises: NotFound."""
    player = request.tx.players.find(command.args["OTHER"])
    if player is None:
        raise no_player(request.tx, command.args["OTHER"])
    return player
