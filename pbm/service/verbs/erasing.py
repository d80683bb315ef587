"""Verbs by which a player asks the server to forget him, and changes his mind."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pbm.compose import Answer, Outcome
from pbm.domain.commands import Command
from pbm.domain.errors import NeedsIdentity, NotAllowed, NotFound, Rejected, UnknownCommand
from pbm.domain.match import Player
from pbm.service.erasing import ERASE
from pbm.service.handling import Handling
from pbm.service.names import declines, first_line
from pbm.service.verbs.registry import done, handles, redeems
from pbm.store.tickets import Ticket

KEEP = "keep"
"""The purpose of tickets whose answer stops the erasing, and the word that does."""
KEPT = "Nothing is erased: everything stays as it is."
ASKED_DAYS = 2
MOST_ASKED = 3
"""Times a day that a player is asked whether he wants to be erased."""


@handles("erase me")
def erase_me(handling: Handling, command: Command) -> Answer | None:
    """With the password it is settled; otherwise whoever reads the player's mail is asked."""
    if command.credentials is not None:
        _plan(handling, handling.who(command))
        return None
    player = handling.sender.proven or handling.sender.claimed
    if player is None:
        raise NeedsIdentity("Who are you? Put your userid and password into the command.", command.verb.line)
    _check_not_planned(handling, player)
    since = handling.now - timedelta(days=1)
    addresses = handling.tx.players.confirmed(player.id)[player.id]
    if handling.tx.tickets.issued_since(ERASE, player.userid, since) >= MOST_ASKED * len(addresses):
        raise NotAllowed("You have been asked often enough today: answer one of these mails, or use your password.")
    for address in addresses:
        token = handling.issue(ERASE, player.userid, days=ASKED_DAYS, player=player)
        _write(handling, player, address, "erase-asked.txt", reply_to=token, days=ASKED_DAYS)
    return None


@redeems(ERASE)
def confirm_erasing(handling: Handling, ticket: Ticket) -> None:
    player = handling.tx.players.get(ticket.player_id or 0)
    if player is None or declines(handling.message.text):
        return
    handling.identified = player
    try:
        _plan(handling, player)
    except Rejected as error:
        handling.refuse("your answer", error)


@handles("erase no")
def erase_no(handling: Handling, command: Command) -> Answer | None:
    player = handling.who(command)
    _keep(handling, player)
    return done(command, KEPT)


@redeems(KEEP, lasting=True)
def answer_keep(handling: Handling, ticket: Ticket) -> None:
    player = handling.tx.players.get(ticket.player_id or 0)
    if player is None:
        return
    handling.identified = player
    words = first_line(handling.message.text)
    try:
        if words.casefold().rstrip(".!") not in (KEEP, "erase no") and not declines(words):
            raise UnknownCommand("This mail is only for changing your mind.", KEEP)
        _keep(handling, player)
        handling.answers.append(Answer(words, Outcome.DONE, KEPT))
    except Rejected as error:
        handling.refuse(words, error)


def _plan(handling: Handling, player: Player) -> None:
    """Put the erasing on the agenda, and tell all addresses until when it can be stopped. Raises: NotAllowed."""
    _check_not_planned(handling, player)
    days = handling.tools.limits.erasure_days
    due_at = handling.now + timedelta(days=days)
    handling.tx.agenda.put(ERASE, player.id, due_at)
    boards = [each.board for each in handling.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)]
    for address in handling.tx.players.confirmed(player.id)[player.id]:
        token = handling.issue(KEEP, player.userid, days=days + 1, player=player)
        until = due_at.astimezone(handling.reader(player).settings.zone)
        _write(handling, player, address, "erase.txt", reply_to=token, until=until, boards=boards)


def _check_not_planned(handling: Handling, player: Player) -> None:
    """Raises: NotAllowed."""
    item = handling.tx.agenda.get(ERASE, player.id)
    if item is not None:
        raise NotAllowed(f"You will be erased on {_day(handling, player, item.due_at)} already.", "erase no")


def _keep(handling: Handling, player: Player) -> None:
    """Raises: NotFound."""
    if not handling.tx.agenda.drop(ERASE, player.id):
        raise NotFound("You have not asked to be erased, so everything stays as it is.")


def _day(handling: Handling, player: Player, instant: datetime) -> str:
    return f"{instant.astimezone(handling.reader(player).settings.zone):%Y-%m-%d}"


def _write(handling: Handling, player: Player, address: str, page: str, *, reply_to: str, **words: Any) -> None:
    own = address.casefold() == handling.message.sender.casefold()
    subject = "pbm: erase you?" if page == "erase-asked.txt" else "pbm: you will be erased"
    handling.write(address, subject, page, player=player, reply_to=reply_to, answers=own, userid=player.userid, **words)
