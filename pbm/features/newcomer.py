"""From a first mail to the first move: joining by a name alone, and starting a game at once.

People join only by an answer from their own address, which the token of our mail proves.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from itertools import islice
from typing import TypeGuard

from games import GAMES
from pbm.compose import Answer
from pbm.core.credentials import USERID, open_account
from pbm.core.notify import reader_of
from pbm.core.registry import HANDLERS, handles
from pbm.core.request import Request, userid_named
from pbm.core.robots import ANY, LEVEL_OF, robot_called
from pbm.core.start import fits
from pbm.domain.commands import Command, parse
from pbm.domain.errors import BadArguments, Rejected
from pbm.domain.slips import no_game
from pbm.domain.verbs import STARTING, Standing, Verb, find
from pbm.mailin import strip_subject
from pbm.reading.book import named as called
from pbm.reading.book import words
from pbm.reading.consent import Answer as Consented
from pbm.reading.consent import consent, introduced
from pbm.reading.games_named import game_elsewhere, game_named, game_wanted, lost, starts, topic
from pbm.reading.sentences import plain

FIRST, OPPONENT = "cross", "robot1"
"""The game and the opponent of a newcomer who names none."""
MAX_SEEKS = 3
"""Open seeks in the welcome mail."""
KNOWN = Standing(known=True, proven=True)
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+\w")
_BOTH = re.compile(
    r"\s*+(?P<name>[^\s,;.!][^,;.!\n]{0,39}?)(?:[,;.!\n]++\s*+(?:and )?| (?=play\b))(?P<wish>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A name and what else is said, as in "joe, play hex"."""
_CLAUSES = re.compile(r"[,;.!\n]+|\b(?:and|und|et|y|e|en)\b", re.IGNORECASE)
REFUSED = "pbm: not done"
"""The subject of a mail that offers no game, so a yes to it means only joining."""
_PLAYS = re.compile(r"\b(?:play|join)\b", re.IGNORECASE)
"""A word that lets somebody join who has asked to be forgotten; a mere yes or a name is not enough."""


@handles(
    Verb("play [OPTIONS] USERID PASSWORD [GAME] [SIZE] [OPPONENT]", STARTING, rank=5, wordy=True),
    "start a game at once, against a program unless you name somebody; cross, unless you name another game",
)
def play(request: Request, command: Command, name: str = "", opponent: str = OPPONENT) -> Answer | None:
    """Start a game at once; a newcomer joins first. In an answer to a board, "play D4" is a move.

    name: the userid of a newcomer; empty for one made from their address.
    """
    word = command.args.get("GAME", FIRST)
    word = called("games-elsewhere").get(word.casefold(), word)
    if word.casefold() in (ANY, *LEVEL_OF):
        word, opponent = FIRST, word
    if word.casefold() not in GAMES:
        move, rematch = find("move"), find("rematch")
        if request.sender.board is not None and rematch is not None and word.casefold().strip("?!.") == "again":
            return HANDLERS["rematch"](request, replace(command, verb=rematch, args={}))
        if move is None or not _may_be_move(request, word):
            raise no_game(word.strip("?!."), "play GAME")
        return HANDLERS["move"](request, replace(command, verb=move, args={"MOVE": word}))
    if request.sender.address:
        join(request, name, playing=True)
    size = _sized(word.casefold(), command.args["SIZE"]) if "SIZE" in command.args else ()
    challenge = parse(f"{word.casefold()} challenge me {command.args.get('OPPONENT', opponent)}", KNOWN)
    credentials = {name: value for name, value in command.args.items() if name in ("USERID", "PASSWORD")}
    terms = (*size, *command.options)
    return HANDLERS["challenge"](request, replace(challenge, options=terms, args={**challenge.args, **credentials}))


def _sized(game: str, size: str) -> tuple[str, ...]:
    """The options for a board of a size, written as "11" or "7x6". Raises: BadArguments if the game has no such board.

    >>> _sized("hex", "11"), _sized("go", "9x9"), _sized("four", "7x6")
    (('-size=11',), ('-size=9',), ('-columns=7', '-rows=6'))
    """
    across, _, down = size.casefold().replace("×", "x").partition("x")
    names = {option.name for option in GAMES[game].info.options}
    if {"columns", "rows"} <= names:
        return f"-columns={across}", f"-rows={down or across}"
    if "size" not in names or down not in ("", across):
        shown = GAMES[game].info.options_usage or "no options"
        raise BadArguments(f'"{size}" is no board of {GAMES[game].info.title}, which has {shown}.', f"play {game}")
    return (f"-size={across}",)


def _may_be_move(request: Request, word: str) -> bool:
    """Whether the word after "play" is written like a move on the board that is answered, or like a verb."""
    number = request.sender.board
    if number is None or game_elsewhere(word):
        return False
    return not word.isalpha() or find(word) is not None or request.boards.load(number).state.reads(word)


