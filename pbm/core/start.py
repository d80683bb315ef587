"""How a match begins: its terms, what seeks ask for, and which players may be asked to play, and how often."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from itertools import pairwise
from zlib import crc32

from games import AnyGame
from games.rules import Drawable, OptionError, Preset, counted, quoted, spelled
from pbm.core.board import OpenBoard
from pbm.core.notify import Desk
from pbm.core.request import Request
from pbm.core.robots import ANY, LEVEL_OF, USUAL, is_robot, robots_among
from pbm.domain.clock import OPTIONS, TimeControl, control_of, read_control
from pbm.domain.errors import BadArguments, Doubt, NotAllowed
from pbm.domain.match import Match, Player, Ply, State, replay
from pbm.reading.book import named
from pbm.reading.book import words as kind
from pbm.reading.intent import is_courteous
from pbm.reading.sentences import unsigned
from pbm.store import Transaction
from pbm.store.tickets import Seek
from pbm.values import frozen

Window = tuple[int, int]
"""The lowest and the highest rating wanted."""
ANY_RATING: Window = (0, 9999)
_WINDOW = re.compile(r"--?rating=(\d{1,4})-(\d{1,4})")


def split_window(options: Sequence[str]) -> tuple[tuple[str, ...], Window]:
    """The options of the game alone, and the ratings wanted. Raises: BadArguments.

    >>> split_window(("-size=5", "--rating=1400-1600", "--robot"))
    (('-size=5',), (1400, 1600))
    """
    window, own = ANY_RATING, []
    for word in options:
        name = word.lstrip("-").partition("=")[0]
        if name != "rating":
            own += [word] if name != ANY else []
            continue
        match = _WINDOW.fullmatch(word)
        window = (int(match[1]), int(match[2])) if match else (1, 0)
        if window[0] > window[1]:
            raise BadArguments(f'"{word}" is not allowed: write the lowest and the highest, as in --rating=1400-1600.')
    return tuple(own), window


def fits(at: Desk, seek: Seek, player: Player) -> bool:
    """Whether the player's rating is one the seeker wants."""
    _, (low, high) = split_window(seek.options)
    rating = at.tx.ratings.of(seek.game, (player.id,))[player.id].at(at.now).rating.shown
    return low <= rating <= high


def robot_wanted(options: Sequence[str]) -> str:
    """The robot that takes a seek if nobody else does; empty for none. Raises: BadArguments.

    >>> robot_wanted(("-size=5", "--robot")), robot_wanted(("--robot=2",)), robot_wanted(())
    ('robot3', 'robot2', '')
    """
    for word in options:
        name, equals, level = word.lstrip("-").partition("=")
        if name == ANY:
            robot = f"{ANY}{level.removeprefix(ANY)}" if equals else USUAL
            if robot not in LEVEL_OF:
                raise BadArguments(f'"{word}" is not allowed: write --robot, or a level from --robot=1 to --robot=5.')
            return robot
    return ""


MOST_SEEKS = 50
"""Open seeks in a list; newer ones are left out until some are taken."""


def seeks_shown(request: Request, game: str) -> dict[str, object]:
    """The words of a game's list of open seeks, as the sender sees it, with the first seek that they may take."""
    newest, reader = request.tx.seeks.open(game, MOST_SEEKS + 1), request.sender.writer
    seeks = newest[:MOST_SEEKS]
    ids = [seek.player.id for seek in seeks]
    tallies, paces = request.tx.ratings.of(game, ids), request.tx.paces.of(game, ids)
    rows = []
    for seek in seeks:
        rating, pace = tallies[seek.player.id].at(request.now).rating, paces[seek.player.id]
        name = "You" if seek.player == reader else seek.player.userid
        shown = f"{rating.shown}{'P' if rating.provisional else ''}"
        row = seek.id, name, shown, f"{pace.timeouts}/{pace.finished}", seek.wanted
        rows.append((row, " ".join(seek.options) + (" own board" if seek.body else "")))
    others = (seek for seek in seeks if reader is None or (seek.player != reader and fits(request, seek, reader)))
    is_open = next((seek.id for seek in others), None)
    return {"offered": rows, "open": is_open, "newer": len(newest) > len(seeks), "known": reader is not None}


SEEDS = 1_000_000
"""How many random boards there are: few enough for a number that can be typed."""

