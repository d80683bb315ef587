"""Two programs that index mailboxes, notmuch and mu, see one conversation for each board in all mails of players."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from games import GAMES
from tests.conversation import House, perform
from tests.golden_file import CONVERSATIONS
from tests.test_conversations import SHOWN
from tests.threads import check, renamed

pytestmark = pytest.mark.real

_PLACE = re.compile(r'\(:path "(/[^"]+)".*?:meta \(:path "([^:"]+)', re.DOTALL)
"""A mail and its thread's number, as mu tells its editor."""


@pytest.fixture
def maildir(tmp_path: Path, new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch) -> Path:
    """All that the people of one golden conversation in three have written and received."""
    for name in GAMES.keys() - SHOWN:
        monkeypatch.delitem(GAMES, name)
    folder = tmp_path / "mail"
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True)
    for conversation, path in enumerate(CONVERSATIONS[::3]):
        house = new_house()
        perform(house, path.read_text())
        for person, mails in enumerate(house.folders.values()):
            for number, mail in enumerate(mails):
                name = f"c{conversation}p{person}"
                (folder / "cur" / f"{name}n{number:04}:2,S").write_bytes(renamed(mail, name))
    return folder


def run(folder: Path, *words: str) -> str:
    """The output of a program that has the folder as its home."""
    environment = os.environ | {"HOME": str(folder), "NOTMUCH_CONFIG": str(folder / "notmuch"), "NO_COLOR": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def found_in(thread: Any) -> Iterator[str]:
    """The files of a thread in notmuch's nested lists."""
    if isinstance(thread, dict):
        yield thread["filename"][0]
    for each in thread if isinstance(thread, list) else ():
        yield from found_in(each)


def parsed(name: str) -> Message:
    return message_from_bytes(Path(name).read_bytes())


def test_each_board_is_one_thread(maildir: Path, tmp_path: Path) -> None:
    for threads in (by_notmuch(maildir, tmp_path), by_mu(maildir, tmp_path)):
        assert sum(map(len, threads)) == len(list(maildir.glob("cur/*")))
        check(threads)


def by_notmuch(maildir: Path, tmp_path: Path) -> list[list[Message]]:
    (tmp_path / "notmuch").write_text(f"[database]\npath={maildir}\n[user]\nname=x\nprimary_email=x@example.net\n")
    run(tmp_path, "notmuch", "new", "--quiet")
    shown = json.loads(run(tmp_path, "notmuch", "show", "--format=json", "--body=false", "--entire-thread=true", "*"))
    return [[parsed(name) for name in found_in(thread)] for thread in shown]


def by_mu(maildir: Path, tmp_path: Path) -> list[list[Message]]:
    run(tmp_path, "mu", "init", f"--maildir={maildir}")
    run(tmp_path, "mu", "index", "--quiet")
    every = '(find :query "" :threads t :sortfield :date :maxnum 100000 :batch-size 100000)'
    found = defaultdict(list)
    for path, thread in _PLACE.findall(run(tmp_path, "mu", "server", f"--eval={every}")):
        found[thread].append(parsed(path))
    return list(found.values())
