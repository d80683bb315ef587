"""Incoming mail: what it is made of. `written.read` turns its bytes into a Message or a Discard.

Only light modules are imported here: a mail server may start `pbm receive` for each mail.
"""

from __future__ import annotations

from pbm.mailin.headers import FOR_OPERATOR, Robot, heading, strip_subject
from pbm.mailin.message import Action, Cover, Discard, Envelope, Failure, Judgement, Mark, Message, PeerKey, Unlock

__all__ = [
    "FOR_OPERATOR",
    "Action",
    "Cover",
    "Discard",
    "Envelope",
    "Failure",
    "Judgement",
    "Mark",
    "Message",
    "PeerKey",
    "Robot",
    "Unlock",
    "heading",
    "strip_subject",
]
