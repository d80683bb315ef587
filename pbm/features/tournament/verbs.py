"""Verbs of events: make one, join and leave it, look at it, climb a ladder."""

from __future__ import annotations

from games import GAMES
from pbm.compose import Answer
from pbm.core.offers import done
from pbm.core.registry import handles
from pbm.core.request import Request
from pbm.core.start import split_body
from pbm.domain.commands import Command
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.events import MatchStarted
from pbm.domain.tournaments.bouts import DRAW
from pbm.domain.tournaments.terms import Kind
from pbm.domain.verbs import EVENTS, Locks, Verb
from pbm.features.tournament import entries as entering
from pbm.features.tournament.ladder import Ladder
from pbm.features.tournament.letters import Letters
from pbm.store.tournaments import Meeting, Stage, Tournament

ENDED_SHOWN = 10
"""Events that are over, in the list of all."""


@handles(
    Verb(
        "events",
        "[GAME]",
        "the events there are, of a game or of all: who plays when, and how it goes",
        EVENTS,
        Locks.HOUSE,
        rank=10,
    )
)
def events(request: Request, command: Command) -> Answer | None:
    tx, word = request.tx, command.args.get("GAME", "").casefold()
    if word and word not in GAMES:
        raise NotFound(f'There is no game "{word}" here. The games are {", ".join(GAMES)}.', "events")
    running, ended = tx.tournaments.listed(word or None), tx.tournaments.listed(word or None, ended=True)
    text = request.page(
        "events.txt",
        title=GAMES[word].info.title if word else "",
        zone=request.correspondent().settings.zone,
        running=[(event, tx.tournaments.size(event.id)) for event in running],
        ended=[(event, tx.tournaments.size(event.id)) for event in ended[:ENDED_SHOWN]],
    )
    return done(command, text.rstrip("\n"), "pbm: events")


@handles(
    Verb(
        "event create",
        "EVENT KIND GAME USERID PASSWORD",
        "make an event that players may join: round-robin, swiss, knockout, ladder or league",
        EVENTS,
        Locks.HOUSE,
        rank=20,
        options=True,
    )
)
def create(request: Request, command: Command) -> Answer | None:
    player, args = request.who(command), command.args
    most = request.tools.limits.open_events
    if request.tx.tournaments.created_by(player.id) >= most:
        raise NotAllowed(f"You have made {most} events that are not over; that is the limit.", "events")
    game = GAMES.get(args["GAME"].casefold())
    body, _ = split_body(request.comment) if game and game.info.takes_body else ("", "")
    event = entering.create(
        request.tx, args["EVENT"], args["KIND"], args["GAME"], command.options, body, player, request.now
    )
    return done(command, _shown(request, event), f"pbm: {event.name}: made")


@handles(
    Verb("event show", "EVENT", "what an event is about, its rules, and who is in it", EVENTS, Locks.HOUSE, rank=30)
)
def show(request: Request, command: Command) -> Answer | None:
    event = _named(request, command)
    return done(command, _shown(request, event), f"pbm: {event.name}")


def _shown(request: Request, event: Tournament) -> str:
    entrants = request.tx.tournaments.entrants(event.id)
    return _letters(request).page(
        "event.txt", event, request.correspondent(), entrants=entrants, may_join=event.is_open
    )


@handles(Verb("event join", "EVENT USERID PASSWORD", "take part in an event", EVENTS, Locks.HOUSE, rank=40))
def join(request: Request, command: Command) -> Answer | None:
    player, event = request.who(command), _named(request, command)
    if not request.tx.players.confirmed(player.id)[player.id]:
        raise NotAllowed("You have not confirmed an address yet, so you could not be told of your games.")
    entering.join(request.tx, event, player, request.now)
    return done(command, f"You are in {event.name}. {_prospect(event)}")


def _prospect(event: Tournament) -> str:
    """What comes next for one who has just joined."""
    climbs = event.terms.kind is Kind.LADDER
    if event.stage is Stage.OPEN:
        return f"When it starts, {'you may challenge others' if climbs else 'your games come by mail'}."
    if event.terms.kind is Kind.SWISS:
        return "You are paired from the next round on; the first round you have missed counts half a point."
    if event.stage is Stage.PAUSED:
        return "Your games come by mail when the next season starts."
    return "You are on the lowest rung: challenge somebody." if climbs else "You play from the next season on."


@handles(
    Verb(
        "event bye",
        "EVENT USERID PASSWORD",
        "have no game in the next round of a Swiss: half a point, once, unless it is the last round",
        EVENTS,
        Locks.HOUSE,
        rank=45,
    )
)
def bye(request: Request, command: Command) -> Answer | None:
    player, event = request.who(command), _named(request, command)
    bout = entering.rest(request.tx, event, player, request.now)
    worth = "half a point" if bout.score(player.id) == DRAW else "no point"
    return done(command, f"You have a bye in round {event.round + 1} of {event.name}, for {worth}.")


