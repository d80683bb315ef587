"""The power fails, or a write, anywhere in a short session: what got 250 is done once, and the database is sound."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbm.server import Arriving
from tests.conversation import House
from tests.crash.disk import Disk
from tests.crash.test_every_call import end, session

pytestmark = pytest.mark.crash
SHARE = 5
"""The power fails after every fifth call to the disk in a run of CI; after each if this is 1."""
SHARE_OF_WRITES = 10


class Session:
    """Mails come in and are handled, then weeks pass and what is due is done. It can be begun anywhere."""

    def __init__(self, mails: list[Arriving]) -> None:
        self._mails = mails

    def run(self, house: House, accepted: int = 0) -> Iterator[int]:
        """Yields how many mails got 250, each time one does. accepted: how many did before."""
        start = house.now
        house.now = start + timedelta(minutes=accepted)
        while house.service.handle():
            pass
        for number, mail in enumerate(self._mails[accepted:], accepted + 1):
            house.now = start + timedelta(minutes=number)
            assert house.service.accept([mail]) == [""]
            yield number
            while house.service.handle():
                pass
        house.now = start + timedelta(days=40)
        for _ in range(2):  # what is tidied away is put on the agenda
            house.service.tidy()
            while house.service.agenda.run():
                pass


def begun(file: Path) -> tuple[House, list[Arriving]]:
    """A house with a board, and the mails of the session."""
    house = House(f"sqlite:///{file}")
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["A1"])
    return house, [
        house.answering("bob", "C3", 101),
        house.mail("alice", "message bob alice alicepass", "Hello."),
        house.mail("eve@mallory.example", "signup eve a-good-word"),
        house.mail("bob", "cross challenge bob alice -size=3"),
    ]


def test_whenever_the_power_fails_what_got_250_is_done_once(empty_database: Path, tmp_path: Path) -> None:
    file = tmp_path / "pbm.db"
    shutil.copyfile(empty_database, file)
    disk = Disk()
    with disk.plugged_in():
        house, mails = begun(file)
        start, begins = house.now, len(disk.calls)
        safe = {accepted: len(disk.calls) for accepted in Session(mails).run(house)}
        wanted = end(house)
        house.service.close()
    assert len(disk.calls) - begins > 100
    chance = Random(47)
    for number in range(begins, len(disk.calls), SHARE):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in disk.after_loss(number, chance).items():
            (folder / name).write_bytes(content)
        accepted = max((mail for mail, at in safe.items() if at <= number), default=0)
        house = House(f"sqlite:///{folder / file.name}", first_key=1000)
        assert house.service.store.check() == [], number
        house.now = start
        list(Session(mails).run(house, accepted))
        assert end(house) == wanted, number
        house.service.close()
        shutil.rmtree(folder)


def test_whichever_write_finds_the_disk_full_the_session_ends_as_if_none_had(
    empty_database: Path, tmp_path: Path
) -> None:
    file = tmp_path / "pbm.db"
    shutil.copyfile(empty_database, file)
    first, mails = begun(file)
    first.service.close()

    def run(failing: int) -> tuple[int, dict[str, Any]]:
        """How many writes there were, and what the session left behind."""
        copied, disk = tmp_path / f"{failing}.db", Disk()
        shutil.copyfile(file, copied)
        with disk.plugged_in():
            house = House(f"sqlite:///{copied}", first_key=1000)
            house.now, disk.failing = first.now, disk.writes + failing if failing else 0
            before = disk.writes
            session(house, mails)
            writes = disk.writes - before
            left = end(house)
            house.service.close()
        return writes, left

    writes, wanted = run(0)
    assert writes > 100
    assert [number for number in range(1, writes, SHARE_OF_WRITES) if run(number)[1] != wanted] == []
