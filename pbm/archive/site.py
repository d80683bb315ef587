"""The folder of a site, with its Atom feeds: new files are written aside, and put in place when all are ready.

Pages that nobody links to yet come first, then those that have changed; files no longer needed are removed last. So
whenever a run is stopped, each page is whole and no link leads nowhere. The next run does the rest. Links in feeds (RFC
4287) are relative, so that the site can be anywhere.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from games import GAMES
from pbm.store.lists import Finished

LATEST = 30
"""The most games in a feed."""
_ATOM = "http://www.w3.org/2005/Atom"
_SINCE = 2026
"""The year in all our tags: the owner of the domain in that year vouches for them for good (RFC 4151)."""


def feed_of(path: str, title: str, boards: Sequence[Finished], updated_at: datetime, site: str, domain: str) -> str:
    """path: of its page, without ending. boards: newest last. updated_at: used while there is no game.

    site: the title of the site, given as the author. domain: the server's.
    """
    up, tag = "../" * path.count("/"), f"tag:{domain},{_SINCE}:"
    latest = boards[: -LATEST - 1 : -1]
    feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
    _add(feed, "id", f"{tag}{path}")
    _add(feed, "title", f"{title} - {site}")
    _add(feed, "updated", _instant(latest[0].ended_at if latest else updated_at))
    _add(_add(feed, "author"), "name", site)
    name = path.rpartition("/")[2]
    _add(feed, "link", rel="self", type="application/atom+xml", href=f"{name}.atom")
    _add(feed, "link", rel="alternate", type="text/html", href=f"{name}.html")
    for board in latest:
        first, second = board.players
        entry = _add(feed, "entry")
        _add(entry, "id", f"{tag}board/{board.board}")
        _add(entry, "title", f"{GAMES[board.game].info.title}, board {board.board}: {first.userid} - {second.userid}")
        _add(entry, "updated", _instant(board.ended_at))
        _add(entry, "link", rel="alternate", type="text/html", href=f"{up}board/{board.board}.html")
        won = f"{board.players[board.result.winner - 1].userid} won" if board.result.winner else "Drawn"
        _add(entry, "summary", f"{won} {board.result.reason}".rstrip() + f", after {board.plies} plies.")
    ElementTree.indent(feed)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(feed, encoding="unicode")}\n'


def _add(parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, name, attributes)
    child.text = text
    return child


def _instant(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


LEDGER = ".pbm-site.json"
"""The file that lists which files are ours, and what the pages of each board were made of."""
STAGE = ".pbm-new"
LOCK = ".pbm-lock"


class FolderTaken(Exception):
    """The folder holds something else, or another run is using it; a sentence."""


@dataclass(slots=True)
class Site:
    """The site as it is to become."""

    folder: Path
    ours: frozenset[str]
    """The files that the last run left."""
    before: dict[str, tuple[str, tuple[str, ...]]]
    made_of: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """By board, the digest of what its pages are made of, and their paths."""
    paths: set[str] = field(default_factory=set)
    changed: dict[str, bool] = field(default_factory=dict)

    def put(self, path: str, content: str) -> None:
        """Add a file to the site; it is written unless it is there already with the same content."""
        data, present = content.encode(), self.folder / path
        self.paths.add(path)
        # What has not changed keeps its time, by which web servers and copies tell what to send again.
        if present.is_file() and present.read_bytes() == data:
            return
        self.changed[path] = present.exists()
        staged = self.folder / STAGE / path
        staged.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(data)

    def keeps(self, board: int, made_of: str) -> bool:
        """Keep the pages of a board if they are there and made of the same; whether they are."""
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
        """Files of ours that no longer belong to the site."""
        return self.ours - self.paths

    def commit(self) -> None:
        """Put new files in their places. Meanwhile the ledger does not say what the pages that change are made of."""
        os.sync()  # after a power failure there must be no empty files under final names
        kept = {board: made for board, made in self.before.items() if self.changed.keys().isdisjoint(made[1])}
        self._write_ledger(self.ours | self.paths, kept)
        # New files first, so that no page that is replaced links to one that is not there yet.
        for path in sorted(self.changed, key=lambda path: (self.changed[path], path)):
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / STAGE / path).replace(target)
        for path in sorted(self.gone):
            (self.folder / path).unlink(missing_ok=True)
            # A folder that holds something else stays, and so do those around it.
            with suppress(OSError):
                for folder in Path(path).parents[:-1]:
                    (self.folder / folder).rmdir()
        self._write_ledger(self.paths, self.made_of)

    def _write_ledger(self, files: Set[str], made_of: dict[str, tuple[str, tuple[str, ...]]]) -> None:
        content = json.dumps({"files": sorted(files), "boards": made_of}, sort_keys=True)
        if not (self.folder / LEDGER).exists() or (self.folder / LEDGER).read_text() != content:
            (self.folder / STAGE).mkdir(exist_ok=True)
            (self.folder / STAGE / LEDGER).write_text(content)
            os.sync()  # nor may it then speak of pages that are not in their places
            (self.folder / STAGE / LEDGER).replace(self.folder / LEDGER)


@contextmanager
def opened(folder: Path) -> Iterator[Site]:
    """The site in a folder that is empty or ours; the caller commits it. Raises: FolderTaken, OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / LEDGER).exists() and any(path.name not in (STAGE, LOCK) for path in folder.iterdir()):
        raise FolderTaken(f"{folder} holds files that are not of this site. Give an empty or a new folder.")
    with (folder / LOCK).open("w") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise FolderTaken(f"Another pbm board publish writes to {folder} at the moment.") from None
        shutil.rmtree(folder / STAGE, ignore_errors=True)
        ledger: dict[str, Any] = {"files": [], "boards": {}}
        if (folder / LEDGER).exists():
            ledger = json.loads((folder / LEDGER).read_text())
        boards = {board: (made_of, tuple(paths)) for board, (made_of, paths) in ledger["boards"].items()}
        yield Site(folder, frozenset(ledger["files"]), boards)
        shutil.rmtree(folder / STAGE, ignore_errors=True)
