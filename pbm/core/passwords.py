"""Password hashes: argon2, never checked within a transaction, and never more than a few at once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from pbm.domain.verbs import SHORTEST_SECRET

MIN_LENGTH, MAX_LENGTH = SHORTEST_SECRET, 100

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


class Passwords:
    """A bounded pool, so that a flood of guesses cannot take the machine's memory."""

    def __init__(self, workers: int = 2) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="argon2")

    def hash(self, password: str) -> str:
        return self._pool.submit(_hasher.hash, password).result()

    def hash_all(self, passwords: Iterable[str]) -> list[str]:
        return list(self._pool.map(_hasher.hash, passwords))

    def verify(self, pairs: Iterable[tuple[str, str]]) -> list[bool]:
        """Whether each (password, hash) belongs together.

        An empty hash fits nothing, no more than a password that is too long does, and takes as long to tell.
        """
        return list(self._pool.map(_matches, pairs))

    def close(self) -> None:
        self._pool.shutdown()


_NOBODY = _hasher.hash("nobody has this one")


def _matches(pair: tuple[str, str]) -> bool:
    password, hashed = pair
    possible = len(password) <= MAX_LENGTH and bool(hashed)
    try:
        return _hasher.verify(hashed or _NOBODY, password[:MAX_LENGTH]) and possible
    except (VerificationError, InvalidHashError):
        return False
