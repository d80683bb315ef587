"""Mails of ours that came back, and complaints about them: whom they were for, and what follows. None is answered."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from pbm.core.counts import BOUNCED
from pbm.core.notify import Desk, Tools, tell_operator
from pbm.domain.mail import Queued
from pbm.features.absence import note_reach
from pbm.mailin import Action, Discard
from pbm.store import Transaction
from pbm.store.refusals import Returned

log = structlog.get_logger()

_OF_THE_MAIL = frozenset({"5.2.2", "5.2.3", "5.3.4"})
"""Refusals "for good" that say nothing of the address (RFC 3463): a full mailbox, a mail too large."""


@dataclass(frozen=True, slots=True)
class Bouncing:
    """Tells the operator once for each address that is suspended."""

    tools: Tools

    def note(self, tx: Transaction, discard: Discard) -> str:
        """Account a bounce or a complaint to the recipient of our mail; what became of it, for the operator."""
        mail = tx.bounces.mail_of(_keys(discard))
        if mail is None:
            return "about no email of ours that is known"
        if discard.action is Action.COMPLAINT:
            return self._spare(tx, mail)
        statuses = [failure.status for failure in discard.failures if failure.permanent and failure.status]
        return self._count(tx, mail, hard=_is_hard(discard), reason=(statuses or [discard.reason])[0])

    def refused(self, tx: Transaction, queued: Queued, reason: str) -> None:
        """The next mail server has refused the recipient of a mail for good; it need not send a bounce for that."""
        mail = tx.bounces.mail_of([queued.mail.key])
        if mail is not None:
            self._count(tx, mail, hard=not _OF_THE_MAIL.intersection(reason.split()), reason=reason)

    def _count(self, tx: Transaction, mail: Returned, *, hard: bool, reason: str) -> str:
        most = self.tools.limits.hard_bounces_to_suspend
        bounces = tx.bounces.count(mail, tx.now, hard=hard)
        BOUNCED.labels("hard" if hard else "soft").inc()
        log.info("bounced", outbox=mail.id, hard=hard, bounces=bounces)
        if not hard:
            return f"{mail.address}, for now"
        if bounces >= most and (players := tx.bounces.suspend(mail.address, tx.now)):
            for player in players:
                note_reach(tx, player, self.tools.limits.unreachable_days)
            userids = [player.userid for player in players]
            lost = [player for player in players if tx.players.unreachable(player.id)]
            boards = sorted({board for player in lost for board in tx.matches.ticking(player.id)})
            tell_operator(
                Desk(tx, self.tools), f"pbm: no more mail to {mail.address}", "suspended-operator.txt",
                failed=mail.address, userids=userids, unreachable=[player.userid for player in lost], boards=boards,
                days=self.tools.limits.unreachable_days, bounces=bounces, reason=reason,
            )  # fmt: skip
            return f"{mail.address}, for good; it is suspended now"
        return f"{mail.address}, for good, {bounces} of {most}" if bounces else f"{mail.address}, which is nobody's"

    def _spare(self, tx: Transaction, mail: Returned) -> str:
        """A player who complains gets only the mails of games they play."""
        if mail.counted:
            return f"{mail.address}, again"
        tx.bounces.mark(mail, tx.now)
        player = tx.players.get(mail.player_id) if mail.player_id is not None else None
        if player is not None:
            tx.players.save_settings(player.id, {**tx.players.settings(player.id), "broadcasts": "off"})
            tx.bounces.unfollow_all(player.id)
        userid = player.userid if player else ""
        subject = f"pbm: complaint of {mail.address}"
        tell_operator(Desk(tx, self.tools), subject, "complaint-operator.txt", complainer=mail.address, userid=userid)
        return f"{mail.address}, which gets nothing any more that is optional" if player else mail.address


def _keys(discard: Discard) -> list[str]:
    """Candidates for the key of our mail: the token of the return path, and the local part of the id that came back."""
    returned = (discard.original_id or "").strip("<>").partition("@")[0]
    return [key for key in (discard.bounce_token, returned) if key]


def _is_hard(discard: Discard) -> bool:
    """Whether the address itself failed, and for good."""
    if not discard.failures:
        return discard.permanent
    return any(failure.permanent and failure.status not in _OF_THE_MAIL for failure in discard.failures)
