"""Players who write mails to a server in this process, and conversations in files that read like documentation.

A golden conversation is a text file. Its first paragraph says what it shows. Lines at the left margin say what
happens; the indented lines below one are the text of a mail:

    given alice and bob                         players with confirmed addresses; the password of alice is alicepass
    given a game cross -size=4 alice bob: D4    a board on which D4 has been played
    given answers_per_hour = 5                  a limit that is not the default
    >>> alice: cross show 101                   a mail from alice with this subject; any address may stand for alice
    >>> alice, vouched for by mx.example.org: games    the same, but that mail server says that it is genuine
    >>> alice answers 101: D4                   her answer to the last mail she got of board 101
    >>> alice answers 101 (mail 1): D4          her answer to the first mail she got of it
    >>> alice answers: yes                      her answer to the last mail she got
    >>> alice, vouched for, answers: set        the same, and our mail server says that it is genuine
    >>> bob answers alice's 101: D4             from his address, his answer to a mail she got
    >>> once more                               the previous mail, delivered again
    ... 3 days 4 hours pass                     and whatever falls due meanwhile is done
    ... robots think                            about every board that waits for them
    ... robots think for 1 minute each          the same, but so long about each board
    ... robots fail                             at every board that waits for them
    ... robots are killed                       while they think
    <<< alice@example.net                       a mail that she received; the test writes these

Lines that begin with # are remarks. A mail is shown by its subject and text, without the line that ends every mail.
The conversations in tests/golden/headers show all headers, once for each form they come in.
"""

from __future__ import annotations

import itertools
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message as Parsed
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import lxml.html
import psycopg
from sqlalchemy import Connection, bindparam, event

from games import GAMES
from pbm.bots.levels import Question, Thought
from pbm.bots.mind import NoThought, Stopped, think
from pbm.compose import owed
from pbm.compose.tell import mail_bytes
from pbm.core import passwords
from pbm.core.robots import Ask
from pbm.domain.mail import Arrival, Queued, Received
from pbm.mailin import Robot, Unlock
from pbm.mailin.quotes import SENTINEL
from pbm.server import Arriving, Service, Settings
from pbm.store import Store
from pbm.store.queues import WHOLE, queued
from pbm.store.tables import metadata, outbox
from tests.contents import Contents, Rows

T = TypeVar("T")
ROBOT = Robot("pbm", "example.org", authserv_id="mx.example.org")
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECRET = bytes(range(32)).hex()
INDENT = "    "
FOOTER = f"\n\n{SENTINEL}\n"
"""The end of every mail's text; conversations leave it out."""

REFUSED = re.compile(r"^.*: nothing was\s+changed\.|^Subject: pbm: not done|^FAILED: |^Your email was:", re.MULTILINE)
"""Found in each mail that refuses something."""

PASSING = frozenset({"attempts", "inbox", "outbox", "outbox_texts", "owed_boards", "tickets"})
"""Tables that any mail may add to."""

RECEIVED = re.compile(rf"^(<<< \S+@\S+\n)((?:{INDENT}.*\n|\n)*)", re.MULTILINE)
"""A received mail in a script: the line that says by whom, and what it says."""

_NOT_LEFT_OVER = "what comes now was not left over by another server"
_FRESH = WHOLE.where(outbox.c.id > bindparam("seen")).order_by(outbox.c.id)
_ANSWERS = re.compile(r"(\S+?)(, vouched for,)? answers(?: (\w+)'s)?(?: (\d+))?(?: \(mail (\d+)\))?: (.*)")


def password(userid: str) -> str:
    return f"{userid}pass"


@cache
def _hashed(userid: str) -> str:
    return passwords._hasher.hash(password(userid))


def address_of(name: str) -> str:
    return name if "@" in name else f"{name}@example.net"


