"""Names of cells, a letter and a number, and reading them however they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from games.boards.cells import Cells, bits
from games.notation import fold, quoted, read_cell
from games.rules import BadNotation, IllegalMove

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WITHOUT_I = "abcdefghjklmnopqrstuvwxyz"

_BETWEEN = re.compile(r"\bto\b|[^a-z0-9]|x")
"""What may stand between the cells of a path; no board has a column x."""
_CELL = re.compile(r"[a-z] *[0-9]{1,4}|[0-9]{1,4} *[a-z]")


class Names:
    """The names of a board's cells: the letter of a line and a number in it, such as f6.

    letters: of the lines. indices: of the cells, by their line, counted from 0, and number. line, cell: the words for
    a line that has a letter, such as "column", and for a cell.
    """

    def __init__(
        self, letters: str, indices: Mapping[tuple[int, int], int], *, line: str = "column", cell: str = "cell"
    ) -> None:
        self.letters, self._line, self._cell = letters, line, cell
        self._indices = indices
        self._names = {index: f"{letters[at]}{number}" for (at, number), index in indices.items()}

    def __getitem__(self, index: int) -> str:
        return self._names[index]

    def of(self, cells: Cells) -> list[str]:
        """The names of a set, in the order of the indices."""
        return [self._names[index] for index in bits(cells)]

    def read(self, text: str, example: Callable[[], str]) -> int:
        """The index of the cell that a text names: "F6", "f-6", "F 6" and "6f" -> f6.

        example: makes a move that can be played, for a refusal. Raises: BadNotation, IllegalMove.
        """
        found = read_cell(fold(text))
        if found is None:
            said = quoted(text)
            raise BadNotation(f"{said} is not a {self._cell}. Write a letter and a number, such as {example()}.")
        return self.find(*found)

    def read_path(self, text: str, example: Callable[[], str]) -> tuple[int, ...]:
        """The cells that a text names one after another: "b2-c3", "B2 x C3", "b2c3" and "2b to 3c" -> b2, c3.

        Raises: BadNotation, IllegalMove.
        """
        plain = _BETWEEN.sub(" ", fold(text))
        cells = [read_cell(each) for each in _CELL.findall(plain)]
        if not cells or _CELL.sub("", plain).strip():
            raise BadNotation(f"{quoted(text)} is not a move. Write it as in {example()}.")
        return tuple(self.find(*found) for found in cells if found)

    def find(self, letter: str, number: int) -> int:
        """The index of a cell by its letter, in lower case, and number. Raises: IllegalMove when there is none."""
        line = self.letters.lower().find(letter)
        if line < 0:
            there = self._cased(letter)
            raise IllegalMove(f"There is no {self._line} {there} here: the {self._line}s are {self._range()}.")
        index = self._indices.get((line, number))
        if index is None:
            here, numbers = self.letters[line], sorted(other for at, other in self._indices if at == line)
            names = [f"{here}{other}" for other in numbers]
            unbroken = 1 < len(numbers) == numbers[-1] - numbers[0] + 1
            held = f"{names[0]}-{names[-1]}" if unbroken else ", ".join(names)
            raise IllegalMove(f"There is no {self._cell} {here}{number}: {self._line} {here} holds {held}.")
        return index

    def _cased(self, letter: str) -> str:
        return letter.upper() if self.letters.isupper() else letter

    def _range(self) -> str:
        first, last = self.letters[0], self.letters[-1]
        skipped = f" without {self._cased('i')}" if last.lower() > "i" and "i" not in self.letters.lower() else ""
        return f"{first} to {last}{skipped}"
