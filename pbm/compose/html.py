"""The HTML form of a page, made from the text itself, so that nothing is worded twice and both say the same.

A page is rendered once. Where HTML differs it has a mark, which an inlay replaces in each form. All other text becomes
paragraphs, lists and tables, or monospaced text if its columns are aligned. Everything is escaped.
"""

from __future__ import annotations

import re
import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape as escape_text
from itertools import accumulate, pairwise, starmap, zip_longest

from markupsafe import escape

WIDTH = 76
"""Characters in a line of a page."""
NARROW, NARROWEST = 47, 50
"""Monospaced characters in a phone's line, so wider lists are laid out again; and the most, for drawings."""
FEWEST_WORDS = 5
"""Words of a sentence that explains a term in a list; a list of shorter ones is a table."""
LONG_TERM, LONG_WORD = 20, 10
"""The most characters of terms, and of their words, in a table that also fits a phone with letters twice as large."""
LONG_CELL = 12
"""The most characters of a word in a table of many columns that is never divided."""
MOST_COLUMNS = 9
"""The most columns of such a table."""
MAX_DRAWN = 30_000
"""Characters of a drawing; the rest of a longer one is only in the text."""

_MARKING = f"\x1a{secrets.token_hex(8)}-"
_GAP = re.compile("\n\n+")
_MARK = re.compile(rf"{_MARKING}(\d+)\x1a")
_ALONE = re.compile(rf"^{_MARK.pattern}$", re.MULTILINE)


@dataclass(slots=True)
class Inlays:
    """Pieces of a page that differ in HTML. Players cannot write their marks, which contain control characters."""

    forms: list[tuple[str, str]] = field(default_factory=list)
    """Each as text and as HTML; marks contain the index."""

    def add(self, text: str, html: str) -> str:
        """A mark that stands for both forms."""
        self.forms.append((text, html))
        return f"{_MARKING}{len(self.forms) - 1}\x1a"

    def link(self, text: str, url: str) -> str:
        """A mark for text that is a link in HTML, unless url is empty."""
        return self.add(text, f'<a href="{escape(url)}">{escape(text)}</a>' if url else str(escape(text)))

    def text(self, page: str) -> str:
        return _MARK.sub(lambda mark: self.forms[int(mark[1])][0], page)

    def html(self, line: str) -> str:
        """Text as HTML, with everything but the inlays escaped."""
        return _MARK.sub(lambda mark: self.forms[int(mark[1])][1], _escaped(line))


_OPTION = re.compile(r"(?<![^\s\"])\[?--?[a-z]+(?:-[a-z]+)*")


def _escaped(text: str) -> str:
    """Text as HTML; no line break divides the name of an option, as in "--clock=3d" and "[-size=N]", after a hyphen."""
    html = escape_text(text, quote=False)
    return _OPTION.sub(r'<span style="white-space:nowrap">\g<0></span>', html) if "-" in html else html


def blocks(page: str, inlays: Inlays) -> list[str]:
    """The page in blocks of HTML. An inlay on its own line is a block."""
    html: list[str] = []
    for at, piece in enumerate(_ALONE.split("\n".join(page.splitlines()))):
        # re.split gives the numbers of the marks at odd places.
        if at % 2:
            html.append(inlays.forms[int(piece)][1])
        elif text := piece.strip("\n"):
            html += [_block(block, inlays) for block in _GAP.split(text)]
    return html


_MARGIN = re.compile(r"^[^\S\n]*", re.MULTILINE)
_COLUMNS = re.compile(r"\S[^\S\n]*  [^\S\n]*\S")


def _block(block: str, inlays: Inlays) -> str:
    margins = {*map(len, _MARGIN.findall(block))}
    if len(margins) > 1 or _COLUMNS.search(block):
        return _laid_out(block, inlays)
    shown = inlays.html("".join(_flowing(block.split("\n")))).replace(_BREAK, "<br>\n")
    # Links below each other are apart enough for a thumb.
    spaced = ";line-height:1.8" if _MARKING in block and "<br>" in shown else ""
    return f'<p style="margin:12px {5 + 8 * margins.pop()}px{spaced}">{shown}</p>'


def _indent(text: str) -> int:
    """The blanks before its first line."""
    return len(text) - len(text.lstrip())


