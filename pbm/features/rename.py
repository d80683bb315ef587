"""Another userid for a player; the old one leads to them for good."""

from __future__ import annotations

from pbm.compose import Answer
from pbm.core import credentials
from pbm.core.registry import handles
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.domain.errors import NotAllowed
from pbm.reading.commands import Command
from pbm.reading.verbs import ACCOUNT, Entry, Verb

MOST_NAMES = 5
"""Names that one player may have had; going back to one of them is always possible."""


@handles(
    Verb("rename USERID PASSWORD NEW-USERID", ACCOUNT),
    Entry(28, "take another userid; the old one stays yours and leads to the new one"),
)
def rename(request: Request, command: Command) -> Answer:
    player, wanted = request.author.who(command), command.args["NEW-USERID"]
    if wanted == player.userid:
        raise NotAllowed(f"You are {wanted} already.")
    had = request.tx.players.former_names(player.id)
    # Each name stays taken for good.
    if len(had) >= MOST_NAMES and wanted.casefold() not in had:
        raise NotAllowed(f"You have had {MOST_NAMES} names, as many as anybody may.", f"rename {had[0]}")
    renamed = request.author.player = credentials.rename(request.tx, player, wanted)
    # For further commands of the same mail.
    if request.sender.proven is not None:
        request.author.sender = request.sender._replace(proven=renamed)
    request.tools.states.forget()
    told = f"You are {wanted} now. Whoever writes {player.userid} still means you, and nobody else can be called so."
    return done(command, told, f"pbm: you are {renamed.userid}")
