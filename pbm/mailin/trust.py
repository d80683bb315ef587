"""Whether our own mail server vouches for the domain a mail claims to come from (RFC 8601)."""

from __future__ import annotations

from collections.abc import Sequence

import authres

_METHODS = {"dkim": ("d", "i"), "spf": ("mailfrom", "mail", "from"), "dmarc": ("from",)}


def vouched(results: Sequence[str], authserv_id: str, sender: str) -> bool:
    """Whether the topmost Authentication-Results, if authserv_id wrote it, passes the sender's domain or its parent.

    A field below the topmost one may be forged by the sender, so it is never read.
    """
    domain = sender.rpartition("@")[2]
    if not (results and authserv_id and domain):
        return False
    try:
        header = authres.AuthenticationResultsHeader.parse(f"Authentication-Results: {results[0]}")
    except Exception:  # noqa: BLE001 - the parser's errors on hostile fields are not documented
        return False
    if (header.authserv_id or "").lower() != authserv_id.lower():
        return False
    return any(_passes(result, domain) for result in header.results)


def _passes(result: authres.AuthenticationResult, domain: str) -> bool:
    """Whether one result is a pass of a method that names the domain, or one that it lies below."""
    names = _METHODS.get(str(result.method).lower(), ())
    if str(result.result).lower() != "pass":
        return False
    vouched_for = (str(p.value or "").rpartition("@")[2].lower() for p in result.properties if p.name.lower() in names)
    return any(name == domain or ("." in name and domain.endswith(f".{name}")) for name in vouched_for)
