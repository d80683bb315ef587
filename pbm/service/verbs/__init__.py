"""What each verb does, a module for each kind of wish."""

from pbm.service.verbs import (
    accounts,
    asking,
    challenging,
    chatting,
    choices,
    company,
    displaying,
    explaining,
    following,
    inviting,
    offers,
    playing,
    previewing,
    seeking,
    standing,
)
from pbm.service.verbs.registry import HANDLERS, LASTING, REDEEMERS, REFUSALS, run

__all__ = [
    "HANDLERS",
    "LASTING",
    "REDEEMERS",
    "REFUSALS",
    "accounts",
    "asking",
    "challenging",
    "chatting",
    "choices",
    "company",
    "displaying",
    "explaining",
    "following",
    "inviting",
    "offers",
    "playing",
    "previewing",
    "run",
    "seeking",
    "standing",
]
