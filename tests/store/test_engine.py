"""The engine: no update is lost, each kind of trouble is told apart, and the schema matches the tables."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, select, text, update
from sqlalchemy.exc import IntegrityError, OperationalError

from pbm.compose.tell import mail_bytes
from pbm.domain.mail import Mail
from pbm.domain.match import Ply
from pbm.mailin import Robot
from pbm.mailin.headers import token_answered
from pbm.resources import folder
from pbm.store import DatabaseTrouble, SchemaTrouble, Store, Transaction, engine
from pbm.store.neighbours import Full, Lost, Outdated, ReadOnly, Writes
from pbm.store.tables import FIRST_BOARD, meta, metadata, outbox_texts, owed_boards
from tests.databases import Databases

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
ROUNDS = 40


@pytest.fixture
def url(databases: Databases) -> str:
    """The URL of a database that nobody else uses; what a test does to its schema concerns no other."""
    return databases.ready()


@pytest.fixture
def file(tmp_path: Path, empty_database: Path) -> Path:
    """The file of an SQLite database with the schema, for what no other database has."""
    return Path(shutil.copyfile(empty_database, tmp_path / "pbm.db"))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store(url)
    yield opened
    opened.close()


def read_then_write(tx: Transaction) -> None:
    """An increment in two statements, which is lost if two transactions may read before either writes."""
    value = tx._connection.execute(select(meta.c.value).where(meta.c.key == "counter")).scalar_one()
    tx._connection.execute(update(meta).where(meta.c.key == "counter").values(value=str(int(value) + 1)))


def count(url: str, rounds: int) -> None:
    """The work of each thread and process."""
    store = Store(url)
    for _ in range(rounds):
        with store.write() as tx:
            read_then_write(tx)
    store.close()


@pytest.fixture
def counter(store: Store, url: str) -> Callable[[], int]:
    """Starts a counter at 0; the call returns its value."""
    with store.write() as tx:
        tx._connection.execute(meta.insert().values(key="counter", value="0"))

    def value() -> int:
        with store.read() as tx:
            return int(tx._connection.execute(select(meta.c.value).where(meta.c.key == "counter")).scalar_one())

    return value


def test_threads_lose_no_update(store: Store, counter: Callable[[], int]) -> None:
    def work() -> None:
        for _ in range(ROUNDS):
            with store.write() as tx:
                read_then_write(tx)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter() == 4 * ROUNDS


def test_processes_lose_no_update(url: str, counter: Callable[[], int]) -> None:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=count, args=(url, ROUNDS))
    process.start()
    count(url, ROUNDS)
    process.join()
    assert process.exitcode == 0
    assert counter() == 2 * ROUNDS


def test_a_lock_of_another_process_is_trouble_and_changes_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0)
    monkeypatch.setattr(engine, "_PRAGMAS", ("foreign_keys=ON", "busy_timeout=50"))
    impatient = Store(f"sqlite:///{file}")
    with closing(sqlite3.connect(file, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseTrouble, match="locked"), impatient.write() as tx:
            tx.players.add("alice", "-", NOW)
        holder.execute("ROLLBACK")
    with impatient.write() as tx:
        assert tx.players.find("alice") is None
        tx.players.add("alice", "-", NOW)
    assert impatient.check() == []
    impatient.close()


def test_a_file_that_can_only_be_read_is_told_of(file: Path) -> None:
    store, told = Store(f"sqlite:///file:{file}?mode=ro&uri=true"), list[str]()
    store.when_unwritable = lambda _: told.append("read-only")
    with pytest.raises(ReadOnly), store.write() as tx:
        tx.tickets.sweep(NOW)
    assert told == ["read-only"]
    with store.read() as tx:
        assert tx.inbox.latest(None, 1) == []
    store.close()


def test_a_reader_is_not_kept_waiting_and_sees_one_state(store: Store, counter: Callable[[], int]) -> None:
    with store.write() as tx:
        read_then_write(tx)
        assert counter() == 0
    assert counter() == 1


def test_a_reader_that_writes_is_told_of_and_undone(store: Store, counter: Callable[[], int]) -> None:
    with pytest.raises(Writes), store.read() as tx:
        read_then_write(tx)
    assert counter() == 0


def test_an_exception_undoes_a_transaction(store: Store, counter: Callable[[], int]) -> None:
    with suppress(ZeroDivisionError), store.write() as tx:
        read_then_write(tx)
        raise ZeroDivisionError
    assert counter() == 0


def test_an_exception_undoes_a_savepoint_and_nothing_else(store: Store, counter: Callable[[], int]) -> None:
    with store.write() as tx:
        read_then_write(tx)
        with suppress(ZeroDivisionError), tx.savepoint():
            read_then_write(tx)
            raise ZeroDivisionError
        with tx.savepoint():
            read_then_write(tx)
    assert counter() == 2


def test_foreign_keys_hold(store: Store) -> None:
    with pytest.raises(IntegrityError), store.write() as tx:
        tx.players.add_address(4711, "nobody@example.net", NOW, confirmed=True)


def test_every_connection_is_durable_and_strict(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    with store.read() as tx:
        names = ("foreign_keys", "journal_mode", "synchronous")
        assert [pragma(tx, name) for name in names] == [1, "wal", 2]
    store.close()


def test_what_need_not_outlive_a_loss_of_power_waits_for_no_disk(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    for durable in (True, False, True, False, False, True):
        with store.write(durable=durable) as tx:
            assert pragma(tx, "synchronous") == (2 if durable else 1)
    store.close()


def pragma(tx: Transaction, name: str) -> object:
    return tx._connection.execute(text(f"PRAGMA {name}")).scalar_one()


# The schema


def test_the_migrations_make_the_tables(store: Store, url: str) -> None:
    inspected = create_engine(url)
    with inspected.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    inspected.dispose()


def test_columns_defaults_and_indexes_are_those_of_the_tables(file: Path, tmp_path: Path) -> None:
    """Compares, in SQLite's own words, what the test above leaves out. A new column stands last, as it is added."""
    made = create_engine(f"sqlite:///{tmp_path / 'made.db'}")
    metadata.create_all(made)
    made.dispose()
    for table in metadata.tables:
        migrated, written = described(file, table), described(tmp_path / "made.db", table)
        assert migrated == written, f"{table}: the migrations make the left, pbm/store/tables.py says the right"


