"""What becomes of the mails of a batch: noted while they are handled, written down together, told once it is safe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from pbm.domain.mail import Arrival, Mail, Settlement
from pbm.store import Transaction

log = structlog.get_logger()


@dataclass(slots=True)
class _Entry:
    """mails: what is owed because of one mail. outbox: their rows, once they are written down."""

    settlement: Settlement | None = None
    mails: list[Mail] = field(default_factory=list)
    outbox: list[int] = field(default_factory=list)


class Journal:
    """Holds, from one commit to the next, what became of each mail."""

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        self._unwritten: dict[int, _Entry] = {}
        self._identities: set[str] = set()

    def settle(self, mail: int, state: Arrival, reason: str = "", identity: str | None = None) -> None:
        """identity: what tells a second delivery of the same mail; None where nothing does."""
        self._entry(mail).settlement = Settlement(mail, state, reason, identity)
        if identity is not None:
            self._identities.add(identity)

    def owe(self, mail: int, mails: Sequence[Mail]) -> None:
        self._entry(mail).mails += mails

    def strike_out(self, mail: int) -> None:
        """Nothing that was noted of the mail since it was last written down has come to pass; it has yet to settle."""
        self._unwritten.pop(mail, None)

    def is_settled(self, identity: str) -> bool:
        """A mail of this identity was settled since the last commit."""
        return identity in self._identities

    def write_down(self, tx: Transaction, now: datetime) -> None:
        """Put what was noted where the transaction commits it."""
        settlements = [entry.settlement for entry in self._unwritten.values() if entry.settlement is not None]
        owed = [(mail, number) for number, entry in self._unwritten.items() for mail in entry.mails]
        rows = tx.outbox.add([mail for mail, _ in owed], now, [number for _, number in owed])
        tx.inbox.settle(settlements, now)
        for (_, number), row in zip(owed, rows, strict=True):
            self._unwritten[number].outbox.append(row)
        self._entries |= self._unwritten
        self._unwritten.clear()

    def tell(self) -> None:
        """Log what is committed now; of what a mail holds, nothing."""
        for number, entry in self._entries.items():
            settlement, words = entry.settlement, {}
            assert settlement is not None  # noqa: S101  every mail that was handled is settled
            if settlement.reason and settlement.state is not Arrival.PARKED:
                words["reason"] = settlement.reason
            outbox = {"outbox": entry.outbox} if entry.outbox else {}
            log.info("settled", mail=number, **outbox, state=settlement.state.value, **words)
        self.clear()

    def clear(self) -> None:
        self._entries.clear()
        self._unwritten.clear()
        self._identities.clear()

    def _entry(self, mail: int) -> _Entry:
        return self._unwritten.setdefault(mail, _Entry())
