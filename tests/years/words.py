"""Whatever people may say: all that was ever said in the golden conversations, as it is, cut, mixed and misspelt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from random import Random

from tests.conversation import INDENT
from tests.golden_file import CONVERSATIONS
from tests.parts import in_full

_SAID = re.compile(r">>> .*?: (.*)")
_NAMES = re.compile(r"\b(?:alice|bob|carol|dave|erin|frank)\b")


@cache
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


def anything(dice: Random, names: Sequence[str], boards: Sequence[int]) -> tuple[str, str]:
    """A first line and the text below it, about any of these people and boards."""
    said = sayings()
    line, body = dice.choice(said)
    line, chance = _elsewhere(line, dice, names, boards), dice.random()
    if chance < 0.15:
        words = line.split()
        dice.shuffle(words)
        line = " ".join(words)
    elif chance < 0.2:
        line = line[: dice.randint(0, len(line))]
    elif chance < 0.25:
        line = "".join(dice.choice((c, c, c, c + c, chr(dice.randrange(32, 0x2FF)))) for c in line)
    elif chance < 0.3:
        body = dice.choice(said)[0]
    return line, _elsewhere(body, dice, names, boards)


def _elsewhere(text: str, dice: Random, names: Sequence[str], boards: Sequence[int]) -> str:
    """The text with other people and boards in it."""
    text = _NAMES.sub(lambda found: dice.choice((found[0], *names)), text)
    return re.sub(r"\b10\d\b", lambda found: str(dice.choice((found[0], *boards))), text)
