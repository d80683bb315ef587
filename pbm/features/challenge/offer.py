"""Games that wait for players to agree. Each is an item on the agenda until it starts, is declined, or nobody answers.

The item knows who still has to agree: that a question is no longer open shows nothing, for it may have been revoked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from games import GAMES, AnyGame
from pbm.compose.notices import Answer, Outcome
from pbm.compose.views import wrapped
from pbm.core.board import OpenBoard
from pbm.core.bus import AccountEnded, AccountsMerged, subscribes
from pbm.core.credentials import first_line
from pbm.core.limits import Act
from pbm.core.notify import Desk, MailsRevoked, letters_for, reader_of
from pbm.core.registry import REFUSALS, Occasion, by_player, handles, redeems, when_due
from pbm.core.reply import done, refuse
from pbm.core.request import Request
from pbm.core.start import check_willing, read_terms, start_match
from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.events import CommentMade, MatchStarted
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.domain.settings import NONE
from pbm.features.challenge.invitation import (
    MAX_ASKED,
    await_answer,
    close,
    is_still_open,
    tell_no_game,
    words_besides,
)
from pbm.mailin import Message
from pbm.reading.commands import Command
from pbm.reading.consent import Answer as Reply
from pbm.reading.consent import consent
from pbm.reading.verbs import STARTING, Entry, Verb
from pbm.store import Transaction
from pbm.store.house import Item
from pbm.store.tickets import INVITE, Ticket
from pbm.values import frozen

OFFER = "offer"
"""The purpose of tickets of players who are asked for a game, and of what is due when they run out."""
Offer = Mapping[str, Any]
"""The payload of an offer's item on the agenda; `left` is the userid of a player of it who has left the server."""
DAYS = 7
"""How long an offer can be answered."""


@frozen
class Proposal:
    """What a challenge starts with. words: its options, without those that name another game."""

    game: AnyGame
    words: tuple[str, ...]
    body: str
    rematch_of: int | None = None
    """The board it is a rematch of."""
    plies: tuple[str, ...] = ()
    """Those that count as played when it starts, in canonical notation."""
    origin: str = ""
    """Where they are from, as in "from ply 3 of board 101"; empty if there are none."""

    @property
    def told_origin(self) -> str:
        return f"It starts {self.origin}." if self.origin else ""


def start(request: Request, proposal: Proposal, seats: tuple[Player, Player]) -> OpenBoard:
    """Start the game; everybody who had to agree has agreed. Raises: as read_terms."""
    return start_match(
        request, proposal.game, proposal.words, proposal.body, seats,
        rematch_of=proposal.rematch_of, plies=proposal.plies,
    )  # fmt: skip


def propose(
    request: Request,
    command: Command,
    proposal: Proposal,
    seats: tuple[Player, Player],
    asked: Sequence[Player],
    challenger: Player | None,
) -> Answer:
    """Ask players whether they want the game. Raises: NotAllowed if one was asked too often today."""
    request.draw(Act.CHALLENGE)
    key = request.tools.composer.make_key()
    offer = {
        "player": challenger.id if challenger else None,
        "game": proposal.game.info.name,
        "words": list(proposal.words),
        "body": proposal.body,
        "seats": [player.id for player in seats],
        "comment": request.discreetly(request.words.spend()),
        "rematch_of": proposal.rematch_of,
        "plies": list(proposal.plies),
        "origin": proposal.origin,
        "waits": [player.id for player in asked],
    }
    await_answer(request, OFFER, key, DAYS, **offer)
    for player in asked:
        for address in request.tx.players.confirmed(player.id):
            request.draw(Act.OFFER, address)
        request.outgoing.letters += _letters(request, key, player, offer, DAYS)
    names = " and ".join(player.userid for player in asked)
    be, agree = ("is", f"{names} agrees") if len(asked) == 1 else ("are", "both agree")
    back = f' "withdraw {asked[0].userid}" takes the challenge back.' if challenger else ""
    return done(command, f"{names} {be} asked. The game starts if {agree} within {DAYS} days.{back}")


@handles(
    Verb("withdraw USERID PASSWORD WHOM", STARTING),
    Entry(45, "take back your challenge of a player, or your invitation of an address, before it is answered"),
)
def withdraw(request: Request, command: Command) -> Answer:
    asker, whom, tx = request.author.who(command), command.args["WHOM"], request.tx
    asked = {each.id for each in (tx.players.of_address(whom) if "@" in whom else [request.author.player_named(whom)])}
    offers = _offers_to(tx, asked, request.now)
    items = [item for item in offers if item.payload["player"] == asker.id and asked & {*item.payload["waits"]}]
    for item in items:
        close(request, OFFER, item.key)
        _tell_concerned(request, item.payload, asker, is_back=True)
    if asker.id in tx.tickets.open_for(INVITE, whom, request.now):
        close(request, INVITE, whom)
    elif not items:
        raise NotFound(f"Nothing that you have asked {whom} waits for an answer.")
    return done(command, f"Taken back: {whom} cannot agree to your game any more.")


