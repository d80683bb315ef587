"""Parts of mails that golden conversations leave out, so that each shows only what its feature causes.

A line of dots in a mail names the paragraphs that stand there, separated by semicolons:

    ... your turn (O, 3); clock; board of 3; one line

* A name that golden/parts.txt explains stands for the paragraph shown there in full. In brackets are the words that
  differ from place to place, in their order.
* "clock", "board" and "moves" stand for the clock, the drawing or the list of moves that the conversation has shown
  last: it is the same once more.

So nothing is lost: `in_full` gives back each mail to the letter. The first paragraph of a mail is never left out: it
says what has happened. golden/parts.txt is a conversation, too, which shows nothing but what it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from tests.conversation import RECEIVED, House, address_of, dedented, events, happen, indented
from tests.golden_file import FOLDER

FILE = FOLDER / "parts.txt"
DOTS = "... "
WIDTH = 78

_LABEL = re.compile(r"([^()]+?)(?: \((.+)\))?")
_PART = re.compile(r"part ([^()]+?)(?: \((.+)\))?: (\w+), paragraph (\d+)( of the mail before)?")
_VALUE = r"([^\n,;()]+?)"
_MOVES = re.compile(r" +\S+ \(\S+\) +\S+ \(\S+\)$", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A paragraph with a name. fixed: its text, cut where its values stand."""

    name: str
    fixed: tuple[str, ...]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(_VALUE.join(map(re.escape, self.fixed)))

    @cached_property
    def line(self) -> re.Pattern[str]:
        """The part as a line of text, or as a paragraph of HTML: what is before it, itself and what is behind it."""
        bare = _VALUE.replace("(", "(?:", 1).join(map(re.escape, self.fixed))
        return re.compile(rf"(^|>)({bare})($|</p>)", re.MULTILINE)

    def label(self, paragraph: str) -> str | None:
        """How the paragraph is named in dots, or None if it is another one."""
        if match := self._pattern.fullmatch(paragraph):
            return f"{self.name} ({', '.join(match.groups())})" if match.groups() else self.name
        return None

    def named(self, found: re.Match[str]) -> str:
        """What stands in place of a line."""
        return f"{found[1]}{DOTS}{self.label(found[2])}{found[3]}"

    def text(self, values: Sequence[str]) -> str:
        found = self.fixed[0]
        for value, fixed in zip(values, self.fixed[1:], strict=True):
            found += value + fixed
        return found


def part_of(name: str, values: Sequence[str], text: str) -> Part:
    """values: words of the text, in their order."""
    fixed = []
    for value in values:
        before, found, text = text.partition(value)
        assert found, f"part {name}: {value} must stand in the text, behind the values before it"
        fixed.append(before)
    return Part(name, (*fixed, text))


def perform_parts(house: House, script: str) -> str:
    """Play the conversation of parts; returns its script with the paragraphs that it names."""
    title, *rest = events(script)
    out = [title[0]]
    for line, text in rest:
        if line.startswith("part "):
            out += [line, indented(_named(house, line)), ""]
        elif line:
            out += [line, *([indented(text)] if text else [])]
            happen(house, line, text)
        elif out[-1]:
            out.append("")
    return "\n".join(out).rstrip("\n") + "\n"


def _named(house: House, line: str) -> str:
    """The paragraph that a line names: the how-many-th, from 1, of somebody's last mail, or of the one before it."""
    found = _PART.fullmatch(line)
    assert found is not None, line
    mail = house.mailboxes[address_of(found[3])][-2 if found[5] else -1]
    return mail.letter.split("\n\n")[int(found[4])]


def parts_in(script: str) -> list[Part]:
    """The parts that the script shows; those with fewer values come first."""
    found = []
    for line, text in events(script):
        if match := _PART.fullmatch(line):
            found.append(part_of(match[1], _values(match[2]), text))
    return sorted(found, key=lambda part: len(part.fixed))


@cache
def golden_parts() -> list[Part]:
    return parts_in(FILE.read_text(encoding="utf-8"))


def _values(words: str | None) -> list[str]:
    return words.split(", ") if words else []


def kind_of(paragraph: str) -> str | None:
    """Which of the paragraphs that boards' mails repeat it is, or None."""
    if paragraph.startswith("Clock "):
        return "clock"
    if _MOVES.match(paragraph):
        return "moves"
    if paragraph.count("\n") >= 3 and not re.search(r"[a-z]{3}|^>", paragraph, re.MULTILINE):
        return "board"
    return None


