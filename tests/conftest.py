"""Shared by many tests: a database that is made once and copied, and passwords that are cheap to check."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import structlog
from argon2 import PasswordHasher
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis
from sqlalchemy import URL, Engine, create_engine

from games import GAMES
from pbm.bots import strong
from pbm.core import passwords
from pbm.mailin import Unlock
from pbm.server import Settings
from pbm.store import engine
from tests.conversation import House, Moments
from tests.databases import Databases, Files, Reused
from tests.databases import databases as databases_in
from tests.parts import FILE, Part, parts_in, perform_parts

SLOW = [HealthCheck.too_slow]  # a busy machine is no fault of the test
hypothesis.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=SLOW)
hypothesis.register_profile("random", derandomize=False, deadline=None, suppress_health_check=SLOW, print_blob=True)
hypothesis.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_finish() -> None:
    """Exempt from garbage collection all that exists before the first test: it stays to the end anyway."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.fixture(autouse=True, scope="session")
def _own_search() -> Iterator[None]:
    """Robots search by themselves, whatever is installed, so that they play the same everywhere."""
    with patch.object(strong, "is_installed", lambda: False):
        yield


@pytest.fixture(autouse=True, scope="session")
def cheap_passwords() -> Iterator[None]:
    """Argon2 with the least work: tests log in thousands of times, and none of them judges its strength."""
    with pytest.MonkeyPatch.context() as changed:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        changed.setattr(passwords, "_hasher", cheap)
        yield


@pytest.fixture(autouse=True, scope="session")
def compiled_once() -> Iterator[None]:
    """SQL for SQLite is compiled once a process: usually each engine has a dialect of its own, and compiles all anew.

    A server has one engine; tests have thousands.
    """
    model = create_engine("sqlite://")
    model.connect().close()  # now its dialect knows all that it asks a database for

    def like_the_model(url: URL, **options: Any) -> Engine:
        made = create_engine(url, **options)
        if made.dialect.name == model.dialect.name:
            made.dialect = made.pool._dialect = model.dialect
            made._compiled_cache = model._compiled_cache
        return made

    with patch.object(engine, "create_engine", like_the_model):
        yield
    model.dispose()


@pytest.fixture(autouse=True, scope="session")
def plain_tracebacks() -> None:
    """Tracebacks in the log without local variables: to show these takes as long as ten tests."""
    structlog.get_config()["processors"][-1].exception_formatter = structlog.dev.plain_traceback


@pytest.fixture(autouse=True)
def as_usual() -> Iterator[None]:
    """Undo what tests and commands change for their whole process.

    These are the set-up of the log, and the games that a test takes out of the registry; they are put back in their old
    order, which is that of lists of games. One fixture, because ten thousand tests have it.
    """
    with patch.dict(GAMES):
        yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """The databases of tests: files, or databases on the server that PBM_TEST_DATABASE names.

    Files are in memory where the system has a place for that, because on a disk each commit would wait.
    """
    memory = Path("/dev/shm")  # noqa: S108  a folder of its own is made there
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        where = databases_in(Path(folder))
        yield where
        where.close()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the schema and nothing else."""
    return Files(tmp_path_factory.mktemp("database")).template


@pytest.fixture(scope="session")
def reused(databases: Databases) -> Iterator[Reused]:
    kept = Reused(databases)
    yield kept
    kept.close()


@pytest.fixture(scope="session")
def moments() -> Moments:
    return Moments()


@pytest.fixture
def new_house(reused: Reused, moments: Moments) -> Iterator[Callable[..., House]]:
    """Opens houses without players, each on a database of its own."""
    opened: list[tuple[House, str]] = []

    def open_house(settings: Settings | None = None, unlock: Unlock | None = None) -> House:
        url, contents = reused.ready()
        house = House(url, settings, lambda: reused.store(url), unlock, moments=moments, contents=contents)
        opened.append((house, url))
        return house

    yield open_house
    for house, url in opened:
        if house.is_running:
            house.service.tools.passwords.close()
        reused.release(url)


@pytest.fixture
def house(new_house: Callable[..., House]) -> House:
    return new_house()


@pytest.fixture
def people(house: House) -> House:
    house.players("alice", "bob", "carol")
    return house


@pytest.fixture
def table(house: House) -> House:
    """alice and bob at board 101, cross with four cells a side, after D4; bob is to move."""
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    return house


@pytest.fixture(scope="session")
def performed() -> list[str]:
    """The script of golden/parts.txt as it goes, once it has been played; until then empty."""
    return []


@pytest.fixture
def parts(new_house: Callable[..., House], performed: list[str]) -> Sequence[Part]:
    """What conversations may leave out, as the server says it; that this is what is written is one test's concern."""
    if not performed:
        performed.append(perform_parts(new_house(), FILE.read_text()))
    return parts_in(performed[0])


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The Chromium of this machine, for tests marked `browser`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
