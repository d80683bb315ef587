"""The meaning of plain words about a board: one legal move, or swap, resign, draw, undo, pass; never a guess.

The text is split into sentences in a plain form, without quoted lines and greetings; wrapped lines are joined. A move
counts if a sentence is nothing else ("D4, please"), begins with it ("E4, how are you?") or says that the writer plays
it ("I'll take the corner at D4"). A move that is only mentioned, in a condition, a question or about what might have
been, does not count; nor does either of two moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import dropwhile, islice

from pbm.domain.idioms import answers, deeds, moves, vocabulary

MAX_SENTENCES = 60
"""How many sentences of a text are read."""
MAX_LENGTH = 400
"""Characters of a sentence; longer ones are ignored."""

_PLAIN = str.maketrans("’‘´`“”\u00a0–—。、¿¡", "''''\"\" --.,  ") | {at: at - 0xFEE0 for at in range(0xFF01, 0xFF5F)}
"""Typographic marks and full-width characters, each with its plain character."""
_SPELLINGS = (
    (re.compile(r"\b(do|ca|wo|did|does|is|would|could|should|was|have|has)nt\b"), r"\1n't"),
    (re.compile(r"\b(let|what|who|how|where|that|there)s\b(?=.)"), r"\1's"),
    (re.compile(r"\b(i)(m|ve)\b(?=.)"), r"\1'\2"),
    (re.compile(r"\b(?:pls|plz|plse|pleas|plis)\b"), "please"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\bgimme\b"), "give me"),
    (re.compile(r"\blemme\b"), "let me"),
    (re.compile(r"\b(?:gonna|gunna)\b"), "going to"),
    (re.compile(r"\b(?:thnx|tnx|thanx|ty)\b"), "thanks"),
    (re.compile(r"\ba?(?:h[aei]|ja){3,}h?\b"), "haha"),
)
"""What people type in a hurry, and what it stands for."""
_PICTURES = re.compile(
    "[\u2190-\u2bff\ufe0e\ufe0f\u200d\U0001f000-\U0001faff]+|"
    r"(?<!\S)(?:[:;=8][-'^o]?[)(\]\[dpo3|/*]+|<3+|xd+)(?!\S)",
    re.IGNORECASE,
)
"""Emoji and smileys; ":3" and "8)" would look like moves."""
_MONTH = "(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)"
_END = re.compile(
    rf"(?<=[.!?…])(?<!\b[Nn][or]\.)[\"')\]]*(?!\s(?:(?:bis|-) \d|im [UuFf]|{_MONTH}))\s+"
    r"|(?<=[。！？])|(?<=\S)\s+(?=[:;][-']?[)(DP]+)|\s+-{1,2}\s+(?!\d+\.)"
)
"""Where a sentence ends; not within dates and numbers: "4.1. bis 10.1.", "4.1. - 10.1.", "3. Januar", "Nr. 7"."""
_SIGNATURE, _WIDTH = 12, 80
"""The most lines of a signature, and characters of each."""
_ON_A_CARD = re.compile(
    r"(?:\d|[^\W\d_a-zß-ÿ])\S*|\W+|\S*(?:@|\d\d|www\.|://)\S*|\S+:|\w{1,5}\.|of|de|la|von|van|der|den|del|di|da|do|and"
    r"|und|et|y|e"
)
"""A word of a name, an office, a place or an address, or a label of one: "phone:"."""
_LABELS = 1
"""The most other words next to a number: "fax 555-7788"."""
_DOES = re.compile(r"(?<!\w)x?[a-z]{1,2}-?\d{1,2}(?!\w)")
"""A cell named in plain words."""
POSTCODE = re.compile(r"(?<!\w)[a-z]{1,2}\d[a-z\d]? \d[a-z]{2}(?!\w)")
"""A British postcode in lower case, as in a signature: "B1 1AA" is not a move."""
_WEB = re.compile(r"(?:\w+://|www\.)\S*")
_NUMBER = 6
"""The fewest digits of a telephone number."""
_WRAPPED_AT = 55
"""Characters of a line that may have been broken because the next word had no room; programs wrap at 60 or more."""
_GREETING = re.compile(
    r"(?:hi|hello|hey|hiya|hallo|dear|greetings|good (?:morning|day|evening|afternoon)|howdy|salut|bonjour|hola|ciao|"
    r"moin|servus|guten (?:tag|morgen|abend)|grüß gott|grüezi|bonsoir|buen[oa]s (?:días|tardes|noches)|buongiorno|"
    r"hoi|goede(?:ndag|morgen|middag|navond)|olá|bom dia|boa (?:tarde|noite))"
    r"(?: (?:there|all|again|dear))?(?: [^\W\d_][\w'.-]{0,20}){0,2}[\s,!.:]*",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:hi|hello|hey|hallo|dear|salut|bonjour|bonsoir|hola|ciao|moin|servus|hoi|olá|guten (?:tag|morgen|abend)|"
    r"buen[oa]s (?:días|tardes|noches)|buongiorno|goede(?:ndag|morgen|middag|navond)|bom dia)"
    r"(?: there)?(?: [A-Z][\w'.-]{0,20})?\s*[,!.:-]\s*|"
    r"(?:hi|hello|hey|hallo)\s+(?=(?:i|my|yes|no)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without the greeting at its beginning."""

    text: str
    """As written, blanks folded."""
    lines: range
    """The numbers of the lines it stands in."""
    is_alone: bool
    """Nothing else stands in these lines."""

    @property
    def plain(self) -> str:
        """The text as `plain` returns it."""
        return plain(self.text)

    @property
    def asks(self) -> bool:
        """Whether it ends with a question mark."""
        return self.text.translate(_PLAIN).rstrip(" )\"'").endswith("?")


