"""Values that differ in some fields from others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

V = TypeVar("V")


@cache
def _read(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The fields that such a value is made of, and how they are read from one."""
    names = tuple(each.name for each in fields(kind) if each.init)
    return names, attrgetter(*names)


def replace(value: V, /, **changes: Any) -> V:
    """As that of dataclasses, which looks at each field anew each time. For values of several fields."""
    kind: Callable[..., V] = type(value)
    names, read = _read(kind)
    return kind(**{**dict(zip(names, read(value), strict=True)), **changes})