MAX_BODY = 20_000
"""Characters of a board that a challenger may draw."""

_RATED = {"rated": True, "unrated": False}
_OF_ALL = (
    "--clock=TIME, --rated, --unrated, --totaltime=DAYS, --forfeittime=DAYS, --nagtime=DAYS, -board=BOARD, "
    "-position=BOARD#PLY"
)
"""Options of every game."""


@frozen
class MatchTerms:
    """The terms of a challenge, checked."""

    state: State
    words: tuple[str, ...]
    """The options of the game alone."""
    rated: bool
    control: TimeControl

    @property
    def told(self) -> str:
        """The terms as players read them: "-size=3, unrated, 21 days a move"."""
        parts = (" ".join(self.words), "" if self.rated else "unrated", self.control.words)
        return ", ".join(filter(None, parts))


def read_terms(
    game: AnyGame, words: Sequence[str], body: str, default_clock: str, seed: int | None = None
) -> MatchTerms:
    """The checked terms. words: options of the game and of the server, in any case. seed: see Preset.

    A game in which the colour decides is not rated. Raises: OptionError, BadArguments.
    """
    # Judged by its size before any of it is read, because some games compute long on what is drawn.
    if len(body) > MAX_BODY:
        raise BadArguments(f"A board of your own may take {MAX_BODY} characters; yours takes {len(body)}.")
    rated, own = True, []
    timing: dict[str, str] = {}
    for word in map(str.casefold, words):
        name, _, value = word.lstrip("-").partition("=")
        if name in OPTIONS:
            timing[name] = value
        elif name not in _RATED:
            own += spelled(game.info.options, word)
        elif "=" in word:
            raise OptionError(f'"{word}" takes no value: write --{name}.')
        else:
            rated = _RATED[name]
    _check_names(game, own)
    # What chance decides becomes options, so that the record alone gives the same board again.
    if isinstance(game, Preset):
        own = game.preset(own, body=body, seed=seed)
    state = State.start(game, own, body)
    # Options or a drawing may leave the first side without a move.
    if state.outcome is not None:
        raise OptionError("With these options the game would be over before it starts.")
    return MatchTerms(state, tuple(own), rated and not state.lopsided, control_of(timing, read_control(default_clock)))


def _check_names(game: AnyGame, words: Sequence[str]) -> None:
    """Raises: OptionError, which lists all options there are."""
    names = {option.name for option in game.info.options}
    unknown = next((word for word in words if word.lstrip("-").partition("=")[0] not in names), None)
    if unknown is not None:
        own = ", ".join(option.usage for option in game.info.told)
        of_game = f"{game.info.title} has {own}; every game has" if own else "Every game has"
        raise OptionError(f'"{unknown[:60]}" is no option here. {of_game} {_OF_ALL}.')


_NUMBER = re.compile(r"(?<![^\W_])(?<!<)(?<!:-)\d+")
"""A number, which neither a name such as robot3 has nor a heart, <3, nor a face, :-3."""
_SHORT = 3
"""The words, besides polite ones, of a line that may be no more than the name of an option and its value."""


def _has_number(line: str) -> bool:
    """Whether it holds a number: in figures, or in words beside what games and clocks count, from two on.

    >>> [_has_number(line) for line in ("9x9", "three days each", "of size eleven", "one day you two will see")]
    [True, True, True, False]
    """
    if _NUMBER.search(line):
        return True
    for pair in pairwise(re.findall(r"[^\W\d_]+", line.casefold())):
        is_counted = any(word.rstrip("s") in kind("terms") for word in pair)
        if is_counted and any(named("spelt").get(word, "1") != "1" for word in pair):
            return True
    return False


def _is_friendly(line: str) -> bool:
    return not _has_number(line) and is_courteous(line)


def _drawn(game: AnyGame, lines: Sequence[str]) -> range:
    """The lines that draw a board: those that the game reads, and what stands right above or below them and is no
    courtesy, because a heading in any language may say how they are meant.
    """
    drawn = game.board_in(["" if _is_friendly(line) else line for line in lines]) if isinstance(game, Drawable) else ()
    if not drawn:
        return range(0)
    first, end = drawn.start, drawn.stop
    # "rote Kanten:" above the edges went to the opponent as words, and the edges became green.
    while first and not _is_friendly(lines[first - 1]):
        first -= 1
    while end < len(lines) and not _is_friendly(lines[end]):
        end += 1
    return range(first, end)


