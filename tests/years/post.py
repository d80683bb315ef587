"""The post of a simulated club: the smarthost, the mailboxes of people, and what their mail servers do with a mail.

Mails come late, twice, and in another order than they were written. The smarthost answers by address and by text, takes
mails and says nothing, and some addresses it finds greylisted. A mailbox that is closed refuses mails at once, or takes
them, and days later they come back, to where they must or elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count, pairwise
from typing import TYPE_CHECKING

from pbm.compose.tell import mail_bytes
from pbm.domain.mail import Queued
from pbm.edges.transports import MailRefused, MaybeTaken, RecipientRefused, TemporaryFailure, Unreachable
from pbm.server import Arriving
from pbm.store import DatabaseTrouble
from pbm.store.neighbours import Outdated
from tests.conversation import ROBOT, Got, check_wire
from tests.years.doom import Killed
from tests.years.story import Said, Told

if TYPE_CHECKING:
    from tests.years.world import World

TAKEN = "the smarthost took a mail, it is not marked"
GREYLISTS, BOUNCES = "@plain.example", "@s2.example"
"""Whose mail servers put off the first mail to an address, and whose take what they cannot deliver."""
_GREY_FOR, _KNOWN_FOR = timedelta(minutes=5), timedelta(days=10)
POSTMASTER = "mailer-daemon"


def _proves(answered: Told, now: datetime) -> bool:
    """Whether an answer shows who its writer is: for two weeks, and to a question only if it says yes or no."""
    return now - answered.told_at < timedelta(days=14) and answered.subject != "pbm: was that you?"


class Post:
    """Carries mails between the servers of a world and its people."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._numbers = count(1)
        self._tried_at: dict[str, datetime] = {}
        """When each address that is greylisted was first tried of late."""

    # from the servers

    def send(self, queued: Queued) -> RecipientRefused | TemporaryFailure | None:
        """What the smarthost says to a mail; None if it takes it."""
        world, address = self._world, queued.mail.address
        if world.now < world.down_until:
            return Unreachable("nobody answers")
        if address in world.closed and not address.endswith(BOUNCES):
            world.story.refused.add(address)
            return RecipientRefused("550 5.1.1 no such user")
        if self._is_grey(address):
            return TemporaryFailure("451 4.7.1 greylisted, come again")
        failure = self._mood()
        if failure is None or (isinstance(failure, MaybeTaken) and world.dice.random() < 0.5):
            self._take(queued)
        if failure is None:
            world.doom.passing(TAKEN)
        return failure

    def _mood(self) -> TemporaryFailure | None:
        """How the smarthost fails, whatever the mail is; None if it does not."""
        faults, fate = self._world.faults, self._world.dice.random()
        for chance, failure in (
            (faults.not_now, TemporaryFailure("451 not now")),
            (faults.refused, MailRefused("554 not this text")),
            (faults.maybe, MaybeTaken("no answer to the text")),
        ):
            if fate < chance:
                return failure
            fate -= chance
        return None

    def _is_grey(self, address: str) -> bool:
        if not address.endswith(GREYLISTS) or not self._world.faults.not_now:
            return False
        now, first = self._world.now, self._tried_at.get(address)
        if first is None or now - first > _KNOWN_FOR:
            self._tried_at[address] = first = now
        return now - first < _GREY_FOR

    def _take(self, queued: Queued) -> None:
        world, address = self._world, queued.mail.address
        got = Got(address, mail_bytes(queued.mail), queued.mail.board)
        try:
            check_wire(queued, got)
        except AssertionError as error:
            world.story.seen.append(f"{queued.mail.key} to {address} is not fit to be sent: {error}")
        world.story.note(world.now, f"taken {queued.mail.key} for {address}: {queued.mail.subject}")
        told = _told(got, world.now + self._travels())
        if address in world.closed:
            world.story.refused.add(address)
            self._bounce(told, queued.mail.envelope_from, "5.1.1")
        elif world.dice.random() < world.faults.full_mailbox:
            world.story.returned.append(told)
            self._bounce(told, queued.mail.envelope_from, "4.2.2")
        else:
            world.later(told.told_at, lambda: self._arrive(told))

    def _travels(self) -> timedelta:
        """How long a mail travels, so that a later one may be there first."""
        dice = self._world.dice
        travels = timedelta(seconds=dice.choice((1, 2, 5, 30, 120)))
        if dice.random() < self._world.faults.delayed:
            travels += timedelta(hours=dice.choice((1, 5, 30)))
        return travels

    def _arrive(self, told: Told) -> None:
        self._world.story.told.append(told)
        if reader := self._world.readers.get(told.address):
            reader(told)

    # to the servers

    def write(
        self, author: str, sender: str, to: str, line: str, below: str = "", *, verdict: str = "",
        answered: Told | None = None, tear: Callable[[bytes], bytes] | None = None,
    ) -> None:  # fmt: skip
        """Somebody writes a mail to the server. verdict: what the mail server in front says of From.

        line: its first line, or its subject if it answers nothing. tear: what changes its bytes.
        """
        now, board = self._world.now, answered.board if answered is not None else None
        said = Said(
            author,
            sender,
            self._key(sender),
            now,
            line,
            board,
            bool(verdict) or (answered is not None and answered.address == sender and _proves(answered, now)),
        )
        said.is_torn = tear is not None
        head = {"From": sender, "To": to, "Message-ID": f"<{said.key}>", "Date": f"{now:%a, %d %b %Y %T} +0000"}
        text = f"{line}\r\n{below}\r\n"
        if answered is None:
            head["Subject"], text = _in_header(line), f"{below}\r\n"
        else:
            quoted = "".join(f"> {each}\r\n" for each in answered.text.splitlines())
            head |= {"Subject": f"Re: {answered.subject}", "In-Reply-To": f"<{answered.key}>"}
            text += f"\r\nOn Thursday, {ROBOT.address} wrote:\r\n{quoted}"
        if verdict:
            head["Authentication-Results"] = f"{ROBOT.authserv_id}; {verdict}"
        self._hand_over(said, to, head, f"Content-Type: text/plain; charset=utf-8\r\n\r\n{text}", sender, tear)

    def bounce(self, author: str, told: Told, to: str, status: str) -> None:
        """A mail server, or somebody who pretends to be one, says that a mail of ours did not arrive."""
        said = Said(author, "", self._key("@mx.example"), self._world.now, f"{told.key} bounced: {status}")
        head = {
            "From": f"{POSTMASTER}@mx.example",
            "To": to,
            "Message-ID": f"<{said.key}>",
            "Subject": "Undelivered Mail Returned to Sender",
        }
        text = (
            'Content-Type: multipart/report; report-type=delivery-status; boundary="=b"\r\n\r\n'
            "--=b\r\n\r\nSorry.\r\n--=b\r\nContent-Type: message/delivery-status\r\n\r\n"
            "Reporting-MTA: dns; mx.example\r\n\r\n"
            f"Final-Recipient: rfc822; {told.address}\r\nAction: failed\r\nStatus: {status}\r\n"
            f"\r\n--=b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <{told.key}>\r\n\r\n--=b--\r\n"
        )
        self._hand_over(said, to, head, text, "")

    def _bounce(self, told: Told, envelope_from: str, status: str) -> None:
        """A mail comes back after days, to its return path; of some servers, to its From."""
        to = envelope_from if self._world.dice.random() < 0.8 else ROBOT.address
        days = timedelta(days=self._world.dice.choice((0.01, 1, 4)))
        self._world.later(told.told_at + days, lambda: self.bounce(POSTMASTER, told, to, status))

    def _key(self, sender: str) -> str:
        return f"m{next(self._numbers)}@{sender.rpartition('@')[2]}"

    def _hand_over(
        self, said: Said, to: str, head: dict[str, str], text: str, sender: str,
        tear: Callable[[bytes], bytes] | None = None,
    ) -> None:  # fmt: skip
        words = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        raw = f"{words}{text}".encode()
        mail = Arriving(sender, (to,), tear(raw) if tear is not None else raw)
        self._world.story.said.append(said)
        self._world.later(self._world.now + self._travels(), lambda: self._hand_in(said, mail))

    def _hand_in(self, said: Said, mail: Arriving) -> None:
        """A mail server hands a mail in, and comes again until it hears 250."""
        world, faults = self._world, self._world.faults
        fate, again = world.dice.random(), timedelta(minutes=world.dice.choice((1, 15, 240)))
        if fate < faults.lost / 2 or not self._is_accepted(mail):
            world.later(world.now + again, lambda: self._hand_in(said, mail))
            return
        world.story.note(world.now, f"came {said.key}: {said.line}")
        if fate < faults.lost:  # it is safe, but the connection broke before its server could know
            world.later(world.now + again, lambda: self._hand_in(said, mail))
            return
        said.safe_at = said.safe_at or world.now
        if world.dice.random() < faults.twice:
            world.later(world.now + again, lambda: self._hand_in(said, mail))

    def _is_accepted(self, mail: Arriving) -> bool:
        world, place = self._world, self._world.somebody()
        try:
            if world.dice.random() < world.faults.kill:
                world.doom.kill(world.dice.choice(world.doom.points[:3]), 1)
            elif world.dice.random() < world.faults.full:
                world.doom.break_disk(world.doom.points[1], 1)
            (put_off,) = world.workers[place].service.accept([mail])
        except Killed as killed:
            world.bury(place, str(killed))
            return False
        except Outdated:
            world.bury(place, "it is of an older version")
            return False
        except DatabaseTrouble:
            return False
        finally:
            world.doom.disarm()
        world.wake_for_mail()
        return not put_off


def _in_header(line: str) -> str:
    return line if line.isascii() else "=?utf-8?q?" + "".join(f"={octet:02X}" for octet in line.encode()) + "?="


def _told(got: Got, at: datetime) -> Told:
    words = got["Subject"].split()
    board = next((int(number) for word, number in pairwise(words) if word == "Board"), None)
    answers_to = got["Reply-To"] if "Reply-To" in got.parsed else ROBOT.address
    return Told(got.address, got["Message-ID"][1:-1], got["Subject"], got.body, answers_to, board, at)
