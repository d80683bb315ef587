"""Whether a mail may come in now: there may be too little room, too much may wait, or one writer may send too much.

Whoever is refused is told to come again (452), strangers first and answers to boards last of all. A mail is a
stranger's unless its envelope shows more; anybody can write a player's address there, so an answer to a board comes
before a mail that only seems to be a player's.

Octets are counted by network, for whatever else an envelope shows may be forged. Only those in answer to a board, or to
a player's mail, are counted for themselves. Such mails are passed on, so in the same network others may have used up
what is theirs: then a small answer to the board as it stands draws from what is for this one position, then from the
same for the player's own address on the envelope; any mail that our mail server vouches for from what is its player's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from pbm.core.limits import Act, Pool, TooMuch, Whose, drawn, excess
from pbm.domain.configuration import Limits
from pbm.domain.tokens import ChatToken, DigestToken, PlayerToken, SeatToken, Signer, Token
from pbm.mailin import Envelope, Judgement
from pbm.mailin.authentication import judged, network_of, peer
from pbm.mailin.headers import Robot, one_address, tokens
from pbm.mailin.mime import head
from pbm.store import Transaction
from pbm.values import frozen

NO_ROOM = "452 4.3.1 Too little room is left here, please try again later"
TOO_MUCH_WAITS = "452 4.4.5 Too many emails wait here, please try again later"
_TOO_MUCH = "452 4.7.1"
_KILOBYTE = 1024
_SMALL = 64 * _KILOBYTE
"""Octets of a mail below which it may be a move, and nothing else."""
_NOTED_FROM, _MOST_IN_MIND = 64, 10_000
"""Kilobytes of a writer that cost a look into the database, and of how many writers fewer are kept in mind."""


@frozen
class Arriving:
    """A mail as it was handed over, before it is stored."""

    mail_from: str | None
    """The envelope's sender: "" for the null path, None if it is not known."""
    recipients: tuple[str, ...]
    raw: bytes
    source: str | None = None
    """A lasting name of the mail in the mailbox it was fetched from; a second mail with the same one is not taken."""
    peer: str = ""
    """The address of the machine that handed it over; empty if there is none."""


class Rank(StrEnum):
    """What the envelope of a mail shows of its writer."""

    STRANGER = "stranger"
    KNOWN = "known"
    """It has a token of ours, or a player's address."""
    PLAYING = "playing"
    """It answers a board; or it was fetched, so that it lies safely in its mailbox, and nobody sends it again."""


class Threshold(NamedTuple):
    """What mails of a rank need to come in."""

    reserve: float
    """The share of house.least_free_megabytes that must be free."""
    wait: timedelta
    """The longest time that the oldest mail may have waited."""
    ahead: int
    """How many mails of their lane may wait. Of each lane one is handled at a time: 500 take about half a minute."""


THRESHOLDS: Mapping[Rank, Threshold] = {
    Rank.STRANGER: Threshold(1, timedelta(minutes=1), 500),
    Rank.KNOWN: Threshold(0.5, timedelta(minutes=5), 500),
    Rank.PLAYING: Threshold(0.25, timedelta.max, 1500),
}


class Pressure(NamedTuple):
    """How things stand here."""

    free: int | None
    """Octets that are free on the disk of the database; None if it is not known."""
    reserve: int
    """Octets of it that should stay free."""
    waited: timedelta
    """How long the oldest mail has waited."""
    ahead: int = 0
    """How many mails wait in the lane of the mail that is judged: one writer's flood is put off for itself."""

    @property
    def is_short(self) -> bool:
        return self.free is not None and self.free < self.reserve

    @property
    def is_behind(self) -> bool:
        return self.waited > THRESHOLDS[Rank.STRANGER].wait

    def refusal(self, rank: Rank) -> str:
        """The reply to a mail of the rank that cannot come in; empty if it can."""
        threshold = THRESHOLDS[rank]
        if self.free is not None and self.free < self.reserve * threshold.reserve:
            return NO_ROOM
        is_late = self.waited > threshold.wait or self.ahead >= threshold.ahead
        return TOO_MUCH_WAITS if is_late else ""


class _Written(NamedTuple):
    """What the envelope of a mail shows, and what its octets are drawn from."""

    rank: Rank
    whose: Whose
    token: Token | None = None


def _act(whose: Whose) -> Act:
    return Act.INCOMING if whose.writer else Act.UNPLACED


