"""The club over one database: what operators' acts need, and what the server adds the handling of mails to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pbm.compose.composer import Composer, fresh_key
from pbm.core.board import States
from pbm.core.credentials import Passwords
from pbm.core.notify import Tools
from pbm.domain.configuration import HouseRules, Limits
from pbm.domain.tokens import Signer
from pbm.mailin import Robot
from pbm.store import Store


@dataclass(frozen=True, slots=True)
class Settings:
    robot: Robot = field(default_factory=Robot)
    limits: Limits = field(default_factory=Limits)
    operator: str = ""
    """The operator's address; empty for none."""
    house: HouseRules = field(default_factory=HouseRules)


USUAL = Settings()
"""What is not configured."""


class Club:
    """A database, with the tools for all that is done in it."""

    def __init__(self, store: Store, settings: Settings = USUAL, make_key: Callable[[], str] = fresh_key) -> None:
        """Sets an empty database up. Raises: SchemaTrouble if the database is of another version."""
        self.store = store
        store.prepare(store.clock())
        signer = Signer()
        with store.read() as tx:
            signer.renew(*tx.secrets.keys(tx.now))
        composer = Composer(settings.robot, signer, make_key=make_key)
        self.tools = Tools(composer, States(), Passwords(), settings.limits, settings.house, settings.operator)

    def close(self) -> None:
        self.tools.passwords.close()
        self.store.close()
