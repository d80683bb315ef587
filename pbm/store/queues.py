"""The two queues: mails that came in and wait to be handled, and mails that wait to be delivered."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Row, bindparam, case, func, insert, literal, literal_column, select, update

from pbm.domain.mail import FINISHED, Arrival, Delivery, Mail, Queued, Received, Sent, Settlement, answers_board
from pbm.store.matches import batched
from pbm.store.statements import Instant, Queries, among, made
from pbm.store.tables import addresses, inbox, matches, outbox, outbox_texts, owed_boards

C = TypeVar("C", bound=int | None)

_NEW = inbox.c.state == Arrival.NEW.value
_CLAIMING = select(inbox).where(_NEW, among(inbox.c.id, "ids")).with_for_update(skip_locked=True)
_CLAIMING_LANES = _CLAIMING.with_only_columns(inbox.c.id, inbox.c.lane)
_WAITS_SINCE = select(inbox.c.received_at).where(_NEW).order_by(inbox.c.id).limit(1)
_LANES = select(inbox.c.id, inbox.c.lane, inbox.c.received_at).where(_NEW).order_by(inbox.c.id).limit(bindparam("most"))
_FIRST = 5000
"""How many of the mails that wait are looked at, oldest first, to find out who waits: five milliseconds a thousand."""
_BOARDS_BEYOND = (
    select(inbox.c.id, inbox.c.lane)
    .where(_NEW, inbox.c.id > bindparam("beyond"))
    .where(inbox.c.lane.startswith("board "), ~inbox.c.lane.contains(" from "))  # as answers_board
    .order_by(inbox.c.id)
    .limit(bindparam("most"))
)
_ELSEWHERE = (
    select(inbox.c.lane, func.min(inbox.c.id).label("oldest"))
    .where(_NEW, inbox.c.id < bindparam("beyond"), ~among(inbox.c.id, "ours"), inbox.c.lane != "")
    .group_by(inbox.c.lane)
)
_TAKE_IN = insert(inbox).returning(inbox.c.id, sort_by_parameter_order=True)
_QUEUED = outbox.c.state == Delivery.QUEUED.value
POSTPONED = _QUEUED & (outbox.c.attempts > 0)
"""Mails of ours that could not be delivered so far."""
_PENDING = outbox.c.state == literal_column(f"'{Delivery.QUEUED.value}'")
# Worded as in the index of pending mails, which is used only then.
_UNDER_WAY = timedelta(seconds=20)
# By any machine's clock, in case its sender dies.
"""A mail being sent is due again within this time."""
_HOLDS = timedelta(minutes=5)
"""A mail that is tried again within this time holds back later ones of its lane; one that waits longer does not."""
_HELD = timedelta(seconds=5)
"""How soon a mail that is held back is looked at again."""
_HURRIED = _QUEUED & ~outbox.c.maybe_taken
_AGAIN = {"state": Delivery.QUEUED.value, "attempts": 0, "done_at": None, "maybe_taken": False}
_ENVELOPE = [name for name in Mail._fields if name in outbox.c]
"""The fields of a mail that are columns of outbox; what it says is in outbox_texts."""
_OWE = insert(outbox).returning(outbox.c.key, outbox.c.id)
# SQLite takes many rows in one statement only if they may come back in any order.
_WRITE = insert(outbox_texts)
_SHARE = insert(owed_boards).returning(owed_boards.c.value, owed_boards.c.id)
WHOLE = (
    select(outbox, outbox_texts.c.raw, outbox_texts.c.version, owed_boards.c.value.label("shared"))
    .join(outbox_texts, outbox_texts.c.id == outbox.c.id)
    .outerjoin(owed_boards, owed_boards.c.id == outbox_texts.c.board_id)
)
_THESE = among(outbox.c.id, "ids")
_NEXT_AT = select(func.min(outbox.c.due_at).label("next_at")).where(_QUEUED)
_DUE = WHOLE.where(_QUEUED, outbox.c.due_at <= bindparam("now")).order_by(outbox.c.due_at, outbox.c.id)
_CLAIMED = _DUE.limit(bindparam("most")).with_for_update(skip_locked=True, of=outbox)
_UNTRIED = _CLAIMED.where(outbox.c.attempts == 0)
_OLDER = (
    select(outbox.c.board, outbox.c.address, func.min(outbox.c.id).label("oldest"))
    .where(_PENDING, among(outbox.c.board, "boards"))
    .where(outbox.c.id < bindparam("beyond"), ~among(outbox.c.id, "besides"))
    .where(among(outbox.c.address, "people"), outbox.c.due_at <= bindparam("before"))
    .group_by(outbox.c.board, outbox.c.address)
)
_KEEP = update(outbox).where(_QUEUED, _THESE).values(due_at=bindparam("until"))
_SENT = (
    update(outbox)
    .where(_THESE)
    .values(attempts=outbox.c.attempts + 1, state=Delivery.SENT.value, done_at=bindparam("now"), trouble="")
)
_SETTLED = select(inbox.c.identity).where(among(inbox.c.identity, "identities"))
_SETTLE = update(inbox).where(inbox.c.id == bindparam("mail"))


_newer = outbox.alias("newer")
_LAST_OF_ITS_BOARD = select(outbox.c.id).where(
    among(outbox.c.id, "ids"),
    outbox.c.board.in_(select(matches.c.board).where(matches.c.ended_at.is_(None), matches.c.board == outbox.c.board)),
    ~select(_newer.c.id)
    .where(_newer.c.board == outbox.c.board, _newer.c.address == outbox.c.address, _newer.c.id > outbox.c.id)
    .exists(),
)


class NewMail(NamedTuple):
    """A mail to be taken in, and what was found out about it: its lane, and the mark of its Message-ID."""

    mail_from: str | None
    recipients: Sequence[str]
    raw: bytes
    source: str | None = None
    """A unique name for a fetched mail: only the first mail of a source is taken in."""
    peer: str = ""
    lane: str = ""
    id_mark: str = ""


class Inbox(Queries):
    """Mails as they came. A row is written before its sender is told 250, and stays whole until the mail is settled."""

    grew = False
    """Whether this transaction has added to it."""

    def add(self, mails: Sequence[NewMail], now: datetime) -> list[int | None]:
        """Returns the id of each row, or None if it was not added because its source was there."""
        sources = [mail.source for mail in mails if mail.source is not None]
        # A mailbox shows a mail again if the process stopped before that was moved.
        stored = set(self._column(select(inbox.c.source).where(inbox.c.source.in_(sources)))) if sources else ()
        fresh = {"received_at": now, "state": Arrival.NEW.value}
        rows = [
            mail._replace(recipients=json.dumps([*mail.recipients]))._asdict() | fresh
            for mail in mails
            if mail.source not in stored
        ]
        self.grew = self.grew or bool(rows)
        ids = iter(self._connection.execute(_TAKE_IN, rows).scalars() if rows else ())
        return [next(ids) if mail.source not in stored else None for mail in mails]

    def next(self, limit: int) -> tuple[list[Received], int]:
        """The oldest new mail of each lane, now locked, and how many mails wait, as far as was looked."""
        waiting = self._waiting(limit)
        return self.these(_in_turn(waiting, limit)), len(waiting)

    def _waiting(self, limit: int) -> list[tuple[int, str]]:
        """The new mails and their lanes, oldest first; of very many, not all, but enough that answer boards."""
        waiting = [(row.id, row.lane) for row in self._connection.execute(_LANES, {"most": _FIRST})]
        if len(waiting) == _FIRST:
            beyond = self._connection.execute(_BOARDS_BEYOND, {"beyond": waiting[-1][0], "most": limit})
            waiting += [(row.id, row.lane) for row in beyond]
        return waiting

    def these(self, mail_ids: Collection[int]) -> list[Received]:
        """Those of the mails that are new and that nobody else has locked, in this order; now locked on PostgreSQL."""
        if not mail_ids:
            return []
        mails = {row.id: _received(row) for row in self._connection.execute(_CLAIMING, {"ids": [*mail_ids]})}
        return [mails[mail_id] for mail_id in mail_ids if mail_id in mails]

    def claim(self, mail_ids: Collection[int]) -> set[int]:
        """Those of the mails that are new and that nobody else gets before this transaction ends.

        A mail is left out while an older one of its lane waits that is not among them.
        """
        ours = {row.id: row.lane for row in self._connection.execute(_CLAIMING_LANES, {"ids": [*mail_ids]})}
        if not ours:
            return set()
        rows = self._connection.execute(_ELSEWHERE, {"beyond": max(ours), "ours": [*ours]})
        oldest = {row.lane: row.oldest for row in rows}
        return {number for number, lane in ours.items() if number < oldest.get(lane, number + 1)}

    def newest_waiting(self) -> int:
        """The id of the newest new mail; 0 if there is none."""
        return self._only(select(func.max(inbox.c.id)).where(_NEW)) or 0

    def left_over(self, up_to: int, limit: int) -> list[Received]:
        """The same mails, as long as one with an id up to `up_to` waits; then none.

        One begun before comes alone.
        """
        waiting = self._waiting(limit)
        if not waiting or waiting[0][0] > up_to:
            return []
        mails = self.these(_in_turn(waiting, limit))
        # It may be what stopped the process before: the others must not count up with it, and be parked for it.
        alone = next((place for place, mail in enumerate(mails) if mail.begun), len(mails))
        return mails[: max(alone, 1)]

    def begin(self, mail_ids: Collection[int]) -> None:
        """Note that work on the mails begins once more."""
        self._update(inbox, inbox.c.id.in_(mail_ids), begun=inbox.c.begun + 1)

    def settled(self, identities: Collection[str]) -> set[str]:
        """Those of the identities with which mails were settled."""
        return set(self._column(_SETTLED, {"identities": [*identities]})) if identities else set()

    def waits_since(self) -> datetime | None:
        """When the oldest new mail came; None if there is none."""
        return self._only(_WAITS_SINCE)

    def backlog(self) -> tuple[Counter[str], datetime | None]:
        """How many new mails wait in each lane, as far as was looked, and when the oldest of all came."""
        waiting = self._connection.execute(_LANES, {"most": _FIRST}).all()
        oldest_at = waiting[0].received_at if waiting else None
        return Counter(row.lane for row in waiting if row.lane), oldest_at

    def settle(self, settlements: Sequence[Settlement], now: datetime) -> None:
        rows = [
            {
                "mail": settlement.mail_id,
                "state": settlement.state.value,
                "handled_at": now,
                "reason": settlement.reason,
                "identity": settlement.identity,
            }
            for settlement in settlements
        ]
        if rows:
            self._connection.execute(_SETTLE, rows)
        # Most mails stay as they came; passwords are taken out of the others.
        rewritten = [
            {"mail": settlement.mail_id, "raw": settlement.kept}
            for settlement in settlements
            if settlement.kept is not None
        ]
        if rewritten:
            self._connection.execute(_SETTLE, rewritten)

    def forget(self, before: datetime, parked_before: datetime, most: int) -> int:
        """Empty the oldest mails that were settled before then, at most `most`; returns how many.

        Their rows stay, with what a second delivery is recognized by. parked_before: the same for parked mails.
        """
        emptied = {"raw": b"", "mail_from": None, "recipients": "[]", "peer": "", "lane": "", "reason": ""}
        done = 0
        for state, over in ((Arrival.HANDLED, before), (Arrival.IGNORED, before), (Arrival.PARKED, parked_before)):
            first = select(inbox.c.id, inbox.c.handled_at).where(inbox.c.state == state.value)
            rows = self._connection.execute(first.order_by(inbox.c.id).limit(most - done)).all()
            ids = [row.id for row in rows if row.handled_at <= over]
            self._update(inbox, inbox.c.id.in_(ids), state=Arrival.FORGOTTEN.value, **emptied)
            done += len(ids)
        return done

    def handle_again(self, mail_id: int) -> None:
        """Let a parked or ignored mail be handled again."""
        self.grew = True
        values = {"state": Arrival.NEW.value, "identity": None, "handled_at": None, "reason": "", "begun": 0}
        self._update(inbox, inbox.c.id == mail_id, **values)

    def get(self, mail_id: int) -> Received | None:
        return self._first(select(inbox).where(inbox.c.id == mail_id), _received)

    def came_at(self, id_mark: str) -> datetime | None:
        """When the newest mail with the mark was handled or, if it waits, came; None if there is none."""
        query = select(inbox).where(inbox.c.id_mark == id_mark).order_by(inbox.c.id.desc()).limit(1)
        return self._first(query, lambda row: row.handled_at or row.received_at)

    def latest(self, state: Arrival | None, limit: int) -> list[Received]:
        """The newest mails, newest first. state: None for any."""
        query = select(inbox).order_by(inbox.c.id.desc()).limit(limit)
        if state is not None:
            query = query.where(inbox.c.state == state.value)
        return self._all(query, _received)

    def verdicts(self, words: Iterable[str]) -> dict[str, int]:
        """How many mails have a reason that begins with each of the words."""
        kind = case(*((inbox.c.reason.startswith(f"{word}:"), word) for word in words), else_="").label("kind")
        query = select(kind, func.count()).where(inbox.c.reason != "").group_by("kind")
        return {row[0]: row[1] for row in self._connection.execute(query) if row[0]}


class Outbox(Queries):
    """Mails to be sent. A row is written in the transaction it tells of; sending may repeat, but no mail vanishes."""

    grew = False
    """Whether this transaction has added to it."""

    def add(self, mails: Sequence[Mail], now: datetime) -> list[int]:
        """Owe mails that are due to no incoming mail. Returns the ids of the rows."""
        return self.add_all({None: mails}, now)[None]

    def add_all(self, mails: Mapping[C, Sequence[Mail]], now: datetime) -> dict[C, list[int]]:
        """mails: by the inbox mail that they are due to. Returns the ids of the rows, by the same."""
        owed = [(cause, mail) for cause, some in mails.items() for mail in some]
        ids = self._write(owed, now) if owed else {}
        return {cause: [ids[mail.key] for mail in some] for cause, some in mails.items()}

    def _write(self, owed: Sequence[tuple[int | None, Mail]], now: datetime) -> dict[str, int]:
        """owed: each mail with what it is due to. Returns the ids of the rows, by key."""
        self.grew = True
        fresh = {"created_at": now, "due_at": now, "state": Delivery.QUEUED.value, "attempts": 0}
        rows = [{name: getattr(mail, name) for name in _ENVELOPE} | fresh | {"inbox_id": cause} for cause, mail in owed]
        ids: dict[str, int] = {row.key: row.id for row in self._connection.execute(_OWE, rows)}
        # What several readers are told alike is stored once.
        packed = {zlib.compress(shared): shared for shared in dict.fromkeys(mail.shared for _, mail in owed) if shared}
        stored = self._connection.execute(_SHARE, [{"value": value} for value in packed]) if packed else ()
        boards = {packed[row.value]: row.id for row in stored}
        texts = [
            {
                "id": ids[mail.key],
                "raw": mail.owed if mail.version == FINISHED else zlib.compress(mail.owed),
                "version": mail.version,
                "board_id": boards.get(mail.shared),
            }
            for _, mail in owed
        ]
        self._connection.execute(_WRITE, texts)
        return ids

    def next_at(self) -> datetime | None:
        """When the next mail is due; None if there is none."""
        return self._only(_NEXT_AT)

    def claim(
        self, now: datetime, until: datetime, limit: int, ours: Collection[int] = (), *, untried: bool = False
    ) -> list[Queued]:
        """Mails to be sent now, those due longest, in the order of their ids; nobody else gets them until `until`.

        untried: mails that were never tried come first.

        They must be marked or kept by `until`; otherwise they are due again, because their sender must be dead. A mail
        is left out while an older one of its lane is with somebody else, or will be tried again soon. ours: the mails
        that the caller has claimed before.
        """
        asked = {"now": now, "most": limit}
        for wanted in (_UNTRIED, _CLAIMED) if untried else (_CLAIMED,):
            while mails := self._all(wanted, queued, asked):
                oldest = self._older_elsewhere(mails, ours, now + _HOLDS)
                free = {mail.id: mail for mail in mails if mail.id < oldest.get(mail.lane, mail.id + 1)}
                # Or they would be found again at once, before those that can go.
                self.keep([mail.id for mail in mails if mail.id not in free], now + _HELD)
                self.keep(free, until)
                if free:
                    return [free[mail_id] for mail_id in sorted(free)]
        return []

    def _older_elsewhere(
        self, mails: Sequence[Queued], ours: Collection[int], before: datetime
    ) -> dict[tuple[int, str], int]:
        """By lane, the oldest mail that is due before then and is neither one of the mails nor one of ours."""
        boards = {mail.mail.board for mail in mails} - {None}
        if not boards:
            return {}
        ids, people = {mail.id for mail in mails} | set(ours), {mail.mail.address for mail in mails}
        asked = {"boards": [*boards], "beyond": max(ids), "besides": [*ids], "people": [*people], "before": before}
        return {(row[0], row[1]): row[2] for row in self._connection.execute(_OLDER, asked)}

    def keep(self, mail_ids: Collection[int], until: datetime) -> None:
        """Let mails that are being sent stay so until then."""
        if mail_ids:
            self._connection.execute(_KEEP, {"ids": [*mail_ids], "until": until})

    def sent(self, mail_ids: Collection[int], now: datetime) -> None:
        if mail_ids:
            self._connection.execute(_SENT, {"ids": [*mail_ids], "now": now})

    def postpone(self, mail_id: int, due_at: datetime, trouble: str, *, maybe_taken: bool = False) -> None:
        """maybe_taken: the mail may have been taken, so nothing hurries it."""
        values = {"attempts": outbox.c.attempts + 1, "due_at": due_at, "trouble": trouble, "maybe_taken": maybe_taken}
        self._update(outbox, _QUEUED, outbox.c.id == mail_id, **values)

    def hurry(self, now: datetime) -> int:
        """Make all postponed mails due now, except those that may be under way or taken; returns how many."""
        self.grew = True
        # A mail being sent now must not be sent a second time beside that.
        idle = (outbox.c.due_at > now + _UNDER_WAY) | ((outbox.c.due_at <= now) & (outbox.c.attempts > 0))
        # The oldest are due longest, so that the mails of a board go out in order.
        due_at = case((outbox.c.created_at < now, outbox.c.created_at), else_=literal(now, Instant()))
        return self._update(outbox, _HURRIED, idle, due_at=due_at)

    def hurry_one(self, now: datetime) -> None:
        """Make the next of the postponed mails due now."""
        self.grew = True
        later = select(outbox.c.id).where(_HURRIED, outbox.c.due_at > now + _UNDER_WAY)
        first = later.order_by(outbox.c.due_at, outbox.c.id).limit(1).scalar_subquery()
        self._update(outbox, _QUEUED, outbox.c.id == first, due_at=now)

    def send_all_again(self, now: datetime) -> int:
        """Make all mails that were given up or postponed due, now or within a minute; returns how many."""
        failed = outbox.c.state == Delivery.FAILED.value
        number = self._count(outbox, failed | POSTPONED)
        self._update(outbox, failed, **_AGAIN, due_at=now)
        self._update(outbox, POSTPONED, maybe_taken=False)
        self.hurry(now)
        return number

    def fail(self, mail_id: int, now: datetime, trouble: str) -> bool:
        """Give a mail up; False if it was given up or sent before."""
        values = {"attempts": outbox.c.attempts + 1, "done_at": now, "trouble": trouble}
        return self._update(outbox, _QUEUED, outbox.c.id == mail_id, state=Delivery.FAILED.value, **values) != 0

    def send_again(self, mail_id: int, now: datetime) -> None:
        """Send a mail again, or now instead of later; it keeps its Message-ID."""
        self.grew = True
        self._update(outbox, outbox.c.id == mail_id, **_AGAIN, due_at=now)

    def get(self, mail_id: int) -> Queued | None:
        return self._first(WHOLE.where(outbox.c.id == mail_id), queued)

    def due_to(self, inbox_id: int) -> list[int]:
        """The mails that an incoming one has caused."""
        return self._column(select(outbox.c.id).where(outbox.c.inbox_id == inbox_id).order_by(outbox.c.id))

    def latest(self, state: Delivery | None, limit: int) -> list[Queued]:
        """The newest mails, newest first. state: None for any."""
        query = WHOLE.order_by(outbox.c.id.desc()).limit(limit)
        if state is not None:
            query = query.where(outbox.c.state == state.value)
        return self._all(query, queued)

    def find(self, key: str) -> Queued | None:
        """The mail with the key; None if there is none."""
        return self._first(WHOLE.where(outbox.c.key == key[:40]), queued)

    def recall(self, key: str) -> Sent | None:
        """What the mail with the key was about; None if there is none."""
        query = select(outbox.c.board, outbox.c.player_id, outbox.c.created_at).where(outbox.c.key == key[:40])
        return self._first(query, Sent._make)

    def brought(self, token: str, address: str, since: datetime) -> bool:
        """Whether a mail with this token for answers went to exactly this address since then."""
        there = outbox.c.address.in_({address, address.casefold()}), outbox.c.created_at > since
        return self._is_any(select(outbox.c.id).where(*there, outbox.c.token == token).limit(1))

    def replied_since(self, addresses: Collection[str], since: datetime) -> bool:
        """Whether a mail from one of the addresses has been answered since then."""
        query = select(outbox.c.id).where(outbox.c.address.in_(addresses), outbox.c.created_at > since, outbox.c.reply)
        return self._is_any(query.limit(1))

    def written_since(self, player_id: int, board: int, since: datetime) -> int:
        """How many mails about a board were written to a player since then."""
        written = outbox.c.board == board, outbox.c.player_id == player_id, outbox.c.created_at > since
        return self._count(outbox, *written)

    def failing_since(self, delivered_at: datetime | None) -> datetime | None:
        """When the oldest mail since the last delivery was written that could not be delivered; None unless several
        addresses are concerned, because a single one may be at fault itself.
        """
        query = select(func.min(outbox.c.created_at), func.count(outbox.c.address.distinct())).where(POSTPONED)
        if delivered_at is not None:
            query = query.where(outbox.c.created_at > delivered_at)
        since, concerned = self._connection.execute(query).one()
        return since if concerned > 1 else None

    def written(self, player_id: int, subject: str, since: datetime) -> list[datetime]:
        """When mails with the subject were written to a player since then, oldest first."""
        own = outbox.c.address.in_(select(addresses.c.address).where(addresses.c.player_id == player_id))
        query = select(outbox.c.created_at).where(own, outbox.c.created_at > since, outbox.c.subject == subject)
        return sorted(self._column(query))

    def wrote_to(self, address: str, subject: str, since: datetime) -> bool:
        """Whether a mail with the subject was written to an address since then."""
        query = select(outbox.c.id).where(outbox.c.address == address, outbox.c.created_at > since)
        return self._is_any(query.where(outbox.c.subject == subject).limit(1))

    def is_owed(self, player_id: int, subject: str) -> bool:
        """Whether a mail with the subject still waits to be sent to a player."""
        own = outbox.c.address.in_(select(addresses.c.address).where(addresses.c.player_id == player_id))
        return self._is_any(select(outbox.c.id).where(own, _QUEUED, outbox.c.subject == subject).limit(1))

    def has_reached(self, player_id: int, board: int, since: datetime) -> bool:
        """Whether a mail about a board was sent to a player that was not written before then."""
        query = select(outbox.c.id).where(outbox.c.board == board, outbox.c.player_id == player_id)
        # Without the index of states: nearly all mails are sent, so the other conditions find the few that matter.
        is_sent = outbox.c.state.concat("") == Delivery.SENT.value
        return self._is_any(query.where(outbox.c.created_at >= since, is_sent).limit(1))

    def forget(self, before: datetime, now: datetime, most: int) -> int:
        """Delete the oldest mails that were sent or given up before then; returns how many were looked at.

        A player's last mail about a board under way stays: an answer to it may come to the bare address, and is then
        recognized by its id. The due_at of a done mail says when to look at it again.
        """
        done = 0
        for state in (Delivery.SENT.value, Delivery.FAILED.value):
            old = select(outbox.c.id).where(outbox.c.state == state, outbox.c.due_at <= before)
            ids = self._column(old.order_by(outbox.c.due_at).limit(most - done))
            kept = self._column(_LAST_OF_ITS_BOARD, {"ids": ids})
            self._update(outbox, outbox.c.id.in_(kept), due_at=now)
            self.drop(outbox.c.id.in_(ids), outbox.c.id.not_in(kept))
            done += len(ids)
        return done

    def drop(self, *which: ColumnElement[bool]) -> None:
        """Delete mails, and what no other mail has in common with them."""
        query = select(outbox_texts.c.board_id).distinct().join(outbox, outbox.c.id == outbox_texts.c.id)
        boards = self._column(query.where(*which, outbox_texts.c.board_id.is_not(None)))
        self._delete(outbox, *which)
        for some in batched(boards):
            still = select(outbox_texts.c.id).where(outbox_texts.c.board_id == owed_boards.c.id)
            self._delete(owed_boards, owed_boards.c.id.in_(some), ~still.exists())


def _in_turn(waiting: Sequence[tuple[int, str]], limit: int) -> list[int]:
    """Of mails and their lanes, oldest first, the next to be handled."""
    firsts: dict[str, int] = {}
    for number, lane in waiting:
        firsts.setdefault(lane or f"{number}", number)
    # In their order; but if more than `limit` wait, first those that answer a board's mail, so that nobody who plays
    # waits behind a flood.
    is_flood = len(waiting) > limit
    lanes = sorted(firsts, key=lambda lane: (is_flood and not answers_board(lane), firsts[lane]))
    return [firsts[lane] for lane in lanes[:limit]]


def _received(row: Row[Any]) -> Received:
    return made(Received, row, recipients=tuple(json.loads(row.recipients)), state=Arrival(row.state))


def queued(row: Row[Any]) -> Queued:
    owed = row.raw if row.version == FINISHED else zlib.decompress(row.raw)
    shared = zlib.decompress(row.shared) if row.shared else b""
    return made(Queued, row, mail=made(Mail, row, owed=owed, shared=shared), state=Delivery(row.state))
