"""One mail in hand, within one transaction: its sender, what they may do, and the mails it causes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import InitVar, dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from games import GAMES
from games.rules import GameError, joined
from pbm.compose.notices import Answer, Notice, Outcome, Reader, Whence
from pbm.core.board import OpenBoard
from pbm.core.bus import PlayerHeard, publish
from pbm.core.limits import Act, Pool, TooMuch, Whose, drawn, excess
from pbm.core.notify import Desk, day_of, reader_of
from pbm.core.robots import ANY, LEVEL_OF, robot_called
from pbm.domain.errors import BadArguments, NeedsIdentity, NotAllowed, NotFound, Rejected, Stale
from pbm.domain.events import CommentMade, Event
from pbm.domain.foreign_records import end_in, start_in
from pbm.domain.likeness import mailbox
from pbm.domain.mail import Mail
from pbm.domain.match import Player, Seat
from pbm.domain.tokens import AddressToken, SeatToken
from pbm.mailin import Message
from pbm.reading.book import words
from pbm.reading.command_lines import Reading
from pbm.reading.commands import Command
from pbm.reading.sentences import discreet, plain
from pbm.reading.verbs import ROBOT, Standing, redact, usage
from pbm.store import Transaction

T = TypeVar("T")

Credentials = tuple[str, str]
"""A userid in lower case and a password."""

_MOST_NAMED = 10
"""Words of a text that are looked up as names of players, at most."""

_ROBOTS = re.compile(rf"{ANY}s?[-_]?\d*", re.IGNORECASE)
"""Words that are meant to name a robot."""
_LIKE_A_ROBOT = 0.8
"""How similar to a robot's name a word must be that may mean it: "robbot2" is, "robert2" is not."""


class Flaw(Enum):
    """Why the token of the address that a mail came to shows nothing."""

    VOID = "it was revoked or has expired"
    LOST = "it is unknown, as when the database has been set back"


class Sender(NamedTuple):
    """The sender, by what the mail shows before any command is looked at."""

    standing: Standing = Standing()
    seat: SeatToken | None = None
    """The board, seat and revision that the mail's reply token is for."""
    proven: Player | None = None
    """The player, proven by a token, or by an address that a trusted mail server vouches for."""
    claimed: Player | None = None
    """The one player whose confirmed address is in From; anybody can write that."""
    as_of: datetime | None = None
    """When the mail that is answered was written; None where not known."""
    seated: Player | None = None
    """The player in the seat of the mail's token; the sender may be somebody else, if the mail was forwarded."""
    newcomer: AddressToken | None = None
    """The token that proves the address in From, where nobody has an account with it."""
    own: Player | None = None
    """The player in the seat of the token, if From is an address of theirs: enough for what is about the token's board
    alone, and for being answered as a player.
    """
    at_home: tuple[Player, ...] = ()
    """The players who had From as a confirmed address before anything was done."""
    flaw: Flaw | None = None
    """None if the mail came without a token, or shows something."""
    bystander_of: Player | None = None
    """The player whose seat's token somebody has who is not at the board, and answers no mail of ours."""
    usual: Player | None = None
    """The player in From, if the mail comes from a network where they have shown who they are."""

    @property
    def board(self) -> int | None:
        """The board that the mail answers, by its token or any other sign."""
        return self.standing.board

    @property
    def shown(self) -> Player | None:
        """The player to be answered as such: proven, or with a seat's token from their address."""
        return self.proven or self.own

    @property
    def writer(self) -> Player | None:
        """The player who wrote it, or whom From claims."""
        return self.proven or self.claimed

    def pool(self, player: Player | None, verified: Collection[str], *, vouched: bool) -> Pool:
        """What the mail draws from for a player. player: None for whoever has the address in From.

        verified: the userids, in lower case, whose right passwords it holds. vouched: whether the address in From is.
        """
        if player is not None and (player == self.proven or player.userid.casefold() in verified):
            return Pool.PROVEN
        # Board mails are passed on, so a seat's token alone draws from nothing that is for the proven player.
        if player is not None and self.seat is not None:
            is_proven = vouched and player == self.own
        else:
            is_proven = player is not None or vouched or self.newcomer is not None
        if is_proven:
            return Pool.PROVEN
        is_usual = self.usual is not None and player in (None, self.usual)
        return Pool.USUAL if is_usual else Pool.UNPROVEN


