"""Addresses that we write to, and whom a ban names."""

from __future__ import annotations

import re

from pbm.domain.errors import BadArguments

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_MAX_ADDRESS = 254
_WORD = r"[^\s<>()\[\],;:\\\"@]+"
MAILBOX = rf'(?:"(?:[^"\\]|\\.)*"|{_WORD})(?:@(?:{_WORD}|\[[0-9A-Za-z.:]+\]))?'
"""The pattern of an address that any mail server reads as one, even if it is not one we would write to."""


def check_address(address: str) -> None:
    """Raises: BadArguments."""
    if len(address) > _MAX_ADDRESS or not _ADDRESS.fullmatch(address):
        raise BadArguments(f'"{address[:80]}" is not an email address this server can write to.')


def is_player(subject: str) -> bool:
    return "@" not in subject


def subject_of(word: str) -> str:
    """The subject of a ban, as stored: "Alice" -> "alice"; "@Example.org" -> "@example.org". Raises: BadArguments."""
    folded = word.strip().casefold()
    if folded.startswith("@"):
        try:
            check_address(f"any{folded}")
        except BadArguments:
            raise BadArguments(f'"{word}" is no domain: write it as in @example.org.') from None
    elif "@" in folded:
        check_address(folded)
    elif not folded:
        raise BadArguments("Whom? A userid, an address, or a domain such as @example.org.")
    return folded
