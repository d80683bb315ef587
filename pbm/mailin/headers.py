"""The meaning of header fields: decoded words, the sender, message ids, our addresses and tokens.

An address is accepted only if nothing about it is odd: `alice@example.org <bob@evil.example>` names nobody. Each scan
is bounded.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from pbm.domain.mail import FINISHED, Mail
from pbm.mailin.message import Envelope, PeerKey
from pbm.mailin.mime import from_base64, head, split, to_text

MAX_SUBJECT = 998
MAX_IDS = 100
_MAX_ADDRESSES = 2000

_WORD = re.compile(r"=\?([^?*\s]{1,60})(?:\*[^?\s]{0,20})?\?([bBqQ])\?([^?]{0,2000})\?=")
_WORDS = re.compile(rf"{_WORD.pattern}(?:\s+{_WORD.pattern})*")
_ID = re.compile(r"<([^<>]{1,998})>")
_TOKEN = re.compile(
    r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<comment>\((?:[^()\\]|\\.)*\))|<(?P<angle>[^<>]*)>|'
    r'(?P<plain>[^\s"()<,;:][^"(<,;:]*)|(?P<odd>\S)',
    re.DOTALL,
)
_ADDRESS = re.compile(r"[^\s<>()\[\],;:\\\"@]{1,64}@([^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)*)\.?")
_PLAIN_ADDRESS = re.compile(r"[\w.+=-]{1,120}@[\w.-]{1,253}")
_TAG = re.compile(r"\[[^\[\]]{1,60}\]\s*")
_STARS = re.compile(r"(?:^|\s)\*{2,}(?=\s|$)")

FOR_OPERATOR = frozenset({"postmaster", "abuse"})
"""Local parts that every mail domain must have (RFC 2142); the operator reads their mail."""


@dataclass(frozen=True)
class Robot:
    """Our own addresses: local_part, local_part+TOKEN and bounce_part+TOKEN, all @domain."""

    local_part: str = "pbm"
    domain: str = "localhost"
    authserv_id: str = ""
    """The mail server whose Authentication-Results are trusted; empty for none."""
    bounce_part: str = "bounce"
    one_mailbox: bool = False
    """Only local_part and its plus addresses reach us, as at a mail provider, so return paths are plus addresses."""
    unsubscribe_url: str = ""
    """A web page for one-click unsubscription (RFC 8058); empty for none."""
    aliases: tuple[str, ...] = ()
    """Earlier addresses of the server, which still reach us."""
    authserv_strips: bool = False
    """That mail server removes results in its name that came with a mail, so they count below its Received, too."""

    @property
    def address(self) -> str:
        """The address players write to."""
        return f"{self.local_part}@{self.domain}"

    def return_path(self, key: str) -> str:
        """The address for bounces of the mail with this key."""
        # A provider delivers pbm+anything to pbm's mailbox, but knows no mailbox called bounce.
        own = f"{self.local_part}+{self.bounce_part}-" if self.one_mailbox else f"{self.bounce_part}+"
        return f"{own}{key}@{self.domain}"

    def owns(self, address: str) -> bool:
        """Whether mail to the address is for us."""
        local, at, domain = address.lower().rpartition("@")
        parts = [self.bounce_part.lower(), *(part for part, of in self.halves if of == domain)]
        if not at or len(parts) == 1:
            return False
        # Mail servers can be set to either delimiter (Postfix: recipient_delimiter).
        return local in (*parts, *FOR_OPERATOR) or any(local.startswith((f"{part}+", f"{part}-")) for part in parts)

    @cached_property
    def halves(self) -> tuple[tuple[str, str], ...]:
        """The parts before and after the @ of the address and its aliases, in lower case."""
        pairs = (address.lower().rpartition("@") for address in (self.address, *self.aliases))
        return tuple((local, domain) for local, _, domain in pairs)


def words(value: str) -> str:
    """A header field on one line, with its encoded words (RFC 2047) decoded."""
    if "=?" in value:
        value = _WORDS.sub(lambda run: _undone(run[0]), value)
    # A control character in a header of ours would make it invalid, and a line break would begin another field.
    if not value.isprintable():
        value = "".join(c if c.isprintable() else " " for c in value)
    return " ".join(value.split())


def _undone(run: str) -> str:
    """The text of adjacent encoded words; a character may be split between two of one charset."""
    # RFC 2047, 5 forbids to split a character, but programs that count octets do it.
    by_charset = groupby(_WORD.finditer(run), key=lambda word: word[1].lower())
    return "".join(to_text(b"".join(map(_content, encoded)), charset) for charset, encoded in by_charset)


def _content(word: re.Match[str]) -> bytes:
    """The bytes of one encoded word."""
    data = word[3].encode("utf-8", "replace")
    return from_base64(data) if word[2] in "bB" else binascii.a2b_qp(data, header=True)


@lru_cache(256)
def strip_subject(text: str) -> str:
    """A subject without "Re:", "AW:", "Fwd:" in any language, list tags such as [pbmserv] and stars; blanks folded."""
    text = " ".join(_STARS.sub(" ", text[:MAX_SUBJECT]).split())
    # Prefixes pile up where programs of several languages answer each other: "Re: AW: [club] Fwd:".
    while match := _prefix(text) or _TAG.match(text):
        text = text[match.end() :]
    return text


def _prefix(text: str) -> re.Match[str] | None:
    from pbm.mailin import phrases  # its patterns take a while to compile, and storing a mail needs none

    return phrases.REPLY_PREFIX.match(text)


def is_answer_or_forward(subject: str) -> bool:
    """Whether a subject begins with "Re:", "Fwd:" or the like, and so may be of somebody else's mail."""
    return _prefix(subject.lstrip()) is not None


