"""The part for programs is as its schema says, in every mail that shows a board."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pbm.compose.pages import BOARD_KIND
from tests.conversation import House, address_of
from tests.games.variants import EACH
from tests.golden_file import FOLDER

SCHEMA = json.loads((Path(__file__).parents[2] / "templates" / "board.schema.json").read_text())
VALID = Draft202012Validator(SCHEMA)
MAILS = sorted((FOLDER / "mails").glob("*.txt"))
_PART = re.compile(rf"^== Content-Type: {re.escape(BOARD_KIND)}.*?\n\n(\{{\n.*?\n\}})\n", re.MULTILINE | re.DOTALL)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", MAILS, ids=lambda path: path.stem)
def test_a_golden_mail_has_it(path: Path) -> None:
    found = _PART.findall(path.read_text())
    assert found
    for text in found:
        VALID.validate(json.loads(text))


DETAILS = {
    "crossgeo": {"points", "edges", "crossings"},
    "polygon": {"vertices", "segments", "here"},
    "luddit": {"limit", "outside", "turn"},
}


@pytest.mark.parametrize("name", EACH)
def test_every_mail_of_a_game_has_it(name: str, house: House) -> None:
    for userid in ("alice", "bob", "carol"):
        house.player(userid, "both")
    house.game(f"{name} alice bob")
    house.send("carol", "follow 101 carol carolpass")
    house.answer("alice", "Z99", 101)
    last = house.mailboxes[address_of("alice")][-1]
    data = json.loads(last.part(BOARD_KIND))
    house.answer("alice", data["moves"][0] if data["moves"] else "C3", 101)
    house.answer("bob", "show\nGood luck!", 101)
    house.answer("bob", "propose draw", 101)
    house.answer("alice", "accept", 101)
    shown = [got for got in chain.from_iterable(house.mailboxes.values()) if BOARD_KIND in got.forms]
    assert len(shown) > 8
    for got in shown:
        found = json.loads(got.part(BOARD_KIND))
        VALID.validate(found)
        assert found["details"].keys() == DETAILS.get(name, set())
        assert found["you"]["answer_to"] == got["Reply-To"]
        assert found["you"]["seat"] == {"alice": 1, "bob": 2}.get(got.address.partition("@")[0])
    assert json.loads(shown[-1].part(BOARD_KIND))["result"] is not None
