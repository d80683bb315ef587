"""English: players are "they", and the subject comes first; a few patterns check this in all our prose."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "templates").rglob("*.txt")],
)
MODULES = sorted(path for folder in ("pbm", "games") for path in (ROOT / folder).rglob("*.py"))
MAN = re.compile(r"\b([Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b|does not do\b|further ado")
"""A player who is a man, and phrases that no native speaker would use."""

CLAUSE = re.compile(r"[.;] Who [a-z]+ [^?]*?\.(?!\w)", re.DOTALL)
"""A clause with "who" that is the subject."""


def written(path: Path) -> str:
    """The prose of a file: a page as a whole; the strings and comments of a module."""
    text = path.read_text()
    if path.suffix != ".py":
        return text
    comments = re.findall(r"(?m)#\s(.*)$", text)
    return "\n\n".join([*_texts(text), *comments])


def _texts(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_players_are_they_and_come_first() -> None:
    assert len(PAGES) > 100
    assert len(MODULES) > 100
    prose = {path: written(path) for path in (*PAGES, *MODULES)}
    slips = [(path, match[0]) for path in prose for rule in (MAN, CLAUSE) for match in rule.finditer(prose[path])]
    assert slips == []


@pytest.mark.parametrize(
    "sentence", ["Then he moves.", "Done. Who leaves the game loses it.", "5min does not do: write 5m."]
)
def test_a_slip_is_found(sentence: str) -> None:
    assert MAN.search(sentence) or CLAUSE.search(sentence)


UNSPOKEN = {"pbm/mailin/quotes.py": "letters that nobody sees", "pbm/reading/sentences.py": "the range ß-ÿ"}
"""Files with letters beyond ASCII, and which those are."""


def test_words_of_other_languages_are_data() -> None:
    """They stand in templates/, where whoever speaks a language can add to them, and in worked examples."""
    written_so = [path for path in MODULES if re.search(r"[^\x00-\x7f]|\\[NUux]", path.read_text())]
    spoken = {str(path.relative_to(ROOT)) for path in written_so if any(map(_is_foreign, _said_by(path)))}
    assert spoken == set(UNSPOKEN)


def _said_by(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text())
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield node.value


def _is_foreign(text: str) -> bool:
    return any(letter.isalpha() and not letter.isascii() for letter in text)