def _option_names(game: AnyGame) -> Set[str]:
    # Names of one letter, such as n, are words of many languages, too.
    own = {name for option in game.info.options for name in option.names if len(name) > 1}
    return own | OPTIONS | _RATED.keys()


def _unused(game: AnyGame, lines: Sequence[str], used: Sequence[int] = ()) -> int | None:
    """The first of the lines, besides those in use, that may say how to play; None if there is none.

    It holds a number, or is short and names an option, or heads a board that is drawn.
    """
    options = _option_names(game)
    for place, line in enumerate(lines):
        words = [word for word in re.findall(r"[^\W\d_]+", line.casefold()) if word not in kind("requesting")]
        # Another heading than that of the board that was drawn may head one that could not be read.
        is_heading = bool(used) and line.rstrip().endswith(":") and not _is_friendly(line)
        is_term = len(words) <= _SHORT and (is_heading or not options.isdisjoint(words))
        # Whatever it may be: a board that starts without it is wrong for good.
        if place not in used and (is_term or _has_number(line)):
            return place
    return None


def _not_used(game: AnyGame, line: str, where: str) -> Doubt:
    named = [option.usage for option in game.info.told if option.name in line.casefold()]
    of_all = "--unrated" if "rated" in line.casefold() else "--clock=7d"
    usage = " or ".join([*(named or [option.usage for option in game.info.told])[:1], of_all])
    return Doubt(
        f"{where}, {quoted(line)}, was not understood, so nothing was started. If it says how to play, leave it out, "
        f"and write into the challenge itself what you want, such as {usage}."
    )


def take_body(request: Request, game: AnyGame) -> str:
    """The board that the player drew below the command, or in an attached text, which then is no comment; empty if
    there is none. All other lines are words for the opponent.

    Raises: Doubt for one of them that may say how to play, unless its writer is sure that it does not.
    """
    comment, note = request.words.comment.strip(), request.attached_text
    lines = unsigned(comment).splitlines()
    whole, drawn = comment.splitlines(), _drawn(game, lines)
    # Some people attach what they have drawn.
    if isinstance(game, Drawable) and not drawn:
        own = note.splitlines()
        if _drawn(game, own) or _unused(game, own) is not None:
            lines = whole = [*lines, "", *own]
            drawn = _drawn(game, lines)
            request.words.comment = "\n".join(whole)
        # Whoever answers a mail with somebody's graph in it expects that to be read: then nothing starts without it.
        quote = [] if drawn else request.message.quote.splitlines()
        if not request.is_sure and any(map(_NUMBER.search, quote)):
            raise _not_used(game, next(filter(_NUMBER.search, quote)), "A quoted line below your challenge")
    unused = None if request.is_sure else _unused(game, lines, drawn)
    if unused is not None:
        raise _not_used(game, lines[unused], f"Line {unused + 1} below your challenge")
    around = "\n".join(whole[: drawn.start]).strip(), "\n".join(whole[drawn.stop :]).strip()
    request.words.comment = "\n\n".join(filter(None, around))
    return "\n".join(lines[drawn.start : drawn.stop]).strip()


def start_match(
    at: Desk,
    game: AnyGame,
    words: Sequence[str],
    body: str,
    seats: tuple[Player, Player],
    *,
    rematch_of: int | None = None,
    tournament: str = "",
    default_clock: str = "",
    seed: int | None = None,
    plies: Sequence[str] = (),
) -> OpenBoard:
    """Store a new match and return it. Raises: as read_terms.

    tournament: its name, as the players read it.
    default_clock: the clock if no word sets one; empty for the server's default.
    seed: of a random board that no word names; None for a different board in each match.
    plies: in canonical notation; the match goes on after them.
    """
    tx, clock = at.tx, default_clock or at.tools.house.default_clock
    terms = read_terms(game, words, body, clock, _seed(at) if seed is None else seed)
    state = replay(game, terms.words, body, plies) if plies else terms.state
    match = tx.matches.add(
        game.info.name,
        game.info.version,
        terms.words,
        body,
        seats,
        state.to_move,
        tx.now,
        rated=terms.rated and not tx.players.bots([player.id for player in seats]),
        rematch_of=rematch_of,
        tournament=tournament,
        control=terms.control,
    )
    match = _begun(tx, match, terms.state, plies)
    board = OpenBoard(tx, match, state, match.revision, tx.now)
    if match.clock is not None:
        board.set_clock(match.clock.refreshed(match.calendars))
    return board


