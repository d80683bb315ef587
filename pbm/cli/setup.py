"""Sets up a server: its configuration, keys, database, units for systemd and DNS records: for `pbm init`."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from string import Template

import click

from pbm.cli.checks import is_sound
from pbm.cli.frame import Invocation
from pbm.cli.keys import key_record
from pbm.cli.loading import load
from pbm.cli.opening import opened_store
from pbm.cli.output import new_file, say, write_file
from pbm.edges.signing import new_keys, signing_keys
from pbm.resources import folder as folder_of

SELECTOR = "pbm"

_CONFIGURATION = Template("""\
# What can be set, and what it means: pbm config show
database = $database
operator = $operator

[server]
listen = $listen
lmtp = $lmtp
domain = $domain

[delivery]
kind = "smarthost"

[smarthost]
host = $host
port = $port

[dkim]
key = $key
""")

_RECORDS = Template("""\
; For the DNS of $domain. The first one: which machine takes its mail, here one called mail.$domain.
$domain. IN MX 10 mail.$domain.
$domain. IN TXT "v=spf1 mx -all"
_dmarc.$domain. IN TXT "v=DMARC1; p=none; rua=mailto:$operator"
$keys
""")

_LAST = Template("""\

Publish the records in $folder/dns.txt, and let the mail server in front hand over mail for
pbm@$domain, pbm+ANYTHING@$domain, bounce@$domain and bounce+ANYTHING@$domain
to $listen by $by (docs/mail-servers.md has it word for word for Postfix). Then

  pbm serve --config $folder/pbm.toml

or, with systemd, as a user of its own,

  useradd --system --home-dir $data --shell /usr/sbin/nologin pbm
  chown -R root:pbm $folder && chmod -R g+rX $folder && chown -R pbm:pbm $data
  cp $folder/systemd/* /etc/systemd/system && systemctl enable --now pbm.service pbm-backup.timer
""")

_HIDDEN = ("/home", "/root", "/tmp", "/var/tmp")  # noqa: S108  nothing is written there
"""What the units hide from the server, by ProtectHome and PrivateTmp."""


def init(
    _: Invocation,
    *,
    domain: str,
    operator: str | None,
    by: str | None,
    smarthost: str | None,
    folder: Path | None,
    data: Path | None,
    offline: bool,
    force: bool,
) -> None:
    is_root = os.geteuid() == 0
    folder = Path(_answer("Folder for what is written", folder, "/etc/pbm" if is_root else f"pbm-{domain}")).absolute()
    data = Path(_answer("Folder for the database", data, "/var/lib/pbm" if is_root else folder / "data")).absolute()
    operator = _answer("Address of the operator", operator, f"postmaster@{domain}")
    by = _answer("Mail is handed over by", by, "lmtp", click.Choice(["lmtp", "smtp"]))
    smarthost = _answer("Mail server that takes our mail", smarthost, "127.0.0.1:25")
    host, port = _host_and_port(smarthost)
    listen = "127.0.0.1:8024" if by == "lmtp" else "127.0.0.1:8025"
    values = {
        "database": f"sqlite:///{data}/pbm.db", "operator": operator, "listen": listen, "lmtp": by == "lmtp",
        "domain": domain, "host": host, "port": port, "key": f"{folder}/dkim.pem",
    }  # fmt: skip
    # What JSON calls a text, a number and true, TOML does, too.
    configuration = _CONFIGURATION.substitute({key: json.dumps(values[key], ensure_ascii=False) for key in values})
    written = tomllib.loads(configuration)
    load(Path(os.devnull), written)
    files = {name: folder / name for name in ("pbm.toml", "dkim.pem", "dns.txt")}
    # All of them, and the configuration, before anything is written: half a new set of keys would fit no record.
    for file in files.values():
        new_file(file, force=force)
    for place in (folder, data, data / "backups"):
        place.mkdir(0o750, parents=True, exist_ok=True)
    write_file(files["pbm.toml"], configuration.encode())
    keys = new_keys()
    write_file(files["dkim.pem"], keys)
    records = [key_record(key, domain) for key in signing_keys(SELECTOR, keys)]
    write_file(files["dns.txt"], _RECORDS.substitute(values, keys="\n".join(records)).encode())
    _write_units(folder, data)
    # A shell may still name the database of a first look, which is not this one.
    effective = load(files["pbm.toml"], written)
    with opened_store(effective.values, create=True, quiet=True) as store:
        store.prepare(datetime.now(UTC))
    for path in (*files.values(), folder / "systemd", data / "pbm.db"):
        say(f"{path}")
    say("")
    is_sound(effective, offline=offline)
    say(_LAST.substitute(values, by=by, folder=folder, data=data))
    _tell_of_hidden(Path(sys.argv[0]).absolute(), folder, data)


def _host_and_port(smarthost: str) -> tuple[str, int]:
    """Raises: UsageError."""
    host, _, port = smarthost.rpartition(":")
    if not (host and port.isdecimal()):
        raise click.UsageError(f'--smarthost: "{smarthost}" is not HOST:PORT.')
    return host, int(port)


def _tell_of_hidden(*needed: Path) -> None:
    """Say which files the server needs and the units for systemd hide from it."""
    hidden = [str(path) for path in needed if any(path.is_relative_to(place) for place in _HIDDEN)]
    if hidden:
        say(f"These units hide {', '.join(_HIDDEN)} from the server, and so {', '.join(hidden)}.")
        say("For systemd install this elsewhere, such as in /opt/pbm, and let that one run pbm init for other folders.")


def _answer(question: str, option: object, default: object, kind: click.Choice[str] | None = None) -> str:
    """The option, or what a person says, or the default if nobody can be asked."""
    if option is not None:
        return str(option)
    return str(click.prompt(question, default=default, type=kind)) if sys.stdin.isatty() else str(default)


def _write_units(folder: Path, data: Path) -> None:
    """The units with our folders, and with the program that runs now."""
    units, program = folder_of("systemd"), Path(sys.argv[0]).absolute()
    shutil.copytree(units if units.is_dir() else folder_of("docs") / "systemd", folder / "systemd", dirs_exist_ok=True)
    for unit in (folder / "systemd").iterdir():
        text = unit.read_text(encoding="utf-8")
        if program.name == "pbm":
            text = text.replace("/opt/pbm/bin/pbm", str(program))
        text = text.replace("/etc/pbm/pbm.toml", str(folder / "pbm.toml")).replace("/var/lib/pbm", str(data))
        unit.write_text(text, encoding="utf-8")
