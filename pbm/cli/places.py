"""Where the configuration and the database are looked for, before anything is known of their meaning."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import platformdirs

from pbm.cli.output import Misconfigured

PREFIX = "PBM_"
MASK = "********"
"""Stands for a secret wherever one would be shown."""
CONFIG_VARIABLE = "PBM_CONFIG"
DATA_FOLDER = platformdirs.user_data_path("pbm", appauthor=False)
DEFAULT_DATABASE = f"sqlite:///{DATA_FOLDER / 'pbm.db'}"
USUAL_FILES = (platformdirs.user_config_path("pbm", appauthor=False) / "pbm.toml", Path("/etc/pbm/pbm.toml"))
"""Tried in this order if none is named."""


def file_in_use(file: Path | None) -> Path | None:
    """The file asked for, or else the first of the usual ones that exists. Raises: Misconfigured."""
    if named := file or os.environ.get(CONFIG_VARIABLE):
        return Path(named)
    return next((usual for usual in USUAL_FILES if _is_there(usual)), None)


def _is_there(file: Path) -> bool:
    """Whether the file exists. A folder that we may not read may hold it, so going on would be a guess."""
    try:
        return file.is_file()
    except OSError as error:
        raise Misconfigured(f"{file}: cannot be looked for: {error.strerror}. Name another by --config.") from None


def read(path: Path) -> dict[str, Any]:
    """Raises: Misconfigured."""
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise Misconfigured(f"{path}: cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Misconfigured(f"{path}: is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        raise Misconfigured(f"{path}: is not TOML: {error}.") from None


def database_of(config: Path | None, url: str | None) -> str:
    """The database's URL as it is written, checked by nobody. url: from the command line. Raises: Misconfigured."""
    file = file_in_use(config)
    written = read(file).get("database", DEFAULT_DATABASE) if file else DEFAULT_DATABASE
    return str(url or os.environ.get(f"{PREFIX}DATABASE", written))
