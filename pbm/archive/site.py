"""The folder of a site: written beside what is there, and put in its place only when all of it is ready.

Pages that nobody links to yet come first, then those that have changed, and what is gone is removed last; so whenever
a run is stopped each page is whole, and no link leads nowhere. The next run does the rest.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

LEDGER = ".pbm-site.json"
"""Which files are ours, and what the pages of each board were made of."""
STAGE = ".pbm-new"
LOCK = ".pbm-lock"


class FolderTaken(Exception):
    """The folder holds something else, or another run is at it; a sentence."""


@dataclass(slots=True)
class Site:
    """The site as it is to be. made_of: by board, what its pages are made of, and which these are."""

    folder: Path
    known: frozenset[str]
    before: dict[str, tuple[str, tuple[str, ...]]]
    made_of: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)
    changed: dict[str, bool] = field(default_factory=dict)

    def put(self, path: str, content: str) -> None:
        """A file of the site, which is written if it is not there already, word for word."""
        data, present = content.encode(), self.folder / path
        self.paths.add(path)
        if present.is_file() and present.read_bytes() == data:
            return
        self.changed[path] = present.exists()
        staged = self.folder / STAGE / path
        staged.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(data)

    def keeps(self, board: int, made_of: str) -> bool:
        """The pages of a board are there, made of just this; they stay."""
        was, paths = self.before.get(str(board), ("", ()))
        if was != made_of or not all((self.folder / path).is_file() for path in paths):
            return False
        self.note(board, made_of, paths)
        return True

    def note(self, board: int, made_of: str, paths: tuple[str, ...]) -> None:
        self.made_of[str(board)] = made_of, paths
        self.paths.update(paths)

    @property
    def gone(self) -> frozenset[str]:
        """Files of ours that are not part of the site any more."""
        return self.known - self.paths

    def commit(self) -> None:
        """Put what is new in its place."""
        os.sync()  # a loss of power must not leave empty files under good names
        self._write_ledger(self.known | self.paths, {})
        for path in sorted(self.changed, key=lambda path: (self.changed[path], path)):
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / STAGE / path).replace(target)
        for path in sorted(self.gone):
            (self.folder / path).unlink(missing_ok=True)
            _remove_empty(self.folder, Path(path).parent)
        self._write_ledger(frozenset(self.paths), self.made_of)

    def _write_ledger(self, files: frozenset[str] | set[str], made_of: dict[str, tuple[str, tuple[str, ...]]]) -> None:
        content = json.dumps({"files": sorted(files), "boards": made_of or self.before}, sort_keys=True)
        if not (self.folder / LEDGER).exists() or (self.folder / LEDGER).read_text() != content:
            (self.folder / STAGE).mkdir(exist_ok=True)
            (self.folder / STAGE / LEDGER).write_text(content)
            (self.folder / STAGE / LEDGER).replace(self.folder / LEDGER)


@contextmanager
def opened(folder: Path) -> Iterator[Site]:
    """The site in a folder that is empty or ours; it is committed by whoever opens it. Raises: FolderTaken, OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / LEDGER).exists() and any(path.name not in (STAGE, LOCK) for path in folder.iterdir()):
        raise FolderTaken(f"{folder} holds files that are not of this site. Give an empty or a new folder.")
    with (folder / LOCK).open("w") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise FolderTaken(f"Another pbm publish writes to {folder} at the moment.") from None
        shutil.rmtree(folder / STAGE, ignore_errors=True)
        files, boards = _ledger(folder / LEDGER)
        yield Site(folder, files, boards)
        shutil.rmtree(folder / STAGE, ignore_errors=True)


def _ledger(path: Path) -> tuple[frozenset[str], dict[str, tuple[str, tuple[str, ...]]]]:
    if not path.exists():
        return frozenset(), {}
    content = json.loads(path.read_text())
    boards = {board: (made_of, tuple(paths)) for board, (made_of, paths) in content["boards"].items()}
    return frozenset(content["files"]), boards


def _remove_empty(root: Path, folder: Path) -> None:
    while folder != Path():
        try:
            (root / folder).rmdir()
        except OSError:
            return
        folder = folder.parent
