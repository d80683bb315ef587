"""Divides what a person wrote into command lines, each with the plan below it, and a comment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from functools import partial

from games import GAMES
from pbm.domain.errors import BadArguments, Rejected, UnknownCommand
from pbm.domain.foreign_records import start_in
from pbm.domain.settings import CHOICES
from pbm.reading.book import common, named
from pbm.reading.book import words as kind
from pbm.reading.commands import (
    MOVE_WORD,
    NOTHING,
    SELECTORS,
    VERBS_AS_MOVES,
    Command,
    Line,
    begins,
    board_first,
    clean,
    is_moves,
    is_ours,
    lift,
    parse,
    split_plan,
)
from pbm.reading.dates import names_days
from pbm.reading.intent import ACTS, Sure, Surroundings, Talk, is_courteous
from pbm.reading.intent import read as meaning
from pbm.reading.passwords_in_words import set_in
from pbm.reading.sentences import phrases, unsigned
from pbm.reading.verbs import (
    FIRST_BOARD,
    MULTIPLE,
    ROBOT,
    SHORTEST_SECRET,
    STARTING,
    TOURNAMENTS,
    Standing,
    Verb,
    find,
    leading,
)
from pbm.values import frozen

MAX_COMMANDS = 20
"""How many commands of one mail are carried out."""

_NOT_UNDERSTOOD = (UnknownCommand, BadArguments)
_NEXT_BOARD = re.compile(
    r"\s*[,;]\s*(?:and\s+)?(?=#?\d{3,12}[:.)]? )|\s+and\s+(?=#?\d{3,12}[:.)]? )"
    r"|(?<=\d)\s+(?=#?\d{3,12}[:.)]? [A-Za-z]\d)"
)
_PLACED = re.compile(r"[a-z]{1,2}\d{1,2}(?:[-x>/][a-z]{1,2}\d{1,2})*", re.IGNORECASE)
"""A move that names its cells: links on boards have it as their subject, so it counts whatever words are below."""
_PUZZLE_LINE = re.compile(r"puzzle \d{1,9} \S.*", re.IGNORECASE)
"""The solution of a puzzle, in an answer to a digest."""
_LISTED = re.compile(
    rf"\A\s*(?:[-\N{{EN DASH}}\N{{BULLET}}]|\d{{1,2}}[.)])\s+(?={_PLACED.pattern}[.!]?\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""A list mark before a move on the first line: "1. F6", "- F6"."""
