"""docs/Containerfile, carried out line by line on a bare Debian tree, which stands in for the image it begins with."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

IMAGE = "docker.io/library/python:3.11-slim"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Of every container."""
FORMS = {
    "FROM": rf"{re.escape(IMAGE)}(?: AS (\w+))?",
    "COPY": r"(?:--from=(\w+) )?([^-].*) (/\S+)",
    "RUN": r"([^-\[].*)",
    "ENV": r"(\w+=\S+(?:\s+\w+=\S+)*)",
    "USER": r"(\w+)",
    "WORKDIR": r"(/\S+)",
    "VOLUME": r"(/\S+)",
    "EXPOSE": r"(\d+)",
    "HEALTHCHECK": r"--interval=\d+s --timeout=(\d+)s CMD (\[.+\])",
    "CMD": r"(\[.+\])",
}
"""How each instruction is written; in another form it may mean more than is done here."""

ISOLATED = """
root=$1 volume=$2; shift 2
mount --bind "$root" "$root"
mount --bind "$root$volume" "$root$volume"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
exec "$@"
"""
"""As with `--volume`, `--read-only` and `--tmpfs /tmp`."""


class NotCarriedOut(Exception):
    """A line asks for what is not done here, and must not be left out."""


@dataclass
class Stage:
    """What a FROM begins."""

    root: Path
    user: str = "root"
    folder: str = "/"
    variables: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    declared: defaultdict[str, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    """What counts when the container runs, by instruction: the groups of its form."""

    def words(self, *command: str, **more: str) -> list[str]:
        """The command line that runs a command in it. more: variables besides its own."""
        variables = [f"{name}={value}" for name, value in {**self.variables, **more}.items()]
        within = ["chroot", f"--userspec={self.user}", str(self.root), "env", "-i", f"--chdir={self.folder}"]
        return [*within, *variables, *command]

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[str]]:
        """The container's process, in a network of its own, until the end of the block."""
        ((volume,),) = self.declared["VOLUME"]
        *_, (command,) = self.declared["CMD"]
        isolated = ["unshare", "--mount", "--net", "sh", "-ec", ISOLATED, "sh", str(self.root), volume]
        words = [*isolated, *self.words(*json.loads(command))]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.kill()


def make_tree(folder: Path) -> None:
    """Make a Debian with nothing but the Python of the image, and the way to PyPI that this machine has."""
    packages = "--include=python3-venv,python-is-python3"
    words = ["--quiet", "--variant=minbase", packages, '--aptopt=Acquire::Retries "3"', "bookworm", str(folder)]
    subprocess.run(["mmdebstrap", *words], check=True)
    for path in filter(Path.is_file, map(Path, ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"))):
        _copied(path, folder / path.relative_to("/"))


class Build:
    """One run through a container file."""

    def __init__(self, context: Path, tree: Path, folder: Path) -> None:
        """folder: for the stages."""
        self._context, self._tree, self._folder = context, tree, folder
        self._stages: list[Stage] = []
        self._named: dict[str, Stage] = {}

    def carry_out(self, text: str) -> Stage:
        """Returns the last stage. Raises: NotCarriedOut, CalledProcessError, OSError."""
        lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", "").splitlines()
        for line in filter(None, lines):
            self._do(*line.split(maxsplit=1))
        return self._stages[-1]

    def _do(self, instruction: str, rest: str) -> None:
        parts = re.fullmatch(FORMS.get(instruction, r"(?!)"), rest)
        if parts is None:
            raise NotCarriedOut(f"{instruction} {rest}")
        match instruction:
            case "FROM":
                self._begin(parts[1])
            case "COPY":
                self._copy(*parts.groups())
            case "RUN":
                pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
                subprocess.run(self._stages[-1].words("/bin/sh", "-c", rest, **pip), check=True)
            case "ENV":
                variables = self._stages[-1].variables
                pairs = (word.partition("=") for word in shlex.split(Template(rest).substitute(variables)))
                variables.update({name: value for name, _, value in pairs})
            case "USER":
                self._stages[-1].user = rest
            case "WORKDIR":
                self._stages[-1].folder = rest
            case _:
                self._stages[-1].declared[instruction].append(parts.groups())

    def _begin(self, name: str | None) -> None:
        stage = Stage(self._folder / f"stage{len(self._stages)}")
        subprocess.run(["cp", "-a", self._tree, stage.root], check=True)
        self._stages.append(stage)
        self._named[name or ""] = stage

    def _copy(self, origin: str | None, sources: str, target: str) -> None:
        """origin: the stage to copy from; None for the context."""
        folder = self._named[origin].root if origin else self._context
        place = self._stages[-1].root / target[1:]
        for source in sources.split():
            path = folder / source.lstrip("/")
            # Of a folder the contents are copied, not the folder.
            if path.is_dir():
                shutil.copytree(path, place, symlinks=True, dirs_exist_ok=True)
            else:
                _copied(path, place / path.name if target.endswith("/") else place)


def _copied(path: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, place)
