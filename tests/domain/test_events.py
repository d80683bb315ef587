"""Events come back from JSON as they were."""

from __future__ import annotations

import json

import pytest

from pbm.domain import events
from pbm.domain.match import OfferKind

KINDS = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, events.Event)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_of_each_kind_comes_back(kind: type[events.Event]) -> None:
    written = [kind(101, 2), kind(102)]
    assert events.from_json(json.loads(json.dumps(events.to_json(written)))) == written


def test_what_an_event_tells_comes_back() -> None:
    written = [
        events.Proposed(101, 1, OfferKind.UNDO, "C3", 4),
        events.CommentMade(101, userid="bob", text='Said "é".'),
    ]
    assert events.from_json(json.loads(json.dumps(events.to_json(written)))) == written
