"""Whether the system gives this process what any work needs: one more file, one more thread."""

from __future__ import annotations

import errno
import os
import threading

_NO_FILES = "No more files can be opened. Raise the limit: LimitNOFILE of systemd, or ulimit -n."
_NO_THREADS = "No more threads can be started. Raise the limit: TasksMax or MemoryMax of systemd, or ulimit -u."


def lack(error: BaseException | None = None) -> str:
    """What the process may not have any more, and what would work, as a sentence; empty where nothing is lacking.

    error: what went wrong just now; without one that tells, it is tried out.
    """
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return _NO_FILES
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return _NO_FILES
    try:
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
    except (RuntimeError, MemoryError):
        return _NO_THREADS
    return ""
