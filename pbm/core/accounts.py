"""Accounts made by an answer from the address they are for: they need no password."""

from __future__ import annotations

import re

from pbm.core.credentials import check_free
from pbm.core.request import Request
from pbm.core.unasked import asked_for
from pbm.domain.errors import Rejected
from pbm.domain.match import Player
from pbm.store.belongings import NO_PASSWORD

LONGEST = 16
"""Letters of a userid that is made from an address."""


def open_account(request: Request, address: str, wish: str = "", hashed: str = NO_PASSWORD) -> Player:
    """An account whose address counts at once, for its owner has answered from there. wish: empty for a userid of ours.

    hashed: of the password, if there is one. Raises: BadArguments, NotAllowed.
    """
    userid = wish or _free_userid(request, address)
    check_free(request.tx, userid)
    player = request.tx.players.add(userid, hashed, request.now)
    request.tx.players.add_address(player.id, address, request.now, confirmed=True)
    request.tx.invitations.welcome_back(address)
    asked_for(request.tx, address)
    return player


def _free_userid(request: Request, address: str) -> str:
    """A userid made from the local part of an address."""
    local = re.sub(r"[^a-z0-9_.-]", "", address.partition("@")[0].partition("+")[0].casefold()).lstrip("0123456789_.-")
    stem, number = local[:LONGEST] or "player", 1
    userid = stem
    while not _is_free(request, userid):
        number += 1
        userid = f"{stem}{number}"
    return userid


def _is_free(request: Request, userid: str) -> bool:
    try:
        check_free(request.tx, userid)
    except Rejected:
        return False
    return True
