"""The files and functions in docs/developing.md exist, and a move by mail passes them in the order told there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bench.trace import one_move
from tests.conversation import House

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "developing.md").read_text()
NAMED = sorted(set(re.findall(r"`([\w./-]+/[\w./-]*(?::[\w.]+)?)`", PAGE)))
MOST_FILES = 53
"""How many files a move by mail may run through."""
WAY = re.findall(r"^\| `([\w./]+:[\w.]+)` \|", PAGE, re.MULTILINE)


def defined(body: list[ast.stmt], within: str = "") -> Iterator[str]:
    """The names of classes, functions and methods."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield within + node.name
        if isinstance(node, ast.ClassDef):
            yield from defined(node.body, f"{node.name}.")


def is_there(name: str) -> bool:
    path, _, function = name.partition(":")
    if not function:
        return (ROOT / path).exists()
    return (ROOT / path).exists() and function in defined(ast.parse((ROOT / path).read_text()).body)


def test_what_is_named_is_there() -> None:
    assert len(NAMED) > 50
    assert [name for name in NAMED if not is_there(name)] == []


def test_a_move_by_mail_goes_this_way(house: House) -> None:
    trace = one_move(house)
    passed = [name for name in trace.functions if name in WAY]
    assert passed == WAY
    assert len(WAY) > 20
    assert len(trace.files) <= MOST_FILES, "let a file that is entered for one small function be read where it is used"
