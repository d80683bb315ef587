"""Postfix and Dovecot for a test: on loopback, on high ports, all of their files in one folder.

The parts of their configuration that concern pbm come from docs/mail-servers.md; the rest, here, is what any such
server has.
"""

from __future__ import annotations

import os
import re
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.patience import PATIENCE_SECONDS, wait_until
from tests.ports import listens_at, reserved_port

ROOT = Path(__file__).parents[2]
CERTIFICATE = ROOT / "tests" / "edges" / "localhost.pem"
PLAYERS = "players.example"
PASSWORD = "secret"
MAILBOXES = (
    "pbm@example.net",
    *(f"{name}@players.example" for name in ("alice", "bob", "probe", "dora", "emil", "fay", "gus")),
)

_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
mail_owner = postfix
myhostname = mx.example.org
mydestination =
local_transport = error:nobody here
alias_maps =
alias_database =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtp_dns_support_level = disabled
smtpd_peername_lookup = no
smtputf8_enable = no
minimal_backoff_time = 1s
queue_run_delay = 1s
maximal_backoff_time = 2s
transport_retry_time = 1s
"""
_PLAYERS_TOO = """
virtual_mailbox_domains = example.net, players.example
virtual_mailbox_maps = static:all
"""
"""Postfix accepts any mailbox, so that Dovecot refuses a missing one, and Postfix must write a bounce."""

_MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
_DOVECOT = """
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
auth_mechanisms = plain
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate}
mail_location = maildir:~/Maildir
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
mail_max_userip_connections = 50
passdb {{
  driver = passwd-file
  args = {folder}/users
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={folder}/mail/%u
}}
namespace inbox {{
  inbox = yes
  prefix = INBOX.
  separator = .
}}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
"""


class MissingError(Exception):
    """The servers are not installed, or may not be started."""


def require() -> None:
    """Raises: MissingError."""
    missing = [name for name in ("postfix", "dovecot") if shutil.which(name, path=_path()) is None]
    lmtp = Path("/usr/lib/dovecot/lmtp").exists() or Path("/usr/libexec/dovecot/lmtp").exists()
    if missing or not lmtp:
        raise MissingError(
            f"The tests with real servers need {' and '.join(missing) or 'dovecot-lmtpd'}, which this machine lacks: "
            "apt-get install postfix dovecot-imapd dovecot-lmtpd, or let .ci/run do it."
        )
    if os.geteuid() != 0:
        raise MissingError("The tests with real servers must run as root: Postfix does not start otherwise.")


def recipe(name: str, replaced: Mapping[str, str]) -> str:
    """A file of the page of recipes with replacements, each of which must be needed."""
    page = (ROOT / "docs" / "mail-servers.md").read_text()
    found = re.search(rf"<!-- recipe: {re.escape(name)} [^>]*-->\n```\w*\n(.*?)```", page, re.DOTALL)
    assert found, f"docs/mail-servers.md has no recipe {name}"
    text = found[1]
    for old, new in replaced.items():
        assert old in text, f"{old} is not in the recipe {name}"
        text = text.replace(old, new)
    return text


class MailServers:
    """A Postfix with ways to pbm by LMTP, SMTP and pipe, and a Dovecot with all mailboxes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held = ExitStack()
        ports = [self._held.enter_context(reserved_port()) for _ in range(5)]
        self.smtp, self.imap, self.imaps, self.lmtp_port, self.smtp_port = ports
        self.unix_socket = folder / "pbm-lmtp"

    def start(self) -> None:
        self.folder.chmod(0o755)
        self._write_dovecot()
        self._write_postfix()
        run("dovecot", "-c", str(self.folder / "dovecot.conf"))
        run("postfix", "-c", str(self.folder / "postfix"), "start")
        for port in (self.smtp, self.imap):
            wait_for_port(port)

    def stop(self) -> None:
        for command in (
            ("postfix", "-c", str(self.folder / "postfix"), "stop"),
            ("doveadm", "-c", str(self.folder / "dovecot.conf"), "stop"),
        ):
            with suppress(AssertionError, subprocess.TimeoutExpired):
                run(*command)
        self._held.close()

    @contextmanager
    def stripping(self) -> Iterator[None]:
        """Meanwhile Postfix removes Authentication-Results in its name that a mail brought along."""
        configuration = str(self.folder / "postfix")
        postconf = "postconf", "-c", configuration
        run(*postconf, "-e", f"header_checks = regexp:{configuration}/strip")
        run("postfix", "-c", configuration, "reload")
        try:
            yield
        finally:
            run(*postconf, "-X", "header_checks")
            run("postfix", "-c", configuration, "reload")

    def log(self) -> str:
        """The lines about trouble in the servers' logs."""
        trouble = re.compile(r"warning|error|fatal|panic|reject|bounced|deferred|refused|Traceback", re.IGNORECASE)
        lines = [line for path in sorted(self.folder.glob("*.log")) for line in path.read_text().splitlines()]
        return "\n".join([line for line in lines if trouble.search(line)][-60:])

    def _write_dovecot(self) -> None:
        (self.folder / "users").write_text("".join(f"{box}:{{PLAIN}}{PASSWORD}\n" for box in MAILBOXES))
        (self.folder / "mail").mkdir()
        shutil.chown(self.folder / "mail", "mail", "mail")
        listener = {"/var/spool/postfix/private/dovecot-lmtp": f"{self.folder}/dovecot-lmtp"}
        settings = _DOVECOT.format(folder=self.folder, certificate=CERTIFICATE, imap=self.imap, imaps=self.imaps)
        (self.folder / "dovecot.conf").write_text(recipe("dovecot.conf", listener) + settings)

    def _write_postfix(self) -> None:
        configuration = self.folder / "postfix"
        for name in ("postfix", "queue", "data"):
            (self.folder / name).mkdir()
        shutil.chown(self.folder / "data", "postfix")
        lmtp = f"lmtp:inet:127.0.0.1:{self.lmtp_port}"
        ways = (
            f"{{ example.org = {lmtp} }} {{ smtp.example.org = smtp:[127.0.0.1]:{self.smtp_port} }} "
            f"{{ unix.example.org = lmtp:unix:{self.unix_socket} }} {{ pipe.example.org = pbm: }}"
        )
        replaced = {
            "relay_domains = example.org": "relay_domains = example.org, smtp.example.org, unix.example.org, "
            "pipe.example.org",
            "/etc/postfix/": f"{configuration}/",
            "{ example.org = lmtp:inet:127.0.0.1:8024 }": ways,
        }
        (configuration / "pbm_recipients").write_text(recipe("pbm_recipients", {"@example": r"@([a-z]+\.)?example"}))
        (configuration / "main.cf").write_text(
            _MAIN.format(folder=self.folder)
            + recipe("postfix-lmtp.cf", replaced)
            + recipe("postfix-dovecot.cf", {"private/dovecot-lmtp": f"{self.folder}/dovecot-lmtp"})
            .replace("virtual_mailbox_domains", "#")
            .replace("virtual_mailbox_maps", "#")
            + _PLAYERS_TOO
        )
        (configuration / "strip").write_text("/^Authentication-Results: *mx\\.example\\.org/  IGNORE\n")
        pipe = {
            "user=pbm": "user=mail",
            "/usr/local/bin/pbm": f"{self.folder}/pbm",
            "/etc/pbm.toml": f"{self.folder}/pipe.toml",
        }
        (configuration / "master.cf").write_text(
            _MASTER.format(port=self.smtp) + recipe("postfix-pipe-master.cf", pipe)
        )