@dataclass(slots=True)
class Words:
    """The words of a mail that are for people, apart from its commands."""

    read_as: dict[int, str] = field(default_factory=dict)
    """What plain words were taken to mean, by board; nothing where a command was written."""
    _below: list[tuple[int | None, str]] = field(default_factory=list)
    """What stands below each part of the mail, and the board it is for; None for all boards, 0 for none."""
    _heard: set[int] = field(default_factory=set)
    """The boards whose players get the words."""

    @property
    def comment(self) -> str:
        """The words below the last command, or those for no particular board."""
        return self._below[-1][1] if self._below else ""

    @comment.setter
    def comment(self, text: str) -> None:
        self._below[-1:] = [(self._below[-1][0] if self._below else None, text)]

    @property
    def unheard(self) -> str:
        """The words that nobody gets, as far as is known by now."""
        heard = {None, *self._heard} if self._heard else set[int | None]()
        return "\n".join(text for board, text in self._below if board not in heard).strip()

    def begin(self, reading: Reading) -> None:
        """Take the words that stand below the lines of a reading."""
        self._below.append((reading.board, reading.comment))

    def take_lines(self, count: int) -> None:
        """Take away the first `count` lines below the command, not counting blank ones: they belong to the command."""
        lines = self.comment.splitlines()
        taken = [at for at, line in enumerate(lines, 1) if line.strip()][:count]
        self.comment = "\n".join(lines[taken[-1] if taken else 0 :])

    def spend(self) -> str:
        """The words below the last command, which are its text and no comment."""
        text, self.comment = self.comment, ""
        return text

    def say_first(self, text: str) -> None:
        """Put a text before the words below the last command."""
        self.comment = "\n\n".join(filter(None, (text, self.comment)))

    def of(self, board: int) -> str:
        """The mail's words to the players of a board."""
        return "\n".join(text for of, text in self._below if of in (None, board))

    def give(self, board: int) -> str:
        """The same, for the players, who get them."""
        self._heard.add(board)
        return self.of(board)

    def drop(self, board: int) -> None:
        """Take away the words to the players of a board."""
        self._below = [(of, "" if of in (None, board) else text) for of, text in self._below]


class Incoming(NamedTuple):
    """A mail as it came in, with what was found out about it before it is handled."""

    message: Message
    verified: Mapping[Credentials, str] = {}
    """The right credentials, and the hash that each was checked with."""
    fresh: Mapping[str, str] = {}
    """The hashes of new passwords."""
    locked: Mapping[Credentials, datetime] = {}
    """Credentials that are not checked, and until when; new passwords are here with an empty userid."""
    received_at: datetime | None = None
    """When the mail came in, and so when its sender acted: it may have waited since."""
    network: str = ""
    """The network it came from; empty where that is not known."""
    secrets: frozenset[str] = frozenset()
    """The passwords in it, which no mail may repeat."""


def note_heard(tx: Transaction, player: Player, address: str, boards: Iterable[OpenBoard] = ()) -> None:
    """Publish that a player has written, if it was in doubt whether mail reaches them."""
    if tx.players.is_doubtful(player.id):
        publish(PlayerHeard(player, address, tuple(board.reload for board in boards)), tx)


def no_player(tx: Transaction, userid: str, otherwise: str = "") -> NotFound:
    """An error that names the player who may be meant. otherwise: a sentence for when nobody may be."""
    if robot := robot_called(tx, userid):
        return NotFound(f"{robot} has not played here yet.", "robots")
    if _ROBOTS.fullmatch(userid):
        return NotFound(f'There is no robot "{userid}". There are {joined(LEVEL_OF)}.', "robots")
    alike = difflib.get_close_matches(userid.casefold(), LEVEL_OF, n=1, cutoff=_LIKE_A_ROBOT)
    alike = alike or difflib.get_close_matches(userid, tx.players.like(userid), n=1)
    return NotFound(f'There is no player "{userid}" here.{f" Did you mean {alike[0]}?" if alike else otherwise}')


def userid_named(tx: Transaction, text: str, how: str) -> str:
    """The userid of the player that a text names; empty for none.

    how: rival, if it wants to play them, as "hex with anna"; told, if it has words for them, as "tell bob I'm ill".
    """
    marks = words(f"before-{how}")
    for word in [word for before, word in pairwise(plain(text).split()) if before in marks][:_MOST_NAMED]:
        player = tx.players.find(word)
        if userid := robot_called(tx, word) or (player.userid if player else ""):
            return userid
    return ""


