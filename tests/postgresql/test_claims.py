"""On PostgreSQL several transactions write at once, and none gets in another's way."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from pbm.domain.mail import Arrival, Mail
from pbm.server import Service
from pbm.store import HOUSE, Conflict, DatabaseTrouble, SchemaTrouble, Store, Transaction, neighbours
from pbm.store.neighbours import Full, Malformed, ReadOnly
from pbm.store.queues import NewMail
from pbm.store.tables import FIRST_BOARD
from tests.databases import VARIABLE, Server
from tests.patience import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.postgresql
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    assert os.environ.get(VARIABLE), "run this by: python -m tests.postgresql.cluster python -m pytest -m postgresql"
    server = Server(os.environ[VARIABLE])
    yield server
    server.close()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    url = server.ready()
    yield url
    server.release(url)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = Store(url)
    yield store
    store.close()


def take_in(store: Store, *lanes: str) -> None:
    """Add a mail for each lane, with a number as its content."""
    rows = [NewMail("a@x.org", ("pbm@x",), str(number).encode(), lane=lane) for number, lane in enumerate(lanes, 1)]
    with store.write(alone=False) as tx:
        tx.inbox.add(rows, NOW)


def claim(tx: Transaction, limit: int = 100) -> list[int]:
    """The numbers of the mails that this transaction claims."""
    new = [mail.id for mail in tx.inbox.latest(Arrival.NEW, 1000)[::-1]]
    free = (mail for mail_id in new for mail in tx.inbox.these([mail_id]))
    waiting = {mail.id: int(mail.raw) for mail in islice(free, limit)}
    return sorted(waiting[mail_id] for mail_id in tx.inbox.claim([*waiting]))


def test_a_server_has_time_for_other_things_while_another_has_all_mails_in_hand(store: Store) -> None:
    service = Service(store, clock=lambda: NOW)
    take_in(store, "board 101", "board 101")
    with store.write(alone=False) as other:
        assert claim(other) == [1, 2]
        assert service.handle() == 0
        assert service.batches.is_idle


def test_a_mail_is_claimed_once_and_given_back_by_whoever_dies(store: Store) -> None:
    take_in(store, "", "", "")
    with suppress(ZeroDivisionError), store.write(alone=False) as one:
        assert claim(one, 2) == [1, 2]
        with store.write(alone=False) as other:
            assert claim(other) == [3]
        raise ZeroDivisionError
    with store.write(alone=False) as tx:
        assert claim(tx) == [1, 2, 3]


def test_no_mail_of_a_lane_is_taken_while_an_older_one_is_elsewhere(store: Store) -> None:
    take_in(store, "board 101", "board 102", "board 101", "from a@x", "board 102", "board 101", "")
    with store.write(alone=False) as one:
        assert claim(one, 2) == [1, 2]
        with store.write(alone=False) as other:
            assert claim(other, 4) == [4]
        with store.write(alone=False) as third:
            assert claim(third, 1) == []
        with store.write(alone=False) as fourth:
            assert claim(fourth) == [4, 7]


def test_a_hole_in_a_lane_stops_what_is_behind_it(store: Store) -> None:
    """One worker has the second mail of a lane, so the worker that gets the first must not go on to the third."""
    take_in(store, "board 101", "board 101", "board 101")
    with store.write(alone=False) as holder:
        holder._connection.execute(text("SELECT 1 FROM inbox WHERE raw = '2' FOR UPDATE"))
        with store.write(alone=False) as tx:
            assert claim(tx) == [1]


def test_a_mail_goes_out_by_one_worker_and_by_another_when_that_is_dead(store: Store) -> None:
    with store.write() as tx:
        tx.outbox.add([Mail(f"key{number}", "a@x.org", "bounce@x", "s", b"raw") for number in range(3)], NOW)
    until, later = NOW + timedelta(seconds=15), NOW + timedelta(seconds=16)
    with store.write(alone=False) as one, store.write(alone=False) as other:
        taken = [tx.outbox.claim(NOW, until, 2) for tx in (one, other)]
    assert [[mail.mail.key for mail in mails] for mails in taken] == [["key0", "key1"], ["key2"]]
    with store.write(alone=False) as tx:
        assert tx.outbox.claim(NOW, until, 9) == []
        tx.outbox.keep([taken[1][0].id], later)
        assert [mail.mail.key for mail in tx.outbox.claim(until, later, 9)] == ["key0", "key1"]


def test_names_that_are_locked_are_waited_for_and_others_are_not(store: Store) -> None:
    order: list[str] = []

    def second() -> None:
        with store.write(alone=False) as tx:
            tx.lock(["board 102"])
            order.append("another name")
            tx.lock(["board 101"])
            order.append("the same name")

    with store.write(alone=False) as tx:
        tx.lock(["board 101", HOUSE])
        thread = threading.Thread(target=second)
        thread.start()
        wait_until(lambda: waits(store))
        order.append("end")
    thread.join(PATIENCE_SECONDS)
    assert order == ["another name", "end", "the same name"]


def test_a_deadlock_is_a_conflict_of_one(store: Store) -> None:
    outcomes: list[str] = []
    both = threading.Barrier(2)

    def work(names: tuple[str, str]) -> None:
        try:
            with store.write(alone=False) as tx:
                tx.lock(names[:1])
                both.wait(PATIENCE_SECONDS)
                tx.lock(names[1:])
            outcomes.append("done")
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=work, args=(names,)) for names in (("a", "b"), ("b", "a"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert sorted(outcomes) == ["conflict", "done"]


def test_a_board_is_loaded_for_writing_by_one_at_a_time_and_read_by_all(store: Store) -> None:
    with store.write() as tx:
        players = (tx.players.add("alice", "-", NOW), tx.players.add("bob", "-", NOW))
        board = tx.matches.add("cross", 1, (), "", players, 1, NOW).board
    assert board == FIRST_BOARD
    seen: list[int] = []

    def second() -> None:
        with store.write(alone=False) as tx:
            assert tx.matches.load(board)
            seen.append(2)

    with store.write(alone=False) as tx:
        assert tx.matches.load(board)
        thread = threading.Thread(target=second)
        thread.start()
        wait_until(lambda: waits(store))
        with store.read() as reader:
            assert reader.matches.load(board)
        seen.append(1)
    thread.join(PATIENCE_SECONDS)
    assert seen == [1, 2]


def cut_off(store: Store, tx: Transaction) -> None:
    """Cut off a transaction's connection."""
    own = tx._connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with store.read() as other:
        other._connection.execute(text("SELECT pg_terminate_backend(:own)"), {"own": own})


