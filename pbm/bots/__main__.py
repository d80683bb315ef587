"""`python -m pbm.bots PID`: a question on standard input, thoughts on standard output, within system limits.

PID: the process that asks.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from contextlib import suppress
from dataclasses import asdict

from pbm.bots.mind import read, think

SECONDS = 120
"""The processor time after which the system ends the process."""

MEMORY = 2 << 30
"""The octets of memory it may use."""


def limit() -> None:
    """Lowers the priority, and lets the system stop a runaway process; if it cannot, the process that asked must."""
    with suppress(OSError):
        os.nice(10)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def end_with(asker: int) -> None:
    """Ends this process when the process that asked is gone, which may happen even before this one starts."""

    def look_up(*_: object) -> None:
        if os.getppid() != asker:
            # With what a package has started, if that is in this group.
            if os.getpgrp() == os.getpid():
                os.killpg(0, signal.SIGKILL)
            os._exit(1)

    signal.signal(signal.SIGALRM, look_up)
    signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
    look_up()


def main() -> None:
    limit()
    end_with(int(sys.argv[1]))
    try:
        question = read(sys.stdin.read())
        with os.fdopen(os.dup(1), "w") as answer:
            os.dup2(2, 1)  # what a package prints, even from other languages, is not part of the answer
            answer.write(json.dumps([asdict(thought) for thought in think(question)]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # Python drops the handler at its end, and the signal would kill it


if __name__ == "__main__":
    main()
