"""`pbm doctor`: it finds what a server lacks, says what to do, and never hangs."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from games import GAMES, LEFT_OUT
from games.hex import Hex
from games.placing import Position
from games.scene import Scene
from pbm.compose import pages
from pbm.compose.pages import Pages
from pbm.domain.configuration import FetchSettings, SmarthostSettings
from pbm.edges import probes
from pbm.edges.records import Finding
from tests.cli.conftest import Pbm
from tests.cli.test_serve import port_of, serving


def mailbox(port: int, folder: str = "INBOX") -> FetchSettings:
    password = SecretStr("p")
    return FetchSettings(host="127.0.0.1", username="u", password=password, port=port, tls="none", folder=folder)


@pytest.fixture(autouse=True)
def own_mail_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_MAILDIR__FOLDER", str(tmp_path / "mail"))


def examined(pbm: Pbm, *words: str, code: int) -> dict[str, list[str]]:
    """The verdicts of each check."""
    found: dict[str, list[str]] = {}
    for each in json.loads(pbm("doctor", "--offline", "--json", *words, code=code).stdout):
        assert each["reason"]
        assert each["advice"] or each["verdict"] == "OK"
        found.setdefault(each["check"], []).append(f"{each['verdict']}: {each['reason']}")
    return found


@pytest.mark.servers
def test_a_running_server_passes_and_answers_nothing(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"OPERATOR": "op@x.org", "SERVER__DOMAIN": "example.org", "SERVER__AUTHSERV_ID": "mx.x"}.items():
        monkeypatch.setenv(f"PBM_{name}", value)
    (tmp_path / "pbm.db").chmod(0o600)
    with serving("--listen", "127.0.0.1:0") as (_, line):
        monkeypatch.setenv("PBM_SERVER__LISTEN", f"127.0.0.1:{port_of(line)}")
        found = examined(pbm, code=0)
    assert found["loopback"][0].startswith("OK: an email to ourselves was accepted, and ignored after ")
    assert found["database"][0].startswith("OK: ")
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection:
        assert connection.execute("SELECT state FROM inbox").fetchall() == [("ignored",)]
        assert connection.execute("SELECT count(*) FROM outbox").fetchone() == (0,)
    assert all(words.startswith("OK") for check, each in found.items() for words in each if check != "user")


def test_lines_for_people_say_what_to_do(pbm: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_SERVER__LISTEN", "127.0.0.1:1")
    lines = pbm("doctor", "--offline", code=1).stdout.splitlines()
    place = lines.index("FAIL  listener: nobody takes mail at 127.0.0.1:1: Connection refused")
    assert lines[place + 1] == "      -> start it: pbm serve, or systemctl start pbm"


@pytest.mark.servers
def test_a_server_over_another_database_is_noticed(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "example.org")
    monkeypatch.setattr(probes, "_PATIENCE_SECONDS", 0.3)
    with serving("--listen", "127.0.0.1:0", "--database", f"sqlite:///{tmp_path}/other.db") as (_, line):
        monkeypatch.setenv("PBM_SERVER__LISTEN", f"127.0.0.1:{port_of(line)}")
        found = examined(pbm, code=1)
    assert found["loopback"] == ["FAIL: the email is not in this database"]


def test_a_database_of_another_version_is_noticed(pbm: Pbm, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    assert examined(pbm, code=1)["database"][0].startswith("FAIL: The database is at revision 0001")


def test_a_game_that_is_left_out_is_told(pbm: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examined(pbm, code=1)["games"] == [f"OK: all {len(GAMES)} can be played"]
    monkeypatch.setitem(LEFT_OUT, "frob", "ImportError: no module named nowhere")
    assert examined(pbm, code=1)["games"] == ["FAIL: frob is left out: ImportError: no module named nowhere"]
    refused = pbm("board", "challenge", "create", "frob", "alice", "bob", code=1).stderr
    assert "It is left out: ImportError: no module named nowhere" in refused


def test_a_game_of_another_package_is_played_through(pbm: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    class Frob(Hex):
        info = replace(Hex.info, name="frob")

        def scene(self, pos: Position, last: int | None) -> Scene:
            if pos.taken.bit_count() > 20:
                raise ZeroDivisionError("division by zero")
            return super().scene(pos, last)

    monkeypatch.setitem(GAMES, "frob", Frob())
    (found,) = examined(pbm, code=1)["games"]
    assert found.startswith("FAIL: frob fails in play: ZeroDivisionError: division by zero (")
    assert found.endswith(", in scene).")
    monkeypatch.setattr(Frob, "scene", Hex.scene)
    assert examined(pbm, code=1)["games"] == [f"OK: all {len(GAMES)} can be played"]
    monkeypatch.setattr(Pages, "help", lambda pages, subject: {}[subject])
    assert examined(pbm, code=1)["games"][0].startswith("FAIL: frob fails on its help page: KeyError: 'frob'")
    monkeypatch.setattr(sys.modules["pbm.bots.choose"], "skill_of", lambda name: object())
    (found,) = examined(pbm, code=1)["games"]
    assert found.startswith("FAIL: frob fails when a robot plays it: AttributeError: 'object' object has no attribute")


def test_a_clock_that_went_back_is_noticed(game: Pbm, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection, connection:
        connection.execute("UPDATE outbox SET created_at = created_at + 3600 * 1000000")
    assert examined(game, code=1)["clock"][0].startswith("FAIL: ")


def test_secrets_that_others_may_read_are_noticed(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pbm.toml"
    file.write_text('[imap]\nhost = "imap.example.org"\nusername = "u"\npassword = "p"\n')
    (tmp_path / "pbm.db").chmod(0o600)
    file.chmod(0o644)
    assert f"configuration ({file})" in examined(pbm, "--config", str(file), code=1)["permissions"][0]
    file.chmod(0o600)
    assert examined(pbm, "--config", str(file), code=1)["permissions"] == ["OK: what is secret is not for everybody"]


def test_a_new_database_is_for_its_owner_only(pbm: Pbm, tmp_path: Path) -> None:
    pbm("db", "create", "--database", f"sqlite:///{tmp_path}/new.db")
    assert stat.S_IMODE(os.stat(tmp_path / "new.db").st_mode) == 0o600  # noqa: PTH116  of mode bits


def test_a_disk_that_fills_up_is_noticed(pbm: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.disk_usage
    for free, verdict in ((190 << 20, "FAIL"), (500 << 20, "WARN")):
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: real("/")._replace(free=free))
        assert examined(pbm, code=1)["disk"][0].startswith(verdict)


def test_a_broken_template_is_noticed(pbm: Pbm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/board.txt").write_text("{% if %}")
    monkeypatch.setattr(pages, "folder", lambda name: tmp_path / name)
    monkeypatch.setattr(pages, "_environment", pages._environment.__wrapped__)  # not the one made earlier
    assert examined(pbm, code=1)["templates"][0].startswith("FAIL: board.txt: ")


@contextmanager
def silent_server() -> Iterator[int]:
    """A server that takes connections and says nothing; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextmanager
