"""How tests wait for what other threads and processes do: until it has happened, which a busy machine may delay."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE_SECONDS = 300.0
"""After which something hangs: no measure of how long it may take."""


def wait_until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def let_pass(seconds: float) -> None:
    """So much time passes at once, for all that waits in the event loop that runs."""
    loop = asyncio.get_running_loop()
    time_before = loop.time
    loop.time = lambda: time_before() + seconds  # type: ignore[method-assign]
