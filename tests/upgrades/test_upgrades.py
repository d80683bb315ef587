"""Databases of earlier versions, made by their own servers (make.py), are upgraded, and answers to old mails play."""

from __future__ import annotations

import gzip
import json
import sqlite3
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbm.server import Arriving, Service, Settings
from pbm.store import Store
from pbm.store.tables import REVISION
from tests.conversation import ROBOT

HERE = Path(__file__).parent
NAMES = sorted(file.name.removesuffix(".sql.gz") for file in HERE.glob("*.sql.gz"))
SOON = {*NAMES[::6], *NAMES[-2:]}
"""Those that `make test` upgrades, which goes through every step; CI upgrades all of them."""


@pytest.fixture
def old(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Store, datetime]:
    """The database, and an instant just after its newest mail."""
    file = tmp_path / "pbm.db"
    with sqlite3.connect(file) as database:
        database.executescript(gzip.decompress((HERE / f"{request.param}.sql.gz").read_bytes()).decode())
        (newest,) = database.execute("SELECT max(received_at) FROM inbox").fetchone()
    database.close()
    now = datetime.fromtimestamp(newest / 1_000_000, UTC) + timedelta(minutes=1)
    return Store(f"sqlite:///{file}"), now


def answer(mail: dict[str, str], text: str) -> Arriving:
    written = EmailMessage()
    written["From"], written["To"] = "bob@example.net", mail["Reply-To"]
    written["Subject"], written["In-Reply-To"] = f"Re: {mail['Subject']}", mail["Message-ID"]
    written["Message-ID"] = "<answer@example.net>"
    written.set_content(text)
    return Arriving("bob@example.net", (mail["Reply-To"],), written.as_bytes())


@pytest.mark.parametrize(
    "old",
    [pytest.param(name, marks=[] if name in SOON else [pytest.mark.oracle]) for name in NAMES],
    indirect=True,
)
def test_it_is_upgraded_and_an_answer_to_an_old_mail_plays(
    old: tuple[Store, datetime], request: pytest.FixtureRequest
) -> None:
    store, now = old
    store.upgrade(now)
    assert store.check() == []
    service = Service(store, Settings(ROBOT), clock=lambda: now)
    mails = json.loads((HERE / f"{request.node.callspec.params['old']}.json").read_text())
    service.accept([answer(mails["bob"], "D4")])
    service.handle()
    with store.read() as tx:
        match = tx.matches.load(101)
        assert match is not None
        assert list(match.record.notations) == ["F6", "D4"]
    service.close()


def test_the_present_revision_is_kept_too() -> None:
    assert max(NAMES) == f"{REVISION:0>4}"
