"""Makes one configuration of a file, the environment and the command line, and says what is wrong with it.

The nearest source wins: command line, environment, file, default. An unknown key is an error in any of them. Files and
programs that it names may be missing on this machine, or not be as secret as they should.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import ssl
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pbm.cli.output import Misconfigured
from pbm.cli.places import CONFIG_VARIABLE, MASK, PREFIX, file_in_use, read
from pbm.cli.settings import Configuration, is_loopback, unusable_authorities
from pbm.domain.configuration import FetchSettings, SmarthostSettings
from pbm.values import frozen

_SECRET = {("database",), ("smarthost", "password"), ("imap", "password")}


Key = tuple[str, ...]
"""The names of a key and of the tables around it, from the outside."""


@frozen
class Effective:
    """The configuration in effect."""

    values: Configuration
    origins: Mapping[Key, str]
    """The source of each key that one gives, as errors and comments name it."""
    file: Path | None
    """None if no file was read."""

    def origin(self, *key: str) -> str:
        return self.origins.get(key, "default")


def load(file: Path | None, options: Mapping[str, Any]) -> Effective:
    """The configuration. file: None tries the usual places. options: from the command line, None if not given.

    Raises: Misconfigured.
    """
    path = file_in_use(file)
    sources = {  # the nearest comes last
        f"file {path}": dict(_flat(read(path))) if path else {},
        "environment": dict(_environment()),
        "command line": {key: value for key, value in _flat(options) if value is not None},
    }
    origins: dict[Key, str] = {}
    # A table that no source gives would be made by a schema of its own, which takes as long as that of all.
    merged: dict[str, Any] = {name: {} for name, field in Configuration.model_fields.items() if field.default_factory}
    for source, values in sources.items():
        for key, value in values.items():
            origins[key] = source
            table = merged
            for name in key[:-1]:
                if not isinstance(table.get(name), dict):  # a source further away may give a word for a table
                    table[name] = {}
                table = table[name]
            table[key[-1]] = value
    try:
        return Effective(Configuration(**merged), origins, path)
    except ValidationError as error:
        problems = [_sentence(mistake, origins) for mistake in error.errors(include_url=False)]
        raise Misconfigured("\n".join(problems)) from None


def _flat(table: Mapping[str, Any], *above: str) -> Iterator[tuple[Key, Any]]:
    """All keys below a table, with their values; a table without any counts as one."""
    for name, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, *above, name)
        else:
            yield (*above, name), value


def variable(*key: str) -> str:
    """The environment variable of a key."""
    return PREFIX + "__".join(key).upper()


def strange_variables() -> Iterator[str]:
    """Environment variables that look like ours and mean nothing; a sentence each."""
    ours = {variable(*key) for key in keys(Configuration)} | {CONFIG_VARIABLE}
    tables = tuple(f"{PREFIX}{name.upper()}__" for name in Configuration.model_fields)
    for name in sorted(os.environ):
        # PBM_PORT and the like may be somebody else's, so they are told and refused by nobody.
        if name.startswith(PREFIX) and name.upper() not in ours and not name.upper().startswith(tables):
            close = difflib.get_close_matches(name, sorted(ours), n=1)
            yield f"The variable {name} means nothing here." + (f" Did you mean {close[0]}?" if close else "")


def keys(table: BaseModel | type[BaseModel], *above: str) -> Iterator[tuple[str, ...]]:
    """All keys below a table, in order."""
    for name, field in (table if isinstance(table, type) else type(table)).model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from keys(kind, *above, name)
        else:
            yield (*above, name)


def table_of(key: Iterable[Any]) -> type[BaseModel]:
    """The table with this key; the top one for an empty key."""
    table: Any = Configuration
    for name in key:
        table = table.model_fields[name].annotation
    return table  # type: ignore[no-any-return]


def masked(url: str) -> str:
    """A database's URL without its password, wherever that stands."""
    without = re.sub(r"(?<=://)([^:/@]*):.*(?=@)", rf"\1:{MASK}", url)
    return re.sub(r"(?<=password=)[^&]*", MASK, without)


def _environment() -> Iterator[tuple[Key, str]]:
    """The keys in the environment. Names with a single underscore, such as PBM_PORT, may be somebody else's."""
    tables = {key[0] for key in keys(Configuration) if len(key) > 1}
    for name, value in os.environ.items():
        table, nested, key = name.upper().removeprefix(PREFIX).lower().partition("__")
        if not name.upper().startswith(PREFIX):
            continue
        if nested and table in tables:
            yield (table, key), value
        # Two underscores are no accident, so this is meant for us, and misspelt.
        elif nested:
            raise Misconfigured(f"{name}: there is no such key.{_suggestion(table, Configuration)}")
        elif table in tables:
            raise Misconfigured(f"{table}: {variable(table)} cannot hold a whole table; use its keys.")
        elif table in Configuration.model_fields:
            yield (table,), value


