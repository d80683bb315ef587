"""Ports on loopback for servers that are told where to listen."""

from __future__ import annotations

import socket


def reserved() -> socket.socket:
    """Holds a port until it is closed: nobody gets that by chance, and a server may listen there all the same.

    It sets SO_REUSEADDR, as servers do; two that set it share an address unless both listen. As long as no server does,
    connections are refused.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def port_of(held: socket.socket) -> int:
    return int(held.getsockname()[1])