@lru_cache(256)
def plain(text: str) -> str:
    """A text in lower case with plain marks, without outer punctuation and emoji, and with hurried spellings corrected.

    >>> plain(" I’d  like to ... "), plain("D4 pls \U0001f44d"), plain("dont wanna swap")
    ("i'd like to", 'd4 please', "don't want to swap")
    """
    said = " ".join(_PICTURES.sub(" ", text.translate(_PLAIN)).casefold().split()).replace(" ?", "?")
    said = said.strip(' .!,;:…"()*_•·')
    for spelling, meant in _SPELLINGS:
        said = spelling.sub(meant, said)
    return said


def uncourteous(said: str) -> str:
    """Plain words without polite ones around them; empty if the text is too long for a sentence.

    >>> uncourteous("ok, hex please"), uncourteous("ok " * 200)
    ('hex', '')
    """
    core = moves.ALONE.fullmatch(said) if len(said) <= MAX_LENGTH else None  # the pattern tries all splits of a text
    return core["move"] if core else ""


def sentences(text: str) -> list[Sentence]:
    """The sentences that the person wrote, without greetings.

    >>> [sentence.text for sentence in sentences("Hi Bert,\\n\\nthanks! I'll play\\n> E5\\nD4")]
    ['thanks!', "I'll play", 'D4']
    """
    found: list[Sentence] = []
    for lines, joined in _paragraphs(unsigned(text)):
        pieces = [piece for piece in (_END.split(joined)) if piece and piece.strip(" .,!?-:;()")]
        for number, piece in enumerate(pieces):
            said = _ungreeted(piece) if not (found or number) or _GREETING.match(piece) else piece
            if said and len(said) <= MAX_LENGTH:
                found.append(Sentence(said, lines, len(pieces) == 1))
        if len(found) >= MAX_SENTENCES:
            break
    return found[:MAX_SENTENCES]


def unsigned(text: str) -> str:
    """The text without its closing line and the writer's name, office and numbers below it; the whole text if there is
    no closing line, or if anything else, such as a move or a wish, stands below it.

    >>> unsigned("D4\\nKind regards,\\nBob Miller\\nTel. 555-7788"), unsigned("Regards\\nBob\\nMove: D4")
    ('D4', 'Regards\\nBob\\nMove: D4')
    """
    lines = text.splitlines()
    closing = _closing(lines, answers.REGARDS)
    return text if any(map(_does, lines[closing:])) else "\n".join(lines[:closing])


