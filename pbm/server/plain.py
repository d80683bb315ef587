"""Plain words in place of a command: about the board that is answered, about one that is named, or in a letter."""

from __future__ import annotations

from dataclasses import replace

from pbm.core.request import Request
from pbm.domain.errors import BadArguments, Rejected, UnknownCommand
from pbm.reading.book import words
from pbm.reading.command_lines import Reading
from pbm.reading.commands import Command, board_first, clean
from pbm.reading.consent import Answer, consent
from pbm.reading.games_named import lost, topic
from pbm.reading.intent import Sure, Surroundings, Talk, read
from pbm.reading.sentences import plain, unsigned
from pbm.reading.verbs import FIRST_BOARD, find
from pbm.server.restated import BOARD, SPOKEN, Restated, acts, is_ours, without_boards
from pbm.server.said_in_letter import letter
from pbm.server.said_on_board import SaidOnBoard


def restated(request: Request, reading: Reading, command: Command | Rejected) -> Restated | None:
    """The meaning of a mail in plain words; None if it is unknown, or if the mail is a command.

    command: its first command, which was refused. Raises: Unsure with the question to the writer; BadArguments.
    """
    text, number = reading.text, request.sender.board
    if not text or (number is None and not request.sender.standing.known):
        return None
    is_open = isinstance(command, UnknownCommand | BadArguments) or (
        isinstance(command, Command) and reading.opens_with(command)
    )
    if number is not None:
        if not (is_open or SPOKEN.fullmatch(text)):
            return _of_refused(request, number, text)
        return SaidOnBoard(request, request.boards.load(number), text).restated(is_open=is_open)
    named = _on_named_board(request, text) if is_open else None
    return named or letter(request, unsigned(text).strip() or text, command)


def _of_refused(request: Request, number: int, text: str) -> Restated | None:
    """What the words of a refused command ask of the server; the board is not loaded for it."""
    meant = read(text, Surroundings(lambda _: None, request.is_player))
    # Reminding is the server's affair, so the words are not for the opponent.
    if isinstance(meant, Talk) and meant.about == "remind":
        return SaidOnBoard(request, request.boards.load(number), text).restated(is_open=True)
    if not isinstance(meant, Sure) or acts(meant.line) or "{" in meant.line:
        return None
    return Restated(meant.line) if is_ours(meant.line) else None


def restated_line(request: Request, line: str, remark: str, command: Command | Rejected) -> Restated | None:
    """As restated, for a line that begins with a board's number, with the remark below it."""
    named = board_first(clean(line), request.sender.standing)
    if named is None:
        return None
    number, said = named
    is_open = isinstance(command, Rejected) or command.args.get("MOVE") == said
    text = "\n".join(filter(None, (said, remark)))
    meant = SaidOnBoard(request, request.boards.load(number), text, is_alone=False).restated(is_open=is_open)
    return None if meant is None or meant.line == said else replace(meant, board=number)


def is_newcomers(text: str) -> bool:
    """Whether the words read like a faulty command, but may be a newcomer's plain words.

    >>> [is_newcomers(text) for text in ("play", "help me please", "unsubscribe", "What is this?", "games", "what bob")]
    [True, True, True, True, True, False]
    """
    said = plain(text)
    first = said.split(" ")[0]
    if lost(text) or first == "play" or topic(text) == "help":
        return True
    answer = consent(text).answer
    # "unsubscribe" and a lone "yes" or "no" answer something, though we asked nothing.
    if answer is Answer.NEVER or (" " not in said and answer is not Answer.UNCLEAR):
        return True
    return text.rstrip().endswith("?") and first in words("common") and find(first) is None


def _on_named_board(request: Request, text: str) -> Restated | None:
    """The meaning of words that name exactly one board of the writer's: something to do or show there, but no message
    to the opponent, because the mail answers the server. Raises: Unsure.
    """
    found = [number for number in BOARD.findall(text) if int(number) >= FIRST_BOARD]
    player = request.sender.writer
    # With two numbers it is not clear which board is meant; a quoted line is nobody's wish.
    if player is None or text.startswith(">") or len(found) != 1:
        return None
    number = int(found[0])
    match = request.tx.matches.summary(number)
    # The number may be a year or a price.
    if match is None or player not in match.players:
        return None
    board = request.boards.load(number)
    said = without_boards(text, "the game") or "show"
    # "delete game 101" is "delete the game": "delete" alone is another command.
    if not _is_said_of(said):
        said = without_boards(text) or "show"
    return SaidOnBoard(request, board, said).named(text)


def _is_said_of(text: str) -> bool:
    """Whether words about a board are wholly a phrase."""
    return isinstance(read(text, Surroundings(lambda _: None)), Sure)
