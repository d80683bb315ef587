"""The line above which an answer is read, and how it is found again when clients have quoted or wrapped it."""

from __future__ import annotations

import re

SENTINEL = "##- Write your answer above this line -##"
"""Stands first in the body of every mail of ours; 41 columns, so that quoting does not wrap it soon."""

_WORDS = r"[\s>|]{1,40}".join(("write", "your", "answer", "above", "this", "line"))
FOUND = re.compile(rf"{_WORDS}|##[-\u2010-\u2015][^#\n]{{3,100}}[-\u2010-\u2015]##", re.IGNORECASE)
"""Finds the line: its words in order, or its marks around other words, as a translating client leaves them."""