def test_a_connection_that_is_cut_is_trouble_and_the_next_works(store: Store) -> None:
    def cut() -> None:
        with store.write() as tx:
            cut_off(store, tx)
            tx.secrets.keys(NOW)

    with pytest.raises(DatabaseTrouble):
        cut()
    with store.write() as tx:
        assert tx.secrets.keys(NOW)


def test_a_connection_that_is_cut_within_a_savepoint_is_trouble(store: Store) -> None:
    """Otherwise the mail in hand would be blamed on a fault of ours."""

    def cut() -> None:
        with store.write() as tx, tx.savepoint():
            tx.absences.note("something", NOW)
            cut_off(store, tx)
            tx.secrets.keys(NOW)

    with pytest.raises(DatabaseTrouble):
        cut()


def test_a_connection_that_is_cut_while_it_rests_is_not_used_again(store: Store, url: str) -> None:
    with store.read() as tx:
        own = tx._connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with store.read() as other:  # cut off as well, because it is used next
            pids = own, other._connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with psycopg.connect(url) as admin:
        for pid in pids:
            admin.execute("SELECT pg_terminate_backend(%s, 60000)", (pid,))
    with store.write() as tx:
        assert tx.secrets.keys(NOW)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("53100", Full),
        ("XX001", Malformed),
        ("42501", DatabaseTrouble),  # rights that are missing
        ("25P03", DatabaseTrouble),  # idle_in_transaction_session_timeout
    ],
)
def test_trouble_of_the_server_is_no_fault_of_ours(store: Store, code: str, kind: type[DatabaseTrouble]) -> None:
    """Otherwise the mail in hand would be parked."""
    raised = text(f"DO $$ BEGIN RAISE EXCEPTION 'this and that' USING ERRCODE = '{code}'; END $$")
    with pytest.raises(DatabaseTrouble, match="this and that") as trouble, store.write() as tx:
        tx._connection.execute(raised)
    assert trouble.type is kind


def test_a_database_that_can_only_be_read_is_told_of_and_written_once_it_can_be(url: str) -> None:
    """As after a switch to a standby; a connection that may only read is not used again."""
    store, told = Store(url), list[DatabaseTrouble]()
    store.when_unwritable = told.append
    with psycopg.connect(url, autocommit=True) as admin:
        setting = f"ALTER DATABASE {make_url(url).database} SET default_transaction_read_only"
        admin.execute(f"{setting} = on".encode())
        with pytest.raises(ReadOnly), store.write() as tx:
            tx.absences.note("first", NOW)
        assert [type(trouble) for trouble in told] == [ReadOnly]
        read_only = "it can only be read: it is a standby, or default_transaction_read_only is on"
        assert read_only in store.check()
        admin.execute(f"{setting} = off".encode())
    with pytest.raises(ReadOnly), store.write() as tx:
        tx.absences.note("second", NOW)
    with store.write() as tx:
        assert tx.absences.noted("first") is None
        tx.absences.note("third", NOW)
    assert read_only not in store.check()
    store.close()


