"""What --json prints is as --schema says, of every command that takes them."""

from __future__ import annotations

import json
import shlex
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from pbm.cli import main
from pbm.cli.schemas import PRINTED
from pbm.server import Service
from pbm.store import Store
from pbm.store.tickets import Key
from tests.cli.conftest import Pbm
from tests.cli.test_acts import READING, WRITING, leaves, options_of
from tests.cli.test_commands import arrive, database

WORDS = {**READING, **WRITING, "doctor": "--offline"}
FORMATS = FormatChecker()
FORMATS.checks("date-time", raises=(TypeError, ValueError))(datetime.fromisoformat)
MACHINE = b"From: a@example.net\r\nAuto-Submitted: auto-replied\r\nSubject: away\r\n\r\nI am away.\r\n"


@pytest.fixture
def busy(game: Pbm, tmp_path: Path) -> Pbm:
    """A server of which every command has something to tell."""
    game("tournament", "create", "cup", "swiss", "cross", "-players=2..4")
    game("board", "challenge", "create", "cross", "-size=4", "alice", "bob")
    game("board", "end", "102", "--result", "alice")
    game("player", "ban", "add", "carol@example.net", "--reason", "rude")
    game("player", "ban", "add", "@example.org", "--for", "30d")
    game("keys", "secret", "rotate")
    game("identity", "set", "pbm@example.net")
    game("identity", "set", "pbm@example.org")
    arrive(tmp_path, MACHINE)
    game("inbox", "handle", "1")
    with database(tmp_path) as connection:
        connection.execute("INSERT INTO broadcasts (player_id, text, created_at) VALUES (1, 'hello', 0)")
        connection.execute("INSERT INTO tournament_players SELECT 1, id, id, NULL, 0, NULL FROM players")
        connection.execute("UPDATE addresses SET suspended_at = 1 WHERE address = 'bob@example.net'")
        connection.execute("UPDATE outbox SET trouble = '451 later', attempts = 1 WHERE id = 1")
    game("tournament", "start", "cup")
    service = Service(Store(f"sqlite:///{tmp_path / 'pbm.db'}"))
    service.agenda.run()
    with service.store.write() as tx:
        tx.guesses.put(Key("login", "alice"), 7, tx.now, tx.now + timedelta(minutes=4))
    service.close()
    game("board", "clock", "stop", "--all")
    return game


def exact(schema: Any) -> Any:
    """The schema, with no names allowed but those it has."""
    if isinstance(schema, list):
        return [exact(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {**closed, **{name: exact(value) for name, value in schema.items()}}


def test_every_command_that_prints_json_has_a_schema() -> None:
    taking = {name for name in leaves(main) if "--json" in options_of(name)}
    assert taking == set(PRINTED)
    assert taking >= {name for name in READING if name.split()[-1] in ("list", "show", "count", "status")}


def test_what_a_command_prints_is_as_its_schema_says(busy: Pbm) -> None:
    for name in PRINTED:
        schema = json.loads(busy(*name.split(), "--schema", "--database", "sqlite:////none/x.db").stdout)
        words = [*name.split(), *shlex.split(WORDS[name]), "--json"]
        printed = json.loads(busy(*words, code=1 if name == "doctor" else 0).stdout)
        assert printed, name
        Draft202012Validator(exact(schema), format_checker=FORMATS).validate(printed)
