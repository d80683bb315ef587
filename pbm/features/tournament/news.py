"""Once a week, those who want it are told which tournaments they can join."""

from __future__ import annotations

from datetime import datetime, timedelta

from games import GAMES
from pbm.core.notify import readers_of
from pbm.core.registry import Occasion, when_due
from pbm.store import Transaction

NEWS = "tournament news"
"""Kind of the agenda's item; there is one as long as there is a tournament to join."""
NO_MORE = "set tournaments off"
_WEEKDAY, _HOUR = 0, 8
_AT_ONCE = 500
"""Players looked up in one query."""


def plan(tx: Transaction) -> None:
    """There is news; it is told on Monday morning (UTC)."""
    if tx.agenda.get(NEWS, "") is None:
        tx.agenda.put(NEWS, "", _next(tx.now))


def _next(now: datetime) -> datetime:
    morning = now.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    at = morning + timedelta(days=(_WEEKDAY - now.weekday()) % 7)
    return at if at > now else at + timedelta(days=7)


@when_due(NEWS)
def announce(occasion: Occasion) -> None:
    tx, tools, now = occasion.tx, occasion.tools, occasion.now
    tournaments = [
        tournament for tournament in tx.tournaments.listed() if tournament.is_open and tournament.game in GAMES
    ]
    if not tournaments:
        return
    plan(tx)
    players = tx.players.all()
    for start in range(0, len(players), _AT_ONCE):
        for reader in readers_of(tx, tools, players[start : start + _AT_ONCE]).values():
            if reader.settings.tournaments != "on":
                continue
            token = tools.composer.answered_by(reader)
            mails = [
                tools.composer.letter(
                    address, "pbm: tournaments to join", "tournament-news.txt", now, player=reader.player,
                    reply_to=token, leave=NO_MORE, tournaments=tournaments, zone=reader.settings.zone,
                )
                for address in reader.addresses
            ]  # fmt: skip
            tx.outbox.add(mails, now)
