"""Which lines of a mail are a plan, whatever its mail program did to them. Pure.

A plan begins where a line does, or after a move on the same line. It goes on in lines that begin a branch, and in
those that were broken off from the line before. A sentence that begins with "if" is none.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

from pbm.domain.plans import BEGINNING, LINK, WIDE, WORDS

_IF = re.compile(r"(?:^|(?<=[\s;,.]))(?:then[\s,;]+)?(\(*if[\s(].*)", re.IGNORECASE)
_OPEN = re.compile(r"(?:[:,(]|(?:^|\s)(?:then|if))$", re.IGNORECASE)
_LEANING = re.compile(r"then\b|[():;,]", re.IGNORECASE)
_WRAPPED_AT = 55
"""Characters of a line that may have been broken because the next word had no room; programs wrap at 60 or more."""


def lift(
    lines: Sequence[str], is_move: Callable[[str], bool], ends: Callable[[str], bool]
) -> tuple[list[str], list[tuple[int, str]]]:
    """The lines without the plans among them, and each plan with the number of lines left in front of it.

    is_move: whether words may be a move with a plan after it. ends: whether all below a line is text without plans.

    >>> lift(["F6 if G7: H8,", "if any: A1", "If you like, talk"], lambda words: words == "F6", lambda line: False)
    (['F6', 'If you like, talk'], [(1, 'if G7: H8,\\nif any: A1')])
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


_MOVE_WORD = re.compile(r"(?!\S*[a-z]{4})\S*\d\S*|[a-z]{1,2}[-/&>]+[a-z]{1,2}|[a-z]|--?", re.IGNORECASE)
_PLAN_WORDS = frozenset(" ".join(WORDS).split()) | {"then", "if", "to", "from", "edge", "place", "move", "remove"}
_NEXT = re.compile(r"\bthen\b[\s,;(]*\bif[\s(]|\bif[\s(]|[\s,;]\(", re.IGNORECASE)


def is_plan(text: str) -> bool:
    """The text begins like a plan and not like a sentence: its first branch holds nothing but moves and our words."""
    begun = BEGINNING.match(text.translate(WIDE))
    if begun is None:
        return False
    first = first_words(begun[1])
    linked = len(first.split()) > 2 and LINK.search(first) is not None
    says = linked or ":" in first or any(char.isdigit() for char in first)
    return says and is_moves(first)


def first_words(text: str) -> str:
    """What stands in front of the next branch."""
    return _NEXT.split(text, maxsplit=1)[0]


def is_moves(text: str) -> bool:
    """Nothing but what moves and the grammar are made of, a misspelt word of ours included."""
    words = [word.strip(".!?()") for word in re.split(r"[\s:;,]+", text.translate(WIDE))]
    words = [word for word in words if word]
    return bool(words) and all(map(_is_plan_word, words))


def _is_plan_word(word: str) -> bool:
    plain = word.casefold()
    if _MOVE_WORD.fullmatch(plain) or plain in _PLAN_WORDS:
        return True
    return bool(difflib.get_close_matches(plain[:20], ("resign", "accept", "reject", "pass", "swap"), 1, 0.8))
