"""Questions to a robot, as text between processes: positions of one game, and the robot's thoughts on each.

Thinking takes long and may fail, so it is done in a separate process, which can be killed at any time, and which the
system stops if it uses too much: `python -m pbm.bots PID` reads a question in JSON from its standard input and writes
its thoughts to its standard output. That process runs the code that is on disk then, which may be another version.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from random import Random
from signal import SIGKILL
from typing import Any

from games import GAMES, AnyGame
from pbm.bots import strong
from pbm.bots.choose import Decision, choose, discovered, invented, skill_of
from pbm.bots.levels import LEVELS, Budget, Question, Thought

LONGEST_LINE = 8
"""How many moves of an expected line are given."""

LONGEST_TROUBLE = 500
"""The most characters quoted from a process's error output."""

BREATH_SECONDS = 5.0
"""How often `meanwhile` is called while waiting for a process."""

MOMENT = 0.5
"""The fewest seconds for a search after solving was tried."""

OPENINGS = 6
"""How many first moves a robot considers if the opponent may swap."""


class NoThought(Exception):
    """The thinking process gave no answer; the text says why."""


class Stopped(Exception):
    """The thinking was stopped."""


def think(question: Question) -> list[Thought]:
    """The thoughts on each position asked about, except those where the game is over. Raises: GameError.

    If a puzzle is wanted, one thought on its position, or none if none was found.
    """
    return list(_puzzle(question) if question.puzzle else _thoughts(question))


def _thoughts(question: Question) -> Iterator[Thought]:
    game = GAMES[question.game]
    pos = game.start(game.options(question.options, body=question.body))
    for number, text in enumerate((*question.moves, None)):
        if number >= question.seen_from and game.outcome(pos) is None:
            opens = question.swappable and number == 0
            asked = replace(question, seed=question.seed + number, swappable=opens, moves=question.moves[:number])
            yield _thought(game, pos, asked)
        if text is not None:
            pos = game.play(pos, game.parse(pos, text))


def _puzzle(question: Question) -> Iterator[Thought]:
    game = GAMES[question.game]
    start = game.start(game.options(question.options))
    skill = skill_of(question.game)
    if question.moves:
        puzzle = discovered(skill, start, question.moves, question.seed)
    else:
        puzzle = invented(skill, start, question.seed)
    if puzzle is not None:
        before, pos = _notated(game, start, puzzle[0])
        line, _ = _notated(game, pos, puzzle[1])
        yield Thought(line[0], 1.0, True, line[:LONGEST_LINE], before=before)


def _notated(game: AnyGame, pos: Any, moves: Iterable[Any]) -> tuple[tuple[str, ...], Any]:
    """The canonical notations of moves from a position, and the position after them."""
    notations = []
    for move in moves:
        notations.append(game.notate(pos, move))
        pos = game.play(pos, move)
    return tuple(notations), pos


def _thought(game: AnyGame, pos: Any, question: Question) -> Thought:
    budget = LEVELS[question.level].budget(skill_of(game.info.name)).part(question.share)
    budget = replace(budget, patience=min(budget.patience, question.patience))
    board = strong.board_of(game, game.options(question.options)) if question.level == max(LEVELS) else None
    # Whoever opens too well loses the opening to a swap.
    if question.swappable:
        choice = fair_opening(game, pos, budget, question.seed)
    elif board is not None:
        choice = _strongest(game, pos, board, budget, question)
    else:
        choice = choose(game, pos, budget=budget, seed=question.seed)
    line, end = _notated(game, pos, choice.line)
    left = len(line) if game.outcome(end) is not None else None
    return Thought(line[0], choice.value, choice.exact, line[:LONGEST_LINE], left)


def _strongest(game: AnyGame, pos: Any, board: strong.SpielBoard, budget: Budget, question: Question) -> Decision:
    """The solution of the position if it can be solved, otherwise what OpenSpiel's search finds in the same time."""
    begun = time.process_time(), time.monotonic()
    solved = choose(game, pos, budget=replace(budget, visits=1), seed=question.seed)
    if solved.exact:
        return solved
    seconds = max(MOMENT, budget.seconds - (time.process_time() - begun[0]))
    patience = max(MOMENT, budget.patience - (time.monotonic() - begun[1]))
    state = strong.reached(board, question.moves)
    return strong.decision(game, pos, board, state, seconds, patience, question.seed)


