"""Who may cause how much: one table of buckets, and all that is drawn from them.

A bucket holds so many tokens, which come back evenly. One that has been emptied stays closed until half of its tokens
are back, so that a refusal can say until when. What is known of somebody decides what they draw from: those who have
proved who they are, or whose address our mail server vouches for, are counted by who they are; all others by where
their mails come from, and by whom they reach, apart where a player has shown who they are. So nobody can use up what is
for those who prove more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from pbm.domain.configuration import Limits
from pbm.domain.errors import NotAllowed
from pbm.domain.likeness import domain_of, is_shared, mailbox
from pbm.store import Transaction
from pbm.store.tickets import Attempts, Guesses, Key, veiled

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
_QUARTER, _YEAR = timedelta(hours=6), timedelta(days=365)
_PERIODS = {HOUR: "an hour", _QUARTER: "in six hours", DAY: "a day", _YEAR: "a year"}


class Pool(StrEnum):
    """What somebody who causes something has shown. None draws from what is for the others."""

    PROVEN = "proven"
    """They have proved who they are, or a trusted mail server vouches for their address."""
    USUAL = "usual"
    """Anybody there could have written it: it has a player's From, in a network where they have shown who they are."""
    UNPROVEN = "unproven"
    """Anybody could have written it."""


class By(StrEnum):
    """By whom or by what a bucket is counted."""

    AUTHOR = "author"
    """Who causes it: a player, or else the mailbox in From."""
    SOURCE = "source"
    """The mailbox in From."""
    MACHINE = "machine"
    """The machine that handed the mail over."""
    NETWORK = "network"
    """The network of that machine, whatever From says."""
    MAILBOX = "mailbox"
    """The mailbox that gets a mail; +tags and dots are folded."""
    DOMAIN = "domain"
    """The domain of that mailbox, unless it is a large provider's."""
    ACCOUNT = "account"
    """The player whom it is about."""
    WRITER = "writer"
    """Whose mail it is: a network's, or a seat's or a player's from there."""
    SEAT = "seat"
    """The seat of the same, from wherever: who holds a mail of one board uses up nothing of the others."""
    HOUSE = "house"
    """Everybody together."""


class Act(StrEnum):
    """What draws tokens."""

    ANSWER = "an answer to a player"
    HELP = "a page of help for a player"
    STRANGER = "an answer to somebody who is no player"
    BOARD = "an answer to a player whose board is answered"
    REFUSAL = "an answer to a player whose board is answered, that nothing was done"
    PUZZLING = "an answer that a stranger was not understood"
    CONFIRM = "the question whether an address is somebody's"
    INVITE = "an invitation"
    HELD = "the question whether a player sent a mail"
    RESET = "the question for a new password"
    ERASE = "the question whether to erase a player"
    OFFER = "the question whether a player wants a game"
    CHALLENGE = "a challenge"
    CHALLENGED = "being challenged"
    MESSAGE = "a message to a player"
    BROADCAST = "a message to all players"
    CHAT = "words on a board"
    KIBITZ = "a kibitz"
    PUZZLE = "a puzzle for a player"
    LOGIN = "a wrong password"
    CHECK = "a password of a stranger"
    WRONG_ADDRESS = "an answer to an address we never gave out"
    COMPUTING = "computing for one who writes"
    THINKING = "thinking of robots for a player"
    INCOMING = "a megabyte of mails that come in"
    UNPLACED = "a megabyte of mails from networks that are not known"


class Bucket(NamedTuple):
    """name: its rows in the store are of this kind. tokens: a setting of [limits], or how many. what: in words."""

    name: str
    acts: tuple[Act, ...]
    by: By
    pools: tuple[Pool, ...]
    tokens: str | int
    per: timedelta
    what: str
    parts: int = 1
    """Of one token, where less than one can be drawn."""

    def most(self, limits: Limits) -> int:
        """How many parts of tokens it holds."""
        tokens = getattr(limits, self.tokens) if isinstance(self.tokens, str) else self.tokens
        return max(1, round(tokens * limits.scale * self.parts)) if tokens else 0


