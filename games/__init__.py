"""The games there are: name -> rules. A game of another package joins through the entry point group `pbm.games`."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from games.amazons import Amazons
from games.breakthrough import Breakthrough
from games.clobber import Clobber
from games.cross import Cross
from games.crossgeo import CrossGeo
from games.dots import Dots
from games.four import Four
from games.go import Go
from games.gomoku import Gomoku
from games.havannah import Havannah
from games.hex import Hex
from games.loa import Loa
from games.loops import Loops
from games.luddit import Luddit
from games.morris import Morris
from games.polygon import Polygon
from games.reversi import Reversi
from games.rules import Game
from games.y import Y
from games.yavalath import Yavalath

AnyGame = Game[Any, Any, Any]
"""A game seen from outside, where its options, positions and moves are opaque values."""

GAMES: dict[str, AnyGame] = {
    game.info.name: game
    for game in (
        Amazons(),
        Breakthrough(),
        Clobber(),
        Cross(),
        CrossGeo(),
        Dots(),
        Four(),
        Go(),
        Gomoku(),
        Havannah(),
        Hex(),
        Loa(),
        Loops(),
        Luddit(),
        Morris(),
        Polygon(),
        Reversi(),
        Y(),
        Yavalath(),
        *(entry.load()() for entry in entry_points(group="pbm.games")),
    )
}
