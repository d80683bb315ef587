"""The mail servers, started once for all tests with them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.servers import MailServers, require


@pytest.fixture(scope="session")
def servers() -> Iterator[MailServers]:
    """Not in pytest's own folder, which is for its user alone: the servers' users look into theirs."""
    require()
    with tempfile.TemporaryDirectory(prefix="pbm-real-") as folder:
        servers = MailServers(Path(folder))
        try:
            servers.start()
            yield servers
        finally:
            servers.stop()
