"""Replays as SVG: each step shows exactly the board of that step."""

from __future__ import annotations

import random
import re
from itertools import islice
from typing import Any

import pytest
from lxml import etree

from games import GAMES
from games.scene import PlaneBoard
from pbm.draw.svg import of_cells, of_planes, replay
from tests.games.variants import EACH

PLIES = 30


def played(name: str, words: list[str]) -> list[Any]:
    """The boards of a random game."""
    game, rng = GAMES[name], random.Random(7)
    pos, boards = game.start(game.options(words)), []
    boards.append(game.scene(pos, None).board)
    while game.outcome(pos) is None and len(boards) <= PLIES:
        move = rng.choice(list(islice(game.moves(pos), 100)))
        pos = game.play(pos, move)
        boards.append(game.scene(pos, move).board)
    return boards


def seen(svg: etree._Element, ply: int) -> list[str]:
    """The marks that a browser shows when this step is the target, by the classes of their groups."""
    found = []
    for layer in svg.findall("g"):
        if (begun := layer.get("class")) and int(begun[1:]) > ply:
            continue
        for each in layer:
            end = each.get("class", "")
            if re.fullmatch(r"x\d+", end):
                found += [etree.tostring(mark) for mark in each] if ply < int(end[1:]) else []
            else:
                found.append(etree.tostring(each))
    return sorted(map(bytes.decode, found))


def marks(text: str) -> list[str]:
    return [etree.tostring(each).decode() for each in etree.fromstring(f"<g>{text}</g>")]


@pytest.mark.parametrize("first", [0, 40])
@pytest.mark.parametrize("name", EACH)
def test_each_step_shows_its_board(name: str, first: int) -> None:
    boards = played(name, [])
    svg = etree.fromstring(replay(boards, 'All of "it" & more', first))
    planes = isinstance(boards[0], PlaneBoard)
    drawings = of_planes(boards) if planes else [of_cells(board) for board in boards]
    for number, drawing in enumerate(drawings):
        wanted = sorted(each for mark in dict.fromkeys(drawing.marks) for each in marks(mark.text))
        assert seen(svg, first + number) == wanted
    assert svg.get("aria-label") == 'All of "it" & more'


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_rule_and_every_piece_is_there(name: str) -> None:
    text = replay(played(name, []), "")
    svg = etree.fromstring(text)
    ids = {each.get("id") for each in svg.iter() if each.get("id")}
    assert {each.get("href")[1:] for each in svg.iter("use")} == ids, "each piece is drawn once, and used"
    for kind in "ax":
        used = {each.get("class") for each in svg.iter("g") if re.fullmatch(rf"{kind}\d+", each.get("class", ""))}
        assert used == {rule[1:] for rule in re.findall(rf"\.{kind}\d+(?={{)", text)}
        for rule in used:
            assert f".replay:has(:target~#p{rule[1:]}) .{rule}{{" in text


def test_a_mark_that_comes_again_has_two_lives() -> None:
    boards = played("hex", ["-size=3"])
    svg = etree.fromstring(replay([boards[0], boards[1], boards[0], boards[1]], ""))
    assert seen(svg, 0) == seen(svg, 2) != seen(svg, 1) == seen(svg, 3)
