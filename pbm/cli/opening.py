"""From the configuration to the service over its database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pbm.cli.frame import Misconfigured, Refused
from pbm.cli.loading import masked
from pbm.cli.settings import DATA_FOLDER, Configuration
from pbm.mailin.message import Robot
from pbm.store import DatabaseTrouble, SchemaTrouble, Store
from pbm.store.backup import file_of

if TYPE_CHECKING:  # takes a while, and a mail that is only stored needs nothing of it
    from pbm.server import Service


def robot(configuration: Configuration) -> Robot:
    server = configuration.server
    just_a_mailbox = bool(configuration.imap.host)
    return Robot(
        server.local_part,
        server.domain,
        server.authserv_id,
        server.bounce_part,
        just_a_mailbox,
        server.unsubscribe_url,
    )


@contextmanager
def opened_service(configuration: Configuration) -> Iterator[Service]:
    """Raises: SchemaTrouble, Refused, Misconfigured."""
    from pbm.core.notify import Limits
    from pbm.edges.timekeeper import Timekeeper
    from pbm.server import Service, Settings

    settings = Settings(robot(configuration), Limits(**dict(configuration.limits)), configuration.operator)
    with opened_store(configuration) as store:
        service = Service(store, settings, clock=Timekeeper())
        try:
            yield service
        finally:
            service.close()


@contextmanager
def opened_store(configuration: Configuration) -> Iterator[Store]:
    """The database; the folder of the default one is made. Raises: SchemaTrouble, Refused, Misconfigured."""
    if configuration.database == Configuration.model_fields["database"].default:
        _make_data_folder()
    _reserve(configuration.database)
    store = _store(configuration.database)
    try:
        yield store
    except DatabaseTrouble as trouble:
        raise Refused(f"database: {masked(configuration.database)} cannot be used: {trouble}.") from trouble
    finally:
        store.close()


def _reserve(url: str) -> None:
    """A new database holds secrets from the first moment, so nobody but its owner may read it."""
    with suppress(OSError, SchemaTrouble):  # told better when it is opened
        file = file_of(url)
        if file is not None:
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))


def _store(url: str) -> Store:
    try:
        return Store(url)
    except SchemaTrouble as trouble:
        raise Misconfigured(f"database: {str(trouble).replace(url, masked(url))}") from None


def _make_data_folder() -> None:
    try:
        DATA_FOLDER.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misconfigured(f"database: {DATA_FOLDER} cannot be made: {error.strerror}.") from None
