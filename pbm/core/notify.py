"""How the players of a board, and others, are told what happened; and the desk at which everything is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pbm.compose.composer import Composer
from pbm.compose.notices import Notice, Reader, Whence
from pbm.core.board import OpenBoard, States
from pbm.core.bus import News
from pbm.core.passwords import Hasher
from pbm.domain.configuration import HouseRules, Limits
from pbm.domain.errors import Unreadable
from pbm.domain.events import CommentMade, Event, IntentDropped, MatchStarted, MovePlayed, OfferCancelled, SidesSwapped
from pbm.domain.mail import Mail, Remark, RemarkKind
from pbm.domain.match import Ending, Match, Player, Seat
from pbm.domain.settings import Settings
from pbm.domain.spans import OFF, next_digest
from pbm.domain.tokens import PlayerToken
from pbm.mailin import Message
from pbm.store import Transaction
from pbm.store.follows import ALL, Follower
from pbm.values import frozen

_EPOCH_DAY = datetime(1970, 1, 1).toordinal()  # noqa: DTZ001  a day, not an instant
ENOUGH_TIME = timedelta(hours=12)
"""The time a digest has to leave a player for their move; a move that leaves them less is told at once."""


@dataclass(slots=True)
class Tools:
    """What the handling of all mails and jobs shares.

    limits, house and operator may change while the server runs, so nothing may keep a copy of them.
    """

    composer: Composer
    states: States
    passwords: Hasher
    limits: Limits
    house: HouseRules
    operator: str = ""
    """The operator's address; empty for none."""


@dataclass(slots=True)
class Desk:
    """A transaction in hand, with the shared tools."""

    tx: Transaction
    tools: Tools

    @property
    def now(self) -> datetime:
        return self.tx.now

    def open(self, number: int, at: datetime | None = None) -> OpenBoard:
        """The board. at: when its player acted, if not just now. Raises: NotFound, Unreadable."""
        return OpenBoard.load(self.tx, self.tools.states, number, at)

    def readable(self, numbers: Iterable[int]) -> Iterator[OpenBoard]:
        """The boards that can be read at present."""
        for number in numbers:
            with suppress(Unreadable):
                yield self.open(number)

    def letter(self, address: str, subject: str, page: str, player: Player | None = None, **words: Any) -> Mail:
        """A letter in the form that its reader has chosen, if they are a player. words: as for Composer.letter."""
        chosen = Settings.chosen(self.tx.players.settings(player.id)) if player else Settings()
        return self.tools.composer.letter(address, subject, page, self.now, player=player, form=chosen.mail, **words)

    def owe(self, mails: Sequence[Mail]) -> None:
        """Put mails into the outbox."""
        self.tx.outbox.add(mails, self.now)

    def issue(self, purpose: str, subject: str, *, days: float, player: Player | None = None, **payload: Any) -> str:
        """The token of a new ticket, to be mailed to one address only. payload: values that JSON can hold."""
        token, expires_at = self.tools.composer.make_key(), self.now + timedelta(days=days)
        player_id = player.id if player else None
        self.tx.tickets.issue(token, purpose, subject, self.now, expires_at, player_id, payload)
        return token


@frozen
class MailsRevoked(News):
    """All mails that a player has got are void, also those that ask them something."""

    player: Player
    at: Desk
    """Where they can be asked again."""


def day_of(instant: datetime) -> int:
    """Days since 1970."""
    return instant.toordinal() - _EPOCH_DAY


def reader_of(at: Desk, player: Player, seat: Seat | None = None) -> Reader:
    """A player as the reader of a mail: all their confirmed addresses, their settings, and a token of theirs."""
    return readers_of(at, (player,), {player.id: seat})[player.id]


def readers_of(
    at: Desk, players: Iterable[Player], seats: Mapping[int, Seat | None] | None = None
) -> dict[int, Reader]:
    """The players as readers, by id. seats: the seats of those who have one, by id."""
    tx, last_day = at.tx, day_of(at.now + timedelta(days=at.tools.house.answer_token_days))
    by_id = {player.id: player for player in players}
    mailed = tx.players.mailed(by_id)
    return {
        player.id: Reader(
            mailed[player.id].addresses,
            player,
            (seats or {}).get(player.id),
            settings=Settings.chosen(mailed[player.id].settings),
            token=PlayerToken(player.id, mailed[player.id].epoch, last_day),
        )
        for player in by_id.values()
    }


def letters_for(at: Desk, reader: Reader, subject: str, page: str, **words: Any) -> list[Mail]:
    """A letter to each address of a reader. words: as for Composer.letter; `leave` may be answered as the reader."""
    compose = at.tools.composer.letter
    # The word that stops such mails must work from wherever it is answered.
    if "leave" in words:
        words["reply_to"] = at.tools.composer.answered_by(reader)
    words |= {"player": reader.player, "form": reader.settings.mail}
    return [compose(address, subject, page, at.now, **words) for address in reader.addresses]


