"""Golden files hold what the server says, word for word, and read like documentation.

`make golden` renews them all; `git diff` then shows what changes for players: read it as they would.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"
CONVERSATIONS = sorted((FOLDER / "conversations").glob("*.txt"))
RENEWED = "PBM_UPDATE_GOLDEN" in os.environ


def hold(path: Path, said: str) -> None:
    """Assert that the file says the same; where golden files are renewed, write it first."""
    if RENEWED:
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8"), f"{path} differs; `make golden` renews it"
