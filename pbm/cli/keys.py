"""The server's address, and what proves it: `pbm identity` and `pbm keys`."""

from __future__ import annotations

import click

from pbm.cli.frame import Group, done_by, irrevocable
from pbm.cli.output import FILE, json_option

key_file = click.argument("file", required=False, type=FILE)


@click.group(cls=Group)
def identity() -> None:
    """The address by which players know the server.

    It is stored in the database: the first `pbm serve` with a domain sets it, and every command uses it.
    """


@identity.command()
@json_option
@done_by("pbm.cli.identity")
def show() -> None:
    """Print the address and its former ones."""


@identity.command("set")
@click.argument("address")
@click.option("--tell", is_flag=True, help="Write to all players that they find the server there now.")
@done_by("pbm.cli.identity")
def set_() -> None:
    """Let players write to another ADDRESS.

    The old address is kept as an alias: as long as mail to it reaches this server, answers to older emails count. If
    server.local_part and server.domain are set, change them, too, and restart all servers.
    """


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
@done_by("pbm.cli.identity")
def rotate_secret() -> None:
    """Make a new secret.

    Answers to earlier emails, their links and the signatures of exports still count for the overlap, but what somebody
    has revoked stays void. Running servers use the new secret from the next email on. With --at-once everything sent so
    far is void, and each player who has boards gets an email that shows how they stand and can be answered, a hundred
    players a minute. Chat apps start a new chat for each board.
    """


@secret.command("list")
@json_option
@done_by("pbm.cli.identity")
def list_secrets() -> None:
    """Show until when earlier emails count."""


@keys.group()
def dkim() -> None:
    """The keys that sign our emails."""


@dkim.command("create")
@key_file
@done_by("pbm.cli.identity")
def create_key() -> None:
    """Make the keys, and print the DNS records for them.

    One file holds both, an RSA key and an Ed25519 key. If FILE, or dkim.key if that is set, does not exist, it is
    written, readable only by its owner. An existing file is kept, and the records of its keys are printed.
    """


@dkim.command("rotate")
@key_file
@done_by("pbm.cli.identity")
def rotate_key() -> None:
    """Make the next keys, beside those that sign.

    They get a file of their own, beside FILE or dkim.key, and a selector of their own. Publish the printed records,
    change dkim.key and dkim.selector, reload the server (SIGHUP), and keep the records of the old selector for some
    weeks, because emails signed with it are still on their way.
    """


@keys.command()
@key_file
@done_by("pbm.cli.identity")
def crypt() -> None:
    """Create the OpenPGP key, and print a contact card.

    The card (vCard) lets chat apps write to the server.
    If FILE, or crypt.key if that is set, does not exist, it is written, readable only by its owner. An existing key is
    kept. Keep a copy of it with your backups: no other key can read what was encrypted for it. A chat app that insists
    on encryption needs the card to write to the server; publish it, on a web page or as a file.
    """
