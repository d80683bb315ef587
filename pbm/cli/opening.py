"""From the configuration to the service over its database."""

from __future__ import annotations

from pbm.cli.frame import Misconfigured, Refused
from pbm.cli.settings import DATA_FOLDER, Configuration, masked
from pbm.mailin import Robot
from pbm.service import Service, Settings
from pbm.service.telling import Limits
from pbm.store import DatabaseTrouble, SchemaTrouble, Store


def robot(configuration: Configuration) -> Robot:
    server = configuration.server
    return Robot(server.local_part, server.domain, server.authserv_id, server.bounce_part)


def open_service(configuration: Configuration) -> Service:
    """Raises: SchemaTrouble, Refused, Misconfigured."""
    settings = Settings(robot(configuration), Limits(**dict(configuration.limits)), configuration.operator)
    try:
        return Service(open_store(configuration), settings)
    except DatabaseTrouble as trouble:
        raise Refused(f"database: {masked(configuration.database)} cannot be used: {trouble}.") from None


def open_store(configuration: Configuration) -> Store:
    """The database; the folder of the default one is made. Raises: Misconfigured."""
    if configuration.database == Configuration.model_fields["database"].default:
        try:
            DATA_FOLDER.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Misconfigured(f"database: {DATA_FOLDER} cannot be made: {error.strerror}.") from None
    url = configuration.database
    try:
        return Store(url)
    except SchemaTrouble as trouble:
        raise Misconfigured(f"database: {str(trouble).replace(url, masked(url))}") from None
