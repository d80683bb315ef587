"""How one line becomes a command, and which lines form a plan. `slips` says what a line that is none may have meant.

`reading.read` finds the lines of a mail that are commands; `parse` turns one line into a Command, using the verb
table. Words that the mail itself supplies (its reply token names game, board and player) may be left out.

A plan begins at the start of a line, or after a move on the same line, however a mail program wrapped it. It continues
in lines that begin a branch, and in lines that were broken off the line before. A sentence that begins with "if" is not
a plan.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise

from games import GAMES
from games.rules import YES_NO
from pbm.domain.errors import BadArguments, Rejected, UnknownCommand
from pbm.domain.match import SWAP
from pbm.domain.plans import BEGINNING, LINK, PASSING, WIDE, WORDS
from pbm.domain.settings import CHOICES, is_choice
from pbm.reading.book import named
from pbm.reading.book import words as kind
from pbm.reading.sentences import CELL, lacks_room
from pbm.reading.slips import (
    ill_bound,
    in_order,
    is_said,
    names_of_verbs,
    nearest,
    no_game,
    reordered,
    unknown,
    unplaced,
    unsecret,
)
from pbm.reading.verbs import (
    CREDENTIALS,
    FIRST_BOARD,
    ROBOT,
    SECRETS,
    VERBS,
    Standing,
    Verb,
    bind,
    find,
    is_option,
    leading,
    untitled,
    usage,
)
from pbm.values import frozen

MAX_LINE = 1000
"""Characters of a command line; a longer line is no command."""
SELECTORS = frozenset(
    {"me", "all", "active", "inactive", "next", "tournament", "standard", "board", "boards", "new", "zoom"}
)
"""Words that select boards, besides numbers and userids."""

_FREE = frozenset({"MOVE", "PLAN", "WORDS", "NEW-PASSWORD"})
"""Parameters whose words may be anything."""
_BOARD_LINE = re.compile(
    r"(?:(?:and |also )?(?:on |in )?(?:board|game) )?#?(?P<board>\d{1,12})(?: -|[:.),]?) +(?P<rest>\S.*)", re.IGNORECASE
)
_ON_BOARD = re.compile(r"(?P<rest>\S+) (?:on|in) (?:board|game) #?(?P<board>\d{1,12})[.!]?", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "`": "`'", "“": "”“", "„": "“”", "«": "»", "»": "«", "‘": "’"}
"""Quotation marks that may open a line, and those that then close it."""
_PROMPT = re.compile(r"^write: ", re.IGNORECASE)
"""Stands before a line that our mails tell a player to write."""
_LABEL = re.compile(r"^(kibitz|broadcast|message [^\s:]+|(?:notes?|chat)(?=:$)):", re.IGNORECASE)
"""A command of text with a colon; not "Note: I am away", which speaks to the other player."""
_NO_MOVE_GOES_ON = re.compile(r"(?![x*])\S*[a-z]\S", re.IGNORECASE)
"""Words that no move has after its leading number ("12 r" and "12 x7" are moves), so the number is a board's."""
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))


@cache
def _server_subject(games: Sequence[str]) -> re.Pattern[str]:
    titles = "|".join(map(re.escape, (*games, *(GAMES[name].info.title for name in games))))
    return re.compile(
        rf"(?:new\s+)?(?:{titles})\s+board\s+(\d{{1,12}})"
        r"(?:: (?:your turn|\S+'s turn|over),)?(?:\s+\S+-\S+\s.*|(?:\s+\S+?)?(?:\s+error|\s+\(\d{1,4}\))?)",
        re.IGNORECASE,
    )


@frozen
class Command:
    """One command, its words bound to the verb's parameters; lists are one text, the words joined by blanks.

    args holds only what was written, not what the mail itself supplies.
    """

    verb: Verb
    game: str | None
    args: Mapping[str, str]
    options: tuple[str, ...] = ()
    line: str = ""
    """As it was written."""
    plan: str = ""
    """The plan written below it."""

    @property
    def secrets(self) -> frozenset[str]:
        return frozenset(value for name, value in self.args.items() if name in SECRETS)

    @property
    def credentials(self) -> tuple[str, str] | None:
        """userid and password, if both were given."""
        if not all(name in self.args for name in CREDENTIALS):
            return None
        return self.args["USERID"], self.args["PASSWORD"]

    def signed(self, userid: str, board: int | None) -> str:
        """The command as one line with the userid, and PASSWORD in the place of the password; "" if it takes none.

        board: the one it is about if it names none.
        """
        if self.verb.other_usage.endswith("USERID PASSWORD"):
            return f"{self.line} {userid} PASSWORD"
        keys = [param.key for param in self.verb.params]
        words = {"BOARD": str(board or ""), **self.args, "USERID": userid, "PASSWORD": "PASSWORD"}
        game = self.game if self.verb.per_game else ""
        line = [game, self.verb.name, *self.options, *(words.get(key, "") for key in keys)]
        return " ".join(filter(None, line)) if {*CREDENTIALS} <= {*keys} else ""


