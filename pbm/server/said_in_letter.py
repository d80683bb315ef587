"""Plain words in place of a command: about the board that is answered, about one that is named, or of the server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pbm.core.request import Flaw, Request, no_player, userid_named
from pbm.core.robots import robot_called
from pbm.domain.errors import BadArguments, Rejected, UnknownCommand
from pbm.features.newcomer import FIRST, sized
from pbm.mailin import strip_subject
from pbm.reading.book import Phrase, words
from pbm.reading.command_lines import Reading
from pbm.reading.commands import Command
from pbm.reading.consent import Answer, consent
from pbm.reading.dates import vacation_said
from pbm.reading.games_named import game_elsewhere, game_named, topic
from pbm.reading.intent import ACTS, MOST_READINGS, Ask, Meaning, Sure, Surroundings, is_courteous, is_prose, read
from pbm.reading.sentences import plain, sentences, unsigned, words_of
from pbm.reading.verbs import FIRST_BOARD, find
from pbm.server.said_on_board import (
    BOARD,
    NO_GAME,
    SPOKEN,
    SaidOnBoard,
    about_time,
    answers,
    begins_like_command,
    without_boards,
)
from pbm.store.matches import Summary


def restated(request: Request, reading: Reading, command: Command | Rejected) -> Reading | None:
    """What a part of a mail in plain words means; None if it is unknown, or if the part is a command.

    command: its first command, which was refused. Raises: Unsure with the question to the writer; BadArguments.
    """
    text, number, is_open = reading.text, reading.board or request.sender.board, reading.yields_to_words(command)
    if not text:
        return None
    if number is None:
        return _outside(request, text, command, is_open=is_open) if request.sender.standing.known else None
    # A command that is refused loads no board, so the refusal shows that of the email.
    load = request.boards.load if is_open or SPOKEN.fullmatch(text) else request.open
    meant = SaidOnBoard(request, load(number), text, is_alone=not reading.board).restated(is_open=is_open)
    if meant is None or not reading.board:
        return meant
    return Reading.of(meant.lines[0], meant.comment, meant.read_as, number)


def _outside(request: Request, text: str, command: Command | Rejected, *, is_open: bool) -> Reading | None:
    """The same of a mail that answers no board. is_open: it is no command. Raises: as restated."""
    named = _on_named_board(request, text) if is_open else None
    return named or _letter(request, unsigned(text).strip() or text, command)


def _on_named_board(request: Request, text: str) -> Reading | None:
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
    if not isinstance(read(said, Surroundings(lambda _: None)), Sure):
        said = without_boards(text) or "show"
    return SaidOnBoard(request, board, said).named(text)


def _letter(request: Request, text: str, command: Command | Rejected) -> Reading | None:
    """The meaning of plain words in a mail that answers no board. Raises: BadArguments.

    command: what the mail was read as, and refused. If it could be read, only whole phrases count beside it.
    """
    said = _phrase_of_letter(request, text)
    if said is not None:
        return _of_letter(request, text, said.line)
    # a command that was understood, and may not be done, means nothing else
    if not isinstance(command, Rejected):
        return None
    # A lone question mark asks for help; anything else without words is for nobody.
    if not sentences(text):
        return Reading.of("help start") if text.strip().startswith("?") else None
    # "thanks" ends a talk, and an answer with a page of help would begin it anew.
    if is_courteous(text) and not answers(text):
        return Reading.of("thanks")
    # They want less mail, so they are told how, in one.
    if consent(text).answer is Answer.NEVER:
        return Reading.of("help mails")
    _check_players(request, text)
    if plain(text).split(" ")[0] == "play":
        _check_rival(request, text)
    if not _is_said(text, command):
        return None
    _check_board(request, text)
    found = _about_games(request, text)
    if found is not None:
        return found
    return _about_topic(request, text, command)


def _game(request: Request, text: str) -> str:
    """The game that a letter names, or else its subject."""
    return game_named(text) or game_named(strip_subject(request.message.subject))


def _phrase_of_letter(request: Request, text: str) -> Phrase | None:
    """The first phrase in a letter that asks for something."""
    here = Surroundings(lambda _: None, request.is_player)
    for group in ("everywhere", "letter", "board"):
        for each in sentences(text):
            said = [phrase for phrase in here.phrases(each.text, group) if phrase.group]
            # "y" may be the game, or an "and"
            for phrase in sorted(said, key=lambda phrase: -len(phrase.slots)):
                # "Ich bin ..." may end in anything: it is an absence only if it says of which days
                is_absence = phrase.does == "chat about rest" and not vacation_said(text, request.now)
                if not is_absence:
                    return phrase
    return None


def _is_said(text: str, command: Rejected) -> bool:
    """Whether a text that is no command is plain words, though it may begin like one: "cancel my vacation"."""
    # nothing here looks like a command, so whoever wrote it did not mean one
    if isinstance(command, UnknownCommand) and command.suggestion in _GENERAL:
        return True
    if _EXACT.search(text):
        return False
    return text.rstrip().endswith("?") or bool(words("common").intersection(plain(text).split()[1:]) - {"me"})


def _move_of(meant: Meaning) -> str:
    """The move that a letter surely plays, "MOVE" if it only speaks of moves, and nothing if it does neither."""
    if isinstance(meant, Sure):
        return "" if "{" in meant.line or find(meant.line) is not None else meant.line
    spoken_of = set(meant.readings) - ACTS if isinstance(meant, Ask) else set()
    return "MOVE" if any(map(str.isalpha, "".join(spoken_of))) else ""


def _check_board(request: Request, text: str) -> None:
    """Raises: BadArguments for a move on a board that the letter does not name; it says how to name one."""
    player = request.sender.writer
    # an email that is lost says which board, so its answer need not name one
    if player is None or request.sender.flaw is Flaw.LOST or begins_like_command(text):
        return
    # no board is known, so whatever is written like a move may be one
    meant = read(text, Surroundings(str.upper, is_turn=True))
    move = _move_of(meant)
    if not move:
        return
    running = _running(request)
    named = [each for each in running if each.game == _game(request, text)]
    # "C4 in hex": the game is enough where only one board of it waits
    if named and isinstance(meant, Ask) and len(meant.readings) == 1:
        running, move = named, meant.readings[0]
    raise _which_waits([each.board for each in running if each.to_move == player], move)


def _which_waits(waiting: Sequence[int], move: str) -> BadArguments:
    """The question on which of the boards that wait for its writer a move is to be played."""
    if not waiting:
        return BadArguments("None of your boards waits for your move. You get an email when one does: answer that.")
    # where no move is known, the line is only an example, so any board serves
    return _which_board(waiting[:1] if move == "MOVE" else waiting, move)


def _running(request: Request) -> list[Summary]:
    """The writer's boards under way. Raises: BadArguments if there are none."""
    player = request.sender.writer
    running = request.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None) if player else []
    if not running:
        raise NO_GAME
    return running


