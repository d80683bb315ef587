"""The one table of commands: it drives parsing, usage lines, "did you mean" and help.

A usage is written once, as a player reads it: words in capitals are parameters, those in [brackets] may be left out,
and one that ends in `...` takes all words that remain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pbm.domain.settings import CHOICES

SECRETS = frozenset({"PASSWORD", "NEW-PASSWORD"})
"""Parameters that must never be repeated in a mail or a log."""

SHORTEST_SECRET = 4
"""Characters of a password at least."""

CREDENTIALS = ("USERID", "PASSWORD")
"""Parameters that may be left out when the mail itself shows who sent it."""

NO_USERIDS = frozenset({"me", "all", "new", "any", "next", "active", "inactive", *CHOICES})
"""Words that stand where a userid may, and mean something else."""

MULTIPLE = "multiple"
"""The verb whose text is commands."""

ACCOUNT, STARTING, PLAYING, EVENTS, LOOKING, COMPANY = GROUPS = (
    "your account",
    "starting games",
    "playing",
    "events",
    "looking on",
    "company",
)
"""What commands are for, in the order of the list of commands."""

_BOARD_AT_PLY = r"\d{1,12}(#-?\d{1,6})?|#-?\d{1,6}"
_PATTERNS = {
    "BOARD": re.compile(r"\d{1,12}"),
    "BOARD|all": re.compile(r"\d{1,12}|all", re.IGNORECASE),
    "BOARD[#PLY]": re.compile(_BOARD_AT_PLY),
    "NOTHING|none": re.compile("none", re.IGNORECASE),
    "PLAYER": re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,19}"),
    "SEEK": re.compile(r"#?\d{1,9}"),
    "BOARD[#PLY]|new": re.compile(rf"{_BOARD_AT_PLY}|new", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Param:
    """One word of a usage. many: takes all words that remain."""

    name: str
    optional: bool = False
    many: bool = False

    @property
    def key(self) -> str:
        """The name its words are bound to: without what else they may be."""
        return re.split(r"[^A-Z0-9-]", self.name, maxsplit=1)[0]

    def fits(self, word: str) -> bool:
        if self.name == "USERID" and (word.casefold() in NO_USERIDS or word[0].isdigit()):
            return False
        pattern = _PATTERNS.get(self.name.removesuffix("..."))
        return pattern is None or pattern.fullmatch(word) is not None


def _param(word: str) -> Param:
    optional = word.startswith("[")
    return Param(word[1:-1] if optional else word, optional, word.rstrip("]").endswith("..."))


@dataclass(frozen=True)
class Verb:
    """One command.

    per_game: it is said after a game's name. alters: it changes the board, so an answer to an old mail may not do it.
    shortest: the fewest letters an abbreviation may have; 0 for none. options: it takes a challenge's `-name=value`.
    other_usage: the same words in another order. has_text: all that is written below it is its text. bare: it may
    stand without any words, and then only asks. guarded: it needs the password, whatever the mail shows. wordy: a
    sentence may begin with it, so behind the first line of a mail it is a command only where it names a board. group:
    where the list of commands has it. takes_plan: below it may stand what is to be done then.
    """

    name: str
    usage: str
    summary: str
    per_game: bool = False
    alters: bool = False
    aliases: tuple[str, ...] = ()
    shortest: int = 0
    options: bool = False
    other_usage: str = ""
    has_text: bool = False
    bare: bool = False
    guarded: bool = False
    wordy: bool = False
    group: str = PLAYING
    takes_plan: bool = False

    @cached_property
    def forms(self) -> tuple[tuple[Param, ...], ...]:
        """The parameters in each order they may be written in, the usual one first."""
        usages = [self.usage, *([self.other_usage] if self.other_usage else [])]
        return tuple(tuple(map(_param, usage.split())) for usage in usages)

    @property
    def params(self) -> tuple[Param, ...]:
        return self.forms[0]

    @property
    def line(self) -> str:
        """The whole usage line, with GAME in front of the verbs of a game."""
        options = "[OPTIONS]" if self.options else ""
        return " ".join(part for part in ("GAME" if self.per_game else "", self.name, options, self.usage) if part)

    @property
    def words(self) -> frozenset[str]:
        """All that calls it, in lower case."""
        short = (self.name[:length] for length in range(self.shortest, len(self.name)) if self.shortest)
        return frozenset((self.name, *self.aliases, *short))


VERBS: tuple[Verb, ...] = (
    Verb("help", "[SUBJECT...]", "the page of a command or a game, or what pages there are", group=LOOKING),
    Verb(
        "signup",
        "NEW-USERID NEW-PASSWORD [ADDRESS...]",
        "make an account; answer the mail that comes back to confirm it",
        group=ACCOUNT,
    ),
    Verb(
        "add",
        "USERID PASSWORD [ADDRESS...]",
        "get your mail at one more address, or at this one; it counts once it has answered",
        guarded=True,
        group=ACCOUNT,
    ),
    Verb(
        "change password",
        "USERID PASSWORD NEW-PASSWORD",
        "take another password",
        guarded=True,
        group=ACCOUNT,
    ),
    Verb(
        "change address",
        "USERID PASSWORD [ADDRESS...]",
        "get your mail at other addresses, or at this one, in place of those you have",
        guarded=True,
        group=ACCOUNT,
    ),
    Verb(
        "reset password", "USERID", "get a mail whose answer sets a new password, if you have lost yours", group=ACCOUNT
    ),
    Verb("signoff", "USERID PASSWORD", "get no more mail at the address you write from", guarded=True, group=ACCOUNT),
    Verb(
        "delete",
        "USERID PASSWORD",
        "end your account for good; the games you still play are lost",
        guarded=True,
        group=ACCOUNT,
    ),
    Verb(
        "export",
        "USERID PASSWORD",
        "get a mail with all your games and all that is stored of you",
        wordy=True,
        group=ACCOUNT,
    ),
    Verb(
        "erase me",
        "USERID PASSWORD",
        "have all that is stored of you deleted, and your userid replaced, after a week to change your mind",
        group=ACCOUNT,
    ),
    Verb("erase no", "USERID PASSWORD", "change your mind: nothing is erased", group=ACCOUNT),
    Verb(
        "set",
        "USERID PASSWORD [NAME] [VALUE]",
        "see what you can choose for yourself, or choose it",
        bare=True,
        group=ACCOUNT,
    ),
    Verb(
        "vacation",
        "USERID PASSWORD [FROM] [TO...]",
        "let your clocks stand still for a time; alone it shows your vacations and what you have left of the year",
        bare=True,
        wordy=True,
        group=ACCOUNT,
    ),
    Verb(
        "test display",
        "USERID PASSWORD",
        "get a mail that shows what your mail program does with boards, pictures and links",
        group=ACCOUNT,
    ),
    Verb(
        "remind",
        "USERID PASSWORD [LADDER...]",
        "be reminded of your moves so long before your time is over, such as 2d 1d 6h, or off; alone it shows when",
        bare=True,
        group=ACCOUNT,
    ),
    Verb(
        "calendar",
        "[BOARD|all] USERID PASSWORD",
        "get the ends of your time as a calendar file, of a board or of all your boards",
        aliases=("ics",),
        group=LOOKING,
    ),
    Verb("list", "[GAME...]", "the games there are, or the boards of a game", group=LOOKING),
    Verb(
        "message",
        "USERID PASSWORD TO-USERID...",
        "write to other players; the text goes below the command",
        has_text=True,
        group=COMPANY,
    ),
    Verb(
        "broadcast",
        "USERID PASSWORD",
        "write to all players; the text goes below the command",
        has_text=True,
        group=COMPANY,
    ),
    Verb(
        MULTIPLE,
        "",
        "several commands in one mail, below this one, each on a line of its own",
        has_text=True,
        group=COMPANY,
    ),
    Verb(
        "challenge",
        "USERID1 USERID2",
        "start a game; the first userid moves first, and me is yourself",
        per_game=True,
        shortest=5,
        options=True,
        group=STARTING,
    ),
    Verb(
        "move",
        "BOARD USERID PASSWORD MOVE...",
        "play a move; MOVE#PLY only if that ply is the next",
        per_game=True,
        alters=True,
        takes_plan=True,
        aliases=("mvoe", "board"),
    ),
    Verb(
        "pass",
        "BOARD USERID PASSWORD",
        "pass your turn, where the game has that; as a move it is also written --",
        per_game=True,
        alters=True,
        takes_plan=True,
    ),
    Verb(
        "queue",
        "BOARD USERID PASSWORD MOVE...",
        'play a move as soon as it is your turn; "queue BOARD USERID PASSWORD none" drops it',
        per_game=True,
        alters=True,
        takes_plan=True,
        aliases=("qmove", "qboard", "moveq", "boardq"),
    ),
    Verb(
        "swap",
        "BOARD USERID PASSWORD",
        "exchange sides, as the second ply of a game that has the swap",
        per_game=True,
        alters=True,
        takes_plan=True,
    ),
    Verb(
        "plan",
        "BOARD USERID PASSWORD [PLAN...]",
        "say what you do if your opponent does this or that; alone it shows what you have said, and none drops it",
        per_game=True,
        alters=True,
        wordy=True,
        takes_plan=True,
    ),
    Verb(
        "cancel",
        "BOARD USERID PASSWORD",
        'take back a move that still waits, if you have chosen "set hold"',
        per_game=True,
        wordy=True,
    ),
    Verb("propose", "BOARD USERID PASSWORD", "offer your opponent a draw", per_game=True, alters=True),
    Verb("undo", "BOARD USERID PASSWORD", "ask your opponent to take the last ply back", per_game=True, alters=True),
    Verb(
        "accept",
        "[BOARD] USERID PASSWORD",
        "agree to what your opponent asks on a board; or, without a board, take challenges of a game",
        per_game=True,
        alters=True,
    ),
    Verb(
        "reject",
        "[BOARD] USERID PASSWORD",
        "refuse what your opponent asks on a board; or, without a board, all challenges of a game",
        per_game=True,
        alters=True,
    ),
    Verb(
        "resign",
        "BOARD USERID PASSWORD",
        "give the game up, as soon as it is your turn; in the first round it then counts for nobody",
        per_game=True,
        alters=True,
    ),
    Verb(
        "claim",
        "BOARD USERID PASSWORD [RESULT]",
        "win a game on time, once your opponent's is up; claim draw takes a draw instead",
        per_game=True,
        alters=True,
        wordy=True,
    ),
    Verb(
        "give",
        "BOARD USERID PASSWORD TIME",
        "give your opponent more time, such as 3d, whenever you like",
        per_game=True,
        alters=True,
        wordy=True,
    ),
    Verb(
        "pause",
        "BOARD USERID PASSWORD",
        "ask your opponent to let both clocks stand still until one of you resumes",
        per_game=True,
        alters=True,
        wordy=True,
    ),
    Verb("resume", "BOARD USERID PASSWORD", "end a pause", per_game=True, alters=True, wordy=True),
    Verb(
        "chat",
        "BOARD USERID PASSWORD",
        "write to the players of a board and to all who follow it; the text goes below the command",
        per_game=True,
        has_text=True,
        group=COMPANY,
    ),
    Verb(
        "kibitz",
        "BOARD USERID PASSWORD",
        "write to all who follow a board but its players, who read it when the game has ended; the text goes below",
        per_game=True,
        has_text=True,
        group=COMPANY,
    ),
    Verb(
        "note",
        "BOARD USERID PASSWORD [NOTHING|none]",
        "keep what you write below for yourself, under the mails of a board; alone it shows your notes",
        per_game=True,
        has_text=True,
        wordy=True,
        group=COMPANY,
    ),
    Verb(
        "submit",
        "BOARD USERID PASSWORD MOVE...",
        "look at the board after your move before you play it with confirm",
        per_game=True,
        alters=True,
        takes_plan=True,
    ),
    Verb("confirm", "BOARD USERID PASSWORD", "play the move you have submitted", per_game=True, alters=True),
    Verb(
        "preview",
        "BOARD[#PLY]|new [MOVE...]",
        "see what a line of moves would lead to; nothing is played",
        per_game=True,
        shortest=4,
        options=True,
        group=LOOKING,
    ),
    Verb(
        "show",
        "[BOARD[#PLY]|USERID|active|inactive|next...]",
        "mail me boards, now or after a ply, or those of a player",
        per_game=True,
        group=LOOKING,
    ),
    Verb(
        "showas",
        "USERID PASSWORD [BOARD[#PLY]|USERID|active|inactive|next...]",
        "mail me boards as I see them when I play",
        per_game=True,
        group=LOOKING,
    ),
    Verb(
        "zoom",
        "[BOARD[#PLY]] POINT FACTOR",
        "mail me the board around a point, so many times larger",
        per_game=True,
        group=LOOKING,
    ),
    Verb(
        "games",
        "[USERID|active|inactive|next...]",
        "list the boards of a game, or of players",
        per_game=True,
        group=LOOKING,
    ),
    Verb("all show", "[USERID|active|inactive|next...]", "mail me the boards of a player in all games", group=LOOKING),
    Verb(
        "follow",
        "USERID PASSWORD [WHAT]",
        "get the mails of a board, a player's boards, a game or an event; alone it lists what you follow",
        bare=True,
        wordy=True,
        group=LOOKING,
    ),
    Verb(
        "unfollow",
        "USERID PASSWORD WHAT",
        "follow a board, a player, a game or an event no more",
        wordy=True,
        group=LOOKING,
    ),
    Verb(
        "subscribe",
        "BOARD|all USERID PASSWORD",
        "follow a board, or all boards of a game: every mail of it comes to you, too",
        per_game=True,
        shortest=3,
        other_usage="USERID PASSWORD BOARD|all...",
        group=LOOKING,
    ),
    Verb(
        "unsubscribe",
        "BOARD|all USERID PASSWORD",
        "follow a board, or all boards of a game, no more",
        per_game=True,
        shortest=5,
        other_usage="USERID PASSWORD BOARD|all...",
        group=LOOKING,
    ),
    Verb(
        "notify",
        "USERID PASSWORD [BOARD|all...]",
        "hear of a board, or of all boards of a game, only when they end; once more, and you do not",
        per_game=True,
        other_usage="BOARD|all USERID PASSWORD",
        group=LOOKING,
    ),
    Verb(
        "seek",
        "USERID PASSWORD [GAMES]",
        "look for opponents, for one game or more; 0 for no more; alone it lists who looks for one",
        per_game=True,
        options=True,
        bare=True,
        group=STARTING,
    ),
    Verb("take", "SEEK USERID PASSWORD", "start the game that somebody seeks; you move first", group=STARTING),
    Verb(
        "rematch",
        "BOARD USERID PASSWORD",
        "play the game of an ended board again, with the seats exchanged",
        per_game=True,
        group=STARTING,
    ),
    Verb(
        "limit",
        "USERID PASSWORD [NUMBER|all|accept|reject]",
        "how many boards of a game you play at once; alone it shows what you have chosen",
        per_game=True,
        group=STARTING,
    ),
    Verb(
        "block",
        "USERID PASSWORD [OTHER]",
        "have nothing to do with a player; alone it lists whom you have blocked",
        group=COMPANY,
    ),
    Verb("unblock", "USERID PASSWORD OTHER", "end a block", group=COMPANY),
    Verb(
        "standings",
        "",
        "the ratings of a game, and who looks for opponents",
        per_game=True,
        aliases=("ratings",),
        group=LOOKING,
    ),
    Verb(
        "why",
        "USERID PASSWORD [BOARD]",
        "see how your rating changed on a board, or the last time, with all the numbers",
        other_usage="BOARD USERID PASSWORD",
        wordy=True,
        group=LOOKING,
    ),
    Verb(
        "about",
        "[PLAYER]",
        "what anybody may know of a player: ratings, how reliable and how fast he is, vacations",
        wordy=True,
        group=LOOKING,
    ),
    Verb("history", "", "the games that have ended, the latest first", per_game=True, group=LOOKING),
    Verb(
        "events", "[GAME]", "the events there are, of a game or of all: who plays when, and how it goes", group=EVENTS
    ),
    Verb(
        "event create",
        "EVENT KIND GAME USERID PASSWORD",
        "make an event that players may join: round-robin, swiss, ladder or league",
        options=True,
        group=EVENTS,
    ),
    Verb("event show", "EVENT", "what an event is about, its rules, and who is in it", group=EVENTS),
    Verb("event join", "EVENT USERID PASSWORD", "take part in an event", group=EVENTS),
    Verb("event leave", "EVENT USERID PASSWORD", "leave an event; what you still play there is lost", group=EVENTS),
    Verb(
        "event start",
        "EVENT USERID PASSWORD",
        "let an event of yours begin now, with those who have joined",
        group=EVENTS,
    ),
    Verb("event cancel", "EVENT USERID PASSWORD", "end an event of yours early", group=EVENTS),
    Verb("event pairings", "EVENT [ROUND]", "who meets whom in an event, and on which board", group=EVENTS),
    Verb("event standings", "EVENT", "how the players of an event stand", group=EVENTS),
    Verb(
        "event challenge",
        "EVENT USERID PASSWORD [OTHER]",
        "challenge somebody above you on a ladder; alone it tells whom you may",
        group=EVENTS,
    ),
)


_BY_WORD: dict[str, list[Verb]] = {}
"""The verbs that a word calls; looked up for every line of every mail."""
for _verb in VERBS:
    for _word in _verb.words:
        _BY_WORD.setdefault(_word, []).append(_verb)


def find(word: str, *, per_game: bool | None = None) -> Verb | None:
    """The verb a word calls, by name, alias or abbreviation; None if there is none. word: in any case."""
    folded = word.casefold()
    candidates = [verb for verb in _BY_WORD.get(folded, ()) if per_game in (None, verb.per_game)]
    exact = [verb for verb in candidates if folded == verb.name]
    return next(iter(exact or candidates), None)


def leading(words: Sequence[str], *, per_game: bool | None = None) -> tuple[Verb | None, int]:
    """The verb the words begin with, and how many words it takes: two, like "all show", or one."""
    for count in (2, 1):
        verb = find(" ".join(words[:count]), per_game=per_game) if len(words) >= count else None
        if verb is not None:
            return verb, count
    return None, 0
