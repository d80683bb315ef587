"""What each verb costs in a club of any size, in one process and without a network.

Half of the boards have ended, rated; all players have a rating and want a digest, some look for a game, and there are
tournaments. Each mail is about another board or player, so that nothing is asked twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from statistics import median

from sqlalchemy import bindparam, create_engine, text
from sqlalchemy.engine import make_url

from bench.moves import copied
from bench.worlds import ROBOT, World, reply
from pbm.domain.configuration import Limits
from pbm.server import Arriving, Service, Settings
from pbm.server.arbiter import Organizer
from pbm.store import Store

MIX = {
    "move": 70, "show": 6, "games": 5, "history": 4, "standings": 4, "list": 3, "tournaments": 3, "digest": 3,
    "export": 2,
}  # fmt: skip
"""Of a hundred mails of a club."""
_ROUNDS, _AT_ONCE = 5, 10
"""Batches that are measured, and mails in each."""
BOARDS = (_ROUNDS + 1) * _AT_ONCE
"""That must go on in a world, for moves."""
_MANY = 10**9
_SECRET = "bench-secret"  # noqa: S105  of players who are made up
_TOURNAMENTS = 20
_NOW = (datetime.now(UTC) + timedelta(days=1)).replace(hour=7, minute=0, second=0, microsecond=0)
"""When digests are due, soon after the boards were made."""


def measure(world: World) -> dict[str, float]:
    """Processor milliseconds a mail of each verb, the median of batches; "mix": of a mail of the mix."""
    with copied(world) as (_, fresh):
        people = _furnish(fresh)
        service = Service(Store(fresh.url), Settings(ROBOT, _unlimited()), clock=lambda: _NOW)
        try:
            found = {verb: _measured(service, fresh, verb, people) for verb in MIX}
        finally:
            service.close()
    return {**found, "mix": sum(found[verb] * share for verb, share in MIX.items()) / sum(MIX.values())}


def _unlimited() -> Limits:
    """No limit is met."""
    names = [name for name in Limits.model_fields if "answers" in name or name.endswith(("per_day", "per_hour"))]
    return Limits.model_validate(dict.fromkeys(names, _MANY))


def _measured(service: Service, world: World, verb: str, people: list[str]) -> float:
    work = _digests if verb == "digest" else _mails
    rounds = [_milliseconds(work(service, world, verb, people, number)) for number in range(_ROUNDS + 1)]
    return median(rounds[1:]) / _AT_ONCE


def _milliseconds(batch: Callable[[], int]) -> float:
    begun = time.process_time()
    done = batch()
    assert done == _AT_ONCE, f"{done} done instead of {_AT_ONCE}"
    return (time.process_time() - begun) * 1000


def _digests(service: Service, _world: World, _verb: str, people: list[str], number: int) -> Callable[[], int]:
    with service.store.write() as tx:
        for place in range(_AT_ONCE):
            player = tx.players.find(people[(number * _AT_ONCE + place) % len(people)])
            assert player is not None
            tx.agenda.put("digest", player.id, _NOW - timedelta(seconds=1))
    return lambda: service.agenda.run(_AT_ONCE)


def _mails(service: Service, world: World, verb: str, people: list[str], number: int) -> Callable[[], int]:
    games = world.games[number * _AT_ONCE :][:_AT_ONCE]
    for place, game in enumerate(games):
        userid = people[(number * _AT_ONCE + place) % len(people)]
        if verb == "move":
            raw, recipient = reply(game, game.cells.pop(), _NOW, "<x@pbm.example>"), game.recipient
        else:
            raw, recipient = _letter(userid, _command(verb, userid, game.board)), ROBOT.address
        sender = game.addresses[0] if verb == "move" else f"{userid}@players.example"
        service.accept([Arriving(sender, (recipient,), raw)])
    return lambda: sum(iter(lambda: service.handle(_AT_ONCE), 0))


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


def _letter(userid: str, command: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = f"{userid}@players.example", ROBOT.address, command
    mail["Message-ID"] = f"<{userid}.{command.partition(' ')[0]}@players.example>"
    mail.set_content("\n")
    return mail.as_bytes()


_OVER = "board % 2 = 0 AND board NOT IN :kept AND seat1_id > 2"
_FURNITURE = (
    (
        f"UPDATE matches SET ended_at = moved_at, ending = 'resigned', winner = 1, reason = '', seat_to_move = NULL,"  # noqa: S608
        f" deadline_at = NULL, due_at = NULL, ticking_since = NULL WHERE {_OVER}"
    ),
    'UPDATE players SET settings = \'{"digest": "07:00"}\' WHERE id > 2',
    (
        "INSERT INTO ratings (player_id, game, rating, deviation, volatility, won, lost, drawn, rated_at)"
        " SELECT id, 'cross', 1500 + id % 400, 80, 0.06, 20, 20, 0, created_at FROM players WHERE id > 2"
    ),
    (
        "INSERT INTO seeks (player_id, game, options, body, wanted, created_at)"
        " SELECT id, 'cross', '-size=6', '', 1, created_at FROM players WHERE id % 50 = 3"
    ),
    *(
        f"INSERT INTO rating_changes SELECT board, {seat}, 1500, 80, 0.06, 1510, 79, 0.06 FROM matches"  # noqa: S608
        " WHERE ended_at IS NOT NULL"
        for seat in ("seat1_id", "seat2_id")
    ),
)
"""What a club has beside boards that go on. kept: boards that do."""


def _furnish(world: World) -> list[str]:
    """Make a club of boards; returns userids, each of which has boards."""
    url = make_url(world.url)
    engine = create_engine(url.set(drivername="postgresql+psycopg") if "postgres" in world.url else url)
    kept = {"kept": [game.board for game in world.games]}
    with engine.begin() as connection:
        for statement in _FURNITURE:
            named = text(statement)
            if ":kept" in statement:
                named = named.bindparams(bindparam("kept", expanding=True))
            connection.execute(named, kept if ":kept" in statement else {})
        found = connection.execute(text("SELECT userid FROM players WHERE id > 2 ORDER BY id LIMIT 200"))
        people = [str(userid) for userid in found.scalars()]
    engine.dispose()
    service = Service(Store(world.url), Settings(ROBOT))
    for number in range(_TOURNAMENTS):
        Organizer(service).create(f"cup{number}", "swiss", "cross", ())
    service.close()
    return people
