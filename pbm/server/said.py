"""Words that somebody wrote about a board: who the writer is there, what the words mean by its moves, and what forbids
acting on them or passing them on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import chain, takewhile

from games.rules import MoveError
from pbm.core.board import OpenBoard
from pbm.core.request import Request
from pbm.core.robots import is_robot
from pbm.domain.errors import BadArguments
from pbm.domain.idioms import moves
from pbm.domain.mail import RemarkKind
from pbm.domain.match import OfferKind, Player, Seat, other
from pbm.domain.meaning import Act, Meaning, discreet, meaning, plain
from pbm.domain.verbs import PASSWORD, leading, passwords_behind
from pbm.domain.wanted import game_named

CHAT = "chat"
_NO_COMMANDS = (Act.MOVE, Act.RULES, Act.SAY, Act.UNSURE)
COMMANDS = dict[Act, str]((act, act.value) for act in Act if act not in _NO_COMMANDS) | {Act.DRAW: "propose"}
_AFTER_MOVES = {Act.DRAW.value: "offer a draw", Act.RESIGN.value: "resign"}
"""What a player may do after their move, in words."""
NUMBER = re.compile(r"(?<![\w.:/-])\d{3,9}(?![\w/-])")


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


def holds_password(request: Request, text: str, writer: Player) -> bool:
    """Whether the text may hold a password of its writer, which nobody else may read."""
    userid = writer.userid.casefold()
    unchecked = {(userid, word) for word in passwords_behind(text.splitlines(), userid)}
    suspected = request.incoming.locked.keys() | request.incoming.verified.keys()
    return PASSWORD.search(text) is not None or bool(unchecked & suspected)


@dataclass(frozen=True)
class Said:
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
    def has_moved(self) -> bool:
        """Whether the writer plays here and waits for the opponent's move."""
        return bool(self.board.match.record) and self.is_running and self.seat is not None and not self.is_to_move

    @property
    def asked(self) -> OfferKind | None:
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

    @property
    def names_player(self) -> bool:
        """Whether the words name a player of the board; others may be anybody: "Has your son played?"."""
        userids = {player.userid.casefold() for player in self.board.match.players}
        return not (userids | {"opponent", "robot"}).isdisjoint(plain(self.text).rstrip("?").split())

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

    def check_elsewhere(self, words: str) -> None:
        """Raises: BadArguments if the words name another board where the writer plays."""
        named = map(int, NUMBER.findall(words))
        others = [self.request.tx.matches.summary(each) for each in named if each != self.board.match.board]
        running = (match for match in others if match is not None and match.result is None)
        if other_board := next((match.board for match in running if self.writer in match.players), None):
            raise BadArguments(
                f"Your email speaks of board {other_board}, too, so nothing is played. Answer the email of each board "
                "with nothing but what you do there."
            )

    @property
    def or_say(self) -> str:
        """A sentence on how to pass the words on all the same; empty if only a robot would get them."""
        return "" if self.rival is not None else f' To write to your opponent, begin with "{CHAT}".'

    @property
    def rules(self) -> str:
        """The help command for the game that is named, or else for the game of the board."""
        return f"help {game_named(self.text) or self.board.match.game}"

    def check_seated(self) -> None:
        """Raises: BadArguments for the words of an onlooker, who may mean the players or other onlookers."""
        if self.writer is not None and self.seat is None:
            raise BadArguments(
                'Nothing was passed on. To write to the players, begin with "chat"; to others who look on, with '
                '"kibitz".'
            )

    def check_no_password(self, writer: Player) -> None:
        """Raises: BadArguments."""
        if holds_password(self.request, self.text, writer):
            raise BadArguments(
                "Nothing was passed on, for your email may hold a password. Answers need none.", "help account"
            )

    def may_write(self, writer: Player) -> bool:
        """Whether the writer may send the message: programs that answer every mail repeat themselves, or send many."""
        remarks, since = self.request.tx.remarks, self.request.now - timedelta(days=1)
        most = self.request.tools.limits.messages_per_day
        if remarks.written_since(RemarkKind.COMMENT, writer.id, since) >= most:
            return False
        said = remarks.of(RemarkKind.COMMENT, self.board.match.board)
        return all(remark.author != writer or remark.text.split() != self.text.split() for remark in said)
