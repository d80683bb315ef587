"""The verb that tells how a rating changed, with all the numbers it takes to work it out again."""

from __future__ import annotations

from math import inf

from pbm.compose import Answer
from pbm.core.rating import score_of, why_not_rated
from pbm.core.registry import handles
from pbm.core.replies import done
from pbm.core.request import Request
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.match import Ending, Match, Seat, other
from pbm.domain.ratings import CEILING, SCALE, TAU, expected, weight
from pbm.domain.verbs import LOOKING, Locks, Verb


@handles(
    Verb(
        "why",
        "USERID PASSWORD [BOARD]",
        "see how your rating changed on a board, or the last time, with all the numbers",
        LOOKING,
        Locks.HOUSE,
        rank=160,
        other_usage="BOARD USERID PASSWORD",
        wordy=True,
    )
)
def why(request: Request, command: Command) -> Answer | None:
    """Of the board that is named; or of the one whose mail is answered, if it was rated; or else of the last."""
    player = request.who(command)
    named = command.args.get("BOARD")
    board = int(named) if named else request.sender.board
    if named is None and (board is None or player.id not in request.tx.ratings.changes(board)):
        board = request.tx.ratings.last_board(player.id)
    if board is None:
        raise NotFound("You have not ended a rated game yet, so no rating of yours has changed.")
    match = request.board(board).match
    seat = match.seat_of(player.id)
    if seat is None:
        raise NotAllowed(f"You were no player of board {board}: it has changed no rating of yours.")
    return done(command, _explained(request, match, seat), f"pbm: why your rating changed on board {board}")


def _explained(request: Request, match: Match, seat: Seat) -> str:
    """Raises: NotFound."""
    changes, player, opponent = request.tx.ratings.changes(match.board), match.player(seat), match.player(other(seat))
    if match.result is None or not changes:
        raise NotFound(_why_not_rated(request, match))
    own, theirs = changes[player.id], changes[opponent.id]
    text = request.page(
        "why.txt",
        match=match,
        opponent=opponent.userid,
        score=score_of(match.result, seat),
        before=own.before,
        after=own.after,
        theirs=theirs.before,
        weight=weight(theirs.before),
        expected=expected(own.before, theirs.before),
        ceiling=max(own.before.rating, CEILING) if theirs.before.provisional else inf,
        scale=SCALE,
        tau=TAU,
        zone=request.correspondent().settings.zone,
    )
    return text.rstrip("\n")


def _why_not_rated(request: Request, match: Match) -> str:
    if match.result is None:
        return f"Board {match.board} has not ended yet, so it has changed no rating."
    if match.result.ending is Ending.VOID:
        return f"Board {match.board} was void, and counts for nobody."
    reason = why_not_rated(request.tx, match)
    return f"Board {match.board} was not rated{f': {reason}' if reason else ''}."
