"""Reply tokens: with them, answering a board mail is enough to play.

A token names a board, a seat and a revision of the board, or else a player and possibly an instant. It is sealed with
a keyed hash, so nobody can make one for another board, seat, revision or player. For a person without an account it
names the address it was mailed to. It consists of lower-case letters and digits only, because it is part of an
address, and mail programs may change the case of addresses.
"""

from __future__ import annotations

import base64
import hashlib
import hmac

from pbm.values import frozen

_MAC_BYTES = 10
_MAX_LENGTH = 48
_ADDRESS_BYTES = 7


@frozen
class SeatToken:
    """Permission to act for the seat of the board, as long as the board has this revision."""

    board: int
    seat: int
    revision: int
    epoch: int
    """The token epoch of the player in the seat; tokens of earlier epochs are revoked."""


@frozen
class PlayerToken:
    """Permission to act for the player until their tokens are revoked or the last day, counted from 1970, is over."""

    player_id: int
    epoch: int
    last_day: int

    def as_of(self, instant: int) -> DigestToken:
        """The same permission, for boards as they stand at an instant in microseconds since 1970."""
        return DigestToken(self.player_id, self.epoch, self.last_day, instant)


@frozen
class DigestToken:
    """As PlayerToken, but for boards as they stood when the mail was written."""

    player_id: int
    epoch: int
    last_day: int
    as_of: int
    """When the mail was written, in microseconds since 1970."""


@frozen
class AddressToken:
    """Permission to act for the person without an account at this address, until the last day is over."""

    address: int
    """The first bits of its hash."""
    last_day: int
    leaves: int = 0  # a yes to such a mail does not accept a game
    """1 if the mail that carries it answers a wish to hear no more."""
    wish: int = 0
    """The number of the wish that the mail shows, which is done once its writer has a name; 0 for none."""

    @classmethod
    def of(cls, address: str, last_day: int, *, leaves: bool = False, wish: int = 0) -> AddressToken:
        """The token of an address, regardless of case."""
        hashed = hashlib.sha256(address.casefold().encode(errors="replace")).digest()
        return cls(int.from_bytes(hashed[:_ADDRESS_BYTES]), last_day, int(leaves), wish)


@frozen
class ChatToken:
    """The seat of a board without a revision, so that it is the same in all mails of the board."""

    board: int
    seat: int
    epoch: int


Token = SeatToken | PlayerToken | DigestToken | AddressToken | ChatToken
_KINDS: tuple[type[Token], ...] = (SeatToken, PlayerToken, DigestToken, AddressToken, ChatToken)


class Signer:
    """Makes and checks tokens with the server's secrets."""

    def __init__(self, *secrets: bytes) -> None:
        """secrets: the first one seals tokens; tokens sealed with any of them can be opened."""
        self._secrets = secrets

    def use(self, *secrets: bytes) -> None:
        """Use these secrets from now on, as in the beginning."""
        self._secrets = secrets

    def seal(self, token: Token) -> str:
        numbers = (_KINDS.index(type(token)), *map(token.__getattribute__, token.__match_args__))
        payload = b"".join(map(_varint, numbers))
        return _written(payload + _mac(self._secrets[0], payload))

    def open(self, text: str) -> Token | None:
        """The token, or None if the text was not sealed by this server."""
        # The text is from an address that anybody can write.
        sealed = _read(text) if len(text) <= _MAX_LENGTH else b""
        payload, mac = sealed[:-_MAC_BYTES], sealed[-_MAC_BYTES:]
        # With two secrets, so that mails sent before the change of one still work; in constant time, as below.
        if not payload or not any(hmac.compare_digest(mac, _mac(secret, payload)) for secret in self._secrets):
            return None
        kind, *numbers = _read_varints(payload)
        return _KINDS[kind](*numbers)

    def return_key(self, key: str) -> str:
        """The key of a mail of ours with a proof, for its return path; its Message-ID, which many see, has no proof."""
        return f"{key}.{_proof(self._secrets[0], key)}"

    def key_returned(self, text: str) -> str | None:
        """The key of the mail whose return path has this text; None if the path was not made by this server."""
        key, _, proof = text.lower().rpartition(".")
        # In constant time, so that the time of a refusal does not tell how much of a forged proof is right.
        is_ours = any(hmac.compare_digest(proof.encode(), _proof(secret, key).encode()) for secret in self._secrets)
        return key if is_ours else None

    def board_of(self, text: str) -> int | None:
        """The board of a seat's token; None for any other text."""
        token = self.open(text)
        return token.board if isinstance(token, SeatToken | ChatToken) else None


def _proof(secret: bytes, key: str) -> str:
    return hmac.digest(secret, b"return" + key.encode(), "sha256")[:6].hex()


def _mac(secret: bytes, payload: bytes) -> bytes:
    return hmac.digest(secret, b"reply" + payload, "sha256")[:_MAC_BYTES]


def _read(text: str) -> bytes:
    """The bytes of a base32 text in either case; nothing for any other text."""
    try:
        sealed = base64.b32decode(text.upper() + "=" * (-len(text) % 8))
    except ValueError:
        return b""
    # Unused bits of the last letter are 0, so that each token has one text.
    return sealed if _written(sealed) == text.lower() else b""


def _written(sealed: bytes) -> str:
    return base64.b32encode(sealed).decode().rstrip("=").lower()


def _varint(number: int) -> bytes:
    """Seven bits per byte, lowest first; the top bit says that another byte follows."""
    out = bytearray()
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
