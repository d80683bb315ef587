"""What people take for the same, although letters differ: userids that look alike, addresses of one mailbox."""

from __future__ import annotations

_PAIRS = (("rn", "m"), ("vv", "w"))
_ALIKE = str.maketrans("01i5._", "olls--")


def look(userid: str) -> str:
    """The look of a userid: equal for two userids that a reader may confuse.

    >>> look("Alice"), look("A1ice."), look("rob0t_l")
    ('allce', 'allce', 'robot-l')
    """
    text = userid.casefold().rstrip("._-")
    for pair, letter in _PAIRS:
        text = text.replace(pair, letter)
    return text.translate(_ALIKE)


def mailbox(address: str) -> str:
    """The mailbox of an address: without its +tag and its dots, which many servers ignore.

    >>> mailbox("J.Doe+games@Example.org"), mailbox("jdoe@googlemail.com")
    ('jdoe@example.org', 'jdoe@gmail.com')
    """
    local, _, domain = address.casefold().rpartition("@")
    domain = "gmail.com" if domain == "googlemail.com" else domain
    bare = local.partition("+")[0].replace(".", "")
    return f"{bare or local}@{domain}"


_LARGE = frozenset({
    "aol.com", "comcast.net", "fastmail.com", "free.fr", "gmail.com", "gmx.at", "gmx.ch", "gmx.de", "gmx.net",
    "googlemail.com", "hotmail.com", "icloud.com", "libero.it", "live.com", "mac.com", "mail.com", "mail.ru",
    "me.com", "msn.com", "naver.com", "orange.fr", "outlook.com", "proton.me", "protonmail.com", "qq.com",
    "t-online.de", "web.de", "yahoo.co.jp", "yahoo.co.uk", "yahoo.com", "yandex.com", "yandex.ru", "zoho.com",
    "163.com",
})  # fmt: skip


def is_shared(domain: str) -> bool:
    """Whether so many people have a mailbox at the domain that mails to it say nothing about any one of them."""
    return domain in _LARGE


def domain_of(address: str) -> str:
    """In lower case."""
    return address.casefold().rpartition("@")[2]
