"""Verbs of accounts: who one is, and where one reads mail."""

from __future__ import annotations

from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.errors import BadArguments, NotAllowed
from pbm.domain.match import Player
from pbm.service.handling import Handling
from pbm.service.names import check_address, check_password, check_userid
from pbm.service.verbs.registry import handles, redeems
from pbm.store.tickets import Ticket

MAX_ADDRESSES = 3


@handles("signup")
def signup(handling: Handling, command: Command) -> Answer | None:
    userid, password = command.args["NEW-USERID"], command.args["NEW-PASSWORD"]
    check_userid(userid)
    check_password(password)
    addresses = addresses_of(handling, command)
    if handling.tx.players.is_taken(userid):
        raise NotAllowed(f'The userid "{userid}" is taken; choose another.')
    player = handling.tx.players.add(userid, handling.tools.passwords.hash(password), handling.now)
    for address in addresses:
        ask_to_confirm(handling, player, address)
    return None


def addresses_of(handling: Handling, command: Command) -> list[str]:
    """The addresses a command names, or else the one it came from. Raises: BadArguments."""
    words = command.args.get("ADDRESS", handling.message.sender).split()
    addresses = list(dict.fromkeys(word.strip(",;") for word in words))
    if len(addresses) > MAX_ADDRESSES:
        raise BadArguments(f"An account has at most {MAX_ADDRESSES} addresses.")
    for address in addresses:
        check_address(address)
    return addresses


def ask_to_confirm(handling: Handling, player: Player, address: str) -> None:
    """Add an address that counts once its owner has answered the mail it now gets."""
    days = handling.tools.limits.confirmation_days
    row = handling.tx.players.add_address(player.id, address, handling.now, confirmed=False)
    token = handling.issue("confirm", address, days=days, player=player, address_id=row.id)
    subject = "pbm: please confirm your address"
    handling.write(address, subject, "confirm.txt", reply_to=token, userid=player.userid, days=days)


@redeems("confirm")
def confirm(handling: Handling, ticket: Ticket) -> None:
    """The address is proved, and its owner welcomed."""
    address = handling.tx.players.confirm(ticket.payload["address_id"], handling.now)
    player = handling.tx.players.get(ticket.player_id or 0)
    if address is None or player is None:
        return
    handling.identified = player
    subject = f"pbm: welcome, {player.userid}"
    handling.write(address.address, subject, "welcome.txt", player=player, userid=player.userid)
