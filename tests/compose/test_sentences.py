"""Every event is told: the tests fail for one without a sentence in templates/sentences.txt."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from games import GAMES
from pbm.compose.composer import Composer
from pbm.compose.notices import Notice, Reader
from pbm.compose.tell import Untellable, mail_bytes
from pbm.domain import events
from pbm.domain.events import CommentMade, Event
from pbm.domain.match import Match, Player, Record, Seat, State
from pbm.domain.tokens import Signer
from pbm.mailin import Robot
from pbm.values import frozen

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAYERS = (Player(1, "alice"), Player(2, "bob"))
CLASSES = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event)]
EVENTS = [kind for kind in CLASSES if kind not in (Event, CommentMade)]
"""A comment has no sentence: it stands below the board as it was written."""


def told(*told_of: Event, seat: Seat) -> str:
    match = Match(101, "cross", 1, (), "", PLAYERS, 0, Record(), NOW)
    reader = Reader(("alice@example.net",), PLAYERS[seat - 1], seat)
    notice = Notice(match, State.start(GAMES["cross"], []), reader, told_of)
    (mail,) = Composer(Robot("pbm", "example.org"), Signer(b"secret")).notice(notice, NOW)
    return mail_bytes(mail).decode()


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seat", [1, 2])
def test_an_event_has_a_sentence(kind: type[Event], seat: Seat) -> None:
    before, after = told(seat=seat), told(kind(101, 1), seat=seat)
    said = [line for line in after.splitlines() if line not in before.splitlines()]
    assert any(len(line.removeprefix("Cross Board 101:").split()) >= 3 for line in said), after


@frozen
class NobodyKnows(Event):
    """An event that no template knows."""


def test_an_event_without_a_sentence_is_no_empty_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(events._KINDS, "NobodyKnows", NobodyKnows)
    with pytest.raises(Untellable, match="has nothing to say of NobodyKnows"):
        told(NobodyKnows(101), seat=1)
