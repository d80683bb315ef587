"""`pbm serve` as a process, used over SMTP."""

from __future__ import annotations

import logging
import os
import re
import selectors
import signal
import smtplib
import socket
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

import pytest
import structlog

from pbm.cli.logs import log_to_stderr
from pbm.cli.settings import Log
from tests.cli.conftest import Pbm
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.ports import listens_at, reserved_port

PBM = [sys.executable, "-c", "from pbm.cli import main; main()"]


@contextmanager
def serving(*words: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server and the line that it printed; it is killed when the context ends."""
    process = subprocess.Popen(
        [*PBM, "serve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    try:
        yield process, first_line(process)
    finally:
        process.kill()
        print(process.communicate()[1])


def first_line(process: subprocess.Popen[str]) -> str:
    """The line that says where mail is accepted, which must come in time."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        assert selector.select(PATIENCE_SECONDS), "the server says nothing"
    return process.stdout.readline()


def port_of(line: str) -> int:
    match = re.fullmatch(r"pbm: accepting mail for pbm@example\.org on 127\.0\.0\.1:(\d+)\n", line)
    assert match, line
    return int(match[1])


def mails_in(folder: Path, count: int) -> list[bytes]:
    """The mails of a Maildir, as soon as there are this many."""
    wait_until(lambda: len(list((folder / "new").glob("*"))) >= count)
    return [file.read_bytes() for file in sorted((folder / "new").glob("*"))]


def stopped(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, out, err


def send(port: int, subject: str, to: str = "pbm@example.org") -> dict[str, tuple[int, bytes]]:
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE_SECONDS) as client:
        mail = f"From: alice@example.net\r\nTo: {to}\r\nMessage-ID: <{subject[:5]}@x>\r\nSubject: {subject}\r\n\r\n"
        return client.sendmail("alice@example.net", [to], mail)


@pytest.mark.servers
def test_over_a_database_that_can_only_be_read_it_ends_and_says_what_would_work(pbm: Pbm, tmp_path: Path) -> None:
    file = tmp_path / "pbm.db"
    pbm("--database", f"sqlite:///{file}", "db", "upgrade")
    with closing(sqlite3.connect(file)) as other:  # its journal exists, as after a server was killed
        other.execute("SELECT count(*) FROM inbox").fetchone()
        words = ("--database", f"sqlite:///file:{file}?mode=ro&uri=true", "serve", "--listen", "127.0.0.1:0")
        ended = subprocess.run(
            [*PBM, *words], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )  # fmt: skip
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].endswith("start again: SQLite would not write in this process.")


@pytest.mark.servers
def test_a_game_without_any_file(tmp_path: Path, pbm: Pbm) -> None:
    url, maildir = f"sqlite:///{tmp_path / 'new.db'}", tmp_path / "mail"
    pbm("db", "create", "--database", url)
    for userid in ("alice", "bob"):
        pbm("player", "add", userid, "--address", f"{userid}@example.net", "--password", "secret1", "--database", url)
    words = ("--listen", "127.0.0.1:0", "--database", url, "--maildir", str(maildir), "--domain", "example.org")
    with serving(*words) as (process, line):
        port = port_of(line)
        assert send(port, "cross challenge -size=4 alice bob alice secret1") == {}
        for userid in ("alice", "bob"):
            (mail,) = mails_in(maildir / f"{userid}@example.net", 1)
            assert b"Subject: Cross Board 101 alice-bob" in mail
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            send(port, "help", "nobody@example.org")
        assert refused.value.recipients["nobody@example.org"][0] == 550
        pbm("board", "move", "101", "alice", "D4", "--database", url)
        assert b"alice played D4" in mails_in(maildir / "bob@example.net", 2)[1]
        code, out, err = stopped(process)
    assert (code, out) == (0, "")
    assert "Traceback" not in err
    pbm("board", "verify", "--database", url)


