"""News of a tournament: its standings and pairings as tables, and the mails to all who are in it.

Once a week, those who want it are told which tournaments they can join.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from games import GAMES
from pbm.compose import Answer, Outcome, Reader
from pbm.core.notify import Desk, letters_for, readers_of
from pbm.core.registry import Occasion, when_due
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.domain.tournaments.bouts import Bout
from pbm.domain.tournaments.standings import Line, TieBreak, standings
from pbm.domain.tournaments.terms import Kind
from pbm.store import Transaction
from pbm.store.tournaments import Entrant, Meeting, Tournament


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """One line of a table of standings."""

    line: Line
    userid: str
    left: bool

    @property
    def tie_breaks(self) -> list[str]:
        return [shown(value) for value in self.line.tie_breaks]

    @property
    def points(self) -> str:
        return shown(self.line.points)


@dataclass(frozen=True, slots=True)
class Standings:
    """Of a tournament, or of one division."""

    number: int
    """Of the division; 0 where there is but one."""
    tie_breaks: tuple[TieBreak, ...]
    rows: tuple[EntrantRow, ...]

    def plain(self) -> dict[str, object]:
        """What a page shows of it, as the agenda can hold it."""
        rows = [
            {
                "line": {"rank": row.line.rank, "won": row.line.won, "drawn": row.line.drawn, "lost": row.line.lost},
                "userid": row.userid,
                "left": row.left,
                "points": row.points,
                "tie_breaks": row.tie_breaks,
            }
            for row in self.rows
        ]
        return {"number": self.number, "tie_breaks": list(self.tie_breaks), "rows": rows}


TOLD = "tournament told"
"""Kind of the agenda's items: of tournaments of which not all have been told yet what happened."""
_AT_ONCE = 10
"""Players who are written to in one transaction, so that nobody waits for it."""


def shown(points: Fraction) -> str:
    """Exact, for points are halves and tie-breaks quarters."""
    return f"{float(points):.2f}".rstrip("0").rstrip(".")


def _standings_of(tournament: Tournament, entrants: Sequence[Entrant], meetings: Sequence[Meeting]) -> list[Standings]:
    """The standings by the meetings of a season, a table for each division; of a ladder, its rungs."""
    divisions = sorted({entrant.division for entrant in entrants if entrant.division is not None})
    several = tournament.terms.kind is Kind.LEAGUE
    return [
        _board(tournament, [each for each in entrants if each.division == division], meetings, division * several)
        for division in divisions
    ]


def _board(tournament: Tournament, members: Sequence[Entrant], meetings: Sequence[Meeting], number: int) -> Standings:
    tie_breaks = tournament.terms.kind.tie_breaks
    by_id = {member.player.id: member for member in members}
    bouts = [meeting.bout for meeting in meetings]
    lines = standings(list(by_id), bouts, tie_breaks)
    if tournament.terms.kind is Kind.LADDER:
        lines = _rungs(list(by_id), bouts)
    rows = tuple(
        EntrantRow(line, by_id[line.entrant].player.userid, by_id[line.entrant].left_at is not None) for line in lines
    )
    return Standings(number, tie_breaks, rows)


def _rungs(order: Sequence[int], bouts: Sequence[Bout]) -> list[Line]:
    """The order of a ladder is its own."""
    lines = {line.entrant: line for line in standings(order, bouts, ())}
    return [replace(lines[each], rank=rung) for rung, each in enumerate(order, 1)]


