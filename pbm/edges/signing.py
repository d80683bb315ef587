"""DKIM signatures (RFC 6376): how our mails are signed, and the keys for it.

Mails are signed on the way out, not when written: no key gets into the database, handling does not wait, and a mail
that waited is signed with the current keys. A signature depends only on mail and key (its t= is the mail's Date), so
every attempt hands over the same bytes.

One file holds our keys: an RSA key, and beside it an Ed25519 key (RFC 8463), whose selector ends in SECOND. A mail gets
a signature by each, that of RSA first, because some receivers look at the first only and know no other kind.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from pbm.edges.transports import Outgoing, Transport
from pbm.values import frozen

SIGNED = (
    "from", "to", "subject", "date", "message-id", "reply-to", "in-reply-to", "references", "mime-version",
    "content-type", "content-transfer-encoding", "list-id", "list-post", "list-unsubscribe",
    "list-unsubscribe-post", "auto-submitted", "autocrypt",
)  # fmt: skip
"""Those that a mail has are signed, and From twice, so that nobody can put a second one in front of it."""

SECOND = "-ed25519"
KEY_BITS = 2048
"""Of the RSA key: receivers refuse less than 1024, and some DNS servers cannot hold a key of 4096."""
_PEM = re.compile(rb"-----BEGIN [A-Z0-9 ]+-----.*?-----END [A-Z0-9 ]+-----", re.DOTALL)
_BLANKS = re.compile(rb"\t[ \t]*| [ \t]+")
"""What becomes one blank; a single one, as most are, needs no work."""
_FOLD = re.compile(rb"\r\n(?=[ \t])")


@frozen
class SigningKey:
    """One key, and the selector under which the DNS shows it."""

    selector: str
    private: RSAPrivateKey | Ed25519PrivateKey

    @property
    def algorithm(self) -> str:
        return "rsa" if isinstance(self.private, RSAPrivateKey) else "ed25519"

    @property
    def record(self) -> str:
        """The DNS record of the public key (RFC 6376 3.6.1)."""
        public = self.private.public_key()
        if isinstance(self.private, RSAPrivateKey):
            shown = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        else:
            # RFC 8463, 4.2: the bare 32 octets.
            shown = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return f"v=DKIM1; k={self.algorithm}; p={base64.b64encode(shown).decode('ascii')}"

    def sign(self, content: bytes) -> bytes:
        if isinstance(self.private, RSAPrivateKey):
            return self.private.sign(content, padding.PKCS1v15(), hashes.SHA256())
        # RFC 8463, 3: the hash is signed, not the content.
        return self.private.sign(hashlib.sha256(content).digest())


class Signature:
    """Signs for a domain, relaxed/relaxed, never with l=, which would let anyone add text."""

    def __init__(self, domain: str, selector: str, keys: bytes) -> None:
        """keys: as for `signing_keys`. Raises: ValueError."""
        self._domain = domain.encode("idna").decode("ascii")
        self._keys = signing_keys(selector.encode("idna").decode("ascii"), keys)

    def signed(self, mail: bytes) -> bytes:
        """The mail with its signatures in front. mail: with CRLF line ends and a Date."""
        head, _, body = mail.partition(b"\r\n\r\n")
        fields = [_relaxed_field(field) for field in _FOLD.sub(b"", head).split(b"\r\n")]
        body_hash = base64.b64encode(hashlib.sha256(_relaxed_body(body)).digest()).decode("ascii")
        return b"".join(self._field(key, fields, body_hash) for key in self._keys) + mail

    def _field(self, key: SigningKey, fields: Sequence[tuple[str, bytes]], body_hash: str) -> bytes:
        """The signature field by one key, with its line end."""
        chosen = [(name, line) for name, line in fields if name in SIGNED]
        date = next(line for name, line in chosen if name == "date").partition(b":")[2].decode("ascii")
        names = ":".join([*(name for name, _ in chosen), "from"])
        unsigned = (
            f"DKIM-Signature: v=1; a={key.algorithm}-sha256; c=relaxed/relaxed; d={self._domain}; s={key.selector};\r\n"
            f" t={int(parsedate_to_datetime(date).timestamp())}; bh={body_hash};\r\n"
            f" h={names};\r\n b="
        ).encode("ascii")
        # The second From stands for a field that is not there: nothing is hashed for it, and none can be added.
        content = b"\r\n".join([*(line for _, line in chosen), _relaxed_field(_FOLD.sub(b"", unsigned))[1]])
        letters = base64.b64encode(key.sign(content)).decode("ascii")
        lines = [letters[start : start + 72] for start in range(0, len(letters), 72)]
        return unsigned + "\r\n ".join(lines).encode("ascii") + b"\r\n"


def _relaxed_field(field: bytes) -> tuple[str, bytes]:
    """The name in lower case, and the unfolded field as it is hashed (RFC 6376 3.4.2)."""
    name, _, value = field.partition(b":")
    lower = name.strip().lower()
    return lower.decode("ascii"), lower + b":" + _BLANKS.sub(b" ", value).strip(b" ")


def _relaxed_body(body: bytes) -> bytes:
    """The body as it is hashed (RFC 6376 3.4.4): blanks as one, none before a line's end, no empty lines at the end."""
    text = _BLANKS.sub(b" ", body).replace(b" \r\n", b"\r\n").rstrip(b" \r\n")
    return text + b"\r\n" if text else b""


class Signing:
    """A way out that signs mails first."""

    def __init__(self, way_out: Transport, signature: Signature) -> None:
        self._way_out = way_out
        self.signature = signature

    async def send(self, mail: Outgoing) -> None:
        # Not in a thread, which would keep the interpreter to itself meanwhile all the same.
        signed = self.signature.signed(mail.data)
        await self._way_out.send(Outgoing(mail.envelope_from, mail.recipient, signed, mail.outbox_id))

    async def close(self) -> None:
        await self._way_out.close()


def new_keys() -> bytes:
    """PEM of a new RSA key and a new Ed25519 key."""
    made = (generate_private_key(65537, KEY_BITS), Ed25519PrivateKey.generate())
    return b"".join(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) for key in made)


def signing_keys(selector: str, keys: bytes) -> list[SigningKey]:
    """The keys of a file, RSA first. keys: PEM of an RSA key, an Ed25519 key, or one of each. Raises: ValueError."""
    own_keys = [_signing_key(selector, pem) for pem in _PEM.findall(keys)]
    kinds = [key.algorithm for key in own_keys]
    if not own_keys or len(set(kinds)) < len(kinds):
        raise ValueError("it must hold an RSA key, an Ed25519 key, or one of each, in PEM form")
    return sorted(own_keys, key=lambda key: key.algorithm, reverse=True)


def _signing_key(selector: str, pem: bytes) -> SigningKey:
    try:
        private = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:  # TypeError: it wants a password
        raise ValueError("it holds no private key without a password in PEM form") from error
    if isinstance(private, RSAPrivateKey):
        return SigningKey(selector, private)
    if isinstance(private, Ed25519PrivateKey):
        return SigningKey(f"{selector}{SECOND}", private)
    raise ValueError("it holds a key that is neither RSA nor Ed25519, which DKIM does not know")
