"""Tests of the network: our own listener, a mail to ourselves, and the servers we depend on."""

from __future__ import annotations

import imaplib
import smtplib
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.utils import format_datetime
from pathlib import Path

from imap_tools import ImapToolsError
from pydantic import SecretStr

from pbm.domain.configuration import FetchSettings, SmarthostSettings
from pbm.domain.mail import Arrival, Received
from pbm.edges.fetch import OpenMailbox
from pbm.edges.records import Finding, fail, ok, warn
from pbm.mailin import Robot
from pbm.store import Store
from pbm.store.engine import utc_now

Place = tuple[str, int] | Path

_SECONDS = 5.0
_PATIENCE_SECONDS = 10.0
_ROUND_SECONDS = 30.0
"""How long a mail may take on its way out and back in."""
_LATEST = 50
_START = "start it: pbm serve, or systemctl start pbm"


class _OverAnySocket(smtplib.LMTP):
    """Speaks SMTP; that of LMTP also connects to Unix sockets."""

    ehlo_msg = "ehlo"


def _client(place: Place, *, lmtp: bool) -> smtplib.SMTP:
    """Raises: OSError, SMTPException."""
    host, port = (str(place.absolute()), 0) if isinstance(place, Path) else place
    return (smtplib.LMTP if lmtp else _OverAnySocket)(host, port, timeout=_SECONDS)


def listener(place: Place, lmtp: bool) -> Finding:
    """Whether a server takes mail where ours should."""
    where = place if isinstance(place, Path) else f"{place[0]}:{place[1]}"
    try:
        with _client(place, lmtp=lmtp) as client:
            code, _ = client.ehlo()
    except (OSError, smtplib.SMTPException) as error:
        return fail("listener", f"nobody takes mail at {where}: {_words(error)}", _START)
    if code != 250:
        speaks = "LMTP" if lmtp else "SMTP"
        return fail("listener", f"who answers at {where} speaks no {speaks}", "server.listen, server.lmtp")
    return ok("listener", f"mail is taken at {where}")


def loopback(place: Place, lmtp: bool, address: str, store: Store) -> Finding:
    """Whether a mail to ourselves is taken, stored in this database and handled; nobody answers it."""
    key = f"doctor-{uuid.uuid4().hex}"
    begun = time.monotonic()
    try:
        with _client(place, lmtp=lmtp) as client:
            client.sendmail("", [address], _to_ourselves(address, key))
    except (OSError, smtplib.SMTPException) as error:
        return fail("loopback", f"an email to {address} is not accepted: {_words(error)}", "look at the log")
    mail = _came_back(store, key, _PATIENCE_SECONDS, lambda mail: mail.state is not Arrival.NEW)
    if mail is None:
        advice = "the server uses another database; see pbm config show"
        return fail("loopback", "the email is not in this database", advice)
    if mail.state is Arrival.NEW:
        reason = f"the email has waited for {_PATIENCE_SECONDS:.0f} s"
        return fail("loopback", reason, "pbm status; does a process run that handles?")
    took = time.monotonic() - begun
    return ok("loopback", f"an email to ourselves was accepted, and {mail.state} after {took:.2f} s")


def _to_ourselves(address: str, key: str) -> str:
    """A mail that nobody answers. key: by which it is known again."""
    lines = [
        f"From: <{address}>",
        f"To: <{address}>",
        "Subject: a test of the way in",
        f"Date: {format_datetime(utc_now())}",
        f"Message-ID: <{key}@{address.rpartition('@')[2]}>",
        "Auto-Submitted: auto-generated",
        "",
        "Not to be answered.",
        "",
    ]
    return "\r\n".join(lines)


def _came_back(store: Store, key: str, patience: float, done: Callable[[Received], bool]) -> Received | None:
    """The mail with this key when it is done, or as it is when patience ends; None if it has not come until then."""
    end = time.monotonic() + patience
    while True:
        with store.read() as tx:
            latest = tx.inbox.latest(None, _LATEST)
        mail = next((mail for mail in latest if f"<{key}@".encode() in mail.raw), None)
        if (mail is not None and done(mail)) or time.monotonic() > end:
            return mail
        time.sleep(0.05)


def _said(password: SecretStr | None) -> str:
    return password.get_secret_value() if password else ""


