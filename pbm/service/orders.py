"""Carrying out the commands of a mail in their order, and holding them until their sender has proved who he is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pbm.compose import Answer, Outcome
from pbm.domain.commands import Command, Standing, clean, parse
from pbm.domain.errors import NeedsIdentity, Rejected, UnknownCommand
from pbm.domain.reading import MAX_COMMANDS, Reading
from pbm.domain.redaction import behind_userids, guess_secrets
from pbm.mailin import Action
from pbm.service.handling import Handling, Sender
from pbm.service.names import declines
from pbm.service.verbs import REFUSALS, run
from pbm.service.verbs.registry import redeems
from pbm.store import Transaction
from pbm.store.tickets import Ticket

_HELD_DAYS = 2


@dataclass(frozen=True, slots=True)
class Order:
    """The commands of one mail, each as it was read, or why it could not be."""

    reading: Reading
    commands: tuple[Command | Rejected, ...]

    @property
    def secrets(self) -> frozenset[str]:
        """Words that must not be repeated: what is known for a password, or may be one in a line nobody understood."""
        pairs = zip(self.commands, self.reading.lines, strict=True)
        return frozenset().union(
            *(guess_secrets(line) if isinstance(command, Rejected) else command.secrets for command, line in pairs)
        )

    def carry_out(self, handling: Handling) -> Handling:
        """Carry the commands out in their order; the first that is refused ends it. Raises: NeedsIdentity."""
        understood = [command for command in self.commands if isinstance(command, Command)]
        own = {command.credentials[0].casefold() for command in understood if command.credentials}
        own |= {player.userid.casefold() for player in (handling.sender.proven, handling.sender.claimed) if player}
        handling.comment = self.reading.comment
        handling.secrets = self.secrets | behind_userids(self.reading.prose, own)
        handling.secrets |= {password for _, password in (*handling.verified, *handling.locked)}
        handling.understood = _lines(understood)
        handling.plain = _lines(command for command in understood if _is_plain(command, handling))
        if self.reading.remarks and all(line in handling.plain for line in self.reading.lines):
            handling.plain |= frozenset(map(clean, self.reading.prose.splitlines()))
        if not self.commands or handling.message.action is Action.HELP:
            handling.refuse("", UnknownCommand("Your mail holds no command.", "help"))
            return handling
        several = len(self.commands) > 1
        for number, (line, command) in enumerate(zip(self.reading.lines, self.commands, strict=True), 1):
            try:
                handling.take_remark(self.reading, number, command)
                answer = _run(handling, command)
            except NeedsIdentity:
                raise
            except REFUSALS as error:
                handling.refuse(line, error, several=several)
                handling.answers += [Answer(rest, Outcome.NOT_TRIED, "") for rest in self.reading.lines[number:]]
                return handling
            if answer is not None or several:
                handling.answers.append(answer or Answer(line, Outcome.DONE, ""))
        if self.reading.truncated:
            excuse = f"One mail may hold {MAX_COMMANDS} commands."
            handling.answers.append(Answer("the other lines", Outcome.NOT_TRIED, excuse))
        return handling


def _lines(commands: Iterable[Command]) -> frozenset[str]:
    """The commands as they are known, and each line of those that have a plan below."""
    lines = [command.line for command in commands]
    return frozenset([*lines, *(part for line in lines for part in line.split("\n"))])


def _is_plain(command: Command, handling: Handling) -> bool:
    """No word of the command is a password but what it holds as one: it has none to misplace, or it was right."""
    if command.credentials is None:
        move = command.args.get("MOVE", "")
        shows_who = handling.sender.seat is not None or (handling.sender.proven is not None and "BOARD" in command.args)
        return not move or (shows_who and " " not in move)
    userid, password = command.credentials
    return (userid.casefold(), password) in handling.verified


def _run(handling: Handling, command: Command | Rejected) -> Answer | None:
    if isinstance(command, Rejected):
        raise command
    with handling.tx.savepoint():
        return run(handling, command)


def parse_all(tx: Transaction, lines: Sequence[str], standing: Standing) -> tuple[Command | Rejected, ...]:
    return tuple(_parse(tx, line, standing) for line in lines)


def _parse(tx: Transaction, line: str, standing: Standing) -> Command | Rejected:
    try:
        return parse(line, standing, lambda word: tx.players.find(word) is not None)
    except Rejected as error:
        return error


def hold(handling: Handling, order: Order, error: NeedsIdentity) -> None:
    """Keep the commands, and ask the player whom From claims to confirm them by an answer; else refuse.

    What would be refused from him, too, is refused at once.
    """
    player, address = handling.sender.claimed, handling.message.sender
    since = handling.now - timedelta(days=1)
    asked = handling.tx.tickets.issued_since("held", address, since)
    refusal = _tried(handling, order).refusal if player is not None else None
    if player is None or refusal or order.secrets or asked >= handling.tools.limits.held_asks_per_day:
        handling.secrets = order.secrets
        handling.refuse(order.reading.lines[0], refusal or error)
        return
    lines, reading, sender = list(order.reading.lines), order.reading, handling.sender
    as_of = sender.as_of.isoformat() if sender.as_of else None
    token = handling.issue(
        "held", address, days=_HELD_DAYS, player=player, lines=lines, comment=reading.comment,
        remarks=reading.remarks, board=sender.board, as_of=as_of,
    )  # fmt: skip
    subject = "pbm: was that you?"
    handling.write(address, subject, "held.txt", player=player, reply_to=token, userid=player.userid, lines=lines)


class _TriedOut(Exception):
    """Undoes what a trial has done."""


def _tried(handling: Handling, order: Order) -> Handling:
    """What would come of the commands if the claimed player had sent them; the database stays as it is."""
    sender = replace(handling.sender, proven=handling.sender.claimed)
    trial = replace(handling.again(), sender=sender)
    with suppress(_TriedOut), handling.tx.savepoint():
        order.carry_out(trial)
        raise _TriedOut
    return trial


@redeems("held")
def release(handling: Handling, ticket: Ticket) -> None:
    """The player has answered from his address: carry out what he had sent, unless he says no."""
    player = handling.tx.players.get(ticket.player_id or 0)
    if player is None:
        return
    if declines(handling.message.text):
        text = "Nothing was done, and nothing will be."
        handling.answers.append(Answer("no", Outcome.DONE, text, "pbm: nothing was done"))
        return
    lines, board = tuple(ticket.payload["lines"]), ticket.payload["board"]
    match = handling.tx.matches.load(board) if board is not None else None
    standing = Standing(match.game if match else None, match.board if match else None, known=True, proven=True)
    as_of = datetime.fromisoformat(ticket.payload["as_of"]) if ticket.payload.get("as_of") else None
    handling.sender = Sender(standing, board=standing.board, proven=player, claimed=player, as_of=as_of)
    handling.prove(player)
    reading = Reading(lines, ticket.payload["comment"], remarks=tuple(ticket.payload.get("remarks", ())))
    Order(reading, parse_all(handling.tx, lines, standing)).carry_out(handling)
