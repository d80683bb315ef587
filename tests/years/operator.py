"""The operator of a simulated club, who does anything at any time; and the clock of the machine, which leaps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from random import Random

from pbm.domain.calendars import StopKind
from pbm.domain.errors import Rejected
from pbm.server import Service
from pbm.server.arbiter import Arbiter
from pbm.server.operator import Administration
from pbm.server.rows import end_halt, halt
from pbm.server.steward import Steward
from tests.years.people import Player, Twin
from tests.years.world import World

BY_TIME = frozenset({"forfeit", "void"})


class Operator:
    """Acts on whichever server is there, and tells the story what was meant."""

    def __init__(self, world: World, dice: Random, players: Sequence[Player]) -> None:
        self._world, self._dice, self._players = world, dice, players
        self._acts = 0

    def act(self) -> None:
        """Do something to somebody; what may not be done now is refused, and no harm."""
        acts = (
            self._void,
            self._void,
            self._extend,
            self._keep_out,
            self._rest,
            self._rename,
            self._erase,
            self._leap,
            self._lose_the_machine,
            self._upgrade,
            self._merge,
        )
        self._acts += 1
        self._world.beat()
        self._world.wake()
        try:
            self._dice.choice(acts)()
        except Rejected as refusal:
            self._note(f"may not: {refusal}")

    def change_the_secret(self) -> None:
        """Old tokens hold for a month."""
        self._acts += 1
        now = self._world.clock()
        self._service.store.rotate_secret(now, now + timedelta(days=30))

    @property
    def _service(self) -> Service:
        return self._world.workers[0].service

    def _note(self, what: str) -> None:
        self._world.story.note(self._world.now, f"the operator {what}")

    def _running(self) -> list[int]:
        with self._service.store.read() as tx:
            return [each.board for each in tx.matches.summaries(active=True, limit=None)]

    def _somebody(self) -> Player:
        return self._dice.choice([player for player in self._players if not player.is_gone])

    def _void(self) -> None:
        if boards := self._running():
            board = self._dice.choice(boards)
            self._world.story.voided.add(board)
            self._note(f"makes board {board} void")
            Arbiter(self._service).void(board)

    def _extend(self) -> None:
        self._note("gives everybody two days more")
        gift = timedelta(days=2)
        self._world.story.gifts.append((self._world.clock(), gift))
        Arbiter(self._service).extend_all(gift // timedelta(microseconds=1))

    def _keep_out(self) -> None:
        """For a day; their clocks run on."""
        somebody, begins = self._somebody(), self._world.clock()
        until = begins + timedelta(days=1)
        self._note(f"keeps out {somebody.userid}")
        Steward(self._service).ban(somebody.name, until, "a day off")
        self._world.story.kept_out.append((somebody.userid, begins, until))

    def _rest(self) -> None:
        """Mail is taken, and nothing is played for some hours."""
        hours = self._dice.choice((1, 7, 30))
        self._note(f"rests for {hours} hours")
        halt(self._service.store, StopKind.MAINTENANCE)

        def go_on() -> None:
            self._acts += 1
            end_halt(self._service.store, StopKind.MAINTENANCE)
            self._world.wake()

        self._world.later(self._world.now + timedelta(hours=hours), go_on)

    def _rename(self) -> None:
        somebody = self._somebody()
        wanted = f"{somebody.userid}{self._dice.randint(2, 99)}"
        self._note(f"renames {somebody.name} to {wanted}")
        Administration(self._service).rename(somebody.name, wanted)
        somebody.name = wanted
        self._world.story.names[somebody.userid].append(wanted)

    def _erase(self) -> None:
        """One at most, for a small club must go on."""
        story = self._world.story
        if story.erased:
            return
        somebody = self._somebody()
        self._note(f"erases {somebody.userid}")
        Administration(self._service).remove_player(somebody.name)
        somebody.is_gone = True
        story.erased[somebody.userid] = self._world.now

    def _lose_the_machine(self) -> None:
        """Promote a standby that has everything, or restore a backup, which is older: then what came since is lost."""
        world, copied_at = self._world, self._world.now
        age = timedelta(minutes=self._dice.choice((0, 0, 30, 300)))
        copy, acts, closed = world.copied(), self._acts, len(world.closed)

        def go_on() -> None:
            if (self._acts, len(world.closed), world.skew) != (acts, closed, timedelta()):
                return  # what the operator did since would have to be done again
            self._note(f"loses the machine, and goes on with a copy that is {age} old")
            world.promote(copy)
            if age:
                world.story.restored.append((copied_at, world.now))
                self._service.store.set_back(world.clock())

        if age:
            world.later(world.now + age, go_on)
        else:
            go_on()

    def _merge(self) -> None:
        """Somebody opens a second account, plays with it, and has it made a part of their first after some days."""
        story, somebody = self._world.story, self._somebody()
        twin = Twin(self._world, f"{somebody.userid}ii", Random(f"{somebody.userid} {self._acts}"), [], somebody.haste)
        if twin.userid in story.addresses:
            return
        twin.join(f"{twin.userid}@s1.example")
        twin.begin()

        def merge() -> None:
            self._acts += 1
            twin.is_gone = True
            try:
                Administration(self._service).merge(twin.userid, somebody.name)
            except Rejected as refusal:
                self._note(f"may not: {refusal}")
            else:
                story.merged[twin.userid] = somebody.userid
                self._note(f"merges {twin.userid} into {somebody.name}")

        self._world.later(self._world.now + timedelta(days=self._dice.uniform(0.5, 3)), merge)

    def _upgrade(self) -> None:
        self._note("upgrades the program, on one machine after another")
        self._world.upgrade()

    def _leap(self) -> None:
        """The clock of the machine is ahead for an hour. Nobody whose time is not over then loses by it."""
        world, ahead = self._world, timedelta(hours=self._dice.choice((1, 20)))
        if world.skew:
            return
        back_at = world.now + timedelta(hours=1)
        with self._service.store.read() as tx:
            running = tx.matches.summaries(active=True, limit=None)
        safe = {each.board for each in running if each.deadline_at is None or each.deadline_at > back_at}
        self._note(f"has a clock that is ahead by {ahead}")
        world.leap(ahead)

        def put_right() -> None:
            world.leap(-ahead)
            world.story.leaps.append((back_at - timedelta(hours=1), world.now + ahead))
            with self._service.store.read() as tx:
                for each in tx.matches.summaries(active=False, limit=None):
                    by_time = each.result is not None and each.result.ending in BY_TIME
                    if by_time and each.board in safe - world.story.voided:
                        world.story.seen.append(f"board {each.board} was lost by a clock that was ahead")

        world.later(back_at, put_right)
