"""Verbs of tournaments: create, join and leave one, look at it, climb a ladder."""

from __future__ import annotations

from games import GAMES
from games.rules import joined
from pbm.compose.notices import Answer
from pbm.core.registry import handles
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.core.start import take_body
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.events import MatchStarted
from pbm.domain.tournaments.bouts import DRAW
from pbm.domain.tournaments.terms import Kind
from pbm.features.tournament import entries as entering
from pbm.features.tournament import letters
from pbm.features.tournament.crosstables import standings_of
from pbm.features.tournament.director import Ladder
from pbm.reading.commands import Command
from pbm.reading.slips import no_game
from pbm.reading.verbs import TOURNAMENTS, Entry, Locks, Verb
from pbm.store.tournaments import Stage, Tournament

ENDED_SHOWN = 10
"""Finished tournaments in the list of all."""


@handles(
    Verb("tournaments [GAME]", TOURNAMENTS, Locks.NOTHING, aliases=("events",)),
    Entry(10, "the tournaments there are, of a game or of all: who plays when, and how it goes"),
)
def tournaments(request: Request, command: Command) -> Answer:
    tx, word = request.tx, command.args.get("GAME", "").casefold()
    if word and word not in GAMES:
        raise no_game(word, "tournaments GAME")
    running, ended = tx.tournaments.listed(word or None), tx.tournaments.listed(word or None, ended=True)
    text = request.outgoing.page(
        "tournaments.txt",
        title=GAMES[word].info.title if word else "",
        zone=request.author.reader().settings.zone,
        running=tx.tournaments.with_sizes(running),
        ended=tx.tournaments.with_sizes(ended[:ENDED_SHOWN]),
    )
    return done(command, text, "pbm: tournaments")


@handles(
    Verb("tournament create [OPTIONS] NAME KIND GAME USERID PASSWORD", TOURNAMENTS, aliases=("event create",)),
    Entry(20, "make a tournament that players may join: round-robin, swiss, knockout, ladder or league"),
)
def create(request: Request, command: Command) -> Answer:
    player, args = request.author.who(command), command.args
    most = request.tools.house.open_tournaments
    if request.tx.tournaments.created_by(player.id) >= most:
        raise NotAllowed(f"You have made {most} tournaments that are not over; that is the limit.", "tournaments")
    game = GAMES.get(args["GAME"].casefold())
    body = take_body(request, game) if game else ""
    tournament = entering.create(request.tx, args["NAME"], args["KIND"], args["GAME"], command.options, body, player)
    return done(command, _shown(request, tournament), f"pbm: {tournament.name}: made")


@handles(
    Verb("tournament show NAME", TOURNAMENTS, Locks.NOTHING, aliases=("event show",)),
    Entry(30, "what a tournament is about, its rules, and who is in it"),
)
def show(request: Request, command: Command) -> Answer:
    tournament = _named(request, command)
    return done(command, _shown(request, tournament), f"pbm: {tournament.name}")


def _shown(request: Request, tournament: Tournament) -> str:
    entrants, reader = request.tx.tournaments.entrants(tournament.id), request.author.reader()
    may_join = tournament.is_open and all(each.player != reader.player or each.left_at for each in entrants)
    may_start = reader.player is not None and reader.player == tournament.creator and tournament.stage is Stage.OPEN
    return letters.page(
        request, "tournament.txt", tournament, reader, entrants=entrants, may_join=may_join, may_start=may_start
    )


@handles(
    Verb("tournament join NAME USERID PASSWORD", TOURNAMENTS, aliases=("event join", "join tournament", "join")),
    Entry(40, "take part in a tournament"),
)
def join(request: Request, command: Command) -> Answer:
    player, tournaments, name = request.author.who(command), request.tx.tournaments, command.args["NAME"].casefold()
    begun = [each for each in tournaments.listed() if each.is_open and each.name.casefold().startswith(name)]
    # "join spring" means spring-cup if nothing else is open that begins so.
    tournament = begun[0] if len(begun) == 1 and not tournaments.find(name) else _named(request, command)
    if not request.tx.players.confirmed(player.id):
        raise NotAllowed("You have not confirmed an address yet, so you could not be told of your games.")
    is_full = entering.join(request.tx, tournament, player)
    return done(command, f"You are in {tournament.name}. {_prospect(tournament, is_full=is_full)}")


def _prospect(tournament: Tournament, *, is_full: bool) -> str:
    """A sentence on what comes next for a player who has just joined. is_full: it starts now."""
    climbs = tournament.terms.kind is Kind.LADDER
    if is_full:
        return "With you it is full, and starts now."
    if tournament.stage is Stage.OPEN:
        return f"When it starts, {'you may challenge others' if climbs else 'your games come by mail'}."
    if tournament.terms.kind is Kind.SWISS:
        return "You are paired from the next round on; the first round you have missed counts half a point."
    if tournament.stage is Stage.PAUSED:
        return "Your games come by mail when the next season starts."
    if climbs:
        return f'You are on the lowest rung: "tournament challenge {tournament.name}" shows whom you may challenge.'
    return "You play from the next season on."


@handles(
    Verb("tournament bye NAME USERID PASSWORD", TOURNAMENTS, aliases=("event bye",)),
    Entry(45, "have no game in the next round of a Swiss: half a point, once, unless it is the last round"),
)
def bye(request: Request, command: Command) -> Answer:
    player, tournament = request.author.who(command), _named(request, command)
    bout = entering.rest(request.tx, tournament, player)
    worth = "half a point" if bout.score(player.id) == DRAW else "no point"
    return done(command, f"You have a bye in round {tournament.round + 1} of {tournament.name}, for {worth}.")


