"""What seeks say beside the options of a game, and how they are listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbm.core.request import Request
from pbm.core.robots import ANY, LEVEL_OF, USUAL
from pbm.domain.errors import BadArguments
from pbm.domain.match import Player
from pbm.domain.ratings import Pace
from pbm.store.ratings import Record
from pbm.store.tickets import Seek

Window = tuple[int, int]
"""The lowest and the highest rating that is wanted."""
ANY_RATING: Window = (0, 9999)
_WINDOW = re.compile(r"--?rating=(\d{1,4})-(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Offered:
    """One line of a list of seeks. name: as its reader knows the player."""

    seek: Seek
    name: str
    record: Record
    pace: Pace


def split_window(options: Sequence[str]) -> tuple[tuple[str, ...], Window]:
    """The options of the game, and the ratings that are wanted. Raises: BadArguments.

    >>> split_window(("-size=5", "--rating=1400-1600", "--robot"))
    (('-size=5',), (1400, 1600))
    """
    window, own = ANY_RATING, []
    for word in options:
        name = word.lstrip("-").partition("=")[0]
        if name != "rating":
            own += [word] if name != ANY else []
            continue
        found = _WINDOW.fullmatch(word)
        window = (int(found[1]), int(found[2])) if found else (1, 0)
        if window[0] > window[1]:
            raise BadArguments(f'"{word}" is not allowed: write the lowest and the highest, as in --rating=1400-1600.')
    return tuple(own), window


def fits(request: Request, seek: Seek, player: Player) -> bool:
    """The player's rating is one the seeker wants."""
    _, (low, high) = split_window(seek.options)
    rating = request.tx.ratings.of(seek.game, (player.id,))[player.id].at(request.now).rating.shown
    return low <= rating <= high


def robot_wanted(options: Sequence[str]) -> str:
    """The robot that is to take a seek which nobody else takes; empty for none. Raises: BadArguments.

    >>> robot_wanted(("-size=5", "--robot")), robot_wanted(("--robot=2",)), robot_wanted(())
    ('robot3', 'robot2', '')
    """
    for word in options:
        name, equals, level = word.lstrip("-").partition("=")
        if name == ANY:
            robot = f"{ANY}{level.removeprefix(ANY)}" if equals else USUAL
            if robot not in LEVEL_OF:
                raise BadArguments(f'"{word}" is not allowed: write --robot, or a level from --robot=1 to --robot=5.')
            return robot
    return ""


def seeks_shown(request: Request, game: str) -> dict[str, object]:
    """The open seeks of a game as its list shows them to the sender of the mail, and the first that they may take."""
    seeks, reader = request.tx.seeks.open(game), request.sender.proven or request.sender.claimed
    ids = [seek.player.id for seek in seeks]
    records, paces = request.tx.ratings.of(game, ids), request.tx.paces.of(game, ids)
    rows = [
        Offered(
            seek,
            "You" if seek.player == reader else seek.player.userid,
            records[seek.player.id].at(request.now),
            paces[seek.player.id],
        )
        for seek in seeks
    ]
    others = (seek for seek in seeks if reader is None or (seek.player != reader and fits(request, seek, reader)))
    return {"offered": rows, "open": next((seek.id for seek in others), None)}
