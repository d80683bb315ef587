"""Our domain in the DNS: whether mail for it arrives, and whether others can tell that our mail is ours.

Offline, or if the DNS does not answer, the first question fails soon and the others are not asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import dns.exception
import dns.resolver

from pbm.edges.signing import SigningKey, signing_keys
from pbm.values import frozen

_SECONDS = 4.0
_UNREAL = (".example", ".invalid", ".localhost", ".test", ".local", "example.org", "example.com", "example.net")
"""Names that cannot be looked up (RFC 6761, RFC 2606)."""


class Verdict(StrEnum):
    """The verdict of one check. WARN: it works, but not as well as it should, or nobody can tell."""

    OK = "OK"
    WARN = "WARN"
    FAIL = "FAIL"


@frozen
class Finding:
    """The result of one check."""

    check: str
    verdict: Verdict
    reason: str
    """What was found."""
    advice: str = ""
    """What to do; empty if nothing."""


def ok(check: str, reason: str) -> Finding:
    return Finding(check, Verdict.OK, reason)


def warn(check: str, reason: str, advice: str) -> Finding:
    return Finding(check, Verdict.WARN, reason, advice)


def fail(check: str, reason: str, advice: str) -> Finding:
    return Finding(check, Verdict.FAIL, reason, advice)


class Unanswered(Exception):
    """The DNS gave no answer, not even that there are no records."""


Ask = Callable[[str, str], Sequence[str]]
"""The records of a name and a type, each as text; empty if there are none. Raises: Unanswered."""


def ask_dns(name: str, kind: str, resolver: dns.resolver.Resolver | None = None) -> list[str]:
    """An Ask that asks the DNS servers of this machine."""
    try:
        answer = (resolver or dns.resolver.Resolver()).resolve(name, kind, lifetime=_SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except dns.exception.DNSException as error:
        raise Unanswered(str(error)) from error
    return [_text(record) for record in answer]


def _text(record: Any) -> str:
    strings = getattr(record, "strings", None)
    if strings is not None:
        return b"".join(strings).decode("utf-8", "replace")
    return str(record.exchange).rstrip(".") if hasattr(record, "exchange") else str(record)


@frozen
class SenderNames:
    """The names that we send mail under."""

    domain: str
    dkim_domain: str
    selector: str
    dkim_keys: bytes | None
    """The signing keys in PEM form; None if we do not sign."""


def look_up(identity: SenderNames, ask: Ask = ask_dns) -> list[Finding]:
    """The findings on all records, or a single one that says why nobody can tell."""
    domain = identity.domain
    if "." not in domain or domain.endswith(_UNREAL):
        return [warn("dns", f"{domain} is no name that email could find", "set server.domain")]
    try:
        dkim = [warn("dkim", "we do not sign our emails", "pbm keys dkim, unless the mail server behind us does")]
        if identity.dkim_keys is not None:
            dkim = [_shown(key, identity, ask) for key in signing_keys(identity.selector, identity.dkim_keys)]
        return [_mx(domain, ask), _spf(domain, ask), *dkim, _dmarc(domain, ask)]
    except Unanswered as error:
        reason = f"the DNS does not answer: {_short(str(error))}"
        return [warn("dns", reason, "look at /etc/resolv.conf and the network, then try again")]


def _mx(domain: str, ask: Ask) -> Finding:
    hosts = ask(domain, "MX")
    if "" in hosts:
        return fail("mx", f"{domain} says that it takes no email (RFC 7505)", "remove the null MX")
    # RFC 5321, 5.1: without an MX the domain's own address is used.
    if not hosts:
        if _has_address(domain, ask):
            return ok("mx", f"{domain} has no MX, so mail goes to its own address")
        advice = f"{domain}. IN MX 10 mail.{domain}."
        return fail("mx", f"mail for {domain} has nowhere to go", advice)
    lost = [host for host in hosts if not _has_address(host, ask)]
    if lost:
        verdict = Verdict.FAIL if len(lost) == len(hosts) else Verdict.WARN
        return Finding("mx", verdict, f"{' and '.join(lost)} has no address", "add an A or AAAA record")
    return ok("mx", f"mail for {domain} goes to {', '.join(hosts)}")


def _has_address(host: str, ask: Ask) -> bool:
    return bool(ask(host, "A") or ask(host, "AAAA"))


def _spf(domain: str, ask: Ask) -> Finding:
    records = [text for text in ask(domain, "TXT") if re.match(r"v=spf1(?: |$)", text, re.IGNORECASE)]
    if not records:
        advice = f'{domain}. IN TXT "v=spf1 mx -all", with what else may send for you'
        return warn("spf", f"nothing says which machines may send for {domain}", advice)
    if len(records) > 1:
        return fail("spf", f"{len(records)} SPF records, so none counts (RFC 7208)", "leave one")
    # RFC 7208, 4.6.2: a mechanism without a sign passes.
    if re.search(r"(?:^| )\+?all\b", records[0], re.IGNORECASE):
        return fail("spf", f'"{records[0]}" lets anybody send for {domain}', "end it in -all")
    return ok("spf", f'"{_short(records[0])}"; it must name whatever sends our mail')


def _shown(key: SigningKey, identity: SenderNames, ask: Ask) -> Finding:
    check, name = f"dkim {key.algorithm}", f"{key.selector}._domainkey.{identity.dkim_domain}"
    records = [text for text in ask(name, "TXT") if "p=" in text]
    if not records:
        return fail(check, f"there is no key at {name}", "publish what pbm keys dkim prints")
    shown = re.search(r"(?:^|;)\s*p=\s*([^;]*)", records[0])
    if shown is None or re.sub(r"\s", "", shown[1]) != key.record.partition("p=")[2]:
        return fail(check, f"the key at {name} is not ours", "publish what pbm keys dkim prints")
    return ok(check, f"{name} shows our key")


def _dmarc(domain: str, ask: Ask) -> Finding:
    parts = domain.split(".")
    # RFC 7489, 6.6.3: a record of a parent domain counts, too.
    for start in range(len(parts) - 1):
        name = f"_dmarc.{'.'.join(parts[start:])}"
        records = [text for text in ask(name, "TXT") if text.lower().startswith("v=dmarc1")]
        if len(records) == 1:
            return ok("dmarc", f'{name}: "{_short(records[0])}"')
        if records:
            return fail("dmarc", f"{len(records)} records at {name}, so none counts", "leave one")
    advice = f'_dmarc.{domain}. IN TXT "v=DMARC1; p=none"'
    return warn("dmarc", "big providers want a DMARC record, and there is none", advice)


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}..."
