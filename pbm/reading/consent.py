"""A person's answer to a question of ours: yes, no, never again, or a question; and the name they chose.

Consent is explicit: a yes counts if it is a word that stands alone on the first line, or if each sentence of the answer
is a phrase of the book. An answer with a doubt, or with both a yes and a no, agrees to nothing, and we ask once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import StrEnum

from games import GAMES
from pbm.reading.book import Phrase, common, words
from pbm.reading.games_named import game_named
from pbm.reading.intent import Surroundings
from pbm.reading.sentences import Sentence, as_written, is_name, is_signature, phrases, plain, says, sentences, words_of
from pbm.values import frozen

READ = 8
"""How many sentences are read; an answer with more is no plain yes."""
_MOST_COMMAS = 3
"""After this many commas the rest of a sentence is one clause."""


class Answer(StrEnum):
    """NEVER: no, and no further mail. ASKS: a question, or a request for help."""

    YES = "yes"
    NO = "no"
    NEVER = "never"
    ASKS = "asks"
    UNCLEAR = "unclear"


@frozen
class Consent:
    """An answer, and the name given or ""; the name is as written and may not be valid as a userid."""

    answer: Answer
    name: str = ""


_PLAYING = frozenset({"yes to play", "yes gladly"})
"""Phrases that agree only to a game: "sounds good" confirms no account, and erases nobody."""
_NAME = re.compile(r"[^\W\d_][\w.-]+")
_NAMING = "is {name}"
_OWN_NAME = "am {name}"
"""A name that says no yes by itself."""


def consent(text: str, others: Collection[str] = (), *, to_play: bool = True, game: str = "") -> Consent:
    """The answer to a question of ours. others: names that are not the writer's, such as the inviter's.

    game: the one that was offered; a yes to another agrees to nothing.
    to_play: a game was offered, so "let's start" means yes, and so does a name; they do not for any other question.

    >>> consent("Hi Anna, yes I'd love to!")
    Consent(answer=<Answer.YES: 'yes'>, name='')
    >>> consent("No! Who are you?").answer, consent("I don't know you, please stop").answer
    (<Answer.NO: 'no'>, <Answer.NEVER: 'never'>)
    >>> consent("Sadly I can't.").answer, consent("Yes. At Easter.").answer
    (<Answer.NO: 'no'>, <Answer.UNCLEAR: 'unclear'>)
    >>> consent("start").answer, consent("start", to_play=False).answer
    (<Answer.YES: 'yes'>, <Answer.UNCLEAR: 'unclear'>)
    >>> consent("Yes, let's play Hex!", game="hex").answer, consent("Yes, let's play Go!", game="hex").answer
    (<Answer.YES: 'yes'>, <Answer.UNCLEAR: 'unclear'>)
    >>> consent("Yes, I'm Joe."), consent("name: joe").name, consent("joe").answer
    (Consent(answer=<Answer.YES: 'yes'>, name='Joe'), 'joe', <Answer.UNCLEAR: 'unclear'>)
    """
    written = sentences(text)
    said = [each.text for each in written]
    kinds = [kind for sentence in said[:READ] for kind in kinds_in(sentence, others)]
    every = set[str]().union(*kinds)
    # A text that also says no agrees to nothing, wherever the no stands.
    refusal = Answer.NEVER if Answer.NEVER in every else Answer.NO
    if refusal in every:
        return Consent(Answer.UNCLEAR if _begins_with_yes(said[0], others) else refusal)
    name = _name_in(said[:READ], others)
    agreeing = {"yes"}
    if to_play:
        # An invitation asks for a name, so whoever gives it agrees.
        agreeing |= {*_PLAYING, _NAMING} if name else _PLAYING
    if every.isdisjoint(agreeing):
        return Consent(Answer.ASKS if "asks" in every or _ends_in_question(said) else Answer.UNCLEAR)
    # Only a game needs a plain yes: its board goes to somebody else at once.
    if not to_play:
        return Consent(Answer.YES, name)
    named = game_named(text) if game else ""
    answer = _to_game(written, kinds, is_other=named not in ("", game))
    return Consent(answer, name if answer is Answer.YES else "")


def _ends_in_question(said: Sequence[str]) -> bool:
    return any(each.rstrip().endswith("?") for each in said)


def _name_in(said: Sequence[str], others: Collection[str]) -> str:
    """The first name that sentences give their writer; "" for none."""
    return next(filter(None, (_named(sentence, others) for sentence in said)), "")


def _to_game(written: Sequence[Sentence], kinds: Sequence[set[str]], *, is_other: bool) -> Answer:
    """What an answer that agrees says to a game. kinds: of its sentences. is_other: it names another game."""
    agreeing = {"yes", "yes gladly", "aside"}  # "Why not?" is a question that agrees
    if any("asks" in found and not agreeing & found for found in kinds):
        return Answer.ASKS
    is_understood = all(kinds) and len(written) <= READ
    return Answer.YES if not is_other and (is_understood or _is_exact(written)) else Answer.UNCLEAR


def _is_exact(written: Sequence[Sentence]) -> bool:
    """Whether an answer is one word on a line of its own, and nothing below it limits or doubts it."""
    first, *below = written
    is_word = first.is_alone and " " not in first.text
    return is_word and not any(says(each.text, "doubt", "limits") for each in below)


def _begins_with_yes(sentence: str, others: Collection[str]) -> bool:
    """Whether a refusal begins with a yes, so that it is no plain one: "yes and no", "va bene, ma non ora"."""
    first_word, clause = plain(sentence).partition(" ")[0], sentence.partition(",")[0]
    said = [*_answers(first_word, others), *_answers(clause, others)]
    return any(phrase.does in ("yes", "yes gladly") for phrase in said)


def is_bare(text: str) -> bool:
    """Whether an answer is a yes or no with thanks or a name, and tells nobody anything else.

    >>> is_bare("Yes, thanks!\\nBob"), is_bare("No, sorry"), is_bare("yes\\nresign"), is_bare("yes\\nyou fool")
    (True, True, False, False)
    """
    plain_answers = {"yes", *_PLAYING, "no", "never", _NAMING, _OWN_NAME}
    for each in sentences(text):
        is_answer = any(phrase.does in plain_answers for phrase in _answers(each.text, ()))
        is_polite = any(not phrase.group for phrase in phrases(each.text, "courtesy"))
        is_own_name = each.text[:1].isupper() and is_name(plain(each.text))
        if not (is_answer or is_polite or is_own_name):
            return False
    return True


def introduced(text: str) -> str:
    """The name the person wants to be known by, from "I'm Joe", "name: joe", "joe" or "Joe, thanks"; "" for none.

    >>> introduced("joe"), introduced("Hello, I'm Joe and want to play."), introduced("Hello, how does this work?")
    ('joe', 'Joe', '')
    >>> introduced("kim\\n\\nBest regards,\\nJoe Miller"), introduced("Jestem Jan"), introduced("Grazie, va bene!")
    ('kim', 'Jan', '')
    """
    letter, _, card = text.rstrip().rpartition("\n\n")
    # Many programs put the writer's card below an empty line, with no word that closes the letter.
    above = letter if letter and is_signature(card) else text
    said = [each.text for each in sentences(above)][:READ]
    for sentence in said:
        for part in _parts(sentence):
            name = _named(part, ())
            if name:
                return name
    is_alone = bool(said) and all(all(kinds_in(each, ())) for each in said[1:])
    return _lone_name(said[0]) if is_alone else ""


def _lone_name(sentence: str) -> str:
    """The name that a sentence is, perhaps with a surname or a "please"; "" if it is anything else."""
    lone = sentence.strip(" .,!:)(")
    first, *rest = lone.split() or [""]
    bare = first.strip(".,!:")
    is_full = len(rest) <= 1 and all(word[:1].isupper() or plain(word) in words("requesting") for word in rest)
    if not is_full or sentence.rstrip().endswith("?") or not _may_be_named(bare, ()):
        return ""
    is_answer = any(phrase.does not in (_NAMING, _OWN_NAME) for phrase in _answers(lone, ()))
    return "" if is_answer or says(lone, "courtesy") else bare


def _parts(sentence: str) -> list[str]:
    """The sentence, and its clauses: "I'm Joe and want to play" introduces Joe."""
    pieces = sentence.replace(",", " and ").replace(";", " and ").split(" and ", _MOST_COMMAS)
    return [sentence, *(piece for piece in pieces if piece.strip())] if len(pieces) > 1 else [sentence]


def kinds_in(sentence: str, others: Collection[str]) -> list[set[str]]:
    """What a sentence is as a whole, or else each of its clauses if all are phrases: keys of the book's answers; "" for
    a courtesy; nothing for no phrase. others: names that it may address, such as the inviter's.
    """
    whole, *clauses = (
        {phrase.does for phrase in _answers(part, others)} | ({""} if phrases(part, "courtesy") else set())
        for part in _parts(sentence)
    )
    # "Yes of course, I look forward to it" would be an aside with polite words before it.
    if whole - {"", "aside"} or not clauses or not all(clauses):
        return [whole]
    return clauses


def _answers(sentence: str, others: Collection[str]) -> list[Phrase]:
    here = Surroundings(lambda _: None, inviters=frozenset(map(str.casefold, others)))
    found = [phrase for phrase in here.phrases(sentence, "answer") if phrase.group]
    # "No problem with that" refuses nothing
    return [phrase for phrase in found if not phrase.is_loose] if says(sentence, "courtesy") else found


def _named(sentence: str, others: Collection[str]) -> str:
    """The name that a sentence gives, as it was written; "" for none."""
    for phrase in _answers(sentence, others):
        if phrase.does in (_NAMING, _OWN_NAME):
            names = [word.plain for word in words_of(sentence)]
            name = as_written(sentence, names.index(phrase.named("name")[0])).rstrip(".-")
            if _may_be_named(name, others):
                return name
    return ""


def _may_be_named(word: str, others: Collection[str]) -> bool:
    """Whether a word may be a name: not a move, a game, or a common word."""
    folded = word.casefold()
    is_move = any(map(str.isdigit, folded)) and len(folded) <= 4
    taken = common() | words("elsewhere") | GAMES.keys() | {other.casefold() for other in others}
    return _NAME.fullmatch(folded) is not None and not is_move and folded not in taken
