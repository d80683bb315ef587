"""Numbers and patterns that would take for ever are refused, and a sender of costly mails waits for them alone."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import Message as Parsed
from itertools import cycle

import pytest

from games import GAMES
from pbm.compose.notices import Answer
from pbm.core.registry import HANDLERS
from pbm.core.request import Request
from pbm.domain.mail import Arrival
from pbm.mailin import Discard, Envelope
from pbm.mailin.mime import parse, unflowed
from pbm.mailin.quotes import own_text
from pbm.mailin.written import read, versions
from pbm.reading.commands import Command
from pbm.server import Arriving, batch
from pbm.server import handle as module
from pbm.server.batch import Batches
from pbm.store import queues
from tests.conversation import ROBOT, House
from tests.games.variants import EACH, largest
from tests.patience import PATIENCE_SECONDS

HOUR = timedelta(hours=1)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """A test that hangs in one long computation fails, even if that never returns to Python's loop."""

    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE_SECONDS)  # processor time
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


LONG = {
    "digits": "9" * 7000,
    "a power": "1e999999999",
    "a cell": "A" + "1" * 6000,
    "letters": "ABCDEFGHJK" * 700,
    "brackets": "(" * 3500 + ")" * 3500,
    "fractions": "1/3 " * 1700,
    "crossings": "1x2" * 2300,
    "a crossing": "9" * 3000 + "x" + "9" * 3000,
    "dashes": "-" * 7000,
    "a path": "A1-" * 2300,
    "a list": "A1,A2;" * 1100,
    "blanks": "Q9Q" + " " * 6000 + "1",
    "a turn": "A1-A2 " * 1000 + "B2-B3",
    "other digits": "١٢٣" * 1000,
    "combining": "A" + "\u0301" * 3000,
    "zoom": "zoom A 1" + "0" * 5000,
    "plan": "if A1 then " * 600,
}
BOARDS = {name: " ".join(largest(game)) for name, game in GAMES.items()}


@pytest.mark.parametrize("game", EACH)
def test_long_moves_are_refused_on_the_largest_boards(game: str, house: House) -> None:
    house.players("alice", "bob")
    board = house.game(f"{game} {BOARDS[game]} alice bob")
    with house.service.store.read() as tx:
        before = tx.matches.load(board)
    for what, text in LONG.items():
        house.answer("alice", text, board)
        assert not house.parked(), what
    with house.service.store.read() as tx:
        after = tx.matches.load(board)
    assert before is not None
    assert after is not None
    assert after.record == before.record


@pytest.mark.parametrize(
    "words",
    [
        "zet " * 100,
        f"Hi\n{'zet ' * 90}x\nCan I have more time?",
        "\n".join([f"Best {'a' * 300}!"] * 15),
        f"?{'. ' * 3000}",
        "Hi\nRegards\n" + "\n".join(["Bob Ok Gg " * 8] * 11),
        "in the game no. 101 " * 300,
        "gegen den computer, ich nehme einen stein. " * 140,
    ],
    ids=["a word", "a line", "names", "dots", "a card", "boards", "rivals"],
)
def test_words_that_are_repeated_are_read_to_their_end(words: str, table: House) -> None:
    """Whether a stranger writes them, a player, or somebody who only claims to be one."""
    (asked,) = table.send("joe@elsewhere.example", "hello")
    assert table.deliver(table.mail("joe@elsewhere.example", "hello", words, to=asked["Reply-To"]))
    assert table.send("alice", "hello", words)
    assert table.answer("bob", words, 101)
    assert table.answer("alice", "resign", 101)


def test_addresses_without_end_above_quotes_are_read_in_no_time() -> None:
    """Read slowly, each of these mails takes 16 s, and all of them more than a test may take."""
    letter = f"Hi!\n\nx {'@' * 330}\nOn 1 Jan 2024 at 10:23 <a@b> wrote:\n> q\n\n" * 400
    for number in range(10):
        own, _ = own_text(f"{number}\n{letter}", "pbm")
        assert own.startswith(f"{number}\nHi!\n\nx @@@")


