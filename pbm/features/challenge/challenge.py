"""Verbs that start a game at once: a challenge between players, and a rematch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from games import GAMES
from pbm.compose import Answer
from pbm.core.decisions import done
from pbm.core.registry import handles
from pbm.core.request import Request
from pbm.core.robots import is_robot, robot_named
from pbm.core.start import check_willing, read_terms, split_body, split_window, unheard
from pbm.domain.commands import Command
from pbm.domain.errors import NeedsIdentity, NotAllowed
from pbm.domain.events import MatchStarted
from pbm.domain.match import Ending, Match, Player, other
from pbm.domain.verbs import STARTING, Locks, Verb
from pbm.features.challenge.invitation import invite
from pbm.features.challenge.offer import Proposal, propose, start, to_be_asked

ME = "me"
"""What challengers may call themselves."""


@handles(
    Verb(
        "challenge",
        "USERID1 USERID2",
        "start a game; the first userid moves first, and me is yourself",
        STARTING,
        Locks.HOUSE,
        rank=10,
        per_game=True,
        shortest=5,
        options=True,
        other_usage="USERID1 USERID2 USERID PASSWORD",
    )
)
def challenge(request: Request, command: Command) -> Answer | None:
    """A sender who has shown who they are starts their own game at once; others only propose one to those named."""
    assert command.game is not None  # noqa: S101  the parser asks for it
    game, words, clock = GAMES[command.game], command.options, request.tools.limits.default_clock
    challenger = request.who(command) if command.credentials is not None else request.sender.proven
    first, second = (_named(request, command, command.args[name]) for name in ("USERID1", "USERID2"))
    body, comment = split_body(request.words.comment) if game.info.takes_body else ("", request.words.comment)
    if isinstance(first, str) or isinstance(second, str):
        return invite(request, command, (first, second), body, comment)
    seats = (first, second)
    asker = challenger or request.sender.claimed
    read_terms(game, words, body, clock)
    check_willing(request.tx, request.tools.limits, game, seats, asker, (challenger,) if challenger else ())
    if challenger is None and asker in seats:
        raise NeedsIdentity(
            "Who are you? Put your userid and your password after the command.", f"{command.line} USERID PASSWORD"
        )
    _check_not_flooded(request, {first, second} - {challenger})
    measure = _check_measure(request, challenger)
    proposal = Proposal(game, words, body, seats, comment, measure)
    asked = [player for player in to_be_asked(request, challenger, seats) if not is_robot(request.tx, player)]
    if asked:
        propose(request, proposal, asked, challenger)
        return _asked(command, asked)
    board = start(request, proposal)
    _fulfil_seeks(request, board.match, challenger)
    request.words.comment = comment
    request.identified = challenger
    request.adopt(board, MatchStarted(board.match.board, challenger=challenger.userid if challenger else ""))
    return None


def _asked(command: Command, asked: Sequence[Player]) -> Answer:
    names = " and ".join(player.userid for player in asked)
    be, agree = ("is", f"{names} agrees") if len(asked) == 1 else ("are", "both agree")
    return done(command, f"{names} {be} asked. The game starts when {agree}.")


def _named(request: Request, command: Command, word: str) -> Player | str:
    """The player a word means, or the address of a stranger. Raises: NotFound, NotAllowed, NeedsIdentity.

    An address tells whose it is, so only a player who has proved who they are may use one.
    """
    if "@" in word:
        request.who(command)
        owners = request.tx.players.of_address(word)
        if len(owners) > 1:
            raise NotAllowed(f'Several players read mail at "{word}"; name one of them by userid.')
        return owners[0] if owners else word
    if word.casefold() == ME:
        asker = request.identified or request.sender.proven or request.sender.claimed
        if asker is None:
            raise NotAllowed(f'"{word}" is nobody here: the address your mail comes from belongs to no player.', "help")
        return asker
    player = robot_named(request.tx, word) or request.tx.players.find(word)
    if player is None:
        raise request.no_player(word, " To invite somebody new, write their mail address.")
    if problem := unheard(request.tx, player):
        raise NotAllowed(f"{problem}, so no game can start.")
    return player


def _check_measure(request: Request, challenger: Player | None) -> str:
    """Whose daily measure a challenge counts for. Raises: NotAllowed when it is full."""
    limits = request.tools.limits
    most = limits.challenges_per_day if challenger else limits.stranger_challenges_per_day
    measure = f"player {challenger.id}" if challenger else request.message.sender.casefold()
    if request.tx.matches.started_since(measure, request.now - timedelta(days=1)) >= most:
        raise NotAllowed(f"You have started {most} games within a day; that is the limit. Try again tomorrow.")
    return measure


def _check_not_flooded(request: Request, challenged: Collection[Player | None]) -> None:
    """Nobody is buried in games that others start. Raises: NotAllowed."""
    limits, since = request.tools.limits, request.now - timedelta(days=1)
    most = limits.challenges_to_one_per_day
    for player in (each for each in challenged if each is not None and not is_robot(request.tx, each)):
        looked_at = most + limits.challenges_per_day
        if request.tx.matches.challenged_since(player.id, since, looked_at) >= most:
            raise NotAllowed(
                f"{player.userid} has been challenged {most} times within a day; that is the limit. Try again tomorrow."
            )


def _fulfil_seeks(request: Request, match: Match, asker: Player | None) -> None:
    """A player challenged to the very game they seek seeks one less."""
    for player in set(match.players) - {asker}:
        seek = request.tx.seeks.own(player.id, match.game)
        if seek is None or seek.body != match.body:
            continue
        own, _ = split_window(seek.options)
        terms = read_terms(GAMES[match.game], own, seek.body, request.tools.limits.default_clock)
        if (terms.words, terms.rated, terms.control) == (match.options, match.rated, match.control):
            request.tx.seeks.set_wanted(seek.id, seek.wanted - 1)


@handles(
    Verb(
        "rematch",
        "BOARD USERID PASSWORD",
        "play the game of an ended board again, with the seats exchanged",
        STARTING,
        Locks.HOUSE,
        rank=40,
        per_game=True,
    )
)
def rematch(request: Request, command: Command) -> Answer | None:
    """The same game once more, with the seats exchanged; only one of the two can start it."""
    board, seat = request.seated(command)
    match, asker = board.match, board.match.player(seat)
    opponent = request.tx.players.get(match.player(other(seat)).id)
    if match.result is None:
        raise NotAllowed(f"Board {match.board} has not ended yet.")
    if match.result.ending is Ending.VOID:
        raise NotAllowed(f"Board {match.board} was void, so there is nothing to play again.")
    follower = request.tx.matches.rematch_of(match.board)
    if follower is not None:
        raise NotAllowed(f"The rematch has started already: it is board {follower}.", f"show {follower}")
    if opponent is None:
        raise NotAllowed(f"{match.player(other(seat)).userid} has left the server.")
    game = GAMES[match.game]
    check_willing(request.tx, request.tools.limits, game, match.players, asker, (asker,))
    words = (*match.options, f"--clock={match.control}", *([] if match.rated else ["--unrated"]))
    seats = (match.player(2), match.player(1))
    proposal = Proposal(game, words, match.body, seats, request.words.comment, rematch_of=match.board)
    asked = to_be_asked(request, asker, seats)
    if asked:
        propose(request, proposal, asked, asker)
        return _asked(command, asked)
    fresh = start(request, proposal)
    origin = f"It is the rematch of board {match.board}."
    request.adopt(fresh, MatchStarted(fresh.match.board, challenger=asker.userid, origin=origin))
    return None
