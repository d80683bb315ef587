"""Writes down what is owed: from what happened, the values that each person's mail is made from when it is sent.

A notice shows one board to one reader: what happened, the position, and what they can send. An answer goes only to the
sender of a mail, and says what became of each command.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING

from games import GAMES
from pbm.compose import owed
from pbm.compose.notices import Answer, File, Gathering, Notice, Outcome, Posed, Reader, Shown, Whence
from pbm.compose.owed import BoardMail, BoardsMail, BoardThen, DrawnBoard, ForReader, Head, Illustration, Link, PageMail
from pbm.compose.views import Expiry, calendar_of, day, quotable
from pbm.compose.wire import Links, Thread, conversation, unsubscribe
from pbm.domain.calendars import micros
from pbm.domain.events import to_json
from pbm.domain.mail import Mail
from pbm.domain.match import SWAP, Match, Player, Record
from pbm.domain.settings import Settings
from pbm.domain.tokens import ChatToken, SeatToken, Signer
from pbm.mailin import Message, Robot

if TYPE_CHECKING:
    from pbm.compose.pages import Pages

SET_BACK, RENEWED = "set-back.txt", "renewed.txt"
"""The pages that show players their boards after the server was set back, or after older mails became void."""
_SUBJECTS = {SET_BACK: "pbm: your boards were set back", RENEWED: "pbm: your boards, to answer from now on"}
_MARK = f"\x1a{secrets.token_hex(8)}-"  # nobody can write one
"""Begins the marks that stand for drawings in pages."""
_MARKS = re.compile(rf"{_MARK}(\d+)\x1a")
_OF_SHOWN = [field.name for field in fields(Shown)]


def fresh_key() -> str:
    """A random key for a mail; keys increase with time, so that new mails are close together in an index."""
    return f"{int(time.time()):08x}{secrets.token_hex(12)}"


class _Pieces:
    """The pieces of a page, each with the mark that stands for it while the page is filled in."""

    def __init__(self) -> None:
        self._pieces: list[owed.Piece] = []

    def put(self, piece: owed.Piece) -> str:
        self._pieces.append(piece)
        return f"{_MARK}{len(self._pieces) - 1}\x1a"

    def divided(self, text: str) -> tuple[tuple[str, ...], tuple[owed.Piece, ...]]:
        """The page's words, and the pieces between them."""
        parts = _MARKS.split(text)
        return tuple(parts[::2]), tuple(self._pieces[int(number)] for number in parts[1::2])


