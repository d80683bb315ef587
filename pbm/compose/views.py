"""Positions as they are shown, each worked out once for all who read of it: drawing, picture, moves."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from games.scene import Scene
from pbm import draw
from pbm.domain.match import SWAP, State
from pbm.draw.png import Picture, picture
from pbm.draw.runs import Line, plain

MAX_MOVES = 600
"""Moves that are listed; some games have many more."""
MAX_ALT = 4000
"""Characters of a picture's description."""
KEPT = 16


@dataclass
class View:
    """A state to be shown, maybe by another scene than its own."""

    state: State
    other: Scene | None = None
    _lines: dict[str, list[Line]] = field(default_factory=dict)

    @cached_property
    def scene(self) -> Scene:
        return self.other or self.state.game.scene(self.state.position, self.state.last)

    def lines(self, style: str) -> list[Line]:
        if style not in self._lines:
            self._lines[style] = draw.lines(self.scene, style)
        return self._lines[style]

    def text(self, style: str) -> str:
        return "\n".join(plain(self.lines(style)))

    @cached_property
    def picture(self) -> Picture | None:
        return picture(self.scene)

    @cached_property
    def description(self) -> str:
        """The board in words, for those who do not see the picture."""
        told = " ".join(draw.text(Scene(self.scene.board), draw.WORDS).split())
        return told if len(told) <= MAX_ALT else told[:MAX_ALT].rpartition(". ")[0] + ". The rest is left out."

    @cached_property
    def moves(self) -> list[str]:
        """What the player to move may play, a swap included; at most MAX_MOVES of it."""
        state = self.state
        legal = islice(state.game.moves(state.position), MAX_MOVES)
        return [*(state.game.notate(state.position, move) for move in legal), *([SWAP] if state.may_swap else [])]


class Views:
    """The latest views. A state is known by being the same object: both players of a move are told of one."""

    def __init__(self) -> None:
        self._views: OrderedDict[int, View] = OrderedDict()

    def of(self, state: State) -> View:
        view = self._views.get(id(state))
        if view is None or view.state is not state:
            view = self._views[id(state)] = View(state)
            if len(self._views) > KEPT:
                self._views.popitem(last=False)
        return view
