"""`pbm play` in a real terminal: a mail program over a live server, for one person or for two."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from pbm.cli.terminal import nearest
from tests.terminal import CONTROL_C, ENTER, TAB, UP, terminal

pytestmark = pytest.mark.servers


def test_arrows_and_enter_play_against_a_robot_and_control_c_ends_at_once() -> None:
    with terminal("play", "cross", "-size=3") as alice:
        shown = alice.shows("It is your turn")
        assert "Cross Board 101" in shown
        before = alice.shows("Enter plays").split("Enter plays ")[1].split(".")[0]
        assert alice.highlighted() == "."
        alice.keys(UP)
        alice.shows(lambda text: f"Enter plays {before}." not in text and "Enter plays " in text)
        alice.keys(ENTER)
        alice.shows("ply 3 is next")
        alice.keys("resign!\r")
        alice.shows("won")
        alice.keys("!help\r")
        alice.shows("pbm: help")
        alice.keys(TAB)
        alice.shows("won")
        alice.keys(CONTROL_C)
        assert alice.process.wait(10) == 0


def test_two_people_play_in_two_terminals(tmp_path: Path) -> None:
    shared = str(tmp_path / "club")
    with terminal("play", "--folder", shared) as alice:
        alice.shows("Welcome")
        alice.shows(lambda text: "in a second terminal plays against you" in " ".join(text.split()))
        with terminal("play", "--folder", shared, "cross", "-size=3") as bob:
            for player in (alice, bob):
                player.shows("Cross Board 101")
            bob.shows("It is your turn")
            bob.keys("C3\r")
            alice.shows("bob played C3")
            bob.shows("You played C3")
            alice.keys(CONTROL_C)
            assert alice.process.wait(10) == 0
            bob.keys("C4\r")
            bob.shows("The server has ended")
            bob.keys(CONTROL_C)
            assert bob.process.wait(10) == 0


@pytest.mark.parametrize("columns", [60, 80])
def test_lines_break_between_words(columns: int) -> None:
    with terminal("play", "cross", "-size=3", columns=columns) as alice:
        shown = alice.shows("counts for nobody")
        mail = " ".join(line.partition("|")[2] for line in shown.splitlines()).split()
        assert " ".join(mail).count("Its aim: connect three non-adjacent sides of a hexagon; connecting only") == 1
        assert {"type", "mails."} <= {*shown.split()}


@pytest.mark.parametrize("closed", [False, True])
def test_nothing_is_left_behind_when_the_terminal_is_closed(closed: bool, tmp_path: Path) -> None:
    with terminal("play", environment={**os.environ, "TMPDIR": str(tmp_path)}) as alice:
        alice.shows("It is your turn")
        assert [*tmp_path.glob("pbm-*")]
        if closed:
            alice.hang_up()
        alice.process.send_signal(signal.SIGHUP)
        assert alice.process.wait(10) == 0
    assert not [*tmp_path.glob("pbm-*")]


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [("--as", "b b", "cannot be a userid"), ("--folder", "/proc/x", "/proc/x: No such file")],
)
def test_what_cannot_be_is_refused_in_a_sentence(option: str, value: str, reason: str) -> None:
    with terminal("play", option, value) as refused:
        refused.shows(reason)
        assert refused.process.wait(10) == 1


def test_the_nearest_cell_in_a_direction() -> None:
    spots = {"a1": (0, 2), "b1": (0, 4), "a2": (1, 1), "b2": (1, 3)}
    assert nearest(spots, "a1", 0, 1) == "b1"
    assert nearest(spots, "b1", 0, 1) == "b1"
    assert nearest(spots, "b2", 0, -1) == "a2"
    assert nearest(spots, "a2", -1, 0) == "a1"
    assert nearest(spots, "b1", 1, 0) == "b2"
