"""`pbm init` sets up a server that runs; shells and man learn of the commands."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from pbm import __version__
from pbm.edges.signing import signing_keys
from tests.cli.conftest import Pbm
from tests.terminal import terminal


@pytest.fixture
def club(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.argv", ["/root/bin/pbm"])
    folder = tmp_path / "club"
    words = ("--operator", "helga@example.com", "--by", "smtp", "--smarthost", "mail.example.com:587", "--offline")
    said = pbm("init", "club.example.com", *words, "--folder", str(folder), "--data", str(tmp_path / "data")).stdout
    monkeypatch.delenv("PBM_DATABASE")
    assert "OK    configuration: sound" in said
    assert f"pbm serve --config {folder}/pbm.toml" in said
    assert "from the server, and so /root/bin/pbm" in said
    return folder


def test_what_is_written_can_be_used_as_it_is(club: Path, pbm: Pbm, tmp_path: Path) -> None:
    config = ("--config", str(club / "pbm.toml"))
    assert 'listen = "127.0.0.1:8025"\nlmtp = false\n' in (club / "pbm.toml").read_text()
    pbm("config", "check", *config)
    assert pbm("player", "list", *config).stdout == "There are no players.\n"
    assert stat.S_IMODE((club / "dkim.pem").stat().st_mode) == 0o600
    records = (club / "dns.txt").read_text()
    for key in signing_keys("pbm", (club / "dkim.pem").read_bytes()):
        assert f"{key.selector}._domainkey.club.example.com. IN TXT" in records
        assert key.record[:60] in records
    unit = (club / "systemd" / "pbm.service").read_text()
    assert f"PBM_CONFIG={club}/pbm.toml" in unit
    assert "ExecStart=/root/bin/pbm serve\n" in unit
    assert "/etc/pbm/" not in unit
    for service in (club / "systemd").glob("*.service"):
        assert f"ReadWritePaths={tmp_path}/data\n" in service.read_text(), "all else is protected from it"


@pytest.mark.servers
def test_a_person_is_asked_until_an_answer_can_be_used(tmp_path: Path) -> None:
    with terminal("init", "example.com", "--folder", str(tmp_path / "club"), "--data", str(tmp_path)) as opened:
        opened.shows("Address of the operator")
        opened.keys("\r")
        opened.shows("handed over by")
        opened.keys("pop3\r")
        opened.shows("'pop3' is not one of")


def test_what_is_there_stays_unless_force_is_said(club: Path, pbm: Pbm, tmp_path: Path) -> None:
    before = (club / "pbm.toml").read_text()
    again = ("init", "other.example.com", "--folder", str(club), "--data", str(tmp_path / "data"), "--offline")
    assert "say --force to overwrite it. Nothing was done." in pbm(*again, code=1).stderr
    assert (club / "pbm.toml").read_text() == before
    pbm(*again, "--force")
    assert 'domain = "other.example.com"' in (club / "pbm.toml").read_text()


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("example.com", "--smarthost", "mail.example.com"), "--smarthost"),
        (("example.com", "--smarthost", "mail.example.com:587x"), "--smarthost"),
        (("example.com", "--smarthost", "mail.example.com:70000"), "smarthost.port"),
        (("example.com", "--operator", "helga"), "operator"),
        (('exam"ple.com',), "server.domain"),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(
    words: tuple[str, ...], key: str, pbm: Pbm, tmp_path: Path
) -> None:
    said = pbm("init", *words, "--folder", str(tmp_path / "club"), "--data", str(tmp_path / "data"), code=2).stderr
    assert key in said
    assert "TOML" not in said
    assert not (tmp_path / "club").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_the_commands(shell: str, pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = pbm("completion", shell).stdout
    assert "_PBM_COMPLETE" in printed
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    place = Path(pbm("completion", shell, "--install").stdout.partition(" is written")[0])
    assert place.read_text() == printed
    pbm("completion", shell, "--install")
    place.write_text("my own")
    assert "--force" in pbm("completion", shell, "--install", code=1).stderr
    assert place.read_text() == "my own"
    pbm("completion", shell, "--install", "--force")
    assert place.read_text() == printed


def test_there_is_a_page_for_man_of_each_command(pbm: Pbm, tmp_path: Path) -> None:
    pbm("manual", str(tmp_path / "man1"))
    page = tmp_path / "man1" / "main-board-take-back.1"
    assert "\\-\\-dry\\-run" in page.read_text()
    if shutil.which("man") and shutil.which("groff"):
        shown = subprocess.run(["man", "-l", page], capture_output=True, text=True, check=True).stdout
        assert "--dry-run" in shown


def test_pages_of_an_older_version_are_replaced_or_removed_and_no_other_file(pbm: Pbm, tmp_path: Path) -> None:
    pbm("manual", str(tmp_path))
    ours, other = tmp_path / "main-board-void.1", tmp_path / "main-status.1"
    page = ours.read_text()
    ours.write_text(page.replace(f"pbm {__version__}", "pbm 0.0.1") + "gone since\n")
    outdated = ours.read_text()
    other.write_bytes(b"my own \xff")
    gone, foreign = tmp_path / "main-secret.1", tmp_path / "main-road.1"
    gone.write_text(outdated)
    foreign.write_bytes(b"\xff")
    assert f"{other} is there already: say --force" in pbm("manual", str(tmp_path), code=1).stderr
    assert other.read_bytes() == b"my own \xff"
    assert ours.read_text() == gone.read_text() == outdated, "nothing was done"
    other.unlink()
    pbm("manual", str(tmp_path))
    assert ours.read_text() == page
    assert not gone.exists()
    assert foreign.exists()
    other.write_text("my own")
    pbm("manual", str(tmp_path), "--force")
    assert other.read_text() != "my own"
