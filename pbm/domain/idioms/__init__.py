"""How people say what they want in plain words, as data: answers to invitations, and what is to be done on a board.

All patterns meet text as `sentences.plain` makes it. Words that may be repeated are atomic, (?>...): where one of them
can be read in two ways, a pattern that tries both doubles its time with each repetition.
"""

from __future__ import annotations

from pbm.domain.idioms.answers import CLOSING, KEEN, NEVER, NO, NOT_NO, PARTING, QUESTION, REPLY, THANKS, WEAK_YES, YES
from pbm.domain.idioms.deeds import ACTS, MISHAP, MISTAKEN, REGRET
from pbm.domain.idioms.moves import (
    AFTERWARDS,
    ALONE,
    APOLOGY,
    CLAUSE,
    CONDITION,
    DENIED,
    DICTATED,
    DISMISSED,
    ENDED,
    IS_PLAYED,
    LEADING,
    LEADS,
    LETTER,
    LONE_NO,
    PLAYS,
    RETRACTS,
    SPOKEN_OF,
    TAKES_BACK,
    WISHED,
)
from pbm.domain.idioms.patterns import any_of
from pbm.domain.idioms.vocabulary import (
    COMMON,
    COUNTS,
    COURTESIES,
    ELSEWHERE,
    NO_GAMES,
    NO_NAMES,
    OTHER_NAMES,
    OTHER_VERBS,
)
from pbm.domain.idioms.wishes import GIVEN, JOINS, LOST, NAMED, OWN_ADDRESS, REMATCH, SAID, STARTS, WANTED, WISHES

__all__ = [
    "ACTS",
    "AFTERWARDS",
    "ALONE",
    "APOLOGY",
    "CLAUSE",
    "CLOSING",
    "COMMON",
    "CONDITION",
    "COUNTS",
    "COURTESIES",
    "DENIED",
    "DICTATED",
    "DISMISSED",
    "ELSEWHERE",
    "ENDED",
    "GIVEN",
    "IS_PLAYED",
    "JOINS",
    "KEEN",
    "LEADING",
    "LEADS",
    "LETTER",
    "LONE_NO",
    "LOST",
    "MISHAP",
    "MISTAKEN",
    "NAMED",
    "NEVER",
    "NO",
    "NOT_NO",
    "NO_GAMES",
    "NO_NAMES",
    "OTHER_NAMES",
    "OTHER_VERBS",
    "OWN_ADDRESS",
    "PARTING",
    "PLAYS",
    "QUESTION",
    "REGRET",
    "REMATCH",
    "REPLY",
    "RETRACTS",
    "SAID",
    "SPOKEN_OF",
    "STARTS",
    "TAKES_BACK",
    "THANKS",
    "WANTED",
    "WEAK_YES",
    "WISHED",
    "WISHES",
    "YES",
    "any_of",
]
