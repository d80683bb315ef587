"""What is owed to whom, and the mails that are made of it."""

from pbm.compose.composer import RENEWED, SET_BACK, Composer
from pbm.compose.notices import Answer, Chart, Drawn, File, Gathering, Notice, Outcome, Posed, Reader, Whence
from pbm.compose.owed import DrawnBoard
from pbm.compose.views import Expiry

__all__ = [
    "RENEWED",
    "SET_BACK",
    "Answer",
    "Chart",
    "Composer",
    "Drawn",
    "DrawnBoard",
    "Expiry",
    "File",
    "Gathering",
    "Notice",
    "Outcome",
    "Posed",
    "Reader",
    "Whence",
]
