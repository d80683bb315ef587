"""Challenges between players: games that start at once, and games that first wait for players to agree.

A challenge waits if its sender has not proved who they are, or does not play in it, or if a challenged player wants to
be asked (`set challenges`). While it waits, no clock runs, and nothing its sender wrote is shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from games import GAMES, AnyGame
from pbm.compose import Answer, Outcome
from pbm.compose.pages import wrapped
from pbm.core.board import OpenBoard
from pbm.core.credentials import first_line
from pbm.core.registry import REFUSALS, by_player, handles, redeems
from pbm.core.reply import done, refuse
from pbm.core.request import Request, no_player
from pbm.core.robots import is_robot, robot_called, robot_named
from pbm.core.start import MatchTerms, check_willing, read_terms, split_window, start_match, take_body, unheard
from pbm.core.unasked import count_asked, count_unasked
from pbm.domain.commands import Command
from pbm.domain.consent import Answer as Reply
from pbm.domain.consent import consent
from pbm.domain.errors import NeedsIdentity, NotAllowed, NotFound
from pbm.domain.events import CommentMade, MatchStarted
from pbm.domain.match import Ending, Match, Player, other
from pbm.domain.settings import ANYONE, KNOWN, NONE, Settings
from pbm.domain.verbs import STARTING, Verb
from pbm.features.challenge.invitation import (
    OFFER,
    await_answer,
    beyond_consent,
    close,
    invite,
    tell_declined,
)
from pbm.store.tickets import INVITE, Ticket

ME = "me"
"""The word by which challengers name themselves."""


@handles(
    Verb(
        "GAME challenge [OPTIONS] USERID1 USERID2",
        STARTING,
        rank=10,
        shortest=5,
        other_usage="USERID1 USERID2 USERID PASSWORD",
    ),
    "start a game; the first userid moves first, and me is yourself",
)
def challenge(request: Request, command: Command) -> Answer | None:
    """Start a game at once if its sender plays in it and has proved who they are; otherwise propose it."""
    assert command.game is not None  # noqa: S101  the parser asks for it
    game, words, clock = GAMES[command.game], command.options, request.tools.limits.default_clock
    challenger = request.author.who(command) if command.credentials is not None else request.sender.proven
    first, second = (_named(request, command, command.args[name]) for name in ("USERID1", "USERID2"))
    body = take_body(request, game)
    if isinstance(first, str) or isinstance(second, str):
        return invite(request, command, (first, second), body)
    seats = (first, second)
    asker = challenger or request.sender.claimed
    terms = read_terms(game, words, body, clock)
    check_willing(request, game, seats, asker, (challenger,) if challenger else ())
    if challenger is None and asker in seats:
        raise NeedsIdentity(
            "Who are you? Put your userid and your password after the command.", f"{command.line} USERID PASSWORD"
        )
    _check_not_flooded(request, {first, second} - {challenger})
    measure = _check_measure(request, challenger)
    proposal = Proposal(game, words, body, seats, measure)
    asked = [player for player in to_be_asked(request, challenger, seats) if not is_robot(request.tx, player)]
    if asked:
        return propose(request, command, proposal, asked, challenger)
    board = start(request, proposal)
    _fulfil_seeks(request, board.match, terms, challenger)
    request.author.player = challenger
    request.boards.adopt(board, MatchStarted(board.match.board, challenger=challenger.userid if challenger else ""))
    return None


def _named(request: Request, command: Command, word: str) -> Player | str:
    """The player a word means, or the address of a stranger. Raises: NotFound, NotAllowed, NeedsIdentity.

    The answer shows whose an address is, so only players who have proved who they are may use one.
    """
    if "@" in word:
        request.author.who(command)
        owners = request.tx.players.of_address(word)
        if len(owners) > 1:
            raise NotAllowed(f'Several players read mail at "{word}"; name one of them by userid.')
        return owners[0] if owners else word
    if word.casefold() == ME:
        asker = request.author.player or request.sender.writer
        if asker is None and any(robot_called(request.tx, name) for name in command.args.values()):
            raise NotAllowed("You have not joined yet. To join and play, answer with the same line.", command.line)
        if asker is None:
            raise NotAllowed(
                f'"{word}" is nobody here: the address your email came from belongs to no player. '
                "Once you have joined, send the same line again."
            )
        return asker
    player = robot_named(request.tx, word) or request.tx.players.find(word)
    if player is None:
        raise no_player(request.tx, word, " To invite somebody new, write their email address.")
    if problem := unheard(request.tx, player):
        raise NotAllowed(f"{problem}, so no game can start.")
    return player


def _check_measure(request: Request, challenger: Player | None) -> str:
    """The name under which a challenge counts toward the daily limit. Raises: NotAllowed if that is reached."""
    limits = request.tools.limits
    most = limits.challenges_per_day if challenger else limits.stranger_challenges_per_day
    measure = f"player {challenger.id}" if challenger else request.message.sender.casefold()
    if request.tx.matches.started_since(measure, request.now - timedelta(days=1)) >= most:
        raise NotAllowed(f"You have started {most} games within a day; that is the limit. Try again tomorrow.")
    return measure


def _check_not_flooded(request: Request, challenged: Collection[Player | None]) -> None:
    """Raises: NotAllowed if one of the players has been challenged too often today."""
    limits, since = request.tools.limits, request.now - timedelta(days=1)
    most = limits.challenges_to_one_per_day
    for player in (each for each in challenged if each is not None and not is_robot(request.tx, each)):
        looked_at = most + limits.challenges_per_day
        if request.tx.matches.challenged_since(player.id, since, looked_at) >= most:
            raise NotAllowed(
                f"{player.userid} has been challenged {most} times within a day; that is the limit. Try again tomorrow."
            )


def _fulfil_seeks(request: Request, match: Match, terms: MatchTerms, asker: Player | None) -> None:
    """Count the game for players who seek just such a game. terms: as asked for, before a board was drawn."""
    for player in set(match.players) - {asker}:
        seek = request.tx.seeks.own(player.id, match.game)
        if seek is None or seek.body != match.body:
            continue
        own, _ = split_window(seek.options)
        sought = read_terms(GAMES[match.game], own, seek.body, request.tools.limits.default_clock)
        if (sought.words, sought.rated, sought.control) == (terms.words, match.rated, match.control):
            request.tx.seeks.set_wanted(seek.id, seek.wanted - 1)


@handles(
    Verb("GAME rematch BOARD USERID PASSWORD", STARTING, rank=40, lasting=True),
    "play the game of an ended board again, with the seats exchanged",
)
def rematch(request: Request, command: Command) -> Answer | None:
    """Start the game again, with the seats exchanged; either player can do so, from their own address."""
    board, seat = request.author.seated(command)
    match, asker = board.match, board.match.player(seat)
    opponent = request.tx.players.get(match.player(other(seat)).id)
    if match.result is None:
        raise NotAllowed(f"Board {match.board} has not ended yet.")
    if match.result.ending is Ending.VOID:
        raise NotAllowed(f"Board {match.board} was void, so there is nothing to play again.")
    request.author.who(command)
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


DAYS = 7
"""How long an offer can be answered."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A challenge as it was asked for."""

    game: AnyGame
    words: tuple[str, ...]
    body: str
    seats: tuple[Player, Player]
    measure: str = ""
    """The name under which it counts toward the daily limit."""
    rematch_of: int | None = None
    """The board it is a rematch of."""


