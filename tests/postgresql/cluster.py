"""A PostgreSQL server for one test run: on loopback, in a folder that is removed afterwards, never as root.

python -m tests.postgresql.cluster COMMAND...             run a command that finds it by PBM_TEST_DATABASE
python -m tests.postgresql.cluster --durable COMMAND...   the same with each commit on the disk, for measuring
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.databases import VARIABLE
from tests.patience import PATIENCE_SECONDS
from tests.ports import reserved_port

_UNPRIVILEGED = ("postgres", "nobody")
_OPTIONS = {"listen_addresses": "127.0.0.1", "max_connections": "300"}
_HASTY = {"fsync": "off", "full_page_writes": "off"}
"""No test asks whether PostgreSQL keeps its word when the power fails."""


class MissingError(Exception):
    """PostgreSQL is not installed."""


def programs() -> Path:
    """The folder with the newest initdb and pg_ctl. Raises: MissingError."""
    found = shutil.which("initdb")
    candidates = [*([Path(found)] if found else []), *Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not candidates:
        raise MissingError("There is no initdb: install the package postgresql.")
    return max(candidates, key=lambda path: [int(part) for part in path.parts if part.isdecimal()]).parent


def owner() -> str | None:
    """The user who runs its programs: None for the present one, unless that is root, whom they refuse."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _UNPRIVILEGED if name in known)


@dataclass(frozen=True)
class Cluster:
    """A server with its files in a folder of ours."""

    place: Path
    port: int
    folder: str = "data"

    @property
    def url(self) -> str:
        """The URL of a user who may create databases."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def data(self) -> Path:
        return self.place / self.folder

    def run(self, *words: str | Path) -> None:
        """Run one of its programs, or another one, as its owner. Raises: RuntimeError with its output."""
        program = programs() / words[0]
        command = [str(program if program.exists() else words[0]), *map(str, words[1:])]
        known = {"LC_ALL": "C", "PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGUSER": "postgres"}
        known["PGCTLTIMEOUT"] = str(int(PATIENCE_SECONDS))
        done = subprocess.run(
            command, cwd=self.place, user=owner(), env=os.environ | known, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{words[0]}: {done.stdout}")

    def make(self) -> None:
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")

    def start(self, settings: Mapping[str, str]) -> None:
        log = ("-l", self.place / f"{self.folder}.log")  # otherwise it would keep the pipe of its output open
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self.run(
            "pg_ctl", "start", "-w", "-D", self.data, *log, "-o", f"-p {self.port} -k {self.place} {options}"
        )  # fmt: skip

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "stop", "-w", "-D", self.data, "-m", mode)


@contextmanager
def made() -> Iterator[Cluster]:
    """A new cluster that is not running; its folder is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="pbm-postgresql-") as folder, reserved_port() as port:
        cluster = Cluster(Path(folder), port)
        if (user := owner()) is not None:
            shutil.chown(cluster.place, user)
        cluster.make()
        yield cluster


@contextmanager
def running(*, durable: bool = False) -> Iterator[str]:
    """The URL of a user who may create databases. durable: each commit is on the disk before it is confirmed."""
    with made() as cluster:
        cluster.start(_OPTIONS | ({} if durable else _HASTY))
        try:
            yield cluster.url
        finally:
            cluster.stop()


def main() -> int:
    words = sys.argv[1:]
    durable = words[:1] == ["--durable"]
    with running(durable=durable) as url:
        return subprocess.run(words[durable:], env={**os.environ, VARIABLE: url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
