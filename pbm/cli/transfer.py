"""`pbm export` and `pbm import`: a player's games and data as a file."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import click

from pbm.cli.errors import Refused
from pbm.cli.frame import Command, Invocation, pass_invocation
from pbm.domain.game_record import is_record

MAX_OCTETS = 500_000_000
"""Octets of an export that is taken in."""


@click.command(cls=Command)
@click.argument("userid")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@pass_invocation
def export(invocation: Invocation, userid: str, file: Path) -> None:
    """Write all that is stored of a player to FILE, as the mail command `export` sends it; - is standard output.

    The password is not in it, nor the address of anybody else.
    """
    with invocation.administration() as admin:
        content = admin.export_player(userid)
    if str(file) == "-":
        sys.stdout.buffer.write(content)
        return
    try:
        file.write_bytes(content)
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}.") from None
    click.echo(f"{userid} is written to {file}.")


@click.command("import", cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@pass_invocation
def import_(invocation: Invocation, file: Path) -> None:
    """Make a player, with all his games, of a FILE that `export` has written; the packed one of a mail does as well.

    Of the record of one game, which comes with a replay, a board is made that has ended and is not rated. Every record
    is replayed first. Opponents who are not here become names that nobody can log in as, until
    `pbm player set-address` gives them an address. The player himself writes "reset password" to get one.
    """
    content = _content(file)
    with invocation.administration() as admin:
        text = content.decode(errors="replace")
        if is_record(text):
            click.echo(f"The game is board {admin.import_record(text)} here.")
            return
        taken = admin.import_player(content)
    games = "1 game" if taken.games == 1 else f"{taken.games} games"
    click.echo(f"{taken.userid} is here, with {games}.")
    for old, new in taken.renumbered.items():
        click.echo(f"Board {old} is board {new} here.")


def _content(path: Path) -> bytes:
    """The JSON of a file, or of the archive it is in. Raises: Refused."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}.") from None
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        found = [each for each in archive.infolist() if each.filename.endswith(".json")]
        if len(found) != 1 or found[0].file_size > MAX_OCTETS:
            raise Refused(f"{path} holds no export of a player.")
        return archive.read(found[0])