def discreet(text: str) -> str:
    """The text without the first telephone number or address in its signature, and all below it. Here "Thanks" closes
    a letter, too.

    >>> discreet("Hi!\\nKind regards,\\nBob Miller\\nTel. 555-7788\\nAcme Corp."), discreet("Hi!\\nTel. 555-7788")
    ('Hi!\\nKind regards,\\nBob Miller', 'Hi!\\nTel. 555-7788')
    >>> discreet("Thanks!\\nI was born in 1970, on 10.10.")
    'Thanks!\\nI was born in 1970, on 10.10.'
    """
    lines = text.splitlines()
    closing = _closing(lines, answers.CLOSING)
    number = next((at for at, line in enumerate(lines[closing:], closing) if _reaches(line)), None)
    return text if number is None else "\n".join(lines[:number]).rstrip()


def is_signature(text: str) -> bool:
    """Whether the text only closes a letter, or gives the writer's contact details.

    >>> [is_signature(text) for text in ("Cheers,\\nBob", "Bob Miller\\nTel. 555-7788", "Yes", "Cheers\\nF6")]
    [True, True, False, False]
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    is_card = any(map(_reaches, lines)) and all(map(_is_on_a_card, lines))
    return (is_card or _closing(lines, answers.CLOSING) == 0) and not any(map(_does, lines))


def _closing(lines: Sequence[str], words: re.Pattern[str]) -> int:
    """The index of the line that closes a letter, with only a signature below it; len(lines) if there is none.

    words: matches such a line in lower case, after a line break.
    """
    for number in range(len(lines) - 1, max(len(lines) - _SIGNATURE, 0) - 1, -1):
        line = lines[number].strip()
        if len(line) < MAX_LENGTH and words.fullmatch(f"\n{line.casefold()}"):
            return number
        if line and not _is_on_a_card(line):
            break
    return len(lines)


def _is_on_a_card(line: str) -> bool:
    """Whether the line holds only names and numbers of a person or an office."""
    if len(line) > _WIDTH or line[-1] in "?!":
        return False
    others = [word for word in line.split() if not _ON_A_CARD.fullmatch(word)]
    return len(others) <= (_LABELS if _reaches(line) else 0)


def _does(line: str) -> bool:
    """Whether the line may act on a board: it names a cell, or a sentence or a clause of it asks for something."""
    said = plain(line)
    if (
        len(line) > MAX_LENGTH
        or _DOES.search(POSTCODE.sub(" ", said))
        or moves.DICTATED.search(line)
        or _is_strong(_bare(uncourteous(said)))
    ):
        return True
    pieces = [plain(piece) for piece in (*_END.split(line), *moves.CLAUSE.split(line)) if piece.strip()]
    return any(moves.LETTER.fullmatch(piece) or deed_of(piece) for piece in pieces)


def _reaches(line: str) -> bool:
    """Whether the line holds an email address, or enough digits for a telephone number."""
    return "@" in line or sum(map(str.isdigit, _WEB.sub("", line))) >= _NUMBER


def _paragraphs(text: str) -> list[tuple[range, str]]:
    """The lines with their numbers; lines that a mail program wrapped are joined."""
    joined: list[tuple[range, str]] = []
    for number, line in enumerate(text.splitlines()):
        said = " ".join(line.split())
        if not said or said.startswith((">", "|")):
            continue
        before = joined[-1] if joined else (range(0), "")
        last = before[1].rpartition("\n")[2]
        if before[0] and before[0].stop == number and lacks_room(last, said) and last[-1] not in ".!?:":
            joined[-1] = (range(before[0].start, number + 1), f"{before[1]}\n{said}")
        else:
            joined.append((range(number, number + 1), said))
    return [(lines, said.replace("\n", " ")) for lines, said in joined]


def lacks_room(line: str, following: str, width: int = 0) -> bool:
    """Whether a line had no room for the following one's first word, if lines have this width or the usual one."""
    return len(line) + 1 + len(following.partition(" ")[0]) > max(width, _WRAPPED_AT)