def _begun(tx: Transaction, match: Match, state: State, plies: Sequence[str]) -> Match:
    """The match with plies that count as played at its start; nobody's time passes."""
    for notation in plies:
        seat, clock = state.to_move, match.clock
        state, _ = state.play(notation)
        ply = Ply(notation, seat, tx.now, time_left=clock.left[seat - 1] if clock else None)
        tx.matches.add_ply(match, ply, state.to_move, clock)
        match = match._replace(record=match.record.appended(ply), revision=match.revision + 1)
    return match


def _seed(at: Desk) -> int:
    """A seed that differs for each mail and for each board the mail starts."""
    # An operator's game has no mail whose id could make it different.
    if not isinstance(at, Request):
        return seed_of(at.now.isoformat())
    message = at.message
    return seed_of(f"{message.message_id or (message.subject, message.text)} {len(at.boards.in_hand)}")


def seed_of(words: str) -> int:
    """The seed of a random board; the same words give the same seed."""
    return crc32(words.encode(errors="replace")) % SEEDS


def unheard(tx: Transaction, player: Player) -> str:
    """Why no mail can reach a player; empty where it can, and for robots, which need none."""
    if tx.players.confirmed(player.id) or is_robot(tx, player):
        return ""
    if tx.players.unreachable(player.id):
        return f"{player.userid} gets no mail at present, because all of it comes back"
    return f"{player.userid} has not confirmed an address yet"


def check_willing(
    at: Desk, game: AnyGame, seats: Collection[Player], asker: Player | None, agreed: Collection[Player | None]
) -> None:
    """Check that no block, refusal or limit of the players forbids the game.

    asker: the player who wants the game, if known. agreed: the players who have agreed to it, even if they refuse
    challenges in general. Raises: NotAllowed, which names everybody who stands in the way.
    """
    tx, most_of_all = at.tx, at.tools.house.active_games
    _check_blocks(tx, seats, asker)
    ours = robots_among(tx, seats)
    players = {player.id: player for player in seats if player not in ours}
    # What robots think is charged to the person they play.
    if not players:
        raise NotAllowed("Robots play people, not each other.", "robots")
    choices = tx.choices.of(game.info.name, players)
    counts = tx.matches.active_counts(players)
    banned = tx.bans.banned(players.values(), tx.now)
    problems = []
    for player in players.values():
        choice, active = choices[player.id], counts[player.id]
        here = active.get(game.info.name, 0)
        if player in banned:
            problems.append(f"{player.userid} does not play here at present")
        # Who has agreed to this game wants it, whatever they have set for challenges in general.
        elif not choice.accepts and player not in agreed:
            problems.append(f"{player.userid} takes no challenges of {game.info.title}")
        elif not choice.takes_more(here):
            of_game, limit = f"of {game.info.title} under way", f"no more than {choice.most_active} at once"
            problems.append(f"{player.userid} has {counted(here, 'board')} {of_game} and wants {limit}")
        elif sum(active.values()) >= most_of_all:
            most = counted(most_of_all, "board")
            problems.append(f"{player.userid} has {most} under way, as many as anybody may")
        # Their clock would run for a board that they never hear of.
        elif tx.players.unreachable(player.id):
            problems.append(unheard(tx, player))
    if problems:
        raise NotAllowed(f"No game was started: {'; '.join(problems)}.")


def _check_blocks(tx: Transaction, seats: Collection[Player], asker: Player | None) -> None:
    """Raises: NotAllowed, which tells only the blocker who has blocked whom."""
    if asker is not None:
        blockers = tx.blocks.blockers(asker.id)
        for player in seats:
            if player.id in blockers:
                raise NotAllowed(f"{player.userid} does not take challenges from you.")
    for player in seats:
        blockers = tx.blocks.blockers(player.id)
        for blocker in (other for other in seats if other.id in blockers):
            # Only who has blocked somebody may learn that it was so.
            if blocker == asker:
                raise NotAllowed(f"You have blocked {player.userid}.", f"unblock {player.userid}")
            raise NotAllowed(f"{blocker.userid} and {player.userid} do not play each other.")
