"""Plain words in place of a command: what they ask for on a board, or that they are a message to the opponent; in an
answer to any other mail of ours, what they ask of the server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from games import GAMES
from pbm.core.request import Request, no_player, userid_named
from pbm.core.robots import ANY, LEVEL_OF
from pbm.domain.commands import Command, board_first, clean, parse
from pbm.domain.consent import Answer, consent
from pbm.domain.errors import BadArguments, Rejected, UnknownCommand
from pbm.domain.idioms import answers, vocabulary, wishes
from pbm.domain.meaning import Act, meaning, plain, uncourteous, unsigned
from pbm.domain.reading import Reading
from pbm.domain.topics import LEAVES, question, topic
from pbm.domain.verbs import FIRST_BOARD, LOOKING, find
from pbm.domain.wanted import Wish, again, game_elsewhere, game_named, game_wanted, given, lost, starts, wished
from pbm.features.newcomer import FIRST
from pbm.mailin import strip_subject
from pbm.server.on_board import on_board
from pbm.server.said import CHAT, COMMANDS, Restated
from pbm.server.to_opponent import HELPS, START, check_invited, check_joins, check_rival, helps

PUZZLE = "puzzle"
_NO_GAME = BadArguments("You have no game under way. To start one at once, against a program:", "play")
_REPLIES = frozenset({"yes", "no", "y", "n", "yep", "yeah", "nope", "sure", "confirm", "confirmed", "accept", "reject"})
_WORDS_TO_AGREE = 3
_INVITING = "help challenge"
"""The topic of words about inviting a friend."""
_CELL = re.compile(r"[a-z]\d{1,2}")
_NUMBER = re.compile(r"\b\d+\b")
_ON_BOARD = re.compile(
    r"(?P<within>\b(?:in|on|at|of|for|from|auf|bei|sur|dans|en|em|n[ao]|nella|d[ae]|su|op) )?"
    r"(?:\b(?P<article>the|my|our|dem|der|das|die|la|le|el|il|lo|de|het|o|a) )?"
    r"(?:\b(?:(?P<noun>brett|spiel|partie|partida|partita|tablero|plateau|bord|spel|partij)|board|game|match) )?"
    r"(?:\b(?:no|nr)\.? |\bnumber )?(?<![\w.:/-])#?(?P<board>\d{1,9})(?![\w/-]|:\d)",
    re.IGNORECASE,
)
"""The words by which a sentence names a board: "in game 101"."""
_ARTICLES = {
    "brett": "das",
    "spiel": "das",
    "bord": "het",
    "spel": "het",
    "partij": "de",
    "tablero": "el",
    "plateau": "le",
}
"""The articles of nouns for a board, where they are not "la"."""
_GENERAL = ("", "help", "tournaments")
"""The suggestions for words that are no command, and similar to none."""
_MOST_PLAYERS = 10
"""Words of a challenge, with its verb, in which an unknown userid is looked for."""
_EXACT = re.compile(r"[\d=@]")
"""Characters that a faulty command may hold, but seldom a question."""
_ROBOT = re.compile(r"\b(?:robot|level) ?([1-5])\b")
_CHOOSES = re.compile(r"\d|\b(?:stronger|weaker|harder|easier|better)\b")
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]*\w")
_OPTION = re.compile(r"(?<!\S)-{1,2}\w+=\S+")


def restated(request: Request, reading: Reading, command: Command | Rejected) -> Restated | None:
    """The meaning of a mail in plain words; None if it is unknown, or if the mail is a command.

    command: its first command, which was refused. Raises: BadArguments if the mail may mean more than one thing, or
    answers a question that nobody has asked.
    """
    text = reading.text
    number, is_known = request.sender.board, request.sender.standing.known
    if not text or (number is None and not is_known):
        return None
    said = unsigned(text).strip() or text
    is_open = _is_open(command, reading)
    is_asking = _is_asking(request, said, command)
    meant = _about_us(request, said) if is_open or is_asking else None
    if meant is None and number is None and (is_open or is_asking):
        meant = _on_named_board(request, said)
    if meant is not None:
        return meant
    if number is None:
        return _elsewhere(request, said, command, is_asking=is_asking)
    return on_board(request, number, text, is_open=is_open or (is_asking and _is_question(said)))


def _on_named_board(request: Request, text: str) -> Restated | None:
    """The meaning of words that name exactly one board, which is the writer's: something to do or show there, but no
    message to the opponent, because the mail answers the server. Raises: as on_board.
    """
    boards = [named for named in _ON_BOARD.finditer(text) if int(named["board"]) >= FIRST_BOARD]
    player = request.sender.writer
    is_quoted = text.startswith(">")
    if player is None or is_quoted or len(boards) != 1:
        return None
    named = boards[0]
    number = int(named["board"])
    match = request.tx.matches.summary(number)
    if match is None or player not in match.players:
        return None
    before, behind = text[: named.start()], text[named.end() :].lstrip(":")
    around = plain(f"{before} {behind}")
    if uncourteous(f"it {around}".strip()) == "it" and not answers.REPLY.fullmatch(around):
        return Restated("show", board=number)
    said = f"{before}{'' if named['within'] else _noun(named)}{behind}".replace("  ", " ").strip()
    if request.sender.proven is not None:
        request.author.player = request.sender.proven  # so that a refusal shows the board
    meant = on_board(request, number, said, is_open=True) if said else None
    core = uncourteous(around)
    if meant is None and (_CELL.fullmatch(core) or find(core)):
        return Restated(core, board=number)
    if meant is None or meant.line == CHAT:
        return None
    return replace(meant, board=number, comment=meant.comment if meant.comment in text else text)


def _noun(named: re.Match[str]) -> str:
    """The words for the named board without its number."""
    noun = named["noun"] or ""
    article = named["article"] or _ARTICLES.get(noun.casefold(), "la")
    return f"{article} {noun}" if noun else "the game"


def is_newcomers(text: str) -> bool:
    """Whether the words read like a faulty command, but may be a newcomer's plain words.

    >>> [is_newcomers(text) for text in ("play", "help me please", "unsubscribe", "What is this?", "games", "what bob")]
    [True, True, True, True, True, False]
    """
    said = plain(text)
    first = said.split(" ")[0]
    asks = text.rstrip().endswith("?") and first in vocabulary.COMMON and find(first) is None
    answer = consent(text).answer
    is_word = " " not in said and answer is not Answer.UNCLEAR
    return lost(text) or first == "play" or asks or is_word or answer is Answer.NEVER or topic(text) == "help"


def _is_asking(request: Request, text: str, command: Command | Rejected) -> bool:
    """Whether the text is plain words, though it may begin like a command: "list my games", "delete my account"."""
    _, *rest = map(_bare, plain(text).split() or [""])
    is_said = not rest or text.rstrip().endswith("?") or any(word in vocabulary.COMMON - {"me"} for word in rest)
    is_said = is_said or plain(text).startswith(("help me ", "delete me"))
    if isinstance(command, UnknownCommand):
        return is_said or command.suggestion in _GENERAL
    if isinstance(command, Rejected):
        return is_said
    named = command.args.get("USERID", "")
    names_nobody = bool(named) and request.tx.players.find(named) is None
    return (names_nobody and is_said) or (command.verb.group == LOOKING and (is_said or len(rest) == 1))


def _is_question(text: str) -> bool:
    """Whether the text is a question to the server or about the rules."""
    return question(text, "") != "" or meaning(text, lambda _: None).act is Act.RULES


def _about_us(request: Request, text: str) -> Restated | None:
    """The meaning of plain words that are not for an opponent: they ask for help, or are a polite command."""
    if lost(text):
        return Restated(START)
    if (
        wished(text) in (Wish.LOOK, Wish.BOARDS, Wish.RIVAL, Wish.TURN)
        or given(text)[0]
        or meaning(text, lambda _: None).act is Act.RULES
    ):
        return None
    if asked := userid_named(request.tx, text, "asked"):
        return Restated(f"about {asked}")
    core = uncourteous(plain(text).rstrip("? "))
    if core in ("", plain(text)):
        return None
    try:
        command = parse(core, request.sender.standing, lambda word: request.tx.players.find(word) is not None)
    except Rejected:
        return None
    may_ask = command.verb.asks or command.verb.group == LOOKING or command.verb.name == "rematch"
    is_question = text.rstrip().endswith("?") and not may_ask
    return None if command.verb.name in ("move", "propose") or is_question else _as_told(command)


def _as_told(command: Command) -> Restated:
    """The command; if it asks the other player something, the writer is told how their words were read."""
    return Restated(command.line, "", command.verb.name if command.verb.asks else "")


def _bare(word: str) -> str:
    return word.strip(".,!?:;")


def restated_line(request: Request, line: str, remark: str, command: Command | Rejected) -> Restated | None:
    """As restated, for a line that begins with a board's number, with the remark below it."""
    named = board_first(clean(line), request.sender.standing)
    if named is None:
        return None
    number, words = named
    is_open = isinstance(command, Rejected) or command.args.get("MOVE") == words
    meant = on_board(request, number, "\n".join(filter(None, (words, remark))), is_open=is_open)
    return None if meant is None or meant.line == words else replace(meant, board=number)