def _ungreeted(said: str) -> str:
    """A sentence without its greeting; empty if it is nothing else."""
    if _GREETING.fullmatch(said):
        return ""
    opening = _OPENING.match(said)
    return said[opening.end() :] if opening else said


_LONGEST_MOVE = 5
"""A move before an act has fewer words than this."""
_MOST_CLAUSES = 12
"""How many clauses of a sentence are searched for a move; each search runs to the end of the sentence."""
MAX_LOOKED_AT = 200
"""How many pieces of a text are checked by the rules."""


class Act(StrEnum):
    """The act that is meant. SAY: only words for the opponent. UNSURE: more than one act may be meant."""

    MOVE = "move"
    SWAP = "swap"
    RESIGN = "resign"
    DRAW = "draw"
    UNDO = "undo"
    PASS = "pass"  # noqa: S105 - no password
    ACCEPT = "accept"
    REJECT = "reject"
    CLAIM = "claim"
    RULES = "rules"
    SAY = "say"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a text."""

    act: Act
    move: str = ""
    """The canonical notation, for MOVE only."""
    taken: str = ""
    """The words understood as the act, as written."""
    comment: str = ""
    """The rest of the person's words, for the opponent."""
    between: tuple[str, ...] = ()
    """For SAY and UNSURE: the moves and acts that were mentioned."""


@dataclass(frozen=True, slots=True)
class _Claim:
    act: Act
    move: str
    taken: str
    rest: str
    """The rest of the sentence, for a comment."""
    sentence: int

    @property
    def name(self) -> str:
        return self.move or self.act.value


_STRONG = re.compile(
    r"(?=.*\d)[a-z]{0,2}[-.]?\d{1,4}[a-z]?(?:x\d{1,4})?|[a-z](?:-|>|/)[a-z]|\d{1,3}[a-z]?-\d{1,3}[a-z]?|x?[a-z]\d{1,3}|"
    r"[a-z]\d{1,2}(?:(?:[-=]?>|[-/x])[a-z]\d{1,2}){1,3}"
)
"""A word that looks like a move and not like a word of any language."""
_SEPARATOR = re.compile(r"[,;:/]+")
_IN_TURN = re.compile(r" x?[a-z]\d{1,2}(?!\w)")
"""How the next move of the same turn begins, after a comma."""
_IN_CLAUSES = (Act.SWAP, Act.RESIGN, Act.PASS, Act.DRAW)
_LINK = frozenset({"to", "and", "with", "from", "then", "x", "-", "at"})


def meaning(text: str, legal: Callable[[str], str | None]) -> Meaning:
    """The act that a text asks for on a board, and what else it says.

    legal: returns the canonical notation of the legal move that words name here, or None.

    >>> legal = lambda words: {"d4": "D4", "e4": "E4"}.get(words.casefold())
    >>> meaning("Hi Bert,\\n\\nI'll take the center.\\n\\nD4", legal)
    Meaning(act=<Act.MOVE: 'move'>, move='D4', taken='D4', comment="Hi Bert,\\n\\nI'll take the center.", between=())
    >>> meaning("E4, how are you?", legal)
    Meaning(act=<Act.MOVE: 'move'>, move='E4', taken='E4', comment='how are you?', between=())
    >>> meaning("d four please", legal).move, meaning("D4\\nWhat are the rules?", legal).move
    ('D4', 'D4')
    >>> meaning("I'd like to swap please", legal).act, meaning("thanks!", legal).act
    (<Act.SWAP: 'swap'>, <Act.SAY: 'say'>)
    >>> meaning("I play D4. No, E4!", legal)
    Meaning(act=<Act.UNSURE: 'unsure'>, move='', taken='', comment='I play D4. No, E4!', between=('D4', 'E4'))
    >>> meaning("D4 resign", legal).between, meaning("D4, swap!", legal).between
    (('D4', 'resign'), ('D4', 'swap'))
    >>> meaning("If you had played D4 I would resign", legal).act
    <Act.SAY: 'say'>
    """
    reader = _Reader(sentences(text), legal)
    claims = reader.claims()
    claims = [claim for claim in claims if claim.act is not Act.RULES] or claims  # any other act has precedence
    if any(claim.move for claim in claims):
        claims = [claim for claim in claims if claim.act is not Act.REJECT]  # any move rejects an offer
    spoken_of = tuple(dict.fromkeys(name for names in reader.mentions for name in names))
    if not claims:
        both = reader.move_and_act()
        return Meaning(Act.UNSURE if both else Act.SAY, comment=text.strip(), between=both or spoken_of)
    names = tuple(dict.fromkeys(claim.name for claim in claims))
    doubts = reader.doubts(claims[-1])
    if len(names) > 1 or doubts:
        return Meaning(Act.UNSURE, comment=text.strip(), between=tuple(dict.fromkeys((*names, *doubts))))
    claim = claims[0]
    return Meaning(claim.act, claim.move, claim.taken, _comment(text, reader.said[claim.sentence], claim.rest))


