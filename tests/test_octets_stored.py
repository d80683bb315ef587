"""What a move leaves in the database, besides the mail that brought it."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from pbm.store.tables import metadata
from tests.conversation import House

MOST_A_MOVE = 3000
"""Octets; what indexes and pages add is not counted."""
MOVES = ["F6", "D4", "E5", "C3", "G7", "B2", "F7", "D5", "E6", "C4", "G6", "B3", "F5", "D6", "E7", "C5"]


def stored(house: House) -> int:
    """The octets of all values, but for mails that came in."""
    octets = 0
    with house.service.store.read() as tx:
        for table in metadata.sorted_tables:
            if table.name != "inbox":
                rows = tx._connection.execute(sa.select(table))
                octets += sum(len(value if isinstance(value, bytes) else str(value)) for row in rows for value in row)
    return octets


@pytest.mark.parametrize("form", ["text", "html"])
def test_a_move_stores_three_thousand_octets_at_most(form: str, house: House) -> None:
    house.player("alice", form)
    house.player("bob", form)
    board = house.game("cross alice bob")
    for number, move in enumerate(MOVES):
        if number == 2:  # the first plies bring what is said only once
            before = stored(house)
        house.answer(("alice", "bob")[number % 2], move, board)
    assert (stored(house) - before) / (len(MOVES) - 2) <= MOST_A_MOVE