def board_of_subject(subject: str) -> int | None:
    """The board named by a subject of our own mails. subject: without reply prefixes."""
    match = _server_subject(tuple(GAMES)).fullmatch(clean(subject))
    return int(match[1]) if match else None


@lru_cache(256)
def is_ours(subject: str) -> bool:
    """Whether it is a subject of our own mails, so "pbm: preview of Cross" is no command. subject: without prefixes."""
    bare = clean(subject)
    return _server_subject(tuple(GAMES)).fullmatch(bare) is not None or bare.casefold().startswith("pbm: ")


def board_first(line: str, standing: Standing) -> tuple[int, str] | None:
    """The board a line begins with, and the rest of the line; None if it cannot name a board.

    In an answer to a board mail a number may begin a move. There it names a board only if no move continues like that,
    and, for any other board, if a cell or a verb follows. A single cell or verb may also come first: "F6 on board 101".

    >>> on_board = Standing("cross", 101, known=True)
    >>> board_first("101, F6", on_board), board_first("102 F6", on_board), board_first("105 to 110", on_board)
    ((101, 'F6'), (102, 'F6'), None)
    >>> board_first("And on board 102: F6", on_board), board_first("resign in game 101", on_board)
    ((102, 'F6'), (101, 'resign'))
    >>> board_first("Board 102: I resign", Standing(known=True))
    (102, 'I resign')
    """
    named = _BOARD_LINE.fullmatch(line) or _ON_BOARD.fullmatch(line)
    if named is None or not standing.known:
        return None
    board, rest, is_behind = int(named["board"]), named["rest"], named.re is _ON_BOARD
    # There a number may begin a move: "12 r" draws edge 12.
    if standing.board is not None or is_behind:
        is_other = is_behind or board != standing.board
        is_clear = CELL.match(rest) or leading(rest.split())[0] is not None
        # A number below the first board's is of a move, and behind another board's stands a cell or a verb.
        if not _NO_MOVE_GOES_ON.match(rest) or (is_other and (board < FIRST_BOARD or not is_clear)):
            return None
    return board, rest


def clean(line: str) -> str:
    """The line with blanks folded, without control characters, the classic server's `**` and the brackets of usages.

    Asterisks may also touch the first word; later words keep theirs, because they may be passwords.

    A `>` without a `<` stays, because it marks a quoted line or belongs to a move; so does a `<` without a `>`.

    Quotation marks around the whole line are removed, because help pages and people write commands that way; so is the
    word "Write:", which precedes commands in our mails, and the colon of a command whose text follows.

    >>> clean("** cross move  <101>  [F6] **"), clean("*move 101 F6"), clean("> resign"), clean("b1>c2")
    ('cross move 101 F6', 'move 101 F6', '> resign', 'b1>c2')
    >>> clean("<3"), clean("<101 F6>")
    ('<3', '101 F6')
    >>> clean('"cross move 101 F6"'), clean('"Hi" is what "they" say'), clean("Write: message bob")
    ('cross move 101 F6', '"Hi" is what "they" say', 'message bob')
    >>> clean("message ann: Hi!"), clean("note:"), clean("Note: I am away")
    ('message ann Hi!', 'note', 'Note: I am away')
    """
    # Control characters come with texts that were copied from terminals.
    if not line.isprintable():
        line = "".join(char if char.isprintable() else " " for char in line)
    line = _unquoted(line.strip(" *")).lstrip(" *")
    # Help pages write parameters in brackets; a lone ">" quotes a line, or captures in a move.
    opening, closing = ("[<", "]>") if "<" in line and ">" in line else ("[", "]")
    words = [word if word == ">" else word.lstrip(opening).rstrip(closing) for word in line.split() if word != "**"]
    # People copy the whole line of our mails that tells what to write.
    return _LABEL.sub(r"\1", _PROMPT.sub("", " ".join(filter(None, words))))


