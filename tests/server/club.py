"""A club in which anybody says anything at any time: `python -m tests.server.club --steps 400`.

Its members answer any of their mails, and write new ones, with all that was ever said in the golden conversations: as
it is, about other people and boards, cut, mixed and misspelt; some mails have bytes changed. Meanwhile they play, time
passes and robots think. Whatever they write, no mail may be parked, nothing may fail, each mail of ours must be fit to
be sent, and the database must stay sound.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

from structlog.testing import capture_logs

from games import GAMES
from pbm.domain.configuration import Limits
from pbm.domain.mail import Arrival
from pbm.server import Arriving, Settings
from tests.conversation import INDENT, ROBOT, Got, House, address_of
from tests.golden_file import CONVERSATIONS
from tests.mailin.fuzz import mutated
from tests.parts import in_full

MEMBERS = ("alice", "bob", "carol", "dave", "erin", "frank")
VOUCHED = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
MUCH = Limits(scale=1000)
"""So high that members are answered however much they write."""
_SAID = re.compile(r">>> .*?: (.*)")
_EXAMPLES = re.compile(r"for instance:\n\n((?:  \S.*\n)+)")


def sayings() -> list[tuple[str, str]]:
    """What the mails of the golden conversations say: the subject or first line, and the lines below."""
    said: list[tuple[str, str]] = []
    for path in CONVERSATIONS:
        for line in in_full(path.read_text()).splitlines():
            if found := _SAID.match(line):
                said.append((found[1], ""))
            elif line.startswith(INDENT) and said:
                said[-1] = said[-1][0], f"{said[-1][1]}{line.strip()}\n"
            elif line.startswith("<<<"):
                said.append(("", ""))  # an answer to a mail of ours follows
    return [each for each in said if any(each)]


class Club:
    """Six members, what they may say, and the dice that decide who says it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.dice = Random(seed)
        self.house = House(f"sqlite:///{folder / 'club.db'}", Settings(ROBOT, MUCH))
        self.said = sayings()
        self.boards: list[int] = []
        for number, userid in enumerate(MEMBERS):
            self.house.player(userid, form="html" if number % 2 else "text")

    def step(self) -> str:
        """Let something happen; returns what. Raises: AssertionError if it goes wrong."""
        chance = self.dice.random()
        with capture_logs() as logs:
            if chance < 0.08:
                minutes = self.dice.choice((1, 30, 300, 1500, 6000, 30000))
                what, got = f"{minutes} minutes pass", self.house.wait(timedelta(minutes=minutes))
            elif chance < 0.1:
                what, got = "robots think", self.house.think()
            else:
                mail = self._mail()
                what, got = repr(mail.raw), self.house.deliver(mail)
        faults = [log for log in logs if log["log_level"] in ("error", "critical")]
        assert not faults, f"{what}: {faults}"
        with self.house.service.store.read() as tx:
            parked = [row for row in tx.inbox.latest(Arrival.PARKED, 100) if not row.reason.startswith("reject:")]
        assert not parked, f"{what}: {parked[0].reason}"
        self.boards += {each.board for each in got if each.board is not None} - {*self.boards}
        return what

    def _mail(self) -> Arriving:
        who = self.dice.choice(MEMBERS)
        if len(self.boards) < 4 or self.dice.random() < 0.06:
            other = self.dice.choice([each for each in MEMBERS if each != who])
            return self.house.mail(who, f"{self.dice.choice(list(GAMES))} challenge {who} {other}")
        box = self.house.mailboxes.get(address_of(who), [])
        line, body = self._words()
        if box and self.dice.random() < 0.65:
            number = min(len(box), self.dice.choice((1, 1, 2, 3, 5, 8, 1000)))
            moves = _moves(box[-number])
            if moves and self.dice.random() < 0.5:
                line = self.dice.choice(moves)
            mail = self.house.answering(who, f"{line}\n{body}", mail=1 - number)
        else:
            if self.dice.random() < 0.1:
                who = "stranger@example.com"
            mail = self.house.mail(who, _in_header(line), body, **(VOUCHED if self.dice.random() < 0.5 else {}))
        if self.dice.random() < 0.15:
            mail = Arriving(mail.mail_from, mail.recipients, mutated(self.dice, [mail.raw]))
        return mail

    def _words(self) -> tuple[str, str]:
        """A first line and the text below it."""
        line, body = self.dice.choice(self.said)
        line, chance = self._elsewhere(line), self.dice.random()
        words = line.split()
        if chance < 0.15:
            self.dice.shuffle(words)
            line = " ".join(words)
        elif chance < 0.2:
            line = line[: self.dice.randint(0, len(line))]
        elif chance < 0.25:
            line = "".join(self.dice.choice((c, c, c, c + c, chr(self.dice.randrange(32, 0x2FF)))) for c in line)
        elif chance < 0.3:
            body = self._elsewhere(self.dice.choice(self.said)[0])
        return line, self._elsewhere(body)

    def _elsewhere(self, text: str) -> str:
        """The text with other people and boards in it."""
        text = re.sub("|".join(MEMBERS), lambda found: self.dice.choice((found[0], *MEMBERS)), text)
        return re.sub(r"\b10\d\b", lambda found: str(self.dice.choice((found[0], *self.boards))), text)


def _in_header(line: str) -> str:
    return line if line.isascii() else "=?utf-8?q?" + "".join(f"={octet:02X}" for octet in line.encode()) + "?="


def _moves(got: Got) -> list[str]:
    """The moves that a mail gives as examples."""
    found = _EXAMPLES.search(got.body) if "text/plain" in got.forms else None
    return [line.strip() for line in found[1].splitlines()] if found else []


def main(arguments: Sequence[str]) -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--steps", type=int, default=400)
    reader.add_argument("--seed", type=int, default=1)
    wanted = reader.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        club = Club(Path(folder), wanted.seed)
        for number in range(wanted.steps):
            try:
                club.step()
            except Exception:
                print(f"seed {wanted.seed}, step {number}:", file=sys.stderr)
                raise
        problems = club.house.service.store.check()
        assert not problems, problems
        print(f"{wanted.steps} steps, {len(club.boards)} boards, {club.house._number - 1} mails: nothing went wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
