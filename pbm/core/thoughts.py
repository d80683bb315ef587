"""What is to be thought about by the thinking process, and what becomes of the thoughts.

A source looks at the database and names tasks, the most urgent first. A task's question is answered outside of any
transaction, by a process that can be killed; `then` or `failed` is done afterwards in a short transaction, and finds
out for itself whether what it was for still stands. Tasks follow from what is stored, so none is lost by a kill, and
two processes may think about the same: the second one comes too late and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pbm.bots import Question, Thought
from pbm.core.notify import Tools
from pbm.store import Transaction


@dataclass(frozen=True, slots=True)
class Settling:
    """The transaction in which a task is settled."""

    tx: Transaction
    tools: Tools
    now: datetime


@dataclass(frozen=True, slots=True)
class Task:
    """key: the same for the same thing to be thought about. failed: is told the reason."""

    key: str
    question: Question
    then: Callable[[Settling, Sequence[Thought]], None]
    failed: Callable[[Settling, str], None]


Source = Callable[[Settling], Iterable[Task]]
SOURCES: list[Source] = []


def thinks(source: Source) -> Source:
    """The decorated function is asked for tasks, in the order of their files' names."""
    SOURCES.append(source)
    return source
