"""The people of a simulated club: players with habits, and enemies who know what is public and forge From."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from datetime import timedelta

from tests.conversation import ROBOT
from tests.mailin.fuzz import mutated
from tests.years.story import Told
from tests.years.words import anything
from tests.years.world import World

GAMES = (
    *("cross -size=3", "cross -size=4", "hex -size=3", "hex -size=4", "four", "y -size=4", "reversi -size=6", "morris"),
    *("dots -columns=2 -rows=2", "clobber -columns=4 -rows=3", "breakthrough -size=5", "yavalath -size=4"),
    *("loops -size=3", "luddit -size=5 -stones=4", "havannah -size=3"),
)
CLOCKS = ("", "", "--clock=3d", "--clock=10d", "--clock=1d")
_EXAMPLES = re.compile(r"for instance:\n\n((?:  \S.*\n)+)")
_ASKED = re.compile(r"^      yes ", re.MULTILINE)
_CHATTER = ("Nice one!", "Well, let us see.", "Sorry for the wait.", "My train was late again.")
_NONSENSE = ("hmm", "Z99", "let me think about it until Sunday", "move", "what a position!")
_ROUTINE = ("show", "history", "help", "games", "standings", "who", "list", "set", "tournaments", "seek")


@dataclass
class Player:
    """A player: reads, and answers in their own time, mostly with a move.

    haste: their usual delay in hours. care: how likely they answer a mail at all.
    """

    world: World
    userid: str
    dice: random.Random
    others: list[str]
    haste: float = 1.0
    care: float = 0.97
    mailbox: list[Told] = field(default_factory=list)
    wrote: list[str] = field(default_factory=list)
    is_gone: bool = False
    name: str = ""
    """Their userid now; they go on using the first."""

    def __post_init__(self) -> None:
        self.name = self.userid

    @property
    def address(self) -> str:
        return self.world.story.addresses[self.userid]

    @property
    def verdict(self) -> str:
        """What the mail server in front says of their genuine mails: half of the providers sign."""
        domain = self.address.rpartition("@")[2]
        return f"dkim=pass header.d={domain}; dmarc=pass header.from={domain}" if domain.startswith("s") else ""

    def join(self, address: str) -> None:
        """Sign up, as was done long ago."""
        with self.world.workers[0].service.store.write() as tx:
            found = tx.players.add(self.userid, "", self.world.clock())
            tx.players.add_address(found.id, address, self.world.clock(), confirmed=True)
            tx.players.save_settings(found.id, {"mail": "text", "picture": "off"})
        self.world.story.addresses[self.userid] = address
        self.world.story.ids[found.id] = self.userid
        self.world.readers[address] = self.read

    def read(self, told: Told) -> None:
        """A mail has come. They answer later, unless the mail asks nothing of them or they let it lie."""
        self.mailbox.append(told)
        if self.is_gone or self.dice.random() > self.care:
            return
        wait = timedelta(hours=self.haste * self.dice.choice((0.02, 0.1, 0.5, 1, 3, 10, 24)))
        self.world.later(self.world.now + wait, lambda: self._answer(told))

    def _answer(self, told: Told) -> None:
        if self.is_gone:
            return
        moves = _EXAMPLES.search(told.text)
        if told.board is not None and moves is not None:
            self._play(told, [line.strip() for line in moves[1].splitlines()])
        elif _ASKED.search(told.text):
            is_own = any(line in told.text for line in self.wrote[-5:])
            is_offer = "a game of" in told.subject
            self._say(told, "yes" if is_own or (is_offer and self.dice.random() < 0.8) else "no")

    def _play(self, told: Told, moves: list[str]) -> None:
        chance = self.dice.random()
        move = self.dice.choice([each for each in moves if each != "swap"] or moves)
        if chance < 0.80:
            self._say(told, move)
        elif chance < 0.88:
            self._say(told, move, self.dice.choice(_CHATTER))
        elif chance < 0.91:
            self._say(told, self.dice.choice(_NONSENSE))
            self._say(told, move)
        elif chance < 0.93:
            self._say(told, self.dice.choice(_ROUTINE))
            self._say(told, move)
        elif chance < 0.95:
            secret = f"secret{len(self.world.story.secrets)}x"
            self.world.story.secrets[secret] = self.userid
            self._say(told, f"note I think of {secret}")
            self._say(told, move)
        elif chance < 0.96:
            self._say(told, "resign!")
        elif chance < 0.97:
            self._say(told, "undo")
        elif chance < 0.98:
            self._say(told, "propose")
        else:
            self._go_astray(told, move)

    def _go_astray(self, told: Told, move: str) -> None:
        """Answer the wrong mail: what the other player got, or an old one of any board."""
        if self.dice.random() < 0.5:
            self._answer_to_all(told, move)
        elif len(self.mailbox) > 3:
            self._say(self.dice.choice(self.mailbox[-10:]), move)

    def _answer_to_all(self, told: Told, move: str) -> None:
        """Answer what the other player got and passed on, whose reply address is that player's."""
        others = [each for each in self.world.story.told[-200:] if each.board == told.board]
        theirs = [each for each in others if each.address != self.address]
        self._say(theirs[-1] if theirs else told, self.dice.choice((move, "resign!", "accept")))

    def begin(self) -> None:
        """They look for a game: with somebody, with a robot, or with anybody."""
        if self.is_gone:
            return
        chance, game = self.dice.random(), self.dice.choice(GAMES)
        name, _, options = game.partition(" ")
        clock = self.dice.choice(CLOCKS)
        if chance < 0.75:
            other = self.dice.choice([each for each in self.others if each != self.userid])
            self._write(f"{name} challenge {options} {clock} {self.userid} {other}")
        elif chance < 0.85:
            self._write(f"cross challenge -size=3 {self.userid} robot1")
        elif chance < 0.95:
            self._write(f"seek {name} {options}")
        else:
            self._write(f"follow {self.dice.randint(101, 140)}")

    def _write(self, line: str) -> None:
        line = " ".join(line.split())
        self.wrote.append(line)
        if self.mailbox and not self.verdict:
            self._say(self.mailbox[-1], line)
        else:
            self.world.post.write(self.userid, self.address, ROBOT.address, line, verdict=self.verdict)

    def _say(self, told: Told, line: str, below: str = "") -> None:
        self.wrote.append(line)
        self.world.post.write(
            self.userid, self.address, told.answers_to, line, below, verdict=self.verdict, answered=told
        )  # fmt: skip


