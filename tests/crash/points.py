"""Named points between accept, commit, handling, outbox write, delivery and its mark, where a process is killed.

The program knows nothing of them: in a process that is to die, the functions named here are wrapped.
"""

from __future__ import annotations

import asyncio
import functools
import os
import signal
from collections.abc import Callable
from importlib import import_module
from typing import Any

POINTS: dict[str, tuple[str, str]] = {
    "a mail has arrived": ("pbm.server:Service.accept", "before"),
    "a mail is in the inbox, not committed": ("pbm.store.queues:Inbox.add", "after"),
    "a mail is safe, its sender does not know": ("pbm.server:Service.accept", "after"),
    "its sender was told 250": ("pbm.edges.receive:Listener.commit", "after"),
    "a mail is about to be handled": ("pbm.server:Service.handle", "before"),
    "a mail was read": ("pbm.server.handle:Handler.read", "after"),
    "a board was changed, not committed": ("pbm.store.matches:Matches.add_ply", "after"),
    "the answers are in the outbox, not committed": ("pbm.store.queues:Outbox.add", "after"),
    "a mail is settled, not committed": ("pbm.store.queues:Inbox.settle", "after"),
    "a mail is handled": ("pbm.server:Service.handle", "after"),
    "mails are taken up for delivery": ("pbm.store.queues:Outbox.claim", "after"),
    "a mail is about to be sent": ("pbm.edges.transports:Smarthost.send", "before"),
    "a mail is half sent": ("pbm.edges.handover:Handover._hand_over", "before"),
    "the smarthost took a mail, it is not marked": ("pbm.edges.transports:Smarthost.send", "after"),
    "a mail is marked as sent, not committed": ("pbm.store.queues:Outbox.sent", "after"),
    "a delivery is marked": ("pbm.edges.deliver:Deliverer._mark_and_claim", "after"),
    "a board is taken up whose time is over": ("pbm.store.matches:Matches.claim_due", "after"),
    "a board was ended, not committed": ("pbm.store.matches:Matches.end", "after"),
    "a due thing is done": ("pbm.core.registry:Runner._do_next", "after"),
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
