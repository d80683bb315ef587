"""Refusals that the sender can correct. Moves have their own family in games.rules."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


class Rejected(Exception):
    """The command was not carried out, and nothing was changed. The text is a sentence for the sender.

    suggestion: a usage line or another command that would work; may be empty.
    """

    def __init__(self, sentence: str, suggestion: str = "") -> None:
        super().__init__(sentence)
        self.suggestion = suggestion


class UnknownCommand(Rejected):
    """The words are not a command."""


class BadArguments(Rejected):
    """A known verb with too few, too many or malformed words."""


class Unsure(BadArguments):
    """The words may mean one of several things, or are not surely for others: the sentence asks.

    candidates: the answers from which the writer may choose.
    """

    def __init__(self, sentence: str, suggestion: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(sentence, suggestion)
        self.candidates = candidates


class Doubt(Rejected):
    """A command is not surely all that its writer wants: a yes has it carried out as it stands."""


class NotFound(Rejected):
    """No such game, board, player or page."""


def existing(thing: T | None, sentence: str, suggestion: str = "") -> T:
    """The thing itself. Raises: NotFound, with the sentence, if there is none."""
    if thing is None:
        raise NotFound(sentence, suggestion)
    return thing


class NotAllowed(Rejected):
    """The sender may not do this, or could not show who they are."""


class Unreadable(NotAllowed):
    """The board cannot be used for now: its game is not installed, or its record cannot be replayed."""


class NeedsIdentity(NotAllowed):
    """The command is for players only, and the mail does not show which one sent it."""


class NotYourTurn(Rejected):
    """It is the opponent's move."""


class MatchOver(Rejected):
    """The board has ended."""


class Stale(Rejected):
    """The command was meant for an earlier state of the board."""