@dataclass(slots=True)
class Boards(Desk):
    """The boards that a mail is about, each loaded once."""

    since: datetime | None
    """When the sender acted; None for now."""
    answered: int | None
    """The board that the mail answers."""
    _boards: dict[int, OpenBoard] = field(default_factory=dict)

    @property
    def in_hand(self) -> list[OpenBoard]:
        return list(self._boards.values())

    def kept(self) -> dict[int, OpenBoard]:
        """What `put_back` needs to undo what is done with boards from now on."""
        return {number: replace(board, events=[*board.events]) for number, board in self._boards.items()}

    def put_back(self, kept: dict[int, OpenBoard]) -> None:
        """Undo it; boards opened since stay in hand, as they are stored."""
        for number, board in list(self._boards.items()):
            if number in kept:
                self._boards[number] = kept[number]
            elif board.events:
                del self._boards[number]
                # It may have been started in vain.
                with suppress(NotFound):
                    self.load(number)

    def load(self, number: int, game: str | None = None) -> OpenBoard:
        """The board. game: the game that the sender thinks it is. Raises: NotFound."""
        board = self._boards.get(number)
        if board is None:
            board = self._boards[number] = self.open(number, self.since)
        if game not in (None, board.match.game):
            title = GAMES[board.match.game].info.title
            raise NotFound(f"Board {number} is a game of {title}: write {board.match.game}, not {game}.")
        return board

    def named(self, command: Command) -> OpenBoard:
        """The board that a command names, or else the one that the mail answers. Raises: NotFound."""
        number = command.args.get("BOARD", "").partition("#")[0]
        # Where no game is written, it is that of the answered mail, which may be about another board.
        if number:
            written = command.line.partition(" ")[0].casefold() in GAMES
            return self.load(int(number), command.game if written else None)
        if self.answered is None:
            raise NotFound("Which board? Name its number.", usage(command.verb, Standing(), command.game))
        return self.load(self.answered)

    def adopt(self, board: OpenBoard, event: Event) -> None:
        """Add a board that has just been started."""
        board.events.append(event)
        self._boards[board.match.board] = board