@dataclass(slots=True)
class Composer:
    """Writes down mails."""

    robot: Robot
    signer: Signer
    make_key: Callable[[], str] = fresh_key

    @property
    def pages(self) -> Pages:
        from pbm.compose.pages import Pages  # slow to import, and to tell of a board needs none

        return Pages()

    def notice(self, notice: Notice, now: datetime, answers: Message | None = None) -> list[Mail]:
        """The board mail, one for each of the reader's addresses. answers: the reader's mail that it answers.

        answers has no id if other boards answer the same mail, too.
        """
        return self.notices([(notice, answers)], now)

    def notices(self, notices: Sequence[tuple[Notice, Message | None]], now: datetime) -> list[Mail]:
        """The mails that tell several readers of one board as it stands, each with the mail that it answers."""
        if not notices:
            return []
        match, state = notices[0][0].match, notices[0][0].state
        board, thread = _board_of([notice for notice, _ in notices]), Thread.of(match, state)
        shared, root, mails = owed.encoded(board), f"<{thread.name}@{self.robot.domain}>", list[Mail]()
        for notice, answers in notices:
            reader, token = notice.reader, self._token(notice)
            # The address for the board's chat is always the same; a stranger has none.
            posted_at = self.robot.address if reader.token else ""
            if reader.seat is not None:
                posted_at = self.tagged(self.signer.seal(ChatToken(match.board, reader.seat, _epoch(reader))))
            head = self._head(reader, now, conversation(root, answers))
            value = BoardMail("board", head, self._for_reader(notice, board, token), posted_at)
            mails += self._mails(reader, subject_of(notice, thread), value, match.board, token, shared)
        return mails

    def answer(
        self, reader: Reader, answers: Sequence[Answer], now: datetime, to: Message | None, original: str = "",
        sent_from: Whence | None = None, wish: str = "",
    ) -> list[Mail]:  # fmt: skip
        """The answers to the commands of a mail. to: the mail. original: its text to quote, without secrets.

        wish: what is done once a newcomer has a name.
        """
        first, pieces = answers[0], _Pieces()
        subject = first.subject if len(answers) == 1 and first.subject else self._summary(answers)
        if reader.player is not None:
            answers = [_illustrated(answer, pieces) for answer in answers]
        text = self.pages.mail(
            "answer.txt", answers=answers, original=quotable(original), robot=self.robot.address,
            joins=reader.newcomer is not None and not first.is_greeting, sent_from=sent_from,
            wish=wish,
        )  # fmt: skip
        return self._reply(reader, subject, text, pieces, now, to)

    def gathered(self, gathering: Gathering, now: datetime) -> list[Mail]:
        """The mail about several boards, one for each address; lines of an answer begin with a board's number."""
        reader, number = gathering.reader, len(gathering.boards)
        # An answer does not play on boards that have changed since now.
        token = self.signer.seal(reader.token.as_of(micros(now))) if reader.token else ""
        address = self.tagged(token)
        waiting = f"pbm: {number} board{'s' if number > 1 else ''} waiting for you, {day(now, reader.settings.zone)}"
        headers = conversation("", None) | ({"Reply-To": address} if token else {})
        # Only what comes every day by itself is something to unsubscribe from.
        if token and gathering.daily:
            headers |= unsubscribe(self.robot, "set digest off", address)
        boards = [(_board_of([notice]), notice) for notice in gathering.boards]
        value = BoardsMail(
            "boards",
            self._head(reader, now, headers),
            gathering.page,
            tuple((board, self._for_reader(notice, board, self._token(notice))) for board, notice in boards),
            gathering.others,
            gathering.daily,
            gathering.puzzles,
            gathering.lost_since,
            address,
        )
        return self._mails(reader, _SUBJECTS.get(gathering.page, waiting), value, None, token)

    def puzzle(
        self, reader: Reader, page: str, posed: Posed, now: datetime, *, to: Message | None = None, token: str = "",
        leave: str = "", **words: object,
    ) -> list[Mail]:  # fmt: skip
        """A page about a puzzle, with its board. token: makes an answer to the mail count as one to the puzzle.

        leave: the command that stops such mails, for the unsubscribe header.
        """
        pieces, game = _Pieces(), GAMES[posed.game].info
        address = self.tagged(token)
        drawing = DrawnBoard(
            "drawing", posed.game, posed.options, "", posed.moves, address, f"Re: puzzle {posed.number}"
        )
        shown = self.pages.render("posed.txt", posed=posed, board=pieces.put(drawing), prefix="", asks=bool(token))
        of_puzzle = {"shown": shown.rstrip("\n"), "number": posed.number, "game": game.name, "leave": leave}
        text = self.pages.mail(page, **of_puzzle, **words)
        identified_at = self.tagged(self.answered_by(reader)) or self.robot.address
        headers = unsubscribe(self.robot, leave, identified_at) if leave else {}
        subject = f"pbm: puzzle {posed.number} of {game.title}"
        return self._reply(reader, subject, text, pieces, now, to, headers, token=token)

    def review(
        self, reader: Reader, subject: str, match: Match, boards: Sequence[int], now: datetime, **words: object
    ) -> list[Mail]:
        """The review of a game, with the boards after so many moves, not counting a swap, without their lists."""
        pieces = _Pieces()
        moves = tuple(notation for notation in match.record.notations if notation != SWAP)
        drawn = DrawnBoard("drawing", match.game, match.options, match.body, lists=False)
        marks = [pieces.put(replace(drawn, moves=moves[:plies])) for plies in boards]
        text = self.pages.mail("review.txt", match=match, boards=marks, **words)
        return self._reply(reader, subject, text, pieces, now, None, board=match.board or None)

    def calendar(self, reader: Reader, deadlines: Sequence[Expiry], now: datetime, to: Message) -> list[Mail]:
        """The deadlines of boards, as text and as a calendar file."""
        subject, ordered = "pbm: your calendar", sorted(deadlines, key=lambda deadline: deadline.at)
        assert reader.player is not None  # noqa: S101  only a player has boards
        content = calendar_of(ordered, reader.player, self.robot.domain, now).encode()
        text = self.pages.mail("calendar.txt", deadlines=ordered, reader=reader)
        shown = File("", "text/calendar; method=PUBLISH", content)
        file = File("deadlines.ics", "application/ics; name=deadlines.ics", content)
        only_text = replace(reader, settings=replace(reader.settings, mail="text"))
        return self._reply(only_text, subject, text, _Pieces(), now, to, forms=(shown,), attached=(file,))

    def display(self, reader: Reader, sample: DrawnBoard, now: datetime, to: Message) -> list[Mail]:
        """A page in all forms, regardless of the reader's choice. sample: a board to show on it."""
        pieces, address = _Pieces(), self.tagged(self.answered_by(reader))
        commands = ("set mail both", "set picture on", "set mail text", "set mail html", "set board words")
        links = {line: pieces.put(Link("link", line, Links(address, line).url(""))) for line in commands}
        text = self.pages.mail("display.txt", drawing=f"{pieces.put(sample)}\n", links=links)
        return self._reply(replace(reader, settings=Settings()), "pbm: test display", text, pieces, now, to)

    def letter(
        self, address: str, subject: str, page: str, now: datetime, *, to: Message | None = None,
        player: Player | None = None, form: str = "both", reply_to: str = "", leave: str = "",
        headers: Mapping[str, str] | None = None, attached: Sequence[File] = (), **words: object,
    ) -> Mail:  # fmt: skip
        """A mail from a separate page, such as one that asks to confirm an address.

        player: its reader, whose userid the page gets. form: which they have chosen. reply_to: the token that an answer
        brings back. leave: the command that stops such mails, in an answer to that token. headers: additional.
        """
        words = {"userid": player.userid if player else "", **words}
        own = dict(headers or {})
        if reply_to:
            own["Reply-To"] = self.tagged(reply_to)
        if leave:
            own |= unsubscribe(self.robot, leave, self.tagged(reply_to))
        text = self.pages.mail(page, robot=self.robot.address, leave=leave, **words)
        reader = Reader((address,), player, settings=Settings(mail=form))
        head = self._head(reader, now, conversation("", to) | own)
        value = PageMail("page", head, (text,), attached=tuple(attached))
        return self._mails(reader, subject, value, None, reply_to)[0]

    def answered_by(self, reader: Reader) -> str:
        """The token that identifies the reader; empty if they have none."""
        token = reader.token or reader.newcomer
        return self.signer.seal(token) if token else ""

    def tagged(self, token: str) -> str:
        """Our address with a token; "" without one."""
        return f"{self.robot.local_part}+{token}@{self.robot.domain}" if token else ""

    def _for_reader(self, notice: Notice, board: BoardThen, token: str) -> ForReader:
        """What the notice tells its reader, besides the board. board: with all that it mentions."""
        return ForReader(
            notice.reader.seat,
            self.tagged(token),
            tuple(map(board.events.index, to_json(notice.events))),
            tuple(map(board.comments.index, notice.comments)),
            tuple(map(board.kibitz.index, notice.kibitz)),
            Shown(**{name: getattr(notice, name) for name in _OF_SHOWN}),
        )

    def _token(self, notice: Notice) -> str:
        """The token for answers that play; for a spectator the one that identifies them."""
        match, reader = notice.match, notice.reader
        if reader.seat is None:
            return self.answered_by(reader)
        return self.signer.seal(SeatToken(match.board, reader.seat, match.revision, _epoch(reader)))

    def _head(self, reader: Reader, now: datetime, headers: dict[str, str]) -> Head:
        robot = Robot(self.robot.local_part, self.robot.domain, unsubscribe_url=self.robot.unsubscribe_url)
        return Head(now, robot, headers, reader.player, reader.settings)

    def _reply(
        self, reader: Reader, subject: str, text: str, pieces: _Pieces, now: datetime, to: Message | None,
        headers: Mapping[str, str] | None = None, *, board: int | None = None, token: str = "",
        forms: tuple[File, ...] = (), attached: tuple[File, ...] = (),
    ) -> list[Mail]:  # fmt: skip
        """Mails to all of the reader's addresses, answered without a seat's token. headers: additional."""
        token = token or self.answered_by(reader)
        reply_to = {"Reply-To": self.tagged(token)} if token else {}
        head = self._head(reader, now, conversation("", to) | reply_to | dict(headers or {}))
        value = PageMail("page", head, *pieces.divided(text), forms, attached)
        return self._mails(reader, subject, value, board, token)

    def _mails(
        self, reader: Reader, subject: str, value: owed.Owed, board: int | None, token: str, shared: bytes = b""
    ) -> list[Mail]:
        """What is owed, once for each of the reader's addresses."""
        written, player_id = owed.encoded(value), reader.player.id if reader.player else None
        mails = []
        # A mail each, with a return path of its own: by that a bounce tells which address failed.
        for address in reader.addresses:
            key = self.make_key()
            path = self.return_path(key)
            mails.append(
                Mail(key, address, path, subject, written, board, player_id, False, token, shared, owed.VERSION)
            )
        return mails

    def return_path(self, key: str) -> str:
        """The address for bounces of the mail with the key, which nobody can make who only knows its Message-ID."""
        return self.robot.return_path(self.signer.return_key(key))

    @staticmethod
    def _summary(answers: Sequence[Answer]) -> str:
        failed = any(answer.outcome is Outcome.FAILED for answer in answers)
        if len(answers) == 1:
            return "pbm: not done" if failed else "pbm: done"
        done = sum(answer.outcome is Outcome.DONE for answer in answers)
        return f"pbm: {done} of {len(answers)} commands done"