def tell_operator(at: Desk, subject: str, page: str, *, daily: bool = False, **words: Any) -> bool:
    """Send the operator a letter, if they have an address; returns whether it is sent. words: as for Composer.letter.

    daily: not twice a day with the same subject.
    """
    operator = at.tools.operator
    if not operator or (daily and at.tx.outbox.wrote_to(operator, subject, at.now - timedelta(days=1))):
        return False
    at.owe([at.letter(operator, subject, page, **words)])
    return True


def notice_of(board: OpenBoard, reader: Reader, **more: Any) -> Notice:
    """The board as it now stands, for a reader, with what only they may see."""
    notes = tuple(board.notes(reader.player))
    intents = tuple(board.intents.of(reader.seat))
    return Notice(board.match, board.state, reader, intents=intents, notes=notes, **more)


class Writer(NamedTuple):
    """Whose mail it was that something came of, and what only they are told."""

    player: Player
    mail: Message | None = None
    """Their board answers it."""
    read_as: str = ""
    """What their plain words were taken to mean."""
    unread: bool = False
    """No person reads their comments."""
    sent_from: Whence | None = None
    """Where their mail came from, if from no address of theirs."""


def tell_players(
    at: Desk, board: OpenBoard, comments: Sequence[CommentMade] = (), writer: Writer | None = None
) -> list[Mail]:
    """Mails with the board as it now stands and what has happened on it, for its players and followers.

    writer: the player whose mail it was, if it was one. Nobody gets their own comment, or one by a writer whom they
    have blocked.
    """
    at.tools.states.keep(board.match, board.state)
    telling = _Telling(at, board, comments, writer)
    notices: list[tuple[Notice, Message | None]] = []
    for reader in _audience(at, board, board.match.players, telling.followers):
        notice = telling.notice(reader)
        if notice is not None:
            notices.append((notice, _answered(writer, reader)))
    return at.tools.composer.notices(notices, board.now)


def _answered(writer: Writer | None, reader: Reader) -> Message | None:
    """The mail that the reader's board answers: their own, if they wrote it."""
    return writer.mail if writer is not None and writer.player == reader.player else None


_RECEIPT = "receipt.txt"
"""The page that tells a player in short that their move was played."""


class _Telling:
    """What has happened on a board, as each of its readers is told."""

    def __init__(self, at: Desk, board: OpenBoard, comments: Sequence[CommentMade], writer: Writer | None) -> None:
        self.tx, self.board, self.comments, self.writer = at.tx, board, comments, writer
        is_over = board.match.result is not None
        followers = at.tx.follows.of(board.match)
        self.followers = [follower for follower in followers if is_over or not follower.ends_only]
        self.deaf = at.tx.blocks.blockers(writer.player.id) if comments and writer is not None else frozenset()
        self.kibitz = at.tx.remarks.of(RemarkKind.KIBITZ, board.match.board) if is_over else []

    def notice(self, reader: Reader) -> Notice | None:
        """None if the reader need not be told now."""
        events, heard, more = self._events(reader), self._heard(reader), dict[str, Any]()
        if self.writer is not None and self.writer.player == reader.player:
            more = self._own(self.writer, reader, events)
            is_asked = any(intent.is_question for intent in self.board.intents.of(reader.seat))
            # They know their own move, and have asked for no receipt.
            if reader.settings.receipts == OFF and more == {"page": _RECEIPT} and not is_asked:
                return None
        # Somebody's words are never late; moves may be, for who wants one mail a day.
        elif not heard and _can_wait(self.board, reader, events):
            return None
        is_first = _is_first(self.tx, self.board, reader)
        is_alone = is_first and self.tx.players.bots([player.id for player in self.board.match.players])
        return notice_of(
            self.board,
            reader,
            events=events,
            comments=heard,
            is_first=is_first,
            is_heard=not is_alone,
            leave=_word_to_leave(self.followers, reader),
            before=ends_by_rules(self.board.match),
            kibitz=_unsealed(self.tx, self.kibitz, reader),
            **more,
        )

    def _own(self, writer: Writer, reader: Reader, events: Sequence[Event]) -> dict[str, Any]:
        """What only the writer is told: a receipt, if nothing happened but their own moves, and what became of their
        mail.
        """
        more: dict[str, Any] = {"read_as": writer.read_as, "unread": writer.unread, "sent_from": writer.sent_from}
        more = {name: value for name, value in more.items() if value}
        return {**more, "page": _RECEIPT} if _only_own_moves(self.board, reader, events) else more

    def _events(self, reader: Reader) -> tuple[Event, ...]:
        """What the reader may know of: what players had decided for later is their own affair."""
        return tuple(
            event for event in self.board.events if event.seat == reader.seat or not isinstance(event, IntentDropped)
        )

    def _heard(self, reader: Reader) -> tuple[CommentMade, ...]:
        """The comments that the reader gets."""
        player = reader.player
        if player is None:
            return tuple(self.comments)
        if player.id in self.deaf:
            return ()
        return tuple(comment for comment in self.comments if comment.userid != player.userid)


