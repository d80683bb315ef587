"""How mail programs gather a mailbox into conversations, and what must come of a player's mailbox.

The algorithm is Jamie Zawinski's (jwz.org/doc/threading.html), to the letter, with its step of joining by subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message

_ID = re.compile(r"<[^<>\s]+>")
_OURS = re.compile(rb"<(?=(?:key\d+|board-[\d-]+|mail-\d+)@)")
_REPLY = re.compile(r"re(?:\[\d+\])?:\s*", re.IGNORECASE)
_CONVERSATION = re.compile(r"<(?:\w+\.)?board-(\d+)(?:-\d+)?@")


@dataclass(eq=False)
class Container:
    """A place in a thread. mail: None if other mails refer to it but it is missing."""

    mail: Message | None = None
    parent: Container | None = None
    children: list[Container] = field(default_factory=list)

    def holds(self, other: Container) -> bool:
        return other is self or any(child.holds(other) for child in self.children)

    def adopt(self, child: Container) -> None:
        if child.parent is not None:
            child.parent.children.remove(child)
        child.parent = self
        self.children.append(child)

    def mails(self) -> Iterator[Message]:
        if self.mail is not None:
            yield self.mail
        for child in self.children:
            yield from child.mails()

    @property
    def subject(self) -> str:
        """The subject of its mail, or of its first child's."""
        first = self.mail or next((child.mail for child in self.children if child.mail), None)
        return str(first["Subject"] or "") if first else ""


def threads(mails: Iterable[bytes]) -> list[list[Message]]:
    """The mails in conversations. mails: in the order they came."""
    containers: dict[str, Container] = {}
    for mail in map(message_from_bytes, mails):
        _place(containers, mail)
    roots = [each for each in containers.values() if each.parent is None]
    return [list(root.mails()) for root in _joined_by_subject(_pruned(roots))]


def _place(containers: dict[str, Container], mail: Message) -> None:
    """Step 1: put the mail under the last one it refers to; those are linked one to the next."""
    own = containers.setdefault(str(mail["Message-ID"]), Container())
    assert own.mail is None, mail["Message-ID"]
    own.mail = mail
    before = None
    for reference in _ID.findall(mail["References"] or "") or _ID.findall(mail["In-Reply-To"] or "")[:1]:
        each = containers.setdefault(reference, Container())
        if before is not None and each.parent is None and not each.holds(before):
            before.adopt(each)
        before = each
    if own.parent is not None:
        own.parent.children.remove(own)
        own.parent = None
    if before is not None and not own.holds(before):
        before.adopt(own)


def _pruned(containers: Sequence[Container], *, at_root: bool = True) -> list[Container]:
    """Step 4: drop empty ones and put their children in their place; at the root only if there is just one child."""
    kept: list[Container] = []
    for each in containers:
        each.children = _pruned(each.children, at_root=False)
        if each.mail is not None or (at_root and len(each.children) > 1):
            kept.append(each)
        else:
            kept += each.children
    return kept


def _joined_by_subject(roots: Sequence[Container]) -> list[Container]:
    """Step 5: join threads of one subject if one of them is empty or an answer."""
    table: dict[str, Container] = {}
    for each in roots:
        known = table.get(_bare(each))
        empty, reply = each.mail is None, _is_reply(each)
        if _bare(each) and (
            known is None or (empty and known.mail is not None) or (_is_reply(known) and not reply and known.mail)
        ):
            table[_bare(each)] = each
    kept: list[Container] = []
    for each in roots:
        first = table.get(_bare(each), each)
        if first is each:
            kept.append(each)
        elif first.mail is None and each.mail is None:
            first.children += each.children
        elif first.mail is None or (_is_reply(each) and not _is_reply(first)):
            first.children.append(each)
        else:
            old = Container(first.mail, children=first.children)
            first.mail, first.children = None, [old, each]
    return kept


def _bare(container: Container) -> str:
    return _REPLY.sub("", container.subject)


def _is_reply(container: Container) -> bool:
    return _REPLY.match(container.subject) is not None


def renamed(mail: bytes, prefix: str) -> bytes:
    """The mail with a prefix before each Message-ID, so that mailboxes of several worlds may lie together."""
    return _OURS.sub(f"<{prefix}.".encode(), mail)


def check(found: Iterable[Iterable[Message]]) -> None:
    """Assert that each board is one thread, and no thread has two boards. found: the threads of a mailbox."""
    places: dict[str, int] = {}
    for place, thread in enumerate(map(list, found)):
        roots = {root for mail in thread if (root := _conversation(mail))}
        boards = {match[1] for root in roots if (match := _CONVERSATION.match(root))}
        named = [(mail["Subject"], mail["Message-ID"], mail["In-Reply-To"], mail["References"]) for mail in thread]
        assert len(boards) <= 1, f"boards {sorted(boards)} are one thread: {named}"
        for root in roots:
            assert places.setdefault(root, place) == place, f"{root} is in two threads"


def _conversation(mail: Message) -> str | None:
    """The conversation of a board that a mail of ours belongs to."""
    references = _ID.findall(mail["References"] or "")
    own = mail["List-Id"] and mail["X-Pbm-Loop"] and references and _CONVERSATION.match(references[0])
    return references[0] if own else None
