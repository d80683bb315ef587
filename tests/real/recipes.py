"""The recipes of docs/mail-servers.md, followed on a copy of this machine of which nothing is left behind.

Run in its own namespaces: `unshare --mount --net --pid --fork --kill-child python -m tests.real.recipes WAY`. All
writing goes to memory; the only network is loopback, so the ports are those of the page. Added is what other machines
have: the Internet, which is a server that takes all mail, and an answer to questions to the DNS.
"""

from __future__ import annotations

import fcntl
import os
import queue
import re
import smtplib
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage, Message
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.patience import PATIENCE_SECONDS
from tests.real.servers import ROOT, run, wait_for_port

PAGE = ROOT / "docs" / "mail-servers.md"
WAYS = {
    "lmtp": ("Running pbm with real mail servers", "Postfix and LMTP", "DKIM", "Encryption"),
    "pipe": ("Running pbm with real mail servers", "Postfix and LMTP", "Postfix and a pipe"),
    "imap": ("Running pbm with real mail servers", "Just a mailbox", "On a Dovecot of your own"),
}
"""The sections to be read for each way."""

_BLOCK = re.compile(r"(?:<!-- recipe: \S+ (written|added) to (\S+) -->\n)?```(\w+)( serving)?\n(.*?)```", re.DOTALL)
_INTERNET = 2525
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the page. file: the file that it becomes or is added to; empty for commands.

    serves: whether the command goes on until it is stopped.
    """

    text: str
    file: str
    adds: bool
    serves: bool


def blocks(section: str) -> list[Block]:
    """The blocks of a section, without those of sections below it."""
    found = re.search(rf"^#+ {re.escape(section)}\n(.*?)(?=^#|\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found, section
    return [
        Block(text, file or "", how == "added", bool(serving))
        for how, file, _kind, serving, text in _BLOCK.findall(found[1])
    ]


def enter_machine() -> None:
    """Let this process see a copy of the machine from here on."""
    place = Path(tempfile.mkdtemp())
    run("mount", "-t", "tmpfs", "tmpfs", str(place))
    for name in ("upper", "work", "root"):
        (place / name).mkdir()
    layers = f"lowerdir=/,upperdir={place}/upper,workdir={place}/work"
    run("mount", "-t", "overlay", "overlay", "-o", layers, str(place / "root"))
    run("mount", "--rbind", "/dev", str(place / "root" / "dev"))
    run("mount", "-t", "proc", "proc", str(place / "root" / "proc"))
    os.chroot(place / "root")
    os.chdir(ROOT)
    with socket.socket() as any_socket:
        flags = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0))
        up = struct.unpack("16sh14x", flags)[1] | _IFF_UP
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", up))


def prepare() -> None:
    """Install pbm where everybody may run it, start Postfix as its package sets it up, and let there be an Internet."""
    program = Path(sys.executable).with_name("pbm")
    for path in (*program.parents, *program.resolve().parents, *Path(sys.base_prefix).parents, *ROOT.parents, ROOT):
        path.chmod(path.stat().st_mode | 0o055)
    Path("/usr/local/bin/pbm").unlink(missing_ok=True)
    Path("/usr/local/bin/pbm").symlink_to(program)
    with Path("/etc/hosts").open("a") as hosts:
        hosts.write("\n127.0.0.1 localhost imap.example.net\n")
    for resolver in ("/etc/resolv.conf", "/var/spool/postfix/etc/resolv.conf"):
        Path(resolver).unlink(missing_ok=True)
        Path(resolver).write_text("nameserver 127.0.0.1\n")  # nobody answers there, which shows at once
    with Path("/etc/postfix/main.cf").open("a") as main:
        main.write(f"\nrelayhost = [127.0.0.1]:{_INTERNET}\n")
    run("postfix", "start")


def follow(sections: tuple[str, ...]) -> Iterator[str]:
    """Do what the sections say; gives the commands that go on until they are stopped."""
    for block in (block for section in sections for block in blocks(section)):
        if block.serves:
            yield block.text
        elif not block.file:
            run("bash", "-euo", "pipefail", "-c", block.text)
        elif block.adds:
            with Path(block.file).open("a") as file:
                file.write(block.text)
        else:
            Path(block.file).write_text(block.text)


class Internet:
    """A server that takes all mail."""

    def __init__(self) -> None:
        self.mails: queue.Queue[Message] = queue.Queue()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        self.mails.put(message_from_bytes(envelope.content))
        return "250 OK"


def exchange(internet: Internet, robot: str) -> Message:
    """Ask, then answer the answer at the address it asks for; returns the last answer."""
    to, subject = robot, "help"
    for _ in range(2):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "alice@players.example", to, subject
        mail["Message-ID"] = f"<{subject}@players.example>"
        with smtplib.SMTP("127.0.0.1", 25, timeout=PATIENCE_SECONDS) as postfix:
            postfix.send_message(mail)
        answer = internet.mails.get(timeout=PATIENCE_SECONDS)
        assert answer["To"] == "alice@players.example"
        assert answer["In-Reply-To"] == mail["Message-ID"]
        assert answer["Reply-To"].startswith("pbm+")
        to, subject = answer["Reply-To"], "games"
    return answer


def main(way: str) -> None:
    enter_machine()
    prepare()
    internet = Internet()
    Controller(internet, hostname="127.0.0.1", port=_INTERNET).start()
    (*_, serving) = follow(WAYS[way])
    log = Path("/var/log/pbm.log")
    with log.open("wb") as said:
        server = subprocess.Popen(["bash", "-c", serving], stdout=said, stderr=said)
        try:
            if way != "imap":
                wait_for_port(8024)
            answer = exchange(internet, "pbm@example.net" if way == "imap" else "pbm@example.org")
            assert ("DKIM-Signature" in answer) == ("Autocrypt" in answer) == (way == "lmtp")
        except BaseException:
            print(log.read_text(), server.poll())
            raise
    print(f"{way}: an answer came")
    sys.stdout.flush()
    os._exit(0)  # the namespace ends, and all that runs in it


if __name__ == "__main__":
    main(sys.argv[1])