def _offers_to(tx: Transaction, asked: Iterable[int], since: datetime) -> list[Item]:
    """The offers that the players, by id, were asked about in emails that could still be answered after `since`."""
    keys = sorted({ticket.subject for player_id in asked for ticket in tx.tickets.of(OFFER, player_id, since)})
    return [*filter(None, (tx.agenda.get(OFFER, key) for key in keys))]


def _letters(
    at: Desk, key: str, player: Player, offer: Offer, days: int, problem: str = "", to: Message | None = None
) -> list[Mail]:
    """The question to a player whether they want a game, for each of their addresses.

    offer: as on the agenda. problem: why they are asked again. to: their answer, if it was unclear.
    """
    game, (first, second) = GAMES[offer["game"]], map(at.tx.players.get, offer["seats"])
    terms = read_terms(game, offer["words"], offer["body"], at.tools.house.default_clock)
    opponent, challenger = second if player == first else first, at.tx.players.get(offer["player"])
    if opponent is None:
        return []
    return [
        at.letter(
            address,
            f"pbm: a game of {game.info.title}?",
            "offer.txt",
            player,
            to=to,
            reply_to=at.issue(OFFER, key, days=days, player=player),
            userid=player.userid,
            opponent=opponent.userid,
            challenger=challenger.userid if challenger else "",
            game=game.info,
            terms=", ".join(filter(None, (terms.told, offer.get("origin", "")))),
            side=terms.state.side_name(1 if player == first else 2),
            first=player == first,
            days=days,
            problem=problem,
        )
        for address in at.tx.players.confirmed(player.id)
    ]


@redeems(OFFER, lasting=True)
@by_player
def answer_offer(request: Request, ticket: Ticket, player: Player) -> None:
    """A player who was asked agrees or declines; after any other answer they are asked again, a few times."""
    tx, item, text = request.tx, request.tx.agenda.get(OFFER, ticket.subject), request.message.text
    if item is None or item.payload["game"] not in GAMES:
        raise NotAllowed("The time to agree to this game is over.")
    reply = Reply.NEVER if first_line(text).casefold() == NONE else consent(text, game=item.payload["game"]).answer
    if reply is Reply.YES:
        _agree(request, item, player)
    elif reply in (Reply.NO, Reply.NEVER):
        close(request, OFFER, item.key)
        _tell_concerned(request, item.payload, player, note=words_besides(request, item.payload["game"]))
        if reply is Reply.NEVER:
            tx.players.choose(player.id, challenges=NONE)
        never = 'You get no more challenges; "set challenges anyone" lets them through again.'
        sentence = never if reply is Reply.NEVER else "Nothing has started, and nothing will."
        request.outgoing.answers.append(Answer(reply.value, Outcome.DONE, sentence, "pbm: no game"))
    # A program may be answering, so the question is not repeated for ever.
    elif sum(each.subject == item.key for each in tx.tickets.of(OFFER, player.id, tx.now)) <= MAX_ASKED:
        problem = "That was no plain yes or no, and nobody else has read it. Please answer again."
        request.outgoing.letters += _letters(request, item.key, player, item.payload, DAYS, problem, request.message)


def _concerned(tx: Transaction, offer: Offer) -> list[Player]:
    """The player who proposed the game, and those who have agreed to it."""
    people = map(tx.players.get, {*offer["seats"], offer["player"]} - {*offer["waits"]})
    return sorted(filter(None, people), key=lambda each: each.id)


def _tell_concerned(
    request: Request, offer: Offer, player: Player, *, note: str = "", problem: str = "", is_back: bool = False
) -> None:
    """Tell all whom an offer concerns, except the player who ends it, that nothing starts; as in `tell_no_game`."""
    info = GAMES[offer["game"]].info if offer["game"] in GAMES else None
    for each in _concerned(request.tx, offer):
        if each != player:
            names = {"invited": player.userid, "title": info.title if info else offer["game"]}
            tell_no_game(request, each, "pbm: no game", note=note, problem=problem, is_back=is_back, **names)


def _agree(request: Request, item: Item, player: Player) -> None:
    """Start the game if nobody else has to agree. Raises: NotAllowed if nobody else can any more."""
    tx, offer = request.tx, item.payload
    tx.tickets.drop_of(OFFER, item.key, player.id)
    if waits := [each for each in offer["waits"] if each != player.id]:
        others = " and ".join(each.userid for each in filter(None, map(tx.players.get, waits)))
        tx.agenda.put(OFFER, item.key, item.due_at, **{**offer, "waits": waits})
        # The other's question ran out, or was revoked: waiting on would be in vain.
        if not tx.tickets.open_for(OFFER, item.key, request.now):
            raise NotAllowed(f"{others} has not agreed in time, so nothing starts.")
        text = f"The game starts as soon as {others} agrees, too."
        # There is no board yet on which they could be passed on.
        if words_besides(request, offer["game"]):
            text += " What you wrote besides was not passed on; write it when the game has begun."
        request.outgoing.answers.append(Answer("yes", Outcome.DONE, wrapped(text), "pbm: you agree to a game"))
        return
    close(request, OFFER, item.key)
    try:
        board, origin = _started(request, offer)
    except REFUSALS as error:
        refuse(request, "yes", error)
        _tell_concerned(request, offer, player, note=words_besides(request, offer["game"]), problem=str(error))
        return
    challenger = tx.players.get(offer["player"])
    if offer["comment"]:
        writer = challenger.userid if challenger else "The challenger"
        request.passed_on = (CommentMade(0, userid=writer, text=offer["comment"]),)
    request.words.comment = words_besides(request, offer["game"], board.match.board)
    started = MatchStarted(
        board.match.board,
        challenger=challenger.userid if challenger else "",
        origin=" ".join(filter(None, ("Everybody who was asked has agreed.", origin))),
    )
    request.boards.adopt(board, started)


