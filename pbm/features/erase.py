"""Ends accounts, erases players a week after they ask for it, and deletes old mails."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import timedelta
from typing import Any

from pbm.compose.notices import Answer, Outcome
from pbm.core.board import OpenBoard
from pbm.core.bus import AccountEnded, publish
from pbm.core.credentials import ERASED, declines, first_line
from pbm.core.limits import Act, By
from pbm.core.notify import Desk, reader_of, tell_players
from pbm.core.registry import Occasion, by_player, handles, redeems, when_due
from pbm.core.reply import done, refuse
from pbm.core.request import Request
from pbm.domain.errors import NeedsIdentity, NotAllowed, NotFound, Rejected, UnknownCommand, Unreadable
from pbm.domain.events import PlayerLeft
from pbm.domain.mail import Mail
from pbm.domain.match import Ending, Player, Result
from pbm.reading.commands import Command
from pbm.reading.verbs import ACCOUNT, Entry, Verb
from pbm.store import Transaction
from pbm.store.tickets import INVITE, Ticket


def remove_account(tx: Transaction, player: Player, load: Callable[[int], OpenBoard]) -> list[OpenBoard]:
    """Remove an account; the player's games under way are lost by forfeit. load: gives a board.

    A board that cannot be read waits, and is lost on time once it can be read. Returns the other boards, whose players
    are still to be told.
    """
    boards = []
    for each in tx.matches.under_way(player.id):
        with suppress(Unreadable):
            boards.append(load(each.board))
    for board in boards:
        left = PlayerLeft(board.match.board, userid=player.userid)
        # Nobody could win it.
        if {each.id for each in board.match.players} == {player.id}:
            board.end(Result(Ending.VOID, None, f"{player.userid} has left"), left)
        else:
            board.forfeit(player, "has left", left)
    end_account(tx, player)
    return boards


def end_account(tx: Transaction, player: Player) -> None:
    """Remove a player, so that nobody finds them any more and none of their tickets is good.

    Invitations stay good: a stranger who accepts one gets an account, and is told that the inviter has left.
    """
    publish(AccountEnded(player), tx)
    tx.tickets.revoke_of(player.id, tx.now, kept=(INVITE,))
    tx.players.remove(player.id, tx.now)


@handles(
    Verb("delete USERID PASSWORD", ACCOUNT, guarded=True),
    Entry(70, "end your account for good; the games you still play are lost"),
)
def delete(request: Request, command: Command) -> None:
    player = request.author.who(command)
    addresses = request.tx.players.confirmed(player.id)
    boards = remove_account(request.tx, player, request.boards.load)
    numbers = [board.match.board for board in boards]
    for address in addresses:
        request.outgoing.write(address, "pbm: goodbye", "goodbye.txt", player=player, boards=numbers)


ERASE = "erase"
"""The kind of agenda items for players to be erased, and the purpose of tickets that ask whether they want it."""

SWEEP = "sweep"
"""The kind of agenda items while mails of others are searched for the names of an erased player."""


@when_due(ERASE)
def erase_when_due(occasion: Occasion) -> None:
    """Erase a player, even if their account was deleted meanwhile."""
    occasion.owe(erase(occasion, int(occasion.item.key)))


@when_due(SWEEP)
def sweep_when_due(occasion: Occasion) -> None:
    """Search some mails at a time, so that others need not wait long."""
    from pbm.mailin.written import searchable  # the server has it; others need not wait for it

    payload = occasion.item.payload
    done = occasion.tx.erasure.sweep(payload["names"], (payload["inbox"], payload["outbox"]), searchable)
    if done is not None:
        _plan_sweep(occasion.tx, occasion.item.key, payload["names"], done)


def _plan_sweep(tx: Transaction, key: object, names: Collection[str], done: tuple[int, int]) -> None:
    tx.agenda.put(SWEEP, key, tx.now, names=sorted(names), inbox=done[0], outbox=done[1])


FORGET = "forget"
"""The kind of the agenda item while there are old mails to delete."""
_MAILS_AT_ONCE = 100


def plan_forgetting(tx: Transaction, pause: timedelta = timedelta()) -> None:
    """Have old mails deleted as soon as there is time."""
    tx.agenda.put(FORGET, "", tx.now + pause)


@when_due(FORGET)
def forget_when_due(occasion: Occasion) -> None:
    """Delete some mails at a time, a second apart, so that others need not wait long."""
    tx, now, house = occasion.tx, occasion.now, occasion.tools.house
    before, parked_before = (now - timedelta(days=days) for days in (house.kept_mail_days, house.parked_mail_days))
    done = tx.outbox.forget(before, now, _MAILS_AT_ONCE) + tx.inbox.forget(before, parked_before, _MAILS_AT_ONCE)
    if done:
        plan_forgetting(tx, timedelta(seconds=1))


def erase(at: Desk, player_id: int) -> list[Mail]:
    """Erase a player; returns the mails to opponents whose games end by it."""
    tx = at.tx
    traces = tx.erasure.traces(player_id)
    # They were erased before.
    if traces is None:
        return []
    # Nobody can take a name like these, but an import may have brought one.
    names = (f"{ERASED}{player_id}{suffix}" for suffix in ("", *(f"-{number}" for number in range(2, 100))))
    player = Player(player_id, next(name for name in names if not tx.players.is_taken(name)))
    tx.erasure.rename(traces, player.userid)
    mails: list[Mail] = []
    # They may have deleted their account in the week between.
    if not traces.removed:
        for board in remove_account(tx, player, at.open):
            mails += tell_players(at, board)
    tx.erasure.forget(traces)
    tx.bans.unname(traces.userid, traces.names, player.userid, tx.now)
    _plan_sweep(tx, player_id, traces.names, (0, 0))
    return mails


KEEP = "keep"
"""The purpose of tickets whose answer stops the erasing, and the word that stops it."""
KEPT = "Nothing is erased: everything stays as it is."
ASKED_DAYS = 2


@handles(
    Verb("erase me USERID PASSWORD", ACCOUNT),
    Entry(
        90, "have all that is stored about you deleted, and your userid replaced, after some days to change your mind"
    ),
)
def erase_me(request: Request, command: Command) -> None:
    """Plan the erasing if the password is given; otherwise ask at the player's addresses first."""
    # A password proves more than a mail that anybody may have forwarded.
    if command.credentials is not None:
        _plan(request, request.author.who(command))
        return
    player = request.sender.writer
    if player is None:
        raise NeedsIdentity("Who are you? Put your userid and password into the command.", command.verb.line)
    _check_not_planned(request, player)
    own = request.tx.players.askable(player.id)
    asked = [address for address in own if request.may_ask(Act.ERASE, address)]
    for address in asked:
        token = request.outgoing.issue(ERASE, player.userid, days=ASKED_DAYS, player=player)
        change = request.tools.house.erasure_days
        _write(request, player, address, "erase-asked.txt", reply_to=token, days=ASKED_DAYS, change=change)
    problem = request.withheld
    if problem is not None and not asked and problem.by is not By.NETWORK:
        # Because of a closed network, nobody at all gets a mail.
        raise problem


