"""The passwords of a mail: which of them are checked, and how wrong ones count.

They are counted for each userid, each sender and each machine that hands mails over, so that neither many passwords for
one account nor one password for many accounts get far; and for strangers by network, and for those that nobody vouches
for all together, because each check costs as much as hundreds of moves. Where a player has shown who they are, at an
address and in a network, their guesses are counted apart: nobody locks them out there from elsewhere, whatever From
says. A player who answers a mail of ours is never locked out: a token proves more than a password, and cannot be
guessed. Nobody is told whether a userid exists, or whether a password that was not checked was right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from pbm.core.credentials import is_password
from pbm.core.limits import HOME, Act, Pool, Whose, buckets_of, excess, forget, name_of, spend
from pbm.core.request import Credentials
from pbm.domain.configuration import Limits
from pbm.domain.match import Player
from pbm.store import Transaction
from pbm.store.tickets import Key, veiled

NEW = ""
"""In place of a userid, for a new password."""

Charge = tuple[Act, Whose]
"""What a password draws from buckets if it is wrong."""


class Origin(NamedTuple):
    """Where a mail came from, as far as it matters for counting."""

    address: str = ""
    """The address in From; anybody can write that unless it is vouched for."""
    vouched: bool = False
    claimed: Player | None = None
    """The player whose address that is."""
    peer: str = ""
    """The machine that handed it over; empty for one of ours."""
    network: str = ""
    """The network of that machine, an IPv4 /24 or an IPv6 /64; empty for one of ours."""

    def whose(self, account: str = "") -> Whose:
        """Whose guess it is, at an account if one is named."""
        pool = Pool.PROVEN if self.vouched else Pool.UNPROVEN
        return Whose(pool, source=self.address, machine=self.peer, network=self.network, account=account)

    def home(self, userid: str) -> Key:
        """What is noted where the player has shown who they are: the address in From, and the network."""
        return Key(HOME, f"{userid.casefold()} {veiled(self.address)} {self.network}")

    def is_usual(self, tx: Transaction, userid: str) -> bool:
        """Whether the player has shown who they are here. Where no network is known, everybody writes from there."""
        return bool(self.network and tx.guesses.get([self.home(userid)]))

    def login(self, tx: Transaction, userid: str) -> tuple[Charge, ...]:
        """The charges of a login. The player's own address has its own: guesses by others do not lock it."""
        own = self.claimed is not None and self.claimed.userid.casefold() == userid
        whose = self.whose(f"{userid} {self.address.casefold()}" if own else userid)
        pool = Pool.UNPROVEN
        # Our own mail server says that it is they, so guesses in their name by others lock nothing here.
        if own and self.vouched:
            pool = Pool.PROVEN
        elif self.is_usual(tx, userid):
            pool = Pool.USUAL
        return ((Act.LOGIN, whose._replace(pool=pool)), *self.checks())

    def checks(self) -> tuple[Charge, ...]:
        """The charges of any password at all: none for players."""
        return () if self.claimed is not None else ((Act.CHECK, self.whose()),)


MAX_LOGINS = 3
"""Different passwords that are checked in one mail, and as many new ones: a person needs one, and each costs as much as
hundreds of moves."""


class Held(NamedTuple):
    """The passwords in one mail, by where they stand."""

    logins: tuple[Credentials, ...] = ()
    """Credentials in commands."""
    new: tuple[str, ...] = ()
    """New passwords that it sets."""


class Logins(NamedTuple):
    """The passwords of one mail, before any of them is checked."""

    hashes: Mapping[Credentials, str] = {}
    """The hash to check each login against."""
    fresh: tuple[str, ...] = ()
    """New passwords."""
    charges: Mapping[Credentials, tuple[Charge, ...]] = {}
    """The charges of each, if it is wrong."""
    locked: Mapping[Credentials, datetime] = {}
    """Logins that are not checked, and until when."""

    @property
    def locks(self) -> set[str]:
        """The names by which its buckets are locked."""
        all_charges = {charge for charges in self.charges.values() for charge in charges}
        return {name_of(key) for charge in all_charges for key, _ in buckets_of(*charge)}


@dataclass(slots=True)
class Gate:
    """Admits the guesses of one batch of mails; all that it admits may turn out wrong together."""

    tx: Transaction
    limits: Limits
    _let_in: Counter[Key] = field(default_factory=Counter)
    _guessed: set[tuple[Credentials, tuple[Charge, ...]]] = field(default_factory=set)

    def closed_until(self, login: Credentials, charges: tuple[Charge, ...]) -> datetime | None:
        """Until when the login is not checked; None if it may be, and then it is counted.

        The same login in many mails of a batch is one guess: all are right, or all wrong.
        """
        if (login, charges) in self._guessed:
            return None
        for act, whose in charges:
            problem = excess(self.tx.guesses, self.limits, self.tx.now, act, whose, self._let_in)
            if problem is not None:
                return problem.until
        self._let_in.update(key for charge in charges for key, _ in buckets_of(*charge))
        # Each new password has to be hashed, and none of them can be a repeated guess.
        if login[0] != NEW:
            self._guessed.add((login, charges))
        return None


def admitted(gate: Gate, held: Held, origin: Origin) -> Logins:
    """The passwords of a mail that are to be checked."""
    different = list(dict.fromkeys(held.logins))[:MAX_LOGINS]
    charges = {login: origin.login(gate.tx, login[0]) for login in different}
    charges |= {(NEW, password): origin.checks() for password in list(filter(is_password, held.new))[:MAX_LOGINS]}
    locked = {login: until for login, about in charges.items() if (until := gate.closed_until(login, about))}
    open_ = {login: about for login, about in charges.items() if login not in locked}
    hashes = {login: _hash_of(gate.tx, login[0]) for login in open_ if login[0] != NEW}
    return Logins(hashes, tuple(password for userid, password in open_ if userid == NEW), open_, locked)


def settle(
    tx: Transaction, limits: Limits, logins: Logins, verified: Mapping[Credentials, str], origin: Origin
) -> None:
    """Count wrong passwords, and every check for strangers; a right password clears the wrong ones before it."""
    for userid, _ in verified:
        note_home(tx, userid, origin)
    for login, charges in logins.charges.items():
        wrong = login[0] != NEW and login not in verified
        for act, whose in charges:
            # Of a stranger even a right one is counted, because each check costs as much as hundreds of moves.
            if wrong or act is Act.CHECK:
                spend(tx.guesses, limits, tx.now, act, whose)
            elif act is Act.LOGIN:
                forget(tx, "login", whose)


def note_home(tx: Transaction, userid: str, origin: Origin) -> None:
    """Note that the player has shown who they are, at this address and in this network."""
    key = origin.home(userid)
    noted = tx.guesses.get([key]).get(key)
    if origin.network and (noted is None or tx.now - noted.last_at > _NOTED_EVERY):
        tx.guesses.put(key, 0, tx.now, None)


_NOTED_EVERY = timedelta(days=30)
"""How often it is written down again, and so not with each mail of a player."""


def _hash_of(tx: Transaction, userid: str) -> str:
    player = tx.players.find(userid)
    return tx.players.password_hash(player.id) if player else ""
