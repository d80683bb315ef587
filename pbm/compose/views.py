"""Positions as they are shown, each worked out once for all who read of it: drawing, picture, moves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from games.rules import Stepwise
from games.scene import Scene
from pbm import draw
from pbm.compose import machine, spoken
from pbm.compose.machine import MAX_MOVES
from pbm.domain.match import SWAP, Match, State
from pbm.draw.brush import Picture
from pbm.draw.grid import Line, plain
from pbm.draw.picture import picture

MAX_ALT = 4000
"""Characters of a picture's description."""
KEPT = 16


@dataclass
class View:
    """A state to be shown, maybe by another scene than its own. match: whose state it is; None for a sample."""

    state: State
    match: Match | None = None
    other: Scene | None = None
    _lines: dict[str, list[Line]] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    @cached_property
    def scene(self) -> Scene:
        return self.other or self.state.game.scene(self.state.position, self.state.last)

    def lines(self, style: str) -> list[Line]:
        if style not in self._lines:
            first, last = self.spoken if style == draw.WORDS else ((), ())
            self._lines[style] = draw.lines(self.scene, style, first, last)
        return self._lines[style]

    def text(self, style: str) -> str:
        if style not in self._texts:
            self._texts[style] = "\n".join(plain(self.lines(style)))
        return self._texts[style]

    @cached_property
    def spoken(self) -> tuple[Sequence[str], Sequence[str]]:
        """What is to be heard before and after the board in words; nothing where another scene is shown."""
        if self.other is not None:
            return (), ()
        return spoken.first(self.state, self.scene), spoken.last(self.state, self.scene)

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

    @cached_property
    def beginnings(self) -> Mapping[str, str]:
        """What a player may begin a move with, by the cell it begins at; only where cells alone are no moves."""
        game = self.state.game
        return game.beginnings(self.state.position) if isinstance(game, Stepwise) else {}

    @cached_property
    def machine(self) -> str:
        """The match as it stands for programs, without what is its reader's; nothing where another scene is shown."""
        if self.match is None or self.other is not None:
            return ""
        return machine.board(self.match, self.state, self.scene, self.moves)


class Views:
    """The latest views. Known by being of the same objects: both players of a move are told of these."""

    def __init__(self) -> None:
        self._views: OrderedDict[int, View] = OrderedDict()

    def of(self, match: Match, state: State) -> View:
        view = self._views.get(id(state))
        if view is None or view.state is not state or view.match is not match:
            view = self._views[id(state)] = View(state, match)
            if len(self._views) > KEPT:
                self._views.popitem(last=False)
        return view


RECENT_ROUNDS = 4
WIDTH = 76


def move_list(match: Match, state: State, *, whole: bool) -> list[str]:
    """The plies, numbered from 1, under the userid and side of each seat; only the last rounds unless whole."""
    heads = [f"{match.player(seat).userid} ({state.side_name(seat)})" for seat in (1, 2)]
    rounds = list(_rounds(match))
    rounds = rounds if whole else rounds[-RECENT_ROUNDS:]
    left = max([len(heads[0]) + 4, *(len(odd) for odd, _ in rounds)])
    if left + 4 + max([len(heads[1]) + 4, *(len(even) for _, even in rounds)]) > WIDTH:
        return [f"{heads[0]}, {heads[1]}", *(move for pair in rounds for move in pair if move)]
    rows = [(f"    {heads[0]}", f"    {heads[1]}"), *rounds]
    return [f"{odd:{left}}    {even}".rstrip() for odd, even in rows]


def _rounds(match: Match) -> Iterator[tuple[str, str]]:
    """Plies side by side: one of the first seat and what the second answered; one of them empty where a seat moves
    twice in a row, or the second begins.
    """
    waiting = ""
    for number, ply in enumerate(match.record, 1):
        told = f"{number:3} {ply.notation}{' (Auto)' if ply.auto else ''}"
        if ply.seat == 2:
            yield waiting, told
            waiting = ""
            continue
        if waiting:
            yield waiting, ""
        waiting = told
    if waiting:
        yield waiting, ""
