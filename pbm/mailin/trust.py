"""Whether our own mail server vouches for the address a mail claims to come from (RFC 8601).

What a sender or a stranger's server wrote into the header counts for nothing: only fields above the first Received
of a host that is not ours are looked at, and of these only those in our server's name.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

import authres

from pbm.mailin.message import Envelope, Robot
from pbm.mailin.mime import Fields

_BY = re.compile(r"(?:\A|\s)by\s+\[?([\w.:-]{1,253})", re.IGNORECASE)
_FROM = re.compile(r"\[(?:IPv6:)?([0-9a-f.:]{3,45})\]", re.IGNORECASE)
_COMMENT = re.compile(r"\([^()]{0,500}\)")
_PRIVATE = re.compile(r"[^.]*|.*\.(?:internal|local|lan|localdomain|localhost|home\.arpa)", re.IGNORECASE)
"""Names that a host has among its own: they tell nothing of whose it is."""


def vouched(fields: Fields, envelope: Envelope, robot: Robot, sender: str) -> bool:
    """Whether the Authentication-Results of our server prove the sender, and none of them says that DMARC failed.

    dkim proves every address of the domain that signed, and of those below it; dmarc those of the domain it names; spf
    proves the one address that the mail came from by SMTP.
    """
    if not (robot.authserv_id and sender and "authentication-results" in fields):
        return False
    found = [result for header in _ours(fields, robot) for result in header.results]
    if any(_is(result, "dmarc", "fail") for result in found):
        return False
    return any(_proves(result, sender.lower(), envelope) for result in found)


def peer(fields: Fields, robot: Robot) -> str:
    """The address of the machine that handed the mail to our mail server, as that wrote it down; empty if it did not.

    Where one server of ours hands it to the next, the first of them knows.
    """
    found = ""
    for value in fields.get("received", []) if robot.authserv_id else ():
        if not _BY.search(_COMMENT.sub("", value)) or not _is_hop_of_ours(value, robot):
            break
        found = next(filter(_is_global, _FROM.findall(value)), found)
    return found


def _is_global(host: str) -> bool:
    return _is_number(host) and ipaddress.ip_address(host).is_global


def direct(fields: Fields, envelope: Envelope, robot: Robot, sender: str) -> bool:
    """Whether the sender is the address that the mail came from by SMTP, as far as our server knows.

    Anybody can claim that where no server checks SPF or DMARC: it only goes with something that others do not know.
    """
    if not sender or (envelope.mail_from or "").lower() != sender.lower():
        return False
    found = [result for header in _ours(fields, robot) for result in header.results] if robot.authserv_id else []
    return not any(_is(result, method, "fail") for result in found for method in ("dmarc", "spf"))


def _ours(fields: Fields, robot: Robot) -> Iterator[authres.AuthenticationResultsHeader]:
    """The results that our server wrote.

    Above all Received fields nobody else can have written any. Servers that write theirs below their own Received are
    believed for the topmost alone: what stands under it may have come with the mail.
    """
    received, believed = 0, 0
    for name, value in fields.among("received", "authentication-results"):
        if name == "received":
            if not _is_hop_of_ours(value, robot) or believed:
                return
            received += 1
            continue
        header = _parsed(value)
        if header is None or (header.authserv_id or "").lower() != robot.authserv_id.lower():
            return
        yield header
        believed += 1
        if received or "received" not in fields:
            return


def _is_hop_of_ours(received: str, robot: Robot) -> bool:
    """Whether a Received field was written by our server, or one beside it, or by a host with a private name."""
    match = _BY.search(_COMMENT.sub("", received))
    if match is None:
        return True
    host = match[1].rstrip(".").lower()
    return (
        _PRIVATE.fullmatch(host) is not None
        or _is_number(host)
        or any(host == domain or host.endswith(f".{domain}") for domain in _domains(robot))
    )


def _is_number(host: str) -> bool:
    """Whether it is an address of IP."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _domains(robot: Robot) -> tuple[str, ...]:
    """The domains whose hosts are ours: the robot's, the server's, and the one that the server is a host of."""
    server = robot.authserv_id.lower()
    above = server.partition(".")[2]
    return (robot.domain.lower(), server, above) if "." in above else (robot.domain.lower(), server)


def _parsed(value: str) -> authres.AuthenticationResultsHeader | None:
    """The field, None where it cannot be read."""
    try:
        return authres.AuthenticationResultsHeader.parse(f"Authentication-Results: {value}")
    except Exception:  # noqa: BLE001 - the parser's errors on hostile fields are not documented
        return None


def _is(result: authres.AuthenticationResult, method: str, verdict: str) -> bool:
    """Whether a result is this verdict of this method."""
    return str(result.method).lower() == method and str(result.result).lower() == verdict


def _proves(result: authres.AuthenticationResult, sender: str, envelope: Envelope) -> bool:
    """Whether one result proves the sender, an address in lower case."""
    domain = sender.rpartition("@")[2]
    if _is(result, "dkim", "pass"):
        return any("." in d and f".{domain}".endswith(f".{d}") for d in _values(result, "d"))
    if _is(result, "dmarc", "pass"):
        return domain in (value.rpartition("@")[2] for value in _values(result, "from"))
    if _is(result, "spf", "pass"):
        # Many servers write the domain alone; the address is then the envelope's.
        proven = set(_values(result, "mailfrom", "mail", "from"))
        return sender in proven or (domain in proven and (envelope.mail_from or "").lower() == sender)
    return False


def _values(result: authres.AuthenticationResult, *names: str) -> Iterator[str]:
    """What the properties of these names say, in lower case."""
    return (str(p.value or "").strip("<>").lower() for p in result.properties if p.name.lower() in names)