def smarthost(settings: SmarthostSettings) -> Finding:
    """Whether the server that sends our mail is there, and accepts us; nothing is sent."""
    where = f"{settings.host}:{settings.port}"
    try:
        with _relay(settings) as client:
            client.ehlo_or_helo_if_needed()
            client.noop()
    except (OSError, smtplib.SMTPException) as error:
        reason = f"{where} does not take our mail: {_words(error)}"
        return fail("smarthost", reason, "emails wait until it does; see [smarthost]")
    return ok("smarthost", f"{where} takes us")


@contextmanager
def _relay(settings: SmarthostSettings) -> Iterator[smtplib.SMTP]:
    """A connection to the server that sends our mail. Raises: OSError, SMTPException."""
    context = ssl.create_default_context(cafile=settings.ca_file)
    if settings.tls == "implicit":
        client: smtplib.SMTP = smtplib.SMTP_SSL(settings.host, settings.port, timeout=_SECONDS, context=context)
    else:
        client = smtplib.SMTP(settings.host, settings.port, timeout=_SECONDS)
    with client:
        if settings.tls == "starttls":
            client.starttls(context=context)
        if settings.username is not None:
            client.login(settings.username, _said(settings.password))
        yield client


def forgery(settings: SmarthostSettings, robot: Robot, store: Store) -> Finding:
    """Whether the server in front strips Authentication-Results in its name that a mail brings along (RFC 8601, 5).

    We write such a mail to ourselves, from outside: through the server that sends our mail.
    """
    key = f"doctor-{uuid.uuid4().hex}"
    forged = f"Authentication-Results: {robot.authserv_id}; none (forged by {key})"
    check = "forged results"
    try:
        with _relay(settings) as client:
            client.sendmail(robot.address, [robot.address], "\r\n".join([forged, _to_ourselves(robot.address, key)]))
    except (OSError, smtplib.SMTPException) as error:
        return fail(check, f"an email to {robot.address} is not taken: {_words(error)}", "see [smarthost]")
    mail = _came_back(store, key, _ROUND_SECONDS, lambda _: True)
    if mail is None:
        advice = "repeat this later; does mail for us reach us from outside?"
        return warn(check, f"the email that tries it out did not come back within {_ROUND_SECONDS:.0f} s", advice)
    return _stripped(check, robot, is_there=f"forged by {key}".encode() in mail.raw)


def _stripped(check: str, robot: Robot, *, is_there: bool) -> Finding:
    server = robot.authserv_id
    if not is_there and robot.authserv_strips:
        return ok(check, f"{server} strips what others write in its name")
    if not is_there:
        advice = "server.authserv_strips = true, if it writes its own results below its Received"
        return ok(check, f"{server} strips what others write in its name: {advice}")
    if not robot.authserv_strips:
        return ok(check, f"{server} does not strip what others write in its name, so only results on top count")
    reason = f"{server} does not strip what others write in its name, so anybody can act as any player"
    return fail(check, reason, "server.authserv_strips = false, or have that server strip them")


def mailbox(settings: FetchSettings) -> Finding:
    """Whether the mailbox can be opened; nothing is taken from it."""
    where = f"{settings.username} at {settings.host}:{settings.port}"
    hasty = settings.model_copy(update={"timeout_seconds": _SECONDS})
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
        with OpenMailbox(hasty, context).client as client:
            client.login(settings.username, _said(settings.password))
            code, answer = client.select(f'"{settings.folder}"', readonly=True)
    except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
        return fail("mailbox", f"{where}: {_words(error)}", "see [imap] in the configuration")
    if code != "OK":
        return fail("mailbox", f"{where} has no folder {settings.folder}", "imap.folder")
    return ok("mailbox", f"{where} has {int(answer[0] or 0)} emails in {settings.folder}")


def bounded(check: str, probe: Callable[[], Finding], seconds: float = _PATIENCE_SECONDS) -> Finding:
    """The probe's finding, if it comes in time; name lookups by the system have no timeout of their own."""
    findings: list[Finding] = []
    thread = threading.Thread(target=lambda: findings.append(probe()), daemon=True)
    thread.start()
    thread.join(seconds)
    return findings[0] if findings else fail(check, f"no answer within {seconds:.0f} s", "is the network there?")


def _words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_decoded(error.smtp_error)}"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "; ".join(f"{code} {_decoded(words)}" for code, words in error.recipients.values())
    # Errors of the system carry numbers in front of their words.
    with suppress(AttributeError):
        return error.strerror or str(error)  # type: ignore[attr-defined]
    return str(error)


def _decoded(words: bytes | str) -> str:
    return words.decode("utf-8", "replace") if isinstance(words, bytes) else words