def start(request: Request, proposal: Proposal) -> OpenBoard:
    """Start the game; everybody who had to agree has agreed. Raises: as read_terms."""
    return start_match(
        request, proposal.game, proposal.words, proposal.body, proposal.seats,
        started_by=proposal.measure, rematch_of=proposal.rematch_of,
    )  # fmt: skip


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
        if not (own and free):
            asked.append(player)
    return asked


def propose(
    request: Request, command: Command, proposal: Proposal, asked: Sequence[Player], challenger: Player | None
) -> Answer:
    """Ask players whether they want the game. Raises: NotAllowed if one was asked too often today."""
    limits = request.tools.limits
    key = request.tools.composer.make_key()
    payload: dict[str, Any] = {
        "game": proposal.game.info.name,
        "words": list(proposal.words),
        "body": proposal.body,
        "seats": [player.id for player in proposal.seats],
        "comment": request.discreetly(request.words.spend()),
        "measure": proposal.measure,
        "rematch_of": proposal.rematch_of,
        "challenger": challenger.userid if challenger else "",
    }
    source = f"player {challenger.id}" if challenger else request.message.sender
    most = limits.challenges_per_day if challenger else limits.stranger_challenges_per_day
    count_asked(request.tx, source, most, f"You have proposed {most} games today; that is the limit.")
    for player in asked:
        refusal = f"{player.userid} has been asked for enough games today; try again tomorrow."
        count_asked(request.tx, f"asked {player.id}", limits.offers_to_one_per_day, refusal)
        _send(request, key, player, payload)
    names = " and ".join(player.userid for player in asked)
    be, agree = ("is", f"{names} agrees") if len(asked) == 1 else ("are", "both agree")
    back = f' "withdraw {asked[0].userid}" takes the challenge back.' if challenger else ""
    return done(command, f"{names} {be} asked. The game starts if {agree} within {DAYS} days.{back}")


@handles(
    Verb("withdraw USERID PASSWORD WHOM", STARTING, rank=45),
    "take back your challenge of a player, or your invitation of an address, before it is answered",
)
def withdraw(request: Request, command: Command) -> Answer:
    asker, whom, tickets = request.author.who(command), command.args["WHOM"], request.tx.tickets
    asked = request.tx.players.of_address(whom) if "@" in whom else [request.author.player_named(whom)]
    offers = [ticket for player in asked for ticket in tickets.of(OFFER, player.id, request.now)]
    items = [request.tx.agenda.get(OFFER, key) for key in sorted({ticket.subject for ticket in offers})]
    keys = [item.key for item in items if item is not None and item.payload["player"] == asker.id]
    for key in keys:
        close(request, OFFER, key)
    if asker.id in tickets.open_for(INVITE, whom, request.now):
        close(request, INVITE, whom)
    elif not keys:
        raise NotFound(f"Nothing that you have asked {whom} waits for an answer.")
    return done(command, f"Taken back: {whom} cannot agree to your game any more.")


