"""Plans: a player's prepared answers to what their opponent may do, as trees, and how they are written. Pure.

    if E5: D4; if F3: G4, then if H5: resign; if any: pass

A branch is a condition, an answer, and the plan after that answer. A condition is what the opponent does: a move, pass,
swap, `any` for every ply that no other branch names, or `draw` for an offer of a draw. An answer is a move, pass, swap
or resign; to an offer it is accept, reject or resign. `if` begins a branch, `then if` a branch below the last answer.
So blanks, line breaks and semicolons, which abound in mails and in moves of Luddit, do not matter; only a colon, which
no notation contains, ends a condition. Parentheses put several branches below one answer.

Where a side moves twice in a row, a condition or an answer may be several plies: "if b1-b2, c2-c3: a1-a2, a2-a3".

The opponent's ply is compared by canonical notation. The board after `any` is not known in advance, so the texts below
it are kept as written, and made canonical once the board is known.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from games.rules import BadNotation, GameError, MoveError, fold, quoted
from pbm.domain.errors import BadArguments, NotAllowed, Rejected
from pbm.domain.match import SWAP, Intent, IntentKind, Seat, State
from pbm.values import frozen

PASSING = "pass"
ANY, DRAW = "any", "draw"
RESIGN, ACCEPT, REJECT = "resign", "accept", "reject"

MAX_BRANCHES = 200
MAX_DEPTH = 40
MAX_CHARACTERS = 4000

WORDS = {
    **dict.fromkeys(("any", "anything", "any move", "any other", "anything else", "otherwise"), ANY),
    **dict.fromkeys(("draw", "draw offer", "draw offered", "propose", "proposes"), DRAW),
    **dict.fromkeys(("resign", "resigns"), RESIGN),
    **dict.fromkeys(("accept", "accepts"), ACCEPT),
    **dict.fromkeys(("reject", "decline"), REJECT),
    **dict.fromkeys(("swap", "swaps"), SWAP),
    **dict.fromkeys(("pass", "passes", "--", "-"), PASSING),
}
"""How people write conditions and answers that are not moves."""
_TO_AN_OFFER = (ACCEPT, REJECT, RESIGN)
WIDE = str.maketrans("：；，（）", ":;,()")


@frozen
class Branch:
    """One `if`: canonical if the board is known, otherwise as written."""

    condition: str
    answer: str
    then: Plan = ()
    """The plan after the answer."""


Plan = tuple[Branch, ...]
"""Branches in the order they were written, `any` last."""


TOGETHER = ", "
"""Between the plies of one turn, in canonical form."""


def turn(state: State, text: str) -> tuple[State, list[str]]:
    """The state after the ply that a text names, or after several of the side to move, and their notations.

    Raises: MoveError, NotAllowed; BadArguments for a ply that would be the other side's.
    """
    try:
        after, notation = state.play(text)
    except BadNotation:
        # By commas first: a blank may stand within a ply, as in "b1 b2".
        parted = (re.split(separators, text.strip(_EDGES)) for separators in (r"\s*[,;&]\s*", r"[\s,;&]+"))
        words = next((words for words in parted if len(words) > 1 and all(map(state.reads, words))), None)
        if words is None:
            raise
        seat, notations = state.to_move, list[str]()
        for word in words:
            if state.to_move != seat:
                last = notations[-1]
                raise BadArguments(f"{quoted(word)} is one ply too many: the turn is over with {last}.") from None
            state, notation = state.play(word)
            notations.append(notation)
        return state, notations
    return after, [notation]


def chain(words: Sequence[str]) -> Plan:
    """The plan of alternating plies, the opponent's first. Raises: BadArguments if the last ply is the opponent's."""
    words = [bare for word in words if (bare := _bare(word))]
    if not words:
        raise BadArguments(f"There is nothing in your plan: {_EXAMPLE}")
    # A line that ends with the opponent's move answers nothing to it.
    if len(words) % 2:
        raise BadArguments(
            f"{quoted(words[-1])}, the last, is your opponent's move: add what you answer, or leave it out.",
            "plan none" if len(words) == 1 else f"plan {' '.join(words[:-1])}",
        )
    plan: Plan = ()
    for place in range(len(words) - 2, -1, -2):
        plan = (Branch(_worded(words[place]), _worded(words[place + 1]), plan),)
    return _within_bounds(plan)


# Reading


_TOKEN = re.compile(
    r"(\((?=[\s(]{0,80}if[\s(])|\)|\bthen\b(?=[\s,;:(]*\bif(?:[\s(]|$))|\bif(?=[\s(]|$))", re.IGNORECASE
)
LINK = re.compile(r"[\s,;]*\bthen\b[\s,;]*", re.IGNORECASE)
_EDGES = " ;,.!\n"


def read(text: str) -> Plan:
    """The plan as written; whether its moves are legal is not checked. Raises: BadArguments."""
    if len(text) > MAX_CHARACTERS:
        raise BadArguments(f"A plan has at most {MAX_CHARACTERS} characters; yours has {len(text)}.")
    return _within_bounds(reread(text))


def reread(text: str) -> Plan:
    """The plan of a text from `write`, which may be longer than what a player may send."""
    return _Reader(text).plan()


BEGINNING = re.compile(r"[\s(]*if[\s(]+(.*)", re.IGNORECASE | re.DOTALL)
"""How a plan begins, and the rest of it."""


def understood(text: str) -> Plan:
    """The plan of a text that must be one: branches, or a line of plies. Raises: BadArguments."""
    if BEGINNING.match(text):
        return read(text)
    # "E5: D4" lacks only its first word.
    if re.search(r"[:()]|\bif\b", text.translate(WIDE), re.IGNORECASE):
        return read(f"if {text}")
    return chain([word for word in text.split() if _bare(word).casefold() != "then"])


def _within_bounds(plan: Plan) -> Plan:
    """Raises: BadArguments."""
    branches = _size(plan)
    if branches > MAX_BRANCHES:
        raise BadArguments(f"A plan has at most {MAX_BRANCHES} branches; yours has {branches}.")
    return plan


def _size(plan: Plan, depth: int = 1) -> int:
    """How many branches it has."""
    _check_depth(depth)
    return len(plan) + sum(_size(branch.then, depth + 1) for branch in plan)


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH + 1:
        raise BadArguments(f"A plan looks at most {MAX_DEPTH} moves of yours ahead.")


class _Reader:
    """Recursive descent over the tokens of the grammar and the texts between them."""

    def __init__(self, text: str) -> None:
        pieces = _TOKEN.split(" ".join(text.translate(WIDE).split()))
        self._tokens = deque([*_joined(pieces), ""])
        """Those that are still to be read; the empty one is the end."""

    def plan(self) -> Plan:
        plan = self._branches(1)
        word = self._tokens[0]
        if word == ")":
            raise BadArguments('There is a ")" too many in your plan.')
        if word:
            raise BadArguments(f'{quoted(word)} stands where "if" should: {_EXAMPLE}')
        if not plan:
            raise BadArguments(f"There is no branch in your plan: {_EXAMPLE}")
        return plan

    def _branches(self, depth: int) -> Plan:
        _check_depth(depth)
        plan: list[Branch] = []
        while True:
            if self._tokens[0] == "(":
                plan += self._group(depth)
            elif self._tokens[0] == "if":
                plan.append(self._branch(depth))
            else:
                return tuple(plan)

    def _group(self, depth: int) -> Plan:
        self._tokens.popleft()
        plan = self._branches(depth + 1)
        if self._tokens[0] != ")":
            raise BadArguments('A "(" in your plan has no ")".')
        self._tokens.popleft()
        return plan

    def _branch(self, depth: int) -> Branch:
        _check_depth(depth)
        self._tokens.popleft()
        text = self._tokens[0]
        if text in _GRAMMAR:
            behind = quoted(text) if text else "the end"
            raise BadArguments(f'There is nothing between "if" and {behind}: {_EXAMPLE}')
        self._tokens.popleft()
        condition, answer = _halves(text)
        then: Plan = ()
        is_deeper = self._tokens[0] == "then"
        if is_deeper:
            self._tokens.popleft()
        if self._tokens[0] == "(":
            then = self._group(depth)
        elif is_deeper:
            then = (self._branch(depth + 1),)
        return Branch(condition, answer, then)


_EXAMPLE = 'write for instance "if E5: D4; if any: pass".'
_GRAMMAR = frozenset({"", "(", ")", "if", "then"})


def _joined(pieces: Sequence[str]) -> Iterator[str]:
    """Tokens, and texts that are not empty; a parenthesis that belongs to a text stays with it."""
    text = ""
    for place, piece in enumerate([*pieces, "", ""]):
        # "(C3, D4)" holds plies, not branches.
        is_token = place % 2 == 1 and not (piece == ")" and text.count("(") > text.count(")"))
        if not is_token:
            text += piece
            continue
        if text.strip(_EDGES):
            yield text.strip(_EDGES)
        text = ""
        if piece:
            yield piece.casefold()


def _halves(text: str) -> tuple[str, str]:
    """Condition and answer. Raises: BadArguments."""
    condition, colon, answer = text.partition(":")
    # "if E5 then D4" is how people say it.
    if not colon:
        condition, *rest = LINK.split(text, maxsplit=1)
        answer = "".join(rest)
    condition, answer = _bare(LINK.sub(" ", condition)), _LEADING_THEN.sub("", _bare(answer))
    if not condition or not answer:
        branch = quoted(f"if {text}")
        if colon:
            missing = "your opponent's move before" if answer else "your answer after"
            raise BadArguments(f"{branch} lacks {missing} the colon: {_EXAMPLE}")
        raise BadArguments(f"{branch} lacks the colon between your opponent's move and your answer: {_EXAMPLE}")
    return _worded(condition), _worded(answer)


_LEADING_THEN = re.compile(r"\A(?:then\b[\s;,.!]*)+(?=\S)", re.IGNORECASE)


def _bare(text: str) -> str:
    """The text without parentheses and surrounding separators."""
    return " ".join(text.replace("(", " ").replace(")", " ").split()).strip(_EDGES)


def _worded(text: str) -> str:
    """The canonical word for something that is not a move; a move unchanged. text: bare."""
    return WORDS.get(fold(text) if text.strip("-—–") else "--", text)


# Writing


def write(plan: Plan) -> str:
    """The canonical text, which `reread` reads back."""
    return "; ".join(map(_write, plan))


def _write(branch: Branch) -> str:
    if not branch.then:
        return head(branch)
    below = write(branch.then)
    return f"{head(branch)}, then {below if len(branch.then) == 1 else f'({below})'}"


def head(branch: Branch) -> str:
    """The branch without the plan after its answer."""
    return f"if {branch.condition}: {branch.answer}"


def layout(plan: Plan, indent: str = "") -> list[str]:
    """The plan as lines, indented below each answer; joined, they are read as the same plan."""
    lines = []
    for branch in plan:
        several = len(branch.then) > 1
        lines.append(indent + head(branch) + (", then (" if several else ", then" if branch.then else ""))
        lines += layout(branch.then, indent + "  ")
        lines[-1] += ")" if several else ""
    return lines


# Checking


def check(
    state: State, plan: Plan, opponent: str = "your opponent", is_late: Callable[[], bool] = lambda: False
) -> Plan:
    """The plan in canonical form, for a state in which the opponent is to move.

    opponent: their name in refusals. is_late: whether the check has taken too long; called at every branch.
    Every condition must be legal, and so must every answer to it. After `any`, texts need only be readable as moves.
    Branches with the same condition and answer become one. Raises: BadArguments, quoting the branch.
    """
    if state.outcome is not None:
        raise NotAllowed("The game would be over, so there is nothing to plan.")
    return _Checker(opponent, is_late, state.to_move).plan(state, plan, (), known=True)


@frozen
class _Step:
    """A branch whose own condition and answer are valid, and the state after them."""

    condition: str
    answer: str
    then: Plan
    after: State
    path: Plan
    """The branches that lead here, and this one."""
    known: bool


@frozen
class _Checker:
    opponent: str
    is_late: Callable[[], bool]
    seat: Seat
    """The opponent's."""

    def plan(self, state: State, plan: Plan, above: Plan, *, known: bool) -> Plan:
        """above: the branches that lead here. known: False if the state is only an example."""
        joined: dict[str, _Step] = {}
        for branch in plan:
            step = self._step(state, branch, (*above, replace(branch, then=())), known=known)
            first = joined.setdefault(step.condition, step)
            # Told once the condition is canonical: "E5" and "5e" are one move, with two answers.
            if first.answer != step.answer:
                raise BadArguments(f"{_at(step.path)}: you answer {first.condition} with {first.answer} already.")
            if first is not step:
                joined[step.condition] = replace(first, then=(*first.then, *step.then))
        steps = sorted(joined.values(), key=lambda step: step.condition == ANY)
        return tuple(
            Branch(step.condition, step.answer, self.plan(step.after, step.then, step.path, known=step.known))
            for step in steps
        )

    def _step(self, state: State, branch: Branch, path: Plan, *, known: bool) -> _Step:
        """The branch itself, checked."""
        # 200 branches of a game whose moves take long to judge would hold up everybody else.
        if self.is_late():
            raise BadArguments(f"{_at(path)}: your plan takes too long to check. Send one with fewer branches.")
        condition, answer = branch.condition, branch.answer
        if condition == DRAW:
            is_end = True
            if answer not in _TO_AN_OFFER:
                raise BadArguments(f"{_at(path)}: an offer of a draw is answered by accept, reject or resign.")
        elif answer in (ACCEPT, REJECT):
            raise BadArguments(f'{_at(path)}: {answer} answers an offer: write "if draw: {answer}".')
        else:
            state, condition, known = self._happened(state, condition, path, known=known)
            is_end = answer == RESIGN
            if not is_end:
                state, answer = self._played(state, answer, path, known=known, whose="your own move")
                is_end = known and state.outcome is not None
        if not branch.then:
            return _Step(condition, answer, (), state, path, known)
        if is_end:
            raise BadArguments(f"{_at(path)}: that ends the game, so nothing can come after it.")
        # What comes below begins with a move of the opponent's.
        if known and state.to_move != self.seat:
            raise BadArguments(f"{_at(path)}: you move again after {answer}, so no plan can come after it.")
        return _Step(condition, answer, branch.then, state, path, known)

    def _happened(self, state: State, condition: str, path: Plan, *, known: bool) -> tuple[State, str, bool]:
        """The state after what the opponent does, its canonical form, and whether that state is known."""
        if condition == ANY:
            return _example(state), ANY, False
        state, condition = self._played(state, condition, path, known=known, whose=f"{self.opponent}'s move")
        # As after a box in Dots and Boxes: the answer would never find its turn.
        if known and state.outcome is None and state.to_move == self.seat:
            raise BadArguments(
                f"{_at(path)}: {self.opponent} moves again after {condition}: name that move, too, as in "
                f'"if {condition}, MOVE: MOVE".'
            )
        return state, condition, known

    def _played(self, state: State, text: str, path: Plan, *, known: bool, whose: str) -> tuple[State, str]:
        """The state after a ply, and its notation; if the ply is illegal on an example, another state, and its text."""
        try:
            after, notations = turn(state, text)
            return after, TOGETHER.join(notations)
        except (GameError, Rejected) as error:
            # On a board that is only an example a move may be illegal and still become legal; unreadable it stays.
            if known or isinstance(error, (BadNotation, NotAllowed)):
                candidates = error.candidates[:3] if isinstance(error, MoveError) else ()
                legal = f" Legal there: {', '.join(candidates)}." if candidates else ""
                raise BadArguments(f"{_at(path)}: {quoted(text)} as {whose}: {error}{legal}") from None
        return _example(state), text


