"""Turns what happened into the mail that each person gets.

A notice shows one board to one reader: what happened, the position, and what they can send. An answer goes only to the
sender of a mail, and says what became of each command. All wording is in the templates.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import format_datetime
from functools import lru_cache, partial
from typing import Any, TypeVarTuple

from pbm.compose.machine import addressed
from pbm.compose.notices import Answer, Gathering, Notice, Outcome, Posed, Reader, Whence
from pbm.compose.pages import BESIDES, BOTH, Pages, Sheet, to_ascii, wrapped
from pbm.compose.views import Expiry, View, calendar_of, day, view_of
from pbm.compose.wire import (
    Links,
    Part,
    Parts,
    Thread,
    board_headers,
    conversation,
    octets,
    to_bytes,
    unsubscribe,
    written,
)
from pbm.domain.calendars import micros
from pbm.domain.events import CommentMade
from pbm.domain.mail import Mail, Remark
from pbm.domain.match import IntentKind, Match, Player, State, other
from pbm.domain.spans import told
from pbm.domain.tokens import ChatToken, SeatToken, Signer
from pbm.draw import ASCII
from pbm.mailin import Message, Robot

Ts = TypeVarTuple("Ts")

SET_BACK, RENEWED = "set-back.txt", "renewed.txt"
"""The pages that show players their boards after the server was set back, or after older mails became void."""
_SUBJECTS = {SET_BACK: "pbm: your boards were set back", RENEWED: "pbm: your boards, to answer from now on"}
MAX_QUOTED_LINES = 30
"""How many lines of the original mail an answer quotes."""
MAX_DRAWN_TOGETHER = 12
"""How many boards are drawn in one mail."""
CARRIED = 3000
"""Octets of a picture or a file besides its content, including the words about it."""
MAX_UNASKED = 6_000
"""The most octets of boards in the HTML for a stranger."""
MAX_TOLD = 25_000
"""With more octets of people's words, there is no room for an earlier board."""
MOST_AHEAD = 200
"""How many mails composed in rehearsals are kept."""


def fresh_key() -> str:
    """A random key for a mail; keys increase with time, so that new mails are close together in an index."""
    return f"{int(time.time()):08x}{secrets.token_hex(12)}"


