"""A disk that loses its power: what SQLite writes, truncates, deletes and syncs is noted in its order.

What a file holds after a loss is all that was written before its last sync, and any part of what was written since.
SQLite calls us as it calls the system: by a VFS, which notes a call and passes it on to the usual one.
"""

from __future__ import annotations

import _sqlite3
import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

_DATABASE_OR_LOG = 0x00000100 | 0x00080000
"""SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_WAL."""
_SECTOR = 512
_FULL = 13
"""SQLITE_FULL."""
_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_Delete = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)


class _Vfs(Structure):
    """sqlite3_vfs, version 3."""

    _fields_ = (
        ("version", c_int), ("file_octets", c_int), ("longest_path", c_int), ("next", c_void_p), ("name", c_char_p),
        ("data", c_void_p), ("open", _Open), ("delete", _Delete), ("others", c_void_p * 14),
    )  # fmt: skip


class _Methods(Structure):
    """sqlite3_io_methods, version 3."""

    _fields_ = (
        ("version", c_int), ("close", c_void_p), ("read", c_void_p), ("write", _Write), ("truncate", _Truncate),
        ("sync", _Sync), ("others", c_void_p * 13),
    )  # fmt: skip


class _File(Structure):
    """sqlite3_file, as each begins."""

    _fields_ = (("methods", POINTER(_Methods)),)


class Call(NamedTuple):
    """What was asked of the disk. data: written at `at`; a file that is truncated ends there."""

    file: str
    what: str
    at: int = 0
    data: bytes = b""


class Disk:
    """Notes all calls about databases that are opened while it is `plugged_in`."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.writes = self.failing = 0
        """How many writes there were, and the number of the one that finds the disk full; 0 for none."""
        self._names: dict[int, str] = {}
        self._first: dict[str, bytes] = {}
        self._methods: dict[int, _Methods] = {}

    @contextmanager
    def plugged_in(self) -> Iterator[None]:
        """For the databases that are opened in this block; all must be closed at its end."""
        sqlite: Any = ctypes.CDLL(_sqlite3.__file__)
        sqlite.sqlite3_vfs_find.restype = POINTER(_Vfs)
        usual = sqlite.sqlite3_vfs_find(None)
        self._usual = _Vfs.from_buffer_copy(usual.contents)
        ours = _Vfs.from_buffer_copy(usual.contents)
        ours.name, ours.open, ours.delete = b"disk of a test", _Open(self._open), _Delete(self._delete)
        assert sqlite.sqlite3_vfs_register(ctypes.byref(ours), 1) == 0
        try:
            yield
        finally:
            assert sqlite.sqlite3_vfs_unregister(ctypes.byref(ours)) == 0
            assert sqlite.sqlite3_vfs_register(usual, 1) == 0

    def _open(self, vfs: int, name: int | None, pointer: int, flags: int, flags_out: int | None) -> int:
        """The name must be passed on as it is: SQLite reads on behind its end."""
        result: int = self._usual.open(vfs, name, pointer, flags, flags_out)
        file = _File.from_address(pointer)
        if result == 0 and name and flags & _DATABASE_OR_LOG:
            path = Path(ctypes.string_at(name).decode())
            self._names[pointer] = path.name
            self._first.setdefault(path.name, path.read_bytes())
            file.methods = ctypes.pointer(self._noting(file.methods))
        return result

    def _noting(self, usual: Any) -> _Methods:
        """The methods of a kind of file, with ours in place of some."""
        kind = ctypes.addressof(usual.contents)
        if kind not in self._methods:
            theirs = _Methods.from_buffer_copy(usual.contents)
            ours = _Methods.from_buffer_copy(usual.contents)

            def write(file: int, data: int, octets: int, at: int) -> int:
                self.writes += 1
                if self.writes == self.failing:
                    return _FULL
                self.calls.append(Call(self._names[file], "write", at, ctypes.string_at(data, octets)))
                return int(theirs.write(file, data, octets, at))

            def truncate(file: int, size: int) -> int:
                self.calls.append(Call(self._names[file], "truncate", size))
                return int(theirs.truncate(file, size))

            def sync(file: int, flags: int) -> int:
                self.calls.append(Call(self._names[file], "sync"))
                return int(theirs.sync(file, flags))

            ours.write, ours.truncate, ours.sync = _Write(write), _Truncate(truncate), _Sync(sync)
            self._methods[kind] = ours
        return self._methods[kind]

    def _delete(self, vfs: int, name: bytes, syncs_folder: int) -> int:
        self.calls.append(Call(Path(name.decode()).name, "delete"))
        return int(self._usual.delete(vfs, name, syncs_folder))

    def after_loss(self, number: int, chance: Random) -> dict[str, bytes]:
        """What the files hold if the power fails after this many calls, by name."""
        done = self.calls[:number]
        synced = {call.file: at for at, call in enumerate(done) if call.what == "sync"}
        files = {name: bytearray(content) for name, content in self._first.items()}
        for at, call in enumerate(done):
            is_safe = at < synced.get(call.file, -1)
            if call.what == "delete":
                files.pop(call.file, None)
            elif is_safe or chance.random() < 0.5:
                _do(files.setdefault(call.file, bytearray()), call, call.data)
            elif chance.random() < 0.5:
                sectors = chance.randrange(len(call.data) // _SECTOR + 1)
                _do(files.setdefault(call.file, bytearray()), call, call.data[: sectors * _SECTOR])
        return {name: bytes(content) for name, content in files.items()}


def _do(content: bytearray, call: Call, data: bytes) -> None:
    if call.what == "truncate":
        del content[call.at :]
    elif data:
        content.extend(bytes(max(0, call.at - len(content))))
        content[call.at : call.at + len(data)] = data
