"""How much code one move by mail runs through, and how large the code is: `python -m bench.trace [--way]`.

The move is an answer to a board mail, handled by a server that has done the same before. Counted are the files and
functions of pbm and games that the handling thread runs through; how often, going through the functions in the order of
their first calls, it comes back to a file that it had left; and the types that hold words of the mail, or its move, on
the way.
"""

from __future__ import annotations

import ast
import dataclasses
import gc
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

import click
from rich.console import Console
from rich.table import Table

from tests.conversation import House
from tests.databases import Files

ROOT = Path(__file__).parent.parent
MOVE = "C3"
REMARK = "Haselnusskuchen ist gut"
"""A word found in nothing but the mail."""
LONG = 50
"""The most lines that a function may have."""


@dataclass(slots=True)
class Trace:
    """functions: those called, as "pbm/server/handle.py:Service.handle", in the order of their first calls.

    holders: types that held words of the mail.
    """

    functions: list[str] = field(default_factory=list)
    holders: list[str] = field(default_factory=list)

    @property
    def files(self) -> list[str]:
        """In the order of their first calls."""
        return list(dict.fromkeys(self._visits()))

    @property
    def returns(self) -> int:
        visits = self._visits()
        return len(visits) - len(set(visits))

    def _visits(self) -> list[str]:
        return [path for path, _ in groupby(name.partition(":")[0] for name in self.functions)]


class Tracer:
    """Notes the calls of its thread until its block ends.

    No garbage is collected meanwhile: generators that others left run once more when they are.
    """

    def __init__(self) -> None:
        self._seen: dict[CodeType, str] = {}
        self._holders: dict[str, None] = {}

    def __enter__(self) -> Tracer:
        gc.collect()
        gc.disable()
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        gc.enable()

    @property
    def trace(self) -> Trace:
        return Trace(list(dict.fromkeys(name for name in self._seen.values() if name)), list(self._holders))

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if code not in self._seen:
            self._seen[code] = name_of(code)
        if not self._seen[code]:
            return
        values = [argument] if event == "return" else list(frame.f_locals.values()) if event == "call" else []
        for value in values:
            if type(value).__module__.startswith(("pbm.", "games.")) and holds(value):
                self._holders[type(value).__qualname__] = None


def name_of(code: CodeType) -> str:
    """Empty if it is not a function of ours, or only a part of one."""
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in ("pbm", "games") or "<" in code.co_name:
        return ""
    return f"{path.relative_to(ROOT)}:{code.co_qualname.replace('.<locals>', '')}"


def holds(value: object) -> bool:
    """Whether the fields of a value hold words of the mail."""
    return dataclasses.is_dataclass(value) and any(map(_speaks, _texts(value)))


def _speaks(text: str | bytes) -> bool:
    return REMARK.encode() in text if isinstance(text, bytes) else REMARK in text or text == MOVE


def _texts(value: object) -> Iterator[str | bytes]:
    for each in dataclasses.fields(value):  # type: ignore[arg-type]
        found = getattr(value, each.name, None)
        for item in found if isinstance(found, (tuple, list)) else (found,):
            if isinstance(item, (str, bytes)):
                yield item


def one_move(house: House) -> Trace:
    """The path of the second move of a game by mail. house: one without players."""
    house.player("alice")
    house.player("bob")
    house.game("cross -size=4 alice bob", ["D4", "D5", "B2"])
    house.answer("bob", "B3\n\nHello", 101)
    mail = house.answering("alice", f"{MOVE}\n\n{REMARK}", 101)
    with Tracer() as tracer:
        house.service.accept([mail])
        house.service.handle()
    told = house.collect()
    assert len(told) == 2, [got.body for got in told]
    assert all(f"played {MOVE}." in got.body for got in told)
    return tracer.trace


def modules() -> dict[str, ast.Module]:
    """The files of pbm and games."""
    paths = sorted(path for folder in ("pbm", "games") for path in (ROOT / folder).rglob("*.py"))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}


def long_functions(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONG:
                yield f"{node.name} ({lines})"


def sizes() -> tuple[int, float, list[str]]:
    """How many modules there are, their median number of lines, and the functions that are too long."""
    found = modules()
    lines = [len((ROOT / path).read_text().splitlines()) for path, tree in found.items() if not _is_empty(tree)]
    long = [f"{path}: {name}" for path, tree in found.items() for name in long_functions(tree)]
    return len(lines), statistics.median(lines), long


def _is_empty(tree: ast.Module) -> bool:
    """Whether a package's file holds only its docstring."""
    return all(isinstance(node, ast.Expr) for node in tree.body)


@click.command()
@click.option("--way", is_flag=True, help="Print every function on the way, too, and the types.")
def main(way: bool) -> None:
    """Print one table: the path of a move by mail, and the sizes of modules."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Files(Path(folder)).ready())
        trace = one_move(house)
        house.service.close()
    count, median, long = sizes()
    table = Table("one move by mail, and the house it runs through", "", "aim")
    rows = [
        ("files on its way", len(trace.files), "at most 45"),
        ("functions on its way", len(trace.functions), ""),
        ("returns into a file already left", trace.returns, ""),
        ("types that hold words of the mail", len(trace.holders), ""),
        ("modules of pbm and games", count, "about 120"),
        ("median lines of a module", f"{median:g}", "150 to 250"),
        (f"functions of more than {LONG} lines", len(long), "0"),
    ]
    for what, measured, aim in rows:
        table.add_row(what, str(measured), aim)
    console = Console()
    console.print(table)
    for line in [*long, *(trace.functions if way else ()), *(trace.holders if way else ())]:
        console.print(line, highlight=False)


if __name__ == "__main__":
    main()
