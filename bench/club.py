"""What each verb costs in a club of any size, in one process and without a network.

Half of the boards have ended, rated, and so have half of each player's hundred; all players have a rating and want a
digest, some seek a game, and there are tournaments. None of that depends on the number of boards. Each mail is about
another board or player, so that nothing is asked twice. All boards have the same size, however long their records.
Times are processor time of the process, even where mails wait for each other, so that other work on the machine matters
little.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from statistics import median, quantiles
from typing import Any
from unittest.mock import patch

import structlog
from sqlalchemy import bindparam, create_engine, text
from sqlalchemy.engine import make_url

from bench.moves import copied
from bench.servers import Servers
from bench.worlds import ROBOT, World, reply
from pbm.domain.configuration import Limits
from pbm.server import Arriving, Service, Settings
from pbm.server.organizer import Organizer
from pbm.store import Store, Transaction

MIX = {
    "move": 70, "show": 6, "games": 5, "history": 4, "standings": 4, "list": 3, "tournaments": 3, "digest": 3,
    "export": 2,
}  # fmt: skip
"""Out of a hundred mails of a club."""
SIZE = 10
"""The size of the boards."""
_ROUNDS, _AT_ONCE = 5, 10
"""How many batches are measured, and how many mails each has."""
_LONG, _LONG_AT_ONCE = {"digest", "export"}, 2
"""Verbs whose mails each tell of many boards, and how many mails of these are in a batch."""
_LOADED = 300
"""How many mails of the mix come at half of the best rate."""
BOARDS = (_ROUNDS + 1) * _AT_ONCE + _LOADED
"""How many boards of a world must be under way, for moves."""
_MANY = 10**9
_SECRET = "bench-secret"  # noqa: S105  of invented players
_TOURNAMENTS = 20
_NOW = (datetime.now(UTC) + timedelta(days=1)).replace(hour=7, minute=0, second=0, microsecond=0)
"""When digests are due, soon after the boards were made."""


def measured(world: World) -> dict[str, float]:
    """The same as `measure`, in its own process, whose memory holds nothing else."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _quietly) as pool:
        return pool.submit(measure, world).result()


def _quietly() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))


def measure(world: World) -> dict[str, float]:
    """Processor milliseconds per mail of each verb, the median of batches; "mix": per mail of the mix.

    "move_p99": milliseconds within which 99 of 100 moves are settled after they are due, while mails of the mix come at
    half of the best rate. "megabytes": the most memory the process had resident; "resident": at the end.
    """
    with copied(world) as (_, fresh):
        people = _furnish(fresh)
        os.sync()  # otherwise the first measured commits would write all of it to the disk
        service = Service(Store(fresh.url), Settings(ROBOT, _unlimited()), clock=lambda: _NOW)
        try:
            found = {verb: _of_verb(service, fresh, verb, people) for verb in MIX}
            found["mix"] = sum(found[verb] * share for verb, share in MIX.items()) / sum(MIX.values())
            found["move_p99"] = _under_load(service, fresh, people, 2 * found["mix"])
        finally:
            service.close()
    own = Servers(0, (os.getpid(),))
    return {**found, "megabytes": own.megabytes("VmHWM")[0], "resident": own.megabytes()[0]}


def _unlimited() -> Limits:
    """Limits so high that none is reached."""
    return Limits(scale=1000)


def _of_verb(service: Service, world: World, verb: str, people: list[str]) -> float:
    at_once = _LONG_AT_ONCE if verb in _LONG else _AT_ONCE
    rounds = []
    for number in range(_ROUNDS + 1):
        for place in range(number * at_once, (number + 1) * at_once):
            _take(service, world, verb, people, place)
        rounds.append(_settled(service) / at_once)
    return median(rounds[1:])


def _settled(service: Service) -> float:
    """Milliseconds to do all that waits."""
    begun = time.process_time()
    while service.handle(_AT_ONCE) + service.agenda.run(_AT_ONCE):
        pass
    return (time.process_time() - begun) * 1000


