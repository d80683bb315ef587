"""The line that each command which writes leaves in the database, for `pbm log`.

It is written in the transaction of what the command does, whatever command that is: see `Store.signature`.
"""

from __future__ import annotations

import getpass
import os
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import click
from click.core import ParameterSource

from pbm.store.refusals import LogLine

_MOST_WORDS = 500
_MASK = "********"
_SERVERS = {"serve", "work", "receive", "demo", "play"}
"""Commands that do what mails ask for, not what the operator does."""


def signature() -> LogLine | None:
    """The command that runs, as the log names it; None where it is none of the operator's."""
    context = click.get_current_context(silent=True)
    if context is None or context.info_name in _SERVERS:
        return None
    words = " ".join([context.command_path.partition(" ")[2], *_said(context)])
    return LogLine(datetime.now(UTC), _operator()[:80], words[:_MOST_WORDS])


def _operator() -> str:
    """Who sits at the keyboard, also where they have become somebody else first."""
    for name in ("SUDO_USER", "DOAS_USER"):
        if os.environ.get(name):
            return os.environ[name]
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in containers
        return str(os.getuid())


def _said(context: click.Context) -> Iterator[str]:
    """The arguments and options as they could be typed again, but for passwords."""
    for param in context.command.params:
        if param.name not in context.params or context.get_parameter_source(param.name) is ParameterSource.DEFAULT:
            continue
        values = context.params[param.name]
        values = values if isinstance(values, list | tuple) and (param.multiple or param.nargs != 1) else [values]
        for value in values:
            if isinstance(param, click.Option):
                yield max(param.opts, key=len)
            if not getattr(param, "is_flag", False):
                yield _MASK if _is_secret(param) else shlex.quote(_shown(value))


def _is_secret(param: click.Parameter) -> bool:
    return bool(getattr(param, "hide_input", False)) or "password" in (param.name or "")


def _shown(value: Any) -> str:
    """A file by its name."""
    return str(getattr(value, "name", value))
