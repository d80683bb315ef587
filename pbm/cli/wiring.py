"""From the configuration to the parts that touch the network, and what this machine lacks for them."""

from __future__ import annotations

import ssl
import stat
from collections.abc import Callable
from pathlib import Path

from pbm.cli.loading import Effective, masked
from pbm.cli.settings import Configuration, is_loopback, unusable_authorities
from pbm.domain.configuration import FetchSettings, SmarthostSettings, place
from pbm.edges.crypt import Keyring, Sealing
from pbm.edges.metrics import MetricsServer
from pbm.edges.signing import Signature, Signing, public_key
from pbm.edges.transports import Transport
from pbm.server import Service
from pbm.store.backup import file_of
from pbm.store.house import Peer


def metrics_server(
    configuration: Configuration, service: Service, connections: Callable[[], int]
) -> MetricsServer | None:
    """None where nobody may ask for numbers."""
    if not configuration.metrics.listen:
        return None
    where = place(configuration.metrics.listen)
    assert isinstance(where, tuple)  # noqa: S101  the settings take nothing else
    return MetricsServer(service.store, connections, *where)


def transport(configuration: Configuration, peer_of: Callable[[str], Peer | None] = lambda _: None) -> Transport:
    """The way out that delivery.kind chooses, with signatures if there is a key, and what is encrypted before that.

    peer_of: the key of an address. Raises: OSError, ValueError, ImportError.
    """
    way = configuration.way.transport(configuration.server.domain)
    if configuration.dkim.key is not None:
        way = Signing(way, signature(configuration))
    ring = keyring(configuration)
    return Sealing(way, ring, peer_of) if ring is not None else way


def keyring(configuration: Configuration) -> Keyring | None:
    """Our OpenPGP key; None where nothing is encrypted. Raises: OSError, ValueError, ImportError."""
    path = configuration.crypt.key
    return None if path is None else Keyring(path.read_bytes())


def signature(configuration: Configuration) -> Signature:
    """As the configuration wants it, which has a key. Raises: OSError, ValueError."""
    dkim = configuration.dkim
    assert dkim.key is not None  # noqa: S101  whoever calls has seen it
    return Signature(dkim.domain or configuration.server.domain, dkim.selector, dkim.key.read_bytes())


def lacks(configuration: Configuration) -> list[str]:
    """Files and programs that are named but not there or of no use; a line each, which begins with the key."""
    server = configuration.server
    problems: list[str] = []
    if isinstance(server.where, Path) and not server.where.parent.is_dir():
        problems.append(f"server.listen: there is no folder {server.where.parent} for the socket.")
    if server.tls_certificate is not None:
        problems += _certificate(server.tls_certificate, server.tls_key)
    problems += configuration.way.lacks()
    if configuration.imap.host and configuration.imap.ca_file is not None:
        problems += unusable_authorities("imap", configuration.imap.ca_file)
    problems += _unusable("dkim.key", configuration.dkim.key, public_key)
    problems += _unusable("crypt.key", configuration.crypt.key, Keyring)
    return problems


def open_to_others(effective: Effective) -> list[str]:
    """Files with secrets that others may read or change; a clause each."""
    configuration = effective.values
    keeps = {"database": file_of(configuration.database), "dkim.key": configuration.dkim.key}
    keeps["crypt.key"] = configuration.crypt.key
    keeps["server.tls_key"] = configuration.server.tls_key
    passwords = configuration.smarthost.password, configuration.imap.password
    if effective.file is not None and (any(passwords) or masked(configuration.database) != configuration.database):
        keeps["configuration"] = effective.file
    return [f"{name} ({path})" for name, path in keeps.items() if path is not None and _is_open(path)]


def in_clear(configuration: Configuration) -> list[str]:
    """Passwords of ours that anybody on the way to a server can read; a line each, which begins with the key."""
    tables: dict[str, FetchSettings | SmarthostSettings] = {"imap": configuration.imap}
    if configuration.way is configuration.smarthost:
        tables["smarthost"] = configuration.smarthost
    return [
        f"{name}.tls: the password goes to {table.host} in clear; set this to implicit or starttls."
        for name, table in tables.items()
        if table.host and table.password and table.tls == "none" and not is_loopback(table.host)
    ]


def _is_open(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:  # what we may not look at is told when it is used
        return False
    return stat.S_ISREG(mode) and bool(mode & (stat.S_IRWXO | stat.S_IWGRP))


def _certificate(certificate: Path, key: Path | None) -> list[str]:
    for name, path in (("tls_certificate", certificate), ("tls_key", key)):
        try:
            if path is not None:
                path.read_bytes()
        except OSError as error:
            return [f"server.{name}: {path} cannot be read: {error.strerror}."]
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    except OSError as error:  # of which ssl.SSLError is one
        return [f"server.tls_certificate, server.tls_key: cannot be used: {error.strerror or error}."]
    return []


def _unusable(key: str, path: Path | None, read: Callable[[bytes], object]) -> list[str]:
    """Why the file of a key cannot be used, if one is named."""
    try:
        if path is not None:
            read(path.read_bytes())
    except ImportError:
        return [f"{key}: encrypted mail needs the extra: pip install 'pbm[crypt]'."]
    except (OSError, ValueError) as error:
        return [f"{key}: {path} cannot be used: {getattr(error, 'strerror', None) or error}."]
    return []
