"""What happens to mails of which nothing is carried out, and what people are told then, none of it too often.

Among them are bounces of our mails, and complaints about them, which are never answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import structlog

from pbm.core.by_operator import address_of
from pbm.core.clocks import note_reach
from pbm.core.counts import BOUNCED, LIMITED, LOST_MOVES
from pbm.core.limits import Act, TooMuch, drawn
from pbm.core.notify import Desk, Tools, letters_for, reader_of, tell_operator
from pbm.domain.addresses import is_player
from pbm.domain.mail import Arrival, Mail, Queued
from pbm.domain.match import Player
from pbm.features import postmaster
from pbm.features.challenge.invitation import note_undelivered
from pbm.mailin import Action, Discard, Message
from pbm.reading.commands import Command
from pbm.server.guard import Throttle
from pbm.server.prepared import Prepared, Settled
from pbm.store import Transaction
from pbm.store.matches import Summary
from pbm.store.players import Ban, Returned
from pbm.values import frozen

log = structlog.get_logger()

SUSPENDED = "pbm: you are suspended"
LOCKED = "pbm: your email is encrypted"
UNHEARD = "pbm: only the operator has read this"
_DAY = timedelta(days=1)


@frozen
class UndoneMails:
    """The ends of such mails, and the letters about them, if anybody is told."""

    tools: Tools
    throttle: Throttle

    def excess_of_guesses(self, tx: Transaction, mail: Prepared) -> Settled | None:
        """The end of a mail to an address we never gave to anybody, if it is one too many; None otherwise."""
        problem = drawn(tx, self.tools.limits, Act.WRONG_ADDRESS, mail.origin.whose())
        if problem is None:
            return None
        told = self.of_silence(tx, mail.origin.address, problem, ignored=True)
        return Settled(Arrival.IGNORED, f"limit: {problem}", told)

    def leave_undone(self, tx: Transaction, mail: Prepared, problem: TooMuch) -> Settled:
        """The end of a mail for which nothing is done, because it could not be answered."""
        LIMITED.inc()
        told = self.of_silence(tx, mail.letter.sender, problem, ignored=mail.sender.shown is None)
        return Settled(Arrival.IGNORED, f"limit: nothing was done. {problem}", told)

    def lay_aside(self, tx: Transaction, discard: Discard) -> Settled:
        """The end of a mail that is never answered; a bounce counts for the recipient of our mail.

        A mail that could not be read waits for the operator: a person may have written it.
        """
        reason = f"{discard.action}: {discard.reason}"
        if discard.action in (Action.BOUNCE, Action.COMPLAINT):
            reason += f"; {Bouncing(self.tools).note(tx, discard)}"
        # The operator sees by this count that a mark on mails makes moves vanish.
        if discard.may_be_move:
            LOST_MOVES.inc()
            reason = f"move: not played, {discard.reason}"
        return self._put_by(tx, reason) if discard.action is Action.REJECT else Settled(Arrival.IGNORED, reason)

    def _put_by(self, tx: Transaction, reason: str, told: Sequence[Mail] = ()) -> Settled:
        """The end of a mail that waits for the operator; if too many wait, it is ignored: anybody can cause them."""
        most = self.tools.house.parked_mails
        if tx.overview.mails(Arrival.PARKED).number < most:
            return Settled(Arrival.PARKED, reason, tuple(told))
        LIMITED.inc()
        return Settled(Arrival.IGNORED, f"limit: {most} emails wait for the operator; {reason}", tuple(told))

    def of_silence(self, tx: Transaction, address: str, problem: TooMuch, *, ignored: bool = False) -> tuple[Mail, ...]:
        """The letter that tells a player that they get no answers for a while; none for anybody else, or a second time.

        ignored: what they ask is not done either.
        """
        players = tx.players.of_address(address)
        until = self.throttle.first_word(tx, address, problem.until) if players else ""
        if not until:
            return ()
        player = players[0] if len(players) == 1 else None
        token = self.tools.composer.answered_by(reader_of(Desk(tx, self.tools), player)) if player else ""
        return (
            self._letter(
                tx, address, "pbm: no answers for a while", "silent.txt", player=player, reply_to=token,
                userid=" and ".join(player.userid for player in players), until=until, ignored=ignored,
            ),
        )  # fmt: skip

    def of_suspension(self, tx: Transaction, ban: Ban) -> tuple[Mail, ...]:
        """The letters that tell a player, once a day, that they are banned."""
        player = tx.players.find(ban.subject) if is_player(ban.subject) else None
        if player is None or tx.outbox.written(player.id, SUSPENDED, tx.now - _DAY):
            return ()
        return tuple(
            self._letter(
                tx, address, SUSPENDED, "suspended.txt", player=player, asked=True,
                until=ban.until, reason=ban.reason.rstrip("."), postmaster=address_of(self.tools),
            )
            for address in tx.players.confirmed(player.id)
        )  # fmt: skip

    def of_locked(self, tx: Transaction, mail: Prepared, *, reads: bool) -> tuple[Mail, ...]:
        """The letter, once a day, that an encrypted mail cannot be read. reads: whether others can be."""
        address = mail.letter.sender
        # Chat apps encrypt each answer, so one letter for each would go on for ever.
        if not address or tx.outbox.wrote_to(address, LOCKED, tx.now - _DAY):
            return ()
        letter = self._letter(tx, address, LOCKED, "locked.txt", to=mail.letter, reads=reads)
        return self._few(tx, mail, letter._replace(reply=True))

    def for_operator(self, tx: Transaction, mail: Prepared) -> Settled:
        """The end of a mail to postmaster or abuse: it waits for the operator, who is told."""
        told = self._few(tx, mail, *postmaster.tell_operator(Desk(tx, self.tools), mail.row, mail.letter))
        return self._put_by(tx, "postmaster: for the operator", (*told, *self._of_command(tx, mail)))

    def _of_command(self, tx: Transaction, mail: Prepared) -> tuple[Mail, ...]:
        """The letter, once a day, to a player whose mail to the operator is a command: nothing of it was done."""
        player = mail.sender.claimed
        is_command = bool(mail.commands) and all(isinstance(each, Command) for each in mail.commands)
        if player is None or not is_command or tx.outbox.written(player.id, UNHEARD, tx.now - _DAY):
            return ()
        # We write to the address as its player confirmed it; From may spell it in other letters.
        reader, sender = reader_of(Desk(tx, self.tools), player), mail.letter.sender.casefold()
        address = next((each for each in reader.addresses if each.casefold() == sender), "")
        if not address:
            return ()
        token = self.tools.composer.answered_by(reader)
        letter = self._letter(
            tx, address, UNHEARD, "to-operator.txt",
            to=mail.letter, player=player, form=reader.settings.mail, reply_to=token,
        )._replace(reply=True)  # fmt: skip
        return () if self.throttle.excess(tx, letter, mail.cause(None)) else (letter,)

    def of_fault(self, tx: Transaction, mail: Prepared, reference: str) -> tuple[Mail, ...]:
        """The letters about a fault of ours, to the operator and, if they are a player, to the sender."""
        sender = mail.message.sender if isinstance(mail.message, Message) else ""
        known = sender if tx.players.of_address(sender) else ""
        operator = (self.tools.operator, f"pbm: fault {reference}", "fault-operator.txt")
        told = [each for each in ((known, "pbm: our fault", "fault.txt"), operator) if each[0]]
        return self._few(
            tx, mail, *(self._letter(tx, *each, inbox_id=mail.row.id, reference=reference) for each in told)
        )

    def _letter(self, tx: Transaction, address: str, subject: str, page: str, **words: Any) -> Mail:
        return self.tools.composer.letter(address, subject, page, tx.now, **words)

    def _few(self, tx: Transaction, mail: Prepared, *letters: Mail) -> tuple[Mail, ...]:
        """The letters because of a mail that are not too many; they are counted."""
        cause = mail.cause(mail.sender.shown)
        return tuple(letter for letter in letters if not self.throttle.excess(tx, letter, cause))


_OF_THE_MAIL = ("5.1.7", "5.1.8", "5.2.2", "5.2.3", "5.3.4", "5.7.")
"""How statuses begin that speak of this mail or of who sends it, and not of the recipient's address (RFC 3463)."""


