"""`python -m pbm.bots`: a question on standard input, thoughts on standard output, within limits of the system."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from pbm.bots.mind import read, think, told

SECONDS = 120
"""Processor time after which the system ends the process."""

MEMORY = 2 << 30
"""Octets of memory it may have."""


def limit() -> None:
    """Be nice, and let the system stop what goes astray; where it does not let us, whoever asked must see to it."""
    with suppress(OSError):
        os.nice(10)
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    limit()
    sys.stdout.write(told(think(read(sys.stdin.read()))))


if __name__ == "__main__":
    main()
