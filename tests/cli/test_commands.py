"""Each of the operator's commands: what it does, what it refuses, and that programs can read its output."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

import pytest
from click.testing import Result

from pbm.cli import opening
from pbm.domain.mail import Arrival, Settlement
from pbm.server import Arriving, Service
from pbm.store import DatabaseTrouble, Store
from tests.cli.conftest import Pbm

CHAT = (
    b"From: a@example.net\r\nTo: pbm@localhost\r\nSubject: hello\r\nMessage-ID: <1@x>\r\n\r\nhow are you \x1b[31m?\r\n"
)


def parsed(result: Result) -> Any:
    return json.loads(result.stdout)


def subjects(pbm: Pbm) -> list[tuple[str, str]]:
    return [(mail["address"], mail["subject"]) for mail in parsed(pbm("outbox", "list", "--json"))]


@contextmanager
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection, connection:
        yield connection


def asked(tmp_path: Path, query: str) -> list[Any]:
    with database(tmp_path) as connection:
        return connection.execute(query).fetchall()


def dumped(tmp_path: Path) -> list[str]:
    with database(tmp_path) as connection:
        return list(connection.iterdump())


def arrive(tmp_path: Path, *mails: bytes) -> None:
    service = Service(Store(f"sqlite:///{tmp_path / 'pbm.db'}"))
    service.accept([Arriving("a@example.net", ("pbm@localhost",), mail) for mail in mails])
    service.close()


def settle(tmp_path: Path, mail: int, state: Arrival) -> None:
    service = Service(Store(f"sqlite:///{tmp_path / 'pbm.db'}"))
    with service.store.write() as tx:
        tx.inbox.settle([Settlement(mail, state, "for a test")], service.store.clock())
    service.close()


def test_options_of_the_root_may_stand_anywhere(tmp_path: Path, pbm: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBM_DATABASE")
    url = f"sqlite:///{tmp_path / 'other.db'}"
    pbm("db", "create", "--database", url)
    pbm("--database", url, "player", "add", "alice", "--address", "a@x.org", "--password", "secret1")
    pbm("player", "--database", url, "add", "bob", "--address", "b@x.org", "--password", "secret1")
    pbm("player", "add", "carol", "--address", "c@x.org", "--password", "secret1", "--database", url)
    monkeypatch.setenv("PBM_DATABASE", url)
    assert [each["userid"] for each in parsed(pbm("player", "list", "--json"))] == ["alice", "bob", "carol"]
    assert parsed(pbm("--database", "sqlite:////none/x.db", "player", "list", "--json", "--database", url))


def test_a_player_is_added_shown_and_changed(pbm: Pbm) -> None:
    assert "There are no players." in pbm("player", "list").stdout
    pbm("player", "add", "alice", "--address", "a@x.org", "--address", "b@x.org", "--password", "secret1")
    shown = parsed(pbm("player", "show", "ALICE", "--json"))
    assert shown == {
        "userid": "alice",
        "addresses": ["a@x.org", "b@x.org"],
        "unconfirmed_addresses": [],
        "suspended_addresses": [],
        "unreachable": False,
        "bounces": 0,
        "delays": 0,
        "active_boards": [],
        "ended_boards": [],
    }
    pbm("player", "set-address", "alice", "c@x.org", "d@x.org")
    assert parsed(pbm("player", "list", "--json"))[0]["addresses"] == ["c@x.org", "d@x.org"]
    header, row = pbm("player", "list").stdout.splitlines()
    assert header.split() == ["userid", "addresses"], "columns in which nothing stands are left out"
    assert "c@x.org, d@x.org" in row


def test_mail_to_a_dead_address_is_resumed(pbm: Pbm, tmp_path: Path) -> None:
    pbm("player", "add", "alice", "--address", "a@x.org", "--password", "secret1")
    with database(tmp_path) as connection:
        connection.execute("UPDATE addresses SET bounces = 3, suspended_at = 1")
    (row,) = parsed(pbm("player", "list", "--json"))
    assert (row["suspended_addresses"], row["unreachable"]) == (["a@x.org"], True)
    assert "1 had been suspended" in pbm("player", "resume", "ALICE").stdout
    assert parsed(pbm("player", "show", "alice", "--json"))["unreachable"] is False
    assert "none had been suspended" in pbm("player", "resume", "alice").stdout
    pbm("player", "resume", "nobody", code=1)


def test_mails_that_were_not_answered_are_counted(pbm: Pbm, tmp_path: Path) -> None:
    assert "All emails were answered." in pbm("inbox", "count").stdout
    service = Service(Store(f"sqlite:///{tmp_path / 'pbm.db'}"))
    service.accept([Arriving("", ("pbm@localhost",), b"From: a@x\r\n\r\nhelp\r\n")] * 2)
    service.handle()
    service.close()
    assert parsed(pbm("inbox", "count", "--json")) == [{"kind": "ignore", "mails": 2}]


def test_a_password_is_asked_for_and_reset(pbm: Pbm, tmp_path: Path) -> None:
    said = pbm("player", "add", "alice", "--address", "a@x.org", code=2).stderr
    assert "Which password? Nobody can be asked here: give it by --password-stdin." in said
    pbm("player", "add", "alice", "--address", "a@x.org", "--password-stdin", typed="secret1\n")
    nothing = pbm("player", "reset-password", "alice", "--password-stdin", typed="\n", code=2).stderr
    assert "standard input is empty" in nothing, "no other password than the one that was meant"
    twice = ("--password", "secret1", "--password-stdin")
    assert "not both" in pbm("player", "add", "bob", "--address", "b@x.org", *twice, typed="secret1\n", code=2).stderr
    hashes = [asked(tmp_path, "SELECT password_hash FROM players")[0][0]]
    assert pbm("player", "reset-password", "alice").stdout.strip().rpartition(" ")[2]
    hashes += [asked(tmp_path, "SELECT password_hash FROM players")[0][0]]
    assert "secret2" not in pbm("player", "reset-password", "alice", "--password", "secret2").stdout
    hashes += [asked(tmp_path, "SELECT password_hash FROM players")[0][0]]
    assert len(set(hashes)) == 3


def test_a_removed_player_forfeits_and_is_erased(game: Pbm, tmp_path: Path) -> None:
    assert "board 101" in game("player", "remove", "alice", "--yes").stdout
    assert parsed(game("board", "show", "101", "--json"))["winner"] == "bob"
    game("player", "show", "alice", code=1)
    assert "alice" not in str(asked(tmp_path, "SELECT userid FROM players"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["player", "add", "alice", "--address", "x@x.org", "--password", "secret1"],
            'The userid "alice" is taken; choose another.',
        ),
        (["player", "add", "9", "--address", "x@x.org", "--password", "secret1"], '"9" cannot be a userid'),
        (["player", "add", "dave", "--address", "x", "--password", "secret1"], '"x" is not an email address'),
        (["player", "add", "dave", "--address", "x@x.org", "--password", "x"], "A password has"),
        (["player", "show", "nobody"], 'There is no player "nobody".'),
        (["player", "set-address", "nobody", "x@x.org"], 'There is no player "nobody".'),
        (["player", "reset-password", "nobody"], 'There is no player "nobody".'),
        (["player", "remove", "nobody", "--yes"], 'There is no player "nobody".'),
        (["player", "remove", "alice"], "nobody can be asked here: say --yes. Nothing was done."),
        (["player", "merge", "alice", "bob"], "nobody can be asked here: say --yes. Nothing was done."),
        (["board", "challenge", "create", "chess", "alice", "bob"], 'There is no game "chess".'),
        (["board", "challenge", "create", "cross", "alice", "nobody"], 'There is no player "nobody".'),
        (["board", "challenge", "create", "cross", "alice", "bob", "-size=11"], '"-size=11" does not fit'),
        (["board", "challenge", "create", "cross", "alice", "bob", "--seize=4"], '"--seize=4" is no option here'),
        (["board", "challenge", "create", "cross", "alice", "bob", "-hex"], '"-hex" is no option here'),
        (["board", "challenge", "show", "102"], "There is no board 102."),
        (["board", "show", "102"], "There is no board 102."),
        (["board", "show", "101#5"], "there is no ply 5"),
        (["board", "move", "101", "alice", "Z99"], "There is no row Z here"),
        (["board", "move", "101", "bob", "D4"], "not your turn"),
        (["board", "move", "101", "nobody", "D4"], 'There is no player "nobody".'),
        (["board", "list", "--player", "nobody"], 'There is no player "nobody".'),
        (["board", "end", "101", "--result", "carol"], '"carol" is no result of board 101'),
        (["board", "end", "102", "--result", "draw"], "There is no board 102."),
        (["board", "verify", "102"], "There is no board 102."),
        (["inbox", "show", "99"], "There is no email 99 in the inbox."),
        (["inbox", "retry", "99"], "There is no email 99 in the inbox."),
        (["outbox", "show", "99"], "There is no email 99 in the outbox."),
        (["outbox", "retry", "99"], "There is no email 99 in the outbox."),
    ],
)
def test_a_refusal_is_one_sentence_and_changes_nothing(
    words: list[str], expected: str, game: Pbm, tmp_path: Path
) -> None:
    before = dumped(tmp_path)
    refused = game(*words, code=1)
    assert expected in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""
    assert dumped(tmp_path) == before


@pytest.mark.parametrize(
    "words",
    [
        ["player", "add", "dave"],
        ["player", "set-address", "alice"],
        ["board", "challenge", "create", "cross", "alice"],
        ["board", "challenge", "create", "cross", "alice", "bob", "carol"],
        ["board", "challenge", "show", "one"],
        ["board", "show", "one"],
        ["board", "show", "101#x"],
        ["board", "end", "9" * 30, "--result", "draw"],
        ["inbox", "show", "9" * 30],
        ["outbox", "list", "--limit", "-1"],
        ["board", "move", "101", "alice"],
        ["board", "end", "101"],
        ["board", "list", "--game", "chess"],
        ["inbox", "list", "--state", "lost"],
        ["inbox", "retry"],
        ["inbox", "retry", "1", "--all"],
        ["inbox", "classify"],
        ["inbox", "classify", "/none.eml"],
        ["outbox", "retry"],
        ["nonsense"],
        ["player", "nonsense"],
    ],
)
def test_a_misused_command_says_how_it_is_used(words: list[str], game: Pbm) -> None:
    assert "Usage: " in game(*words, code=2).stderr


def test_a_word_that_is_no_number_is_told_so(game: Pbm) -> None:
    assert "'one' is not a valid number." in game("outbox", "show", "one", code=2).stderr


def test_words_that_are_no_text_are_refused(game: Pbm) -> None:
    for words in (["player", "show", "\udcff"], ["board", "move", "101", "alice", "\udcff"]):
        assert game(*words, code=1).stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["-size=4", "cross", "alice", "bob"], ["cross", "alice", "bob", "--size=4"]])
def test_options_of_a_game_stand_anywhere(words: list[str], game: Pbm) -> None:
    created = parsed(game("board", "challenge", "create", *words, "--json"))
    assert created["board"] == 102
    assert created["options"].lstrip("-") == "size=4"
    assert parsed(game("board", "challenge", "show", "102", "--json"))["player1"] == "alice"


def test_a_challenge_is_told_to_both_and_can_be_made_void(game: Pbm) -> None:
    assert sorted(subjects(game)) == [
        ("alice@example.net", "Cross Board 101 alice-bob"),
        ("bob@example.net", "Cross Board 101 alice-bob"),
    ]
    assert [each["board"] for each in parsed(game("board", "challenge", "list", "--json"))] == [101]
    assert "101" in game("board", "challenge", "list", "--game", "cross", "--player", "bob").stdout
    game("board", "challenge", "cancel", "101", "--yes")
    assert parsed(game("board", "challenge", "list", "--json")) == []
    assert parsed(game("board", "show", "101", "--json"))["result"] == "void"
    assert len(subjects(game)) == 4


def test_a_board_drawn_by_the_operator(game: Pbm, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.txt"
    drawn.write_text("0,0 1,0 green\n1,0 1,1 green\n", "utf-8")
    game("board", "challenge", "create", "crossgeo", "alice", "bob", "--body", str(drawn))
    assert "1,0 1,1" in parsed(game("board", "challenge", "show", "102", "--json"))["body"]


def test_moves_are_played_drawn_and_told(game: Pbm) -> None:
    assert "(o)" in game("board", "move", "101", "alice", "d", "4").stdout
    game("board", "move", "101", "bob", "swap")
    played = parsed(game("board", "move", "101", "alice", "E4", "--json"))
    assert played["record"] == ["D4", "swap", "E4"]
    assert (played["ply"], played["to_move"]) == (3, "bob")
    assert len(subjects(game)) == 2 * 4


def test_a_board_is_shown_now_and_as_it_was(game: Pbm) -> None:
    game("board", "move", "101", "alice", "D4")
    game("board", "move", "101", "bob", "E4")
    now, before = game("board", "show", "101").stdout, game("board", "show", "101#1").stdout
    assert "alice (O) is to make ply 3." in now
    assert "After ply 1 of 2." in before
    assert "x" in now.split("F-")[0].split("D-")[1]
    assert parsed(game("board", "show", "101#-2", "--json"))["ply"] == 0
    assert "  1 D4" in now


def test_boards_are_listed_by_game_player_and_state(game: Pbm) -> None:
    game("board", "challenge", "create", "loops", "bob", "alice")
    game("board", "end", "102", "--result", "draw")

    def listed(*words: str) -> list[int]:
        return [each["board"] for each in parsed(game("board", "list", *words, "--json"))]

    assert listed() == [101, 102]
    assert listed("--game", "loops") == [102]
    assert listed("--player", "alice", "--active") == [101]
    assert listed("--ended") == [102]
    assert listed("--limit", "1") == [101]
    assert "alice" in game("board", "list").stdout
    assert "There are no such boards." in game("board", "list", "--game", "crossgeo").stdout


@pytest.mark.parametrize(
    ("word", "result", "winner", "said"),
    [
        ("ALICE", "decided", "alice", "alice won by decision of the operator"),
        ("bob", "decided", "bob", "bob won by decision of the operator"),
        ("draw", "decided", None, "drawn by decision of the operator"),
    ],
)
def test_the_operator_ends_a_game(word: str, result: str, winner: str | None, said: str, game: Pbm) -> None:
    assert said in game("board", "end", "101", "--result", word).stdout
    shown = parsed(game("board", "show", "101", "--json"))
    assert (shown["result"], shown["winner"], shown["to_move"]) == (result, winner, None)
    assert said in game("board", "show", "101").stdout
    game("board", "end", "101", "--result", word, code=1)


def test_verify_finds_a_record_that_was_changed(game: Pbm, tmp_path: Path) -> None:
    game("board", "move", "101", "alice", "D4")
    game("board", "move", "101", "bob", "E4")
    game("board", "challenge", "create", "cross", "alice", "bob")
    assert game("board", "verify").stdout == "2 boards replayed, none differ.\n"
    with database(tmp_path) as connection:
        connection.execute("UPDATE plies SET notation = 'D4' WHERE ply = 2")
    assert "Board 101 (cross, 2 plies): the record cannot be replayed" in game("board", "verify", code=1).stdout
    assert parsed(game("board", "verify", "--json", code=1))["problems"][0]["board"] == 101
    game("board", "verify", "101", code=1)
    assert parsed(game("board", "verify", "102", "--json")) == {"verified": 1, "problems": []}


def test_a_broadcast_waits_for_the_operator(game: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_HOUSE__BROADCAST_MODERATION", "on")
    service = Service(Store(f"sqlite:///{tmp_path / 'pbm.db'}"))
    with service.store.write() as tx:
        for userid in ("alice", "bob"):
            player = tx.players.find(userid)
            assert player is not None
            tx.broadcasts.add(player, f"I am {userid}.", service.store.clock(), sent=False)
    service.close()
    rows = parsed(game("player", "broadcast", "list", "--json"))
    assert [(row["number"], row["author"], row["text"]) for row in rows] == [
        (1, "alice", "I am alice."),
        (2, "bob", "I am bob."),
    ]
    assert "1 player" in game("player", "broadcast", "approve", "1", "--yes").stdout
    assert subjects(game)[0] == ("bob@example.net", "pbm: to all players")
    assert "bob" in game("player", "broadcast", "reject", "2", "--yes").stdout
    assert "No broadcast waits" in game("player", "broadcast", "list").stdout
    assert "no broadcast 2" in game("player", "broadcast", "approve", "2", "--yes", code=1).stderr


def test_the_inbox_is_listed_shown_and_handled_again(pbm: Pbm, tmp_path: Path) -> None:
    assert "There are no such emails." in pbm("inbox", "list").stdout
    arrive(tmp_path, CHAT, CHAT, CHAT)
    settle(tmp_path, 1, Arrival.PARKED)
    settle(tmp_path, 2, Arrival.HANDLED)
    assert [mail["id"] for mail in parsed(pbm("inbox", "list", "--json"))] == [3, 2, 1]
    assert [mail["id"] for mail in parsed(pbm("inbox", "list", "--state", "parked", "--json"))] == [1]
    assert len(parsed(pbm("inbox", "list", "--limit", "2", "--json"))) == 2
    shown = pbm("inbox", "show", "1").stdout
    assert "how are you" in shown
    assert "\x1b" not in shown
    assert pbm("inbox", "show", "1", "--raw").stdout_bytes == CHAT
    assert parsed(pbm("inbox", "show", "1", "--json"))["recipients"] == ["pbm@localhost"]
    assert "was handled already" in pbm("inbox", "retry", "1", "2", code=1).stderr
    assert pbm("inbox", "retry", "--all").stdout.startswith("1 ")
    assert len(parsed(pbm("inbox", "list", "--state", "new", "--json"))) == 2


def test_what_an_email_has_caused_is_found_from_both_ends(game: Pbm, tmp_path: Path) -> None:
    arrive(tmp_path, CHAT)
    service = Service(Store(f"sqlite:///{tmp_path / 'pbm.db'}"))
    service.handle()
    service.close()
    (caused,) = parsed(game("inbox", "show", "1", "--json"))["outbox"]
    assert parsed(game("outbox", "show", str(caused), "--json"))["inbox"] == 1
    assert parsed(game("outbox", "show", "1", "--json"))["inbox"] is None


def test_the_outbox_is_listed_shown_and_sent_again(game: Pbm, tmp_path: Path) -> None:
    listed = game("outbox", "list").stdout
    assert "Cross Board 101" in listed
    assert max(map(len, listed.splitlines())) <= 80
    with database(tmp_path) as connection:
        connection.execute("UPDATE outbox SET state = 'failed', trouble = '550 no such user' WHERE id = 1")
        connection.execute("UPDATE outbox SET state = 'sent' WHERE id = 2")
    assert "550 no such user" in game("outbox", "list", "--state", "failed").stdout
    assert "Cross Board 101" in game("outbox", "show", "1").stdout
    assert game("outbox", "show", "1", "--raw").stdout_bytes.startswith(b"From: ")
    assert parsed(game("outbox", "show", "2", "--json"))["state"] == "sent"
    assert game("outbox", "retry", "--all").stdout.startswith("1 ")
    game("outbox", "retry", "2")
    assert {mail["state"] for mail in parsed(game("outbox", "list", "--json"))} == {"queued"}


def test_a_database_is_made_checked_and_upgraded(pbm: Pbm, tmp_path: Path) -> None:
    fresh = f"sqlite:///{tmp_path / 'fresh.db'}"
    for words in (
        ["db", "check"],
        ["db", "upgrade"],
        ["player", "list"],
        ["board", "verify"],
        ["status"],
        ["inbox", "list"],
        ["work"],
        ["db", "backup", str(tmp_path / "copy.db")],
    ):
        assert "There is no database at sqlite" in pbm(*words, "--database", fresh, code=1).stderr
        assert not (tmp_path / "fresh.db").exists()
    pbm("db", "create", "--database", fresh)
    assert "there already" in pbm("db", "create", "--database", fresh, code=1).stderr
    assert "already" in pbm("db", "upgrade", "--database", fresh).stdout
    assert parsed(pbm("db", "check", "--json", "--database", fresh)) == {"sound": True, "problems": []}


def test_a_database_that_may_not_be_looked_at_is_told(
    pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, looking = tmp_path / "locked/pbm.db", Path.stat

    def stat(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return looking(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", stat)
    url = f"sqlite:///{locked}"
    for words in (["player", "list"], ["db", "check"], ["db", "backup", str(tmp_path / "copy.db")], ["work"]):
        assert "Permission denied." in pbm(*words, "--database", url, code=1).stderr
    pbm("config", "check", "--database", url)


def test_damage_and_other_versions_of_a_database_are_told(game: Pbm, tmp_path: Path) -> None:
    with database(tmp_path) as connection:
        connection.execute("DROP TABLE confirmations") if _has(connection, "confirmations") else None
        connection.execute("DELETE FROM players")
    assert parsed(game("db", "check", "--json", code=1))["problems"]
    with database(tmp_path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'future'")
    assert "revision future" in game("db", "check", code=1).stdout
    assert "Install the newer program" in game("player", "list", code=1).stderr


def _has(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone() is not None


@pytest.mark.parametrize(
    ("url", "code", "expected"),
    [
        ("sqlite:////none/none.db", 1, "There is no database at sqlite:////none/none.db"),
        ("nosuch://u:verysecret@h/d", 2, "database (command line): there is no such driver"),
        ("plain.db", 2, "database (command line): write something like sqlite:"),
    ],
)
def test_an_unusable_database(url: str, code: int, expected: str, pbm: Pbm) -> None:
    for words in (["player", "list"], ["db", "check"]):
        refused = pbm(*words, "--database", url, code=code)
        assert expected in refused.stderr
        assert "verysecret" not in refused.output


def test_a_database_that_cannot_be_there_is_told_by_its_cause(pbm: Pbm, tmp_path: Path) -> None:
    folder = pbm("status", "--database", f"sqlite:///{tmp_path}", code=1).stderr
    assert f"cannot be used: {tmp_path} is a folder; name a file in it, such as {tmp_path}/pbm.db." in folder
    missing = pbm("db", "create", "--database", f"sqlite:///{tmp_path}/none/pbm.db", code=1).stderr
    assert f"cannot be used: there is no folder {tmp_path}/none; make it first." in missing


def test_a_database_of_another_user_is_told_as_such(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unable(*_: object) -> NoReturn:
        raise DatabaseTrouble("attempt to write a readonly database")

    monkeypatch.setattr(Store, "revision", unable)
    for name in ("pbm.db", "pbm.db-wal"):
        (tmp_path / name).touch()
        monkeypatch.setattr(os, "access", lambda path, mode, name=name: path != tmp_path / name)
        file = pbm("status", code=1).stderr
        assert f": this user may not write {tmp_path}/{name}; run pbm as the user that owns it.\n" in file
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    assert f"this user may not write in {tmp_path}; run pbm as" in pbm("status", code=1).stderr


def test_a_disk_that_can_only_be_read_is_told_so(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other user could write there either."""
    found = os.statvfs(tmp_path)
    read_only = os.statvfs_result((*found[:8], found.f_flag | os.ST_RDONLY, found.f_namemax))

    def unable(*_: object) -> NoReturn:
        raise DatabaseTrouble("attempt to write a readonly database")

    monkeypatch.setattr(os, "statvfs", lambda _: read_only)
    monkeypatch.setattr(Store, "revision", unable)
    monkeypatch.setattr("pbm.store.backup.copy", unable)
    said = f"the disk of {tmp_path}/pbm.db can only be read; mount it so that it can be written.\n"
    assert pbm("status", code=1).stderr.endswith(f"cannot be used: {said}")
    assert pbm("db", "backup", f"{tmp_path}/copy.db", code=1).stderr.endswith(f"No copy was made: {said}")


