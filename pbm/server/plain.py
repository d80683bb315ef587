"""Plain words where no command stood: what is to be done on the board they are about, or a message to the opponent;
in an answer to any other mail of ours, what it asks for of the server.

Nothing is guessed between two. Anything that may be a mistyped move, a command with an error, or a password, is no
message.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain, takewhile

from games import GAMES
from games.rules import MoveError
from pbm.core.board import OpenBoard
from pbm.core.request import Request, no_player, userid_named
from pbm.core.robots import ANY, LEVEL_OF, is_robot
from pbm.domain import idioms
from pbm.domain.commands import Command, begins, board_first, clean, parse
from pbm.domain.consent import Answer, consent
from pbm.domain.errors import BadArguments, NotFound, Rejected, UnknownCommand
from pbm.domain.mail import RemarkKind
from pbm.domain.match import Player, other
from pbm.domain.meaning import (
    Act,
    Meaning,
    Wish,
    again,
    game_elsewhere,
    game_named,
    game_wanted,
    given,
    lost,
    meaning,
    plain,
    sentences,
    starts,
    topic,
    wished,
)
from pbm.domain.reading import Reading
from pbm.domain.verbs import LOOKING, VERBS, find, passwords_behind
from pbm.features.newcomer import FIRST
from pbm.mailin import strip_subject

CHAT, THANKS, START, ABOUT, AGAIN, PUZZLE = "chat", "thanks", "help start", "about me", "rematch", "puzzle"
UNHEARD = "robot"
"""How a message is read that only a robot gets."""
_COMMANDS = {
    Act.SWAP: "swap",
    Act.RESIGN: "resign",
    Act.DRAW: "propose",
    Act.UNDO: "undo",
    Act.PASS: "pass",
    Act.ACCEPT: "accept",
    Act.REJECT: "reject",
    Act.CLAIM: "claim",
}
_HELPS = {
    Wish.TIME: "help clock",
    Wish.PAUSE: "help pause",
    Wish.REST: "help vacation",
    Wish.REMIND: "remind",
    Wish.LOOK: "all show me active",
    Wish.WHO: START,
    Wish.THANKS: THANKS,
}
"""The command that helps where no board is meant."""
_REPLIES = frozenset({"yes", "no", "y", "n", "yep", "yeah", "nope", "sure", "confirm", "confirmed", "accept", "reject"})
_WORDS_TO_AGREE = 3
_SURE = re.compile(
    r"\s*(?:(?:yes|yeah|yep|yup)"
    r"(?:,? (?:please|(?:i am|i['’]?m) (?:quite |very )?sure|really|i do|i mean it|i (?:really )?resign))?"
    r"|(?:i am|i['’]?m) (?:quite |very )?sure|(?:ja|oui|sí)(?=[\s.!]*\Z))"
    r"\s*(?:[,.!;]\s*|\n\s*|$)",
    re.IGNORECASE,
)
"""A yes that is a clause of its own, to a question of the other player's or whether its writer really resigns."""
_NO = re.compile(r"\s*(?:no|nope|nah|nein|non)\b(?=\s*(?:[,.!;]|$|\n))", re.IGNORECASE)
_COURTESIES = frozenset(
    """
    thanks thx thank gg hello hi hey bye ok okay sorry wow nice great cool super congratulations congrats ouch oops
    cheers bravo well interesting ciao merci danke gracias hallo haha hehe lol lmao omg brb wait maybe enough hm hmm
    """.split()  # noqa: SIM905  a list of them would be a page
)
"""Words that are a message all by themselves."""
_QUALIFIERS = _COURTESIES | frozenset(
    """
    a another any best first good i it last my next no one strong that the they this to we what you your
    """.split()  # noqa: SIM905  as above
)
"""Words after which the name of a verb is none: "nice move"."""
_NEAR = 0.8
"""How like a verb a first word is that is a misspelt one."""
_NEAR_ALONE = 0.75
"""The same for a word that is a whole mail."""
_ON_A_BOARD = (
    "swap",
    "resign",
    "propose",
    "accept",
    "reject",
    "undo",
    "pass",
    "show",
    "pause",
    "claim",
    "rematch",
    "hint",
)
_WORDS_TO_A_NUMBER = 4
"""Words of a text that hold one number: with more numbers it may be a move."""
_CELL = re.compile(r"[a-z]\d{1,2}")
_NUMBER = re.compile(r"\b\d+\b")
_PLACE = re.compile(
    r"\b(?:middle|cent(?:er|re)|corner|edge|top|bottom|left|right|row|column|line|cell|square|vertex|hexagon|stone|piece)s?\b",
    re.IGNORECASE,
)
"""Words that may describe a move: "the one in the middle"."""
_GENERAL = ("", "help", "tournaments")
"""The suggestion in place of words that are no command, where no command is near to them."""
_EXACT = re.compile(r"[\d=@]")
"""Characters that a command with an error may hold, and a question seldom does."""
_ROBOT = re.compile(r"\b(?:robot|level) ?([1-5])\b")
_CHOOSES = re.compile(r"\d|\b(?:stronger|weaker|harder|easier|better)\b")
_OPTION = re.compile(r"(?<!\S)-{1,2}\w+=\S+")
_LINKS = re.compile(r"[,;]|\b(?:and|then)\b", re.IGNORECASE)
"""Words that may stand between the moves of a turn."""
_INVITED = re.compile(
    r"(?:(?:please|can you|could you|i want to|i would like to) )?invite (?:my \w+,? )?(?P<address>\S+@[\w.-]*\w)"
)
_SPOKEN = re.compile(r"\s*(?P<verb>chat|kibitz)[ :,-]+(?P<words>[^\d\W].*?)\s*", re.IGNORECASE | re.DOTALL)
PASSWORD = re.compile(r"\b(?:pass ?(?:word|phrase|code)|passwort|passwd|pwd?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Restated:
    """The meaning of plain words: a command, what is left for the opponent, and how the writer is told of it."""

    line: str
    comment: str
    read_as: str
    board: int | None = None


def restated(request: Request, reading: Reading, command: Command | Rejected) -> Restated | None:
    """The meaning of a mail in plain words; None where that cannot be told, or a command stood there.

    command: the first of it, which was refused. Raises: BadArguments where more than one thing may be meant, or the
    mail answers a question that nobody has asked.
    """
    text = reading.text
    number, is_known = request.sender.board, request.sender.standing.known
    if not text or (number is None and not is_known):
        return None
    is_open = _is_open(command, reading)
    is_asking = _is_asking(request, text, command)
    meant = _about_us(request, text) if is_open or is_asking else None
    if meant is not None:
        return meant
    if number is None:
        return _elsewhere(request, text, command, is_asking=is_asking)
    return _on_board(request, number, text, is_open=is_open)


def is_newcomers(text: str) -> bool:
    """The words read like a command with an error, and may be a newcomer's.

    >>> [is_newcomers(text) for text in ("play", "help me please", "unsubscribe", "What is this?", "what bob")]
    [True, True, True, True, False]
    """
    said = plain(text)
    first = said.split(" ")[0]
    asks = text.rstrip().endswith("?") and first in idioms.COMMON and find(first) is None
    return lost(text) or first == "play" or asks or (" " not in said and consent(text).answer is not Answer.UNCLEAR)


def _is_asking(request: Request, text: str, command: Command | Rejected) -> bool:
    """The text is said to somebody, though it may begin like a command: "list my games", "delete my account"."""
    _, *rest = map(_bare, plain(text).split() or [""])
    is_said = not rest or text.rstrip().endswith("?") or any(word in idioms.COMMON - {"me"} for word in rest)
    if isinstance(command, UnknownCommand):
        return is_said or command.suggestion in _GENERAL
    if isinstance(command, Rejected):
        return is_said or _names_no_game(text, command)
    named = command.args.get("USERID", "")
    names_nobody = bool(named) and request.tx.players.find(named) is None
    return (names_nobody and is_said) or (command.verb.group == LOOKING and (is_said or len(rest) == 1))


def _names_no_game(text: str, command: Command | Rejected) -> bool:
    """A word of a sentence stands where a command has the game: "my games"."""
    return isinstance(command, NotFound) and plain(text).split(" ")[0].partition("'")[0] in idioms.COMMON


def _about_us(request: Request, text: str) -> Restated | None:
    """The meaning of plain words that are for no opponent: they ask for help, or tell a command politely."""
    if lost(text):
        return Restated(START, "", "")
    if wished(text) is Wish.LOOK or given(text)[0]:
        return None
    if asked := userid_named(request.tx, text, "asked"):
        return Restated(f"about {asked}", "", "")
    core = idioms.ALONE.fullmatch(plain(text).rstrip("? "))
    if core is None or core["move"] == plain(text):
        return None
    try:
        command = parse(core["move"], request.sender.standing)
    except Rejected:
        return None
    may_ask = command.verb.asks or command.verb.group == LOOKING or command.verb.name == "rematch"
    is_question = text.rstrip().endswith("?") and not may_ask
    return None if command.verb.name == "move" or is_question else _as_told(command)


def _as_told(command: Command) -> Restated:
    """Tell a question to the other player together with how it was read."""
    return Restated(command.line, "", command.verb.name if command.verb.asks else "")


def _bare(word: str) -> str:
    return word.strip(".,!?:;")


def check_sure(request: Request, board: OpenBoard, reading: Reading, command: Command) -> None:
    """A move above words that take it back, or that name another one as theirs, is not played.

    board: that is answered. Raises: BadArguments; and as what would be played does.
    """
    text = reading.text
    meant = meaning(text, _legal(board))
    if meant.act is Act.UNSURE and not _is_turn(board, text):
        request.author.seated(command)
        _check_turn(board, text, meant)


def _is_turn(board: OpenBoard, text: str) -> bool:
    """The mail begins with several moves that one side makes in a row."""
    reads = board.state.reads
    lines = filter(str.strip, text.splitlines())
    words = chain.from_iterable([line] if reads(line) else _LINKS.sub(" ", line).split() for line in lines)
    try:
        return len(board.state.turn(takewhile(reads, words))) > 1
    except MoveError:
        return True  # the move says what is wrong with it


def _check_turn(board: OpenBoard, text: str, meant: Meaning) -> None:
    """Raises: BadArguments where not all of the moves can be meant."""
    if not _is_turn(board, text):
        move = next((name for name in meant.between if name != Act.DRAW.value), "")
        if {*meant.between} == {move, Act.DRAW.value}:
            way = f'To play {move} and offer a draw, answer with "{move}" on one line and "propose" on the next.'
            raise BadArguments(way)
        named = " or ".join(meant.between)
        raise BadArguments(f"Your mail may mean {named}, so nothing is done. Answer with the one that you mean.")


def restated_line(request: Request, line: str, remark: str, command: Command | Rejected) -> Restated | None:
    """The meaning of a line that begins with a board, with the remark below it; as restated."""
    named = board_first(clean(line), request.sender.standing)
    if named is None:
        return None
    number, words = named
    is_open = isinstance(command, Rejected) or command.args.get("MOVE") == words
    meant = _on_board(request, number, "\n".join(filter(None, (words, remark))), is_open=is_open)
    return None if meant is None or meant.line == words else replace(meant, board=number)


def _on_board(request: Request, number: int, text: str, *, is_open: bool) -> Restated | None:
    """The meaning of plain words on a board. is_open: the strict reading found no command."""
    wish = wished(text)
    if (served := _spoken(request, text) or _served(request, number, text, wish)) is not None:
        return served
    if not is_open and wish in (None, Wish.THANKS, Wish.PAUSE):
        return None
    board = request.boards.load(number)
    meant, opponent = meaning(text, _legal(board)), _opponent(request, board)
    rival = opponent if opponent is not None and is_robot(request.tx, opponent) else None
    if meant.act is Act.SAY and wish not in (None, Wish.THANKS):
        return _asked(request, board, text, wish) if rival is None else Restated(_of_robot(wish, rival), "", "")
    if meant.act is Act.UNSURE:
        _check_turn(board, text, meant)
        return None
    if meant.act is Act.RULES:
        return Restated(f"help {game_named(text) or board.match.game}", "", "")
    if is_open:
        _check_slip(request, board, text, meant)
    if (replied := _replied(request, board, text)) is not None:
        return replied
    if meant.act is Act.SAY and (line := _told_by_topic(board, text, meant, rival)):
        return Restated(line, text.strip() if line == AGAIN else "", line if line == AGAIN else "")
    if meant.act is Act.SAY:
        said = _to_opponent(request, board, text, meant)
        return said if said is None or rival is None else replace(said, read_as=UNHEARD)
    line = meant.move or _COMMANDS[meant.act]
    return None if text.strip() == line else Restated(line, meant.comment, line)


def _opponent(request: Request, board: OpenBoard) -> Player | None:
    """The player whom the sender plays against; None for an onlooker's mail."""
    writer = request.sender.proven or request.sender.claimed
    seat = None if writer is None else board.match.seat_of(writer.id)
    return None if seat is None else board.match.player(other(seat))


def _spoken(request: Request, text: str) -> Restated | None:
    """Words that stand on the line of the command that passes them on."""
    said, writer = _SPOKEN.fullmatch(text), request.sender.proven or request.sender.claimed
    if said is None or writer is None or _holds_password(request, writer, text):
        return None
    return Restated(said["verb"].casefold(), said["words"], "")


def _served(request: Request, number: int, text: str, wish: Wish | None) -> Restated | None:
    """A wish that the server grants on any board, or a gift of time to the other player."""
    if wish in (Wish.LOOK, Wish.REMIND):
        return Restated("show" if wish is Wish.LOOK else "remind", "", "")
    time, whom = given(text)
    opponent = _opponent(request, request.boards.load(number)) if time else None
    if opponent is None or whom not in ("", opponent.userid.casefold()):
        return None
    if meaning(text, str.casefold).act is not Act.SAY:
        return None
    return Restated(f"give {time}", "" if plain(text).startswith("give") else text.strip(), f"give {time}")


def _of_robot(wish: Wish, rival: Player) -> str:
    """The command that helps with a wish that nobody hears."""
    return f"about {rival.userid}" if wish is Wish.WHO else _HELPS[wish]


def _told_by_topic(board: OpenBoard, text: str, meant: Meaning, rival: Player | None) -> str:
    """The command for words that no opponent is asked about; empty for others. rival: a robot, asked about nothing."""
    found = topic(text)
    if board.match.result is not None and again(text):
        return AGAIN
    if rival is not None and not meant.between:
        game, absent = game_named(text), game_elsewhere(text)
        if absent or (starts(text) and game not in ("", board.match.game)):
            return f"play {absent or game}"
        return found.replace("GAME", game or board.match.game)
    is_unsaid = _begins_like_a_command(text) and not begins(clean(text))
    is_ours = found in idioms.ON_BOARD or (found == ABOUT and "?" in text) or is_unsaid
    return found.replace("GAME", board.match.game) if is_ours and not meant.between else ""


def _check_slip(request: Request, board: OpenBoard, text: str, meant: Meaning) -> None:
    """Raises: BadArguments for a word that looks like one of those that are done on a board, and for another move
    than the one just made, which only the opponent can grant.
    """
    word = plain(text)
    near = difflib.get_close_matches(word, _ON_A_BOARD, n=1, cutoff=_NEAR_ALONE) if len(word) > 3 else []
    if near and word.isalpha() and word not in _COURTESIES | idioms.COMMON | {*_ON_A_BOARD}:
        raise BadArguments(f'"{word}" is neither a move nor a command. Did you mean "{near[0]}"?', near[0])
    is_slip = idioms.MISTAKEN.search(word) if meant.move or meant.between else idioms.MISHAP.search(word)
    writer = request.sender.proven or request.sender.claimed
    seat = None if writer is None else board.match.seat_of(writer.id)
    has_moved = board.match.record and board.match.result is None and seat not in (None, board.state.to_move)
    if is_slip and has_moved:
        raise BadArguments("Your move is made. To ask your opponent whether you may take it back:", "undo")


def _to_opponent(request: Request, board: OpenBoard, text: str, meant: Meaning) -> Restated | None:
    """A message to the opponent, if it can be nothing else.

    Raises: BadArguments for a wish to hear no more, and for a friend to be invited.
    """
    _check_invited(text, board.match.game)
    if consent(text, ()).answer is Answer.NEVER:
        way_out = '"resign" gives this game up, and' if board.match.result is None else "This game is over;"
        raise BadArguments(
            f'You ask for no more mails. {way_out} "help mails" tells how to get fewer, or none. '
            f'To write to your opponent, begin with "{CHAT}".'
        )
    _check_joins(request, text)
    if idioms.OWN_ADDRESS.search(plain(text)):
        raise BadArguments(
            "Nothing was passed on: your opponent does not learn your address. To have your mails sent to another one, "
            f'see "help change-address"; to write to your opponent all the same, begin with "{CHAT}".'
        )
    if not _is_message(request, board, text, meant):
        return None
    _check_seated(request, board)
    return Restated(CHAT, text.strip(), "a message")


def _check_invited(text: str, game: str) -> None:
    """Raises: BadArguments for a wish to invite somebody."""
    if (invited := _INVITED.match(plain(text))) is not None:
        raise BadArguments("To invite somebody to a game, send this:", f"{game} challenge me {invited['address']}")


def _check_seated(request: Request, board: OpenBoard) -> None:
    """Raises: BadArguments for the words of an onlooker, who may mean the players or others who look on."""
    writer = request.sender.proven or request.sender.claimed
    if writer is not None and board.match.seat_of(writer.id) is None:
        raise BadArguments(
            'Nothing was passed on. To write to the players, begin with "chat"; to others who look on, with "kibitz".'
        )


def _is_asked(request: Request, board: OpenBoard) -> bool:
    """Whether the other player waits for an answer of the sender's."""
    writer, offer = request.sender.proven or request.sender.claimed, board.match.offer
    return writer is not None and offer is not None and board.match.seat_of(writer.id) not in (None, offer.seat)


def _replied(request: Request, board: OpenBoard, text: str) -> Restated | None:
    """A yes or a no to what the other player asks, or wrote last; a yes to whether one really resigns, with thanks."""
    sure, is_asked, resigns = _SURE.match(text), _is_asked(request, board), _resigns(request, board)
    reply, line = idioms.REPLY.fullmatch(plain(text)), text.strip()
    is_plain_yes = sure is not None and is_asked and reply is None and _is_courteous(text[sure.end() :])
    if sure is not None and (resigns or is_plain_yes) and line.rstrip(".!").casefold() != "yes":
        is_all = not text[sure.end() :].strip()
        is_plain = "?" not in text and (is_all or consent(text, ()).answer is Answer.YES)
        return Restated("yes", text[sure.end() :].strip(), "yes") if is_plain else None
    if resigns:
        declines = _NO.match(text) is not None and "?" not in text and consent(text, ()).answer is Answer.NO
        return Restated("no", "", "") if declines and line.rstrip(".!").casefold() != "no" else None
    if reply is None:
        return None
    if is_asked:
        meant = "no" if reply["no"] else "yes"
        return Restated(meant, "", "") if line.rstrip(".!").casefold() != meant else None
    said = request.tx.remarks.of(RemarkKind.COMMENT, board.match.board)[-1:]
    writer = request.sender.proven or request.sender.claimed
    if writer is None or said == [] or said[0].author == writer or not _may_write(request, board, writer, text):
        return None
    return Restated(CHAT, line, "a message")


def _is_courteous(text: str) -> bool:
    """Nothing that may answer anything else than an offer."""
    rows = (idioms.THANKS, idioms.PARTING)
    return all(any(row.fullmatch(sentence.plain) for row in rows) for sentence in sentences(text))


def _resigns(request: Request, board: OpenBoard) -> bool:
    """Whether the sender is asked if they really resign."""
    writer = request.sender.proven or request.sender.claimed
    seat = None if writer is None else board.match.seat_of(writer.id)
    return seat is not None and any(intent.is_question for intent in board.intents.of(seat))


def _asked(request: Request, board: OpenBoard, text: str, wish: Wish) -> Restated | None:
    """Pass on a wish that only the opponent can grant; the writer is told what helps."""
    clock, writer = board.match.clock, request.sender.proven or request.sender.claimed
    _check_seated(request, board)
    if wish is Wish.PAUSE and board.match.result is None and clock is not None and clock.control.timed:
        return Restated("pause", text.strip(), "pause")
    if writer is None or not _may_write(request, board, writer, text) or _holds_password(request, writer, text):
        return None
    is_timed = clock is not None and clock.control.timed
    helps = wish is Wish.WHO or is_timed
    return Restated(CHAT, text.strip(), wish.value if helps else "a message")


def _elsewhere(request: Request, text: str, command: Command | Rejected, *, is_asking: bool) -> Restated | None:
    """The meaning of plain words that answer no board. Raises: BadArguments for a lone yes or no."""
    words, wish = plain(text).split(), wished(text)
    if (begun := _begun(request, text, command)) is not None:
        return begun
    if not is_asking and wish in (None, Wish.THANKS):
        return None
    if words and (plain(text) in _REPLIES or (words[0].strip(",") in ("yes", "no") and len(words) <= _WORDS_TO_AGREE)):
        raise BadArguments(
            f'"{text.strip()[:40]}" answers no question of ours: the mail you answer asks none, was answered before, '
            "or is too old by now.",
            "help",
        )
    if wish is Wish.LOOK and not _plays(request):
        raise BadArguments("You have no game under way. To start one at once, against a program:", "play")
    if wish is not None:
        return Restated(_HELPS[wish], "", "")
    if consent(text, ()).answer is Answer.NEVER:
        return Restated("help mails", "", "")
    is_said = isinstance(command, UnknownCommand) or _names_no_game(text, command)
    if is_said and not (request.sender.is_void or request.sender.is_lost):
        _check_board(request, text)
    if not is_said and _EXACT.search(text):
        return None
    if meaning(text, lambda _: None).act is Act.RULES:
        game = game_named(f"{text} {strip_subject(request.message.subject)}")
        return Restated(f"help {game}" if game else "help" if "rules" in plain(text) else START, "", "")
    return _by_topic(request, text, command)


def _begun(request: Request, text: str, command: Command | Rejected) -> Restated | None:
    """The wish of words that begin like a command: of a challenge, of "play" with more than a game behind it, to give
    somebody time, or to be left alone. Raises: NotFound, BadArguments.
    """
    if time := given(text)[0]:
        raise BadArguments("On which board? Answer a mail of it, or put its number in front.", f"BOARD give {time}")
    if isinstance(command, UnknownCommand) and consent(text, ()).answer is Answer.NEVER:
        return Restated("help mails", "", "")
    (verb, _, said), game = plain(text).partition(" "), game_named(text)
    if verb == "play" and (said in GAMES or said in idioms.OTHER_NAMES):
        return Restated(f"play {game or said}", "", "")
    if (verb == "play" and " " not in said) or (verb == "challenge" and game):
        _check_rival(request, text, game)
    if not isinstance(command, BadArguments):
        return None
    if verb == "challenge":
        _check_players(request, text.split()[1:])
    if verb != "play" or not game:
        return None
    robot, options = _ROBOT.search(said), _OPTION.findall(text)
    if options or _CHOOSES.search(said):
        line = " ".join([game, "challenge me", f"robot{robot[1]}" if robot else "robot", *options])
        raise BadArguments('"play" takes no more than a game. To choose your opponent or the board:', line)
    return None


def _check_board(request: Request, text: str) -> None:
    """Raises: BadArguments for what is done on a board, which the mail does not name, and how to name it."""
    player, meant = request.sender.proven or request.sender.claimed, meaning(text, str.casefold)
    holds_cell = text.split()[0].casefold() not in GAMES and any(map(_CELL.fullmatch, meant.between))
    move = meant.move or ("MOVE" if holds_cell else "")
    line = move or _COMMANDS.get(meant.act, "")
    if not line or player is None:
        return
    running = request.tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)
    boards = [each.board for each in running if not move or each.players[(each.seat_to_move or 1) - 1].id == player.id]
    boards = [board for board in boards if str(board) in _NUMBER.findall(text)] or boards
    if boards:
        shown = boards[0] if len(boards) == 1 or line == "MOVE" else "BOARD"
        raise BadArguments(
            "Which board do you mean? Answer a mail of that board, or put its number in front.", f"{shown} {line}"
        )


