"""Hashes of passwords: argon2, never checked within a transaction, and never more than a few at once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MAX_LENGTH = 100
"""The most characters of a password."""

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


class Hasher:
    """Hashes and checks passwords in a bounded pool, so that a flood of guesses cannot exhaust the memory."""

    def __init__(self, workers: int = 2) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="argon2")

    def hash(self, password: str) -> str:
        return self._pool.submit(_hasher.hash, password).result()

    def hash_all(self, passwords: Iterable[str]) -> list[str]:
        return list(self._pool.map(_hasher.hash, passwords))

    def verify(self, pairs: Iterable[tuple[str, str]]) -> list[bool]:
        """Whether each password fits its hash.

        An empty hash or a password that is too long fits nothing, and takes as long to check.
        """
        return list(self._pool.map(_matches, pairs))

    def close(self) -> None:
        self._pool.shutdown()


def _matches(pair: tuple[str, str]) -> bool:
    password, hashed = pair
    checked = password[:MAX_LENGTH]
    # Without a hash to check against, the time taken would tell whether the userid exists: to make one takes as long.
    if not hashed:
        _hasher.hash(checked)
        return False
    try:
        return _hasher.verify(hashed, checked) and password == checked
    except (VerificationError, InvalidHashError):
        return False