@handles(
    Verb(
        "event leave",
        "EVENT USERID PASSWORD",
        "leave an event; what you still play there is lost",
        EVENTS,
        Locks.HOUSE,
        rank=50,
    )
)
def leave(request: Request, command: Command) -> Answer | None:
    player, event = request.who(command), _named(request, command)
    boards = entering.leave(request.tx, event, player, request.board, request.now)
    numbers = ", ".join(str(board.match.board) for board in boards)
    lost = f" Lost with that: board {numbers}." if numbers else ""
    return done(command, f"You are in {event.name} no more.{lost}")


@handles(
    Verb(
        "event start",
        "EVENT USERID PASSWORD",
        "let an event of yours begin now, with those who have joined",
        EVENTS,
        Locks.HOUSE,
        rank=60,
    )
)
def start(request: Request, command: Command) -> Answer | None:
    event = _own(request, command)
    entering.start(request.tx, event, request.now)
    what = "may challenge each other" if event.terms.kind is Kind.LADDER else "get their games by mail"
    return done(command, f"{event.name} starts now; its players {what}.")


@handles(Verb("event cancel", "EVENT USERID PASSWORD", "end an event of yours early", EVENTS, Locks.HOUSE, rank=70))
def cancel(request: Request, command: Command) -> Answer | None:
    event = _own(request, command)
    request.letters += entering.cancel(request.tx, request.tools, event, request.now)
    return done(command, f"{event.name} is ended; its players are told.")


@handles(
    Verb(
        "event pairings",
        "EVENT [ROUND]",
        "who meets whom in an event, and on which board",
        EVENTS,
        Locks.HOUSE,
        rank=80,
    )
)
def pairings(request: Request, command: Command) -> Answer | None:
    """Of the present round, or of any of the season; of a ladder, the games under way and the latest."""
    event, word = _named(request, command), command.args.get("ROUND", "")
    if word and not (word.isascii() and word.isdecimal() and len(word) < 5 and 1 <= int(word) <= event.round):
        played = f"take 1 to {event.round}" if event.round else "nothing is paired yet"
        raise BadArguments(f'"{word}" is no round of {event.name}: {played}.')
    number = int(word or event.round)
    found = request.tx.tournaments.meetings(event.id, event.season)
    if event.terms.kind is Kind.LADDER:
        chosen: list[Meeting] = [each for each in found if each.round in (0, *range(event.round - 9, event.round + 1))]
    else:
        chosen = [each for each in found if each.round == number]
    rounds = {number: chosen} if chosen else {}
    text = _letters(request).page("event-pairings.txt", event, request.correspondent(), rounds=rounds)
    return done(command, text, f"pbm: {event.name}: pairings")


@handles(Verb("event standings", "EVENT", "how the players of an event stand", EVENTS, Locks.HOUSE, rank=90))
def standings(request: Request, command: Command) -> Answer | None:
    event = _named(request, command)
    text = _letters(request).standings(event, request.correspondent())
    return done(command, text, f"pbm: {event.name}: standings")


@handles(
    Verb(
        "event challenge",
        "EVENT USERID PASSWORD [OTHER]",
        "challenge somebody above you on a ladder; alone it tells whom you may",
        EVENTS,
        Locks.HOUSE,
        rank=100,
    )
)
def challenge(request: Request, command: Command) -> Answer | None:
    player, event = request.who(command), _named(request, command)
    word, ladder = command.args.get("OTHER", ""), Ladder(request.tx, request.tools, request.now, event)
    if event.terms.kind is not Kind.LADDER or event.stage is not Stage.RUNNING:
        problem = "is no ladder" if event.terms.kind is not Kind.LADDER else f"is {event.stage}"
        raise NotAllowed(f"{event.name} {problem}, so nobody can be challenged in it.")
    if player not in ladder.rungs():
        raise NotAllowed(f"You are not in {event.name}.", f"event join {event.name}")
    if not word:
        return done(command, ladder.choice(player))
    opponent = request.tx.players.find(word)
    if opponent is None or opponent not in ladder.rungs():
        raise NotFound(f'"{word}" is not in {event.name}. {ladder.choice(player)}')
    board = ladder.challenge(player, opponent)
    request.adopt(board, MatchStarted(board.match.board, challenger=player.userid))
    return None


def _letters(request: Request) -> Letters:
    return Letters(request.tx, request.tools, request.now)


def _named(request: Request, command: Command) -> Tournament:
    """Raises: NotFound."""
    return entering.find(request.tx, command.args["EVENT"])


def _own(request: Request, command: Command) -> Tournament:
    """The event, if the sender has made it. Raises: NotFound, NotAllowed."""
    player, event = request.who(command), _named(request, command)
    if event.creator != player:
        maker = event.creator.userid if event.creator else "the operator"
        raise NotAllowed(f"{event.name} was made by {maker}, who alone may do that.")
    return event