def test_a_flowed_line_without_end_is_joined_in_no_time() -> None:
    """The time must not grow with the square of the length."""
    assert unflowed("a \n" * 500_000, delsp=True) == "a" * 500_000


def test_of_html_so_many_tags_are_laid_out_and_once() -> None:
    """Laying out 100,000 octets of tags takes 1 s, and twice that if no words are found and it is tried again."""
    mail = parse(b"Content-Type: text/html\r\n\r\n" + b"<p>x" * 40_000)
    (crowded,) = versions(mail)
    assert 5000 < crowded.count("x") < 10_001
    mail = parse(b"Content-Type: text/html\r\n\r\n" + b"<p>" * 40_000)
    assert [text.strip() for text in versions(mail)] == [""]


def test_quotes_within_quotes_without_end_are_read_in_no_time() -> None:
    """Each read to its end, one such mail takes 10 s."""
    mail = parse(b"Content-Type: text/html\r\n\r\n" + b"<blockquote>" * 2000 + b"x " * 40_000)
    assert [text for _ in range(4) for text in versions(mail)] == ["> ..."] * 4


def test_of_many_parts_of_html_no_more_tags_are_laid_out_than_of_one() -> None:
    """Otherwise each part has its own limit: a mail of 1 MB in 33 parts takes 2.5 s."""
    part = b"--b\r\nContent-Type: text/html\r\n\r\n" + b"<br>x" * 4000 + b"\r\n"
    for kind in (b"mixed", b"alternative"):
        mail = parse(b"Content-Type: multipart/" + kind + b"; boundary=b\r\n\r\n" + part * 20)
        assert all(3999 < text.count("x") <= 10_020 for text in versions(mail))


