"""Plain words about a board that do nothing there: a message to the opponent, or a wish to the server."""

from __future__ import annotations

import re

from games import GAMES
from pbm.core.request import Request, userid_named
from pbm.core.robots import UNHEARD, is_robot
from pbm.domain.commands import begins, clean
from pbm.domain.errors import BadArguments
from pbm.domain.idioms import answers, deeds, wishes
from pbm.domain.match import OfferKind
from pbm.domain.meaning import Act, meaning, plain, sentences
from pbm.domain.prose import begins_like_a_command, is_prose, way_to_say
from pbm.domain.topics import LEAVES, QUESTIONS, question, topic
from pbm.domain.vacations import vacation_said
from pbm.domain.wanted import Wish, again, game_elsewhere, game_named, starts
from pbm.features.newcomer import FIRST
from pbm.server.said import CHAT, Restated, Said, holds_password

THANKS, START, AGAIN = "thanks", "help start", "rematch"
HELPS = {
    Wish.TIME: "help clock", Wish.PAUSE: "help pause", Wish.REST: "help vacation", Wish.REMIND: "remind",
    Wish.NUDGE: "help remind",
    Wish.LOOK: "all show me active", Wish.BOARDS: "all show me active", Wish.RIVAL: "all show me active",
    Wish.TURN: "all show me active", Wish.ENDED: "all games me inactive", Wish.WHO: START, Wish.THANKS: THANKS,
    Wish.GAMES: "help", Wish.STANDINGS: "help standings",
}  # fmt: skip
"""The command that helps if no board is meant."""
_PLACE = re.compile(
    r"\b(?:middle|cent(?:er|re)|corner|edge|top|bottom|left|right|row|column|line|cell|square|vertex|hexagon|stone|piece|"
    r"mitte|ecke|rand|oben|unten|links|rechts|zeile|reihe|spalte|kante|feld|milieu|coin|bord|gauche|droite|colonne|ligne|"
    r"centro|esquina|arriba|abajo|izquierda|derecha|columna|fila|angolo|sinistra|destra|colonna|riga|midden|hoek|kolom|rij|"
    r"canto|esquerda|direita|coluna)s?\b",
    re.IGNORECASE,
)
"""Words that may describe a move: "the one in the middle"."""
_UNHINTED = ("", "hint", "list", "help", "help GAME", "help challenge", "all show me active")
"""Topics that people also discuss with each other, so the server's command is not hinted at."""
_INVITED = re.compile(
    r"(?:(?:please|can you|could you|i want to|i would like to) )?(?:invite|challenge) (?:my \w+,? )?"
    r"(?P<address>\S+@[\w.-]*\w)"
)
_AGAIN = re.compile(r"(?:play again|rematch)\b")
_OTHER_GAMES = GAMES.keys() - {"y"}
"""Games that a lone word wishes for; "y" is a yes."""
_INSTEAD = re.compile(r"(?: (?:instead|too|next(?: time)?|now))?\?$")
"""The end of a wish for another game: "hex instead?"."""


def helps(request: Request, wish: Wish, text: str) -> str:
    """The command that grants a wish to the server, or explains how to."""
    days = vacation_said(text, request.now) if wish is Wish.REST else ""
    return f"vacation {days}" if days else HELPS[wish]


def hint_to_say(request: Request, text: str, *, is_move: bool) -> str:
    """As way_to_say; empty if the text may hold a password, or if the opponent is a robot."""
    board, writer = request.sender.board, request.sender.writer or request.sender.seated
    match = request.tx.matches.summary(board) if board is not None else None
    others = [player for player in match.players if player != writer] if match is not None else []
    is_unheard = not others or any(is_robot(request.tx, player) for player in others)
    is_secret = writer is not None and holds_password(request, text, writer)
    return "" if is_unheard or is_secret else way_to_say(text, is_move=is_move)


def check_invited(text: str, game: str) -> None:
    """Raises: BadArguments for a wish to invite somebody."""
    if (invited := _INVITED.match(plain(text))) is not None:
        raise BadArguments("To invite somebody to a game:", f"{game} challenge me {invited['address']}")


def check_rival(request: Request, text: str, game: str) -> None:
    """Raises: BadArguments for a wish to play somebody. game: the game that is named; empty for none."""
    rival = userid_named(request.tx, text, "rival")
    if rival:
        way = "" if game else ", name a game"
        line = f"{game or FIRST} challenge me {rival}"
        raise BadArguments(f"To play with {rival}{way}:", line)


def check_joins(request: Request, text: str) -> None:
    """Raises: BadArguments for a wish to take part in a tournament."""
    said, joined = plain(text), wishes.JOINS.search(plain(text))
    if joined is None:
        return
    words = joined["event"].split()
    names = ["-".join(words[:count]) for count in range(len(words), 0, -1)]
    event = next(filter(None, map(request.tx.tournaments.find, names)), None)
    if event is not None or (said.startswith("join tournament ") and joined[0] == said):
        name = event.name if event else joined["event"]
        raise BadArguments(f"To join {name}:", f"tournament join {name}")


def with_wish(said: Said, wish: Wish) -> Restated | None:
    """The message with a wish, whose writer is told which command helps; against a robot, that command itself."""
    if said.rival is not None:
        return Restated(f"about {said.rival.userid}" if wish is Wish.WHO else helps(said.request, wish, said.text))
    said.check_seated()
    clock = said.board.match.clock
    is_timed = clock is not None and clock.control.timed
    if wish is Wish.PAUSE and said.is_running and is_timed:
        return Restated("pause", said.text.strip(), "pause")
    if said.writer is None or not said.may_write(said.writer) or holds_password(said.request, said.text, said.writer):
        return None
    read_as = _away(said) if wish is Wish.REST else wish.value
    return Restated(CHAT, said.words, read_as if wish is Wish.WHO or is_timed else "a message")