def _which_board(boards: Sequence[int], line: str) -> BadArguments:
    """The question on which board a line is to be done."""
    return BadArguments(
        "Which board do you mean? Answer an email about it, or put its number in front.",
        f"{boards[0] if len(boards) == 1 else 'BOARD'} {line}",
    )


def _about_games(request: Request, text: str) -> Reading | None:
    """A wish to play, anywhere in a letter. Raises: BadArguments with the line that challenges, joins or tells."""
    if topic(text) != "tournaments":
        _check_rival(request, text)
    told = userid_named(request.tx, text, "told")
    if told:
        raise BadArguments(f"To write to {told}, with your words below:", f"message {told}")
    said = plain(text).split()
    for place, (before, word) in enumerate(pairwise(said)):
        if before not in words("before-events"):
            continue
        # people write "the spring cup" of spring-cup
        event = request.tx.tournaments.find(word) or request.tx.tournaments.find("-".join(said[place + 1 : place + 3]))
        if event is not None:
            raise BadArguments(f"To join {event.name}:", f"tournament join {event.name}")
    absent = game_elsewhere(text)
    return Reading.of(f"play {absent}") if absent else None


def _check_rival(request: Request, text: str, named: str = "") -> None:
    """Raises: BadArguments with the line that challenges the player whom a letter names."""
    game = _game(request, text)
    rival = named if "@" in named else robot_called(request.tx, named) or userid_named(request.tx, text, "rival")
    if rival:
        way = "invite" if "@" in rival else "play with"
        missing = "" if game else ", name a game"
        line = " ".join([game or FIRST, "challenge me", rival, *_terms(game, text)])
        raise BadArguments(f"To {way} {rival}{missing}:", line)


