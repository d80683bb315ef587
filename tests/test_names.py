"""One meaning for each word: no two classes of one name in pbm and games, no file name twice in pbm.

Names that may stand twice are listed here with a reason; a name that no longer does must leave the list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import house

ROOT = Path(__file__).parent.parent

OWN = "each game has its own, under the name that the protocol gives it"
TABLE = "a table of the configuration file, under the name that operators write, beside what it configures"
CLASSES = {
    "Options": OWN,
    "Position": OWN,
    "Move": OWN,
    "Delivery": TABLE,
    "Server": TABLE,
    "Answer": "to a command, in a mail of ours; and a guest's, to an invitation",
    "Command": "of a mail; and of the shell, as click calls it",
    "Group": "of stones; and of commands, as click calls it",
    "Ending": "of a match; and of a game on a board of cells",
    "Line": "of a tournament's standings; and of a drawing",
    "Outcome": "of a game; and of a command",
    "Settings": "of a player; and of the server",
    "Sheet": "that a plane is drawn on; and that a mail is",
    "Stage": "of a tournament; and of an SMTP dialogue",
}
FILES = {
    "players.py": "the operator's commands, and their rows",
    "ratings.py": "their arithmetic, and their rows",
    "settings.py": "of players, as they choose them and as they are; and of the server",
    "tournaments.py": "the operator's commands, and their rows",
    "verbs.py": "all there are, and those of tournaments",
}


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def class_names(path: Path) -> list[str]:
    """The names of its classes, without the private ones."""
    return re.findall(r"^ *class ([A-Z]\w*)[(:]", path.read_text(), re.MULTILINE)


def twice(names: Iterator[str]) -> set[str]:
    return {name for name, times in Counter(names).items() if times > 1}


FOUND = {
    "classes": (twice(name for path in sources("pbm", "games") for name in class_names(path)), CLASSES),
    "files": (twice(path.name for path in sources("pbm") if not path.name.startswith("__")), FILES),
}


@pytest.mark.parametrize("kind", FOUND)
def test_a_name_is_given_once(kind: str) -> None:
    found, allowed = FOUND[kind]
    assert found - set(allowed) == set(), "find another word for one of them, or say here why both need it"


@pytest.mark.parametrize("kind", FOUND)
def test_what_no_longer_stands_twice_is_not_listed(kind: str) -> None:
    found, allowed = FOUND[kind]
    assert set(allowed) - found == set()


def test_no_private_names_of_libraries_are_used() -> None:
    """Such names change without notice: a library is used as its manual shows."""
    assert house.House(house.sources()).private_names == []