UNANSWERED = "no answer"
"""The bucket of questions to an address; whoever answers one fills it up again."""
THINKING = "thinking"
"""The bucket of what robots think; the boards of a player wait while it is closed."""
_ALL, _PROVEN, _UNPROVEN = tuple(Pool), (Pool.PROVEN,), (Pool.USUAL, Pool.UNPROVEN)
_QUESTIONS = (Act.CONFIRM, Act.HELD, Act.RESET, Act.ERASE, Act.OFFER)

BUCKETS = (
    # Answers. Two programs that answer each other come to an end by these.
    Bucket("answers", (Act.ANSWER, Act.HELP), By.MAILBOX, _PROVEN, "answers_per_hour", HOUR, "answers to one player"),
    Bucket(
        "unproven answers", (Act.ANSWER,), By.MAILBOX, _UNPROVEN, "unproven_answers_per_hour", HOUR,
        "answers to one player's emails that do not prove whose they are",
    ),
    Bucket(
        "unproven help", (Act.HELP,), By.MAILBOX, _UNPROVEN, 30, HOUR,
        "pages of help for one player's emails that do not prove whose they are",
    ),
    # Board mails are passed on, so their tokens use up nothing else, and where they come from is counted, too.
    Bucket(
        "board", (Act.BOARD, Act.REFUSAL), By.WRITER, _ALL, "answers_per_hour", HOUR,
        "answers to emails from one network with the token of one board",
    ),
    Bucket("seat", (Act.BOARD, Act.REFUSAL), By.SEAT, _ALL, 300, HOUR, "answers to emails with the token of one board"),
    # A program that answers each of our questions, and marks none of its mails, comes to an end by this.
    Bucket("refusals", (Act.REFUSAL,), By.SEAT, _ALL, 40, DAY, "answers that nothing was done on one board"),
    Bucket(
        "newcomer", (Act.STRANGER,), By.MAILBOX, _PROVEN, "newcomer_answers_per_day", DAY,
        "answers to one address without an account",
    ),
    Bucket(
        "stranger", (Act.STRANGER,), By.MAILBOX, _UNPROVEN, "stranger_answers_per_day", DAY,
        "answers to one address that has neither an account nor answered us",
    ),
    Bucket(
        "stranger domain", (Act.STRANGER,), By.DOMAIN, _UNPROVEN, "unasked_per_domain_per_day", DAY,
        "answers to one domain's addresses without an account",
    ),
    Bucket(
        "stranger network", (Act.STRANGER,), By.NETWORK, _UNPROVEN, "unasked_per_network_per_day", DAY,
        "answers to strangers because of one network",
    ),
    Bucket(
        "answers network", (Act.ANSWER, Act.HELP), By.NETWORK, _UNPROVEN, 200, HOUR,
        "answers because of one network's emails that do not prove whose they are",
    ),
    Bucket(
        "answers in all", (Act.ANSWER, Act.HELP, Act.STRANGER), By.HOUSE, _UNPROVEN, "unproven_in_all_per_hour", HOUR,
        "answers to all emails that do not prove whose they are",
    ),
    # A stranger who is not understood may be a program that answers us.
    Bucket("puzzling", (Act.PUZZLING,), By.MAILBOX, _ALL, 2, DAY, "answers to words that mean nothing to us"),
    # Questions to people who may not have asked for them.
    Bucket(
        "confirm", (Act.CONFIRM, Act.INVITE), By.MAILBOX, _ALL, "questions_per_day", DAY,
        "questions to one address that others may have asked for",
    ),
    Bucket(
        UNANSWERED, (Act.CONFIRM, Act.INVITE), By.MAILBOX, _ALL, 9, _YEAR,
        "questions to one address that answers none",
    ),
    Bucket("held", (Act.HELD,), By.MAILBOX, _ALL, "questions_per_day", DAY, 'questions "was that you?" to one player'),
    Bucket(
        "reset", (Act.RESET,), By.MAILBOX, _ALL, "questions_per_day", DAY, "questions for a new password to one player"
    ),
    Bucket(
        "erase", (Act.ERASE,), By.MAILBOX, _ALL, "questions_per_day", DAY,
        "questions to one player whether to erase them",
    ),
    Bucket("offer", (Act.OFFER,), By.MAILBOX, _ALL, 5, DAY, "games that others propose to one player"),
    Bucket(
        "question domain", (Act.CONFIRM, Act.INVITE), By.DOMAIN, _ALL, "unasked_per_domain_per_day", DAY,
        "questions to one domain that nobody may have asked for",
    ),
    Bucket(
        "question network", _QUESTIONS, By.NETWORK, _UNPROVEN, "unasked_per_network_per_day", DAY,
        "questions to others because of one network",
    ),
    # Of proven people, only confirmations are counted by network: other questions are few for each who causes them.
    Bucket(
        "confirm network", (Act.CONFIRM,), By.NETWORK, _PROVEN, "unasked_per_network_per_day", DAY,
        "questions to addresses because of one network",
    ),
    Bucket("question author", (Act.CONFIRM,), By.AUTHOR, _PROVEN, 20, DAY, "questions because of one person"),
    Bucket("invite", (Act.INVITE,), By.AUTHOR, _PROVEN, "invitations_per_day", DAY, "invitations by one player"),
    # Games and words, from player to player.
    Bucket("challenge", (Act.CHALLENGE,), By.AUTHOR, _PROVEN, "challenges_per_day", DAY, "challenges by one player"),
    Bucket("proposal", (Act.CHALLENGE,), By.AUTHOR, _UNPROVEN, 5, DAY, "challenges by one stranger"),
    Bucket("challenged", (Act.CHALLENGED,), By.ACCOUNT, _ALL, 50, DAY, "games to which one player is challenged"),
    Bucket("message", (Act.MESSAGE,), By.AUTHOR, _PROVEN, "messages_per_day", DAY, "messages of one player"),
    Bucket("broadcast", (Act.BROADCAST,), By.AUTHOR, _PROVEN, 1, DAY, "messages of one player to all"),
    Bucket("chat", (Act.CHAT,), By.AUTHOR, _ALL, "messages_per_day", DAY, "words of one player on boards"),
    Bucket("kibitz", (Act.KIBITZ,), By.AUTHOR, _PROVEN, "messages_per_day", DAY, "kibitzes of one player"),
    Bucket("puzzle", (Act.PUZZLE,), By.AUTHOR, _ALL, 20, DAY, "puzzles for one player"),
    # Guesses. None is checked while one of its buckets is closed.
    Bucket("login", (Act.LOGIN,), By.ACCOUNT, _ALL, "wrong_passwords", _QUARTER, "wrong passwords for one userid"),
    Bucket("sender", (Act.LOGIN, Act.WRONG_ADDRESS), By.SOURCE, _ALL, 20, _QUARTER, "wrong guesses by one sender"),
    Bucket(
        "peer", (Act.LOGIN, Act.WRONG_ADDRESS), By.MACHINE, (Pool.UNPROVEN,), 20, _QUARTER,
        "wrong guesses by one machine",
    ),
    # Each check takes long. Whom a mail server vouches for shares nothing with all others: they may have a domain of
    # their own, with as many mailboxes there as they like, but not so many networks.
    Bucket("newcomer passwords", (Act.CHECK,), By.SOURCE, _PROVEN, 20, HOUR, "passwords of one stranger"),
    Bucket("network passwords", (Act.CHECK,), By.NETWORK, _ALL, 100, HOUR, "passwords of one network's strangers"),
    Bucket("strangers", (Act.CHECK,), By.HOUSE, _UNPROVEN, 600, HOUR, "passwords of strangers"),
    Bucket(
        "computing", (Act.COMPUTING,), By.AUTHOR, _ALL, "computing_seconds_per_hour", HOUR,
        "seconds of computing for one person", parts=10,
    ),
    Bucket(
        THINKING, (Act.THINKING,), By.ACCOUNT, _PROVEN, "thinking_seconds_per_hour", HOUR,
        "seconds that robots think for one player", parts=10,
    ),
    # Octets. Somebody who plays all day needs a hundredth of it; behind a mail server of ours many come together.
    Bucket(
        "octets", (Act.INCOMING,), By.WRITER, _ALL, 20, DAY,
        "megabytes of emails from one writer or network", parts=1024,
    ),
    Bucket(
        "octets in all", (Act.UNPLACED,), By.HOUSE, _ALL, 200, DAY,
        "megabytes of emails that are counted for nobody alone", parts=1024,
    ),
)  # fmt: skip


