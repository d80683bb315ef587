"""How a server ends, what systemd hears about it, and a mail's number in every line of the log about it."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import signal
import smtplib
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest

from pbm.cli import logs, running
from tests.cli.conftest import Pbm
from tests.cli.test_serve import PBM, first_line, mails_in, port_of, send, serving, stopped
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.ports import reserved_port


def words(tmp_path: Path) -> tuple[str, ...]:
    return ("--listen", "127.0.0.1:0", "--domain", "example.org", "--maildir", str(tmp_path / "mail"))


def counted(tmp_path: Path, query: str) -> int:
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection:
        return int(connection.execute(query).fetchone()[0])


@pytest.mark.servers
def test_told_to_stop_under_load_a_server_finishes_what_it_took(game: Pbm, tmp_path: Path) -> None:
    """Clients that send as fast as they can get 250 or are turned away, and each mail with 250 is in the database."""
    accepted: list[int] = []

    def flood(first: int, port: int) -> None:
        with suppress(smtplib.SMTPException, OSError), smtplib.SMTP("127.0.0.1", port) as client:
            for number in range(first, first + 10_000):
                mail = f"From: a{number}@x.org\r\nSubject: help\r\nMessage-ID: <{number}@x.org>\r\n\r\n"
                client.sendmail("a@x.org", ["pbm@example.org"], mail)
                accepted.append(number)

    with serving(*words(tmp_path), PBM_LOG__LEVEL="warning") as (process, line):
        clients = [threading.Thread(target=flood, args=(10_000 * n, port_of(line))) for n in range(4)]
        for client in clients:
            client.start()
        mails_in(tmp_path / "mail/a3@x.org", 1)
        code, _, err = stopped(process)
        for client in clients:
            client.join()
    assert code == 0
    assert "Traceback" not in err
    assert counted(tmp_path, "SELECT count(*) FROM inbox") >= len(accepted) > 0
    assert counted(tmp_path, "SELECT count(*) FROM inbox WHERE state NOT IN ('new', 'handled', 'ignored')") == 0
    game("db", "check")


@contextmanager
def stuck(**more: str) -> Iterator[subprocess.Popen[str]]:
    """A server in the middle of a delivery to a smarthost that stays silent."""
    with socket.create_server(("127.0.0.1", 0)) as smarthost:
        smarthost.settimeout(PATIENCE_SECONDS)
        environment = {
            "PBM_DELIVERY__KIND": "smarthost",
            "PBM_SMARTHOST__HOST": "127.0.0.1",
            "PBM_SMARTHOST__PORT": str(smarthost.getsockname()[1]),
            **more,
        }
        with serving("--listen", "127.0.0.1:0", "--domain", "example.org", **environment) as (process, line):
            send(port_of(line), "help")
            with smarthost.accept()[0]:
                yield process


@pytest.mark.servers
def test_a_second_signal_ends_a_server_that_hangs(pbm: Pbm, tmp_path: Path) -> None:
    with stuck() as process:
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert any("stopping" in told for told in iter(process.stderr.readline, ""))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 1
        assert process.stderr.read().endswith("Not all that was begun was finished before a second signal came.\n")
    assert counted(tmp_path, "SELECT count(*) FROM outbox WHERE state = 'queued'") == 1


@pytest.mark.servers
def test_a_stop_takes_no_longer_than_it_may(pbm: Pbm, tmp_path: Path) -> None:
    with stuck(PBM_SERVER__STOP_SECONDS="0.5") as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_comes_just_before_the_loop_sleeps_wakes_it(number: signal.Signals) -> None:
    """Caught in another thread it interrupts no sleep of this one, as if it had come an instant earlier."""

    async def sleep() -> None:
        loop, slept_on = asyncio.get_running_loop(), asyncio.Event()
        with closing(running.Signals(PATIENCE_SECONDS)) as signals:
            loop.add_signal_handler(signal.SIGHUP, signals.first.set)
            threading.Timer(0.1, os.kill, (os.getpid(), number)).start()
            alarm_clock = threading.Timer(PATIENCE_SECONDS, loop.call_soon_threadsafe, (slept_on.set,))
            alarm_clock.start()
            await signals.first.wait()
            alarm_clock.cancel()
            signal.alarm(0)
        assert not slept_on.is_set()

    is_over = threading.Event()
    catcher = threading.Thread(target=is_over.wait)
    before = signal.getsignal(number)
    catcher.start()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        asyncio.run(sleep())
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        is_over.set()
        catcher.join()
    assert signal.getsignal(number) is before


@pytest.mark.servers
def test_systemd_hears_when_we_are_ready_alive_and_stopping(pbm: Pbm, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "notify"))
        supervisor.settimeout(PATIENCE_SECONDS)
        environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "100000"}
        with serving(*words(tmp_path), **environment) as (process, _):
            heard = [supervisor.recv(100) for _ in range(3)]
            process.send_signal(signal.SIGTERM)
            while b"STOPPING=1" not in heard:
                heard.append(supervisor.recv(100))
            assert process.wait(PATIENCE_SECONDS) == 0
    assert sorted(set(heard)) == [b"READY=1", b"STOPPING=1", b"WATCHDOG=1"]


@pytest.mark.servers
def test_numbers_are_given_while_it_runs(pbm: Pbm, tmp_path: Path) -> None:
    with reserved_port() as port, serving(*words(tmp_path), PBM_METRICS__LISTEN=f"127.0.0.1:{port}") as (process, line):
        with smtplib.SMTP("127.0.0.1", port_of(line)):
            assert numbers_at(port)["pbm_smtp_connections"] == 1
        assert stopped(process)[0] == 0


def numbers_at(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_SECONDS) as answer:
        lines = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


@pytest.mark.servers
def test_a_worker_beside_a_server_with_one_configuration_tells_its_own_numbers(pbm: Pbm, tmp_path: Path) -> None:
    """The server also shows the numbers of what others do for it, as long as somebody does it."""
    with ExitStack() as held:
        port, own = (held.enter_context(reserved_port()) for _ in range(2))
        environment = {"PBM_METRICS__LISTEN": f"127.0.0.1:{port}", "PBM_SERVER__DOMAIN": "example.org"}
        environment["PBM_MAILDIR__FOLDER"] = str(tmp_path / "mail")
        _, line = held.enter_context(serving("--listen", "127.0.0.1:0", "--do", "listen", **environment))
        words = [*PBM, "work", "--metrics", f"127.0.0.1:{own}"]
        plain = subprocess.Popen([*PBM, "work"], stdout=subprocess.PIPE, text=True, env=os.environ | environment)
        worker = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | environment)
        try:
            for process in (plain, worker):
                assert first_line(process) == "pbm: at work for pbm@example.org: handle, deliver\n"
            plain.kill()
            send(port_of(line), "help")
            mails_in(tmp_path / "mail/alice@example.net", 1)
            wait_until(lambda: numbers_at(own).get('pbm_own_mails_settled_total{state="handled"}') == 1)
            ages = {f'pbm_age_seconds{{what="{what}"}}' for what in ("heartbeat", "listens", "delivers")}
            wait_until(lambda: ages <= numbers_at(port).keys())
            told, ours = numbers_at(port), numbers_at(own)
            assert ours["pbm_own_mails_accepted_total"] == 0
            assert told["pbm_own_mails_accepted_total"] == 1
            assert not any(name.startswith("pbm_own_mails_settled_total") for name in told)
        finally:
            plain.kill()
            worker.kill()
            plain.communicate()
            worker.communicate()


def test_a_place_for_numbers_that_is_taken_is_told(pbm: Pbm, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        environment = os.environ | {"PBM_METRICS__LISTEN": place}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "environ", environment)
            refused = pbm("serve", *words(tmp_path), code=1)
    assert refused.stderr.endswith(f"metrics.listen: cannot listen on {place}: Address already in use.\n")


@pytest.mark.servers
def test_every_line_about_a_mail_names_it(game: Pbm, tmp_path: Path) -> None:
    with serving(*words(tmp_path), PBM_LOG__FORMAT="json") as (process, line):
        send(port_of(line), "help")
        send(port_of(line), "cross move 101 alice alicepass D4")
        mails_in(tmp_path / "mail/bob@example.net", 2)
        mails_in(tmp_path / "mail/alice@example.net", 3)
        _, _, err = stopped(process)
    lines = [json.loads(each) for each in err.splitlines()]
    # in any order: each thread tells its part when it is done, and may be overtaken by the next
    story = {each["event"]: each for each in lines if each.get("mail") == 2}
    sent = sorted(each["outbox"] for each in lines if each.get("mail") == 2 and each["event"] == "sent")
    assert story.keys() == {"received", "settled", "sent"}
    assert len(sent) == 2
    assert story["settled"]["outbox"] == sent
    assert {each["event"] for each in lines if each.get("mail") == 1} == {"received", "settled", "sent"}
    assert "alicepass" not in err
    assert "D4" not in err


@pytest.mark.servers
def test_a_mail_that_is_parked_or_refused_is_named_too(game: Pbm, tmp_path: Path) -> None:
    environment = {"PBM_LOG__FORMAT": "json", "PBM_LIMITS__UNPROVEN_ANSWERS_PER_HOUR": "1"}
    with serving(*words(tmp_path), **environment) as (process, line):
        for subject in ("cross show 101", "list", "list cross"):
            send(port_of(line), subject)
        wait_until(lambda: not counted(tmp_path, "SELECT count(*) FROM inbox WHERE state = 'new'"))
        _, _, err = stopped(process)
    refused = [each for each in map(json.loads, err.splitlines()) if "limit: " in each.get("reason", "")]
    assert [each["mail"] for each in refused] == [2, 3]


@pytest.mark.servers
def test_nobody_reads_standard_error_and_nothing_stops(game: Pbm, tmp_path: Path) -> None:
    """The pipe holds 4 kB, which is the log of some ten mails."""
    with serving(*words(tmp_path), PBM_LOG__LEVEL="debug") as (process, line):
        assert process.stderr is not None
        fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, 4096)
        for number in range(60):
            send(port_of(line), f"{number} games")
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    assert counted(tmp_path, "SELECT count(*) FROM inbox") == 60


@pytest.fixture
def _hasty_threads() -> Iterator[None]:
    """Threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_hasty_threads")