class Letters(Desk):
    """Renders what is told of tournaments."""

    def page(self, name: str, tournament: Tournament, reader: Reader, **words: object) -> str:
        """One page for one reader, without its last line end."""
        game = GAMES.get(tournament.game)
        text = self.tools.pages.render(
            name,
            tournament=tournament,
            terms=tournament.terms,
            title=game.info.title if game else tournament.game,
            stage=tournament.stage,
            zone=reader.settings.zone,
            **words,
        )
        return text.rstrip("\n")

    def standings(self, tournament: Tournament, reader: Reader) -> str:
        return self.page("tournament-standings.txt", tournament, reader, standings=self.standings_of(tournament))

    def standings_of(self, tournament: Tournament) -> list[Standings]:
        """How its players stand, in the present season."""
        meetings = self.tx.tournaments.meetings(tournament.id, tournament.season)
        meetings = [each for each in meetings if each.round <= tournament.round]  # byes may be asked for beforehand
        own, climbs = self.tx.tournaments, tournament.terms.kind is Kind.LADDER
        entrants = own.present(tournament.id) if climbs else own.entrants(tournament.id)
        return _standings_of(tournament, entrants, meetings)

    def audience(self, tournament: Tournament) -> list[Player]:
        """All who are in the tournament, and then those who follow it."""
        inside = [each.player for each in self.tx.tournaments.present(tournament.id)]
        known = {player.id for player in inside}
        return [*inside, *(each for each in self.tx.tournaments.followers(tournament.id) if each.id not in known)]

    def tell(self, players: Sequence[int], tournament: Tournament, page: str, subject: str, **words: Any) -> list[Mail]:
        """The mails to the first of the players, by their ids; the others are told by and by.

        words: of the page, as the agenda can hold them. Of `pairings` and `before` it holds the number of the round.
        """
        told, more = players[:_AT_ONCE], players[_AT_ONCE:]
        if more:
            place = {"season": tournament.season, "round": tournament.round}
            key = f"{tournament.id} {page} {tournament.season} {tournament.round}"
            self.tx.agenda.put(TOLD, key, self.now, players=more, page=page, subject=subject, words=words, **place)
        rounds = {name: words[name] for name in ("pairings", "before") if name in words}
        if rounds:
            meetings = self.tx.tournaments.meetings(tournament.id, tournament.season)
            words |= {name: [each for each in meetings if each.round == rounds[name]] for name in rounds}
        return self._mails(told, tournament, page, subject, words)

    def _mails(
        self, players: Iterable[int], tournament: Tournament, page: str, subject: str, words: dict[str, Any]
    ) -> list[Mail]:
        """The page for each of the players; an answer to it is a command of theirs."""
        mails: list[Mail] = []
        inside = {each.player for each in self.tx.tournaments.present(tournament.id)}
        for reader in readers_of(self, filter(None, map(self.tx.players.get, players))).values():
            you = reader.player
            text = self.page(page, tournament, reader, you=you, inside=you in inside, subject=subject, **words)
            answer = Answer("", Outcome.DONE, text, f"pbm: {tournament.name}: {subject}")
            mails += self.tools.composer.answer(reader, [answer], self.now, None)
        return mails


@when_due(TOLD, within=timedelta(hours=1))
def go_on_telling(occasion: Occasion) -> None:
    told, number = occasion.item.payload, occasion.item.key.partition(" ")[0]
    tournament = occasion.tx.tournaments.get(int(number))
    if tournament is not None:
        then = replace(tournament, season=told["season"], round=told["round"])
        page, subject, words = told["page"], told["subject"], told["words"]
        mails = Letters(occasion.tx, occasion.tools).tell(told["players"], then, page, subject, **words)
        occasion.tx.outbox.add(mails, occasion.now)


NEWS = "tournament news"
"""Kind of the agenda's item; there is one as long as there is a tournament to join."""
NO_MORE = "set tournaments off"
_WEEKDAY, _HOUR = 0, 8
_MORE = "more"
"""Key of the item that stands there while the others are yet to be told."""


def plan(tx: Transaction) -> None:
    """There is news; it is told on Monday morning (UTC)."""
    if tx.agenda.get(NEWS, "") is None:
        tx.agenda.put(NEWS, "", _next(tx.now))


def _next(now: datetime) -> datetime:
    morning = now.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    at = morning + timedelta(days=(_WEEKDAY - now.weekday()) % 7)
    return at if at > now else at + timedelta(days=7)


@when_due(NEWS, within=timedelta(days=7))
def announce(occasion: Occasion) -> None:
    tx, tools, now = occasion.tx, occasion.tools, occasion.now
    tournaments = [
        tournament for tournament in tx.tournaments.listed() if tournament.is_open and tournament.game in GAMES
    ]
    if not tournaments:
        return
    if occasion.item.key != _MORE:
        plan(tx)
    players, last = tx.players.after(occasion.item.payload.get("after", 0), _AT_ONCE)
    if last is not None:
        tx.agenda.put(NEWS, _MORE, now, after=last)
    mails: list[Mail] = []
    for reader in readers_of(occasion, players).values():
        if reader.settings.tournaments != "on":
            continue
        mails += letters_for(
            occasion, reader, "pbm: tournaments to join", "tournament-news.txt", leave=NO_MORE,
            reply_to=tools.composer.answered_by(reader), tournaments=tournaments, zone=reader.settings.zone,
        )  # fmt: skip
    tx.outbox.add(mails, now)
