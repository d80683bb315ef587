"""A person's plain-language answer to our question: yes, no, never again, or a question; and the name they chose.

Only the first sentences count. Consent is explicit: an answer with both a yes and a no agrees to nothing, nor does a
yes with words that may limit it; then we rather ask once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from games import GAMES
from pbm.domain.idioms import answers, moves, vocabulary
from pbm.domain.meaning import Sentence, is_signature, plain, sentences
from pbm.domain.verbs import find, leading
from pbm.domain.wanted import game_named

READ = 4
"""How many sentences are read."""


class Answer(StrEnum):
    """NEVER: no, and no further mail. ASKS: a question, or a request for help."""

    YES = "yes"
    NO = "no"
    NEVER = "never"
    ASKS = "asks"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Consent:
    """An answer, and the name given or ""; the name is as written and may not be valid as a userid."""

    answer: Answer
    name: str = ""


_CLAUSE = re.compile(r"\s*(?:[,;:!?]|\.(?=\s|$)|(?<=\s)-(?=\s))\s*")
_BUT = re.compile(r"[\s,;-]+(?:but|however|unfortunately|though|aber|mais|pero)\b[\s,]*")
_STATES = (
    r"(?:my |user ?|the )?(?:name|userid|username|user id|nick(?:name)?|login)\s*"
    r"(?::|=|is|'s|shall be|will be|should be)|"
    r"(?:like|want|wish|prefer) to be (?:called|known as)|"
    r"(?:(?:would|i'?d) like|i (?:want|choose)) the (?:user ?|nick)?name|as (?:user ?|nick)?name|"
    r"call me|i am called|i'm called|(?:sign|put) me up as|(?:register|join|play(?:ing)?) as"
)
_WORD = r"[\"']?([a-z][\w.-]{0,30})[\"']?(?=$|[\s,.!;:)\"'-])"
_STATED = re.compile(rf"(?:^|[\s,.!;(-])(?:{_STATES})\s+{_WORD}", re.IGNORECASE)
"""A name the writer wants to be known by."""
_NAMED = re.compile(
    rf"(?:^|[\s,.!;(-])(?:{_STATES}|this is|i'?m|i am|i'?ll be|i will be|it's|as|"
    r"ich bin(?: der| die)?|ich heiße|mein name ist|je m'appelle|mon nom est|me llamo|mi nombre es|soy|mi chiamo|"
    r"il mio nome è|ik heet|mijn naam is|chamo-me|(?:eu )?me chamo|(?:o )?meu nome é|"
    r"nazywam się|mam na imię|j[ae]g h(?:eter|edder)|mi(?:tt|t) na(?:mn är|vn er)|nimeni on|jmenuji se|меня зовут|"
    r"(?:jestem|j[ae]g (?:är|er)|olen|jsem|я)(?=\s+(?-i:[A-Z])))"
    rf"\s+{_WORD}",
    re.IGNORECASE,
)
"""The same, or the writer's own name."""
_AFTER_YES = re.compile(
    r"(?:yes|yeah|yep|ok|okay|sure|accept|y|ja|oui|si)[\s,:!.-]+[\"']?([a-z][\w.-]{0,30})[\"']?\W*", re.IGNORECASE
)
_LONE = re.compile(r"\W*((?![a-z]+ [A-Z])(?i:[a-z])[\w.-]{1,30}?)(?: here| [A-Z][\w'-]+)?[^\w?]*")
_BEGUN = re.compile(r"\W*([a-z][\w.-]{0,30})(?:['’]s\s|[\s,:!-])\s*", re.IGNORECASE)
_ADDRESSED = re.compile(r"(?:.*\b(?:you|against|with|as|is|thanks|dear|play|please) )?[a-z][\w.-]*")
"""The end of a clause that may be a name."""
_MOVE = re.compile(r"[a-z]{1,2}-?\d{1,3}|\d+.*|[a-z]-[a-z]", re.IGNORECASE)


