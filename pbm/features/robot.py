"""What robots do on their boards: they move when it is their turn, and answer offers.

A robot's move follows from the board alone: its level, the board's number and the ply are the seed. Robots never think
within a transaction (see pbm/core/robots.py). Opponents take turns: the second board of one opponent waits for the
first boards of all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from games import GAMES
from pbm.bots.levels import LEVELS, Question, Thought
from pbm.compose.notices import Answer
from pbm.core import decisions
from pbm.core.board import QUESTION, OpenBoard
from pbm.core.notify import Desk, Writer, notice_of, reader_of, tell_operator, tell_players
from pbm.core.registry import Occasion, handles, when_due
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.core.robots import (
    LEVEL_OF,
    OUTDATED,
    OUTDATED_EVERY,
    SWAPS_BELOW,
    TAKEN,
    Task,
    asked,
    robots,
    spent,
    thinks,
)
from pbm.domain.events import CommentMade
from pbm.domain.match import SWAP, OfferKind, Seat, other
from pbm.reading.commands import Command
from pbm.reading.verbs import LOOKING, Entry, Locks, Verb
from pbm.store import Transaction
from pbm.store.house import Item
from pbm.store.matches import Summary

STUCK = "robot"
"""The kind of agenda items for boards where a robot's program fails."""
COMPLAINT = "robots stuck"
"""The kind of agenda items for games in which a robot's program fails; the operator is told."""
HEARD = "robots heard"
"""The kind of agenda items for opponents, by their id and a game, who were told that a robot's program fails there."""
GATHERS, COMPLAINS_EVERY = timedelta(minutes=5), timedelta(hours=1)
"""How long after the first failure the operator is told, so that one mail names most boards; and the least time between
two mails."""
TELLS_AFTER = timedelta(minutes=30)
"""How long after the first failure the opponent is told, once."""
RESIGNS_AFTER, LATELY = timedelta(days=3), timedelta(hours=1)
"""How long a board waits for a robot whose program fails; and how recent its last failure must be to count then."""
ANSWERS_WITHIN = 45.0
"""Seconds, of the processor and of the clock: each board gets so small a part that all are answered in this time."""
_NEVER = datetime.min.replace(tzinfo=UTC)
LOST = -0.999
NEAR_THE_END = 5
"""A robot gives up a lost game when so few moves are left."""


@handles(
    Verb("robots", LOOKING, Locks.NOTHING),
    Entry(150, "list the robots, which play at once and at any hour, by strength"),
)
def list_robots(request: Request, command: Command) -> Answer:
    return done(command, request.outgoing.page("robots.txt"), "pbm: robots")


@thinks
def robots_boards(at: Desk) -> Iterator[Task]:
    """The boards on which a robot is to move, or was asked for a draw or a pause.

    Boards whose game is no longer installed are left alone.
    """
    tx = at.tx
    ids = _ids(tx)
    if not ids:
        return
    boards = [
        each for each in tx.matches.summaries(player_ids=tuple(ids), active=True, limit=None) if each.game in GAMES
    ]
    for number, crowd in _in_turn(boards, _waiting(at, boards, ids), ids):
        for board in at.readable([number]):
            seat = _robot_seat(board, ids)
            if seat is not None:
                yield _task(board, seat, crowd)


def _waiting(at: Desk, boards: Sequence[Summary], ids: Collection[int]) -> set[int]:
    """The numbers of the boards where a robot may have something to do, unless robots pause for a player there."""
    asked, pause = {item.key for item in at.tx.agenda.of(QUESTION)}, spent(at)
    waiting = set[int]()
    for each in boards:
        is_to_move = each.to_move is not None and each.to_move.id in ids
        # Who was asked, the robot or the person, is seen only from the board itself.
        may_act = is_to_move or str(each.board) in asked
        if may_act and pause.isdisjoint(player.id for player in each.players):
            waiting.add(each.board)
    return waiting


