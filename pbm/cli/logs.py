"""How a server tells what it does: one line for each event, ours and the libraries', on standard error.

A line that concerns a mail names it, as mail=ID, by its number in the inbox: from the mail taken in, over its handling,
to the delivery of each mail that came of it. What stands in such a line is never what players wrote.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog
from structlog.typing import EventDict, Processor

from pbm.cli.settings import Log

_BARE = re.compile(r"[^\s\"=]+")


class _Patient:
    """A text stream whose full disk is nobody's trouble: what cannot be logged is left out, and the work goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            return self._stream.write(text)
        return 0

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def log_to_stderr(settings: Log, *, for_good: bool = False) -> None:
    """for_good: nobody will ask for another form in this process, which makes events that are left out cost nothing."""
    stream = cast("TextIO", _Patient(sys.stderr))
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # A traceback that tells variables would tell what players wrote, passwords among it.
        structlog.processors.format_exc_info,
    ]
    last = structlog.processors.JSONRenderer() if settings.format == "json" else _as_text
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    structlog.configure(
        processors=[*shared, last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=for_good,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=last, foreign_pre_chain=shared))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)


def _as_text(_logger: object, _method: str, event: EventDict) -> str:
    """Instant, level, what happened, and the rest as name=value; a traceback below."""
    head = f"{event.pop('timestamp')} {event.pop('level'):7} {event.pop('event')}"
    traceback = event.pop("exception", None)
    words = [head, *(f"{name}={_quoted(value)}" for name, value in event.items() if not name.startswith("_"))]
    return " ".join(words) if traceback is None else " ".join(words) + f"\n{traceback}"


def _quoted(value: object) -> str:
    text = str(value)
    return text if _BARE.fullmatch(text) and text.isprintable() else json.dumps(text)
