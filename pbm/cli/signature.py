"""The line that each command which writes leaves for `pbm db log`, in the transaction of what it does."""

from __future__ import annotations

import getpass
import os
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime

import click
from click.core import ParameterSource

from pbm.cli.places import MASK
from pbm.store.refusals import LogLine

_MOST_WORDS = 500
_SERVERS = {"serve", "work", "receive", "demo", "play"}
"""Commands that do what mails ask for, not what the operator does."""


def signature() -> LogLine | None:
    """The running command as the log names it; None if it is not an act of the operator."""
    context = click.get_current_context(silent=True)
    if context is None or context.info_name in _SERVERS:
        return None
    words = " ".join([context.command_path.partition(" ")[2], *_said(context)])
    return LogLine(datetime.now(UTC), _operator()[:80], words[:_MOST_WORDS])


def _operator() -> str:
    """The name of the person at the keyboard, even if they have changed to another user."""
    for name in ("SUDO_USER", "DOAS_USER"):
        if os.environ.get(name):
            return os.environ[name]
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in containers
        return str(os.getuid())


def _said(context: click.Context) -> Iterator[str]:
    """The arguments and options as they could be typed again, but passwords masked."""
    for param in context.command.params:
        if param.name not in context.params or context.get_parameter_source(param.name) is ParameterSource.DEFAULT:
            continue
        is_secret = getattr(param, "hide_input", False) or "password" in (param.name or "")
        values = context.params[param.name]
        values = values if isinstance(values, list | tuple) and (param.multiple or param.nargs != 1) else [values]
        for value in values:
            if isinstance(param, click.Option):
                yield max(param.opts, key=len)
            if not getattr(param, "is_flag", False):
                shown = getattr(value, "name", value)  # a file is shown by its name
                yield MASK if is_secret else shlex.quote(str(shown))
