"""From the configuration to the service over its database, and to its ways out for mail.

Only commands that say so create a database: a mistyped path would look like a sound server without players.
"""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pbm.cli.loading import masked
from pbm.cli.output import Misconfigured, NoDatabase, Refused
from pbm.cli.places import DATA_FOLDER, DEFAULT_DATABASE, MASK
from pbm.cli.settings import Configuration
from pbm.store import DatabaseTrouble, SchemaTrouble, Store
from pbm.store.backup import file_of, journals
from pbm.store.house import LogLine
from pbm.store.neighbours import Malformed

if TYPE_CHECKING:  # takes a while to import, and storing a mail needs none of it
    from pbm.edges.crypt import Keyring
    from pbm.edges.signing import Signature
    from pbm.edges.transports import Transport
    from pbm.mailin.headers import Robot
    from pbm.server import Service, Settings
    from pbm.server.club import Club
    from pbm.store.house import Peer

_LEAST_ROOM = 1 << 20
_MOST_WORDS = 500
_SERVERS = {"serve", "work", "receive", "demo", "play"}
"""Commands that do what mails ask for, not what the operator does."""


def robot(configuration: Configuration) -> Robot:
    from pbm.mailin.headers import Robot

    server = configuration.server
    names = server.local_part, server.domain, server.authserv_id, server.bounce_part
    just_a_mailbox, aliases = bool(configuration.imap.host), tuple(server.aliases.split())
    return Robot(*names, just_a_mailbox, server.unsubscribe_url, aliases, server.authserv_strips)


@contextmanager
def opened_club(configuration: Configuration, *, quiet: bool = False) -> Iterator[Club]:
    """quiet: as for `opened_store`. Raises: SchemaTrouble, Refused, Misconfigured."""
    from pbm.server.club import Club

    with opened_store(configuration, quiet=quiet) as store:
        with closing(Club(store, _settings(identified(configuration, store)))) as club:
            yield club


@contextmanager
def opened_service(configuration: Configuration, *, create: bool = False) -> Iterator[Service]:
    """create: as for `opened_store`. A database without an address takes the configured one.

    Raises: SchemaTrouble, Refused, Misconfigured.
    """
    from pbm.edges.watch import Timekeeper
    from pbm.server import Service

    with opened_store(configuration, create=create, quiet=True) as store:
        settings = _settings(identified(configuration, store, adopt=True))
        ring = keyring(configuration)
        unlock = None if ring is None else ring.unlock
        with closing(Service(store, settings, clock=Timekeeper(), unlock=unlock)) as service:
            yield service


def _settings(configuration: Configuration) -> Settings:
    from pbm.server.club import Settings

    return Settings(robot(configuration), configuration.limits, configuration.operator, configuration.house)


def transport(configuration: Configuration, peer_of: Callable[[str], Peer | None] = lambda _: None) -> Transport:
    """The way out that delivery.kind chooses, with encryption and signatures if there are keys for them.

    peer_of: the key of an address. Raises: OSError, ValueError, ImportError.
    """
    from pbm.edges.crypt import Sealing
    from pbm.edges.signing import Signing

    way = configuration.way.transport(configuration.server.domain)
    # What is encrypted is signed last, as it leaves.
    if configuration.dkim.key is not None:
        way = Signing(way, mail_signature(configuration))
    ring = keyring(configuration)
    return Sealing(way, ring, peer_of) if ring is not None else way


def keyring(configuration: Configuration) -> Keyring | None:
    """Our OpenPGP key; None if none is configured. Raises: OSError, ValueError, ImportError."""
    from pbm.edges.crypt import Keyring

    path = configuration.crypt.key
    return None if path is None else Keyring(path.read_bytes())


def mail_signature(configuration: Configuration) -> Signature:
    """The signature of a configuration that has a key. Raises: OSError, ValueError."""
    from pbm.edges.signing import Signature

    dkim = configuration.dkim
    assert dkim.key is not None  # noqa: S101  the caller has checked it
    return Signature(dkim.domain or configuration.server.domain, dkim.selector, dkim.key.read_bytes())


@contextmanager
def opened_store(configuration: Configuration, *, create: bool = False, quiet: bool = False) -> Iterator[Store]:
    """The database. create: it may be missing or empty; the default one's folder is then created.

    quiet: do not say which one it is. Raises: SchemaTrouble, Refused, Misconfigured.
    """
    url = configuration.database
    if create:
        _reserve(url)
    elif _is_missing(url):
        raise NoDatabase(masked(url))
    try:
        store = Store(url)
    except SchemaTrouble as trouble:
        raise Misconfigured(f"database: {str(trouble).replace(url, masked(url))}") from None
    store.signature = signature()
    if not quiet:
        announce(url)
    try:
        # An empty file: a mistyped path would look like a server without players.
        if not create and store.revision() is None:
            raise NoDatabase(masked(url))
        yield store
    except DatabaseTrouble as trouble:
        raise Refused(f"database: {masked(url)} cannot be used: {_reason(url, trouble)}") from trouble
    finally:
        store.close()


def signature() -> LogLine | None:
    """The line for `pbm db log` that the running command leaves, in the transaction of what it does.

    None if it is no act of the operator.
    """
    context = click.get_current_context(silent=True)
    # The log is of what people did here; a server's mails are in the inbox.
    if context is None or context.info_name in _SERVERS:
        return None
    words = " ".join([context.command_path.partition(" ")[2], *_typed(context)])
    return LogLine(datetime.now(UTC), _operator()[:80], words[:_MOST_WORDS])


