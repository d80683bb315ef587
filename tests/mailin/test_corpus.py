"""The score on real mails of other projects, which are not in this repository: PBM_CORPUS names their folder."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import pytest

from pbm.mailin import Action, Envelope, Robot
from pbm.mailin.quotes import own_text
from pbm.mailin.written import read
from tests.mailin.build import raw

CORPUS = Path(os.environ.get("PBM_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
INDEX = CORPUS / "INDEX.tsv"
HOLDS_QUOTES = {"reply_text/trimmer_quote_and_text.txt", "reply_text/trimmer_quote_only.txt"}
"""Files whose quoted lines another project wants kept; ours never takes these for the person's words."""


def mail(file: Path) -> bytes:
    """The mail in a file; a file with a body alone becomes a mail of that type."""
    if file.suffix == ".eml":
        return file.read_bytes()
    return raw(file.read_bytes(), kind="text/html" if file.suffix == ".html" else "text/plain")


def bare(text: str) -> str:
    """The text without white space."""
    return re.sub(r"\s", "", text)


@pytest.mark.skipif(not INDEX.is_file(), reason=f"no corpus at {CORPUS}")
def test_score(capsys: pytest.CaptureFixture[str]):
    with INDEX.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = {row["file"]: read(mail(CORPUS / row["file"]), Envelope(), Robot()) for row in rows}
    wrong = {
        row["file"]: found[row["file"]].action for row in rows if found[row["file"]].action != Action(row["action"])
    }
    texts = {row["file"]: CORPUS / f"{row['file']}.expected.txt" for row in rows}
    expected = {file: text.read_text("utf-8") for file, text in texts.items() if text.is_file()}
    written = {file: getattr(found[file], "text", "") for file in expected}
    exact = {file for file, text in expected.items() if bare(written[file]) == bare(text)}
    unsigned = {file for file, text in expected.items() if bare(written[file]) == bare(own_text(text, "pbm")[0])}
    with capsys.disabled():
        print(f"\ncorpus: action right {len(rows) - len(wrong)}/{len(rows)}, text right {len(exact)}/{len(expected)}, "
              f"{len(unsigned)}/{len(expected)} where signatures and quotes may go")  # fmt: skip
    assert wrong == {}
    assert set(expected) - unsigned == set()
    assert len(exact) >= len(expected) - len(HOLDS_QUOTES) - 2
