"""Each act of the operator leaves a line in the log with what it changes; no command can be forgotten."""

from __future__ import annotations

import getpass
import json
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from pbm.cli import main, opening
from pbm.domain.mail import Arrival
from pbm.resources import folder
from tests.cli.conftest import Pbm
from tests.cli.test_commands import CHAT, arrive, database, dumped, parsed, settle

SERVERS = "serve", "work", "receive", "inbox handle", "demo", "play", "game run"
"""Commands that do what mails ask for."""
READING = {
    "status": "",
    "board challenge list": "",
    "board challenge show": "101",
    "tournament list": "",
    "tournament show": "cup",
    "player list": "",
    "player show": "alice",
    "player ban list": "",
    "player broadcast list": "",
    "board list": "",
    "board show": "101",
    "board verify": "",
    "inbox list": "",
    "inbox count": "",
    "inbox show": "1",
    "inbox classify": "{folder}/mail.eml",
    "inbox read": "{folder}/mail.eml",
    "outbox list": "",
    "outbox show": "1",
    "db check": "",
    "identity show": "",
    "player export": "alice {folder}/other.json",
    "config show": "",
    "config check": "",
    "db log": "",
    "board publish": "{folder}/site",
    "keys secret list": "",
    "keys dkim create": "{folder}/key.pem",
    "keys dkim rotate": "{folder}/key.pem",
    "keys crypt": "{folder}/openpgp.key",
    "game new": "--help",
    "completion": "fish",
    "manual": "{folder}/man",
    "init": "--help",
    "doctor": "--help",
    "db copy": "--help",
}
"""Commands that only read, with the words for each; making a copy is logged in the copy."""
APART = "inbox classify", "inbox read", "config show", "config check", "completion", "manual"
"""Commands that use no database."""
WRITING = {
    "player add": "carol --address carol@example.net --password carolpass",
    "player set-address": "alice other@example.net",
    "player resume": "alice",
    "player bot": "bob on",
    "player unlock": "alice",
    "player reset-password": "alice --password secret123",
    "player remove": "bob --yes",
    "board challenge create": "cross -size=4 bob alice",
    "board challenge cancel": "101 --yes",
    "tournament create": "other swiss cross -rounds=2",
    "tournament start": "cup",
    "tournament cancel": "cup --yes",
    "player broadcast approve": "1 --yes",
    "player broadcast reject": "1 --yes",
    "board move": "101 alice a1",
    "board end": "101 --result draw",
    "board void": "102 --yes",
    "board reopen": "102",
    "board take-back": "103 --to 1 --yes",
    "board clock stop": "101",
    "board clock run": "--all",
    "board clock extend": "2d --all",
    "maintenance": "on",
    "player rename": "alice Alicia",
    "player merge": "alice bob --yes",
    "player ban add": "alice --for 30d --reason rude",
    "player ban lift": "bob",
    "keys secret rotate": "--overlap 30d",
    "letter": "alice --subject news --text {folder}/mail.eml",
    "inbox close": "1",
    "inbox answer": "1 --text {folder}/mail.eml",
    "inbox forward": "1 helga@example.org",
    "inbox retry": "1",
    "outbox retry": "1",
    "db backup": "{folder}/another.db",
    "db create": "--database sqlite:///{folder}/new.db",
    "db upgrade": "",
    "db recovered": "--yes",
    "db restore": "{folder}/copy.db --yes",
    "identity set": "pbm@games.example.net --tell --yes",
    "player import": "{folder}/alice.json",
}


def leaves(command: click.Command, *above: str) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(above)
        return
    with click.Context(command) as context:
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from leaves(found, *above, name)


def test_of_every_command_it_is_known_whether_it_writes() -> None:
    assert sorted(leaves(main)) == sorted([*SERVERS, *READING, *WRITING])


BUILT: dict[str, bytes] = {}
"""The files of the house below, which is built once."""


