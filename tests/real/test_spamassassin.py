"""What SpamAssassin, without the network, thinks of every kind of our mails: nothing against any of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain
from pathlib import Path

import pytest

from games import GAMES
from tests.conversation import Got, House, address_of, perform
from tests.games.variants import opening
from tests.golden_file import CONVERSATIONS
from tests.test_conversations import SHOWN

pytestmark = pytest.mark.real

MOST = 0.5
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
"""One process for all, for each takes seconds to read its rules. HTML_SINGLET_MANY is for senders whom neither SPF nor
DKIM vouches for, which nobody can ask without the network: boards of cells have many single letters."""


@pytest.fixture(autouse=True)
def _few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in GAMES.keys() - SHOWN:
        monkeypatch.delitem(GAMES, name)


def judged(folder: Path, mails: list[Got]) -> Iterator[tuple[float, str]]:
    """The score of each mail as a mail server got it from ours, and what it is for."""
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


def test_one_of_each_subject_in_the_golden_conversations(tmp_path: Path, new_house: Callable[..., House]) -> None:
    kinds: dict[str, Got] = {}
    for path in CONVERSATIONS:
        house = new_house()
        perform(house, path.read_text())
        for got in chain.from_iterable(house.mailboxes.values()):
            kinds.setdefault(re.sub(r"\d+|\b(?:alice|bob|carol|dora)\b", "", got["Subject"]), got)
    assert len(kinds) > 50
    check(tmp_path, list(kinds.values()))


def test_every_mail_of_a_game_in_all_forms(tmp_path: Path, house: House) -> None:
    """As players get them who have chosen nothing."""
    for userid in ("alice", "bob"):
        house.player(userid)
        with house.service.store.write() as tx:
            player = tx.players.find(userid)
            assert player is not None
            tx.players.save_settings(player.id, {"digest": "08:00"} if userid == "bob" else {})
    for name in sorted(SHOWN):
        board = house.game(f"{name} alice bob", opening(GAMES[name], (), 2))
        house.answer("alice", "show", board)
        house.answer("alice", "chat\nGood luck!", board)
    house.answer("bob", "resign", 101)
    house.answer("alice", "Z99", 102)
    house.wait(timedelta(days=25))
    check(tmp_path, [got for userid in ("alice", "bob") for got in house.mailboxes[address_of(userid)]])
