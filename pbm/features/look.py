"""Verbs that show and list boards, chosen by numbers, players and filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from games import GAMES
from games.rules import KINDS, GameError, Zoomable
from pbm.compose.notices import Answer, Drawn, Notice, Reader
from pbm.compose.owed import DrawnBoard
from pbm.compose.views import wrapped
from pbm.core.board import OpenBoard
from pbm.core.notify import notice_of, reader_of
from pbm.core.registry import handles
from pbm.core.reply import MOST_LISTED, done, is_full, parted
from pbm.core.request import Request
from pbm.core.robots import hints_told
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, Rejected, existing
from pbm.domain.match import Player, Seat, State
from pbm.reading.commands import Command
from pbm.reading.slips import no_game
from pbm.reading.verbs import ACCOUNT, LOOKING, Entry, Locks, Verb
from pbm.store.matches import Summary
from pbm.values import frozen

FILTERS = ("active", "inactive", "next", "tournament", "standard")
"""Words that narrow a list to boards that are under way, that have ended, where one of the players is to move, that
belong to a tournament, or to none."""

_NOISE = frozenset({"all", "board", "boards"})
_BOARD = re.compile(r"(\d{1,12})?(?:#(-?\d{1,6}))?[.:]?")
_AT_PLY = re.compile(
    r"(?:(?<=\d) |(?<!\S))(?:(?:after|at|as of|from|on) )?(?:ply|move|turn) (?:number |no\.? )?#?(?=\d)", re.IGNORECASE
)
"""The words before a ply, as in "101 after ply 3"; the classic form is "101#3"."""


@frozen
class AtPly:
    """A board, now or as it was after a ply; negative plies count back from the end."""

    board: int
    ply: int | None = None


@dataclass(slots=True)
class Selection:
    boards: list[AtPly] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)


def select(request: Request, words: Iterable[str]) -> Selection:
    """The boards, players and filters that the words name. Raises: BadArguments, NotFound, NotAllowed."""
    selection = Selection()
    for word in dict.fromkeys(_AT_PLY.sub("#", " ".join(words)).split()):
        folded = word.casefold()
        if folded in FILTERS:
            selection.filters.append(folded)
        elif word[0].isdigit() or word[0] == "#":
            match = _BOARD.fullmatch(word)
            if match is None:
                raise BadArguments(f'"{word}" is not the number of a board: write for instance 101 or 101#5.')
            number, ply = match.groups()
            named = int(number) if number else request.sender.board
            board = existing(named, f'Which board? Write its number in front of "{word}".')
            selection.boards.append(AtPly(board, int(ply) if ply else None))
        elif folded not in _NOISE:
            selection.players.append(request.author.player_named(word))
    return selection


def listed(request: Request, selection: Selection, game: str | None, after: int = 0) -> list[Summary]:
    """The players' boards with numbers above `after`, narrowed by all filters, the oldest first."""
    wanted = {*selection.filters}
    kinds, states = {"tournament", "standard"} & wanted, {"active", "inactive", "next"} & wanted
    # "next" alone asks which boards wait for oneself.
    players = selection.players or ([request.author.apparent()] if "next" in wanted else [])
    # Filters narrow: no board has ended and waits, or is in a tournament and in none.
    if ("inactive" in states and len(states) > 1) or len(kinds) > 1:
        return []
    active = "inactive" not in states if states else None
    in_tournament = "tournament" in kinds if kinds else None
    ids = tuple(player.id for player in players)
    boards = request.tx.matches.summaries(
        game=game, player_ids=ids, active=active, in_tournament=in_tournament, limit=MOST_LISTED, after=after
    )
    # With several players, a board fits if any of them is to move.
    return [summary for summary in boards if "next" not in wanted or summary.to_move in players]


@handles(
    Verb("test display USERID PASSWORD", ACCOUNT, Locks.NOTHING),
    Entry(130, "get an email that shows what your mail program does with boards, pictures and links"),
)
def show_display(request: Request, command: Command) -> None:
    """Mail a sample board in all forms, whatever the player's settings are."""
    reader = reader_of(request, request.author.who(command))
    sample = DrawnBoard("drawing", "cross", ("-size=3",), moves=("C3", "B2", "D3"))
    request.outgoing.letters += request.tools.composer.display(reader, sample, request.now, request.message)


MAX_SHOWN = 20
"""Boards that one mail may ask for."""
MAX_SHOWN_UNPROVEN = 5
"""Boards that one mail may ask for if its sender has not proved who they are."""
MAX_FACTOR_DIGITS = 1001

Zoom = tuple[str, str]
"""A point and a factor, as written."""


