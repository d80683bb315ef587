"""The worked examples of reading a mail: its lines, its plans, its commands."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from pbm.domain import commands, reading, settings


@pytest.mark.parametrize("module", [reading, commands, settings])
def test_the_worked_examples_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert not result.failed