@frozen
class Bouncing:
    """Counts bounces and complaints, suspends addresses that fail for good, and tells the operator of each."""

    tools: Tools

    def note(self, tx: Transaction, discard: Discard) -> str:
        """Count a bounce or a complaint for the recipient of our mail; returns what was done, for the operator."""
        # Ids of our mails are in answers that others see, too, so only our own return path says what came back.
        key = self.tools.composer.signer.key_returned(discard.bounce_token or "")
        mail = tx.bounces.mail_of([key]) if key else None
        if mail is None:
            return "about no email of ours that is known"
        if discard.action is Action.COMPLAINT:
            return self._spare(tx, mail)
        lasting = [failure.status for failure in discard.failures if failure.permanent]
        # Whether the address itself has failed; a bounce without a report may name nobody, and then its words decide.
        hard = any(not status.startswith(_OF_THE_MAIL) for status in lasting) if discard.failures else discard.permanent
        return self._count(tx, mail, hard=hard, reason=next(filter(None, lasting), discard.reason))

    def given_up(self, tx: Transaction, queued: Queued, reason: str, is_refused: bool) -> None:
        """Tell of a mail that is given up. A refused recipient counts as a bounce: no bounce will come."""
        mail = tx.bounces.mail_of([queued.mail.key])
        if mail is not None and is_refused:
            self._count(tx, mail, hard=True, reason=reason)
        board, player_id = queued.mail.board, queued.mail.player_id
        # A later mail of the board has arrived, and holds all that the lost one did.
        if board is None or player_id is None or tx.outbox.has_reached(player_id, board, queued.created_at):
            return
        # When their address was suspended, all their boards were told.
        if tx.players.unreachable(player_id):
            return
        match = tx.matches.summary(board)
        if match is not None and self._tell_opponents(tx, [match], player_id):
            tell_operator(
                Desk(tx, self.tools), f"pbm: board {board}, an email was given up", "unreached-operator.txt",
                board=board, outbox=queued.id, failed=queued.mail.address, reason=reason,
            )  # fmt: skip

    def _tell_opponents(self, tx: Transaction, matches: Iterable[Summary], player_id: int) -> bool:
        """Tell the other players, each once, that mails about boards under way were lost; whether anybody is told.

        Followers, on whom nobody waits, and whoever is told already are left out.
        """
        at, is_told, lost = Desk(tx, self.tools), False, tx.players.get(player_id)
        boards = defaultdict[Player, list[int]](list)
        for match in matches:
            if match.ended_at is None and lost in match.players:
                first, second = match.players
                boards[second if first == lost else first].append(match.board)
        for other, numbers in boards.items():
            name = lost.userid if lost else ""
            about = f"board {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} boards"
            subject = f"pbm: {about}, {name} was not reached"
            if not tx.outbox.is_owed(other.id, subject):
                at.owe(letters_for(at, reader_of(at, other), subject, "unreached.txt", boards=numbers, lost=name))
                is_told = True
        return is_told

    def _count(self, tx: Transaction, mail: Returned, *, hard: bool, reason: str) -> str:
        most = self.tools.house.hard_bounces_to_suspend
        bounces = tx.bounces.count(mail, tx.now, hard=hard)
        BOUNCED.labels("hard" if hard else "soft").inc()
        log.info("bounced", outbox=mail.id, hard=hard, bounces=bounces)
        # A full mailbox or a filter: the address itself is good, and is never suspended for that.
        if not hard:
            return f"{mail.address}, for now"
        # One bounce may be a mistake of a mail server, so it takes several.
        if bounces >= most and self._suspend(tx, mail.address, bounces, reason):
            return f"{mail.address}, for good; it is suspended now"
        if bounces:
            return f"{mail.address}, for good, {bounces} of {most}"
        returned = None if mail.counted else tx.outbox.get(mail.id)
        invited = returned is not None and note_undelivered(Desk(tx, self.tools), returned.mail)
        return f"{mail.address}, which was invited" if invited else f"{mail.address}, which is nobody's"

    def _suspend(self, tx: Transaction, address: str, bounces: int, reason: str) -> bool:
        """Send nothing more to an address, and tell of it; False if that is so already.

        What waited for it is lost on all boards, whoever is to move there.
        """
        days, players = self.tools.house.unreachable_days, tx.bounces.suspend(address, tx.now)
        for player in players:
            note_reach(tx, player, days)
        lost = [player for player in players if tx.players.unreachable(player.id)]
        own = {player.id: tx.matches.summaries(player_ids=(player.id,), active=True, limit=None) for player in lost}
        if players:
            tell_operator(
                Desk(tx, self.tools), f"pbm: no more mail to {address}", "suspended-operator.txt", failed=address,
                userids=[player.userid for player in players], unreachable=[player.userid for player in lost],
                boards=sorted({match.board for matches in own.values() for match in matches}),
                days=days, bounces=bounces, reason=reason,
            )  # fmt: skip
        for player_id, matches in own.items():
            self._tell_opponents(tx, matches, player_id)
        return bool(players)

    def _spare(self, tx: Transaction, mail: Returned) -> str:
        """Send a player who complains only the mails of their own games from now on."""
        # A provider may report the same mail several times.
        if mail.counted:
            return f"{mail.address}, again"
        tx.bounces.mark(mail, tx.now)
        player = tx.players.get(mail.player_id) if mail.player_id is not None else None
        if player is not None:
            tx.players.choose(player.id, broadcasts="off")
            tx.follows.unfollow_all(player.id)
        userid = player.userid if player else ""
        subject = f"pbm: complaint of {mail.address}"
        tell_operator(Desk(tx, self.tools), subject, "complaint-operator.txt", complainer=mail.address, userid=userid)
        return f"{mail.address}, which gets nothing any more that is optional" if player else mail.address
