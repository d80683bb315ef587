"""The phrase book, templates/phrases/, and its engine: which whole sentences mean what, and words of each language.

A phrase is a template, in the notation of Home Assistant's intents: `[word]` may be left out, `*[word]` may stand any
number of times, `(a|b)` is a choice, `<rule>` stands for a rule of the file, and `{slot}` for what is named, such as a
move. All templates become one automaton, which is followed for each sentence word by word, in all of its states at
once, and these sets of states are kept. So the time is bounded by the number of words, whatever they are: nothing is
tried twice, as a backtracking matcher would.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from typing import Any, NamedTuple

from pbm.resources import folder

_ANYTHING = "{words}"
"""Any words, at least one; they are not kept."""
_MAY_BE_ANYTHING = re.compile(r"\[[^][]*\{words\}[^][]*\]")
_ENDS_IN_ANYTHING = re.compile(r"\{words\}\]?(?: \[?\?\]?)?$")
Slots = tuple[tuple[str, str], ...]
"""What a sentence names, by slot."""
Spans = Callable[[str, int], Sequence[tuple[int, str]]]
"""For a slot and the place of a word: each place where what is named there may end, and its value."""

_PIECE = re.compile(r"\*?\[|\]|\(|\)|\||<[\w-]+>|\{[\w-]+\}|[^\s\[\]()|<>{}*]+")
_WORDS = "words"
"""The file that holds no phrases."""
_DEEPEST = 20
"""How deep rules and brackets may be nested; more is a rule that holds itself."""


class Phrase(NamedTuple):
    """What a whole sentence says."""

    group: str
    """The table of the file it stands in: where it may be said."""
    does: str
    """Its key there: a command line, or another word for what is said."""
    slots: Slots = ()
    is_loose: bool = False
    """Some of its words may be any."""

    def named(self, *slots: str) -> tuple[str, ...]:
        """What the sentence names in these slots, in order."""
        return tuple(value for slot, value in self.slots if slot in slots)

    @property
    def line(self) -> str:
        """The key with what the sentence names in place of the slots."""
        line = self.does
        for name, value in self.slots:
            line = line.replace(f"{{{name}}}", value)
        return line


class BadTemplate(ValueError):
    """A file of the phrase book is faulty; the text says where."""


@dataclass(slots=True)
class _State:
    """One state of the automaton, and where each word or slot leads from it."""

    words: dict[str, list[int]] = field(default_factory=dict)
    slots: list[tuple[str, int]] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    """States that are reached without a word."""
    any: list[int] = field(default_factory=list)
    """States that every word leads to."""
    again: bool = False
    """A polite word before a phrase ends here: everything may follow that may begin a sentence."""
    says: list[int] = field(default_factory=list)
    """The phrases that end here, by their number; polite words may follow."""
    covers: list[int] = field(default_factory=list)
    """The phrases that end here in any words, so nothing follows them."""


_Set = frozenset[int]
"""States that the same words may have led to."""


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """A set of states with all that are reached from them without a word, as if it were one state."""

    states: Sequence[_State]
    others: _Set
    """Where any word leads; nowhere if it is empty."""
    slots: Sequence[tuple[str, _Set]]
    again: bool
    says: Sequence[int]
    covers: Sequence[int]
    ends: bool
    """The sentence may end here."""
    following: dict[str, _Set] = field(default_factory=dict)
    """Where words lead, as far as that was asked."""

    def behind(self, word: str) -> _Set:
        """Where a word of the book leads; worked out once."""
        known = self.following.get(word)
        if known is None:
            targets = [state.words[word] for state in self.states if word in state.words]
            known = self.following[word] = self.others.union(*targets)
        return known


_START, _END = 0, 1
_BEGIN, _OVER = _Set([_START]), _Set([_END])
_NOTHING = -1
"""Stands for the number of a phrase while none was said."""
_MOST_SETS = 10_000
"""So many sets of states are kept; two thousand sentences lead to a quarter of them."""
_Threads = dict[tuple[_Joined, int], Slots]
"""For each set of states that the words so far may have led to, and the phrase that was said: what is named."""


class Automaton:
    """All phrases of all languages: nobody says in which they write, and many mix two."""

    def __init__(self) -> None:
        # "Thanks!" alone: what may stand behind a phrase may also stand for itself.
        self._states = [_State(free=[_END]), _State()]
        self._phrases: list[tuple[str, str, bool]] = []
        self._asking: set[int] = set()
        """The phrases that may be a question."""
        self._joined: dict[_Set, _Joined] = {}

    @cached_property
    def _words(self) -> frozenset[str]:
        """All words that stand in templates."""
        return frozenset(word for state in self._states for word in state.words)

    def add(self, group: str, does: str, template: str, rules: Mapping[str, str]) -> None:
        """Add a phrase. Raises: BadTemplate."""
        exact = _MAY_BE_ANYTHING.sub("", template)
        if _ANYTHING in exact or not exact.strip():
            self._add(group, does, template, rules, is_loose=True)
            return
        self._add(group, does, exact, rules, is_loose=False)
        if exact != template:
            self._add(group, does, template, rules, is_loose=True)

    def _add(self, group: str, does: str, template: str, rules: Mapping[str, str], *, is_loose: bool) -> None:
        last = self._states[self._wired(template, rules, _START)]
        ends = last.covers if _ENDS_IN_ANYTHING.search(template) else last.says
        ends.append(len(self._phrases))
        if template.endswith("[?]"):
            self._asking.add(len(self._phrases))
        self._phrases.append((group, does, is_loose))

    def add_before(self, template: str, rules: Mapping[str, str]) -> None:
        """Add polite words that may stand before any phrase, as often as people like. Raises: BadTemplate."""
        self._states[self._wired(template, rules, _START)].again = True

    def add_behind(self, template: str, rules: Mapping[str, str]) -> None:
        """The same behind any phrase."""
        self._states[self._wired(template, rules, _END)].free.append(_END)

    def said(self, words: Sequence[str], spans: Spans) -> list[Phrase]:
        """What a sentence says as a whole, each only once; a phrase without group and key for mere politeness."""
        at: list[_Threads] = [{} for _ in range(len(words) + 1)]
        self._enter(at[0], _BEGIN, _NOTHING, ())
        for place, word in enumerate(words):
            named: dict[str, Sequence[tuple[int, str]]] = {}
            is_known = word in self._words
            for (here, phrase), slots in at[place].items():
                self._enter(at[place + 1], here.behind(word) if is_known else here.others, phrase, slots)
                for name, target in here.slots:
                    if name not in named:
                        named[name] = spans(name, place)
                    for end, value in named[name]:
                        self._enter(at[end], target, phrase, (*slots, (name, value)))
        found = self._ended(at[-1])
        # "Can I undo that, please?": the mark stands behind the polite words
        if words[-1] == "?":
            found += self._ended({key: slots for key, slots in at[-2].items() if key[1] in self._asking})
        return list(dict.fromkeys(found))

    def _ended(self, threads: _Threads) -> list[Phrase]:
        """The phrases that have ended where these threads are."""
        found = list[Phrase]()
        for (here, phrase), slots in threads.items():
            numbers = (phrase, *here.covers) if here.ends else here.covers
            found += [self._phrase(number, slots) for number in numbers]
        return found

    def _phrase(self, number: int, slots: Slots) -> Phrase:
        if number == _NOTHING:
            return Phrase("", "")
        group, does, is_loose = self._phrases[number]
        return Phrase(group, does, slots, is_loose)

    def _enter(self, threads: _Threads, states: _Set, phrase: int, slots: Slots) -> None:
        """Follow a thread to a set of states, and on behind the phrases that end there."""
        if not states:
            return
        here = self._joined.get(states) or self._join(states)
        if (here, phrase) in threads:
            return
        threads[here, phrase] = slots
        # As a thread of its own, because a set with all that may begin a sentence is large.
        if here.again:
            self._enter(threads, _BEGIN, phrase, slots)
        for number in here.says:
            self._enter(threads, _OVER, number, slots)

    def _join(self, states: _Set) -> _Joined:
        """The states as one."""
        reached, whole = self._reached(states), _State()
        found = [self._states[each] for each in reached]
        for each in found:
            whole.slots += each.slots
            whole.any += each.any
            whole.says += each.says
            whole.covers += each.covers
            whole.again = whole.again or each.again
        slots: dict[str, set[int]] = defaultdict(set)
        for name, target in whole.slots:
            slots[name].add(target)
        # Nobody's texts may fill the memory; what is needed again is worked out again.
        if len(self._joined) >= _MOST_SETS:
            self._joined.clear()
        following = [(name, frozenset(targets)) for name, targets in slots.items()]
        joined = _Joined(
            found, frozenset(whole.any), following, whole.again, whole.says, whole.covers, ends=_END in reached
        )
        self._joined[states] = joined
        return joined

    def _reached(self, states: _Set) -> list[int]:
        """The states, and all that are reached from them without a word, in the order in which they were made."""
        reached, left = {*states}, [*states]
        while left:
            following = [each for each in self._states[left.pop()].free if each not in reached]
            reached.update(following)
            left += following
        return sorted(reached)

    def _wired(self, template: str, rules: Mapping[str, str], start: int) -> int:
        """The state in which the template ends that begins at `start`."""
        return _Wiring(self._states, rules, template).run(start)


@cache
def _pieces(template: str) -> list[str]:
    return _PIECE.findall(template.casefold())


class _Wiring:
    """Recursive descent over one template."""

    def __init__(self, states: list[_State], rules: Mapping[str, str], template: str, depth: int = 0) -> None:
        if depth > _DEEPEST:
            raise BadTemplate(f"too deep: {template}")
        self._states, self._rules, self._template, self._depth = states, rules, template, depth
        self._pieces = _pieces(template)
        self._at = 0

    def run(self, start: int) -> int:
        end = self._choice(start)
        if self._at < len(self._pieces):
            raise BadTemplate(f"{self._pieces[self._at]} too much: {self._template}")
        return end

    def _choice(self, start: int) -> int:
        """Alternatives up to a bracket that closes."""
        ends = [self._sequence(start)]
        while self._next() == "|":
            self._at += 1
            ends.append(self._sequence(start))
        if len(ends) == 1:
            return ends[0]
        joined = self._new()
        for end in ends:
            self._states[end].free.append(joined)
        return joined

    def _sequence(self, start: int) -> int:
        at = start
        while self._next() not in ("", "|", ")", "]"):
            at = self._piece(at)
        return at

    def _piece(self, at: int) -> int:
        piece = self._next()
        self._at += 1
        if piece == "(":
            return self._bracket(at, ")")
        if piece == "[":
            return self._skipped(at, self._bracket(at, "]"))
        if piece == "*[":
            begin = self._new()
            self._states[at].free.append(begin)
            end = self._bracket(begin, "]")
            self._states[end].free.append(begin)
            return self._skipped(begin, end)
        if piece[0] == "<":
            if piece[1:-1] not in self._rules:
                raise BadTemplate(f"no rule {piece}: {self._template}")
            return _Wiring(self._states, self._rules, self._rules[piece[1:-1]], self._depth + 1).run(at)
        if piece == _ANYTHING:
            return self._any(at)
        end = self._new()
        if piece[0] == "{":
            self._states[at].slots.append((piece[1:-1], end))
        else:
            self._states[at].words.setdefault(piece, []).append(end)
        return end

    def _bracket(self, at: int, closes: str) -> int:
        """Alternatives, and the bracket that closes them."""
        end = self._choice(at)
        if self._next() != closes:
            raise BadTemplate(f"{closes} is missing: {self._template}")
        self._at += 1
        return end

    def _skipped(self, begin: int, end: int) -> int:
        """The state behind what may be left out."""
        skipped = self._new()
        self._states[begin].free.append(skipped)
        self._states[end].free.append(skipped)
        return skipped

    def _any(self, at: int) -> int:
        """The state behind any words, the same for all templates that have them in one place."""
        found = self._states[at].any
        if not found:
            found.append(self._new())
            self._states[found[0]].any.append(found[0])
        return found[0]

    def _next(self) -> str:
        return self._pieces[self._at] if self._at < len(self._pieces) else ""

    def _new(self) -> int:
        self._states.append(_State())
        return len(self._states) - 1


def _files() -> Mapping[str, Mapping[str, Any]]:
    """The files by language."""
    paths = sorted(folder("templates/phrases").glob("*.toml"))
    return {path.stem: tomllib.loads(path.read_text()) for path in paths if path.stem != _WORDS}


@cache
def book() -> Automaton:
    """The phrases of all files. Raises: BadTemplate."""
    automaton = Automaton()
    for language, file in _files().items():
        around = file.get("around", {})
        phrases = [
            (partial(automaton.add, group, does), templates)
            for group, table in file.items()
            if group not in ("rules", "around", "clauses")
            for does, templates in table.items()
        ]
        before, behind = around.get("before", ""), around.get("behind", "")
        _add(language, file, [(automaton.add_before, before), (automaton.add_behind, behind), *phrases])
    return automaton


@cache
def clause_book() -> Automaton:
    """The clauses of all files that may stand beside a move; apart, for most hold any words, and all that begin like
    them would be followed through every sentence. Raises: BadTemplate.
    """
    automaton = Automaton()
    for language, file in _files().items():
        kinds = file.get("clauses", {})
        _add(language, file, [(partial(automaton.add, kind, ""), kinds[kind]) for kind in kinds])
    return automaton


def _add(language: str, file: Mapping[str, Any], adding: Sequence[tuple[Callable[..., None], str]]) -> None:
    """Add the templates of a file, each with its way to be added. Raises: BadTemplate."""
    try:
        for add, templates in adding:
            for template in _lines(templates):
                add(template, file.get("rules", {}))
    except BadTemplate as error:
        raise BadTemplate(f"templates/phrases/{language}.toml: {error}") from None


def _lines(templates: str) -> list[str]:
    return [line.strip() for line in templates.splitlines() if line.strip()]


@cache
def _kinds() -> Mapping[str, Any]:
    """The words by kind; they have a file of their own, because much more is read with them than with the phrases."""
    kinds: Mapping[str, Any] = tomllib.loads((folder("templates/phrases") / f"{_WORDS}.toml").read_text())["words"]
    return kinds


@lru_cache
def words(kind: str) -> frozenset[str]:
    """The words of a kind, in all languages."""
    return frozenset(_kinds()[kind].split())


@cache
def common() -> frozenset[str]:
    """Words of sentences, which name nobody and nothing."""
    return words("common") | words("no-names") | words("courtesies") | words("requesting")


def named(kind: str) -> Mapping[str, str]:
    """What words stand for, in all languages, such as numbers and letters as they are spoken."""
    meanings: Mapping[str, str] = _kinds()[kind]
    return meanings


@lru_cache
def ranked(kind: str) -> Mapping[str, int]:
    """The place of the line, from 0, that each word of a kind stands in, such as that of a weekday."""
    return {word: place for place, line in enumerate(_kinds()[kind].strip().splitlines()) for word in line.split()}
