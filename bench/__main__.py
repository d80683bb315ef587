"""The bench suite: `python -m bench [--full] [--postgresql URL] [--json FILE] [--compare FILE] [PART ...]`.

Everything is measured in one run on one machine, which the load generator and the sink share with the server, and each
figure is shown next to a floor from the same run. Without --full it takes about two minutes.
"""

from __future__ import annotations

import json
import logging
import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import structlog
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bench.parts import FULL, PARTS, QUICK, Run
from bench.report import compared, tables

_WIDTH = 150
"""The width of a line without a terminal."""


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)), metavar="[PART]...")
@click.option("--full", is_flag=True, help="A million boards, a burst of 100,000 mails, longer measurements.")
@click.option("--postgresql", metavar="URL", help="A server where databases may be made, to be measured as well.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Write all figures there.")
@click.option("--compare", "before", type=click.Path(path_type=Path, exists=True), help="Figures of an earlier run.")
def main(parts: tuple[str, ...], full: bool, postgresql: str | None, target: Path | None, before: Path | None) -> None:
    """Measure the server: moves a second, latencies, mails accepted, stages, growth, a burst. PARTS: only these."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    chosen = [name for name in PARTS if not parts or name in parts]
    figures: dict[str, Any] = {"machine": _machine()}
    with tempfile.TemporaryDirectory(prefix="pbm-bench-") as folder, _progress(console) as progress:
        run = Run(Path(folder), FULL if full else QUICK, postgresql, progress)
        task = progress.add_task("all", total=len(chosen))
        for name in chosen:
            progress.update(task, description=name)
            figures[name] = PARTS[name](run)
            progress.advance(task)
    for table in tables(figures):
        console.print(table)
    if before is not None:
        console.print(compared(json.loads(before.read_text()), figures))
    if target is not None:
        target.write_text(json.dumps(figures, indent=2) + "\n")


def _progress(console: Console) -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console, transient=True)


def _machine() -> dict[str, Any]:
    model = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if "model name" in line
    ]
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "processors": len(model),
        "model": model[0] if model else "",
    }


if __name__ == "__main__":
    main()
