"""What one player writes to others, made into mails. No mail shows where its author reads his."""

from __future__ import annotations

from datetime import datetime

from pbm.compose import Reader
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.service.telling import Tools, readers_of
from pbm.store import Transaction
from pbm.store.broadcasts import Broadcast

NO_MORE = "set broadcasts off"
"""The command by which a player gets no more broadcasts."""
AT_ONCE = 500
"""Players looked up in one query."""


def written_by(author: Player, tools: Tools) -> dict[str, str]:
    """The From of a mail that passes a player's words on, at our address."""
    return {"From": f'"{author.userid} via pbm" <{tools.composer.robot.address}>'}


def spread(tx: Transaction, tools: Tools, broadcast: Broadcast, now: datetime) -> tuple[list[Mail], int]:
    """The mails of a broadcast, and how many players get it: all who want such and have not blocked its author."""
    deaf = {broadcast.author.id, *tx.blocks.blockers(broadcast.author.id)}
    players = [player for player in tx.players.all() if player.id not in deaf]
    mails: list[Mail] = []
    hearers = 0
    for start in range(0, len(players), AT_ONCE):
        for reader in readers_of(tx, tools, players[start : start + AT_ONCE], now).values():
            if reader.settings.broadcasts == "on" and reader.addresses:
                hearers += 1
                mails += _mails(tools, broadcast, reader, now)
    return mails, hearers


def _mails(tools: Tools, broadcast: Broadcast, reader: Reader, now: datetime) -> list[Mail]:
    composer = tools.composer
    token = composer.answered_by(reader)
    return [
        composer.letter(
            address,
            "pbm: to all players",
            "broadcast.txt",
            now,
            player=reader.player,
            reply_to=token,
            headers=written_by(broadcast.author, tools),
            userid=broadcast.author.userid,
            text=broadcast.text,
            leave=NO_MORE,
        )
        for address in reader.addresses
    ]
