"""The passwords a mail holds: which of them are worth a look, and what follows from those that were wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pbm.domain.commands import Command
from pbm.domain.errors import Rejected
from pbm.domain.redaction import pairs_behind
from pbm.service.guarding import ASIDE, LOGIN, STRANGERS, Gate, Origin, went_wrong
from pbm.service.handling import Credentials
from pbm.service.names import is_password
from pbm.service.telling import Limits
from pbm.store import Transaction
from pbm.store.attempts import Key

MAX_LOGINS = 3
"""Different passwords that are looked at in one mail, and as many new ones: a person needs one, and each costs as much
as hundreds of moves."""

NEW = ""
"""Stands for the userid where a password is a new one."""


@dataclass(frozen=True, slots=True)
class Logins:
    """hashes: what to check each login against. fresh: new passwords. keys: what each counts for, should it be wrong.

    locked: logins that are not looked at, until then.
    """

    hashes: dict[Credentials, str] = field(default_factory=dict)
    fresh: tuple[str, ...] = ()
    keys: dict[Credentials, tuple[Key, ...]] = field(default_factory=dict)
    locked: dict[Credentials, datetime] = field(default_factory=dict)


def logins_of(
    gate: Gate, commands: Sequence[Command | Rejected], lines: Sequence[str], fresh: Iterable[str], origin: Origin
) -> Logins:
    """fresh: new passwords the mail sets."""
    understood = [command for command in commands if isinstance(command, Command)]
    keys = {
        (userid.casefold(), password): origin.login(userid.casefold(), gate.now)
        for userid, password in (command.credentials for command in understood if command.credentials)
    }
    strangers = tuple(key for key in origin.sources(gate.now) if key.kind == STRANGERS)
    for userid, password in _misplaced(gate.tx, lines):
        keys.setdefault((userid.casefold(), password), (Key(ASIDE, userid.casefold()), *strangers))
    new = [command.args["NEW-PASSWORD"] for command in understood if "NEW-PASSWORD" in command.args]
    keys = dict(list(keys.items())[:MAX_LOGINS])
    keys |= {(NEW, password): strangers for password in list(filter(is_password, (*new, *fresh)))[:MAX_LOGINS]}
    locked = {login: until for login, about in keys.items() if (until := gate.closed_until(about))}
    open_ = {login: about for login, about in keys.items() if login not in locked}
    hashes = {login: _hash_of(gate.tx, login[0]) for login in open_ if login[0] != NEW}
    return Logins(hashes, tuple(password for userid, password in open_ if userid == NEW), open_, locked)


def settle(tx: Transaction, limits: Limits, logins: Logins, verified: Mapping[Credentials, str], now: datetime) -> None:
    """Remember what was wrong, and how much was looked at; a right password makes up for the wrong ones before it."""
    for login, keys in logins.keys.items():
        if login in verified:
            tx.guesses.forget([key for key in keys if key.kind == LOGIN])
        wrong = login[0] != NEW and login not in verified
        went_wrong(tx, limits, [key for key in keys if wrong or key.kind == STRANGERS], now)


def _hash_of(tx: Transaction, userid: str) -> str:
    player = tx.players.find(userid)
    return tx.players.password_hash(player.id) if player else ""


def _misplaced(tx: Transaction, lines: Sequence[str]) -> list[Credentials]:
    """A userid with the word behind it, in lines long enough for both: that word may be the password."""
    doubtful = [line for line in lines if len(line.split()) > 2]
    return pairs_behind(doubtful, tx.players.known({word.casefold() for line in doubtful for word in line.split()}))