@handles(
    Verb("GAME show [BOARD[#PLY]|USERID|active|inactive|next...]", LOOKING, Locks.NOTHING),
    Entry(50, "mail me boards, now or after a ply, or those of a player"),
)
def show(request: Request, command: Command) -> Answer | None:
    words, zoom_in = command.args.get("BOARD", "").split(), None
    place = next((place for place, word in enumerate(words) if word.casefold() == "zoom"), None)
    if place is not None:
        if len(words) != place + 3:
            raise BadArguments('After "zoom" come a point and a factor, as in "zoom 3x7 20".')
        words, zoom_in = words[:place], (words[place + 1], words[place + 2])
    # "show me board 102" asks for no other one.
    if words[:1] == ["me"] and any(word[0].isdigit() for word in words):
        del words[0]
    return _mail_boards(request, command, select(request, words), zoom_in=zoom_in)


@handles(
    Verb("all show [USERID|active|inactive|next...]", LOOKING, Locks.NOTHING),
    Entry(90, "mail me the boards of a player in all games"),
)
def all_show(request: Request, command: Command) -> Answer | None:
    selection = select(request, command.args.get("USERID", "").split())
    if selection.boards:
        raise BadArguments("all show takes players, not boards.", command.verb.line)
    return _mail_boards(request, replace(command, game=None), _of_somebody(request, selection))


@handles(
    Verb("GAME showas USERID PASSWORD [BOARD[#PLY]|USERID|active|inactive|next...]", LOOKING, Locks.NOTHING),
    Entry(60, "mail me boards as I see them when I play"),
)
def showas(request: Request, command: Command) -> Answer | None:
    """Show boards as the player sees them when they play; all their running boards if they name none."""
    words, answered = command.args.get("BOARD", "").split(), request.sender.board
    if not words:
        words = ["me", "active"] if answered is None else [str(answered)]
    player = request.author.who(command, answered if words == [str(answered)] else None)
    return _mail_boards(request, command, select(request, words), lambda board: board.perspective(player))


@handles(
    Verb("GAME zoom [BOARD[#PLY]] POINT FACTOR", LOOKING, Locks.NOTHING),
    Entry(70, "mail me the board around a point, so many times larger"),
)
def zoom(request: Request, command: Command) -> Answer | None:
    words = [command.args["BOARD"]] if "BOARD" in command.args else []
    zoom_in = command.args["POINT"], command.args["FACTOR"]
    return _mail_boards(request, command, select(request, words), zoom_in=zoom_in)


def _wanted(request: Request, selection: Selection, game: str | None) -> list[AtPly]:
    """The boards to show: those named and those of the players, or else the one that the mail answers."""
    boards = list(selection.boards)
    if selection.players or selection.filters:
        chosen = listed(request, _of_somebody(request, selection), game)
        boards += [AtPly(each.board) for each in chosen]
    elif not boards and request.sender.board is not None:
        boards.append(AtPly(request.sender.board))
    elif not boards:
        raise BadArguments("Which board? Name its number, or a player.", f"{game or 'GAME'} show 101")
    return boards


def _of_somebody(request: Request, selection: Selection) -> Selection:
    """The selection, of the sender's boards if no player is named."""
    return selection if selection.players else replace(selection, players=[request.author.apparent()])


def _mail_boards(
    request: Request,
    command: Command,
    selection: Selection,
    seat: Callable[[OpenBoard], Seat | None] | None = None,
    zoom_in: Zoom | None = None,
) -> Answer | None:
    """Mail the sender each board as seen from a seat; boards that cannot be shown are listed in the answer.

    seat: gives the seat on a board; None for the seat that the sender has proved.
    """
    wanted, seat = _wanted(request, selection, command.game), seat or request.author.proven_seat
    _check_number(request, len(wanted))
    reader, game = request.author.reader(), None if request.sender.board else command.game
    notices, failures = [], []
    for each in wanted:
        try:
            board = request.boards.load(each.board, game)
            notices.append(_shown(board, replace(reader, seat=seat(board)), each.ply, zoom_in))
        except (Rejected, GameError) as error:
            # Alone it is refused like any command, with a line that works.
            if len(wanted) == 1:
                raise
            failures.append(str(error))
    if not notices:
        raise NotFound("\n".join(failures))
    request.outgoing.notices += notices
    if failures:
        return done(command, wrapped("\n".join(["Not shown:", *failures])), "pbm: not all boards shown")
    return None


def _check_number(request: Request, number: int) -> None:
    """Raises: NotFound for no boards, NotAllowed for too many."""
    # Anybody can write a player's From, and boards are large mails.
    most = MAX_SHOWN if request.author.player or request.sender.shown else MAX_SHOWN_UNPROVEN
    if number == 0:
        raise NotFound("No board fits these words.")
    # Several commands of one mail count together.
    if number + len(request.outgoing.notices) > most:
        raise NotAllowed(
            f"{number} boards would be too much mail: at most {most} are shown to you by one email. "
            'Ask for fewer, for instance with "next", or list them with "games".'
        )


