"""Makes an old database: python tests/upgrades/make.py TREE.

TREE is a source tree of pbm, of any age. Its server is asked for a game by mail, over SMTP, as players ask; what it
stored then is written beside this file, together with the board mails that wait for an answer, as REVISION.sql.gz and
REVISION.json.
"""

from __future__ import annotations

import email
import gzip
import json
import os
import re
import signal
import smtplib
import sqlite3
import subprocess
import sys
import tempfile
import time
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE_SECONDS = 90
PLAYERS = ("alice", "bob")


def address(name: str) -> str:
    return f"{name}@example.net"


class Club:
    """A server of the tree, and the mails that its players got."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.folder, self.sent = folder, 0
        words = ["serve", "--listen", "127.0.0.1:0", "--domain", "example.org", "--maildir", str(folder / "mail")]
        words += ["--database", f"sqlite:///{folder / 'pbm.db'}"]
        named = folder / "pbm-0.dist-info"  # old servers look for their version under the name that they had
        named.mkdir()
        (named / "METADATA").write_text("Metadata-Version: 2.1\nName: pbm\nVersion: 0\n", encoding="ascii")
        environment = {**os.environ, "PYTHONPATH": f"{tree}:{folder}", "XDG_CONFIG_HOME": str(folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from pbm.cli import main; main()", *words],
            cwd=tree,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        self.port = int(said.rsplit(":", 1)[1])

    def write(self, name: str, to: str, subject: str, text: str, answers: EmailMessage | None = None) -> None:
        mail = EmailMessage(policy=default)
        mail["From"], mail["To"], mail["Subject"] = address(name), to, subject
        self.sent += 1
        mail["Message-ID"] = f"<{self.sent}.{time.time_ns()}@example.net>"
        if answers is not None:
            mail["In-Reply-To"] = answers["Message-ID"]
        mail.set_content(text)
        with smtplib.SMTP("127.0.0.1", self.port) as connection:
            connection.send_message(mail)

    def answer(self, name: str, mail: EmailMessage, text: str) -> None:
        self.write(name, str(mail["Reply-To"] or mail["From"]), f"Re: {mail['Subject']}", text, mail)

    def mails(self, name: str) -> list[EmailMessage]:
        files = [each for each in (self.folder / "mail").rglob("*") if each.is_file() and each.parent.name == "new"]
        files.sort(key=lambda each: each.stat().st_mtime_ns)
        read: list[EmailMessage] = [email.message_from_bytes(each.read_bytes(), policy=default) for each in files]
        return [mail for mail in read if address(name) in str(mail["To"])]

    def wait(self, name: str, words: str) -> EmailMessage:
        """The newest mail to a player whose subject or text holds the words."""
        end = time.monotonic() + PATIENCE_SECONDS
        mail: EmailMessage
        while time.monotonic() < end:
            for mail in reversed(self.mails(name)):
                body = mail.get_body(("plain",))
                text = str(body.get_content()) if body else ""
                if words in f"{mail['Subject']}{text}":
                    return mail
            time.sleep(0.2)
        raise TimeoutError(f"{name}: {words}: {[str(mail) for mail in self.mails(name)[-1:]]}")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_SECONDS)


def play(club: Club) -> dict[str, dict[str, str]]:
    """A game under way; the board mails that may be answered, by player."""
    for name in PLAYERS:
        club.write(name, "pbm@example.org", f"signup {name} open-sesame-{name}", "")
        club.answer(name, club.wait(name, ""), "yes")
        time.sleep(1)
    club.answer("alice", club.wait("alice", ""), "cross challenge alice bob")
    club.answer("alice", club.wait("alice", "Board 101"), "F6")
    waiting = {"bob": club.wait("bob", "1 F6")}
    return {
        name: {each: str(mail[each] or "") for each in ("From", "Reply-To", "Subject", "Message-ID")}
        for name, mail in waiting.items()
    }


def main(tree: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        club = Club(tree.resolve(), Path(folder))
        try:
            mails = play(club)
        finally:
            club.stop()
        with sqlite3.connect(Path(folder) / "pbm.db") as database:
            (version,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
            script = "\n".join(database.iterdump())
    name = re.sub(r"\W", "", version)
    (HERE / f"{name}.sql.gz").write_bytes(gzip.compress(script.encode(), mtime=0))
    (HERE / f"{name}.json").write_text(json.dumps(mails, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
