"""Mails that may go to somebody who has not asked for them, because of somebody else: how many in a day.

Counted are the mailbox, with +tags and dots folded, the domain it is in, and the network that the mail behind it came
from, whatever that mail's From says. A mail that only answers the address which a trusted server vouches for is asked
for by its reader, and not counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbm.domain.configuration import Limits
from pbm.domain.errors import NotAllowed
from pbm.domain.likeness import domain_of, mailbox
from pbm.store import Transaction
from pbm.store.tickets import Key

PUZZLING = "puzzling"
MAX_PUZZLING = 2
"""Answers a day that tell a newcomer, who has had the page, that their mail was not understood."""
MAILBOX, DOMAIN, NETWORK, OFFERS = "unasked", "unasked domain", "unasked network", "offers"


def count_unasked(tx: Transaction, limits: Limits, address: str, network: str, *, mailbox_too: bool = True) -> None:
    """One more such mail goes to the address. network: empty where it is not known.

    mailbox_too: nothing else keeps count of the mailbox. Raises: NotAllowed where it is one too many, or the mailbox
    has said that it wants none.
    """
    if mailbox_too and tx.invitations.is_refused(address):
        raise NotAllowed(f"{address} has asked for no more mail from here: nothing was sent there.")
    measures = dict(_measures(limits, address, network))
    if not mailbox_too:
        measures = {key: most for key, most in measures.items() if key.kind != MAILBOX}
    counts = _today(tx, *measures)
    for key, most in measures.items():
        if counts[key] >= most:
            raise NotAllowed(_refusal(key, most))
    for key, count in counts.items():
        tx.guesses.put(key, count + 1, tx.now, None)


def excess_of_unasked(tx: Transaction, limits: Limits, address: str, network: str) -> str:
    """As count_unasked, where something else counts the mailbox: why it is one too many; empty where it counts."""
    try:
        count_unasked(tx, limits, address, network, mailbox_too=False)
    except NotAllowed as refusal:
        return str(refusal)
    return ""


def is_puzzling(tx: Transaction, address: str) -> bool:
    """One more mail of somebody without an account was not understood; whether it is one too many of a day.

    A program may be the one who answers.
    """
    return not _counts(tx, Key(PUZZLING, mailbox(address)), MAX_PUZZLING)


def count_asked(tx: Transaction, whose: str, most: int, refusal: str) -> None:
    """One more game is proposed by somebody, or to somebody. Raises: NotAllowed with the refusal."""
    if not _counts(tx, Key(OFFERS, whose if " " in whose else mailbox(whose)), most):
        raise NotAllowed(refusal)


def _counts(tx: Transaction, key: Key, most: int) -> bool:
    """One more of today, unless it is one too many."""
    count = _today(tx, key)[key]
    if count < most:
        tx.guesses.put(key, count + 1, tx.now, None)
    return count < most


def _today(tx: Transaction, *keys: Key) -> dict[Key, int]:
    """How many were counted today, by key; nobody else counts until the transaction ends."""
    tx.lock(f"{key.kind} {key.subject}" for key in keys)
    counted = {key: each.failures for key, each in tx.guesses.get(keys).items() if each.last_at.date() == tx.now.date()}
    return {key: counted.get(key, 0) for key in keys}


def asked_for(tx: Transaction, address: str) -> None:
    """The mailbox has answered that it wanted the mail."""
    tx.guesses.forget([Key(MAILBOX, mailbox(address))])


def _measures(limits: Limits, address: str, network: str) -> Iterator[tuple[Key, int]]:
    yield Key(MAILBOX, mailbox(address)), limits.confirmations_per_day
    yield Key(DOMAIN, domain_of(address)), limits.unasked_per_domain_per_day
    if network:
        yield Key(NETWORK, network), limits.unasked_per_network_per_day


def _refusal(key: Key, most: int) -> str:
    if key.kind == MAILBOX:
        return (
            f'"{key.subject}" has got {most} such emails within a day and answered none of them. Answer one, or try '
            "again tomorrow."
        )
    whose = f"Addresses at {key.subject}" if key.kind == DOMAIN else "Others, because of emails from your network,"
    return f"{whose} have got {most} emails from us today that nobody may have asked for. Try again tomorrow."
