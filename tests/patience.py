"""How tests wait for other threads and processes: until it has happened, however long a busy machine takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE_SECONDS = 300.0
"""After this time something hangs; not a measure of how long anything may take."""


def wait_until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def let_pass(seconds: float) -> None:
    """Let the running event loop believe that this much time has passed at once."""
    loop = asyncio.get_running_loop()
    time_before = loop.time
    loop.time = lambda: time_before() + seconds  # type: ignore[method-assign]
