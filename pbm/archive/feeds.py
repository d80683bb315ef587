"""Atom feeds (RFC 4287). Links are relative to the feed, so that the site may stand anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree import ElementTree

from games import GAMES
from pbm.store.archive import Finished

LATEST = 30
"""Games in a feed."""
_ATOM = "http://www.w3.org/2005/Atom"
_SINCE = 2026
"""The year of all our tags: whoever has the domain then vouches for them for good (RFC 4151)."""


@dataclass(frozen=True, slots=True)
class Feed:
    """path: of its page, without ending. boards: the newest last. updated_at: where there is no game yet."""

    path: str
    title: str
    boards: Sequence[Finished]
    updated_at: datetime

    def xml(self, site: str, domain: str) -> str:
        """site: what the site is called, as the author. domain: the server's."""
        up, tag = "../" * self.path.count("/"), f"tag:{domain},{_SINCE}:"
        latest = self.boards[: -LATEST - 1 : -1]
        feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
        _add(feed, "id", f"{tag}{self.path}")
        _add(feed, "title", f"{self.title} - {site}")
        _add(feed, "updated", _instant(latest[0].ended_at if latest else self.updated_at))
        _add(_add(feed, "author"), "name", site)
        name = self.path.rpartition("/")[2]
        _add(feed, "link", rel="self", type="application/atom+xml", href=f"{name}.atom")
        _add(feed, "link", rel="alternate", type="text/html", href=f"{name}.html")
        for board in latest:
            _entry(feed, board, f"{tag}board/{board.board}", up)
        ElementTree.indent(feed)
        return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(feed, encoding="unicode")}\n'


def _entry(feed: ElementTree.Element, board: Finished, key: str, up: str) -> None:
    first, second = board.players
    entry = _add(feed, "entry")
    _add(entry, "id", key)
    _add(entry, "title", f"{GAMES[board.game].info.title}, board {board.board}: {first.userid} - {second.userid}")
    _add(entry, "updated", _instant(board.ended_at))
    _add(entry, "link", rel="alternate", type="text/html", href=f"{up}board/{board.board}.html")
    won = f"{board.players[board.result.winner - 1].userid} won" if board.result.winner else "Drawn"
    _add(entry, "summary", f"{won} {board.result.reason}".rstrip() + f", after {board.plies} plies.")


def _add(parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, name, attributes)
    child.text = text
    return child


def _instant(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
