"""The robots as players: what they are called, and which player is one.

A robot's row among the players is made when somebody first wants to play it. It has neither an address nor a password,
so nobody can write in its name, and it is marked as a program, so nothing it plays is rated. A person who had such a
userid before keeps it, and there is then no robot of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pbm.bots import LEVELS, Question, Thought
from pbm.core.bus import joins
from pbm.core.notify import Desk, letters_for, reader_of
from pbm.domain.mail import RemarkKind
from pbm.domain.match import Match, Player
from pbm.store import Transaction
from pbm.store.house import THINK, Item

LEVEL_OF = {f"robot{level}": level for level in sorted(LEVELS)}
"""By userid."""

ANY, USUAL = "robot", "robot3"
"""The names by which somebody may ask for a robot, and which one that is."""

UNHEARD = "robot"
"""How a message is read that only a robot gets, which hears nothing."""

SWAPS_BELOW = -0.02
"""A robot takes the other side over when its own is worth less, and advises others to."""


def robot_called(tx: Transaction, word: str) -> str:
    """The userid of the robot that a userid or just `robot` means; empty when it means a person or nobody."""
    name = USUAL if word.casefold() == ANY else word.casefold()
    player = tx.players.find(name)
    is_ours = is_robot(tx, player) if player is not None else name in LEVEL_OF and not tx.players.is_taken(name)
    return name if is_ours else ""


def robot_named(tx: Transaction, word: str) -> Player | None:
    """The robot that a userid or just `robot` means; None when it means a person or nobody."""
    name = robot_called(tx, word)
    player = tx.players.find(name) if name else None
    if name and player is None:
        player = tx.players.add(name, "", tx.now)
        tx.players.set_bot(player.id, bot=True)
    return player


def robots_among(tx: Transaction, players: Collection[Player]) -> list[Player]:
    """Those of the players that are our robots: other people's programs have passwords."""
    named = {player.id: player for player in players if player.userid.casefold() in LEVEL_OF}
    if not named:
        return []
    new = [player for key, player in named.items() if key < 0]  # made in a rehearsal
    return new + [named[key] for key in sorted(tx.players.bots(named)) if not tx.players.password_hash(key)]


def is_robot(tx: Transaction, player: Player) -> bool:
    return bool(robots_among(tx, (player,)))


def robots(tx: Transaction) -> list[Player]:
    """Those that somebody has played."""
    found = (tx.players.find(name) for name in LEVEL_OF)
    return robots_among(tx, [player for player in found if player is not None])


Ask = Callable[[Question], Sequence[Thought]]
"""Has a question answered. Raises: NoThought, Stopped; GameError for a question amiss."""


@dataclass(frozen=True, slots=True)
class Task:
    """key: the same for the same thing to be thought about. then: is given what the work has brought about.

    work: raises what Ask does, and Rejected. failed: is told the reason. whom: the player it is for, by id; 0 for all.
    game: what robots are asked about; empty where they are asked nothing.
    """

    key: str
    work: Callable[[Ask], Any]
    then: Callable[[Desk, Any], None]
    failed: Callable[[Desk, str], None]
    whom: int = 0
    game: str = ""


def give_up(item: Item, tries: int, whom: int, subject: str, page: str, at: Desk, _: str, **words: Any) -> None:
    """Try again what failed for an item, so many times in all; then tell a player, if any, that nothing will come."""
    if item.attempts + 1 < tries:
        at.tx.agenda.postpone(item, at.now)
        return
    player = at.tx.players.get(whom)
    if at.tx.agenda.drop(THINK, item.key) and player is not None:
        at.owe(letters_for(at, reader_of(at, player), subject, page, **words))


def asked(question: Question) -> Callable[[Ask], Sequence[Thought]]:
    """The work of having one question answered."""
    return lambda ask: ask(question)


SPENT = "thought"
"""On the agenda, by player: how long robots have thought for them within an hour, until that hour is over."""

_WINDOW = timedelta(hours=1)


def charge(at: Desk, whom: int, seconds: float) -> None:
    """Note that robots have thought for a player; tell them when it is as much as an hour holds."""
    tx, most = at.tx, at.tools.limits.thinking_seconds_per_hour
    player = tx.players.get(whom)
    if player is None or seconds <= 0:
        return
    noted = tx.agenda.get(SPENT, whom)
    known = noted if noted and _counts(at, noted) else None
    before = float(known.payload["seconds"]) if known else 0.0
    ends_at = known.due_at if known else at.now + _WINDOW
    tx.agenda.put(SPENT, whom, ends_at, seconds=before + seconds)
    if before < most <= before + seconds:
        reader = reader_of(at, player)
        words = {"minutes": round(most / 60), "until": ends_at, "zone": reader.settings.zone}
        at.owe(letters_for(at, reader, "pbm: robots pause", "robots-pause.txt", **words))


def spent(at: Desk) -> set[int]:
    """The players for whom robots have thought as long as an hour allows."""
    most = at.tools.limits.thinking_seconds_per_hour
    noted = at.tx.agenda.of(SPENT)
    return {int(item.key) for item in noted if item.payload["seconds"] >= most and _counts(at, item)}


def _counts(at: Desk, spent: Item) -> bool:
    """Whether the hour is this one, and not one that was begun while the clock was ahead."""
    return spent.due_at <= at.now + _WINDOW


def later(at: Desk, player: Player) -> str:
    """The rest of a sentence that says what robots will do for a player: whether they pause before."""
    return " as soon as robots think for you again" if player.id in spent(at) else ""


def hints_told(tx: Transaction, match: Match) -> str:
    """At which plies a robot gave hints on the board, as a sentence; empty for none."""
    hints = tx.remarks.of(RemarkKind.HINT, match.board) if robots_among(tx, match.players) else []
    if not hints:
        return ""
    *plies, last = sorted({hint.ply + 1 for hint in hints})
    had = f"hints at plies {', '.join(map(str, plies))} and {last}" if plies else f"a hint at ply {last}"
    return f"{hints[0].author.userid} had {had}."


def orders(tx: Transaction, word: str) -> Iterator[tuple[Item, int, int]]:
    """The orders of a word that wait for thought, the oldest first: "review 101:7" is of board 101, for player 7.

    The second number is 0 where there is but one.
    """
    for item in tx.agenda.of(THINK):
        said, _, numbers = item.key.partition(" ")
        if said == word:
            first, _, second = numbers.partition(":")
            yield item, int(first), int(second or 0)


TAKEN = "taken"
"""On the agenda, by key of a task: some process thinks about it, and says so again before the item is due."""


Source = Callable[[Desk], Iterable[Task]]
MOVES: list[Source] = []
"""What somebody waits for with a board; a process of its own thinks about it, so that it waits for nothing below."""
LESSONS: list[Source] = []
"""What takes minutes."""
LEISURE: list[Source] = []
"""Asked only when there are no lessons."""


thinks, teaches, thinks_at_leisure = map(joins, (MOVES, LESSONS, LEISURE))
"""The decorated function is asked for tasks, in the order of their files' names: for moves; for lessons, which take
minutes; and for what waits for all lessons.
"""
