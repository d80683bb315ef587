"""The verb that mails a player his games and all that is stored of him."""

from __future__ import annotations

from datetime import timedelta

from pbm.compose import Answer, Part
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed
from pbm.service.exporting import File, files_of
from pbm.service.handling import Handling
from pbm.service.verbs.registry import handles

SUBJECT = "pbm: your games and data"
MAX_OCTETS = 10_000_000
"""Octets of all files together; larger mails get lost."""


@handles("export")
def export(handling: Handling, command: Command) -> Answer | None:
    """To one address that he has confirmed: the one he writes from, or else the first."""
    player, tools = handling.who(command), handling.tools
    own = handling.reader(player).addresses
    if not own:
        raise NotAllowed("You have no address that mail may go to, so nothing can be sent.")
    address = next((each for each in own if each.casefold() == handling.message.sender.casefold()), own[0])
    most, since = tools.limits.exports_per_day, handling.now - timedelta(days=1)
    if handling.tx.outbox.written_since(player.id, SUBJECT, since) >= most:
        raise NotAllowed(f"All your games can be sent {most} times a day, and have been. Try again tomorrow.")
    files = files_of(handling.tx, tools.states, tools.composer.pages, player)
    if sum(len(file.data) for file in files) > MAX_OCTETS:
        raise NotAllowed("Your games are too many for a mail: ask the operator of this server for the file.")
    handling.write(
        address,
        SUBJECT,
        "export.txt",
        player=player,
        answers=address.casefold() == handling.message.sender.casefold(),
        attached=[_attached(file) for file in files],
        userid=player.userid,
        names=[file.name for file in files],
    )
    return None


def _attached(file: File) -> Part:
    return Part(file.kind, file.data, {"Content-Disposition": f'attachment; filename="{file.name}"'})
