"""News of a tournament: the mails to its players and followers.

Once a week, players who want it are told which tournaments they can join.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from games import GAMES
from pbm.compose.notices import Answer, Outcome, Reader
from pbm.core.notify import Desk, letters_for, readers_of
from pbm.core.registry import Occasion, when_due
from pbm.domain.mail import Mail
from pbm.store import Transaction
from pbm.store.tournaments import Tournament

TOLD = "tournament told"
"""The kind of agenda items for news that not all players of a tournament have got yet."""
_AT_ONCE = 10
"""Players who are written to in one transaction, so that others need not wait long."""


def page(at: Desk, name: str, tournament: Tournament, reader: Reader, **words: object) -> str:
    """One page for one reader, without newlines at its end."""
    game = GAMES.get(tournament.game)
    text = at.tools.composer.pages.render(
        name,
        tournament=tournament,
        terms=tournament.terms,
        title=game.info.title if game else tournament.game,
        stage=tournament.stage,
        zone=reader.settings.zone,
        **words,
    )
    return text.rstrip("\n")


def audience(tx: Transaction, tournament: Tournament) -> list[int]:
    """The ids of the players of the tournament, then of its followers."""
    inside = (each.player for each in tx.tournaments.present(tournament.id))
    return list(dict.fromkeys(player.id for player in (*inside, *tx.tournaments.followers(tournament.id))))


def tell(
    at: Desk, players: Sequence[int], tournament: Tournament, name: str, subject: str, words: dict[str, Any]
) -> list[Mail]:
    """The mails to the first of the players, by id; the agenda writes to the others.

    words: the words of the page, in a form that the agenda can hold. `pairings` and `before` are numbers of rounds.
    """
    first, more = players[:_AT_ONCE], players[_AT_ONCE:]
    if more:
        place = {"season": tournament.season, "round": tournament.round}
        key = f"{tournament.id} {name} {tournament.season} {tournament.round}"
        at.tx.agenda.put(TOLD, key, at.now, players=more, page=name, subject=subject, words=words, **place)
    rounds = {word: words[word] for word in ("pairings", "before") if word in words}
    if rounds:
        meetings = at.tx.tournaments.meetings(tournament.id, tournament.season)
        words = words | {word: [each for each in meetings if each.round == rounds[word]] for word in rounds}
    mails: list[Mail] = []
    inside = {each.player for each in at.tx.tournaments.present(tournament.id)}
    for reader in readers_of(at, filter(None, map(at.tx.players.get, first))).values():
        you = reader.player
        text = page(at, name, tournament, reader, you=you, inside=you in inside, subject=subject, **words)
        answer = Answer("", Outcome.DONE, text, f"pbm: {tournament.name}: {subject}")
        mails += at.tools.composer.answer(reader, [answer], at.now, None)
    return mails


@when_due(TOLD, within=timedelta(hours=1))
def go_on_telling(occasion: Occasion) -> None:
    rest, number = occasion.item.payload, occasion.item.key.partition(" ")[0]
    tournament = occasion.tx.tournaments.get(int(number))
    if tournament is not None:
        then = replace(tournament, season=rest["season"], round=rest["round"])
        occasion.owe(tell(occasion, rest["players"], then, rest["page"], rest["subject"], rest["words"]))


NEWS = "tournament news"
"""The kind of the agenda item that exists as long as there is a tournament to join."""
NO_MORE = "set tournaments off"
_MORE = "more"
"""The key of the item that exists while more players are to be told."""


def plan(tx: Transaction) -> None:
    """Plan the news for next Monday morning (UTC)."""
    if tx.agenda.get(NEWS, "") is None:
        monday = tx.now.replace(hour=8, minute=0, second=0, microsecond=0) - timedelta(days=tx.now.weekday())
        tx.agenda.put(NEWS, "", monday if monday > tx.now else monday + timedelta(days=7))


@when_due(NEWS, within=timedelta(days=7))
def announce(occasion: Occasion) -> None:
    tx = occasion.tx
    tournaments = [
        tournament for tournament in tx.tournaments.listed() if tournament.is_open and tournament.game in GAMES
    ]
    if not tournaments:
        return
    # Only the first part of the news plans the next week's.
    if occasion.item.key != _MORE:
        plan(tx)
    players, last = tx.players.after(occasion.item.payload.get("after", 0), _AT_ONCE)
    if last is not None:
        tx.agenda.put(NEWS, _MORE, tx.now, after=last)
    mails: list[Mail] = []
    for reader in readers_of(occasion, players).values():
        if reader.settings.tournaments != "on":
            continue
        mails += letters_for(
            occasion, reader, "pbm: tournaments to join", "tournament-news.txt", leave=NO_MORE,
            tournaments=tournaments, zone=reader.settings.zone,
        )  # fmt: skip
    occasion.owe(mails)
