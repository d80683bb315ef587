"""Whether the system gives this process what any work needs: one more file, one more thread."""

from __future__ import annotations

import os
import threading


def lack() -> str:
    """What the process may not have any more, and what would work, as a sentence; empty where nothing is lacking."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return f"No more files can be opened: {error.strerror}. Raise the limit: LimitNOFILE of systemd, or ulimit -n."
    try:
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
    except (RuntimeError, MemoryError):
        return "No more threads can be started. Raise the limit: TasksMax or MemoryMax of systemd, or ulimit -u."
    return ""
