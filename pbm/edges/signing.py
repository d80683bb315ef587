"""DKIM signatures (RFC 6376): how our mails are signed, and the keys for it.

Mails are signed on the way out, not when written: no key gets into the database, handling does not wait, and a mail
that waited is signed with the current key. A signature depends only on mail and key (its t= is the mail's Date), so
every attempt hands over the same bytes.
"""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
from email.utils import parsedate_to_datetime
from typing import Any

import dkim
from dkim.crypto import UnparsableKeyError, parse_pem_private_key
from flint import fmpz

from pbm.edges.transports import Outgoing, Transport

SIGNED = (
    b"from", b"to", b"subject", b"date", b"message-id", b"reply-to", b"in-reply-to", b"references", b"mime-version",
    b"content-type", b"content-transfer-encoding", b"list-id", b"list-post", b"list-unsubscribe",
    b"list-unsubscribe-post", b"auto-submitted", b"autocrypt",
)  # fmt: skip
"""Those that a mail has are signed, and From twice, so that nobody can put a second one in front of it."""

KEY_BITS = 2048
_EXPONENT = 65537
_RSA_ENCRYPTION = bytes.fromhex("300d06092a864886f70d0101010500")
"""The DER of the algorithm of an RSA public key (RFC 3279)."""


class _Dkim(dkim.DKIM):  # type: ignore[misc]  # the library has no types
    """Signs as of the mail's Date; the library takes the present second, which differs between attempts."""

    def gen_header(self, fields: list[tuple[bytes, bytes]], *rest: Any, **options: Any) -> bytes:
        dates = [value for name, value in self.headers if name.lower() == b"date"]
        written = parsedate_to_datetime(dates[0].decode("ascii").strip())
        dated = [(name, b"%d" % written.timestamp() if name == b"t" else value) for name, value in fields]
        return super().gen_header(dated, *rest, **options)  # type: ignore[no-any-return]


class Signature:
    """Signs for a domain with rsa-sha256, relaxed/relaxed, never with l=, which would let anyone add text."""

    def __init__(self, domain: str, selector: str, key: bytes) -> None:
        """key: PEM of an RSA key. Raises: ValueError if it is not one."""
        self._domain = domain.encode("idna")
        self._selector = selector.encode("idna")
        self._key = key
        public_key(key)

    def signed(self, mail: bytes) -> bytes:
        """The mail with its signature in front. mail: with CRLF line ends and a Date."""
        signer = _Dkim(mail)
        present = {name.lower() for name, _ in signer.headers}
        names = [b"from", *(name for name in SIGNED if name in present)]
        field: bytes = signer.sign(
            self._selector, self._domain, self._key, canonicalize=(b"relaxed", b"relaxed"), include_headers=names
        )
        return field + mail


class Signing:
    """A way out that signs mails first."""

    def __init__(self, way_out: Transport, signature: Signature) -> None:
        self._way_out = way_out
        self._signature = signature

    def renew(self, signature: Signature) -> None:
        """Sign with another key from now on."""
        self._signature = signature

    async def send(self, mail: Outgoing) -> None:
        signed = await asyncio.to_thread(self._signature.signed, mail.data)
        await self._way_out.send(Outgoing(mail.envelope_from, mail.recipient, signed, mail.outbox_id))

    async def close(self) -> None:
        await self._way_out.close()


def new_key() -> bytes:
    """PEM of a new RSA key (PKCS #1, RFC 8017 A.1.2)."""
    first, second = sorted((_prime(KEY_BITS // 2), _prime(KEY_BITS // 2)), reverse=True)
    private = pow(_EXPONENT, -1, (first - 1) * (second - 1))
    halves = (private % (first - 1), private % (second - 1), pow(second, -1, first))
    body = _sequence(*map(_integer, (0, first * second, _EXPONENT, private, first, second, *halves)))
    lines = re.findall(r".{1,64}", base64.b64encode(body).decode("ascii"))
    return "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----", ""]).encode("ascii")


def public_key(key: bytes) -> str:
    """The public key as the DNS record shows it, in base64 (RFC 6376 3.6.1). Raises: ValueError."""
    try:
        parsed = parse_pem_private_key(key)
    except (UnparsableKeyError, IndexError, TypeError) as error:
        raise ValueError("it is no RSA key in PEM form") from error
    shown = _sequence(_integer(parsed["modulus"]), _integer(parsed["publicExponent"]))
    bits = b"\0" + shown  # of a BIT STRING, whose first octet counts its unused bits
    return base64.b64encode(_sequence(_RSA_ENCRYPTION, b"\x03" + _length(len(bits)) + bits)).decode("ascii")


def _prime(bits: int) -> int:
    """A random prime of this many bits, the highest two set, so that a product of two has twice as many bits."""
    while True:
        number = secrets.randbits(bits) | 3 << bits - 2 | 1
        if number % _EXPONENT != 1 and fmpz(number).is_probable_prime():
            return number


def _integer(number: int) -> bytes:
    content = number.to_bytes(number.bit_length() // 8 + 1, "big")
    return b"\x02" + _length(len(content)) + content


def _sequence(*elements: bytes) -> bytes:
    content = b"".join(elements)
    return b"\x30" + _length(len(content)) + content


def _length(octets: int) -> bytes:
    if octets < 128:
        return bytes([octets])
    written = octets.to_bytes((octets.bit_length() + 7) // 8, "big")
    return bytes([128 + len(written)]) + written