def _operator() -> str:
    """The name of the person at the keyboard, even if they have changed to another user."""
    # Several operators may become the same user of the server.
    for name in ("SUDO_USER", "DOAS_USER"):
        if os.environ.get(name):
            return os.environ[name]
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in containers
        return str(os.getuid())


def _typed(context: click.Context) -> Iterator[str]:
    """The arguments and options as they could be typed again, but passwords masked; a file is shown by its name."""
    for param in context.command.params:
        name = param.name or ""
        # What the command does by itself was not said.
        if name not in context.params or context.get_parameter_source(name) is ParameterSource.DEFAULT:
            continue
        content = context.params[name]
        for value in content if param.multiple or param.nargs != 1 else [content]:
            if isinstance(param, click.Option):
                yield max(param.opts, key=len)
            if not getattr(param, "is_flag", False):
                yield MASK if "password" in name else shlex.quote(str(getattr(value, "name", value)))


def sign(store: Store) -> None:
    """Log a command of the operator's that wrote other than by a transaction of the store."""
    with store.write():
        pass


def announce(url: str) -> None:
    """Say which database is used, unless it is the default, so that a wrong one is noticed at once."""
    # A person who forgets --config would otherwise look at another, empty house.
    if url != DEFAULT_DATABASE:
        click.echo(f"Database: {masked(url)}", err=True)


def identified(configuration: Configuration, store: Store, *, adopt: bool = False) -> Configuration:
    """The configuration with the address that belongs to the database.

    adopt: a database without one takes the configured address, if any. Raises: Misconfigured for a contradiction.
    """
    server = configuration.server
    store.prepare(datetime.now(UTC))
    with store.read() as tx:
        address, former = tx.identity.get(), tx.identity.former()
    if address is None:
        if adopt and "domain" in server.model_fields_set:
            with store.write() as tx:
                tx.identity.set(server.local_part, server.domain)
        return configuration
    values = dict(zip(("local_part", "domain"), address, strict=True))
    for name, value in values.items():
        configured = getattr(server, name)
        # A default contradicts nothing.
        if name in server.model_fields_set and configured.casefold() != value.casefold():
            raise Misconfigured(
                f"server.{name}: this is {configured}, but players of this database write to {'@'.join(address)}. "
                "To let them write to another one: pbm identity set ADDRESS"
            )
    values["aliases"] = " ".join(dict.fromkeys((*former, *server.aliases.split())))
    return configuration.model_copy(update={"server": server.model_copy(update=values)})


def _reason(url: str, trouble: DatabaseTrouble) -> str:
    """Why the database cannot be used, and what to do if its file shows that, in a sentence or two."""
    words, file = str(trouble), _file(url)
    # Going on to write into a damaged file can lose what is still sound.
    if file is not None and isinstance(trouble, Malformed):
        return f"{words}. Stop the server, and put the newest copy back: pbm db restore FILE"
    return (file and hindrance(file)) or (words if words.endswith(("?", ".")) else f"{words}.")


def hindrance(file: Path) -> str:
    """A sentence on what keeps us from using a database file, as far as its folder and its disk show that, or empty."""
    folder = file.absolute().parent
    with suppress(OSError):
        if file.is_dir():
            return f"{file} is a folder; name a file in it, such as {file / 'pbm.db'}."
        if not folder.exists():
            return f"there is no folder {folder}; make it first."
        # Advice to run as the owner would not help there.
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            return f"the disk of {file} can only be read; mount it so that it can be written."
        # Journals of another user, as root leaves them, keep us out as the file itself does.
        for path in (file, *journals(file)):
            if path.exists() and not os.access(path, os.R_OK | os.W_OK):
                return f"this user may not write {path}; run pbm as the user that owns it."
        # SQLite makes its journals in the folder.
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"this user may not write in {folder}; run pbm as the user that owns that folder."
        if shutil.disk_usage(folder).free < _LEAST_ROOM:
            return f"there is no room left on the disk of {file}."
    return ""


def with_identity(configuration: Configuration, *, quiet: bool = False) -> Configuration:
    """The same as `identified`, as far as the database can be read. quiet: as for `opened_store`."""
    try:
        with opened_store(configuration, quiet=quiet) as store:
            return identified(configuration, store)
    except (Refused, SchemaTrouble):  # the server may not have run yet, and will then have the configured address
        return configuration


def _is_missing(url: str) -> bool:
    """Raises: Refused if we may not look."""
    file = _file(url)
    try:
        return file is not None and not file.exists()
    except OSError as error:
        raise Refused(f"database: {masked(url)} cannot be used: {error.strerror}.") from None


def _file(url: str) -> Path | None:
    with suppress(SchemaTrouble):  # opening it reports this better
        return file_of(url)
    return None


def _reserve(url: str) -> None:
    """Create a new database's file for its owner only, because it holds secrets from the start."""
    if url == DEFAULT_DATABASE:
        try:
            DATA_FOLDER.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Misconfigured(f"database: {DATA_FOLDER} cannot be made: {error.strerror}.") from None
    if (file := _file(url)) is not None:
        with suppress(OSError):  # opening it reports this better
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
