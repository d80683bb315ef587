"""The mail servers, started once for all tests that need them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.servers import MailServers, require


@pytest.fixture(scope="session")
def servers() -> Iterator[MailServers]:
    """Their folder is not in pytest's, which only its own user may enter: the servers have users of their own."""
    require()
    with tempfile.TemporaryDirectory(prefix="pbm-real-") as folder:
        servers = MailServers(Path(folder))
        try:
            servers.start()
            yield servers
        finally:
            servers.stop()