def _plays(request: Request) -> bool:
    """Whether the sender has a game under way."""
    player = request.sender.proven or request.sender.claimed
    return player is not None and bool(request.tx.matches.active_counts([player.id])[player.id])


def _by_topic(request: Request, text: str, command: Command | Rejected) -> Restated | None:
    """The wish of a mail that answers no board to the server, in any words. Raises: BadArguments.

    A sentence about nothing that is known leads to a page of what may be answered.
    """
    game, found, wants_a_game = (
        game_named(f"{text} {strip_subject(request.message.subject)}"),
        topic(text),
        starts(text),
    )
    _check_joins(request, text)
    _check_invited(text, game or FIRST)
    _check_rival(request, text, game)
    if absent := game_elsewhere(text):
        return Restated(f"play {absent}", "", "")
    if again(text) and topic(strip_subject(request.message.subject)) == PUZZLE:
        return Restated(f"{PUZZLE} {game}".rstrip(), "", "")
    is_same = isinstance(command, Command) and found == command.verb.name and len(text.split()) == 2
    if found and not is_same and not (wants_a_game and game and found in ("help GAME", "help")):
        return Restated(found.replace("GAME", game).rstrip(), "", "")
    if wants_a_game:
        return Restated(f"play {game or game_wanted(text)}".rstrip(), "", "")
    is_talk = isinstance(command, UnknownCommand) and plain(text).split(" ")[0] not in GAMES and _is_sentence(text)
    is_sentence = is_talk or _names_no_game(text, command)
    return Restated(START, "", "") if is_sentence else None