@dataclass(slots=True)
class Author(Desk):
    """The author of the mail: who they are, how that is known, and what they may do on which board."""

    incoming: Incoming
    sender: Sender
    _boards: Boards
    offered: AddressToken
    """What a newcomer may accept: by the mail they answer or, once it is known, by the answer to this one."""
    player: Player | None = None
    """The author's account, as far as it is known by now."""

    def who(self, command: Command, board: int | None = None) -> Player:
        """The player who sent the command. Raises: NotAllowed for a wrong login, which does not tell whether there is
        such a userid; NeedsIdentity if nothing proves it.

        board: the one that it is about, and nothing else; then the token of a seat there, and From, are enough.
        """
        if command.credentials is not None:
            userid, password = command.credentials
            self._check_open(userid.casefold(), password)
            player = self.tx.players.find(userid)
            checked = self.incoming.verified.get((userid.casefold(), password))
            # The password may have been changed since it was checked, outside of this transaction.
            if player is None or checked is None or checked != self.tx.players.password_hash(player.id):
                raise NotAllowed("The userid or the password is wrong.")
            self.prove(player)
        elif self.sender.proven is not None:
            player = self.player = self.sender.proven
        # A token and From together are enough for what is about its board alone, such as a rematch.
        elif self.sender.own is not None and board == self.sender.board:
            player = self.player = self.sender.own
        else:
            line = command.verb.line if "PASSWORD" in command.verb.line else f"{command.line} USERID PASSWORD"
            raise NeedsIdentity("Who are you? Put your userid and password into the command.", line)
        return player

    def prove(self, player: Player) -> None:
        """Note that this player wrote the mail, and so that mail reaches them."""
        self.player = player
        note_heard(self.tx, player, self.incoming.message.sender, self._boards.in_hand)

    def hash_of(self, password: str) -> str:
        """The hash of a new password; it was made before the transaction if it was known to be needed."""
        self._check_open("", password)
        return self.incoming.fresh.get(password) or self.tools.passwords.hash(password)

    def _check_open(self, userid: str, password: str) -> None:
        """Raises: NotAllowed if the password was not checked, so it does not tell whether it was right."""
        until = self.incoming.locked.get((userid, password))
        if until is not None:
            more = " Answering one of our emails works without a password, and at any time."
            raise TooMuch("passwords are limited, and yours was not looked at", until, more=more)

    def seated(self, command: Command) -> tuple[OpenBoard, Seat]:
        """The board of a command and the seat its sender has there. Raises: NotFound, NotAllowed, Stale."""
        board = self._boards.named(command)
        token = self.sender.seat
        if command.credentials is not None or token is None or token.board != board.match.board:
            self._check_no_other_seat(command, board)
            seat = board.seat_of(self.who(command))
            self._check_fresh(command, board, seat)
            return board, seat
        self.player = board.match.player(token.seat)
        # Words and questions about one's own last move are not late: the board waits for the opponent.
        moved = board.revision == token.revision + 1 and _has_moved(board, token.seat)
        alters = command.verb.alters
        if alters and token.revision != board.revision and not (moved and alters.asks):
            raise Stale("Your email answers an earlier state of the board. Here is the current one.")
        return board, token.seat

    def _check_fresh(self, command: Command, board: OpenBoard, seat: Seat) -> None:
        """Raises: Stale if the board has changed since the mail that is answered."""
        alters, as_of = command.verb.alters, self.sender.as_of if command.credentials is None else None
        if not alters or as_of is None or (alters.asks and _has_moved(board, seat, as_of)):
            return
        untouched = board.match.revision == board.revision
        # An earlier line of the same mail may have changed the board, and its writer knows that.
        if untouched and board.match.moved_at > as_of:
            raise Stale(f"Board {board.match.board} has changed since the email you answer. Here is the current one.")

    def _check_no_other_seat(self, command: Command, board: OpenBoard) -> None:
        """Raises: NotAllowed if the only proof is a seat token of another board."""
        token, sender = self.sender.seat, self.sender
        vouched = self.incoming.message.authenticated and sender.claimed == sender.proven
        # Otherwise a forwarded mail of one board would let its holder play on all boards of its player.
        if token is not None and command.credentials is None and not vouched:
            raise NotAllowed(
                f"Your email answers one about board {token.board}. To play on board {board.match.board}, answer an "
                "email about that board, or put your userid and password into the command.",
                command.verb.line,
            )

    def player_named(self, userid: str) -> Player:
        """The player of a userid; `me` is the sender. Raises: NotFound, NotAllowed."""
        if userid.casefold() == "me":
            return self.apparent()
        player = self.tx.players.find(robot_called(self.tx, userid) or userid)
        if player is None:
            raise no_player(self.tx, userid)
        return player

    def apparent(self) -> Player:
        """The player who seems to have sent the mail: enough for what anybody may see. Raises: NotAllowed."""
        player = self.player or self.sender.writer
        if player is None:
            names = " and ".join(player.userid for player in self.sender.at_home)
            reason = f"{names} read mail at your address" if names else "Your address is not known here"
            raise NotAllowed(f'Who is "me"? {reason}: write a userid.')
        return player

    def proven_seat(self, board: OpenBoard) -> Seat | None:
        """The seat that the sender has proved to have, from which they may see the board."""
        return self.seat_shown(board, self.sender.proven)

    def seat_shown(self, board: OpenBoard, player: Player | None) -> Seat | None:
        """The seat from which a player sees a board: that of the mail they answer, if it was about this board."""
        token = self.sender.seat
        # Who plays both seats answers for the one whose mail it is.
        if token is not None and token.board == board.match.board:
            return token.seat
        return board.perspective(player)

    def reader(self) -> Reader:
        """Where answers go: to the player if they proved who they are, otherwise to the address the mail is from."""
        sent_by = self.sender
        proved = self.player or sent_by.proven or sent_by.seated
        player = proved or sent_by.claimed
        if player is None:
            sender = self.incoming.message.sender
            last_day = day_of(self.now + timedelta(days=self.tools.house.answer_token_days))
            # Several players may share the address: a token for somebody without an account would be nobody's.
            leaves, wish = bool(self.offered.leaves), self.offered.wish
            newcomer = None if sent_by.at_home else AddressToken.of(sender, last_day, leaves=leaves, wish=wish)
            return Reader((sender,), newcomer=newcomer) if sender and sender.isascii() else Reader(())
        reader = reader_of(self, player)
        return reader if proved and reader.addresses else replace(reader, addresses=(self.incoming.message.sender,))

    @property
    def sent_from(self) -> Whence | None:
        """Where the mail came from, if it counts as a player's but is from no address of theirs.

        Somebody else may have written it, with a forwarded mail or a stolen password.
        """
        player, address = self.player or self.sender.proven or self.sender.seated, self.incoming.message.sender
        if player is None or player in self.sender.at_home or player in self.tx.players.of_address(address):
            return None
        by_password = any(userid == player.userid.casefold() for userid, _ in self.incoming.verified)
        return Whence(address[:60], by_password)


