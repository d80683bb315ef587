"""A process that has the program loaded and forks real `pbm` processes, in milliseconds instead of a second each.

It reads orders from its standard input, each a JSON object on a line, and answers each with the new process's id:
{"arguments": [...], "out": PATH, "input": PATH, "point": NAME or null, "pass": NUMBER, "step": NUMBER,
"clock": PATH or null}. All but the first two may be missing.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pbm.edges import transports
from pbm.edges.claims import Claims
from pbm.server import batch, thinker
from tests.crash.points import POINTS, die_at, die_at_step

LEASE_SECONDS = 0.6
"""How long a dead process keeps others from the mails it was sending, and from what its robots thought about: short, so
that many can die in a minute.
"""
NEVER = 1000
"""How often a mail must be begun to be suspected, where a process of its own would have another clock."""
LOADED = (
    "pbm.cli.frame",
    "pbm.cli.running",
    "pbm.cli.copying",
    "pbm.cli.mails",
    "pbm.cli.players",
    "pbm.cli.opening",
    "pbm.archive.press",
    "pbm.edges.server",
    "pbm.server.handle",
)


def main() -> None:
    for module in (*LOADED, *(place.partition(":")[0] for place, _ in POINTS.values())):
        import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _be(json.loads(line))
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


def _be(order: dict[str, Any]) -> None:
    """Become the ordered process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    out = os.open(order["out"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for number in (1, 2):
        os.dup2(out, number)
    os.dup2(os.open(order.get("input", os.devnull), os.O_RDONLY), 0)
    Claims.lease_seconds, Claims.renewal_seconds = LEASE_SECONDS, LEASE_SECONDS / 3
    transports._TEXT_PATIENCE = 1
    thinker.HELD = timedelta(seconds=LEASE_SECONDS)
    if order.get("clock"):
        batch.SUSPECTED = NEVER  # type: ignore[attr-defined]
        _set_clock(Path(order["clock"]))
    if order.get("point"):
        die_at(order["point"], order["pass"])
    count = die_at_step(order["step"]) if order.get("step") else lambda: None
    from pbm.cli import main as pbm

    try:
        pbm(order["arguments"])
    finally:
        count()
        os._exit(1)


def _set_clock(path: Path) -> None:
    """Let the service's clock be off by the number of seconds in a file, whatever that says at the time."""
    from pbm.server import Service

    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(path.read_text() or 0))

    Service.__init__ = partial_init(Service.__init__, clock)  # type: ignore[method-assign]


def partial_init(init: Any, clock: Any) -> Any:
    def with_clock(self: Any, *args: Any, **kwargs: Any) -> None:
        partial(init, self, *args, clock=clock)(**{**kwargs, "clock": clock})

    return with_clock


if __name__ == "__main__":
    main()
