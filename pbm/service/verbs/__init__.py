"""What each verb does, a module for each kind of wish."""

from pbm.service.verbs import accounts, asking, challenging, chatting, choices, following, offers, playing, previewing
from pbm.service.verbs.registry import HANDLERS, REDEEMERS, REFUSALS, run

__all__ = [
    "HANDLERS",
    "REDEEMERS",
    "REFUSALS",
    "accounts",
    "asking",
    "challenging",
    "chatting",
    "choices",
    "following",
    "offers",
    "playing",
    "previewing",
    "run",
]
