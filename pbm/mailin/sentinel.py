"""The line above which an answer is read, and how our mails are found again when clients have quoted or wrapped them.

Our line stands last in a mail, where it does not push the news out of a mailbox's preview; a board mail also begins
with words of its own, "Cross Board 101:", and one of several boards, too; an answer is read above what comes first.
"""

from __future__ import annotations

import re

SENTINEL = "##- Write your answer above this line -##"
"""Stands in every mail of ours; 41 columns, so that quoting does not wrap it soon."""

_WORDS = r"[\s>|]{1,40}".join(("write", "your", "answer", "above", "this", "line"))
_OPENING = r"(?-i:\b[A-Z][A-Za-z-]{1,30} {1,3}Board[\s>|]{1,40}\d{1,12}:|\bWaiting for you on \d{1,4} boards?:)"
FOUND = re.compile(rf"{_WORDS}|##[-\u2010-\u2015][^#\n]{{3,100}}[-\u2010-\u2015]##|{_OPENING}", re.IGNORECASE)
"""Finds the line: its words in order, or its marks around other words, as a translating client leaves them; or else
how a board mail begins."""