def _sentence(error: ErrorDetails, origins: Mapping[Key, str]) -> str:
    """One problem: the key, where its value came from, and what is wrong with it."""
    key, reason = error["loc"], error["msg"].removeprefix("Value error, ")
    if not key:
        return reason
    if error["type"] == "extra_forbidden":
        reason = "there is no such key." + _suggestion(str(key[-1]), table_of(key[:-1]))
    # "limits = 5" where a table belongs.
    elif error["type"] == "model_type":
        reason = f"this is a table: write [{'.'.join(map(str, key))}], and its keys below."
    # The value is repeated, unless it holds a password.
    elif isinstance(error["input"], (str, int, float)) and key not in _SECRET:
        reason = f"{json.dumps(error['input'])}: {reason[0].lower()}{reason[1:]}"
    origin = next((source for their_key, source in origins.items() if their_key[: len(key)] == key), "default")
    if origin == "environment":
        origin += f" {variable(*map(str, key))}"
    return f"{'.'.join(map(str, key))} ({origin}): {reason}"


def _suggestion(name: str, table: type[BaseModel]) -> str:
    close = difflib.get_close_matches(name, list(table.model_fields), n=1)
    return f' Did you mean "{close[0]}"?' if close else f" There are: {', '.join(table.model_fields)}."


def demand(configuration: Configuration) -> None:
    """Raises: Misconfigured if anything is named that is missing or useless."""
    if problems := lacks(configuration):
        raise Misconfigured("\n".join(problems))


def lacks(configuration: Configuration) -> list[str]:
    """Files and programs that are named but missing or useless; a line each, which begins with the key."""
    from pbm.edges.crypt import Keyring
    from pbm.edges.signing import signing_keys

    server = configuration.server
    problems: list[str] = []
    if isinstance(server.where, Path) and not server.where.parent.is_dir():
        problems.append(f"server.listen: there is no folder {server.where.parent} for the socket.")
    if server.tls_certificate is not None:
        problems += _certificate(server.tls_certificate, server.tls_key)
    problems += configuration.way.lacks()
    if configuration.imap.host and configuration.imap.ca_file is not None:
        problems += unusable_authorities("imap", configuration.imap.ca_file)
    problems += _unusable(
        "dkim.key", configuration.dkim.key, lambda keys: signing_keys(configuration.dkim.selector, keys)
    )
    problems += _unusable("crypt.key", configuration.crypt.key, Keyring)
    return problems


def open_to_others(effective: Effective) -> list[str]:
    """Files with secrets that others may read or change; a clause each."""
    from pbm.store.backup import file_of

    configuration = effective.values
    keeps = {"database": file_of(configuration.database), "dkim.key": configuration.dkim.key}
    keeps["crypt.key"] = configuration.crypt.key
    keeps["server.tls_key"] = configuration.server.tls_key
    passwords = configuration.smarthost.password, configuration.imap.password
    # Without passwords in it anybody may read the configuration.
    if effective.file is not None and (any(passwords) or masked(configuration.database) != configuration.database):
        keeps["configuration"] = effective.file
    return [f"{name} ({path})" for name, path in keeps.items() if path is not None and _is_open(path)]


def in_clear(configuration: Configuration) -> list[str]:
    """Passwords of ours that can be read on the way to a server; a line each, which begins with the key."""
    tables: dict[str, FetchSettings | SmarthostSettings] = {"imap": configuration.imap}
    # Another way out does not use its password.
    if configuration.way is configuration.smarthost:
        tables["smarthost"] = configuration.smarthost
    return [
        f"{name}.tls: the password goes to {table.host} in clear; set this to implicit or starttls."
        for name, table in tables.items()
        if table.host and table.password and table.tls == "none" and not is_loopback(table.host)
    ]


def _is_open(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:  # a file we may not look at is reported when it is used
        return False
    return stat.S_ISREG(mode) and bool(mode & (stat.S_IRWXO | stat.S_IWGRP))


def _certificate(certificate: Path, key: Path | None) -> list[str]:
    for name, path in (("tls_certificate", certificate), ("tls_key", key)):
        try:
            if path is not None:
                path.read_bytes()
        except OSError as error:
            return [f"server.{name}: {path} cannot be read: {error.strerror}."]
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    except OSError as error:  # includes ssl.SSLError
        return [f"server.tls_certificate, server.tls_key: cannot be used: {error.strerror or error}."]
    return []


def _unusable(key: str, path: Path | None, read: Callable[[bytes], object]) -> list[str]:
    """Why the file of a key cannot be used, if one is named."""
    try:
        if path is not None:
            read(path.read_bytes())
    except ImportError:
        return [f"{key}: encrypted mail needs the extra: pip install 'pbm-server[crypt]'."]
    except (OSError, ValueError) as error:
        return [f"{key}: {path} cannot be used: {getattr(error, 'strerror', None) or error}."]
    return []
