"""`pbm inbox`, `pbm outbox`, `pbm receive`: mails that came in, how one would be read, and mails that go out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from pbm.cli.frame import NUMBER, Command, Group, Invocation, lists, log_warnings, reads
from pbm.cli.output import (
    TEXT,
    Refused,
    Row,
    all_are_meant,
    content_of,
    print_fields,
    print_rows,
    printable,
    row_of,
)

if TYPE_CHECKING:  # help pages, and storing a mail, need none of these
    from pbm.cli import schemas
    from pbm.domain.mail import Mail, Queued, Received
    from pbm.server.steward import Steward
    from pbm.store import Transaction

limit_option = click.option(
    "--limit", type=NUMBER, default=50, show_default=True, help="At most so many, the newest first."
)


def state_option(*states: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """states: the values of Arrival or Delivery, whose import takes a while."""
    return click.option("--state", type=click.Choice(states), help="Only emails in this state.")


raw_option = click.option("--raw", is_flag=True, help="Print the email alone, byte for byte.")


def print_mail(mail: Row | bytes) -> None:
    """Print a mail with what is known of it, safe for a terminal; or only its bytes."""
    # Another program reads it, so not an octet is added.
    if isinstance(mail, bytes):
        click.echo(mail, nl=False)
    else:
        print_fields({name: value for name, value in mail.items() if name != "mail"})
        click.echo(f"\n{printable(mail['mail'])}")


def _text(mail: bytes) -> str:
    return mail.decode("utf-8", "replace").replace("\r\n", "\n")


@click.group(cls=Group)
def inbox() -> None:
    """Incoming emails, and how an email would be read."""


@inbox.command("list")
@state_option("new", "handled", "ignored", "parked", "forgotten")
@limit_option
@lists("There are no such emails.")
def list_(tx: Transaction, state: str | None, limit: int) -> list[Row]:
    """Incoming emails, the newest first.

    new: waits to be handled. handled: done. ignored: never answered. parked: for you to look at. forgotten: handled or
    ignored so long ago that only its number is left.
    """
    from pbm.domain.mail import Arrival

    return [_row(mail) for mail in tx.inbox.latest(Arrival(state) if state else None, limit)]


@inbox.command()
@lists("All emails were answered.")
def count(tx: Transaction) -> list[schemas.UnansweredPrinted]:
    """How many emails were not answered, by kind.

    ignore: automatic mail, mailing lists and the like. bounce, complaint: about our emails. reject: could not be read.
    limit: emails from people whose answer was one too many; their commands were carried out.
    """
    from pbm.server.rows import NOT_ANSWERED

    verdicts = tx.inbox.verdicts(NOT_ANSWERED)
    return [{"kind": kind, "mails": number} for kind, number in sorted(verdicts.items())]


@inbox.command()
@click.argument("number", type=NUMBER, metavar="ID")
@raw_option
@reads(print_mail)
def show(tx: Transaction, number: int, raw: bool) -> Row | bytes:
    """One email as it came, and those it has caused.

    Once it is handled, its passwords are left out.
    """
    from pbm.server.rows import received

    mail = received(tx, number)
    return mail.raw if raw else {**_row(mail), "outbox": tx.outbox.due_to(number), "mail": _text(mail.raw)}


@inbox.command()
@click.argument("numbers", type=NUMBER, nargs=-1, metavar="ID...")
@click.option("--all", "everything", is_flag=True, help="All that are parked.")
def retry(tx: Transaction, numbers: tuple[int, ...], everything: bool) -> str:
    """Have parked or ignored emails handled again.

    A running server does it at once, another one when it starts.
    """
    from pbm.server.rows import handle_again, parked

    chosen = parked(tx) if all_are_meant("the emails by their ID", numbers, everything) else numbers
    handle_again(tx, chosen)
    return f"{len(chosen)} to be handled again."


@inbox.command()
@click.argument("number", type=NUMBER, metavar="ID")
def handle(invocation: Invocation, number: int) -> str:
    """Handle one email that waits, and no other, in this process.

    A server has an email handled so if it may have ended the server before.
    """
    from pbm.cli.opening import opened_service

    log_warnings()
    with opened_service(invocation.effective().values) as service:
        if not service.batches.handle_only(number):
            raise Refused(f"Email {number} does not wait, or waits for an earlier one.")
    return f"Email {number} was handled."


@inbox.command()
@click.argument("numbers", type=NUMBER, nargs=-1, required=True, metavar="ID...")
def close(hand: Steward, numbers: tuple[int, ...]) -> str:
    """Put parked mails away; nobody is told. `pbm inbox retry` takes one up again."""
    hand.close(list(numbers))
    return f"{len(numbers)} closed."


@inbox.command()
@click.argument("number", type=NUMBER, metavar="ID")
@click.option("--text", type=TEXT, default="-", help="A file; without it, standard input.")
def answer(hand: Steward, number: int, text: TextIO) -> str:
    """Answer a parked mail, and close it.

    You can also answer the email that told you of it.
    """
    content = content_of(text).strip()
    if not content:
        raise click.UsageError("The answer is empty.")
    address = hand.answer(number, content)
    return f"The answer is on its way to {address}."


@inbox.command()
@click.argument("number", type=NUMBER, metavar="ID")
@click.argument("address")
def forward(hand: Steward, number: int, address: str) -> str:
    """Send a parked mail on to ADDRESS as it came, and close it."""
    hand.forward(number, address)
    return f"Mail {number} is on its way to {address}."


@inbox.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False))
def classify(invocation: Invocation, files: tuple[str, ...]) -> None:
    """Show how raw emails would be read.

    It prints one line for each file, a JSON object with file, action, commands and comment. Actions are reply and help
    (for emails from people), and ignore, bounce, complaint and reject (never answered). Nothing is stored or sent. A
    file named .txt or .html is read as the text of an email, without headers.
    """
    from pbm.cli.classify import classified
    from pbm.cli.opening import robot

    ours = robot(invocation.effective().values)
    for file in files:
        click.echo(json.dumps({"file": file, **classified(Path(file), ours)}))


@inbox.command()
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
def read(invocation: Invocation, file: str) -> None:
    """Show how a raw email would be read, step by step.

    Its own words, the commands in them, what each sentence means by the phrase book, and what that comes to: sure, ask
    or words. Which moves are legal cannot be told without the board, so any cell counts as one. Nothing is stored or
    sent. A file named .txt or .html is read as the text of an email, without headers.
    """
    from pbm.cli.classify import explained
    from pbm.cli.opening import robot

    for step, result in explained(Path(file), robot(invocation.effective().values)):
        click.echo(printable(f"{step:<10} {result}"))


def _row(mail: Received) -> Row:
    sender = "unknown" if mail.mail_from is None else mail.mail_from or "<>"
    return {
        **row_of(mail, "id received_at state"),
        "mail_from": sender,
        "recipients": mail.recipients,
        "octets": len(mail.raw),
        "reason": mail.reason,
    }


@click.group(cls=Group)
def outbox() -> None:
    """Outgoing emails."""


def _print_outgoing(rows: list[Row]) -> None:
    # 80 columns have no room for the board, which the subject names, nor for delivery without trouble.
    smooth = {"board": None, "due_at": None, "attempts": None}
    shown = [{**row, **(smooth if not row["trouble"] else {"board": None})} for row in rows]
    print_rows(shown, nothing="There are no such emails.")


@outbox.command("list")
@state_option("queued", "sent", "failed")
@limit_option
@reads(_print_outgoing)
def list_outgoing(tx: Transaction, state: str | None, limit: int) -> list[Row]:
    """Outgoing emails, the newest first.

    queued: sent when it is due. sent: accepted by the next mail server or Maildir. failed: given up.
    """
    from pbm.domain.mail import Delivery

    return [_outgoing_row(mail) for mail in tx.outbox.latest(Delivery(state) if state else None, limit)]


@outbox.command("show")
@click.argument("number", type=NUMBER, metavar="ID")
@raw_option
@click.option("--value", is_flag=True, help="Print, as JSON, what the email is made from.")
@reads(print_mail)
def show_outgoing(tx: Transaction, number: int, raw: bool, value: bool) -> Row | bytes:
    """One email as it goes out, and the one that caused it.

    It is made anew from what is stored, byte for byte as it was or will be sent, but without our signature.
    """
    from pbm.compose.tell import Untellable, mail_bytes
    from pbm.server.rows import queued

    mail = queued(tx, number)
    if value:
        return f"{json.dumps(_value(mail.mail), indent=2)}\n".encode()
    try:
        made = mail_bytes(mail.mail)
    except Untellable as error:
        raise Refused(f"Email {number} cannot be made ({error}); --value prints what it is made from.") from error
    return made if raw else {**_outgoing_row(mail), "inbox": mail.inbox_id, "mail": _text(made)}


def _value(mail: Mail) -> dict[str, Any]:
    """What a mail is made from; nothing for one that is stored as bytes."""
    # It was stored before an upgrade, as its bytes.
    if not mail.version:
        return {"version": mail.version}
    shared = {"board": json.loads(mail.shared)} if mail.shared else {}
    return {"version": mail.version, "key": mail.key, **shared, "mail": json.loads(mail.owed)}


@outbox.command("retry")
@click.argument("numbers", type=NUMBER, nargs=-1, metavar="ID...")
@click.option("--all", "everything", is_flag=True, help="All that failed or wait to be tried again.")
def retry_outgoing(tx: Transaction, numbers: tuple[int, ...], everything: bool) -> str:
    """Have emails sent at once.

    This works for failed ones and waiting ones, and sends sent ones once more. The server must run. An email keeps its
    Message-ID.
    """
    from pbm.server.rows import send_again

    if all_are_meant("the emails by their ID", numbers, everything):
        return f"{tx.outbox.send_all_again(tx.now)} to be sent again."
    send_again(tx, numbers)
    return f"{len(numbers)} to be sent again."


def _outgoing_row(queued: Queued) -> dict[str, Any]:
    due_at = queued.due_at if queued.state == "queued" else None
    more = row_of(queued, "attempts mail.board mail.address mail.subject trouble")
    return {**row_of(queued, "id created_at state"), "due_at": due_at, **more}


_SPARE = 1000
"""Octets read beyond the largest mail, to notice one that is too large; a line of mbox does not count."""


class _Piped(Command):
    """A command whose failures are temporary unless the mail is at fault; click's exit codes would bounce the mail."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _temporary():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _temporary():
            return super().invoke(ctx)


