"""The robots as players: their names, which players are robots, and how long they may think for whom.

A robot's row among the players is made when somebody first wants to play it. It has neither an address nor a password,
so nobody can write in its name, and it is marked as a bot, so no game of it is rated. A person who already has such a
userid keeps it, and then there is no robot of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from pbm.bots.levels import Question, Thought
from pbm.core.bus import joins
from pbm.core.limits import THINKING, Act, Whose, excess, spend
from pbm.core.notify import Desk, letters_for, reader_of
from pbm.core.robot_players import LEVEL_OF as LEVEL_OF
from pbm.core.robot_players import robots as robots
from pbm.core.robot_players import robots_among as robots_among
from pbm.domain.mail import RemarkKind
from pbm.domain.match import Match, Player
from pbm.store import Transaction
from pbm.store.house import THINK, Item
from pbm.values import frozen

ANY, USUAL = "robot", "robot3"
"""The word for any robot, and the robot that plays then."""

UNHEARD = "robot"
"""What a message to a robot alone is read as: robots read no messages."""

SWAPS_BELOW = -0.02
"""A robot swaps sides, and advises others to, when its own side is worth less than this."""


def robot_called(tx: Transaction, word: str) -> str:
    """The userid of the robot that a userid or just `robot` means; empty if it means a person or nobody."""
    name = USUAL if word.casefold() == ANY else word.casefold()
    player = tx.players.find(name)
    is_ours = is_robot(tx, player) if player is not None else name in LEVEL_OF and not tx.players.is_taken(name)
    return name if is_ours else ""


def robot_named(tx: Transaction, word: str) -> Player | None:
    """The robot that a userid or just `robot` means, made if need be; None if it means a person or nobody."""
    name = robot_called(tx, word)
    player = tx.players.find(name) if name else None
    # Robots that nobody plays have no row, so that lists of players hold people.
    if name and player is None:
        player = tx.players.add(name, "", tx.now)
        tx.players.set_bot(player.id, bot=True)
    return player


def is_robot(tx: Transaction, player: Player) -> bool:
    return bool(robots_among(tx, (player,)))


Ask = Callable[[Question], Sequence[Thought]]
"""Gets a question answered. Raises: NoThought, Stopped; GameError for a faulty question."""


@frozen
class Task:
    """Something for robots to think about. key: the same for the same work. then: is given what the work returns.

    work: raises what Ask does, and Rejected. failed: is given the reason. whom: the id of the player it is for; 0 for
    none. game: the game that robots are asked about; empty if they are asked nothing.
    """

    key: str
    work: Callable[[Ask], Any]
    then: Callable[[Desk, Any], None]
    failed: Callable[[Desk, str], None]
    whom: int = 0
    game: str = ""


def give_up(item: Item, tries: int, whom: int, subject: str, page: str, at: Desk, _: str, **words: Any) -> None:
    """Put a failed item off, up to `tries` tries in all; then drop it and tell its player, if any, that it failed."""
    if item.attempts + 1 < tries:
        at.tx.agenda.postpone(item, at.now)
        return
    player = at.tx.players.get(whom)
    if at.tx.agenda.drop(THINK, item.key) and player is not None:
        at.owe(letters_for(at, reader_of(at, player), subject, page, **words))


def asked(question: Question) -> Callable[[Ask], Sequence[Thought]]:
    """The work of getting one question answered."""
    return lambda ask: ask(question)


_TENTHS = 10
"""Parts of a second, as the bucket counts them."""


def charge(at: Desk, whom: int, seconds: float) -> None:
    """Draw what robots have thought for a player; tell them when that was too much."""
    tx, limits, whose = at.tx, at.tools.limits, _whose(whom)
    player = tx.players.get(whom)
    # The clock may have been set back meanwhile.
    if player is None or seconds <= 0:
        return
    was_closed = excess(tx.guesses, limits, at.now, Act.THINKING, whose) is not None
    spend(tx.guesses, limits, at.now, Act.THINKING, whose, round(seconds * _TENTHS))
    problem = excess(tx.guesses, limits, at.now, Act.THINKING, whose)
    # Told when it closes, not with each thought that was under way by then.
    if problem is not None and not was_closed:
        reader, minutes = reader_of(at, player), round(limits.thinking_seconds_per_hour * limits.scale / 60)
        words = {"minutes": minutes, "until": problem.until, "zone": reader.settings.zone}
        at.owe(letters_for(at, reader, "pbm: robots pause", "robots-pause.txt", **words))


def spent(at: Desk) -> set[int]:
    """The ids of players for whom robots have thought so much that they pause."""
    tx = at.tx
    closed = {int(row.key.subject.split()[1]) for row in tx.guesses.locked(at.now, (THINKING,))}
    # What lies in the future does not count: the clock was ahead.
    return {whom for whom in closed if excess(tx.guesses, at.tools.limits, at.now, Act.THINKING, _whose(whom))}


def _whose(whom: int) -> Whose:
    return Whose(account=f"player {whom}")


def later(at: Desk, player: Player) -> str:
    """The end of a sentence on what robots will do for a player; empty unless they pause for that player."""
    return " as soon as robots think for you again" if player.id in spent(at) else ""


def hints_told(tx: Transaction, match: Match) -> str:
    """A sentence on the plies at which a robot gave hints on the board; empty for none."""
    hints = tx.remarks.of(RemarkKind.HINT, match.board) if robots_among(tx, match.players) else []
    if not hints:
        return ""
    *plies, last = sorted({hint.ply + 1 for hint in hints})
    had = f"hints at plies {', '.join(map(str, plies))} and {last}" if plies else f"a hint at ply {last}"
    return f"{hints[0].author.userid} had {had}."


def orders(tx: Transaction, word: str) -> Iterator[tuple[Item, int, int]]:
    """The waiting orders that begin with a word, the oldest first; "review 101:7" is of board 101, for player 7.

    The second number is 0 if an order has only one.
    """
    for item in tx.agenda.of(THINK):
        first_word, _, numbers = item.key.partition(" ")
        if first_word == word:
            first, _, second = numbers.partition(":")
            yield item, int(first), int(second or 0)


TAKEN = "taken"
"""The kind of agenda items, by key of a task, that say that a process thinks about it; it renews them in time."""


OUTDATED, OUTDATED_EVERY = "outdated", timedelta(days=1)
"""The kind of the agenda item that says that the operator was told to restart the server, and how long it stays."""


Source = Callable[[Desk], Iterable[Task]]
MOVES: list[Source] = []
"""Sources of tasks that a player at a board waits for; these have a process of their own."""
LESSONS: list[Source] = []
"""Sources of tasks that take minutes."""
LEISURE: list[Source] = []
"""Sources that are asked only when there are no lessons."""


thinks, teaches, thinks_at_leisure = map(joins, (MOVES, LESSONS, LEISURE))
"""Each adds the decorated function to its sources, which are asked for tasks in the order of their files' names."""