def asks_for_draw(line: str) -> bool:
    """Whether a line only offers a draw as a question: "draw?", "Want a draw?"."""
    return line.rstrip().endswith("?") and deed_of(plain(line)) is Act.DRAW


def _comment(text: str, sentence: Sentence, rest: str) -> str:
    """The text with only the rest of this sentence, and without quoted lines."""
    lines = text.splitlines()
    place = sentence.lines.start
    if sentence.is_alone:
        lines[place : sentence.lines.stop] = [rest] if rest else []
    else:
        left = " ".join(" ".join(lines[place].split()).replace(sentence.text, rest, 1).split())
        lines[place] = left if rest else left.lstrip("-\N{EN DASH}\N{EM DASH} ")
    kept = "\n".join(line for line in lines if not line.lstrip().startswith(">"))
    return re.sub(r"\n{3,}", "\n\n", kept).strip()


class _Reader:
    """The sentences of one text, and which pieces of them are legal moves."""

    def __init__(self, said: Sequence[Sentence], legal: Callable[[str], str | None]) -> None:
        self.said = said
        self._legal = legal
        self._known: dict[str, str | None] = {}
        self.cores = [moves.DICTATED.sub(_in_digits, self._undenied(sentence)) for sentence in said]
        self.mentions = [self._mentioned(core) for core in self.cores]

    def claims(self) -> list[_Claim]:
        """What the sentences claim to do, in their order."""
        found = (self._claim(number, sentence) for number, sentence in enumerate(self.said))
        return [claim for claim in found if claim is not None]

    def doubts(self, claim: _Claim) -> tuple[str, ...]:
        """The reasons to doubt the claim: another move or act in its sentence, words that take it back, something
        that must happen first, or another sentence that looks like a move, but is not legal here.
        """
        doubts = [name for name in self.mentions[claim.sentence] if claim.move and name not in claim.move.split("; ")]
        doubts += self._acts_beside(claim)
        above = [sentence.plain for sentence in self.said[: claim.sentence]]
        if moves.AFTERWARDS.match(self.said[claim.sentence].plain) and not all(map(answers.THANKS.fullmatch, above)):
            doubts.append(claim.name)
        if self._taken_back(claim) or self._denied(claim):
            doubts.append(claim.name)
        for number, sentence in enumerate(self.said):
            if number != claim.sentence and claim.move and _STRONG.fullmatch(sentence.plain):
                doubts += [] if self.legal(sentence.plain) else [sentence.text]
            takes_back = number > claim.sentence and moves.TAKES_BACK.match(sentence.plain)
            if moves.DISMISSED.fullmatch(sentence.plain):
                doubts += [claim.name] if claim.move in self.mentions[number] else []
            elif number != claim.sentence and (takes_back or moves.RETRACTS.search(sentence.plain)):
                others = [name for name in self.mentions[number] if name != claim.move]
                is_column = len(claim.move) == 1  # another column's letter would not be recognized in the sentence
                doubts += others or ([claim.name] if takes_back or is_column else [])
        return tuple(doubts)

    def _taken_back(self, claim: _Claim) -> bool:
        """Whether a clause after the move takes it back, as in "C3, scratch that" and "C3 (just kidding)"."""
        clauses = moves.CLAUSE.split(self.said[claim.sentence].text) if claim.move else []
        named = dropwhile(lambda clause: claim.move not in self._mentioned(clause), clauses)
        behind = map(plain, islice(named, 1, None))
        return any(moves.TAKES_BACK.match(clause) or moves.LONE_NO.fullmatch(clause) for clause in behind)

    def _denied(self, claim: _Claim) -> bool:
        """Whether the claim is a question that its writer answers with no, as in "A draw? No!"."""
        asked, *following = self.said[claim.sentence : claim.sentence + 2]
        return asked.asks and any(moves.LONE_NO.fullmatch(uncourteous(each.plain)) for each in following)

    def _acts_beside(self, claim: _Claim) -> list[str]:
        """The acts in other clauses of a move's sentence, as in "D4, draw?"; not a rejection, as any move rejects."""
        clauses = map(plain, moves.CLAUSE.split(self.said[claim.sentence].text)) if claim.move else ()
        return [act.value for act in map(deed_of, clauses) if act not in (None, Act.RULES, Act.REJECT)]

    def move_and_act(self) -> tuple[str, ...]:
        """The move and the act of a sentence that is just these two, as in "D4 resign"; empty if there is none."""
        for words in (sentence.plain.split() for sentence in self.said):
            for count in range(1, min(len(words), _LONGEST_MOVE)):
                move, act = " ".join(words[:count]), deed_of(" ".join(words[count:]))
                if act is None or act is Act.RULES or not _is_strong(move):
                    continue
                if (legal := self.legal(move)) is not None:
                    return legal, act.value
        return ()

    def _claim(self, number: int, sentence: Sentence) -> _Claim | None:
        """What one sentence claims to do."""
        if (act := deed_of(sentence.plain)) is not None:
            return _Claim(act, "", sentence.text, "", number)
        core = self.cores[number]
        for found in (self._alone(core), self._leading(core), self._framed(sentence, plain(core))):
            if found is not None:
                return _Claim(Act.MOVE, *found, number)
        return self._clause_act(number, sentence)

    def _clause_act(self, number: int, sentence: Sentence) -> _Claim | None:
        """The act that one clause of a sentence asks for, as in "I resign, thanks for the game"."""
        clauses = sentence.text.split(",")
        if len(clauses) == 1 or sentence.asks or moves.SPOKEN_OF.search(sentence.plain):
            return None
        for act in _IN_CLAUSES:
            place = next((at for at, clause in enumerate(clauses) if deeds.ACTS[act].fullmatch(plain(clause))), None)
            if place is not None:
                rest = ",".join([*clauses[:place], *clauses[place + 1 :]]).strip()
                return _Claim(act, "", clauses[place].strip(), rest, number)
        return None

    def _alone(self, said: str) -> tuple[str, str, str] | None:
        """The move of a sentence that has only polite words around it: (move, words taken for it, rest)."""
        core = uncourteous(plain(said))
        is_told = not said.rstrip().endswith("?") and not core.startswith("for ")
        words = _bare(core) if is_told else ""
        move = self.legal(words) if _is_strong(words) or moves.LETTER.fullmatch(plain(said)) else None
        return (move, said, "") if move else None

    def _leading(self, said: str) -> tuple[str, str, str] | None:
        """The move that a sentence begins with, if a comma or the like or a new clause follows; as `_alone`."""
        found = moves.LEADING.match(said.translate(_PLAIN).casefold())
        following = plain(said[found.end() :]) if found else ""
        is_apart = deeds.ACTS["draw"].fullmatch(following) or moves.APOLOGY.match(following)
        is_spoken_of = moves.SPOKEN_OF.search(following) and not is_apart
        if found is None or not _is_strong(found["move"]) or is_spoken_of:
            return None
        if found["move"].isdecimal() and found["mark"] not in (",", "!"):
            return None  # "10:30 is fine", "5 and a half"
        following = said[found.end() :].casefold()
        if any(map(_STRONG.fullmatch, _SEPARATOR.split(following.partition(" ")[0]))) or _IN_TURN.match(following):
            return None  # "A1,A2" and "A1; A2 (I hope)" are more than A1, legal or not
        move, rest = self.legal(found["move"]), said[found.end("mark") - (found["mark"] == "(") :]
        return (move, said[: found.start("mark")].strip(), rest.strip(" -")) if move else None

    def _undenied(self, sentence: Sentence) -> str:
        """A sentence without an end that denies a move: "C3" of "C3, not E5"."""
        end = None if sentence.asks else moves.DENIED.search(_PICTURES.sub("", sentence.text).rstrip())
        denied = end is not None and _STRONG.fullmatch(plain(end["move"])) and self.legal(plain(end["move"]))
        return sentence.text[: end.start()] if end is not None and denied else sentence.text

    def _framed(self, sentence: Sentence, said: str) -> tuple[str, str, str] | None:
        """The move that the writer says they play, as `_alone`. said: the sentence, plain, without a denied move."""
        if sentence.asks or moves.CONDITION.search(moves.WISHED.sub("", said)):
            return None
        starts = [0, *(match.end() for match in islice(moves.CLAUSE.finditer(said), _MOST_CLAUSES))]
        frames = (frame.match(said, start) for start in starts for frame in (moves.PLAYS, moves.IS_PLAYED))
        told = (self._object(frame["object"]) for frame in frames if frame)
        move = next(filter(None, told), None)
        return (move, sentence.text, sentence.text) if move else None

    def _object(self, words: str) -> str | None:
        """The longest move that words begin with."""
        pieces = _bare(words).split()[:8]
        for count in range(len(pieces), 0, -1):
            piece = " ".join(pieces[:count]).strip(" .,!;:()\"'")
            is_column = len(piece) == 1 and piece.isalpha() and (len(pieces) == 1 or pieces[0] == f"{piece},")
            if (is_column or _is_strong(piece)) and (move := self.legal(piece)):
                following = "".join(f" {each}" for each in pieces[count:])
                counts = piece.isdecimal() and pieces[count - 1] == piece and not moves.ENDED.match(following)
                return None if counts or moves.SPOKEN_OF.search(following) else move
        return None

    def _mentioned(self, said: str) -> list[str]:
        """The legal moves that single words of a sentence name, with or without blanks between them."""
        joined = POSTCODE.sub(" ", plain(said)).split()
        words = (word.strip(" .,!?;:()\"'") for each in joined for word in _pieces(each))
        return [move for word in words if _STRONG.fullmatch(word) and (move := self.legal(word))]

    def legal(self, words: str) -> str | None:
        """The legal move that words name."""
        if words not in self._known:
            self._known[words] = self._legal(words) if len(self._known) < MAX_LOOKED_AT else None
        return self._known[words]


