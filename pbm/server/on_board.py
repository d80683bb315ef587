"""Plain words about a board, in answer to its mail or after its number: what they ask for there, or that they are a
message to the opponent.

It never guesses between two meanings. Words that may be a mistyped move, a faulty command or a password are no message.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import chain, takewhile

from games import GAMES
from games.rules import MoveError
from pbm.core.board import OpenBoard
from pbm.core.request import Request, userid_named
from pbm.core.robots import UNHEARD, is_robot
from pbm.domain.commands import Command, begins, clean
from pbm.domain.consent import Answer, consent
from pbm.domain.errors import BadArguments
from pbm.domain.idioms import answers, deeds, moves, vocabulary, wishes
from pbm.domain.mail import RemarkKind
from pbm.domain.match import OfferKind, Player, Seat, other
from pbm.domain.meaning import Act, Meaning, discreet, meaning, plain, sentences, uncourteous
from pbm.domain.prose import begins_like_a_command, courteous_reply, is_courteous, is_prose, way_to_say
from pbm.domain.reading import LISTS, board_below
from pbm.domain.topics import LEAVES, QUESTIONS, question, topic
from pbm.domain.vacations import vacation_said
from pbm.domain.verbs import PASSWORD, leading, passwords_behind
from pbm.domain.wanted import Wish, again, asks_rules, game_elsewhere, game_named, given, starts, wished
from pbm.features.newcomer import FIRST

CHAT, THANKS, START, AGAIN = "chat", "thanks", "help start", "rematch"
_NO_COMMANDS = (Act.MOVE, Act.RULES, Act.SAY, Act.UNSURE)
COMMANDS = dict[Act, str]((act, act.value) for act in Act if act not in _NO_COMMANDS) | {Act.DRAW: "propose"}
_AFTER_MOVES = {Act.DRAW.value: "offer a draw", Act.RESIGN.value: "resign"}
"""What a player may do after their move, in words."""
HELPS = {
    Wish.TIME: "help clock", Wish.PAUSE: "help pause", Wish.REST: "help vacation", Wish.REMIND: "remind",
    Wish.NUDGE: "help remind",
    Wish.LOOK: "all show me active", Wish.BOARDS: "all show me active", Wish.RIVAL: "all show me active",
    Wish.TURN: "all show me active", Wish.ENDED: "all games me inactive", Wish.WHO: START, Wish.THANKS: THANKS,
    Wish.GAMES: "help", Wish.STANDINGS: "help standings",
}  # fmt: skip
"""The command that helps if no board is meant."""
_OURS = (Wish.LOOK, Wish.BOARDS, Wish.ENDED, Wish.GAMES, Wish.STANDINGS, Wish.REMIND)
"""Wishes to the server, whoever the opponent is."""
_SURE = re.compile(
    r"\s*(?:(?:yes|yeah|yep|yup|y)"
    r"(?:,? (?:please|(?:i am|i['’]?m) (?:quite |very )?sure|really|i do|i mean it|i (?:really )?resign))?"
    r"|(?:i am|i['’]?m) (?:quite |very )?sure|(?:ja|oui|sí)(?=[\s.!]*\Z))"
    r"\s*(?:[,.!;]\s*|\n\s*|$)",
    re.IGNORECASE,
)
"""A yes that stands by itself, to a question of the other player, or to whether the writer really resigns."""
_NO = re.compile(r"\s*(?:no|n|nope|nah|nein|non)\b(?=\s*(?:[,.!;]|$|\n))", re.IGNORECASE)
_NEAR = 0.75
"""How similar to a verb a one-word mail must be to count as a misspelt verb."""
_ON_A_BOARD = (*COMMANDS.values(), "show", "pause", "rematch", "hint")
_PLACE = re.compile(
    r"\b(?:middle|cent(?:er|re)|corner|edge|top|bottom|left|right|row|column|line|cell|square|vertex|hexagon|stone|piece|"
    r"mitte|ecke|rand|oben|unten|links|rechts|zeile|reihe|spalte|kante|feld|milieu|coin|bord|gauche|droite|colonne|ligne|"
    r"centro|esquina|arriba|abajo|izquierda|derecha|columna|fila|angolo|sinistra|destra|colonna|riga|midden|hoek|kolom|rij|"
    r"canto|esquerda|direita|coluna)s?\b",
    re.IGNORECASE,
)
"""Words that may describe a move: "the one in the middle"."""
_NUMBER = re.compile(r"(?<![\w.:/-])\d{3,9}(?![\w/-])")
_BOARD = re.compile(
    r"(?:\b(?:on|in|at|of) )?(?:\b(?:the|my|our) )?(?:\b(?:board|game|match) )?#?(?<![\w.:/-])\d{3,9}(?![\w/-])",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:,\s*|\s+)(?:and|but|then)\s+", re.IGNORECASE)
_CELL = re.compile(r"[a-z]?\d{1,2}")
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
_SPOKEN = re.compile(
    r"\s*(?P<verb>chat|kibitz|note(?! (?:that|how|the)\b| no(?:ne|thing)\W*$))[ :,-]+(?P<words>[^\d\W].*?)\s*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Restated:
    """The meaning of plain words: a command, the words left for the opponent, and what the writer is told."""

    line: str
    comment: str = ""
    read_as: str = ""
    board: int | None = None
    """The board that the writer named; None for the board that the mail answers, or for no board."""

    @property
    def whole_line(self) -> str:
        """The line, with the number of the named board in front if its verb is about a board."""
        verb, _ = leading(self.line.split())
        is_of_board = verb is None or any(param.key == "BOARD" for param in verb.params)
        return f"{self.board} {self.line}" if self.board is not None and is_of_board else self.line


def on_board(request: Request, number: int, text: str, *, is_open: bool) -> Restated | None:
    """The meaning of plain words on a board; None if it is unknown, or if the words are a command.

    is_open: the strict reading found no command. Raises: BadArguments if the words may mean more than one thing, or
    ask for something that other words do.
    """
    wish = wished(text)
    if wish in _OURS:
        return Restated("show" if wish is Wish.LOOK else LISTS.get(wish, HELPS[wish]))
    if (seen := wishes.AT_PLY.fullmatch(plain(text))) is not None:
        return Restated(f"show {number}#{seen['ply']}")
    if (seen := wishes.RECORD.fullmatch(plain(text))) is not None:
        return Restated(f"show {seen['board']}")
    is_quiet = not is_open and wish in (None, Wish.THANKS, Wish.PAUSE)
    if is_quiet and not (_SPOKEN.fullmatch(text) or given(text)[0]):
        return None
    said = _Said(request, request.boards.load(number), text)
    if wish is Wish.RIVAL:
        return Restated(f"about {said.opponent.userid}" if said.opponent else "show")
    if wish is Wish.NUDGE:
        raise BadArguments(f"Your opponent is reminded by the server, as they have chosen.{said.or_say}")
    if wish is Wish.TURN:
        if said.names_player:
            return Restated("show")
        wish = None
    return said.passed_on() or said.gift() or (None if is_quiet else said.restated(wish, is_open=is_open))


def helps(request: Request, wish: Wish, text: str) -> str:
    """The command that grants a wish to the server, or explains how to."""
    days = vacation_said(text, request.now) if wish is Wish.REST else ""
    return f"vacation {days}" if days else HELPS[wish]


def check_sure(request: Request, board: OpenBoard, text: str, command: Command) -> None:
    """Refuse a move if the words below it take it back, or name a different move or a different board.

    board: the one that is answered. Raises: BadArguments, and whatever the move would raise.
    """
    said = _Said(request, board, text)
    if below := board_below(text):
        request.author.seated(command)
        said.check_elsewhere(below)
    if said.meant.act is Act.UNSURE and not said.is_turn:
        request.author.seated(command)
        said.check_turn()


def holds_password(request: Request, text: str, writer: Player) -> bool:
    """Whether the text may hold a password of its writer, which nobody else may read."""
    userid = writer.userid.casefold()
    unchecked = {(userid, word) for word in passwords_behind(text.splitlines(), userid)}
    suspected = request.incoming.locked.keys() | request.incoming.verified.keys()
    return PASSWORD.search(text) is not None or bool(unchecked & suspected)


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


def _does_elsewhere(clause: str) -> bool:
    """Whether the clause does something on the board it names, whatever is played there: "I resign game 104"."""
    said, count = _BOARD.subn("the game", clause)
    return count == 1 and meaning(said, lambda _: None).act in COMMANDS


@dataclass(frozen=True)
class _Said:
    """The words that somebody wrote about a board."""

    request: Request
    board: OpenBoard
    text: str

    @property
    def words(self) -> str:
        """The text as the opponent gets it: the writer did not say to pass it on, so it is made discreet."""
        return discreet(self.text.strip())

    @cached_property
    def writer(self) -> Player | None:
        return self.request.sender.writer

    @cached_property
    def seat(self) -> Seat | None:
        """The writer's seat; None for an onlooker."""
        return None if self.writer is None else self.board.match.seat_of(self.writer.id)

    @cached_property
    def opponent(self) -> Player | None:
        return None if self.seat is None else self.board.match.player(other(self.seat))

    @cached_property
    def rival(self) -> Player | None:
        """The opponent if they are a robot, which reads no messages; None otherwise."""
        return self.opponent if self.opponent is not None and is_robot(self.request.tx, self.opponent) else None

    @property
    def is_running(self) -> bool:
        return self.board.match.result is None

    @property
    def is_to_move(self) -> bool:
        return self.is_running and self.seat == self.board.state.to_move

    @property
    def _has_moved(self) -> bool:
        """Whether the writer plays here and waits for the opponent's move."""
        return bool(self.board.match.record) and self.is_running and self.seat is not None and not self.is_to_move

    @property
    def _asked(self) -> OfferKind | None:
        """What the other player asks for, if the writer has not answered."""
        offer = self.board.match.offer
        return offer.kind if offer is not None and self.seat not in (None, offer.seat) else None

    @cached_property
    def meant(self) -> Meaning:
        """The meaning of the text, by the moves of the board as it stands; after the end no move is meant."""
        legal: Callable[[str], str | None] = self.board.state.named if self.is_running else lambda _: None
        text = self.text
        if self.opponent is not None:  # "offer alice a draw"
            text = re.sub(rf"(?i)\b(offer|ask|to|with) {re.escape(self.opponent.userid)}\b(?![\w-])", r"\1 you", text)
        return meaning(text, legal)

    def restated(self, wish: Wish | None, *, is_open: bool) -> Restated | None:
        """As on_board. wish: what the words wish for, if anything."""
        meant, says = self.meant, self.meant.act in (Act.SAY, Act.RULES)
        if says and wish not in (None, Wish.THANKS) and not meant.between:
            return self._wish(wish)
        self._check_other_board(says=says)
        if self._asked is OfferKind.DRAW and Act.DRAW in (meant.act, *meant.between):
            return self._agreed()
        if meant.act is Act.UNSURE:
            self.check_turn()
            return None
        if meant.act is Act.RULES and self.rival is not None and topic(self.text) == "hint":
            return Restated("hint")
        if meant.act is Act.RULES and (self.rival is not None or asks_rules(self.text)):
            absent = game_elsewhere(self.text)
            return Restated(f"play {absent}" if absent else self._rules)
        if is_open:
            self._check_slip()
        if (replied := self._replied()) is not None:
            return replied
        if says and (line := self._topical()):
            return Restated(line, self.text.strip(), line) if line == AGAIN else Restated(line)
        if says:
            return self._message()
        line = meant.move or COMMANDS[meant.act]
        return None if self.text.strip() == line else self._done(line, meant.comment)

    def _agreed(self) -> Restated | None:
        """The acceptance of the offered draw, which the words speak of. Raises: BadArguments if that is not clear."""
        said, names = sentences(self.text), {self.meant.act, *self.meant.between} - {Act.UNSURE}
        asks = any(sentence.asks or answers.QUESTION.search(sentence.plain) for sentence in said)
        declines = any(answers.NO.search(sentence.plain) for sentence in said)
        if not declines and (names == {Act.DRAW, Act.ACCEPT} or (names == {Act.DRAW} and not asks)):
            return self._done("accept", self.meant.comment)
        if names <= {Act.DRAW, Act.ACCEPT}:
            raise BadArguments(
                f"It is not clear whether you accept the draw.{self.or_say} To accept the draw:", "accept"
            )
        self.check_turn()
        return None

    def _done(self, line: str, comment: str) -> Restated:
        """The command that plain words mean. Raises: BadArguments for a pass that loses or a draw nobody offered."""
        accepts = self.meant.act is Act.ACCEPT and self._asked is not OfferKind.DRAW
        if accepts and deeds.OF_A_DRAW.search(plain(self.text)):
            raise BadArguments("Nobody has offered you a draw here. To offer one:", "propose")
        passes = self.meant.act is Act.PASS and self.is_to_move
        move = self.board.state.named(line) if passes else None
        result = self.board.state.play(move)[0].result if move else None
        if result is not None and result.winner not in (self.seat, None):
            raise BadArguments(f'"{line}" loses this game at once. If you mean it, answer with nothing else.')
        return Restated(line, comment, line)

    @property
    def names_player(self) -> bool:
        """Whether the words name a player of the board; others may be anybody: "Has your son played?"."""
        userids = {player.userid.casefold() for player in self.board.match.players}
        return not (userids | {"opponent", "robot"}).isdisjoint(plain(self.text).rstrip("?").split())

    def passed_on(self) -> Restated | None:
        """The words on the same line as `chat`, `kibitz` or `note`; None for others. Raises: BadArguments."""
        said = _SPOKEN.fullmatch(self.text)
        if said is None or self.writer is None:
            return None
        self._check_no_password(self.writer)
        return Restated(said["verb"].casefold(), said["words"])

    def gift(self) -> Restated | None:
        """A gift of time to the opponent, if the words are one."""
        time, whom = given(self.text)
        if not time or self.opponent is None or whom not in ("", self.opponent.userid.casefold()):
            return None
        if meaning(self.text, str.casefold).act is not Act.SAY:
            return None
        return Restated(
            f"give {time}", "" if plain(self.text).startswith("give") else self.text.strip(), f"give {time}"
        )

    @property
    def is_turn(self) -> bool:
        """Whether the words begin with several moves that one side makes in a row."""
        reads = self.board.state.reads
        lines = filter(str.strip, self.text.splitlines())
        words = chain.from_iterable([line] if reads(line) else moves.BETWEEN.sub(" ", line).split() for line in lines)
        try:
            return len(self.board.state.turn(takewhile(reads, words))) > 1
        except MoveError:
            return True  # playing it will say what is wrong

    def check_turn(self) -> None:
        """Raises: BadArguments if the words name several moves or deeds of which only one can be meant."""
        between = self.meant.between
        if self.is_turn:
            return
        move, act = between if len(between) == 2 and between[1] in _AFTER_MOVES else ("", "")
        if act:
            way = f'To play {move} and {_AFTER_MOVES[act]}, answer with "{move}" on one line'
            raise BadArguments(f'{way} and "{COMMANDS[Act(act)]}" on the next.')
        if len(between) == 1:
            raise BadArguments(
                f"It is not clear whether you mean {between[0]}, so nothing is done. "
                "If you do, answer with nothing else."
            )
        named = " or ".join(between)
        raise BadArguments(f"Your email may mean {named}, so nothing is done. Answer with the one that you mean.")

    def _check_slip(self) -> None:
        """Raises: BadArguments for a misspelt verb or a dictated move, and for a wish to change the move just made, for
        which the opponent must be asked.
        """
        said = plain(self.text)
        first, *below = filter(str.strip, self.text.splitlines())
        word = first.strip().rstrip(".!").casefold() if below else said
        is_near = len(word) > 3 and word.isalpha() and self.meant.act is Act.SAY
        near = difflib.get_close_matches(word, _ON_A_BOARD, n=1, cutoff=_NEAR) if is_near else []
        if near and word not in vocabulary.COURTESIES | vocabulary.COMMON | {*_ON_A_BOARD}:
            raise BadArguments(f'"{word}" is neither a move nor a command. Did you mean "{near[0]}"?', near[0])
        if (cell := self._heard(uncourteous(said) or said)) is not None:
            raise BadArguments(f"It is not clear whether you mean {cell}. If you do:", cell)
        names_move = self.meant.move or self.meant.between
        is_slip = deeds.MISTAKEN.search(said) if names_move else deeds.MISHAP.search(said)
        if is_slip and self._has_moved:
            raise BadArguments("Your move is made. To ask your opponent whether you may take it back:", "undo")

    def _heard(self, said: str) -> str | None:
        """The move that one or two words may be if they were dictated, in any language: "see three", "sieben"."""
        letter, _, number = said.rpartition(" ")
        cell = vocabulary.LETTERS.get(letter, letter) + vocabulary.SPELT.get(number, number)
        is_heard = cell != f"{letter}{number}" and _CELL.fullmatch(cell)
        return self.board.state.named(cell) if is_heard and self.is_running and not self.meant.move else None

    def _wish(self, wish: Wish) -> Restated | None:
        """The message with a wish, whose writer is told which command helps; against a robot, that command itself."""
        if self.rival is not None:
            return Restated(f"about {self.rival.userid}" if wish is Wish.WHO else helps(self.request, wish, self.text))
        self._check_seated()
        clock = self.board.match.clock
        is_timed = clock is not None and clock.control.timed
        if wish is Wish.PAUSE and self.is_running and is_timed:
            return Restated("pause", self.text.strip(), "pause")
        if (
            self.writer is None
            or not self._may_write(self.writer)
            or holds_password(self.request, self.text, self.writer)
        ):
            return None
        read_as = self._away() if wish is Wish.REST else wish.value
        return Restated(CHAT, self.words, read_as if wish is Wish.WHO or is_timed else "a message")

    def _away(self) -> str:
        """How the words of a player who will be away are read: as a vacation they may take, if they name the days."""
        is_away = any(wishes.WISHES[Wish.REST].fullmatch(sentence.plain) for sentence in sentences(self.text))
        clock = self.board.match.clock
        is_timed = self.is_running and clock is not None and clock.control.timed
        days = vacation_said(self.text, self.request.now) if is_away and is_timed else ""
        return f"vacation {days}" if days else Wish.REST.value

    def _replied(self) -> Restated | None:
        """A yes or no to what the other player asks or wrote last, or to whether the writer really resigns."""
        text, line, match = self.text, self.text.strip(), self.board.match
        bare = line.rstrip(".!").casefold()
        sure = _SURE.match(text)
        is_asked = self._asked is not None
        reply = answers.REPLY.fullmatch(plain(text)) or (courteous_reply(text) if is_asked else None)
        if reply is not None and reply["weak"] and self._asked is OfferKind.DRAW:
            reply = None
        resigns = self.seat is not None and any(intent.is_question for intent in self.board.intents.of(self.seat))
        is_plain_yes = sure is not None and is_asked and reply is None and is_courteous(text[sure.end() :])
        if sure is not None and (resigns or is_plain_yes) and bare != "yes":
            left = text[sure.end() :].strip()
            is_plain = "?" not in text and (not left or consent(text, ()).answer is Answer.YES) and not self.meant.move
            return Restated("yes", left, "yes") if is_plain else None
        if resigns:
            if answers.WEAK_YES.fullmatch(plain(text)):
                raise BadArguments("It is not clear whether you resign. If you do:", "yes")
            declines = _NO.match(text) is not None and "?" not in text and consent(text, ()).answer is Answer.NO
            return Restated("no") if declines and bare != "no" else None
        if reply is None:
            return None
        if is_asked:
            answer = "no" if reply["no"] else "yes"
            return Restated(answer) if bare != answer else None
        said = self.request.tx.remarks.of(RemarkKind.COMMENT, match.board)[-1:]
        if self.writer is None or said == [] or said[0].author == self.writer or not self._may_write(self.writer):
            return None
        return Restated(CHAT, self.words, "a message")

    def _topical(self) -> str:
        """The command for words that ask the server and not the opponent; empty for others."""
        text, found, played = self.text, topic(self.text), self.board.match.game
        if not self.is_running and again(text):
            return AGAIN
        if self.meant.between:
            return ""
        if self.rival is not None:
            game, absent = game_named(text), game_elsewhere(text)
            is_other = absent or (starts(text) and game not in ("", played))
            asked = next(filter(None, (question(sentence.text, self.rival.userid) for sentence in sentences(text))), "")
            line = asked or found.replace("GAME", game or played)
            is_for_more = again(text) or wishes.VERSUS.search(plain(text)) is not None
            return f"play {absent or game}" if is_other else line or ("robots" if is_for_more else "")
        if asked := question(text, self.opponent.userid if self.opponent else ""):
            return asked
        is_unsaid = begins_like_a_command(text) and not begins(clean(text))
        return found.replace("GAME", played) if is_unsaid else ""

    @property
    def or_say(self) -> str:
        """A sentence on how to pass the words on all the same; empty if only a robot would get them."""
        return "" if self.rival is not None else f' To write to your opponent, begin with "{CHAT}".'

    def _message(self) -> Restated | None:
        """A message to the opponent, if the words can be nothing else.

        Raises: BadArguments for wishes to the server, such as to get no more mails or to invite a friend.
        """
        check_invited(self.text, self.board.match.game)
        if any(answers.NEVER.search(sentence.plain) for sentence in sentences(self.text)):
            if (leave := topic(self.text)) in LEAVES:
                return Restated(leave)
            way_out = '"resign" gives this game up, and' if self.is_running else "This game is over;"
            raise BadArguments(
                f'You want no more emails. {way_out} "help mails" says how to get fewer, or none.{self.or_say}'
            )
        check_joins(self.request, self.text)
        if plain(self.text).startswith(("start a", "play ")):
            check_rival(self.request, self.text, game_named(self.text))
        if not self.is_running and _AGAIN.match(plain(self.text)):
            raise BadArguments(
                f"It is not clear what you want.{self.or_say} To play once more, with the seats exchanged:", AGAIN
            )
        if self.opponent is not None and (other_game := _INSTEAD.sub("", plain(self.text))) in _OTHER_GAMES:
            line = f"{other_game} challenge me {self.opponent.userid}"
            raise BadArguments(f"To play {GAMES[other_game].info.title} with {self.opponent.userid}:", line)
        if wishes.OWN_ADDRESS.search(plain(self.text)):
            raise BadArguments(
                "Nothing was passed on: your opponent does not learn your address. To have your mail sent to another "
                f'one, see "help change-address".{self.or_say}'
            )
        if not self._is_message():
            return None
        self._check_seated()
        return Restated(CHAT, self.words, self._hint if self.rival is None else UNHEARD)

    @property
    def _rules(self) -> str:
        """The help command for the game that is named, or else for the game of the board."""
        return f"help {game_named(self.text) or self.board.match.game}"

    @property
    def _hint(self) -> str:
        """How a message is read: as the command that answers it, if it may be a question to the server."""
        if (away := self._away()) != Wish.REST.value:
            return away
        if wishes.VERSUS.search(plain(self.text)):
            return "robots"
        if self._has_moved and deeds.REGRET.search(plain(self.text)):
            return "undo"
        found = self._rules if self.meant.act is Act.RULES else topic(self.text)
        may_ask = found in QUESTIONS or self.meant.act is Act.RULES or self.text.rstrip().endswith("?")
        if may_ask and found not in _UNHINTED:
            return found.replace("GAME", self.board.match.game)
        if self.is_running and self.seat is not None and deeds.OF_A_DRAW.search(plain(self.text)):
            offer = self.board.match.offer
            return "propose" if offer is None else "accept" if self._asked is OfferKind.DRAW else "a message"
        return "help" if any(wishes.ASKS_HOW.search(each.plain) for each in sentences(self.text)) else "a message"

    def _is_message(self) -> bool:
        """Whether the text can only be words for the opponent, and the writer may send them. Raises: BadArguments."""
        between, text = self.meant.between, self.text
        if self.writer is None or begins_like_a_command(text):
            return False
        if self.is_to_move and between and len(between) < len(text.split()):
            raise BadArguments(
                f"Your email speaks of {' or '.join(between)}, and does not say that you play it. To play, answer with "
                f"nothing but the move.{self.or_say}"
            )
        if not (is_prose(self.words) or self._is_exclaimed) or not self._may_write(self.writer):
            return False
        if self.is_to_move and _PLACE.search(text):
            if not text.rstrip().endswith("?"):
                return False
            raise BadArguments(
                f'You ask something, so nothing is played. "{self._rules}" explains the game.{self.or_say}'
            )
        self._check_no_password(self.writer)
        return meaning(text, str.casefold).act in (Act.SAY, Act.RULES)

    def _check_other_board(self, *, says: bool) -> None:
        """Raises: BadArguments if what is to be done stands in one sentence with another board of the writer's, or
        above a line that names one.

        says: nothing is to be done here; then moves that are spoken of in the writer's turn count, and what is to be
        done there.
        """
        named = [each.text for each in sentences(self.text) if _NUMBER.search(each.text)]
        is_about = not says or (self.is_to_move and self.meant.between)
        told = [each for each in named if self.meant.taken in each] if is_about else []
        done = filter(_does_elsewhere, (clause for each in named for clause in _AND.split(each))) if says else ()
        self.check_elsewhere(" ".join([*told, *done, "" if says else board_below(self.text)]))

    def check_elsewhere(self, words: str) -> None:
        """Raises: BadArguments if the words name another board where the writer plays."""
        named = map(int, _NUMBER.findall(words))
        others = [self.request.tx.matches.summary(each) for each in named if each != self.board.match.board]
        running = (match for match in others if match is not None and match.result is None)
        if other_board := next((match.board for match in running if self.writer in match.players), None):
            raise BadArguments(
                f"Your email speaks of board {other_board}, too, so nothing is played. Answer the email of each board "
                "with nothing but what you do there."
            )

    @property
    def _is_exclaimed(self) -> bool:
        """Whether the text is one word with an exclamation mark that no move is written like: "Unbelievable!!"."""
        word = plain(self.text)
        return (
            self.text.rstrip().endswith("!") and word.isalpha() and len(word) > 1 and not self.board.state.reads(word)
        )

    def _check_seated(self) -> None:
        """Raises: BadArguments for the words of an onlooker, who may mean the players or other onlookers."""
        if self.writer is not None and self.seat is None:
            raise BadArguments(
                'Nothing was passed on. To write to the players, begin with "chat"; to others who look on, with '
                '"kibitz".'
            )

    def _check_no_password(self, writer: Player) -> None:
        """Raises: BadArguments."""
        if holds_password(self.request, self.text, writer):
            raise BadArguments(
                "Nothing was passed on, for your email may hold a password. Answers need none.", "help account"
            )

    def _may_write(self, writer: Player) -> bool:
        """Whether the writer may send the message: programs that answer every mail repeat themselves, or send many."""
        remarks, since = self.request.tx.remarks, self.request.now - timedelta(days=1)
        most = self.request.tools.limits.messages_per_day
        if remarks.written_since(RemarkKind.COMMENT, writer.id, since) >= most:
            return False
        said = remarks.of(RemarkKind.COMMENT, self.board.match.board)
        return all(remark.author != writer or remark.text.split() != self.text.split() for remark in said)