@dataclass(frozen=True, repr=False)
class Got:
    """A mail that somebody has received."""

    address: str
    raw: bytes
    board: int | None

    @property
    def text(self) -> str:
        return f"{self.head}\n\n{self.body}"

    @property
    def head(self) -> str:
        return self.raw.partition(b"\r\n\r\n")[0].decode("ascii").replace("\r\n", "\n")

    @property
    def letter(self) -> str:
        """What its reader sees: subject and text without the footer, and the names of its other forms."""
        others = f"\n\n(in these forms: {', '.join(self.forms)})" if self.parsed.is_multipart() else ""
        return f"Subject: {self['Subject']}\n\n{self.body.removesuffix(FOOTER)}{others}"

    @property
    def form(self) -> tuple[str, ...]:
        """The names of its headers, and its media type."""
        return (*self.parsed.keys(), self.parsed.get_content_type())

    @cached_property
    def forms(self) -> list[str]:
        """The media types of its parts."""
        return [part.get_content_type() for part in self.parsed.walk() if not part.is_multipart()]

    @cached_property
    def parsed(self) -> Parsed:
        return message_from_bytes(self.raw)

    @cached_property
    def body(self) -> str:
        """Its text, or the text of its HTML if it has no other."""
        if not self.is_html:
            return self.part("text/plain")
        return str(lxml.html.fromstring(self.part("text/html")).text_content())

    @cached_property
    def is_html(self) -> bool:
        """Whether it has no text but that of its HTML, and of attached files."""
        texts = [part for part in self.parsed.walk() if part.get_content_type() == "text/plain"]
        return all(part.get_filename() for part in texts)

    def part(self, kind: str) -> str:
        """Its first part of this media type, decoded."""
        payload = next(part for part in self.parsed.walk() if part.get_content_type() == kind).get_payload(decode=True)
        assert isinstance(payload, bytes)
        return payload.decode("utf-8").replace("\r\n", "\n")

    @property
    def refuses(self) -> bool:
        return REFUSED.search(self.text) is not None

    def __getitem__(self, name: str) -> str:
        return str(self.parsed[name])


@dataclass(frozen=True)
class Moment:
    """The state of a house: its database, its clock and counters, and the mails that its people got and wrote."""

    rows: Rows
    at: tuple[datetime, Arriving | None, int, int, int]
    mailboxes: dict[str, list[Got]]
    folders: dict[str, list[bytes]]


class Moments:
    """What houses began with, and what that gave back; those that are set up alike go on from there.

    Most tests begin with players and a board, and to play its first moves by mail takes longer than what they are
    about.
    """

    MOST = 300

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Moment, Any]] = OrderedDict()

    def get(self, past: Hashable) -> tuple[Moment, Any] | None:
        if past in self._kept:
            self._kept.move_to_end(past)
        return self._kept.get(past)

    def put(self, past: Hashable, moment: Moment, found: object) -> None:
        self._kept[past] = (moment, found)
        if len(self._kept) > self.MOST:
            self._kept.popitem(last=False)


def _number_without_gaps(store: Store) -> None:
    """Give numbers again that were drawn before a rollback, as SQLite does, of which golden files are."""
    if not store.locks_rows:
        return
    engine, drawn = store._engine, []
    sequences = ("matches_board_seq", "players_id_seq")

    @event.listens_for(engine, "savepoint")
    def note(connection: Connection, _name: str) -> None:
        states = (f"SELECT last_value, is_called FROM {name}" for name in sequences)  # noqa: S608  names of this file
        cursor = connection.connection.cursor()  # below what tests count
        drawn.append([cursor.execute(state).fetchone() for state in states])

    @event.listens_for(engine, "release_savepoint")
    def forget(_connection: Connection, _name: str, _context: None) -> None:
        drawn.pop()

    @event.listens_for(engine, "rollback_savepoint")
    def give_back(connection: Connection, _name: str, _context: None) -> None:
        with suppress(psycopg.Error):  # after an error nothing can be asked
            for name, (last, is_called) in zip(sequences, drawn.pop(), strict=True):
                connection.connection.cursor().execute(f"SELECT setval('{name}', {last}, {is_called})")


