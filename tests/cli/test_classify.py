"""How raw mails are classified at the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pbm.mailin.quotes import SENTINEL
from tests.cli.conftest import Pbm
from tests.mailin.test_corpus import CORPUS, INDEX, bare

TEXTS_WITH_SIGNATURE = 4
"""Texts of the corpus with quoted lines and signatures that other projects keep but ours drops."""


def classified(pbm: Pbm, tmp_path: Path, text: str, to: str = "pbm@localhost") -> dict[str, object]:
    file = tmp_path / "mail.eml"
    file.write_bytes(f"From: alice@example.net\nTo: {to}\nMessage-ID: <1@x>\n{text}".replace("\n", "\r\n").encode())
    found: dict[str, object] = json.loads(pbm("inbox", "classify", str(file)).stdout)
    assert found.pop("file") == str(file)
    return found


@pytest.mark.parametrize(
    ("to", "text", "action", "commands", "comment"),
    [
        ("pbm@localhost", "Subject: help\n\n", "reply", ["help"], ""),
        ("pbm@localhost", "Subject: Re: ** Help  cross\n\nhello", "reply", ["Help cross"], "hello"),
        ("pbm@localhost", "Subject: x\n\nhelp\ngamez alice\n\nsee you", "reply", ["help"], "gamez alice\n\nsee you"),
        ("pbm@localhost", "Subject: x\n\nhelp\ncross games\n\nsee you", "reply", ["help", "cross games"], "see you"),
        ("pbm@localhost", "Subject: lunch\n\nAre you free?\nBob", "reply", [], "Are you free?\nBob"),
        ("pbm@localhost", "Subject: x\n\ncross mve\n", "reply", [], "cross mve"),
        ("pbm+abcdefgh@localhost", "Subject: any\n\nF6\nnice one", "reply", ["F6"], "nice one"),
        ("pbm@localhost", "Subject: Re: Cross Board 101 alice-bob\n\nF6\n\nhi", "reply", ["F6"], "hi"),
        ("pbm@localhost", "Subject: x\nAuto-Submitted: auto-replied\n\nF6", "ignore", [], ""),
    ],
)
def test_a_mail_is_told(
    to: str, text: str, action: str, commands: list[str], comment: str, pbm: Pbm, tmp_path: Path
) -> None:
    found = classified(pbm, tmp_path, text, to)
    assert found == {"action": action, "commands": commands, "comment": comment}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "I'll play F6, thanks",
            ("command    I'll play F6, thanks  (no command", "board: tell {move}", "sure       F6"),
        ),
        ("F6 or G7?", ("ask        F6 or G7",)),
        ("What a day!", ("words      for the other player",)),
        ("private: he is weak", ("held: private", "words      kept back")),
    ],
)
def test_how_a_mail_is_read_is_shown_step_by_step(text: str, told: tuple[str, ...], pbm: Pbm, tmp_path: Path) -> None:
    file = tmp_path / "mail.txt"
    file.write_text(text)
    shown = pbm("inbox", "read", str(file)).stdout
    assert [each for each in told if each not in shown] == []


def test_a_command_in_a_quote_is_not_told(pbm: Pbm, tmp_path: Path) -> None:
    text = f"Subject: Re: something\n\nF6\n\n> {SENTINEL}\n> cross move 101 alice pw A1\n"
    assert classified(pbm, tmp_path, text)["commands"] == ["F6"]


def test_one_line_a_file_whatever_it_holds(pbm: Pbm, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("empty", "noise")]
    files[0].write_bytes(b"")
    files[1].write_bytes(bytes(range(256)) * 40)
    lines = pbm("inbox", "classify", *map(str, files)).stdout.splitlines()
    assert [json.loads(line)["file"] for line in lines] == [str(file) for file in files]


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", "Subject: well\n\n> a quote\nand an answer\n"), ("b.html", "<p>Subject: well</p><p>and an answer</p>")],
)
def test_the_text_of_a_mail_alone(name: str, text: str, pbm: Pbm, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    found = json.loads(pbm("inbox", "classify", str(tmp_path / name)).stdout)
    assert found["action"] == "reply"
    assert [line for line in found["comment"].splitlines() if line] == ["Subject: well", "and an answer"]


def test_our_domain_is_the_configured_one(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "example.org")
    mail = "Subject: any\n\nF6"
    assert classified(pbm, tmp_path, mail, "pbm+abcdefgh@example.org")["commands"] == ["F6"]
    assert classified(pbm, tmp_path, mail, "pbm+abcdefgh@elsewhere.org")["commands"] == []


@pytest.mark.skipif(not INDEX.is_file(), reason=f"no corpus at {CORPUS}")
def test_the_score_on_real_mails(pbm: Pbm, capsys: pytest.CaptureFixture[str]) -> None:
    with INDEX.open(newline="", encoding="utf-8") as lines:
        wanted = {row["file"]: row["action"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)}
    told = pbm("inbox", "classify", *(str(CORPUS / file) for file in wanted)).stdout.splitlines()
    found = {file: json.loads(line) for file, line in zip(wanted, told, strict=True)}
    texts = {file: path for file in wanted if (path := CORPUS / f"{file}.expected.txt").is_file()}
    said = {file: "\n".join([*found[file]["commands"], found[file]["comment"]]) for file in texts}
    actions = sum(found[file]["action"] == action for file, action in wanted.items())
    right = sum(bare(said[file]) == bare(path.read_text("utf-8")) for file, path in texts.items())
    with capsys.disabled():
        print(f"\npbm inbox classify: actions right {actions}/{len(wanted)}, texts right {right}/{len(texts)}")
    assert actions == len(wanted)
    assert right >= len(texts) - TEXTS_WITH_SIGNATURE
