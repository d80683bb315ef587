"""From what a person wrote to commands.

Two steps. `read` finds which lines of a mail are commands and which are a comment; `parse` makes one line a Command
by the verb table. Words a mail shows by itself (its reply token names game, board and player) may be left out.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from games import GAMES
from pbm.domain.errors import BadArguments, NotFound, Rejected, UnknownCommand
from pbm.domain.plan_lines import lift
from pbm.domain.plans import is_moves, is_plan
from pbm.domain.settings import CHOICES
from pbm.domain.verbs import CREDENTIALS, MULTIPLE, SECRETS, SHORTEST_SECRET, VERBS, Param, Verb, find, leading

MAX_LINE = 1000
"""Characters of a command line; a longer line is no command."""
SELECTORS = frozenset({"me", "all", "active", "inactive", "next", "board", "boards", "new", "zoom"})
"""Words that choose boards, besides numbers and userids."""
MAX_COMMANDS = 20
"""Commands carried out of one mail."""

_TITLES = [*GAMES, *(game.info.title for game in GAMES.values())]
_BOARD_LINE = re.compile(r"(\d{1,12}):? +(\S.*)")
_NO_MOVE_GOES_ON = re.compile(r"(?![x*])\S*[a-z]\S", re.IGNORECASE)
"""What no move has behind a number it begins with, as "12 r" and "12 x7" do: so the number is a board's."""
_MOVE_WORD = re.compile(r"\S*\d\S*|[a-z]{1,3}[-,;:/&>]+[a-z]{0,3}|[a-z]|--", re.IGNORECASE)
_LINKING = frozenset({"to", "then", "and", "from", "edge", "number", "no", "place", "move", "remove"})
"""Words that moves may hold and a sentence, too."""
_SERVER_SUBJECT = re.compile(
    rf"(?:new\s+)?(?:{'|'.join(map(re.escape, _TITLES))})\s+board\s+(\d{{1,12}})"
    r"(?:\s+\S+)?(?:\s+error|\s+\(\d{1,4}\))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Standing:
    """What the mail shows by itself, so that words may be left out.

    game, board: what it answers. known: its sender is a player, or says so and will be asked to prove it. proven: he
    has proved it.
    """

    game: str | None = None
    board: int | None = None
    known: bool = False
    proven: bool = False

    @property
    def answers_board(self) -> bool:
        """The mail may hold a bare move."""
        return self.board is not None and self.known


@dataclass(frozen=True, slots=True)
class Command:
    """One command, its words bound to the verb's parameters; lists are kept as one text, words joined by blanks.

    args holds only what was written: what the mail's standing tells is not repeated here. line: as it was written.
    plan: what was written below it of what is to be done then.
    """

    verb: Verb
    game: str | None
    args: Mapping[str, str]
    options: tuple[str, ...] = ()
    line: str = ""
    plan: str = ""

    @property
    def secrets(self) -> frozenset[str]:
        return frozenset(value for name, value in self.args.items() if name in SECRETS)

    @property
    def credentials(self) -> tuple[str, str] | None:
        """userid and password, for verbs that take them to know who is there."""
        if not all(name in self.args for name in CREDENTIALS):
            return None
        return self.args["USERID"], self.args["PASSWORD"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The command lines of a mail, in order, and what else the person wrote.

    remarks: what stands below each line, where each line names its board; empty where the comment belongs to them all.
    """

    lines: tuple[str, ...]
    comment: str = ""
    truncated: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def prose(self) -> str:
        """All that is no command."""
        return "\n".join(filter(None, (self.comment, *self.remarks)))


def board_of_subject(subject: str) -> int | None:
    """The board which a subject of our own mails names, prefixes already removed."""
    match = _SERVER_SUBJECT.fullmatch(clean(subject))
    return int(match[1]) if match else None


def read(subject: str, text: str, standing: Standing) -> Reading:
    """The commands of a mail. subject: without reply prefixes. text: what the person wrote, quotes removed.

    The subject is the command, as on the classic server, when it reads like one; otherwise the commands are the first
    lines of the text. A line behind the first is a command only if nothing else can be meant; what follows is comment.
    Where the first line begins with the number of a board, as in an answer to a digest, such lines may stand anywhere.
    """
    is_move = partial(_may_plan, standing)
    subject, planned = _split_plan(clean(subject), is_move)
    written = text.strip("\n").splitlines()
    left, plans = (written, []) if _is_said(subject) else lift(written, is_move, _is_said)
    lines = [line.strip() for line in left]
    start = next((index for index, line in enumerate(lines) if line), len(lines))
    first = clean(lines[start]) if start < len(lines) else ""
    is_planned = any(at <= start for at, _ in plans)
    plays = _is_board_line(subject, standing)
    begun = is_planned or _called(first) or _is_board_line(first, standing)
    meant = not (first or is_planned) or plays or (_called(subject) and (begins(subject) or not begun))
    if subject and meant and board_of_subject(subject) is None:
        if subject.casefold() == MULTIPLE:
            return _multiple(lines, plans)
        plans = [*((-1, plan) for plan in planned), *plans]
        return Reading(_with_plans([(-2, subject)], plans), "\n".join(left).strip())
    if first.casefold() == MULTIPLE:
        return _multiple(["", *lines[start + 1 :]], [(at - start, plan) for at, plan in plans])
    if _board_first(first, standing) is not None and not is_planned:
        return _by_board(left, start, plans, standing)
    end = start if is_planned else start + 1
    while end < len(lines) and not _has_text(lines[end - 1] if end else "") and _is_command(lines[end], standing):
        end += 1
    commands = _with_plans(list(enumerate(map(clean, lines[:end]))), plans)
    comment = "\n".join(left[end:]).strip("\n")
    return Reading(commands[:MAX_COMMANDS], comment, len(commands) > MAX_COMMANDS)


def _split_plan(subject: str, is_move: Callable[[str], bool]) -> tuple[str, list[str]]:
    """The subject and the plan at its end, if there is one."""
    (head, *_), plans = lift([subject], is_move, _is_said) if not is_plan(subject) else ([subject], [])
    return head, [plan for _, plan in plans]


def _may_plan(standing: Standing, words: str) -> bool:
    """The words may be a move, with or without a command around it, that a plan follows on the same line.

    The number of a board is none; what follows that is a command of its own.
    """
    if words.isdecimal() and standing.board in (None, int(words)):
        return False
    return is_moves(words) or (begins(words) and is_moves(words.split()[-1]))


def _is_said(line: str) -> bool:
    """All below the line is text that nobody looks into for plans."""
    return _has_text(line) and clean(line).casefold() != MULTIPLE


def _with_plans(commands: Sequence[tuple[int, str]], plans: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The commands, each with the plan below it on lines of its own; one that takes none is followed by it.

    Both come with the numbers of the lines they stand at, a plan with that of the line behind it.
    """
    found: list[str] = []
    ends = [*(at for at, _ in commands[1:]), sys.maxsize][: len(commands)]
    early = [plan for at, plan in plans if not commands or at <= commands[0][0]]
    found += ["\n".join(map(_cleaned, early))] if early else []
    for (start, line), end in zip(commands, ends, strict=True):
        below = "\n".join(_cleaned(plan) for at, plan in plans if start < at <= end)
        joined = [f"{line}\n{below}"] if line and below and _takes_plan(line) else [line, below]
        found += filter(None, joined)
    return tuple(found)


def _cleaned(plan: str) -> str:
    return "\n".join(map(clean, plan.splitlines()))


def _takes_plan(line: str) -> bool:
    """The line is a move, or may be one."""
    words = line.split()
    verb, _ = leading(words[1:] if words[0].casefold() in GAMES else words)
    return verb is None or verb.takes_plan


def _multiple(lines: Sequence[str], plans: Sequence[tuple[int, str]]) -> Reading:
    """Every line a command; a quoted one is none."""
    numbered = [(at, clean(line)) for at, line in enumerate(lines) if clean(line) and not line.startswith(">")]
    commands = _with_plans(numbered, plans)
    return Reading(commands[:MAX_COMMANDS] or (MULTIPLE,), "", len(commands) > MAX_COMMANDS)


def _by_board(lines: Sequence[str], start: int, plans: Sequence[tuple[int, str]], standing: Standing) -> Reading:
    """Commands that name their boards, each with what is written below it. start: the line of the first command."""
    commands: list[tuple[int, str]] = []
    remarks: list[list[str]] = []
    for at, line in enumerate(lines[start:], start):
        if not commands or _is_board_line(clean(line), standing):
            commands.append((at, clean(line)))
            remarks.append([])
        else:
            remarks[-1].append(line)
    below = tuple("\n".join(each).strip("\n") for each in remarks)
    read = _with_plans(commands, plans)
    return Reading(read[:MAX_COMMANDS], "", len(read) > MAX_COMMANDS, below[:MAX_COMMANDS])


def _board_first(line: str, standing: Standing) -> tuple[int, str] | None:
    """The board a line begins with, and the rest of it; None where that cannot be meant.

    In an answer to a board mail a number may begin a move: there only that board's is one, before what no move holds.
    """
    named = _BOARD_LINE.fullmatch(line)
    if named is None or not standing.known:
        return None
    board, rest = int(named[1]), named[2]
    if standing.board is not None and (board != standing.board or not _NO_MOVE_GOES_ON.match(rest)):
        return None
    return board, rest


def _is_board_line(line: str, standing: Standing) -> bool:
    """The line is a move or another command on the board it begins with, and can be nothing else."""
    if _board_first(line, standing) is None:
        return False
    try:
        command = parse(line, replace(standing, proven=False))
    except Rejected:
        return False
    words = command.args.get("MOVE", "").split()
    moves = [bool(_MOVE_WORD.fullmatch(word)) for word in words if word.casefold() not in _LINKING]
    return _is_plausible(command) and (all(moves) and bool(moves) if words else True)


def clean(line: str) -> str:
    """Blanks folded, the classic server's `**` and the brackets of usage lines taken away, control characters too.

    Asterisks may also touch the first word; a later one, which may be a password, keeps its own.

    A `>` that no `<` belongs to stays: a quoted line is no command, and a move may hold it.
    """
    printable = "".join(char if char.isprintable() else " " for char in line).lstrip(" *")
    closing = "]>" if "<" in printable else "]"
    words = (word if word == ">" else word.lstrip("[<").rstrip(closing) for word in printable.split() if word != "**")
    return " ".join(filter(None, words))


def _called(line: str) -> bool:
    """The line starts like a command: with a verb, or with a game (there is one or not) and a verb."""
    return begins(line) or any(find(word, per_game=True) for word in line.split()[1:2])


def begins(line: str) -> bool:
    """The line begins with a verb or a game that there is; "My move" does not."""
    words = line.split()[:2]
    return any(word.casefold() in GAMES for word in words[:1]) or leading(words)[0] is not None


def _has_text(line: str) -> bool:
    """The line is a command that all lines below it belong to."""
    words = clean(line).split()
    of_game = any(word.casefold() in GAMES for word in words[:1])
    verb, _ = leading(words[1:], per_game=True) if of_game else leading(words)
    return verb is not None and verb.has_text


def _is_command(line: str, standing: Standing) -> bool:
    """A line behind the first is a command if it is complete, or misspelt beyond doubt: game, verb and board."""
    cleaned = clean(line)
    if _is_board_line(cleaned, standing):
        return True
    if not cleaned or not _called(cleaned):
        return False
    try:
        return begins(cleaned) and _is_plausible(parse(cleaned, replace(standing, proven=False)))
    except Rejected:
        words = cleaned.casefold().split()
        return len(words) > 2 and words[2][0].isdigit() and (words[0] in GAMES or bool(find(words[1], per_game=True)))


def _is_plausible(command: Command) -> bool:
    """What stands for a password, an address or a setting may be one: "Set your mind at ease" is no command."""
    args = command.args
    return (
        (not command.verb.wordy or re.search(r"\d", command.line) is not None)
        and all(len(secret) >= SHORTEST_SECRET for secret in command.secrets)
        and ("ADDRESS" not in args or "@" in args["ADDRESS"])
        and ("NAME" not in args or args["NAME"].casefold() in CHOICES)
        and all(_strangers(args.get(name, "")) <= 1 for name in ("BOARD", "USERID"))
        and re.search(r"\d|^\S*$|^[a-zA-Z]-", args.get("MOVE", "")) is not None
    )


def _strangers(words: str) -> int:
    """How many words are neither boards nor among those that choose boards: more than one are a sentence."""
    return sum(not re.match(r"[\d#]", word) and word.casefold() not in SELECTORS for word in words.split())


def parse(line: str, standing: Standing, is_userid: Callable[[str], bool] = lambda _: True) -> Command:
    """The command of one cleaned line.

    is_userid: tells whether a word is the name of a player, which decides whether credentials were left out.
    Raises: UnknownCommand, BadArguments, NotFound (no such game).
    """
    if is_plan(line):
        return Command(_verb_called("plan"), standing.game, {"PLAN": line}, line=line)
    line, below, plan = line.partition("\n")
    if below:
        return replace(parse(line, standing, is_userid), plan=plan, line=f"{line}\n{plan}")
    if len(line) > MAX_LINE:
        raise UnknownCommand(f"A command line has at most {MAX_LINE} characters; this one has {len(line)}.")
    named = _board_first(line, standing)
    if named is not None:
        return _on_board(line, *named, standing, is_userid)
    words = line.split()
    options = tuple(word for word in words if _is_option(word))
    game, verb, plain = _verb([word for word in words if not _is_option(word)], standing)
    if verb is None:
        if not standing.answers_board:
            raise _unknown(words)
        return Command(_verb_called("move"), standing.game, {"MOVE": line}, line=line)
    if options and not verb.options:
        raise BadArguments(f'"{options[0]}": {verb.name} takes no options.', usage(verb, standing, game))
    names_board = any(word[0].isdigit() for word in [word for word in plain if word.casefold() not in SELECTORS][:1])
    if verb.per_game and game is None and standing.board is None and not names_board:
        raise BadArguments(f"Which game? Put one of {_listed(GAMES)} in front of {verb.name}.", verb.line)
    args = _bind(verb, plain, standing, is_userid)
    if args is None:
        problem = "needs more words" if len(plain) < len(verb.params) else "does not fit these words"
        raise BadArguments(f"{verb.name} {problem}.", usage(verb, standing, game))
    return Command(verb, game, args, options, line)


def _verb_called(name: str) -> Verb:
    """One that the table holds."""
    return next(verb for verb in VERBS if verb.name == name)


def _on_board(line: str, board: int, rest: str, standing: Standing, is_userid: Callable[[str], bool]) -> Command:
    """The command of a line that begins with a board: what the rest would be in an answer to a mail of that board.

    Raises: as parse.
    """
    command = parse(rest, replace(standing, game=None, board=board), is_userid)
    if all(param.key != "BOARD" for param in command.verb.params):
        raise _unknown(line.split())
    return replace(command, args={"BOARD": str(board), **command.args}, line=line)


def _verb(words: list[str], standing: Standing) -> tuple[str | None, Verb | None, list[str]]:
    """The game, the verb and the words behind it; no verb when the line starts with none."""
    first = words[0].casefold() if words else ""
    second = words[1].casefold() if len(words) > 1 else ""
    if first in GAMES:
        if not second:
            return None, find("help"), words
        if second == "help":
            return None, find("help"), [words[0], *words[2:]]
        verb = find(second, per_game=True)
        if verb is None:
            meant = _meant(second, _names(per_game=True))
            raise UnknownCommand(f'"{words[1]}" is no command of {first}.{meant}', "" if meant else "help commands")
        return first, verb, words[2:]
    verb, count = leading(words)
    if verb is None and second and find(second, per_game=True) and not standing.answers_board:
        raise NotFound(
            f'There is no game "{words[0]}" here.{_meant(first, GAMES)} The games are {_listed(GAMES, "and")}.'
        )
    return standing.game, verb, words[count:]


def _bind(verb: Verb, words: list[str], standing: Standing, is_userid: Callable[[str], bool]) -> dict[str, str] | None:
    """The words under their parameters' names. The fullest form that fits wins, so that what is written counts.

    Who has proved who he is may leave his userid and password out, so they are there only if a userid is; but not of a
    guarded verb.
    """
    if verb.bare and not words:
        return {}
    for params in _forms(verb, standing):
        args = _fit(params, words)
        doubtful = standing.proven and not verb.guarded
        if args is not None and ("PASSWORD" not in args or not doubtful or _logs_in(args, is_userid)):
            return args
    return None


def _logs_in(args: Mapping[str, str], is_userid: Callable[[str], bool]) -> bool:
    """What stands for a userid and a password is one; "message bob carol dave" names three players."""
    return is_userid(args["USERID"]) and not ("TO-USERID" in args and is_userid(args["PASSWORD"]))


def _forms(verb: Verb, standing: Standing) -> Iterable[tuple[Param, ...]]:
    """The usages as they stand, then without what the mail shows by itself."""
    anonymous = tuple(param for param in verb.params if param.name not in CREDENTIALS)
    for form in (*verb.forms, anonymous) if standing.known and not verb.guarded else verb.forms:
        yield form
        if standing.board is not None:
            yield tuple(param for param in form if not param.name.startswith("BOARD"))


def _fit(params: tuple[Param, ...], words: list[str]) -> dict[str, str] | None:
    args: dict[str, str] = {}
    left = list(words)
    for param in params:
        taken = left if param.many else left[:1]
        if not taken or not param.fits(taken[0]):
            if not param.optional:
                return None
            continue
        args[param.key] = " ".join(taken)
        left = left[len(taken) :]
    return None if left else args


def usage(verb: Verb, standing: Standing, game: str | None = None) -> str:
    """The usage line, as this sender may write it. game: the one he named."""
    if not standing.known:
        return verb.line.replace("GAME", game, 1) if game and verb.per_game else verb.line
    *_, shortest = _forms(verb, standing)
    in_front = [game] if game and verb.per_game and standing.board is None else []
    return " ".join(
        [*in_front, verb.name, *(f"[{param.name}]" if param.optional else param.name for param in shortest)]
    )


def split_guard(move: str) -> tuple[str, int | None]:
    """A move and the ply it was meant for: "F6#7" is F6 if ply 7 is the next. Raises: BadArguments."""
    text, hash_, ply = move.rpartition("#")
    if not hash_:
        return move, None
    if not text.strip():
        raise BadArguments(f'"{move}" is the number of a ply without a move: write for instance F6#7.')
    if not (ply.strip().isascii() and ply.strip().isdecimal() and len(ply) < 8):
        raise BadArguments(f'"#{ply}" is not a ply number: write for instance F6#7.')
    return text.strip(), int(ply)


def _is_option(word: str) -> bool:
    """`-name` and `--name` are options wherever they stand; a lone `--` is the pass."""
    return re.match(r"--?[a-zA-Z]", word) is not None


def _unknown(words: list[str]) -> UnknownCommand:
    if not words:
        return UnknownCommand("The mail holds no command.")
    names = [*GAMES, *_names(per_game=None)]
    shown = words[0] if len(words[0]) <= 40 else words[0][:40] + "..."
    meant = _meant(words[0].casefold(), names)
    return UnknownCommand(f'"{shown}" is not a command.{meant}', "" if meant else "help")


def _names(*, per_game: bool | None) -> list[str]:
    return [verb.name for verb in VERBS if per_game in (None, verb.per_game)]


def _meant(word: str, names: Iterable[str]) -> str:
    known = list(names)
    begun = [name for name in known if name.startswith(word if len(word) > 2 else f"{word} ")]
    close = begun[:1] or difflib.get_close_matches(word[:40], known, n=1, cutoff=0.6)
    return f' Did you mean "{close[0]}"?' if close else ""


def _listed(names: Iterable[str], link: str = "or") -> str:
    *most, last = names
    return f"{', '.join(most)} {link} {last}" if most else last