def test_of_a_bounce_without_line_ends_little_is_searched_for_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searched as a whole, one such mail takes 1 s."""
    shown = list[str]()

    def scanned(mail: Parsed) -> tuple[set[bytes], set[bytes]]:
        shown.extend(str(mail.get_payload()).split("\n"))
        return set(), {b"bob@x.org"}

    monkeypatch.setattr("flufl.bounce.all_failures", scanned)
    part = "--b\r\n\r\nA message that you sent could not be delivered\r\n" + "z" * 8000 + "\r\n"
    head = "From: mailer-daemon@x.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    found = read((head + 3 * part).encode(), Envelope("", ("pbm@example.org",)), ROBOT)
    assert isinstance(found, Discard)
    assert [failure.address for failure in found.failures] == ["bob@x.org"]
    assert 900 < max(map(len, shown)) < 1000


def test_blanks_without_end_in_a_report_are_read_in_no_time() -> None:
    """Read slowly, each of these reports, which anybody can send, takes 12 s, and all of them more than a test may."""
    for number in range(40):
        status = f"Final-Recipient: {' ' * 32_000}\r\nAction: failed"
        head = f"Message-ID: <{number}@x>\r\nContent-Type: multipart/report; boundary=b"
        raw = f"{head}\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n{status}\r\n--b--"
        found = read(raw.encode(), Envelope("", ("bounce+key@example.org",)), ROBOT)
        assert isinstance(found, Discard)
        assert found.reason == "delivery status notification"


@pytest.mark.parametrize("game", EACH)
def test_options_beyond_reason_are_refused(game: str, house: House) -> None:
    house.players("alice", "bob")
    for option in GAMES[game].info.options:
        for value in ("9" * 5000, "-1", "1e9", "0" * 5000 + "1", "1" * 13, "١٢", "nan"):
            got = house.send("alice", f"{game} challenge -{option.name}={value} alice bob")
            assert not house.parked()
            if option.choices or len(value) > 4:
                assert all(each.board is None for each in got), (option.name, value[:20])


@pytest.mark.parametrize(
    "body",
    [
        "0,0 1,1\n" * 2400,
        "9" * 19_000,
        "0,0 " + "9" * 9000 + "," + "9" * 9000,
        "\n".join(f"{n},0 0,{n}" for n in range(1700)),
    ],
    ids=["edges", "digits", "a far point", "many edges"],
)
def test_boards_of_ones_own_beyond_reason_are_refused(body: str, house: House) -> None:
    house.players("alice", "bob")
    house.send("alice", "crossgeo challenge alice bob", body)
    assert not house.parked()


def test_a_polygon_played_to_be_long_takes_bounded_numbers() -> None:
    """Always the last of the listed crossings, which depends on the most segments."""
    game = GAMES["polygon"]
    position = game.start(game.options(["-sides=24", "-colours=any"]))
    for _ in range(60):
        *_, move = game.moves(position)
        position = game.play(position, move)
    assert len(list(game.moves(position))) > 1


def test_a_turn_of_many_loops_is_judged() -> None:
    game = GAMES["luddit"]
    position = game.start(game.options(["-size=19", "-stones=99"]))
    for _ in range(30):
        position = game.play(position, next(iter(game.moves(position))))


@pytest.mark.parametrize("vouched", [True, False])
def test_who_asks_for_what_takes_long_is_put_off_and_nobody_else(
    vouched: bool, table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the player, if nothing but the token of their board was shown: somebody else may have that, too."""
    table.player("carol")
    table.game("cross -size=4 carol alice")
    spent = iter(range(0, 10_000, 50))
    monkeypatch.setattr(module, "thread_time", lambda: next(spent))
    for _ in range(3):
        table.answer("bob", "show", 101, vouched=vouched)
    (got,) = table.answer("bob", "E4", 101, vouched=vouched)
    assert "Nothing was done. Too much for now: seconds of computing" in " ".join(got.body.split())
    assert not table.answer("carol", "D4", 102)[0].refuses
    (got,) = table.send("anywhere@example.com", "cross move 101 bob bobpass Z9")
    assert ("seconds of computing" in got.body) is vouched
    (got,) = table.send("alice", "cross show 101")
    assert not got.refuses
    table.now += HOUR
    assert len(table.answer("bob", "E4", 101)) == 2