def described(path: Path, table: str) -> list[object]:
    """Columns, foreign keys and indexes of a table, without the names that SQLite makes up."""
    with closing(sqlite3.connect(path)) as connection:
        columns = [row[1:] for row in connection.execute(f"PRAGMA table_info({table})")]
        keys = sorted(row[2:] for row in connection.execute(f"PRAGMA foreign_key_list({table})"))
        indexes = sorted(
            (origin, unique, [row[2] for row in connection.execute(f"PRAGMA index_info({name})")])
            for _, name, unique, origin, _ in connection.execute(f"PRAGMA index_list({table})")
        )
    return [*columns, *keys, *indexes]


def test_no_number_is_given_twice_after_the_newest_row_is_gone(file: Path) -> None:
    """Alembic changes a table by writing it anew, and then loses AUTOINCREMENT."""
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        counted = {name for name, made_by in rows if "AUTOINCREMENT" in made_by}
    wanted = {name for name, table in metadata.tables.items() if table.kwargs.get("sqlite_autoincrement")}
    assert counted == wanted


@contextmanager
def downgraded(url: str, revision: str) -> Iterator[Connection]:
    older = create_engine(url)
    with older.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(folder("migrations")))
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
        yield connection
    older.dispose()


def test_plies_are_written_anew_and_back(store: Store, url: str) -> None:
    """In the older order, by time, a record takes one page for each of its plies to read."""
    with store.write() as tx:
        seats = (tx.players.add("alice", "x", NOW), tx.players.add("bob", "x", NOW))
        for notation in ("A1", "B2"):
            match = tx.matches.add("cross", 1, (), "", seats, 1, NOW)
            tx.matches.add_ply(match, Ply(notation, 1, NOW, time_left=7), 2, None)
    with store.read() as tx:
        before = tx.matches.load_all([FIRST_BOARD, FIRST_BOARD + 1])
    with downgraded(url, "0016") as connection:
        assert connection.execute(text("SELECT board, notation FROM plies ORDER BY board")).all() == [
            (FIRST_BOARD, "A1"), (FIRST_BOARD + 1, "B2")
        ]  # fmt: skip
    store.upgrade(NOW)
    with store.read() as tx:
        assert tx.matches.load_all([FIRST_BOARD, FIRST_BOARD + 1]) == before
        if not store.locks_rows:
            with pytest.raises(OperationalError):
                tx._connection.exec_driver_sql("SELECT rowid FROM plies")
    assert [problem for problem in store.check() if " is off: " not in problem] == []


