"""Robots as teachers: a hint on a board against a robot, and a review of a game that has ended.

Both take thinking, so they are ordered, and come in a mail of their own; see pbm/core/robots.py. They never help in a
running game against a person, not even through another board with the same position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any
from zlib import crc32

from games import GAMES, AnyGame
from games.rules import Side, counted
from games.scene import Scene
from pbm.bots.levels import LEVELS, Question, Thought
from pbm.bots.skill import value_of
from pbm.compose.notices import Answer
from pbm.core.board import OpenBoard
from pbm.core.notify import Desk, letters_for, notice_of, reader_of
from pbm.core.registry import handles
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.core.robots import (
    SWAPS_BELOW,
    Ask,
    Task,
    asked,
    give_up,
    hints_told,
    is_robot,
    later,
    orders,
    robots_among,
    teaches,
    thinks,
)
from pbm.domain import foreign_records
from pbm.domain.errors import BadArguments, NotAllowed, NotYourTurn
from pbm.domain.mail import RemarkKind
from pbm.domain.match import SWAP, Ending, Match, Player, Ply, Record, Seat, State, other
from pbm.reading.commands import Command
from pbm.reading.verbs import LOOKING, PLAYING, Entry, Locks, Verb
from pbm.store.house import THINK, Item
from pbm.values import frozen

TEACHER = max(LEVELS)
MOST_REVIEWS = 5
"""Reviews of one player that may wait."""
MOST_ATTEMPTS = 3
"""How often a hint or a review is tried if thinking fails."""
FILE = "file"
"""The word that begins the key of an order to review an attached game."""
POSITIONS_AT_FULL = 8
"""A review takes as long as so many moves of the strongest robot, however long the game was."""
POSITIONS_A_PART = 40
"""Positions that one process thinks about before its time limit."""
SWING = 0.4
"""A move that makes its player's position worth so much less is shown with a better one."""
SHARED_PLIES = 6
"""A running game of fewer plies does not forbid a review; but nothing that is proved of its position is told."""
MOST_SHOWN = 5
MOST_EXPECTED = 3
"""Moves of an expected line that are told if it is only an estimate."""
LINE = 40
"""Characters of a move's line in a review: as many as fit the width of a phone."""
SHORTEST, LONGEST = 10, 20
"""Characters between a sure loss and a sure win, depending on the room in a line."""
MOST_OF_A_MOVE = 16
"""Characters of a move in such a line."""


@handles(
    Verb("GAME hint BOARD USERID PASSWORD", PLAYING, Locks.BOARDS),
    Entry(180, "on a board against a robot: what the strongest robot would play; the game is marked"),
)
def hint(request: Request, command: Command) -> Answer:
    board, seat = request.author.seated(command)
    board.check_running()
    # Against a person it would be help from a third side.
    if not is_robot(request.tx, board.match.player(other(seat))):
        raise NotAllowed("Hints are only given in games against robots.", "help robots")
    if seat != board.state.to_move:
        raise NotYourTurn("It is not your turn: a hint is for your own move.")
    number, player = board.match.board, board.match.player(seat)
    _check_helps_nowhere(request, player, [board.state], since=0)
    request.tx.agenda.put(THINK, f"hint {number}:{seat}", request.now, ply=board.next_ply)
    thinks = f"A robot thinks about board {number}{later(request, player)}."
    return done(command, f"{thinks} Its hint comes in a separate email.")


@handles(
    Verb("GAME review [BOARD] USERID PASSWORD", LOOKING, Locks.BOARDS, bare=True),
    Entry(
        160,
        "go through a game that has ended, or an attached one: where it was won and lost, "
        "and what would have been better",
    ),
)
def review(request: Request, command: Command) -> Answer:
    if record := request.take_record():
        player, score = request.author.who(command), foreign_records.read(record, command.game or "")
        if len(score.moves) < 2:
            raise NotAllowed("In the game of your record too little was played for a review.")
        states = _states(_as_match(score._asdict(), request.now))
        key = f"{FILE} {crc32(record.encode())}:{player.id}"
        return _order(
            request, command, player, key, f"the game of your record{score.remark}", states, **score._asdict()
        )
    if "BOARD" not in command.args and request.sender.board is None:
        raise BadArguments(
            "Name a board that has ended, or send the record of a game (SGF, HGF, .trl) with it.", "review 101"
        )
    board = request.boards.named(command)
    match, player = board.match, request.author.who(command, board.match.board)
    # A review of a running game would be one long hint.
    if match.result is None:
        raise NotAllowed(f"Board {match.board} goes on. It can be reviewed when it has ended.")
    if match.result.ending is Ending.VOID or len(match.record) < 2:
        raise NotAllowed(f"On board {match.board} too little was played for a review.")
    key = f"review {match.board}:{player.id}"
    return _order(request, command, player, key, f"board {match.board}", _states(match))