class Whose(NamedTuple):
    """Who causes something, and whom it reaches, as buckets count it. What is empty is not counted."""

    pool: Pool = Pool.PROVEN
    author: str = ""
    source: str = ""
    machine: str = ""
    network: str = ""
    to: str = ""
    """The address that gets a mail."""
    account: str = ""
    writer: str = ""


_SUBJECTS: Mapping[By, Callable[[Whose], str]] = {
    By.AUTHOR: lambda whose: whose.author,
    By.SOURCE: lambda whose: mailbox(whose.source) if whose.source else "",
    By.MACHINE: lambda whose: whose.machine,
    By.NETWORK: lambda whose: whose.network,
    By.MAILBOX: lambda whose: veiled(whose.to) if whose.to else "",
    By.DOMAIN: lambda whose: "" if is_shared(domain_of(whose.to)) else domain_of(whose.to),
    By.ACCOUNT: lambda whose: whose.account,
    By.WRITER: lambda whose: whose.writer,
    By.SEAT: lambda whose: whose.writer.partition(" from ")[0],
    By.HOUSE: lambda _: "all",
}


def buckets_of(act: Act, whose: Whose) -> Iterator[tuple[Key, Bucket]]:
    """The buckets that an act draws from, each with the name of its row."""
    for bucket in BUCKETS:
        subject = _SUBJECTS[bucket.by](whose)
        if act in bucket.acts and whose.pool in bucket.pools and subject:
            yield Key(bucket.name, f"{subject} {whose.pool}"), bucket


