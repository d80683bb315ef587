"""One mail from a mail server that runs a program for it, as Postfix does with pipe(8) and with |command in .forward.

Exit codes are those of sysexits.h; a mail server bounces a mail at all of them but EX_TEMPFAIL. So everything that is
not the mail's own fault is EX_TEMPFAIL: the mail stays in the server's queue until we work again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pbm.domain.configuration import Limits
from pbm.domain.tokens import Signer
from pbm.mailin.headers import Robot, id_mark, lane
from pbm.mailin.message import Envelope
from pbm.server.admission import Admission, Arriving, Pressure
from pbm.store import Store
from pbm.store.queues import NewMail

_NOBODY = ("", "<>", "MAILER-DAEMON")
"""How the null return path is written; pipe(8) writes the last one."""


class Refusal(Exception):
    """A mail that is not taken; exit_code is for the mail server, the message for a person."""

    def __init__(self, exit_code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def envelope(
    sender: str | None, recipients: Sequence[str], environment: Mapping[str, str]
) -> tuple[str | None, tuple[str, ...]]:
    """Sender and recipients: as given, or from the variables that mail servers set, or None and none.

    An alias may have stripped RECIPIENT of its token, or turned ORIGINAL_RECIPIENT into ours, so both count.
    """
    if sender is None:
        sender = environment.get("SENDER")
    if not recipients:
        named = (environment.get("ORIGINAL_RECIPIENT"), environment.get("RECIPIENT"))
        recipients = tuple(dict.fromkeys(filter(None, named)))
    if sender is not None:
        sender = "" if sender.strip() in _NOBODY else sender.strip().removeprefix("<").removesuffix(">")
    return sender, tuple(recipients)


def receive(
    store: Store,
    robot: Robot,
    sender: str | None,
    recipients: Sequence[str],
    data: bytes,
    now: datetime,
    *,
    max_size: int,
    least_free: int,
    limits: Limits,
) -> None:
    """Store the mail for those of the recipients that are ours; when this returns it is safe.

    least_free: octets of the disk that should stay free. Raises: Refusal with EX_NOUSER if recipients are known and
    none is ours, with EX_DATAERR for a mail that is empty or too large, with EX_TEMPFAIL if there is too little room;
    DatabaseTrouble.
    """
    ours = tuple(filter(robot.owns, recipients))
    # Without recipients, an alias has already decided that the mail is for us.
    if recipients and not ours:
        raise Refusal(os.EX_NOUSER, f"5.1.1 There is no {recipients[0]} here.")
    # mbox files, and pipe(8) with flags=F, put this line first.
    data = re.sub(rb"\A>?From [^\n]*\n", b"", data)
    if not data.strip():
        raise Refusal(os.EX_DATAERR, "5.6.0 The email is empty.")
    if len(data) > max_size:
        raise Refusal(os.EX_DATAERR, f"5.3.4 The email is larger than the {max_size} octets that we take.")
    with store.write(alone=False) as tx:
        signer = Signer(*tx.secrets.keys(now))
        pressure = Pressure(store.free_octets(), least_free, timedelta())
        admission = Admission(robot, signer, noted_from=0)
        if reply := admission.refusal(tx, limits, Arriving(sender, ours, data), pressure):
            raise Refusal(os.EX_TEMPFAIL, reply.removeprefix("452 "))
        of_lane = lane(Envelope(sender, ours), data, robot, signer.board_of)
        tx.inbox.add([NewMail(sender, ours, data, lane=of_lane, id_mark=id_mark(data))], now)