@contextmanager
def pbm(servers: MailServers, name: str, configuration: str) -> Iterator[Path]:
    """`pbm serve` with this configuration; gives the configuration file."""
    file = servers.folder / f"{name}.toml"
    file.write_text(configuration)
    log = servers.folder / f"pbm-{name}.log"
    command = [sys.executable, "-m", "pbm", "serve", "--config", str(file)]
    with log.open("wb") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            assert b"accepting mail" in server.stdout.readline(), log.read_text()
            yield file
            server.terminate()
            assert server.wait(PATIENCE_SECONDS) == 0, log.read_text()
        finally:
            server.kill()


_RELAY = """#!/bin/bash
mail=$(mktemp -p {folder}) && cat >"$mail" && exec 3<>/dev/tcp/127.0.0.1/{port} || exit 75
{{ printf '%s\\n' "$#" "$@" && wc -c <"$mail" && cat "$mail"; }} >&3
rm -f "$mail"; read -r code <&3; exit "${{code:-75}}"
"""


class Piped(socketserver.ThreadingTCPServer):
    """Takes the place of /usr/local/bin/pbm. Postfix never runs programs as root, and others may not use root's Python:
    so the program passes its arguments and input to this process, which runs the command, and returns its exit code.
    """

    def __init__(self, program: Path) -> None:
        super().__init__(("127.0.0.1", 0), _PipedHandler)
        folder = program.with_name("piped-mails")
        folder.mkdir(exist_ok=True)
        folder.chmod(0o1777)
        program.write_text(_RELAY.format(port=self.server_address[1], folder=folder))
        program.chmod(0o755)

    def __enter__(self) -> Piped:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _PipedHandler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        words = [self.rfile.readline().decode().removesuffix("\n") for _ in range(int(self.rfile.readline()))]
        mail = self.rfile.read(int(self.rfile.readline()))
        command = [sys.executable, "-m", "pbm", *words]
        self.wfile.write(b"%d\n" % subprocess.run(command, input=mail, check=False).returncode)


def wait_for_port(port: int) -> None:
    wait_until(lambda: listens_at(port))


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def run(*command: str) -> None:
    """Its output goes to a file, because a daemon that it leaves behind would keep a pipe open."""
    with tempfile.TemporaryFile("w+") as said:
        environment = os.environ | {"PATH": _path()}
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False,
            timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        said.seek(0)
        assert done.returncode == 0, f"{' '.join(command)}: {said.read()}"