def _in_turn(boards: Sequence[Summary], waiting: Collection[int], ids: Collection[int]) -> list[tuple[int, int]]:
    """The waiting boards: first one of each opponent, beginning with the opponent whose last answer is oldest.

    An opponent's last answer is the latest move on those of their boards that do not wait. With each board comes its
    crowd: how many opponents wait, or how many boards of this opponent, if that is more.
    """
    opponents = {each.board: next((player.id for player in each.players if player.id not in ids), 0) for each in boards}
    answered: dict[int, datetime] = {}
    for each in boards:
        if each.board not in waiting:
            opponent = opponents[each.board]
            answered[opponent] = max(each.moved_at, answered.get(opponent, each.moved_at))
    counts: Counter[int] = Counter()
    turns: list[tuple[int, datetime, datetime, int, int]] = []
    for each in sorted(boards, key=lambda each: (each.moved_at, each.board)):
        if each.board in waiting:
            opponent = opponents[each.board]
            turns.append((counts[opponent], answered.get(opponent, _NEVER), each.moved_at, each.board, opponent))
            counts[opponent] += 1
    return [(number, max(len(counts), counts[opponent])) for *_, number, opponent in sorted(turns)]


def _task(board: OpenBoard, seat: Seat, crowd: int) -> Task:
    """The task of the robot in a seat."""
    match, ply = board.match, board.next_ply
    level, seconds = LEVEL_OF[match.player(seat).userid.casefold()], ANSWERS_WITHIN / crowd
    moves = tuple(notation for notation in match.record.notations if notation != SWAP)
    question = Question(
        match.game, match.options, match.body, moves, level, match.board * 10_007, len(moves),
        swappable=board.state.game.info.swap and not match.record,
        share=min(1.0, seconds / LEVELS[level].seconds), patience=seconds,
    )  # fmt: skip
    key = f"board {match.board} ply {ply} {match.offer.kind if match.offer else ''}".strip()
    then, failed = partial(_act, match.board, match.revision), partial(_stuck, match.board, ply)
    return Task(key, asked(question), then, failed, match.player(other(seat)).id, match.game)


@when_due(HEARD, within=RESIGNS_AFTER)
@when_due(OUTDATED, within=OUTDATED_EVERY)
@when_due(TAKEN)
def think_again(_: Occasion) -> None:
    """Nothing is left to do: the item is dropped, so another process may take the task, or may tell again."""


def _ids(tx: Transaction) -> set[int]:
    """The ids of our robots."""
    return {player.id for player in robots(tx)}


def _robot_seat(board: OpenBoard, ids: Collection[int]) -> Seat | None:
    """The seat of a robot that has something to do on the board. ids: of all robots."""
    offer, to_move = board.match.offer, board.state.to_move
    for seat in (1, 2):
        if board.match.player(seat).id in ids:
            asked = offer is not None and offer.seat == other(seat)
            # While a person is asked something, the robot waits for their answer.
            if board.match.result is None and (asked or (to_move == seat and offer is None)):
                return seat
    return None


def _act(number: int, revision: int, at: Desk, thoughts: Sequence[Thought]) -> None:
    """Answer or move, unless the board has changed meanwhile. Raises: Rejected, GameError."""
    board = at.open(number)
    seat = _robot_seat(board, _ids(at.tx))
    # The thought was about another position.
    if seat is None or board.match.revision != revision or not thoughts:
        return
    player, thought = board.match.player(seat), thoughts[0]
    comments: tuple[CommentMade, ...] = ()
    if (offer := board.match.offer) is not None:
        # Whoever may swap picks the better side, so the position is worth that to them.
        worth = abs(thought.value) if board.state.may_swap else thought.value
        # A pause is rejected, because nobody waits long for a robot.
        if offer.kind is OfferKind.DRAW and (worth if seat == board.state.to_move else -worth) <= 0:
            board.agree(seat)
        else:
            board.reject_offer(seat)
    else:
        if seat not in board.match.record.seats:
            level = LEVEL_OF[player.userid.casefold()]
            who = f"I am {player.userid}, a program of this server, level {level} of {len(LEVEL_OF)}."
            text = f'{who}\nTo be told what to play, answer "hint".'
            comments = (CommentMade(number, userid=player.userid, text=text),)
        _move(board, seat, thought)
    if at.tx.agenda.drop(STUCK, number):
        at.tx.agenda.drop(HEARD, _ears(board, other(seat)))
    at.owe(tell_players(at, board, comments, Writer(player)))


def _move(board: OpenBoard, seat: Seat, thought: Thought) -> None:
    lost = thought.exact and thought.value <= LOST
    # Before both have moved, giving up would void the game.
    if lost and thought.left is not None and thought.left <= NEAR_THE_END and len(board.match.record) > 1:
        board.resign(seat)
    elif board.state.may_swap and thought.value < SWAPS_BELOW:
        decisions.play_ply(board, seat, SWAP)
    else:
        decisions.play_ply(board, seat, thought.move)