def join(request: Request, name: str = "", *, playing: bool = False, lead: tuple[str, str] = ("", "")) -> None:
    """Open an account for a newcomer, and welcome them. name: their userid; empty for one made from their address.

    playing: whether a game is started for them, too. lead: see _lead. Raises: BadArguments, NotAllowed.
    """
    address = request.sender.address
    try:
        player = open_account(request.tx, address, name)
    except BadArguments as error:
        raise BadArguments(str(error), _unaccented(name)) from None
    request.author.sender = request.sender._replace(standing=KNOWN, proven=player, claimed=player, address="")
    request.author.player = player
    seeks = (seek for game in GAMES for seek in request.tx.seeks.open(game) if fits(request, seek, player))
    request.outgoing.write(
        address,
        f"pbm: welcome, {player.userid}",
        "joined.txt",
        player=player,
        reply_to=request.tools.composer.answered_by(reader_of(request, player)),
        playing=playing,
        lead=lead,
        seeks=list(islice(seeks, MAX_SEEKS)),
        title=lambda seek: GAMES[seek.game].info.title,
    )


def _unaccented(name: str) -> str:
    """The name without its accents, if that can be a userid and the name itself cannot; otherwise empty."""
    bare = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return bare if bare != name and USERID.fullmatch(bare) else ""


def at_robot(command: Command | Rejected) -> TypeGuard[Command]:
    """Whether the sender challenges a robot, as in "hex challenge me robot2"."""
    if not isinstance(command, Command) or command.verb.name != "challenge":
        return False
    return {"me"} < {name.casefold() for name in command.args.values()} <= {"me", ANY, *LEVEL_OF}


def greet(request: Request, text: str, command: Command | Rejected) -> bool:
    """Do what a newcomer says in plain words: a name, a yes, a no, a question. Returns False if it is none of these.

    Raises: BadArguments, NotAllowed for a name they cannot have.
    """
    name, answer, absent = introduced(text), consent(text).answer, game_elsewhere(text)
    named, wish = _named_wish(text, name)
    if request.sender.leaves and not _PLAYS.search(text):
        name, named, absent, answer = "", "", "", Consented.NO if answer is Consented.YES else answer
    if answer is Consented.YES and name.casefold() == plain(text):
        name = ""  # "sim" is a yes in some language, and no name
    told: Answer | None = None
    if at_robot(command):
        join(request, playing=True)
        told = HANDLERS["challenge"](request, command)
    elif answer in (Consented.NO, Consented.NEVER) and not lost(text):
        request.tx.invitations.refuse(request.sender.address, request.now)
    elif named:
        told = _begin(request, wish, named)
    elif name:
        join(request, name, lead=_lead(request, text))
    elif absent:
        told = play(request, parse(f"play {absent}", KNOWN))
    elif answer is Consented.YES or starts(text) or plain(text).startswith(("play", "invite")):
        told = _begin(request, text)
    elif answer is Consented.ASKS or lost(text) or topic(text) == "help":
        page = f"help {game_named(text)}" if game_named(text) else {"help": "help"}.get(topic(text), "help tutorial")
        told = HANDLERS["help"](request, parse(page, KNOWN))
    else:
        return False
    request.outgoing.answers += [told] if told is not None else []
    return True


def _named_wish(text: str, name: str) -> tuple[str, str]:
    """The name of a newcomer who wants a game at once, and their words for that; empty for any other.

    name: what they are called by the whole text.

    >>> _named_wish("Tom please, and can I play hex?", ""), _named_wish("I want to play hex, I'm Joe", "Joe")
    (('Tom', 'can I play hex?'), ('Joe', "I want to play hex, I'm Joe"))
    """
    both = _BOTH.fullmatch(text)
    if both and starts(both["wish"]) and (named := introduced(both["name"])):
        return named, both["wish"]
    wants = bool(name and game_named(text)) and any(map(starts, _CLAUSES.split(text)))
    return (name, text) if wants else ("", "")


def _begin(request: Request, text: str, name: str = "") -> Answer | None:
    """Let a newcomer join, and play a robot at once unless they speak of a person to play. name: as for join."""
    lead, robot = _lead(request, text), robot_called(request.tx, userid_named(request.tx, text, "rival"))
    is_refused = strip_subject(request.message.subject) == REFUSED and not _PLAYS.search(text)
    agrees = is_refused and consent(text).answer is Consented.YES
    if agrees or (lead[1] and not robot):
        join(request, name, lead=lead)
        return None
    return play(request, parse(f"play {_game(text)}", KNOWN), name, robot or OPPONENT)


def _lead(request: Request, text: str) -> tuple[str, str]:
    """A sentence on how to find the opponent that a newcomer speaks of, and the line that does it; empty for none."""
    game = game_named(text) or FIRST
    rival = userid_named(request.tx, text, "rival")
    address = _ADDRESS.search(text)
    if rival:
        return f"To play with {rival}:", f"{game} challenge me {rival}"
    if address is not None:
        return f"To invite {address[0]}:", f"{game} challenge me {address[0]}"
    return {
        "help challenge": (
            "To invite somebody, put their address in this line:",
            f"{game} challenge me bob@example.org",
        ),
        "help seek": ("To look for a person to play with:", f"{game} seek 1"),
        "tournaments": ("To see which tournaments there are:", "tournaments"),
    }.get(topic(text), ("", ""))


def _game(text: str) -> str:
    """The game that a newcomer wants to play; in "play WORD", the word, whether there is such a game or not."""
    verb, *rest = plain(text).split() or [""]
    is_told = verb == "play" and len(rest) == 1 and rest[0] not in words("common") | words("no-games")
    return rest[0] if is_told else game_wanted(text)