class TooMuch(NotAllowed):
    """Something is limited. There is no other such refusal, so each says what is limited, and until when."""

    def __init__(self, limited: str, until: datetime, by: By = By.AUTHOR, more: str = "") -> None:
        """limited: such as "puzzles are limited to 3 a day". by: what is counted. more: another sentence."""
        super().__init__(f"Too much for now: {limited}. Try again after {minute(until)}.{more}")
        self.until = until
        self.by = by


def minute(instant: datetime) -> str:
    """The instant, rounded up to a whole minute."""
    return f"{instant + timedelta(seconds=59):%Y-%m-%d %H:%M} UTC"


@dataclass(slots=True)
class Memory:
    """The levels of buckets of this process alone, for what is asked with every mail."""

    levels: dict[Key, Attempts] = field(default_factory=dict)

    def get(self, keys: Collection[Key]) -> dict[Key, Attempts]:
        return {key: self.levels[key] for key in keys if key in self.levels}

    def put(self, key: Key, failures: int, now: datetime, locked_until: datetime | None) -> None:
        self.levels[key] = Attempts(key, failures, now, locked_until)
        # Senders can be made up without end.
        if len(self.levels) > _MOST_REMEMBERED:
            del self.levels[next(iter(self.levels))]


Book = Memory | Guesses
"""Where the levels of buckets are noted."""
_MOST_REMEMBERED = 10_000
_SLACK = timedelta(minutes=1)
"""How far apart the clocks of machines may be. What was drawn later than that never happened: a clock was ahead."""


