"""How many mails a day may go to people who have not asked for them, because of somebody else.

Each mail counts for its mailbox (with +tags and dots folded), for the domain of that, and for the network that the
causing mail came from, whatever its From says. An answer to an address that a trusted server vouches for is not
counted: its reader has asked for it.
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
"""Answers a day that tell a newcomer who already has the page that their mail was not understood."""
MAILBOX, DOMAIN, NETWORK, OFFERS = "unasked", "unasked domain", "unasked network", "offers"


def count_unasked(tx: Transaction, limits: Limits, address: str, network: str, *, mailbox_too: bool = True) -> None:
    """Count one more such mail to the address. network: empty where it is not known.

    mailbox_too: False where something else counts the mails to the mailbox. Raises: NotAllowed where it would be one
    too many, or where the mailbox has asked for no more.
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
    """Why the mail is one too many, or empty where it was counted; something else counts the mailbox."""
    try:
        count_unasked(tx, limits, address, network, mailbox_too=False)
    except NotAllowed as refusal:
        return str(refusal)
    return ""


def is_puzzling(tx: Transaction, address: str) -> bool:
    """Count one more mail of a stranger that was not understood; whether it is one too many for a day.

    The stranger may be a program that answers us.
    """
    return not _counts(tx, Key(PUZZLING, mailbox(address)), MAX_PUZZLING)


def count_asked(tx: Transaction, whose: str, most: int, refusal: str) -> None:
    """Count one more game that is proposed by somebody, or to somebody. Raises: NotAllowed with the refusal."""
    if not _counts(tx, Key(OFFERS, whose if " " in whose else mailbox(whose)), most):
        raise NotAllowed(refusal)


def _counts(tx: Transaction, key: Key, most: int) -> bool:
    """Count one more today, unless it is one too many; whether it was counted."""
    count = _today(tx, key)[key]
    if count < most:
        tx.guesses.put(key, count + 1, tx.now, None)
    return count < most


def _today(tx: Transaction, *keys: Key) -> dict[Key, int]:
    """How many were counted today, by key. The keys stay locked until the transaction ends."""
    tx.lock(f"{key.kind} {key.subject}" for key in keys)
    counted = {key: each.failures for key, each in tx.guesses.get(keys).items() if each.last_at.date() == tx.now.date()}
    return {key: counted.get(key, 0) for key in keys}


def asked_for(tx: Transaction, address: str) -> None:
    """Forget the count of a mailbox, because its owner has answered that they wanted the mail."""
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
