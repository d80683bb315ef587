"""Ports on loopback for servers that are told where to listen."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port that is given to nobody else by chance, but at which a server may listen all the same.

    Its socket sets SO_REUSEADDR, as servers do: two such sockets may share an address unless both listen. As long as no
    server does, connections are refused.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


def listens_at(port: int) -> bool:
    """Whether anybody listens there."""
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False
