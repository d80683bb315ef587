"""Lines that begin with a board's number: what they mean and, above all, what they do not mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.errors import Rejected, UnknownCommand
from pbm.reading.command_lines import MAX_COMMANDS, Reading, read
from pbm.reading.commands import parse
from pbm.reading.verbs import Standing

STRANGER = Standing()
KNOWN = Standing(known=True, proven=True)
AT_101 = Standing("cross", 101, known=True, proven=True)
WORDS = ["101", "102", "F6", "D4#3", "swap", "101:", "r", "x7", "hello", ">", "-", "--", "queue", "resign", "Hm.", "\n"]
DIGEST = "Re: pbm: 2 boards waiting for you, 2 January"


def remarks_of(reading: Reading) -> tuple[str, ...]:
    """What stands below each line, where each names its board."""
    return tuple(part.comment for part in reading.by_board)


@pytest.mark.parametrize(
    ("line", "verb", "args"),
    [
        ("101 F6", "move", {"MOVE": "F6"}),
        ("101: F6", "move", {"MOVE": "F6"}),
        ("101 F6#7", "move", {"MOVE": "F6#7"}),
        ("101 A-B r", "move", {"MOVE": "A-B r"}),
        ("101 --", "move", {"MOVE": "--"}),
        ("101 resign", "resign", {}),
        ("101 swap", "swap", {}),
        ("101 accept", "accept", {}),
        ("101 queue F6", "queue", {"MOVE": "F6"}),
        ("101 move F6", "move", {"MOVE": "F6"}),
        ("101 show", "show", {}),
        ("101 rematch", "rematch", {}),
    ],
)
@pytest.mark.parametrize("standing", [KNOWN, Standing(known=True)])
def test_what_stands_behind_a_board_is_said_on_it(
    line: str, verb: str, args: dict[str, str], standing: Standing
) -> None:
    command = parse(line, standing)
    assert command.verb.name == verb
    assert command.args == {"BOARD": "101", **args}
    assert command.game is None
    assert command.line == line


@pytest.mark.parametrize(
    "line", ["101 help", "101 signup eve geheim", "101 list of things", "101 set mail text", "101"]
)
def test_what_is_not_said_on_boards_is_no_command_behind_one(line: str) -> None:
    with pytest.raises(Rejected):
        parse(line, KNOWN)


def test_a_stranger_has_no_boards() -> None:
    with pytest.raises(UnknownCommand):
        parse("101 F6", STRANGER)


@pytest.mark.parametrize("line", ["12 r", "12r", "3 7", "12 x7", "102 to 110", "99 F6", "101 14", "101 a"])
def test_in_an_answer_to_a_board_a_number_may_begin_a_move(line: str) -> None:
    assert parse(line, AT_101).args == {"MOVE": line}


def test_in_an_answer_to_a_board_its_own_number_may_stand_in_front() -> None:
    assert parse("101 F6", AT_101).args == {"BOARD": "101", "MOVE": "F6"}


@pytest.mark.parametrize("line", ["102 F6", "102 resign", "102: f6"])
def test_in_an_answer_to_a_board_another_one_may_stand_in_front(line: str) -> None:
    assert parse(line, AT_101).args["BOARD"] == "102"
    assert read("", f"C4\n{line}", AT_101).lines == ("C4", line)


@pytest.mark.parametrize(
    "text",
    [
        "101 F6, 102 G7",
        "101 F6; 102 G7",
        "101 F6 and 102 G7",
        "#101 F6\n#102 G7",
        "101 - F6\n102 - G7",
        "101) F6\n102) G7",
    ],
)
def test_boards_may_be_named_in_other_ways(text: str) -> None:
    moves = [parse(line, KNOWN).args for line in read("", text, KNOWN).lines]
    assert moves == [{"BOARD": "101", "MOVE": "F6"}, {"BOARD": "102", "MOVE": "G7"}]


@pytest.mark.parametrize("text", ["101 F6, 102 reasons", "101 F6, good luck", "101 17, 18"])
def test_a_line_of_one_board_is_left_whole(text: str) -> None:
    assert read("", text, KNOWN).lines == (text,)


def test_each_line_has_what_is_written_below_it() -> None:
    reading = read(DIGEST, "101 F6\nGood luck!\n\nReally.\n\n102 swap\n103 D4\n  Hm.\n", KNOWN)
    assert reading.lines == ("101 F6", "102 swap", "103 D4")
    assert remarks_of(reading) == ("Good luck!\n\nReally.", "", "  Hm.")
    assert reading.comment == ""


@pytest.mark.parametrize(
    "remark",
    [
        "101 things to do",
        "102 Dalmatians",
        "102 F6 was a great move",
        "100 games we have played!",
        "1 more and I have you",
        "2 moves ahead",
        "3 resign in a day",
        "30 games are enough",
        "2026 it is",
        "> 102 F6",
        "| 102 F6",
        "You played 102 F6",
        "5 minutes later",
        "12 of 40",
    ],
)
def test_a_sentence_that_begins_with_a_number_is_no_move(remark: str) -> None:
    reading = read(DIGEST, f"101 F6\n{remark}\n", KNOWN)
    assert reading.lines == ("101 F6",)
    assert remarks_of(reading) == (remark,)


@pytest.mark.parametrize(
    ("text", "lines", "remarks"),
    [
        ("101 F6\nresign", ("101 F6", "101 resign"), ("", "")),
        ("101 F6\n102 G7\n\nundo\nSorry!", ("101 F6", "102 G7", "102 undo"), ("", "", "Sorry!")),
        ("101 F6\nDraw?\n102 G7", ("101 F6", "101 draw", "102 G7"), ("", "", "")),
        ("101 F6\nqueue G7\nresign", ("101 F6", "101 queue G7", "101 resign"), ("", "", "")),
        ("101 F6\nThanks!\nundo", ("101 F6",), ("Thanks!\nundo",)),
        ("101 F6\nundo would be nice", ("101 F6",), ("undo would be nice",)),
        ("101 chat\nresign", ("101 chat",), ("resign",)),
        ("puzzle 7 F6\nresign", ("puzzle 7 F6",), ()),
    ],
)
def test_a_command_below_a_line_is_about_its_board(text: str, lines: tuple[str, ...], remarks: tuple[str, ...]) -> None:
    reading = read(DIGEST, text, KNOWN)
    assert (reading.lines, remarks_of(reading)) == (lines, remarks)


@pytest.mark.parametrize("subject", ["101 things to do", "Re: 2 days off", "5 questions"])
def test_a_subject_that_begins_with_a_number_does_not_hide_the_text(subject: str) -> None:
    assert read(subject, "cross games alice", KNOWN).lines == ("cross games alice",)


def test_a_subject_may_be_such_a_line_and_the_text_is_its_comment() -> None:
    reading = read("101 F6", "Help! You have me.", KNOWN)
    assert reading.lines == ("101 F6",)
    assert remarks_of(reading) == ("Help! You have me.",)


def test_such_lines_may_follow_another_command() -> None:
    assert read("", "cross games alice\n101 F6\nGood luck!", KNOWN).lines == ("cross games alice", "101 F6")
    assert read("", "cross games alice\n101 things to do", KNOWN).lines == ("cross games alice",)


def test_there_are_only_so_many() -> None:
    reading = read("", "".join(f"{board} F6\nHi.\n" for board in range(101, 102 + MAX_COMMANDS)), KNOWN)
    assert len(reading.lines) == len(remarks_of(reading)) == MAX_COMMANDS
    assert reading.truncated


@given(st.lists(st.sampled_from(WORDS)))
def test_all_that_is_written_is_command_or_remark(words: list[str]) -> None:
    text = "101 F6\n" + " ".join(words)
    reading = read("", text, KNOWN)
    assert len(remarks_of(reading)) == len(reading.lines)
    kept = "\n".join(part for pair in zip(reading.lines, remarks_of(reading), strict=True) for part in pair)
    said, wrote = (
        "".join(each.replace("101", "").split()) for each in (kept, text)
    )  # "resign" may become "101 resign"
    assert said == wrote or reading.truncated or "102:" in text or "- " in text


@given(st.text(max_size=40))
def test_whatever_stands_behind_a_number_is_read_or_rejected(text: str) -> None:
    for standing in (STRANGER, KNOWN, AT_101):
        try:
            parse(f"101 {text}", standing)
        except Rejected:
            continue


def test_a_plan_below_a_command_that_takes_none_is_a_line_by_itself() -> None:
    reading = read("", "101 F6\nstandings\nif D4: E5\nGood luck!", KNOWN)
    assert reading.lines == ("101 F6", "standings", "if D4: E5")
    assert remarks_of(reading) == ("", "", "Good luck!"), "a line without words made the whole mail our fault"
