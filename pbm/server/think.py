"""The thinking process: one task after the other, each outside of any transaction; see pbm/core/robots.py."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from games.rules import GameError
from pbm.bots import NoThought, Stopped
from pbm.core.notify import Tools
from pbm.core.robots import LEISURE, SOURCES, Ask, Settling, Task
from pbm.domain.errors import Rejected
from pbm.store import DatabaseTrouble, Store

log = structlog.get_logger()

AGAIN = timedelta(minutes=10)
"""After which a task is tried again that failed."""


class Thinker:
    """ask: has a question answered by a process of its own."""

    def __init__(self, store: Store, tools: Tools, clock: Callable[[], datetime], ask: Ask) -> None:
        self._store, self._tools, self._clock, self._ask = store, tools, clock, ask
        self._later: dict[str, datetime] = {}

    def run(self, limit: int = 1) -> int:
        """Settle tasks, the most urgent first; returns how many there were. Raises: DatabaseTrouble."""
        for done in range(limit):
            task = self._next()
            if task is None:
                return done
            self._settle(task)
        return limit

    def _next(self) -> Task | None:
        now = self._clock()
        self._later = {key: at for key, at in self._later.items() if at > now}
        with self._store.read() as tx:
            at = Settling(tx, self._tools, now)
            tasks = (task for source in (*SOURCES, *LEISURE) for task in source(at))
            return next((task for task in tasks if task.key not in self._later), None)

    def _settle(self, task: Task) -> None:
        try:
            found = task.work(self._ask)
            with self._store.write() as tx:
                task.then(Settling(tx, self._tools, self._clock()), found)
        except Stopped:
            return
        except DatabaseTrouble:
            self._tools.states.forget()
            raise
        except Exception as error:
            self._tools.states.forget()
            self._later[task.key] = self._clock() + AGAIN
            known = isinstance(error, NoThought | GameError | Rejected)
            log.error("thought_failed", task=task.key, reason=str(error), exc_info=None if known else error)
            with self._store.write() as tx:
                task.failed(Settling(tx, self._tools, self._clock()), str(error))