def test_a_postgresql_that_is_down_is_told_in_one_line(pbm: Pbm) -> None:
    refused = pbm("player", "list", "--database", "postgresql://pbm:verysecret@127.0.0.1:1/pbm", code=1).stderr
    assert re.fullmatch(r"database: postgresql://pbm:\*+@127\.0\.0\.1:1/pbm cannot be used: .*[?]\n", refused)


@pytest.mark.parametrize("more", ["", "CREATE TABLE alembic_version (version_num)"])
def test_a_database_of_another_program_is_left_alone(pbm: Pbm, tmp_path: Path, more: str) -> None:
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as connection, connection:
        connection.executescript(f"CREATE TABLE songs (title TEXT); {more}")
    before = (tmp_path / "theirs.db").read_bytes()
    url = f"sqlite:///{tmp_path / 'theirs.db'}"
    for words in (["player", "list"], ["db", "create"], ["db", "upgrade"]):
        assert "some other program" in pbm(*words, "--database", url, code=1).stderr
    assert (tmp_path / "theirs.db").read_bytes() == before


def test_a_timeout_can_only_be_taken_back_where_there_was_one(game: Pbm) -> None:
    assert game("board", "reopen", "101", code=1).stderr == "Board 101 goes on already.\n"


def test_a_command_that_gets_no_threads_says_so(pbm: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(_: Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", none_left)
    monkeypatch.setattr(opening, "announce", none_left)
    assert pbm("status", code=1).stderr.startswith("No more threads can be started.")


@pytest.mark.parametrize(
    "words",
    [
        ("letter", "alice", "--subject", "news", "--text"),
        ("inbox", "answer", "1", "--text"),
        ("board", "challenge", "create", "cross", "alice", "bob", "--body"),
        ("tournament", "create", "cup", "swiss", "cross", "--body"),
    ],
)
def test_a_text_in_another_encoding_is_refused_in_a_sentence(words: tuple[str, ...], game: Pbm, tmp_path: Path) -> None:
    text = tmp_path / "latin.txt"
    text.write_bytes(b"Gr\xfc\xdfe\n")
    before = subjects(game)
    said = game(*words, str(text), code=1).stderr
    assert said == f"{text} is not UTF-8 text. Save it as UTF-8 and try again; nothing was done.\n"
    assert subjects(game) == before


def test_a_subject_of_several_lines_becomes_one_and_holds_no_control_character(game: Pbm, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\N{ZERO WIDTH NO-BREAK SPACE}Hello", encoding="utf-8")
    game("letter", "alice", "--subject", "Rest\nBcc: eve@example.com", "--text", str(text))
    assert ("alice@example.net", "Rest Bcc: eve@example.com") in subjects(game)
    said = game("letter", "alice", "--subject", "Rest\x1b[31m", "--text", str(text), code=1).stderr
    assert "control character" in said


def test_nobody_is_kept_out_for_no_time_nor_for_half_a_domain(game: Pbm) -> None:
    before = subjects(game)
    for length in ("0d", ""):
        game("player", "ban", "add", "alice", "--for", length, code=2 if length else 1)
    assert game("player", "ban", "add", "@", code=1).stderr == '"@" is no domain: write it as in @example.org.\n'
    assert subjects(game) == before
