"""Reply tokens: what makes answering a board mail enough to play.

A token names a board, a seat and a revision of the board, or else a player and maybe an instant, sealed with a keyed
hash, so that nobody can make one for another board, seat, state or player. For somebody without an account it names
the address that it was mailed to. It is written in lower-case letters and
digits only, for it stands in an address whose case mail programs do not keep.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

_BASE32 = re.compile("[A-Za-z2-7]+")
_DIGITS = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "0123456789abcdefghijklmnopqrstuv")
"""The digits that `int` knows, by those of base32."""
_MAC_BYTES = 10
_MAX_LENGTH = 48
_ADDRESS_BYTES = 7


@dataclass(frozen=True, slots=True)
class SeatToken:
    """Leave to act for the seat of the board, as long as the board has this revision."""

    board: int
    seat: int
    revision: int
    epoch: int
    """Of the player in the seat; their tokens of earlier epochs are revoked."""


@dataclass(frozen=True, slots=True)
class PlayerToken:
    """Leave to act for the player, until their tokens are revoked or the last day, counted from 1970, is over."""

    player_id: int
    epoch: int
    last_day: int

    def as_of(self, instant: int) -> DigestToken:
        """The same for boards as they stand then, in microseconds since 1970."""
        return DigestToken(self.player_id, self.epoch, self.last_day, instant)


@dataclass(frozen=True, slots=True)
class DigestToken:
    """As a PlayerToken, for boards as they stood when the mail was written."""

    player_id: int
    epoch: int
    last_day: int
    as_of: int
    """Then, in microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class AddressToken:
    """Leave to act for whoever gets mail at this address, and has no account: until the last day is over."""

    address: int
    """The first bits of its hash."""
    last_day: int
    leaves: int = 0
    """1 where the mail that brought it answers a wish to hear no more, so that a yes to it is none to a game."""

    @classmethod
    def of(cls, address: str, last_day: int, *, leaves: bool = False) -> AddressToken:
        """The token of an address, in whatever case it is written."""
        hashed = hashlib.sha256(address.casefold().encode(errors="replace")).digest()
        return cls(int.from_bytes(hashed[:_ADDRESS_BYTES]), last_day, int(leaves))


@dataclass(frozen=True, slots=True)
class ChatToken:
    """The seat of a board, as it was when the mail was written that is answered: the same in all mails of the board."""

    board: int
    seat: int
    epoch: int


Token = SeatToken | PlayerToken | DigestToken | AddressToken | ChatToken
_KINDS: tuple[type[Token], ...] = (SeatToken, PlayerToken, DigestToken, AddressToken, ChatToken)


class Signer:
    """Makes and checks tokens with the server's secrets."""

    def __init__(self, *secrets: bytes) -> None:
        """secrets: the first one seals; what was sealed with any of them opens."""
        self._secrets = secrets

    def renew(self, *secrets: bytes) -> None:
        """Use these from now on."""
        if secrets != self._secrets:
            self._secrets = secrets
            _lasting.cache_clear()

    def seal(self, token: Token) -> str:
        return (_lasting if isinstance(token, ChatToken) else _sealed)(self._secrets[0], token)

    def open(self, text: str) -> Token | None:
        """The token, or None when the text was not sealed by this server."""
        return _opened(self._secrets, text) if len(text) <= _MAX_LENGTH else None

    def board_of(self, text: str) -> int | None:
        """The board of a seat's token; None for any other text."""
        token = self.open(text)
        return token.board if isinstance(token, SeatToken | ChatToken) else None


def _sealed(secret: bytes, token: Token) -> str:
    numbers = (_KINDS.index(type(token)), *map(token.__getattribute__, token.__slots__))
    payload = b"".join(map(_varint, numbers))
    return _written(payload + _mac(secret, payload))


_lasting = lru_cache(4096)(_sealed)
"""The same for tokens that mail after mail has."""


@lru_cache(256)
def _opened(secrets: Collection[bytes], text: str) -> Token | None:
    """What a mail says of its token is asked several times."""
    sealed = _read(text)
    payload, mac = sealed[:-_MAC_BYTES], sealed[-_MAC_BYTES:]
    if not payload or not any(hmac.compare_digest(mac, _mac(secret, payload)) for secret in secrets):
        return None
    kind, *numbers = _read_varints(payload)
    return _KINDS[kind](*numbers)


def _mac(secret: bytes, payload: bytes) -> bytes:
    return hmac.digest(secret, b"reply" + payload, "sha256")[:_MAC_BYTES]


def _read(text: str) -> bytes:
    """What is written so, in either case; nothing for any other text: of one token there is one text.

    Base32 leaves bits of the last letter unused, and some lengths. `base64` goes through it in Python.
    """
    spare = len(text) * 5 % 8
    if spare >= 5 or not _BASE32.fullmatch(text):
        return b""
    number = int(text.lower().translate(_DIGITS), 32)
    return b"" if number % (1 << spare) else (number >> spare).to_bytes(len(text) * 5 // 8)


def _written(sealed: bytes) -> str:
    return base64.b32encode(sealed).decode().rstrip("=").lower()


@lru_cache(1024)
def _varint(number: int) -> bytes:
    """Seven bits a byte, lowest first; the top bit says that another byte follows.

    A number below 0 is of what has not come to pass, and its token is never sent.
    """
    out, number = bytearray(), abs(number)
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _read_varints(data: bytes) -> list[int]:
    numbers, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            numbers.append(number)
            number, shift = 0, 0
    return numbers
