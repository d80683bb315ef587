"""What is owed to whom, and the mails that are made of it.

Its names are imported when first used: a few of its modules need none of what mails are made with.
"""

from typing import TYPE_CHECKING

from pbm.lazily import lazily

if TYPE_CHECKING:
    from pbm.compose.composer import RENEWED, SET_BACK, Composer
    from pbm.compose.notices import Answer, Chart, Drawn, File, Gathering, Notice, Outcome, Posed, Reader, Whence
    from pbm.compose.owed import DrawnBoard
    from pbm.compose.views import Expiry
else:
    __getattr__ = lazily(
        __name__,
        composer="RENEWED SET_BACK Composer",
        notices="Answer Chart Drawn File Gathering Notice Outcome Posed Reader Whence",
        owed="DrawnBoard",
        views="Expiry",
    )

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