@dataclass
class Twin(Player):
    """A second account of somebody, who tries a robot with it."""

    def begin(self) -> None:
        self._write(f"cross challenge -size=3 {self.userid} robot1")


_TALKS = 0.3
"""How likely a babbler answers a mail; if always, the two would never end."""


@dataclass
class Babbler(Player):
    """Somebody who says anything at any time, to any mail or none, and some of whose mails have bytes changed."""

    def _answer(self, told: Told) -> None:
        moves = _EXAMPLES.search(told.text)
        if moves is not None and self.dice.random() < 0.4:
            self._play(told, [line.strip() for line in moves[1].splitlines()])
        elif self.dice.random() < _TALKS:
            self.babble()

    def babble(self) -> None:
        if self.is_gone:
            return
        boards = [told.board for told in self.mailbox[-50:] if told.board is not None]
        line, below = anything(self.dice, self.others, boards or [101])
        if self.mailbox and self.dice.random() < 0.65:
            last = self.mailbox[-min(len(self.mailbox), self.dice.choice((1, 1, 2, 3, 5, 8, 1000)))]
            to, answered = last.answers_to, last
        else:
            to, answered = ROBOT.address, None
        verdict = self.verdict if self.dice.random() < 0.5 else ""
        tear = (lambda raw: mutated(self.dice, [raw])) if self.dice.random() < 0.15 else None
        self.world.post.write(
            self.userid, self.address, to, line, below, verdict=verdict, answered=answered, tear=tear
        )  # fmt: skip


_HARM = (
    "resign!", "message {other} {mark}", "broadcast {mark}", "cross challenge {victim} {other}", "set alice mail html",
    "block {other}", "vacation 20", "erase me", "revoke", "set challenges none", "remind off", "cross move {board} A1",
    "cross resign {board}", "change-address mallory@evil.example", "add mallory@evil.example",
)  # fmt: skip


@dataclass
class Enemy:
    """Somebody who forges From, and knows the names of players, their boards and the Message-IDs of their mails."""

    world: World
    name: str
    dice: random.Random
    victims: list[str]
    tries: int = 0

    def strike(self) -> None:
        victim, other = self.dice.sample(self.victims, 2)
        self.tries += 1
        chance = self.dice.random()
        if chance < 0.1:
            self._pretend_that_mails_came_back(victim)
        elif chance < 0.15:
            self._flood(victim)
        else:
            self._ask_for_harm(victim, other)

    def _mails_to(self, victim: str) -> list[Told]:
        """The last mails that somebody got, of which others know the Message-IDs."""
        address = self.world.story.addresses[victim]
        return [told for told in self.world.story.told[-500:] if told.address == address][-20:]

    def _pretend_that_mails_came_back(self, victim: str) -> None:
        for told in self._mails_to(victim)[-3:]:
            self.world.post.bounce(self.name, told, ROBOT.address, "5.1.1")

    def _flood(self, victim: str) -> None:
        """Write in somebody's name so often that they would get no answers of their own any more."""
        for _ in range(50):
            line = self.dice.choice(_ROUTINE)
            self.world.post.write(self.name, self.world.story.addresses[victim], ROBOT.address, line)

    def _ask_for_harm(self, victim: str, other: str) -> None:
        mark = f"evil{self.name}{self.tries}x"
        line = self.dice.choice(_HARM).format(
            victim=victim, other=other, mark=mark, board=self.dice.randint(101, 120)
        )  # fmt: skip
        domain = self.world.story.addresses[victim].rpartition("@")[2]
        verdict = f"dkim=none; spf=fail; dmarc=fail header.from={domain}" if self.dice.random() < 0.5 else ""
        seen = self._mails_to(victim)
        sender = self.world.story.addresses[victim]
        if seen and self.dice.random() < 0.5:  # in the thread of a mail that victim got, without its reply address
            told = self.dice.choice(seen)
            self.world.post.write(self.name, sender, ROBOT.address, line, verdict=verdict, answered=told)
        else:
            self.world.post.write(self.name, sender, ROBOT.address, line, verdict=verdict)