def test_texts_of_mails_move_to_their_own_table_and_back(store: Store, url: str) -> None:
    mails = [Mail(f"key{n}", "a@x.org", "bounce@x", "s", bytes([0, n]) * 4000) for n in range(3)]
    with store.write() as tx:
        tx.outbox.add(mails, NOW)
    with downgraded(url, "0015") as connection:
        found = connection.execute(text("SELECT raw FROM outbox ORDER BY id")).scalars()
        assert [bytes(raw) for raw in found] == [mail.owed for mail in mails]
    store.upgrade(NOW)
    with store.read() as tx:
        assert [queued.mail for queued in tx.outbox.latest(None, 9)] == mails[::-1]
    assert [problem for problem in store.check() if " is off: " not in problem] == []


def test_offers_under_way_move_to_the_agenda_and_back(store: Store, url: str) -> None:
    """One that nobody has answered, one that one player has agreed to, one by a stranger, and one that is over."""
    with store.write() as tx:
        alice, bob, carol = (tx.players.add(userid, "x", NOW) for userid in ("alice", "bob", "carol"))
        ends_at = datetime.now(UTC).replace(microsecond=7) + timedelta(days=6)
        terms = {
            "game": "hex", "words": ["-size=5"], "body": "", "seats": [alice.id, bob.id], "comment": "Play!",
            "measure": "", "rematch_of": None,
        }  # fmt: skip
        for key, asker, waits in (("k1", carol, (alice, bob)), ("k2", carol, (bob,)), ("k3", None, (alice, bob))):
            offer = {**terms, "player": asker.id if asker else None, "waits": [each.id for each in waits]}
            tx.agenda.put("offer", key, ends_at - timedelta(minutes=1), **offer)
            for player in waits:
                tx.tickets.issue(f"{key} {player.id}", "offer", key, NOW, ends_at, player.id, {})
        tx.tickets.issue("over", "offer", "k4", NOW, NOW, alice.id, {})
        tx.agenda.put("invite", "x@example.org", ends_at, player=alice.id)
    with store.read() as tx:
        before = tx.agenda.of("offer")
    with downgraded(url, "0018") as connection:
        found = connection.execute(text("SELECT payload FROM tickets WHERE purpose = 'offer' ORDER BY id")).scalars()
        written = [json.loads(payload) for payload in found]
        assert written == [{**terms, "challenger": name} for name in ("carol", "carol", "carol", "", "")]
        found = connection.execute(text("SELECT payload FROM agenda WHERE kind = 'offer' ORDER BY key")).scalars()
        assert [json.loads(payload) for payload in found] == [{"player": carol.id}] * 2
        again = json.dumps({**terms, "challenger": "carol", "asked": 1})
        connection.execute(text("UPDATE tickets SET payload = :again WHERE subject = 'k2'"), {"again": again})
    store.upgrade(NOW)
    with store.read() as tx:
        assert tx.agenda.of("offer") == before
        assert [ticket.payload for ticket in tx.tickets.of("offer", bob.id, NOW)] == [{}] * 3
        assert len(tx.agenda.of("invite")) == 1


