"""Puzzles: positions with exactly one winning move, posed to a player and answered by that move.

A robot finds them in games that have ended here, or in games it plays with itself, while no lesson waits. They name
nobody, and the players of a game get none from it. A puzzle is not posed while its position, or one before or after
it, is on a board under way: it would help a player there. Puzzles are kept for all players; a player who has not
answered their last one gets it again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from games import GAMES
from games.rules import GameError, joined
from pbm.bots.levels import BOARDS, LEVELS, Question, Thought, options_of
from pbm.compose.notices import Answer, Outcome, Posed
from pbm.core.bus import MatchEnded, SettingsSaved, publish, subscribes
from pbm.core.limits import Act
from pbm.core.notify import Desk, reader_of
from pbm.core.registry import Occasion, digests, handles, redeems
from pbm.core.reply import done, refuse
from pbm.core.request import Request
from pbm.core.robots import Task, asked, give_up, later, orders, thinks_at_leisure
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.mail import Mail
from pbm.domain.match import SWAP, Ending, Match, Player, State, replay
from pbm.domain.settings import DAILY, Settings
from pbm.domain.spans import OFF
from pbm.mailin import strip_subject
from pbm.reading.commands import Command, begins, parse, verb_meant
from pbm.reading.intent import Ask, Sure, Surroundings, read
from pbm.reading.verbs import LOOKING, Entry, Standing, Verb, redact_quoted
from pbm.store import Transaction
from pbm.store.house import THINK, Item
from pbm.store.puzzles import Puzzle
from pbm.store.tickets import Ticket

WORD = "puzzle"
LEAVE = f"set {WORD} {OFF}"
_CHOICES = {
    LEAVE: (OFF, "No more puzzles come by themselves."),
    f"set {WORD} {DAILY}": (DAILY, f'A puzzle comes each day. "{LEAVE}" ends that.'),
}
"""Settings that an answer to a puzzle can change: its token acts for the player in matters of puzzles only."""
MOST_TRIED = 10
"""Stored puzzles to try; the first whose positions are on no board under way is posed."""
MOST_ATTEMPTS = 5
"""How often a robot tries to make a puzzle."""
SOURCE = "source"
"""The first word of the keys of finished games that are to be searched for a puzzle."""
FEWEST_PLIES = 6
"""Plies of a game that is searched, and of a board that a puzzle is compared with."""
MOST_WAITING = 50
"""Games that may wait to be searched; further ones are not searched."""
MOST_COMPARED = 100
"""Boards that a puzzle is compared with; if there are more, it is not posed."""
ANSWERED_WITHIN_DAYS = 60
_GIVING_UP = re.compile(
    r"(?:please )?(?:(?:show|tell|give|send)(?: me)? |what(?: is|'s) )?(?:the )?solution(?:,? please)?[ .!?]*"
    r"|(?:please )?(?:(?:show|tell|give|send)(?: me)? |what(?: is|'s) )the (?:answer|right move)(?:,? please)?[ .!?]*"
    r"|(?:give up|resign)[ .!]*",
    re.IGNORECASE,
)
"""A player gives a puzzle up: "What is the solution?" """
_STOPPING = re.compile(
    r"(?:please )?(?:no more|stop(?: the| these)?|end the) puzzles(?:,? please)?[ .!]*", re.IGNORECASE
)
"""A player ends the daily puzzle: "No more puzzles, please." """
_FURTHER = re.compile(
    r"(?:please )?(?:(?:send|give)(?: me)? )?(?:(?:the |a )?(?:next|new)|another|(?:one )?more)"
    r"(?: puzzles?| one)?(?:,? please)?[ .!]*",
    re.IGNORECASE,
)
"""A player asks for another puzzle after one is answered: "Another one, please." """
_HINT, _NUMBER = re.compile(r"\bhints?\b", re.IGNORECASE), re.compile(r"\d")
_GUESSED = re.compile(
    r"(?:(?:i (?:think|guess|believe)|i(?:'d| would) say|maybe|probably),? )?"
    r"(?:(?:it is|it's|is it|that is|(?:the|my) (?:answer|move|solution|winning move) is):? |(?:answer|solution): ?)?"
    r"(?P<move>\S+?(?: \S+?)??)(?: (?:wins|is it))?[.!?]*",
    re.IGNORECASE,
)
"""A player names a move as the answer: "I think it is D4." """


@handles(
    Verb(f"{WORD} [GAME|NUMBER] USERID PASSWORD [ANSWER...]", LOOKING, bare=True),
    Entry(155, "get a position in which exactly one move wins, of any game or of one; puzzle 12 F6 answers one"),
)
def puzzle(request: Request, command: Command) -> Answer | None:
    player = request.author.who(command)
    words = f"{command.args.get('GAME', '')} {command.args.get('ANSWER', '')}".strip()
    if not words[:1].isdecimal():
        return _give(request, command, player, _games(words.casefold().partition(" ")[0]))
    _about_one(request, player, words)
    return None


def _about_one(request: Request, player: Player, words: str) -> None:
    """Judge an answer to a puzzle, or send it again. words: its number, then perhaps an answer. Raises: as _judge."""
    first, _, answer = words.partition(" ")
    puzzle = request.tx.puzzles.get(int(first), player.id) if first.isdecimal() and len(first) < 10 else None
    if puzzle is None or puzzle.posed_at is None:
        raise NotFound(f"You have not been given a puzzle {first[:20]}.", WORD)
    if answer:
        _judge(request, player, puzzle, answer)
    else:
        request.outgoing.letters += _mails(request, player, puzzle)


def _games(word: str) -> list[str]:
    """The games that a puzzle may come from. word: a game, or empty for any. Raises: BadArguments."""
    offered = [name for name in BOARDS if name in GAMES]
    if word and word not in offered:
        raise BadArguments(
            f'There are no puzzles of "{word}". There are some of {joined(sorted(offered))}.', f"{WORD} {offered[0]}"
        )
    return [word] if word else offered


def _give(request: Request, command: Command, player: Player, games: Sequence[str]) -> Answer | None:
    """Send the puzzle they have not answered yet, or a new one; if there is none, order one. Raises: NotAllowed."""
    tx = request.tx
    puzzle = tx.puzzles.open(player.id, games)
    if puzzle is None:
        request.draw(Act.PUZZLE)
        puzzle = _fresh(request, player, games)
    if puzzle is not None:
        request.outgoing.letters += _mails(request, player, puzzle)
        return None
    _order(tx, player, games, mailed=True)
    return done(command, f"A robot makes a puzzle{later(request, player)}. It comes in a separate email.")


def _fresh(at: Desk, player: Player, games: Collection[str]) -> Puzzle | None:
    """Pose the player a stored puzzle that they have not been given yet; None if there is none."""
    tx = at.tx
    for puzzle in tx.puzzles.fresh(player.id, games, MOST_TRIED):
        if not _in_play(at, puzzle):
            tx.puzzles.pose(player.id, puzzle.id, tx.now)
            return puzzle
    return None


def _in_play(at: Desk, puzzle: Puzzle) -> bool:
    """Whether a board under way shows a position of the puzzle, or of the plies before it, in whatever move order."""
    plies = len(puzzle.moves) + len(puzzle.line)
    boards = at.tx.matches.running(puzzle.game, FEWEST_PLIES, plies, MOST_COMPARED + 1)
    # Nothing is there to be compared, so the puzzle need not be replayed.
    if not boards:
        return False
    game, state = GAMES[puzzle.game], replay(GAMES[puzzle.game], puzzle.options, "", ())
    positions = set()
    for text in (*puzzle.moves, *puzzle.line):
        state, _ = state.play(text)
        positions.add((state.to_move, game.scene(state.position, None)))
    states = (board.state for board in at.readable(boards))
    # With more boards than can be compared, one of them might show it.
    return len(boards) > MOST_COMPARED or any(
        (each.to_move, game.scene(each.position, None)) in positions for each in states if each.options == state.options
    )


def _order(tx: Transaction, player: Player, games: Sequence[str], *, mailed: bool) -> None:
    """Order a puzzle, of the game of which the player has had the fewest. mailed: send it as soon as it is made."""
    had = tx.puzzles.posed_by_game(player.id)
    game = min(games, key=lambda name: had.get(name, 0))
    tx.agenda.put(THINK, f"{WORD} {player.id}", tx.now, game=game, mailed=mailed)


def _judge(request: Request, player: Player, puzzle: Puzzle, text: str) -> None:
    """Judge an answer. The first one that names a move, or gives up, counts.

    Raises: NotAllowed; GameError, BadArguments if a line among several names no move: a list then says what was done.
    """
    state, tx, move = _state(puzzle), request.tx, puzzle.line[0]
    # The first answer counts, or one could try all moves.
    if puzzle.solved is not None:
        raise NotAllowed(f"You have answered puzzle {puzzle.id} before. The winning move is {move}.", WORD)
    try:
        played = _answer(state, text)
    except (GameError, BadArguments) as error:
        if request.several:
            raise
        problem = redact_quoted(str(error), request.secrets)
        request.outgoing.letters += _mails(request, player, puzzle, problem=problem)
        return
    solved = played == move
    tx.puzzles.settle(player.id, puzzle.id, request.now, solved=solved)
    request.outgoing.letters += request.tools.composer.puzzle(
        reader_of(request, player), "puzzle-over.txt", _posed(puzzle, solved=True), request.now, to=request.message,
        played=played, solved=solved, move=move, following=puzzle.line[1:], streak=tx.puzzles.streak(player.id),
    )  # fmt: skip
    prepare(SettingsSaved(player, Settings.chosen(tx.players.settings(player.id))), tx)


def _answer(state: State, text: str) -> str:
    """The move that an answer names, in plain words or in its first line; empty if it gives up.

    Raises: GameError, BadArguments.
    """
    line = text.partition("\n")[0].strip()
    if _GIVING_UP.fullmatch(line):
        return ""
    if _asks_for_hint(line):
        raise BadArguments('There are no hints for puzzles; "solution" gives up.')
    reading = read(text, Surroundings(partial(_legal, state), is_turn=True))
    # Only one answer counts, so it must be clear which it is.
    if isinstance(reading, Ask) and (reading.is_said or len(reading.readings) > 1):
        named = " or ".join(reading.readings)
        raise BadArguments(f"Your email may mean {named}. Answer with the one that you mean.")
    if isinstance(reading, Sure) and reading.line == "resign":
        return ""
    if isinstance(reading, Sure) and _legal(state, reading.line) is not None:
        return reading.line
    # "Hi," is no edge from H to I.
    if line.endswith(","):
        raise BadArguments("Your email names no move. Answer with a move and nothing else.")
    guessed = _GUESSED.fullmatch(line)
    return _move(state, guessed["move"] if guessed else line)


def _asks_for_hint(line: str) -> bool:
    """Whether a line asks for a hint for the puzzle and not for a board: "a hint, please", but not "hint 101"."""
    return bool(_HINT.search(line)) and not _NUMBER.search(line)


def _legal(state: State, words: str) -> str | None:
    try:
        return _move(state, words)
    except (GameError, BadArguments):
        return None


def _move(state: State, text: str) -> str:
    """The canonical text of a move. Raises: GameError, BadArguments."""
    if text.strip().casefold() == SWAP:
        raise BadArguments("A puzzle has no swap.")
    return state.play(text)[1]


def _state(puzzle: Puzzle) -> State:
    return replay(GAMES[puzzle.game], puzzle.options, "", puzzle.moves)


def _posed(puzzle: Puzzle, *, solved: bool = False) -> Posed:
    """The puzzle as it is shown: before its winning move or, once it is solved, after it."""
    return Posed(puzzle.id, puzzle.game, puzzle.options, (*puzzle.moves, *puzzle.line[:1]) if solved else puzzle.moves)


def _mails(at: Desk, player: Player, puzzle: Puzzle, *, problem: str = "", leave: str = "") -> list[Mail]:
    """The puzzle for each address of the player, with a token that can only answer it and make one of _CHOICES."""
    composer, reader, mails = at.tools.composer, reader_of(at, player), list[Mail]()
    for address in reader.addresses:
        token = at.issue(WORD, f"{puzzle.id}", days=ANSWERED_WITHIN_DAYS, player=player, puzzle=puzzle.id)
        mails += composer.puzzle(
            replace(reader, addresses=(address,)), "puzzle.txt", _posed(puzzle), at.now,
            to=at.message if isinstance(at, Request) else None, token=token, leave=leave, problem=problem,
            streak=at.tx.puzzles.streak(player.id), robot=composer.robot.address, puzzle=puzzle,
        )  # fmt: skip
    return mails


@redeems(WORD, lasting=True)
def answer_puzzle(request: Request, ticket: Ticket) -> bool | None:
    """The answer names the move, asks for another puzzle, or makes a choice. Other commands are not for the puzzle."""
    player = request.tx.players.get(ticket.player_id)
    puzzle = request.tx.puzzles.get(int(ticket.payload[WORD]), player.id) if player else None
    if player is None or puzzle is None:
        return None
    answer = request.message.text.strip() or strip_subject(request.message.subject)
    answer = answer.removeprefix(f"{WORD} {puzzle.id} ")
    line = answer.partition("\n")[0].strip()
    choice = LEAVE if _STOPPING.fullmatch(line) else line.casefold().rstrip(".!")
    # Players answer whatever mail is the latest; but a puzzle may be forwarded, and its token is for puzzles only.
    if choice not in _CHOICES and player in request.sender.at_home and _is_command(puzzle, line):
        return False
    request.author.player = player
    if choice in _CHOICES:
        value, text = _CHOICES[choice]
        stored = {**request.tx.players.settings(player.id), WORD: value}
        request.tx.players.save_settings(player.id, stored)
        publish(SettingsSaved(player, Settings.chosen(stored)), request.tx)
        request.outgoing.answers.append(Answer(choice, Outcome.DONE, text))
        return None
    try:
        request.outgoing.answers += filter(None, [_answered(request, player, puzzle, answer)])
    except (NotFound, NotAllowed, BadArguments) as error:
        refuse(request, line, error)
    return None


def _answered(request: Request, player: Player, puzzle: Puzzle, text: str) -> Answer | None:
    """Judge an answer, or give what it asks for: "puzzle", "puzzle hex", or one they have had: "puzzle 12".

    Somebody to whom the puzzle was forwarded gets no earlier ones. Raises: NotFound, NotAllowed, BadArguments.
    """
    line = text.partition("\n")[0]
    words = line.casefold().split()
    # Earlier puzzles are the player's own affair, and the puzzle may have been forwarded.
    if words[:1] == [WORD] and words[1:] and words[1].isdecimal() and player in request.sender.at_home:
        _about_one(request, player, line.split(maxsplit=1)[1])
        return None
    # Before it is answered, the same puzzle would come again.
    is_further = puzzle.solved is not None and _FURTHER.fullmatch(line)
    if is_further or (words[:1] == [WORD] and len(words) < 3):
        command = parse(WORD if is_further else line, Standing(known=True, proven=True))
        return _give(request, command, player, _games("" if is_further else " ".join(words[1:])))
    _judge(request, player, puzzle, text)
    return None


def _is_command(puzzle: Puzzle, text: str) -> bool:
    """Whether the text is a command, and neither an answer to the puzzle nor a request for another one or a hint."""
    is_for_puzzles = text.casefold().startswith(WORD) or _asks_for_hint(text)
    # "resign" and "pass" are moves of some games, so they answer the puzzle.
    if is_for_puzzles or not begins(text) or verb_meant(text) is not None:
        return False
    try:
        _answer(_state(puzzle), text)
    except (GameError, BadArguments):
        return True
    return False


@subscribes(SettingsSaved)
def prepare(event: SettingsSaved, tx: Transaction) -> None:
    """Order the next daily puzzle of a player in time, if there is none for them."""
    player, games = event.player, _games("")
    waits = tx.puzzles.open(player.id, games) or tx.puzzles.fresh(player.id, games, 1)
    # A robot takes minutes, so it is made before the day comes.
    if event.settings.puzzle == DAILY and not waits and tx.agenda.get(THINK, f"{WORD} {player.id}") is None:
        _order(tx, player, games, mailed=False)


@digests
def daily_puzzle(occasion: Occasion, player: Player, settings: Settings, is_part: bool) -> Posed | None:
    """The daily puzzle of players who want one; in a mail of its own if there is no digest or it must be made first."""
    if settings.puzzle != DAILY:
        return None
    tx, games = occasion.tx, _games("")
    puzzle = tx.puzzles.open(player.id, games) or _fresh(occasion, player, games)
    if puzzle is None:
        _order(tx, player, games, mailed=True)
    elif is_part:
        return _posed(puzzle)
    else:
        occasion.owe(_mails(occasion, player, puzzle, leave=LEAVE))
    return None


@thinks_at_leisure
def puzzles_ordered(at: Desk) -> Iterator[Task]:
    """The ordered puzzles; each attempt at one has a different seed."""
    for item, whom, _ in orders(at.tx, WORD):
        game = item.payload["game"]
        seed = (at.tx.puzzles.count(game) + 1) * MOST_ATTEMPTS + item.attempts
        question = Question(game, options_of(game, seed), "", (), max(LEVELS), seed, 0, puzzle=True)
        yield Task(item.key, asked(question), partial(_made, item, whom, question), partial(_failed, item, whom), whom)


def _made(item: Item, whom: int, question: Question, at: Desk, thoughts: Sequence[Thought]) -> None:
    """Store the puzzle, and send it if its player waits for it."""
    tx, now = at.tx, at.now
    if not thoughts:
        _failed(item, whom, at, "none was found")
        return
    # Another process has made it meanwhile.
    if not tx.agenda.drop(THINK, item.key):
        return
    thought = thoughts[0]
    made = tx.puzzles.add(question.game, question.options, thought.before, thought.line, now)
    player = tx.players.get(whom)
    if player is None or not item.payload["mailed"]:
        return
    if _in_play(at, made):
        _order(tx, player, [question.game], mailed=True)
        return
    tx.puzzles.pose(player.id, made.id, now)
    leave = LEAVE if Settings.chosen(tx.players.settings(player.id)).puzzle == DAILY else ""
    at.owe(_mails(at, player, made, leave=leave))


def _failed(item: Item, whom: int, at: Desk, reason: str) -> None:
    asker, title = whom if item.payload["mailed"] else 0, GAMES[item.payload["game"]].info.title
    give_up(item, MOST_ATTEMPTS, asker, "pbm: no puzzle", "no-puzzle.txt", at, reason, title=title)


@subscribes(MatchEnded)
def note_game(event: MatchEnded, tx: Transaction) -> None:
    """Order the search of a game that has ended, if it may hold a puzzle."""
    match = event.match
    if match.game in BOARDS and _may_hold_one(match) and len(list(orders(tx, SOURCE))) < MOST_WAITING:
        tx.agenda.put(THINK, f"{SOURCE} {match.board}", tx.now)


def _may_hold_one(match: Match) -> bool:
    ended = match.result is not None and match.result.ending is not Ending.VOID
    # A board of one's own is nobody else's puzzle.
    return ended and not match.body and len(match.record) >= FEWEST_PLIES


@thinks_at_leisure
def games_that_ended(at: Desk) -> Iterator[Task]:
    for item, board, _ in orders(at.tx, SOURCE):
        match, given_up = at.tx.matches.load(board), partial(_given_up, item)
        if match is None or not _may_hold_one(match):
            yield Task(item.key, lambda _: (), given_up, given_up)
        else:
            moves = tuple(each for each in match.record.notations if each != SWAP)
            question = Question(match.game, match.options, "", moves, max(LEVELS), match.board, 0, puzzle=True)
            yield Task(item.key, asked(question), partial(_discovered, item, board, question), given_up)


def _discovered(item: Item, board: int, question: Question, at: Desk, thoughts: Sequence[Thought]) -> None:
    """Store the puzzle that was found, unless its game has been reopened."""
    tx = at.tx
    match = tx.matches.load(board)
    if tx.agenda.drop(THINK, item.key) and thoughts and match is not None and _may_hold_one(match):
        tx.puzzles.add(question.game, question.options, thoughts[0].before, thoughts[0].line, tx.now, match.board)


def _given_up(item: Item, at: Desk, _: str) -> None:
    at.tx.agenda.drop(THINK, item.key)
