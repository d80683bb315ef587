"""Which lines of a mail are a plan: a sentence never is; a plan always is, whatever a mail program does to it."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable, Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pbm.domain import plans
from pbm.domain.plans import read as read_plan
from pbm.reading.command_lines import read
from pbm.reading.commands import is_plan, parse
from pbm.reading.verbs import Standing
from tests.domain.test_plans import BRANCHES
from tests.mailin import clients
from tests.mailin.build import person, raw

BOARD = Standing("cross", 101, known=True, proven=True)
DIGEST = Standing(known=True, proven=True)
SUBJECT = "Cross Board 101 alice-bob"
MOVE = "cross move 101 alice secret F6"

SENTENCES = (
    "If you have time, please play faster.",
    "If you ask me: I am lost.",
    "If I had played E5 you would have resigned.",
    "If only I had seen D4!",
    "If E5 then I would have answered D4, I think.",
    "If E5, you win.",
    "If E5: you win!",
    "if D4 was a mistake, then so was C3",
    "If it rains tomorrow: no moves from me until 12.",
    "If any of this is unclear, ask me.",
    "If anything happens, write to me.",
    "if not, fine",
    "If so: good.",
    "If 2 players resign, does it count?",
    "If you pass, I pass: a draw.",
    "If 10:30 is fine with you, call me.",
    "If my next mail is late: I am away 3 days.",
    "if you want a draw: propose it, I will accept",
    "If we draw, then we play again?",
    "If this was blitz I would resign.",
    "if (as I think) E5 loses, D4 was better",
    "If A: I lose. If B: you lose.",
    "If a stone is on F6, can I still swap?",
    "If F6 wins, I will eat my hat. If not, D5.",
    "If this mail comes twice, ignore it.",
    "if then else",
    "If.",
    "If, and only if.",
    "if ever",
    "IF YOU RESIGN NOW I WIN THE EVENT",
    "If G7: interesting idea, though.",
    "If Bob answers: tell him F6.",
    "If C3 xD4 is what you meant, say so.",
    "Iffy move!",
    "What if E5: D4 is best?",
    "I wonder what happens if E5 is taken.",
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_no_plan(sentence: str) -> None:
    for text in (f"F6\n{sentence}", f"F6\n\n{sentence}\nBye", f"F6\nHi Bob,\n{sentence}\n{sentence}"):
        reading = read(SUBJECT, text, BOARD)
        assert reading.lines == ("F6",)
        assert sentence in reading.comment
    (line,) = read("pbm: digest", f"101 F6\n{sentence}\n", DIGEST).lines
    assert line == "101 F6"


PLANS = (
    "if E5: D4",
    "If E5 : D4.",
    "if zz: D4",
    "if E5: zz",
    "if zz:",
    "if E5:D4",
    "if e5 then d4",
    "if any: pass",
    "if draw: accept",
    "if 4: 7",
    "if 10: 30",
    "if G-H: 4r",
    "if F: 3x7",
    "if C3; D4: xC3,D4,E5",
    "if E5: resgin",
    "if E5, D4",
    "if E5 D4",
    "(if E5: D4)",
    "if E5: D4, then (if F3: G4; if any: C3)",
    "if E5: D4 then if you like: F6",
)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(
    "text",
    ["F6\n{}", "F6; {}", "F6 {}", "F6\n\n{}\n\nGood luck!", "F6\nGood luck!\n{}", "F6\n{}\nGood luck!", "*F6*\n\n  {}"],
)
def test_what_is_meant_as_a_plan_never_reaches_the_opponent(text: str, plan: str) -> None:
    """A misspelt plan is refused, not passed on."""
    reading = read(SUBJECT, text.format(plan), BOARD)
    (line,) = reading.lines
    command = parse(line, BOARD)
    assert command.verb.name == "move"
    assert command.args["MOVE"].strip("*") == "F6"
    assert command.plan.split() == plan.strip().split()
    assert "if" not in reading.comment


@given(st.lists(BRANCHES, min_size=1, max_size=5).map(tuple), st.integers(56, 78), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_plan_that_was_wrapped_is_whole(tree: plans.Plan, width: int, rng: random.Random) -> None:
    assume(is_plan(plans.write(tree)))
    lines = rng.choice([[plans.write(tree)], plans.layout(tree), [plans.write((branch,)) for branch in tree]])
    wrapped = [part for line in lines for part in textwrap.wrap(line, width, break_on_hyphens=False)]
    reading = read(SUBJECT, "\n".join(["F6", *wrapped, "Good luck, and have fun!"]), BOARD)
    assert reading.comment == "Good luck, and have fun!"
    assert read_plan(parse(reading.lines[0], BOARD).plan) == tree


@pytest.mark.parametrize(
    ("subject", "text", "standing", "commands", "comment"),
    [
        (SUBJECT, "if E5: D4\nif any: C3\nhello", BOARD, ("if E5: D4\nif any: C3",), "hello"),
        (SUBJECT, "\n\nif E5: D4\n\nhello\n", BOARD, ("if E5: D4",), "hello"),
        (SUBJECT, "plan\nif E5: D4", BOARD, ("plan\nif E5: D4",), ""),
        (SUBJECT, "F6\nif E5: D4\ncross show 102\nhello", BOARD, ("F6\nif E5: D4", "cross show 102"), "hello"),
        (SUBJECT, "set hold 10m\nif E5: D4\nhello", BOARD, ("set hold 10m", "if E5: D4"), "hello"),
        (SUBJECT, "chat\nif E5: D4", BOARD, ("chat",), "if E5: D4"),
        (MOVE, "if E5: D4\nhi", Standing(), (f"{MOVE}\nif E5: D4",), "hi"),
        (f"{MOVE}; if E5: D4", "hi", Standing(), (f"{MOVE}\nif E5: D4",), "hi"),
        ("then if E5: D4", "", BOARD, ("if E5: D4",), ""),
        ("cross plan 101 alice secret if E5: D4", "", Standing(), ("cross plan 101 alice secret if E5: D4",), ""),
        (
            "",
            "cross move 101 alice secret F6\nif E5: D4\ncross move 102 alice secret F7\nif any: G8\nbye",
            Standing(),
            ("cross move 101 alice secret F6\nif E5: D4", "cross move 102 alice secret F7\nif any: G8"),
            "bye",
        ),
        (
            "",
            "multiple\ncross move 101 alice secret F6\nif E5: D4\ncross show 102",
            Standing(),
            ("cross move 101 alice secret F6\nif E5: D4", "cross show 102"),
            "",
        ),
        (
            "pbm: digest",
            "101 F6\nif E5: D4\n102 if G7: H8\nif any: J9",
            DIGEST,
            ("101 F6\nif E5: D4", "102 if G7: H8\nif any: J9"),
            "",
        ),
    ],
)
def test_a_plan_belongs_to_the_command_above_it(
    subject: str, text: str, standing: Standing, commands: tuple[str, ...], comment: str
) -> None:
    reading = read(subject, text, standing)
    assert reading.lines == commands
    assert reading.comment == comment


def test_a_plan_by_itself_is_a_command() -> None:
    command = parse("if E5: D4", BOARD)
    assert (command.verb.name, command.args) == ("plan", {"PLAN": "if E5: D4"})
    command = parse("101 if E5: D4\nif any: C3", DIGEST)
    assert (command.verb.name, command.args, command.plan) == (
        "plan",
        {"BOARD": "101", "PLAN": "if E5: D4"},
        "if any: C3",
    )


@pytest.mark.parametrize(("kind", "answers"), [("plain", clients.plain), ("html", clients.html)])
@pytest.mark.parametrize("ours", [clients.BOARD, clients.AS_SENT])
def test_a_plan_comes_through_every_mail_program(
    kind: str, answers: Callable[[str, str], Iterator[tuple[str, str]]], ours: str
) -> None:
    plan = "if E5: D4; if F3: G4, then\n(if H5: resign; if any: C3>D4;E5)\n\nif any: pass"
    for name, text in answers(f"F6\n{plan}\nGood luck! See you at 10:30.", ours):
        reading = read(SUBJECT, person(raw(text, kind=f"text/{kind}; charset=utf-8")).text, BOARD)
        assert len(reading.lines) == 1, name
        command = parse(reading.lines[0], BOARD)
        assert (command.args, read_plan(command.plan)) == ({"MOVE": "F6"}, read_plan(plan)), name
        assert reading.comment.split() == ["Good", "luck!", "See", "you", "at", "10:30."], name