class House:
    """A server and the mailboxes of all who write to it. Each mail moves the clock by a minute.

    folders: by address, all that was written and received there, in order. The server is started when it is first
    needed: until then, to take over what other houses began with costs nothing.
    """

    def __init__(
        self,
        url: str,
        settings: Settings | None = None,
        open_store: Callable[[], Store] | None = None,
        unlock: Unlock | None = None,
        first_key: int = 1,
        moments: Moments | None = None,
        contents: Contents | None = None,
    ) -> None:
        """url: of a database with a known secret; see tests.databases. open_store: opens it, if not as usual.

        first_key: the first number that mails get, the server's own and players'; above those that the database holds.
        moments: what other houses began with; only for an empty database. contents: of its database, if that is open.
        """
        self._url = url
        self.now = START
        self.mailboxes: dict[str, list[Got]] = {}
        self.folders: dict[str, list[bytes]] = {}
        self.last: Arriving | None = None
        self.thoughts: Ask = think
        self._settings, self._unlock = settings or Settings(ROBOT), unlock
        self._open_store = open_store or (lambda: Store(url))
        self._contents = contents
        self._waiting: Rows | None = None
        """What is to be in the database when the server starts; None if it is there."""
        self._key = self._number = first_key
        self._delivered = 0
        self._moments = moments if unlock is None and url.startswith("sqlite") else None
        self._past: tuple[Hashable, ...] | None = (repr(settings),)
        """What was set up so far; None once something else has happened."""
        self._state = self._states()
        self._vouches = self._settings.robot.authserv_id

    @cached_property
    def service(self) -> Service:
        is_as_set_up = self._states() == self._state
        self._put_what_waits()
        store = self._open_store()
        _number_without_gaps(store)
        service = Service(
            store,
            self._settings,
            clock=lambda: self.now,
            make_key=self._make_key,
            ask=lambda question: self.thoughts(question),
            unlock=self._unlock,
        )
        if self.folders:
            assert service.handle() == 0, _NOT_LEFT_OVER
        if is_as_set_up:
            self._state = self._states()
        return service

    @property
    def url(self) -> str:
        """Of the database, for whoever opens it beside the server."""
        assert self.service
        return self._url

    @property
    def is_running(self) -> bool:
        """Whether the server has been started."""
        return "service" in vars(self)

    def _make_key(self) -> str:
        self._key += 1
        return f"key{self._key - 1:04}"

    def _states(self) -> tuple[bytes, int]:
        """What differs if anything has happened: the head of the index of SQLite's log, and the number of mails."""
        index = Path(f"{self._file}-shm")
        mails = sum(len(box) for box in self.mailboxes.values()) + sum(len(box) for box in self.folders.values())
        return (index.read_bytes()[:48] if index.exists() else b""), mails

    def _after(self, *deed: Hashable) -> tuple[Hashable, ...] | None:
        """What will have been set up when this is done; None if something else has happened."""
        if self._past is None or self._moments is None or self._states() != self._state:
            return None
        counters = (self.now, self._delivered, self._key, self._number)
        limits = self.service.tools.limits if self.is_running else self._settings.limits
        return (*self._past, *deed, *counters, repr(limits), *GAMES)

    def _has_set_up(self, past: tuple[Hashable, ...] | None) -> None:
        self._past, self._state = past, self._states()

    def kept(self) -> Moment:
        """The state of a house on SQLite, for other houses to go on from."""
        boxes, folders = _copied(self.mailboxes), _copied(self.folders)
        at = (self.now, self.last, self._delivered, self._key, self._number)
        with self._opened() as contents:
            return Moment(contents.rows(), at, boxes, folders)

    def go_on_from(self, moment: Moment) -> None:
        """Take over the state of another house, before anything has happened in this one."""
        self._waiting = moment.rows
        self.mailboxes, self.folders = _copied(moment.mailboxes), _copied(moment.folders)
        self.now, self.last, self._delivered, self._key, self._number = moment.at
        if self.is_running:
            self._put_what_waits()
            assert self.service.handle() == 0, _NOT_LEFT_OVER

    def _put_what_waits(self) -> None:
        if self._waiting is not None:
            with self._opened() as contents:
                contents.put(self._waiting)
            self._waiting = None

    @contextmanager
    def _opened(self) -> Iterator[Contents]:
        if self._contents is not None:
            yield self._contents
            return
        with closing(Contents(self._file)) as contents:
            yield contents

    @property
    def _file(self) -> Path:
        return Path(self._url.removeprefix("sqlite:///"))

    def player(self, userid: str, form: str = "text") -> None:
        """Add a player with a confirmed address. form: the setting `mail`."""
        self._once(lambda: self._add([userid], form), userid, form)

    def players(self, *userids: str) -> None:
        self._once(lambda: self._add(userids, "text"), *userids, "text")

    def _add(self, userids: Sequence[str], form: str) -> None:
        for userid in userids:
            with self.service.store.write() as tx:
                player = tx.players.add(userid, _hashed(userid), self.now)
                tx.players.add_address(player.id, address_of(userid), self.now, confirmed=True)
                tx.players.save_settings(player.id, {"mail": form, "picture": "on"})

    def game(self, words: str, moves: Sequence[str] = ()) -> int:
        """Start a board by mail and play the moves in turn; words: a game, options, two userids. Returns its number.

        A house where nothing else has happened goes on from what another one did that was set up alike.
        """
        return self._once(lambda: self._played(words, moves), words, *moves)

    def lived(self, life: Callable[[House], object]) -> House:
        """This house, after what happens in `life`; a house where nothing else has happened goes on from there."""
        self._once(lambda: life(self), life.__module__, life.__qualname__)
        return self

    def _once(self, act: Callable[[], T], *deed: Hashable) -> T:
        past = self._after(*deed)
        if self._moments is None or past is None:
            return act()
        found: T
        if kept := self._moments.get(past):
            moment, found = kept
            self.go_on_from(moment)
        else:
            found = act()
            self._moments.put(past, self.kept(), found)
        self._has_set_up(past)
        return found

    def _played(self, words: str, moves: Sequence[str]) -> int:
        game, *rest, first, second = words.split()
        login = [] if self._vouches else [first, password(first)]
        got = self.send(first, " ".join([game, "challenge", *rest, first, second, *login]))
        board = got[0].board
        assert board is not None, got[0].body
        for move, player in zip(moves, itertools.cycle((first, second)), strict=False):
            self.answer(player, move, board)
        return board

    def send(self, sender: str, subject: str, body: str = "", to: str = ROBOT.address, **headers: str) -> list[Got]:
        """Send a mail; returns the mails that answer it."""
        return self.deliver(self.mail(sender, subject, body, to, **headers))

    def mail(self, sender: str, subject: str, body: str = "", to: str = ROBOT.address, **headers: str) -> Arriving:
        """A mail as it arrives. headers: beside the usual ones or in their place; _ in a name stands for -.

        Challenges between players come vouched for unless the headers say otherwise; else they would only be proposed.
        """
        usual = {
            "From": address_of(sender),
            "To": to,
            "Subject": subject,
            "Message-ID": f"<mail-{self._number}@{address_of(sender).rpartition('@')[2]}>",
        }
        self._number += 1
        if " chall" in f" {subject}" and "@" not in sender + subject and self._vouches:
            usual["Authentication-Results"] = f"{self._vouches}; dkim=pass header.d=example.net"
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in (usual | given).items())
        content = f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{body}".encode()
        return Arriving(address_of(sender), (to,), content)

    def answer(
        self, player: str, text: str, board: int | None = None, *, mail: int = 0, of: str = "", vouched: bool = False
    ) -> list[Got]:
        """Send an answer, as in `answering`; returns the mails that it causes.

        vouched: our mail server says that it is genuine; else an answer about a board counts for nothing else.
        """
        answer = self.answering(player, text, board, mail=mail, of=of)
        domain = address_of(player).rpartition("@")[2]
        results = f"Authentication-Results: {ROBOT.authserv_id}; dkim=pass header.d={domain}\r\n"
        return self.deliver(replace(answer, raw=results.encode() + answer.raw) if vouched else answer)

    def answering(self, player: str, text: str, board: int | None = None, *, mail: int = 0, of: str = "") -> Arriving:
        """An answer as mail programs write it. mail: to which mail that `of` got of the board, from 1; 0: the last."""
        box = [got for got in self.mailboxes[address_of(of or player)] if board in (None, got.board)]
        answered = box[mail - 1]
        quoted = "\n".join(f"> {line}".rstrip() for line in answered.body.splitlines())
        subject = answered["Subject"]
        return self.mail(
            player,
            subject if subject.startswith("Re: ") else f"Re: {subject}",
            f"{text}\n\nOn Thursday, 1 January 2026, {answered['From']} wrote:\n{quoted}\n",
            to=answered["Reply-To"] if "Reply-To" in answered.parsed else ROBOT.address,
            In_Reply_To=answered["Message-ID"],
            References=f"{answered['References']} {answered['Message-ID']}",
        )

    def deliver(self, mail: Arriving) -> list[Got]:
        """Take a mail in and handle it; returns the mails that it causes."""
        self.now += timedelta(minutes=1)
        if mail is not self.last:
            self.folders.setdefault(mail.mail_from or "", []).append(mail.raw)
        self.last = mail
        self.service.accept([mail])
        assert self.service.handle() == 1
        return self.collect()

    def think(self) -> list[Got]:
        """Let robots think until no board waits for them; returns the new mails."""
        self.now += timedelta(seconds=5)
        for thinker in self.service.thinkers:
            assert thinker.run(100) < 100
        return self.collect()

    def wait(self, time: timedelta) -> list[Got]:
        """Let time pass, and do on time what falls due meanwhile; returns the new mails."""
        until = self.now + time
        while (due_at := self._next_due()) is not None and due_at <= until:
            self.now = max(self.now, due_at)
            assert self.service.agenda.run(), "what is due cannot be done"
        self.now = until
        return self.collect()

    def sleep(self, time: timedelta) -> list[Got]:
        """Let the server be down for a time and then catch up; returns the new mails."""
        self.now += time
        self.service.agenda.run(10_000)
        return self.wait(timedelta(milliseconds=1))

    def _next_due(self) -> datetime | None:
        with self.service.store.read() as tx:
            return min((at for at in (tx.agenda.next_at(), tx.matches.next_due_at()) if at), default=None)

    def collect(self) -> list[Got]:
        """The mails written since the last call, in order, now also in the mailboxes."""
        found = []
        for sent in self._fresh():
            self._delivered = sent.id
            raw = mail_bytes(sent.mail)
            found.append(Got(sent.mail.address, raw, sent.mail.board))
            check_wire(sent, found[-1])
            self.mailboxes.setdefault(sent.mail.address, []).append(found[-1])
            self.folders.setdefault(sent.mail.address, []).append(raw)
        return found

    def _fresh(self) -> list[Queued]:
        """The mails written since the last call, in order."""
        with self.service.store.read() as tx:
            return tx.outbox._all(_FRESH, queued, {"seen": self._delivered})

    @property
    def inbox_row(self) -> Received:
        """The newest mail that came in, as the database has it."""
        with self.service.store.read() as tx:
            return tx.inbox.latest(None, 1)[0]

    def dump(self) -> dict[str, list[Any]]:
        """Everything in the database that a refused command must not change."""
        kept = [table for table in metadata.sorted_tables if table.name not in PASSING]
        with self.service.store.read() as tx:
            cursor, rows = tx._connection.connection.cursor(), {}
            for table in kept:
                cursor.execute(f'SELECT * FROM "{table.name}"')  # noqa: S608  names of ours
                rows[table.name] = sorted((tuple(row) for row in cursor.fetchall() if row[0] != "age"), key=repr)
            return rows

    def parked(self) -> list[Received]:
        with self.service.store.read() as tx:
            return tx.inbox.latest(Arrival.PARKED, 100)


