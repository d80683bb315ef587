"""How simple the house is: `python -m bench.trace [--way] [--names]` prints each figure beside its aim.

The figures of the sources are counted in bench/house.py; those of a move's way are counted here, as it happens.

The move is an answer to a board mail, handled by a server that has done the same before. Counted are the files and
functions of pbm and games that the handling thread runs through; how often, going through the functions in the order of
their first calls, it comes back to a file that it had left; and the types that hold words of the mail, or its move, on
the way.
"""

from __future__ import annotations

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

from bench.house import LONG_FUNCTION, LONG_LINE, ROOT, SMALL, golden_files_of_a_footer, sources
from bench.house import House as Sources
from tests.conversation import House
from tests.databases import Files

MOVE = "C3"
REMARK = "Haselnusskuchen ist gut"
"""A word found in nothing but the mail."""


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


def rows(trace: Trace, house: Sources) -> list[tuple[str, str, str]]:
    """What is measured, how much it is, and what it should be."""
    modules = house.modules
    return [
        ("files on a move's way", f"{len(trace.files)}", "≤ 45"),
        ("functions on a move's way", f"{len(trace.functions)}", "≤ 300"),
        ("returns into a file left", f"{trace.returns}", "≤ 110"),
        ("types that hold words of the mail", f"{len(trace.holders)}", ""),
        ("product lines, pbm + games", f"{house.lines:,}", "≤ 43,000"),
        ("modules", f"{len(modules)}", ""),
        ("median lines of a module", f"{statistics.median(modules):g}", "150 to 250"),
        (f"functions of more than {LONG_FUNCTION} lines", f"{len(house.long)}", "0"),
        (f"branches per line (functions of {SMALL} lines and more)", f"{house.branches_a_line():.2f}", "≤ 0.33"),
        *((f"  {name}", f"{house.branches_a_line(f'{name}/'):.2f}", "") for name in _folders(house)),
        ("functions with more than 20 branches", f"{len(house.branchy(20))}", "0"),
        ("functions with more than 12 branches", f"{len(house.branchy(12))}", ""),
        ("mean length of a line that is not blank", f"{house.mean_length:.1f}", "≤ 53.8"),
        (f"lines over {LONG_LINE} characters", f"{house.share_of_long_lines:.1%}", "≤ 11 %"),
        ("comment lines per 1,000", f"{house.comments_per_1000:.1f}", "≥ 25"),
        ("files that know of rehearsing, reading ahead, letting pass", f"{len(house.batching)}", "1"),
        ("uses of private names of libraries", f"{len(house.private_names)}", "0"),
        ("sentences put together outside compose/", f"{len(house.glued)}", "0 when languages come"),
        ("golden files that change with a footer word, at most", f"{golden_files_of_a_footer()[0]}", "≤ 5"),
    ]


def _folders(house: Sources) -> list[str]:
    """The packages of pbm, and games."""
    paths = [source.path.split("/") for source in house.sources]
    return sorted({"/".join(parts[:2]) if parts[0] == "pbm" else "games" for parts in paths if len(parts) > 2})


@click.command()
@click.option("--way", is_flag=True, help="Print every function on the way, too, and the types.")
@click.option("--names", is_flag=True, help="Print what the figures of the sources count, too.")
def main(way: bool, names: bool) -> None:
    """Print the table of how simple the house is: the path of a move by mail, and what its sources hold."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Files(Path(folder)).ready())
        trace = one_move(house)
        house.service.close()
    found = Sources(sources())
    table = Table("one move by mail, and the house it runs through", "now", "aim")
    for row in rows(trace, found):
        table.add_row(*row)
    console = Console()
    console.print(table)
    counted = [*found.branchy(12), *found.long, *found.batching, *found.private_names, *found.glued] if names else []
    for line in [*counted, *(trace.functions if way else ()), *(trace.holders if way else ())]:
        console.print(line, highlight=False)


if __name__ == "__main__":
    main()
