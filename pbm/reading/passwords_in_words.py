"""The passwords in what a person wrote, which no mail repeats and nobody else may read.

A line that is tried as a command, or is like one, holds them where commands do: in place of the parameter, behind a
userid, or behind a verb that sets one. A sentence holds one where the phrase book says so: "my password is ...".
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import pairwise

from games import GAMES
from pbm.domain.errors import Rejected
from pbm.reading.book import common
from pbm.reading.book import words as kind
from pbm.reading.commands import Command, begins, clean, command_or_refusal
from pbm.reading.sentences import as_written, phrases, sentences
from pbm.reading.verbs import SHORTEST_SECRET, Standing, is_option, leading
from pbm.values import frozen

_MOST_LINES = 50
"""Lines of a text that are looked at."""
_MOST_NAMED = 20
"""Words of a line among which userids are looked for."""
_MOST_OF_LOGIN = 3
"""Words of a line that is no command, and may be a login with a word before it: "PS: alice geheim"."""
_FIRST_WORDS = 3
"""Among so many first words a verb that sets a password is looked for: "please change password", "- password"."""
_SETTING = ("signup", "password")
"""Verbs of one word before a new password."""
_LIKE = 0.8
"""How similar to one of them a word must be to be a misspelt one: "singup" is, "signal" is not."""


@frozen
class Passwords:
    """Finds passwords in the words of one person. own: the userid of the player who seems to have written them."""

    standing: Standing
    own: str
    is_userid: Callable[[str], bool]

    def of_mail(self, text: str, tried: Mapping[str, Command | Rejected]) -> Set[str]:
        """The passwords of a mail. tried: its lines that are carried out, or may be quoted, as they were read."""
        found = set(told_in(text))
        for line, command in tried.items():
            found |= self._of_tried(line, command)
        for line in map(clean, text.splitlines()[:_MOST_LINES]):
            if line in tried:
                continue
            # The classic server's commands, and no sentence, begin with the name of a game.
            if line.partition(" ")[0].casefold() in GAMES and begins(line):
                found |= self._of_tried(line, command_or_refusal(line, self.standing, self.is_userid))
            elif begins(line) or len(line.split()) <= _MOST_OF_LOGIN:
                found |= self._behind_own(line)
            found |= set_in(line, self.is_userid)
        return found

    def _of_tried(self, line: str, command: Command | Rejected) -> Set[str]:
        """The passwords of a command, or the words that stand in the place of one."""
        if not isinstance(command, Command):
            return self._behind_names(line) | set_in(line, self.is_userid, is_tried=True)
        found = set(command.secrets)
        # No password lets it in as it stands, so the word behind any userid may be one.
        if found and not self.is_userid(command.args.get("USERID", "")):
            found |= self._behind_names(line)
        # In an answer to a board, whatever is no command is tried as a move; "Alice Miller" only signs.
        move = command.args.get("MOVE", "")
        return found | (set() if move.istitle() else self._behind_names(move)) | set_in(move, self.is_userid)

    def _behind_names(self, line: str) -> Set[str]:
        """The words behind userids in a line that is no command, or lets nobody in."""
        if not begins(line):
            return {word for word in _behind({self.own.casefold()}, line) if self._may_be_password(word)}
        names = {word.casefold() for word in line.split()[:_MOST_NAMED] if self.is_userid(word)}
        return {word for word in _behind(names, line) if self._may_be_password(word)}

    def _behind_own(self, line: str) -> Set[str]:
        """The words behind the writer's own userid among words for others; "alice thanks you" is a sentence."""
        if line.istitle():
            return frozenset()
        behind = _behind({self.own.casefold()}, line)
        return {word for word in behind if word.casefold() not in common() and self._may_be_password(word)}

    def _may_be_password(self, word: str) -> bool:
        """Whether a word behind a userid, where a password stands in commands, may be one."""
        return not (is_option(word) or word.casefold() in kind("no-names") or self.is_userid(word))


def told_in(text: str) -> frozenset[str]:
    """The words that sentences call passwords.

    >>> told_in("D4\\nmy password is Swordfish!"), told_in("I forgot my password, please help")
    (frozenset({'Swordfish'}), frozenset())
    """
    found = set[str]()
    for each in sentences(text):
        for phrase in phrases(each.text, "held"):
            found.update(as_written(each.text, int(place)) for place in phrase.named("secret"))
    return frozenset(found)


def set_in(line: str, is_userid: Callable[[str], bool], *, is_tried: bool = False) -> frozenset[str]:
    """The words behind a userid in a line that sets a password, though it is no command.

    is_tried: it is tried as a command, so all words behind its verb may be passwords, however the verb is misspelt.

    >>> sorted(set_in("please change password bob geheim neu", "bob".__eq__)), set_in("Bob is here", bool)
    (['geheim', 'neu'], frozenset())
    >>> sorted(set_in("singup joe geheim", "bob".__eq__, is_tried=True)), set_in("signal me", bool, is_tried=True)
    (['geheim'], frozenset())
    """
    words = line.split()
    if is_tried and _sets_first(words):
        _, count = leading(words)
        return frozenset(word for word in words[max(count, 1) :] if len(word) >= SHORTEST_SECRET)
    for start in range(min(_FIRST_WORDS, len(words))):
        verb, count = leading(words[start:])
        if verb is not None and "NEW-PASSWORD" in verb.keys:
            named = next((at for at, word in enumerate(words) if at >= start + count and is_userid(word)), len(words))
            return frozenset(words[named + 1 :])
    return frozenset()


def _sets_first(words: Sequence[str]) -> bool:
    """Whether words begin with a verb that sets a password, or with one of these misspelt."""
    verb, _ = leading(words)
    if verb is not None:
        return "NEW-PASSWORD" in verb.keys
    return bool(words) and bool(difflib.get_close_matches(words[0].casefold()[:40], _SETTING, n=1, cutoff=_LIKE))


def _behind(names: Set[str], line: str) -> Iterator[str]:
    """The words that follow userids in a line, as a password does, if they are long enough for one. names: in lower
    case.
    """
    for before, after in pairwise(line.split()):
        if before.casefold() in names and len(after) >= SHORTEST_SECRET:
            yield after