def test_what_is_asked_for_in_ones_name_is_at_nobodys_expense_but_the_names(
    table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = iter(range(0, 10_000, 50))
    monkeypatch.setattr(module, "thread_time", lambda: next(spent))
    for _ in range(4):
        (got,) = table.send("bob", "cross show 101")
    assert "seconds of computing" in got.body
    assert not table.answer("bob", "E4", 101)[0].refuses


def test_what_a_mail_changes_is_seen_by_the_next_of_its_sender(table: House) -> None:
    """All of them are waiting when the first is handled."""
    table.service.accept(
        [
            table.mail("bob", "cross games"),
            table.answering("bob", "C4", 101),
            table.mail("bob", "cross games"),
            table.mail("alice", "cross show 101"),
        ]
    )
    assert sum(iter(table.service.handle, 0)) == 4
    got = table.collect()
    before, after = [each.body for each in got if "list of" in each["Subject"]]
    *_, shown = [each.body for each in got if each.board == 101]
    assert ("1  bob to move" in before, "2  alice to move" in after) == (True, True)
    assert "It is alice's turn (O), at ply 3." in shown


def flood(house: House, number: int) -> list[Arriving]:
    """Mails by strangers with passwords in them, which name a board."""
    return [house.mail(f"new{n}@x.example", f"signup new{n} a-good-word{n}-101") for n in range(number)]


def test_a_move_comes_before_a_flood_of_passwords_however_long_that_is(table: House) -> None:
    table.service.accept([*flood(table, 40), table.answering("bob", "C4", 101)])
    assert sum(table.service.handle(10) for _ in range(2)) < 32
    assert any("bob played C4" in got.body for got in table.collect())
    while table.service.handle(10):
        pass
    assert waiting(table) == []


def test_players_do_not_wait_for_a_flood_and_what_they_wrote_stays_in_its_order(table: House) -> None:
    """Their mails came last; one holds a password, and the next mail about its board waits for it."""
    slow, later = table.answering("alice", "set alice alicepass board words"), table.answering("alice", "show")
    table.service.accept([*flood(table, 40), table.answering("bob", "C4", 101), slow, later])
    quick, first, last = waiting(table)[40:]
    while waiting(table):
        assert 0 < table.service.handle(5) < 30
        assert (first in waiting(table)) <= (last in waiting(table))
        assert quick not in waiting(table)


def test_a_move_comes_before_a_flood_that_waited_when_the_server_was_started_again(table: House) -> None:
    """The operator does that if nothing was handled for hours, and the move comes only now."""
    table.service.accept(flood(table, 60))
    started = Batches(table.service.store, table.service.handler)
    started.handle(5, lambda: None)
    table.service.accept([table.answering("bob", "C4", 101)])
    move = waiting(table)[-1]
    started.handle(5, lambda: None)
    assert move not in waiting(table)
    assert len(waiting(table)) > 20
    while started.handle(5, lambda: None):
        pass
    assert waiting(table) == []


def test_a_move_comes_first_however_many_mails_wait(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "_FIRST", 30)
    table.service.accept([*flood(table, 60), table.answering("bob", "C4", 101)])
    move = waiting(table)[-1]
    table.service.handle(5)
    assert move not in waiting(table)


def test_nobody_waits_behind_a_flood_of_one_lane(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever was sent a board's mail can answer it as often as they like."""
    monkeypatch.setattr(batch, "_SECONDS_OF_A_READING", PATIENCE_SECONDS)  # on a busy machine one mail may take longer
    flood = [table.answering("alice", "chat", 101) for _ in range(60)]
    table.service.accept([*flood, table.mail("carol", "help"), table.answering("bob", "show", 101)])
    *_, asked, last = waiting(table)
    table.service.handle()
    assert asked not in waiting(table)
    while table.service.handle(10):
        assert (last in waiting(table)) >= bool(waiting(table))
    assert waiting(table) == []


def test_mails_behind_a_flood_stay_in_their_order(table: House) -> None:
    """A sender's first mail is handled first, even if another server handles what was put off."""
    choice = table.mail("alice", "set alice alicepass board words")
    table.service.accept([*flood(table, 20), choice, *flood(table, 9), table.mail("alice", "help")])
    first, last = waiting(table)[20], waiting(table)[-1]
    here, there = (Batches(table.service.store, table.service.handler) for _ in range(2))
    for server in cycle((here, here, there, there)):
        server.handle(5, lambda: None)
        assert (first in waiting(table)) <= (last in waiting(table))
        if not waiting(table):
            break


@pytest.mark.parametrize("sender", ["eve{}@x.example", "bob"])
def test_a_move_that_comes_during_a_flood_is_handled_next(
    sender: str, table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody can write in a player's name."""
    monkeypatch.setattr(batch, "_SECONDS_AT_ONCE", -1)
    monkeypatch.setattr(batch, "_SECONDS_OF_A_READING", -1)
    table.service.accept([table.mail(sender.format(n), "list") for n in range(50)])
    answer = HANDLERS["list"]
    coming, before = [table.answering("bob", "C4", 101)], list[bool]()

    def come() -> None:
        while coming:
            table.service.accept([coming.pop()])

    def listed(request: Request, command: Command) -> Answer | None:
        match = request.tx.matches.load(101)
        before.append(match is not None and match.record[-1].notation == "C4")
        return answer(request, command)

    monkeypatch.setitem(HANDLERS, "list", listed)
    while waiting(table):
        table.service.handle(committed=come)
    assert len(before) > 5
    assert before.count(False) <= 2


def waiting(house: House) -> list[int]:
    with house.service.store.read() as tx:
        return [mail.id for mail in tx.inbox.latest(Arrival.NEW, 1000)[::-1]]
