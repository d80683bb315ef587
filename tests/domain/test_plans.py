"""Plans: what can be written, what is refused and how; a plan answers as a player would who reads it aloud."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from games import GAMES
from games.rules import GameError
from pbm.domain import plans
from pbm.domain.errors import BadArguments, NotAllowed, Rejected
from pbm.domain.match import SWAP, Intent, IntentKind, State
from pbm.domain.plans import Branch, Plan, chain, check, fitting, layout, read, reread, settled, understood, write
from tests.games.variants import EACH


def started(name: str = "cross", plies: int = 1, seed: int = 0) -> State:
    """A game after random moves that is not over."""
    rng = random.Random(seed)
    state = State.start(GAMES[name], ("-size=4",) if name == "cross" else ())
    for _ in range(plies):
        after = state.play(move_at_random(state, rng))[0]
        if after.outcome is not None:
            break
        state = after
    return state


def move_at_random(state: State, rng: random.Random) -> str:
    move = rng.choice(list(islice(state.game.moves(state.position), 40)))
    return state.game.notate(state.position, move)


# What is written


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("if E5: D4", "if E5: D4"),
        ("IF  E5 :D4 ;", "if E5: D4"),
        ("if E5: D4; if any: pass; if F3: G4, then if H5: resign", None),
        ("if E5: D4;\n\nif any\n: pass\nif F3: G4,\nthen\nif H5: resign", "{0}"),
        ("if E5: D4 if any: pass if F3: G4 then if H5: resign", "{0}"),
        ("if E5: D4, if any: pass, if F3: G4 (if H5: resign)", "{0}"),
        ("(if E5: (D4)); (if any: PASS; if (F3): G4, then (if H5: Resign))", "{0}"),
        ("if E5 then D4; if anything else: --; if F3: then G4; then if H5: resigns.", "{0}"),
        ("if F3: G4, then (if H5: resign; if H6: J7, then if any: A1); if draw: accept", None),
        ("if C3; D4: xE5,F6; G7>H8; if any: C3,D4,E5>F6,F7,G8", "if C3; D4: xE5,F6; G7>H8; if any: C3,D4,E5>F6,F7,G8"),
        ("if C3 then D4: E5 then F6", "if C3 D4: E5 then F6"),
        ("if 3x7: A; if A-D: 7x3", "if 3x7: A; if A-D: 7x3"),
        ("if 4: 7, then if G-H: 2r", "if 4: 7, then if G-H: 2r"),
        ("if IF-JK: 4", "if IF-JK: 4"),
        ("if E5： D4； if draw offered: decline", "if E5: D4; if draw: reject"),
    ],
)
def test_a_plan_however_it_is_written(written: str, canonical: str | None) -> None:
    """{0} stands for the plan in the code."""
    expected = (canonical or written).replace("{0}", "if E5: D4; if any: pass; if F3: G4, then if H5: resign")
    assert write(read(written)) == expected


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("if E5 D4", '"if E5 D4" lacks the colon'),
        ("if E5: D4; if F3; G4", '"if F3; G4" lacks the colon'),
        ("if E5:", '"if E5:" lacks your answer after the colon'),
        ("if : D4", "lacks your opponent's move before the colon"),
        ("if E5: D4, then if", 'There is nothing between "if" and the end'),
        ("if E5: D4, then (if F3: G4", 'A "(" in your plan has no ")"'),
        ("if E5: D4)", 'There is a ")" too many'),
        ("if if E5: D4", 'nothing between "if" and "if"'),
        ("E5: D4 if F3: G4", '"E5: D4" stands where "if" should'),
        ("if E5: D4, then (if F3: G4) then if H5: J6", '"then" stands where "if" should'),
        ("if E5: D4; " * 201, "at most 200 branches; yours has 201"),
        ("if E5: D4, then " * 41 + "if E5: D4", "at most 40 moves of yours ahead"),
        ("(" * 60 + "if E5: D4" + ")" * 60, "at most 40 moves of yours ahead"),
        ("if E5: D4;" + " " * 4000, "at most 4000 characters; yours has 4010"),
    ],
)
def test_what_cannot_be_read_is_quoted(written: str, said: str) -> None:
    with pytest.raises(BadArguments) as refusal:
        read(written)
    assert said in str(refusal.value)


def test_a_line_of_plies_is_a_plan() -> None:
    assert write(chain(["E5", "D4", "F6", "G7"])) == "if E5: D4, then if F6: G7"
    assert understood("E5 D4 F6 G7") == understood("E5: D4, then if F6: G7") == read("if E5: D4, then if F6: G7")
    with pytest.raises(BadArguments, match='"F6", the last, is your opponent\'s move'):
        chain(["E5", "D4", "F6"])


WORDS = st.sampled_from(["E5", "f-6", "3x7", "C3;D4", "xC3,D4>E5,F6", "4", "G-H", "pass", "swap", "resign"])
BRANCHES = st.recursive(
    st.builds(Branch, WORDS | st.sampled_from(["any", "draw"]), WORDS),
    lambda below: st.builds(Branch, WORDS | st.just("any"), WORDS, st.lists(below, max_size=3).map(tuple)),
    max_leaves=20,
)


@given(st.lists(BRANCHES, min_size=1, max_size=4).map(tuple))
def test_a_plan_that_is_written_is_read_again(plan: Plan) -> None:
    assert reread(write(plan)) == plan
    assert reread("\n".join(layout(plan))) == plan


@given(st.lists(BRANCHES, min_size=1, max_size=4).map(tuple), st.randoms(use_true_random=False))
def test_a_plan_survives_what_mail_programs_do(plan: Plan, rng: random.Random) -> None:
    pieces = write(plan).replace(";", " ;").split(" ")
    mangled = "".join(piece + rng.choice([" ", "  ", "\n", " \n"]) for piece in pieces)
    assert write(reread(mangled)) == write(reread(write(plan).replace(";", " ;")))
    assert reread(write(plan).replace("if ", "If ").replace("then ", "THEN ").replace("any:", "ANY:")) == plan


@pytest.mark.parametrize("written", ["(:);4", "if (: 4", "if -: ()", "if E5: ;()"])
def test_separators_and_parentheses_alone_are_no_move(written: str) -> None:
    """The first must not be read as `if pass: ;4`, which is read again as `if pass: 4`."""
    with pytest.raises(BadArguments, match="lacks"):
        understood(written)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("if E5: (;D4)", "if E5: D4"),
        ("if (;E5): D4", "if E5: D4"),
        ("if E5: then then D4", "if E5: D4"),
        ("if E5: (then, D4)", "if E5: D4"),
    ],
)
def test_separators_around_a_move_are_not_kept(written: str, canonical: str) -> None:
    assert write(understood(written)) == canonical


@given(st.text(alphabet="ifthen anyE5D4:;,()\n -pasresign", max_size=80))
@example("(:);4")
def test_any_text_is_a_plan_or_refused(text: str) -> None:
    try:
        plan = understood(text)
    except BadArguments:
        return
    assert reread(write(plan)) == plan


# What is legal


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (
            "if e-5: d5; if any: c3; if f3: 4e, then if E6: resign",
            "if E5: D5; if F3: E4, then if E6: resign; if any: C3",
        ),
        ("if swap: B2, then if any: C4", "if swap: B2, then if any: C4"),
        ("if E5: D5, then if A1: B2\nif 5e: d5, then if A2: B3", "if E5: D5, then (if A1: B2; if A2: B3)"),
        ("if draw: accept; if E5: D5", "if draw: accept; if E5: D5"),
        ("if any: D5, then if D5: C3, then if any: D4", "if any: D5, then if D5: C3, then if any: D4"),
    ],
)
def test_a_plan_that_is_sound_becomes_canonical(written: str, canonical: str) -> None:
    state = State.start(GAMES["cross"], ["-size=4"]).play("D4")[0]
    checked = check(state, read(written))
    assert write(checked) == canonical
    assert check(state, checked) == checked


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("if E5: D4", 'In "if E5: D4": "D4" as your own move: D4 is taken'),
        ("if D4: C3", 'In "if D4: C3": "D4" as bob\'s move: D4 is taken: O has a stone there. Legal there: '),
        ("if E5: D5, then if E6: E5", 'In "if E5: D5, then if E6: E5": "E5" as your own move: E5 is taken'),
        ("if E5: D5; if E5: D6", 'In "if E5: D6": you answer E5 with D5 already'),
        ("if any: C3; if any: C4", "you answer any with C3 already"),
        ("if any: zebra", '"zebra" is not a cell. Write a letter and a number'),
        ("if any: C3, then if zebra: C4", '"zebra" as bob\'s move'),
        ("if any: C3, then if swap: C4", "A swap is only possible as the second ply"),
        ("if E5: pass", '"pass" is not a cell'),
        ("if E5: swap", "A swap is only possible as the second ply"),
        ("if E5: accept", 'accept answers an offer: write "if draw: accept"'),
        ("if draw: C3", "an offer of a draw is answered by accept, reject or resign"),
        ("if draw: reject, then if E5: D5", "that ends the game, so nothing can come after it"),
        ("if E5: resign, then if D5: D6", "that ends the game, so nothing can come after it"),
    ],
)
def test_what_would_not_work_is_quoted(written: str, said: str) -> None:
    state = State.start(GAMES["cross"], ["-size=4"]).play("D4")[0]
    with pytest.raises(BadArguments) as refusal:
        check(state, read(written), "bob")
    assert said in str(refusal.value)


def test_a_plan_that_takes_too_long_is_refused() -> None:
    state = State.start(GAMES["cross"], ["-size=4"]).play("D4")[0]
    ticks = iter([False, False, True])
    with pytest.raises(BadArguments, match="takes too long to check"):
        check(state, read("if E5: D5; if F3: E4; if C3: C4; if zebra: C3"), "bob", lambda: next(ticks))


def test_nothing_is_planned_behind_the_end_of_a_game() -> None:
    state = State.start(GAMES["polygon"], []).play("pass")[0]
    assert state.outcome is not None
    with pytest.raises(NotAllowed, match="nothing to plan"):
        check(state, read("if A: B"))


# What is done


def random_plan(state: State, rng: random.Random, depth: int) -> Plan:
    """Branches with legal moves, as players may write them; some follow `any`, where they may turn out illegal.

    A branch is left out where a side moves twice in a row, so there may be none at all.
    """
    branches = []
    for _ in range(rng.randint(1, 3)):
        condition = rng.choice(["any", move_at_random(state, rng), move_at_random(state, rng)])
        after = state.play(move_at_random(state, rng) if condition == "any" else condition)[0]
        if after.outcome is not None:
            branches.append(Branch(condition, "resign"))
            continue
        if after.to_move == state.to_move:
            continue
        answer = move_at_random(after, rng)
        later = after.play(answer)[0]
        deeper = depth > 1 and later.outcome is None and later.to_move == state.to_move and rng.random() < 0.8
        branches.append(Branch(condition, answer, random_plan(later, rng, depth - 1) if deeper else ()))
    return tuple({branch.condition: branch for branch in branches}.values())


def answered(state: State, plan: Plan, played: list[str]) -> list[str]:
    """The server's answers to the opponent's plies, until there is none."""
    intent = Intent(1, IntentKind.PLAN, f"{write(check(state, plan))}#{state.plies + 1}")
    answers: list[str] = []
    for text in played:
        known, ply = plans.of(intent)
        assert ply == state.plies + 1
        after, notation = state.play(text)
        branch = fitting(known, notation)
        if branch is None or branch.answer == "resign" or after.outcome is not None:
            return [*answers, *(["resign"] if branch and branch.answer == "resign" else [])]
        try:
            state, answer = after.play(branch.answer)
        except (GameError, Rejected):
            return [*answers, "dropped"]
        answers.append(answer)
        rest = settled(state, branch.then) if branch.condition == "any" else branch.then
        if not rest or state.outcome is not None:
            break
        intent = Intent(1, IntentKind.PLAN, f"{write(rest)}#{state.plies + 1}")
    return answers


def read_aloud(state: State, plan: Plan, played: list[str]) -> list[str]:
    """The answers of a person who knows the rules and reads the plan as it was written."""
    answers: list[str] = []
    for text in played:
        if not plan or state.outcome is not None:
            break
        after = state.play(text)[0]
        named = [branch for branch in plan if branch.condition != "any" and names(state, branch.condition, text)]
        chosen = (named or [branch for branch in plan if branch.condition == "any"])[:1]
        if not chosen:
            break
        if chosen[0].answer == "resign":
            return [*answers, "resign"]
        if after.outcome is not None:
            break
        try:
            state, answer = after.play(chosen[0].answer)
        except (GameError, Rejected):
            return [*answers, "dropped"]
        answers.append(answer)
        plan = chosen[0].then
    return answers


def names(state: State, text: str, other: str) -> bool:
    """Whether two texts mean the same move."""
    return legal(state, text) and legal(state, other) and state.play(text)[1] == state.play(other)[1]


@pytest.mark.parametrize("name", EACH)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_a_plan_answers_as_it_reads(name: str, seed: int) -> None:
    rng = random.Random(seed)
    state = started(name, rng.randint(0, 4), seed)
    plan = random_plan(state, rng, 3)
    assume(plan)
    played, at, tree = [], state, plan
    for _ in range(4):
        hits = [branch for branch in tree if branch.condition != "any"]
        text = rng.choice(hits).condition if hits and rng.random() < 0.8 else move_at_random(at, rng)
        text = text if legal(at, text) else move_at_random(at, rng)
        played.append(text)
        answers = read_aloud(state, plan, played)
        assert answered(state, plan, played) == answers
        if len(answers) < len(played) or answers[-1] in ("resign", "dropped"):
            return
        at = at.play(text)[0].play(answers[-1])[0]
        fit = fitting(tree, text)
        tree = fit.then if fit else ()
        if at.outcome is not None:
            return


def legal(state: State, text: str) -> bool:
    try:
        state.play(text)
    except (GameError, Rejected):
        return False
    return True


def test_what_is_queued_is_a_plan_of_one_ply() -> None:
    assert plans.of(Intent(1, IntentKind.QUEUE, "C3")) == ((Branch("any", "C3"),), None)
    assert plans.of(Intent(1, IntentKind.QUEUE, "C3#5")) == ((Branch("any", "C3"),), 4)
    assert plans.of(Intent(1, IntentKind.PLAN, "if E5: D4#4")) == (read("if E5: D4"), 4)


def test_a_swap_is_a_condition_and_any_covers_it() -> None:
    state = State.start(GAMES["cross"], ["-size=4"]).play("D4")[0]
    plan = check(state, read("if swap: C3; if any: B2"))
    assert fitting(plan, SWAP) == Branch(SWAP, "C3")
    assert fitting(check(state, read("if any: B2")), SWAP) == Branch("any", "B2")
    assert fitting(plan, "draw") is None
