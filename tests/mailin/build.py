"""Builds raw mails for the tests, and reads them as our server does."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7

from pbm.mailin import Discard, Envelope, Message, Robot
from pbm.mailin.written import read

ROBOT = Robot("pbm", "play.example.org", authserv_id="mx.play.example.org")
ENVELOPE = Envelope("ann@example.org", ("pbm+abc@play.example.org",))


def raw(text: str | bytes = "F6\n", *fields: str, kind: str = "text/plain; charset=utf-8") -> bytes:
    """A mail from Ann to our board address; the given fields replace the usual ones or are added."""
    given = {field.partition(":")[0].lower() for field in fields}
    usual = (
        "From: Ann <ann@example.org>",
        "To: pbm+abc@play.example.org",
        "Subject: Re: Board 101",
        "Message-ID: <1@example.org>",
        f"Content-Type: {kind}",
    )
    head = [*(field for field in usual if field.partition(":")[0].lower() not in given), *fields]
    body = text.encode() if isinstance(text, str) else text
    return "\n".join(head).encode("utf-8", "surrogateescape") + b"\n\n" + body


def person(mail: bytes, envelope: Envelope = ENVELOPE, robot: Robot = ROBOT) -> Message:
    """The mail read, which must pass for a person's."""
    message = read(mail, envelope, robot)
    assert isinstance(message, Message), message
    return message


def silent(mail: bytes, envelope: Envelope = ENVELOPE, robot: Robot = ROBOT) -> Discard:
    """The mail read, which must pass for one that is never answered."""
    discard = read(mail, envelope, robot)
    assert isinstance(discard, Discard), discard
    return discard


@cache
def signed(content: bytes) -> bytes:
    """The content in an opaque S/MIME signature, as DER."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Alice")])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(7).not_valid_before(start).not_valid_after(start.replace(year=2036))
    certificate = built.sign(key, hashes.SHA256())
    builder = pkcs7.PKCS7SignatureBuilder().set_data(content).add_signer(certificate, key, hashes.SHA256())
    return builder.sign(serialization.Encoding.DER, [pkcs7.PKCS7Options.Binary])
