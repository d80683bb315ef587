"""How much processor time a move takes, stage by stage, in one process and without a network."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median

from bench.floors import parsed_by_the_library
from bench.moves import copied
from bench.worlds import ROBOT, Game, World, recipient, reply
from pbm import draw
from pbm.compose.notices import Notice, Reader
from pbm.compose.tell import mail_bytes
from pbm.domain.events import MovePlayed
from pbm.domain.match import Match, State
from pbm.domain.settings import Settings as Choices
from pbm.domain.tokens import PlayerToken
from pbm.draw import picture
from pbm.mailin import Envelope
from pbm.mailin.written import read as read_mail
from pbm.server import Arriving, Service, Settings
from pbm.store import Store

BATCH = 50
"""Mails handled in one transaction, as under load."""
_REPEATS = 5
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stages:
    """Processor milliseconds. plies: the length of the boards' records.

    accept, handle: storing a mail, and all that follows from it in the database, per mail of a batch; handle_first: on
    a board not seen since the server was started, so that its record is replayed. parse, parse_multipart: reading a
    plain answer, and one from web mail, with the board mail quoted in text and HTML; the floors: what the standard
    library takes for the same bytes. compose: a move's two board mails. text, picture: of a board.
    """

    plies: int
    accept: float
    handle_first: float
    handle: float
    parse: float
    parse_floor: float
    parse_multipart: float
    parse_multipart_floor: float
    compose: float
    text: float
    picture: float


def measure(world: World) -> Stages:
    with copied(world) as (_, fresh):
        service = Service(Store(fresh.url), Settings(ROBOT))
        try:
            accepting, first = _handled(service, fresh.games)
            for game in fresh.games:
                game.passes_turn()
                game.recipient = recipient(fresh.signer, game.board, fresh.plies + 1)
            _, handling = _handled(service, fresh.games)
            with service.store.read() as tx:
                match = tx.matches.load(fresh.games[-1].board)
            assert match is not None
            state = service.tools.states.of(match)
            return _stages(service, fresh.games[0], match, state, (accepting, first, handling))
        finally:
            service.close()


def _stages(service: Service, game: Game, match: Match, state: State, database: tuple[float, float, float]) -> Stages:
    plain, parts = reply(game, "F6", NOW, "<x@pbm.example>"), _web_mail(service, game, match, state)
    scene = state.game.scene(state.position, state.last)
    return Stages(
        plies=len(match.record),
        accept=database[0],
        handle_first=database[1],
        handle=database[2],
        parse=_milliseconds(lambda: _read(plain, game)),
        parse_floor=_milliseconds(lambda: parsed_by_the_library(plain)),
        parse_multipart=_milliseconds(lambda: _read(parts, game)),
        parse_multipart_floor=_milliseconds(lambda: parsed_by_the_library(parts)),
        compose=_milliseconds(lambda: _compose(service, match, replace(state))),
        text=_milliseconds(lambda: draw.text(state.game.scene(state.position, state.last))),
        picture=_milliseconds(lambda: picture.drawn(scene.board), 20),
    )


def _handled(service: Service, games: list[Game]) -> tuple[float, float]:
    """Processor milliseconds per mail to accept and to handle one move on each board, in batches; the median."""
    accepting: list[float] = []
    handling: list[float] = []
    for start in range(0, len(games) - BATCH + 1, BATCH):
        mails = [
            Arriving(game.addresses[0], (game.recipient,), reply(game, game.cells.pop(), NOW, "<x@pbm.example>"))
            for game in games[start : start + BATCH]
        ]
        begun = time.process_time()
        service.accept(mails)
        between = time.process_time()
        while service.handle(BATCH):  # several times if the machine is busy
            pass
        accepting.append((between - begun) / BATCH * 1000)
        handling.append((time.process_time() - between) / BATCH * 1000)
    return median(accepting), median(handling)


def _compose(service: Service, match: Match, state: State) -> bytes:
    """The board mails of a move to both players. state: one that has not been shown yet."""
    events = (MovePlayed(match.board, match.record[-1].seat, match.record[-1].notation),)
    raw = b""
    for seat, player in enumerate(match.players, 1):
        token = PlayerToken(player.id, 0, 0)
        reader = Reader((f"{player.userid}@players.example",), player, seat, Choices(picture="off"), token)
        (mail,) = service.tools.composer.notice(Notice(match, state, reader, events), NOW)
        raw = mail_bytes(mail)
    return raw


def _web_mail(service: Service, game: Game, match: Match, state: State) -> bytes:
    """An answer from web mail: the line, and below it the board mail, in text and in HTML."""
    told = _compose(service, match, replace(state)).decode()
    quoted = "".join(f"> {line}\r\n" for line in told.partition("\r\n\r\n")[2].splitlines()[:80])
    page = f'<div dir="ltr">F6</div><div class="gmail_quote"><blockquote>{quoted}</blockquote></div>'
    head, _, _ = reply(game, "F6", NOW, "<x@pbm.example>").decode().partition("Content-Type:")
    boundary = "00000000000012ab34"
    parts = (("plain", f"F6\r\n\r\nOn 1 Jan 2026, pbm wrote:\r\n{quoted}"), ("html", page))
    body = "".join(
        f'--{boundary}\r\nContent-Type: text/{kind}; charset="UTF-8"\r\n\r\n{text}\r\n' for kind, text in parts
    )
    return f'{head}Content-Type: multipart/alternative; boundary="{boundary}"\r\n\r\n{body}--{boundary}--\r\n'.encode()


def _read(raw: bytes, game: Game) -> None:
    read_mail(raw, Envelope(game.addresses[0], (game.recipient,)), ROBOT)


def _milliseconds(work: Callable[[], object], times: int = 200) -> float:
    """Processor milliseconds of one call: the least of several rounds, because other work disturbs some."""
    rounds = []
    for _ in range(_REPEATS):
        begun = time.process_time()
        for _ in range(max(1, times // _REPEATS)):
            work()
        rounds.append((time.process_time() - begun) / max(1, times // _REPEATS))
    return min(rounds) * 1000
