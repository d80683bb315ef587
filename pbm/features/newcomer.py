"""From a first mail to the first move: joining by a name, and what a newcomer wished for before they had one.

People join only by an answer from their own address, which the token of our mail proves, and under a name that they say
themselves. What they wish for before is kept, shown in the question for a name, and done once they have it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

from games import GAMES
from pbm.compose.notices import Answer, Outcome
from pbm.core.credentials import USERID, open_account
from pbm.core.notify import reader_of
from pbm.core.registry import HANDLERS, Occasion, handles, when_due
from pbm.core.request import Request
from pbm.core.robots import ANY, LEVEL_OF
from pbm.core.start import fits
from pbm.domain.errors import BadArguments
from pbm.reading.book import named as called
from pbm.reading.book import words as kind
from pbm.reading.commands import Command, parse
from pbm.reading.consent import Answer as Consented
from pbm.reading.consent import consent, introduced
from pbm.reading.games_named import game_elsewhere, game_named, lost, starts, topic
from pbm.reading.sentences import plain
from pbm.reading.slips import no_game
from pbm.reading.verbs import STARTING, Entry, Standing, Verb, find

FIRST, OPPONENT = "cross", "robot1"
"""The game and the opponent of a newcomer who names none."""
MAX_SEEKS = 3
"""Open seeks in the welcome mail."""
KNOWN = Standing(known=True, proven=True)
LONGEST_WISH = 4000
"""Characters below the lines of a wish that are kept with it; a board of one's own fits."""
_WISH = "wish"
"""The kind of agenda items for what somebody without a name wished for, by number; once due, it is forgotten."""
_BOTH = re.compile(
    r"\s*+(?P<name>[^\s,;.!][^,;.!\n]{0,39}?)(?:[,;.!\n]++\s*+(?:and )?| (?=play\b))(?P<wish>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A name and what else is said, as in "joe, play hex"."""
_CLAUSES = re.compile(rf"[,;.!\n]+|\b(?:{'|'.join(kind('clause-links'))})\b", re.IGNORECASE)
_PLAYS = re.compile(r"\b(?:play|join)\b", re.IGNORECASE)
"""A word that lets somebody join who has asked to be forgotten; a mere yes or a name is not enough."""


@handles(
    Verb(
        "play [OPTIONS] USERID PASSWORD [GAME] [SIZE] [OPPONENT]",
        STARTING,
        other_usage="[GAME] [SIZE] [OPPONENT] USERID PASSWORD",
        wordy=True,
    ),
    Entry(5, "start a game at once, against a program unless you name somebody; cross, unless you name another game"),
)
def play(request: Request, command: Command) -> Answer | None:
    """Start a game at once. In an answer to a board, "play D4" is a move."""
    word, opponent = command.args.get("GAME", FIRST), OPPONENT
    word = called("games-elsewhere").get(word.casefold(), word)
    # "play robot3" names an opponent, and no game.
    if word.casefold() in (ANY, *LEVEL_OF):
        word, opponent = FIRST, word
    if word.casefold() not in GAMES:
        # A friend is asked to a game that they can look up, so it must be named.
        if "@" in word:
            raise BadArguments(f"To invite {word}, name a game:", f"{FIRST} challenge me {word}")
        move, rematch = find("move"), find("rematch")
        # "Play again?" below an ended board.
        if request.sender.board is not None and rematch is not None and word.casefold().strip("?!.") == "again":
            return HANDLERS["rematch"](request, replace(command, verb=rematch, args={}))
        # "Play D4" in answer to a board is a move.
        if move is None or not _may_be_move(request, word):
            raise no_game(word.strip("?!."), "play GAME")
        return HANDLERS["move"](request, replace(command, verb=move, args={"MOVE": word}))
    size = sized(word.casefold(), command.args["SIZE"]) if "SIZE" in command.args else ()
    challenge = parse(f"{word.casefold()} challenge me {command.args.get('OPPONENT', opponent)}", KNOWN)
    credentials = {name: value for name, value in command.args.items() if name in ("USERID", "PASSWORD")}
    terms = (*size, *command.options)
    return HANDLERS["challenge"](request, replace(challenge, options=terms, args={**challenge.args, **credentials}))


def sized(game: str, size: str) -> tuple[str, ...]:
    """The options for a board of a size, written as "11" or "7x6". Raises: BadArguments if the game has no such board.

    >>> sized("hex", "11"), sized("go", "9x9"), sized("four", "7x6")
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


class Wish(NamedTuple):
    """What somebody without a name wants, as a player would write it: lines of commands, and the words below them."""

    lines: tuple[str, ...]
    comment: str = ""

    @property
    def told(self) -> str:
        return "; ".join(self.lines)


def kept(request: Request) -> Wish | None:
    """The wish that the mail which a newcomer answers has shown them; None if it showed none, or is too old."""
    # A wish counts only for who answers the mail that shows it: anybody may have sent another one with their From.
    number = request.author.offered.wish
    item = request.tx.agenda.get(_WISH, number) if number else None
    return Wish(tuple(item.payload["lines"]), item.payload["comment"]) if item else None


@when_due(_WISH)
def forget_wish(_due: Occasion) -> None:
    """Its writer has not answered in time; the item is gone."""


def ask_name(
    request: Request, wish: Wish | None, example: str = "", login: str = "", *, is_unread: bool = False
) -> None:
    """Ask somebody without an account what they want to be called, and keep their wish, if they have any, until then.

    example: a name that they seem to have. login: the line by which a player does the same from another address.
    is_unread: their answer to the same question could not be read.
    """
    # Whoever wants something stays.
    author = request.author
    author.offered = replace(author.offered, leaves=0)
    if wish is not None:
        written = json.dumps([request.message.sender.casefold(), wish.lines, wish.comment])
        author.offered = replace(author.offered, wish=int.from_bytes(sha256(written.encode()).digest()[:5]))
        until = request.now + timedelta(days=request.tools.house.answer_token_days)
        request.tx.agenda.put(_WISH, author.offered.wish, until, lines=wish.lines, comment=wish.comment)
    words = {
        "robot": request.tools.composer.robot.address,
        "wish": kept(request),
        "login": login,
        "is_unread": is_unread,
    }
    text = request.outgoing.page("called.txt", **words, example=example or "joe")
    request.outgoing.answers.append(Answer("", Outcome.DONE, text, "pbm: what shall we call you?", is_greeting=True))


def join(request: Request, name: str, wish: Wish | None = None) -> None:
    """Open an account for a newcomer, and welcome them. wish: what is done next. Raises: BadArguments, NotAllowed."""
    address = request.message.sender
    try:
        player = open_account(request.tx, address, name)
    except BadArguments as error:
        # "José" can be called Jose, and most do not guess that.
        bare = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        raise BadArguments(str(error), bare if bare != name and USERID.fullmatch(bare) else "") from None
    request.author.sender = request.sender._replace(standing=KNOWN, proven=player, claimed=player, newcomer=None)
    request.author.player = player
    request.tx.agenda.drop(_WISH, request.author.offered.wish)
    seeks = (seek for game in GAMES for seek in request.tx.seeks.open(game) if fits(request, seek, player))
    request.outgoing.write(
        address,
        f"pbm: welcome, {player.userid}",
        "joined.txt",
        player=player,
        reply_to=request.tools.composer.answered_by(reader_of(request, player)),
        wish=wish,
        seeks=list(islice(seeks, MAX_SEEKS)),
        title=lambda seek: GAMES[seek.game].info.title,
    )


def greet(request: Request, text: str, wished: Callable[[str], Wish | None]) -> Wish | None:
    """Do what a newcomer says in plain words: a name, a wish, a yes, a no, a question.

    wished: what words ask for, of which the newcomer's own are one; it raises whatever keeps that from being done.
    Returns the wish that is to be done now, because they have joined; None for none.
    Raises: NoGreeting if it is none of these; BadArguments, NotAllowed for a name they cannot have.
    """
    name, words, answer = _said(request, text)
    # "I don't remember you, who are you?" asks, and declines nothing.
    if answer in (Consented.NO, Consented.NEVER) and not lost(text):
        request.tx.invitations.refuse(request.message.sender, request.now)
        return None
    if name:
        wish = wished(words) if words else kept(request)
        join(request, name, wish)
        return wish
    if absent := game_elsewhere(text):
        raise no_game(absent, "play GAME")
    wish = wished(words)
    # Nobody is called after their mailbox, so a yes is not enough to join.
    if wish is not None or answer is Consented.YES:
        ask_name(request, wish)
        return None
    if answer is Consented.ASKS or lost(text) or topic(text) in ("help", "help GAME"):
        explain(request, _page(text))
        return None
    raise NoGreeting


def _said(request: Request, text: str) -> tuple[str, str, Consented]:
    """A newcomer's name, the words for what they want, and their yes or no, as far as a text holds them."""
    answer = consent(text).answer
    name, words = named_wish(text)
    # They have asked for no more mail, and were told what that means: their "yes" or "ok" agrees to that.
    if request.author.offered.leaves and not _PLAYS.search(text):
        return "", "", Consented.NO if answer is Consented.YES else answer
    # "sim" is a yes in some language, and no name.
    if answer is Consented.YES and name.casefold() == plain(text):
        name = ""
    return name, words, answer


def _page(text: str) -> str:
    """The command for the page that answers a question: of the game that it names, or else of how one begins."""
    game = game_named(text)
    return f"help {game}" if game else {"help": "help"}.get(topic(text), "help tutorial")


def explain(request: Request, page: str) -> None:
    """Answer somebody without an account with a page of help. page: the command for it."""
    request.outgoing.answers += filter(None, [HANDLERS["help"](request, parse(page, KNOWN))])


class NoGreeting(Exception):
    """Plain words of a newcomer mean nothing that is known."""


def named_wish(text: str) -> tuple[str, str]:
    """The name of somebody who wants to join, and their words for what they want to do then; each empty for none.

    Without a name all their words may be a wish.

    >>> named_wish("Tom please, and can I play hex?"), named_wish("I want to play hex, I'm Joe")
    (('Tom', 'can I play hex?'), ('Joe', "I want to play hex, I'm Joe"))
    >>> named_wish("joe"), named_wish("hex please")
    (('joe', ''), ('', 'hex please'))
    """
    name, both = introduced(text), _BOTH.fullmatch(text)
    if both and starts(both["wish"]) and (named := introduced(both["name"])):
        return named, both["wish"]
    wants = bool(name and game_named(text)) and any(map(starts, _CLAUSES.split(text)))
    return name, text if wants or not name else ""