class _Load:
    """Mails of the mix, at even intervals of processor time, even while others are being handled."""

    def __init__(self, service: Service, take: Callable[[str, int], None], apart: float) -> None:
        """take: takes in a mail of a verb, given its place. apart: milliseconds between two mails."""
        self._service, self._take, self._apart = service, take, apart
        self._verbs = random.Random(19).choices(list(MIX), list(MIX.values()), k=_LOADED)
        self._begun, self._idle, self._come = time.process_time(), 0.0, 0
        self._places: dict[int, int] = {}
        self.waited: list[float] = []
        """Milliseconds from when each move was due until it was settled."""

    def _now(self) -> float:
        return (time.process_time() - self._begun) * 1000 + self._idle

    def come(self) -> None:
        """Take in what is due."""
        while self._come < len(self._verbs) and self._come * self._apart <= self._now():
            self._come += 1
            self._take(self._verbs[self._come - 1], self._come - 1)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction of the store; all that is due comes before it."""
        self.come()
        with Store.read(self._service.store) as tx:
            yield tx

    def heard(self, _logger: object, _name: str, event: MutableMapping[str, Any]) -> str:
        """A structlog processor that notes what the server logs."""
        if event["event"] == "received":
            self._places[event["mail"]] = self._come - 1
        elif event["event"] == "settled" and self._verbs[place := self._places[event["mail"]]] == "move":
            self.waited.append(self._now() - place * self._apart)
        raise structlog.DropEvent

    def run(self) -> None:
        while self._come < len(self._verbs):
            if not self._service.handle(_AT_ONCE) + self._service.agenda.run(_AT_ONCE):
                self._idle += max(0.0, self._come * self._apart - self._now())
                self.come()
        _settled(self._service)


def _under_load(service: Service, world: World, people: list[str], apart: float) -> float:
    """The "move_p99" of `measure`. apart: milliseconds between two mails of the mix."""
    load = _Load(service, lambda verb, place: _take(service, world, verb, people, BOARDS - 1 - place), apart)
    before = structlog.get_config()
    structlog.configure(processors=[load.heard], wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    try:
        with patch.object(service.store, "read", load.read):
            load.run()
    finally:
        structlog.configure(**before)
    return quantiles(load.waited, n=100)[98]


def _take(service: Service, world: World, verb: str, people: list[str], number: int) -> None:
    """Take in a mail, or make a digest due. number: chooses the player and the board."""
    userid, game = people[number % len(people)], world.games[number % len(world.games)]
    if verb == "digest":
        with service.store.write() as tx:
            player = tx.players.find(userid)
            assert player is not None
            tx.agenda.put("digest", player.id, _NOW - timedelta(seconds=1))
        return
    if verb == "move":
        raw, recipient = reply(game, game.cells.pop(), _NOW, "<x@pbm.example>"), game.recipient
    else:
        raw, recipient = _letter(userid, _command(verb, userid, game.board), number), ROBOT.address
    sender = game.addresses[0] if verb == "move" else f"{userid}@players.example"
    service.accept([Arriving(sender, (recipient,), raw)])


def _command(verb: str, userid: str, board: int) -> str:
    return {
        "show": f"show {board}",
        "games": f"games {userid}",
        "history": f"history {userid}",
        "standings": "cross standings",
        "list": "list",
        "tournaments": "tournaments",
        "export": f"export {userid} {_SECRET}",
    }[verb]


def _letter(userid: str, command: str, number: int) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = f"{userid}@players.example", ROBOT.address, command
    mail["Message-ID"] = f"<{number}.{command.partition(' ')[0]}@players.example>"
    mail.set_content("\n")
    return mail.as_bytes()


_OVER = "board % 2 = 1 AND board NOT IN :kept AND seat1_id > 2"
_FURNITURE = (
    (
        "INSERT INTO players (id, userid, userid_key, password_hash, settings, created_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
        " SELECT (SELECT max(id) FROM players) + n.i, 'r' || CAST(n.i AS TEXT), 'r' || CAST(n.i AS TEXT),"
        " p.password_hash, p.settings, p.created_at FROM n, players p WHERE p.userid = 'q1'"
    ),
    (
        f"UPDATE matches SET ended_at = moved_at, ending = 'resigned', winner = 1, reason = '', seat_to_move = NULL,"  # noqa: S608
        f" deadline_at = NULL, due_at = NULL, ticking_since = NULL WHERE {_OVER}"
    ),
    'UPDATE players SET settings = \'{"digest": "07:00"}\' WHERE id > 2',
    (
        "INSERT INTO ratings (player_id, game, rating, deviation, volatility, won, lost, drawn, rated_at)"
        " SELECT id, 'cross', (CASE WHEN id < 23 OR userid LIKE 'r%' THEN 1500 ELSE 1000 END) + id % 400, 80, 0.06, 20,"
        " 20, 0, created_at FROM players WHERE id > 2"
    ),
    (
        "INSERT INTO seeks (player_id, game, options, body, wanted, created_at)"
        " SELECT id, 'cross', '-size=6', '', 1, created_at FROM players WHERE id > 2 ORDER BY id LIMIT 60"
    ),
    *(
        f"INSERT INTO rating_changes SELECT board, {seat}, 1500, 80, 0.06, 1510, 79, 0.06 FROM matches"  # noqa: S608
        " WHERE ended_at IS NOT NULL"
        for seat in ("seat1_id", "seat2_id")
    ),
)
"""What a club has besides boards under way, such as resting players, so that lists are as long in a small club.

kept: boards that stay under way.
"""


def _furnish(world: World) -> list[str]:
    """Turn the boards into a club; returns the userids of players who have boards."""
    url = make_url(world.url)
    engine = create_engine(url.set(drivername="postgresql+psycopg") if "postgres" in world.url else url)
    kept = {"kept": [game.board for game in world.games]}
    with engine.begin() as connection:
        for statement in _FURNITURE:
            named = text(statement)
            if ":kept" in statement:
                named = named.bindparams(bindparam("kept", expanding=True))
            connection.execute(named, kept if ":kept" in statement else {})
        found = connection.execute(text("SELECT userid FROM players WHERE userid LIKE 'q%' ORDER BY id LIMIT 200"))
        people = [str(userid) for userid in found.scalars()]
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))  # a server that has run for a while has done this by itself
    engine.dispose()
    service = Service(Store(world.url), Settings(ROBOT))
    for number in range(_TOURNAMENTS):
        Organizer(service).create(f"cup{number}", "swiss", "cross", ())
    service.close()
    return people
