"""Mails from a pipe: their sender, the exit code of each refusal, and that all other trouble is temporary."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm.domain.configuration import Limits
from pbm.domain.mail import Arrival
from pbm.edges.pipe import Refusal, envelope, receive
from pbm.mailin import Robot
from pbm.store import Store
from tests.patience import PATIENCE_SECONDS

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MAIL = b"From: alice@example.net\nSubject: help\n\n"
ROBOT = Robot(domain="example.org")


@pytest.fixture
def store(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'pbm.db'}")
    store.prepare(NOW)
    yield store
    store.close()


def stored(store: Store):
    with store.read() as tx:
        return [(mail.mail_from, mail.recipients, mail.raw) for mail in tx.inbox.latest(Arrival.NEW, 10)[::-1]]


@pytest.mark.parametrize(
    ("sender", "recipients", "environment", "found"),
    [
        ("a@b.org", ("pbm@example.org",), {"SENDER": "no", "RECIPIENT": "no"}, ("a@b.org", ("pbm@example.org",))),
        (None, (), {"SENDER": "a@b.org", "RECIPIENT": "pbm@x"}, ("a@b.org", ("pbm@x",))),
        (None, (), {"RECIPIENT": "pbm@x", "ORIGINAL_RECIPIENT": "pbm+t@x"}, (None, ("pbm+t@x", "pbm@x"))),
        ("MAILER-DAEMON", (), {}, ("", ())),
        ("<>", (), {}, ("", ())),
        ("", (), {"SENDER": "a@b.org"}, ("", ())),
        ("<a@b.org>", (), {}, ("a@b.org", ())),
        (None, (), {}, (None, ())),
    ],
)
def test_the_envelope(sender, recipients, environment, found):
    assert envelope(sender, recipients, environment) == found


def test_a_mail_is_stored_for_our_recipients_without_the_line_of_mbox(store):
    receive(
        store,
        ROBOT,
        "a@b.org",
        ("bob@example.org", "PBM+Tok@Example.org"),
        b"From a@b.org Thu\n" + MAIL,
        NOW,
        max_size=999,
        least_free=0,
        limits=Limits(),
    )
    assert stored(store) == [("a@b.org", ("PBM+Tok@Example.org",), MAIL)]


@pytest.mark.parametrize(
    ("recipients", "data", "code"),
    [
        (("bob@example.org", "pbm@example.com"), MAIL, os.EX_NOUSER),
        ((), b" \n", os.EX_DATAERR),
        ((), MAIL + b"x" * 999, os.EX_DATAERR),
    ],
)
def test_what_is_the_mails_own_fault(store, recipients, data, code):
    with pytest.raises(Refusal) as refusal:
        receive(store, ROBOT, "", recipients, data, NOW, max_size=999, least_free=0, limits=Limits())
    assert refusal.value.exit_code == code
    assert not stored(store)


def test_while_there_is_too_little_room_the_mail_server_tries_again(store):
    with pytest.raises(Refusal) as refusal:
        receive(store, ROBOT, "", ("pbm@example.org",), MAIL, NOW, max_size=999, least_free=2**60, limits=Limits())
    assert refusal.value.exit_code == os.EX_TEMPFAIL
    assert not stored(store)


def test_processes_for_single_mails_count_their_octets_together(store):
    mail = MAIL + b"x" * 2**20
    limits = Limits(scale=0.02)
    for _ in range(4):
        receive(store, ROBOT, "", (), mail, NOW, max_size=2**21, least_free=0, limits=limits)
    with pytest.raises(Refusal, match="Try again after") as refusal:
        receive(store, ROBOT, "", (), mail, NOW, max_size=2**21, least_free=0, limits=limits)
    assert refusal.value.exit_code == os.EX_TEMPFAIL


def piped(data: bytes, *arguments: str, **environment: str) -> tuple[int, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in ("SENDER", "RECIPIENT")}
    done = subprocess.run(
        [sys.executable, "-m", "pbm", "receive", *arguments],
        input=data, env=inherited | environment, capture_output=True, check=False, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    return done.returncode, done.stderr.decode()


@pytest.mark.servers
def test_the_command_by_its_variables_and_what_it_says_of_itself(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'pbm.db'}"
    fresh = Store(url)
    fresh.prepare(NOW)
    fresh.close()
    assert piped(MAIL, PBM_DATABASE=url, SENDER="a@b.org", RECIPIENT="pbm+tok@localhost") == (0, "")
    store = Store(url)
    assert stored(store) == [("a@b.org", ("pbm+tok@localhost",), MAIL)]
    store.close()
    code, complaint = piped(MAIL, "nobody@localhost", PBM_DATABASE=url)
    assert (code, complaint) == (os.EX_NOUSER, "5.1.1 There is no nobody@localhost here.\n")


@pytest.mark.servers
@pytest.mark.parametrize(
    "arguments", [("--bogus",), ("--config", "/nowhere/pbm.toml"), ("--database", "sqlite:////nowhere/pbm.db")]
)
def test_trouble_of_ours_is_temporary(arguments):
    code, complaint = piped(MAIL, *arguments, PBM_DATABASE="sqlite:////nowhere/pbm.db")
    assert code == os.EX_TEMPFAIL
    assert complaint.startswith("4.3.0 ")
    assert complaint.count("\n") == 1


@pytest.mark.servers
def test_a_mail_waits_if_the_program_is_interrupted():
    def hears() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell may have had it ignored

    words = [sys.executable, "-m", "pbm", "receive", "pbm@localhost"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=hears) as process:
        assert process.stdin is not None
        process.stdin.write(MAIL + b"x" * 500_000)
        process.stdin.flush()  # which returns only when most of it has been read
        process.send_signal(signal.SIGINT)
        process.stdin.close()  # a signal between two reads is heard only after the next
        assert process.wait(PATIENCE_SECONDS) == os.EX_TEMPFAIL