@dataclass(slots=True)
class Correspondence(Desk):
    """The mails that one mail causes."""

    message: Message
    """The mail that causes them."""
    answers: list[Answer] = field(default_factory=list)
    """The answers to its commands; they go to its sender in one mail."""
    notices: list[Notice] = field(default_factory=list)
    """Boards, each to be shown to one reader."""
    letters: list[Mail] = field(default_factory=list)

    def page(self, name: str, **words: Any) -> str:
        """A page of templates/, filled in, without newlines at its end."""
        return self.tools.composer.pages.render(name, **words).rstrip("\n")

    def write(self, address: str, subject: str, page: str, *, answers: bool = True, **words: Any) -> None:
        """Send a page to one address. words: as for Desk.letter, such as its player or what an answer brings back.

        answers: whether it answers the mail; False for anybody but its sender, who must not see the mail's headers.
        """
        to = self.message if answers else None
        self.letters.append(self.letter(address, subject, page, to=to, **words))


@dataclass(slots=True)
class Request(Desk):
    """One mail in hand, and what has been done about it so far."""

    incoming: Incoming
    by: InitVar[Sender]
    refusal: Rejected | GameError | None = None
    passed_on: tuple[CommentMade, ...] = ()
    """What others wrote before, which the players of the board get now."""
    asked: set[str] = field(default_factory=set)
    """The mailboxes to which questions go, counted as such, that others could have caused."""
    withheld: TooMuch | None = None
    """Why a question is not sent: it would be one too many to somebody who may not have asked for it."""
    readings: list[Reading] = field(default_factory=list)
    """The parts of the mail carried out so far; of one in plain words, what these mean."""
    several: bool = False
    """Whether the mail holds several commands, so that its writer gets a list of what came of each."""
    is_sure: bool = False
    """Whether the writer has said that no line below their commands tells how to play."""
    words: Words = field(default_factory=Words)
    boards: Boards = field(init=False)
    author: Author = field(init=False)
    outgoing: Correspondence = field(init=False)

    def __post_init__(self, by: Sender) -> None:
        self.boards = Boards(self.tx, self.tools, self.incoming.received_at, by.board)
        self.author = Author(self.tx, self.tools, self.incoming, by, self.boards, by.newcomer or AddressToken(0, 0))
        self.outgoing = Correspondence(self.tx, self.tools, self.incoming.message)

    def begin(self, reading: Reading) -> None:
        """Begin with another part of the mail."""
        self.readings.append(reading)
        self.words.begin(reading)

    def restate(self, reading: Reading) -> None:
        """Go on with what the part means in place of its plain words."""
        self.readings[-1:] = [reading]
        self.words.comment = reading.comment
        board = self.sender.board if reading.board is None else reading.board
        if board is not None:
            self.words.read_as[board] = reading.read_as

    @property
    def reading(self) -> Reading:
        """The part of the mail that is carried out."""
        return self.readings[-1] if self.readings else Reading(())

    @property
    def message(self) -> Message:
        return self.incoming.message

    @property
    def secrets(self) -> frozenset[str]:
        return self.incoming.secrets

    @property
    def sender(self) -> Sender:
        return self.author.sender

    @property
    def is_player(self) -> Callable[[str], bool]:
        """Whether a word is the userid of a player, or of a robot, which may have no row yet; looked up once each."""
        return cache(lambda word: ROBOT.fullmatch(word.casefold()) is not None or self.tx.players.knows(word))

    def again(self, by: Sender | None = None) -> Request:
        """A fresh request of the same mail, with nothing done yet. by: the sender to assume, if another."""
        return Request(self.tx, self.tools, self.incoming, by or self.sender)

    def attempt(self, act: Callable[[], T]) -> T:
        """What the act returns. If it raises, what it wrote, did with boards, its letters and sign-ups are undone."""
        sender, letters, asked = self.author.sender, len(self.outgoing.letters), {*self.asked}
        boards = self.boards.kept()
        try:
            with self.tx.savepoint():
                return act()
        except BaseException:
            del self.outgoing.letters[letters:]
            self.asked = asked
            self.boards.put_back(boards)
            # Somebody whose sign-up failed is nobody again.
            if self.author.sender is not sender:
                self.author.sender, self.author.player = sender, None
            raise

    def put_off(self, problem: TooMuch) -> Request:
        """Answer that nothing was done, because the sender's boards have taken too much computing."""
        text = f"Nothing was done. {problem}"
        self.outgoing.answers.append(Answer("your email", Outcome.FAILED, text, "pbm: not done"))
        return self

    @property
    def attached_record(self) -> str:
        """The record of a game that is attached; empty if there is none."""
        return self.message.file[start_in(self.message.file) :]

    @property
    def attached_text(self) -> str:
        """The text that is attached and no record of a game; empty if there is none."""
        return "" if self.attached_record else self.message.note

    def take_record(self) -> str:
        """The record that is attached, or stands below the command and then is no comment; empty if there is none."""
        if record := self.attached_record:
            return record
        comment = self.words.comment
        start = start_in(comment)
        end = end_in(comment, start)
        self.words.comment = "\n\n".join(filter(None, (comment[:start].strip(), comment[end:].strip())))
        return comment[start:end]

    def comments(self, board: int) -> tuple[CommentMade, ...]:
        """The mail's words to the players of a board, as in `discreetly`."""
        text = self.discreetly(self.words.give(board))
        return (CommentMade(0, userid=self.author.player.userid, text=text),) if text and self.author.player else ()

    def discreetly(self, words: str) -> str:
        """What others may read of the mail's words: no password of its commands, and no contacts in a signature."""
        return self.unsecret(discreet(words))

    def unsecret(self, words: str) -> str:
        """The words without the passwords of the mail's commands."""
        return redact(words, self.secrets).strip()

    def check_no_password(self) -> None:
        """Raises: BadArguments for a password, in a faulty command or in a sentence, which nobody else may read."""
        if self.secrets:
            raise BadArguments(
                "Nothing was passed on, for your email may hold a password. Answers need none.", "help account"
            )

    def whose(self, to: str = "", account: str = "") -> Whose:
        """Who is counted for what the mail causes. to: the address that gets a mail. account: whom it is about."""
        player = self.author.player or self.sender.proven
        verified = {userid for userid, _ in self.author.incoming.verified}
        pool = self.sender.pool(player, verified, vouched=self.message.authenticated)
        # What goes to somebody else is not what they cause themselves.
        if pool is Pool.USUAL and to and mailbox(to) != mailbox(self.message.sender):
            pool = Pool.UNPROVEN
        author = f"player {player.id}" if player else mailbox(self.message.sender) if self.message.sender else "nobody"
        return Whose(pool, author, network=self.incoming.network, to=to, account=account)

    def draw(self, act: Act, to: str = "", account: str = "") -> None:
        """Count what the mail causes; a mail to the address is not counted as an answer, too. Raises: TooMuch.

        Who has shown that the address is theirs is answered there, not asked: nobody else can use that up.
        """
        # A password says nothing about From.
        is_shown = self.message.authenticated or self.sender.proven or self.sender.newcomer
        if to and is_shown and to.casefold() == self.message.sender.casefold():
            return
        if problem := drawn(self.tx, self.tools.limits, act, self.whose(to, account)):
            raise problem
        if to:
            self.asked.add(mailbox(to))

    def excess(self, act: Act, to: str = "") -> TooMuch | None:
        """Why something would be too much that the mail causes; nothing is counted."""
        return excess(self.tx.guesses, self.tools.limits, self.now, act, self.whose(to))

    def may_ask(self, act: Act, address: str) -> bool:
        """Whether a question that anybody can cause may go to a player's address; if so, it is counted."""
        try:
            self.draw(act, address)
        except TooMuch as problem:
            self.withheld = problem
            return False
        return True


def _has_moved(board: OpenBoard, seat: Seat, since: datetime | None = None) -> bool:
    """Whether the seat made the last move and waits for the other seat, which has not moved after `since`."""
    record = board.match.record
    if not record or record[-1].seat != seat or board.match.result is not None or board.state.to_move == seat:
        return False
    return since is None or len(record) == 1 or record[-2].played_at <= since
