"""A full-screen mail program for a player at a live server: mails on the left, the chosen one on the right: `pbm play`.

The server runs in this process, or in that of whoever began with the same folder. Mails go both ways by real SMTP;
those to players wait in Maildirs in the folder, so that a second terminal finds its own there.
"""

from __future__ import annotations

import asyncio
import json
import logging
import mailbox
import os
import shutil
import signal
import socket
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from functools import cached_property
from pathlib import Path
from typing import Any

import structlog
from prompt_toolkit.application import Application, get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, VSplit, Window
from prompt_toolkit.widgets import TextArea

from games import GAMES
from games.scene import PlaneBoard
from pbm import draw
from pbm.cli.frame import Invocation
from pbm.cli.office import MailProgram, PostOffice, post_office, text_of
from pbm.cli.output import Refused
from pbm.compose.html import WIDTH
from pbm.core.credentials import check_userid
from pbm.domain.match import replay
from pbm.server import Arriving

_LOOK_SECONDS = 0.1
_LIST_WIDTH = 32
_FIRST_SIGN = 0xE000
"""Of the characters that Unicode leaves to programs: they stand for cells while their places are looked for."""
_HELP = (
    "Arrows and Enter choose a move, or type it. !TEXT writes to the server, such as !help. Tab: other mails. "
    "PgUp, PgDn: scroll. Ctrl-C: end."
)


def _columns() -> int:
    return get_app().output.get_size().columns


def _list_width() -> int:
    """Columns for the list: where not all fits, it gives way to the lines of the mail, which are what is read."""
    return max(3, min(_LIST_WIDTH, _columns() - 1 - WIDTH))


def _wrapped(line: str, width: int) -> str:
    """The line on as many as it takes, broken between words."""
    return "\n".join(textwrap.wrap(line, max(1, width), break_on_hyphens=False))


Spot = tuple[int, int]
"""A line and a column of a text."""


