"""A mail as bytes: headers that no client folds or mangles, and text whose lines stay as they were written."""

from __future__ import annotations

import io
import quopri
from collections.abc import Mapping
from email.generator import BytesGenerator
from email.header import Header
from email.message import Message
from email.policy import compat32

_POLICY = compat32.clone(linesep="\r\n", max_line_length=998)


def to_bytes(headers: Mapping[str, str], text: str) -> bytes:
    """The mail with its lines ended by CRLF. headers: in their order; values without line breaks.

    Long identifiers stay whole: the standard library would fold or encode them, which breaks threads.
    """
    message = Message(policy=_POLICY)
    for name, value in headers.items():
        if "\r" in value or "\n" in value:
            raise ValueError(f"a line break in the header {name}")
        message[name] = value if value.isascii() else Header(value, "utf-8", maxlinelen=900)  # type: ignore[assignment]
    message["MIME-Version"] = "1.0"
    message["Content-Type"] = "text/plain; charset=utf-8"
    if text.isascii():
        message["Content-Transfer-Encoding"] = "7bit"
        message.set_payload(text)
    else:
        message["Content-Transfer-Encoding"] = "quoted-printable"
        message.set_payload(quopri.encodestring(text.encode()).decode("ascii"))
    buffer = io.BytesIO()
    BytesGenerator(buffer, mangle_from_=False, maxheaderlen=0, policy=_POLICY).flatten(message)
    return buffer.getvalue()
