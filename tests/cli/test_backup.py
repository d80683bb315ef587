"""`pbm db backup` and `pbm db restore`: a copy is whole and checked, and can be restored."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from pbm.resources import folder
from pbm.server import Arriving
from pbm.store import Store, backup
from pbm.store.queues import NewMail
from tests.cli.conftest import Pbm
from tests.patience import PATIENCE_SECONDS

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def rows(file: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


def dump(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()} - {"pbm.db-turn"}


def test_an_older_file_is_told_and_an_upgrade_lets_it_shrink(game: Pbm, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "pbm.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum=NONE")
        connection.execute("VACUUM")
    assert "its file never shrinks" in game("doctor", "--offline", code=1).stdout
    before = dump(tmp_path / "pbm.db")
    said = game("db", "upgrade").stdout
    assert "The file is written anew, so that it shrinks by itself from now on: 0 MB ..." in said
    assert "It is done: 0 MB are left." in said
    assert dump(tmp_path / "pbm.db") == before
    assert "never shrinks" not in game("doctor", "--offline", code=1).stdout
    assert "written anew" not in game("db", "upgrade").stdout


def test_a_copy_is_whole_and_for_its_owner_only(game: Pbm, tmp_path: Path) -> None:
    game("board", "move", "101", "alice", "D4")
    place = tmp_path / "copies"
    place.mkdir()
    said = game("db", "backup", str(place / "one.db")).stdout
    assert said.endswith("octets, sound, 1 board replayed.\n")
    assert names(place) == {"one.db"}
    assert stat.S_IMODE((place / "one.db").stat().st_mode) == 0o600
    assert rows(place / "one.db", "SELECT notation FROM plies") == [("D4",)]
    assert rows(place / "one.db", "PRAGMA journal_mode") == [("delete",)]
    refused = game("db", "backup", str(place / "one.db"), code=1)
    assert refused.stderr == f"{place / 'one.db'} is there already.\n"


@pytest.mark.servers
def test_two_who_copy_at_once_do_not_take_each_others_copy(game: Pbm, tmp_path: Path) -> None:
    """As by two timers that go off in the same second: each copy is whole, and named by the process that made it."""
    place = tmp_path / "copies"
    place.mkdir()
    words = [sys.executable, "-c", "from pbm.cli import main; main()", "db", "backup", str(place)]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in running]
    assert any(said)
    for line in filter(None, said):
        assert line.endswith(" octets, sound, 1 board replayed.\n")
        assert rows(Path(line.partition(": ")[0]), "SELECT board FROM matches") == [(101,)]


def test_a_copy_made_while_mail_comes_in_is_of_one_instant(game: Pbm, tmp_path: Path) -> None:
    """Each transaction adds three mails, so a copy with half a transaction would hold another number."""
    enough, more, store = threading.Event(), threading.Event(), Store(f"sqlite:///{tmp_path / 'pbm.db'}")

    def write() -> None:
        mail = Arriving("a@x.org", ("pbm@localhost",), b"x" * 30_000)
        row = NewMail(mail.mail_from, mail.recipients, mail.raw)
        while not enough.is_set():
            with store.write() as tx:
                tx.inbox.add([row] * 3, NOW)
            more.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            more.clear()
            assert more.wait(PATIENCE_SECONDS)
            game("db", "backup", "--quick", str(tmp_path / f"copy{number}.db"))
    finally:
        enough.set()
        writer.join()
        store.close()
    copies = [tmp_path / f"copy{number}.db" for number in range(5)]
    counted: list[Any] = [rows(copy, "SELECT count(*) FROM inbox")[0][0] for copy in copies]
    assert all(isinstance(count, int) and count % 3 == 0 for count in counted)
    assert counted == sorted(counted)
    assert counted[-1] != counted[0], "nothing was written meanwhile"


def test_a_copy_whose_boards_do_not_replay_is_not_kept(game: Pbm, tmp_path: Path) -> None:
    change(tmp_path / "pbm.db", "UPDATE matches SET plies = 7")
    place = tmp_path / "copies"
    place.mkdir()
    refused = game("db", "backup", str(place / "one.db"), code=1)
    assert "Board 101: the row counts 7 plies" in refused.stderr
    assert names(place) == set()
    game("db", "backup", "--quick", str(place / "one.db"))


def test_a_folder_keeps_the_newest(game: Pbm, tmp_path: Path) -> None:
    place = tmp_path / "copies"
    place.mkdir()
    for old in ("pbm-20250101T000000Z.db", "pbm-20250102T000000Z.db", "notes.db"):
        (place / old).touch()
    said = game("db", "backup", "--keep", "2", str(place)).stdout
    assert f"{place / 'pbm-20250101T000000Z.db'} removed." in said
    assert {"notes.db", "pbm-20250102T000000Z.db"} < names(place)
    assert len(names(place)) == 3
    assert "--keep" in game("db", "backup", "--keep", "2", str(place / "x.db"), code=2).stderr


def test_what_was_copied_comes_back_and_what_was_there_is_kept(game: Pbm, tmp_path: Path) -> None:
    game("db", "backup", str(tmp_path / "copy.db"))
    game("board", "move", "101", "alice", "D4")
    before = names(tmp_path)
    said = game("db", "restore", str(tmp_path / "copy.db"), "--yes").stdout
    (aside,) = names(tmp_path) - before
    assert said == f"{tmp_path / 'pbm.db'} is now as {tmp_path / 'copy.db'} was, sound, 1 board replayed. What was there is {tmp_path / aside}.\n"  # fmt: skip  # noqa: E501
    assert rows(tmp_path / "pbm.db", "SELECT count(*) FROM plies") == [(0,)]
    assert rows(tmp_path / aside, "SELECT notation FROM plies") == [("D4",)]
    assert rows(tmp_path / "pbm.db", "SELECT count(*) FROM meta WHERE key = 'generation'") == [(1,)]
    game("board", "move", "101", "alice", "E4")


def test_who_is_known_only_to_what_was_there_is_named_with_a_letter(game: Pbm, tmp_path: Path) -> None:
    game("db", "backup", str(tmp_path / "copy.db"))
    game("player", "add", "carol", "--address", "carol@example.com", "--password", "carolpass")
    game("board", "challenge", "create", "cross", "alice", "carol")
    said = game("db", "restore", str(tmp_path / "copy.db"), "--yes").stdout
    assert "  carol <carol@example.com>\n" in said
    assert "alice <" not in said


def test_a_recovered_database_counts_no_mail_from_before(game: Pbm, tmp_path: Path) -> None:
    assert "No email from before counts" in game("db", "recovered", "--yes").stdout
    assert rows(tmp_path / "pbm.db", "SELECT seq FROM sqlite_sequence WHERE name = 'matches'") == [(1101,)]


def test_nothing_is_put_back_while_somebody_has_the_database_open(game: Pbm, tmp_path: Path) -> None:
    game("db", "backup", str(tmp_path / "copy.db"))
    game("board", "move", "101", "alice", "D4")
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as idle:
        idle.execute("SELECT count(*) FROM plies").fetchall()
        refused = game("db", "restore", str(tmp_path / "copy.db"), "--yes", code=1)
    assert refused.stderr == f"{tmp_path / 'pbm.db'} is in use. Stop the server first, and whatever else has it open.\n"
    assert rows(tmp_path / "pbm.db", "SELECT count(*) FROM plies") == [(1,)]


def test_nothing_is_put_back_if_a_server_starts_while_the_copy_is_checked(
    game: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game("db", "backup", str(tmp_path / "copy.db"))
    game("board", "move", "101", "alice", "D4")
    before = names(tmp_path)
    sealed = backup.seal
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as served:

        def seal(file: Path) -> None:
            served.execute("SELECT count(*) FROM plies").fetchall()
            sealed(file)

        monkeypatch.setattr(backup, "seal", seal)
        refused = game("db", "restore", str(tmp_path / "copy.db"), "--yes", code=1)
    assert "is in use. Stop the server first" in refused.stderr
    assert rows(tmp_path / "pbm.db", "SELECT count(*) FROM plies") == [(1,)]
    assert names(tmp_path) - before <= {"pbm.db-shm", "pbm.db-wal"}


def test_a_damaged_copy_is_not_put_back(game: Pbm, tmp_path: Path) -> None:
    game("db", "backup", str(tmp_path / "copy.db"))
    content = bytearray((tmp_path / "copy.db").read_bytes())
    content[8192:40960] = b"\0" * 32768
    (tmp_path / "copy.db").write_bytes(content)
    before = dump(tmp_path / "pbm.db"), names(tmp_path)
    refused = game("db", "restore", str(tmp_path / "copy.db"), "--yes", code=1)
    assert refused.stderr == "The copy is not sound:\ndatabase disk image is malformed\n"
    (tmp_path / "text.db").write_text("no database")
    game("db", "restore", str(tmp_path / "text.db"), "--yes", code=1)
    (tmp_path / "text.db").unlink()
    assert (dump(tmp_path / "pbm.db"), names(tmp_path)) == before


def test_damage_that_stops_the_check_itself_is_found_by_it(game: Pbm, tmp_path: Path) -> None:
    content = bytearray((tmp_path / "pbm.db").read_bytes())
    content[81920:102400] = b"\0" * 20480
    (tmp_path / "pbm.db").write_bytes(content)
    found = game("db", "check", "--json", code=1)
    assert json.loads(found.stdout) == {"sound": False, "problems": ["database disk image is malformed"]}


def test_a_copy_of_an_older_version_is_brought_to_ours(pbm: Pbm, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    config = Config()
    config.set_main_option("script_location", str(folder("migrations")))
    engine = create_engine(f"sqlite:///{old}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    change(old, "INSERT INTO meta VALUES ('secret', 'ab')")
    before = old.read_bytes()
    pbm("db", "restore", str(old), "--yes")
    pbm("db", "check")
    assert old.read_bytes() == before
    assert rows(tmp_path / "pbm.db", "SELECT value FROM meta WHERE key = 'secret'") == [("ab",)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("backup", "/none/x.db"), "There is no folder /none.\n"),
        (("backup", "x.db", "--database", "sqlite:////none/pbm.db"), "There is no database at sqlite:////none/pbm.db."),
        (("backup", "x.db", "--database", "sqlite://"), "The database is no file of SQLite. For PostgreSQL use its own pg_dump.\n"),  # noqa: E501
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told(words: tuple[str, ...], expected: str, pbm: Pbm, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert pbm("db", *words, code=1).stderr.startswith(expected)


def test_only_a_database_of_ours_is_put_in_the_place_of_ours(game: Pbm, tmp_path: Path) -> None:
    ours = dump(tmp_path / "pbm.db")
    strangers = {name: tmp_path / name for name in ("empty", "other", "bare", "text")}
    strangers["empty"].touch()
    strangers["text"].write_text("no database")
    for name, statement in (
        ("other", "CREATE TABLE songs (title)"),
        ("bare", "CREATE TABLE alembic_version (version_num)"),
    ):
        with closing(sqlite3.connect(strangers[name])) as connection:
            connection.execute(statement)
    for file in strangers.values():
        for quick in ([], ["--quick"]):
            assert "sound" not in game("db", "restore", str(file), "--yes", *quick, code=1).stdout
            assert dump(tmp_path / "pbm.db") == ours


def test_an_upgrade_copies_the_database_first_and_that_copy_leads_back(
    game: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    monkeypatch.setattr("pbm.store.engine.migrate", lambda _: None)
    assert "of revision 0001" in game("db", "backup", str(tmp_path / "old.db")).stdout
    said = game("db", "upgrade").stdout
    (copy,) = tmp_path.glob("pbm.db.before-upgrade-*")
    assert f"A copy of the database as it was is {copy}." in said


def test_a_newer_database_gets_a_sentence(game: Pbm, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    for words in ("board list", "db upgrade", "status"):
        assert "The database is of a newer version of the program" in game(*words.split(), code=1).stderr
    assert not list(tmp_path.glob("*before-upgrade*"))


def test_a_missing_index_and_a_changed_column_are_seen(game: Pbm, tmp_path: Path) -> None:
    game("db", "check")
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection, connection:
        connection.execute("DROP INDEX ix_outbox_due")
        connection.execute("ALTER TABLE matches RENAME COLUMN reason TO excuse")
    said = game("db", "check", code=1).stdout
    assert "the index ix_outbox_due is missing" in said
    assert "the column reason of the table matches is missing" in said
    assert "the column excuse of the table matches is one too many" in said
