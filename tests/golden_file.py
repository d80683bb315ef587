"""Golden files hold, word for word, what the server says, and read like documentation.

`make golden` renews them all; `git diff` then shows what players will see otherwise, to be read as they would read it.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"
CONVERSATIONS = sorted((FOLDER / "conversations").glob("*.txt"))
RENEWED = "PBM_UPDATE_GOLDEN" in os.environ


def hold(path: Path, said: str) -> None:
    """Fails unless the file says the same; writes it first where golden files are renewed."""
    if RENEWED:
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8"), f"{path} differs; `make golden` renews it"
