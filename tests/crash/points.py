"""Where a process is killed: named points of a server, and every step of a command.

The program knows nothing of them: in a process that is to die at a point, the functions named here are wrapped; in one
that is to die at a step, each change of a file or folder and each SQL statement of SQLite is counted.
"""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from importlib import import_module
from sqlite3 import dbapi2
from typing import Any

POINTS: dict[str, tuple[str, str]] = {
    "a mail has arrived": ("pbm.server:Service.accept", "before"),
    "a mail is in the inbox, not committed": ("pbm.store.queues:Inbox.add", "after"),
    "a mail is safe, its sender does not know": ("pbm.server:Service.accept", "after"),
    "its sender was told 250": ("pbm.edges.receive:Listener.commit", "after"),
    "a mail is about to be handled": ("pbm.server:Service.handle", "before"),
    "a mail was read": ("pbm.server.handle:Handler.read", "after"),
    "a board was changed, not committed": ("pbm.store.matches:Matches.add_ply", "after"),
    "the answers are in the outbox, not committed": ("pbm.store.queues:Outbox.add_all", "after"),
    "a mail is settled, not committed": ("pbm.store.queues:Inbox.settle", "after"),
    "a mail is handled": ("pbm.server:Service.handle", "after"),
    "mails are taken up for delivery": ("pbm.store.queues:Outbox.claim", "after"),
    "a mail is about to be sent": ("pbm.edges.transports:Smarthost.send", "before"),
    "a mail is half sent": ("pbm.edges.transports:Connection.data", "before"),
    "the smarthost took a mail, it is not marked": ("pbm.edges.transports:Smarthost.send", "after"),
    "a mail is marked as sent, not committed": ("pbm.store.queues:Outbox.sent", "after"),
    "a delivery is marked": ("pbm.edges.claims:Claims.exchange", "after"),
    "a board is taken up whose time is over": ("pbm.store.matches:Matches.claim_due", "after"),
    "a board was ended, not committed": ("pbm.store.matches:Matches.end", "after"),
    "a due thing is done": ("pbm.server.agenda:Runner._do_next", "after"),
    "a thought is begun": ("pbm.server.thinker:Shift.begins", "after"),
    "a thought is done, nothing is written": ("pbm.server.thinker:Thinker._giving_back", "before"),
    "a thought is carried out": ("pbm.server.thinker:Shift.succeeds", "after"),
    "fetched mails are safe, the mailbox does not know": ("pbm.edges.fetch:_Folder.put_aside", "before"),
    "fetched mails are put aside": ("pbm.edges.fetch:_Folder.put_aside", "after"),
}
"""By name: a function, and whether the process is killed before or after it."""


def die_at(point: str, pass_: int) -> None:
    """Let this process kill itself at the point, at this pass, counted from 1."""
    place, when = POINTS[point]
    owner, name, function = find(place)
    left = pass_

    def maybe_die() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, _wrapped(function, maybe_die, after=when == "after"))


KILLED = "killed at a step\n"
"""What a process says on its standard error before it dies at a step."""
_CHANGES = {"os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir"}


def die_at_step(step: int) -> Callable[[], None]:
    """Let this process kill itself before the step is done, counted from 1; returns what counts one more step."""
    left = step

    def count(_statement: str = "") -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.write(2, KILLED.encode())
            os.kill(os.getpid(), signal.SIGKILL)

    def heed(event: str, words: tuple[Any, ...]) -> None:
        if event in _CHANGES or (event == "open" and words[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            count()

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = sqlite3.Connection(*args, **kwargs)
        connection.set_trace_callback(count)
        return connection

    sys.addaudithook(heed)
    sqlite3.connect = connect  # type: ignore[assignment]
    dbapi2.connect = connect  # type: ignore[assignment]
    return count


def find(place: str) -> tuple[Any, str, Callable[..., Any]]:
    """The class, the name and the function that "module:Class.function" names."""
    module, _, path = place.partition(":")
    class_, _, name = path.partition(".")
    owner = getattr(import_module(module), class_)
    return owner, name, getattr(owner, name)


def _wrapped(function: Callable[..., Any], maybe_die: Callable[[], None], *, after: bool) -> Callable[..., Any]:
    @functools.wraps(function)
    def around(*args: Any, **kwargs: Any) -> Any:
        if not after:
            maybe_die()
        result = function(*args, **kwargs)
        if after:
            maybe_die()
        return result

    @functools.wraps(function)
    async def around_coroutine(*args: Any, **kwargs: Any) -> Any:
        if not after:
            maybe_die()
        result = await function(*args, **kwargs)
        if after:
            maybe_die()
        return result

    return around_coroutine if asyncio.iscoroutinefunction(function) else around