def _as_match(score: Mapping[str, Any], now: datetime) -> Match:
    """The game of a file as if it had been played on board 0, by people who are no players here."""
    state = State.start(GAMES[score["game"]], score["options"], score["body"])
    first, second = (name or state.side_name(seat) for seat, name in enumerate(score["players"], 1))
    plies = []
    for notation in score["moves"]:
        plies.append(Ply(notation, state.to_move, now))
        state, _ = state.play(notation)
    match = Match(
        0, score["game"], state.game.info.version, tuple(score["options"]), score["body"],
        (Player(0, first), Player(0, second)), 0, Record.of(plies), now,
    )  # fmt: skip
    return match._replace(result=state.result)


def _order(
    request: Request, command: Command, player: Player, key: str, what: str, states: Iterable[State], **payload: Any
) -> Answer:
    """Put the review on the agenda, unless it waits there already. Raises: NotAllowed."""
    waiting = [*orders(request.tx, "review"), *orders(request.tx, FILE)]
    before = next((place for place, (item, _, _) in enumerate(waiting) if item.key == key), None)
    if before is None:
        if sum(whom == player.id for _, _, whom in waiting) >= MOST_REVIEWS:
            raise NotAllowed(f"{MOST_REVIEWS} reviews for you are still under way; wait for them.")
        _check_helps_nowhere(request, player, [*states], since=SHARED_PLIES)
        request.tx.agenda.put(THINK, key, request.now, **payload)
        before = len(waiting)
    queued = f" after {counted(before, 'other review')}" if before else ""
    goes = f"A robot goes through {what}{later(request, player) or queued}."
    return done(command, f"{goes} Its review comes in a separate email.")


def _check_helps_nowhere(at: Desk, player: Player, states: Sequence[State], since: int) -> None:
    """Raises: NotAllowed if the player has one of the states in a running game against a person.

    since: only games with at least so many plies matter.
    """
    # Nothing is proved of any position, so nothing can help.
    if not states:
        return
    tx, game, running = at.tx, states[0].game, dict[tuple[Side, Scene], int]()
    summaries = tx.matches.summaries(game=game.info.name, player_ids=(player.id,), active=True, limit=None)
    numbers = (each.board for each in summaries if each.plies >= since and not robots_among(tx, each.players))
    for each in at.readable(numbers):
        theirs = each.state
        # The same stones on another board are another position.
        if theirs.options == states[0].options:
            running[game.to_move(theirs.position), game.scene(theirs.position, None)] = each.match.board
    for state in states if running else ():
        if number := running.get((game.to_move(state.position), game.scene(state.position, None))):
            raise NotAllowed(f"It would help you on board {number}, which has come to the same position.")


def _states(match: Match) -> Iterator[State]:
    """The state after each ply of a game."""
    state = State.start(GAMES[match.game], match.options, match.body)
    for notation in match.record.notations:
        state, _ = state.play(notation)
        yield state


@thinks
def hints(at: Desk) -> Iterator[Task]:
    """The hints that were asked for, the oldest first."""
    for item, board, seat in _wanted(at, "hint"):
        question = replace(_question(board.match, item.payload["ply"] - 1), swappable=_opens(board))
        whom = board.match.players[seat - 1].id
        failed = _failed(item, board.match.board, whom, "hint for")
        give = partial(_give_hint, item, board.match.board, seat)
        # They may have moved without the hint.
        work = asked(question) if _is_awaited(item, board, seat) else lambda _: ()
        yield Task(item.key, work, give, failed, whom, board.match.game)


def _is_awaited(item: Item, board: OpenBoard, seat: Seat) -> bool:
    """Whether the player is still to make the move that the hint is for."""
    return board.match.result is None and board.state.to_move == seat and board.next_ply == item.payload["ply"]