def consent(text: str, others: Collection[str] = (), *, to_play: bool = True, game: str = "") -> Consent:
    """The answer to a question of ours. others: names that are not the writer's, such as the inviter's.

    game: the one that was offered; a yes to another agrees to nothing.
    to_play: a game was offered, so "let's start" means yes, and so does a name; they do not for any other question.

    >>> consent("Hi Anna, yes I'd love to!")
    Consent(answer=<Answer.YES: 'yes'>, name='')
    >>> consent("No! Who are you?").answer, consent("I don't know you, please stop").answer
    (<Answer.NO: 'no'>, <Answer.NEVER: 'never'>)
    >>> consent("start").answer, consent("start", to_play=False).answer
    (<Answer.YES: 'yes'>, <Answer.UNCLEAR: 'unclear'>)
    >>> consent("Yes, let's play Hex!", game="hex").answer, consent("Yes, let's play Go!", game="hex").answer
    (<Answer.YES: 'yes'>, <Answer.UNCLEAR: 'unclear'>)
    >>> consent("Yes, I'm Joe."), consent("name: joe").name, consent("joe").answer
    (Consent(answer=<Answer.YES: 'yes'>, name='Joe'), 'joe', <Answer.UNCLEAR: 'unclear'>)
    """
    letter, _, card = text.rstrip().rpartition("\n\n")
    every = sentences(letter if letter and is_signature(card) else text)
    said, later = every[:READ], every[READ:]
    answer = _answer([sentence.text for sentence in said], to_play=to_play)
    is_limited = to_play and any(answers.LIMITS.search(_bared(each.plain)) for each in later)
    if answer is Answer.YES and (is_limited or (game and game_named(text) not in ("", game))):
        answer = Answer.UNCLEAR
    if answer is Answer.YES:
        return Consent(answer, _name(said, others))
    stated = [found[1] for sentence in said for found in _STATED.finditer(sentence.text)]
    wished = _first_name(stated, others) if answer is Answer.UNCLEAR and to_play else ""
    return Consent(Answer.YES, wished) if wished else Consent(answer)


def is_bare(text: str) -> bool:
    """Whether an answer is a yes or no with thanks or a name, and tells nobody anything else.

    >>> is_bare("Yes, thanks!\\nBob"), is_bare("No, sorry"), is_bare("yes\\nresign"), is_bare("yes\\nyou fool")
    (True, True, False, False)
    """
    said = [sentence for sentence in sentences(text) if not _STATED.fullmatch(sentence.plain)]
    names = {word.casefold() for sentence in said for word in re.findall(r"\b[A-Z][\w.-]*", sentence.text)}
    refusals = (answers.NO, answers.NEVER, moves.LONE_NO)
    for sentence in said:
        clauses = _clauses(sentence.plain)
        agrees = any(map(_agreeing, clauses))
        for clause in clauses:
            is_name = clause in names or (agrees and " " not in clause)
            is_answer = any(row.fullmatch(clause) for row in refusals) or _is_assent(clause) or clause == "sorry"
            if not is_answer and not (_is_known(clause) and (is_name or _agreeing(clause))):
                return False
    return True


def introduced(text: str) -> str:
    """The name the person wants to be known by, from "I'm Joe", "name: joe", "joe" or "Joe, thanks"; "" for none.

    >>> introduced("joe"), introduced("Hello, I'm Joe and want to play."), introduced("Hello, how does this work?")
    ('joe', 'Joe', '')
    >>> introduced("Carla va bene, grazie!"), introduced("Carla is fine. Thanks!"), introduced("Grazie, va bene!")
    ('Carla', 'Carla', '')
    >>> introduced("kim\\n\\nBest regards,\\nJoe Miller"), introduced("joe\\n\\nJoe Miller\\n+44 20 1234 5678")
    ('kim', 'joe')
    >>> introduced("Jestem Jan"), introduced("jag heter Ola"), introduced("меня зовут Olga"), introduced("ben Olga")
    ('Jan', 'Ola', 'Olga', '')
    """
    closing = answers.CLOSING.search(text)
    said = sentences(text[: closing.start()] if closing else text)[:READ]
    lone = _lone(said[0].text) if said else ""
    behind = said[1].plain if len(said) > 1 else ""
    is_introduced = bool(said) and _NAMED.search(said[0].text) is not None
    if is_introduced or not _is_name(lone, ()) or not (_is_assent(behind) or lone.casefold() in behind.split()):
        lone = ""
    names = [lone] if lone else [found[1] for sentence in said for found in _NAMED.finditer(sentence.text)]
    return _first_name(names, ())


def _lone(said: str) -> str:
    """The word that a sentence consists of, but for a surname or words such as "is fine, thanks"; "" for none."""
    if (lone := _LONE.fullmatch(said)) is not None:
        return lone[1]
    begun = _BEGUN.match(said)
    if begun is None or "?" in said or leading(said.split())[0] is not None or _is_assent(plain(said)):
        return ""  # "sounds good" is no Sounds who is good
    return begun[1] if _is_assent(plain(said[begun.end() :])) else ""


def _is_assent(said: str) -> bool:
    """Whether words only thank or agree, by themselves or after "that"."""
    rows = (answers.YES, answers.KEEN, answers.THANKS, answers.PARTING)
    return all(
        clause in vocabulary.REQUESTING
        or any(row.fullmatch(words) for row in rows for words in (clause, f"that {clause}"))
        for clause in _clauses(said)
    )


def _first_name(names: Iterable[str], others: Collection[str]) -> str:
    """The first word that may be the writer's name, or ""."""
    return next((name for name in map(_bare, names) if _is_name(name, others)), "")


