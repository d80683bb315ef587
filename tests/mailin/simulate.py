"""A quoting simulator: answers to each kind of our mails as mail programs in many languages send them.

`python -m tests.mailin.simulate` tries them all and counts those read wrongly; `--every N` tries each Nth.
It combines programs, languages, line widths, the place of the answer, our line left in or cut out, and names of our
server with digits or blanks in them. An answer is wrong if it gives another command than its own words would, and
unclean if the text read differs from these words.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pbm.mailin import Message, strip_subject
from pbm.mailin.quotes import SENTINEL
from pbm.mailin.written import read as read_mail
from pbm.reading.command_lines import read
from pbm.reading.verbs import Standing
from tests.mailin.build import ENVELOPE, ROBOT, raw
from tests.mailin.clients import quoted
from tests.mailin.test_our_mails import mails
from tests.mailin.tongues import TONGUES, Tongue

OWN = (
    "F6",
    "F6\nGood luck! See you at 10:30.\n\nAnn",
    "101 B2\nThanks for all!",
    "swap\n\nI had no choice.",
    "D4, how are you?",
)
SENDERS = (
    ("pbm", "pbm@play.example.org"),
    ("Play-by-Mail Server", "pbm@play.example.org"),
    ("Games 2024", "pbm2024@play.example.org"),
)
WIDTHS = (60, 72, 998)
STANDING = Standing("cross", 101, known=True, proven=True)


@lru_cache(maxsize=2000)
def wrapped(text: str, width: int) -> str:
    """The text, with long lines broken at blanks."""
    return "\n".join(part for line in text.split("\n") for part in textwrap.wrap(line, width) or [""])


@dataclass(frozen=True)
class Draft:
    """An answer that a program is to write. own: its words. ours: the mail it quotes. name, mail: what it calls us."""

    own: str
    ours: str
    tongue: Tongue
    name: str
    mail: str
    width: int

    def says(self, attribution: str) -> str:
        """The attribution line, broken to the program's width."""
        return wrapped(attribution.replace("NAME", self.name).replace("MAIL", self.mail), self.width)

    def header(self, *, separator: str = "\n") -> str:
        """A header block in the program's language."""
        values = (f"{self.name} <{self.mail}>", "05.01.2024 10:23", "ann@example.org", "Cross Board 101 ann-bob")
        return separator.join(f"{label}: {value}" for label, value in zip(self.tongue.labels, values, strict=True))

    @property
    def marked(self) -> str:
        """Our mail, quoted with marks at the program's width."""
        return quoted(wrapped(self.ours, self.width))


def _around(draft: Draft, attribution: str, gap: str = "\n\n") -> Iterator[str]:
    """The answer above, below and in the middle of a marked quote."""
    head, _, tail = draft.marked.partition("\n>\n")
    yield f"{draft.own}\n\n{attribution}{gap}{draft.marked}\n"
    yield f"{attribution}{gap}{draft.marked}\n\n{draft.own}\n"
    yield f"{attribution}{gap}{head}\n\n{draft.own}\n\n{tail}\n"


def _gmail(draft: Draft) -> Iterator[str]:
    yield from _around(draft, draft.says(draft.tongue.gmail))


def _apple(draft: Draft) -> Iterator[str]:
    yield from _around(draft, draft.says(draft.tongue.apple))


def _close(draft: Draft) -> Iterator[str]:
    """K-9, Evolution and mutt: no blank line between attribution and quote."""
    yield from _around(draft, draft.says(draft.tongue.apple), "\n")


def _broken_at_address(draft: Draft) -> Iterator[str]:
    """Attributions with the address, and all after it, on lines of their own."""
    for mark in (" <MAIL>", "<MAIL>"):
        line = draft.tongue.gmail.replace(mark, "\n<MAIL>\n").replace("\n ", "\n").replace("\n:", ":")
        yield from _around(draft, line.replace("NAME", draft.name).replace("MAIL", draft.mail).rstrip("\n"))


def _broken_in_brackets(draft: Draft) -> Iterator[str]:
    """Attributions broken after the bracket of the address, as by Gmail."""
    line = draft.tongue.gmail.replace("<MAIL>", "<\nMAIL>")
    yield from _around(draft, line.replace("NAME", draft.name).replace("MAIL", draft.mail))


def _outlook(draft: Draft) -> Iterator[str]:
    for rule in ("________________________________\n", ""):
        yield f"{draft.own}\n\n{rule}{draft.header()}\n\n{draft.ours}\n"