def heading(subject: str, text: str, *, is_answer: bool) -> str:
    """The subject, which may be a command; empty if a "Re:" shows that it is only the title of a conversation, and the
    answer has a text: ("Re: play", "D5") -> "", but ("Re: resign", "") -> "resign". The number of a board, as in the
    links of our mails, is never more than a title: ("Re: 101", "") -> "".
    """
    bare = strip_subject(subject)
    # "Re: resign" would resign again with each answer of that conversation.
    titles = is_answer and (text or bare.isdecimal()) and is_answer_or_forward(subject)
    return "" if titles else bare


def one_address(values: Iterable[str]) -> str:
    """The address of a From field, its domain in lower case; empty unless there is exactly one valid address."""
    values = list(values)
    # RFC 5322, 3.6: From occurs once. Of several, mail programs and checks of DMARC pick different ones.
    if len(values) != 1:
        return ""
    pieces = defaultdict[str, list[str]](list)
    for token in _TOKEN.finditer(values[0][:_MAX_ADDRESSES]):
        kind = str(token.lastgroup)
        pieces[kind].append(token[kind].strip())
    candidates = pieces["angle"] or [*(name.strip("\"' ") for name in pieces["quoted"]), *pieces["plain"]]
    # Lists and groups name several people, and of an unclosed quote or bracket each program makes something else.
    if pieces["odd"] or len(candidates) != 1:
        return ""
    address = candidates[0]
    match = _ADDRESS.fullmatch(address)
    # A program may show the address that stands beside the brackets, so only the same one may stand there.
    beside = {piece.strip(" '").lower() for piece in pieces["plain"] if "@" in piece}
    # No answer can be written to an address with a control character: such a mail was parked.
    if match is None or not address.isprintable() or not beside <= {address.lower()}:
        return ""
    local = address.rpartition("@")[0]
    return f"{local}@{match[1].lower()}"


def message_id(values: Iterable[str]) -> str | None:
    """The first message id of a field, with its brackets."""
    return next(iter(message_ids(values)), None)


def message_ids(values: Iterable[str]) -> tuple[str, ...]:
    """The message ids of fields in order; at most MAX_IDS, the last ones, because they are the nearest.

    Programs encode long ones, break them, or leave out their brackets.

    >>> message_ids(["<a@x> (of Monday) <b c@x>"]), message_ids(["a@x"]), message_ids(["=?utf-8?q?=3Ca=40x=3E?="])
    (('<a@x>', '<bc@x>'), ('<a@x>',), ('<a@x>',))
    """
    text = " ".join(map(words, values))
    ids = _ID.findall(text) or [word for word in text.split() if "@" in word]
    return tuple(f"<{''.join(an_id.split())}>" for an_id in ids[-MAX_IDS:])


def id_mark(raw: bytes) -> str:
    """The mark of a mail's own Message-ID, as the inbox keeps it; "" if it has none."""
    own = message_id(head(raw).get("message-id", []))
    return mark_of(own) if own else ""


def mark_of(an_id: str) -> str:
    """The mark of a Message-ID with its brackets: 32 characters, from which nobody learns whose it is."""
    return hashlib.blake2b(an_id.encode(errors="replace"), digest_size=16).hexdigest()


def plain_addresses(values: Iterable[str]) -> list[str]:
    """Everything that looks like an address in fields, in lower case; for finding our own, not for trusting any."""
    return [address.lower() for value in values for address in _PLAIN_ADDRESS.findall(value)]


