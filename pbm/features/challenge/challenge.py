"""Challenges between players: games that start at once, and those that first are offers.

A challenge waits, as an offer, if its sender has not proved who they are, or does not play in it, or if a challenged
player wants to be asked (`set challenges`). While it waits, no clock runs, and nothing its sender wrote is shown.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from games import GAMES
from pbm.compose import Answer
from pbm.core.limits import Act
from pbm.core.registry import handles
from pbm.core.request import Request, no_player
from pbm.core.robots import is_robot, robot_named
from pbm.core.start import MatchTerms, check_willing, read_terms, split_window, unheard
from pbm.domain.errors import NotAllowed
from pbm.domain.events import MatchStarted
from pbm.domain.match import Ending, Match, Player, other, replay
from pbm.domain.settings import ANYONE, KNOWN, NONE, Settings
from pbm.features.challenge.earlier import beginning
from pbm.features.challenge.invitation import invite
from pbm.features.challenge.offer import Proposal, propose, start
from pbm.reading.commands import Command
from pbm.reading.verbs import STARTING, Entry, Verb

ME = "me"
"""The word by which challengers name themselves."""


@handles(
    Verb(
        "GAME challenge [OPTIONS] USERID1 USERID2", STARTING, shortest=5, other_usage="USERID1 USERID2 USERID PASSWORD"
    ),
    Entry(10, "start a game; the first userid moves first, and me is yourself"),
)
def challenge(request: Request, command: Command) -> Answer | None:
    """Start a game at once if its sender plays in it and has proved who they are; otherwise propose it."""
    game, clock = GAMES[command.game or ""], request.tools.house.default_clock
    challenger = request.author.who(command) if command.credentials is not None else request.sender.proven
    first, second = (_named(request, command, command.args[name]) for name in ("USERID1", "USERID2"))
    words, body, plies, origin = beginning(request, game, command.options)
    if isinstance(first, str) or isinstance(second, str):
        # An invitation tells the terms of a game, and shows no position.
        if plies:
            raise NotAllowed("Somebody without an account is invited to a whole game: leave out -position.")
        return invite(request, replace(command, options=words), (first, second), body)
    seats = (first, second)
    asker = challenger or request.sender.claimed
    terms = read_terms(game, words, body, clock)
    # A position may come from a ply that has ended its own game.
    if plies and replay(game, terms.words, body, plies).outcome is not None:
        raise NotAllowed(f"The game is over {origin} on: name an earlier ply.")
    check_willing(request, game, seats, asker, (challenger,) if challenger else ())
    # Raises unless they show who they are: a proposal in their own name needs their own proof.
    if challenger is None and asker in seats:
        request.author.who(command)
    proposal = Proposal(game, words, body, seats, plies=plies, origin=origin)
    asked = to_be_asked(request, challenger, seats)
    if asked:
        return propose(request, command, proposal, asked, challenger)
    _begin(request, proposal, terms, challenger)
    return None


def _begin(request: Request, proposal: Proposal, terms: MatchTerms, challenger: Player | None) -> None:
    """Start the game at once. Raises: TooMuch."""
    request.draw(Act.CHALLENGE)
    for player in {*proposal.seats} - {challenger}:
        if not is_robot(request.tx, player):
            request.draw(Act.CHALLENGED, account=f"player {player.id}")
    board = start(request, proposal)
    _fulfil_seeks(request, board.match, terms, challenger)
    request.author.player = challenger
    userid = challenger.userid if challenger else ""
    started = MatchStarted(board.match.board, challenger=userid, origin=proposal.told_origin)
    request.boards.adopt(board, started)


def _named(request: Request, command: Command, word: str) -> Player | str:
    """The player a word means, or the address of a stranger. Raises: NotFound, NotAllowed, NeedsIdentity.

    The answer shows whose an address is, so only players who have proved who they are may use one.
    """
    if "@" in word:
        request.author.who(command)
        owners = request.tx.players.of_address(word)
        # A family may share one mailbox.
        if len(owners) > 1:
            raise NotAllowed(f'Several players read mail at "{word}"; name one of them by userid.')
        return owners[0] if owners else word
    if word.casefold() == ME:
        asker = request.author.apparent() if request.sender.at_home else request.author.player or request.sender.writer
        return asker or request.author.who(command)
    player = robot_named(request.tx, word) or request.tx.players.find(word)
    if player is None:
        raise no_player(request.tx, word, " To invite somebody new, write their email address.")
    if problem := unheard(request.tx, player):
        raise NotAllowed(f"{problem}, so no game can start.")
    return player


def _fulfil_seeks(request: Request, match: Match, terms: MatchTerms, asker: Player | None) -> None:
    """Count the game for players who seek just such a game. terms: as asked for, before a board was drawn."""
    for player in set(match.players) - {asker}:
        seek = request.tx.seeks.own(player.id, match.game)
        if seek is None or seek.body != match.body:
            continue
        own, _ = split_window(seek.options)
        sought = read_terms(GAMES[match.game], own, seek.body, request.tools.house.default_clock)
        if (sought.words, sought.rated, sought.control) == (terms.words, match.rated, match.control):
            request.tx.seeks.set_wanted(seek.id, seek.wanted - 1)


@handles(
    Verb("GAME rematch BOARD USERID PASSWORD", STARTING),
    Entry(40, "play the game of an ended board again, with the seats exchanged"),
)
def rematch(request: Request, command: Command) -> Answer | None:
    """Start the game again, with the seats exchanged; either player can do so.

    The token of their seat is not enough: another board is more than its own.
    """
    board, seat = request.author.seated(command)
    match, asker = board.match, board.match.player(seat)
    opponent = request.tx.players.get(match.player(other(seat)).id)
    if match.result is None:
        raise NotAllowed(f"Board {match.board} has not ended yet.")
    if match.result.ending is Ending.VOID:
        raise NotAllowed(f"Board {match.board} was void, so there is nothing to play again.")
    request.author.who(command)
    # Both may ask for it at once.
    follower = request.tx.matches.rematch_of(match.board)
    if follower is not None:
        raise NotAllowed(f"The rematch has started already: it is board {follower}.", f"show {follower}")
    if opponent is None:
        raise NotAllowed(f"{match.player(other(seat)).userid} has left the server.")
    game = GAMES[match.game]
    check_willing(request, game, match.players, asker, (asker,))
    words = (*match.options, f"--clock={match.control}", *([] if match.rated else ["--unrated"]))
    seats = (match.player(2), match.player(1))
    proposal = Proposal(game, words, match.body, seats, rematch_of=match.board)
    asked = to_be_asked(request, asker, seats)
    if asked:
        return propose(request, command, proposal, asked, asker)
    fresh = start(request, proposal)
    origin = f"It is the rematch of board {match.board}."
    request.boards.adopt(fresh, MatchStarted(fresh.match.board, challenger=asker.userid, origin=origin))
    return None


def to_be_asked(request: Request, challenger: Player | None, seats: Collection[Player]) -> list[Player]:
    """The players who have to agree before the game starts. challenger: None if they have not proved who they are.

    Raises: NotAllowed if one of the players takes no challenges at all.
    """
    own = challenger is not None and challenger in seats
    asked = []
    for player in sorted({*seats} - {challenger}, key=lambda each: each.id):
        choice = Settings.chosen(request.tx.players.settings(player.id)).challenges
        if choice == NONE:
            raise NotAllowed(f"{player.userid} takes no challenges.")
        free = choice == ANYONE or (
            choice == KNOWN and challenger is not None and request.tx.matches.know_each_other(challenger.id, player.id)
        )
        # Who proposes a game for others, or has not shown who they are, can start none. Robots are always willing.
        if not (own and free) and not is_robot(request.tx, player):
            asked.append(player)
    return asked