class Admission:
    """Judges mails by their envelopes, and counts their octets for all processes together."""

    def __init__(self, robot: Robot, signer: Signer, *, noted_from: int = _NOTED_FROM) -> None:
        """noted_from: the kilobytes of a writer that are noted in the database; fewer are kept in mind until then."""
        self._robot = robot
        self._signer = signer
        self._noted_from = noted_from
        self._not_noted: Counter[str] = Counter()
        """Kilobytes, by writer."""

    def refusal(self, tx: Transaction, limits: Limits, mail: Arriving, pressure: Pressure) -> str:
        """The reply to a mail that cannot come in now; empty if it can, and then its octets are counted."""
        written = self._written(tx, mail)
        if reply := pressure.refusal(written.rank):
            return reply
        # It was fetched, so whoever wrote it cannot be told to come again.
        if mail.source is not None:
            return ""
        writer = written.whose.writer
        kilobytes = self._not_noted[writer] - (-len(mail.raw) // _KILOBYTE)
        if kilobytes >= self._noted_from:
            if problem := self._drawn(tx, limits, mail, written, kilobytes):
                return f"{_TOO_MUCH} {problem}"
            kilobytes = 0
        self._not_noted[writer] = kilobytes
        # Writers can be made up without end, and what is forgotten is less than 64 kB of each.
        if len(self._not_noted) > _MOST_IN_MIND:
            self._not_noted.clear()
        return ""

    def _drawn(
        self, tx: Transaction, limits: Limits, mail: Arriving, written: _Written, kilobytes: int
    ) -> TooMuch | None:
        """Draw what a mail takes from the first that has as much; returns the first refusal if none has."""
        problems = list[TooMuch]()
        for whose in self._payers(tx, mail, written):
            problem = drawn(tx, limits, _act(whose), whose, kilobytes)
            if problem is None:
                return None
            problems.append(problem)
        return problems[0]

    def _payers(self, tx: Transaction, mail: Arriving, written: _Written) -> Iterator[Whose]:
        """Who is counted for a mail, in turn: the later ones are harder to forge in somebody's network."""
        yield written.whose
        token = written.token
        # A move is small: what is larger may wait, and cannot use up what is for this position.
        if isinstance(token, SeatToken | ChatToken) and len(mail.raw) < _SMALL:
            match = tx.matches.summary(token.board)
            stands = match.revision if match is not None else 0
            # Whoever else has this token could as well play the move. A chat's token is good for every position.
            if isinstance(token, ChatToken) or token.revision == stands:
                present = f"{written.whose.writer}, at {stands}"
                yield Whose(writer=present)
                # Their provider lets nobody else write this on the envelope, even if others there have the token.
                if match is not None and match.players[token.seat - 1] in tx.players.of_address(mail.mail_from or ""):
                    yield Whose(writer=f"{present}, from home")
        fields = head(mail.raw)
        sender, envelope = one_address(fields.get("from", [])), Envelope(mail.mail_from, mail.recipients)
        if judged(fields, envelope, self._robot, sender) is Judgement.PASSED:
            for player in tx.players.of_address(sender):
                yield Whose(writer=f"player {player.id}")

    def forecast(self, tx: Transaction, limits: Limits, mail: Arriving, pressure: Pressure) -> str:
        """As refusal, for a large mail of which only the envelope has come. Nothing is counted."""
        written = self._written(tx, mail)
        if reply := pressure.refusal(written.rank):
            return reply
        problem = excess(tx.guesses, limits, tx.now, _act(written.whose), written.whose)
        return f"{_TOO_MUCH} {problem}" if problem is not None else ""

    def _written(self, tx: Transaction, mail: Arriving) -> _Written:
        if mail.source is not None:
            return _Written(Rank.PLAYING, Whose())
        reply, bounce = tokens(mail.recipients, self._robot)
        token = self._signer.open(reply or "")
        # Emails are forwarded: whoever holds one, and sends large answers, uses up nothing of its player elsewhere.
        network = network_of(self._peer(mail), 24)
        if isinstance(token, SeatToken | ChatToken):
            return _Written(Rank.PLAYING, Whose(writer=f"board {token.board}, seat {token.seat} from {network}"), token)
        if isinstance(token, PlayerToken | DigestToken):
            return _Written(Rank.KNOWN, Whose(writer=f"player {token.player_id} from {network}"), token)
        is_known = (
            token is not None
            or bool(reply and tx.tickets.find(reply, tx.now))
            or bool(bounce and self._signer.key_returned(bounce))
            or bool(tx.players.of_address(mail.mail_from or ""))
        )
        return _Written(Rank.KNOWN if is_known else Rank.STRANGER, Whose(Pool.UNPROVEN, writer=network), token)

    def _peer(self, mail: Arriving) -> str:
        """The machine that handed the mail to us, or to the mail server of ours that hands all of them over."""
        return peer(head(mail.raw), self._robot) if self._robot.authserv_id else mail.peer
