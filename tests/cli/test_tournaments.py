"""`pbm event`: the operator makes an event, looks at it, starts and ends it."""

from __future__ import annotations

import json

from tests.cli.conftest import Pbm


def made(game: Pbm) -> None:
    game("event", "create", "cup", "swiss", "cross", "-players=2..8", "-size=3", "--unrated")


def test_an_event_is_made_listed_and_shown(game: Pbm) -> None:
    assert "There are no tournaments" in game("event", "list").stdout
    made(game)
    (row,) = json.loads(game("event", "list", "--json").stdout)
    assert (row["name"], row["kind"], row["game"], row["state"], row["creator"]) == (
        "cup", "swiss", "cross", "open", None,
    )  # fmt: skip
    shown = json.loads(game("event", "show", "CUP", "--json").stdout)
    assert shown["options"] == "-size=3 --unrated"
    assert shown["standings"] == shown["pairings"] == []
    assert "swiss" in game("event", "show", "cup").stdout
    assert json.loads(game("event", "list", "--game", "loops", "--json").stdout) == []


def test_an_event_is_cancelled(game: Pbm) -> None:
    made(game)
    assert "cancelled" in game("event", "cancel", "cup").stdout
    assert "over already" in game("event", "cancel", "cup", code=1).stderr
    assert json.loads(game("event", "list", "--ended", "--json").stdout)[0]["state"] == "cancelled"


def test_an_event_without_players_does_not_start(game: Pbm) -> None:
    made(game)
    assert "two players" in game("event", "start", "cup", code=1).stderr


def test_what_cannot_be_is_refused_in_a_sentence(game: Pbm) -> None:
    assert '"gauntlet"' in game("event", "create", "cup", "gauntlet", "cross", code=1).stderr
    assert '"chess"' in game("event", "create", "cup", "swiss", "chess", code=1).stderr
    assert '"-rounds=99"' in game("event", "create", "cup", "swiss", "cross", "-rounds=99", code=1).stderr
    assert "not 2 words" in game("event", "create", "cup", "swiss", code=2).stderr
    assert '"cup"' in game("event", "show", "cup", code=1).stderr