def _terms(game: str, text: str) -> Iterator[str]:
    """The options that the words of a wish to play stand for. game: empty if none is named. Raises: BadArguments.

    >>> [*_terms("hex", "play hex 11 with bob, unrated and three days a move")]
    ['-size=11', '--unrated', '--clock=3d']
    """
    found, place = words_of(text), 0
    spans = Surroundings(lambda _: None).spans(text)(found)
    while place < len(found):
        times, sizes, word = spans("time", place), spans("size", place), found[place].plain
        before = found[place - 1].plain if place else ""
        if times:
            yield f"--clock={times[0][1]}"
        elif sizes and game and ("x" in word or before in (game, "size")):  # "at 5" is an hour
            yield from sized(game, word)
        elif word == "unrated":
            yield "--unrated"
        place = times[0][0] if times else place + 1


def _check_players(request: Request, text: str) -> None:
    """Raises: NotFound for a word of a challenge that names no player if another one does; it says who may be meant.

    "challenge bob to a game of hex" is no list of names: BadArguments says which line challenges bob.
    """
    verb, *named = text.split()[:_MOST_NAMED]
    if verb.casefold() != "challenge":
        return
    if not words("common").isdisjoint(map(str.casefold, named)):
        _check_rival(request, text)
        return
    found = {word: word == "me" or request.tx.players.knows(word) for word in named if word[0].isalpha()}
    unknown = next((word for word, is_there in found.items() if not is_there), "")
    # "challenge me bbo" has a misspelt userid; "challenge somebody please" names nobody
    if unknown and any(found.values()):
        raise no_player(request.tx, unknown)


def _about_topic(request: Request, text: str, command: Command | Rejected) -> Reading | None:
    """The page of help on what a letter speaks of; the first page for any other sentence."""
    found = topic(text)
    if found == "help vacation":
        return about_time(request, text, "rest")
    if found:
        named = _game(request, text)
        # the rules of which game is not said, so the page that lists them must do
        if found.startswith("GAME ") and not named:
            return Reading.of(f"help {found.removeprefix('GAME ')}")
        return Reading.of(found.replace("GAME", named).strip())
    if plain(text).split(" ")[0] in ("yes", "no") and len(text.split()) <= MOST_READINGS:
        raise BadArguments(
            f'"{text.strip()[:40]}" answers no question of ours: the email you answer asks none, was answered before, '
            "or is too old by now.",
            "help",
        )
    game = _game(request, text)
    is_sentence = bool(words("common").intersection(plain(text).split()))
    is_talk = len(text.split()) > 1 and is_sentence and isinstance(command, UnknownCommand) and is_prose(text)
    return Reading.of(f"help {game}" if game else "help start") if is_talk else None


_EXACT = re.compile(r"[\d=@]")
"""Characters that a faulty command may hold, but seldom a question."""
_GENERAL = ("", "help", "tournaments")
"""The suggestions for words that are no command, and similar to none."""
_MOST_NAMED = 10
"""Words of a challenge, with its verb, in which an unknown userid is looked for."""
_OF_LETTERS = {
    "standings": "help standings",
    "show": "all show me active",
    "about RIVAL": "all show me active",
    "hint": "help start",
    "play": "play {game}",
}


def _of_letter(request: Request, text: str, line: str) -> Reading | None:
    """The command of a phrase, in a mail that answers no board. Raises: BadArguments if it needs to name one."""
    name = line.split(" ")[0]
    # an ended puzzle offers another one, and "again" answers that
    if line == "rematch":
        about = strip_subject(request.message.subject)
        return Reading.of(f"puzzle {game_named(about)}".rstrip()) if topic(about) == "puzzle" else None
    if name in ACTS | {"reject"}:
        raise _which_board([each.board for each in _running(request)], line)
    if line.startswith("chat about "):
        return about_time(request, text, line.removeprefix("chat about "))
    wanted, _, rival = line.partition(" with ")
    if name == "play" and rival:
        # a game against a robot bothers nobody, so it starts at once
        if robot := robot_called(request.tx, rival):
            return Reading.of(f"{wanted} {robot}")
        _check_rival(request, text, rival)
        raise no_player(request.tx, rival)
    if line == "help {game}" and not _game(request, text):
        return Reading.of("help start")
    line = _OF_LETTERS.get(line, line).replace("{game}", _game(request, text)).rstrip()
    # an empty list would not say how to begin
    if line == _OF_LETTERS["show"]:
        _running(request)
    return Reading.of(line)