def record(house: House, board: int = 101) -> list[str]:
    """The notations of the moves played on a board."""
    with house.service.store.read() as tx:
        match = tx.matches.load(board)
    assert match is not None
    return [ply.notation for ply in match.record]


def _copied(lists: dict[str, list[T]]) -> dict[str, list[T]]:
    return {name: list(what) for name, what in lists.items()}


def check_wire(sent: Queued, got: Got) -> None:
    """Assert what holds for every mail of ours, whatever it says. got: as it was received."""
    mail, raw, parsed = sent.mail, got.raw, got.parsed
    assert owed.encoded(owed.decoded(mail)) == mail.owed
    head = raw.partition(b"\r\n\r\n")[0]
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    assert head.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    for name in ("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version"):
        assert len(parsed.get_all(name, [])) == 1, f"{name} in\n{head.decode()}"
    assert parsed["To"] == mail.address
    assert parsed["Auto-Submitted"] in ("auto-replied", "auto-generated")
    domain = parsed["From"].rpartition("@")[2].rstrip(">")
    assert re.fullmatch(rf"bounce\+{mail.key}\.[0-9a-f]{{12}}@{domain}", mail.envelope_from)
    text = got.body
    if got.is_html:
        assert SENTINEL in text, text
        return
    assert text.endswith(FOOTER), text
    assert not re.search(r"\n\n\n(?!  )", text), text  # what people wrote is indented and may have two blank lines
    for line in text.splitlines():
        assert line == line.rstrip(), repr(line)
        assert len(line) <= 78 or line.startswith("> "), f"more than 78 characters; `| wrapped` breaks it: {line}"


