"""Players with mailboxes on a real IMAP server who send by a real SMTP server, as mail programs do."""

from __future__ import annotations

import email.policy
import email.utils
import smtplib
import threading
import time
import uuid
from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage

from imap_tools import MailBoxUnencrypted

from tests.patience import PATIENCE_SECONDS
from tests.real.servers import PASSWORD, PLAYERS, MailServers


class Person:
    """One mailbox. received: the mails so far, oldest first; raw: the same as bytes. They are fetched by waiting."""

    def __init__(self, servers: MailServers, name: str, robot: str) -> None:
        self.name = name
        self.address = f"{name}@{PLAYERS}"
        self.received: list[EmailMessage] = []
        self.raw: list[bytes] = []
        self._servers = servers
        self._robot = robot
        self._looking = threading.Lock()
        self._box = MailBoxUnencrypted("127.0.0.1", servers.imap).login(self.address, PASSWORD)
        self._seen = set(self._box.uids())

    def close(self) -> None:
        self._box.logout()

    def write(self, subject: str, text: str = "", **headers: str) -> EmailMessage:
        return self.send(self.mail(self._robot, subject, text, **headers))

    def answer(self, letter: EmailMessage, text: str, **headers: str) -> EmailMessage:
        """Send the text above the quoted letter, with the headers that join it to its thread."""
        quoted = "\n".join(f"> {line}" for line in text_of(letter).splitlines())
        body = f"{text}\n\nOn {letter['Date']}, {letter['From']} wrote:\n{quoted}\n"
        usual = {
            "In_Reply_To": letter["Message-ID"],
            "References": f"{letter.get('References', '')} {letter['Message-ID']}".strip(),
        }
        return self.write_to(answer_to(letter), f"Re: {letter['Subject']}", body, **usual | headers)

    def write_to(self, to: str, subject: str, text: str, **headers: str) -> EmailMessage:
        return self.send(self.mail(to, subject, text, **headers))

    def mail(self, to: str, subject: str, text: str, **headers: str) -> EmailMessage:
        mail = EmailMessage(policy=email.policy.SMTP.clone(max_line_length=998))
        mail["From"] = f"{self.name.capitalize()} <{self.address}>"
        mail["To"] = to
        mail["Subject"] = subject
        mail["Date"] = email.utils.localtime()
        mail["Message-ID"] = f"<{uuid.uuid4()}@{PLAYERS}>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        return mail

    def send(self, mail: EmailMessage) -> EmailMessage:
        """Send a mail by Postfix; call it again to send it twice."""
        with smtplib.SMTP("127.0.0.1", self._servers.smtp, timeout=PATIENCE_SECONDS) as postfix:
            postfix.sendmail(self.address, [email.utils.parseaddr(str(mail["To"]))[1]], mail.as_bytes())
        return mail

    def wait_for(self, wanted: Callable[[EmailMessage], bool], count: int = 1) -> EmailMessage:
        """The wanted mail with this number, counted from 1."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            found = [letter for letter in list(self.received) if wanted(letter)]
            if len(found) >= count:
                return found[count - 1]
            assert time.monotonic() < deadline, self._complaint(len(found), count)
            time.sleep(0.05)
            self.look()

    def look(self) -> None:
        with self._looking:
            self._box.client.noop()
            for uid in sorted(set(self._box.uids()) - self._seen, key=int):
                _, data = self._box.client.uid("FETCH", uid, "(BODY.PEEK[])")
                parsed = message_from_bytes(data[0][1], policy=email.policy.default)
                assert isinstance(parsed, EmailMessage)
                self._seen.add(uid)
                self.raw.append(data[0][1])
                self.received.append(parsed)

    def _complaint(self, found: int, count: int) -> str:
        subjects = "\n".join(str(letter["Subject"]) for letter in self.received)
        return f"{self.name} has {found} of {count} mails, of these:\n{subjects}\n{self._servers.log()}"


def text_of(letter: EmailMessage) -> str:
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def answer_to(letter: EmailMessage) -> str:
    return str(letter["Reply-To"] or letter["From"])
