"""The log: one line for each event on standard error.

A line about a mail gives its number in the inbox as mail=ID: when it is taken in, when it is handled, and when each
mail that it caused is delivered. No line contains what players wrote.
"""

from __future__ import annotations

import atexit
import io
import json
import logging
import os
import re
import sys
import threading
from contextlib import suppress
from datetime import UTC, datetime
from queue import Full, Queue
from time import monotonic, sleep
from typing import TextIO, cast

import structlog
from structlog.contextvars import merge_contextvars
from structlog.processors import NAME_TO_LEVEL, JSONRenderer, format_exc_info
from structlog.typing import EventDict

from pbm.cli.settings import Log

_BARE = re.compile(r"[^\s\"=]+")

MOST_WAITING = 10_000
"""The most lines that may wait for a slow reader."""
_LAST_SECONDS = 1.0
"""How long the end of the process waits for them."""
_LOOK_SECONDS = 0.01

_opened: list[Unhurried] = []


@atexit.register
def drain() -> None:
    """Wait until all that was logged is written, but not for long."""
    for stream in _opened:
        stream.drain()


class Unhurried:
    """A text stream that never makes its writer wait: lines that nobody reads, or that find a full disk, are dropped
    and counted.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: Queue[str] = Queue(MOST_WAITING)
        self._dropped, self._counting = 0, threading.Lock()
        threading.Thread(target=self._run, name="log", daemon=True).start()
        _opened.append(self)

    def write(self, text: str) -> int:
        try:
            self._waiting.put_nowait(text)
        # A server must not stand still because nobody reads its log.
        except Full:
            self._drop(text.count("\n"))
        return len(text)

    def flush(self) -> None:
        """Nothing: no caller needs to wait."""

    def drain(self) -> None:
        """Wait until all is written, but not for long."""
        end = monotonic() + _LAST_SECONDS
        while self._waiting.unfinished_tasks and monotonic() < end:
            sleep(_LOOK_SECONDS)

    def _run(self) -> None:
        while True:
            text = self._waiting.get()
            with self._counting:
                dropped, self._dropped = self._dropped, 0
            self._put(text)
            if dropped:
                self._put(f"{dropped} lines dropped, for nobody read them\n")
            self._waiting.task_done()

    def _drop(self, lines: int) -> None:
        with self._counting:
            self._dropped += lines

    def _put(self, text: str) -> None:
        left = text.encode("utf-8", "backslashreplace")
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        # A full disk is told to the operator otherwise.
        except OSError:
            self._drop(left.count(b"\n"))


class _Chosen:
    """Which lines are told, and how; set_level may change the level later."""

    level, form = logging.INFO, "text"


def _check_level(_logger: object, level: str, event: EventDict) -> EventDict:
    """Raises: DropEvent, which drops the line."""
    if NAME_TO_LEVEL[level] < _Chosen.level:
        raise structlog.DropEvent
    return event


def _line(logger: object, level: str, event: EventDict) -> str:
    """Instant, level, event, and the rest as name=value, with a traceback below; or all of it as JSON."""
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    event = merge_contextvars(logger, level, event)
    # No variables in tracebacks: they would show what players wrote, even passwords.
    if "exc_info" in event:
        event = format_exc_info(logger, level, event)
    if _Chosen.form == "json":
        return str(_AS_JSON(logger, level, {**event, "level": level, "timestamp": at}))
    head, traceback = f"{at} {level:7} {event.pop('event')}", event.pop("exception", None)
    words = "".join([f" {name}={value if type(value) is int else _quoted(value)}" for name, value in event.items()])
    return head + words if traceback is None else f"{head}{words}\n{traceback}"


_AS_JSON = JSONRenderer()


def set_level(level: str) -> None:
    """Set the level for our lines and the libraries'."""
    _Chosen.level = logging.getLevelNamesMapping()[level.upper()]
    logging.getLogger().setLevel(_Chosen.level)


def log_to_stderr(settings: Log, *, for_good: bool = False) -> None:
    """for_good: the form will not change in this process, and no caller waits for the reader of standard error."""
    stream = sys.stderr
    if for_good:
        # It is no file of the system where tests stand in for it.
        with suppress(io.UnsupportedOperation):
            stream = cast("TextIO", Unhurried(sys.stderr.fileno()))
    _Chosen.form = settings.format
    structlog.configure(
        processors=[_check_level, _line],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=for_good,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=_line))
    logging.basicConfig(handlers=[handler], force=True)
    set_level(settings.level)
    logging.getLogger("alembic").setLevel(logging.WARNING)


def _quoted(value: object) -> str:
    text = str(value)
    return text if _BARE.fullmatch(text) and text.isprintable() else json.dumps(text)
