"""Games of other packages: a faulty one is left out with a reason, and all others are there."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

import games.registry
from games import GAMES, LEFT_OUT, join
from games.hex import Hex
from games.rules import Option
from pbm.core.registry import HANDLERS, handles
from pbm.reading.verbs import LOOKING, Entry, Locks, Verb


class Frob(Hex):
    """A sound game."""

    info = replace(Hex.info, name="frob")


def frob(**mistakes):
    return type("Mine", (Frob,), mistakes)


def fails(*_, **__):
    raise ZeroDivisionError("division by zero")


class Package(EntryPoint):
    """An installed package; its value is loaded as it is."""

    def load(self):
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


@pytest.fixture
def installed(monkeypatch):
    """Installs a package; returns why its game was left out, or None."""
    monkeypatch.setattr(games.registry, "GAMES", dict(GAMES))
    monkeypatch.setattr(games.registry, "LEFT_OUT", {})

    def install(made, name="frob"):
        before = dict(games.registry.GAMES)
        join([Package(name, made, "pbm.games")])
        reason = games.registry.LEFT_OUT.get(name)
        assert (before == games.registry.GAMES) == (reason is not None)
        return reason

    return install


def test_no_game_is_left_out_here():
    assert LEFT_OUT == {}


def test_a_sound_game_joins(installed):
    assert installed(Frob) is None
    assert isinstance(games.registry.GAMES["frob"], Frob)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (ImportError("no module named nowhere"), "ImportError: no module named nowhere"),
        (SyntaxError("invalid syntax"), "SyntaxError: invalid syntax"),
        (SystemExit(3), "SystemExit: 3 ("),
        (frob(__init__=fails), "ZeroDivisionError: division by zero (" + __file__),
        (type("Bare", (), {}), "Bare has no info, options, sides, start, to_move, moves, parse, notate, play, outcome"),
        (frob(info={"name": "frob"}), "Its info is {'name': 'frob'}, not a games.rules.Info."),
        (Hex, 'Its entry point is called "frob", but info.name is "hex".'),
        (frob(info=replace(Frob.info, kind="race")), 'Its kind "race" is none of connection, lines'),
        (frob(info=replace(Frob.info, options=(Option("size", "cells", 2, low=3, high=9),))), '"-size=2" does not fit'),
        (frob(options=lambda *_: {}), "TypeError: "),
        (frob(options=fails), ", in fails)."),
        (frob(moves=lambda *_: iter(())), "At the start there is no legal move."),
        (frob(notate=lambda *_: 7), "Its notation is 7, not a str."),
        (frob(parse=lambda *_: 7), "which is read as another one."),
        (frob(play=lambda *_: None), "AttributeError: 'NoneType' object has no attribute"),
        (frob(outcome=lambda *_: "won"), "Its outcome is 'won', not a games.rules.Outcome | None."),
        (frob(to_move=lambda *_: "White"), "Its side to move is 'White', not a Side."),
        (frob(sides=lambda *_: "OX"), None),
        (frob(sides=lambda *_: (1, 2)), "Its name of a side is 1, not a str."),
        (frob(scene=lambda *_: "a board"), "Its scene is 'a board', not a Scene."),
    ],
)
def test_what_is_wrong_is_told(installed, made, reason):
    found = installed(made)
    assert (reason is None and found is None) or reason in found


@pytest.mark.parametrize(
    ("name", "reason"),
    [("hex", 'There is a game "hex" already.'), ("Frob", "small letters"), ("frob2", "small letters")],
)
def test_a_name_must_be_free_and_plain(installed, name, reason):
    assert reason in installed(frob(info=replace(Frob.info, name=name)), name)


def test_a_list_of_moves_may_be_endless(installed):
    def endless(game, pos):
        while True:
            yield from Hex().moves(pos)

    assert installed(frob(moves=endless)) is None


def test_a_command_keeps_its_name(monkeypatch):
    """A game of that name would take the command from everybody."""
    monkeypatch.setitem(GAMES, "juggle", Frob())
    monkeypatch.setattr(games.registry, "LEFT_OUT", {})
    monkeypatch.setattr("pbm.core.registry.register", lambda verb, entry: None)
    monkeypatch.setitem(HANDLERS, "juggle now", None)
    handles(Verb("juggle now", LOOKING, Locks.NOTHING), Entry(1, "juggle"))(lambda *_: None)
    assert "juggle" not in GAMES
    assert games.registry.LEFT_OUT == {"juggle": '"juggle" is a command, so no game can have this name.'}