def deed_of(clause: str) -> Act | None:
    """The act that a clause asks for, if it says nothing else; otherwise None. clause: plain."""
    act = next((Act(name) for name, pattern in deeds.ACTS.items() if pattern.fullmatch(clause)), None)
    both = clause.split(" and ") if act is None else []
    return Act.RULES if len(both) == 2 and all(map(deeds.ACTS[Act.RULES].fullmatch, both)) else act


def _in_digits(cell: re.Match[str]) -> str:
    """A dictated cell as it would be typed: "f six" is "f6"."""
    return f"{cell['letter']}{vocabulary.COUNTS[cell['count'].casefold()]}"


def _pieces(word: str) -> Iterator[str]:
    """A word, and its parts between commas and the like: "a1,a2;a3" names three cells."""
    yield word
    parts = _SEPARATOR.split(word)
    yield from parts if len(parts) > 1 else ()


def _bare(words: str) -> str:
    """Words without those that only lead up to a move: "a stone at D4" is "D4"."""
    while leading := moves.LEADS.match(words):
        words = words[leading.end() :]
    return words


def _is_strong(piece: str) -> bool:
    """Whether each word looks like a move, or links words that do."""
    words = [word.strip(" .,!;:()") for word in piece.split()]
    joined = len(words) == 3 and words[1] in _LINK and len(words[0]) == len(words[2]) == 1
    looks = any(map(_STRONG.fullmatch, words))
    return joined or (looks and all(_STRONG.fullmatch(word) or word in _LINK or len(word) == 1 for word in words))
