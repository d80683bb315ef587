"""The figures of a run as tables, next to the floors of the same run, and next to those of an earlier run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

Figures = Mapping[str, Any]
_NOTABLE = 1.05
"""A figure that changed by a smaller factor is not shown."""


def tables(figures: Figures) -> Iterator[Table]:
    """One table for each part that was measured."""
    floors = figures.get("floors")
    if floors is not None:
        yield _table("floors of this machine", floors, [floors])
    if "moves" in figures:
        yield _table("complete moves: a mail in, the move stored, two board mails out; ms until the opponent's mail",
                     _HEADINGS, _beside(figures["moves"], floors))  # fmt: skip
    titles = {
        "accepting": "mails taken in and committed, nobody handling them",
        "stages": "processor milliseconds of one mail, by length of the record",
        "growth": "moves a second by size of the database and of its records",
        "club": "processor milliseconds a mail of each verb and of the mix of a club; the p99 of its moves; memory",
    }
    for name, title in titles.items():
        if name in figures:
            yield _table(title, list(figures[name][0]), figures[name], upright=name == "stages")
    if "burst" in figures:
        yield _table("a burst", list(figures["burst"]), [figures["burst"]])


_HEADINGS = (
    "server", "connections", "moves_per_second", "floor_moves", "server_ms", "floor_ms", "times", "of_taken",
    "of_commits", "p50", "p95", "p99", "load_ms", "octets", "floor_octets", "megabytes",
)  # fmt: skip


def _beside(rows: Sequence[Figures], floors: Figures | None) -> list[Figures]:
    """The rows with their share of what the floors allow."""
    if floors is None:
        return list(rows)
    return [
        {**row, "of_taken": row["moves_per_second"] / floors["taken_per_second"],
         "of_commits": row["moves_per_second"] / floors["commits_per_second"]}
        for row in rows
    ]  # fmt: skip


def _table(title: str, headings: Sequence[str] | Figures, rows: Sequence[Figures], *, upright: bool = False) -> Table:
    """upright: one line per figure and one column per row, for rows with many figures."""
    table = Table(title=title, box=box.SIMPLE, title_justify="left", padding=(0, 1))
    names = list(headings)
    if upright:
        table.add_column("")
        for _ in rows:
            table.add_column(justify="right")
        for name in names:
            table.add_row(name.replace("_", " "), *(_shown(row.get(name)) for row in rows))
        return table
    for name in names:
        table.add_column(name.replace("_", " "), justify="left" if name == "server" else "right")
    for row in rows:
        table.add_row(*(_shown(row.get(name)) for name in names))
    return table


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"
    if isinstance(value, list | tuple):
        return " + ".join(map(_shown, value))
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def compared(before: Figures, after: Figures) -> Table:
    """What changed by more than a twentieth."""
    table = Table("figure", "before", "now", "times", title="changes", box=box.SIMPLE, title_justify="left")
    earlier = dict(_leaves(before))
    for name, value in _leaves(after):
        old = earlier.get(name)
        if old and value and not 1 / _NOTABLE < value / old < _NOTABLE:
            table.add_row(name, _shown(old), _shown(value), f"{value / old:.2f}")
    return table


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number with its path; rows are named by what they are, not by their place."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name} {key}".strip())
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            words = (
                [str(inner[key]) for key in ("server", "boards", "plies", "connections") if key in inner]
                if isinstance(inner, Mapping)
                else [str(number)]
            )
            yield from _leaves(inner, f"{name} {' '.join(words)}")
    elif isinstance(value, float):
        yield name, value
