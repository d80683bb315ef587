"""Questions to robots: in this process, and in a process of their own, which may fail."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from games import GAMES
from pbm.bots.__main__ import limit
from pbm.bots.choose import choose
from pbm.bots.levels import PATIENCE, Question
from pbm.bots.mind import Mind, NoThought, Stopped, loaded, outdated, read, think, written
from tests.patience import PATIENCE_SECONDS, wait_until


def question(game="cross", options=("-size=3",), moves=(), level=1, seen_from=None, **more):
    seen_from = len(moves) if seen_from is None else seen_from
    return Question(game, options, "", moves, level, 7, seen_from, **more)


def test_a_question_survives_being_written():
    asked = question(moves=("C3", "B2"), swappable=True, share=0.5)
    assert read(written(asked)) == asked


def test_a_module_that_changes_or_goes_makes_the_process_outdated(tmp_path, monkeypatch):
    module = ModuleType("package")
    monkeypatch.setitem(sys.modules, "package", module)
    for change in (lambda file: file.write_text("longer"), Path.unlink):
        file = tmp_path / "package.py"
        file.write_text("")
        module.__file__ = str(file)
        loaded.cache_clear()
        assert not outdated()
        change(file)
        assert outdated()
    monkeypatch.undo()
    loaded.cache_clear()
    assert not outdated()


def test_a_module_in_the_folder_that_the_server_was_started_in_is_not_taken_for_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise SystemExit('not the module that was meant')")
    assert len(Mind(PATIENCE_SECONDS)(question(moves=("C3", "B2")))) == 1


def test_every_position_asked_for_gets_a_thought():
    thoughts = think(question(moves=("C3", "B2"), seen_from=0))
    assert len(thoughts) == 3
    assert all(thought.line[0] == thought.move for thought in thoughts)


def test_a_game_that_is_over_needs_no_thought():
    assert think(question("crossgeo", ("-board=random", "-edges=1"), ("1",))) == []


def test_a_line_to_the_end_tells_how_far_that_is():
    (thought,) = think(question("crossgeo", (), level=5))
    assert thought.exact
    assert thought.left is not None
    assert thought.left > len(thought.line)


def test_an_opening_that_may_be_taken_over_is_a_fair_one():
    game = GAMES["cross"]
    (thought,) = think(question(options=("-size=4",), swappable=True))
    assert abs(thought.value) < 0.5
    assert game.parse(game.start(game.options(["-size=4"])), thought.move) is not None


def test_a_robot_is_no_more_patient_than_it_is_asked_to_be(monkeypatch):
    budgets = []

    def chosen(game, pos, budget, seed):
        budgets.append(budget)
        return choose(game, pos, budget, seed)

    monkeypatch.setattr("pbm.bots.mind.choose", chosen)
    for patience in (PATIENCE, 3.0):
        think(question(share=0.5, patience=patience))
    assert [budget.patience for budget in budgets] == [PATIENCE / 2, 3.0]


def test_a_process_thinks_the_same():
    asked = question(moves=("C3",))
    assert Mind()(asked) == think(asked)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("raise SystemExit(3)", "exit status 3"),
        ("print('nonsense')", "unreadable"),
        ("print('[{}]')", "unreadable"),
        ("import os; os.kill(os.getpid(), 9)", "exit status -9$"),
        ("raise SystemExit('a' + chr(10) + '  ~~^^' + chr(10) + 'b')", "^exit status 1: a\nb$"),
        ("raise SystemExit('x' * 300 + chr(10) + 'y' * 300)", "^exit status 1: y{300}$"),
    ],
)
def test_a_process_that_fails_gives_no_thought(program, reason):
    with pytest.raises(NoThought, match=reason):
        Mind(command=(sys.executable, "-c", program))(question())


def test_a_process_that_takes_too_long_gives_no_thought():
    with pytest.raises(NoThought, match=r"no answer within 0\.2 seconds"):
        Mind(seconds=0.2, command=(sys.executable, "-c", "import time; time.sleep(3600)"))(question())


@pytest.mark.parametrize("printing", ["print('A1')", "os.write(1, b'A1')"])
def test_what_a_package_prints_is_no_thought(printing):
    program = f"import os, pbm.bots.__main__ as robot; robot.think = lambda _: [{printing}] and []; robot.main()"
    assert Mind(command=(sys.executable, "-c", program))(question()) == []


def test_a_robot_that_is_killed_begins_anew(tmp_path: Path):
    mark = tmp_path / "began"
    program = f"import os, pathlib; m = pathlib.Path({str(mark)!r}); m.exists() or m.touch() or os.kill(os.getpid(), 9)"
    assert Mind(command=(sys.executable, "-c", f"{program}; print('[]')"))(question()) == []


FORKS = """
import os, signal, pbm.bots.__main__ as robot
def think(_):
    with open({pipe!r}, "w") as pipe:
        if os.fork() == 0:
            signal.pause()
            pipe.write("outlived")
            pipe.flush()
    return []