def _send(request: Request, key: str, player: Player, payload: dict[str, Any], problem: str = "") -> None:
    """Mail the offer to a player. problem: why their answer was not understood, which this mail then answers."""
    game, (first, second) = GAMES[payload["game"]], map(request.tx.players.get, payload["seats"])
    terms = read_terms(game, payload["words"], payload["body"], request.tools.limits.default_clock)
    opponent = second if player == first else first
    if opponent is None:
        return
    if not problem and payload["challenger"] and (asker := request.tx.players.find(payload["challenger"])):
        await_answer(request, OFFER, key, asker, DAYS)
    for address in request.tx.players.confirmed(player.id)[player.id]:
        if not problem:
            count_unasked(request.tx, request.tools.limits, address, request.incoming.network, mailbox_too=False)
        token = request.outgoing.issue(OFFER, key, days=DAYS, player=player, **payload)
        request.outgoing.write(
            address,
            f"pbm: a game of {game.info.title}?",
            "offer.txt",
            player=player,
            reply_to=token,
            answers=bool(problem),
            userid=player.userid,
            opponent=opponent.userid,
            challenger=payload["challenger"],
            game=game.info,
            terms=terms.told,
            side=terms.state.side_name(1 if player == first else 2),
            first=player == first,
            days=DAYS,
            problem=problem,
        )


@redeems(OFFER)
@by_player
def answer_offer(request: Request, ticket: Ticket, player: Player) -> None:
    """A player who was asked agrees or declines; after any other answer they are asked once more."""
    reply = Reply.NEVER if first_line(request.message.text).casefold() == NONE else consent(request.message.text).answer
    if reply is Reply.YES:
        _agree(request, ticket, player)
    elif reply in (Reply.NO, Reply.NEVER):
        _tell_declined(request, ticket, player)
        close(request, OFFER, ticket.subject)
        if reply is Reply.NEVER:
            request.tx.players.choose(player.id, challenges=NONE)
        told = 'You get no more challenges; "set challenges anyone" lets them through again.'
        text = told if reply is Reply.NEVER else "Nothing has started, and nothing will."
        request.outgoing.answers.append(Answer(reply.value, Outcome.DONE, text, "pbm: no game"))
    elif not ticket.payload.get("asked"):
        problem = "That was neither yes nor no. Please answer again."
        _send(request, ticket.subject, player, {**ticket.payload, "asked": 1}, problem)


def _tell_declined(request: Request, ticket: Ticket, player: Player) -> None:
    """Tell the player who proposed the game, and those who have agreed to it, that it is declined."""
    tx, payload = request.tx, ticket.payload
    agreed = {*payload["seats"]} - {*tx.tickets.open_for(OFFER, ticket.subject, request.now)}
    people = {tx.players.get(each) for each in agreed} | {tx.players.find(payload["challenger"])}
    title = GAMES[payload["game"]].info.title
    for asked in sorted(filter(None, people - {player}), key=lambda each: each.id):
        tell_declined(request, asked, "pbm: no game", player.userid, title)


def _agree(request: Request, ticket: Ticket, player: Player) -> None:
    """Start the game if nobody else has to agree."""
    request.tx.tickets.drop_of(OFFER, ticket.subject, player.id)
    if waits := request.tx.tickets.open_for(OFFER, ticket.subject, request.now):
        others = " and ".join(each.userid for each in filter(None, map(request.tx.players.get, waits)))
        text = f"The game starts as soon as {others} agrees, too."
        if beyond_consent(request.message.text):
            text += " What you wrote besides was not passed on; write it when the game has begun."
        request.outgoing.answers.append(Answer("yes", Outcome.DONE, wrapped(text), "pbm: you agree to a game"))
        return
    payload, game = ticket.payload, GAMES[ticket.payload["game"]]
    first, second = (request.tx.players.get(each) for each in payload["seats"])
    try:
        if first is None or second is None:
            raise NotAllowed("One of the players has left the server.")
        seats = (first, second)
        check_willing(request, game, seats, None, seats)
        rematch_of = payload["rematch_of"]
        if rematch_of is not None and request.tx.matches.rematch_of(rematch_of) is not None:
            raise NotAllowed("That rematch has started already.")
        words, body = tuple(payload["words"]), payload["body"]
        proposal = Proposal(game, words, body, seats, payload["measure"], rematch_of)
        board = start(request, proposal)
    except REFUSALS as error:
        refuse(request, "yes", error)
        return
    if payload["comment"]:
        writer = payload["challenger"] or "The challenger"
        request.passed_on = (CommentMade(0, userid=writer, text=payload["comment"]),)
    request.words.comment = beyond_consent(request.message.text)
    origin = "Everybody who was asked has agreed."
    request.boards.adopt(board, MatchStarted(board.match.board, challenger=payload["challenger"], origin=origin))