def _check_rival(request: Request, text: str, game: str) -> None:
    """Raises: BadArguments for a wish to play with somebody. game: the one named; empty for none."""
    rival = userid_named(request.tx, text, "rival")
    if rival:
        way = "answer with this" if game else "name the game and challenge them, for instance"
        line = f"{game or FIRST} challenge me {rival}"
        raise BadArguments(f"To play with {rival}, {way}:", line)


def _check_joins(request: Request, text: str) -> None:
    """Raises: BadArguments for a wish to take part in a tournament."""
    said, joined = plain(text), idioms.JOINS.search(plain(text))
    event = request.tx.tournaments.find(joined["event"]) if joined else None
    is_told = joined is not None and said.startswith("join tournament ") and joined[0] == said
    if joined is not None and (event is not None or is_told):
        name = event.name if event else joined["event"]
        raise BadArguments(f"To join {name}, answer with this:", f"tournament join {name}")


def _check_players(request: Request, words: Sequence[str]) -> None:
    """Raises: NotFound for a word that is no player where another one is, and who may be meant."""
    ours = ("me", ANY, *LEVEL_OF)
    found = {word: word.casefold() in ours or request.tx.players.find(word) is not None for word in words}
    unknown = next((word for word, is_there in found.items() if not is_there and word[0] not in "-<["), "")
    if unknown and any(found.values()):
        raise no_player(request.tx, unknown)


