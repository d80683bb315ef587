"""`python -m pbm.bots PID`: a question on standard input, thoughts on standard output, within limits of the system.

PID: the process that asks.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pbm.bots.mind import read, think, told

SECONDS = 120
"""Processor time after which the system ends the process."""

MEMORY = 2 << 30
"""Octets of memory it may have."""


def limit() -> None:
    """Be nice, and let the system stop what goes astray; where it does not let us, whoever asked must see to it."""
    with suppress(OSError):
        os.nice(10)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@contextmanager
def ending_with(asker: int) -> Iterator[None]:
    """Think no longer than the process that asked is there: it may have been killed before this one could look.

    What a package has begun ends, too, if this process was given a group of its own.
    """

    def look_up(*_: object) -> None:
        if os.getppid() != asker:
            if os.getpgrp() == os.getpid():
                os.killpg(0, signal.SIGKILL)
            os._exit(1)

    signal.signal(signal.SIGALRM, look_up)
    signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
    look_up()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # Python forgets the handler as it ends, and the signal would kill it


def main() -> None:
    limit()
    with ending_with(int(sys.argv[1])):
        question = read(sys.stdin.read())
        with os.fdopen(os.dup(1), "w") as answer:
            os.dup2(2, 1)  # what a package prints, in whatever language it is written, is no thought
            answer.write(told(think(question)))


if __name__ == "__main__":
    main()
