"""Makes the mail of what is owed: a pure function of the value, which gives the same bytes each time.

It reads templates and the rules of games, and nothing else: no database, no clock, no secret and no chance. So it may
run in any process, as often as a mail is tried, and for a person who wants to see it. All wording is in the templates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from email.utils import format_datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from games import GAMES
from games.rules import Zoomable
from games.scene import Scene
from pbm.compose import owed
from pbm.compose.machine import addressed
from pbm.compose.notices import KEEPSAKE, File, Notice, Posed, Reader, Shown
from pbm.compose.owed import BoardMail, BoardsMail, BoardThen, DrawnBoard, ForReader, Head, Link, PageMail
from pbm.compose.pages import BESIDES, TEXT, Figure, Pages, Sheet, to_ascii
from pbm.compose.scoresheet import move_list
from pbm.compose.views import View, clock_lines, quotable, standstills, view_of, wrapped
from pbm.compose.wire import Links, Part, Parts, Thread, board_headers, octets, to_bytes, written
from pbm.domain import game_record
from pbm.domain.events import CommentMade, from_json
from pbm.domain.game_record import GameRecord
from pbm.domain.mail import FINISHED, Mail, Remark
from pbm.domain.match import Intent, IntentKind, Match, Ply, Record, State, other, replay
from pbm.domain.spans import ladder_in_words
from pbm.draw import WORDS, plots
from pbm.draw.picture import film

MAX_DRAWN_TOGETHER = 12
"""How many boards are drawn in one mail."""
CARRIED = 3000
"""Octets of a picture or a file besides its content, including the words about it."""
MAX_UNASKED = 6_000
"""The most octets of boards in the HTML for a stranger."""
MAX_TOLD = 25_000
"""With more octets of people's words, there is no room for an earlier board."""
_PAGES = Pages()
_OF_SHOWN = [field.name for field in fields(Shown)]


class Untellable(Exception):
    """A value that no mail can be made of."""


def mail_bytes(mail: Mail) -> bytes:
    """The mail as it goes out. Raises: Untellable, for what was written by another version, or by a fault of ours."""
    # Of a version that stored the mail itself.
    if mail.version == FINISHED:
        return mail.owed
    try:
        value = owed.decoded(mail)
        if isinstance(value, BoardMail):
            return _board_mail(mail, value)
        return _boards_mail(mail, value) if isinstance(value, BoardsMail) else _page_mail(mail, value)
    # Whatever is wrong with one value, the mails behind it must go out.
    except Exception as error:
        raise Untellable(f"{type(error).__name__}: {error}") from error


_Standing = tuple[BoardThen, Match, State]
"""A board as it stood, with its match and its state replayed."""


def _standing(board: BoardThen) -> _Standing:
    match, autos = board.match, frozenset(board.autos)
    played_at = board.moved_at or match.started_at
    plies = [
        Ply(notation, int(seat), played_at, place in autos)
        for place, (notation, seat) in enumerate(zip(board.notations, board.seats, strict=True))
    ]
    state = replay(GAMES[match.game], match.options, match.body, board.notations, judged=False)
    return board, match._replace(record=Record.of(plies)), state


@lru_cache(maxsize=64)  # the mails to all readers of a board are made one after another
def _standing_of(shared: bytes) -> _Standing:
    return _standing(owed.decoded_board(shared))


def _notice(standing: _Standing, part: ForReader, head: Head) -> Notice:
    """What one reader is told."""
    board, match, state = standing
    return Notice(
        match=match,
        state=state,
        reader=Reader((), head.player, part.seat, head.settings),
        events=tuple(from_json(board.events[place] for place in part.events)),
        comments=tuple(board.comments[place] for place in part.comments),
        kibitz=tuple(board.kibitz[place] for place in part.kibitz),
        **{name: getattr(part.shown, name) for name in _OF_SHOWN},
    )


def _board_mail(mail: Mail, value: BoardMail) -> bytes:
    head, part = value.head, value.told
    notice = _notice(_standing_of(mail.shared), part, head)
    of_people = _of_people(notice)
    # Words of people are told whole; the earlier board is what can be done without.
    if of_people > MAX_TOLD:
        notice = replace(notice, before=False)
    view = view_of(notice.state, _scene(notice), lists=_lists_moves(notice))
    kept = _kept(notice) if notice.page == KEEPSAKE else _Kept({})
    sheet = _sheet(head, pictured=_asks(notice) or _is_to_move(notice))
    sheet.room -= of_people + kept.octets
    if notice.before:  # it is drawn in any case, and the reader's board gets the rest
        sheet.room -= BESIDES + 2 * len(view.text(notice.reader.settings.board))
    page = _BoardPage(notice, view, sheet, head, part.answered_at)
    text = _PAGES.mail(notice.page, **page.words(), **kept.words)
    machine = ""
    if sheet.drawn and page.machine:
        machine = addressed(page.machine, notice, part.answered_at, asked=_asks(notice))
    body = _with_files(sheet.body(sheet.illustrated(text, kept.figure), mail.subject, machine), kept.attached)
    headers = head.headers | ({"Reply-To": part.answered_at} if part.answered_at else {})
    thread = Thread.of(notice.match, notice.state)
    headers |= board_headers(head.robot, notice.match, thread, notice.leave, part.answered_at, value.posted_at)
    return _bytes(mail, head, headers, body)