def events(script: str) -> Iterator[tuple[str, str]]:
    """The lines at the margin, each with the text indented below it, but without the received mails."""
    lines = script.splitlines()
    while lines:
        line = lines.pop(0)
        below = list(itertools.takewhile(lambda text: not text or text.startswith(INDENT), lines))
        del lines[: len(below)]
        if not line.startswith("<<<"):
            yield line, "\n".join(text.removeprefix(INDENT) for text in below).strip("\n")


def letters(script: str) -> Iterator[tuple[str, str]]:
    """Subject and text, with the footer, of each mail that a conversation shows; each has to be there in full."""
    for received in RECEIVED.findall(script):
        subject, _, text = dedented(received[1]).removeprefix("Subject: ").partition("\n\n")
        yield subject, text.partition("\n\n(in these forms: ")[0].rstrip("\n") + FOOTER


def dedented(text: str) -> str:
    """The text of a mail as a script has it, without its margin and what is blank at its end."""
    return "\n".join(line.removeprefix(INDENT) for line in text.splitlines()).rstrip("\n")


def perform(house: House, script: str, shown: Callable[[Got], str] = lambda got: got.letter) -> str:
    """Play the conversation; returns its script with all the mails it causes. shown: what to show of a mail."""
    out: list[str] = []
    for line, text in events(script):
        if not line:
            continue
        out += [line, *([indented(text)] if text else [])]
        mails = happen(house, line, text)
        if mails is not None:
            out += ["", *_received(house, mails, shown)]
        if not line.startswith("#") and not _is_title(out):
            out.append("")
    return "\n".join(_spaced(out)).rstrip("\n") + "\n"


