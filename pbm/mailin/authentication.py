"""What our own mail server says of a mail: whether it is from the address in From (RFC 8601), and who handed it over.

Results that a sender or a foreign server wrote are ignored. A sender can write Received fields in our server's name,
too, so only what stands above all of them is surely our server's. Many servers write their results below their own
Received (Postfix with filters, Gmail): they count there only if that server strips what others wrote in its name.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pbm.mailin.headers import Robot, plain_addresses
from pbm.mailin.message import Envelope, Judgement
from pbm.mailin.mime import Fields

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_OUTSIDE = re.compile(rf'{_QUOTED}|[^("]+|\(')
"""A quoted string, plain text, or the beginning of a comment; a quotation mark that is not closed is none of them."""
_INSIDE = re.compile(r"\\.|[^()\\]+|[()]", re.DOTALL)
"""What a comment consists of: it may hold others (RFC 5322, 3.2.2), and quotation marks mean nothing in it."""
_PIECE = re.compile(rf'(?:{_QUOTED}|[^;"])*')
_METHOD = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z0-9-]+)(?=\s|$)", re.IGNORECASE)
_SERVER = re.compile(r'\s*"?([^\s;("]*)')
_FAILS = re.compile(r"\b(dmarc|spf)\s*=\s*fail\b", re.IGNORECASE)
_PROPERTY = re.compile(rf'\s*(?:[a-z0-9-]+\s*\.\s*)?([a-z0-9_-]+)\s*=\s*({_QUOTED}|[^\s"]+)(?=\s|$)', re.IGNORECASE)
"""Its value may hold "=": Gmail quotes no return paths such as a+b=c@example.org."""


class CheckResult(NamedTuple):
    """One result of a field; all in lower case, as RFC 8601 compares them."""

    method: str
    verdict: str
    properties: tuple[tuple[str, str], ...]
    """Names without their types, such as "d" for header.d, and values."""

    def values(self, *names: str) -> list[str]:
        """The values of the properties with these names."""
        return [value for name, value in self.properties if name in names]


class AuthenticationResults(NamedTuple):
    """An Authentication-Results field."""

    server: str
    results: tuple[CheckResult, ...]


def parsed(value: str) -> AuthenticationResults:
    """The field; if any of it cannot be read, only what it says against the mail.

    >>> parsed('mx.example.org 1; dkim=pass (2048 bits) header.d="example.net"; spf=none').results[0]
    CheckResult(method='dkim', verdict='pass', properties=(('d', 'example.net'),))
    >>> parsed("mx.example.org; dmarc=fail; dkim=pass (header.d=example.org").results
    (CheckResult(method='dmarc', verdict='fail', properties=()),)
    """
    text = _without_comments(value)
    head, *rest = [piece.strip() for piece in _PIECE.findall(text or "") if piece.strip()] or [""]
    server = head.split()
    # RFC 8601, 2.2: "none" says that nothing was checked.
    if [piece.casefold() for piece in rest] == ["none"]:
        rest = []
    results = tuple(map(_result, rest))
    # After the server's name only the version of the format may stand (RFC 8601, 2.2).
    if len(server) in (1, 2) and server[1:] in ([], ["1"]) and None not in results:
        return AuthenticationResults(server[0].strip('"').lower(), tuple(filter(None, results)))
    # What it says for the mail is in doubt then, and what it says against it counts.
    against = tuple(CheckResult(method.lower(), "fail", ()) for method in _FAILS.findall(value))
    named = _SERVER.match(value)
    return AuthenticationResults(named[1].lower() if named else "", against)


def _without_comments(value: str) -> str | None:
    """The text with a blank for each comment; None if a comment or a quoted string is not closed."""
    kept, at, depth = list[str](), 0, 0
    while at < len(value):
        match = (_INSIDE if depth else _OUTSIDE).match(value, at)
        if match is None:
            return None
        at = match.end()
        if match[0] == "(":
            depth += 1
        elif depth and match[0] == ")":
            depth -= 1
        elif not depth:
            kept.append(match[0])
            continue
        kept.append(" ")
    return None if depth else "".join(kept)


def _result(piece: str) -> CheckResult | None:
    """One result without comments, such as "dkim=pass header.d=example.org"; None if it cannot be read."""
    match = _METHOD.match(piece)
    if match is None:
        return None
    at, properties = match.end(), list[tuple[str, str]]()
    while at < len(piece):
        field = _PROPERTY.match(piece, at)
        if field is None:
            return None
        properties.append((field[1].lower(), field[2].strip('"').strip("<>").lower()))
        at = field.end()
    return CheckResult(match[1].lower(), match[2].lower(), tuple(properties))


def judged(fields: Fields, envelope: Envelope, robot: Robot, sender: str) -> Judgement:
    """What our server says of the address in From.

    dkim proves all addresses of the signing domain and its subdomains, dmarc those of the domain it names, and spf only
    the address in MAIL FROM. Whoever gets a signed mail can send it on to us, so a signature counts only if To names
    us: the lowest To, because that is signed first, and others can be added above.
    """
    if not (robot.authserv_id and "authentication-results" in fields):
        return Judgement.NONE
    results = list(_results_of_ours(fields, robot))
    verdicts = {(result.method, result.verdict) for result, _ in results}
    # What speaks against a mail counts wherever it stands: whoever forges that harms only themselves.
    if ("dmarc", "fail") in verdicts:
        return Judgement.FAILED
    is_to_us = any(map(robot.owns, plain_addresses(fields.get("to", [])[-1:])))
    mail_from = (envelope.mail_from or "").lower()
    proofs = [is_sure for result, is_sure in results if sender and _proves(result, sender.lower(), mail_from, is_to_us)]
    if any(proofs):
        return Judgement.PASSED
    # Forwarders break SPF and keep DKIM, so a signature excuses what they do.
    return Judgement.FAILED if ("spf", "fail") in verdicts and not proofs else Judgement.NONE


def _results_of_ours(fields: Fields, robot: Robot) -> Iterator[tuple[CheckResult, bool]]:
    """The results in our server's name, and whether each is surely our server's.

    Below a Received of ours only the topmost field may be ours, and below a foreign one none.
    """
    hops = 0
    for name, value in fields.among("received", "authentication-results"):
        if name == "received":
            if not _is_hop_of_ours(value, robot):
                return
            hops += 1
            continue
        field = parsed(value)
        if field.server != robot.authserv_id.lower():
            return
        is_sure = hops == 0 or robot.authserv_strips
        yield from ((result, is_sure) for result in field.results)
        # Below its own Received, our server adds one field; the next may have come with the mail.
        if hops or "received" not in fields:
            return


def _proves(result: CheckResult, sender: str, mail_from: str, is_to_us: bool) -> bool:
    """Whether one result proves the sender. Addresses are in lower case. is_to_us: whether a signature counts."""
    domain = sender.rpartition("@")[2]
    if result.verdict != "pass":
        return False
    if result.method == "dkim":
        # RFC 6376: d= vouches for its subdomains, too, but a whole top-level domain vouches for nobody.
        return is_to_us and any("." in d and f".{domain}".endswith(f".{d}") for d in result.values("d"))
    if result.method == "dmarc":
        # RFC 8601, 2.7.6 names the domain that DMARC compared, which stands in From.
        return is_to_us and domain in [value.rpartition("@")[2] for value in result.values("from")]
    if result.method == "spf":
        # Many servers write only the domain; the address is then the envelope's.
        proven = result.values("mailfrom", "mail", "from")
        return sender in proven or (domain in proven and mail_from == sender)
    return False


_BY = re.compile(r"(?:\A|\s)by\s+\[?([\w.:-]{1,253})", re.IGNORECASE)
_HOST = r"\[?(?:IPv6:)?([0-9a-f.:]{3,45})[]\s)]"
_PEER = re.compile(rf"\((?!helo\b)(?:[^\s()=]{{1,255}}\s+)?{_HOST}", re.IGNORECASE)
_GREETING = re.compile(rf"\A\s*from\s+{_HOST}", re.IGNORECASE)
_COMMENT = re.compile(r"\([^()]{0,500}\)")
_PRIVATE = re.compile(r"[^.]*|.*\.(?:internal|local|lan|localdomain|localhost|home\.arpa)", re.IGNORECASE)
"""Host names in private networks, which do not show whose host it is."""


def peer(fields: Fields, robot: Robot) -> str:
    """The IP address of the machine that handed the mail to our mail server, as recorded by it; empty if it was not.

    If our servers pass mail on to each other, the record of the first one counts.
    """
    address = ""
    for value in fields.get("received", []) if robot.authserv_id else ():
        if not _BY.search(_COMMENT.sub("", value)) or not _is_hop_of_ours(value, robot):
            break
        # Servers of ours pass mail on over private addresses, which tell nothing of the sender's network.
        host = _handed_over_by(value)
        address = host if host and ipaddress.ip_address(host).is_global else address
    return address


def _handed_over_by(received: str) -> str:
    """The IP address that a Received field tells; empty for none.

    It stands in a comment after the words of the machine's greeting, which may name any other address. Without such a
    comment it stands in their place.

    >>> _handed_over_by("from [8.8.8.8] (unknown [93.184.216.34]) by mx.example.org")
    '93.184.216.34'
    >>> _handed_over_by("from [93.184.216.34] (helo=[8.8.8.8]) by mx.example.org")
    '93.184.216.34'
    """
    return next(filter(_is_number, (*_PEER.findall(received), *_GREETING.findall(received))), "")


def _is_hop_of_ours(received: str, robot: Robot) -> bool:
    """Whether a Received field was written by our server, one in its domain, or a host with a private name or an IP."""
    match = _BY.search(_COMMENT.sub("", received))
    if match is None:
        return True
    host = match[1].rstrip(".").lower()
    if _PRIVATE.fullmatch(host) or _is_number(host):
        return True
    # The robot's domain, the server's own name, and its parent domain.
    server = robot.authserv_id.lower()
    above = server.partition(".")[2]
    domains = [robot.domain.lower(), server, *([above] if "." in above else [])]
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


@lru_cache(1000)
def _is_number(host: str) -> bool:
    """Whether it is an IP address. Cached, because our own servers are named in every mail."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(1000)
def network_of(peer: str, bits: int = 32) -> str:
    """The network that counts as one machine: an IPv4 address, or so many bits of it; of IPv6 a /64.

    Empty for private addresses, which may be a mail server of ours, and for what is no address.
    """
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return ""
    if not address.is_global:
        return ""
    return str(ipaddress.ip_network((peer, 64 if address.version == 6 else bits), strict=False)).removesuffix("/32")
