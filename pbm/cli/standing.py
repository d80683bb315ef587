"""What waits, for how long, how fast it goes, and what needs the operator: for `pbm status`."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from games.rules import counted
from pbm.cli.frame import Invocation
from pbm.cli.output import Refused, print_json, printable, row_of
from pbm.domain.calendars import StopKind
from pbm.server.status import Status, status_of
from pbm.store.overview import Flow, Footprint, Queue, Waiting

_SHOWN = 10
_SECONDS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def show(invocation: Invocation, *, every: float | None, as_json: bool) -> None:
    """every: seconds between looks, until Ctrl-C; None for one look."""
    with invocation.store() as store, suppress(KeyboardInterrupt):
        while True:
            look = status_of(store, datetime.now(UTC))
            if as_json:
                print_json(as_values(look))
            else:
                if every is not None:
                    click.clear()
                click.echo("\n".join(lines_of(look)))
            if every is None:
                return
            sys.stdout.flush()
            time.sleep(every)


def check_alive(invocation: Invocation) -> None:
    """Raises: Refused if no server has given a sign of life lately."""
    with invocation.store() as store:
        look = status_of(store, datetime.now(UTC))
    if look.silent_since is not None:
        raise Refused(f"No server is at work, since {_when(look.silent_since, look.at)}.")


def as_values(look: Status) -> dict[str, Any]:
    """For programs: ages in seconds, instants in ISO 8601."""
    inbox, outbox = look.queues["inbox"], look.queues["outbox"]
    return {
        "at": look.at,
        "database": row_of(look.room, "octets unused shrinks"),
        "no_mail_goes_out_since": look.stuck_since,
        "no_server_works_since": look.silent_since,
        "halts": [{"kind": halt.kind.value, "since": halt.starts_at} for halt in look.halts],
        "inbox": {
            **_waiting_values(inbox, look.at),
            "moves_ignored": look.moves_ignored,
            **_flow_values(inbox.flow, "handling_seconds"),
        },
        "outbox": {
            **_waiting_values(outbox, look.at),
            **_flow_values(outbox.flow, "delivery_seconds"),
            "troubles": [{"mails": mails, "trouble": trouble} for trouble, mails in look.troubles],
        },
        "robots": {
            "boards": look.thoughts.number,
            "oldest_seconds": _age(look.thoughts, look.at),
            "thinking": look.is_thought,
        },
        **row_of(look, "players boards"),
        "broadcasts_waiting": look.broadcasts,
        "suspended_addresses": look.suspended.number,
        "suspended_latest": [
            {"address": address, "userid": userid, "since": since} for address, userid, since in look.suspended.latest
        ],
        "locked": [
            {**row_of(lock, "key.kind key.subject failures"), "until": lock.locked_until} for lock in look.locked
        ],
        "boards_overdue": look.deadlines.overdue,
        "deadlines": [row_of(due, "board game due_at") for due in look.deadlines.next],
        "agenda": {kind: {"items": items, "due": due} for kind, (items, due) in look.agenda.items()},
    }


def _waiting_values(queue: Queue, now: datetime) -> dict[str, Any]:
    """By state."""
    return {state: {"mails": each.number, "oldest_seconds": _age(each, now)} for state, each in queue.waiting.items()}


def _age(waiting: Waiting, now: datetime) -> float | None:
    """Seconds."""
    return None if waiting.oldest_at is None else max(0.0, (now - waiting.oldest_at).total_seconds())


def _flow_values(flow: Flow, took: str) -> dict[str, Any]:
    return {
        "ever": flow.ever,
        "within": dict(flow.within),
        took: {"median": flow.quantile(0.5), "most": flow.quantile(1)},
    }


def lines_of(look: Status) -> list[str]:
    """For people: a line for each queue and for each thing that needs the operator."""
    players = counted(look.players, "player")
    return [
        f"{look.at:%Y-%m-%d %H:%M:%S} UTC   {players}, {counted(look.boards, 'board')} under way",
        *_stop_lines(look),
        "",
        *_queue_lines(look),
        room_line(look.room),
        "",
        f"{counted(look.deadlines.overdue, 'board')} overdue",
        *(f"  board {due.board} ({due.game}): due {_when(due.due_at, look.at)}" for due in look.deadlines.next),
        *(f"  agenda: {items} {kind}, {due} due" for kind, (items, due) in look.agenda.items()),
        *_player_lines(look),
    ]


def _stop_lines(look: Status) -> list[str]:
    lines = [_STOPPED[halt.kind].format(_when(halt.starts_at, look.at)) for halt in look.halts]
    if look.silent_since is not None:
        lines.append(f"No server is at work, since {_when(look.silent_since, look.at)}: pbm serve")
    if look.stuck_since is not None:
        lines.append(f"No email goes out, since {_when(look.stuck_since, look.at)}: pbm doctor")
    if look.moves_ignored:
        emails = counted(look.moves_ignored, "email")
        lines.append(f"{emails} in which a move stands taken for a machine's: pbm inbox list --state ignored")
    # Two processes may share a database, and neither has the task.
    if look.thoughts.number and not look.is_thought:
        lines.append("No robot moves, because no process thinks: pbm work --do think")
    return lines


_STOPPED = {
    StopKind.MAINTENANCE: "Nothing is played, since {}: pbm maintenance off",
    StopKind.HALT: "All clocks stand still, since {}: pbm board clock run --all",
}


def _queue_lines(look: Status) -> list[str]:
    lines = list[str]()
    for name, took in ("inbox", "handled after"), ("outbox", "sent after"):
        queue, title = look.queues[name], name
        for state, waiting in queue.waiting.items():
            command = f"pbm {name} list --state {state}" if state in ("parked", "failed") else ""
            lines.append(_queue_line(title, state, waiting, look.at, command))
            title = ""
        lines.append(_flow_line(queue.flow, took))
    return [
        *lines,
        # Other mail servers write the text, and a terminal would obey control characters.
        *(f"{'':8}{mails:>6} x {printable(' '.join(trouble.split()))}" for trouble, mails in look.troubles if trouble),
        _queue_line("robots", "board" if look.thoughts.number == 1 else "boards", look.thoughts, look.at),
    ]


def room_line(room: Footprint) -> str:
    """The size of the database, and how much of it is unused if that is known."""
    unused = "" if room.unused is None else f", {room.unused_share:.0%} of it unused"
    advice = "" if room.shrinks or not room.is_wasted else ": pbm db upgrade"
    return f"database {room.octets / 2**20:,.1f} MB{unused}{advice}"


def _player_lines(look: Status) -> list[str]:
    """The lines about players; trouble that the operator can end comes with the command for it."""
    suspended = counted(look.suspended.number, "address")
    return [
        f"{counted(look.broadcasts, 'broadcast')} waiting{_hint('pbm player broadcast list', look.broadcasts)}",
        f"{suspended} suspended{_hint('pbm player resume USERID', look.suspended.number)}",
        *(f"  {address} ({userid}), since {_when(at, look.at)}" for address, userid, at in look.suspended.latest),
        f"{counted(len(look.locked), 'lock')} against guessing{_hint('pbm player unlock WHO', len(look.locked))}",
        *(
            f"  {lock.key.kind} {printable(lock.key.subject)}: {lock.failures}, to {_when(lock.locked_until, look.at)}"
            for lock in look.locked[:_SHOWN]
        ),
    ]


def _hint(command: str, number: int) -> str:
    return f": {command}" if number and command else ""


def _queue_line(queue: str, state: str, waiting: Waiting, now: datetime, command: str = "") -> str:
    age = "" if waiting.oldest_at is None else f"the oldest {_duration(now - waiting.oldest_at)} old"
    return f"{queue:8}{waiting.number:>6} {state:10} {age}{_hint(command, waiting.number)}".rstrip()


def _flow_line(flow: Flow, took: str) -> str:
    within = ", ".join(f"{name} {mails}" for name, mails in flow.within.items())
    times = f"; {took} {flow.quantile(0.5):.2f} s, at most {flow.quantile(1):.2f} s" if flow.seconds else ""
    return f"{'':8}{flow.ever:>6} ever; last {within}{times}"


def _when(instant: datetime | None, now: datetime) -> str:
    if instant is None:
        return "ever"
    away = _duration(abs(instant - now))
    return f"{instant:%Y-%m-%d %H:%M} UTC ({f'in {away}' if instant > now else f'{away} ago'})"


def _duration(time: timedelta) -> str:
    """In its two largest units: 2 d 3 h."""
    left, words = max(0, int(time.total_seconds())), list[str]()
    for seconds, unit in _SECONDS:
        if left >= seconds or (unit == "s" and not words):
            words.append(f"{left // seconds} {unit}")
            left %= seconds
    return " ".join(words[:2])