@teaches
def reviews(at: Desk) -> Iterator[Task]:
    """The reviews that were asked for, the oldest first."""
    played = ((item, board.match, whom) for item, board, whom in _wanted(at, "review"))
    attached = (
        (item, _as_match(item.payload, at.now), whom)
        for item, _, whom in orders(at.tx, FILE)
        if item.payload["game"] in GAMES
    )
    for item, match, whom in chain(played, attached):
        questions, give = parts(match), partial(_give_review, item, match, whom)
        failed = _failed(item, match.board, whom, _review_of(match))
        yield Task(item.key, partial(_go_through, questions), give, failed, whom, match.game)


def _review_of(match: Match) -> str:
    return "review of" if match.board else "review of your game"


def parts(match: Match) -> list[Question]:
    """The questions about all positions of a game, each small enough for one process."""
    whole = replace(_question(match, len(match.record)), swappable=GAMES[match.game].info.swap)
    plies, share = len(whole.moves), min(1.0, POSITIONS_AT_FULL / len(match.record))
    return [
        replace(whole, moves=whole.moves[: first + POSITIONS_A_PART - 1], seen_from=first, share=share)
        for first in range(0, plies + 1, POSITIONS_A_PART)
    ]


def _go_through(questions: Sequence[Question], ask: Ask) -> list[Thought]:
    return [thought for question in questions for thought in ask(question)]


def _wanted(at: Desk, word: str) -> Iterator[tuple[Item, OpenBoard, int]]:
    """The orders that begin with a word, of installed games: the item, the board, and the seat or the player's id."""
    for item, number, who in orders(at.tx, word):
        match = at.tx.matches.load(number)
        if match is not None and match.game in GAMES:
            yield from ((item, board, who) for board in at.readable([number]))


def _question(match: Match, plies: int) -> Question:
    """The question about the position after so many plies."""
    moves = tuple(each for each in match.record.notations[:plies] if each != SWAP)
    return Question(match.game, match.options, match.body, moves, TEACHER, match.board * 10_007, len(moves))


def _give_hint(item: Item, number: int, seat: Seat, at: Desk, thoughts: Sequence[Thought]) -> None:
    """Send the hint, unless the player has moved meanwhile."""
    board = at.open(number)
    if not at.tx.agenda.drop(THINK, item.key) or not _is_awaited(item, board, seat) or not thoughts:
        return
    player = board.match.player(seat)
    text = f"robot{TEACHER} {advice(thoughts[0], board.state.may_swap, _opens(board))}"
    board.remark(RemarkKind.HINT, player, text)
    nearby = () if _swaps(thoughts[0], board.state.may_swap) else (thoughts[0].move,)
    notice = notice_of(board, reader_of(at, player, seat), shown=f"a hint. {text}", nearby=nearby)
    at.owe(at.tools.composer.notice(notice, at.now))


def advice(thought: Thought, may_swap: bool, opening: bool) -> str:
    """What the strongest robot would do, and why. may_swap: whether the player may swap sides.

    opening: whether the opponent may swap after this move. Example: "would play B4: it puts your chances at 56 %. It
    then expects C2."
    """
    if _swaps(thought, may_swap):
        return f"would swap: if you do not, {worth(thought)}."
    expected = thought.line[1 : None if thought.exact else MOST_EXPECTED + 1]
    line = f" It then expects {', '.join(expected)}." if expected else ""
    sentence = f"would play {thought.move}: {worth(thought)}.{line}"
    fair = " As your opponent may swap sides, it opens with a move that favours neither side."
    return sentence + fair if opening else sentence


def _swaps(thought: Thought, may_swap: bool) -> bool:
    return may_swap and thought.value < SWAPS_BELOW


def _opens(board: OpenBoard) -> bool:
    """Whether the opponent may swap sides after the next move."""
    return board.state.game.info.swap and not board.match.record


def worth(thought: Thought) -> str:
    """The worth of a position to the player to move, in words."""
    if thought.exact:
        verdict = "draw" if thought.value == 0 else "win" if thought.value > 0 else "lose"
        return f"with best play you are sure to {verdict}"
    return f"it puts your chances at {round(50 + 50 * thought.value)} %"