def test_lines_that_find_no_room_are_counted_whoever_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_WAITING", 10)
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    stream = logs.Unhurried(writing)

    def write(first: int) -> None:
        for number in range(first, first + 3000):
            stream.write(f"{number:0100}\n")

    writers = [threading.Thread(target=write, args=(3000 * place,)) for place in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with open(reading) as pipe, ThreadPoolExecutor() as pool:  # noqa: PTH123  it has no path
        heard = pool.submit(pipe.read)
        stream.write("more\n")
        stream.drain()
        os.close(writing)
        text = heard.result(PATIENCE_SECONDS)
    told = [int(line) for line in text.splitlines() if line.isdecimal()]
    dropped = [int(count) for count in re.findall(r"(\d+) lines dropped", text)]
    assert dropped
    assert len(told) + sum(dropped) + text.count("more") == 12_001
    for place in range(4):
        own = [number for number in told if number // 3000 == place]
        assert own == sorted(own)


STUCK = """
import time
import pbm.edges.server as server
def doing(*_):
    print("stuck", flush=True)
    while True:  # a signal just before a single long sleep would be heeded after it
        time.sleep(0.01)
server.Server._doing = doing
from pbm.cli import main
main()
"""


@pytest.mark.servers
def test_a_server_whose_loop_is_stuck_ends_all_the_same(game: Pbm, tmp_path: Path) -> None:
    """It ends within the configured time after it is told to stop, whatever it is stuck in."""
    command = [sys.executable, "-c", STUCK, "serve", *words(tmp_path)]
    environment = os.environ | {"PBM_SERVER__STOP_SECONDS": "0.1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        assert process.stdout is not None
        assert b"stuck\n" in iter(process.stdout.readline, b"")
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == -signal.SIGALRM


HANGS = """
import time
import pbm.edges.server as server
def handle(service, *_):
    with service.store.read() as tx:
        waits = tx.inbox.waits_since() is not None
    return time.sleep(3600) if waits else 0
server.Service.handle, server._LONGEST_WORK_SECONDS = handle, 1
from pbm.cli import main
main()
"""


@pytest.mark.servers
def test_a_handling_that_hangs_ends_the_process_and_its_mail_is_kept(pbm: Pbm, tmp_path: Path) -> None:
    """Nothing else can interrupt it; its supervisor starts another process."""
    command = [sys.executable, "-c", HANGS, "serve", *words(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        send(port_of(first_line(process)), "help")
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert "handling_hangs" in err
    assert err.endswith("Start again: an email that does this is parked in the end.\n")
    assert counted(tmp_path, "SELECT count(*) FROM inbox WHERE state = 'new'") == 1


@pytest.mark.servers
def test_a_robot_that_hangs_keeps_no_server_from_ending_in_good_order(game: Pbm, tmp_path: Path) -> None:
    """The robot's thought is begun anew later."""
    hangs = "import pbm.edges.server as s, pbm.server.thinker as t, time"
    hangs = f"{hangs}; s._THINK_GRACE_SECONDS = 0.1; t.Thinker.run = lambda *_: print('stuck') or time.sleep(3600)"
    command = [sys.executable, "-u", "-c", f"{hangs}; from pbm.cli import main; main()", "serve", *words(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        heard = b""
        while not (b"stuck" in heard and b"accepting" in heard):
            line = process.stdout.readline()
            assert line, "it has ended"
            heard += line
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
