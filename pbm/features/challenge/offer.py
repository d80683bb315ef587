"""Challenges that wait for those they name: no clock runs, and nothing their sender wrote is shown, before all agree.

So is every challenge whose sender has not shown who they are, or plays in it only by proxy, and those that the
challenged player wants to be asked about (`set challenges`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from games import GAMES, AnyGame
from pbm.compose import Answer, Outcome
from pbm.core.board import OpenBoard
from pbm.core.credentials import first_line
from pbm.core.decisions import refuse
from pbm.core.registry import REFUSALS, redeems
from pbm.core.request import Request
from pbm.core.start import check_willing, read_terms, start_match
from pbm.core.unasked import count_asked, count_unasked
from pbm.domain.consent import Answer as Reply
from pbm.domain.consent import consent
from pbm.domain.errors import NotAllowed
from pbm.domain.events import MatchStarted
from pbm.domain.match import Player
from pbm.domain.settings import ANYONE, KNOWN, NONE, Settings
from pbm.domain.verbs import redact
from pbm.store.tickets import Ticket

OFFER = "offer"
DAYS = 7
"""How long an offer is good."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a challenge asks for. measure: whose daily measure it counts for. rematch_of: the board it follows."""

    game: AnyGame
    words: tuple[str, ...]
    body: str
    seats: tuple[Player, Player]
    comment: str = ""
    measure: str = ""
    rematch_of: int | None = None


def start(request: Request, proposal: Proposal) -> OpenBoard:
    """Start the game, as all who must have agreed. Raises: as read_terms."""
    return start_match(
        request.tx, proposal.game, proposal.words, proposal.body, proposal.seats,
        started_by=proposal.measure, rematch_of=proposal.rematch_of,
        default_clock=request.tools.limits.default_clock,
    )  # fmt: skip


def to_be_asked(request: Request, challenger: Player | None, seats: Collection[Player]) -> list[Player]:
    """Those of the players who have to agree before a game starts. challenger: None for one who proved nothing.

    Raises: NotAllowed where one takes no challenges at all.
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


def propose(request: Request, proposal: Proposal, asked: Collection[Player], challenger: Player | None) -> None:
    """Ask players whether they want the game. Raises: NotAllowed where one was asked too often today."""
    limits = request.tools.limits
    key = request.tools.composer.make_key()
    payload: dict[str, object] = {
        "game": proposal.game.info.name,
        "words": list(proposal.words),
        "body": proposal.body,
        "seats": [player.id for player in proposal.seats],
        "comment": redact(proposal.comment, request.secrets),
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


def _send(request: Request, key: str, player: Player, payload: dict[str, object], problem: str = "") -> None:
    """problem: why an answer to it could not be understood; then this one answers that."""
    game, (first, second) = GAMES[str(payload["game"])], map(request.tx.players.get, _seats(payload))
    terms = read_terms(game, _words(payload), str(payload["body"]), request.tools.limits.default_clock)
    opponent = second if player == first else first
    if opponent is None:
        return
    for address in request.tx.players.confirmed(player.id)[player.id]:
        if not problem:
            count_unasked(request.tx, request.tools.limits, address, request.incoming.network, mailbox_too=False)
        token = request.issue(OFFER, key, days=DAYS, player=player, **payload)
        request.write(
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
            words=[*terms.words, *([] if terms.rated else ["--unrated"])],
            side=terms.state.side_name(1 if player == first else 2),
            first=player == first,
            time=terms.control.words,
            days=DAYS,
            problem=problem,
        )


def _seats(payload: dict[str, object]) -> tuple[int, int]:
    seats = payload["seats"]
    assert isinstance(seats, list)  # noqa: S101  as it was written
    return seats[0], seats[1]


def _words(payload: dict[str, object]) -> list[str]:
    words = payload["words"]
    assert isinstance(words, list)  # noqa: S101  as it was written
    return words


@redeems(OFFER)
def answer_offer(request: Request, ticket: Ticket) -> None:
    """One of those who are asked agrees or does not; else they are asked what they meant."""
    player = request.tx.players.get(ticket.player_id or 0)
    if player is None:
        return
    request.identified = player
    reply = Reply.NEVER if first_line(request.message.text).casefold() == NONE else consent(request.message.text).answer
    if reply is Reply.YES:
        _agree(request, ticket, player)
    elif reply in (Reply.NO, Reply.NEVER):
        _tell_declined(request, ticket, player)
        request.tx.tickets.revoke(OFFER, ticket.subject, request.now)
        if reply is Reply.NEVER:
            stored = request.tx.players.settings(player.id)
            request.tx.players.save_settings(player.id, {**stored, "challenges": NONE})
        told = 'You get no more challenges; "set challenges anyone" lets them through again.'
        text = told if reply is Reply.NEVER else "Nothing has started, and nothing will."
        request.answers.append(Answer(reply.value, Outcome.DONE, text, "pbm: no game"))
    elif not ticket.payload.get("asked"):
        problem = "That was neither yes nor no. Please answer once more."
        _send(request, ticket.subject, player, {**ticket.payload, "asked": 1}, problem)


def _tell_declined(request: Request, ticket: Ticket, player: Player) -> None:
    """Tell whoever proposed the game and those who have agreed to it."""
    tx, payload = request.tx, ticket.payload
    agreed = {*_seats(payload)} - {*tx.tickets.open_for(OFFER, ticket.subject, request.now)}
    people = {tx.players.get(each) for each in agreed} | {tx.players.find(payload["challenger"])}
    title = GAMES[payload["game"]].info.title
    for other in sorted(filter(None, people - {player}), key=lambda each: each.id):
        for address in tx.players.confirmed(other.id)[other.id]:
            words = {"invited": player.userid, "title": title}
            request.write(address, "pbm: no game", "declined.txt", player=other, answers=False, **words)


def _agree(request: Request, ticket: Ticket, player: Player) -> None:
    """Start the game if nobody else has to agree."""
    request.tx.tickets.drop_of(OFFER, ticket.subject, player.id)
    if waits := request.tx.tickets.open_for(OFFER, ticket.subject, request.now):
        others = " and ".join(each.userid for each in filter(None, map(request.tx.players.get, waits)))
        text = f"The game starts as soon as {others} agrees, too."
        request.answers.append(Answer("yes", Outcome.DONE, text, "pbm: you agree to a game"))
        return
    payload = ticket.payload
    first, second = (request.tx.players.get(each) for each in payload["seats"])
    try:
        if first is None or second is None:
            raise NotAllowed("One of the players has left the server.")
        seats = (first, second)
        check_willing(request.tx, request.tools.limits, GAMES[payload["game"]], seats, None, seats)
        rematch_of = payload["rematch_of"]
        if rematch_of is not None and request.tx.matches.rematch_of(rematch_of) is not None:
            raise NotAllowed("That rematch has started already.")
        words, body, comment = tuple(payload["words"]), payload["body"], payload["comment"]
        proposal = Proposal(GAMES[payload["game"]], words, body, seats, comment, payload["measure"], rematch_of)
        board = start(request, proposal)
    except REFUSALS as error:
        refuse(request, "yes", error)
        return
    request.words.comment, request.identified, request.is_hearsay = comment, None, True
    origin = "Everybody who was asked has agreed."
    request.adopt(board, MatchStarted(board.match.board, challenger=payload["challenger"], origin=origin))
