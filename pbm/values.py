"""Values: data that nobody changes once it is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Makes a dataclass with slots that can be a key, and whose fields the type checker lets nobody set.

    Were they guarded while the program runs, too, each class would take twice as long to make, which is a fifth of a
    command's time, and each value more than twice as long, of which a move makes thousands.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
