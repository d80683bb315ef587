"""The handling of one mail within one transaction: who sent it, what he may do, what is to be told to whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from games import GAMES
from games.rules import GameError, MoveError
from pbm.compose import Answer, Notice, Outcome, Reader
from pbm.domain.commands import Command, Standing, board_of_subject, redact, usage
from pbm.domain.errors import NotAllowed, NotFound, Rejected, Stale
from pbm.domain.events import CommentMade, Event
from pbm.domain.mail import Mail
from pbm.domain.match import Player, Seat
from pbm.domain.tokens import ReplyToken
from pbm.mailin import Message, strip_subject
from pbm.service.tables import Table
from pbm.service.telling import Tools, tell_players
from pbm.store import Transaction

Credentials = tuple[str, str]
"""A userid in lower case and a password."""

WRONG_LOGIN = "The userid or the password is wrong."


@dataclass(slots=True)
class Handling:
    """State of the handling of one mail. verified: credentials found right, and the hash they were checked with."""

    tx: Transaction
    tools: Tools
    message: Message
    token: ReplyToken | None
    verified: Mapping[Credentials, str]
    now: datetime
    comment: str = ""
    secrets: frozenset[str] = frozenset()
    answers: list[Answer] = field(default_factory=list)
    letters: list[Mail] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    identified: Player | None = None
    _tables: dict[int, Table] = field(default_factory=dict)

    def table(self, board: int, game: str | None = None) -> Table:
        """The board, loaded once. game: the game the sender thinks it is. Raises: NotFound."""
        table = self._tables.get(board)
        if table is None:
            table = self._tables[board] = Table.load(self.tx, self.tools.states, board, self.now)
        if game not in (None, table.match.game):
            title = GAMES[table.match.game].info.title
            raise NotFound(f"Board {board} is a game of {title}: write {table.match.game}, not {game}.")
        return table

    def named(self, command: Command) -> Table:
        """The board a command names, or else the one whose mail it answers. Raises: NotFound."""
        if "BOARD" in command.args and not command.args["BOARD"].startswith("#"):
            return self.table(int(command.args["BOARD"].partition("#")[0]), command.game)
        if self.token is None:
            raise NotFound("Which board? Name its number.", usage(command.verb, Standing()))
        return self.table(self.token.board)

    def seated(self, command: Command) -> tuple[Table, Seat]:
        """The board of a command, and the seat its sender has there. Raises: NotFound, NotAllowed, Stale."""
        table = self.named(command)
        if command.credentials is not None:
            return table, self._seat_of(table, self.login(command.credentials))
        if self.token is None or self.token.board != table.match.board:
            raise NotAllowed("Who are you? Put your userid and password into the command.", command.verb.line)
        self.identified = table.match.player(self.token.seat)
        if command.verb.alters and self.token.revision != table.revision:
            raise Stale("Your mail answers an earlier state of the board. Here is the present one.")
        return table, self.token.seat

    def login(self, credentials: Credentials) -> Player:
        """Raises: NotAllowed; the sentence does not tell whether the userid exists."""
        userid, password = credentials
        player = self.tx.players.find(userid)
        checked = self.verified.get((userid.casefold(), password))
        if player is None or checked is None or checked != self.tx.players.password_hash(player.id):
            raise NotAllowed(WRONG_LOGIN)
        self.identified = player
        return player

    def _seat_of(self, table: Table, player: Player) -> Seat:
        """Somebody who plays against himself has the seat that is to move."""
        seats = [seat for seat in (1, 2) if table.match.player(seat).id == player.id]
        if not seats:
            raise NotAllowed(f"{player.userid} is not a player of board {table.match.board}.")
        return table.state.to_move if len(seats) == 2 else seats[0]

    def show(self, table: Table, reader: Reader, *, ply: int | None = None) -> None:
        """Mail the sender a board, as it is or as it was after a ply. Raises: NotFound."""
        if ply is None:
            self.notices.append(Notice(table.match, table.state, reader, whole_record=True))
            return
        state = table.at(ply)
        scene = state.game.scene(state.position, state.last)
        shown = f"the position after ply {state.plies}."
        self.notices.append(Notice(table.match, table.state, reader, scene=scene, shown=shown, whole_record=True))

    def refuse(self, line: str, error: Rejected | GameError) -> None:
        """Answer a command that was not carried out; with the board, where the sender has a seat on it."""
        board = self.token.board if self.token else None
        played = next((table for table in self._tables.values() if self._sits_at(table)), None)
        table = self._tables.get(board) if board in self._tables else played
        if table is None or self.identified is None or not self._sits_at(table):
            suggestion = error.suggestion if isinstance(error, Rejected) else ""
            text = redact(str(error), self.secrets)
            self.answers.append(Answer(line, Outcome.FAILED, text, suggestion=suggestion))
            return
        seat = self.token.seat if self.token and self.token.board == table.match.board else None
        reader = self.reader(seat or self._seat_of(table, self.identified), table)
        nearby = error.candidates if isinstance(error, MoveError) else ()
        original = redact(self.original(), self.secrets)
        problem = redact(f"{_heading(error)}: {error}", self.secrets)
        self.notices.append(Notice(table.match, table.state, reader, problem=problem, nearby=nearby, original=original))

    def _sits_at(self, table: Table) -> bool:
        return self.identified is not None and table.match.seat_of(self.identified.id) is not None

    def original(self) -> str:
        """What the person wrote, to be quoted: his subject, unless it is one of ours, and his text."""
        subject = strip_subject(self.message.subject)
        shown = "" if board_of_subject(subject) is not None else subject
        return "\n\n".join(part for part in (shown, self.message.text.strip("\n")) if part)

    def adopt(self, table: Table, event: Event) -> None:
        """Take up a board that has just been made."""
        table.events.append(event)
        self._tables[table.match.board] = table

    def reader(self, seat: Seat, table: Table) -> Reader:
        player = table.match.player(seat)
        return Reader(tuple(self.tx.players.confirmed(player.id)[player.id]), player, seat)

    def sender(self) -> Reader:
        """Where answers go: the confirmed addresses of who showed who he is, otherwise the address the mail is from."""
        if self.identified is not None:
            addresses = self.tx.players.confirmed(self.identified.id)[self.identified.id]
            if addresses:
                return Reader(tuple(addresses), self.identified)
        known = self.tx.players.of_address(self.message.sender)
        return Reader((self.message.sender,) if self.message.sender else (), known[0] if known else None)

    def mails(self) -> list[Mail]:
        """Everything this handling has to tell, once all commands are through."""
        mails = list(self.letters)
        for table in self._tables.values():
            if table.events:
                mails += tell_players(self.tx, self.tools, table, self._comments(), self.identified, self.message)
        answering = self.message
        for notice in self.notices:
            mails += self.tools.composer.notice(notice, self.now, answering)
        if self.answers:
            mails += self._answer()
        return mails

    def _comments(self) -> tuple[CommentMade, ...]:
        text = redact(self.comment, self.secrets).strip()
        writer = self.identified.userid if self.identified else "The challenger"
        return (CommentMade(0, userid=writer, text=text),) if text else ()

    def _answer(self) -> list[Mail]:
        failed = any(answer.outcome is Outcome.FAILED for answer in self.answers)
        original = redact(self.original(), self.secrets) if failed else ""
        answers = [replace(answer, line=redact(answer.line, self.secrets)) for answer in self.answers]
        return self.tools.composer.answer(self.sender(), answers, self.now, self.message, original)


def _heading(error: Rejected | GameError) -> str:
    return "Not played" if isinstance(error, MoveError) else "Not done"
