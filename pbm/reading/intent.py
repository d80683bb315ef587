"""What a text about a board means: one of three outcomes, and no other.

Sure: one whole sentence is a phrase, or begins with a legal move, and nothing else in the text contradicts it. Ask: one
to three readings are possible; the writer is asked. Words: all else is for people, or is held back from them.

A wrong act is the worst fault, and a message cannot be recalled. So a doubt is no condition more in this code: it is a
phrase of the book in "doubt", "held" or "only-spoken-of", and leads to a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice, pairwise

from games import GAMES
from pbm.reading.book import Phrase, Spans, common, named, words
from pbm.reading.sentences import (
    CELL,
    POSTCODE,
    Sentence,
    Word,
    in_plain_marks,
    is_name,
    kinds_of_clause,
    meanings,
    of_group,
    phrases,
    plain,
    plain_spans,
    sentences,
    words_of,
)
from pbm.reading.verbs import ROBOT
from pbm.values import frozen

MOST_READINGS = 3
"""A question names at most this many readings; a text with more is nobody's move."""
_LOOK_UPS = 80
"""How many pieces of a text are looked up as moves: to find out may cost as much as to play one."""
_MOST_WORDS, _LAST = 60, 2
"""How many words of a text are read, and how many sentences at its end if it has more: so no text costs much."""
_MOST_CLAUSES = 6
"""After this many commas the rest of a sentence is one clause."""
_CLAUSE = re.compile(rf"[,;:…]\s*|\.\.+\s*|\s-+(?=\s)|\s+(?=(?:{'|'.join(words('clause-begins'))})\s)", re.IGNORECASE)
"""Behind what a clause may begin."""
_BEHIND_MOVE = re.compile(r"(?:(?<=[a-z]\d)|(?<=[a-z]\d\d))(?=\s)", re.IGNORECASE)
"""Behind a move no mark is needed."""
_BEFORE_SUBJECT = re.compile(rf"(?=\b(?:{'|'.join(words('clause-subjects'))})\s)", re.IGNORECASE)
"""Before whoever moves neither: "now that the sun is out I play D4"."""
_LONGEST = 6
"""The most words of a move."""
_STRONG = re.compile(
    r"(?=.*\d)#?[a-z]{0,2}[-.]?\d{1,4}[a-z]?(?:x\d{1,4})?|[a-z](?:-|>|/)[a-z]|\d{1,3}[a-z]?-\d{1,3}[a-z]?|x?[a-z]\d{1,3}|"
    r"x?[a-z]\d{1,2}(?:(?:[-=]?>|[-/x:])[a-z]\d{1,2}){1,3}"
)
"""A word that looks like a move and not like a word of any language."""
_MAY_NAME = re.compile(r"\d|(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
"""A digit, or a letter by itself: without them no words name a move."""
_SIZE = re.compile(r"\d{1,2}(?:[x×]\d{1,2})?")
_WORDS_TO_A_NUMBER = 4
"""A text of prose has at least this many words for each number; with fewer it may be a move."""

ACTS = frozenset({"swap", "resign", "propose", "undo", "accept", "pass", "claim", "give", "pause", "rematch"})
"""What a phrase may do on a board besides a move. "reject" is not among them: any move rejects an offer."""
_TOLD = frozenset({"swap", "pass", "propose"})
"""What a clause may tell beside others, as it may a move; who agrees or resigns says that in a whole sentence."""
_FIRST = {"so {move}": 0, "move {move}": 1}
"""What a sentence is read as if it may be several things."""
_LINKS = {"beside": ("courtesy", "aside", "idle"), "behind-a-move": ("behind-a-move",)}
"""The phrases that link clauses to a move, as the clauses of these kinds do."""
_NOT_IN_A_MOVE = frozenset({"framing", "told-of", "quoted"})
_NOT_BEFORE, _NOT_BEHIND = frozenset({"framing", "told-of"}), ("doubt", "only-spoken-of")
"""The clauses and phrases of which nothing may stand beside a move, or behind it."""
_TO_PLAYERS = frozenset({"move", "tell", "so", "lead", "chat", "reject"})
"""What a phrase may begin with that asks nothing of the server; any move rejects an offer."""


@frozen
class Sure:
    """The command that is meant, and what the writer says besides."""

    line: str
    comment: str = ""


@frozen
class Ask:
    """The commands one of which may be meant; more than MOST_READINGS if it is hopeless."""

    readings: tuple[str, ...]
    is_said: bool = False
    """The text says that something is done, and contradicts itself; else it only speaks of moves."""


@frozen
class Talk:
    """Nothing is to be done: words for people. about: what they speak of, such as "time"."""

    about: str = ""
    is_held: bool = False
    """They are not surely meant for the other player."""


Meaning = Sure | Ask | Talk


@dataclass(frozen=True)
class Surroundings:
    """What a text may refer to."""

    legal: Callable[[str], str | None]
    """The canonical notation of the legal move that words name, or None."""
    is_player: Callable[[str], bool] = lambda _: False
    """Whether a word is a player's userid."""
    is_turn: bool = False
    """The writer is to move, so a move that they speak of may be meant."""
    rival: str = ""
    """The userid of the other player, who is the only one of whom anything may be asked."""
    own: str = ""
    """The writer's userid."""
    inviters: frozenset[str] = frozenset()
    """Who may be addressed besides, in lower case."""
    _known: dict[str, str | None] = field(default_factory=dict)
    _meanings: dict[str, list[Phrase]] = field(default_factory=dict)

    def move(self, text: str) -> str | None:
        """The legal move that words name; after too many of them none is looked up any more."""
        if text not in self._known:
            self._known[text] = self.legal(text) if len(self._known) < _LOOK_UPS else None
        return self._known[text]

    def is_other(self, word: str) -> bool:
        """Whether a word is the userid of a player who is neither the writer nor the other one at the board."""
        return self.is_player(word) and self.rival != "" and word not in (self.rival.casefold(), self.own.casefold())

    def phrases(self, text: str, group: str) -> list[Phrase]:
        """What a sentence says as a whole about this board, of a group of the phrase book."""
        if text not in self._meanings:
            self._meanings[text] = meanings(text, self.spans(text))
        return of_group(self._meanings[text], group)

    def spans(self, text: str) -> Callable[[Sequence[Word]], Spans]:
        """Finds what the slots of phrases name in a sentence."""
        shown = in_plain_marks(text)
        return lambda found: partial(self.spans_of, shown, found)

    def spans_of(self, shown: str, found: Sequence[Word], slot: str, place: int) -> Sequence[tuple[int, str]]:
        """Where what a slot names may end if it begins with a word, and what it is."""
        word = found[place].plain
        if slot in _ONE_WORD:
            return [(place + 1, word)] if _ONE_WORD[slot](self, word) else ()
        if slot in _SPANS:
            return _SPANS[slot](self, shown, found, place)
        return plain_spans(found)(slot, place)

    def heard(self, found: Sequence[Word]) -> str | None:
        """The move that two words name if they were dictated: "d four"."""
        if len(found) != 2 or len(found[0].plain) != 1 or found[0].plain in "ai":  # before a number these are words
            return None
        # "Hi C, two to go!"
        if found[1].start - found[0].end != 1:
            return None
        count = named("counts").get(found[1].plain)
        return self.move(found[0].plain + count) if count else None


_ONE_WORD: dict[str, Callable[[Surroundings, str], bool]] = {
    "number": lambda _, word: word.lstrip("#").isdecimal(),
    "player": lambda situation, word: situation.is_player(word.removesuffix("'s")),
    "size": lambda _, word: _SIZE.fullmatch(word) is not None,
    "rival": lambda situation, word: situation.is_player(word) and situation.rival.casefold() in ("", word),
    "other": lambda situation, word: situation.is_other(word.removeprefix("@")),
    "robot": lambda _, word: ROBOT.fullmatch(word) is not None,
    "address": lambda _, word: "@" in word,
    "elsewhere": lambda _, word: word in words("elsewhere"),
    "inviter": lambda situation, word: word in situation.inviters,
    "column": lambda situation, word: len(word) == 1 and word.isalpha() and situation.move(word) is not None,
}
"""The slots that are one word, and which word it may be."""


def _times(_: Surroundings, __: str, found: Sequence[Word], place: int) -> Sequence[tuple[int, str]]:
    """A span of time such as "three more days", as commands write it: "3d"."""
    count = named("counts").get(found[place].plain, found[place].plain)
    if not count.isdecimal() or len(count) > 3:
        return ()
    for end in (place + 1, place + 2):
        unit = found[end].plain.rstrip("s") if end < len(found) else ""
        if unit in ("day", "week", "hour"):
            return [(end + 1, f"{count}{unit[0]}")]
    return ()


def _games(_: Surroundings, __: str, found: Sequence[Word], place: int) -> Sequence[tuple[int, str]]:
    """A game by its name, by its title, or by what it is called elsewhere: "connect four"."""
    games, spans = tuple(GAMES), list[tuple[int, str]]()
    if found[place].plain not in _first_words(games):
        return spans
    titles = titles_of(games)
    for end in range(place + 1, min(len(found), place + _LONGEST) + 1):
        name = titles.get(" ".join(word.plain for word in found[place:end]))
        if name is not None:
            spans.append((end, name))
    return spans


def _denied(here: Surroundings, _: str, found: Sequence[Word], place: int) -> Sequence[tuple[int, str]]:
    word = found[place].plain
    move = here.move(word) if _STRONG.fullmatch(word) else None
    return [(place + 1, move)] if move else ()


def _letter(here: Surroundings, shown: str, found: Sequence[Word], place: int) -> Sequence[tuple[int, str]]:
    # "I'll take a" may go on: an article names a column only as a capital.
    is_article = found[place].plain in common() and shown[found[place].start].islower()
    return () if is_article else here.spans_of(shown, found, "column", place)


def _addressee(here: Surroundings, _: str, found: Sequence[Word], place: int) -> Sequence[tuple[int, str]]:
    word = found[place].plain
    is_called = found[place].is_label and is_name(word) and word != here.rival.casefold()
    return [(place + 1, word)] if is_called else ()


def _moves(here: Surroundings, text: str, found: Sequence[Word], place: int) -> Sequence[tuple[int, str]]:
    """Each move that begins with a word: where it ends, and from which word to which it goes."""
    first = found[place].plain
    if len(first) > 1 and not _STRONG.fullmatch(first):
        return []
    spans: list[tuple[int, str]] = []
    for end in range(place + 1, min(len(found), place + _LONGEST) + 1):
        piece = _piece(text, found, place, end)
        if (_is_strong(found[place:end]) and here.move(piece)) or here.heard(found[place:end]):
            spans.append((end, f"{place}-{end}"))
    return spans


_SPANS: dict[str, Callable[[Surroundings, str, Sequence[Word], int], Sequence[tuple[int, str]]]] = {
    "move": _moves,
    "denied": _denied,
    "letter": _letter,
    "addressee": _addressee,
    "time": _times,
    "game": _games,
}
"""The slots of which more is to be known than one word, and what finds where they end."""


@cache
def _first_words(games: Sequence[str]) -> frozenset[str]:
    return frozenset(title.partition(" ")[0] for title in titles_of(games))


@cache
def titles_of(games: Sequence[str]) -> dict[str, str]:
    """The names of games by all that they are called."""
    elsewhere = {title: name for title, name in named("games-elsewhere").items() if name in games}
    titles = {GAMES[name].info.title.casefold(): name for name in games}
    return {**elsewhere, **titles, **{name: name for name in games}}


def _piece(text: str, found: Sequence[Word], start: int, end: int) -> str:
    """The words as they were written, with the marks between them."""
    return text[found[start].start : found[end - 1].end]


def _is_strong(found: Sequence[Word]) -> bool:
    """Whether each word looks like a move, or links words that do: "a1 to b2", "a to b"."""
    plains, links = [word.plain for word in found], words("move-links")
    if len(plains) == 3 and plains[1] in links and len(plains[0]) == len(plains[2]) == 1:
        return True
    if not any(map(_STRONG.fullmatch, plains)) or plains[-1] in links:
        return False
    return all(_STRONG.fullmatch(word) or word in links or (len(word) == 1 and word.isalpha()) for word in plains)


def _turns(clause: str) -> bool:
    """Whether a clause begins with a word that makes what stands before it only a reason: "so"."""
    return clause.partition(" ")[0].casefold() in words("clause-turns")


def _turn(clauses: Sequence[str]) -> int:
    """The place of the last clause that makes those before it only its reason."""
    return max((place for place, clause in enumerate(clauses) if _turns(clause)), default=0)


def _link(before: Sequence[str], behind: Sequence[str], unmarked: str) -> str:
    """The group of phrases that may stand on one side of a place between clauses, by the mark there."""
    mark = "".join(before).rstrip()[-1:] + "".join(behind).lstrip()[:1]
    return "announces" if mark[:1] == ":" else unmarked if mark.isalnum() else "beside"


def _leading(clauses: Sequence[str]) -> Set[str]:
    """What may not stand before a colon and a move: "my nightmare: D4"."""
    return {"quoted"} if clauses and _leads(clauses[-1]) else set()


def _leads(clause: str) -> bool:
    """Whether a clause says what stands behind it: "next for me:"."""
    return clause.rstrip().endswith(":")


def _clauses(text: str) -> list[str]:
    """The clauses of a sentence, each with the mark behind it."""
    shown = in_plain_marks(text)
    starts = [0, *(match.end() for match in islice(_CLAUSE.finditer(shown), _MOST_CLAUSES))]
    return [shown[start:end] for start, end in pairwise([*starts, len(shown)])]


def _pieces(clauses: Sequence[str]) -> list[str]:
    """Clauses that end behind a move, too."""
    return [piece for clause in clauses for piece in _BEHIND_MOVE.split(clause)]


def read(text: str, situation: Surroundings) -> Meaning:
    """What a text about a board means.

    >>> here = Surroundings({"d4": "D4", "e4": "E4"}.get, is_turn=True)
    >>> read("Hi Bert,\\n\\nI'll take the center.\\n\\nd4", here)
    Sure(line='D4', comment="Hi Bert,\\n\\nI'll take the center.")
    >>> read("e4 how are you?", here).comment, read("I play d4. No, e4!", here)
    ('how are you?', Ask(readings=('D4', 'E4'), is_said=True))
    >>> read("d4 used to be my favourite opening", here), read("thanks for the fish", here)
    (Ask(readings=('D4',), is_said=False), Talk(about='', is_held=False))
    """
    return _Reader(text, situation).intent()


def is_held(text: str, situation: Surroundings) -> bool:
    """Whether words below what is done in a turn are not surely for the other player: private ones, words about them or
    for somebody else, doubts, notices.

    >>> here = Surroundings(lambda _: None, rival="anna")
    >>> [is_held(words, here) for words in ("should I resign?", "note to self: open at D4", "Good luck, Anna!")]
    [True, True, False]
    """
    reader = _Reader(text, replace(situation, is_turn=True))
    return not {"private", "apart", "wavering", "program"}.isdisjoint(reader.held(reader.said))


@frozen
class _Claim:
    """What one sentence says is to be done."""

    line: str
    sentence: int
    rest: str = ""
    """The rest of the sentence, for the other player."""
    told: str = ""
    """How a move is told: "move" if it stands by itself, "tell", or "so" for a conclusion; "" for no move."""
    denied: tuple[str, ...] = ()
    """Moves that the sentence names in order to deny them: "C3, not E5"."""
    is_act: bool = True
    """Whether it changes the game, rather than asks the server something."""

    @property
    def is_move(self) -> bool:
        return self.told != ""


def _bounded(said: Sequence[Sentence]) -> list[Sentence]:
    """The first sentences of a text up to a bound of words, and its last ones, where people take back what they say."""
    count, kept = 0, list[Sentence]()
    for number, each in enumerate(said):
        count += len(each.text.split())
        if count > _MOST_WORDS and number > 0:
            return [*kept, *said[max(number, len(said) - _LAST) :]]
        kept.append(each)
    return kept


class _Reader:
    """The sentences of one text."""

    def __init__(self, text: str, situation: Surroundings) -> None:
        self.text, self.here = text, situation
        self.said = _bounded(sentences(text))
        self.mentions = [self._mentioned(each.text) for each in self.said]

    def intent(self) -> Meaning:
        found = [self._claim(number, each.text) for number, each in enumerate(self.said)]
        claims = [claim for claim in found if claim is not None]
        self.left = [each for each, claim in zip(self.said, found, strict=True) if claim is None]
        acts = _acts_among(claims)
        if acts:
            return self._act(acts)
        is_held = "program" in self.held(self.said) or (not claims and "private" in self.held(self.left))
        return Talk(is_held=True) if is_held else self._no_act(claims)

    def _act(self, acts: Sequence[_Claim]) -> Meaning:
        """The outcome for a text that says that something is done on the board."""
        readings = tuple(dict.fromkeys(claim.line for claim in acts))
        doubts = self._doubts(acts[-1]) if len(readings) == 1 else ()
        if len(readings) > 1 or doubts:
            return Ask(tuple(dict.fromkeys((*readings, *doubts))), is_said=True)
        return Sure(acts[0].line, self._comment(acts[0]))

    def held(self, said: Sequence[Sentence]) -> set[str]:
        """Why sentences are not surely for the other player."""
        kinds = {phrase.does for each in said for phrase in self._phrases(each.text, "held")}
        if any(self._says(each.text, "responder") for each in said):
            kinds.add("program")
        return kinds if self.here.is_turn else kinds - {"doubt", "place"}

    def _no_act(self, claims: Sequence[_Claim]) -> Meaning:
        """The outcome for a text in which nothing is done on the board."""
        clause = self._clause_act()
        if clause:
            return Ask(clause, is_said=True)
        is_polite = all(_is_courtesy(each.text) for each in self.left)
        lines = list(dict.fromkeys(claim.line for claim in claims))
        if lines and is_polite:
            about = lines[0].removeprefix("chat about ")
            return Talk(about) if about != lines[0] else Sure(lines[0])
        return self._spoken_of(any(line.split(" ")[0] not in _TO_PLAYERS for line in lines))

    def _spoken_of(self, asks: bool) -> Meaning:
        """A question about the legal moves that a player speaks of in their turn; else words, which are held if some of
        them may be for the server.
        """
        spoken_of = tuple(dict.fromkeys(name for names in self.mentions for name in names))
        if spoken_of and self.here.is_turn:
            return Ask(spoken_of)
        # On the other player's turn it may be a plan of the writer's, which nobody else is to read.
        if asks or spoken_of or self.held(self.left):
            return Talk(is_held=True)
        if any(self._in_clauses(each.text, "board", "everywhere") for each in self.left):
            return Talk(is_held=True)
        return Talk(is_held=self.here.is_turn and self._names_cell())

    def _names_cell(self) -> bool:
        """Whether what is left holds what looks like a cell, but is no legal move."""
        return any(CELL.fullmatch(word.plain) for each in self.left for word in words_of(each.text))

    def _claim(self, number: int, text: str) -> _Claim | None:
        """What a sentence says to be done, or what it says without its asides."""
        claim = self._claimed(number, text)
        if claim is not None:
            return claim
        clauses = _clauses(text)
        claim = self._unexcused(number, _pieces(clauses)) or self._told(number, clauses)
        return replace(claim, rest=text) if claim else None

    def _unexcused(self, number: int, clauses: Sequence[str]) -> _Claim | None:
        """What clauses say without those that only greet, excuse or explain."""
        if len(clauses) == 1:
            return None
        own = list[str]()
        for clause in clauses:
            # What stands before a move may be what it is about: "I'm too tired to decide, D4".
            if not self._is_apart(clause, is_behind=bool(own)):
                own.append(clause)
        claim = self._same(number, own)
        if claim is None:
            # Beside anything but a move they may be what it is about: "I agree, it is hot here".
            claim = self._same(number, [each for each in own if _leads(each) or not self._says(each, "idle")])
            claim = claim if claim and claim.told == "move" else None
        return claim

    def _same(self, number: int, clauses: Sequence[str]) -> _Claim | None:
        """What clauses say as one or, all the same, each by itself: "It has to be D8, so D8 it is"."""
        for said in (["".join(clauses)], clauses):
            claims = [self._claimed(number, each) for each in said if each]
            lines = {claim.line if claim else "" for claim in claims}
            if len(lines) == 1 and claims[0] is not None:
                return claims[0]
        return None

    def _told(self, number: int, clauses: Sequence[str]) -> _Claim | None:
        """What a clause tells or announces, if the others speak of something else: "Hope this goes better: D4"."""
        parts = [part for clause in clauses for part in self._parted(number, clause)]
        names_move = bool(self.mentions[number])
        told, claim = 0, None
        for at, part in enumerate(parts):
            found = self._claimed(number, part) if bool(self._mentioned(part)) is names_move else None
            if found and self._is_told(found, parts[:at]):
                told, claim = at, found
        if claim is None or not self._is_set_off(claim, parts, told):
            return None
        return replace(claim, told="so") if claim.told == "move" else claim

    def _is_set_off(self, claim: _Claim, clauses: Sequence[str], at: int) -> bool:
        """Whether the clauses before and behind the one that makes a claim speak of something else."""
        turn = _turn(clauses[: at + 1])
        reason, before, behind = clauses[:turn], clauses[turn:at], clauses[at + 1 :]
        if any(map(_turns, behind)):
            return False
        link = _link(clauses[: at + 1], behind, "behind-a-move")
        if not self._is_beside(behind, link, _NOT_BEFORE, *_NOT_BEHIND):
            return False
        link = _link(before, clauses[at:], "before-a-move")
        if not self._is_beside(before, link, _NOT_BEFORE | _leading(before)):
            return False
        # What stands before a "so" or "but" is only its reason: "my wife says I should dare more, so I play D4". If it
        # names the same move, it may be anything: "E6 seems best, so E6".
        is_free = claim.told != "so" or claim.line in self._mentioned("".join(reason))
        link = "" if is_free else _link(reason, clauses[turn:], "before-a-move")
        return self._is_beside(reason, link, {"framing"}, but=(claim.line,))

    def _parted(self, number: int, clause: str) -> list[str]:
        """A clause, in parts if it tells nothing as a whole: "today I play D4 for a change"."""
        if not self._mentioned(clause) or self._claimed(number, clause):
            return [clause]
        return [part for piece in _pieces([clause]) for part in _BEFORE_SUBJECT.split(piece, maxsplit=1) if part]

    def _is_told(self, claim: _Claim, before: Sequence[str]) -> bool:
        """Whether a clause says by itself that its move is made, or stands behind what announces it."""
        if not before or claim.told != "move":
            return claim.told in ("tell", "so") or claim.line in _TOLD
        return _leads(before[-1])

    def _is_beside(
        self, clauses: Sequence[str], link: str, kinds: Set[str], *doubts: str, but: Sequence[str] = ()
    ) -> bool:
        """Whether clauses beside a move have what links them to it, if that is needed, and speak of something else, all
        together and each by itself. kinds: of clauses that they may not be; doubts: the same of phrases.
        """
        text = "".join(clauses)
        if link and text and link not in kinds_of_clause(text) and not self._says(text, *_LINKS.get(link, ())):
            return False
        parts = [each for each in (text, *clauses) if each]
        return all(kinds_of_clause(each).isdisjoint(kinds) and self._is_aside(each, *doubts, but=but) for each in parts)

    def _claimed(self, number: int, text: str) -> _Claim | None:
        """What a sentence says as a whole, or by the move that it begins with."""
        found = self._phrases(text, "board") or self._phrases(text, "everywhere")
        whole = [phrase for phrase in found if not phrase.does.startswith("lead ")]
        if whole:
            # "So D4, thanks" tells no more than its move; what does is read by the other player, too.
            kept = "" if any(phrase.does.startswith("move ") for phrase in whole) else text
            first = min(whole, key=lambda phrase: _FIRST.get(phrase.does, len(_FIRST)))
            return self._phrase(number, text, first, kept)
        claims = [claim for claim in (self._led(number, text, phrase) for phrase in found) if claim is not None]
        return max(claims, key=lambda claim: (len(claim.line), claim.told == "so"), default=None)

    def _is_apart(self, clause: str, *, is_behind: bool) -> bool:
        """Whether a clause only greets, excuses or explains: "sorry I'm late, I play D4".

        is_behind: behind what is done; only there it may hold any words.
        """
        if _leads(clause) or (not is_behind and "framing" in kinds_of_clause(clause)):
            return False
        asides = self.here.phrases(clause, "aside")
        if any(phrase.group and not phrase.is_loose for phrase in asides):
            return True
        polite = [*asides, *self._phrases(clause, "courtesy")]
        is_apart = bool(polite) and (is_behind or not any(phrase.is_loose for phrase in polite))
        return is_apart and self._is_aside(clause, "doubt")

    def _phrase(self, number: int, text: str, phrase: Phrase, kept: str) -> _Claim | None:
        name, _, _ = phrase.does.partition(" ")
        if name in ("move", "tell", "so"):
            # "Let me cut you off with D4" says it in any words, but in none of others or of other times.
            if phrase.is_loose and not kinds_of_clause(text).isdisjoint(_NOT_IN_A_MOVE):
                return None
            return _Claim(self._notation(text, phrase), number, kept, told=name, denied=phrase.named("denied"))
        # "I am going to the dentist, so D4" is not only about an absence.
        if phrase.is_loose and self.mentions[number]:
            return None
        return _Claim(phrase.line, number, is_act=name in ACTS | {"reject"})

    def _notation(self, text: str, phrase: Phrase) -> str:
        value, *_ = phrase.named("move", "column", "letter")
        if not value[-1].isdigit():
            return self.here.move(value) or ""
        start, end = map(int, value.split("-"))
        found = words_of(text)
        piece = _piece(in_plain_marks(text), found, start, end)
        return self.here.move(piece) or self.here.heard(found[start:end]) or ""

    def _led(self, number: int, text: str, phrase: Phrase) -> _Claim | None:
        """The move that a sentence begins with, if what follows speaks of something else."""
        end = int(phrase.named("move")[0].partition("-")[2])
        behind = in_plain_marks(text)[words_of(text)[end - 1].end :].lstrip()
        rest = behind.lstrip(" .,;:!)-(")
        is_apart = rest != behind or (
            self._says(rest, "behind-a-move", "courtesy") and "told-of" not in kinds_of_clause(rest)
        )
        is_said = any(map(str.isalnum, rest))  # not in "C3?!"
        if is_apart and is_said and self._is_aside(rest, "doubt", "only-spoken-of"):
            return _Claim(self._notation(text, phrase), number, rest, told=phrase.does.split()[1])
        return None

    def _is_aside(self, text: str, *doubts: str, but: Sequence[str] = ()) -> bool:
        """Whether words name no move but these, ask for nothing, and are no phrase of these groups."""
        does = any(phrase.does in ACTS for phrase in self._phrases(text, "board"))
        return not (does or {*self._mentioned(text)} - {*but} or self._says(text, *doubts))

    def _phrases(self, text: str, group: str) -> list[Phrase]:
        """What a sentence says as a whole; mere politeness is left out."""
        return [phrase for phrase in self.here.phrases(text, group) if phrase.group]

    def _says(self, text: str, *groups: str) -> bool:
        return any(self._phrases(text, group) for group in groups)

    def _clause_act(self) -> tuple[str, ...]:
        """The acts that only a clause of a sentence asks for, and perhaps a move beside it: "D4, draw?"."""
        for number, sentence in enumerate(self.said):
            found = [line for line in self._in_clauses(sentence.text, "board") if line in ACTS]
            if found:
                return tuple(dict.fromkeys((*self.mentions[number], *found)))
        return ()

    def _in_clauses(self, text: str, *groups: str) -> list[str]:
        """The commands that clauses of a sentence ask for, if it has several; one ends behind a move: "D4 resign"."""
        pieces = _pieces(_clauses(text))
        clauses = pieces if len(pieces) > 1 else []
        said = [phrase for clause in clauses for group in groups for phrase in self._phrases(clause, group)]
        return [phrase.line for phrase in said if phrase.does.split(" ")[0] not in _TO_PLAYERS]

    def _doubts(self, claim: _Claim) -> tuple[str, ...]:
        """The reasons to doubt the only claim: its own name, another move, or a move that is not legal here."""
        doubts = list[str]()
        if claim.is_move:
            own = (*claim.line.split("; "), *claim.denied)
            doubts += [name for name in self.mentions[claim.sentence] if name not in own]
        for number in range(len(self.said)):
            if number != claim.sentence:
                doubts += self._doubts_of(number, claim)
        # "Mozart is better than Haydn. Agreed!" agrees to no draw; words below a line are for the rival.
        is_unclear = claim.line == "accept" and not self.said[claim.sentence].is_alone
        is_unclear = is_unclear and not all(map(self._is_plain, self.left))
        # "Note to self: look at D4. Also F6."; below what is done, private words are kept back from the other player.
        if is_unclear or not {"private", "program"}.isdisjoint(self.held(self.said[: claim.sentence])):
            doubts.append(claim.line)
        return tuple(doubts)

    def _is_plain(self, said: Sentence) -> bool:
        """Whether a sentence that does nothing greets, excuses or explains, and no more."""
        asides = [*self._phrases(said.text, "aside"), *self._phrases(said.text, "answer")]
        return _is_courtesy(said.text) or any(phrase.does in ("", "aside") for phrase in asides)

    def _doubts_of(self, number: int, claim: _Claim) -> list[str]:
        """The reasons that another sentence gives to doubt the claim."""
        said, mentions, doubts = self.said[number].text, self.mentions[number], list[str]()
        if claim.is_move and _STRONG.fullmatch(plain(said)) and not mentions:
            doubts.append(said.strip())
        # "C6 will have to do. So C6." draws a conclusion.
        if claim.told != "so" and self._is_spoken_of(number, claim):
            doubts.append(claim.line)
        if self._takes_back(said, claim, is_later=number > claim.sentence):
            doubts += [name for name in mentions if name != claim.line] or [claim.line]
        return doubts

    def _is_spoken_of(self, number: int, claim: _Claim) -> bool:
        """Whether another sentence only speaks of what the claim does, or announces it: "My teacher has me play up to
        C6. C6!".
        """
        said = self.said[number]
        if said in self.left and claim.line in self.mentions[number]:
            return True
        return number == claim.sentence - 1 and self._frames(said)

    def _frames(self, said: Sentence) -> bool:
        """Whether a sentence says what stands below it: "Things to avoid:", "What should Bob have done?"."""
        return said.text.rstrip()[-1] in ":?" and said in self.left and not self._is_plain(said)

    def _takes_back(self, text: str, claim: _Claim, *, is_later: bool) -> bool:
        """Whether a sentence takes back what another one says; most can do that only if they come later."""
        # "May I undo that? It was a mistake" gives its reason.
        found = [each for each in self._phrases(text, "doubt") if (claim.line, each.does) != ("undo", "mistake")]
        names_move = any(phrase.named("move", "column", "letter") for phrase in found)
        # "No hurry" is a "no" in other languages; but "sorry, E" names another column.
        if _is_courtesy(text) and not names_move:
            return False
        return any(is_later or phrase.does == "anywhere" for phrase in found)

    def _mentioned(self, text: str) -> list[str]:
        """The legal moves that single words name."""
        if not _MAY_NAME.search(in_plain_marks(text)):
            return []
        found: dict[str, None] = {}
        for word in re.split(r"[\s,;:/\u3041-\u9fff]+", POSTCODE.sub(" ", in_plain_marks(text)).casefold()):
            bare = word.strip(" .,!?;:()\"'[]*")
            move = self.here.move(bare) if bare and _STRONG.fullmatch(bare) else None
            if move is not None:
                found[move] = None
        for pair in pairwise(words_of(text)):
            heard = self.here.heard(pair)
            if heard is not None:
                found[heard] = None
        return list(found)

    def _comment(self, claim: _Claim) -> str:
        """The text with only the rest of this sentence, and without quoted lines."""
        sentence, lines = self.said[claim.sentence], self.text.splitlines()
        place = sentence.lines.start
        if sentence.is_alone:
            lines[place : sentence.lines.stop] = [claim.rest] if claim.rest else []
        else:
            left = " ".join(" ".join(lines[place].split()).replace(sentence.text, claim.rest, 1).split())
            lines[place] = left if claim.rest else left.lstrip("-\N{EN DASH}\N{EM DASH} ")
        kept = "\n".join(line for line in lines if not line.lstrip().startswith(">"))
        return re.sub(r"\n{3,}", "\n\n", kept).strip()


def _acts_among(claims: Sequence[_Claim]) -> list[_Claim]:
    """The claims that change the game; any move rejects an offer by itself."""
    acts = [claim for claim in claims if claim.is_act]
    is_played = any(claim.is_move for claim in acts)
    return [claim for claim in acts if not (is_played and claim.line == "reject")]


def _is_courtesy(text: str) -> bool:
    """Whether a sentence is nothing but politeness, or a picture."""
    return not words_of(text) or any(phrase.group in ("", "courtesy") for phrase in phrases(text, "courtesy"))


def is_courteous(text: str) -> bool:
    """Whether all sentences of a text are nothing but politeness."""
    return all(_is_courtesy(each.text) for each in sentences(text))


def is_prose(text: str) -> bool:
    """Whether the text is words of a language, with few numbers; a lone word must be a courtesy.

    >>> is_prose("I am away until 5 May"), is_prose("D4 E5"), is_prose("Wow!"), is_prose("checkmate")
    (True, False, True, False)
    """
    found = plain(POSTCODE.sub(" ", text)).split()
    # Nothing but a picture, such as a thumb up.
    if not found:
        return not text.isascii()
    numbers = [word for word in found if any(map(str.isdigit, word))]
    # With so many numbers it may be a move that is misspelt.
    if len(numbers) * _WORDS_TO_A_NUMBER > len(found):
        return False
    letters = [word for word in found if word.replace("'", "").isalpha()]
    if len(letters) > 1:
        return any(len(word) > 3 or word in common() for word in letters)
    # A lone word may be a misspelt verb; with an exclamation mark it is none: "Wow!".
    if letters and len(found[0]) > 1 and text.rstrip().endswith("!"):
        return True
    return is_courteous(text) or not text.isascii()
