"""What plain words were found to mean, and what both boards and letters need to tell it."""

from __future__ import annotations

import re

from pbm.core.request import Request
from pbm.domain.errors import BadArguments
from pbm.reading.book import words
from pbm.reading.commands import begins, clean
from pbm.reading.dates import vacation_said
from pbm.reading.intent import ACTS
from pbm.reading.sentences import phrases
from pbm.reading.verbs import find, leading
from pbm.values import frozen

CHAT = "chat"
BOARD = re.compile(r"(?<![\w.:/-])#?(\d{3,9})(?![\w/-]|:\d)")
"""The number of a board among words."""
_BOARD_NAMED = re.compile(rf"(?:\b(?:{'|'.join(words('before-boards'))})\s+)*{BOARD.pattern}:?", re.IGNORECASE)
SPOKEN = re.compile(
    r"\s*(?P<verb>chat|kibitz|note(?! (?:that|how|the)\b| no(?:ne|thing)\W*$))[ :,-]+(?P<words>[^\d\W].*?)\s*",
    re.IGNORECASE | re.DOTALL,
)
"""A command of text with its words on the same line."""
NO_GAME = BadArguments("You have no game under way. To start one at once, against a program:", "play")
HELPS = {"time": "help clock", "rest": "help vacation", "remind": "help remind", "undo": "help undo"}
"""The command that helps with what words speak of, where no person reads them."""


@frozen
class Restated:
    """The meaning of plain words: a command, the words left for the opponent, and what the writer is told."""

    line: str
    comment: str = ""
    read_as: str = ""
    board: int | None = None
    """The board that the writer named; None for the board that the mail answers, or for no board."""

    @property
    def whole_line(self) -> str:
        """The line, with the number of the named board in front if its verb is about a board."""
        verb, _ = leading(self.line.split())
        is_of_board = verb is None or "BOARD" in verb.keys
        return f"{self.board} {self.line}" if self.board is not None and is_of_board else self.line


def begins_like_command(text: str) -> bool:
    """Whether the first line begins like a command, which then could not be read."""
    first = text.strip().partition("\n")[0]
    return bool(first) and begins(clean(first))


def is_ours(line: str) -> bool:
    """Whether the line is a command to the server as it stands."""
    name = line.split(" ")[0]
    return name == "all" or find(name) is not None


def without_boards(text: str, instead: str = "") -> str:
    """The words without the numbers of boards and what names these as such: "D4 in game 101" is "D4"."""
    return _BOARD_NAMED.sub(instead, text).strip()


def answers(text: str) -> bool:
    """Whether a text is a yes or a no and nothing else."""
    said = phrases(text, "answer")
    return len(text.split()) == 1 and any(phrase.does in ("yes", "no") for phrase in said)


def acts(line: str) -> bool:
    """Whether a command changes something on a board, or asks the other player for something."""
    return line.split(" ")[0] in ACTS | {"reject"}


def about_time(request: Request, text: str, about: str) -> Restated:
    """What answers words about time or an absence where no person reads them: a vacation with its days, or help."""
    days = vacation_said(text, request.now) if about == "rest" else ""
    return Restated(f"vacation {days}" if days else HELPS.get(about, "help"))