def saying(*lines: bytes) -> Iterator[int]:
    """A server that says the lines one by one, whatever it is told, and hangs up; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client, client.makefile("rb") as heard:
                for line in lines:
                    client.sendall(line)
                    heard.readline()

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_SECONDS", 0.2)
    with silent_server() as port:
        found: list[Finding] = [
            probes.listener(("127.0.0.1", port), lmtp=False),
            probes.smarthost(SmarthostSettings(host="127.0.0.1", port=port)),
            probes.mailbox(mailbox(port)),
        ]
        assert [each.verdict for each in found] == ["FAIL"] * 3
    stuck = threading.Event()
    bounded = probes.bounded("smarthost", lambda: (stuck.wait() and found[0]) or found[0], seconds=0.1)
    stuck.set()
    assert bounded.reason == "no answer within 0 s"


def test_a_smarthost_that_takes_us_and_one_that_does_not() -> None:
    with saying(b"220 hi\r\n", b"250 hi\r\n", b"250 ok\r\n", b"221 bye\r\n") as port:
        assert probes.smarthost(SmarthostSettings(host="127.0.0.1", port=port)).verdict == "OK"
    with saying(b"554 5.7.1 go away\r\n") as port:
        assert "554 5.7.1 go away" in probes.smarthost(SmarthostSettings(host="127.0.0.1", port=port)).reason


@pytest.mark.parametrize(("folder", "verdict"), [("INBOX", "OK"), ("Gone", "FAIL")])
def test_a_mailbox_is_opened_to_be_read_only(folder: str, verdict: str) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client, client.makefile("rb") as lines:
                client.sendall(b"* OK IMAP4rev1\r\n")
                for line in lines:
                    tag, verb, *_ = line.split()
                    heard.append(verb)
                    said = {b"CAPABILITY": b"* CAPABILITY IMAP4rev1\r\n", b"EXAMINE": b"* 7 EXISTS\r\n"}.get(verb, b"")
                    client.sendall(said + tag + (b" NO\r\n" if b"Gone" in line else b" OK done\r\n"))

        thread = threading.Thread(target=serve)
        thread.start()
        found = probes.mailbox(mailbox(server.getsockname()[1], folder))
        thread.join()
    assert found.verdict == verdict
    assert b"EXAMINE" in heard
    assert b"SELECT" not in heard
