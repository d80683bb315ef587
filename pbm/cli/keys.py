"""The server's address, and the keys and the secret that prove it: `pbm identity` and `pbm keys`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from pbm.cli.frame import Group, Invocation, irrevocable, lists, reads
from pbm.cli.output import FILE, Refused, counted, say, write_file

if TYPE_CHECKING:  # help pages need none of these
    from pbm.cli import schemas
    from pbm.cli.settings import Configuration
    from pbm.edges.signing import SigningKey
    from pbm.store import Transaction

T = TypeVar("T")
key_file = click.argument("file", required=False, type=FILE)


@click.group(cls=Group)
def identity() -> None:
    """The address by which players know the server.

    It is stored in the database: the first `pbm serve` with a domain sets it, and every command uses it.
    """


def _print_identity(identity: schemas.IdentityPrinted) -> None:
    click.echo("\n".join([identity["address"], *(f"also: {former}" for former in identity["former"])]))


@identity.command()
@reads(_print_identity)
def show(tx: Transaction) -> schemas.IdentityPrinted:
    """Print the address and its former ones."""
    address = tx.identity.get()
    if address is None:
        raise Refused("The database has no address yet. The first server that is told a domain sets it.")
    return {"address": "@".join(address), "former": [*tx.identity.former()]}


@identity.command("set")
@click.option("--tell", is_flag=True, help="Write to all players that they find the server there now.")
@irrevocable("Write to all players?", when="tell")
def set_(invocation: Invocation, address: str, tell: bool) -> None:
    """Let players write to another ADDRESS.

    The old address is kept as an alias: as long as mail to it reaches this server, answers to older emails count. If
    server.local_part and server.domain are set, change them, too, and restart all servers.
    """
    from pydantic import ValidationError

    from pbm.cli.settings import Server

    local_part, _, domain = address.partition("@")
    try:
        server = Server(local_part=local_part, domain=domain)
    except ValidationError:
        raise click.BadParameter(f'"{address}" is no address such as pbm@example.org.') from None
    configuration = invocation.effective().values
    with invocation.store() as store, store.write() as tx:
        before = tx.identity.get()
        tx.identity.set(server.local_part, server.domain)
    was = f" It was {'@'.join(before)}, where answers to older emails still count." if before else ""
    players = f" {_tell_players(invocation, configuration, before, address)} are told." if tell and before else ""
    changed = [f"server.{name}" for name in ("local_part", "domain") if name in configuration.server.model_fields_set]
    change = f"Change {' and '.join(changed)} in the configuration, and start" if changed else "Start"
    say(f"The address is {address} now.{was}{players} {change} all servers anew.")


def _tell_players(invocation: Invocation, configuration: Configuration, before: tuple[str, str], address: str) -> str:
    """Write to all players from the new address; returns their number in words."""
    from pbm.cli.opening import opened_club
    from pbm.cli.settings import Server
    from pbm.server.steward import Steward

    moved = configuration.model_copy(update={"server": Server(bounce_part=configuration.server.bounce_part)})
    with opened_club(moved, quiet=True) as club:
        # Setting the address was logged already.
        club.store.signature = None
        club.store.only_tries = invocation.dry_run
        number = Steward(club).tell_of_move("@".join(before), address)
    return counted(number, "player")


@click.group(cls=Group)
def keys() -> None:
    """The keys that sign and encrypt our emails, and the secret that proves which are ours."""


@keys.group()
def secret() -> None:
    """The secret that proves which emails are ours.

    An answer to one of them plays. It is stored in the database, and shown nowhere.
    """


@secret.command("rotate")
@click.option("--overlap", default="90d", show_default=True, metavar="TIME", help="How long older emails still count.")
@click.option("--at-once", is_flag=True, help="Older emails no longer count: the secret is in the wrong hands.")
@irrevocable("Let no email from before count any more?", when="at_once")
def rotate_secret(invocation: Invocation, overlap: str, at_once: bool) -> None:
    """Make a new secret.

    Answers to earlier emails, their links and the signatures of exports still count for the overlap, but what somebody
    has revoked stays void. Running servers use the new secret from the next email on. With --at-once everything sent so
    far is void, and each player who has boards gets an email that shows how they stand and can be answered, a hundred
    players a minute. Chat apps start a new chat for each board.
    """
    from pbm.domain.spans import read_duration

    now = datetime.now(UTC)
    until = now if at_once else now + timedelta(microseconds=read_duration(overlap))
    with invocation.store() as store:
        store.rotate_secret(now, until)
    if at_once:
        say("The secret is new. No email from before counts any more; players are told how their boards stand.")
    else:
        say(f"The secret is new. Emails from before count until {until:%Y-%m-%d %H:%M} UTC.")


@secret.command("list")
@lists("No former secret counts.")
def list_secrets(tx: Transaction) -> list[schemas.Secret]:
    """Show until when earlier emails count."""
    return [{"counts_until": until} for until in tx.secrets.former_until(tx.now)]


@keys.group()
def dkim() -> None:
    """The keys that sign our emails."""


@dkim.command("create")
@key_file
def create_key(invocation: Invocation, file: Path | None) -> None:
    """Make the keys, and print the DNS records for them.

    One file holds both, an RSA key and an Ed25519 key. If FILE, or dkim.key if that is set, does not exist, it is
    written, readable only by its owner. An existing file is kept, and the records of its keys are printed.
    """
    configuration, path = _with_file(invocation, "dkim", file)
    _print_records(configuration, path, configuration.dkim.selector)
    if configuration.dkim.key is None:
        click.echo(f'Sign with it by the configuration:  [dkim]  key = "{path.absolute()}"', err=True)


@dkim.command("rotate")
@key_file
def rotate_key(invocation: Invocation, file: Path | None) -> None:
    """Make the next keys, beside those that sign.

    They get a file of their own, beside FILE or dkim.key, and a selector of their own. Publish the printed records,
    change dkim.key and dkim.selector, reload the server (SIGHUP), and keep the records of the old selector for some
    weeks, because emails signed with it are still on their way.
    """
    configuration, former = _with_file(invocation, "dkim", file)
    selector = f"pbm{datetime.now(UTC):%Y%m%d}"
    path = former.parent / f"{selector}.pem"
    _print_records(configuration, path, selector)
    keys = f'key = "{path.absolute()}"  selector = "{selector}"'
    click.echo(f"Once the records are published, sign with them by the configuration:  [dkim]  {keys}", err=True)


@keys.command()
@key_file
def crypt(invocation: Invocation, file: Path | None) -> None:
    """Create the OpenPGP key, and print a contact card.

    The card (vCard) lets chat apps write to the server.
    If FILE, or crypt.key if that is set, does not exist, it is written, readable only by its owner. An existing key is
    kept. Keep a copy of it with your backups: no other key can read what was encrypted for it. A chat app that insists
    on encryption needs the card to write to the server; publish it, on a web page or as a file.
    """
    from pbm.cli.opening import robot
    from pbm.edges.crypt import Keyring, new_key

    configuration, path = _with_file(invocation, "crypt", file)
    address = robot(configuration).address
    ring = _read(path, lambda: new_key(address), Keyring)
    click.echo(ring.card(address), nl=False)
    click.echo(f"The fingerprint of the key is {ring.fingerprint}.", err=True)
    if configuration.crypt.key is None:
        click.echo(f'Use it by the configuration:  [crypt]  key = "{path.absolute()}"', err=True)


def _with_file(invocation: Invocation, table: str, file: Path | None) -> tuple[Configuration, Path]:
    """The configuration with the server's address, and the file of the table's key, unless another one is named."""
    from pbm.cli.opening import with_identity

    configuration = with_identity(invocation.effective().values)
    path = file or getattr(configuration, table).key
    if path is None:
        raise click.UsageError(f"Name the file of the key, or set {table}.key.")
    return configuration, path


def _print_records(configuration: Configuration, path: Path, selector: str) -> None:
    """Print the DNS records of the keys in the file, which is created if it does not exist. Raises: Refused."""
    from pbm.edges.signing import new_keys, signing_keys

    domain = configuration.dkim.domain or configuration.server.domain
    for key in _read(path, new_keys, lambda keys: signing_keys(selector, keys)):
        click.echo(key_record(key, domain))


def key_record(key: SigningKey, domain: str) -> str:
    """The line for the DNS, in strings of fewer than 255 octets, which is the limit there."""
    strings = " ".join(f'"{key.record[start : start + 250]}"' for start in range(0, len(key.record), 250))
    return f"{key.selector}._domainkey.{domain}. IN TXT ( {strings} )"


def _read(path: Path, made: Callable[[], bytes], read: Callable[[bytes], T]) -> T:
    """What `read` makes of the key in the file, which is created if it does not exist. Raises: Refused."""
    try:
        if not path.exists():
            write_file(path, made())
            click.echo(f"A new key is in {path}.", err=True)
        return read(path.read_bytes())
    except ImportError:
        raise Refused("Encrypted email needs the extra: pip install 'pbm-server[crypt]'.") from None
    except (OSError, ValueError) as error:
        raise Refused(f"{path} cannot be used: {getattr(error, 'strerror', None) or error}.") from error
