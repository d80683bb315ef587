"""What players of `pbm play` get: all that a real server would send them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pbm.cli.office import MailProgram, post_office


async def _ended(database: Path) -> MailProgram:
    """The mail program of the player who has won a game of Reversi by resignation."""
    async with post_office(database) as office:
        alice, bob = office.program("alice"), office.program("bob")
        for who in (alice, bob):
            await who.write(f"signup {who.name} open-sesame-{who.name}")
            await who.wait_for(0)
            await who.answer("Yes, that was me.")
            await who.wait_for(1)
        await alice.write("reversi challenge alice bob alice open-sesame-alice")
        await alice.wait_for(2)
        await bob.wait_for(2)
        for mover, other, text in ((alice, bob, "d3"), (bob, alice, "c5"), (alice, bob, "resign!")):
            seen = len(other.received)
            await mover.answer(text)
            await other.wait_for(seen)
        await bob.wait_for(6)  # the seventh: two before the game, its start, three plies, and the game to keep
        return bob


def test_the_film_of_an_ended_game_comes(tmp_path):
    bob = asyncio.run(_ended(tmp_path / "pbm.db"))
    assert "image/gif" in [part.get_content_type() for part in bob.received[-1].walk()]
