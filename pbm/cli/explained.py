"""The current configuration, explained: for `pbm config`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import click
from pydantic import SecretStr

from pbm.cli.frame import Invocation
from pbm.cli.loading import (
    Effective,
    demand,
    in_clear,
    keys,
    masked,
    open_to_others,
    strange_variables,
    table_of,
    variable,
)
from pbm.cli.output import print_json
from pbm.cli.places import MASK, USUAL_FILES
from pbm.cli.settings import Configuration

_WIDTH = 100


def show(invocation: Invocation, *, as_json: bool) -> None:
    effective = invocation.effective()
    if as_json:
        print_json({".".join(key): _row(effective, key) for key in keys(Configuration)})
    else:
        click.echo("\n".join(_toml(effective)))


def check(invocation: Invocation) -> None:
    """Raises: Misconfigured."""
    effective = invocation.effective()
    demand(effective.values)
    for exposed in open_to_others(effective):
        click.echo(f"Others may read or change {exposed}: chmod 600", err=True)
    for warning in (*in_clear(effective.values), *strange_variables()):
        click.echo(warning, err=True)
    click.echo(f"The configuration is sound ({effective.file or 'no file, defaults'}).")


def _row(effective: Effective, key: tuple[str, ...]) -> dict[str, Any]:
    _, text = _value(effective.values, key)
    return {"value": text, "origin": effective.origin(*key), "variable": variable(*key), "meaning": _meaning(key)}


def _toml(effective: Effective) -> Iterator[str]:
    """The file, line by line; keys that are not set or masked are comments, so that the file can be used as it is."""
    usual = " or ".join(map(str, USUAL_FILES))
    yield from _comment(
        f"The configuration of pbm. File: {effective.file or f'none ({usual} is not there)'}. A key may also be "
        f"given by an environment variable, such as {variable('server', 'listen')} for server.listen, which counts "
        "more than the file, and some by an option of a command, which counts more than both."
    )
    table: tuple[str, ...] = ()
    for key in keys(Configuration):
        if key[:-1] != table:
            table = key[:-1]
            yield from ["", *_comment(table_of(table).__doc__ or ""), f"[{'.'.join(table)}]"]
        elif not table:
            yield ""
        yield from _comment(_meaning(key))
        yield _line(effective, key)


def _line(effective: Effective, key: tuple[str, ...]) -> str:
    masked, value = _value(effective.values, key)
    origin = effective.origin(*key)
    if value is None:
        return f"# {key[-1]} is not set"
    return f"{'# ' if masked else ''}{key[-1]} = {json.dumps(value, ensure_ascii=False)}  # {origin}"


def _value(configuration: Configuration, key: tuple[str, ...]) -> tuple[bool, Any]:
    """Whether a part of the value is masked, and what may be shown of it."""
    value: Any = configuration
    for name in key:
        value = getattr(value, name)
    if isinstance(value, SecretStr):
        return True, MASK
    if key == ("database",):
        shown = masked(value)
        return shown != value, shown
    return False, value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _meaning(key: tuple[str, ...]) -> str:
    return table_of(key[:-1]).model_fields[key[-1]].description or ""


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
