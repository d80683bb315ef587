"""Plain words about a board, in answer to its mail or after its number: what they ask for there, or that they are a
message to the opponent.

It never guesses between two meanings. Words that may be a mistyped move, a faulty command or a password are no message.
"""

from __future__ import annotations

import difflib
import re

from pbm.core.board import OpenBoard
from pbm.core.request import Request
from pbm.domain.commands import Command
from pbm.domain.consent import Answer, consent
from pbm.domain.errors import BadArguments
from pbm.domain.idioms import answers, deeds, vocabulary, wishes
from pbm.domain.mail import RemarkKind
from pbm.domain.match import OfferKind
from pbm.domain.meaning import Act, meaning, plain, sentences, uncourteous
from pbm.domain.prose import courteous_reply, is_courteous
from pbm.domain.reading import LISTS, board_below
from pbm.domain.topics import topic
from pbm.domain.wanted import Wish, asks_rules, game_elsewhere, given, wished
from pbm.server.said import CHAT, COMMANDS, NUMBER, Restated, Said
from pbm.server.to_opponent import AGAIN, HELPS, message, topical, with_wish

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
_BOARD = re.compile(
    r"(?:\b(?:on|in|at|of) )?(?:\b(?:the|my|our) )?(?:\b(?:board|game|match) )?#?(?<![\w.:/-])\d{3,9}(?![\w/-])",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:,\s*|\s+)(?:and|but|then)\s+", re.IGNORECASE)
_CELL = re.compile(r"[a-z]?\d{1,2}")
_SPOKEN = re.compile(
    r"\s*(?P<verb>chat|kibitz|note(?! (?:that|how|the)\b| no(?:ne|thing)\W*$))[ :,-]+(?P<words>[^\d\W].*?)\s*",
    re.IGNORECASE | re.DOTALL,
)


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
    said = _OnBoard(request, request.boards.load(number), text)
    if wish is Wish.RIVAL:
        return Restated(f"about {said.opponent.userid}" if said.opponent else "show")
    if wish is Wish.NUDGE:
        raise BadArguments(f"Your opponent is reminded by the server, as they have chosen.{said.or_say}")
    if wish is Wish.TURN:
        if said.names_player:
            return Restated("show")
        wish = None
    return said.passed_on() or said.gift() or (None if is_quiet else said.restated(wish, is_open=is_open))


def check_sure(request: Request, board: OpenBoard, text: str, command: Command) -> None:
    """Refuse a move if the words below it take it back, or name a different move or a different board.

    board: the one that is answered. Raises: BadArguments, and whatever the move would raise.
    """
    said = Said(request, board, text)
    if below := board_below(text):
        request.author.seated(command)
        said.check_elsewhere(below)
    if said.meant.act is Act.UNSURE and not said.is_turn:
        request.author.seated(command)
        said.check_turn()


def _does_elsewhere(clause: str) -> bool:
    """Whether the clause does something on the board it names, whatever is played there: "I resign game 104"."""
    said, count = _BOARD.subn("the game", clause)
    return count == 1 and meaning(said, lambda _: None).act in COMMANDS


class _OnBoard(Said):
    """Words that may do something on the board."""

    def restated(self, wish: Wish | None, *, is_open: bool) -> Restated | None:
        """As on_board. wish: what the words wish for, if anything."""
        meant, says = self.meant, self.meant.act in (Act.SAY, Act.RULES)
        if says and wish not in (None, Wish.THANKS) and not meant.between:
            return with_wish(self, wish)
        self._check_other_board(says=says)
        if self.asked is OfferKind.DRAW and Act.DRAW in (meant.act, *meant.between):
            return self._agreed()
        if meant.act is Act.UNSURE:
            self.check_turn()
            return None
        if meant.act is Act.RULES and self.rival is not None and topic(self.text) == "hint":
            return Restated("hint")
        if meant.act is Act.RULES and (self.rival is not None or asks_rules(self.text)):
            absent = game_elsewhere(self.text)
            return Restated(f"play {absent}" if absent else self.rules)
        if is_open:
            self._check_slip()
        if (replied := self._replied()) is not None:
            return replied
        if says and (line := topical(self)):
            return Restated(line, self.text.strip(), line) if line == AGAIN else Restated(line)
        if says:
            return message(self)
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
        accepts = self.meant.act is Act.ACCEPT and self.asked is not OfferKind.DRAW
        if accepts and deeds.OF_A_DRAW.search(plain(self.text)):
            raise BadArguments("Nobody has offered you a draw here. To offer one:", "propose")
        passes = self.meant.act is Act.PASS and self.is_to_move
        move = self.board.state.named(line) if passes else None
        result = self.board.state.play(move)[0].result if move else None
        if result is not None and result.winner not in (self.seat, None):
            raise BadArguments(f'"{line}" loses this game at once. If you mean it, answer with nothing else.')
        return Restated(line, comment, line)

    def passed_on(self) -> Restated | None:
        """The words on the same line as `chat`, `kibitz` or `note`; None for others. Raises: BadArguments."""
        said = _SPOKEN.fullmatch(self.text)
        if said is None or self.writer is None:
            return None
        self.check_no_password(self.writer)
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
        if is_slip and self.has_moved:
            raise BadArguments("Your move is made. To ask your opponent whether you may take it back:", "undo")

    def _heard(self, said: str) -> str | None:
        """The move that one or two words may be if they were dictated, in any language: "see three", "sieben"."""
        letter, _, number = said.rpartition(" ")
        cell = vocabulary.LETTERS.get(letter, letter) + vocabulary.SPELT.get(number, number)
        is_heard = cell != f"{letter}{number}" and _CELL.fullmatch(cell)
        return self.board.state.named(cell) if is_heard and self.is_running and not self.meant.move else None

    def _replied(self) -> Restated | None:
        """A yes or no to what the other player asks or wrote last, or to whether the writer really resigns."""
        text, line, match = self.text, self.text.strip(), self.board.match
        bare = line.rstrip(".!").casefold()
        sure = _SURE.match(text)
        is_asked = self.asked is not None
        reply = answers.REPLY.fullmatch(plain(text)) or (courteous_reply(text) if is_asked else None)
        if reply is not None and reply["weak"] and self.asked is OfferKind.DRAW:
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
        if self.writer is None or said == [] or said[0].author == self.writer or not self.may_write(self.writer):
            return None
        return Restated(CHAT, self.words, "a message")

    def _check_other_board(self, *, says: bool) -> None:
        """Raises: BadArguments if what is to be done stands in one sentence with another board of the writer's, or
        above a line that names one.

        says: nothing is to be done here; then moves that are spoken of in the writer's turn count, and what is to be
        done there.
        """
        named = [each.text for each in sentences(self.text) if NUMBER.search(each.text)]
        is_about = not says or (self.is_to_move and self.meant.between)
        told = [each for each in named if self.meant.taken in each] if is_about else []
        done = filter(_does_elsewhere, (clause for each in named for clause in _AND.split(each))) if says else ()
        self.check_elsewhere(" ".join([*told, *done, "" if says else board_below(self.text)]))
