"""How many mails a day may go to people who have not asked for them, because of somebody else.

Each mail counts for its mailbox (with +tags and dots folded), for the domain of that unless it is a large provider's,
and for the network that the causing mail came from, whatever its From says. The pool it draws from depends on the
proof of the person who causes it, so that nobody starves those who prove more. An answer to an address that a trusted
server vouches for is not counted: its reader has asked for it. A mailbox that never answers gets such mails ever more
rarely, and then none: it may be somebody's whom others annoy.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from enum import StrEnum

from pbm.domain.configuration import Limits
from pbm.domain.errors import NotAllowed
from pbm.domain.likeness import domain_of, is_shared, mailbox
from pbm.store import Transaction
from pbm.store.tickets import Key

PUZZLING = "puzzling"
MAX_PUZZLING = 2
"""Answers a day that tell a newcomer who already has the page that their mail was not understood."""
MAILBOX, DOMAIN, NETWORK, OFFERS = "unanswered", "unasked domain", "unasked network", "offers"
REMEMBERED = timedelta(days=365)
"""How long a mailbox is remembered that has answered none of our mails, after the last of them."""
_PAUSES = timedelta(), timedelta(days=1), timedelta(days=7)
"""The time from each mail to the next: of the first few, of as many after them, and so on. Then there are no more."""


class Pool(StrEnum):
    """Who causes mails to people who may not have asked for them. None draws from what is another's."""

    PLAYERS = "of players"
    """A player who has proven it."""
    VOUCHED = "vouched for"
    """Somebody else whose address our mail server vouches for."""
    TO_PLAYERS = "to players"
    """Anybody: a question to a player, in whose name they may have written."""
    STRANGERS = "of strangers"
    """Anybody: a mail to an address that belongs to no player."""


def count_unasked(
    tx: Transaction, limits: Limits, address: str, network: str, pool: Pool, *, mailbox_too: bool = True
) -> None:
    """Count one more such mail to the address. network: empty where it is not known.

    mailbox_too: False where something else counts the mails to the mailbox. Raises: NotAllowed where it would be one
    too many, or where the mailbox has asked for no more.
    """
    if mailbox_too:
        _count_unanswered(tx, address, limits.confirmations_per_day)
    measures = dict(_measures(limits, address, network, pool))
    counts = _today(tx, *measures)
    for key, most in measures.items():
        if counts[key] >= most:
            raise NotAllowed(_refusal(key, most))
    for key, count in counts.items():
        tx.guesses.put(key, count + 1, tx.now, None)


def _count_unanswered(tx: Transaction, address: str, most: int) -> None:
    """Count one more mail to a mailbox. Raises: NotAllowed if it wants none, or has to answer an earlier one first."""
    if tx.invitations.is_refused(address):
        raise NotAllowed(f"{address} has asked for no more mail from here: nothing was sent there.")
    key = Key(MAILBOX, mailbox(address))
    tx.lock([f"{key.kind} {key.subject}"])
    known = tx.guesses.get([key]).get(key)
    sent = known.failures if known is not None else 0
    pauses = [pause for pause in _PAUSES for _ in range(most)][sent:]
    if known is not None and (not pauses or tx.now < known.last_at + pauses[0]):
        if pauses:
            otherwise = f"try again after {known.last_at + pauses[0]:%Y-%m-%d %H:%M} UTC"
        else:
            otherwise = "write to us from there, and answer what comes back with the same line"
        raise NotAllowed(
            f'"{address}" has got {sent} such emails and answered none of them. Answer one, or {otherwise}.'
        )
    tx.guesses.put(key, sent + 1, tx.now, None)


def excess_of_unasked(tx: Transaction, limits: Limits, address: str, network: str, pool: Pool) -> str:
    """Why the mail is one too many, or empty where it was counted; something else counts the mailbox."""
    try:
        count_unasked(tx, limits, address, network, pool, mailbox_too=False)
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


def _measures(limits: Limits, address: str, network: str, pool: Pool) -> Iterator[tuple[Key, int]]:
    if not is_shared(domain_of(address)):
        yield Key(DOMAIN, f"{domain_of(address)} {pool}"), limits.unasked_per_domain_per_day
    if network:
        yield Key(NETWORK, f"{network} {pool}"), limits.unasked_per_network_per_day


def _refusal(key: Key, most: int) -> str:
    domain = key.subject.partition(" ")[0]
    whose = f"Addresses at {domain}" if key.kind == DOMAIN else "Others, because of emails from your network,"
    return f"{whose} have got {most} emails from us today that nobody may have asked for. Try again tomorrow."
