"""`pbm player` and `pbm letter`: accounts, as files, too; bans, broadcasts of players, and letters to them."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from pbm.cli.frame import Command, Group, irrevocable, lists, shows
from pbm.cli.output import (
    FILE,
    TEXT,
    Refused,
    all_are_meant,
    content_of,
    counted,
    force_option,
    new_file,
    password_option,
    say,
    watched,
    write_file,
)

if TYPE_CHECKING:  # help pages need none of these
    from pbm.cli import schemas
    from pbm.domain.match import Player
    from pbm.server.operator import Administration
    from pbm.server.steward import Steward
    from pbm.store import Transaction
    from pbm.store.players import Address


@click.group(cls=Group)
def player() -> None:
    """Accounts: make, list, change, ban, export, import, erase them."""


@player.command()
@click.option("--address", "addresses", multiple=True, required=True, help="Where they read mail; may be repeated.")
@password_option("Asked for if it is not given.")
def add(admin: Administration, userid: str, addresses: tuple[str, ...], password: str) -> str:
    """Create an account that can play at once."""
    # A password in the command line would be in the list of processes, and in the shell's history.
    if not password:
        if not sys.stdin.isatty():
            raise click.UsageError("Which password? Nobody can be asked here: give it by --password-stdin.")
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    added = admin.add_player(userid, addresses, password)
    return f"{added.userid} can play now, from {' and '.join(addresses)}."


@player.command("list")
@lists("There are no players.")
def list_(tx: Transaction) -> list[schemas.PlayerPrinted]:
    """All accounts."""
    return [_row(account, tx.players.addresses(account.id)) for account in tx.players.all()]


@player.command()
@shows
def show(tx: Transaction, userid: str) -> schemas.PlayerShown:
    """One account, and the boards it plays on."""
    from pbm.server.rows import player_named

    account = player_named(tx, userid)
    addresses = tx.players.addresses(account.id)
    boards = tx.matches.summaries(player_ids=(account.id,), limit=None)
    return {
        **_row(account, addresses),
        "bounces": sum(address.bounces for address in addresses),
        "delays": sum(address.soft_bounces for address in addresses),
        "active_boards": [board.board for board in boards if board.result is None],
        "ended_boards": [board.board for board in boards if board.result is not None],
    }


@player.command("set-address")
@click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS...")
def set_address(hand: Steward, userid: str, addresses: tuple[str, ...]) -> str:
    """Replace an account's addresses with these.

    The player is told, at the old addresses and the new ones.
    """
    hand.set_addresses(userid, addresses)
    return f"{userid} now gets mail at {' and '.join(addresses)}."


@player.command()
def resume(tx: Transaction, userid: str) -> str:
    """Send mail again to addresses that failed.

    An address gets no more after house.hard_bounces_to_suspend emails have bounced. An email from the player also ends
    that.
    """
    from pbm.server import rows

    suspended = rows.resume(tx, userid)
    return f"{userid} gets mail at all addresses; {suspended or 'none'} had been suspended."


@player.command()
@click.argument("state", type=click.Choice(["on", "off"]))
def bot(tx: Transaction, userid: str, state: str) -> str:
    """Mark a player as a program, or as a person.

    Games with a program are not rated, and it has no place in the standings.
    """
    from pbm.server.rows import mark_bot

    mark_bot(tx, userid, bot=state == "on")
    return f"{userid} is {'a bot: its games are not rated' if state == 'on' else 'no bot: its games are rated'}."


@player.command()
@click.argument("who", nargs=-1, required=True, metavar="WHO...")
def unlock(tx: Transaction, who: tuple[str, ...]) -> str:
    """Accept passwords again after too many wrong ones.

    WHO is a userid, the address in the emails' From, or the machine they came from, as `pbm status` names it.
    """
    from pbm.core.limits import GUESSES

    counts = {name: tx.guesses.forget_about(name.casefold(), GUESSES) for name in who}
    return "\n".join(
        f"{name}: {'counts from the beginning' if counts[name] else 'had no wrong guesses'}." for name in counts
    )


@player.command("reset-password")
@password_option("The new one; a random one is made and printed if it is not given.")
def reset_password(admin: Administration, userid: str, password: str) -> None:
    """Give an account another password."""
    fresh = admin.reset_password(userid, password)
    if password:
        say(f"{userid} has a new password.")
    else:
        click.echo(f"{userid} has a new password: {fresh}")


@player.command()
@irrevocable("Erase {userid}, and let them forfeit all their games?")
def remove(admin: Administration, userid: str) -> str:
    """Erase a player for good.

    Everything stored about them is deleted at once, as by "erase me", and their userid is replaced. They forfeit their
    running games.
    """
    boards = admin.remove_player(userid)
    forfeited = f" Forfeited: {', '.join(f'board {board}' for board in boards)}." if boards else ""
    return f"{userid} is removed.{forfeited}"


@player.command()
@click.argument("wanted", metavar="NEW-USERID")
def rename(admin: Administration, userid: str, wanted: str) -> str:
    """Give an account another userid; the player is told."""
    renamed = admin.rename(userid, wanted)
    return f"{userid} is {renamed.userid} now."


@player.command()
@click.argument("into", metavar="INTO-USERID")
@irrevocable("Make {userid} a part of {into}?")
def merge(admin: Administration, userid: str, into: str) -> str:
    """Merge two accounts of one person.

    Boards, addresses and everything else move to the second account, whose ratings are recalculated; the first is gone.
    Games between the two are no longer rated.
    """
    boards = admin.merge(userid, into)
    return f"{userid} is {into} now; {counted(len(boards), 'board')} changed hands."


@player.group()
def ban() -> None:
    """Ban a player, an address or a domain."""


@ban.command("add")
@click.option("--for", "time", metavar="TIME", help="For so long, such as 30d; for good without it.")
@click.option("--reason", default="", help="A clause; a player is told it.")
@click.option("--forfeit", is_flag=True, help="Let the player lose all their games now.")
@irrevocable("Let {who} lose all their games?", when="forfeit")
def add_ban(hand: Steward, who: str, time: str | None, reason: str, forfeit: bool) -> str:
    """Ban a userid, an address or a domain.

    WHO is one of these; a domain is written @example.org.

    A player is told, and their open offers are closed. Their commands are refused, whatever address they come from;
    their clocks keep running. Mail from a banned address or domain is set aside, and nobody is told.
    """
    from pbm.domain.spans import read_duration

    until = None
    if time is not None:
        # A mistyped time must not become a ban for good.
        if not (length := read_duration(time)):
            raise click.UsageError("For how long? Such as --for 30d; without --for it is for good.")
        until = datetime.now(UTC) + timedelta(microseconds=length)
    lost = hand.ban(who, until, reason, forfeit=forfeit)
    lost_too = f" Lost by it: {', '.join(f'board {number}' for number in lost)}." if lost else ""
    how_long = f"until {until:%Y-%m-%d %H:%M} UTC" if until else "for good"
    return f"{who} is kept out {how_long}.{lost_too}"


@ban.command("list")
@lists("Nobody is kept out.")
def list_bans(tx: Transaction) -> list[schemas.BanPrinted]:
    """Bans, current and past."""
    return [{"who": ban.subject, "since": ban.since, "until": ban.until, "reason": ban.reason} for ban in tx.bans.all()]


@ban.command()
def lift(hand: Steward, who: str) -> str:
    """Lift the ban on WHO.

    Emails they sent in the meantime are in `pbm inbox list --state ignored`.
    """
    hand.lift(who)
    return f"{who} may play again."


@player.group()
def broadcast() -> None:
    """Decide about broadcasts of players.

    They wait for you if house.broadcast_moderation is on.
    """


@broadcast.command("list")
@lists("No broadcast waits.")
def list_broadcasts(tx: Transaction) -> list[schemas.BroadcastPrinted]:
    """Broadcasts that wait, the oldest first."""
    return [
        {"number": each.id, "author": each.author.userid, "written_at": each.created_at.isoformat(), "text": each.text}
        for each in tx.broadcasts.waiting()
    ]


@broadcast.command()
@irrevocable("Send broadcast {number} to all who want them?")
def approve(admin: Administration, number: int) -> str:
    """Send a broadcast to all who want them."""
    hearers = admin.approve_broadcast(number)
    to = "all players" if hearers is None else counted(hearers, "player")
    return f"Broadcast {number} is on its way to {to}."


@broadcast.command()
@irrevocable("Forget broadcast {number}?")
def reject(tx: Transaction, number: int) -> str:
    """Drop a broadcast; its author is not told."""
    from pbm.server.rows import waiting_broadcast

    rejected = waiting_broadcast(tx, number)
    tx.broadcasts.drop(number)
    return f"Broadcast {number} of {rejected.author.userid} is forgotten."


@click.command(cls=Command)
@click.argument("userids", nargs=-1, metavar="USERID...")
@click.option("--all", "everybody", is_flag=True, help="To all players, whatever emails they want.")
@click.option("--subject", required=True, help="The subject of the email.")
@click.option("--text", type=TEXT, default="-", help="A file; without it, standard input.")
@irrevocable("Write to all players?", when="everybody")
def letter(hand: Steward, userids: tuple[str, ...], everybody: bool, subject: str, text: TextIO) -> str:
    """Write to players, or to all.

    Their answers come to you, like mail to postmaster.
    """
    all_are_meant("the players", userids, everybody)
    content = content_of(text).strip()
    if not content:
        raise click.UsageError("The letter is empty.")
    number = hand.write_to(list(userids), subject, content)
    return f"The letter is on its way to {counted(number, 'player')}."


def _row(account: Player, addresses: Sequence[Address]) -> schemas.PlayerPrinted:
    """unreachable: whether no mail reaches the player, so that they do not learn of moves."""
    confirmed = [address for address in addresses if address.confirmed_at]
    return {
        "userid": account.userid,
        "addresses": [address.address for address in confirmed],
        "unconfirmed_addresses": [address.address for address in addresses if not address.confirmed_at],
        "suspended_addresses": [address.address for address in addresses if address.suspended_at],
        "unreachable": bool(confirmed) and all(address.suspended_at for address in confirmed),
    }


MAX_OCTETS = 500_000_000
"""The largest export that is read, in octets."""


@player.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@force_option
def export(admin: Administration, userid: str, file: Path, force: bool) -> None:
    """Write everything stored about a player to FILE.

    It is what the email command `export` sends; - is standard output. It contains neither the password nor anybody
    else's address. Only its owner can read the file; a name that ends in .gz has it packed. An older file stays unless
    you say --force, and then until the new one is complete.
    """
    new_file(file, force=force)
    content = admin.export_player(userid)
    if file.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    if str(file) == "-":
        sys.stdout.buffer.write(content)
        return
    write_file(file, content)
    say(f"{userid} is written to {file}.")


@player.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option("--trust", is_flag=True, help="Take all of it, though this server has not signed it.")
def import_(admin: Administration, files: Sequence[Path], trust: bool) -> None:
    """Create a player, with all their games, from FILE.

    `export` has written it, or it is the packed file from an email. If an export came in several emails, name all its
    files at once.

    The record of a single game, as a replay brings it, becomes a finished board that is not rated. Every record is
    replayed first. Opponents who are not here become userids that nobody can log in with, until they are imported
    themselves or `pbm player set-address` gives them an address. The player writes "reset password" to set a password.

    Anybody can write such a file. If this server has not signed it, its ratings and its games with players who are here
    are left out, and the player's addresses must answer an email first; with --trust you vouch for all of it.
    Tournaments and messages stay in the file.
    """
    from pbm.domain.game_record import is_record

    contents = {str(file): _content(file) for file in files}
    records = {name: text for name, content in contents.items() if is_record(text := content.decode(errors="replace"))}
    exports = {name: content for name, content in contents.items() if name not in records}
    for name, board in admin.import_records(records, trusted=trust).items():
        say(f"The game of {name} is board {board} here.")
    if not exports:
        return
    taken = admin.import_player(
        *exports.values(), names=list(exports), trusted=trust, watched=partial(watched, "Importing")
    )
    say(f"{taken.userid} is here, with {counted(taken.games, 'game')}.")
    if taken.doubted:
        say("This server has not signed the file: no ratings were taken, and addresses are asked to confirm.")
    for board in taken.left_out:
        say(f"Board {board} was left out, for the opponent is a player here. To take it in, say --trust.")
    for old, new in taken.renumbered.items():
        say(f"Board {old} is board {new} here.")


def _content(path: Path) -> bytes:
    """The JSON of a file, or of the archive in it. Raises: OSError, Refused."""
    content = path.read_bytes()
    try:
        # Some kilobytes may unpack to gigabytes, so no more than the largest export is read.
        if content.startswith(_GZIP):
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(MAX_OCTETS + 1)
        elif zipfile.is_zipfile(io.BytesIO(content)):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                exports = [file for file in archive.infolist() if file.filename.endswith(".json")]
                if len(exports) != 1 or exports[0].file_size > MAX_OCTETS:
                    raise Refused(f"{path} holds no export of a player.")
                content = archive.read(exports[0])
    # Damaged, or with a password.
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise Refused(f"{path} cannot be unpacked: {error}. Export the player again, or unpack it yourself.") from error
    if len(content) > MAX_OCTETS:
        raise Refused(f"{path} holds no export of a player.")
    return content


_GZIP = b"\x1f\x8b"