def fair_opening(game: AnyGame, pos: Any, budget: Budget, seed: int) -> Decision:
    """The first move, out of a random sample, after which both sides are most nearly equal."""
    dice = Random(seed)
    moves = list(skill_of(game.info.name).moves(pos, dice))
    share = replace(budget.part(1 / OPENINGS), steps=budget.steps)
    replies = [
        (move, choose(game, game.play(pos, move), budget=share, seed=seed))
        for move in dice.sample(moves, min(OPENINGS, len(moves)))
        if game.outcome(game.play(pos, move)) is None
    ]
    move, reply = min(replies, key=lambda item: abs(item[1].value))
    return Decision(move, -reply.value, (move, *reply.line), reply.exact)


class Mind:
    """Thinks in a separate process, one question at a time, which is killed after a time limit or when stopped."""

    def __init__(
        self,
        seconds: float = 600,
        command: Sequence[str] = (sys.executable, "-P", "-m", "pbm.bots"),
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """command: gets the id of this process as its argument. meanwhile: called every few seconds during thinking."""
        # For one that hangs: its processor time is limited, so it gets as much on a busy machine.
        self._seconds = seconds
        self._command = command
        self._meanwhile = meanwhile
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def stop(self) -> None:
        """Stops thinking, from any thread; the current question is given up."""
        self._stopped = True
        if self._process is not None:
            _kill(self._process)

    def __call__(self, question: Question) -> list[Thought]:
        """Raises: Stopped; NoThought if the process fails, or takes too long."""
        status, out, trouble = self._answer(question)
        # Something else killed it, such as a system short of memory: once more.
        if status == -SIGKILL:
            status, out, trouble = self._answer(question)
        if status:
            raise NoThought(f"exit status {status}{_ending(trouble.strip())}")
        try:
            return [
                Thought(**{**fields, "line": tuple(fields["line"]), "before": tuple(fields["before"])})
                for fields in json.loads(out)
            ]
        except (ValueError, TypeError, KeyError) as error:
            raise NoThought(f"unreadable: {error}") from None

    def _answer(self, question: Question) -> tuple[int, str, str]:
        """The exit status of a process, its output and its error output. Raises: Stopped, NoThought."""
        pipe, command = subprocess.PIPE, (*self._command, str(os.getpid()))
        alike = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # it finds the modules that we have found
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, process_group=0, env=alike
            )
        except OSError as error:
            raise NoThought(str(error)) from None
        with self._process as process:
            try:
                out, trouble = self._talk(process, "" if self._stopped else written(question))
            finally:
                _kill(process)  # leaving this block waits for the process
        if self._stopped:
            raise Stopped
        return process.returncode, out, trouble

    def _talk(self, process: subprocess.Popen[str], text: str) -> tuple[str, str]:
        """The output and the error output. Raises: NoThought if the process takes too long."""
        until = time.monotonic() + self._seconds
        while (left := until - time.monotonic()) > 0:
            with suppress(subprocess.TimeoutExpired):
                return process.communicate(text, min(left, BREATH_SECONDS))
            text = ""  # communicate continues with the text it was given first
            if process.poll() is not None:
                _kill(process)  # processes that it left behind keep its pipes open
            self._meanwhile()
        raise NoThought(f"no answer within {self._seconds:g} seconds")


@cache
def loaded() -> dict[str, tuple[int, int] | None]:
    """The files of this process's modules, as they were on disk when this was first called."""
    files = (vars(module).get("__file__") for module in list(sys.modules.values()))
    return {file: _stamp(file) for file in files if isinstance(file, str)}


def outdated() -> bool:
    """Whether any of these files has changed since, so a thinking process may run other code than this one."""
    return any(_stamp(file) != stamp for file, stamp in loaded().items())


def _stamp(file: str) -> tuple[int, int] | None:
    """The time and size of a file; None if it is gone."""
    with suppress(OSError):
        status = Path(file).stat()
        return status.st_mtime_ns, status.st_size
    return None


def _kill(process: subprocess.Popen[str]) -> None:
    """Kills a process and all processes that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, SIGKILL)


def _ending(trouble: str) -> str:
    """The last whole lines of a process's error output, without lines of carets, to append to a sentence."""
    trouble = "\n".join(line for line in trouble.splitlines() if line.strip(" ^~"))
    if len(trouble) > LONGEST_TROUBLE:
        trouble = trouble[-LONGEST_TROUBLE:].partition("\n")[2].strip()
    return f": {trouble}" if trouble else ""


def written(question: Question) -> str:
    return json.dumps(asdict(question))


def read(text: str) -> Question:
    """Raises: ValueError, TypeError, KeyError for a text not from `written`."""
    fields = json.loads(text)
    return Question(**{**fields, "options": tuple(fields["options"]), "moves": tuple(fields["moves"])})
