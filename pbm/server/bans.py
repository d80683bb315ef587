"""Whom the operator keeps out: a player, an address, or a domain; for a time, or for good.

A player who is kept out is told so, once a day at most, and may still write to postmaster. Mail from an address or a
domain that is kept out is laid aside, and nobody is told.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from pbm.core.credentials import check_address
from pbm.domain.errors import BadArguments
from pbm.store import Transaction
from pbm.store.oversight import Ban


def is_player(subject: str) -> bool:
    return "@" not in subject


def subject_of(word: str) -> str:
    """As bans are kept: "Alice" -> "alice"; "@Example.org" -> "@example.org". Raises: BadArguments."""
    folded = word.strip().casefold()
    if folded.startswith("@"):
        check_address(f"any{folded}")
    elif "@" in folded:
        check_address(folded)
    elif not folded:
        raise BadArguments("Whom? A userid, an address, or a domain such as @example.org.")
    return folded


def kept_out(tx: Transaction, userids: Collection[str], address: str, now: datetime) -> Ban | None:
    """The ban that a mail falls under; one of a player before those of addresses. userids: in lower case."""
    subjects = [*userids, *_of_address(address.casefold())]
    found = {ban.subject: ban for ban in tx.bans.of(subjects, now)}
    return next((found[subject] for subject in subjects if subject in found), None)


def _of_address(address: str) -> list[str]:
    """ "a@x.example.org" -> itself, "@x.example.org", "@example.org", "@org"."""
    _, at, domain = address.rpartition("@")
    labels = domain.split(".") if at else []
    return [address, *(f"@{'.'.join(labels[start:])}" for start in range(len(labels)))]
