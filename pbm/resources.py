"""Where the files beside the code are: inside the package when installed, at the top of the tree when developed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """The folder of that name, such as "templates"."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
