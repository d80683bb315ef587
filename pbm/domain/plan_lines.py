"""Which lines of a mail are a plan, whatever its mail program did to them. Pure.

A plan begins where a line does, or behind a move on the same line. It goes on in lines that begin a branch, and in
those that were broken off from the line before. A sentence that begins with "if" is none: see plans.is_plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pbm.domain.plans import first_words, is_moves, is_plan

_IF = re.compile(r"(?:^|(?<=[\s;,.]))(?:then[\s,;]+)?(\(*if[\s(].*)", re.IGNORECASE)
_OPEN = re.compile(r"(?:[:,(]|(?:^|\s)(?:then|if))$", re.IGNORECASE)
_LEANING = re.compile(r"then\b|[():;,]", re.IGNORECASE)
_WRAPPED_AT = 55
"""Characters of a line that may have been broken because the next word had no room; programs wrap at 60 or more."""


def lift(
    lines: Sequence[str], is_move: Callable[[str], bool], ends: Callable[[str], bool]
) -> tuple[list[str], list[tuple[int, str]]]:
    """The lines without the plans among them, and each plan with the number of lines left in front of it.

    is_move: whether words may be a move with a plan behind it. ends: whether all below a line is text without plans.
    """
    left: list[str] = []
    plans: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        head, tail = _split(lines[at], is_move)
        at += 1
        if head or not tail:
            left.append(head)
        if not tail:
            if ends(head):
                return [*left, *lines[at:]], plans
            continue
        block = [tail]
        while (end := _following(block[-1], lines, at)) > at:
            block += filter(None, map(str.strip, lines[at:end]))
            at = end
        _add(plans, len(left), "\n".join(block))
    return left, plans


def _add(plans: list[tuple[int, str]], at: int, text: str) -> None:
    """Plans with nothing between them are one."""
    if plans and plans[-1][0] == at:
        text = f"{plans.pop()[1]}\n{text}"
    plans.append((at, text))


def _split(line: str, is_move: Callable[[str], bool]) -> tuple[str, str]:
    """A line and the plan at its end; the plan empty where there is none."""
    found = _IF.search(line)
    if found is None or not is_plan(found[1]):
        return line, ""
    head = line[: found.start()].strip(" \t;,.*")
    if head and not is_move(head):
        return line, ""
    return head, found[1].strip()


def _following(before: str, lines: Sequence[str], at: int) -> int:
    """The end of the next line, if it belongs to the plan that the line before it does; otherwise `at`."""
    next_ = next((place for place in range(at, len(lines)) if lines[place].strip()), len(lines))
    if next_ == len(lines):
        return at
    line = lines[next_].strip()
    if is_plan(line):
        return next_ + 1
    begun = first_words(line)
    piece = not begun.strip(" ;,:()") or is_moves(begun)
    broken = _OPEN.search(before) or _LEANING.match(line) or len(before) + 1 + len(line.split()[0]) > _WRAPPED_AT
    return next_ + 1 if piece and broken and next_ == at else at