def _laid_out(block: str, inlays: Inlays) -> str:
    """A block whose places mean something: in the form of a list or a table, or else monospaced."""
    heading, _, rest = block.partition("\n")
    # Whether its lines are all indented more than their heading is.
    is_below = rest[:1] == " " and min(map(len, _MARGIN.findall(rest))) > _indent(heading)
    if is_below and (heading.isupper() or heading[-1] == ":"):
        return f"{_block(heading, inlays)}\n{_block(rest, inlays)}"
    columns = max(map(len, inlays.text(block).split("\n")))
    is_wide = columns > NARROW  # a phone would break its lines, so that what is narrow may stay as it is
    forms = [
        (is_wide, _items),
        (_COLUMNS.search(block) is None, _hanging),
        (is_wide, _glossary),
        (is_wide, _tabled),
    ]
    if _MARKING not in block:  # marks are longer than what they stand for
        for suits, form in forms:
            listed = form(block) if suits else ""
            if listed:
                return listed
    return aligned(inlays.html(block), columns)


_ITEM = re.compile(r" *(?:-|\d+\.) (?=\S)")
_TERM = re.compile(r"( *)(\S+(?: \S+)*)( {2,})(\S+(?: \S+)*)")


def _items(block: str) -> str:
    """A list whose items begin with a dash or a number; empty for anything else."""
    items: list[list[str]] = []
    margin, inner = _indent(block), 0
    for line in block.split("\n"):
        indented = _indent(line)
        if indented == margin and (item := _ITEM.match(line)):
            items.append([line.strip()])
            inner = item.end()
        elif items and indented == inner:
            items[-1].append(line.strip())
        else:
            return ""
    style = f"margin:6px 5px 6px {15 + 8 * margin}px;text-indent:-10px"
    return "\n".join(f'<p style="{style}">{_escaped(" ".join(item))}</p>' for item in items)


_WHOLE = ' style="white-space:nowrap"'
"""For a short term with a hyphen, such as the move G-H."""


def _glossary(block: str) -> str:
    """Terms and their explanations, as a table with wrapping cells, or as paragraphs if terms are long; empty unless
    the explanations are sentences.
    """
    rows = _terms(block)
    if all(len(meaning.split()) < FEWEST_WORDS for _, meaning in rows):
        return ""
    # A term that is longer than its column has its explanation only below it, after a blank.
    terms = [word for word, meaning in rows if meaning[:1].strip()]
    cells = [(_escaped(word), _escaped(meaning)) for word, meaning in rows]
    if max(map(len, terms)) > LONG_TERM or max(map(len, " ".join(terms).split())) > LONG_WORD:
        # They would take too much of a phone's width in a table, so that each has its meaning below it.
        margin = 5 + 8 * _indent(block)
        return "\n".join(
            f'<p style="margin:8px 5px 0 {margin}px">{word}</p>'
            + (f'\n<p style="margin:0 5px 8px {margin + 16}px">{meaning}</p>' if meaning else "")
            for word, meaning in cells
        )
    opening = '<table role="presentation" cellpadding="3" cellspacing="0" border="0" style="font-size:15px">'
    return "\n".join([opening, *starmap(_explained, cells), "</table>"])


def _terms(block: str) -> list[tuple[str, str]]:
    """Terms with their explanations, which begin in one column; none if the block is anything else."""
    rows: list[list[str]] = []
    margin, place = _indent(block), 0
    for line in block.split("\n"):
        row, indented = _TERM.fullmatch(line), _indent(line)
        if place and indented == place:
            rows[-1][1] += f" {line.strip()}"
        elif row and indented == margin and place in (0, row.start(4)):
            rows.append([row[2], row[4]])
            place = row.start(4)
        elif indented == margin and "  " not in line.strip():
            fits = place and line[place - 1 : place] == " "
            cut = place if fits else len(line)  # a term as long as its column, or longer
            rows.append([line[:cut].strip(), line[cut:].strip()])
        else:
            return []
    return [(word, meaning) for word, meaning in rows]


def _explained(word: str, meaning: str) -> str:
    """The row of a term, in HTML; one without a meaning is a heading."""
    if not meaning:
        return f'<tr><td colspan="2">{word}</td></tr>'
    whole = _WHOLE if "-" in word else ""
    return f'<tr valign="top"><td{whole}>{word}</td><td>{meaning}</td></tr>'


def _tabled(block: str) -> str:
    """Lines in columns, as a table with wrapping cells; empty if they are none, or a drawing."""
    first, *lines = block.split("\n")
    spans = _spans([first, *(line for line in lines if "  " in line.strip())])
    letters = "".join(block.split())
    # In a drawing more than a quarter is dots, lines and brackets.
    if not 1 < len(spans) <= MOST_COLUMNS or 4 * sum(map(str.isalnum, letters)) < 3 * len(letters):
        return ""
    html = ['<table role="presentation" cellpadding="3" cellspacing="0" border="0" style="font-size:13px">']
    for line in (first, *lines):
        if line is first or "  " in line.strip():
            html.append(f"""<tr valign="top">{"".join(_cell(line[span].strip()) for span in spans)}</tr>""")
        # Any other line without columns spans the table.
        else:
            html.append(f'<tr><td colspan="{len(spans)}">{_escaped(line.strip())}</td></tr>')
    return "\n".join([*html, "</table>"])


