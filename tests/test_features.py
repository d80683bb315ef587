"""The list of what correspondence players ask for: each has a command by mail, a help page and a conversation.

The tests fail for a feature without one of these, and for one whose conversation shows no success.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.conversation import House
from tests.golden_file import FOLDER
from tests.parts import in_full


@dataclass(frozen=True)
class Feature:
    """sent: the command in its conversation, a pattern. page: of help, which says told. shown: after the command."""

    name: str
    conversation: str
    sent: str
    page: str
    told: str
    shown: str


FEATURES = (
    Feature("days per move", "claim", r"cross challenge -size=4 --clock=1d ", "clock", "--clock=3d", "1 day a move"),
    Feature("a bank with increment and cap", "claim", r"--clock=10d\+1d/12d", "clock", "10d+1d/20d", "never above"),
    Feature("the classic options of time", "challenge", r"--totaltime=30", "clock", "--totaltime", "30 days for"),
    Feature("sleep hours", "rests", r"set \S+ \S+ sleep 23:00-07:00", "clock", "sleep", "sleep is now 23:00-07:00"),
    Feature("weekends", "rests", r"weekend sat-sun", "clock", "weekend", "weekend is now sat-sun"),
    Feature("vacation", "vacation", r"vacation 2026-01-20 1w", "vacation", "what is left", "on vacation until"),
    Feature("vacation that ends early", "vacation", r"vacation end", "vacation", "vacation end", "vacation"),
    Feature("mutual pause", "pause", r"answers 101: pause", "pause", "both", "pause"),
    Feature("a pause that ends", "resume", r"answers 101: resume", "resume", "end a pause", "ended the pause"),
    Feature("gift of time", "give", r"answers 101: give 2d", "give", "3d", "2 days"),
    Feature("claim of a win on time", "claim", r"answers 101: claim$", "claim", "claim draw", "on time"),
    Feature(
        "claim of a draw on time", "claim", r"alice answers 102: claim draw", "claim", "claim draw", "The game is drawn"
    ),
    Feature("a ladder of reminders", "remind", r"remind 2d 36h", "remind", "2d 1d 6h", "your time is over"),
    Feature("a digest a day", "digest", r"set bob bobpass digest 08:00", "digest", "101 F6", "digest"),
    Feature("playing from a digest", "digest", r"bob answers: 101 B2", "digest", "101 F6", "bob played B2"),
    Feature("a calendar file", "calendar", r"bob answers: calendar", "calendar", "calendar", "text/calendar"),
    Feature("conditional moves", "plan", r"alice answers 101: E4", "if", "if any", "E4"),
    Feature("plans seen and dropped", "plan", r"plan none", "plan", "none", "plan"),
    Feature("a plan out of a preview", "preview", r"if D3: D4, then", "plan", "preview", "D4"),
    Feature("queued moves", "queue", r"queue d-3", "queue", "queue", "D3 is queued"),
    Feature(
        "undo-send", "cancel", r"alice answers 101: cancel", "hold", "cancel", "is taken back; nobody has heard of it"
    ),
    Feature("why a rating changed", "why", r"answers 101: why", "why", "numbers", "expected"),
    Feature("standings", "standings", r"cross standings", "standings", "ratings", "Standings"),
    Feature("reliability apart from strength", "about", r"about bob", "about", "reliable", "Timeouts"),
    Feature(
        "round robin", "tournament-standings", r"tournament create cup round-robin", "tournament", "round-robin", "cup"
    ),
    Feature("Swiss", "tournament-create", r"tournament create spring-cup swiss", "tournament", "swiss", "spring-cup"),
    Feature("ladder", "tournament-challenge", r"tournament challenge", "tournament challenge", "ladder", "rung"),
    Feature(
        "league with promotion",
        "tournament-create",
        r"tournament create liga league .*-promote",
        "tournament create",
        "promote",
        "liga",
    ),
    Feature("joining a tournament", "tournament-join", r"tournament join", "tournament", "tournament join", "in"),
    Feature("leaving a tournament", "tournament-leave", r"tournament leave", "tournament", "tournament leave", "left"),
    Feature("pairings", "tournament-pairings", r"tournament pairings", "tournament", "tournament pairings", "Round"),
    Feature(
        "standings of a tournament",
        "tournament-standings",
        r"tournament standings cup",
        "tournament",
        "tournament standings",
        "1",
    ),
    Feature("following a board", "unfollow", r"follow carol carolpass 101", "follow", "board", "follow"),
    Feature("following a player", "follow", r"follow alice", "follow", "player", "alice"),
    Feature(
        "following a tournament", "tournament-follow", r"follow carol carolpass cup", "follow", "tournament", "cup"
    ),
    Feature("kibitz", "kibitz", r"carol answers 101: kibitz", "kibitz", "not before", "carol"),
    Feature("private notes", "note", r"bob answers 101: note", "note", "none", "note"),
    Feature("letters to players", "message", r"message", "message", "message", "writes"),
    Feature("block", "block", r"block", "block", "block", "blocked"),
    Feature("one-word rematch", "rematch", r"answers 101: rematch$", "rematch", "seats exchanged", "rematch"),
    Feature("export", "export", r"answers 101: export", "export", "JSON", "application/json"),
    Feature("erase me", "erase-me", r"erase me alice alicepass", "erase me", "some days", "erased"),
    Feature("a week to change one's mind", "erase-no", r"keep", "erase no", "mind", "nothing"),
)


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_a_feature_has_a_conversation(feature: Feature) -> None:
    path = FOLDER / "conversations" / f"{feature.conversation}.txt"
    assert path.exists()
    text = in_full(path.read_text())
    said = re.search(rf"^(?:>>> |    ).*{feature.sent}", text, re.MULTILINE)
    assert said is not None
    behind = text[said.end() :]
    assert feature.shown.casefold() in " ".join(behind.split()).casefold()


def test_a_feature_has_help(house: House) -> None:
    for number, feature in enumerate(FEATURES):
        (got,) = house.send(f"somebody@example{number}.com", f"help {feature.page}")
        assert got["Subject"] == f"pbm: help {feature.page}"
        assert feature.told.casefold() in " ".join(got.body.split()).casefold(), got.body