def _illustrated(answer: Answer, pieces: _Pieces) -> Answer:
    """The answer with a mark in place of the line that its chart belongs to."""
    if answer.chart is None:
        return answer
    mark = pieces.put(Illustration("illustration", answer.chart))
    return replace(answer, text=answer.text.replace(answer.chart.line, mark, 1))


def _board_of(notices: Sequence[Notice]) -> BoardThen:
    """The board of the notices as it stands, with all that any of them tells of."""
    match = notices[0].match
    # Most readers are told of the same: each is stored once.
    events = dict.fromkeys(event for notice in notices for event in notice.events)
    comments = dict.fromkeys(comment for notice in notices for comment in notice.comments)
    kibitz = dict.fromkeys(remark for notice in notices for remark in notice.kibitz)
    record = match.record
    # Of the players' settings those that stop their clocks.
    first, second = (Settings(timezone=own.timezone, sleep=own.sleep, weekend=own.weekend) for own in match.settings)
    return BoardThen(
        match._replace(record=Record(), settings=(first, second)),
        record.notations,
        "".join(map(str, record.seats)),
        tuple(place for place, ply in enumerate(record) if ply.auto),
        record[-1].played_at if record else None,
        tuple(to_json(events)),
        tuple(comments),
        tuple(kibitz),
    )


def _epoch(reader: Reader) -> int:
    """The epoch for tokens of the reader's seats."""
    return reader.token.epoch if reader.token else 0


def subject_of(notice: Notice, thread: Thread) -> str:
    """One subject for all mails of a board; or one that says whose turn it is, our way or the classic server's."""
    match, state, kind = notice.match, notice.state, notice.reader.settings.subject
    # Gmail joins mails of a conversation only if they have the same subject.
    if kind == "constant":
        return thread.title
    over = match.result is not None
    mover = "" if over else match.player(state.to_move).userid
    if kind == "turn":
        turn = "over" if over else "your turn" if notice.reader.seat == state.to_move else f"{mover}'s turn"
        return f"{thread.board}: {turn},{thread.title.removeprefix(thread.board)}"
    if notice.problem:
        return f"{thread.board} Error"
    return f"{'' if match.record or over else 'New '}{thread.board} {mover}{' **' if notice.comments else ''}".rstrip()