def is_whole(word: str) -> bool:
    """Whether a word stays as it is within a command: it is no option, and `clean` removes nothing around it.

    >>> is_whole("geheim!"), is_whole("-geheim"), is_whole("—geheim"), is_whole("<geheim>"), is_whole('"geheim"')
    (True, False, False, False, False)
    """
    (plain,), _ = _keyed(word)
    return clean(word) == word and not is_option(plain)


def _unquoted(line: str) -> str:
    """The line without one pair of quotation marks around all of it."""
    closing, inner = _QUOTES.get(line[:1], ""), line[1:-1]
    wrapped = len(line) > 2 and line[-1] in closing and not any(mark in inner for mark in {line[0], line[-1]})
    return inner if wrapped else line


def begins(line: str) -> bool:
    """Whether the line begins with a known verb or game, or is a setting and its value; "My move" does not."""
    words = line.split()[:2]
    is_ours = any(word.casefold() in GAMES for word in words[:1]) or leading(words)[0] is not None
    return is_ours or is_choice(line.split())


def parse(line: str, standing: Standing, is_userid: Callable[[str], bool] = lambda _: True) -> Command:
    """The command of one cleaned line.

    is_userid: whether a word is a player's name; this decides whether credentials were left out.
    Raises: UnknownCommand, BadArguments, NotFound (no such game).
    """
    if is_plan(line):
        return Command(_verb_called("plan"), standing.game, {"PLAN": line}, line=line)
    line, below, plan = line.partition("\n")
    if below:
        return replace(parse(line, standing, is_userid), plan=plan, line=f"{line}\n{plan}")
    if len(line) > MAX_LINE:
        raise UnknownCommand(f"A command line has at most {MAX_LINE} characters; this one has {len(line)}.")
    named = board_first(line, standing)
    if named is not None:
        return _on_board(line, *named, standing, is_userid)
    return _of_words(line, standing, is_userid)


def command_or_refusal(
    line: str, standing: Standing, is_userid: Callable[[str], bool] = lambda _: True
) -> Command | Rejected:
    """The same, with the error in place of a command."""
    try:
        return parse(line, standing, is_userid)
    except Rejected as error:
        return error


def _of_words(line: str, standing: Standing, is_userid: Callable[[str], bool]) -> Command:
    """The command of a line that is neither a plan nor begins with the number of a board. Raises: as parse."""
    words, typed = _keyed(line)
    _check_joined(words)
    _check_names(words)
    options = tuple(filter(is_option, words))
    game, verb, plain = _verb([word for word in words if word not in options], standing)
    # In an answer to a board whatever is no command is tried as a move.
    if verb is None:
        if _is_called_otherwise(words) or not standing.answers_board:
            raise unknown(words)
        return Command(_verb_called("move"), standing.game, {"MOVE": line}, line=line)
    # Dropped in silence, an option would make another game than the one that was wanted.
    if options and not verb.options:
        raise _no_options(verb, options[0], usage(verb, standing, game))
    plain = _uncourteous(verb, _unlisted(verb, untitled(verb, plain), is_userid), is_userid)
    # Asked without courtesies: "seek please" is the bare verb.
    if game is None and not _stands_without_game(verb, plain, standing, is_userid):
        raise unplaced(verb, plain, standing)
    args = bind(verb, plain, standing, is_userid)
    # "move ann secret", the classic server's form without its last word: a userid and a password fit where a move does.
    if _lacks_move(verb, plain, args, is_userid):
        raise BadArguments("Your move is missing.", usage(verb, Standing(), game))
    if args is None:
        raise ill_bound(verb, plain, standing, game)
    _check_game_in_front(verb, plain, args, is_userid)
    return Command(verb, game, _as_typed(args, typed), options, line)


def _no_options(verb: Verb, option: str, suggestion: str) -> BadArguments:
    """The refusal of an option, which is not quoted where it may be a password that begins with a hyphen."""
    may_be_secret = "=" not in option and any(param.name in SECRETS for param in verb.params)
    quoted = "" if may_be_secret else f'"{option}": '
    return BadArguments(f'{quoted}"{verb.name}" takes no options.', suggestion)


