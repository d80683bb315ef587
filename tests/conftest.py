"""What many tests share: a database made once and copied, and passwords that are cheap to check."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from pbm.service import Settings, passwords
from tests.conversation import House, secret_fixed


@pytest.fixture(autouse=True, scope="session")
def cheap_passwords() -> Iterator[None]:
    """Argon2 with the least work: tests log in thousands of times, and its strength is not theirs to judge."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(passwords, "_hasher", cheap)
        patch.setattr(passwords, "_NOBODY", cheap.hash("nobody has this one"))
        yield


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its schema and nothing in it."""
    path = tmp_path_factory.mktemp("database") / "empty.db"
    secret_fixed(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def new_house(tmp_path: Path, empty_database: Path) -> Iterator[Callable[..., House]]:
    """Opens houses with nobody in them, each over a database of its own."""
    opened: list[House] = []

    def open_house(settings: Settings | None = None) -> House:
        path = tmp_path / f"{len(opened)}.db"
        shutil.copyfile(empty_database, path)
        opened.append(House(path, settings))
        return opened[-1]

    yield open_house
    for house in opened:
        house.service.close()


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
