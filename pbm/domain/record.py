"""The record of a match: its plies, oldest first.

Every board that a server remembers holds its record, so plies are packed: 26 octets each, where objects would take 165.
Records never change; one that is longer is another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from struct import Struct
from sys import intern
from typing import NamedTuple, overload

from pbm.domain.calendars import instant_at, micros

Stored = tuple[str, int, int, bool, "int | None"]
"""A ply as databases have it: notation, seat, microseconds since 1970 when it was played, auto, time left."""


class Ply(NamedTuple):
    """One player's turn as it was recorded."""

    notation: str
    seat: int
    """Whose it was, 1 or 2."""
    played_at: datetime
    auto: bool = False
    """The server played it, for it was queued before, or was the only move there was."""
    time_left: int | None = None
    """What their clock showed, in microseconds, before it was added to for the move; None without a clock."""


_PACKED = Struct("<qqB?")
"""Of a ply all but its notation: played_at, time_left, seat, auto."""
_SEAT, _AUTO = 16, 17
"""Where in a packed ply these are."""
_NO_CLOCK = -(1 << 63)


@dataclass(frozen=True, slots=True)
class Record(Sequence[Ply]):
    """Plies, oldest first; a slice is a record, too."""

    notations: tuple[str, ...] = ()
    """Of all plies; records share those of one text."""
    _packed: bytes = b""

    @classmethod
    def of(cls, plies: Iterable[Ply]) -> Record:
        kept = tuple(plies)
        return cls(tuple(intern(each.notation) for each in kept), b"".join(map(_packed, kept)))

    @classmethod
    def stored(cls, plies: Iterable[Stored]) -> Record:
        """Of plies as databases have them."""
        notations, packed = list[str](), list[bytes]()
        for notation, seat, played_at, auto, time_left in plies:
            notations.append(intern(notation))
            packed.append(_PACKED.pack(played_at, _NO_CLOCK if time_left is None else time_left, seat, auto))
        return cls(tuple(notations), b"".join(packed))

    def appended(self, ply: Ply) -> Record:
        """The record with one more ply."""
        return Record((*self.notations, intern(ply.notation)), self._packed + _packed(ply))

    @property
    def seats(self) -> bytes:
        """The seat of each ply."""
        return self._packed[_SEAT :: _PACKED.size]

    @property
    def autos(self) -> bytes:
        """Of each ply 1 if the server played it, or else 0."""
        return self._packed[_AUTO :: _PACKED.size]

    def __len__(self) -> int:
        return len(self.notations)

    @overload
    def __getitem__(self, index: int) -> Ply: ...

    @overload
    def __getitem__(self, index: slice) -> Record: ...

    def __getitem__(self, index: int | slice) -> Ply | Record:
        if isinstance(index, slice):
            width, packed = _PACKED.size, self._packed
            starts = range(0, len(packed), width)[index]
            return Record(self.notations[index], b"".join([packed[start : start + width] for start in starts]))
        notation = self.notations[index]
        return _ply(notation, *_PACKED.unpack_from(self._packed, index * _PACKED.size))

    def __iter__(self) -> Iterator[Ply]:
        for notation, values in zip(self.notations, _PACKED.iter_unpack(self._packed), strict=True):
            yield _ply(notation, *values)


def _packed(ply: Ply) -> bytes:
    left = _NO_CLOCK if ply.time_left is None else ply.time_left
    return _PACKED.pack(micros(ply.played_at), left, ply.seat, ply.auto)


def _ply(notation: str, played_at: int, time_left: int, seat: int, auto: bool) -> Ply:
    return Ply(notation, seat, instant_at(played_at), auto, None if time_left == _NO_CLOCK else time_left)