def _spans(rows: Sequence[str]) -> list[slice]:
    """The places of each column in the rows, the first of which may be headings."""
    spans: list[slice] = []
    taken = "".join(" x"[any(map(str.strip, column))] for column in zip_longest(*rows, fillvalue=" "))
    for run in re.finditer("x+", taken):
        start, end = run.span()
        # One blank alone divides columns only below headings with a capital.
        if spans and start == spans[-1].stop + 1 and not rows[0][start:end].lstrip()[:1].isupper():
            start = spans.pop().start
        spans.append(slice(start, end))
    return spans


def _cell(text: str) -> str:
    """A cell of a table of many columns: numbers to the right, and long names divided where they must be."""
    style = ' style="word-break:break-word"' if max(map(len, text.split()), default=0) > LONG_CELL else ""
    side = ' align="right"' if text[:1].isdecimal() and len(text.split()) == 1 else ""
    return f"<td{side}{style}>{_escaped(text)}</td>"


def _hanging(block: str) -> str:
    """Lines, each with its explanation indented below it; empty unless these are sentences."""
    items: list[list[str]] = []
    margin = _indent(block)
    for line in block.split("\n"):
        if not items or _indent(line) == margin:
            items.append([])
        items[-1].append(line)
    paragraphs = []
    for first, *rest in items:
        inner, meaning = {_indent(line) for line in rest}, " ".join(line.strip() for line in rest)
        # Columns, and further indents, would be lost in a paragraph.
        if len(inner) != 1 or min(inner) < margin or "  " in first.strip() + meaning:
            return ""
        if len(meaning.split()) < FEWEST_WORDS // 2:
            return ""
        shown = _escaped("".join(_flowing([first, *rest]))).replace(_BREAK, "<br>\n")
        paragraphs.append(f'<p style="margin:8px 5px 8px {5 + 8 * margin}px">{shown}</p>')
    return "\n".join(paragraphs)


def aligned(html: str, columns: int) -> str:
    """Monospaced HTML for light and dark. columns: the length of the longest line."""
    # Small enough for a phone 320 wide to show a whole line, if that is readable; longer lines wrap.
    size = 14 - bisect_left((35, 38, 41, 45), columns)
    return (
        # Clients do not recolour a cell that sets both its colours.
        '<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor="#ffffff"'
        ' style="padding:6px;background:#ffffff;color-scheme:light">\n'
        f"<pre style=\"margin:0;font-family:Consolas,'Courier New',monospace;font-size:{size}px;line-height:1.2;"
        f'color:#111111;background:#ffffff;white-space:pre-wrap">\n{html}</pre></td></tr></table>'
    )


def document(title: str, blocks: Iterable[str]) -> str:
    """The whole HTML of a mail."""
    head = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
</head>
<body style="margin:3px;font-family:Arial,Helvetica,sans-serif;font-size:15px;line-height:1.4;
overflow-wrap:break-word">"""
    return "\n".join([head, *blocks, "</body>\n</html>\n"])


_BREAK = "\v"  # no line contains it
"""Marks a line break to keep."""
_EXPLAINED = re.compile(r"-\w+:")
"""An option that is explained next, as in "-size: cells per board side"; it begins a line of its own."""


def _flowing(lines: list[str]) -> Iterator[str]:
    """The lines of a paragraph and what separates them; line breaks that only served to fit become plain ones."""
    yield lines[0].strip()
    for line, following in pairwise(lines):
        if words := following.split(maxsplit=1):
            # A line that had room for the next word was ended on purpose.
            is_full = len(line) + 1 + len(words[0]) > WIDTH and not _EXPLAINED.match(words[0])
            yield "\n" if is_full else _BREAK
        yield following.strip()


def within_bounds(words: Iterable[str], links: Mapping[str, str], room: int, besides: int) -> dict[str, str]:
    """The links of the words, in order, as many as there is room for.

    words: each as often as it is shown. links: the ends of URLs. room: in characters. besides: what each link adds.
    """
    shown = [*filter(links.get, words)]
    urls = [*map(links.__getitem__, shown)]
    fitting = bisect_right([*accumulate(map(besides.__add__, map(len, urls)))], room)
    chosen = dict(zip(shown[:fitting], urls, strict=False))
    for word in shown[fitting : fitting + 1]:  # it may also be shown earlier
        chosen.pop(word, None)
    return chosen


def equal(lines: Sequence[str]) -> str:
    """The lines of a drawing, escaped, and cut off if there are too many."""
    rows: list[str] = []
    room = MAX_DRAWN
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            rows.append("[The rest is in the text of this email.]")
            break
        rows.append(escape_text(line, quote=False))
    return "\n".join(rows)
