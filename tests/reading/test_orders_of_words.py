"""The orders and forms in which a command's words may stand."""

from __future__ import annotations

import pytest

from pbm.domain.errors import BadArguments, UnknownCommand
from pbm.reading.command_lines import read
from pbm.reading.commands import board_of_subject, clean, parse
from pbm.reading.verbs import Standing

NOBODY = Standing()
ANSWER = Standing("cross", 101, known=True, proven=True)


def bound(line: str, standing: Standing = NOBODY) -> dict[str, str]:
    return dict(parse(clean(line), standing, lambda word: word in ("alice", "bob")).args)


@pytest.mark.parametrize("line", ["cross subscribe 101 alice secret", "cross sub alice secret 101"])
def test_a_subscription_has_two_orders(line: str) -> None:
    assert bound(line) == {"BOARD": "101", "USERID": "alice", "PASSWORD": "secret"}


@pytest.mark.parametrize("line", ["cross notify all alice secret", "cross notify alice secret all"])
def test_all_stands_where_a_board_does(line: str) -> None:
    assert bound(line) == {"BOARD": "all", "USERID": "alice", "PASSWORD": "secret"}


def test_an_offer_is_answered_with_a_board_or_in_an_answer_without() -> None:
    assert bound("cross accept 101 alice secret")["BOARD"] == "101"
    assert "BOARD" not in bound("cross accept alice secret")
    assert bound("accept", ANSWER) == {}


def test_verbs_of_two_words() -> None:
    for line in ("ALL Show me next", "all-show me next"):
        command = parse(line, NOBODY)
        assert (command.verb.name, command.args) == ("all show", {"USERID": "me next"})


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("preview F6 E5", {"MOVE": "F6 E5"}),
        ("preview #-1 F6", {"BOARD": "#-1", "MOVE": "F6"}),
        ("preview new 2 -size=4 F6", {"BOARD": "new", "MOVE": "2 F6"}),
        ("zoom 3x7 20", {"POINT": "3x7", "FACTOR": "20"}),
        ("zoom 102#3 3x7 20", {"BOARD": "102#3", "POINT": "3x7", "FACTOR": "20"}),
        ("show board 102 #3", {"BOARD": "board 102 #3"}),
        ("queue f 6", {"MOVE": "f 6"}),
        ("move --", {"MOVE": "--"}),
        ("move C3 > D5", {"MOVE": "C3 > D5"}),
    ],
)
def test_words_that_an_answer_may_leave_out(line: str, args: dict[str, str]) -> None:
    assert bound(line, ANSWER) == args


@pytest.mark.parametrize("line", ["show board 101", "show 101#2", "zoom 101 B 2"])
def test_the_number_of_a_board_tells_its_game(line: str) -> None:
    assert bound(line)


def test_without_a_board_a_game_must_be_named() -> None:
    with pytest.raises(BadArguments, match="Which game"):
        bound("subscribe all alice secret")


@pytest.mark.parametrize(("line", "meant"), [("show", "all show me active"), ("show alice", "all show alice")])
def test_boards_to_show_without_a_game_are_those_of_all_games(line: str, meant: str) -> None:
    with pytest.raises(BadArguments, match="Which board") as refused:
        bound(line)
    assert refused.value.suggestion == meant
    assert bound(meant)


def test_all_below_a_chat_is_its_text() -> None:
    reading = read("", "cross chat 101 alice secret\nresign\nshow 101", NOBODY)
    assert reading.lines == ("cross chat 101 alice secret",)
    assert reading.comment == "resign\nshow 101"


@pytest.mark.parametrize(
    "line",
    [
        "Show me what you can do", "Move along, nothing to see", "Games like this are rare", "Reminders are annoying",
        "Resign was nice", "Accept the game", "Block it", "Pass your turn", "Limit 3 is low", "Message them all soon",
        "Give me 3 days then", "Help is on the way", "Remind me in 2 days",
    ],
)  # fmt: skip
def test_a_sentence_below_a_move_is_no_command(line: str) -> None:
    assert read("", f"F6\n{line}", ANSWER).comment == line


@pytest.mark.parametrize(
    "line",
    [
        "queue F6", "show 102", "show alice next", "undo", "move swap", "queue none", "undo please", "remind off",
        "remind 2d 1d", "reminders 6h", "help time", "block carol", "hex limit all", "accept alice secret",
        "plan if D4: E5", "queue E5 please", "preview F6 please", "move 103 D4 please", "hex move 103 to D4",
        "help about time", "help with clocks", "set mail to text", "Set digest to 08:00", "show the board",
        "broadcast Hello all",
    ],
)  # fmt: skip
def test_a_command_below_a_move_is_one(line: str) -> None:
    assert read("", f"F6\n{line}", ANSWER, {"alice", "carol"}.__contains__).lines == ("F6", line)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("list my games", "all show me active"),
        ("show my other games, please", "all show me active"),
        ("show my finished games", "all games me inactive"),
        ("delete my account", "help erase me"),
        ("message carol: Hi!", "message carol Hi!"),
        ("Kibitz: what a game", "Kibitz what a game"),
        ("note:", "note"),
    ],
)
def test_a_line_below_a_move_that_asks_the_server_or_speaks_to_others_is_not_for_the_opponent(
    line: str, meant: str
) -> None:
    def is_userid(word: str) -> bool:
        return word == "carol"

    assert read("", f"F6\n{line}", ANSWER, is_userid).lines == ("F6", meant)
    below = read("", f"101 F6\n{line}", Standing(known=True), is_userid)
    assert not any(part.comment for part in below.by_board)
    assert read("", f"F6\nWell done!\n{line}", ANSWER, is_userid).comment == f"Well done!\n{line}"


def test_a_quoted_line_stays_quoted() -> None:
    assert clean("> signup alice <secret>") == "> signup alice secret"


def test_a_title_with_signs_is_known_in_a_subject() -> None:
    assert board_of_subject("Polygon Board 104 alice-bob") == 104
    assert board_of_subject("Vertex/Intersection Polygon Game Board 104 alice-bob") == 104


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("Cross Geo challenge bob me -version=g", "crossgeo challenge bob me -version=g"),
        ("othello seek alice secret", "reversi seek"),
        ("connect 4 challenge me robot", "four challenge me robot"),
        ("hex robot3 -size=5", "hex challenge me robot3 -size=5"),
    ],
)
def test_a_game_by_another_name_and_a_robot_in_place_of_the_verb_are_told_with_the_line_meant(
    line: str, meant: str
) -> None:
    with pytest.raises(UnknownCommand) as refused:
        parse(clean(line), NOBODY)
    assert refused.value.suggestion == meant