@contextmanager
def _temporary() -> Iterator[None]:
    try:
        yield
    # It holds the code that was chosen for the mail server.
    except click.exceptions.Exit:
        raise
    # A mistake in the configuration is the operator's, and must bounce nobody's mail.
    except click.ClickException as error:
        _end(os.EX_TEMPFAIL, f"4.3.0 {' '.join(error.format_message().split())}")
    except KeyboardInterrupt:
        _end(os.EX_TEMPFAIL, "4.3.0 The program was interrupted.")
    except Exception as error:  # noqa: BLE001  whatever it is, the mail must wait
        _end(os.EX_TEMPFAIL, f"4.3.0 {type(error).__name__}: {' '.join(str(error).split())}")


def _end(exit_code: int, sentence: str) -> NoReturn:
    """Exit with a sentence on standard error, which mail servers pass on."""
    click.echo(sentence, err=True)
    raise click.exceptions.Exit(exit_code) from None


@click.command(cls=_Piped)
@click.option("--sender", metavar="ADDRESS", help="The envelope sender; empty for bounces. [env var: SENDER]")
@click.option(
    "--recipient", "recipients", metavar="ADDRESS", multiple=True,
    help="An envelope recipient; may be repeated. [env var: ORIGINAL_RECIPIENT or RECIPIENT]",
)  # fmt: skip
@click.argument("more_recipients", nargs=-1, metavar="[RECIPIENT]...")
def receive(
    invocation: Invocation, sender: str | None, recipients: tuple[str, ...], more_recipients: tuple[str, ...]
) -> None:
    """Take an email from standard input into the inbox.

    This is for mail servers that run a program for each email. A running `pbm serve` on the same database handles it
    within a second. Exit codes, from sysexits.h: 0 the email is safe, 65 it is empty or too large, 67 no recipient is
    ours, 75 anything else; the mail server then tries again.
    """
    from pbm.cli.opening import identified, opened_store, robot
    from pbm.edges.pipe import Refusal, envelope
    from pbm.edges.pipe import receive as receive_mail

    configuration = invocation.effective().values
    mail_from, to = envelope(sender, (*recipients, *more_recipients), os.environ)
    data, now = sys.stdin.buffer.read(configuration.server.max_size + _SPARE), datetime.now(UTC)
    with opened_store(configuration, quiet=True) as store:
        ours = robot(identified(configuration, store))
        try:
            receive_mail(
                store, ours, mail_from, to, data, now, max_size=configuration.server.max_size,
                least_free=configuration.house.least_free_megabytes << 20, limits=configuration.limits,
            )  # fmt: skip
        except Refusal as refusal:
            _end(refusal.exit_code, str(refusal))
