"""A real terminal, in which `pbm` runs."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic

import pyte

LINES, COLUMNS = 40, 120
PATIENCE_SECONDS = 120
UP, ENTER, CONTROL_C, TAB = "\x1b[A", "\r", "\x03", "\t"


class Terminal:
    """A terminal in which a command runs."""

    def __init__(self, *words: str, environment: Mapping[str, str] = os.environ, columns: int = COLUMNS) -> None:
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (LINES, columns))
        self._screen = pyte.Screen(columns, LINES)
        self._stream, self._ours = pyte.ByteStream(self._screen), ours
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pbm", *words],
            stdin=theirs, stdout=theirs, stderr=theirs, env={**environment, "TERM": "xterm"}, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)

    def keys(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def shows(self, wanted: Callable[[str], bool] | str) -> str:
        """The screen, once it shows what is wanted."""
        is_there = wanted if callable(wanted) else lambda text: wanted in text
        end = monotonic() + PATIENCE_SECONDS
        while not is_there(text := "\n".join(self._screen.display)):
            assert monotonic() < end, text
            if select.select([self._ours], [], [], 0.1)[0]:
                self._stream.feed(os.read(self._ours, 65536))
        return text

    def highlighted(self) -> str:
        """The characters that are shown reversed on the right, above the status line."""
        rows = (self._screen.buffer[row] for row in range(LINES - 3))
        return "".join(row[column].data for row in rows for column in range(33, COLUMNS) if row[column].reverse)

    def hang_up(self) -> None:
        os.close(self._ours)
        self._ours = os.open(os.devnull, os.O_RDWR)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@contextmanager
def terminal(*words: str, environment: Mapping[str, str] = os.environ, columns: int = COLUMNS) -> Iterator[Terminal]:
    opened = Terminal(*words, environment=environment, columns=columns)
    try:
        yield opened
    finally:
        opened.close()