@pytest.fixture
def told(alone: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The databases that were announced, by URL."""
    urls: list[str] = []
    monkeypatch.setattr(opening, "announce", urls.append)
    return urls


@pytest.fixture
def house(pbm: Pbm, tmp_path: Path, request: pytest.FixtureRequest) -> Pbm:
    """A server on which each of the commands finds something to do."""
    if not BUILT:
        build(request.getfixturevalue("game"), tmp_path)
        BUILT.update({path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()})
    for name, content in BUILT.items():
        (tmp_path / name).write_bytes(content)
    return pbm


def build(game: Pbm, tmp_path: Path) -> None:
    arrive(tmp_path, CHAT)
    settle(tmp_path, 1, Arrival.PARKED)
    game(
        "tournament",
        "create",
        "cup",
        "swiss",
        "cross",
        "-players=2..4",
        f"-start={datetime.now(UTC) + timedelta(days=90):%Y-%m-%d}",
    )
    game("board", "challenge", "create", "cross", "-size=4", "alice", "bob")
    with database(tmp_path) as connection:
        connection.execute("INSERT INTO broadcasts (player_id, text, created_at) VALUES (1, 'hello', 0)")
        connection.execute("INSERT INTO tournament_players SELECT 1, id, id, NULL, 0, NULL FROM players")
        connection.execute(
            "UPDATE matches SET ended_at = 1, ending = 'forfeit', winner = 2, reason = 'on time' WHERE board = 102"
        )
    game("identity", "set", "pbm@example.org")
    game("db", "backup", str(tmp_path / "copy.db"))
    game("player", "export", "alice", str(tmp_path / "alice.json"))
    (tmp_path / "mail.eml").write_bytes(CHAT)


def acts(pbm: Pbm, *more: str) -> list[str]:
    return [act["command"] for act in parsed(pbm("db", "log", "--json", "--limit", "1000", *more))]


def test_an_operator_starts_games_with_robots_that_have_not_played_yet(game: Pbm) -> None:
    started = game("board", "challenge", "create", "cross", "-size=4", "robot2", "alice")
    assert "robot2 moves first" in started.output


@pytest.mark.parametrize("name", WRITING)
def test_a_command_that_writes_leaves_one_line(house: Pbm, tmp_path: Path, name: str, told: list[str]) -> None:
    words = WRITING[name].replace("{folder}", str(tmp_path))
    prepare(house, tmp_path, name)
    database_of = ["--database", f"sqlite:///{tmp_path}/new.db"] if name == "db create" else []
    is_other = name in ("db create", "db restore", "db upgrade", "player remove")
    before = [] if is_other else acts(house)
    told.clear()
    house(*name.split(), *shlex.split(words))
    names_it_itself, file = name == "db restore", "new.db" if name == "db create" else "pbm.db"
    assert told == ([] if names_it_itself else [f"sqlite:///{tmp_path}/{file}"])
    done = acts(house, *database_of)
    assert [line for line in done if line.startswith(f"pbm {name}")], done
    assert is_other or done[:-1] == before
    assert "secret123" not in str(done)


def older(file: Path) -> None:
    """Turn the database into that of the release before the log."""
    config = Config()
    config.set_main_option("script_location", str(folder("migrations")))
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0005")
    engine.dispose()


def prepare(house: Pbm, tmp_path: Path, name: str) -> None:
    if name == "db upgrade":
        house("board", "list")
        older(tmp_path / "pbm.db")
    if name == "board take-back":
        house("board", "challenge", "create", "cross", "-size=4", "alice", "bob")
        house("board", "move", "103", "alice", "D4")
        house("board", "move", "103", "bob", "C3")
    if name == "player ban lift":
        house("player", "ban", "add", "bob")
    if name == "player merge":
        house("board", "void", "101", "--yes")
        with database(tmp_path) as connection:
            connection.execute("DELETE FROM tournament_players")
    if name == "board clock run":
        house("board", "clock", "stop", "--all")
    if name == "player import":
        house("player", "remove", "alice", "--yes")


@pytest.mark.parametrize("name", READING)
def test_a_command_that_reads_leaves_none(house: Pbm, tmp_path: Path, name: str, told: list[str]) -> None:
    words = READING[name].replace("{folder}", str(tmp_path))
    for made in ("copy.db", "alice.json"):
        if made in words:
            (tmp_path / made).unlink()
    before = acts(house)
    told.clear()
    house(*name.split(), *shlex.split(words))
    assert told == ([] if name in APART or "--help" in words else [f"sqlite:///{tmp_path}/pbm.db"])
    assert acts(house) == before


IRREVOCABLE = {
    **{name: words.replace(" --yes", "").replace("--yes", "") for name, words in WRITING.items() if "--yes" in words},
    "player ban add": "alice --forfeit",
    "letter": "--all --subject news --text {folder}/mail.eml",
    "keys secret rotate": "--at-once",
}


def test_what_cannot_be_undone_takes_yes_and_a_dry_run() -> None:
    found = {name for name in leaves(main) if "--dry-run" in options_of(name)}
    assert found == set(IRREVOCABLE)
    assert all("--yes" in options_of(name) for name in found)


def options_of(name: str) -> set[str]:
    command: click.Command = main
    for word in name.split():
        assert isinstance(command, click.Group)
        below = command.get_command(click.Context(command), word)
        assert below is not None
        command = below
    return {option for param in command.params for option in param.opts}


@pytest.mark.parametrize("name", IRREVOCABLE)
def test_it_asks_first_and_a_dry_run_changes_nothing(house: Pbm, tmp_path: Path, name: str) -> None:
    words = [*name.split(), *shlex.split(IRREVOCABLE[name].replace("{folder}", str(tmp_path)))]
    prepare(house, tmp_path, name)
    before = dumped(tmp_path)
    assert "nobody can be asked here: say --yes. Nothing was done." in house(*words, code=1).stderr
    said = house(*words, "--dry-run", "--quiet").stdout
    assert said.endswith("Nothing was done: this was a dry run.\n")
    assert len(said.splitlines()) >= 2, "it says what would be done"
    assert dumped(tmp_path) == before


@pytest.mark.parametrize("name", sorted({*READING, *WRITING} - {"game new", "doctor", "db copy", "init"}))
def test_every_command_ends_with_2_for_a_mistake_and_1_without_a_database(
    name: str, pbm: Pbm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "Usage: " in pbm(*name.split(), "--nonsense", code=2).stderr
    words = shlex.split({**READING, **WRITING}[name].replace("{folder}", str(tmp_path)))
    for file in ("mail.eml", "copy.db", "alice.json"):
        (tmp_path / file).write_text("x")
    monkeypatch.setenv("PBM_DATABASE", f"sqlite:///{tmp_path}/nowhere.db")
    if name not in (*APART, "db create", "db restore") and not name.startswith("keys dkim") and name != "keys crypt":
        assert "There is no database" in pbm(*name.split(), *words, code=1).stderr
    if name not in ("completion", "manual"):
        pbm(*name.split(), *words, "--config", str(tmp_path / "none.toml"), code=2)


def test_quiet_says_only_what_went_wrong(house: Pbm) -> None:
    assert house("board", "end", "101", "--result", "draw", "--quiet").output == ""
    assert "has ended" in house("board", "end", "101", "--result", "draw", "--quiet", code=1).stderr


def test_the_log_tells_when_who_and_what_without_passwords(game: Pbm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "")
    game("player", "reset-password", "alice", "--password", "secret123")
    monkeypatch.setenv("SUDO_USER", "helga")
    game("board", "end", "101", "--result", "draw")
    game("player", "resume", "nobody", code=1)
    lines = parsed(game("db", "log", "--json", "--limit", "2"))
    assert [line["command"] for line in lines] == [
        "pbm player reset-password alice --password ********",
        "pbm board end 101 --result draw",
    ]
    assert [line["who"] for line in lines] == [getpass.getuser(), "helga"]
    assert acts(game, "--about", "101") == ["pbm board end 101 --result draw"]
    assert "pbm board end 101" in game("db", "log").stdout


def test_a_player_who_is_erased_is_in_the_log_by_another_name(game: Pbm) -> None:
    game("player", "set-address", "alice", "new@example.net")
    game("player", "remove", "alice", "--yes")
    told = json.dumps(acts(game))
    assert "alice" not in told
    assert "new@example.net" not in told
    assert "pbm player remove erased-" in told


def test_a_move_is_told_to_all_and_the_old_address_stays_an_alias(game: Pbm) -> None:
    game("identity", "set", "pbm@old.example.org")
    done = game("identity", "set", "games@new.example.org", "--tell", "--yes").stdout
    assert "It was pbm@old.example.org, where answers to older emails still count. 2 players are told." in done
    mails = [parsed(game("outbox", "show", str(mail), "--json"))["mail"] for mail in (3, 4)]
    assert all("From: pbm <games@new.example.org>" in mail for mail in mails)
    assert all("This server is at games@new.example.org now" in mail for mail in mails)
    assert game("identity", "show").stdout == "games@new.example.org\nalso: pbm@old.example.org\n"
    game("identity", "set", "pbm@old.example.org")
    assert game("identity", "show").stdout == "pbm@old.example.org\nalso: games@new.example.org\n"


def test_a_new_secret_says_until_when_older_mails_count(game: Pbm) -> None:
    assert game("keys", "secret", "list").stdout == "No former secret counts.\n"
    said = game("keys", "secret", "rotate", "--overlap", "30d").stdout
    until = re.search(r"Emails from before count until (\S+ \S+) UTC\.$", said)
    assert until is not None
    assert game("keys", "secret", "list").stdout == f"counts until\n{until[1]}\n"
    assert "not a length of time" in game("keys", "secret", "rotate", "--overlap", "soon", code=1).stderr
    assert "No email from before counts any more" in game("keys", "secret", "rotate", "--at-once", "--yes").stdout
    assert game("keys", "secret", "list").stdout == "No former secret counts.\n"