class SharedOffice(PostOffice):
    """A post office whose mails to players wait in a folder, for the mail program of another process, too."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._port = folder / "port"

    def join(self) -> bool:
        """Use the server that somebody has started with this folder; False if none answers."""
        with suppress(OSError, ValueError):
            port = int(self._port.read_text(encoding="ascii"))
            socket.create_connection(("127.0.0.1", port), 1).close()
            self.port = port
            return True
        return False

    def invite(self) -> None:
        """Let others join our server."""
        self._port.write_text(str(self.port), encoding="ascii")

    async def deliver(self, mail: Arriving) -> None:
        for recipient in mail.recipients:
            self._box(recipient.partition("@")[0]).add(mail.raw)

    async def collect(self, player: MailProgram) -> None:
        """Give a player what has come for them."""
        box = self._box(player.name)
        for key in sorted(box.keys(), key=lambda key: (self._folder / player.name / "new" / key).stat().st_mtime_ns):
            await player.take(box.get_bytes(key))
            box.remove(key)

    def _box(self, name: str) -> mailbox.Maildir:
        return mailbox.Maildir(self._folder / name)


@dataclass
class ShownMail:
    """A mail as it is shown, with the moves that it offers."""

    letter: EmailMessage

    @cached_property
    def text(self) -> str:
        return text_of(self.letter)

    @cached_property
    def board(self) -> dict[str, Any]:
        """The board for programs that the mail brings; empty without one."""
        for part in self.letter.walk():
            if part.get_content_type() == "application/vnd.pbm.board+json":
                board: dict[str, Any] = json.loads(part.get_content())
                return board
        return {}

    @cached_property
    def moves(self) -> list[str]:
        """What its reader may play now."""
        turn = self.board.get("turn")
        return self.board["moves"] if turn and turn["seat"] == self.board["you"]["seat"] else []

    @cached_property
    def spots(self) -> dict[str, Spot]:
        """Where in the text each move stands that names a cell; none if the text does not hold the drawing."""
        if not self.moves:
            return {}
        board = self.board
        record = [ply["move"] for ply in board["record"]]
        scene = replay(GAMES[board["game"]], board["options"], board["body"] or "", record, judged=False).scene
        plain = "\n".join(draw.board(scene.board))
        start = self.text.find(plain)
        # Boards in the plane have no columns, and some mails have a shorter form.
        if isinstance(scene.board, PlaneBoard) or start < 0:
            return {}
        signs = {name: chr(_FIRST_SIGN + number) for number, name in enumerate(self.moves)}
        cells = tuple(cell._replace(piece=signs.get(cell.name, cell.piece)) for cell in scene.board.cells)
        first_line = self.text.count("\n", 0, start)
        lines = draw.board(replace(scene.board, cells=cells))
        places = {sign: (first_line + at, line.index(sign)) for at, line in enumerate(lines) for sign in line}
        return {name: places[sign] for name, sign in signs.items() if sign in places}


def nearest(spots: dict[str, Spot], move: str, down: int, right: int) -> str:
    """The move whose place is nearest in a direction, or the same one at the edge."""
    line, column = spots[move]
    best, least = move, float("inf")
    for other, (at, beside) in spots.items():
        ahead = (at - line) * down * 2 + (beside - column) * right
        aside = abs(beside - column) if down else 2 * abs(at - line)
        # what lies more aside than ahead is another direction
        if ahead > 0 and aside <= ahead and ahead + 2 * aside < least:
            best, least = other, ahead + 2 * aside
    return best


@dataclass
class PlayScreen:
    """What is shown, and what keys do. player: whose mails. done: the last line about what was done.

    hint: what that line says before anything is done.
    """

    player: MailProgram
    mails: list[ShownMail] = field(default_factory=list)
    shown: int = 0
    move: str = ""
    scrolled: int = 0
    done: str = ""
    hint: str = _HELP

    @property
    def mail(self) -> ShownMail | None:
        return self.mails[self.shown] if self.mails else None

    @property
    def moves(self) -> list[str]:
        """The moves that can be chosen: those of the chosen mail, if no newer one has come about its board."""
        if self.mail is None:
            return []
        number = self.mail.board.get("board")
        # An answer to an earlier state of a board plays nothing.
        is_stale = any(newer.board.get("board") == number for newer in self.mails[self.shown + 1 :])
        return [] if is_stale else self.mail.moves

    def look(self) -> bool:
        """Take mails in that have come; whether there were any."""
        fresh = [ShownMail(letter) for letter in self.player.received[len(self.mails) :]]
        self.mails += fresh
        if fresh:
            # Once there is a board, there is something to choose on it.
            if any(mail.board for mail in fresh):
                self.hint = _HELP
            self.done = ""
            self.show(len(self.mails) - 1)
        return bool(fresh)

    def show(self, number: int) -> None:
        self.shown, self.scrolled = number % max(1, len(self.mails)), 0
        spots = self.mail.spots if self.mail else {}
        places = sorted(spots, key=lambda move: spots[move])
        self.move = places[len(places) // 2] if places else next(iter(self.moves), "")

    def step(self, down: int, right: int) -> None:
        """Choose the move beside the chosen one, or the next one of the list if moves are no cells."""
        if self.mail is None or self.move not in self.moves:
            return
        if self.move in self.mail.spots:
            self.move = nearest(self.mail.spots, self.move, down, right)
        else:
            self.move = self.moves[(self.moves.index(self.move) + down + right) % len(self.moves)]

    def listed(self) -> StyleAndTextTuples:
        """The list of mails, the newest first."""
        lines: StyleAndTextTuples = []
        for number in reversed(range(len(self.mails))):
            subject = " ".join(str(self.mails[number].letter["Subject"]).split())
            style = "reverse" if number == self.shown else ""
            lines += [(style, f"{subject[:_LIST_WIDTH]:{_LIST_WIDTH}}"), ("", "\n")]
        return lines

    def text(self) -> StyleAndTextTuples:
        """The chosen mail, with the chosen move on it."""
        if self.mail is None:
            return [("", "The server starts ...")]
        lines = self.mail.text.splitlines()
        at, column = self.mail.spots.get(self.move, (-1, 0)) if self.moves else (-1, 0)
        pieces: StyleAndTextTuples = []
        for number, line in enumerate(lines[self.scrolled :], self.scrolled):
            if number == at:
                pieces += [("", line[:column]), ("reverse", line[column]), ("", line[column + 1 :]), ("", "\n")]
            else:
                pieces.append(("", f"{_wrapped(line, _columns() - 1 - _list_width())}\n"))
        return pieces

    def status(self) -> str:
        line = self.done or self.hint
        return _wrapped(f"Enter plays {self.move}. {line}" if self.move in self.moves else line, _columns())

    async def send(self, typed: str) -> None:
        """Send what was typed, or else the chosen move: as an answer, or behind "!" as a mail of its own."""
        words = typed.strip() or (self.move if self.move in self.moves else "")
        if not words:
            return
        try:
            if words.startswith("!") or self.mail is None:
                await self.player.write(words.lstrip("! "))
            else:
                await self.player.answer(words, self.mail.letter)
            self.done = f'"{words}" is sent.'
        except OSError:
            self.done = "The server has ended, with the terminal that started it. Ctrl-C: end."


def _keys(screen: PlayScreen, typing: Buffer) -> KeyBindings:
    """Arrows move on the board while nothing is typed; otherwise they edit, and walk through what was typed before."""
    keys, empty = KeyBindings(), Condition(lambda: not typing.text and bool(screen.moves))
    for name, down, right in (("up", -1, 0), ("down", 1, 0), ("left", 0, -1), ("right", 0, 1)):
        keys.add(name, filter=empty)(lambda _, down=down, right=right: screen.step(down, right))
    keys.add("tab")(lambda _: screen.show(screen.shown - 1))
    keys.add("s-tab")(lambda _: screen.show(screen.shown + 1))
    keys.add("pagedown")(lambda _: setattr(screen, "scrolled", screen.scrolled + 10))
    keys.add("pageup")(lambda _: setattr(screen, "scrolled", max(0, screen.scrolled - 10)))
    for name in ("c-c", "c-d"):
        keys.add(name, eager=True)(lambda event: event.app.exit())
    return keys


def application(screen: PlayScreen) -> Application[None]:
    sending: set[asyncio.Task[None]] = set()

    def entered(typing: Buffer) -> bool:
        task = asyncio.get_running_loop().create_task(screen.send(typing.text))
        # The loop alone would not keep it.
        sending.add(task)
        task.add_done_callback(sending.discard)
        # What became of it is said below the mails.
        task.add_done_callback(lambda _: app.invalidate())
        return False

    typing = TextArea(prompt="> ", multiline=False, history=InMemoryHistory(), accept_handler=entered)
    mails = Window(FormattedTextControl(screen.listed), width=_list_width, wrap_lines=False)
    board = Window(FormattedTextControl(screen.text), wrap_lines=True)
    status = Window(FormattedTextControl(screen.status), height=2, wrap_lines=True, style="reverse")
    rows = HSplit([VSplit([mails, Window(width=1, char="|"), board]), status, typing])
    keys = _keys(screen, typing.buffer)
    app: Application[None] = Application(Layout(rows, focused_element=typing), key_bindings=keys, full_screen=True)
    return app


async def _look(screen: PlayScreen, office: SharedOffice, app: Application[None]) -> None:
    """Show mails as they come."""
    while True:
        await office.collect(screen.player)
        if screen.look():
            app.invalidate()
        await asyncio.sleep(_LOOK_SECONDS)


async def _begin(player: MailProgram, challenge: str) -> None:
    """Sign the player up, and let them challenge somebody; nobody for an empty challenge."""
    password = f"open-sesame-{player.name}"
    await player.write(f"signup {player.name} {password}")
    await player.wait_for(0)
    await player.answer("Yes, that was me.")
    await player.wait_for(1)
    if challenge:
        await player.write(f"{challenge} {player.name} {password}")


async def _play(folder: Path, game: Sequence[str], name: str | None, against: str | None, *, is_shared: bool) -> None:
    office = SharedOffice(folder)
    is_guest = office.join()
    async with AsyncExitStack() as stack:
        if not is_guest:
            await stack.enter_async_context(post_office(folder / "pbm.db", office))
            office.invite()
        player = office.program(name or ("bob" if is_guest else "alice"))
        opponent = against or ("alice" if is_guest else "" if is_shared else "robot")
        challenge = f"{game[0]} challenge {player.name} {opponent} {' '.join(game[1:])}" if opponent else ""
        waits = f"Whoever runs pbm play --folder {folder} in a second terminal plays against you. Ctrl-C: end."
        screen = PlayScreen(player, hint=_HELP if opponent else waits)
        app = application(screen)
        tasks = [asyncio.create_task(task) for task in (_begin(player, challenge), _look(screen, office, app))]
        # The terminal may be closed, too; then nothing more can be shown.
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, app.exit)
        with suppress(OSError, EOFError):
            await app.run_async()
        for task in tasks:
            task.cancel()
        if not is_shared:
            shutil.rmtree(folder, ignore_errors=True)
        # A clean stop would wait for robots that think; what was taken in is safe without.
        os._exit(0)


def play(_: Invocation, game: Sequence[str], name: str | None, against: str | None, folder: Path | None) -> None:
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise Refused("This needs a terminal. To only watch a game: pbm demo")
    # Lines of a log would spoil the screen.
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    logging.disable()
    check_userid(name or "alice")
    place = folder or Path(tempfile.mkdtemp(prefix="pbm-"))
    place.mkdir(parents=True, exist_ok=True)
    asyncio.run(_play(place, game or ("cross", "-size=4"), name, against, is_shared=folder is not None))