def _at(path: Plan) -> str:
    """The place in a plan, for a refusal: the branch, and the one above it, as written."""
    return "In " + quoted(", then ".join(map(head, path[-2:])))


@lru_cache(64)
def _example(state: State) -> State:
    """The state after some ply, which does not end the game if such a ply is found quickly."""
    moves = islice(state.game.moves(state.position), 8)
    states = [state.play(state.game.notate(state.position, move))[0] for move in moves]
    # An example that is over would refuse every answer below it.
    return next((after for after in states if after.outcome is None), states[0] if states else state)


# Following


KINDS = frozenset({IntentKind.PLAN, IntentKind.QUEUE})
"""The intents that are plans."""


def of(intent: Intent) -> tuple[Plan, int | None]:
    """The plan of an intent of these kinds, and the number of the opponent's ply it is for; None for the next one.

    Raises: BadArguments if the stored text cannot be read.
    """
    text, hash_, ply = intent.text.rpartition("#")
    if intent.kind is IntentKind.PLAN:
        if not ply.isdecimal():
            raise BadArguments("It is not known for which ply it was.")
        return reread(text), int(ply)
    return (Branch(ANY, text if hash_ else ply),), int(ply) - 1 if hash_ else None


def fitting(plan: Plan, condition: str) -> Branch | None:
    """The branch for what the opponent did: the one that names it, otherwise the one for anything."""
    branches = {branch.condition: branch for branch in plan}
    return branches.get(condition) or (branches.get(ANY) if condition != DRAW else None)


def answer_to_offer(intent: Intent, next_ply: int) -> Branch | None:
    """The branch for an offer of a draw, if the plan has one and is for the opponent's turn."""
    try:
        plan, ply = of(intent)
    except BadArguments:
        return None
    # the opponent may have moved already, and move again
    return fitting(plan, DRAW) if ply is not None and ply <= next_ply else None


def settled(state: State, plan: Plan) -> Plan:
    """The plan in canonical form, once the board after an `any` is known; an illegal answer stays."""
    branches: list[Branch] = []
    for branch in plan:
        if branch.condition in (ANY, DRAW):
            branches.append(branch)
            continue
        try:
            after, plies = turn(state, branch.condition)
        except (GameError, Rejected):
            continue  # an illegal condition cannot happen
        condition = TOGETHER.join(plies)
        try:
            later, plies = turn(after, branch.answer)
        except (GameError, Rejected):
            branches.append(replace(branch, condition=condition))
        else:
            branches.append(Branch(condition, TOGETHER.join(plies), settled(later, branch.then)))
    return tuple(branches)