def _asks(notice: Notice) -> bool:
    """Whether the reader asked to see the board: nothing else is told."""
    is_news = bool(notice.events or notice.comments or notice.problem or notice.intents)
    return bool(notice.shown) or not is_news


def _is_to_move(notice: Notice) -> bool:
    return notice.match.result is None and notice.reader.seat == notice.state.to_move


def _lists_moves(notice: Notice) -> bool:
    """Whether moves are listed: while the game goes on; and in words, which are read to the end, not to the waiting."""
    if notice.match.result is not None:
        return False
    waits = notice.reader.seat not in (None, notice.state.to_move)
    return not (waits and notice.reader.settings.board == WORDS)


def _boards_mail(mail: Mail, value: BoardsMail) -> bytes:
    head, drawn = value.head, min(len(value.boards), MAX_DRAWN_TOGETHER)
    sheet = _sheet(head, drawn + len(value.puzzles))
    notices = [_notice(_standing(board), part, head) for board, part in value.boards]
    sections = [
        _section(notice, sheet, head, part.answered_at, drawn=place < drawn)
        for place, (notice, (_, part)) in enumerate(zip(notices, value.boards, strict=True))
    ]
    first = next(iter(notices), None)
    examples = _examples(first, view_of(first.state, None)) if first else []
    text = _PAGES.mail(
        value.page, lost_since=value.lost_since,
        sections=sections, others=value.others, reader=Reader((), head.player, None, head.settings), daily=value.daily,
        puzzles=[_posed(posed, sheet, head, value.answered_at) for posed in value.puzzles],
        ladder=ladder_in_words(head.settings.remind),
        example=f"{first.match.board} {next(iter(examples), 'F6')}" if first else "",
    )  # fmt: skip
    return _bytes(mail, head, head.headers, sheet.body(text, mail.subject))


def _page_mail(mail: Mail, value: PageMail) -> bytes:
    head, pieces = value.head, value.pieces
    drawings = [piece for piece in pieces if isinstance(piece, DrawnBoard)]
    sheet = _sheet(head, max(1, len(drawings)))
    boards = iter(_drawings(drawings, sheet, head.settings.board))
    shown = [""]
    for piece in pieces:
        if isinstance(piece, DrawnBoard):
            shown.append(next(boards))
        elif isinstance(piece, Link):
            shown.append(sheet.link(piece.text, piece.url))
        else:
            chart = piece.chart
            shown.append(sheet.illustrated(chart.line, Figure(chart.line, plots.ratings(chart.bars), chart.described)))
    text = "".join(part for pair in zip(shown, value.texts, strict=True) for part in pair)
    body = sheet.body(text, mail.subject)
    # RFC 2046, section 5.1.4: of several forms the last one that a program knows is shown.
    if value.forms:
        body = Parts("alternative", (body, *(Part(form.kind, form.data.decode()) for form in value.forms)))
    return _bytes(mail, head, head.headers, _with_files(body, value.attached))


def _drawings(drawings: Sequence[DrawnBoard], sheet: Sheet, style: str) -> list[str]:
    """The drawings without their last line breaks."""
    views = []
    for drawing in drawings:
        state = replay(GAMES[drawing.game], drawing.options, drawing.body, drawing.moves, judged=False)
        views.append(view_of(state, None, lists=drawing.lists))
    if len(drawings) == 1:
        one = drawings[0]
        links = Links(one.answered_at, one.subject) if one.answered_at else None
        return [sheet.board(views[0], style, links).rstrip("\n")]
    return [drawn.rstrip("\n") for drawn in sheet.drawings(views, style)]


def _with_files(body: Part | Parts, files: Sequence[File]) -> Part | Parts:
    attached = [
        Part(kind, data, {"Content-Disposition": f'attachment; filename="{name}"'}) for name, kind, data in files
    ]
    return Parts("mixed", (body, *attached)) if files else body