def _stands_without_game(
    verb: Verb, words: Sequence[str], standing: Standing, is_userid: Callable[[str], bool]
) -> bool:
    """Whether a verb needs no game here: it is of none, a board shows the game, or the verb is about all games."""
    if not verb.per_game:
        return True
    if verb.bare and (not words or (len(words) == 2 and is_userid(words[0]))):  # alone, or with a login
        return True
    if words and verb.gameless:
        return True
    if "BOARD" not in verb.keys:
        return False
    first = next((word for word in words if word.casefold() not in SELECTORS), "")
    return standing.board is not None or first[:1].isdigit()


def _is_called_otherwise(words: Sequence[str]) -> bool:
    """Whether the first word is a setting, or a verb elsewhere; the refusal suggests the line that was meant."""
    return "".join(words[:1]).casefold() in CHOICES.keys() | named("verbs-elsewhere").keys()


def _keyed(line: str) -> tuple[list[str], dict[str, str]]:
    """The words of a line in plain characters, and those that were written otherwise, by their plain form.

    Phones make one dash of two hyphens, some keyboards have wide letters, and dictated lines end in a full stop. Words
    that would become one, like an old password and the new one, stay as they are.

    >>> _keyed("set sleep 23:00–07:00."), _keyed("hex seek —clock=3d")[0]
    ((['set', 'sleep', '23:00-07:00'], {'23:00-07:00': '23:00–07:00.'}), ['hex', 'seek', '-clock=3d'])
    >>> _keyed("change password ann geheim geheim!")
    (['change', 'password', 'ann', 'geheim', 'geheim!'], {})
    """
    words = line.split()
    keyed = [unicodedata.normalize("NFKC", word).translate(_DASHES).strip("“”„") for word in words]
    # A word of marks alone, such as a pass by two dashes, stays as it is.
    keyed = [plain if any(map(str.isalnum, plain)) else word for plain, word in zip(keyed, words, strict=True)]
    # Phones end a dictated line in a full stop; a lone word is a move, and its rules read that.
    if keyed[1:]:
        keyed[-1] = keyed[-1].rstrip("”.!") or keyed[-1]
    forms = [plain for plain, _ in {*zip(keyed, words, strict=True)}]
    keyed = [plain if forms.count(plain) == 1 else word for plain, word in zip(keyed, words, strict=True)]
    return keyed, {plain: word for plain, word in zip(keyed, words, strict=True) if plain != word}


def _as_typed(args: Mapping[str, str], typed: Mapping[str, str]) -> dict[str, str]:
    """The arguments with the words of moves, texts and passwords as they were written. typed: as from _keyed."""
    kept = _FREE | SECRETS
    return {
        name: " ".join(typed.get(word, word) for word in value.split()) if name in kept else value
        for name, value in args.items()
    }


def _unlisted(verb: Verb, words: list[str], is_userid: Callable[[str], bool]) -> list[str]:
    """The words after a verb without the commas and the "and" of a list: "hex, cross and go" is "hex cross go"; and
    without the "to" before the value of a setting, or the blanks in it: "set timezone to New York".

    Only after the names of games and players, the numbers of boards and the like; never in a move or in a text.
    """
    if verb.name == "set":
        setting = [*words[:1], "_".join(words[1:]).removeprefix("to_")]
        return setting if is_choice(setting) else words
    takes_list = any(param.many or param.name == "USERID2" for param in verb.params)
    if verb.has_text or not takes_list or not _FREE.isdisjoint(verb.keys):
        return words
    found: list[str] = []
    for word in words[:-1]:
        bare = word.removesuffix(",")
        # Somebody may be called "and"; behind another name it only joins two.
        if word.casefold() == "and" and _is_listed("".join(found[-1:]), is_userid):
            continue
        # A comma belongs to a password or to the words of a text.
        found.append(bare if _is_listed(bare, is_userid) else word)
    return found + words[-1:]


def _is_listed(word: str, is_userid: Callable[[str], bool]) -> bool:
    """Whether a word names a board, a game or a player, as those of a list do."""
    is_board = word.isdecimal() and len(word) >= len(str(FIRST_BOARD))
    return is_board or word.casefold() in GAMES or word.casefold() in SELECTORS or is_userid(word)


def _uncourteous(verb: Verb, words: list[str], is_userid: Callable[[str], bool]) -> list[str]:
    """The words after a verb without polite words at the end that cannot be a name, text or password: "101 please"."""
    takes_any = verb.wordy or verb.has_text or "NEW-PASSWORD" in verb.keys
    while words and not takes_any:
        last = words[-1].strip(".,!").casefold()
        if last not in kind("requesting") or is_userid(last):
            break
        words = words[:-1]
    return words


