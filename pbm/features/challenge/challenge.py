"""Challenges between players: games that start at once, and those that first are offers.

A game may start where another one was: on the same board, or from a position of it or of a record.

A challenge waits, as an offer, if its sender has not proved who they are, or does not play in it, or if a challenged
player wants to be asked (`set challenges`). While it waits, no clock runs, and nothing its sender wrote is shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from games import GAMES, AnyGame
from pbm.compose.notices import Answer
from pbm.core.board import OpenBoard
from pbm.core.limits import Act
from pbm.core.registry import handles
from pbm.core.request import Request, no_player
from pbm.core.robots import is_robot, robot_named, robots_among
from pbm.core.start import MatchTerms, check_willing, read_terms, split_window, take_body, unheard
from pbm.domain import foreign_records
from pbm.domain.errors import BadArguments, NotAllowed
from pbm.domain.events import MatchStarted
from pbm.domain.match import Ending, Player, other, replay
from pbm.domain.settings import ANYONE, KNOWN, NONE, Settings
from pbm.features.challenge.invitation import invite
from pbm.features.challenge.offer import Proposal, propose, start
from pbm.reading.commands import Command
from pbm.reading.verbs import FIRST_BOARD, STARTING, Entry, Verb

ME = "me"
"""The word by which challengers name themselves."""
_PLACE = re.compile(r"(\d{1,12})?(?:#(\d{1,6}))?")


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
    first = _named(request, command, command.args["USERID1"])
    second = _named(request, command, command.args["USERID2"])
    proposal = _proposed(request, game, command.options)
    words, body, plies = proposal.words, proposal.body, proposal.plies
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
        raise NotAllowed(f"The game is over {proposal.origin} on: name an earlier ply.")
    check_willing(request, game, seats, asker, (challenger,))
    # Raises unless they show who they are: a proposal in their own name needs their own proof.
    if challenger is None and asker in seats:
        request.author.who(command)
    asked = to_be_asked(request, challenger, seats)
    if asked:
        return propose(request, command, proposal, seats, asked, challenger)
    _begin(request, proposal, seats, terms, challenger)
    return None


def _begin(
    request: Request,
    proposal: Proposal,
    seats: tuple[Player, Player],
    terms: MatchTerms,
    challenger: Player | None,
) -> None:
    """Start the game at once. Raises: TooMuch."""
    request.draw(Act.CHALLENGE)
    for player in {*seats} - {challenger}:
        if not is_robot(request.tx, player):
            request.draw(Act.CHALLENGED, account=f"player {player.id}")
    board = start(request, proposal, seats)
    match = board.match
    # It counts for players who seek just such a game; its terms are as asked for, before a board was drawn.
    for player in {*seats} - {challenger}:
        seek = request.tx.seeks.own(player.id, match.game)
        if seek is None or seek.body != match.body:
            continue
        own, _ = split_window(seek.options)
        sought = read_terms(proposal.game, own, seek.body, request.tools.house.default_clock)
        if (sought.words, sought.rated, sought.control) == (terms.words, match.rated, match.control):
            request.tx.seeks.set_wanted(seek.id, seek.wanted - 1)
    request.author.player = challenger
    userid = challenger.userid if challenger else ""
    request.boards.adopt(board, MatchStarted(match.board, challenger=userid, origin=proposal.told_origin))


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
    proposal = Proposal(game, words, match.body, rematch_of=match.board)
    asked = to_be_asked(request, asker, seats)
    if asked:
        return propose(request, command, proposal, seats, asked, asker)
    fresh = start(request, proposal, seats)
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


def _proposed(request: Request, game: AnyGame, options: Sequence[str]) -> Proposal:
    """What the options name and the mail holds to start with. Raises: NotFound, NotAllowed, BadArguments."""
    record, body = request.take_record(), take_body(request, game)
    board, position, own = _divided(options)
    if not (board or position):
        # It would be dropped silently.
        if record:
            raise BadArguments(
                "There is a record in your mail. To start from its end write -position, from a ply -position=#12."
            )
        return Proposal(game, tuple(own), body)
    # Each says which board it is, and they may differ.
    if (board and position) or body:
        raise BadArguments("A board of your own, -board= and -position= exclude each other: take one of them.")
    # A record may leave some options open; a board has all of them.
    if not position.startswith("#"):
        _check_no_options(game, own)
    if board:
        match = request.boards.load(int(board), game.info.name).match
        return Proposal(game, (*match.options, *own), match.body)
    number, ply = _place(position)
    if number is None:
        return _of_record(record, game, own, ply)
    return _of_board(request, request.boards.load(number, game.info.name), own, ply)


def _check_no_options(game: AnyGame, words: Sequence[str]) -> None:
    """Raises: BadArguments for an option of the game."""
    names = {name for option in game.info.options for name in option.names}
    for word in words:
        if word.lstrip("-").casefold().partition("=")[0] in names:
            raise BadArguments(f'What the game starts from has its options already: leave out "{word}".')


def _divided(options: Sequence[str]) -> tuple[str, str, list[str]]:
    """The earlier board, the position, both empty if they are not named, and the options of the game itself."""
    board, position, own = "", "", list[str]()
    for word in options:
        name, _, value = word.lstrip("-").casefold().partition("=")
        if name == "position":
            position = value or "#"
        # Lower numbers, and words, are options of games: "-board=fair".
        elif name == "board" and value.isdecimal() and int(value) >= FIRST_BOARD:
            board = value
        else:
            own.append(word)
    return board, position, own


def _place(position: str) -> tuple[int | None, int | None]:
    """The board and the ply of a text such as "101#12", "101", "#12" or "#". Raises: BadArguments."""
    place = _PLACE.fullmatch(position.removesuffix("#"))
    if place is None:
        raise BadArguments(f'"{position[:40]}" is no position: write for instance -position=101#12.')
    board, ply = place.groups()
    return int(board) if board else None, int(ply) if ply else None


def _of_board(request: Request, board: OpenBoard, own: Sequence[str], ply: int | None) -> Proposal:
    """A position of a board that has ended: a robot, asked from one under way, would help a player there."""
    match = board.match
    if match.result is None and not robots_among(request.tx, match.players):
        raise NotAllowed(f"Board {match.board} goes on. Others can start from its positions when it has ended.")
    state = board.state if ply is None else board.at(ply)
    plies = match.record.notations[: state.plies]
    origin = f"from ply {len(plies)} of board {match.board}"
    words = (*match.options, *own, "--unrated")
    return Proposal(board.state.game, words, match.body, plies=plies, origin=origin)


def _of_record(record: str, game: AnyGame, own: Sequence[str], ply: int | None) -> Proposal:
    """A position of a record, its last one if no ply is named. Raises: BadArguments, NotAllowed."""
    if not record:
        raise BadArguments(
            "Attach the record of a game (SGF, HGF, .trl), or name a board and a ply:", "-position=101#12"
        )
    score = foreign_records.read(record, game.info.name)
    if score.game != game.info.name:
        raise BadArguments(f"Your record is of {score.game}, not of {game.info.name}.")
    if ply is not None and ply > len(score.moves):
        raise BadArguments(f"Your record has {len(score.moves)} plies; there is no ply {ply}.")
    plies = score.moves[:ply]
    origin = f"from ply {len(plies)} of the record{score.remark}"
    return Proposal(game, (*score.options, *own, "--unrated"), score.body, plies=plies, origin=origin)