def test_a_text_goes_with_its_mail(store: Store) -> None:
    with store.write() as tx:
        first, second = tx.outbox.add([Mail(key, "a@x.org", "bounce@x", "s", b"raw") for key in "ab"], NOW)
        tx.outbox.sent([first], NOW)
    with store.write() as tx:
        tx.outbox.forget(NOW, NOW, 9)
        assert list(tx._connection.execute(select(outbox_texts.c.id)).scalars()) == [second]


def test_what_mails_share_is_stored_once_and_goes_with_the_last_of_them(store: Store) -> None:
    mails = [Mail(key, "a@x.org", "b@x", "s", b"{}", shared=b"of both", version=1) for key in "ab"]
    with store.write() as tx:
        ids = tx.outbox.add(mails, NOW)
        assert [queued.mail for queued in tx.outbox.latest(None, 9)] == mails[::-1]
    for mail_id, left in zip(ids, (1, 0), strict=True):
        with store.write() as tx:
            tx.outbox.sent([mail_id], NOW)
        with store.write() as tx:
            tx.outbox.forget(NOW, NOW, 9)
            assert len(tx._connection.execute(select(owed_boards.c.id)).all()) == left


def test_mails_stored_as_bytes_are_delivered_as_they_are(store: Store, url: str) -> None:
    """As the revision before that of owed values left them, with the token that their address for answers holds."""
    raw = b"Reply-To: pbm+abc234@example.org\r\n\r\nOld words.\r\n"
    with store.write() as tx:
        tx.outbox.add([Mail("key", "a@x.org", "b@x", "s", b"", 7, reply=True)], NOW)
    with downgraded(url, "0022") as connection:
        connection.execute(text("UPDATE outbox_texts SET raw = :raw"), {"raw": raw})
    store.upgrade(NOW)
    with store.write() as tx:
        (queued,) = tx.outbox.claim(NOW, NOW + timedelta(minutes=1), 9)
    assert (queued.mail.board, mail_bytes(queued.mail)) == (7, raw)
    assert token_answered(queued.mail, Robot("pbm", "example.org")) == "abc234"
    assert [problem for problem in store.check() if " is off: " not in problem] == []


def test_nothing_is_written_over_a_schema_of_another_version(store: Store, url: str) -> None:
    with downgraded(url, "0025"):
        pass
    told: list[DatabaseTrouble] = []
    store.when_unwritable = told.append
    with pytest.raises(Outdated), store.write() as tx:
        tx.players.add("alice", "x", NOW)
    assert [type(trouble) for trouble in told] == [Outdated]
    store.upgrade(NOW)
    with store.write() as tx:
        assert tx.players.find("alice") is None


def test_an_empty_database_is_set_up_once(databases: Databases) -> None:
    store = Store(databases.empty())
    assert store.revision() is None
    assert store.prepare(NOW)
    with store.read() as tx:
        (secret,) = tx.secrets.keys(NOW)
    assert len(secret) == 32
    assert not store.prepare(NOW)
    store.upgrade(NOW)
    with store.read() as tx:
        assert tx.secrets.keys(NOW) == [secret]
    assert [problem for problem in store.check() if " is off: " not in problem] == []
    store.close()


def test_two_databases_have_different_secrets(databases: Databases) -> None:
    secrets = set()
    for _ in range(2):
        store = Store(databases.empty())
        store.prepare(NOW)
        with store.read() as tx:
            secrets |= set(tx.secrets.keys(NOW))
        store.close()
    assert len(secrets) == 2


@pytest.mark.parametrize("name", ["recipes", "alembic_version"])
def test_a_database_of_another_program_is_left_alone(databases: Databases, name: str) -> None:
    url = databases.empty()
    theirs = create_engine(url)
    with theirs.begin() as connection:
        connection.execute(text(f"CREATE TABLE {name} (version_num TEXT)"))
    theirs.dispose()
    store = Store(url)
    with pytest.raises(SchemaTrouble, match="some other program"):
        store.prepare(NOW)
    store.close()


