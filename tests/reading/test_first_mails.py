"""What people write first: whatever the subject, a sentence below it is read as it would be without the subject."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.conversation import House

FIRST_MAILS = [line.split("\t") for line in Path(__file__).with_name("first_mails.tsv").read_text().splitlines()[1:]]
USAGE_ERRORS = (
    "is not a command", "is no command of", "needs more words", "takes fewer words", "do not fit", "Which game?",
    "stands alone", "stands without", "stand in another order", "takes no options", "There is no game", "Which board?",
    "is a setting", "is meant:", "There is no player",
)  # fmt: skip


@pytest.mark.parametrize("sender", ["stranger@elsewhere.example", "alice"])
def test_no_first_mail_brings_a_usage_error(sender: str, house: House) -> None:
    house.player("alice")
    refused = []
    for number, (subject, text) in enumerate(FIRST_MAILS):
        who = sender if sender == "alice" else f"s{number}@elsewhere.example"
        house.now += timedelta(hours=1)  # so that no limit leaves an answer out
        mails = house.send(who, subject, text)
        assert mails, (subject, text)
        for got in mails:
            found = [error for error in USAGE_ERRORS if error in " ".join(got.body.split())]
            if found:
                refused.append((subject, text, found[0]))
    assert refused == []