def tokens(addresses: Iterable[str], robot: Robot) -> tuple[str | None, str | None]:
    """The reply token and the bounce token in addresses of ours: pbm+TOKEN and bounce+TOKEN, also with "-" for "+".

    With a single mailbox the second is pbm+bounce-TOKEN.
    """
    reply = bounce = None
    pattern = _with_token(robot.halves, robot.bounce_part.lower())
    # Each address may have a copy of the mail: the first token counts, since one mail has one answer.
    for address in addresses:
        match = pattern.fullmatch(address.lower())
        if match and match[1]:
            bounce = bounce or match[2]
        elif match:
            reply = reply or match[2]
    return reply, bounce


def token_answered(mail: Mail, robot: Robot) -> str | None:
    """The token in the address for answers to one of our own mails; one stored as bytes has it in its Reply-To."""
    if mail.version != FINISHED:
        return mail.token or None
    return tokens(plain_addresses(split(mail.owed)[0].get("reply-to", [])), robot)[0]


def key_of(fields: Mapping[str, Sequence[str]], sender: str) -> PeerKey | None:
    """The key in the sender's only Autocrypt field (Autocrypt Level 1); None if there is none, or more than one.

    An unknown attribute makes a field invalid, unless its name begins with "_".
    """
    chats = "chat-version" in fields
    keys = [key for value in fields.get("autocrypt", ()) if (key := _key(value, sender, chats=chats))]
    # Autocrypt Level 1, "Parsing the Autocrypt Header": of several valid fields none counts.
    return keys[0] if len(keys) == 1 else None


def _key(value: str, sender: str, *, chats: bool) -> PeerKey | None:
    pairs = (part.partition("=") for part in value.split(";") if part.strip())
    attributes = {name.strip().lower(): content.strip() for name, _, content in pairs}
    # Autocrypt Level 1: unknown attributes are critical unless they begin with "_"; and the key must be From's own.
    unknown = [name for name in attributes if name not in ("addr", "prefer-encrypt", "keydata") and name[:1] != "_"]
    if unknown or not sender or attributes.get("addr", "").lower() != sender.lower():
        return None
    key = from_base64(attributes.get("keydata", "").encode("ascii", "replace"))
    return PeerKey(key, attributes.get("prefer-encrypt") == "mutual", chats) if key else None


def without_tokens(text: str, robot: Robot) -> str:
    """A text without the tokens in our addresses, because anybody who reads a token can write in its owner's name."""
    return _with_token(robot.halves, robot.bounce_part.lower()).sub(robot.address, text)


@lru_cache
def _with_token(halves: tuple[tuple[str, str], ...], failed: str) -> re.Pattern[str]:
    """Matches an address with a token; its groups are the bounce part and the token. halves: of all our addresses."""
    local = "|".join(re.escape(part) for part in dict.fromkeys(part for part, _ in halves))
    ends = "|".join(re.escape(f"@{domain}") for domain in dict.fromkeys(domain for _, domain in halves))
    return re.compile(
        rf"(?:(?:(?:{local})[+-])?({re.escape(failed)})|(?:{local}))[+-]([\w.=-]{{1,100}})(?:{ends})", re.IGNORECASE
    )


_BOARD = re.compile(r"(?<!\d)[1-9]\d{2,11}(?!\d)", re.ASCII)
_LONGEST = 80


def lane(envelope: Envelope, raw: bytes, robot: Robot, board_of: Callable[[str], int | None]) -> str:
    """The lane of a mail: the board it answers, otherwise its sender, with the board that the subject names.

    Anybody can name a board, and players there must not wait for their mails. Empty if nothing is known.
    board_of: the board of a reply token; None if it is not one of ours.
    """
    fields = head(raw)
    # A fetched mailbox or a pipe has no envelope; where there is one, fields may name any board.
    recipients = envelope.recipients or plain_addresses(value for values in fields.values() for value in values)
    token = tokens(recipients, robot)[0]
    board = board_of(token) if token else None
    if board is not None:
        return f"board {board}"
    # The board in the subject is no lane of its own: a flood that names a board would hold up those who play there.
    sender = envelope.mail_from
    if sender is None:
        sender = next(iter(plain_addresses(fields.get("from", []))), "")
    named = _BOARD.search(" ".join(fields.get("subject", [])))
    words = [*([f"board {int(named[0])}"] if named else []), f"from {sender}"] if sender else []
    return " ".join(words).casefold().encode("ascii", "replace").decode()[:_LONGEST]
