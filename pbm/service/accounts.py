"""What a userid, a password and an address may be, and how an address comes to count."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta

from games import GAMES
from pbm.domain.errors import BadArguments
from pbm.domain.match import Player
from pbm.domain.verbs import find
from pbm.service.handling import Handling
from pbm.service.passwords import MAX_LENGTH, MIN_LENGTH

_USERID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,19}")
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_MAX_ADDRESS = 254
_RESERVED = frozenset({"me", "all", "new", "any", "next", "active", "inactive", "pbm", *GAMES})


def ask_to_confirm(handling: Handling, player: Player, address: str) -> None:
    """Add an address that counts once its owner has answered the mail it now gets."""
    days = handling.tools.limits.confirmation_days
    token = handling.tools.composer.make_key()
    row = handling.tx.players.add_address(player.id, address, handling.now, confirmed=False)
    expires_at = handling.now + timedelta(days=days)
    handling.tx.players.await_confirmation(row.id, _hash(token), handling.now, expires_at)
    handling.letters.append(
        handling.tools.composer.letter(
            address,
            "pbm: please confirm your address",
            "confirm.txt",
            handling.now,
            to=handling.message,
            reply_to=token,
            userid=player.userid,
            days=days,
        )
    )


def confirm(handling: Handling, token: str) -> bool:
    """Whether the token proves an address; then its owner is welcomed."""
    found = handling.tx.players.confirm(_hash(token), handling.now)
    if found is None:
        return False
    player, address = found
    handling.identified = player
    handling.letters.append(
        handling.tools.composer.letter(
            address.address,
            f"pbm: welcome, {player.userid}",
            "welcome.txt",
            handling.now,
            to=handling.message,
            player=player,
            userid=player.userid,
        )
    )
    return True


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def check_userid(userid: str) -> None:
    """Raises: BadArguments."""
    if not _USERID.fullmatch(userid):
        raise BadArguments(
            f'"{userid[:40]}" cannot be a userid: take a letter and up to 19 letters, digits, ".", "-" or "_".'
        )
    if userid.casefold() in _RESERVED or find(userid) is not None:
        raise BadArguments(f'"{userid}" is a word of the server; choose another userid.')


def check_password(password: str) -> None:
    """Raises: BadArguments; the sentence does not repeat the password."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH or not password.isprintable() or " " in password:
        raise BadArguments(f"A password has {MIN_LENGTH} to {MAX_LENGTH} characters, without blanks.")


def check_address(address: str) -> None:
    """Raises: BadArguments."""
    if len(address) > _MAX_ADDRESS or not _ADDRESS.fullmatch(address):
        raise BadArguments(f'"{address[:80]}" is not a mail address this server can write to.')