def happen(house: House, line: str, text: str) -> list[Got] | None:
    """Let a line of a script happen; returns the mails it causes, or None if it is no line that can cause any."""
    if line.startswith("given "):
        _given(house, line.removeprefix("given "))
        return None
    if line.startswith(">>> "):
        return _sent(house, line.removeprefix(">>> "), text)
    if line == "... robots fail":
        house.thoughts = _fail
        return house.think()
    if line == "... robots are killed":
        house.thoughts = _killed
        house.service.thinkers[0].run(1)
        return house.collect()
    if line.startswith("... robots think"):
        house.thoughts = _slowly(house, line.removeprefix("... robots think"))
        return house.think()
    if line.startswith("... "):
        return house.wait(_duration(line.removeprefix("... ")))
    return None


def _fail(_: Question) -> Sequence[Thought]:
    raise NoThought("exit status 1")


def _killed(_: Question) -> Sequence[Thought]:
    raise Stopped


def _slowly(house: House, words: str) -> Ask:
    """Thoughts that take the time in the words, such as " for 1 minute each"; no time if there are no words."""
    taken = _duration(words.removeprefix(" for ")) if words else timedelta(0)

    def thinks(question: Question) -> Sequence[Thought]:
        house.now += taken
        return think(question)

    return thinks


def _is_title(out: Sequence[str]) -> bool:
    return not any(line.startswith(("given ", ">>> ")) for line in out)


def _spaced(out: Sequence[str]) -> Iterator[str]:
    """The lines with a blank one after the title, and never two blank lines in a row."""
    titled = False
    before = "x"
    for line in out:
        if not titled and line.startswith(("given ", ">>> ", "#")):
            titled = True
            yield ""
            before = ""
        if line or before:
            yield line
        before = line


def _given(house: House, what: str) -> None:
    if what.startswith("a game "):
        words, _, moves = what.removeprefix("a game ").partition(":")
        house.game(words, moves.split())
        return
    if match := re.fullmatch(r"(\w+_\w+) = (\d+)", what):
        tools = house.service.tools
        tools.limits = tools.limits.model_copy(update={match[1]: int(match[2])})
        return
    house.players(*what.split(" and "))


def _duration(words: str) -> timedelta:
    """The time in the words, such as "3 days 4 hours pass"."""
    *pairs, _ = words.split()
    amounts = {f"{unit.rstrip('s')}s": float(number) for number, unit in zip(pairs[::2], pairs[1::2], strict=True)}
    return timedelta(**amounts)


def _sent(house: House, what: str, text: str) -> list[Got]:
    if what == "once more":
        assert house.last is not None
        return house.deliver(house.last)
    if match := _ANSWERS.fullmatch(what):
        player, is_vouched, of, board, mail, first = match.groups()
        words, number = f"{first}\n{text}".strip("\n"), int(board) if board else None
        return house.answer(player, words, number, mail=int(mail or 0), of=of or "", vouched=bool(is_vouched))
    sender, _, subject = what.partition(": ")
    name, _, server = sender.rstrip(":").partition(", vouched for by ")
    domain = address_of(name).rpartition("@")[2]
    vouched = {"Authentication_Results": f"{server}; dkim=pass header.d={domain}"} if server else {}
    return house.send(name, subject, text, **vouched)


def _received(house: House, mails: Sequence[Got], shown: Callable[[Got], str]) -> Iterator[str]:
    if not mails:
        row = house.inbox_row
        yield f"<<< nothing ({row.reason or row.state})"
    for got in mails:
        yield from (f"<<< {got.address}", indented(shown(got)), "")


def indented(text: str) -> str:
    return "\n".join(f"{INDENT}{line}" if line else "" for line in text.rstrip("\n").splitlines())