def _answer(said: list[str], *, to_play: bool) -> Answer:
    """The combined answer: a refusal counts wherever it stands, a yes only if nothing contradicts it."""
    plains = [plain(sentence) for sentence in said]
    if any(map(answers.NEVER.search, plains)) or {"never"} <= {*plains} <= {"never", "no", "no thanks"}:
        return Answer.NEVER
    asks = any(
        answers.QUESTION.search(sentence.strip().casefold()) or answers.QUESTION.search(plain(sentence))
        for sentence in said
    )
    yes = no = False
    for clause in (clause for sentence in plains if not _wonders(sentence) for clause in _clauses(sentence)):
        left = answers.NOT_NO.sub("", clause)
        no = no or answers.NO.search(left) is not None
        yes = yes or (not no and _agreeing(clause, to_play=to_play, asks=asks) is not None)
    if yes and no:
        return Answer.NO if any(_BUT.search(sentence) for sentence in plains) else Answer.UNCLEAR
    if yes and any(_limited([each for each in plains if to_play or any(map(_agreeing, _clauses(each)))])):
        return Answer.ASKS if asks and to_play else Answer.UNCLEAR
    if no or yes:
        return Answer.NO if no else Answer.YES
    return Answer.ASKS if asks else Answer.UNCLEAR


def _agreeing(clause: str, *, to_play: bool = True, asks: bool = False) -> re.Match[str] | None:
    """The words that agree at the beginning of a clause. asks: whether something is asked, too."""
    agrees = answers.YES.search(clause) or (answers.KEEN.search(clause) if to_play else None)
    return agrees or (None if asks else answers.WEAK_YES.search(clause))


def _limited(plains: Sequence[str]) -> Iterator[bool]:
    """For each clause of plain sentences whether it may limit a yes to a game.

    A clause that agrees, and others in its sentence, must consist of known words, or tell something by the way; other
    sentences may say anything but times, conditions and wishes. After a mere "I'd love to" nothing is by the way.
    """
    is_firm = any(answers.YES.search(clause) for sentence in plains for clause in _clauses(sentence))
    is_wish = False
    for sentence in plains:
        clauses = _clauses(_bared(sentence))
        is_free = not any(map(_agreeing, clauses))
        yield sentence.endswith(" but")
        for clause in clauses:
            head = _agreeing(clause)
            rest = _after(head, clause)
            tells = is_free or answers.ASIDE.match(rest) or _NAMED.fullmatch(rest)
            asks = sentence.endswith("?") and clause is clauses[-1] and not rest.startswith("how ")
            is_heard = tells and not (is_wish or asks or answers.LIMITS.search(rest))
            yield not (_is_known(clause) or is_heard)
            is_wish = is_wish or (head is not None and not is_firm and answers.WISH.search(clause) is not None)


def _bared(said: str) -> str:
    """Plain words without phrases that only look as if they denied or limited something."""
    return answers.NOT_NO.sub("", answers.HARMLESS.sub("", said))


def _after(head: re.Match[str] | None, clause: str) -> str:
    return clause[head.end() :].strip() if head else clause


def _is_known(clause: str) -> bool:
    """Whether a clause agrees, thanks or names its writer, and does nothing else."""
    rest = _after(_agreeing(clause), clause)
    strange = [word for word in rest.split() if word not in answers.AGREEING and word not in GAMES]
    word = strange[0] if len(strange) == 1 and _ADDRESSED.fullmatch(rest) else ""
    is_named = _is_name(word, ()) and not answers.LIMITS.search(word)
    return not strange or is_named or _is_assent(clause) or _STATED.fullmatch(rest) is not None


def _wonders(sentence: str) -> bool:
    """Whether a sentence, in plain words, is a yes with a question mark: "Yes??"."""
    return sentence.endswith("?") and len(sentence.split()) == 1 and answers.YES.search(sentence) is not None


def _clauses(sentence: str) -> list[str]:
    """The pieces between commas, and before and after "but"."""
    return [clause for part in _BUT.split(sentence) for clause in _CLAUSE.split(part) if clause]


def _name(said: list[Sentence], others: Collection[str]) -> str:
    """The name given in an answer that says yes."""
    names = [match[1] for sentence in said if (match := _AFTER_YES.fullmatch(sentence.text))]
    names += [match[1] for sentence in said for match in _NAMED.finditer(sentence.text)]
    return _first_name(names, others)


def _bare(name: str) -> str:
    return name.rstrip(".-")


def _is_name(word: str, others: Collection[str]) -> bool:
    """Whether a word may be a name: not a move, a word of the server, or a common word."""
    folded = word.casefold()
    is_game = folded in GAMES or vocabulary.ELSEWHERE.fullmatch(folded) is not None
    is_answer = answers.YES.fullmatch(folded) is not None
    taken = folded in vocabulary.NO_NAMES or folded in map(str.casefold, others)
    is_word = taken or is_game or is_answer or find(folded) is not None
    return len(folded) > 1 and not is_word and not _MOVE.fullmatch(folded)
