"""Decrypts one message, as a program of its own, because a stranger's message may unpack to gigabytes.

Run by path, so that it loads nothing of the server. Standard input: a JSON object whose values are base64: "key", our
secret key; "message"; and "signer", the expected signer's certificate, or nothing. Standard output: "+" or "-", for
whether the signature is valid, then the message. If decryption fails, the exit code is not 0.
"""

from __future__ import annotations

import base64
import json
import resource
import sys
from contextlib import suppress

MAX_SECONDS = 2
MAX_MEMORY = 512 * 2**20
MAX_OPENED = 4 * 2**20
"""Octets of a decrypted message at most; a longer mail is not read further anyway."""


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from pysequoia import Cert, Tsk, decrypt

    values = {name: base64.b64decode(value) for name, value in json.load(sys.stdin).items()}
    decryptor = Tsk.from_bytes(values["key"]).decryptor()
    opened = decrypt(values["message"], decryptor).bytes
    if opened is None or len(opened) > MAX_OPENED:
        sys.exit("too long")
    signed = False
    if values["signer"]:
        with suppress(Exception):  # the library raises for anything wrong with a signature
            signer = Cert.from_bytes(values["signer"])
            signed = bool(decrypt(values["message"], decryptor, store=lambda _: [signer]).valid_sigs)
    sys.stdout.buffer.write((b"+" if signed else b"-") + opened)


if __name__ == "__main__":
    main()