def _shown(board: OpenBoard, reader: Reader, ply: int | None, zoom_in: Zoom | None) -> Notice:
    """The board now or after a ply, whole or around a point. Raises: NotFound, NotAllowed, BadArguments, MoveError."""
    notice = notice_of(board, reader, whole_record=True)
    if ply is None and zoom_in is None:
        hints = hints_told(board.tx, board.match)
        return replace(notice, shown=f"how it stands. {hints}") if hints else notice
    state = board.state if ply is None else board.at(ply)
    when = "as it stands" if ply is None else f"the position after ply {state.plies} of {board.state.plies}"
    then = ""
    # The rest of the mail is about the present position.
    if state.plies != board.state.plies:
        to_move = board.match.player(state.to_move).userid
        then = f" {to_move} ({state.side_name(state.to_move)}) was to move then. Now:"
    if zoom_in is None:
        return replace(notice, drawn=Drawn(state.plies), shown=f"{when}.{then}")
    _check_zoom(state, *zoom_in)
    return replace(notice, drawn=Drawn(state.plies, zoom=zoom_in), shown=f"{when}, around {zoom_in[0]}.{then}")


def _check_zoom(state: State, point: str, factor: str) -> None:
    """Check that the board can be drawn around a point. Raises: NotAllowed, BadArguments, MoveError."""
    if not isinstance(state.game, Zoomable):
        raise NotAllowed(f"A board of {state.game.info.title} is always shown whole: it cannot be zoomed.")
    # Longer numbers would only cost time.
    if not (factor.isascii() and factor.isdecimal() and len(factor) <= MAX_FACTOR_DIGITS):
        raise BadArguments(f'"{factor[:40]}" is no factor: write a whole number, as in "zoom 3x7 20".')
    state.game.zoom(state.position, state.last, point, int(factor))


@handles(
    Verb("GAME games [USERID|active|inactive|next|tournament|standard...]", LOOKING, Locks.NOTHING),
    Entry(80, "list the boards of a game, or of players; tournament: those of tournaments, standard: all others"),
)
def games(request: Request, command: Command) -> Answer:
    words, after = parted(command.args.get("USERID", "").split(), "after")
    selection = select(request, words)
    if selection.boards:
        raise BadArguments(f'games takes players; "show {selection.boards[0].board}" mails a board.', command.verb.line)
    if command.game is None and not selection.players:
        raise BadArguments("Which game, or whose games?", "games USERID")
    boards = listed(request, selection, command.game, after or 0)
    more = " ".join([command.game or "all", "games", *words, "after", *(str(each.board) for each in boards[-1:])])
    title = GAMES[command.game].info.title if command.game else "all"
    text = request.outgoing.page(
        "games.txt",
        title=title,
        boards=boards,
        players=selection.players,
        narrowed=bool(selection.filters),
        more=more if is_full(boards) else "",
    )
    return done(command, text, f"pbm: list of {title} games")


LONG_LIST = 8000
"""Characters of lists in one mail after which no other list is added."""
MOST_COUNTED = 400
"""Boards of a game that are counted for the list; it says so if there are more."""


@handles(Verb("list [GAME...]", LOOKING, Locks.NOTHING), Entry(30, "the games there are, or the boards of a game"))
def list_(request: Request, command: Command) -> Answer:
    words = command.args.get("GAME", "").casefold().split()
    unknown = next((word for word in words if word not in GAMES), None)
    if unknown is not None:
        raise no_game(unknown, "list GAME")
    if words:
        return done(command, _lists(request, command, list(dict.fromkeys(words))), "pbm: list of games")
    tallies = request.tx.matches.tallies(GAMES, MOST_COUNTED)
    ordered = sorted((game.info for game in GAMES.values()), key=lambda info: (-tallies[info.name][0], info.title))
    listed = {kind: [info.name for info in ordered if info.kind == kind] for kind in KINDS}
    text = request.outgoing.page("list.txt", tallies=tallies, most=MOST_COUNTED, listed=listed)
    return done(command, text, "pbm: list of games")


def _lists(request: Request, command: Command, names: list[str]) -> str:
    """The boards of each of the games, as far as they fit into a mail."""
    texts: list[str] = []
    while names and sum(map(len, texts)) < LONG_LIST:
        answer = games(request, replace(command, game=names.pop(0), args={}))
        texts.append(answer.text if answer else "")
    if names:
        texts.append(f"For the others, send: list {' '.join(names)}")
    return "\n\n".join(texts)