def _elsewhere(request: Request, text: str, command: Command | Rejected, *, is_asking: bool) -> Restated | None:
    """The meaning of plain words in a mail that answers no board. Raises: BadArguments for a lone yes or no."""
    words, wish = plain(text).split(), wished(text)
    if (begun := _begun(request, text, command)) is not None:
        return begun
    if not is_asking and wish in (None, Wish.THANKS):
        return None
    is_reply = words and words[0].strip(",") in ("yes", "no") and not topic(text)
    if plain(text) in _REPLIES or (is_reply and len(words) <= _WORDS_TO_AGREE):
        raise BadArguments(
            f'"{text.strip()[:40]}" answers no question of ours: the email you answer asks none, was answered before, '
            "or is too old by now.",
            "help",
        )
    if wish is not None:
        return _told(request, helps(request, wish, text))
    if consent(text, ()).answer is Answer.NEVER:
        return Restated(_leaving(text))
    is_said = isinstance(command, UnknownCommand)
    if is_said and not (request.sender.is_void or request.sender.is_lost):
        _check_board(request, text)
    if not is_said and _EXACT.search(text):
        return None
    if meaning(text, lambda _: None).act is Act.RULES:
        game = game_named(f"{text} {strip_subject(request.message.subject)}")
        return Restated(f"help {game}" if game else "help" if "rules" in plain(text) else START)
    return _by_topic(request, text, command)