@pytest.mark.servers
def test_an_empty_database_is_set_up_and_sigint_stops(tmp_path: Path) -> None:
    environment = {
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "PBM_SERVER__LISTEN": "127.0.0.1:0",
        "PBM_LOG__FORMAT": "json",
    }
    with serving("--domain", "example.org", **environment) as (process, line):
        port = port_of(line)
        send(port, "help")
        assert mails_in(tmp_path / "data/pbm/mail/alice@example.net", 1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0
    assert (tmp_path / "data/pbm/pbm.db").exists()
    assert all(entry.startswith("{") for entry in err.splitlines())


@pytest.mark.servers
def test_a_unix_socket(tmp_path: Path) -> None:
    url, place = f"sqlite:///{tmp_path / 'x.db'}", tmp_path / "s"
    with serving("--listen", f"unix:{place}", "--database", url, "--maildir", str(tmp_path / "m")) as (_, line):
        assert line == f"pbm: accepting mail for pbm@localhost on unix:{place}\n"
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(place))
            assert client.recv(100).startswith(b"220 ")


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["--listen", "nonsense"], 2, "server.listen (command line): "),
        (["--domain", "a b"], 2, "server.domain (command line): "),
        (["--maildir", f"{__file__}/x"], 2, "maildir.folder: "),
        (["--config", "/none.toml"], 2, "/none.toml: cannot be read"),
    ],
)
def test_a_mistake_is_told_before_anything_is_done(words: list[str], code: int, expected: str, pbm: Pbm) -> None:
    refused = pbm("serve", *words, code=code)
    assert refused.stderr.startswith(expected)
    assert refused.stdout == ""


@pytest.mark.servers
def test_whoever_starts_it_may_have_closed_all_its_streams(tmp_path: Path) -> None:
    with reserved_port() as port:
        words = [*PBM, "serve", "--listen", f"127.0.0.1:{port}", "--domain", "example.org"]
        words += ["--maildir", str(tmp_path / "mail"), "--database", f"sqlite:///{tmp_path / 'pbm.db'}"]
        process = subprocess.Popen(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words])
        try:
            wait_until(lambda: process.poll() is not None or listens_at(port))
            assert process.poll() is None, "it has ended"
            send(port, "help")
            mails_in(tmp_path / "mail" / "alice@example.net", 1)
        finally:
            process.kill()
            process.wait()


@pytest.mark.servers
def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        words = [
            "serve",
            "--listen",
            listen,
            "--maildir",
            str(tmp_path / "m"),
            "--database",
            f"sqlite:///{tmp_path}/x.db",
        ]
        done = subprocess.run([*PBM, *words], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.returncode == 1
    assert f"server.listen: cannot listen on {listen}" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_fault_in_the_log_does_not_tell_what_was_written(
    form: Literal["text", "json"], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])
    log_to_stderr(Log(format=form))

    def fail(written: str) -> None:
        raise ValueError(len(written))

    try:
        fail("Sesame" + "99")
    except ValueError as error:
        structlog.get_logger().error("parked", exc_info=error)
    said = capsys.readouterr().err
    assert "ValueError" in said
    assert "Sesame99" not in said


@pytest.mark.servers
def test_the_address_belongs_to_the_database(tmp_path: Path, pbm: Pbm) -> None:
    """Commands write from the server's address without being told it, and what acts refuses a contradiction."""
    url, maildir = f"sqlite:///{tmp_path / 'new.db'}", tmp_path / "mail"
    database = ("--database", url)
    words = ("--listen", "127.0.0.1:0", *database, "--maildir", str(maildir), "--domain", "example.org")
    with serving(*words) as (process, _):
        for userid in ("alice", "bob"):
            pbm("player", "add", userid, "--address", f"{userid}@example.net", "--password", "secret1", *database)
        pbm("board", "challenge", "create", "cross", "-size=4", "alice", "bob", *database)
        (mail,) = mails_in(maildir / "alice@example.net", 1)
        assert b"From: pbm <pbm@example.org>" in mail
        stopped(process)
    assert pbm("identity", "show", *database).stdout == "pbm@example.org\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PBM_SERVER__DOMAIN", "elsewhere.org")
        for command in (["serve"], ["player", "rename", "alice", "alicia"]):
            refused = pbm(*command, *database, code=2)
            assert "server.domain: this is elsewhere.org, but players of this database write to pbm@example.org" in (
                refused.stderr
            )
        pbm("identity", "set", "pbm@elsewhere.org", *database)
        pbm("board", "list", *database)
    pbm("identity", "set", "no address", *database, code=2)
    with serving(*words[:-2]) as (_, line):
        assert line.startswith("pbm: accepting mail for pbm@elsewhere.org on")