@dataclass(slots=True)
class Composer:
    """Writes mails."""

    robot: Robot
    signer: Signer
    pages: Pages = field(default_factory=Pages)
    make_key: Callable[[], str] = fresh_key
    _ahead: dict[tuple[int, tuple[str, ...]], tuple[object, list[Mail]]] = field(default_factory=dict)
    """Mails composed in rehearsals, with everything they were composed from, by board and addresses."""
    _is_aside: bool = False

    def notice(self, notice: Notice, now: datetime, answers: Message | None = None) -> list[Mail]:
        """The board mail, one for each of the reader's addresses. answers: the reader's mail that it answers.

        answers has no id if other boards answer the same mail, too.
        """
        return self._once(notice.match.board, notice.reader, self._notice, notice, now, answers)

    def _once(self, board: int, reader: Reader, write: Callable[[*Ts], list[Mail]], *telling: *Ts) -> list[Mail]:
        """The mails, composed now, or taken from a rehearsal and only given new keys.

        Rehearsed mails are used once, and only if composed from equal arguments. board: that of the mails; 0 for none.
        """
        whom = board, reader.addresses
        if not self._is_aside:
            known, mails = self._ahead.pop(whom, (None, []))
            return [self.rekeyed(mail) for mail in mails] if known == telling else write(*telling)
        if len(self._ahead) >= MOST_AHEAD:
            del self._ahead[next(iter(self._ahead))]
        self._ahead[whom] = telling, write(*telling)
        return self._ahead[whom][1]

    def _notice(self, notice: Notice, now: datetime, answers: Message | None) -> list[Mail]:
        match = notice.match
        view = view_of(notice.state, notice.scene, lists=match.result is None)
        thread = view.situation(match).thread
        subject = _subject(notice, thread)
        is_news = bool(notice.events or notice.comments or notice.problem or notice.intents)
        asked = bool(notice.shown) or not is_news  # to see the board
        to_move = match.result is None and notice.reader.seat == notice.state.to_move
        sheet = self._sheet(notice.reader, pictured=asked or to_move)
        told = _told(notice)
        if told > MAX_TOLD:
            notice = replace(notice, before=None)
        sheet.room -= told + _carried(notice)
        if notice.before is not None:  # it is drawn in any case, and the reader's board gets the rest
            sheet.room -= BESIDES + 2 * len(view.text(notice.reader.settings.board))
        answered_at = self._answered_at(notice)
        text = self.pages.mail(notice.page, **self._board_words(notice, view, sheet, answered_at, now))
        shown = view.machine(match) if sheet.drawn else ""
        machine = shown and addressed(
            shown, notice.reader.seat, answered_at, events=(type(event).__name__ for event in notice.events),
            comments=((comment.userid, comment.text) for comment in notice.comments), asked=asked,
            error=notice.problem, candidates=notice.nearby,
        )  # fmt: skip
        body = sheet.body(sheet.illustrated(text, notice.figure), subject, machine)
        if notice.attached:
            body = Parts("mixed", (body, *notice.attached))
        root = f"<{thread.name}@{self.robot.domain}>"
        headers = conversation(root, answers) | ({"Reply-To": answered_at} if answered_at else {})
        headers |= board_headers(self.robot, match, thread, notice.leave, answered_at, self._posted_at(notice))
        reader = notice.reader
        return [self._mail(each, subject, body, now, headers, match.board, reader.player) for each in reader.addresses]

    def aside(self) -> Composer:
        """A composer for rehearsals, whose mails are kept for this one until what they say has happened.

        It does not use up keys of this composer.
        """
        return Composer(self.robot, self.signer, self.pages, _ahead=self._ahead, _is_aside=True)

    def answer(
        self, reader: Reader, answers: Sequence[Answer], now: datetime, to: Message | None, original: str = "",
        sent_from: Whence | None = None,
    ) -> list[Mail]:  # fmt: skip
        """The answers to the commands of a mail. to: the mail. original: its text to quote, without secrets."""
        return self._once(0, reader, self._answer, reader, tuple(answers), now, to, original, sent_from)

    def _answer(
        self, reader: Reader, answers: Sequence[Answer], now: datetime, to: Message | None, original: str,
        sent_from: Whence | None,
    ) -> list[Mail]:  # fmt: skip
        first = answers[0]
        subject = first.subject if len(answers) == 1 and first.subject else self._summary(answers)
        sheet = self._sheet(reader)
        shown = (each.figure if reader.player else None for each in answers)
        told = [replace(each, text=sheet.illustrated(each.text, one)) for each, one in zip(answers, shown, strict=True)]
        text = self.pages.mail(
            "answer.txt", answers=told, original=_quotable(original), robot=self.robot.address,
            joins=reader.newcomer is not None and not first.is_greeting, sent_from=sent_from,
        )  # fmt: skip
        return self._reply(reader, subject, sheet.body(text, subject), now, to)

    def gathered(self, gathering: Gathering, now: datetime, let_pass: Callable[[], None]) -> list[Mail]:
        """The mail about several boards, one for each address; lines of an answer begin with a board's number.

        Such an answer does not play on boards that have changed since now. let_pass: called after each board.
        """
        return self._once(0, gathering.reader, partial(self._gathered, let_pass), gathering, now)

    def _gathered(self, let_pass: Callable[[], None], gathering: Gathering, now: datetime) -> list[Mail]:
        reader, drawn = gathering.reader, min(len(gathering.boards), MAX_DRAWN_TOGETHER)
        sheet = self._sheet(reader, drawn + len(gathering.puzzles))
        sections = []
        for place, notice in enumerate(gathering.boards):
            sections.append(self._section(notice, sheet, now, drawn=place < drawn))
            let_pass()
        number, first = len(sections), next(iter(gathering.boards), None)
        examples = self._examples(first, view_of(first.state, None)) if first else []
        token = self.signer.seal(reader.token.as_of(micros(now))) if reader.token else ""
        waiting = f"pbm: {number} board{'s' if number > 1 else ''} waiting for you, {day(now, reader.settings.zone)}"
        subject = _SUBJECTS.get(gathering.page, waiting)
        text = self.pages.mail(
            gathering.page, lost_since=gathering.lost_since,
            sections=sections, others=gathering.others, reader=reader, daily=gathering.daily,
            puzzles=[self._posed(each, reader, sheet, token, f"puzzle {each.number} ") for each in gathering.puzzles],
            ladder=told(reader.settings.remind),
            example=f"{first.match.board} {next(iter(examples), 'F6')}" if first else "",
        )  # fmt: skip
        headers = {"Reply-To": self.tagged(token)} if token else {}
        if token and gathering.daily:
            headers |= unsubscribe(self.robot, "set digest off", headers["Reply-To"])
        return self._reply(reader, subject, sheet.body(text, subject), now, None, headers)

    def puzzle(
        self, reader: Reader, page: str, posed: Posed, now: datetime, *, to: Message | None = None, token: str = "",
        leave: str = "", **words: object,
    ) -> list[Mail]:  # fmt: skip
        """A page about a puzzle, with its board. token: makes an answer to the mail count as one to the puzzle.

        leave: the command that stops such mails, for the unsubscribe header.
        """
        sheet, subject = self._sheet(reader), f"pbm: puzzle {posed.number} of {posed.state.game.info.title}"
        shown = self._posed(posed, reader, sheet, token, "")
        known = {"shown": shown, "number": posed.number, "game": posed.state.game.info.name, "leave": leave}
        text = self.pages.mail(page, **known, **words)
        headers = unsubscribe(self.robot, leave, self._known_at(reader) or self.robot.address) if leave else {}
        if token:
            headers["Reply-To"] = self.tagged(token)
        return self._reply(reader, subject, sheet.body(text, subject), now, to, headers)

    def review(
        self, reader: Reader, subject: str, match: Match, boards: Sequence[State], now: datetime, **words: object
    ) -> list[Mail]:
        """The review of a game, with some of its boards, without their lists of moves."""
        sheet = self._sheet(reader, max(1, len(boards)))
        views = [view_of(each, None, lists=False) for each in boards]
        drawn = [each.rstrip("\n") for each in sheet.drawings(views, reader.settings.board)]
        text = self.pages.mail("review.txt", match=match, boards=drawn, **words)
        return self._reply(reader, subject, sheet.body(text, subject), now, None, board=match.board)

    def _posed(self, posed: Posed, reader: Reader, sheet: Sheet, token: str, prefix: str) -> str:
        """The board of a puzzle. token: for the answers its links open; empty for no links. prefix: begins them."""
        links = Links(self.tagged(token), f"Re: puzzle {posed.number}", prefix) if token else None
        board = sheet.board(view_of(posed.state, None), reader.settings.board, links)
        words = {"board": board.rstrip("\n"), "prefix": prefix, "asks": bool(token)}
        return self.pages.render("posed.txt", posed=posed, **words).rstrip("\n")

    def calendar(self, reader: Reader, deadlines: Sequence[Expiry], now: datetime, to: Message) -> list[Mail]:
        """The deadlines of boards, as text and as a calendar file."""
        subject, ordered = "pbm: your calendar", sorted(deadlines, key=lambda each: each.at)
        assert reader.player is not None  # noqa: S101  only a player has boards
        content = calendar_of(ordered, reader.player, self.robot.domain, now)
        text = self.pages.mail("calendar.txt", deadlines=ordered, reader=reader)
        shown = Parts("alternative", (Part("text/plain", text), Part("text/calendar; method=PUBLISH", content)))
        file = Part.file("deadlines.ics", "application/ics; name=deadlines.ics", content.encode())
        body = Parts("mixed", (shown, file))
        return self._reply(reader, subject, body, now, to)

    def _section(self, notice: Notice, sheet: Sheet, now: datetime, *, drawn: bool) -> str:
        """One board among several, with links as in its own mail."""
        view = view_of(notice.state, None)
        prefix = f"{notice.match.board} "
        words = self._board_words(notice, view, sheet, self._answered_at(notice), now, prefix)

        def answers() -> list[str]:
            """The answers, in HTML without moves that the board above has as links."""
            shown = zip(self._examples(notice, view), words["examples"](), strict=True)
            hidden = sheet.linked if drawn else ()
            return [sheet.only_text(f"  {prefix}{word}") if word in hidden else f"  {link}" for word, link in shown]

        return self.pages.render("section.txt", **words, drawn=drawn, ruled=sheet.ruled, answers=answers)

    def display(self, reader: Reader, sample: State, now: datetime, to: Message) -> list[Mail]:
        """A page in all forms, regardless of the reader's choice. sample: a board to show on it."""
        subject, sheet = "pbm: test display", Sheet(BOTH, self.robot.domain)
        address = self.tagged(self.answered_by(reader))
        commands = ("set mail both", "set picture on", "set mail text", "set mail html", "set board words")
        text = self.pages.mail(
            "display.txt",
            drawing=lambda: sheet.board(view_of(sample, None), ASCII),
            links={line: sheet.link(line, Links(address, line).urls([""])[0]) for line in commands},
        )
        return self._reply(reader, subject, sheet.body(text, subject), now, to)

    def letter(
        self, address: str, subject: str, page: str, now: datetime, *, to: Message | None = None,
        player: Player | None = None, form: str = BOTH, reply_to: str = "", leave: str = "",
        headers: Mapping[str, str] | None = None, attached: Sequence[Part] = (), **words: object,
    ) -> Mail:  # fmt: skip
        """A mail from a separate page, such as one that asks to confirm an address.

        player: its reader, whose userid the page gets. form: which they have chosen. reply_to: the token that an answer
        brings back. leave: the command that stops such mails, in an answer to that token. headers: additional.
        """
        words = {"userid": player.userid if player else "", **words}
        head = {**conversation("", to), **(headers or {})}
        if reply_to:
            head["Reply-To"] = self.tagged(reply_to)
        if leave:
            head |= unsubscribe(self.robot, leave, self.tagged(reply_to))
        text = self.pages.mail(page, robot=self.robot.address, leave=leave, **words)
        body = Sheet(form, self.robot.domain).body(text, subject)
        if attached:
            body = Parts("mixed", (body, *attached))
        return self._mail(address, subject, body, now, head, None, player)

    def _sheet(self, reader: Reader, boards: int = 1, *, pictured: bool = True) -> Sheet:
        """The reader's sheet; a stranger, who may not have asked for it, gets no picture and nothing large.

        pictured: whether pictures suit the mail: filters take a big picture with little text for spam.
        """
        settings = reader.settings
        if reader.player is None:
            sheet = Sheet(settings.mail, self.robot.domain, pictured=False, boards=boards)
            sheet.room = MAX_UNASKED
            return sheet
        pictured = settings.picture == "on" or (pictured and settings.picture != "off")
        return Sheet(settings.mail, self.robot.domain, pictured=pictured, boards=boards)

    def _board_words(
        self, notice: Notice, view: View, sheet: Sheet, answered_at: str, now: datetime, prefix: str = ""
    ) -> dict[str, Any]:
        """prefix: what an answer must begin with if the mail does not identify the board; links do."""
        match, state, reader = notice.match, notice.state, notice.reader
        situation, zone, style = view.situation(match), reader.settings.zone, reader.settings.board
        over = match.result is not None
        may_play = not over and notice.scene is None and reader.seat == state.to_move
        links = Links(answered_at, f"Re: {match.board}") if reader.seat else None
        whole = notice.whole_record or over

        def moves() -> str:
            return situation.moves(state, whole=whole)

        def besides() -> int:
            return 0 if prefix else octets(view.machine(match)) + (2 * len(moves()) if whole else 0)

        def urls(texts: Sequence[str]) -> list[str]:
            return links.urls(texts) if links else [""] * len(texts)

        def examples() -> list[str]:
            words = [] if over else self._examples(notice, view)
            return [sheet.link(f"{prefix}{word}", url) for word, url in zip(words, urls(words), strict=True)]

        def offered() -> list[str]:
            """The lines to answer with; the link of each opens an answer with all of them."""
            (url,) = urls(["\r\n".join(notice.offered)])
            return [sheet.link(part, url) for line in notice.offered for part in wrapped(line, 2).splitlines()]

        return {
            "notice": notice,
            "match": match,
            "state": state,
            "told": [event for event in notice.events if not event.aftermath],
            "aftermath": [event for event in notice.events if event.aftermath],
            "title": situation.thread.board,
            "seat": reader.seat,
            "over": over,
            "drawing": lambda: sheet.board(view, style, links if may_play else None, besides),
            "earlier": lambda earlier: sheet.board(view_of(earlier, None, lists=False), style),
            "clock": situation.clock_lines(zone, now),
            "standstills": situation.standstills(reader.seat, zone, now),
            "waits": bool(notice.intents or match.offer or (match.clock and match.clock.overrun_at)),
            "offered": offered() if notice.offered else [],
            "moves": moves,
            "examples": examples,
            "original": _quotable(notice.original),
            "robot": self.robot.address,
            **notice.words,
        }

    def _examples(self, notice: Notice, view: View) -> list[str]:
        """Answers that the reader may give now: to an offer, to a submitted move, and moves.

        The moves are two legal ones, or those close to a refused one, and commands that may replace a move.
        """
        match, state, seat = notice.match, notice.state, notice.reader.seat
        offer, clock = match.offer, match.clock
        asked = ["accept", "reject"] if offer is not None and seat == other(offer.seat) else []
        if clock is not None and clock.overrun_at is not None and seat == other(clock.seat):
            asked += ["claim", "claim draw", "give 3d"]
        waiting = {intent.kind for intent in notice.intents}
        if IntentKind.HOLD in waiting:
            asked.append("cancel")
        if IntentKind.SUBMIT in waiting:
            asked.append("yes" if any(intent.is_question for intent in notice.intents) else "confirm")
        if seat == state.to_move:
            asked += [*(notice.nearby[:3] or view.examples), *(["swap"] if state.may_swap else [])]
        return asked

    def _answered_at(self, notice: Notice) -> str:
        """The address for answers that play; for a spectator as `_known_at`."""
        match, reader = notice.match, notice.reader
        if reader.seat is None:
            return self._known_at(reader)
        return self.tagged(self.signer.seal(SeatToken(match.board, reader.seat, match.revision, _epoch(reader))))

    def _posted_at(self, notice: Notice) -> str:
        """The address for the board's chat, always the same; empty for a stranger."""
        reader = notice.reader
        if reader.seat is None:
            return self.robot.address if reader.token else ""
        return self.tagged(self.signer.seal(ChatToken(notice.match.board, reader.seat, _epoch(reader))))

    def _known_at(self, reader: Reader) -> str:
        """The address whose token identifies the reader; empty if they have none."""
        token = self.answered_by(reader)
        return self.tagged(token) if token else ""

    def answered_by(self, reader: Reader) -> str:
        """The token that identifies the reader; empty if they have none."""
        token = reader.token or reader.newcomer
        return self.signer.seal(token) if token else ""

    def tagged(self, token: str) -> str:
        """Our address with a token."""
        return f"{self.robot.local_part}+{token}@{self.robot.domain}"

    def _reply(
        self, reader: Reader, subject: str, body: Part | Parts, now: datetime, to: Message | None,
        headers: Mapping[str, str] | None = None, board: int | None = None,
    ) -> list[Mail]:  # fmt: skip
        """Mails to all of the reader's addresses, answered without a seat's token. headers: additional."""
        address = self._known_at(reader)
        head = {**conversation("", to), **({"Reply-To": address} if address else {}), **(headers or {})}
        return [self._mail(each, subject, body, now, head, board, reader.player) for each in reader.addresses]

    def _mail(
        self, address: str, subject: str, body: Part | Parts, now: datetime, headers: dict[str, str],
        board: int | None = None, player: Player | None = None,
    ) -> Mail:  # fmt: skip
        key, domain = self.make_key(), self.robot.domain
        head = {
            "From": f"pbm <{self.robot.address}>",
            "To": address,
            "Subject": subject,
            "Date": _date(now),
            "Message-ID": f"<{key}@{domain}>",
            **headers,
            "X-Auto-Response-Suppress": "All",
            "X-Pbm-Loop": domain,
        }
        raw, player_id = to_bytes(head, body, key), player.id if player else None
        return Mail(key, address, self.robot.return_path(key), subject, raw, board, player_id)

    def rekeyed(self, mail: Mail) -> Mail:
        """The mail with a new key wherever the old one stands."""
        key = self.make_key()
        raw = mail.raw.replace(mail.key.encode(), key.encode())
        known, path = (mail.board, mail.player_id, mail.reply), self.robot.return_path(key)
        return Mail(key, mail.address, path, mail.subject, raw, *known)

    @staticmethod
    def _summary(answers: Sequence[Answer]) -> str:
        failed = any(answer.outcome is Outcome.FAILED for answer in answers)
        if len(answers) == 1:
            return "pbm: not done" if failed else "pbm: done"
        done = sum(answer.outcome is Outcome.DONE for answer in answers)
        return f"pbm: {done} of {len(answers)} commands done"