def _is_sentence(text: str) -> bool:
    """The text is no command with an error, but words to somebody."""
    words = [_bare(word) for word in plain(text).split()]
    common = [word for word in words if word.partition("'")[0] in idioms.COMMON]
    return not words or words[0].partition("'")[0] in idioms.COMMON or (len(words) > 2 and bool(common))


def _is_open(command: Command | Rejected, reading: Reading) -> bool:
    """The strict reading found no command: no verb at all, or one whose words do not fit it."""
    if isinstance(command, Rejected):
        return isinstance(command, UnknownCommand | BadArguments)
    return reading.opens_with(command)


def _legal(board: OpenBoard) -> Callable[[str], str | None]:
    """The rules' reading of words on the board as it stands; nothing once the match has ended."""
    return board.state.named if board.match.result is None else lambda _: None


def _is_message(request: Request, board: OpenBoard, text: str, meant: Meaning) -> bool:
    """The text can be nothing but words for the opponent, and its writer may send such."""
    writer = request.sender.proven or request.sender.claimed
    if writer is None or _begins_like_a_command(text):
        return False
    seat = board.match.seat_of(writer.id)
    is_to_move = board.match.result is None and seat == board.state.to_move
    if is_to_move and meant.between and len(meant.between) < len(text.split()):
        named = " or ".join(meant.between)
        raise BadArguments(
            f"Your mail speaks of {named}, and does not say that you play it. To play, answer with nothing but the "
            f'move; to write to your opponent, begin with "{CHAT}".'
        )
    if not _is_prose(text) or (is_to_move and _PLACE.search(text)) or not _may_write(request, board, writer, text):
        return False
    if _holds_password(request, writer, text):
        raise BadArguments(
            "Nothing was passed on, for your mail may hold a password. Answers need none.", "help account"
        )
    return meaning(text, str.casefold).act is Act.SAY


