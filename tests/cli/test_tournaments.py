"""`pbm tournament`: the operator creates a tournament, looks at it, starts it and ends it."""

from __future__ import annotations

import json

from tests.cli.conftest import Pbm


def made(game: Pbm) -> None:
    game("tournament", "create", "cup", "swiss", "cross", "-players=2..8", "-size=3", "--unrated")


def test_an_event_is_made_listed_and_shown(game: Pbm) -> None:
    assert "There are no tournaments" in game("tournament", "list").stdout
    made(game)
    (row,) = json.loads(game("tournament", "list", "--json").stdout)
    assert (row["name"], row["kind"], row["game"], row["state"], row["creator"]) == (
        "cup", "swiss", "cross", "open", None,
    )  # fmt: skip
    shown = json.loads(game("tournament", "show", "CUP", "--json").stdout)
    assert shown["options"] == "-size=3 --unrated"
    assert shown["standings"] == shown["pairings"] == []
    assert "swiss" in game("tournament", "show", "cup").stdout
    assert json.loads(game("tournament", "list", "--game", "loops", "--json").stdout) == []


def test_an_event_is_cancelled(game: Pbm) -> None:
    made(game)
    assert "cancelled" in game("tournament", "cancel", "cup", "--yes").stdout
    assert "over already" in game("tournament", "cancel", "cup", "--yes", code=1).stderr
    assert json.loads(game("tournament", "list", "--ended", "--json").stdout)[0]["state"] == "cancelled"


def test_an_event_without_players_does_not_start(game: Pbm) -> None:
    made(game)
    assert "two players" in game("tournament", "start", "cup", code=1).stderr


def test_what_cannot_be_is_refused_in_a_sentence(game: Pbm) -> None:
    assert '"gauntlet"' in game("tournament", "create", "cup", "gauntlet", "cross", code=1).stderr
    assert '"chess"' in game("tournament", "create", "cup", "swiss", "chess", code=1).stderr
    assert '"-rounds=99"' in game("tournament", "create", "cup", "swiss", "cross", "-rounds=99", code=1).stderr
    assert "not 2 words" in game("tournament", "create", "cup", "swiss", code=2).stderr
    assert '"cup"' in game("tournament", "show", "cup", code=1).stderr