def _is_first(tx: Transaction, board: OpenBoard, reader: Reader) -> bool:
    """Whether the board has just been started, and is the first of its game that the reader plays."""
    started = any(isinstance(event, MatchStarted) for event in board.events)
    if not started or reader.seat is None or reader.player is None:
        return False
    return not tx.matches.played_before(board.match, reader.player.id)


def ends_by_rules(match: Match) -> bool:
    """Whether the last ply ended the match, so that the position before it is worth seeing."""
    return match.result is not None and match.result.ending is Ending.RULES


def _unsealed(tx: Transaction, kibitz: Sequence[Remark], reader: Reader) -> tuple[Remark, ...]:
    """The remarks that a player of the ended board may now read: none by people they have blocked."""
    if not kibitz or reader.seat is None or reader.player is None:
        return ()
    blocked = tx.blocks.blocked(reader.player.id)
    return tuple(remark for remark in kibitz if remark.author not in blocked)


def _can_wait(board: OpenBoard, reader: Reader, events: Sequence[Event]) -> bool:
    """Whether only moves were made, and the player's digest tells them in time. events: those they may know of."""
    settings, match = reader.settings, board.match
    # A follower has no turn to miss, and the end of a game is told at once.
    if settings.digest == OFF or reader.seat is None or match.result is not None:
        return False
    if not all(isinstance(event, MovePlayed | SidesSwapped | OfferCancelled) for event in events):
        return False
    deadline = match.clock.deadline_at if match.clock and reader.seat == board.state.to_move else None
    digest_at = next_digest(settings.digest, settings.zone, board.now)
    # A digest that comes with an hour left would lose the game.
    return deadline is None or deadline >= digest_at + ENOUGH_TIME


def _only_own_moves(board: OpenBoard, reader: Reader, events: Sequence[Event]) -> bool:
    """Whether nothing happened but the reader's own moves, and it is not their turn. events: as for `_can_wait`."""
    if board.match.result is not None or reader.seat in (None, board.state.to_move):
        return False
    return all(isinstance(event, MovePlayed | SidesSwapped) and event.seat == reader.seat for event in events)


def pass_on(at: Desk, board: OpenBoard, comment: CommentMade, writer: Writer, *, sealed: bool = False) -> list[Mail]:
    """The mails that pass on what somebody says about a board: to its players, its followers, and the writer.

    People who have blocked the writer do not get it. sealed: the players do not get it either.
    """
    author, page = writer.player, "kibitz.txt" if sealed else "chat.txt"
    blockers = at.tx.blocks.blockers(author.id)
    followers = [follower for follower in at.tx.follows.of(board.match) if not follower.ends_only]
    # Sealed words are about the players' plans: they may read them once the game is over.
    audience = _audience(at, board, () if sealed else board.match.players, followers)
    hearers = [reader for reader in audience if reader.player is None or reader.player.id not in blockers]
    # An onlooker who does not follow the board wants to know that their words went out.
    if all(reader.player != author for reader in hearers):
        hearers.append(reader_of(at, author))
    notices: list[tuple[Notice, Message | None]] = []
    for reader in hearers:
        leave = _word_to_leave(followers, reader)
        notice = notice_of(board, reader, comments=(comment,), leave=leave, page=page, words={"asked": writer.read_as})
        # Somebody else may have written it with a forwarded mail, and others need not know what it was read as.
        if reader.player == author:
            notice = replace(notice, read_as=writer.read_as, sent_from=writer.sent_from)
        notices.append((notice, _answered(writer, reader)))
    return at.tools.composer.notices(notices, board.now)


def _audience(at: Desk, board: OpenBoard, players: Sequence[Player], followers: Sequence[Follower]) -> list[Reader]:
    """The players, each in their seat, and then the followers."""
    seats = {player.id: board.perspective(player) for player in board.match.players}
    return [*readers_of(at, [*players, *(follower.player for follower in followers)], seats).values()]


def _word_to_leave(followers: Sequence[Follower], reader: Reader) -> str:
    """The answer that stops such mails to a follower; empty for a player of the board."""
    follower = next((item for item in followers if item.player == reader.player), None)
    if follower is None:
        return ""
    # They follow a person, so leaving the board would not stop the next one.
    if follower.whom not in ("", ALL):
        return f"unfollow {follower.whom}"
    if follower.ends_only:
        return "notify all" if follower.whom else ""
    return "unsubscribe all" if follower.whom else "unsubscribe"