def _leaving(text: str) -> str:
    """The command that helps a player who wants no more mails."""
    return found if (found := topic(text)) in LEAVES else "help mails"


def _begun(request: Request, text: str, command: Command | Rejected) -> Restated | None:
    """The wish in words that begin like a command: a challenge, "play" with more than a game after it, a gift of time,
    or no more mails. Raises: NotFound, BadArguments.
    """
    if time := given(text)[0]:
        raise BadArguments("On which board? Answer its email, or put its number in front.", f"BOARD give {time}")
    if isinstance(command, UnknownCommand) and consent(text, ()).answer is Answer.NEVER:
        return Restated(_leaving(text))
    (verb, _, said), game = plain(text).partition(" "), game_named(text)
    check_invited(text, game or FIRST)
    if only := _only_game(text, verb):
        return Restated(f"play {only}")
    if verb in GAMES and (rival := request.tx.players.find(said)) is not None:
        raise BadArguments(f"To play with {rival.userid}:", f"{verb} challenge me {rival.userid}")
    if (verb in ("play", "challenge") and " " not in said) or (verb == "challenge" and game):
        check_rival(request, text, game)
    if not isinstance(command, BadArguments):
        return None
    if verb == "challenge":
        _check_players(request, text.split()[1:_MOST_PLAYERS])
    if verb != "play" or not game:
        return None
    robot, options = _ROBOT.search(said), _OPTION.findall(text)
    if options or _CHOOSES.search(said):
        line = " ".join([game, "challenge me", f"robot{robot[1]}" if robot else "robot", *options])
        raise BadArguments('"play" takes no more than a game. To choose your opponent or the board:', line)
    return None


def _only_game(text: str, verb: str) -> str:
    """The game after "play", or the game to play against the computer, if the text says nothing else.

    verb: the first word of the text.
    """
    said = " ".join(wishes.VERSUS.sub("", plain(text)).split())
    is_wish = verb == "play" or said != plain(text)
    word = uncourteous(said).removeprefix("play ") if is_wish else ""
    return vocabulary.OTHER_NAMES.get(word, word if word in GAMES else "")


