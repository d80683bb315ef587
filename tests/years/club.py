"""A club from a seed: its players, its enemies, and what they do in a time; then peace, and the referee."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random

import structlog

from tests.conversation import ROBOT
from tests.years.operator import Operator
from tests.years.people import Babbler, Enemy, Player
from tests.years.referee import broken
from tests.years.story import Story
from tests.years.world import NONE, SOME, Faults, World

_NAMES = (
    "alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "kim", "lily", "mike", "nina",
    "oscar", "peggy", "quinn", "rupert", "sybil", "trent", "ursula", "victor", "wendy", "xaver", "yara", "zoe",
)  # fmt: skip
_PEACE = timedelta(days=3)
"""How long nothing fails at the end, and nobody writes, before the referee looks."""


_SHORTEST, _FEWEST = 0.5, 2
"""Days, and people, of the smallest club."""
_LINES = 40


@dataclass(frozen=True)
class Case:
    """A club, its time and its troubles. Equal cases lead to the same trace, on each machine."""

    seed: int
    days: float
    people: int = 12
    enemies: int = 2
    faults: Faults = SOME

    def __str__(self) -> str:
        spared = [each.name for each in fields(self.faults) if not getattr(self.faults, each.name)]
        words = [f"--without {','.join(spared)}"] if spared else []
        numbers = f"--seed {self.seed} --years {self.days / 365!r} --people {self.people} --enemies {self.enemies}"
        return " ".join(["python -m tests.years", numbers, *words])


def shrunk(case: Case, is_bad: Callable[[Case], bool]) -> Case:
    """The smallest case found in which a promise is broken, as one is in this case."""
    for shrink in _SHRINKS:
        smaller = shrink(case)
        while smaller != case and is_bad(smaller):
            case, smaller = smaller, shrink(smaller)
    return case


def _spare(name: str, case: Case) -> Case:
    return replace(case, faults=replace(case.faults, **{name: 0.0}))


_SHRINKS: tuple[Callable[[Case], Case], ...] = (
    lambda case: replace(case, faults=NONE),
    lambda case: replace(case, people=max(_FEWEST, case.people // 2)),
    lambda case: replace(case, days=max(_SHORTEST, case.days / 2)),
    lambda case: replace(case, enemies=0),
    *(partial(_spare, each.name) for each in fields(Faults)),
)
"""Each makes less happen, if that is possible."""


@dataclass(frozen=True)
class Outcome:
    story: Story
    problems: tuple[str, ...]
    kills: int
    troubles: int

    @property
    def summary(self) -> str:
        story = self.story
        return (
            f"{len(story.said)} mails written, {len(story.told)} read, {self.kills} servers killed, "
            f"the disk full {self.troubles} times, trace {story.mark}"
        )

    @property
    def report(self) -> list[str]:
        """The first broken promise, and what happened about it."""
        first = next(iter(self.problems), "")
        return [f"  {first}", *(f"    {line}" for line in self.story.about(first)[-_LINES:])]


def lived(case: Case) -> Outcome:
    """What became of a club, whose database is gone afterwards."""
    memory = Path("/dev/shm")  # noqa: S108  a disk would be waited for at each commit, which no clock here notices
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        return live(Path(folder), case)


def live(folder: Path, case: Case) -> Outcome:
    """Let a club live, with its database in the folder."""
    seed, days, people, enemies, faults = case.seed, case.days, case.people, case.enemies, case.faults
    dice, world = Random(f"people {seed}"), World(folder, seed, faults)
    processors = structlog.get_config()["processors"]
    kept = processors.copy()
    processors[:] = [world.read_log]
    try:
        names = [name if number < len(_NAMES) else f"{name}{number}" for number, name in _named(people)]
        babblers = {*names[2:3], *names[8::8]}
        world.story.babblers |= babblers
        players = [
            (Babbler if name in babblers else Player)(
                world, name, Random(f"{seed} {name}"), names, haste=dice.choice((0.1, 0.5, 1, 4, 12))
            )
            for name in names
        ]
        _join(world, players, dice)
        end = world.now + timedelta(days=days)
        for player in players:
            for _ in range(round(days / 3)):
                world.later(world.now + timedelta(days=dice.uniform(0, days * 0.9)), player.begin)
            world.later(world.now + timedelta(hours=dice.uniform(0, 5)), player.begin)
        for babbler in [player for player in players if isinstance(player, Babbler)]:
            for _ in range(round(days * 6)):
                world.later(world.now + timedelta(days=dice.uniform(0, days)), babbler.babble)
        for number in range(enemies):
            enemy = Enemy(world, f"mallory{number}", Random(f"{seed} mallory{number}"), names)
            for _ in range(round(days / 2)):
                world.later(world.now + timedelta(days=dice.uniform(0.2, days)), enemy.strike)
        if people >= 6:
            _close_a_mailbox(world, dice.choice(players), end)
            operator = Operator(world, Random(f"{seed} operator"), players)
            world.later(world.now + timedelta(days=days / 2), operator.change_the_secret)
            for _ in range(round(days / 2)):
                world.later(world.now + timedelta(days=dice.uniform(0.2, days)), operator.act)
        world.run(end)
        for player in players:
            player.is_gone = True
        world.faults = NONE
        world.story.quiet_from = world.now
        world.run(world.now + _PEACE)
        problems = (*broken(world.story, world.path), *world.workers[0].service.store.check())
        return Outcome(world.story, problems, world.kills, world.troubles)
    finally:
        processors[:] = kept
        world.close()


def _close_a_mailbox(world: World, player: Player, end: datetime) -> None:
    """Somebody leaves in the middle, and their provider closes their mailbox."""

    def close() -> None:
        player.is_gone = True
        world.closed.add(player.address)
        world.story.note(world.now, f"the mailbox of {player.userid} is closed")

    world.later(world.now + (end - world.now) * 2 / 3, close)


def _named(people: int) -> Sequence[tuple[int, str]]:
    return [(number, _NAMES[number % len(_NAMES)]) for number in range(people)]


def _join(world: World, players: Sequence[Player], dice: Random) -> None:
    """They have signed up before; each has an address, of a provider that signs or of one that does not."""
    for player in players:
        player.join(f"{player.userid}@{dice.choice(('s1.example', 's2.example', 'plain.example'))}")
    for player in players:  # a first mail of ours, whose reply address is theirs
        world.post.write(
            player.userid, player.address, ROBOT.address, "help",
            verdict=f"dkim=pass header.d={player.address.rpartition('@')[2]}",
        )  # fmt: skip
