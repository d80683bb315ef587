"""Kinds of values in settings, each with the sentence that says what fits; and the table that holds them.

A setting is declared once, where it is used: its type, what it is without being said, what it means and how far it may
go. `pbm/cli/settings.py` gathers the tables into the configuration.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def place(text: str) -> tuple[str, int] | Path:
    """A host and a port, or the path of a Unix socket. Raises: ValueError."""
    if text.startswith("unix:/"):
        return Path(text.removeprefix("unix:"))
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%a-z]+)\]|([^\s:\[\]/]+)):(\d{1,5})", text)
    if match is None or int(match[3]) > 65535:
        raise ValueError("write HOST:PORT, [IPv6]:PORT or unix:/path, such as 127.0.0.1:8025")
    return match[1] or match[2], int(match[3])


def fitting(pattern: str, example: str) -> AfterValidator:
    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"write something like {example}")
        return text

    return AfterValidator(check)


def _check_place(text: str) -> str:
    place(text)
    return text


LOCAL_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?"
DOMAIN = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"
Place = Annotated[str, AfterValidator(_check_place)]
LocalPart = Annotated[str, fitting(LOCAL_PART, "pbm")]
Domain = Annotated[str, fitting(DOMAIN, "example.org")]
Address = Annotated[str, fitting(rf"|[^\s@<>]+@{DOMAIN}", "operator@example.org")]
Host = Annotated[
    str, fitting(r"|[^\s:/@]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*", "mail.example.org, and its port apart")
]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class SettingsTable(BaseModel):
    """A table of settings; a key that it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