class Shown:
    """What a conversation has shown so far: the last paragraph of each kind."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._last: dict[str, str] = {}

    def shorten(self, letter: str) -> str:
        """The mail, subject first, with a line of dots for what may be left out."""
        paragraphs = letter.split("\n\n")
        out = paragraphs[:2]
        labels: list[str] = []
        for paragraph in out:
            self._remember(paragraph)
        for paragraph in paragraphs[2:]:
            assert not paragraph.startswith(DOTS), "a paragraph like this could not be told from what is left out"
            if label := self._label(paragraph):
                labels.append(label)
                continue
            out += [*_dotted(labels), paragraph]
            labels = []
        return "\n\n".join([*out, *_dotted(labels)])

    def restore(self, letter: str) -> str:
        """The mail in full. letter: as `shorten` gives it."""
        out = []
        for paragraph in letter.split("\n\n"):
            for text in self._in_full(paragraph):
                self._remember(text)
                out.append(text)
        return "\n\n".join(out)

    def _label(self, paragraph: str) -> str | None:
        kind = kind_of(paragraph)
        label = next(filter(None, (part.label(paragraph) for part in self._parts)), None)
        if label is None and kind and self._last.get(kind) == paragraph:
            return kind
        self._remember(paragraph)
        return label

    def _remember(self, paragraph: str) -> None:
        if kind := kind_of(paragraph):
            self._last[kind] = paragraph

    def _in_full(self, paragraph: str) -> Iterator[str]:
        if not paragraph.startswith(DOTS):
            yield paragraph
            return
        for line in paragraph.splitlines():
            for label in line.removeprefix(DOTS).split("; "):
                found = _LABEL.fullmatch(label)
                assert found is not None, label
                name, values = found[1], _values(found[2])
                if name in self._last and not values:
                    yield self._last[name]
                    continue
                (part,) = (part for part in self._parts if part.name == name)
                yield part.text(values)


def _dotted(labels: Sequence[str]) -> list[str]:
    """One paragraph of lines of dots, or none."""
    lines: list[str] = []
    for label in labels:
        if lines and len(lines[-1]) + len(label) + 2 <= WIDTH:
            lines[-1] += f"; {label}"
        else:
            lines.append(f"{DOTS}{label}")
    return ["\n".join(lines)] if lines else []


def shortened(script: str, parts: Sequence[Part]) -> str:
    """The script of a conversation without what has been shown already."""
    shown = Shown(parts)
    return _changed(script, shown.shorten)


def in_full(script: str, parts: Sequence[Part] | None = None) -> str:
    """The script with all mails in full. parts: by default, those of golden/parts.txt."""
    shown = Shown(golden_parts() if parts is None else parts)
    return _changed(script, shown.restore)


def without_parts(text: str, parts: Sequence[Part]) -> str:
    """The text or HTML of a mail, in which a label stands for each part that is one line."""
    for part in parts:
        if not any("\n" in fixed for fixed in part.fixed):
            text = part.line.sub(part.named, text)
    return text


def _is_sentence(line: str) -> bool:
    """Whether it has two words and no columns."""
    return re.search(r"[A-Za-z]{3}.* .*[a-z]{3}", line) is not None and "  " not in line.strip()


def repeated(scripts: Mapping[str, str]) -> dict[str, set[str]]:
    """The lines of mails with two words and more, each with the conversations that show it.

    Left out are the first paragraphs, which say what happened, quotes, and names of media types.
    """
    shown: dict[str, set[str]] = {}
    for name, script in scripts.items():
        for _, letter in RECEIVED.findall(script):
            for paragraph in dedented(letter).split("\n\n")[2:]:
                if not paragraph.startswith((">", DOTS, "(in these forms: ")):
                    for line in filter(_is_sentence, paragraph.splitlines()):
                        shown.setdefault(line, set()).add(name)
    return shown


def _changed(script: str, change: Callable[[str], str]) -> str:
    def replaced(found: re.Match[str]) -> str:
        letter = dedented(found[2])
        blank = found[2][len(found[2].rstrip("\n")) :]
        return f"{found[1]}{indented(change(letter))}{blank}"

    return RECEIVED.sub(replaced, script)
