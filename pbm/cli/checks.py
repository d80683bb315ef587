"""Checks everything a server needs, and says what to do about each fault: for `pbm doctor`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from games import GAMES, LEFT_OUT, OURS, AnyGame, reason_of
from games.rules import any_move
from pbm import draw
from pbm.bots.choose import choose
from pbm.bots.levels import Budget
from pbm.cli.frame import Invocation
from pbm.cli.loading import Effective, in_clear, lacks, open_to_others
from pbm.cli.opening import opened_store, robot, with_identity
from pbm.cli.output import NoDatabase, Refused, print_json, printable
from pbm.cli.settings import Configuration
from pbm.cli.standing import room_line
from pbm.compose.pages import Pages
from pbm.domain.match import State
from pbm.edges import probes
from pbm.edges.records import Finding, SenderNames, Unanswered, Verdict, ask_dns, fail, look_up, ok, warn
from pbm.store import SchemaTrouble, Store
from pbm.store.backup import file_of

Findings = Iterator[Finding]

_COLOURS = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "red"}
_LITTLE_SPACE = 1 << 30
_SKEW = timedelta(minutes=2)
_TRIED_GAMES, _TRIED_PLIES, _LOOKED_AT = 3, 200, 10


def doctor(invocation: Invocation, *, offline: bool, as_json: bool) -> None:
    """Exits with 1 if any check failed."""
    sys.exit(0 if is_sound(invocation.effective(), offline=offline, as_json=as_json) else 1)


def is_sound(effective: Effective, *, offline: bool, as_json: bool = False) -> bool:
    """Print each finding; returns whether no check failed."""
    findings = []
    for finding in _all(effective, offline=offline):
        findings.append(finding)
        if not as_json:
            verdict = click.style(f"{finding.verdict:4}", fg=_COLOURS[finding.verdict])
            click.echo(f"{verdict}  {finding.check}: {printable(finding.reason)}")
            if finding.advice:
                click.echo(f"      -> {finding.advice}")
    if as_json:
        print_json([asdict(finding) for finding in findings])
    return all(finding.verdict is not Verdict.FAIL for finding in findings)


def _all(effective: Effective, *, offline: bool) -> Findings:
    yield from _configuration(effective)
    configuration = with_identity(effective.values, quiet=True)
    yield from _secrets(effective)
    yield from _space(configuration)
    yield from _games()
    yield from _templates()
    yield _time_zones()
    if not offline:
        yield from _dns(configuration)
        yield from configuration.way.findings()
        if (fetching := configuration.imap).host:
            yield probes.bounded("mailbox", lambda: probes.mailbox(fetching))
    yield from _with_database(configuration, offline=offline)


def _configuration(effective: Effective) -> Findings:
    configuration, problems = effective.values, lacks(effective.values)
    for problem in problems:
        key, _, reason = problem.partition(": ")
        yield fail("configuration", problem, f"set {key}" if reason else "")
    if not problems:
        yield ok("configuration", f"sound ({effective.file or 'no file, defaults'})")
    # It works, but parked mails wait for somebody who does not know of them.
    if not configuration.operator:
        yield warn("operator", "nobody is told of faults and of addresses that fail", "set operator to your address")
    # Behind a mailbox of a provider there is no border of ours whose verdict could be trusted.
    if not configuration.server.authserv_id and not configuration.imap.host:
        advice = "server.authserv_id, where a mail server in front of us checks SPF and DKIM"
        yield warn("senders", "only tokens and passwords prove who wrote, for no mail server is trusted", advice)


def _secrets(effective: Effective) -> Findings:
    """Files that only their owner should be able to read."""
    if exposed := open_to_others(effective):
        yield warn("permissions", f"others may read or change {', '.join(exposed)}", "chmod 600 or 640")
    else:
        yield ok("permissions", "what is secret is not for everybody")
    for password in in_clear(effective.values):
        yield warn("passwords", password, "")
    # A fault in reading strangers' mails would have the whole machine.
    if os.geteuid() == 0:
        yield warn("user", "this runs as root", "give pbm a user of its own, as docs/systemd/pbm.service does")


def _space(configuration: Configuration) -> Findings:
    """Whether we may write where the database and the mails are, and have room there."""
    file = file_of(configuration.database)
    places = {"database": file.absolute().parent if file else None} | configuration.way.places()
    for name, folder in places.items():
        # What does not exist yet is made by the server.
        if folder is not None and folder.is_dir():
            yield _room(name, folder, configuration.house.least_free_megabytes)


def _room(name: str, folder: Path, least_megabytes: int) -> Finding:
    if not os.access(folder, os.W_OK | os.X_OK):
        return fail("disk", f"{name}: we may not write in {folder}", f"chown {folder} to the user of pbm")
    free = shutil.disk_usage(folder).free
    room = f"{name}: {free >> 20:,} MB free in {folder}"
    if free >> 20 < least_megabytes:
        return fail("disk", room, "make room: below house.least_free_megabytes emails are put off, strangers' first")
    return warn("disk", room, "make room before mail is refused") if free < _LITTLE_SPACE else ok("disk", room)


def _games() -> Findings:
    for name, reason in LEFT_OUT.items():
        yield fail("games", f"{name} is left out: {reason}", "mend its package, and start the server anew")
    # Our own games are tested; others are tried here, because they run in the server's process.
    others = {name: _trouble(GAMES[name]) for name in GAMES if name not in OURS}
    for name, trouble in others.items():
        if trouble:
            yield fail("games", f"{name} fails {trouble}", "mend its package, and start the server anew")
    if not LEFT_OUT and not any(others.values()):
        yield ok("games", f"all {len(GAMES)} can be played")


def _trouble(game: AnyGame) -> str:
    """What goes wrong in some random games, with a robot or with the help page, and where; empty if nothing does."""
    where = "in play"
    try:
        for seed in range(_TRIED_GAMES):
            state, dice = State.start(game, ()), Random(seed)  # noqa: S311  no secret
            while state.outcome is None and state.plies < _TRIED_PLIES:
                move = any_move(game, state.position, dice)
                state, _ = state.play(game.notate(state.position, move))
                draw.text(state.scene)
        where = "when a robot plays it"
        choose(game, State.start(game, ()).position, Budget(_LOOKED_AT, seconds=5.0))
        where = "on its help page"
        Pages().help(game.info.name)
    except Exception as error:  # noqa: BLE001  it comes from another package
        return f"{where}: {reason_of(error)}"
    return ""


def _templates() -> Findings:
    broken = Pages().broken()
    for name, reason in broken.items():
        yield fail("templates", f"{name}: {reason}", "install pbm-server again, or the package that brings it")
    if not broken:
        yield ok("templates", "all can be used")


def _time_zones() -> Finding:
    try:
        ZoneInfo("Europe/Berlin")
    except ZoneInfoNotFoundError:
        return fail("time zones", "none are known, so players' local times are not", "install tzdata")
    return ok("time zones", "known")


def _dns(configuration: Configuration) -> Findings:
    key = configuration.dkim.key
    domain = configuration.server.domain
    try:
        pem = key.read_bytes() if key else None
        yield from look_up(
            SenderNames(domain, configuration.dkim.domain or domain, configuration.dkim.selector, pem), ask_dns
        )
    except (OSError, ValueError, Unanswered) as error:
        yield fail("dkim", f"{key} cannot be used: {error}", "pbm keys dkim create")


def _with_database(configuration: Configuration, *, offline: bool) -> Findings:
    try:
        with opened_store(configuration) as store:
            finding = _database(store)
            yield finding
            is_sound = finding.verdict is Verdict.OK
            # Whatever reads the tables needs those of this version.
            if is_sound:
                yield _size(store)
                yield _clock(store)
            yield from _listener(configuration, store if is_sound else None)
            # Only a mail from outside shows it, and only a smarthost brings one there.
            trusts = configuration.server.authserv_id and configuration.delivery.kind == "smarthost"
            if trusts and is_sound and not offline:
                yield probes.forgery(configuration.smarthost, robot(configuration), store)
    except NoDatabase:
        yield warn("database", "there is none yet", "start the server, or pbm db create")
        yield from _listener(configuration, None)
    except Refused as refused:
        yield fail("database", str(refused).removeprefix("database: "), "pbm db check")


def _database(store: Store) -> Finding:
    """A quick check whether the database is ours and can be written."""
    now = datetime.now(UTC)
    try:
        store.prepare(now)
    except SchemaTrouble as trouble:
        return fail("database", str(trouble), "pbm db upgrade")
    with store.write() as tx:
        tx.tickets.sweep(now - timedelta(days=10_000))
    return ok("database", "of this version, and can be written; pbm db check looks at all of it")


def _size(store: Store) -> Finding:
    """The size of the database, and whether its file shrinks by itself."""
    with store.read() as tx:
        room = tx.overview.room()
    if room.shrinks:
        return ok("size", room_line(room))
    return warn(
        "size", f"{room_line(room)}, and its file never shrinks", "stop the server, and run pbm db upgrade once"
    )


def _clock(store: Store) -> Finding:
    """Time only moves forward: what the database has seen cannot be in the future."""
    with store.read() as tx:
        latest = tx.overview.latest()
    now = datetime.now(UTC)
    if latest is not None and latest > now + _SKEW:
        reason = f"it is {now:%Y-%m-%d %H:%M} UTC here, but the latest mail is of {latest:%Y-%m-%d %H:%M}"
        return fail("clock", reason, "set the clock: timedatectl set-ntp true")
    return ok("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC, not before the latest mail")


def _listener(configuration: Configuration, store: Store | None) -> Findings:
    server, where = configuration.server, configuration.server.where
    if not isinstance(where, Path) and where[1] == 0:
        yield warn("listener", "server.listen takes any free port, so nobody knows which", "name a port")
        return
    finding = probes.listener(where, server.lmtp)
    yield finding
    if finding.verdict is Verdict.OK and store is not None:
        yield probes.loopback(where, server.lmtp, robot(configuration).address, store)
