"""Verbs that only ask."""

from __future__ import annotations

from dataclasses import replace

from games import GAMES
from pbm.compose import Answer, Notice
from pbm.domain.commands import Command
from pbm.domain.errors import NotFound
from pbm.domain.match import Player, Seat
from pbm.domain.verbs import VERBS, Verb, find
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.verbs.registry import done, handles

MAX_LISTED = 1000


@handles("show")
def show(handling: Handling, command: Command) -> Answer | None:
    table = handling.named(command)
    ply = command.args.get("BOARD", "").partition("#")[2]
    mail_board(handling, table, _seat(handling, table), int(ply) if ply else None)
    return None


def mail_board(handling: Handling, table: Table, seat: Seat | None, ply: int | None = None) -> None:
    """Mail the sender a board, as it is or as it was after a ply. Raises: NotFound."""
    reader = replace(handling.correspondent(), seat=seat)
    notice = Notice(table.match, table.state, reader, whole_record=True)
    if ply is not None:
        past = table.at(ply)
        scene = past.game.scene(past.position, past.last)
        notice = replace(notice, scene=scene, shown=f"the position after ply {past.plies}.")
    handling.notices.append(notice)


def _seat(handling: Handling, table: Table) -> Seat | None:
    """The seat from which the sender may see the board: only one he has proved to have."""
    token = handling.sender.seat
    if token is not None and token.board == table.match.board:
        return token.seat
    proven = handling.sender.proven
    return table.match.seat_of(proven.id) if proven else None


@handles("games")
def games(handling: Handling, command: Command) -> Answer | None:
    players = [find_player(handling, userid) for userid in command.args.get("USERID", "").split()]
    ids = tuple(player.id for player in players)
    found = handling.tx.matches.summaries(game=command.game, player_ids=ids, limit=MAX_LISTED)
    title = GAMES[command.game].info.title if command.game else "all"
    text = handling.tools.composer.pages.render(
        "games.txt", title=title, boards=found, players=players, more=len(found) == MAX_LISTED
    )
    return done(command, text.rstrip("\n"), f"pbm: list of {title} games")


def find_player(handling: Handling, userid: str) -> Player:
    """Raises: NotFound."""
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
