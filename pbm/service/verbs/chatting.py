"""Talk on a board."""

from __future__ import annotations

from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.events import CommentMade
from pbm.domain.remarks import RemarkKind
from pbm.service.handling import Handling
from pbm.service.telling import pass_on
from pbm.service.verbs.company import text_below
from pbm.service.verbs.registry import handles


@handles("chat")
def chat(handling: Handling, command: Command) -> Answer | None:
    """The text below the command, to everybody who gets the mails of the board."""
    table, author = handling.named(command), handling.who(command)
    text = text_below(handling)
    table.remark(RemarkKind.COMMENT, author, text)
    comment = CommentMade(table.match.board, userid=author.userid, text=text)
    handling.letters += pass_on(handling.tx, handling.tools, table, comment, author, handling.message)
    return None
