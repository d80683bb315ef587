"""What many tests share: a database made once and copied, and passwords that are cheap to check."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from hypothesis import settings as hypothesis

from pbm.core import passwords
from pbm.server import Settings
from tests.conversation import House
from tests.databases import Databases, Files
from tests.databases import databases as databases_in

hypothesis.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.register_profile("random", derandomize=False, deadline=None, print_blob=True)
hypothesis.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(autouse=True, scope="session")
def cheap_passwords() -> Iterator[None]:
    """Argon2 with the least work: tests log in thousands of times, and its strength is not theirs to judge."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(passwords, "_hasher", cheap)
        patch.setattr(passwords, "_NOBODY", cheap.hash("nobody has this one"))
        yield


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """Where tests have their databases: in files, or on the server that PBM_TEST_DATABASE names."""
    where = databases_in(tmp_path_factory.mktemp("databases"))
    yield where
    where.close()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of SQLite with the schema and nothing in it."""
    return Files(tmp_path_factory.mktemp("database")).template


@pytest.fixture
def new_house(databases: Databases) -> Iterator[Callable[..., House]]:
    """Opens houses with nobody in them, each over a database of its own."""
    opened: list[House] = []

    def open_house(settings: Settings | None = None) -> House:
        opened.append(House(databases.ready(), settings))
        return opened[-1]

    yield open_house
    for house in opened:
        house.service.close()
        databases.release(house.url)


@pytest.fixture
def house(new_house: Callable[..., House]) -> House:
    return new_house()


@pytest.fixture
def table(house: House) -> House:
    """alice and bob at board 101, cross with four cells a side, after D4; bob is to move."""
    house.player("alice")
    house.player("bob")
    house.game("cross -size=4 alice bob", ["D4"])
    return house