def _check_joined(words: Sequence[str]) -> None:
    """Raises: BadArguments if an option has a blank in place of its `=`."""
    for option, value in pairwise(words):
        lacks_value = is_option(option) and "=" not in option and option.lstrip("-").casefold() not in _flags()
        if lacks_value and value[0].isdigit():
            raise BadArguments(f'"{option} {value}": write {option}={value}, with "=" and no blank.')


@cache
def _flags() -> Set[str]:
    """The options that take no value, of all games."""
    own = {each.name for game in GAMES.values() for each in game.info.options if each.choices == YES_NO}
    return {"rated", "unrated", *own}


def _check_game_in_front(
    verb: Verb, words: Sequence[str], args: Mapping[str, str], is_userid: Callable[[str], bool]
) -> None:
    """Raises: NotFound if the word bound as the userid is meant as a game, because userid and password follow it."""
    names_game = "GAME" in verb.keys
    is_userids_place = "PASSWORD" in args and len(words) > 2 and args["USERID"] == words[0]
    if names_game and is_userids_place and is_userid(words[1]) and not is_userid(words[0]):
        raise no_game(words[0], f"{verb.name} GAME")


def _lacks_move(
    verb: Verb, words: Sequence[str], args: Mapping[str, str] | None, is_userid: Callable[[str], bool]
) -> bool:  # fmt: skip
    """Whether the command ends with a userid and a password, and the move after them is missing."""
    if "MOVE" not in verb.keys or (args is not None and "PASSWORD" in args):
        return False
    userid = words[-2] if len(words) in (2, 3) else ""
    return userid.isalpha() and len(userid) > 1 and find(userid) is None and is_userid(userid)


@cache
def _verb_called(name: str) -> Verb:
    """name: one that the table holds."""
    return next(verb for verb in VERBS if verb.name == name)


def _on_board(line: str, board: int, rest: str, standing: Standing, is_userid: Callable[[str], bool]) -> Command:
    """The command of a line that begins with a board: the rest, read as in an answer to that board's mail.

    If the rest is only polite words and the mail shows no board, it asks to see this one. Raises: as parse.
    """
    if standing.board is None and all(word.strip(".,!").casefold() in kind("requesting") for word in rest.split()):
        return Command(_verb_called("show"), None, {"BOARD": str(board)}, line=line)
    command = parse(rest, replace(standing, game=None, board=board), is_userid)
    if "BOARD" not in command.verb.keys:
        raise unknown(line.split())
    told = command.args.get("BOARD", "")
    number, hash_, ply = told.partition("#")
    if number not in ("", str(board)):
        name = command.verb.name
        raise BadArguments(f'The line begins with board {board}, so "{told}" does not fit.', f"{board} {name}")
    return replace(command, args={**command.args, "BOARD": f"{board}{hash_}{ply}"}, line=line)


def _verb(words: list[str], standing: Standing) -> tuple[str | None, Verb | None, list[str]]:
    """The game, the verb and the words after it; the verb is None if the line does not start with one."""
    first, second, *_ = [*map(str.casefold, words), "", ""]
    is_yes = (first, second) == ("y", "") and standing.answers_board  # rather than the game of that name
    # A game stands in front of its verb, as on the classic server.
    if first in GAMES and not is_yes:
        return _verb_of_game(first, words, standing)
    # "all games ann": the verb of a game, about all games.
    if first == "all" and len(words) > 2:
        every = find(second, per_game=True)
        if every is not None and every.gameless:
            return None, every, words[2:]
    # "digest 08:00" is a setting without its verb.
    verb, count = (find("set"), 0) if is_choice(words) else leading(words)
    # In an answer to a board it may be a move, so only elsewhere is it told what it lacks.
    if verb is None and not standing.answers_board:
        _check_begun(words, standing)
    return (standing.game if standing.game in GAMES else None), verb, words[count:]


