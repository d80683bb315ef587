"""Follows every link of a site in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import lxml.html
from lxml import etree


def broken_links(site: Path) -> list[str]:
    """Links in pages and feeds to files that the site does not have, or to elements that a page does not have."""
    pages = [path for path in site.rglob("*") if path.suffix in (".html", ".atom") and not _is_hidden(path, site)]
    return [f"{page}: {link}" for page in pages for link in _links(page) if not _leads_somewhere(page, link)]


def _is_hidden(path: Path, site: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(site).parts)


def _links(page: Path) -> Iterator[str]:
    tree = etree.parse(page) if page.suffix == ".atom" else lxml.html.parse(page)
    yield from (each.get(name) for name in ("href", "src") for each in tree.getroot().iter() if each.get(name))


def _leads_somewhere(page: Path, link: str) -> bool:
    parts = urlsplit(link)
    target = page.parent / unquote(parts.path) if parts.path else page
    return not parts.scheme and target.is_file() and (not parts.fragment or parts.fragment in _ids(target))


@cache
def _ids_as_read(content: bytes) -> frozenset[str]:
    return frozenset(each.get("id") for each in lxml.html.fromstring(content).iter() if each.get("id"))


def _ids(page: Path) -> frozenset[str]:
    return _ids_as_read(page.read_bytes())