def test_a_database_of_another_version_says_what_to_do(store: Store) -> None:
    with store.write() as tx:
        tx._connection.execute(text("UPDATE alembic_version SET version_num = '0000'"))
    with pytest.raises(SchemaTrouble, match="pbm db upgrade"):
        store.prepare(NOW)


def test_a_file_that_is_no_database_is_trouble(file: Path) -> None:
    file.write_bytes(b"This is no database. " * 100)
    store = Store(f"sqlite:///{file}")
    with pytest.raises((DatabaseTrouble, SchemaTrouble)):
        store.prepare(NOW)
    store.close()


@pytest.mark.parametrize("wrong", ["", "nonsense", "nosuch://x", "sqlite:/x:y:z"])
def test_a_url_that_is_none_is_trouble(wrong: str) -> None:
    with pytest.raises(SchemaTrouble, match="not a database URL"):
        Store(wrong)


def test_boards_are_numbered_from_the_first_on_and_never_twice(store: Store) -> None:
    with store.write() as tx:
        players = (tx.players.add("alice", "-", NOW), tx.players.add("bob", "-", NOW))
        boards = [tx.matches.add("cross", 1, (), "", players, 1, NOW).board for _ in range(2)]
        tx._connection.execute(text("DELETE FROM matches WHERE board = :last"), {"last": boards[-1]})
        boards.append(tx.matches.add("cross", 1, (), "", players, 1, NOW).board)
    assert boards == [FIRST_BOARD, FIRST_BOARD + 1, FIRST_BOARD + 2]


def test_a_table_that_is_missing_is_found(store: Store) -> None:
    with store.write() as tx:
        tx._connection.execute(text("DROP TABLE plies"))
    assert any("plies" in problem for problem in store.check())


def test_no_error_tells_the_values_of_a_statement(store: Store) -> None:
    with store.write() as tx:
        tx.players.add("alice", "a hash of hers", NOW)
        with pytest.raises(IntegrityError) as error:
            tx.players.add("alice", "a hash of hers", NOW)
    assert "hers" not in str(error.value)


def _fill(tx: Transaction) -> None:
    tx._connection.exec_driver_sql("PRAGMA max_page_count = 1")
    tx.players.add("alice", "-" * 100_000, NOW)


def test_a_full_disk_is_told_of_and_written_again_when_there_is_room(tmp_path: Path, empty_database: Path) -> None:
    shutil.copyfile(empty_database, tmp_path / "pbm.db")
    store, told = Store(f"sqlite:///{tmp_path / 'pbm.db'}"), list[DatabaseTrouble]()
    store.when_unwritable = told.append
    with pytest.raises(Full), store.write() as tx:
        _fill(tx)
    assert [type(trouble) for trouble in told] == [Full]
    with store.write() as tx:
        tx._connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        tx.players.add("alice", "-", NOW)
    store.close()


@pytest.mark.parametrize("fate", ["deleted", "replaced"])
def test_a_file_that_is_deleted_or_replaced_takes_no_more(tmp_path: Path, empty_database: Path, fate: str) -> None:
    """SQLite goes on writing to a file that has no name any more."""
    file, aside = tmp_path / "pbm.db", tmp_path / "aside.db"
    shutil.copyfile(empty_database, file)
    store, told = Store(f"sqlite:///{file}"), list[DatabaseTrouble]()
    store.when_unwritable = told.append
    with store.write() as tx:
        tx.absences.note("first", NOW)
    file.rename(aside)
    if fate == "replaced":
        shutil.copyfile(empty_database, file)
    for _ in range(2):
        with pytest.raises(Lost, match="deleted or replaced"), store.write() as tx:
            tx.absences.note("second", NOW)
    assert [type(trouble) for trouble in told] == [Lost, Lost]
    assert file.exists() == (fate == "replaced"), "no empty database is made in its place"
    aside.replace(file)
    with store.write() as tx:
        assert tx.absences.noted("first") == NOW
        assert tx.absences.noted("second") is None
        tx.absences.note("third", NOW)
    store.close()
