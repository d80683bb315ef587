"""Words about a board that its players do not read, or not yet: among those who look on, and to oneself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.errors import BadArguments, MatchOver, NotAllowed, NotFound
from pbm.domain.events import CommentMade
from pbm.domain.match import Player
from pbm.domain.redaction import redact
from pbm.domain.remarks import RemarkKind
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.telling import notice_of, pass_on, perspective
from pbm.service.verbs.company import text_below
from pbm.service.verbs.registry import handles


@handles("kibitz")
def kibitz(handling: Handling, command: Command) -> Answer | None:
    """To all who follow the board but its players; these get it with the final mail."""
    table, author = handling.named(command), handling.who(command)
    _check_kibitzer(handling, table, author)
    text = text_below(handling)
    table.remark(RemarkKind.KIBITZ, author, text)
    comment = CommentMade(table.match.board, userid=author.userid, text=text)
    handling.letters += pass_on(handling.tx, handling.tools, table, comment, author, handling.message, sealed=True)
    return None


def _check_kibitzer(handling: Handling, table: Table, author: Player) -> None:
    """Raises: NotAllowed, MatchOver."""
    board = table.match.board
    if table.match.seat_of(author.id) is not None:
        raise NotAllowed(f'You play on board {board}: who looks on writes "kibitz", you may write "chat".', "chat")
    if table.match.result is not None:
        raise MatchOver(f'Board {board} has ended: "chat" is read by its players, too.')
    following = [each.player for each in handling.tx.follows.of(table.match) if not each.ends_only]
    if author not in following:
        raise NotAllowed(f"You do not follow board {board}, so you would not read what is answered.", f"follow {board}")
    most, since = handling.tools.limits.messages_per_day, handling.now - timedelta(days=1)
    if handling.tx.remarks.written_since(RemarkKind.KIBITZ, author.id, since) >= most:
        raise NotAllowed(f"You have kibitzed {most} times within a day; that is the limit. Try again tomorrow.")


@handles("note")
def note(handling: Handling, command: Command) -> Answer | None:
    """The text below the command goes to the notes of who writes it; without any, the notes are shown."""
    table, owner = handling.named(command), handling.who(command)
    text = redact(handling.comment, handling.secrets).strip()
    handling.comment = ""
    if "NOTHING" in command.args:
        if not table.drop_notes(owner):
            raise NotFound(f"You have no notes on board {table.match.board}.")
        shown = "your notes are gone."
    elif text:
        _check_room(handling, table, owner, text)
        table.remark(RemarkKind.NOTE, owner, text)
        shown = 'noted. Only you see your notes, below the mails of the board; "note none" drops them all.'
    elif table.notes(owner):
        shown = "your notes are below."
    else:
        raise NotFound(f"You have no notes on board {table.match.board}: write one below the command.")
    own = table.match.seat_of(owner.id)
    reader = replace(handling.correspondent(), seat=None if own is None else perspective(table, own))
    handling.notices.append(notice_of(table, reader, shown=shown))
    return None


def _check_room(handling: Handling, table: Table, owner: Player, text: str) -> None:
    """Raises: BadArguments."""
    most, kept = handling.tools.limits.message_characters, sum(len(each.text) for each in table.notes(owner))
    if kept + len(text) > most:
        raise BadArguments(
            f"Your notes on a board may have {most} characters; there are {kept}, and these would be {len(text)} more.",
            "note none",
        )
