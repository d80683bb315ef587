"""`pbm receive`: one mail from standard input into the inbox; and `pbm classify`: how raw mails would be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import click

import pbm.features  # noqa: F401  it brings the verbs
from pbm.cli.frame import Command, Invocation, pass_invocation
from pbm.domain.commands import board_of_subject, parse
from pbm.domain.errors import Rejected
from pbm.domain.reading import read
from pbm.domain.verbs import Standing
from pbm.mailin import Action, Discard, Envelope, Message, Robot, strip_subject
from pbm.mailin import read as read_mail

_SPARE = 1000
"""Octets read more than a mail may have, so that it is seen to be too large, a line of mbox aside."""


class _Piped(Command):
    """A command whose every failure that is not the mail's own is temporary; click's codes would bounce the mail."""

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
    except click.exceptions.Exit:
        raise
    except click.ClickException as error:
        _end(os.EX_TEMPFAIL, f"4.3.0 {' '.join(error.format_message().split())}")
    except Exception as error:  # noqa: BLE001  whatever it is, the mail must wait
        _end(os.EX_TEMPFAIL, f"4.3.0 {type(error).__name__}: {' '.join(str(error).split())}")


def _end(exit_code: int, sentence: str) -> NoReturn:
    """Mail servers pass on what stands on standard error."""
    click.echo(sentence, err=True)
    raise click.exceptions.Exit(exit_code) from None


@click.command(cls=_Piped)
@click.option("--sender", metavar="ADDRESS", help="The envelope sender; empty for bounces. [env var: SENDER]")
@click.option(
    "--recipient", "recipients", metavar="ADDRESS", multiple=True,
    help="An envelope recipient; may be repeated. [env var: ORIGINAL_RECIPIENT or RECIPIENT]",
)  # fmt: skip
@click.argument("more_recipients", nargs=-1, metavar="[RECIPIENT]...")
@pass_invocation
def receive(
    invocation: Invocation, sender: str | None, recipients: tuple[str, ...], more_recipients: tuple[str, ...]
) -> None:
    """Take a mail from standard input into the inbox.

    For mail servers that run a program for each mail. A running `pbm serve` over the same database handles it within a
    second. Exit codes, of sysexits.h: 0 the mail is safe, 65 it is empty or too large, 67 no recipient is ours, 75
    anything else; the mail server then tries again.
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
            receive_mail(store, ours, mail_from, to, data, now, configuration.server.max_size)
        except Refusal as refusal:
            _end(refusal.exit_code, str(refusal))


_SOME_BOARD = 0
"""Stands for the board that only the database could tell."""


_HEADS = {
    f".{suffix}": f"Content-Type: text/{subtype}; charset=utf-8\n\n".encode()
    for suffix, subtype in (("txt", "plain"), ("html", "html"))
}
"""The header that makes a mail of a file that holds only its text."""


def classify(file: Path, robot: Robot) -> dict[str, Any]:
    """action; commands, the lines that would be carried out; comment, what else the person wrote. Raises: OSError."""
    mail = read_mail(_HEADS.get(file.suffix, b"") + file.read_bytes(), Envelope(), robot)
    if isinstance(mail, Discard):
        return {"action": mail.action.value, "commands": [], "comment": ""}
    commands, comment = ((), mail.text) if mail.action is Action.HELP else _commands(mail)
    return {"action": mail.action.value, "commands": list(commands), "comment": comment}


def _commands(mail: Message) -> tuple[tuple[str, ...], str]:
    """A mail whose first line is no command holds none, and all of it is comment."""
    subject = strip_subject(mail.subject)
    standing = _standing(mail, subject)
    reading = read(subject, mail.text, standing)
    try:
        parse(reading.lines[0] if reading.lines else "", standing)
    except Rejected:
        return (), mail.text
    return reading.lines, reading.comment


def _standing(mail: Message, subject: str) -> Standing:
    """The standing that a mail shows without a database: an answer to one of our mails needs no more than a move."""
    board = board_of_subject(subject)
    if board is not None:
        return Standing(subject.casefold().removeprefix("new ").split()[0], board, known=True)
    answers = mail.token is not None or mail.answers_us
    return Standing(board=_SOME_BOARD, known=True) if answers else Standing()