@frozen
class Step:
    """One move of a game under review. before, after: what the position was worth to the first side, from -1 to 1.

    state: the state before it, as if nobody had swapped.
    """

    ply: int
    played: str
    side: str
    before: float
    after: float
    proved: bool
    """Whether the worth after the move is proved; the worth before it may be an estimate."""
    grounds: str
    """How far it is proved that the better move is better, as a sentence."""
    lost: float
    """How much the move cost its player."""
    better: str
    line: str
    """What may follow the better move."""
    state: State

    def curve(self, length: int) -> str:
        """A line from a sure loss of the first side, on the left, to a sure win, with a mark. length: even."""
        at, mark = round((self.after + 1) / 2 * length), "!" if self.proved else "*"
        return "".join(mark if place == at else "|" if place == length // 2 else "." for place in range(length + 1))


def plot(made: Sequence[Step]) -> list[str]:
    """A line for each move: its ply, side and text, and its curve."""
    names, moves = (max(map(len, each)) for each in zip(*((step.side, step.played) for step in made), strict=True))
    moves = min(moves, MOST_OF_A_MOVE)
    length = max(SHORTEST, min(LONGEST, LINE - len(f"{0:3} {'':{names}} {'':{moves}} ") - 1)) // 2 * 2
    lines = [f"{step.ply:3} {step.side:{names}} {step.played[:moves]:{moves}} {step.curve(length)}" for step in made]
    return [*lines[:1], *(["  2 swap"] if [step.ply for step in made[1:2]] == [3] else []), *lines[1:]]


def steps(match: Match, thoughts: Sequence[Thought]) -> list[Step]:
    """The moves of a game without a swap, each with what a robot thought before and after it."""
    game: AnyGame = GAMES[match.game]
    state, made = State.start(game, match.options, match.body), []
    # Robots think of positions as if nobody had swapped: a swap changes who holds the sides, and no stone.
    plies = [(number, each) for number, each in enumerate(match.record.notations, 1) if each != SWAP]
    for (number, played), thought, following in zip(plies, thoughts, (*thoughts[1:], None), strict=False):
        side, before = game.to_move(state.position), state
        state, _ = state.play(played)
        outcome = state.outcome
        # The rules say what the last position is worth; all others are worth what was thought of them.
        if outcome is not None:
            after = value_of(outcome)
        elif following is not None:
            after = following.value * game.to_move(state.position).sign
        else:
            after = side.sign * thought.value
        advised, opens = _advised(game, thought, number), game.info.swap and number == 1
        # Too good a first move is swapped.
        worth = -abs(after) if opens else side.sign * after
        lost = advised.value - worth if advised.move != played else 0.0
        proved = outcome is not None or (following or thought).exact
        grounds = _grounds(advised, played, worth, proved, opens=opens)
        name = game.sides(state.options)[side - 1]
        line = ", ".join(advised.line[1 : None if advised.exact else MOST_EXPECTED + 1])
        stood = side.sign * thought.value
        made.append(Step(number, played, name, stood, after, proved, grounds, lost, advised.move, line, before))
    return made


def _grounds(advised: Thought, played: str, worth: float, proved: bool, *, opens: bool) -> str:
    """A sentence on how far it is proved that a move is better than the one played. worth: of that, to its player.

    opens: the other player could swap next, so a sure win was no good. Example: "It is proved that d4 wins."
    """
    # The opponent could have taken the better side.
    if opens:
        return "This is proved." if advised.exact and proved else "That is an estimate."
    better = "swapping" if advised.move == SWAP else advised.move
    values = [(better, advised.value)] * advised.exact + [(played, worth)] * proved
    words = (f"{move} {'wins' if value > 0 else 'loses' if value < 0 else 'draws'}" for move, value in values)
    proofs = " and ".join(words)
    return f"It is proved that {proofs}." if proofs else "That is an estimate."


def _advised(game: AnyGame, thought: Thought, ply: int) -> Thought:
    """The best advice: to swap, if the ply may be a swap and the position is worth less than the other side's."""
    # A little less is within the error of an estimate, and swapping costs the first move.
    swaps = game.info.swap and ply == 2 and thought.value < SWAPS_BELOW
    return replace(thought, move=SWAP, value=-thought.value, line=(SWAP,)) if swaps else thought


@frozen
class Closing:
    """A player ended a game, though they stood better than its result says. did, known: parts of a sentence on that."""

    seat: Seat
    did: str
    known: str


def closing(match: Match, state: State, thoughts: Sequence[Thought]) -> Closing | None:
    """How a game ended that the rules did not end, if its last position was worth more to a player; otherwise None.

    thoughts: the one about that position; none if the rules ended it. Example of `known`: "it is proved that Red could
    have won, with c2".
    """
    result = match.result
    if result is None or not thoughts:
        return None
    last = _advised(state.game, thoughts[0], state.plies + 1)
    # A draw by agreement costs the side that stood better; otherwise it is the loser who gave up.
    if result.winner is not None:
        seat, least = other(result.winner), -SWING
    elif result.ending is Ending.AGREED:
        seat, least = state.to_move if last.value > 0 else other(state.to_move), SWING
    else:
        return None
    worth, move = (last.value, last.move) if seat == state.to_move else (-last.value, "")
    # Whoever was losing anyway had reason to end it.
    if worth <= least:
        return None
    did = {Ending.RESIGNED: "resigned", Ending.AGREED: "agreed to a draw"}.get(result.ending, "let the game go")
    side = state.side_name(seat)
    # A proved worth is told as a fact, an estimate with whose it is.
    if last.exact:
        known, best = f"it is proved that {side} could have {'won' if worth > 0 else 'drawn'}", f", with {move}"
    else:
        known = f"robot{TEACHER} puts the chances of {side} at {round(50 + 50 * worth)} %"
        best = f", and would have gone on with {move}"
    return Closing(seat, did, known + best if move else known)


def _give_review(item: Item, match: Match, player_id: int, at: Desk, thoughts: Sequence[Thought]) -> None:
    """Send a review to the player who asked for it, unless it would help them in a running game."""
    if match.board:
        board = at.open(match.board)
        match, state, which = board.match, board.state, f" board {match.board}"
        # The operator may have reopened it since.
        if match.result is None:
            return
    else:
        *_, state = _states(match)
        which = f", {match.player(1).userid}-{match.player(2).userid}"
    tx, player = at.tx, at.tx.players.get(player_id)
    # Another process has sent it, or the player has left meanwhile.
    if not tx.agenda.drop(THINK, item.key) or player is None:
        return
    made = steps(match, thoughts)
    states = [*(step.state for step in made), state]
    # Only what is proved would tell somebody the answer; an estimate is no more than an opinion.
    proved = [state for state, thought in zip(states, thoughts, strict=False) if thought.exact]
    try:
        _check_helps_nowhere(at, player, proved, since=0)
    # A board may have come to the same position while the robot thought.
    except NotAllowed as error:
        words = {"what": _review_of(match), "board": match.board, "reason": str(error)}
        subject = _subject(match.board, _review_of(match))
        at.owe(letters_for(at, reader_of(at, player), subject, "no-lesson.txt", **words))
        return
    worst = sorted((step for step in made if step.lost >= SWING), key=lambda step: -step.lost)
    turning = sorted(worst[:MOST_SHOWN], key=lambda step: step.ply)
    first, second = state.game.sides(state.options)
    mails = at.tools.composer.review(
        reader_of(at, player), f"pbm: review of {state.game.info.short_title}{which}", match,
        [step.state.plies for step in turning], at.now, title=state.game.info.title, lines=plot(made), first=first,
        second=second, teacher=f"robot{TEACHER}", turning=turning, more=len(worst) > MOST_SHOWN,
        swaps=state.game.info.swap, hints=hints_told(tx, match), state=state,
        seat=match.seat_of(player.id), over=match.result is not None,
        closing=closing(match, state, thoughts[len(made) :]),
    )  # fmt: skip
    at.owe(mails)


def _failed(item: Item, number: int, whom: int, what: str) -> Callable[[Desk, str], None]:
    subject = _subject(number, what)
    return partial(give_up, item, MOST_ATTEMPTS, whom, subject, "no-lesson.txt", what=what, board=number, reason="")


def _subject(number: int, what: str) -> str:
    """The subject of a mail that says that something does not come. what: "review of", "hint for". number: or 0."""
    return f"pbm: no {what} board {number}" if number else f"pbm: no {what}"