def _names_only(draft: Draft) -> Iterator[str]:
    """Outlook inside a company: no addresses."""
    header = draft.header().replace(f" <{draft.mail}>", "").replace("ann@example.org", "Ann")
    yield f"{draft.own}\n\n{header}\n\n{draft.ours}\n"


def _ruled(draft: Draft) -> Iterator[str]:
    for words in (draft.tongue.original, draft.tongue.forwarded):
        for rule in ("-----{}-----", "-------- {} --------", "---------- {} ---------"):
            yield f"{draft.own}\n\n{rule.format(words)}\n{draft.header()}\n\n{draft.ours}\n"


def _one_line(draft: Draft) -> Iterator[str]:
    """Samsung and Yahoo: the header block on one line after the rule."""
    yield f"{draft.own}\n\n-------- {draft.tongue.original} --------{draft.header(separator=' ')} \n{draft.ours}\n"
    yield f"{draft.own}\n\n   ----- {draft.tongue.forwarded} ----- {draft.header(separator='')}\n {draft.ours}\n"


def _phone(draft: Draft) -> Iterator[str]:
    """A phone's signature above the quote."""
    yield f"{draft.own}\n\n{draft.tongue.phone}\n\n{draft.says(draft.tongue.apple)}\n\n{draft.marked}\n"
    yield f"{draft.own}\n\n{draft.tongue.phone}\n\n{draft.header()}\n\n{draft.ours}\n"


PROGRAMS: tuple[Callable[[Draft], Iterator[str]], ...] = (
    _gmail, _apple, _close, _broken_at_address, _broken_in_brackets, _outlook, _names_only, _ruled, _one_line, _phone,
)  # fmt: skip


def our_mails() -> list[str]:
    """The first of each kind of our mails; a kind is told by its first words."""
    kinds: dict[str, str] = {}
    for text in mails():
        first = text.split("\n")[0]
        kinds.setdefault(" ".join(word for word in first.split()[:4] if word.isalpha()), text)
    return list(kinds.values())


@dataclass
class Score:
    """What came of the answers that were tried."""

    tried: int = 0
    wrong: list[str] = field(default_factory=list)
    unclean: list[str] = field(default_factory=list)
    by_program: Counter[str] = field(default_factory=Counter)

    @property
    def clean_share(self) -> float:
        return 1 - len(self.unclean) / max(self.tried, 1)


def answers(every: int = 1) -> Iterator[tuple[str, str, str]]:
    """Each Nth of all answers: its name, what the person wrote, and the text of the mail.

    All mails, languages, programs and widths are combined; the person's words, our name, and our line left in or cut
    out take turns.
    """
    ways = itertools.product(our_mails(), TONGUES, WIDTHS, PROGRAMS)
    for number, (text, tongue, width, program) in enumerate(ways):
        if number % every == 0:
            turn = number // every
            name, mail = SENDERS[turn % len(SENDERS)]
            ours = text if turn % 2 else text.replace(SENTINEL, "").rstrip()
            draft = Draft(OWN[turn % len(OWN)], ours, TONGUES[tongue], name, mail, width)
            for place, answer in enumerate(program(draft)):
                yield f"{program.__name__} {place} {tongue} {width}", draft.own, answer


def simulate(every: int = 1) -> Score:
    """The score of each Nth answer."""
    score = Score()
    wanted = {own: read("", own, STANDING).lines for own in OWN}
    for name, own, answer in answers(every):
        message = read_mail(raw(answer, "Subject: Re: Cross Board 101 ann-bob"), ENVELOPE, ROBOT)
        assert isinstance(message, Message), message
        score.tried += 1
        if message.text == own:
            continue
        lines = read(strip_subject(message.subject), message.text, STANDING).lines
        if lines != wanted[own]:
            score.wrong.append(f"{name}: {lines} from\n{answer}")
        if message.text.split() != own.split():
            score.unclean.append(f"{name}: {message.text!r}")
            score.by_program[name] += 1
    return score


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="try each Nth answer")
    parser.add_argument("--show", type=int, default=10, help="how many of those read wrongly are shown")
    wanted = parser.parse_args()
    score = simulate(wanted.every)
    print(f"{score.tried} answers: {len(score.wrong)} wrong, {score.clean_share:.3%} clean")
    for line in (*score.wrong[: wanted.show], *score.unclean[: wanted.show]):
        print(line)
    for name, count in score.by_program.most_common(wanted.show):
        print(count, name)
    return 1 if score.wrong or score.clean_share < 0.99 else 0


if __name__ == "__main__":
    sys.exit(main())
