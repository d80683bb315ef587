"""What SpamAssassin, without the network, says about each kind of our mails: nothing against any."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from games import GAMES
from pbm.compose.pages import Pages
from pbm.compose.tell import mail_bytes
from pbm.domain.configuration import HouseRules
from tests.conversation import START, Got, House, address_of, perform
from tests.games.variants import opening
from tests.golden_file import CONVERSATIONS
from tests.test_conversations import SHOWN

pytestmark = pytest.mark.real

MOST = 0.5
MAILS = Path(__file__).parents[2] / "templates/mails"
_JUDGE = """
use Mail::SpamAssassin;
my $judge = Mail::SpamAssassin->new({
    local_tests_only => 1, dont_copy_prefs => 1, userprefs_filename => "/dev/null",
    post_config_text => "score HTML_SINGLET_MANY 0\n",
});
for my $file (@ARGV) {
    open(my $handle, "<", $file) or die $!;
    my $mail = $judge->parse([<$handle>]);
    my $status = $judge->check($mail);
    printf "%s %.1f %s\\n", $file, $status->get_score(), $status->get_names_of_tests_hit();
    $status->finish();
    $mail->finish();
}
"""
"""One process for all, because each takes seconds to read its rules. HTML_SINGLET_MANY is for senders without SPF or
DKIM, which cannot be checked without the network: boards of cells have many single letters."""


@pytest.fixture(autouse=True)
def _few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in GAMES.keys() - SHOWN:
        monkeypatch.delitem(GAMES, name)


def judged(folder: Path, mails: list[Got]) -> Iterator[tuple[float, str]]:
    """The score of each mail as a mail server would get it from ours, and the tests it has hit."""
    for number, got in enumerate(mails):
        host = got.address.rpartition("@")[2]
        received = (
            f"Received: from mail.example.org (mail.example.org [8.8.8.8])\r\n\tby mx.{host} with ESMTPS;"
            f"\r\n\t{got['Date']}\r\n"
        )
        (folder / f"{number:04}").write_bytes(received.encode() + got.raw)
    done = subprocess.run(
        ["perl", "-e", _JUDGE, *sorted(map(str, folder.iterdir()))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(mails)
    for line, got in zip(lines, mails, strict=True):
        _, score, tests = line.split(" ", 2)
        yield float(score), f"{score} {tests}\n{got['Subject']} to {got.address}\n{got.body[:600]}"


def check(folder: Path, mails: list[Got]) -> None:
    bad = [text for score, text in judged(folder, mails) if score >= MOST]
    assert not bad, "\n\n".join(bad)


LETTERS: dict[str, dict[str, Any]] = {
    "account-news.txt": {"userid": "alice", "what": "renamed", "old": "alicia", "postmaster": "postmaster@example.org"},
    "broadcast-operator.txt": {"userid": "alice", "number": 3, "text": "Who plays Hex on Sundays?"},
    "by-operator.txt": {"userid": "alice", "text": "Thank you for telling us: it is mended now."},
    "complaint-operator.txt": {"complainer": "alice@example.net", "userid": "alice"},
    "damage-operator.txt": {
        "match": SimpleNamespace(board=101, game="cross", player=lambda seat: SimpleNamespace(userid=f"player{seat}")),
        "reason": 'Ply 1, "zz", is no ply here (KeyError: zz).',
    },
    "done-operator.txt": {"said": "It is put away; nothing was sent."},
    "fault-operator.txt": {"inbox_id": 7, "reference": "8F3A"},
    "fault.txt": {"reference": "8F3A"},
    "locked.txt": {"reads": True},
    "lost-operator.txt": {"trouble": "disk I/O error", "kind": "lost"},
    "new-address.txt": {"userid": "alice", "new": "games@example.org", "old": "pbm@example.org"},
    "no-lesson.txt": {"what": "review of", "board": 101, "reason": ""},
    "no-puzzle.txt": {"title": "Hex"},
    "outage-operator.txt": {"outage": SimpleNamespace(starts_at=START, ends_at=START + timedelta(hours=3))},
    "parked-operator.txt": {
        "waiting": SimpleNamespace(number=500, oldest_at=START),
        "is_late": True,
        "house": HouseRules(),
    },
    "outdated-operator.txt": {"reason": "exit status 1: ImportError"},
    "postmaster-operator.txt": {
        "sender": "carol@example.net", "mailbox": "postmaster@example.org", "about": "Hello", "inbox_id": 7,
        "text": "My last move has not come through; was it lost on the way?",
    },
    "pressure-operator.txt": {"free": 480, "reserve": 500, "minutes": 2},
    "refused-operator.txt": {"reason": "550 5.7.1 relaying denied"},
    "renewed.txt": {"example": "", "sections": [], "others": []},
    "robot-operator.txt": {
        "title": "Cross", "board": 101, "ply": 7, "reason": "MemoryError", "new": 1, "boards": ["101"], "days": 3,
    },
    "robots-pause.txt": {"minutes": 15, "until": START, "zone": ZoneInfo("UTC")},
    "set-back.txt": {"lost_since": None, "example": "", "sections": [], "others": []},
    "silent.txt": {"userid": "alice", "until": "2026-01-01 13:00 UTC", "ignored": False},
    "to-operator.txt": {"userid": "alice"},
    "unclear.txt": {},
    "undelivered.txt": {"invited": "friend@example.org"},
    "unreached.txt": {"boards": [101, 102], "lost": "bob"},
    "unreached-operator.txt": {
        "board": 101, "outbox": 7, "failed": "bob@example.net", "reason": "550 5.1.1 no such user",
    },
    "unmade-operator.txt": {"number": 7, "whom": "bob@example.net", "reason": "a fault of ours"},
    "bystander.txt": {"writer": "carol@example.net", "board": 101, "lines": ["F6"]},
    "suspended-operator.txt": {
        "userids": ["alice"], "bounces": 3, "failed": "alice@example.net", "reason": "550 no such user",
        "unreachable": ["alice"], "days": 14, "boards": [101],
    },
    "suspended.txt": {
        "userid": "alice", "until": START, "reason": "for testing", "asked": True,
        "postmaster": "postmaster@example.org",
    },
}  # fmt: skip
"""Letters that no conversation shows, with the words that fill them."""
IN_FORMS = {"display.txt", "puzzle.txt", "puzzle-over.txt", "review.txt"}
"""Pages whose boards are drawn when the mail is made, so that its text is another: they are found by their subjects."""
PAGES = {path.name for path in MAILS.glob("*.txt")}


def test_every_kind_of_mail(tmp_path: Path, new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch) -> None:
    """One mail of each page and subject in the golden conversations, and the letters that none of them shows."""
    page_of: dict[str, str] = {}
    written = Pages.mail

    def noted(self: Pages, name: str, **words: object) -> str:
        text = written(self, name, **words)
        page_of[text.strip()] = name
        return text

    monkeypatch.setattr(Pages, "mail", noted)
    kinds: dict[tuple[str, str], Got] = {}
    for path in CONVERSATIONS:
        house = new_house()
        perform(house, path.read_text())
        for got in chain.from_iterable(house.mailboxes.values()):
            subject = re.sub(r"\d+|\b(?:alice|bob|carol|dora)\b", "", got["Subject"])
            kinds.setdefault((page_of.get(got.body.strip(), ""), subject), got)
    assert {page for page, _ in kinds if page} | LETTERS.keys() | IN_FORMS == PAGES
    house = new_house()
    letters = []
    for page, words in LETTERS.items():
        mail = house.service.tools.composer.letter("alice@example.net", "pbm: a letter", page, START, **words)
        letters.append(Got(mail.address, mail_bytes(mail), None))
    check(tmp_path, [*kinds.values(), *letters])


@pytest.mark.parametrize("form", [{}, {"mail": "html"}, {"mail": "text"}], ids=["chosen nothing", "html", "text"])
def test_every_mail_of_a_game_in_all_forms(tmp_path: Path, house: House, form: dict[str, str]) -> None:
    for userid in ("alice", "bob"):
        house.player(userid)
        with house.service.store.write() as tx:
            player = tx.players.find(userid)
            assert player is not None
            tx.players.save_settings(player.id, form | ({"digest": "08:00"} if userid == "bob" else {}))
    for name in sorted(SHOWN):
        board = house.game(f"{name} alice bob", opening(GAMES[name], (), 2))
        house.answer("alice", "show", board)
        house.answer("alice", "chat\nGood luck!", board)
    house.answer("bob", "resign", 101)
    house.answer("alice", "Z99", 102)
    house.wait(timedelta(days=25))
    check(tmp_path, [got for userid in ("alice", "bob") for got in house.mailboxes[address_of(userid)]])
