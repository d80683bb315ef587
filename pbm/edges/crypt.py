"""OpenPGP (the extra `crypt`): our key, encrypting mails on their way out, and decrypting mails that come in.

Mails are encrypted on the way out, as they are signed there: the database holds the plain mail with its one Message-ID,
and handling does not wait. Each mail carries our key (Autocrypt Level 1). If its reader wants that, it goes out as
PGP/MIME (RFC 3156), with its header fields repeated inside; a chat app then makes one chat of each board.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from pbm.compose.wire import SEALED_FOR
from pbm.edges.transports import Outgoing, TemporaryFailure, Transport
from pbm.mailin.mime import split
from pbm.store.house import Peer

if TYPE_CHECKING:  # the extra may be missing
    from pysequoia import Tsk

log = structlog.get_logger()

MAX_UNLOCK_SECONDS = 10
"""How long decrypting one mail may take in all; of processor time it gets two seconds."""
_DECRYPT = Path(__file__).with_name("decrypt.py")
_WITHIN = ("subject", "thread-topic", "thread-index", "list-id", "list-post")
"""Fields that an encrypted mail shows only to its reader."""
_MARK = re.compile(rb"^" + SEALED_FOR.encode("ascii") + rb":[^\r]*\r\n(?:[ \t][^\r]*\r\n)*", re.MULTILINE)
_POST = re.compile(r"<mailto:[^+>]*\+([a-z2-7]{11,32})@")


def new_key(address: str) -> bytes:
    """A new secret key (Ed25519 and Curve25519) that never expires. Raises: ImportError without the extra."""
    from pysequoia import Profile, Tsk

    return str(Tsk.generate(user_id=f"<{address}>", profile=Profile.RFC4880)).encode("ascii")


class Keyring:
    """Our key. Raises: ImportError without the extra, ValueError if it is not a secret key."""

    def __init__(self, secret: bytes) -> None:
        from pysequoia import Tsk

        try:
            self._key: Tsk = Tsk.from_bytes(secret)
            self._key.signer()
            self.certificate = bytes(self._key.extract_certificate())
            self.fingerprint = self._key.extract_certificate().fingerprint.upper()
        # The library raises various errors, with long texts.
        except Exception as error:
            raise ValueError("it is no secret OpenPGP key without a password") from error
        self._secret = bytes(self._key)

    def unlock(self, message: bytes, signer: bytes) -> tuple[bytes, bool] | None:
        """The text encrypted for us, and whether `signer` signed it; None if it cannot be decrypted."""
        values = {"key": self._secret, "message": message, "signer": signer}
        request = json.dumps({name: base64.b64encode(value).decode("ascii") for name, value in values.items()})
        try:
            done = subprocess.run(  # noqa: S603  a program of ours
                [sys.executable, "-I", str(_DECRYPT)],
                input=request.encode("ascii"), capture_output=True, timeout=MAX_UNLOCK_SECONDS, check=False,
            )  # fmt: skip
        except (subprocess.TimeoutExpired, OSError) as error:
            log.warning("not_unlocked", trouble=type(error).__name__)
            return None
        return (done.stdout[1:], done.stdout[:1] == b"+") if done.returncode == 0 else None

    def header(self, address: str) -> bytes:
        """The field that tells others our key (Autocrypt), folded onto several lines."""
        data = base64.encodebytes(self.certificate).decode("ascii").splitlines()
        return "\r\n ".join([f"Autocrypt: addr={address}; prefer-encrypt=mutual; keydata=", *data]).encode("ascii")

    def card(self, address: str) -> str:
        """A contact card for chat apps (vCard 4.0), with the key."""
        key = base64.b64encode(self.certificate).decode("ascii")
        lines = ["BEGIN:VCARD", "VERSION:4.0", f"EMAIL:{address}", "FN:pbm"]
        return "\r\n".join([*lines, f"KEY:data:application/pgp-keys;base64,{key}", "END:VCARD", ""])

    def sealed(self, mail: bytes, peer: Peer) -> bytes:
        """A mail of ours, encrypted for a key and signed. Raises: ValueError if the key cannot be encrypted to."""
        from pysequoia import Cert, encrypt

        head, _, body = mail.partition(b"\r\n\r\n")
        # Each name in lower case, with its lines.
        lines = re.split(rb"\r\n(?![ \t])", head)
        fields = [(line.partition(b":")[0].decode("ascii").lower(), line) for line in lines]
        content = b"\r\n".join([*_inner(fields), *(_chat(dict(fields)) if peer.chats else ()), b"", body])
        # Delta Chat trusts only signatures by the primary key, others only those by the signing subkey
        signer = self._key.certifier() if peer.chats else self._key.signer()
        try:
            secret = encrypt(content, [Cert.from_bytes(peer.key)], signer=signer)
        except Exception as error:  # the library raises various errors, with long texts
            raise ValueError("the key of the reader cannot be encrypted to") from error
        shown = [line for name, line in fields if name not in _WITHIN and not name.startswith("content-")]
        return b"\r\n".join([*shown, b"Subject: [...]", *_envelope(secret)])


class Sealing:
    """A way out that adds our key to mails, and encrypts them if their readers want that.

    peer_of: the key of an address; None if none is known.
    """

    def __init__(self, way_out: Transport, keyring: Keyring, peer_of: Callable[[str], Peer | None]) -> None:
        self.way_out = way_out
        self._keyring = keyring
        self._peer_of = peer_of

    async def send(self, mail: Outgoing) -> None:
        data = await asyncio.to_thread(self._outgoing, mail)
        await self.way_out.send(Outgoing(mail.envelope_from, mail.recipient, data, mail.outbox_id))

    async def close(self) -> None:
        await self.way_out.close()

    def _outgoing(self, mail: Outgoing) -> bytes:
        """The mail as it leaves. Raises: TemporaryFailure if it must be encrypted and cannot be."""
        fields = split(mail.data)[0]
        asked_by = fields.get(SEALED_FOR.lower(), [])
        data = _MARK.sub(b"", mail.data, count=1) if asked_by else mail.data
        # The answer to an encrypted mail never leaves in clear: it waits until its reader's key is known again.
        must_be = mail.recipient.casefold() in map(str.casefold, asked_by)
        try:
            data = self._sealed(mail, data, fields.get("in-reply-to", []), must_be=must_be)
        except ValueError as error:
            if must_be:
                raise TemporaryFailure(f"it answers an encrypted mail, and {error}") from error
            log.debug("not_sealed", outbox=mail.outbox_id, reason=str(error))
        head, gap, body = data.partition(b"\r\n\r\n")
        address = fields["from"][0].rpartition("<")[2].rstrip(">")
        return head + b"\r\n" + self._keyring.header(address) + gap + body

    def _sealed(self, mail: Outgoing, data: bytes, answers: Collection[str], *, must_be: bool) -> bytes:
        """The encrypted mail. Raises: ValueError with the reason why it is not to be encrypted, or cannot be."""
        peer = self._peer_of(mail.recipient)
        # Autocrypt Level 1: encryption only where both sides want it, or in answer to an encrypted mail.
        if peer is None or not (peer.wanted or must_be):
            raise ValueError("its reader has no key, or wants no encrypted mail")
        # A key that may be forged serves only for answers to the mails that brought it.
        if not peer.proven and {*answers}.isdisjoint(peer.brought_by):
            raise ValueError("its reader's key came with another mail, and may be forged")
        return self._keyring.sealed(data, peer)


def _inner(fields: list[tuple[str, bytes]]) -> list[bytes]:
    """The fields of the encrypted part: how to read the content, and the mail's own fields."""
    lines = [line for name, line in fields if name != "mime-version" and not name.startswith("list-")]
    return [line + b'; protected-headers="v1"' if line.lower().startswith(b"content-type:") else line for line in lines]


def _chat(fields: Mapping[str, bytes]) -> list[bytes]:
    """The fields that make a chat of each board, because chat apps cannot answer to an encrypted list."""
    post = _POST.search(fields.get("list-post", b"").decode("ascii"))
    if post is None:
        return []
    name = fields["list-id"].decode("ascii").partition(":")[2].partition("<")[0].strip()
    return [b"Chat-Version: 1.0", b"Chat-Group-ID: " + post[1].encode("ascii"), b"Chat-Group-Name: " + name.encode()]


def _envelope(secret: bytes) -> list[bytes]:
    """The two parts of an encrypted mail (RFC 3156). An armored message cannot contain the boundary."""
    return [
        b'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="=_sealed"',
        b"",
        b"--=_sealed",
        b"Content-Type: application/pgp-encrypted",
        b"",
        b"Version: 1",
        b"",
        b"--=_sealed",
        b"Content-Type: application/octet-stream",
        b"",
        *secret.splitlines(),
        b"--=_sealed--",
        b"",
    ]