def _holds_password(request: Request, writer: Player, text: str) -> bool:
    """The text may hold a password, which nobody else is to read."""
    userid = writer.userid.casefold()
    unchecked = {(userid, word) for word in passwords_behind(text.splitlines(), userid)}
    return PASSWORD.search(text) is not None or bool(unchecked & request.incoming.locked.keys())


def _may_write(request: Request, board: OpenBoard, writer: Player, text: str) -> bool:
    """Programs that answer every mail say the same again and again, or too much."""
    since = request.now - timedelta(days=1)
    if request.tx.remarks.written_since(RemarkKind.COMMENT, writer.id, since) >= request.tools.limits.messages_per_day:
        return False
    said = request.tx.remarks.of(RemarkKind.COMMENT, board.match.board)
    return all(remark.author != writer or remark.text.split() != text.split() for remark in said)


def _begins_like_a_command(text: str) -> bool:
    """Its first line is a command with an error in it: a verb or a game, as it is or misspelt, or a verb after one."""
    line = next(filter(None, map(clean, text.splitlines())), "")
    first, *rest = plain(line).replace("?", "").split() or [""]
    if first == "if" and ":" in text:
        return True
    if first.partition("'")[0] in idioms.COMMON and len(rest) > 1:
        return False
    names = [word for verb in VERBS for word in verb.words]
    openings = {name.split()[0] for name in names}
    misspelt = first not in _COURTESIES | idioms.COMMON and difflib.get_close_matches(
        first[:40], openings, n=1, cutoff=_NEAR
    )
    of_a_game = first not in _QUALIFIERS and any(map(find, rest[:1]))
    return begins(line) or first in openings or bool(misspelt) or of_a_game


def _is_prose(text: str) -> bool:
    """The text is words of a language: a lone word is a courtesy, and there are few numbers."""
    words = plain(text).split()
    bare = [word.strip(".,;:!?()\"'").replace("'", "") for word in words]
    if not words:
        return any(not char.isascii() for char in text)
    numbers = sum(any(map(str.isdigit, word)) for word in words)
    if numbers * _WORDS_TO_A_NUMBER > len(words) or text.rstrip().endswith(":"):
        return False
    if len([word for word in bare if word.isalpha()]) < 2:
        return any(word in _COURTESIES for word in bare) and len(words) == 1
    return any(len(word) > 3 or word in _COURTESIES | idioms.COMMON for word in bare)