robot.think = think
robot.main()
"""


def test_nothing_that_a_robot_has_begun_outlives_it(monkeypatch, tmp_path: Path):
    """Nor does anybody wait for it, even if it keeps the robot's pipes open."""
    monkeypatch.setattr("pbm.bots.mind.BREATH_SECONDS", 0.1)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said: list[str] = []
    reading = threading.Thread(target=lambda: said.append(pipe.read_text()))
    reading.start()  # ends when all possible writers have ended
    mind = Mind(PATIENCE_SECONDS, command=(sys.executable, "-c", FORKS.format(pipe=str(pipe))))
    assert mind(question()) == []
    reading.join(PATIENCE_SECONDS)
    assert said == [""]


ENDS_SLOWLY = """
import time, pbm.bots.__main__ as robot
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(1.2)
kept = Slow()
robot.think = lambda _: []
robot.main()
"""


def test_a_robot_may_be_slow_to_end():
    """It checks now and then whether anybody waits, but no longer after it has thought."""
    assert Mind(command=(sys.executable, "-c", ENDS_SLOWLY))(question()) == []


ASKS = "import sys; from pbm.bots import mind; mind.Mind(command=sys.argv[1:4])(mind.read(sys.argv[4]))"
HANGS = """
import time, pbm.bots.__main__ as robot
def think(_):
    with open({pipe!r}, "w") as pipe:
        time.sleep(60)
        pipe.write("outlived")
robot.think = think
robot.main()
"""


def test_a_robot_does_not_outlive_whoever_asked_it(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    robot = (sys.executable, "-c", HANGS.format(pipe=str(pipe)))
    with subprocess.Popen([sys.executable, "-c", ASKS, *robot, written(question())]) as asking:
        with pipe.open() as said:  # opens when the robot thinks
            asking.kill()
            assert said.read() == ""


BEGINS_LATE = """
import pbm.bots.__main__ as robot
with open({begins!r}, "w"), open({goes_on!r}) as goes_on:
    goes_on.read()
def think(_):
    with open({pipe!r}, "w") as pipe:
        pipe.write("outlived")
robot.think = think
with open({pipe!r}, "w"):
    robot.main()
"""


def test_a_robot_does_not_begin_when_whoever_asked_it_is_gone(tmp_path: Path):
    """As when a server is killed in the second in which a robot starts."""
    begins, goes_on, said = (tmp_path / name for name in ("begins", "goes_on", "said"))
    for pipe in (begins, goes_on, said):
        os.mkfifo(pipe)
    robot = (sys.executable, "-c", BEGINS_LATE.format(begins=str(begins), goes_on=str(goes_on), pipe=str(said)))
    with subprocess.Popen([sys.executable, "-c", ASKS, *robot, written(question())]) as asking:
        with begins.open():  # opens when the robot has started
            asking.kill()
    goes_on.write_text("now")
    assert said.read_text() == ""


def test_a_mind_looks_up_now_and_then(monkeypatch, tmp_path: Path):
    """Whatever it does then, no process is left behind."""
    monkeypatch.setattr("pbm.bots.mind.BREATH_SECONDS", 0.1)
    pipe, looks = tmp_path / "pipe", []
    os.mkfifo(pipe)

    def look_up() -> None:
        looks.append(1)
        if len(looks) == 3:
            pipe.write_text("enough")  # ends when the robot has read it

    slow = f"import sys; sys.stdin.read(); open({str(pipe)!r}).read(); print('[]')"
    assert Mind(command=(sys.executable, "-c", slow), meanwhile=look_up)(question()) == []
    assert len(looks) >= 3
    mind = Mind(command=(sys.executable, "-c", "import time; time.sleep(60)"), meanwhile=lambda: 1 / 0)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        mind(question())
    assert mind._process is not None
    assert mind._process.returncode is not None


def test_a_program_that_is_not_there_gives_no_thought():
    with pytest.raises(NoThought):
        Mind(command=("/nowhere/at/all",))(question())


def test_a_mind_that_is_stopped_gives_up():
    mind = Mind(command=(sys.executable, "-c", "import time; time.sleep(60)"))
    caught: list[type] = []

    def run() -> None:
        try:
            mind(question())
        except Exception as error:  # noqa: BLE001
            caught.append(type(error))

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: mind._process is not None)
    mind.stop()
    thread.join(PATIENCE_SECONDS)
    assert caught == [Stopped]


def test_a_robot_thinks_where_it_may_set_neither_priority_nor_limits(monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.nice", refuse)
    monkeypatch.setattr("resource.setrlimit", refuse)
    limit()