def _started(request: Request, offer: Offer) -> tuple[OpenBoard, str]:
    """The game that all have agreed to, and a sentence on where it starts. Raises: NotAllowed; as read_terms."""
    game, (first, second) = GAMES[offer["game"]], map(request.tx.players.get, offer["seats"])
    if first is None or second is None:
        raise NotAllowed("One of the players has left the server.")
    seats, rematch_of = (first, second), offer["rematch_of"]
    check_willing(request, game, seats, None, seats)
    # Both may have asked for it, and the other one was quicker.
    if rematch_of is not None and request.tx.matches.rematch_of(rematch_of) is not None:
        raise NotAllowed("That rematch has started already.")
    words = tuple(offer["words"])
    # offers that were made before an upgrade name no position
    plies, origin = tuple(offer.get("plies", ())), offer.get("origin", "")
    proposal = Proposal(game, words, offer["body"], rematch_of, plies, origin)
    return start(request, proposal, seats), proposal.told_origin


@subscribes(MailsRevoked)
def ask_anew(revoked: MailsRevoked, tx: Transaction) -> None:
    """Ask a player once more, for as long as before, about each game that waits for their answer."""
    player, why = revoked.player, "All earlier emails are void, so this game is offered to you once more."
    # What is revoked now could be answered until now.
    a_moment_ago = tx.now - timedelta(seconds=1)
    for item in _offers_to(tx, [player.id], a_moment_ago):
        if player.id in item.payload["waits"] and item.payload["game"] in GAMES:
            left = max(1, -((tx.now - item.due_at) // timedelta(days=1)))
            # The server may no longer allow such terms.
            with suppress(*REFUSALS):
                revoked.at.owe(_letters(revoked.at, item.key, player, item.payload, left, why))


@subscribes(AccountsMerged)
def hand_over(merged: AccountsMerged, tx: Transaction) -> None:
    """Make what a player has asked or been asked the affair of the player whose account theirs has become."""

    def renamed(player_id: int | None) -> int | None:
        return merged.kept.id if player_id == merged.gone.id else player_id

    for item in (*tx.agenda.of(OFFER), *tx.agenda.of(INVITE)):
        lists = {name: [*map(renamed, item.payload.get(name, ()))] for name in ("seats", "waits")}
        changed = {**item.payload, **(lists if item.kind == OFFER else {}), "player": renamed(item.payload["player"])}
        if changed != item.payload:
            tx.agenda.put(item.kind, item.key, item.due_at, **changed)
        # Both accounts were to play each other.
        if len({*lists["seats"]}) < len({*item.payload.get("seats", ())}):
            _leave(tx, item.key, changed, merged.gone)


@subscribes(AccountEnded)
def let_go(ended: AccountEnded, tx: Transaction) -> None:
    """End the offers of a player who leaves, and forget what they wrote in them."""
    for item in tx.agenda.of(OFFER):
        if ended.player.id in (item.payload["player"], *item.payload["seats"]):
            _leave(tx, item.key, item.payload, ended.player)


def _leave(tx: Transaction, key: str, offer: Offer, player: Player) -> None:
    """Let nobody agree to an offer any more, and have all whom it concerns told that its player has left."""
    tx.tickets.revoke(OFFER, key, tx.now)
    tx.agenda.put(OFFER, key, tx.now, **{**offer, "comment": "", "left": player.userid})


@when_due(OFFER)
def tell_unanswered(occasion: Occasion) -> None:
    """Tell the player who asked for a game, and those who have agreed, who has not answered, or has left."""
    tx, offer = occasion.tx, occasion.item.payload
    if is_still_open(occasion):
        return
    waits = [player.userid for player in filter(None, map(tx.players.get, offer["waits"]))]
    for player in _concerned(tx, offer):
        words = {"invited": offer.get("left") or " and ".join(waits), "plural": len(waits) > 1, "again": True}
        words |= {"left": "left" in offer, "agreed": player.id != offer["player"]}
        occasion.owe(letters_for(occasion, reader_of(occasion, player), "pbm: no answer", "unanswered.txt", **words))
