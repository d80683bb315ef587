"""Patterns for what mail programs put around a person's text, in many languages; they scan a line once.

The words are data, templates/mail-programs.toml; each line of a table there is an alternative of a pattern.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from pbm.resources import folder

_TABLES: dict[str, Any] = tomllib.loads((folder("templates") / "mail-programs.toml").read_text())


def _rows(*tables: str) -> str:
    """A pattern for any of the lines of some tables."""
    return f"(?:{'|'.join(row for table in tables for row in _TABLES[table].strip().splitlines())})"


def _any(*tables: str, before: str = "", after: str = "") -> re.Pattern[str]:
    """A case-insensitive pattern that matches before, then any of the lines, then after."""
    return re.compile(f"{before}{_rows(*tables)}{after}", re.IGNORECASE)


_COUNT = r"\s?(?:\[\d{1,4}\]|\(\d{1,4}\)|\^\d{1,4}|\*\d{1,4})?\s?[:：]\s*"

REPLY_PREFIX = _any("reply", "forward", after=_COUNT)
"""One "Re:", "AW:", "Fwd:" in any language at the beginning of a subject."""

FORWARD_PREFIX = _any("forward", before=r"\s*", after=_COUNT)
"""One "Fwd:", "WG:", "TR:" in any language at the beginning of a subject."""

AUTOMATIC_SUBJECT = _any("automatic-subject")
"""The beginning of a vacation program's subject; not "away" alone, which people write, too."""

AUTOMATIC_TEXT = _any("automatic-text", before=r"(?m:^)[^\w\n>]{0,6}")
"""The first lines of a text that says that a program wrote it."""

FAILURE_SUBJECT, FAILURE_TEXT, PERMANENT = _any("failure-subject"), _any("failure-text"), _any("permanent")

NOTICE = _any("notice", before=r"\b")
"""Words of a mail system's notice, if its sender has a machine's name."""

WROTE = re.compile(rf"\b{_rows('wrote')}\b|{_rows('wrote-unspaced')}", re.IGNORECASE)
"""A verb of an attribution line such as "On Monday, pbm wrote:"."""

LABELS = {
    word.strip().replace(" ", ""): role
    for role, rows in _TABLES["labels"].items()
    for word in re.split(r"[|\n]", rows.strip())
}
"""Header labels in many languages, in lower case without blanks, and what each names."""

ORIGINAL = _any("original")
"""Words between the dashes of "-----Original Message-----"."""

FORWARD_INTRO = _any("forward-intro", before=r"\W{0,12}+")
"""The line above a forwarded mail."""

_SENT = rf"{_rows('sent')}(?=.*{_rows('phone', 'device')})"
ADDED = re.compile(rf"[\s<(\[*_-]{{0,6}}(?:{_rows('added')}|{_SENT})", re.IGNORECASE)
"""The beginning of a line that a mail program or virus scanner adds below the text; that it was sent from somewhere
says a person, too, unless a device or a mail program is named.
"""

PHONE = _any("phone", before=r"\b")
"""The name of a telephone or a tablet."""

DISCLAIMER = _any("disclaimer", before=r"[\s*_-]{0,4}", after=rf"(?!.*{_rows('personal')})")
"""The beginning of a paragraph that a company's server adds; not a line that a person says of themselves."""

NOTICES = (_any("says-mail"), _any("says-confidential")), (_any("says-print"), _any("says-environment"))
"""Words that occur together in a paragraph that a company's server adds, wherever they stand in it."""

PERSONAL = _any("personal")
"""A question, an exclamation, thanks, or words that a person says of themselves, and no company's notice."""

FORMAL = _any("formal")
"""Words that a notice with nothing above it has, too; people seldom begin with these."""

BANNER = _any("banner", before=rf"\W{{0,6}}(?:{_rows('caution')}\W{{1,4}})?")
"""The first line of a mail if a server on the way warned of its sender, or a picture stands there."""
