"""`pbm outbox`: mails that go out."""

from __future__ import annotations

from typing import Any

import click

from pbm.cli.frame import NUMBER, Group, Invocation, pass_invocation
from pbm.cli.inbox import all_are_chosen, limit_option, print_mail, raw_option
from pbm.cli.output import json_option, print_rows
from pbm.domain.mail import Delivery, Queued


@click.group(cls=Group)
def outbox() -> None:
    """Mails that go out."""


@outbox.command("list")
@click.option("--state", type=click.Choice([state.value for state in Delivery]), help="Only mails in this state.")
@limit_option
@json_option
@pass_invocation
def list_(invocation: Invocation, state: str | None, limit: int, as_json: bool) -> None:
    """Mails that go out, the newest first.

    queued: to be sent when it is due. sent: taken by the next mail server or Maildir. failed: given up.
    """
    with invocation.queues() as queues:
        mails = queues.queued(Delivery(state) if state else None, limit)
    print_rows([_row(mail) for mail in mails], as_json=as_json, nothing="There are no such mails.")


@outbox.command()
@click.argument("number", type=NUMBER, metavar="ID")
@raw_option
@json_option
@pass_invocation
def show(invocation: Invocation, number: int, raw: bool, as_json: bool) -> None:
    """One mail as it goes out."""
    with invocation.queues() as queues:
        queued = queues.queued_mail(number)
    print_mail(_row(queued), queued.mail.raw, raw=raw, as_json=as_json)


@outbox.command()
@click.argument("numbers", type=NUMBER, nargs=-1, metavar="ID...")
@click.option("--all", "everything", is_flag=True, help="All that failed or wait to be tried again.")
@pass_invocation
def retry(invocation: Invocation, numbers: tuple[int, ...], everything: bool) -> None:
    """Have mails sent at once.

    Failed ones, waiting ones, and sent ones once more, by the server when it runs. A mail keeps its Message-ID.
    """
    with invocation.queues() as queues:
        if all_are_chosen(numbers, everything):
            number = queues.send_all_again()
        else:
            queues.send_again(numbers)
            number = len(numbers)
    click.echo(f"{number} to be sent again.")


def _row(queued: Queued) -> dict[str, Any]:
    return {
        "id": queued.id,
        "created_at": queued.created_at,
        "state": queued.state.value,
        "due_at": queued.due_at,
        "attempts": queued.attempts,
        "board": queued.mail.board,
        "address": queued.mail.address,
        "subject": queued.mail.subject,
        "trouble": queued.trouble,
    }
