"""What people do with tournaments: create, join, take a bye, leave, start, and cancel."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from games import GAMES
from games.rules import OptionError
from pbm.core import start as starting
from pbm.core.board import OpenBoard
from pbm.core.bus import AccountEnded, subscribes
from pbm.core.notify import Desk
from pbm.domain.errors import BadArguments, NotAllowed, existing
from pbm.domain.events import PlayerLeft
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.domain.tournaments import swiss
from pbm.domain.tournaments.bouts import Bout
from pbm.domain.tournaments.terms import Kind, read_terms
from pbm.features.tournament import letters
from pbm.features.tournament.crosstables import standings_of
from pbm.features.tournament.director import CLOCK, HOLDING
from pbm.reading.slips import no_game
from pbm.store import Transaction
from pbm.store.tournaments import Entrant, Stage, Tournament

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,23}")


def create(
    tx: Transaction, name: str, kind: str, game: str, words: Sequence[str], body: str, creator: Player | None
) -> Tournament:
    """Create a tournament that players may join. creator: the player who gets its mails; None for the operator.

    Raises: BadArguments, NotFound, NotAllowed.
    """
    if not _NAME.fullmatch(name):
        raise BadArguments(
            f'"{name[:40]}" cannot name a tournament: take a letter and up to 23 letters, digits, ".", "-" or "_".'
        )
    if tx.tournaments.find(name) is not None:
        raise NotAllowed(
            f'There is or was a tournament "{name}": take another name, for instance "{name[:19]}-{tx.now:%Y}".'
        )
    if game.casefold() not in GAMES:
        raise no_game(game, f"tournament create {name} {kind} GAME")
    # "swiss spring hex" has the kind first.
    if name.casefold() in list(Kind) and kind.casefold() not in list(Kind):
        raise BadArguments(
            f'The name comes first: "{kind}" in front of "{name}".', f"tournament create {kind} {name} {game}"
        )
    terms, others = read_terms(Kind.read(kind), words, tx.now)
    try:
        # Tried now, because an option with an error would keep the first round from starting.
        starting.read_terms(GAMES[game.casefold()], others, body, CLOCK)
    except OptionError as error:
        raise BadArguments(str(error), "help tournament create") from error
    options = tuple(map(str.casefold, others))
    tournament = tx.tournaments.add(name, game.casefold(), options, body, terms, creator, tx.now)
    tx.agenda.put(HOLDING, tournament.id, terms.starts_at)
    letters.plan(tx)
    if creator is not None:
        tx.tournaments.follow(creator.id, tournament.id)
    return tournament


def find(tx: Transaction, name: str) -> Tournament:
    """Raises: NotFound."""
    return existing(tx.tournaments.find(name), f'There is no tournament "{name[:40]}".', "tournaments")


def entrant(tx: Transaction, tournament: Tournament, player: Player) -> Entrant | None:
    return next((each for each in tx.tournaments.entrants(tournament.id) if each.player.id == player.id), None)


def join(tx: Transaction, tournament: Tournament, player: Player) -> bool:
    """Enter the player; returns whether the tournament is now full, and so starts. Raises: NotAllowed."""
    inside = tx.tournaments.present(tournament.id)
    _check_may_join(tournament, entrant(tx, tournament, player), len(inside))
    tx.tournaments.enter(tournament.id, player.id, len(inside) + 1, tx.now)
    is_full = tournament.stage is Stage.OPEN and len(inside) + 1 == tournament.terms.most
    # Nobody else can come, so there is nothing to wait for.
    if is_full:
        tx.agenda.put(HOLDING, tournament.id, tx.now)
    if tournament.stage is not Stage.RUNNING:
        return is_full
    # Round robins and knockouts take nobody once they run; a league takes them for its next season.
    if tournament.terms.kind is Kind.LADDER:
        tx.tournaments.place(tournament.id, [[*(each.player.id for each in inside), player.id]])
    elif tournament.terms.kind is Kind.SWISS:
        _enter_late(tx, tournament, player)
    return is_full


def _check_may_join(tournament: Tournament, entry: Entrant | None, inside: int) -> None:
    """Raises: NotAllowed. entry: of the player, if they are or were in it. inside: how many are."""
    if _is_in(entry) and not tournament.stage.ended:
        raise NotAllowed(f"You are in {tournament.name} already.", f"tournament show {tournament.name}")
    if not tournament.is_open:
        problem = "is over" if tournament.stage.ended else "has started, so nobody can join any more"
        raise NotAllowed(f"{tournament.name} {problem}.", "tournaments")
    # Their games of this season are lost already.
    if entry is not None and tournament.terms.kind is Kind.LEAGUE and tournament.stage is Stage.RUNNING:
        raise NotAllowed(f"You have left {tournament.name}: join again when this season is over.")
    if inside >= tournament.terms.most:
        raise NotAllowed(f"{tournament.name} has all its {tournament.terms.most} players.", "tournaments")


def _is_in(entry: Entrant | None) -> bool:
    """Whether somebody is in a tournament, and has not left it."""
    return entry is not None and entry.left_at is None


def _enter_late(tx: Transaction, tournament: Tournament, player: Player) -> None:
    """Seed a latecomer to a Swiss by rating, and give them byes in the rounds they have missed."""
    others = [each.player.id for each in tx.tournaments.entrants(tournament.id) if each.player != player]
    ratings = {
        each: record.rating.shown for each, record in tx.ratings.of(tournament.game, (*others, player.id)).items()
    }
    weaker = (place for place, each in enumerate(others) if ratings[each] < ratings[player.id])
    place = next(weaker, len(others))
    tx.tournaments.place(tournament.id, [[*others[:place], player.id, *others[place:]]])
    played = {each.round for each in tx.tournaments.meetings(tournament.id) if each.bout.holds(player.id)}
    for number in sorted({*range(1, tournament.round + 1)} - played):
        _rest(tx, tournament, player, number)


def rest(tx: Transaction, tournament: Tournament, player: Player) -> Bout:
    """Give a player a bye in the next round of a Swiss. Raises: NotAllowed."""
    if tournament.terms.kind is not Kind.SWISS:
        raise NotAllowed(f"{tournament.name} is a {tournament.terms.kind.label}: a bye is asked for in a Swiss.")
    if tournament.stage is not Stage.RUNNING:
        problem = "is over" if tournament.stage.ended else "has not started: you may also join it later"
        raise NotAllowed(f"{tournament.name} {problem}.", "tournaments")
    if not _is_in(entrant(tx, tournament, player)):
        raise NotAllowed(f"You are not in {tournament.name}.", f"tournament join {tournament.name}")
    number = tournament.round + 1
    if number > tournament.terms.rounds:
        raise NotAllowed(f"Round {tournament.round} of {tournament.name} is the last.")
    if any(each.bout.holds(player.id) for each in tx.tournaments.meetings(tournament.id, round_=number)):
        raise NotAllowed(f"You have a bye in round {number} of {tournament.name} already.")
    return _rest(tx, tournament, player, number)


def _rest(tx: Transaction, tournament: Tournament, player: Player, number: int) -> Bout:
    before = [each.bout for each in tx.tournaments.meetings(tournament.id)]
    bout = swiss.rest(player.id, before, is_last=number == tournament.terms.rounds)
    tx.tournaments.add_meeting(replace(tournament, round=number), bout, 1, None, tx.now, due_at=None)
    return bout


def leave(tx: Transaction, tournament: Tournament, player: Player, load: Callable[[int], OpenBoard]) -> list[OpenBoard]:
    """Withdraw a player, who loses their boards in the tournament; returns these, whose players are still to be told.

    load: gives a board. Raises: NotAllowed.
    """
    if not _is_in(entrant(tx, tournament, player)):
        raise NotAllowed(f"You are not in {tournament.name}.", "tournaments")
    if tournament.stage.ended:
        raise NotAllowed(f"{tournament.name} is over.")
    mine = [each for each in tx.tournaments.under_way(tournament.id) if each.bout.holds(player.id)]
    boards = [load(each.board) for each in mine if each.board is not None]
    for board in boards:
        place = f"the tournament {tournament.name}"
        board.forfeit(
            player, "has left the tournament", PlayerLeft(board.match.board, userid=player.userid, place=place)
        )
    withdraw(tx, tournament, player)
    return boards


@subscribes(AccountEnded)
def withdraw_from_all(event: AccountEnded, tx: Transaction) -> None:
    for joined in tx.tournaments.of_player(event.player.id):
        withdraw(tx, joined, event.player)


def withdraw(tx: Transaction, tournament: Tournament, player: Player) -> None:
    """Leave the player out of all later rounds, even of a bye there; their boards in the tournament go on."""
    # Before the start nothing counts for them, so nothing is kept.
    if tournament.stage is Stage.OPEN:
        tx.tournaments.forget(tournament.id, player.id)
    else:
        tx.tournaments.leave(tournament.id, player.id, tx.now)
        tx.tournaments.drop_bye(tournament.id, player.id, tournament.round + 1)


def start(tx: Transaction, tournament: Tournament) -> None:
    """Start it, or the next season of a league, with the players who are in it. Raises: NotAllowed."""
    inside = tx.tournaments.present(tournament.id)
    if tournament.stage not in (Stage.OPEN, Stage.PAUSED):
        raise NotAllowed(f"{tournament.name} {'is over' if tournament.stage.ended else 'has started already'}.")
    if len(inside) < 2:
        there = "there is one" if inside else "there are none"
        raise NotAllowed(f"{tournament.name} cannot start: it takes two players, and {there}.")
    # Whoever starts it by hand is content with those who are there.
    terms = replace(tournament.terms, fewest=min(tournament.terms.fewest, len(inside)))
    tx.tournaments.save(replace(tournament, terms=terms, due_at=tx.now))
    tx.agenda.put(HOLDING, tournament.id, tx.now)


def cancel(at: Desk, tournament: Tournament) -> list[Mail]:
    """End it early; its boards go on, but no longer count in it. Raises: NotAllowed."""
    tx = at.tx
    if tournament.stage.ended:
        raise NotAllowed(f"{tournament.name} is over already.")
    ended = replace(tournament, stage=Stage.CANCELLED, due_at=None, ended_at=tx.now)
    tx.tournaments.save(ended)
    tx.agenda.drop(HOLDING, tournament.id)
    numbers = [each.board for each in tx.tournaments.under_way(tournament.id) if each.board is not None]
    words = {"standings": [asdict(table) for table in standings_of(tx, ended)], "boards": numbers}
    return letters.tell(at, letters.audience(tx, ended), ended, "tournament-cancelled.txt", "cancelled", words)
