"""What a command answers in place of what was asked for."""

from __future__ import annotations

from typing import Any

import click


class Refused(click.ClickException):
    """What was asked for is not done; the message is a sentence for the operator."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        click.echo(self.message, err=True)


class NoDatabase(Refused):
    """There is none where the configuration says."""


class Misconfigured(Refused):
    """The configuration is at fault; each line of the message names a key."""

    exit_code = 2
