"""Mails that are never answered: automatic ones (RFC 3834), bounces, complaints, lists, spam, and our own returned.

Headers and reports decide; words in a subject or a text count only if people do not write them.
"""

from __future__ import annotations

import email
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from flufl.bounce import all_failures

from pbm.mailin import headers, phrases
from pbm.mailin.headers import Robot
from pbm.mailin.message import Action, Discard, Envelope, Failure, Mark
from pbm.mailin.mime import Entity, decoded

# Its detectors log tracebacks for mails that strangers send, which are of no use to the operator.
logging.getLogger("flufl.bounce").disabled = True

LOOP_HEADER = "X-Pbm-Loop"
"""Every mail of ours has it, with our domain as its value; any value means that a server of our kind wrote the mail."""

_MAX_FAILURES = 50
_LONGEST_LINE = 998
"""How many characters of a line flufl.bounce gets, the limit of SMTP; its time grows with their square."""
_OPENING = 400
"""How many characters of a text are searched for words by which a program identifies itself."""
_DAEMON = re.compile(
    r"(?:.*[.+_-])?(?:mail(?:er)?[-_. ]?(?:daemon|system|administrator|delivery(?:[-_. ]?(?:sub)?system)?)|"
    r"bounce[-_. ]?daemon|double[-_. ]?bounce)(?:[.+_-].*|\d*)|m?daemon",
    re.IGNORECASE,
)
_POSTMASTER = re.compile(r"post[-_. ]?master(?:[+-].*)?|system[-_. ]?administrator", re.IGNORECASE)
_MACHINE = re.compile(
    rf"{_DAEMON.pattern}|{_POSTMASTER.pattern}|majordomo?|listserv|listmaster|mailman|sympa|ezmlm|notifications?|"
    r"(?:.*[-+])?(?:bounces?|return-\d+)(?:[-+=].*)?|owner[-+].*|"
    r".*[-+](?:owner|request|confirm[-+].*|(?:un)?subscribe)|"
    r"(?:.*[._+-])?(?:no|do-?not|donot)[._-]?reply(?:[._+-].*)?|"
    r"auto(?:mat(?:ic|ed))?[._-]?(?:reply|response|responder|mail(?:er)?)|challenge[._-]?response|"
    r"(?:.*[._-])?(?:mail|e-?mail|spam|virus|content|security|smtp|sms)[._-]?"
    r"(?:gateway|gw|filter|scan(?:ner)?|guard|sweeper|marshal|shield)|"
    r"(?:.*[._-])?(?:anti-?(?:virus|spam)|quarantine|gateway|mimedefang|amavisd?)",
    re.IGNORECASE,
)
_RELAY = re.compile(
    rf"(?:{_DAEMON.pattern}|owner[-+].*|.*[-+](?:owner|request|bounces?(?:-help)?))(?:@.*)?", re.IGNORECASE
)
_DOUBTFUL = re.compile(
    rf"(?:{_POSTMASTER.pattern}|(?:.*[._-])?(?:system|mailer|ironport|barracuda|fortimail|proofpoint|mimecast|sophos|"
    r"(?:mail|smtp)[-_.]?gateway|gateway|gw)|majordomo?|listserv|listmaster|mailman|sympa|ezmlm|"
    r"(?:mail|e-?mail|messaging)[-_.]?(?:security|server|admin))\d*",
    re.IGNORECASE,
)
"""Names of machines that people's addresses may also have."""
_SHORT = 300
"""A mail with at most this many characters is too short for a machine's notice."""
_COMPLAINT_SUBJECT = re.compile(r"complaint about message from \d|e-?mail feedback report for ip", re.IGNORECASE)
_DMARC_SUBJECT = re.compile(r"\W{0,3}(?:dmarc aggregate )?report[- ]domain:", re.IGNORECASE)
_AUTOMATIC_FIELDS = (
    "x-autoreply", "x-autorespond", "x-autoresponder", "x-autoreply-from", "x-auto-reply-from", "x-mail-autoreply",
    "x-vacation", "x-ms-exchange-inbox-rules-loop", "x-amazon-auto-reply", "x-auto-generated", "x-fc-machinegenerated",
    "x-tmda-fingerprint", "x-choicemail-registration-request", "x-boxbe-challenge", "secure-join",
)  # fmt: skip
_LIST_FIELDS = (
    "list-id", "list-unsubscribe", "list-post", "list-help", "list-subscribe", "list-owner", "list-archive",
    "mailing-list", "x-mailing-list", "x-beenthere", "x-mailman-version", "x-listname", "x-campaignid",
)  # fmt: skip
_SUPPRESSED = "X-Auto-Response-Suppress"
_FIELD_MARKS: Sequence[tuple[Sequence[str], str, Mark, str]] = (
    (_AUTOMATIC_FIELDS, "", Mark.RESPONDER, "a field of an autoresponder"),
    (("x-apple-action",), r"vacation$", Mark.RESPONDER, "a field of an autoresponder"),
    (("x-post-messageclass", "delivered-to"), r".*autorespond", Mark.RESPONDER, "a field of an autoresponder"),
    (("precedence", "preference", "x-precedence"), r".*auto_reply", Mark.RESPONDER, "Precedence: auto_reply"),
    # Exchange stamps it on people's mails by a company's rule, and on its notices of absence.
    (("x-auto-response-suppress",), r".*\b(?:all|oof|autoreply)\b", Mark.RELAY, _SUPPRESSED),
    (_LIST_FIELDS, "", Mark.RELAY, "mailing list or bulk mail"),
    (("precedence",), r"\s*(?:bulk|list|junk)(?:[\s,;:]|$)", Mark.RELAY, "mailing list or bulk mail"),
    (("x-spam-flag",), r"yes$", Mark.RELAY, "spam by a filter on the way"),
    (("x-spam-status",), r"\s*yes(?:[\s,;:]|$)", Mark.RELAY, "spam by a filter on the way"),
)
"""Fields, a pattern of the value ("" for any), the mark it is, and the reason for the operator."""
_RECIPIENT = re.compile(r"(?im)^(?:final|original)-recipient:\s*+(?:[\w-]{1,20}\s*+;)?\s*+<?([^\s<>;]{1,250})")
_FIELD = r"(?im)^{}:[ \t]*([^\n]{{1,200}})"
_ACTION, _STATUS, _DISPOSITION, _FEEDBACK, _ID = (
    re.compile(_FIELD.format(name)) for name in ("action", "status", "disposition", "feedback-type", "message-id")
)
_METHOD_REPLY = re.compile(r"^METHOD:REPLY\s*$", re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")


@dataclass(frozen=True)
class Evidence:
    """The evidence for the tests below: the mail, its envelope, and what is read from them once."""

    mail: Entity
    envelope: Envelope
    robot: Robot
    sender: str
    subject: str
    token: str | None
    """The reply token it came to."""
    bounce_token: str | None
    """The token of the return path it came to."""
    excused: bool = False
    """Whether Auto-Submitted is ignored."""

    def has(self, *names: str) -> bool:
        """Whether one of these fields is present."""
        return not self.mail.fields.keys().isdisjoint(names)

    def field(self, name: str) -> str:
        """The value of the first field of this name, in lower case; "" if there is none."""
        values = self.mail.fields.get(name)
        return values[0].lower() if values else ""

    def report(self, kind: str) -> str | None:
        """The text of the first part of a kind such as "delivery-status"; None if there is none."""
        # People's mails mostly have one part, and this is asked of each.
        if not self.mail.parts and self.mail.type != f"message/{kind}":
            return None
        part = next((part for part in self.mail.walk() if part.type == f"message/{kind}"), None)
        return None if part is None else decoded(part, limit=32_768)

    @cached_property
    def null_path(self) -> bool:
        """Whether the return path in the envelope, or if unknown in the fields, is empty; or one is a mail system's."""
        # A fetched mailbox has no envelope; its server wrote the return path into a field.
        fields = [path for path in (self.mail.first("return-path"), self.mail.first("x-envelope-from")) if path]
        paths = fields if self.envelope.mail_from is None else [self.envelope.mail_from]
        is_empty = any(not path.strip("<> ") for path in paths)
        return is_empty or any(_DAEMON.fullmatch(_local(path)) for path in (*paths, *fields))

    def is_from(self, senders: re.Pattern[str]) -> bool:
        """Whether the address in From, or the whole From if it has none, matches."""
        return any(map(senders.fullmatch, self._names))

    @cached_property
    def _names(self) -> Sequence[str]:
        if self.sender:
            return [_local(self.sender)]
        field = self.mail.first("from")
        return [*map(_local, headers.plain_addresses([field])), field.strip("<> ")]

    @cached_property
    def is_from_machine(self) -> bool:
        """Whether it is from a program, including mail systems and postmasters."""
        return self.is_from(_MACHINE)

    @property
    def is_named_daemon(self) -> bool:
        """Whether the name in From is a mail system's, like "Mail Delivery Subsystem"."""
        return _DAEMON.fullmatch(self.mail.first("from").partition("<")[0].strip(' "')) is not None

    @cached_property
    def opens_as_automatic(self) -> bool:
        """Whether the subject, or a tag in brackets at its beginning, is an autoresponder's."""
        openings = {headers.strip_subject(self.subject), self.subject.lstrip(" [(*【")}
        return any(map(phrases.AUTOMATIC_SUBJECT.match, openings))


def _local(address: str) -> str:
    """The local part of an address, with or without angle brackets."""
    address = address.strip("<> ")
    return address.rpartition("@")[0] or address


Verdict = tuple[Action, str] | tuple[Action, str, Mark] | None


def verdict(seen: Evidence) -> Discard | None:
    """The first reason not to answer a mail; None for a person's mail. The most reliable evidence is checked first."""
    for test in _TESTS:
        if (found := test(seen)) is not None:
            break
    else:
        return None
    action, reason, *marks = found
    mark = marks[0] if marks else Mark.RESPONDER
    # Programs that play by mail say honestly what they are, and their moves count.
    if mark is Mark.RESPONDER and not seen.excused and _is_program(seen):
        mark = Mark.PROGRAM
    message_id = headers.message_id(seen.mail.fields.get("message-id", []))
    discard = Discard(action, reason, message_id, seen.sender, seen.bounce_token, mark=mark)
    if action is not Action.BOUNCE:
        return discard
    failed = failures(seen)
    return replace(discard, failures=failed, permanent=_is_permanent(seen, failed))


def _is_program(seen: Evidence) -> bool:
    """Whether the only objection to a mail is its statement, demanded by RFC 3834, that a program wrote it."""
    submitted = _word(seen.field("auto-submitted"))
    marked = submitted in ("auto-generated", "auto-replied") and "vacation" not in seen.field("auto-submitted")
    return marked and seen.token is not None and verdict(replace(seen, excused=True)) is None


def _own(seen: Evidence) -> Verdict:
    """A returned mail of ours, or one that claims to be from an address of ours, with or without a token."""
    # Two servers of this kind would answer each other for ever.
    if seen.has(LOOP_HEADER.lower()) or seen.robot.owns(seen.sender):
        return Action.IGNORE, "our own mail came back", Mark.NONE
    return None


def _complaint(seen: Evidence) -> Verdict:
    """A report of abuse (RFC 5965), or a single or aggregate report of DMARC or TLS."""
    report = seen.report("feedback-report")
    if report is not None:
        kind = _first(_FEEDBACK, report).lower()
        # RFC 6591: such a report tells of forged mails, not of a person who wants no more of ours.
        if kind.startswith("auth-failure"):
            return Action.IGNORE, "report of an authentication failure"
        return Action.COMPLAINT, f"complaint: {kind or 'unknown'}"
    if _COMPLAINT_SUBJECT.match(seen.subject):
        return Action.COMPLAINT, "subject of a complaint"
    # RFC 7489, 7.2 and RFC 8460, 5.3: providers send these every day to whoever publishes a policy.
    if _DMARC_SUBJECT.match(seen.subject) or seen.has("tls-report-domain"):
        return Action.IGNORE, "DMARC or TLS report"
    return None


def _report(seen: Evidence) -> Verdict:
    """A delivery status (RFC 3464) or a disposition notification (RFC 8098), which filters also use to refuse mail."""
    status = seen.report("delivery-status")
    if status is None:
        status = seen.report("global-delivery-status")
    if status is not None:
        actions = {_word(action) for action in _ACTION.findall(status)}
        # RFC 3464, 2.3.3: delivered, relayed and expanded are no failures.
        if actions and not actions & {"failed", "delayed"}:
            return Action.IGNORE, "notice of a delivery"
        return Action.BOUNCE, "delivery status notification"
    disposition = seen.report("disposition-notification")
    if disposition is None:
        return None
    # RFC 5429: a Sieve script refuses a mail by a disposition notification.
    refused = "reject" in seen.field("auto-submitted") or phrases.FAILURE_SUBJECT.search(seen.subject)
    if "deleted" in _first(_DISPOSITION, disposition).lower() and refused:
        return Action.BOUNCE, "refused by the recipient's filter"
    return Action.IGNORE, "read receipt"


def _failure(seen: Evidence) -> Verdict:
    """A bounce without a report: one with a field of bounces, from a mail system, or with words of failure."""
    # Exim names the recipient in a field of its own, Exchange marks its notices, and a report may lack its part.
    broken_report = "delivery-status" in seen.field("content-type")
    if broken_report or seen.has("x-failed-recipients", "x-ms-exchange-message-is-ndr"):
        return Action.BOUNCE, "a field of bounces"
    # A vacation notice comes without return path as well, but its address works.
    vacation = "vacation" in seen.field("auto-submitted")
    if vacation or seen.opens_as_automatic:
        return None
    if seen.is_named_daemon or seen.is_from(_DAEMON):
        return Action.BOUNCE, "sender is a mail system"
    # RFC 5321, 4.5.5: bounces have no return path, and come to ours. People write of failures, too ("my move failed").
    nobody = seen.null_path or seen.bounce_token is not None
    if not (nobody or seen.is_from_machine):
        return None
    if phrases.FAILURE_SUBJECT.search(seen.subject):
        return Action.BOUNCE, "failure in the subject"
    # An autoresponder has no return path either, but its text is a person's own, and may speak of failures.
    unmarked = nobody and _responder(seen) is None
    if (unmarked or seen.is_from(_POSTMASTER)) and phrases.FAILURE_TEXT.search(_visible(seen.mail)):
        return Action.BOUNCE, "failure in the text"
    return None


def _responder(seen: Evidence) -> Verdict:
    """What a field says that only programs write, or that is written on programs' mails."""
    submitted = _word(seen.field("auto-submitted"))
    if submitted and submitted != "no" and not seen.excused:
        return Action.IGNORE, f"Auto-Submitted: {submitted}"
    found = _field_mark(seen, Mark.RESPONDER)
    return found or _field_mark(seen, Mark.RELAY, _SUPPRESSED)


def _field_mark(seen: Evidence, mark: Mark, only: str = "") -> Verdict:
    """The first row of the table above with this mark that fits the mail. only: its reason."""
    for names, pattern, kind, reason in _FIELD_MARKS:
        if kind is not mark or not seen.has(*names) or only not in ("", reason):
            continue
        if not pattern or any(re.match(pattern, seen.field(name)) for name in names):
            return Action.IGNORE, reason, mark
    return None


def _automatic(seen: Evidence) -> Verdict:
    """A vacation notice or another program's answer."""
    if (found := _responder(seen)) is not None:
        return found
    # RFC 3834 is kept by few of the programs on people's desks: for these only the words remain.
    if seen.opens_as_automatic:
        return Action.IGNORE, "subject of an autoresponder"
    parts = list(seen.mail.walk())
    if any(
        # RFC 9078, and Gmail's own type: a thumb below a board is no move.
        part.first("content-disposition")[:8].lower() == "reaction" or part.type.endswith(".email-reaction+json")
        for part in parts
    ):
        return Action.IGNORE, "reaction to a mail"
    if any(part.type == "text/calendar" and _answers_invitation(part) for part in parts):
        return Action.IGNORE, "answer of a calendar"
    # With a token it answers a board: "I am away until Monday" may be a player's own words to the opponent.
    if seen.token is None and phrases.AUTOMATIC_TEXT.search(_visible(seen.mail)[:_OPENING]):
        return Action.IGNORE, "text of an autoresponder"
    return None


def _answers_invitation(part: Entity) -> bool:
    """Whether a calendar's part is an answer, by its type or, as some calendars write it, only within."""
    said = part.parameters.get("method", "").lower()
    return said == "reply" or _METHOD_REPLY.search(decoded(part, limit=4096)) is not None


def _bulk(seen: Evidence) -> Verdict:
    """A mailing list, bulk mail, spam as marked by a filter on the way, or an address that is not a person's."""
    if (found := _field_mark(seen, Mark.RELAY)) is not None:
        return found
    if seen.is_from_machine:
        return Action.IGNORE, "sender is a program", Mark.RELAY
    # Mailing lists and forwarders write their own return path, whoever wrote the mail.
    path = seen.envelope.mail_from or ""
    if _RELAY.fullmatch(path):
        return Action.IGNORE, "return path of a mail system", Mark.RELAY
    # People's addresses may have such names, too: a command from one is heard, a notice gets no answer.
    is_doubtful = seen.is_from(_DOUBTFUL) or (path != seen.sender and _DOUBTFUL.fullmatch(_local(path)))
    if is_doubtful and not _is_command(seen):
        return Action.IGNORE, "sender has a machine's name", Mark.RELAY
    return None


def _is_command(seen: Evidence) -> bool:
    """Whether a mail from a machine's name may be a person's: not a notice, and either short or an answer to us."""
    text = _visible(seen.mail)
    if phrases.NOTICE.search(seen.subject) or phrases.NOTICE.search(text[:_OPENING]):
        return False
    return seen.token is not None or len(seen.subject) + len(text.strip()) <= _SHORT


def _returned(seen: Evidence) -> Verdict:
    """Any other mail to a return path of ours, which is an unmarked bounce, or any other mail without a return path."""
    # That address stands in no mail for people to see: only machines write there.
    if seen.bounce_token is not None:
        return Action.BOUNCE, "came to a return path"
    if seen.null_path:
        return Action.IGNORE, "null return path"
    return None


_TESTS: Sequence[Callable[[Evidence], Verdict]] = (
    _own, _complaint, _report, _failure, _automatic, _bulk, _returned,
)  # fmt: skip


def failures(seen: Evidence) -> tuple[Failure, ...]:
    """The recipients a bounce names: in its report, otherwise in its fields, otherwise as flufl.bounce finds them."""
    # RFC 6533, 3: the same report for addresses with letters beyond ASCII.
    status = seen.report("delivery-status") or seen.report("global-delivery-status")
    if status is not None:
        found = _reported(status)
    # A filter's owner may change their mind, so its refusal never counts as lasting.
    elif (refusal := seen.report("disposition-notification")) is not None:
        found = [Failure(address, permanent=False) for address in _RECIPIENT.findall(refusal)]
    else:
        found = []
    # Exim and Gmail write it (X-Failed-Recipients), but not whether it is for good: that only the text says.
    if not found and (failed := headers.plain_addresses(seen.mail.fields.get("x-failed-recipients", []))):
        permanent = bool(phrases.PERMANENT.search(_visible(seen.mail)))
        found = [Failure(address, permanent) for address in failed]
    return tuple(dict.fromkeys(found or _scanned(seen)))[:_MAX_FAILURES]


def _reported(status: str) -> list[Failure]:
    """The failures of a delivery status, which has a block for each recipient; one without an action is permanent."""
    found = []
    for block in re.split(r"\n[ ]*\n", status):
        recipient, action = _RECIPIENT.search(block), _word(_first(_ACTION, block))
        code = _CODE.search(_first(_STATUS, block))
        if recipient and action not in ("delivered", "relayed", "expanded"):
            # RFC 3463, 2: class 4 passes, such as a full mailbox, even if the action is "failed".
            permanent = action != "delayed" and not (code and code[0].startswith("4"))
            found.append(Failure(recipient[1].lower(), permanent, code[0] if code else ""))
    return found


def _scanned(seen: Evidence) -> list[Failure]:
    """The failures that flufl.bounce finds in the text; it takes real replies for bounces, so it only gets bounces."""
    fields = ((name, value) for name in ("from", "to", "subject") for value in seen.mail.fields.get(name, []))
    source = "".join(f"{name}: {value}\n" for name, value in fields)
    text = "\n".join(line[:_LONGEST_LINE] for line in _visible(seen.mail).split("\n"))
    try:
        passing, lasting = all_failures(email.message_from_string(f"{source}\n{text}"))
    except Exception:  # noqa: BLE001 - its detectors' errors on hostile mails are not documented
        return []
    marked = [(address, True) for address in lasting] + [(address, False) for address in passing - lasting]
    return [Failure(address.decode("ascii", "replace").lower(), permanent) for address, permanent in marked]


def _is_permanent(seen: Evidence, failed: tuple[Failure, ...]) -> bool:
    """Whether a bounce says that trying again is useless; if it names nobody, its words decide."""
    if failed or seen.report("disposition-notification") is not None:
        return any(failure.permanent for failure in failed)
    return bool(phrases.PERMANENT.search(_visible(seen.mail)))


def _visible(mail: Entity) -> str:
    """The beginning of a mail's text, for finding words in it."""
    texts = (part for part in mail.walk() if part.type.startswith("text/") and not part.attached)
    return "\n".join(decoded(part, limit=8192) for part, _ in zip(texts, range(3), strict=False))


def _first(pattern: re.Pattern[str], text: str) -> str:
    """The first group of the first match; "" for none."""
    match = pattern.search(text)
    return match[1].strip() if match else ""


def _word(value: str) -> str:
    """The first word, in lower case, without punctuation at its end."""
    return (value.split() or [""])[0].rstrip(",;:").lower()