@redeems(ERASE, consented=True)
@by_player
def confirm_erasing(request: Request, _: Ticket, player: Player) -> None:
    if declines(request.message.text):
        request.outgoing.answers.append(Answer(first_line(request.message.text), Outcome.DONE, KEPT))
    else:
        _plan(request, player)


@handles(Verb("erase no USERID PASSWORD", ACCOUNT), Entry(100, "change your mind: nothing is erased"))
def erase_no(request: Request, command: Command) -> Answer:
    player = request.author.who(command)
    _keep(request, player)
    return done(command, KEPT)


@redeems(KEEP, lasting=True)
@by_player
def answer_keep(request: Request, _: Ticket, player: Player) -> None:
    words = first_line(request.message.text)
    try:
        # Any other words must not keep what they wanted gone.
        if words.casefold().rstrip(".!") not in (KEEP, "erase no") and not declines(words):
            raise UnknownCommand("This email is only for changing your mind.", KEEP)
        _keep(request, player)
        request.outgoing.answers.append(Answer(words, Outcome.DONE, KEPT))
    except Rejected as error:
        refuse(request, words, error)


def _plan(request: Request, player: Player) -> None:
    """Put the erasing on the agenda, and tell all addresses how long it can be stopped. Raises: NotAllowed."""
    _check_not_planned(request, player)
    days = request.tools.house.erasure_days
    due_at = request.now + timedelta(days=days)
    request.tx.agenda.put(ERASE, player.id, due_at)
    boards = [each.board for each in request.tx.matches.under_way(player.id)]
    for address in request.tx.players.confirmed(player.id):
        token = request.outgoing.issue(KEEP, player.userid, days=days + 1, player=player)
        until = due_at.astimezone(reader_of(request, player).settings.zone)
        _write(request, player, address, "erase.txt", reply_to=token, until=until, boards=boards)


def _check_not_planned(request: Request, player: Player) -> None:
    """Raises: NotAllowed if the erasing is planned already."""
    item = request.tx.agenda.get(ERASE, player.id)
    if item is not None:
        day = item.due_at.astimezone(reader_of(request, player).settings.zone)
        raise NotAllowed(f"You will be erased on {day:%Y-%m-%d} already.", "erase no")


def _keep(request: Request, player: Player) -> None:
    """Cancel the erasing. Raises: NotFound if none is planned."""
    if not request.tx.agenda.drop(ERASE, player.id):
        raise NotFound("You have not asked to be erased, so everything stays as it is.")


def _write(request: Request, player: Player, address: str, page: str, *, reply_to: str, **words: Any) -> None:
    own = address.casefold() == request.message.sender.casefold()
    subject = "pbm: erase you?" if page == "erase-asked.txt" else "pbm: you will be erased"
    request.outgoing.write(address, subject, page, player=player, reply_to=reply_to, answers=own, **words)