@handles(
    Verb("tournament leave NAME USERID PASSWORD", TOURNAMENTS, aliases=("event leave",)),
    Entry(50, "leave a tournament; what you still play there is lost"),
)
def leave(request: Request, command: Command) -> Answer:
    player, tournament = request.author.who(command), _named(request, command)
    boards = entering.leave(request.tx, tournament, player, request.boards.load)
    numbers = joined(str(board.match.board) for board in boards)
    lost = f" Lost with that: board{'s' if len(boards) > 1 else ''} {numbers}." if boards else ""
    return done(command, f"You have left {tournament.name}.{lost}")


@handles(
    Verb("tournament start NAME USERID PASSWORD", TOURNAMENTS, aliases=("event start",)),
    Entry(60, "let a tournament of yours begin now, with those who have joined"),
)
def start(request: Request, command: Command) -> Answer:
    tournament = _own(request, command)
    entering.start(request.tx, tournament)
    what = "may challenge each other" if tournament.terms.kind is Kind.LADDER else "get their games by mail"
    return done(command, f"{tournament.name} starts now; its players {what}.")


@handles(
    Verb("tournament cancel NAME USERID PASSWORD", TOURNAMENTS, aliases=("event cancel",)),
    Entry(70, "end a tournament of yours early"),
)
def cancel(request: Request, command: Command) -> Answer:
    tournament = _own(request, command)
    request.outgoing.letters += entering.cancel(request, tournament)
    return done(command, f"{tournament.name} is ended; its players are told.")


@handles(
    Verb("tournament pairings NAME [ROUND]", TOURNAMENTS, Locks.NOTHING, aliases=("event pairings",)),
    Entry(80, "who meets whom in a tournament, and on which board"),
)
def pairings(request: Request, command: Command) -> Answer:
    """Show the present round, or any of the season; of a ladder, the games under way and the latest ones."""
    tournament, word = _named(request, command), command.args.get("ROUND", "")
    if word and not (word.isascii() and word.isdecimal() and len(word) < 5 and 1 <= int(word) <= tournament.round):
        played = f"the latest is {tournament.round}" if tournament.round else "nothing is paired yet"
        raise BadArguments(f'"{word}" is no round of {tournament.name}: {played}.')
    number, climbs = int(word or tournament.round), tournament.terms.kind is Kind.LADDER
    wanted = (0, *range(tournament.round - 9, tournament.round + 1)) if climbs else (number,)
    meetings = request.tx.tournaments.meetings(tournament.id, tournament.season)
    chosen = [each for each in meetings if each.round in wanted]
    rounds = {number: chosen} if chosen else {}
    text = letters.page(request, "tournament-pairings.txt", tournament, request.author.reader(), rounds=rounds)
    return done(command, text, f"pbm: {tournament.name}: pairings")


@handles(
    Verb("tournament standings NAME", TOURNAMENTS, Locks.NOTHING, aliases=("event standings",)),
    Entry(90, "how the players of a tournament stand"),
)
def standings(request: Request, command: Command) -> Answer:
    tournament = _named(request, command)
    reader, tables = request.author.reader(), standings_of(request.tx, tournament)
    text = letters.page(request, "tournament-standings.txt", tournament, reader, standings=tables)
    return done(command, text, f"pbm: {tournament.name}: standings")


@handles(
    Verb("tournament challenge NAME USERID PASSWORD [OTHER]", TOURNAMENTS, aliases=("event challenge",)),
    Entry(100, "challenge somebody above you on a ladder; alone it shows whom you may"),
)
def challenge(request: Request, command: Command) -> Answer | None:
    player, tournament = request.author.who(command), _named(request, command)
    word, ladder = command.args.get("OTHER", ""), Ladder(request.tx, request.tools, tournament)
    if tournament.terms.kind is not Kind.LADDER or tournament.stage is not Stage.RUNNING:
        stage = "has not started" if tournament.stage is Stage.OPEN else f"is {tournament.stage}"
        problem = "is no ladder" if tournament.terms.kind is not Kind.LADDER else stage
        raise NotAllowed(f"{tournament.name} {problem}, so nobody can be challenged in it.")
    if player not in ladder.rungs():
        raise NotAllowed(f"You are not in {tournament.name}.", f"tournament join {tournament.name}")
    if not word:
        return done(command, ladder.choice(player))
    opponent = request.tx.players.find(word)
    if opponent is None or opponent not in ladder.rungs():
        raise NotFound(f'"{word}" is not in {tournament.name}. {ladder.choice(player)}')
    board = ladder.challenge(player, opponent)
    request.boards.adopt(board, MatchStarted(board.match.board, challenger=player.userid))
    return None


def _named(request: Request, command: Command) -> Tournament:
    """Raises: NotFound."""
    return entering.find(request.tx, command.args["NAME"])


def _own(request: Request, command: Command) -> Tournament:
    """The named tournament, if the sender has created it. Raises: NotFound, NotAllowed."""
    player, tournament = request.author.who(command), _named(request, command)
    if tournament.creator != player:
        maker = tournament.creator.userid if tournament.creator else "the operator"
        raise NotAllowed(f"{tournament.name} was made by {maker}, who alone may do that.")
    return tournament