def test_a_database_that_cannot_hold_all_texts_is_not_used(url: str) -> None:
    other = make_url(url).set(database=f"{make_url(url).database}_latin")
    with psycopg.connect(url, autocommit=True) as admin:
        how = "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        admin.execute(f"CREATE DATABASE {other.database} {how}".encode())
        store = Store(other.render_as_string(hide_password=False))
        with pytest.raises(SchemaTrouble, match=r"LATIN1.* createdb --encoding=UTF8"):
            store.prepare(NOW)
        assert store.revision() is None
        store.close()
        admin.execute(f"DROP DATABASE {other.database}".encode())


def test_a_bell_that_is_cut_off_listens_anew_and_leaves_no_traceback(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(neighbours, "UNASKED_SECONDS", 0.1)
    bell = store.bell(lambda _: None)
    bell.start()
    with psycopg.connect(url, autocommit=True) as admin:

        def listeners() -> list[int]:
            asked = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
            return [pid for (pid,) in admin.execute(asked)]

        wait_until(lambda: len(listeners()) == 1)
        (first,) = listeners()
        admin.execute("SELECT pg_terminate_backend(%s, 60000)", (first,))
        wait_until(lambda: listeners() not in ([], [first]))
    bell.stop()
    assert caplog.messages == []


def test_texts_of_mails_are_compressed_by_what_takes_least_time(store: Store) -> None:
    with store.write() as tx:
        tx.outbox.add([Mail("key", "a@x.org", "bounce@x", "s", b"a line of a mail\r\n" * 1000)], NOW)
        found = tx._connection.execute(text("SELECT pg_column_compression(raw) FROM outbox_texts")).scalar_one()
        known = tx._connection.execute(text("SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = :name"),
                                       {"name": "default_toast_compression"}).scalar_one()  # fmt: skip
        assert (found == "lz4") == known


def test_a_worker_that_is_suspended_or_cut_off_keeps_nothing_for_long(store: Store) -> None:
    with store.write() as tx:
        names = ("lock_timeout", "idle_in_transaction_session_timeout", "tcp_keepalives_idle", "tcp_keepalives_count")
        assert [tx._connection.execute(text(f"SHOW {name}")).scalar_one() for name in names] == [
            "30s",
            "5min",
            "20",
            "3",
        ]


def test_text_with_nul_in_it_is_kept_as_far_as_it_can_be(store: Store) -> None:
    take_in(store, "from a\0b")
    with store.read() as tx:
        assert tx.inbox.latest(Arrival.NEW, 1)[-1].lane == "from a\N{REPLACEMENT CHARACTER}b"
        assert tx.players.find("ali\0ce") is None


def test_words_are_ordered_by_their_letters_whatever_the_server_prefers(store: Store) -> None:
    with store.write() as tx:
        for userid in ("zoe", "al-z", "ala", "Bob", "al_b"):
            tx.players.add(userid, "-", NOW)
        assert [player.userid for player in tx.players.all()] == ["al-z", "al_b", "ala", "Bob", "zoe"]


def prepare(url: str, answers: multiprocessing.Queue[bytes]) -> None:
    store = Store(url)
    store.prepare(NOW)
    with store.read() as tx:
        answers.put(tx.secrets.keys(NOW)[0])
    store.close()


def test_processes_that_start_on_an_empty_database_at_once_agree(server: Server) -> None:
    context, url = multiprocessing.get_context("spawn"), server.empty()
    answers: multiprocessing.Queue[bytes] = context.Queue()
    processes = [context.Process(target=prepare, args=(url, answers)) for _ in range(3)]
    for process in processes:
        process.start()
    secrets = {answers.get(timeout=PATIENCE_SECONDS) for _ in processes}
    for process in processes:
        process.join(PATIENCE_SECONDS)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(secrets) == 1


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
def test_the_url_is_all_it_takes(url: str, scheme: str) -> None:
    store = Store(make_url(url).set(drivername=scheme).render_as_string(hide_password=False))
    assert not store.prepare(NOW)
    assert [problem for problem in store.check() if "off" not in problem] == []
    store.close()


def test_what_makes_it_forget_and_a_counter_that_stands_too_low_are_found(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO players (id, userid, userid_key, password_hash, created_at) VALUES (5, '', '', '', 0)"
        )
    store = Store(url)
    problems = store.check()
    store.close()
    assert "the counter of players stands below its newest row, 5" in problems
    assert any(problem.startswith("fsync is off") for problem in problems)


def waits(store: Store) -> bool:
    """Whether anybody waits for a lock."""
    with store.read() as tx:
        found = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        return bool(tx._connection.execute(text(found)).scalar_one())