def test_a_usual_folder_that_may_not_be_read_is_told(pbm: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_file(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", is_file)
    assert "cannot be looked for: Permission denied" in pbm("board", "list", code=2).stderr


@pytest.mark.servers
def test_a_hangup_has_the_next_dkim_key_read(tmp_path: Path, pbm: Pbm) -> None:
    key, maildir, config = tmp_path / "dkim.pem", tmp_path / "mail", tmp_path / "pbm.toml"
    pbm("keys", "dkim", "create", str(key))
    record = pbm("keys", "dkim", "rotate", str(key)).stdout
    selector = record.partition("._domainkey")[0]
    head = f'[server]\nlisten = "127.0.0.1:0"\ndomain = "example.org"\n[maildir]\nfolder = "{maildir}"\n'
    head += "[limits]\nstranger_answers_per_day = 9\n[dkim]\n"
    config.write_text(f'{head}key = "{key}"\n')
    with serving("--config", str(config), PBM_DATABASE=f"sqlite:///{tmp_path}/new.db") as (process, line):
        assert process.stderr is not None
        for number, text in enumerate(
            ("[broken", f'{head}key = "{tmp_path / selector}.pem"\nselector = "{selector}"\n')
        ):
            send(port_of(line), f"{number} hello")
            mails = mails_in(maildir / "alice@example.net", number + 1)
            assert all(b" s=pbm;" in mail for mail in mails)
            config.write_text(text)
            process.send_signal(signal.SIGHUP)
            wanted = ("not_reloaded", " reloaded")[number]
            assert any(wanted in told for told in iter(process.stderr.readline, ""))
        send(port_of(line), "again hello")
        assert any(f" s={selector};".encode() in mail for mail in mails_in(maildir / "alice@example.net", 3))


def certificate_of(port: int) -> bytes | None:
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE_SECONDS) as client:
        client.starttls()
        assert isinstance(client.sock, ssl.SSLSocket)
        return client.sock.getpeercert(binary_form=True)


@pytest.mark.servers
def test_a_hangup_has_a_new_certificate_read_and_a_broken_one_left_alone(tmp_path: Path) -> None:
    """Even with a key of another kind, beside which the earlier one must not go on being offered."""
    first, second = (
        (Path(__file__).parents[1] / "edges" / name).read_text() for name in ("localhost.pem", "renewed.pem")
    )
    config, pem = tmp_path / "pbm.toml", tmp_path / "server.pem"
    pem.write_text(first)
    pem.chmod(0o600)
    head = f'[server]\nlisten = "127.0.0.1:0"\ndomain = "example.org"\ntls_certificate = "{pem}"\n'
    config.write_text(f'{head}[maildir]\nfolder = "{tmp_path}/mail"\n')
    with serving("--config", str(config), PBM_DATABASE=f"sqlite:///{tmp_path}/new.db") as (process, line):
        assert process.stderr is not None
        seen = [certificate_of(port_of(line))]
        for text, said in (("broken", "not_reloaded"), (second, " reloaded")):
            pem.write_text(text)
            process.send_signal(signal.SIGHUP)
            assert any(said in told for told in iter(process.stderr.readline, ""))
            seen.append(certificate_of(port_of(line)))
    assert seen == [ssl.PEM_cert_to_DER_cert(each[: each.index("-----BEGIN P")]) for each in (first, first, second)]


@pytest.mark.servers
def test_a_hangup_has_limits_and_the_level_of_the_log_read(tmp_path: Path, pbm: Pbm) -> None:
    """A stranger gets one answer a day, until the operator allows more."""
    maildir, config = tmp_path / "mail", tmp_path / "pbm.toml"
    head = f'[server]\nlisten = "127.0.0.1:0"\ndomain = "example.org"\n[maildir]\nfolder = "{maildir}"\n'
    config.write_text(f'{head}[log]\nlevel = "warning"\n[limits]\nstranger_answers_per_day = 1\n')
    with serving("--config", str(config)) as (process, line):
        assert process.stderr is not None
        send(port_of(line), "1 hello")
        send(port_of(line), "2 hello")
        mails_in(maildir / "alice@example.net", 1)
        wait_until(lambda: "limit: nothing was done" in pbm("inbox", "list").stdout)
        config.write_text(f'{head}[log]\nlevel = "info"\n[limits]\nstranger_answers_per_day = 2\n')
        process.send_signal(signal.SIGHUP)
        assert any(" reloaded" in told for told in iter(process.stderr.readline, ""))
        send(port_of(line), "3 hello")
        assert len(mails_in(maildir / "alice@example.net", 2)) == 2
        assert any(" received mail=3 " in told for told in iter(process.stderr.readline, ""))