def _verb_of_game(game: str, words: list[str], standing: Standing) -> tuple[str | None, Verb | None, list[str]]:
    """As _verb, for words that begin with the name of a game. Raises: UnknownCommand."""
    second = words[1].casefold() if len(words) > 1 else "help"
    if second == "help":
        return None, find("help"), [words[0], *words[2:]]
    verb = find(second, per_game=True)
    if verb is not None:
        return game, verb, words[2:]
    alone, _ = leading(words[1:])
    if alone is not None:
        shown = " ".join(words[1:]) if len(words) < 4 else alone.line
        raise UnknownCommand(f'"{alone.name}" stands without the name of a game.', shown)
    meant = "" if second in kind("common") else nearest(second, names_of_verbs(per_game=True))
    line = _as_move(words, standing) or ("" if meant else "help commands")
    raise UnknownCommand(f'"{words[1]}" is no command of {game}.{meant}', line)


def _check_begun(words: list[str], standing: Standing) -> None:
    """Raises: UnknownCommand for the words of a verb in another order; NotFound for a verb behind an unknown game."""
    ordered = in_order(words)
    if ordered is not None:
        said = {"tournament" if word == "event" else word for word in map(str.casefold, words)}
        is_whole = said >= {*ordered.name.split()}
        problem = (
            f'The words of "{ordered.name}" stand in another order.' if is_whole else f'"{ordered.name}" is meant:'
        )
        raise UnknownCommand(problem, reordered(words, ordered, standing))
    if len(words) > 1 and find(words[1], per_game=True) and not (_is_called_otherwise(words) or is_said(words[0])):
        raise no_game(words[0], " ".join(["GAME", *unsecret(words[1:])]))


def _as_move(words: Sequence[str], standing: Standing) -> str:
    """The move command that was meant if "move" is missing between a game and a board or cell; else empty.

    >>> _as_move(["cross", "E4"], Standing()), _as_move(["cross", "101", "ann", "secret", "E4"], Standing())
    ('cross move BOARD E4', 'cross move 101 MOVE')
    """
    game, *rest = words
    board = rest.pop(0) if rest[0].isdecimal() else str(standing.board or "BOARD")
    is_move = len(rest) == 1 and CELL.match(rest[0])
    return f"{game.casefold()} move {board} {rest[0] if is_move else 'MOVE'}" if is_move or board == words[1] else ""


def _check_names(words: Sequence[str]) -> None:
    """Raises: UnknownCommand if a game is called by its name elsewhere, or a robot stands in place of the verb."""
    for count in range(min(4, len(words) - 1), 0, -1):
        game, rest = named("games-elsewhere").get(" ".join(words[:count]).casefold(), ""), words[count:]
        if game in GAMES and find(rest[0], per_game=True):
            raise UnknownCommand(f"That game is called {game} here.", " ".join([game, *unsecret(rest)]))
    if len(words) > 1 and words[0].casefold() in GAMES and ROBOT.fullmatch(words[1].casefold()):
        line = " ".join([words[0].casefold(), *unsecret(["challenge", "me", *words[1:]])])
        raise UnknownCommand(f"{words[1]} is an opponent.", line)


def split_guard(move: str) -> tuple[str, int | None]:
    """A move and the ply it was meant for: "F6#7" is F6 if ply 7 is the next. Raises: BadArguments."""
    text, hash_, ply = move.rpartition("#")
    if not hash_:
        return move, None
    if text.strip().casefold() in {"", *kind("numbered")}:
        return move, None  # "#20" and "edge #20" are moves in some games
    if not (ply.strip().isascii() and ply.strip().isdecimal() and len(ply) < 8):
        raise BadArguments(f'"#{ply}" is not a ply number: write for instance F6#7.')
    return text.strip(), int(ply)


PASSES = ("--", "—", "–")
"""The pass as the classic server wrote it; mail programs make one dash of two."""
VERBS_AS_MOVES = frozenset({PASSING, SWAP, "propose", "undo", "accept", "reject", "resign"})
"""Verbs that may stand where a move is expected."""
NOTHING = frozenset({"none", "cancel"})


def verb_meant(text: str) -> str | None:
    """The verb that stands in place of a move; None for any other text."""
    verb = find(PASSING if text in PASSES else text.rstrip(".!"), per_game=True)
    return verb.name if verb is not None and verb.name in VERBS_AS_MOVES else None


def as_played(text: str) -> str:
    """The text of a ply; pass and swap in one spelling."""
    verb = verb_meant(text)
    return verb if verb in (PASSING, SWAP) else text


_IF = re.compile(r"(?:^|(?<=[\s;,.]))(?:then[\s,;]+)?(\(*if[\s(].*)", re.IGNORECASE)
_OPEN = re.compile(r"(?:[:,(]|(?:^|\s)(?:then|if))$", re.IGNORECASE)
_LEANING = re.compile(r"then\b|[():;,]", re.IGNORECASE)


