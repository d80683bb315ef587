"""Verbs that explain: pages of help, how a command is read, and how a rating changed."""

from __future__ import annotations

import difflib
from math import inf

from games import GAMES
from pbm.compose.notices import Answer
from pbm.compose.views import wrapped
from pbm.core.rating import score_of, why_not_rated
from pbm.core.registry import handles
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.domain.errors import NotAllowed, NotFound, Rejected
from pbm.domain.match import Ending, Match, Seat, other
from pbm.domain.ratings import CEILING, SCALE, TAU, expected, weight
from pbm.reading.commands import Command, parse
from pbm.reading.verbs import ENTRIES, LOOKING, VERBS, Entry, Locks, Verb, find, redact

ALSO = {"password": "account", "option": "options", "time": "clock", "rating": "standings", "event": "tournament"}
"""Other names of subjects, and the names of their pages."""
MOST_PAGES = 5


@handles(
    Verb("help [SUBJECT...]", LOOKING, Locks.NOTHING),
    Entry(10, "the pages of commands, games and other subjects, or what pages there are"),
)
def help_(request: Request, command: Command) -> Answer:
    """Send the page of one or more subjects; a verb of a game may be named with the game."""
    text = " ".join(command.args.get("SUBJECT", "index").casefold().split())
    page = _page(request, text)
    topics = [text] if page is not None else _topics(request, text)
    pages = [page] if page is not None else [_page(request, topic) or "" for topic in topics[:MOST_PAGES]]
    shown = f"\n\n{'-' * 60}\n\n".join(each.rstrip("\n") for each in pages)
    subject = "" if text == "index" else ", ".join(topics)[:40]
    return done(command, shown, f"pbm: help {subject}".rstrip())


_LEADING = ("with", "for", "on", "about", "playing")
"""Words that people put before a subject."""


def _topics(request: Request, text: str) -> list[str]:
    """The subjects that the words name, each of two words if possible. Raises: NotFound."""
    words, topics = [word for word in text.split() if word not in _LEADING], []
    while words:
        count = next((count for count in (2, 1) if _page(request, " ".join(words[:count])) is not None), 0)
        if count == 0:
            subjects, unknown = request.tools.composer.pages.subjects(), f'There is no help on "{words[0][:40]}".'
            candidates = [*GAMES, *subjects, *(verb.name for verb in VERBS)]
            similar = difflib.get_close_matches(words[0][:40], candidates, n=1, cutoff=0.75)
            if similar:
                raise NotFound(f'{unknown} Did you mean "{similar[0]}"?', f"help {similar[0]}")
            there_is = f"There is help on every command and on: {', '.join([*subjects, *GAMES])}."
            raise NotFound(f"{unknown} {there_is}", "help commands")
        topics.append(" ".join(words[:count]))
        words = words[count:]
    return topics


def _page(request: Request, subject: str) -> str | None:
    """The page of a subject, under any of its names; None if there is none."""
    pages = request.tools.composer.pages
    head, _, rest = subject.partition(" ")
    # As it stands first, because some names end in s.
    for name in dict.fromkeys((subject, subject.removesuffix("s"))):
        verb = find(rest, per_game=True) if head in GAMES else find(name)
        page_name = verb.name if verb else ALSO.get(name, name)
        page = pages.help("-".join(page_name.split()), request.tools.house)
        if page is None and verb is not None:
            robot = request.tools.composer.robot.address
            page = request.outgoing.page("verb.txt", verb=verb, entries=ENTRIES, robot=robot)
        if page is not None:
            return page
    return None


@handles(
    Verb("GAME echo [OPTIONS] [WORDS...]", LOOKING, Locks.NOTHING, wordy=True),
    Entry(190, "see how the words of a command are read; nothing is done"),
)
def echo(request: Request, command: Command) -> Answer:
    """Tell how each word of a command is read, or why it is no command: for people who write bots."""
    words, game = command.args.get("WORDS", ""), command.game if command.game != request.sender.standing.game else None
    line = " ".join(filter(None, (game, words, *command.options)))
    try:
        read = parse(line, request.sender.standing, request.tx.players.knows)
        rows = [("game", read.game or "-"), ("command", read.verb.name), *read.args.items()]
        rows += [("option", option) for option in read.options]
        # The words may hold a password, which no answer repeats.
        request.incoming = request.incoming._replace(secrets=request.secrets | read.secrets)
    except Rejected as error:
        rows = [(str(number), word) for number, word in enumerate(line.split(), 1)] + [("no command", str(error))]
    text = "\n".join(wrapped(f"{name}: {value}", 2) for name, value in rows)
    return done(command, redact(f"Your words are read like this:\n\n{text}", request.secrets), "pbm: echo")


@handles(
    Verb("why USERID PASSWORD [BOARD]", LOOKING, Locks.NOTHING, other_usage="BOARD USERID PASSWORD", wordy=True),
    Entry(160, "see how your rating changed on a board, or the last time, with all the numbers"),
)
def why(request: Request, command: Command) -> Answer:
    """Explain the rating change of the named board, of the answered one, or else of the last."""
    named = command.args.get("BOARD")
    board = int(named) if named else request.sender.board
    player = request.author.who(command, board)
    if board is None:
        board = request.tx.ratings.last_board(player.id)
    if board is None:
        raise NotFound("You have not ended a rated game yet, so no rating of yours has changed.")
    match = request.boards.load(board).match
    seat = match.seat_of(player.id)
    if seat is None:
        raise NotAllowed(f"You were no player of board {board}: it has changed no rating of yours.")
    return done(command, _explained(request, match, seat), f"pbm: board {board}, why your rating changed")


def _explained(request: Request, match: Match, seat: Seat) -> str:
    """The page that explains a rating change. Raises: NotFound if there was none."""
    changes, player, opponent = request.tx.ratings.changes(match.board), match.player(seat), match.player(other(seat))
    if match.result is None:
        raise NotFound(f"Board {match.board} has not ended yet, so it has changed no rating.")
    if not changes and match.result.ending is Ending.VOID:
        raise NotFound(f"Board {match.board} was void, and counts for nobody.")
    if not changes:
        reason = why_not_rated(request.tx, match)
        raise NotFound(f"Board {match.board} was not rated{f': {reason}' if reason else ''}.")
    own, theirs = changes[player.id], changes[opponent.id]
    return request.outgoing.page(
        "why.txt",
        match=match,
        opponent=opponent.userid,
        score=score_of(match.result, seat),
        before=own.before,
        after=own.after,
        theirs=theirs.before,
        weight=float(weight(theirs.before)),
        expected=float(expected(own.before, theirs.before)),
        ceiling=max(own.before.rating, CEILING) if theirs.before.provisional else inf,
        scale=SCALE,
        tau=TAU,
        zone=request.author.reader().settings.zone,
    )
