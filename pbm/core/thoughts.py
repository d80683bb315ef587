"""What is to be thought about by the thinking process, and what becomes of the thoughts.

A source looks at the database and names tasks, the most urgent first. A task's work is done outside of any
transaction, and questions are answered by a process that can be killed; `then` or `failed` is done afterwards in a
short transaction, and finds out for itself whether what it was for still stands. Tasks follow from what is stored, so
none is lost by a kill, and two processes may work at the same: the second one comes too late and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbm.bots import Question, Thought
from pbm.core.notify import Tools
from pbm.store import Transaction


@dataclass(frozen=True, slots=True)
class Settling:
    """The transaction in which a task is settled."""

    tx: Transaction
    tools: Tools
    now: datetime


Ask = Callable[[Question], Sequence[Thought]]
"""Has a question answered. Raises: NoThought, Stopped; GameError for a question amiss."""


@dataclass(frozen=True, slots=True)
class Task:
    """key: the same for the same thing to be thought about. then: is given what the work has brought about.

    work: raises what Ask does, and Rejected. failed: is told the reason.
    """

    key: str
    work: Callable[[Ask], Any]
    then: Callable[[Settling, Any], None]
    failed: Callable[[Settling, str], None]


def asked(question: Question) -> Callable[[Ask], Sequence[Thought]]:
    """The work of having one question answered."""
    return lambda ask: ask(question)


Source = Callable[[Settling], Iterable[Task]]
SOURCES: list[Source] = []


def thinks(source: Source) -> Source:
    """The decorated function is asked for tasks, in the order of their files' names."""
    SOURCES.append(source)
    return source