def _bytes(mail: Mail, head: Head, headers: dict[str, str], body: Part | Parts) -> bytes:
    robot = head.robot
    return to_bytes(
        {
            "From": f"pbm <{robot.address}>",
            "To": mail.address,
            "Subject": mail.subject,
            "Date": format_datetime(head.at),
            "Message-ID": f"<{mail.key}@{robot.domain}>",
            **headers,
            # Exchange's word for mails that no vacation notice is to answer.
            "X-Auto-Response-Suppress": "All",
            "X-Pbm-Loop": robot.domain,
        },
        body,
        mail.key,
    )


def _sheet(head: Head, boards: int = 1, *, pictured: bool = True) -> Sheet:
    """The reader's sheet. pictured: whether pictures suit the mail."""
    settings, domain = head.settings, head.robot.domain
    if head.player is None:  # a stranger may not have asked for it: no picture, and nothing large
        sheet = Sheet(settings.mail, domain, pictured=False, boards=boards)
        sheet.room = MAX_UNASKED
        return sheet
    # Filters take a big picture with little text for spam (SpamAssassin's HTML_IMAGE_ONLY).
    pictured = settings.picture == "on" or (pictured and settings.picture != "off")
    return Sheet(settings.mail, domain, pictured=pictured, boards=boards)


def _scene(notice: Notice) -> Scene | None:
    """What is drawn in place of the present position; None for that itself. Raises: GameError."""
    match, drawn = notice.match, notice.drawn
    if drawn is None:
        return None
    notations = (*match.record.notations[: drawn.plies], *drawn.line)
    state = replay(GAMES[match.game], match.options, match.body, notations, judged=False)
    if drawn.zoom is None or not isinstance(state.game, Zoomable):
        return state.scene
    point, factor = drawn.zoom
    return state.game.zoom(state.position, state.last, point, int(factor))


def _posed(posed: Posed, sheet: Sheet, head: Head, answered_at: str) -> str:
    """A puzzle among boards. answered_at: for the answers its links open; empty for no links."""
    prefix = f"puzzle {posed.number} "
    links = Links(answered_at, f"Re: puzzle {posed.number}", prefix) if answered_at else None
    board = sheet.board(view_of(posed.state, None), head.settings.board, links).rstrip("\n")
    page = _PAGES.render("posed.txt", posed=posed, board=board, prefix=prefix, asks=bool(answered_at))
    return page.rstrip("\n")


def _section(notice: Notice, sheet: Sheet, head: Head, answered_at: str, *, drawn: bool) -> str:
    """One board among several, with links as in its own mail."""
    view = view_of(notice.state, None)
    prefix = f"{notice.match.board} "
    page = _BoardPage(notice, view, sheet, head, answered_at, prefix)

    def answers() -> list[str]:
        """The answers, in HTML without moves that the board above has as links."""
        shown = zip(_examples(notice, view), page.examples(), strict=True)
        hidden = sheet.linked if drawn else ()
        return [sheet.only_text(f"  {prefix}{word}") if word in hidden else f"  {link}" for word, link in shown]

    return _PAGES.render("section.txt", **page.words(), drawn=drawn, ruled=sheet.ruled, answers=answers)


class _BoardPage:
    """One board on a page; its methods are called by the page, as far as it needs them."""

    def __init__(
        self, notice: Notice, view: View, sheet: Sheet, head: Head, answered_at: str, prefix: str = ""
    ) -> None:
        """prefix: what an answer must begin with if the mail does not identify the board; links do."""
        self._notice, self._view, self._sheet, self._head, self._prefix = notice, view, sheet, head, prefix
        self._is_over = notice.match.result is not None
        self._links = Links(answered_at, f"Re: {notice.match.board}") if notice.reader.seat else None

    def words(self) -> dict[str, Any]:
        notice = self._notice
        match, seat, zone = notice.match, notice.reader.seat, notice.reader.settings.zone
        return {
            "notice": notice,
            "match": match,
            "state": notice.state,
            "told": [event for event in notice.events if not event.aftermath],
            "aftermath": [event for event in notice.events if event.aftermath],
            "title": Thread.of(match, notice.state).board,
            "seat": seat,
            "over": self._is_over,
            "drawing": self.drawing,
            "earlier": self.earlier,
            "clock": clock_lines(match, zone, self._head.at),
            "standstills": standstills(match, seat, zone, self._head.at),
            "waits": bool(notice.intents or match.offer or (match.clock and match.clock.overrun_at)),
            "offered": self.offered() if notice.offered else [],
            "moves": self.moves,
            "examples": self.examples,
            "original": quotable(notice.original),
            "robot": self._head.robot.address,
            **notice.words,
        }

    @cached_property
    def machine(self) -> str:
        """The part for programs, as all readers have it."""
        return self._view.machine(self._notice.match)

    def drawing(self) -> str:
        """The board, with links if a tap on it may play."""
        may_play = _is_to_move(self._notice) and self._notice.drawn is None
        links = self._links if may_play else None
        return self._sheet.board(self._view, self._notice.reader.settings.board, links, self._besides)

    def _besides(self) -> int:
        """Octets that the rest of a mail about this board alone takes."""
        if self._prefix:
            return 0
        listed = 2 * len(self.moves()) if self._lists_whole else 0
        return octets(self.machine) + listed

    def earlier(self) -> str:
        """The board before the last ply."""
        match = self._notice.match
        notations = match.record.notations[:-1]
        before = replay(self._notice.state.game, match.options, match.body, notations, judged=False)
        return self._sheet.board(view_of(before, None, lists=False), self._notice.reader.settings.board)

    @property
    def _lists_whole(self) -> bool:
        return self._notice.whole_record or self._is_over

    def moves(self) -> str:
        return "\n".join(move_list(self._notice.match, self._notice.state, whole=self._lists_whole))

    def examples(self) -> list[str]:
        words = [] if self._is_over else _examples(self._notice, self._view)
        return [self._sheet.link(f"{self._prefix}{word}", self._url(word)) for word in words]

    def offered(self) -> list[str]:
        """The lines to answer with; the link of each opens an answer with all of them."""
        lines = self._notice.offered
        url = self._url("\r\n".join(lines))
        return [self._sheet.link(part, url) for line in lines for part in wrapped(line, 2).splitlines()]

    def _url(self, text: str) -> str:
        return self._links.url(text) if self._links else ""


