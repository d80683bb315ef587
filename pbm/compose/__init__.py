"""Turns events and answers into finished mails."""

from pbm.compose.composer import RENEWED, SET_BACK, Composer
from pbm.compose.notices import Answer, Gathering, Notice, Outcome, Posed, Reader, Whence
from pbm.compose.pages import Figure
from pbm.compose.views import Expiry
from pbm.compose.wire import Part

__all__ = [
    "RENEWED",
    "SET_BACK",
    "Answer",
    "Composer",
    "Expiry",
    "Figure",
    "Gathering",
    "Notice",
    "Outcome",
    "Part",
    "Posed",
    "Reader",
    "Whence",
]