def _check_board(request: Request, text: str) -> None:
    """Raises: BadArguments for something to do on a board that the mail does not name; it says how to name one."""
    player, meant = request.sender.writer, meaning(text, str.casefold)
    holds_cell = text.split()[0].casefold() not in GAMES and any(map(_CELL.fullmatch, meant.between))
    move = meant.move.upper() or ("MOVE" if holds_cell else "")
    line = move or COMMANDS.get(meant.act, "")
    if not line or player is None:
        return
    if move and topic(strip_subject(request.message.subject)) == PUZZLE:
        raise BadArguments("No puzzle waits for an answer. To get one:", PUZZLE)
    running = request.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)
    waiting = [each for each in running if not move or each.players[(each.seat_to_move or 1) - 1].id == player.id]
    game = game_named(text)
    boards = [each.board for each in waiting if each.game == game] or [each.board for each in waiting]
    boards = [board for board in boards if str(board) in _NUMBER.findall(text)] or boards
    if boards:
        shown = boards[0] if len(boards) == 1 or line == "MOVE" else "BOARD"
        raise BadArguments(
            "Which board do you mean? Answer an email about it, or put its number in front.", f"{shown} {line}"
        )
    if not running:
        raise _NO_GAME
    if move:
        raise BadArguments("None of your boards waits for your move. You get an email when one does: answer that.")


def _told(request: Request, line: str) -> Restated:
    """The command. Raises: BadArguments if it shows the running games of a sender who has none."""
    player = request.sender.writer
    if line == HELPS[Wish.LOOK] and not (player and request.tx.matches.active_counts([player.id])[player.id]):
        raise _NO_GAME
    return Restated(line)


def _by_topic(request: Request, text: str, command: Command | Rejected) -> Restated | None:
    """What a mail that answers no board asks of the server, by its topic. Raises: BadArguments.

    A sentence on an unknown topic gets the page on how to start.
    """
    game = game_named(f"{text} {strip_subject(request.message.subject)}")
    found, wants_a_game = question(text, "") or topic(text), starts(text)
    if found == _INVITING and (friend := _ADDRESS.search(text)):
        check_invited(f"invite {friend[0]}", game or FIRST)
    check_joins(request, text)
    _check_told(request, text)
    if found != "tournaments":
        check_rival(request, text, game)
    if absent := game_elsewhere(text):
        return Restated(f"play {absent}")
    if again(text) and topic(strip_subject(request.message.subject)) == PUZZLE:
        return Restated(f"{PUZZLE} {game}".rstrip())
    is_same = isinstance(command, Command) and found == command.verb.name and len(text.split()) == 2
    if found and not is_same and not (wants_a_game and game and found in ("help GAME", "help")):
        without = "help" if found.startswith("GAME") else ""
        return _told(request, found.replace("GAME", game or without).rstrip())
    if wants_a_game:
        return Restated(f"play {game or game_wanted(text)}".rstrip())
    is_talk = isinstance(command, UnknownCommand) and plain(text).split(" ")[0] not in GAMES and _is_sentence(text)
    return Restated(f"help {game}" if game else START) if is_talk else None


def _check_told(request: Request, text: str) -> None:
    """Raises: BadArguments for a wish to have a player told something."""
    if told := userid_named(request.tx, text, "told"):
        raise BadArguments(f"To write to {told}, with your words below:", f"message {told}")


def _check_players(request: Request, words: Sequence[str]) -> None:
    """Raises: NotFound for a word that names no player if another word does; it says who may be meant."""
    ours = ("me", ANY, *LEVEL_OF)
    found = {word: word.casefold() in ours or request.tx.players.find(word) is not None for word in words}
    unknown = next((word for word, is_there in found.items() if not is_there and word[0] not in "-<["), "")
    if unknown and any(found.values()):
        raise no_player(request.tx, unknown)


def _is_sentence(text: str) -> bool:
    """Whether the text is not a faulty command, but words to somebody."""
    words = [_bare(word) for word in plain(text).split()]
    common = [word for word in words if word.partition("'")[0] in vocabulary.COMMON]
    if len(words) < 2:
        return {*words} <= vocabulary.COURTESIES | vocabulary.COMMON
    return words[0].partition("'")[0] in vocabulary.COMMON or (len(words) > 2 and bool(common))


def _is_open(command: Command | Rejected, reading: Reading) -> bool:
    """Whether the strict reading found no command: no verb at all, or a verb with unfit words."""
    if isinstance(command, Rejected):
        return isinstance(command, UnknownCommand | BadArguments)
    return reading.opens_with(command)