def _examples(notice: Notice, view: View) -> list[str]:
    """Answers that the reader may give now: to an offer, to a submitted move, and moves.

    The moves are two legal ones, or those close to a refused one, and commands that may replace a move.
    """
    match, state, seat = notice.match, notice.state, notice.reader.seat
    offer, clock = match.offer, match.clock
    asked = ["accept", "reject"] if offer is not None and seat == other(offer.seat) else []
    yes = "confirm" if asked else "yes"  # a yes might be one to the offer
    if clock is not None and clock.overrun_at is not None and seat == other(clock.seat):
        asked += ["claim", "claim draw", "give 3d"]
    asked += _for_intents(notice.intents, yes)
    if seat == state.to_move:
        asked += [*(notice.nearby[:3] or view.examples), *(["swap"] if state.may_swap else [])]
    return list(dict.fromkeys(asked))


def _for_intents(intents: Sequence[Intent], yes: str) -> list[str]:
    """Answers to what waits for a word of the reader. yes: the one to a question."""
    kinds = {intent.kind for intent in intents}
    answers = ["cancel"] if IntentKind.HOLD in kinds else []
    if IntentKind.SUBMIT in kinds:
        answers.append(yes if any(intent.is_question for intent in intents) else "confirm")
    return answers


def _of_people(notice: Notice) -> int:
    """Octets that people's words take in all forms of the mail."""
    remarks: tuple[CommentMade | Remark, ...] = (*notice.comments, *notice.kibitz, *notice.notes)
    texts = [remark.text for remark in remarks] + quotable(notice.original)
    if not texts:
        return 0
    words = "\n".join(texts)
    taken = len(to_ascii(words)) + len(written(words)[1]) + len(json.dumps(words))
    return taken if words.isascii() else taken * 5 // 4  # the text around them is encoded, too


class _Kept(NamedTuple):
    """What a keepsake brings besides the board."""

    words: dict[str, Any]
    figure: Figure | None = None
    attached: tuple[File, ...] = ()

    @property
    def octets(self) -> int:
        """What the figure and the files take in the mail."""
        carried = [file.data for file in self.attached] + ([self.figure.picture.data] if self.figure else [])
        # As base64 in lines of 76 letters.
        return sum(len(data) * 37 // 27 + CARRIED for data in carried)


def _kept(notice: Notice) -> _Kept:
    """The whole game as an animation, unless it would be too large, and as a file for programs."""
    record, settings = GameRecord.of(notice.match), notice.reader.settings
    states = record.states()
    text, ending = game_record.write(record, states)
    name = f"{record.game}-{notice.match.board}"
    file = File(f"{name}.{ending}", "text/plain; charset=utf-8", text.encode())
    lines = [f"The whole game for programs: {file.name}"]

    def scene(ply: int) -> Scene:
        return states[ply].game.scene(states[ply].position, states[ply].last)

    picture = film(scene, len(states) - 1) if settings.picture != "off" else None
    if picture is None:
        return _Kept({"files": lines}, None, (file,))
    moving = f"{name}.gif"
    lines.insert(0, f"The whole game as an animation: {moving}")
    if settings.mail == TEXT:
        return _Kept({"files": lines}, None, (File(moving, picture.kind, picture.data), file))
    described = f"The game from its beginning to its end, {len(record.moves)} plies."
    return _Kept({"files": lines}, Figure(lines[0], picture, described, moving), (file,))
