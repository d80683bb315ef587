"""Robots as players: whose board comes next, how games end, and what happens if a program fails."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from itertools import cycle, islice

import pytest

from games import GAMES
from pbm.bots.__main__ import SECONDS
from pbm.bots.choose import skill_of
from pbm.bots.levels import LEVELS, Thought
from pbm.bots.mind import NoThought, Stopped, think
from pbm.core.decisions import play_ply
from pbm.core.notify import Desk
from pbm.domain.mail import RemarkKind
from pbm.domain.match import Record, State
from pbm.features.teach import MOST_SHOWN, Step, parts, plot
from pbm.server import Arriving, Service, Settings
from pbm.server.thinker import HELD, LATE
from pbm.store import Store
from tests.conversation import ROBOT, Got, House, address_of, record
from tests.games.variants import EACH
from tests.patience import PATIENCE_SECONDS

THEIRS = "robot1"


def result(house: House, board: int):
    with house.service.store.read() as tx:
        match = tx.matches.load(board)
    assert match is not None
    return match.result


def begun(house: House, words: str, player: str) -> int:
    """A board on which robot1 begins; the player asks for it, since robots write no mails. words: a game, options."""
    game, *options = words.split()
    board = house.send(player, " ".join([game, "challenge", *options, THEIRS, "me"]))[0].board
    assert board is not None
    return board


def scripted(house: House, **thought):
    """Let robots give this thought and no other."""
    usual = {"move": "A1", "value": 0.0, "exact": False, "line": ("A1",), "left": None}
    house.thoughts = lambda _: [Thought(**{**usual, **thought})]


@pytest.mark.parametrize("name", EACH)
def test_a_robot_takes_a_challenge_of_every_game_and_begins(house: House, name: str) -> None:
    house.player("alice")
    board = house.send("alice", f"{name} challenge {THEIRS} me")[0].board
    assert board is not None
    house.think()
    assert len(record(house, board)) == 1


def test_a_game_goes_on_to_its_end(house: House) -> None:
    house.player("alice")
    board = house.game("crossgeo -board=random -edges=8 alice robot5")
    for _ in range(10):
        house.think()
        if result(house, board) is not None:
            break
        with house.service.store.read() as tx:
            match = tx.matches.load(board)
        assert match is not None
        game = GAMES["crossgeo"]
        pos = game.start(game.options(match.options))
        for text in record(house, board):
            pos = game.play(pos, game.parse(pos, text))
        house.answer("alice", game.notate(pos, next(game.moves(pos))), board)
    assert result(house, board) is not None
    assert "not rated" in house.mailboxes["alice@example.net"][-2].body, "the last one is the keepsake"


def test_just_robot_is_one_of_them(house: House) -> None:
    house.player("alice")
    assert "robot3" in house.send("alice", "cross challenge me robot")[0]["Subject"]


def test_who_writes_to_a_robot_is_told_how_it_goes_on(house: House) -> None:
    house.player("alice")
    board = house.game("cross -size=3 alice robot1", ["C3"])
    told = [house.answer("alice", "What a nice day!", board)[0].body]
    house.answer("alice", "resign!", board)
    told += [house.answer("alice", "What a nice game!", board)[0].body]
    assert all("robot1 is a program, which reads no messages." in " ".join(body.split()) for body in told)
    assert "\nrobot1's move comes in a separate email.\n" in told[0]
    assert '\nTo play once more, send "cross challenge me robot1".\n' in told[1]


def test_a_hint_after_an_opening_that_is_too_good_is_to_swap(house: House) -> None:
    house.player("alice")
    board = begun(house, "cross", "alice")
    scripted(house, move="F6", line=("F6",))
    house.think()
    house.send("alice", "", f"hint {board} alice alicepass")
    scripted(house, move="A1", value=-0.3, line=("A1", "B1"))
    (mail,) = house.think()
    assert "robot5 would swap: if you do not, it puts your chances at 35 %." in " ".join(mail.body.split())


def test_the_same_board_is_played_the_same_way_after_a_kill(house: House) -> None:
    """A lost thought is thought again: it depends on the board and the ply alone."""
    house.player("alice")
    house.game("cross -size=4 alice robot2", ["C3"])
    asked = []

    def noted(question):
        asked.append(question)
        return []

    house.thoughts = noted
    house.service.thinkers[0].run()
    house.service.thinkers[0].run()
    assert asked[0] == asked[1]
    assert think(asked[0]) == think(asked[1])


def test_a_second_board_waits_for_the_first_boards_of_others(house: House) -> None:
    order = []
    house.players("alice", "bob")
    boards = [begun(house, "cross", player) for player in ("alice", "alice", "alice", "bob")]

    def answered(question):
        order.append(question.seed // 10_007)
        return think(question)

    house.thoughts = answered
    house.think()
    assert order == [boards[0], boards[3], boards[1], boards[2]]


def test_where_many_wait_less_is_thought_about_each_so_that_all_have_their_answer_soon(house: House) -> None:
    """A player on many boards gets weaker moves; other players' moves are only as weak as their own number requires."""
    house.players("alice", "bob")
    theirs = {str(begun(house, "cross", "alice")) for _ in range(24)}
    begun(house, "cross", "bob")
    asked, patience = [], list[float]()

    def noted(question):
        asked.append((str(question.seed // 10_007) in theirs, question.share))
        patience.append(question.patience)
        return think(replace(question, share=0.01))

    house.thoughts = noted
    house.think()
    seconds = LEVELS[1].seconds
    assert [share for own, share in asked if not own] == [1.0]
    shares = [share for own, share in asked if own]
    assert len(shares) == 24
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(45 / 24 / seconds)
    assert shares[-1] == 1.0
    assert patience[0] == 45 / 24, "by the clock, too: the machine may be busy"


def test_robots_think_only_so_long_within_an_hour_for_one_player(house: House) -> None:
    """Each such player is told once; others still get their moves, and so do they when half of it is back."""
    order = []
    house.players("alice", "bob")
    boards = [begun(house, "cross", player) for player in ("alice", "alice", "bob")]

    def answered(question):
        house.now += timedelta(seconds=50)
        order.append(question.seed // 10_007)
        return think(question)

    house.thoughts = answered
    tools = house.service.tools
    tools.limits = tools.limits.model_copy(update={"thinking_seconds_per_hour": 50})
    mails = house.think()
    assert order == [boards[0], boards[2]]
    told = [mail for mail in mails if mail["Subject"] == "pbm: robots pause"]
    assert [mail.address for mail in told] == ["alice@example.net", "bob@example.net"]
    (mail,) = house.answer("alice", "hint", boards[0])
    assert "A robot thinks about board 101 as soon as robots think for you again." in " ".join(mail.body.split())
    house.wait(timedelta(minutes=20))
    assert not house.think()
    house.wait(timedelta(minutes=20))
    house.think()
    assert order == [boards[0], boards[2], boards[1]]


def test_a_thought_that_fails_takes_nothing_from_what_robots_think_for_a_player(house: House) -> None:
    """Otherwise sound games would wait for the rest of the hour because one package hangs."""
    house.player("alice")
    begun(house, "hex -size=4", "alice")
    board = begun(house, "cross -size=4", "alice")
    tools = house.service.tools
    tools.limits = tools.limits.model_copy(update={"thinking_seconds_per_hour": 100})

    def answered(question):
        if question.game == "hex":
            house.now += timedelta(seconds=120)
            raise NoThought("no answer within 120 seconds")
        return think(question)

    house.thoughts = answered
    assert [mail.board for mail in house.think()] == [board]


def test_nobody_waits_for_an_hour_that_was_begun_while_the_clock_was_ahead(house: House) -> None:
    house.player("alice")
    board = begun(house, "cross -size=4", "alice")
    tools = house.service.tools
    tools.limits = tools.limits.model_copy(update={"thinking_seconds_per_hour": 50})

    def answered(question):
        house.now += timedelta(days=1)
        return think(question)

    house.thoughts = answered
    assert "pbm: robots pause" in [mail["Subject"] for mail in house.think()]
    house.now -= timedelta(days=1)
    house.thoughts = think
    house.answer("alice", "B2", board)
    house.think()
    assert len(record(house, board)) == 3


def test_a_thought_that_comes_too_late_changes_nothing(house: House) -> None:
    house.player("alice")
    board = begun(house, "cross -size=4", "alice")

    def answered(question):
        house.thoughts = think
        house.now += HELD
        house.service.thinkers[0].run()
        return think(question)

    house.thoughts = answered
    house.service.thinkers[0].run()
    assert len(record(house, board)) == 1


@pytest.fixture
def second(house: House):
    """The thinker of another process with the same database."""
    service = Service(
        Store(house.url), Settings(ROBOT), clock=lambda: house.now, ask=lambda asked: house.thoughts(asked)
    )
    yield service.thinkers[0]
    service.close()


def test_several_who_think_share_the_boards(house: House, second) -> None:
    """No thinker takes a board of another one until that one has been silent for a while."""
    house.player("alice")
    boards = [begun(house, "cross -size=4", "alice") for _ in range(2)]
    first, asked = house.service.thinkers[0], []

    def answered(question):
        asked.append(question.seed // 10_007)
        if len(asked) == 1:
            assert second.run(2) == 1
            house.now -= timedelta(hours=1)
            assert second.run() == 1, "a clock that is set back makes nobody wait"
        return think(question)

    house.thoughts = answered
    assert first.run(5) == 1
    assert asked == [*boards, boards[0]]
    assert [len(record(house, board)) for board in boards] == [1, 1]


def test_what_a_killed_process_thought_about_is_soon_taken_by_another(house: House, second) -> None:
    house.player("alice")
    board = begun(house, "cross -size=4", "alice")

    class Killed(BaseException):
        pass

    def killed(question):
        raise Killed

    house.thoughts = killed
    with pytest.raises(Killed):
        house.service.thinkers[0].run()
    house.thoughts = think
    assert second.run() == 0
    house.now += HELD
    assert second.run() == 1
    assert len(record(house, board)) == 1


def test_what_is_given_up_in_good_order_is_taken_at_once(house: House, second) -> None:
    house.player("alice")
    board = begun(house, "cross -size=4", "alice")

    def stopped(question):
        raise Stopped

    house.thoughts = stopped
    house.service.thinkers[0].run()
    house.thoughts = think
    assert second.run() == 1
    assert len(record(house, board)) == 1


@pytest.mark.parametrize(
    ("value", "left", "resigns"), [(-1.0, 3, True), (-1.0, 30, False), (-1.0, None, False), (1.0, 1, False)]
)
def test_a_lost_game_is_given_up_when_its_end_is_near(house: House, value, left, resigns) -> None:
    house.player("alice")
    board = house.game("cross -size=4 alice robot1")
    scripted(house, move="A2")
    house.answer("alice", "A1", board)
    house.think()
    scripted(house, move="A4", exact=True, value=value, left=left)
    house.answer("alice", "A3", board)
    house.think()
    assert (result(house, board) is not None) is resigns


@pytest.mark.parametrize(("value", "swaps"), [(-0.5, True), (0.3, False)])
def test_a_robot_swaps_when_that_is_better(house: House, value, swaps) -> None:
    house.player("alice")
    board = house.game("cross -size=4 alice robot1", ["C3"])
    scripted(house, value=value)
    house.think()
    assert record(house, board) == ["C3", "swap" if swaps else "A1"]


def test_a_draw_is_refused_when_the_robot_is_better(house: House) -> None:
    house.player("alice")
    board = begun(house, "loops", "alice")
    scripted(house, value=-0.5)
    house.think()
    house.answer("alice", "propose", board)
    house.think()
    assert result(house, board) is None, "what is bad for alice, who is to move, is good for the robot"
    scripted(house, value=0.5)
    house.answer("alice", "propose", board)
    house.think()
    assert result(house, board) is not None


@pytest.mark.parametrize(("value", "drawn"), [(-0.5, False), (0.0, True)])
def test_a_draw_is_refused_by_a_robot_that_would_swap(house: House, value, drawn) -> None:
    house.player("alice")
    board = house.game("cross -size=4 alice robot1", ["C3"])
    scripted(house, value=value)
    house.answer("alice", "propose", board)
    house.think()
    assert (result(house, board) is not None) is drawn


@pytest.fixture
def watched(new_house, monkeypatch):
    monkeypatch.setattr("pbm.server.thinker.outdated", lambda: False)
    return new_house(Settings(ROBOT, operator="op@example.org"))


@pytest.mark.parametrize("wrong", [NoThought("it broke"), None])
def test_a_robot_that_fails_makes_the_game_wait_and_resigns_at_last(watched: House, wrong) -> None:
    """Whether its process fails or gives something that is not a move."""
    watched.player("alice")
    board = watched.game("cross -size=4 alice robot1", ["A1"])

    def failing(question):
        if wrong is not None:
            raise wrong
        return [Thought("A1", 0.0, exact=False, line=("A1",))]

    watched.thoughts = failing
    watched.think()
    told = watched.wait(timedelta(minutes=5))
    assert [mail.address for mail in told] == ["op@example.org"]
    assert f"board {board}" in told[0].body
    watched.now += timedelta(hours=1)
    assert watched.think() == []
    (heard,) = watched.wait(timedelta(hours=1))
    assert heard.address == "alice@example.net"
    assert "'s program fails, and the operator has been told." in " ".join(heard.body.split())
    assert result(watched, board) is None
    watched.wait(timedelta(days=2, hours=22))
    watched.think()
    mails = watched.wait(timedelta(hours=1))
    (told_last,) = (mail.body for mail in mails if "My program fails here, so I cannot go on." in mail.body)
    assert "The game is void" in told_last, "it has not begun for the robot, so nothing is resigned"
    outcome = result(watched, board)
    assert outcome is not None
    assert outcome.winner in (1, None)


def test_a_robot_that_is_mended_while_the_server_is_down_plays_on(watched: House) -> None:
    """One failure days ago is not days of failing."""
    watched.player("alice")
    board = begun(watched, "cross -size=4", "alice")

    def failing(question):
        raise NoThought("it broke")

    watched.thoughts = failing
    watched.think()
    watched.thoughts = think
    watched.sleep(timedelta(days=4))
    assert result(watched, board) is None
    watched.think()
    watched.wait(timedelta(days=4))
    assert result(watched, board) is None
    assert len(record(watched, board)) == 1


def test_a_robot_that_failed_while_the_clock_was_ahead_is_tried_again(watched: House) -> None:
    watched.player("alice")
    board = begun(watched, "cross -size=4", "alice")

    def failing(question):
        raise NoThought("it broke")

    watched.thoughts = failing
    watched.now += timedelta(days=40)
    watched.think()
    watched.now -= timedelta(days=40)
    watched.thoughts = think
    watched.think()
    assert len(record(watched, board)) == 1


def to_operator(mails: Sequence[Got]) -> list[Got]:
    return [mail for mail in mails if mail.address == "op@example.org"]


def test_the_operator_is_told_of_the_cause_and_not_of_each_board(watched: House) -> None:
    """A broken package fails everywhere: one mail an hour for each game, and none if nothing is new."""
    watched.players("alice", "bob")

    def failing(question):
        raise NoThought("exit status 1")

    watched.thoughts = failing
    boards = [begun(watched, "cross -size=4", player) for player in ("alice", "bob") for _ in range(21)]
    watched.think()
    (told,) = to_operator(watched.wait(timedelta(minutes=30)))
    assert f"42 boards wait: {boards[0]}, {boards[1]}, " in " ".join(told.body.split())
    assert "and 2 more." in " ".join(told.body.split())
    late, other = begun(watched, "cross -size=4", "alice"), begun(watched, "hex -size=4", "alice")
    watched.send("alice", f"cross resign {boards[0]} alice alicepass")
    watched.think()
    told, again = to_operator(watched.wait(timedelta(hours=1)))
    assert (told["Subject"], again["Subject"]) == ("pbm: robots fail at Hex", "pbm: robots fail at Cross")
    assert f"1 board waits: {other}." in told.body
    assert "42 boards wait, 1 of them since you were last told:" in " ".join(again.body.split())
    assert f"lately on board {late}," in again.body
    assert to_operator(watched.wait(timedelta(hours=5))) == []


def test_a_player_is_told_once_that_robots_fail_at_a_game(watched: House) -> None:
    """Not for each board; but again when robots have played there meanwhile."""

    def failing(question):
        raise NoThought("exit status 1")

    def told(mails: Sequence[Got]) -> list[str]:
        return [mail.address for mail in mails if "program fails." in mail.body or "program fails, and" in mail.body]

    watched.players("alice", "bob")
    watched.thoughts = failing
    first = [begun(watched, "cross -size=4", player) for player in ("alice", "bob", "alice")]
    watched.think()
    assert sorted(told(watched.wait(timedelta(hours=1)))) == ["alice@example.net", "bob@example.net"]
    begun(watched, "cross -size=4", "alice")
    watched.think()
    assert told(watched.wait(timedelta(hours=1))) == []
    watched.thoughts = think
    watched.think()
    assert len(record(watched, first[0])) == 1
    watched.thoughts = failing
    begun(watched, "cross -size=4", "alice")
    watched.think()
    assert told(watched.wait(timedelta(hours=1))) == ["alice@example.net"]


def test_a_robot_that_fails_because_a_new_version_was_installed_waits_for_the_restart(
    watched: House, monkeypatch
) -> None:
    watched.player("alice")
    boards = [begun(watched, f"{game} -size=4", "alice") for game in ("cross", "hex")]

    def failing(question):
        raise NoThought("exit status 1: TypeError: Question.__init__() got an unexpected keyword argument 'share'")

    watched.thoughts = failing
    monkeypatch.setattr("pbm.server.thinker.outdated", lambda: True)
    (told,) = watched.think()
    assert (told.address, told["Subject"]) == ("op@example.org", "pbm: restart the server")
    assert "got an unexpected keyword argument 'share'" in " ".join(told.body.split())
    for _ in range(23):
        assert watched.wait(timedelta(hours=1)) == watched.think() == [], "nobody hears of it again that day"
    watched.wait(timedelta(days=4))
    watched.think()
    monkeypatch.undo()
    watched.thoughts = think
    watched.wait(timedelta(minutes=15))
    watched.think()
    assert [len(record(watched, board)) for board in boards] == [1, 1]


def test_a_game_that_is_gone_keeps_the_operator_from_hearing_nothing(watched: House, monkeypatch) -> None:
    """Nor does the board of that game end meanwhile."""
    watched.player("alice")
    boards = [begun(watched, f"{game} -size=4", "alice") for game in ("hex", "cross")]

    def failing(question):
        raise NoThought("exit status 1")

    watched.thoughts = failing
    watched.think()
    monkeypatch.delitem(GAMES, "hex")
    (told,) = to_operator(watched.wait(timedelta(days=2)))
    assert f"1 board waits: {boards[1]}." in told.body


def test_a_board_on_which_a_robot_failed_waits_for_all_others(watched: House) -> None:
    """A program that hangs takes minutes each time; nobody else has to wait for it twice."""
    watched.players("alice", "bob")
    stuck = [begun(watched, "cross -size=4", "alice") for _ in range(2)]
    asked = []

    def failing(question):
        asked.append(question.seed // 10_007)
        if asked[-1] in stuck:
            raise NoThought("no answer within 120 seconds")
        return think(question)

    watched.thoughts = failing
    watched.think()
    watched.now += timedelta(minutes=10)
    board = begun(watched, "cross -size=4", "bob")
    watched.think()
    assert asked == [*stuck, board, *stuck]


class Hanging:
    """Programs of some games that hang, each in a thinker's thread, until they are let go; other games' robots work."""

    def __init__(self, house: House, games: Sequence[str]) -> None:
        self.house, self.games = house, games
        self.asked: list[str] = []
        """The games of the questions, in order."""
        self._hangs, self._ends = threading.Semaphore(0), threading.Event()
        self._threads: list[threading.Thread] = []
        house.thoughts = self._answer

    def _answer(self, question):
        self.asked.append(question.game)
        if question.game not in self.games:
            return think(question)
        self._hangs.release()
        self._ends.wait(PATIENCE_SECONDS)
        self.house.now += timedelta(seconds=LATE)
        raise NoThought("no answer within 120 seconds")

    def begin(self, thinker) -> None:
        """Start a thinker, and return when its program hangs."""
        self._threads.append(threading.Thread(target=thinker.run))
        self._threads[-1].start()
        assert self._hangs.acquire(timeout=PATIENCE_SECONDS)

    def end(self) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._ends.clear()


@pytest.fixture
def clock(monkeypatch):
    """A clock in seconds that decides whether a thought is late; tests move it."""
    seconds = [1000.0]
    monkeypatch.setattr("pbm.server.thinker.monotonic", lambda: seconds[0])
    return seconds


def test_others_have_their_moves_while_several_programs_hang(house: House, clock) -> None:
    """All boards of the games that hang wait, and no other thinker begins one of them."""
    players, games = ("alice", "bob", "carol", "dora"), ["hex", "y", "gomoku", "cross -size=4"]
    for player in players:
        house.player(player)
    stuck = [begun(house, "hex", "dora")]
    *more, board = [begun(house, game, player) for game, player in zip(games, players, strict=True)]
    hanging, (*others, last, _) = Hanging(house, games[:3]), house.service.thinkers
    for thinker in others:
        hanging.begin(thinker)
        assert last.run(100) == 0, "it is not late yet"
        clock[0] += LATE
    assert last.run(100) == 1
    hanging.end()
    assert last.run(100) == 0, "the first is there again"
    assert hanging.asked == ["hex", "y", "gomoku", "cross"]
    assert [len(record(house, each)) for each in (*stuck, *more, board)] == [0, 0, 0, 0, 1]


def test_the_last_that_thinks_takes_nothing_that_came_with_a_package(house: House, clock, monkeypatch) -> None:
    """Otherwise all robots would stand still for two minutes once as many packages hang as there are thinkers."""
    joined = ["hex", "y", "gomoku", "havannah"]
    monkeypatch.setattr("pbm.server.thinker.OURS", GAMES.keys() - joined)
    boards = []
    for player, game in zip(("alice", "bob", "carol", "dora", "erin"), [*joined, "cross -size=4"], strict=True):
        house.player(player)
        boards.append(begun(house, game, player))
    hanging, (*others, last, _) = Hanging(house, joined), house.service.thinkers
    for thinker in others:
        hanging.begin(thinker)
        clock[0] += LATE
    assert last.run(100) == 1
    assert hanging.asked == [*joined[:3], "cross"]
    hanging.end()
    hanging.begin(others[0])
    hanging.end()
    assert hanging.asked[4:] == ["havannah"]
    assert [len(record(house, each)) for each in boards] == [0, 0, 0, 0, 1]


def test_a_game_whose_program_has_hung_waits_for_all_others(house: House, clock) -> None:
    """Nobody waits for it twice: while one thinker tries it again, the next one begins with sound games at once."""
    for player in ("alice", "bob"):
        house.player(player)
        for game in ("hex", "y"):
            begun(house, game, player)
    first, second, third, *_ = house.service.thinkers
    hanging = Hanging(house, ["hex", "y"])
    hanging.begin(first)
    clock[0] += LATE
    hanging.begin(second)
    clock[0] += LATE
    hanging.end()
    begun(house, "cross -size=4", "bob")
    assert first.run() == 1
    hanging.begin(first)
    begun(house, "cross -size=4", "bob")
    assert second.run(100) == 1, "the other one that hung is left alone meanwhile"
    assert hanging.asked == ["hex", "y", "cross", "hex", "cross"]
    hanging.end()
    house.now += timedelta(minutes=10)
    begun(house, "cross -size=4", "bob")
    hanging.begin(first)
    assert third.run(100) == 0, "it has hung long ago, so it gets its time again"
    hanging.end()


def test_a_game_that_has_gone_with_its_package_stops_no_robot(house: House, monkeypatch) -> None:
    house.players("alice", "bob")
    over = house.game("hex -size=4 alice bob", ["a1", "b2", "resign!"])
    house.think()
    gone, board = (begun(house, f"{game} -size=4", "alice") for game in ("hex", "cross"))
    house.send("alice", f"review {over} alice alicepass")
    monkeypatch.delitem(GAMES, "hex")
    house.service.tools.states.forget()
    with house.service.store.read() as tx:
        assert tx.matches.load(gone) is not None
    mails = house.think()
    assert [mail.board for mail in mails] == [board]


def test_no_move_waits_for_a_review(house: House) -> None:
    house.players("alice", "bob")
    over = house.game("cross -size=2 alice bob", ["A1", "B1", "resign!"])
    board = begun(house, "cross -size=4", "alice")
    house.send("alice", f"review {over} alice alicepass")
    moves, *_, lessons = house.service.thinkers
    reviewed = threading.Event()

    def answered(question):
        if len(question.moves) > question.seen_from:
            assert reviewed.wait(PATIENCE_SECONDS), "the move was thought about meanwhile"
        return think(question)

    house.thoughts = answered
    review = threading.Thread(target=lessons.run)
    review.start()
    moves.run(100)
    assert len(record(house, board)) == 1
    reviewed.set()
    review.join()
    assert any("review" in mail["Subject"] for mail in house.collect())


def test_a_review_comes_in_the_form_that_its_reader_has_chosen(house: House) -> None:
    house.players("alice", "bob")
    over = house.game("crossgeo -board=random -edges=9 -fair=no -seed=1 alice bob", ["2", "5", "3", "resign!"])
    house.send("alice", "set alice alicepass mail both")
    house.send("alice", "set alice alicepass board words")
    house.send("alice", f"review {over} alice alicepass")
    mail = next(mail for mail in house.think() if "review" in mail["Subject"])
    assert "text/html" in mail.forms
    assert "<pre" in mail.part("text/html"), "the curve, in letters of equal width"
    assert "Segment 1 from A to B, green." in mail.body


def test_an_answer_to_any_mail_asks_for_a_review_of_any_board(house: House) -> None:
    house.players("alice", "bob")
    over = house.game("cross -size=3 alice bob", ["A1", "B1", "resign!"])
    other = house.game("hex -size=4 alice bob")
    (mail,) = house.answer("alice", f"review {over}", other, vouched=True)
    assert "A robot goes through board 101." in mail.body
    (mail,) = house.answer("alice", f"hex review {over}", other, vouched=True)
    assert "Board 101 is a game of Cross: write cross, not hex." in mail.body


@pytest.mark.parametrize("plies", [2, 39, 40, 41, 400])
def test_a_review_takes_a_bounded_time_however_long_the_game_was(house: House, plies: int) -> None:
    """No part takes so long that the system ends its process, and each position is thought about once."""
    house.players("alice", "bob")
    over = house.game("cross -size=3 alice bob", ["A1", "B1", "resign!"])
    with house.service.store.read() as tx:
        match = tx.matches.load(over)
    assert match is not None
    record = Record.of(islice(cycle(match.record), plies))
    questions = parts(match._replace(record=record))
    seen = [number for each in questions for number in range(each.seen_from, len(each.moves) + 1)]
    assert seen == list(range(plies + 1))
    for each in questions:
        one = LEVELS[each.level].budget(skill_of("cross")).part(each.share)
        assert one.seconds * (len(each.moves) + 1 - each.seen_from) < SECONDS


def test_a_robot_that_works_again_goes_on(watched: House) -> None:
    watched.player("alice")
    board = watched.game("cross -size=4 alice robot1", ["A1"])

    def failing(question):
        raise NoThought("it broke")

    watched.thoughts = failing
    watched.think()
    watched.thoughts = think
    watched.wait(timedelta(hours=1))
    watched.think()
    assert len(record(watched, board)) == 2
    watched.wait(timedelta(days=4))
    assert result(watched, board) is None


def test_nobody_writes_in_the_name_of_a_robot(house: House) -> None:
    house.player("alice")
    board = begun(house, "cross -size=4", "alice")
    for secret in ("x", "", "robot1pass"):
        house.send("mallory", f"cross move {board} robot1 {secret} A1")
    assert record(house, board) == []


def test_a_person_of_that_name_stays_a_person(house: House) -> None:
    house.players("alice", "robot1")
    board = house.game("cross -size=4 robot1 alice")
    house.think()
    assert record(house, board) == []


def test_what_would_help_in_a_running_game_with_a_person_is_not_told(house: House) -> None:
    house.players("alice", "bob", "carol")
    plies = ["C3", "B2", "D4", "A1", "E3", "B4"]
    shared = house.game("cross -size=3 alice bob", plies)
    ended = house.game("cross -size=3 alice carol", [*plies, "A2"])
    house.send("carol", f"cross resign {ended} carol carolpass")
    against = house.game("cross -size=3 alice robot1")
    for own, answer in zip(plies[::2], plies[1::2], strict=True):
        house.answer("alice", own, against)
        scripted(house, move=answer, line=(answer,))
        house.think()
    for player in ("alice", "bob"):
        assert f"help you on board {shared}," in house.answer(player, f"review {ended}", shared)[0].body
    assert f"help you on board {shared}," in house.answer("alice", "hint", against)[0].body
    assert "goes through" in house.answer("carol", "review", ended, vouched=True)[0].body
    house.answer("alice", "A2", shared)
    assert "thinks about" in house.answer("alice", "hint", against)[0].body


def test_a_running_game_with_a_person_gets_no_help_in_its_opening(house: House) -> None:
    """CrossGeo is solved before the first move: a player who begins on a fair board must not be told how to win."""
    house.players("alice", "bob", "carol")
    words = "crossgeo -board=random -edges=9 -seed=1"
    ended = house.game(f"{words} bob carol", ["2", "5", "resign!"])
    against = house.game(f"{words} alice robot1")
    assert "thinks about" in house.answer("alice", "hint", against)[0].body
    house.think()
    shared = house.game(f"{words} alice bob")
    assert f"help you on board {shared}," in house.answer("alice", "hint", against)[0].body
    house.answer("alice", f"review {ended}", shared, vouched=True)
    (mail,) = (mail for mail in house.think() if "review" in mail["Subject"])
    body = " ".join(mail.body.split())
    assert f"There will be no review of board {ended}. It would help you on board {shared}," in body
    house.answer("alice", "2", shared)
    house.answer("bob", "7", shared)
    house.answer("alice", f"review {ended}", shared, vouched=True)
    (mail,) = (mail for mail in house.think() if "review" in mail["Subject"])
    assert "What each move led to" in mail.body


def test_a_review_knows_that_an_opening_may_be_swapped(house: House) -> None:
    """It advises no opening that would be swapped, and advises the swap if the opening was too good."""
    house.players("alice", "bob")
    over = house.game("hex -size=4 alice bob", ["b2", "a1", "resign!"])
    asked = []

    def answered(question):
        asked.append(question)
        values = {0: ("a2", 0.0), 1: ("c3", -0.8), 2: ("c2", 0.9)}
        return [Thought(move, value, False, (move, "d1", "d2", "d3", "d4")) for move, value in values.values()]

    house.thoughts = answered
    house.send("alice", f"review {over} alice alicepass")
    body = " ".join(next(mail for mail in house.think() if "review" in mail["Subject"]).body.split())
    assert asked[0].swappable
    assert "Ply 1: Red played b2; better was a2 (then d1, d2, d3). The other player could swap," in body
    assert "Ply 2: Blue played a1; better was swap. That is an estimate." in body


def test_a_review_says_of_each_verdict_whether_it_is_proved(house: House) -> None:
    """A proof about the position before a move proves nothing about the position after it."""
    house.players("alice", "bob")
    over = house.game("four alice bob", ["a", "b", "c", "d", "resign!"])
    values = [("d", 0.0, False), ("e", 1.0, True), ("f", 0.0, False), ("g", 0.9, False), ("g", 0.0, False)]
    house.thoughts = lambda _: [Thought(move, value, exact, (move,)) for move, value, exact in values]
    house.send("alice", f"review {over} alice alicepass")
    body = next(mail for mail in house.think() if "review" in mail["Subject"]).body
    marks = ["!" in line for line in body.splitlines() if "...." in line]
    assert marks == [True, False, False, False]
    said = " ".join(body.split())
    assert "Yellow played a; better was d. It is proved that a loses." in said
    assert "Red played b; better was e. It is proved that e wins." in said
    assert "Yellow played c; better was f. That is an estimate." in said
    assert "Where the game turned:" in said


def test_a_review_says_that_it_shows_the_worst_moves_only(house: House) -> None:
    house.players("alice", "bob")
    over = house.game("four alice bob", ["a", "b", "c", "d", "e", "f", "g", "resign!"])
    house.thoughts = lambda question: [Thought("d", 0.5, False, ("d",)) for _ in (*question.moves, None)]
    house.send("alice", f"review {over} alice alicepass")
    body = next(mail for mail in house.think() if "review" in mail["Subject"]).body
    assert "Where the game turned most:" in body
    assert body.count("better was") == MOST_SHOWN


@pytest.mark.parametrize(
    ("reader", "first"),
    [
        ("alice", "Hex Board 101, alice (Blue) - bob (Red) after the swap, as robot5 sees it. You (Blue) won by"),
        ("carol", "Hex Board 101, alice (Blue) - bob (Red) after the swap, as robot5 sees it. alice (Blue) won by"),
    ],
)
def test_a_review_says_who_had_which_colour_and_how_the_game_ended(house: House, reader: str, first: str) -> None:
    house.players("alice", "bob", "carol")
    over = house.game("hex -size=3 alice bob", ["b2", "swap", "a1", "resign!"])
    house.send(reader, f"review {over} {reader} {reader}pass")
    body = " ".join(next(mail for mail in house.think() if "review" in mail["Subject"]).body.split())
    assert body.startswith(f"{first} resignation. What each move led to")


def test_each_line_of_a_review_fits_on_a_phone() -> None:
    """However long the names of sides and moves."""
    found = [
        Step(ply, "a2-b3/c4, x5-y6", "Purple", 0.0, value, proved, "", 0.0, "", "", State.start(GAMES["loops"], ()))
        for ply, value, proved in ((1, -1.0, True), (200, 0.0, False), (201, 1.0, False))
    ]
    lines = plot(found)
    assert [len(line) for line in lines] == [40, 40, 40]
    assert [line[-11:] for line in lines] == ["....|......", "....*......", "....|.....*"]


def test_a_hint_that_comes_too_late_is_not_thought_about(house: House) -> None:
    """And it is not charged to anybody."""
    house.player("alice")
    board = house.game("cross -size=4 alice robot1")
    house.answer("alice", "hint", board)
    house.answer("alice", "C3", board)
    levels = []

    def noted(question):
        levels.append(question.level)
        return think(question)

    house.thoughts = noted
    assert [mail["Subject"] for mail in house.think()] == ["Cross Board 101 alice-robot1"]
    assert levels == [1]


def test_a_review_shows_the_swap(house: House) -> None:
    house.players("alice", "bob")
    over = house.game("hex -size=3 alice bob", ["b2", "swap", "a1", "resign!"])
    house.send("alice", f"review {over} alice alicepass")
    lines = next(mail for mail in house.think() if "review" in mail["Subject"]).body.splitlines()
    shown = next(number for number, line in enumerate(lines) if line == "  2 swap")
    assert lines[shown - 1].startswith("  1 Red  b2 ")
    assert lines[shown + 1].startswith("  3 Blue a1 ")


def test_whoever_had_hints_is_told_of_with_the_game(house: House) -> None:
    """With the board, in the mail with the whole game, and in its review; but a hint counts as nobody's comment."""
    house.players("alice", "bob")
    board = house.game("cross -size=4 alice robot1")
    for move in ("A1", "A3"):
        scripted(house, move=move, line=(move, "B1", "B2", "B3", "B4"))
        for _ in range(2):
            house.answer("alice", "hint", board)
            (hint,) = house.think()
        assert "It then expects B1, B2, B3." in " ".join(hint.body.split())
        house.answer("alice", move, board)
        scripted(house, move=f"{move[0]}{int(move[1]) + 1}")
        house.think()
    (running,) = house.send("bob", f"cross show {board}")
    house.answer("alice", "resign!", board)
    (kept,) = house.think()
    (over,) = house.send("bob", f"cross show {board}")
    house.send("alice", f"review {board} alice alicepass")
    (review,) = house.think()
    for shown in (running, over):
        assert "how it stands. alice had hints at plies 1 and 3." in " ".join(shown.body.split())
    assert "alice had hints at plies 1 and 3." in kept.body
    assert "alice had hints at plies 1 and 3." in review.body
    with house.service.store.read() as tx:
        comments = [each.text for each in tx.remarks.of(RemarkKind.COMMENT, board) if each.author.userid == "alice"]
        hints = tx.remarks.of(RemarkKind.HINT, board)
    assert comments == []
    assert hints[0].text.startswith("robot5 would play A1: it puts your chances at 50 %.")


@pytest.mark.parametrize(
    ("words", "plies", "left"),
    [
        ("cross -size=4 alice robot1", ["C3", "A1"], 0),
        ("cross -size=4 alice robot1", ["C3", "swap"], 0),
        ("cross -size=4 alice robot1", ["C3"], 0),
        ("cross -size=4 robot1 alice", ["C3"], 1),
        ("cross -size=4 robot1 alice", ["C3", "A1", "A3"], 1),
        ("dots -columns=2 -rows=2 alice robot1", ["b1-b2", "a2-a3", "b2-b3", "b1-c1", "a2-b2", "a3-b3", "a1-b1"], 4),
    ],
)
def test_undo_takes_back_what_the_player_chose_last(house: House, words: str, plies: list[str], left: int) -> None:
    """If a robot took back its own ply alone, it would play it again, and the player could never mend a move."""
    house.player("alice")
    game, *options, first, second = words.split()
    board = house.send("alice", " ".join([game, "challenge", *options, first, second]))[0].board
    assert board is not None
    for text in plies:
        with house.service.store.write() as tx:
            opened = Desk(tx, house.service.tools).open(board)
            play_ply(opened, opened.state.to_move, text)
    (told,) = house.send("alice", f"undo {board} alice alicepass")
    first, *others = plies[left:] or [""]
    many = f"Plies {left + 1} {'to' if len(others) > 1 else 'and'} {len(plies)}, from {first} on, are"
    taken = f"{many if others else f'Ply {left + 1}, {first}, is'} taken back: robot1 agreed."
    nothing = "You have played nothing yet that could be taken back."
    assert (taken if first else nothing) in " ".join(told.body.split())
    house.thoughts = lambda _: [Thought("A1", 0.0, exact=False, line=("A1",))]
    house.service.thinkers[0].run(1)
    assert record(house, board) == plies[:left]


@pytest.mark.parametrize(
    ("line", "robot"), [("cross games robot2", "robot2"), ("cross games robot", "robot3"), ("history robot2", "robot2")]
)
def test_a_robot_that_nobody_has_played_is_not_said_to_be_missing(house: House, line: str, robot: str) -> None:
    house.player("alice")
    (mail,) = house.send("alice", line)
    assert mail.body.startswith(f"{robot} has not played here yet.")


def test_just_robot_is_asked_about_as_it_is_played(house: House) -> None:
    house.player("alice")
    board = house.game("cross -size=3 alice robot")
    (mail,) = house.send("alice", "cross games robot")
    assert f"  {board}  alice - robot3 " in mail.body


def test_a_robot_hears_nothing_even_before_anybody_has_played_it(house: House) -> None:
    house.player("alice")
    (mail,) = house.send("alice", "message alice alicepass robot2", "Hello!")
    assert "robot2 is a program, which reads no messages" in mail.body


def test_the_robot_most_like_a_word_is_meant_though_another_one_has_played(house: House) -> None:
    house.player("alice")
    house.game("cross -size=3 alice robot1")
    (mail,) = house.send("alice", "cross challenge me robbot2")
    assert "Did you mean robot2?" in mail.body


def test_a_player_is_told_how_many_reviews_come_before_theirs(house: House) -> None:
    """Asking twice does not move it."""
    house.players("alice", "bob")
    boards = [house.game("cross -size=3 alice bob", ["A1", "B1", "resign!"]) for _ in range(3)]
    asked = [house.send("alice", f"review {board} alice alicepass")[0].body for board in (*boards, boards[1])]
    told = [" ".join(body.split()).partition(" Its review")[0] for body in asked]
    assert told == [
        f"A robot goes through board {boards[0]}.",
        f"A robot goes through board {boards[1]} after 1 other review.",
        f"A robot goes through board {boards[2]} after 2 other reviews.",
        f"A robot goes through board {boards[1]} after 1 other review.",
    ]


@pytest.mark.parametrize(
    ("end", "last", "said"),
    [
        (
            "alice: resign!",
            (1.0, True),
            "in the end: You (Yellow) resigned, although it is proved that Yellow could have won, with d.",
        ),
        (
            "alice: resign!",
            (0.0, True),
            "You (Yellow) resigned, although it is proved that Yellow could have drawn, with d.",
        ),
        (
            "alice: propose; bob: accept",
            (-0.6, False),
            "bob (Red) agreed to a draw, although robot5 puts the chances of Red at 80 %.",
        ),
        (
            "alice: propose; bob: accept",
            (0.6, False),
            "agreed to a draw, although robot5 puts the chances of Yellow at 80 %, and would have gone on with d.",
        ),
        ("alice: resign!", (-1.0, True), ""),
        ("alice: resign!", (-0.5, False), ""),
        ("alice: propose; bob: accept", (0.1, False), ""),
    ],
)
def test_a_review_names_an_end_that_cost_more_than_any_move(house: House, end: str, last, said: str) -> None:
    house.players("alice", "bob")
    over = house.game("four alice bob", ["a", "b"])
    for act in end.split("; "):
        player, word = act.split(": ")
        house.answer(player, word, over)
    values = [("a", 0.0, False), ("b", 0.0, False), ("d", *last)]
    house.thoughts = lambda _: [Thought(move, value, exact, (move,)) for move, value, exact in values]
    house.send("alice", f"review {over} alice alicepass")
    body = " ".join(next(mail for mail in house.think() if "review" in mail["Subject"]).body.split())
    assert said in body
    assert ("What decided it" in body) == bool(said)


GOLEM = "(;FF[4]EV[hex.ch.1]PB[Ann Lee]PW[Bo]SZ[3]RE[B];W[bb];B[ca];W[ab];B[ac];W[ba];B[resign])"


@pytest.mark.parametrize("kind", ["application/octet-stream", "application/x-go-sgf", "text/plain"])
def test_a_record_from_elsewhere_that_is_attached_is_reviewed(house: House, kind: str) -> None:
    house.player("alice")
    (mail,) = house.deliver(attaching("alice", "review", GOLEM, kind))
    assert "A robot goes through the game of your record." in " ".join(mail.body.split())
    (review,) = (mail for mail in house.think() if "review" in mail["Subject"])
    assert review["Subject"] == "pbm: review of Hex, Ann Lee-Bo"
    assert "Hex, Ann Lee (Red) - Bo (Blue), as robot5 sees it." in " ".join(review.body.split())
    (mail,) = house.deliver(attaching("alice", "review", "(;GM[1]SZ[9];B[zz])", kind))
    assert "Its move 1, zz, cannot be played here" in " ".join(mail.body.split())
    (mail,) = house.send("alice", "review")
    assert "gone through as well, if you attach it" in " ".join(mail.body.split())


@pytest.mark.parametrize(
    ("subject", "text", "said"),
    [
        ("review alice alicepass", f"Hello!\n\n{GOLEM}", "A robot goes through the game of your record."),
        ("", f"review alice alicepass\n{GOLEM}\n\nThanks!", "A robot goes through the game of your record."),
        ("review alice alicepass", "(;SZ[9]KM[7];B[ee];W[ec])", "(its komi, 7, is played as 7.5, because"),
        ("review alice alicepass", "(;SZ[9];B[ee];W[ec])", 'Write the game in front, as in "hex review".'),
        ("gomoku review alice alicepass", "(;SZ[9];B[ee];W[ec])", "A robot goes through the game of your record."),
        ("hex challenge me bob -position", GOLEM, "It starts from ply 5 of the record."),
        ("hex challenge me bob", GOLEM, "There is a record in your mail."),
    ],
)
def test_a_record_below_the_command_counts_like_an_attached_one(
    house: House, subject: str, text: str, said: str
) -> None:
    house.players("alice", "bob")
    assert said in " ".join(house.send("alice", subject, text)[0].body.split())


def test_an_attached_record_is_kept_until_its_player_has_said_who_they_are(house: House) -> None:
    house.players("alice", "bob")
    mail = attaching("alice", "review", GOLEM, "application/x-go-sgf")
    (asked,) = house.deliver(replace(mail, raw=mail.raw.replace(b"dkim=pass", b"dkim=none")))
    assert asked["Subject"] == "pbm: was that you?"
    (done,) = house.answer("alice", "yes")
    assert "A robot goes through the game of your record." in " ".join(done.body.split())


def test_a_game_starts_from_a_record_from_elsewhere_that_is_attached(house: House) -> None:
    house.players("alice", "bob")
    kind = "application/x-go-sgf"
    (refused,) = house.deliver(attaching("alice", "hex challenge me bob", GOLEM, kind))
    assert "To start from its end write -position" in " ".join(refused.body.split())
    (refused,) = house.deliver(attaching("alice", "go challenge me bob -position", GOLEM, kind))
    assert "Your record is of hex, not of go." in refused.body
    started = house.deliver(attaching("alice", "hex challenge me bob -position=#3", GOLEM, kind))
    told = " ".join(started[0].body.split())
    assert "-size=3, unrated" in told
    assert "It starts from ply 3 of the record." in told
    assert record(house) == ["b2", "c1", "a2"]
    house.answer("bob", "a3", 101)
    assert record(house)[3:] == ["a3"]


def attaching(player: str, subject: str, file: str, kind: str) -> Arriving:
    """A mail with nothing but a subject and a file."""
    address, mail = address_of(player), EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = address, ROBOT.address, subject
    mail["Message-ID"] = f"<{len(file + subject)}.{kind.replace('/', '.')}@example.net>"
    mail["Authentication-Results"] = "mx.example.org; dkim=pass header.d=example.net"
    mail.set_content("")
    main, _, sub = kind.partition("/")
    if main == "text":
        mail.add_attachment(file, subtype=sub, filename="game.sgf")
    else:
        mail.add_attachment(file.encode(), main, sub, filename="game.hsgf")
    return Arriving(address, (ROBOT.address,), mail.as_bytes(policy=SMTP))