@lru_cache(maxsize=16)
def _date(instant: datetime) -> str:
    """Cached, because all mails of a transaction have the same date."""
    return format_datetime(instant)


def _subject(notice: Notice, thread: Thread) -> str:
    """One subject for all mails of a board; or one that says whose turn it is, our way or the classic server's."""
    match, state, kind = notice.match, notice.state, notice.reader.settings.subject
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


def _epoch(reader: Reader) -> int:
    """The epoch for tokens of the reader's seats."""
    return reader.token.epoch if reader.token else 0


def _told(notice: Notice) -> int:
    """Octets that people's words take in all forms of the mail."""
    remarks: tuple[CommentMade | Remark, ...] = (*notice.comments, *notice.kibitz, *notice.notes)
    said = [each.text for each in remarks] + _quotable(notice.original)
    if not said:
        return 0
    words = "\n".join(said)
    told = len(to_ascii(words)) + len(written(words)[1]) + len(json.dumps(words))
    return told if words.isascii() else told * 5 // 4  # the text around them is encoded, too


def _carried(notice: Notice) -> int:
    """Octets that the figure and attached files take in the mail."""
    carried = [part.content for part in notice.attached] + ([notice.figure.picture.data] if notice.figure else [])
    return sum(len(each) * 37 // 27 + CARRIED for each in carried)


def _quotable(original: str) -> list[str]:
    """The lines to quote, limited in number and length."""
    if not original:
        return []
    lines = original.strip("\n").splitlines()
    shown = [line[:200] for line in lines[:MAX_QUOTED_LINES]]
    return [*shown, f"[{len(lines) - len(shown)} more lines]"] if len(lines) > len(shown) else shown
