"""The golden conversations: what players write and, word for word, what they get.

PBM_UPDATE_GOLDEN=1 rewrites the mails received; read them as a player before committing them. A verb needs one new
file, named after it, in golden/conversations.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pbm.domain.verbs import VERBS
from tests.conversation import House, perform

FOLDER = Path(__file__).parent / "golden" / "conversations"
FILES = sorted(FOLDER.glob("*.txt"))
SECRET = re.compile(r"\w+pass\b")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_conversation_goes_as_it_is_written(path: Path, house: House) -> None:
    written = path.read_text()
    played = perform(house, written)
    if os.environ.get("PBM_UPDATE_GOLDEN"):
        path.write_text(played)
    assert played == path.read_text()
    assert not house.parked()
    for mails in house.mailboxes.values():
        for got in mails:
            assert not SECRET.search(got.text), got.text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_conversation_begins_with_what_it_shows(path: Path) -> None:
    title = path.read_text().split("\n\n")[0]
    assert title[0].isupper()
    assert title.endswith(".")
    assert not title.startswith((">>>", "given"))


@pytest.mark.parametrize("name", sorted({verb.name for verb in VERBS}))
def test_a_verb_has_a_conversation_with_a_refusal(name: str, house: House) -> None:
    path = FOLDER / f"{name.replace(' ', '-')}.txt"
    assert path.exists(), f"write {path.name}: what players send and, by PBM_UPDATE_GOLDEN=1, what they get"
    perform(house, path.read_text())
    mails = [got for box in house.mailboxes.values() for got in box]
    assert any(not got.refuses for got in mails), f"{path.name} shows no success"
    assert any(got.refuses for got in mails), f"{path.name} shows no refusal"


@pytest.mark.parametrize("name", sorted({verb.name for verb in VERBS}))
def test_a_verb_has_a_help_page(name: str, house: House) -> None:
    (got,) = house.send("somebody@example.com", f"help {name}")
    assert got["Subject"] == f"pbm: help {name}"
    usages = [verb.usage for verb in VERBS if verb.name == name]
    assert any(usage in " ".join(got.body.split()) for usage in usages), got.body


def test_a_conversation_is_the_same_in_every_run(new_house: Callable[..., House]) -> None:
    script = (FOLDER / "move.txt").read_text()
    assert perform(new_house(), script) == perform(new_house(), script)