class _Level(NamedTuple):
    """How much of a bucket is drawn. key: the name of its row."""

    key: Key
    bucket: Bucket
    most: int
    step: timedelta
    """How long each part takes to come back."""
    as_of: datetime
    """When the last part came back."""
    drawn: int = 0
    locked_until: datetime | None = None
    """As it was noted when it was emptied."""

    @property
    def reopens_at(self) -> datetime:
        """When half of the bucket is back, at least one part of it."""
        return self.as_of + (self.drawn - self.most + max(1, self.most // 2)) * self.step


def _levels(book: Book, limits: Limits, now: datetime, act: Act, whose: Whose) -> Iterator[_Level]:
    """The levels of the buckets that an act draws from, without what was noted in the future."""
    buckets = dict(buckets_of(act, whose))
    noted = book.get(buckets)
    for key, bucket in buckets.items():
        most = bucket.most(limits)
        step = max(bucket.per / max(1, most), timedelta.resolution)
        level, row = _Level(key, bucket, most, step, now), noted.get(key)
        if row is not None and row.last_at <= now + _SLACK:
            level = level._replace(locked_until=row.locked_until)
            back = max(0, (now - row.last_at) // step)
            if back < row.failures:
                level = level._replace(drawn=row.failures - back, as_of=row.last_at + back * step)
        yield level


def excess(
    book: Book, limits: Limits, now: datetime, act: Act, whose: Whose, besides: Mapping[Key, int] | None = None
) -> TooMuch | None:
    """Why an act would be one too many; None if it would not. Nothing is drawn.

    besides: what is to be drawn, and is not noted yet.
    """
    for level in _levels(book, limits, now, act, whose):
        until, bucket = now, level.bucket
        if level.locked_until is not None:
            until = min(level.locked_until, level.reopens_at)  # the operator may allow more by now
        if until <= now and level.drawn + (besides or {}).get(level.key, 0) >= level.most:
            until = max(level.reopens_at, now + level.step)
        if until > now:
            number = level.most // bucket.parts
            return TooMuch(f"{bucket.what} are limited to {number} {_PERIODS[bucket.per]}", until, bucket.by)
    return None


def spend(book: Book, limits: Limits, now: datetime, act: Act, whose: Whose, parts: int = 1) -> None:
    """Draw, whether or not there is enough: a bucket is overdrawn by half at most, so it reopens within its period."""
    for level in _levels(book, limits, now, act, whose):
        level = level._replace(drawn=min(level.drawn + parts, level.most + level.most // 2 + 1))
        book.put(level.key, level.drawn, level.as_of, level.reopens_at if level.drawn >= level.most else None)


def drawn(tx: Transaction, limits: Limits, act: Act, whose: Whose, parts: int = 1) -> TooMuch | None:
    """Draw from each bucket of an act; the last draw may be too large. Returns why nothing is drawn, if it is not."""
    tx.lock(name_of(key) for key, _ in buckets_of(act, whose))
    problem = excess(tx.guesses, limits, tx.now, act, whose)
    if problem is None:
        spend(tx.guesses, limits, tx.now, act, whose, parts)
    return problem


def name_of(key: Key) -> str:
    """The name by which a bucket is locked."""
    return f"bucket {key.kind} {key.subject}"


def forget(tx: Transaction, name: str, whose: Whose) -> None:
    """Fill somebody's bucket of a name up again, in all pools."""
    named = [(bucket, _SUBJECTS[bucket.by](whose)) for bucket in BUCKETS if bucket.name == name]
    tx.guesses.forget(Key(name, f"{subject} {pool}") for bucket, subject in named for pool in bucket.pools if subject)


HOME = "home"
"""The kind of rows that say where a player has shown who they are. They stand among those of buckets."""
LONGEST = {HOME: _YEAR} | {bucket.name: bucket.per for bucket in BUCKETS if bucket.per > DAY}
"""The kinds of rows that are kept longer than others, and how long."""
GUESSES = frozenset({"login", "sender", "peer"})
"""The buckets that the operator sees while they are closed."""