def _away(said: Said) -> str:
    """How the words of a player who will be away are read: as a vacation they may take, if they name the days."""
    is_away = any(wishes.WISHES[Wish.REST].fullmatch(sentence.plain) for sentence in sentences(said.text))
    clock = said.board.match.clock
    is_timed = said.is_running and clock is not None and clock.control.timed
    days = vacation_said(said.text, said.request.now) if is_away and is_timed else ""
    return f"vacation {days}" if days else Wish.REST.value


def topical(said: Said) -> str:
    """The command for words that ask the server and not the opponent; empty for others."""
    text, found, played = said.text, topic(said.text), said.board.match.game
    if not said.is_running and again(text):
        return AGAIN
    if said.meant.between:
        return ""
    if said.rival is not None:
        game, absent = game_named(text), game_elsewhere(text)
        is_other = absent or (starts(text) and game not in ("", played))
        asked = next(filter(None, (question(sentence.text, said.rival.userid) for sentence in sentences(text))), "")
        line = asked or found.replace("GAME", game or played)
        is_for_more = again(text) or wishes.VERSUS.search(plain(text)) is not None
        return f"play {absent or game}" if is_other else line or ("robots" if is_for_more else "")
    if asked := question(text, said.opponent.userid if said.opponent else ""):
        return asked
    is_unsaid = begins_like_a_command(text) and not begins(clean(text))
    return found.replace("GAME", played) if is_unsaid else ""


def message(said: Said) -> Restated | None:
    """A message to the opponent, if the words can be nothing else.

    Raises: BadArguments for wishes to the server, such as to get no more mails or to invite a friend.
    """
    check_invited(said.text, said.board.match.game)
    if any(answers.NEVER.search(sentence.plain) for sentence in sentences(said.text)):
        if (leave := topic(said.text)) in LEAVES:
            return Restated(leave)
        way_out = '"resign" gives this game up, and' if said.is_running else "This game is over;"
        raise BadArguments(
            f'You want no more emails. {way_out} "help mails" says how to get fewer, or none.{said.or_say}'
        )
    check_joins(said.request, said.text)
    if plain(said.text).startswith(("start a", "play ")):
        check_rival(said.request, said.text, game_named(said.text))
    if not said.is_running and _AGAIN.match(plain(said.text)):
        raise BadArguments(
            f"It is not clear what you want.{said.or_say} To play once more, with the seats exchanged:", AGAIN
        )
    if said.opponent is not None and (other_game := _INSTEAD.sub("", plain(said.text))) in _OTHER_GAMES:
        line = f"{other_game} challenge me {said.opponent.userid}"
        raise BadArguments(f"To play {GAMES[other_game].info.title} with {said.opponent.userid}:", line)
    if wishes.OWN_ADDRESS.search(plain(said.text)):
        raise BadArguments(
            "Nothing was passed on: your opponent does not learn your address. To have your mail sent to another "
            f'one, see "help change-address".{said.or_say}'
        )
    if not _is_message(said):
        return None
    said.check_seated()
    return Restated(CHAT, said.words, _hint(said) if said.rival is None else UNHEARD)


def _hint(said: Said) -> str:
    """How a message is read: as the command that answers it, if it may be a question to the server."""
    if (away := _away(said)) != Wish.REST.value:
        return away
    if wishes.VERSUS.search(plain(said.text)):
        return "robots"
    if said.has_moved and deeds.REGRET.search(plain(said.text)):
        return "undo"
    found = said.rules if said.meant.act is Act.RULES else topic(said.text)
    may_ask = found in QUESTIONS or said.meant.act is Act.RULES or said.text.rstrip().endswith("?")
    if may_ask and found not in _UNHINTED:
        return found.replace("GAME", said.board.match.game)
    if said.is_running and said.seat is not None and deeds.OF_A_DRAW.search(plain(said.text)):
        offer = said.board.match.offer
        return "propose" if offer is None else "accept" if said.asked is OfferKind.DRAW else "a message"
    return "help" if any(wishes.ASKS_HOW.search(each.plain) for each in sentences(said.text)) else "a message"


def _is_message(said: Said) -> bool:
    """Whether the text can only be words for the opponent, and the writer may send them. Raises: BadArguments."""
    between, text = said.meant.between, said.text
    if said.writer is None or begins_like_a_command(text):
        return False
    if said.is_to_move and between and len(between) < len(text.split()):
        raise BadArguments(
            f"Your email speaks of {' or '.join(between)}, and does not say that you play it. To play, answer with "
            f"nothing but the move.{said.or_say}"
        )
    if not (is_prose(said.words) or _is_exclaimed(said)) or not said.may_write(said.writer):
        return False
    if said.is_to_move and _PLACE.search(text):
        if not text.rstrip().endswith("?"):
            return False
        raise BadArguments(f'You ask something, so nothing is played. "{said.rules}" explains the game.{said.or_say}')
    said.check_no_password(said.writer)
    return meaning(text, str.casefold).act in (Act.SAY, Act.RULES)


def _is_exclaimed(said: Said) -> bool:
    """Whether the text is one word with an exclamation mark that no move is written like: "Unbelievable!!"."""
    word = plain(said.text)
    return said.text.rstrip().endswith("!") and word.isalpha() and len(word) > 1 and not said.board.state.reads(word)
