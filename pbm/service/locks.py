"""What the handling of mails locks where several processes handle them at once; see Transaction.lock.

A mail that only plays or looks on at boards locks these boards. Every other one may read and change anything, as a
challenge does that must not exceed a limit, and is handled alone: it locks the house.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbm.domain.commands import Command
from pbm.domain.errors import Rejected
from pbm.service.handling import Sender
from pbm.service.logins import Logins

_ON_BOARDS = frozenset(
    {"move", "pass", "swap", "queue", "submit", "confirm", "preview", "propose", "undo", "accept", "reject", "resign"}
    | {"plan", "cancel", "show", "showas", "zoom", "games", "list", "standings", "history", "help"}
)
"""Commands that change nothing but their boards; an end of a match locks the house by itself."""


def stays_on_boards(sender: Sender, commands: Sequence[Command | Rejected], logins: Logins) -> bool:
    """Whether the commands of a mail need no more than their boards."""
    known = sender.proven is not None or bool(logins.keys)
    return known and all(isinstance(each, Rejected) or each.verb.name in _ON_BOARDS for each in commands)


def names(sender: Sender, commands: Sequence[Command | Rejected], logins: Logins) -> Iterator[str]:
    """The boards a mail is about, as far as that can be seen, and what its passwords count for."""
    if sender.board is not None:
        yield f"board {sender.board}"
    for command in commands:
        number = "" if isinstance(command, Rejected) else command.args.get("BOARD", "").partition("#")[0]
        if number.isdecimal():
            yield f"board {int(number)}"
    for keys in logins.keys.values():
        yield from (f"guess {key.kind} {key.subject}" for key in keys)
