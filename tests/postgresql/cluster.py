"""A PostgreSQL of its own for a test run: on loopback, in a folder that is removed afterwards, never as root.

python -m tests.postgresql.cluster COMMAND...             run a command that finds it by PBM_TEST_DATABASE
python -m tests.postgresql.cluster --durable COMMAND...   the same, and what is committed is on the disk, for measuring
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.databases import VARIABLE

_UNPRIVILEGED = ("postgres", "nobody")
_OPTIONS = {"listen_addresses": "127.0.0.1", "max_connections": "300"}
_HASTY = {"fsync": "off", "full_page_writes": "off"}
"""What is tested is not whether PostgreSQL keeps its word when the power fails."""


class MissingError(Exception):
    """The programs of PostgreSQL are not there."""


def programs() -> Path:
    """The folder of initdb and pg_ctl, of the newest version. Raises: MissingError."""
    found = shutil.which("initdb")
    candidates = [*([Path(found)] if found else []), *Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not candidates:
        raise MissingError("There is no initdb: install the package postgresql.")
    return max(candidates, key=lambda path: [int(part) for part in path.parts if part.isdecimal()]).parent


def owner() -> str | None:
    """As whom its programs are run; None for whoever runs this, unless that is root, whom they refuse."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _UNPRIVILEGED if name in known)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def running(*, durable: bool = False) -> Iterator[str]:
    """The URL of a user who may make databases. durable: a commit is on the disk before it is told."""
    where, user, port = programs(), owner(), free_port()
    with tempfile.TemporaryDirectory(prefix="pbm-postgresql-") as folder:
        place = Path(folder)
        if user is not None:
            shutil.chown(place, user)
        settings = _OPTIONS | ({} if durable else _HASTY)
        data, options = place / "data", " ".join(f"-c {name}={value}" for name, value in settings.items())

        def run(program: str, *words: str) -> None:
            command = [str(where / program), "-D", str(data), *words]
            done = subprocess.run(
                command, cwd=place, user=user, env={**os.environ, "LC_ALL": "C"}, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            if done.returncode:
                raise RuntimeError(f"{program}: {done.stdout}")

        run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        log = ["-l", str(place / "log")]  # otherwise it would hold on to the pipe of its output
        run("pg_ctl", "start", "-w", *log, "-o", f"-p {port} -k {place} {options}")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "stop", "-w", "-m", "immediate")


def main() -> int:
    words = sys.argv[1:]
    durable = words[:1] == ["--durable"]
    with running(durable=durable) as url:
        return subprocess.run(words[durable:], env={**os.environ, VARIABLE: url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
