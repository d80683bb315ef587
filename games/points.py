"""Points of the plane as people write them below a challenge: what the boards of one's own have in common."""

from __future__ import annotations

import re

from games.rules import fold

POINT = r"[(\[]?\s*([0-9]{1,6})(?:\s*[,;:|]\s*|\s+)([0-9]{1,6})(?![0-9]|\.[0-9])\s*[)\]]?"
LABEL = r"([a-z][0-9]{1,3}|[a-z]{1,2})(?![a-z0-9])"
LABELLED = rf"(?:point\s+)?{LABEL}\s*[=:@,]?\s*{POINT}"
BELOW_ZERO = re.compile(r"(?:^|[\s,;(])-[0-9]")
_NUMBER = re.compile(r"(?<![\w.])-?[0-9]+(?:\.[0-9]+)?")
_LISTED = re.compile(
    r"^(?:[-*•]\s+)?(?:[0-9]{1,3}[.)]\s+|(?:edge|line|segment|vertex)\s+[0-9]{1,3}\s*[.):]\s+)?(?:and\s+)?"
)


def unlisted(line: str) -> str:
    """The line in plain letters and marks, without what puts it into a list.

    >>> unlisted("1. RED (0,0) – (10,10);"), unlisted("- and B–C")
    ('red (0,0) - (10,10', 'b-c')
    """
    return _LISTED.sub("", fold(line))


def with_good_numbers(line: str) -> str:
    """The line with numbers that any board may have, so that one with wrong numbers is known for a line of points, too.

    >>> with_good_numbers("A(0,-5) B(10,2.5)"), with_good_numbers("0,0-10,10")
    ('A(1,1) B(1,1)', '1,1-1,1')
    """
    return _NUMBER.sub("1", line)
