"""Whatever is published on the bus is heard: an event without a teller or a listener is a forgotten wish."""

from __future__ import annotations

import re
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest

import pbm.server
from pbm.core import bus

PBM = Path(pbm.server.__file__).parents[1]
CODE = "".join(path.read_text() for path in sorted(PBM.rglob("*.py")))
CLASSES = [each for each in vars(bus).values() if is_dataclass(each) and each.__module__ == bus.__name__]
KINDS: list[type[Any]] = [each for each in CLASSES if isinstance(each, type) and issubclass(each, bus.News)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_event_of_the_bus_has_a_subscriber(kind: type[Any]) -> None:
    assert bus.SUBSCRIBERS[kind]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_event_of_the_bus_is_published(kind: type[Any]) -> None:
    assert re.search(rf"publish\(\s*{kind.__name__}\(", CODE)


def test_every_class_of_the_bus_may_be_published() -> None:
    assert KINDS
    assert KINDS == CLASSES
