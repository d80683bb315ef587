"""The server's address, and the secret and the keys that prove it: for the commands of `keys`."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from pydantic import ValidationError

from pbm.cli.frame import Invocation
from pbm.cli.opening import opened_service, opened_store, robot, with_identity
from pbm.cli.output import Refused, counted, print_json, say
from pbm.cli.settings import Configuration, Server
from pbm.domain.spans import read_duration

if TYPE_CHECKING:
    from pbm.edges.signing import SigningKey

T = TypeVar("T")


def show(invocation: Invocation, *, as_json: bool) -> None:
    with opened_store(invocation.effective().values) as store, store.read() as tx:
        known, former = tx.identity.get(), tx.identity.former()
    if known is None:
        raise Refused("The database has no address yet. The first server that is told a domain sets it.")
    if as_json:
        print_json({"address": "@".join(known), "former": [*former]})
        return
    click.echo("\n".join(["@".join(known), *(f"also: {each}" for each in former)]))


def set_(invocation: Invocation, address: str, tell: bool) -> None:
    local_part, _, domain = address.partition("@")
    try:
        server = Server(local_part=local_part, domain=domain)
    except ValidationError:
        raise click.BadParameter(f'"{address}" is no address such as pbm@example.org.') from None
    configuration = invocation.effective().values
    with opened_store(configuration) as store, store.write() as tx:
        before = tx.identity.get()
        tx.identity.set(server.local_part, server.domain)
    was = f" It was {'@'.join(before)}, where answers to older emails still count." if before else ""
    told = f" {_told(configuration, before, address)} are told." if tell and before else ""
    changed = [f"server.{name}" for name in ("local_part", "domain") if name in configuration.server.model_fields_set]
    change = f"Change {' and '.join(changed)} in the configuration, and start" if changed else "Start"
    say(f"The address is {address} now.{was}{told} {change} all servers anew.")


def _told(configuration: Configuration, before: tuple[str, str], address: str) -> str:
    """Write to all players from the new address; returns their number in words."""
    from pbm.server.steward import Steward

    moved = configuration.model_copy(update={"server": Server(bounce_part=configuration.server.bounce_part)})
    with opened_service(moved, quiet=True) as service:
        service.store.signature = None  # setting the address was logged already
        number = Steward(service).tell_of_move("@".join(before), address)
    return counted(number, "player")


def rotate_secret(invocation: Invocation, overlap: str, at_once: bool) -> None:
    now = datetime.now(UTC)
    until = now if at_once else now + timedelta(microseconds=read_duration(overlap))
    with invocation.store() as store:
        store.rotate_secret(now, until)
    if at_once:
        say("The secret is new. No email from before counts any more; players are told how their boards stand.")
    else:
        say(f"The secret is new. Emails from before count until {until:%Y-%m-%d %H:%M} UTC.")


def list_secrets(invocation: Invocation, *, as_json: bool) -> None:
    now = datetime.now(UTC)
    with opened_store(invocation.effective().values) as store:
        store.prepare(now)
        with store.read() as tx:
            former = tx.secrets.former_until(now)
    if as_json:
        print_json([{"counts_until": until} for until in former])
        return
    for until in former:
        click.echo(f"A former secret counts until {until:%Y-%m-%d %H:%M} UTC.")
    if not former:
        click.echo("No former secret counts.")


def create_key(invocation: Invocation, file: Path | None) -> None:
    configuration = with_identity(invocation.effective().values)
    path = _key_file("dkim", configuration.dkim.key, file)
    _print_records(configuration, path, configuration.dkim.selector)
    if configuration.dkim.key is None:
        click.echo(f'Sign with it by the configuration:  [dkim]  key = "{path.absolute()}"', err=True)


def rotate_key(invocation: Invocation, file: Path | None) -> None:
    configuration = with_identity(invocation.effective().values)
    selector = f"pbm{datetime.now(UTC):%Y%m%d}"
    path = _key_file("dkim", configuration.dkim.key, file).parent / f"{selector}.pem"
    _print_records(configuration, path, selector)
    keys = f'key = "{path.absolute()}"  selector = "{selector}"'
    click.echo(f"Once the records are published, sign with them by the configuration:  [dkim]  {keys}", err=True)


def _key_file(table: str, key: Path | None, file: Path | None) -> Path:
    if (path := file or key) is None:
        raise click.UsageError(f"Name the file of the key, or set {table}.key.")
    return path


def _print_records(configuration: Configuration, path: Path, selector: str) -> None:
    """Print the DNS records of the keys in the file, which is created if it does not exist. Raises: Refused."""
    from pbm.edges.signing import new_keys, signing_keys

    domain = configuration.dkim.domain or configuration.server.domain
    for key in _read(path, new_keys, lambda keys: signing_keys(selector, keys)):
        click.echo(key_record(key, domain))


def key_record(key: SigningKey, domain: str) -> str:
    """The line for the DNS."""
    return f"{key.selector}._domainkey.{domain}. IN TXT ( {_strings(key.record)} )"


def crypt(invocation: Invocation, file: Path | None) -> None:
    from pbm.edges.crypt import Keyring, new_key

    configuration = invocation.effective().values
    path = _key_file("crypt", configuration.crypt.key, file)
    configuration = with_identity(configuration)
    address = robot(configuration).address
    ring = _read(path, lambda: new_key(address), Keyring)
    click.echo(ring.card(address), nl=False)
    click.echo(f"The fingerprint of the key is {ring.fingerprint}.", err=True)
    if configuration.crypt.key is None:
        click.echo(f'Use it by the configuration:  [crypt]  key = "{path.absolute()}"', err=True)


def _read(path: Path, made: Callable[[], bytes], read: Callable[[bytes], T]) -> T:
    """What `read` makes of the key in the file, which is created if it does not exist. Raises: Refused."""
    try:
        if not path.exists():
            _write(path, made())
            click.echo(f"A new key is in {path}.", err=True)
        return read(path.read_bytes())
    except ImportError:
        raise Refused("Encrypted email needs the extra: pip install 'pbm-server[crypt]'.") from None
    except (OSError, ValueError) as error:
        raise Refused(f"{path} cannot be used: {getattr(error, 'strerror', None) or error}.") from error


def _write(path: Path, key: bytes) -> None:
    """Write a file that others can never read, not even for a moment, and that replaces no other."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  of a descriptor
            file.write(key)
    except OSError:
        path.unlink()  # a partial key would be taken for the key next time
        raise


def _strings(record: str) -> str:
    """A record as strings of fewer than 255 octets, which is the limit of the DNS."""
    return " ".join(f'"{record[start : start + 250]}"' for start in range(0, len(record), 250))