@frozen
class Line:
    """A line of a text, and the plan at its end or below it."""

    text: str
    plan: str = ""


def lift(lines: Sequence[str], is_move: Callable[[str], bool], ends: Callable[[str], bool]) -> list[Line]:
    """The lines with the plans taken out of them; a plan at the beginning stands at an empty line.

    is_move: whether words may be a move followed by a plan. ends: whether everything below a line is plain text.

    >>> lift(["F6 if G7: H8,", "if any: A1", "If you like, talk"], lambda words: words == "F6", lambda line: False)
    [Line(text='F6', plan='if G7: H8,\\nif any: A1'), Line(text='If you like, talk', plan='')]
    """
    found: list[Line] = []
    at = 0
    while at < len(lines):
        head, plan = split_plan(lines[at], is_move)
        at += 1
        if head or not plan:
            found.append(Line(head))
        if not plan and ends(head):
            return [*found, *(Line(line) for line in lines[at:])]
        if not plan:
            continue
        block = [plan]
        while (end := _following(block[-1], lines, at)) > at:
            block += filter(None, map(str.strip, lines[at:end]))
            at = end
        above = found.pop() if found else Line("")
        found.append(Line(above.text, "\n".join(filter(None, (above.plan, *block)))))
    return found


def split_plan(line: str, is_move: Callable[[str], bool]) -> tuple[str, str]:
    """A line, and the plan at its end or "". is_move: as for `lift`."""
    found = _IF.search(line)
    if found is None or not is_plan(found[1]):
        return line, ""
    head = line[: found.start()].strip(" \t;,.*")
    if head and not is_move(head):
        return line, ""
    return head, found[1].strip()


def _following(before: str, lines: Sequence[str], at: int) -> int:
    """The index after the next line if it continues the plan of the line before it; otherwise `at`."""
    next_ = next((place for place in range(at, len(lines)) if lines[place].strip()), len(lines))
    if next_ == len(lines):
        return at
    line = lines[next_].strip()
    if is_plan(line):
        return next_ + 1
    begun = first_words(line)
    piece = not begun.strip(" ;,:()") or is_moves(begun)
    broken = _OPEN.search(before) or _LEANING.match(line) or lacks_room(before, line)
    return next_ + 1 if piece and broken and next_ == at else at


MOVE_WORD = re.compile(r"(?!\S*[a-z]{4})\S*\d\S*|[a-z]{1,3}[-,;:/&>]+[a-z]{0,3}|[a-z]|--?", re.IGNORECASE)
"""A word that may be a move, or a part of one."""
_PLAN_WORDS = frozenset(" ".join(WORDS).split()) | {"then", "if", "to", "from", "edge", "place", "move", "remove"}
_SHORT = re.compile(r"\b[a-z]{1,2}\b", re.IGNORECASE)
_NEXT = re.compile(r"\bthen\b[\s,;(]*\bif[\s(]|\bif[\s(]|[\s,;]\(", re.IGNORECASE)


def is_plan(text: str) -> bool:
    """Whether the text begins like a plan, not a sentence: its first branch holds only moves and plan words.

    Where it has a colon, any word of two letters may be a move that is misspelt.

    >>> is_plan("if zz: D4"), is_plan("if so: good"), is_plan("if so")
    (True, False, False)
    """
    begun = BEGINNING.match(text.translate(WIDE))
    if begun is None:
        return False
    first = first_words(begun[1])
    linked = len(first.split()) > 2 and LINK.search(first) is not None
    if ":" in first:
        return is_moves(_SHORT.sub("a1", first))
    says = linked or any(char.isdigit() for char in first)
    return says and is_moves(first)


def first_words(text: str) -> str:
    """The text before the next branch."""
    return _NEXT.split(text, maxsplit=1)[0]


def is_moves(text: str) -> bool:
    """Whether the text holds only parts of moves and plan words, even misspelt ones."""
    pieces = (piece.strip(".!?()").casefold() for piece in re.split(r"[\s:;,]+", text.translate(WIDE)))
    words = list(filter(None, pieces))
    others = (word for word in words if not (MOVE_WORD.fullmatch(word) or word in _PLAN_WORDS))
    verbs = ("resign", "accept", "reject", "pass", "swap")
    return bool(words) and all(difflib.get_close_matches(word[:20], verbs, 1, 0.8) for word in others)
