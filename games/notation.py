"""Reading what people type: one folding of text for all games, and cells written as a letter and a number."""

from __future__ import annotations

import re
import unicodedata

MAX_MOVE_TEXT = 2000
"""Characters of a move's text that are looked at; longer texts are no move of any game."""

MAX_QUOTED = 80
"""Characters of a player's own words that are given back to him in a refusal."""

_TYPOGRAPHIC = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣", "-"),
        **dict.fromkeys("×✕✖", "x"),
        **dict.fromkeys("→➔➜›»", ">"),
        **dict.fromkeys("،、", ","),
        **dict.fromkeys("‘’“”„‚«\u200b\u200c\u200d\u2060\ufeff\u00ad", None),
    }
)
_CELL = re.compile(r"([a-z])[\s_.-]*([0-9]{1,4})|([0-9]{1,4})[\s_.-]*([a-z])")


def fold(text: str) -> str:
    """The text in one plain form: full-width and typographic characters made ASCII, lower case, outer noise cut.

    A text of more than MAX_MOVE_TEXT characters folds to the empty text.
    """
    if len(text) > MAX_MOVE_TEXT:
        return ""
    plain = unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHIC)).translate(_TYPOGRAPHIC).casefold()
    return " ".join(plain.split()).strip(" .!?;:,\"'`*()[]{}")


def read_cell(folded: str) -> tuple[str, int] | None:
    """The letter (lower case) and number of a folded text like "f6", "f-6", "f 6" or "6f"; None if it is no cell."""
    match = _CELL.fullmatch(folded)
    if match is None:
        return None
    letter, number = match[1] or match[4], match[2] or match[3]
    return letter, int(number)


def quoted(text: str) -> str:
    """What the player typed, between quotation marks, shortened to what a sentence can hold."""
    plain = " ".join(text.split())
    return f'"{plain}"' if len(plain) <= MAX_QUOTED else f'"{plain[:MAX_QUOTED]}..."'