def _stuck(number: int, ply: int, at: Desk, reason: str) -> None:
    """Note the failure, and plan to tell the operator and the opponent, and to resign if it lasts too long."""
    agenda, now = at.tx.agenda, at.now
    item = agenda.get(STUCK, number)
    # The same failure again: the opponent's half hour goes on.
    if item is not None and item.payload["ply"] == ply:
        agenda.put(STUCK, number, item.due_at, **{**item.payload, "failed_at": now.isoformat()})
        return
    agenda.put(
        STUCK, number, now + TELLS_AFTER, ply=ply, reason=reason, told=False, heard=False, failed_at=now.isoformat()
    )
    game = at.open(number).match.game
    if agenda.get(COMPLAINT, game) is None:
        agenda.put(COMPLAINT, game, now + GATHERS)


@when_due(COMPLAINT, within=COMPLAINS_EVERY)
def complain(due: Occasion) -> None:
    """Mail the operator about all boards of a game where robots fail, if there are new ones since the last mail."""
    agenda, now, game = due.tx.agenda, due.now, due.item.key
    stuck = [item for item in agenda.of(STUCK) if (board := _stuck_board(due, item)) and board.match.game == game]
    new = [item for item in stuck if not item.payload.get("told", True)]
    if not new or not due.tools.operator:
        return
    for item in new:
        agenda.put(STUCK, item.key, item.due_at, **{**item.payload, "told": True})
    agenda.put(COMPLAINT, game, now + COMPLAINS_EVERY)
    title = GAMES[game].info.title
    tell_operator(
        due, f"pbm: robots fail at {title}", "robot-operator.txt", title=title,
        reason=new[-1].payload["reason"], board=new[-1].key, ply=new[-1].payload["ply"], new=len(new),
        boards=[item.key for item in stuck], days=RESIGNS_AFTER.days,
    )  # fmt: skip


def _stuck_board(at: Desk, item: Item) -> OpenBoard | None:
    """The board that an item is about; None if it has moved on, or if its game is no longer installed."""
    match = at.tx.matches.load(int(item.key))
    if match is None or match.game not in GAMES:
        return None
    board = at.open(match.board)
    return board if _robot_seat(board, _ids(board.tx)) is not None and board.next_ply == item.payload["ply"] else None


@when_due(STUCK, within=RESIGNS_AFTER)
def tell_or_resign(due: Occasion) -> None:
    """Tell the opponent why the robot does not move; when due again, resign.

    If the last failure is long ago, as when the server was down, the program may have been mended: it is tried first.
    """
    board = _stuck_board(due, due.item)
    seat = _robot_seat(board, _ids(board.tx)) if board is not None else None
    if board is None or seat is None:
        return
    failed_at = due.item.payload.get("failed_at")
    if failed_at is not None and not timedelta() <= due.now - datetime.fromisoformat(failed_at) < LATELY:
        due.tx.agenda.put(STUCK, due.item.key, due.now + LATELY, **due.item.payload)
        return
    player = board.match.player(seat)
    if not due.item.payload["heard"]:
        _tell(due, board, other(seat))
        return
    comment = CommentMade(board.match.board, userid=player.userid, text="My program fails here, so I cannot go on.")
    board.resign(seat)
    due.owe(tell_players(due, board, (comment,), Writer(player)))


def _tell(due: Occasion, board: OpenBoard, seat: Seat) -> None:
    """Tell a robot's opponent, in this seat, that its program fails, and plan its resignation if that lasts.

    They are told once, and not of their other boards of the game.
    """
    agenda, robot, left = due.tx.agenda, board.match.player(other(seat)).userid, RESIGNS_AFTER - TELLS_AFTER
    agenda.put(STUCK, due.item.key, due.now + left, **{**due.item.payload, "heard": True})
    # They were told of all their boards of this game.
    if agenda.get(HEARD, _ears(board, seat)) is not None:
        return
    agenda.put(HEARD, _ears(board, seat), due.now + RESIGNS_AFTER)
    operator = ", and the operator has been told" if due.tools.operator else ""
    trouble = (
        f"{robot}'s program fails{operator}. If it cannot be mended within {RESIGNS_AFTER.days} days, {robot} resigns. "
        f"The same goes for your other boards of {board.state.game.info.title} on which a robot does not move."
    )
    notice = notice_of(board, reader_of(due, board.match.player(seat), seat), shown=trouble)
    due.owe(due.tools.composer.notice(notice, due.now))


def _ears(board: OpenBoard, seat: Seat) -> str:
    return f"{board.match.player(seat).id} {board.match.game}"