_FOR_BOARD = re.compile(
    r"\W*(?:(?:this|that|it)(?:['\N{RIGHT SINGLE QUOTATION MARK}]s| is| was) )?(?:meant )?(?:for |on |in )?"
    r"(?:board |game |match )?#?(\d{3,9})\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_RECORD = re.compile(r"show \d{3,9}")
_NOTED = re.compile(
    r"(?:private )?(?:note|memo)(?: to (?:my)?self)?(?! (?:that|how|the)\b| no(?:ne|thing)\W*$)[ :,-]+(?=\w)",
    re.IGNORECASE,
)
"""The beginning of a private note on one line; "Note that I will be away" is for the other player."""
_TO_OTHERS = ("kibitz", "broadcast")
_OF_NEW = re.compile(
    r"(?=.*\d)[^a-z]*(?:\b[a-z]\b)?[^a-z]*|(?:on |in )?board\b(?!.*\d{3}).*", re.IGNORECASE
)  # fmt: skip
"""Numbers, at most with the letter of a point or a colour, or a board with none of the numbers that games have here:
below a challenge they are about its board.
"""
LISTS = frozenset({"all show me active", "all games me inactive", "list", "standings", "help erase me"})
"""The commands for what may be asked of the server in plain words below a move."""
_LINKING = frozenset({"to", "then", "and", "from", "edge", "number", "no", "place", "move", "remove"})
"""Words that occur both in moves and in sentences."""
_PLAIN = SELECTORS | NOTHING | {"on", "off", "the"}
"""Words of commands that name nobody."""
_ANSWERS = NOTHING | {"solution"}
"""Words in place of a move."""
_FREE = frozenset({"KIND", "NAME", "NEW", "NEW-USERID", "PLAN", "VALUE"})
"""Parameters whose words may be any, where a verb and what stands in front of them were meant."""


@frozen
class Reading:
    """The command lines of a mail, in order, and what else the person wrote; or what is to be done about one board."""

    lines: tuple[str, ...]
    comment: str = ""
    truncated: bool = False
    by_board: tuple[Reading, ...] = ()
    """The same, part by part, if each line names its board, as in an answer to a digest: like small mails."""
    torn: str = field(default="", repr=False)
    """What the text says instead, if the only line is the subject, and both are commands; else ""."""
    text: str = field(default="", repr=False, compare=False)
    """What may also be read as plain words: the whole text, without plans, and without the number of its board."""
    late: str = field(default="", repr=False, compare=False)
    """The first line below words for others that is a command all the same; else ""."""
    board: int | None = field(default=None, repr=False, compare=False)
    """The board that the line begins with, or that named last before it, to which the words below belong; None in a
    mail without such lines. No board has the number 0: that is for words to somebody else.
    """
    read_as: str = field(default="", repr=False, compare=False)
    """What the writer is told that their plain words were taken to mean."""

    @classmethod
    def of(cls, line: str, comment: str = "", read_as: str = "", board: int | None = None) -> Reading:
        """What plain words mean. board: the one that they name, which then stands in front of a verb about a board."""
        verb, _ = leading(line.split())
        is_of_board = verb is None or "BOARD" in verb.keys
        line = f"{board} {line}" if board is not None and is_of_board else line
        return cls((line,), comment, board=board, read_as=read_as)

    @classmethod
    def joined(cls, parts: Sequence[Reading]) -> Reading:
        """The whole of some parts."""
        if len(parts) == 1 and parts[0].board is None:
            return parts[0]
        return cls(tuple(line for part in parts for line in part.lines), by_board=tuple(parts))

    def changed(self, lines: Callable[[str], str], words: Callable[[str], str]) -> Reading:
        """The same with its lines and the words below them as they are given back."""
        return Reading.joined(
            [replace(part, lines=(*map(lines, part.lines),), comment=words(part.comment)) for part in self.parts]
        )

    @property
    def parts(self) -> tuple[Reading, ...]:
        """What is carried out by itself: a refusal keeps nothing from being done but the lines of its part."""
        return self.by_board or (self,)

    def opens_with(self, command: Command) -> bool:
        """Whether it begins with this move, or another verb in its place; no player is named in it, and no board but
        its own.
        """
        is_own = command.args.keys() == ({"MOVE"} if self.board is None else {"BOARD", "MOVE"})
        return is_own and command.verb.name == "move" and command.line == self.lines[0]

    def yields_to_words(self, command: Command | Rejected) -> bool:
        """Whether plain words may be meant in place of its first command: it was not understood, or may be no move."""
        return self.opens_with(command) if isinstance(command, Command) else isinstance(command, _NOT_UNDERSTOOD)

    def doubtful(self, command: Command) -> str:
        """What a command does, and the words below it, if these might take it back, mean another board or hold a
        command; "" otherwise. The command is nothing but a move or another verb, with the number of its board if each
        line names one.
        """
        named = set() if self.board is None else {"BOARD"}
        is_alone = bool(self.text) and command.line == self.lines[0] and command.args.keys() - {"MOVE"} == named
        deed = command.args.get("MOVE", command.verb.name)
        said = f"{'accept' if deed.rstrip('.!').casefold() == 'yes' else deed}\n{self.comment}"
        is_of_board = "BOARD" in command.verb.keys and not command.verb.has_text
        return said if is_alone and self.comment and is_of_board else ""


def by_line(lines: Iterable[tuple[str, str]], standing: Standing, late: str = "") -> tuple[Reading, ...]:
    """A reading for each line that names its board, with the words below it. late: as in Reading."""
    found, board = list[Reading](), 0
    for line, remark in lines:
        named = board_first(clean(line), standing)
        if named is not None:
            board, said = named
            found.append(Reading((line,), remark, text=f"{said}\n{remark}".rstrip("\n"), late=late, board=board))
        else:
            # Words below a puzzle's answer are for the board named last; those below a message are its text.
            board = 0 if has_text(line) else board
            found.append(Reading((line,), remark, late=late, board=board))
    return tuple(found)


def board_below(opening: str) -> str:
    """The number that is all that the line below the first names; empty if there is none.

    >>> board_below("E6\\n(for 104)"), board_below("E6\\n\\nGame 104"), board_below("E6\\nThat is 104 moves!")
    ('104', '104', '')
    """
    below = _FOR_BOARD.match(opening.partition("\n")[2].lstrip())
    return below[1] if below else ""


@frozen
class _Draft:
    """The text of a mail, and how to read it."""

    lines: Sequence[Line]
    standing: Standing
    is_userid: Callable[[str], bool]

    @property
    def start(self) -> int:
        """The index of the first line that is not blank; the number of lines if all are."""
        return next((at for at, line in enumerate(self.lines) if line.text.strip()), len(self.lines))

    @property
    def first(self) -> str:
        """The first line that is not blank, cleaned; empty if there is none."""
        return "".join(clean(line.text) for line in self.lines[self.start :][:1])

    @property
    def is_planned(self) -> bool:
        """Whether the text begins with a plan."""
        return any(line.plan for line in self.lines[: self.start])

    def text(self, start: int = 0) -> str:
        """The text from a line on, without plans."""
        return "\n".join(line.text for line in self.lines[start:])

    def yields_to(self, subject: str) -> bool:
        """Whether the subject is the command: it is one, complete and exact, and the text does not begin with one."""
        # What is wrong with it is told then: neither a greeting nor a record is a command.
        if not self.is_planned and self._says_nothing_beside(subject):
            return True
        # All of the text belongs to it; on a board, also below words in the subject: "chat hello".
        if has_text(subject):
            return self.standing.answers_board or self.is_exact(subject)
        if not self.is_exact(subject):
            return False
        # A plan at the beginning of the text is that of the subject's move.
        if self.is_planned or _is_below_new(subject, self.first):
            return True
        # Below a move the text may begin like any other command: both are done.
        is_like_command = begins(self.first) and not self.standing.answers_board
        return not (is_like_command or self.is_exact(self.first))

    def _says_nothing_beside(self, subject: str) -> bool:
        """Whether the text is at most a record of a game, and a greeting below a subject that begins a new one."""
        text = self.text()
        words = text[: start_in(text)].strip()
        if not words:
            return True
        name, *others = subject.split()
        is_new = name.casefold() in GAMES and (not others or _verb_in(subject) is not None)
        return is_new and is_courteous(words)

    def is_torn(self, subject: str) -> bool:
        """Whether subject and text are both exact commands on the board that is answered, and differ."""
        if self.standing.board is None or has_text(subject):
            return False
        is_same = self._done_by(subject) == self._done_by(self.first)
        return not is_same and self.is_exact(subject) and self.is_exact(self.first)

    def _done_by(self, line: str) -> str:
        """What a line does on the board that is answered, whose number it may name."""
        board, said = board_first(line, self.standing) or (None, line)
        said = said if board == self.standing.board else line
        return (self._meant(said) or said).casefold()

    def _meant(self, line: str) -> str:
        """The move or act on the board that is answered that a line in plain words surely means; "" for none."""
        meant = meaning(line, Surroundings(_placed, is_turn=True)) if self.standing.answers_board else Talk()
        is_deed = isinstance(meant, Sure) and (meant.line in ACTS or any(map(str.isdigit, meant.line)))
        return meant.line if isinstance(meant, Sure) and is_deed else ""

    def is_exact(self, line: str) -> bool:
        """Whether a line is a command as it stands, or what its writer surely does on the board that is answered."""
        if self.standing.board is not None and _PLACED.fullmatch(line):
            return True
        # "Hex", which names what the text speaks of, is a title.
        if line.casefold() in GAMES or self.is_title(line):
            return False
        return _is_board_line(line, self.standing) or _is_command(line, self) or self._meant(line) != ""

    def is_late(self, line: str) -> bool:
        """Whether a line among words is a command all the same, or sets a password."""
        return _is_command(line, self) or bool(set_in(line, self.is_userid))

    def is_title(self, line: str) -> bool:
        """Whether a line only names the board that is answered: "Board 101", "Move #101"."""
        verb, _, number = line.partition(" ")
        found = find(verb)
        return found is not None and found.name == "move" and number.lstrip("#") == str(self.standing.board)


def _placed(word: str) -> str | None:
    """The word if it names the cells of a move."""
    return word.casefold() if _PLACED.fullmatch(word) else None


def read(subject: str, text: str, standing: Standing, is_userid: Callable[[str], bool] = lambda _: False) -> Reading:
    """The commands of a mail. subject: without reply prefixes. text: what the person wrote, quotes removed.
    is_userid: whether a word is a player's name; this distinguishes "follow ann" below a move from "about time".

    As on the classic server, the subject is the command if it reads like one; otherwise the first lines of the text are
    the commands. A line below the first is a command only if it cannot mean anything else; the rest is the comment.
    If the first line begins with a board's number, as in an answer to a digest, such lines may stand anywhere, also in
    plain words; other commands only right below them, and they are about the same board if they name none.

    >>> on_board = Standing("cross", 101, known=True, proven=True)
    >>> read("Cross Board 101 ann-bob", "F6\\nGood luck!", on_board)
    Reading(lines=('F6',), comment='Good luck!', truncated=False, by_board=())
    >>> read("F6", "Ann Smith, Acme Corp.", on_board)
    Reading(lines=('F6',), comment='Ann Smith, Acme Corp.', truncated=False, by_board=())
    >>> read("cross move 101 F6", "Good luck!", Standing()).lines
    ('cross move 101 F6',)
    >>> read("", "F6\\nplay hex\\n\\nset digest 08:00\\nset your mind at ease", on_board)
    Reading(lines=('F6', 'play hex', 'set digest 08:00'), comment='set your mind at ease', truncated=False, by_board=())
    >>> read("", "F6\\nWant a draw?\\nGood game!", on_board).lines
    ('F6', 'draw')
    >>> read("", "F6\\nnote Bob is weak", on_board).lines, read("", "F6\\nNote that I am away", on_board).lines
    (('F6', 'note'), ('F6',))
    >>> read("", "F6\\nif any: G7", on_board).lines
    ('F6\\nif any: G7',)
    >>> digest = read("", "101 F6\\nWell played!\\n103 G7", Standing(known=True))
    >>> digest.lines, [part.comment for part in digest.parts]
    (('101 F6', '103 G7'), ['Well played!', ''])
    >>> read("", "101 F6\\nresign\\nGood game!", Standing(known=True)).lines
    ('101 F6', '101 resign')
    """
    subject, text = clean(subject), text.strip("\n")
    draft = _drafted(_LISTED.sub("", text), standing, is_userid)
    if not subject or is_ours(subject):
        return _by_text(draft)
    command = split_plan(subject, partial(_may_plan, standing))[0] or subject
    # Both are commands, and they differ: the writer is asked which one counts.
    if draft.is_torn(command):
        return Reading((command,), torn=draft.first)
    # A signature below a subject says nothing.
    if not unsigned(text).strip():
        return replace(_by_text(_drafted(subject, standing, is_userid)), comment=text.strip())
    if not draft.yields_to(command):
        return _by_text(draft)
    # A subject that is the command is read as if it were the first line of the text.
    whole = _by_text(_drafted(f"{subject}\n{text}", standing, is_userid))
    # What is wrong with a command of the classic server is told: it is no plain words.
    return replace(whole, text="") if command.split()[0].casefold() in GAMES and _verb_in(command) else whole


def _drafted(text: str, standing: Standing, is_userid: Callable[[str], bool]) -> _Draft:
    """The text with its plans apart."""
    return _Draft(lift(text.splitlines(), partial(_may_plan, standing), _is_said), standing, is_userid)


def _by_text(draft: _Draft) -> Reading:
    """The first lines of the text are the commands."""
    start, first, standing = draft.start, draft.first, draft.standing
    if first.casefold() == MULTIPLE:
        return _multiple(draft)
    # As in an answer to a digest, where each line may be about another board.
    if board_first(first, standing) is not None and not draft.is_planned:
        return _by_board(draft)
    lines = [line.text.strip() for line in draft.lines]
    end = _end_of_commands(lines, start if draft.is_planned else start + 1, draft)
    comment, late = draft.text(end).strip("\n"), ""
    noted = _NOTED.match(comment)
    # All that stands below a command with text is its text.
    is_its_text = has_text("".join(lines[:end][-1:]))
    if noted is not None and not is_its_text:
        lines[end:], comment = ["note"], comment[noted.end() :]
        end += 1
    # A command that comes too late is no command, but the writer is told of it.
    elif not is_its_text:
        late = next(filter(draft.is_late, map(clean, lines[end:])), "")
    commands = _with_plans(list(enumerate(map(clean, lines[:end]))), draft)
    is_text = has_text(first) and comment != "" and draft.is_exact(first)
    text = "" if is_text or any(line.plan for line in draft.lines) else draft.text()
    return Reading(commands[:MAX_COMMANDS], comment, len(commands) > MAX_COMMANDS, text=text, late=late)


def _end_of_commands(lines: list[str], end: int, draft: _Draft) -> int:
    """The index after the last command of those at the beginning, which then stand as commands in the list. end: that
    after the first.
    """
    for at in range(end, len(lines)):
        above = lines[end - 1] if end else ""
        if has_text(above) or _is_below_new(above, lines[at]):
            break
        if lines[at]:
            # Below a move, people ask in words: "Want a draw?".
            is_below_move = not draft.first or _takes_plan(draft.first)
            line = "draw" if is_below_move and _asks_for_draw(lines[at]) else _asked(lines[at])
            if not _is_command(line, draft):
                break
            lines[at], end = line, at + 1
    return end


def _asks_for_draw(line: str) -> bool:
    """Whether a line only offers a draw as a question: "draw?", "Want a draw?"."""
    return line.rstrip().endswith("?") and any(phrase.does == "propose" for phrase in phrases(line, "board"))


def _asked(line: str) -> str:
    """The command for a line that asks the server, in plain words, for boards, games or standings, or how to end an
    account; any other line as it is.

    >>> _asked("my games"), _asked("Please show my finished games"), _asked("history of 101")
    ('all show me active', 'all games me inactive', 'show 101')
    """
    for phrase in Surroundings(str.casefold).phrases(line, "everywhere"):
        if phrase.line in LISTS or _RECORD.fullmatch(phrase.line):
            return phrase.line
    return line


def _may_plan(standing: Standing, words: str) -> bool:
    """Whether the words may be a move, with or without a command around it, followed by a plan on the same line.

    The number of a board is not; what follows it is a command of its own.
    """
    if words.isdecimal() and standing.board in (None, int(words)):
        return False
    return is_moves(words) or (begins(words) and is_moves(words.split()[-1]))


def _is_said(line: str) -> bool:
    """Whether everything below the line is text, so that no plans are looked for."""
    return has_text(line) and clean(line).casefold() != MULTIPLE


def _with_plans(commands: Sequence[tuple[int, str]], draft: _Draft) -> tuple[str, ...]:
    """The commands, each with its plan on the lines below; after a command that takes no plan, it is one by itself.

    commands: each with the index of its line.
    """
    found: list[str] = []
    ends = [*(at for at, _ in commands), len(draft.lines)]
    for (start, line), end in zip([(0, ""), *commands], ends, strict=True):
        found += _planned(line, draft, start, end)
    return tuple(found)


def _planned(command: str, draft: _Draft, start: int, end: int) -> list[str]:
    """A command with the plan that stands at the lines from `start` up to `end`, if it takes one, or else both."""
    plans = [line.plan for line in draft.lines[start:end] if line.plan]
    below = "\n".join(clean(line) for plan in plans for line in plan.splitlines())
    joined = [f"{command}\n{below}"] if command and below and _takes_plan(command) else [command, below]
    return [*filter(None, joined)]


def _takes_plan(line: str) -> bool:
    """Whether the line is a move, or may be one."""
    verb = _verb_in(line)
    return verb is None or (verb.alters is not None and verb.alters.takes_plan)


def _verb_in(line: str) -> Verb | None:
    """The verb that the line begins with, whatever game or board stands before it."""
    words = line.split()
    is_named = bool(words) and (words[0].casefold() in GAMES or words[0].isdecimal())
    verb, _ = leading(words[1:] if is_named else words)
    return verb


def _is_below_new(above: str, line: str) -> bool:
    """Whether a line is about the game that the command above it begins, and so neither a command nor a move.

    >>> [_is_below_new("crossgeo challenge ann bob", line) for line in ("120 40 0 10 r", "Board 2 please", "101 F6")]
    [True, True, False]
    """
    verb = _verb_in(above)
    return verb is not None and verb.group == STARTING and verb.options and _OF_NEW.fullmatch(line) is not None


def _multiple(draft: _Draft) -> Reading:
    """Every line below the first is a command, except quoted lines."""
    below = enumerate(draft.lines[draft.start + 1 :], draft.start + 1)
    numbered = [(at, _asked(clean(line.text))) for at, line in below if not line.text.lstrip().startswith(">")]
    commands = _with_plans([(at, command) for at, command in numbered if command], draft)
    return Reading(commands[:MAX_COMMANDS] or (MULTIPLE,), "", len(commands) > MAX_COMMANDS)


def _by_board(draft: _Draft) -> Reading:
    """Commands that name their boards, each with the text below it; right below them, also commands of no board."""
    standing = draft.standing
    draft = replace(draft, lines=[piece for line in draft.lines for piece in _of_boards(line, standing)])
    commands: list[tuple[int, str]] = []
    remarks: list[list[str]] = []
    late: list[str] = []
    for at, line in enumerate(draft.lines[draft.start :], draft.start):
        words = _asked(clean(line.text))
        is_first = not commands or _names_board(words, standing)
        said = words if is_first else _below_board(words, commands[-1][1], draft)
        # A command of no board stands right below those of one; under words it is one of them.
        if said and (is_first or not any(remarks[-1])):
            commands.append((at, said))
            remarks.append([])
        else:
            remarks[-1].append(line.text)
            # Nobody carries it out now, but its writer is told of it.
            if said:
                late.append(clean(line.text))
    read = _with_remarks(commands, remarks, draft)
    parts = by_line(read[:MAX_COMMANDS], standing, "".join(late[:1]))
    return replace(Reading.joined(parts), truncated=len(read) > MAX_COMMANDS)


def _with_remarks(
    commands: Sequence[tuple[int, str]], remarks: Sequence[Sequence[str]], draft: _Draft
) -> list[tuple[str, str]]:
    """The commands with their plans, as in `_with_plans`, each with the words below it."""
    found: list[tuple[str, str]] = []
    ends = [*(at for at, _ in commands[1:]), len(draft.lines)]
    for (start, command), end, below in zip(commands, ends, remarks, strict=True):
        *above, last = _planned(command, draft, start, end)
        found += [*((each, "") for each in above), (last, "\n".join(below).strip("\n"))]
    return found


def _names_board(line: str, standing: Standing) -> bool:
    """Whether a line begins with a board and says what to do there, also in plain words: "103: I'll take D4"."""
    if _is_board_line(line, standing):
        return True
    named = board_first(line, standing)
    if standing.board is not None:
        return False
    # In a mail that answers no board, a puzzle stands beside boards.
    if named is None or named[0] < FIRST_BOARD:
        return _PUZZLE_LINE.fullmatch(line) is not None
    return line.partition(str(named[0]))[2][:1] in ":.)," or not isinstance(
        meaning(named[1], Surroundings(str.casefold)), Talk
    )


def _below_board(line: str, above: str, draft: _Draft) -> str:
    """The command that a line is below one of a board, with the number if it is about that board: "101 resign"; empty
    for any other line. It is read as in an answer to an email of that board. above: the command of the board.
    """
    board, rest = board_first(above, draft.standing) or (None, above)
    # Below a command with text, all is its text.
    if has_text(rest):
        return ""
    said = "draw" if _asks_for_draw(line) else line
    verb, _ = leading(said.split())
    if board is not None and verb is not None and "BOARD" in verb.keys:
        there = replace(draft, standing=replace(draft.standing, board=board))
        if _is_command(said, there):
            return f"{board} {said}"
    return line if _is_apart(line, draft) else ""


def _of_boards(line: Line, standing: Standing) -> list[Line]:
    """The commands for several boards on one line, or else the line; its plan belongs to the last of them.

    >>> [each.text for each in _of_boards(Line("101 F6 102 G7, 103 A1 and 104 resign"), Standing(known=True))]
    ['101 F6', '102 G7', '103 A1', '104 resign']
    >>> [each.text for each in _of_boards(Line("101 F6 102 G7, thanks!"), Standing(known=True))]
    ['101 F6', '102 G7', 'thanks']
    >>> [each.text for each in _of_boards(Line("F6, 102 is mine"), Standing())]
    ['F6, 102 is mine']
    """
    *before, last = _NEXT_BOARD.split(line.text)
    head, mark, thanks = last.partition(",")
    end = len(head) if before and mark and is_courteous(thanks) else len(last)
    pieces = [*before, last[:end]]
    if not all(_is_board_line(clean(piece), standing) for piece in pieces):
        return [line]
    below = last[end:].strip(" ,.!")
    texts = [*pieces, below] if below else pieces
    return [*(Line(text) for text in texts[:-1]), Line(texts[-1], line.plan)]


def _is_board_line(line: str, standing: Standing) -> bool:
    """Whether the line can only be a move or another command on the board it begins with."""
    if board_first(line, standing) is None:
        return False
    try:
        command = parse(line, replace(standing, proven=False))
    except Rejected:
        return False
    words = command.args.get("MOVE", "").split()
    moves = [bool(MOVE_WORD.fullmatch(word)) for word in words if word.casefold() not in _LINKING]
    return _is_exact(command) and (all(moves) and bool(moves) if words else True)


def _called(line: str) -> bool:
    """Whether the line starts like a command: with a verb, or with a game, known or not, and a verb."""
    return begins(line) or any(find(word, per_game=True) for word in line.split()[1:2])


def has_text(line: str) -> bool:
    """Whether the line is a command to which all lines below belong."""
    verb = _verb_in(clean(line))
    return verb is not None and verb.has_text


def _is_command(line: str, draft: _Draft) -> bool:
    """Whether a line after the first is a command: complete, or clearly meant as one (game, verb and board)."""
    cleaned = clean(line)
    if _is_board_line(cleaned, draft.standing):
        return True
    if not cleaned or not _called(cleaned) or draft.is_title(cleaned):
        return False
    if _is_addressed(cleaned, draft) or cleaned in LISTS:
        return True
    try:
        command = parse(cleaned, replace(draft.standing, proven=False), draft.is_userid)
        return begins(cleaned) and _is_exact(command, draft.is_userid)
    except Rejected:
        words = cleaned.casefold().split()
        return len(words) > 2 and words[2][0].isdigit() and (words[0] in GAMES or bool(find(words[1], per_game=True)))


def _is_addressed(line: str, draft: _Draft) -> bool:
    """Whether the line is for somebody other than the opponent, even if its words should stand below it: "kibitz Hi!",
    "message ann I will win".
    """
    words = line.split()
    verb, count = leading(words)
    if verb is None or not verb.has_text:
        return False
    names_reader = "TO-USERID" in verb.keys
    return verb.name in _TO_OTHERS or (names_reader and any(map(draft.is_userid, words[count : count + 1])))


def _is_apart(line: str, draft: _Draft) -> bool:
    """Whether a line is a command that is about no board, or names one after its verb."""
    words = line.split()
    start = int(words[0].casefold() in GAMES) if words else 0
    verb, count = leading(words[start:])
    if verb is None:
        return line in LISTS
    number = "".join(words[start + count :][:1]).partition("#")[0]
    names_board = number.isdecimal() and int(number) >= FIRST_BOARD
    return (names_board or "BOARD" not in verb.keys) and _is_command(line, draft)


def _is_exact(command: Command, is_userid: Callable[[str], bool] = lambda _: False) -> bool:
    """Whether words are what they are bound to: "follow ann" is a command, "Set your mind at ease" is a sentence."""
    if command.secrets:  # whatever is wrong with it is told to its writer, and goes to nobody else
        userid, is_long = command.args.get("USERID", ""), all(len(each) >= SHORTEST_SECRET for each in command.secrets)
        is_prose = command.verb.wordy or userid.casefold() in common()
        return is_userid(userid) or (is_long and not is_prose)
    if not command.args and command.verb.wordy and command.verb.group == STARTING:
        return " " in command.line
    return all(_is_what(name, value, command, is_userid) for name, value in command.args.items())


def _is_what(name: str, value: str, command: Command, is_userid: Callable[[str], bool]) -> bool:
    """Whether words may be what they are bound to as the parameter of that name."""
    words = [word.casefold().strip(".,;:!?") for word in value.split()]
    # "about time" is a sentence's end, "help clock" a command.
    if name in ("SUBJECT", "WORDS"):
        return (kind("common") - {"about", "with"} - _PLAIN).isdisjoint(words)
    if name in ("MOVE", "ANSWER"):
        return all(MOVE_WORD.fullmatch(word) or word in _LINKING | VERBS_AS_MOVES | _ANSWERS for word in words)
    # The name of a tournament may be any word, but it has two words of a command in front.
    if name == "NAME" and command.verb.group != TOURNAMENTS:
        return value.casefold() in CHOICES
    # "Give me time" names no days.
    if name in ("FROM", "TO", "TIME"):
        return names_days(command.line) or not NOTHING.isdisjoint(words)
    return name in _FREE or _names_somebody(words, command, is_userid)


def _names_somebody(words: Sequence[str], command: Command, is_userid: Callable[[str], bool]) -> bool:
    """Whether words of a command name players, boards or games; in lower case, without marks."""
    if all(_is_name(word) or is_userid(word) for word in words):
        return True
    # One of several players may be misspelt, and so may the reader of a text: the opponent must not be it instead.
    begins_clearly = command.verb.has_text or command.line.split()[0].casefold() in GAMES
    return (begins_clearly or any(map(is_userid, words))) and common().isdisjoint(words)


def _is_name(word: str) -> bool:
    """Whether a word names a board, a game, a robot or an address, or selects boards."""
    games = GAMES.keys() | kind("elsewhere") | named("games-elsewhere").keys()
    is_one = word in _PLAIN | games | named("counts").keys() or ROBOT.fullmatch(word) is not None
    return is_one or "@" in word or any(map(str.isdigit, word))
