"""The figures by which the house is kept simple, counted in its sources: see `python -m bench.trace`."""

from __future__ import annotations

import ast
import re
import statistics
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path

from tests.golden_file import FOLDER
from tests.parts import golden_parts

ROOT = Path(__file__).parent.parent
FOLDERS = ("pbm", "games")
Function = ast.FunctionDef | ast.AsyncFunctionDef

LONG_FUNCTION = 50
"""The most lines that a function may have."""
LONG_LINE = 100
SMALL = 5
"""Functions with fewer lines do not count where branches are divided by lines."""

_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert)
_DIRECTIVE = re.compile(r"#\s*(noqa|type:|fmt:|pragma)")
_BATCHING = re.compile(
    r"rehears|fores[ae]e|\bin_bites|\blet_pass|\b(read|handled?|compos\w+|render\w*) ahead\b|_ahead\b"
)
_NOT_TELLING = ("pbm/compose/", "pbm/store/")
"""Folders whose strings are the house's own sentences, or SQL."""
_SENTENCE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,} |[a-z]{2,} [a-z]{2,}[.:,]")
_PUBLIC = {"_replace", "_asdict", "_fields", "_make", "_exit"}
"""What the manual of Python calls so: of named tuples, lest it be mistaken for a field, and os._exit."""


def branches(function: ast.AST) -> int:
    """One, plus each if, loop, except, conditional expression and assert, each further operand of and/or, each
    comprehension and each of its ifs.
    """
    count = 1
    for node in ast.walk(function):
        if isinstance(node, _BRANCHES):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
    return count


@dataclass(frozen=True)
class Source:
    """A file of the product. path: below the root."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def functions(self) -> list[Function]:
        return [node for node in ast.walk(self.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]

    @property
    def comments(self) -> int:
        """How many lines have a comment that is for people."""
        tokens = tokenize.generate_tokens(StringIO(self.text).readline)
        return sum(token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string) for token in tokens)

    @property
    def is_empty(self) -> bool:
        """Whether it holds only a docstring."""
        return all(isinstance(node, ast.Expr) for node in self.tree.body)


def sources() -> list[Source]:
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return [Source(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in paths]


def lines_of(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


@dataclass(frozen=True)
class House:
    """All sources of the product, and what is counted in them."""

    sources: list[Source]

    @cached_property
    def functions(self) -> list[tuple[str, int, int]]:
        """Each function as path:name, its lines and its branches."""
        return [
            (f"{source.path}:{function.name}", lines_of(function), branches(function))
            for source in self.sources
            for function in source.functions
        ]

    @property
    def lines(self) -> int:
        return sum(len(source.lines) for source in self.sources)

    def branches_a_line(self, folder: str = "") -> float:
        """The mean over functions of five lines and more of their branches divided by their lines."""
        found = [many / lines for name, lines, many in self.functions if lines >= SMALL and name.startswith(folder)]
        return statistics.fmean(found)

    def branchy(self, most: int) -> list[str]:
        """The functions with more branches, those with the most first."""
        found = sorted(((many, name) for name, _, many in self.functions if many > most), reverse=True)
        return [f"{name} ({many} branches)" for many, name in found]

    @property
    def long(self) -> list[str]:
        return [f"{name} ({lines} lines)" for name, lines, _ in self.functions if lines > LONG_FUNCTION]

    @cached_property
    def _written(self) -> list[int]:
        """The lengths of the lines that are not blank."""
        return [len(line) for source in self.sources for line in source.lines if line.strip()]

    @property
    def mean_length(self) -> float:
        return statistics.fmean(self._written)

    @property
    def share_of_long_lines(self) -> float:
        return sum(length > LONG_LINE for length in self._written) / len(self._written)

    @property
    def comments_per_1000(self) -> float:
        return 1000 * sum(source.comments for source in self.sources) / self.lines

    @property
    def batching(self) -> list[str]:
        """The files that know of rehearsing, reading ahead or letting pass."""
        return [source.path for source in self.sources if _BATCHING.search(source.text)]

    @property
    def private_names(self) -> list[str]:
        """Uses of private names that none of the sources defines: they belong to libraries."""
        ours = {name for source in self.sources for name in _defined(source.tree)} | _PUBLIC
        return [
            f"{source.path}:{line} {name}"
            for source in self.sources
            for line, name in _used(source.tree)
            if _is_private(name) and name not in ours
        ]

    @property
    def glued(self) -> list[str]:
        """Sentences that are put together outside compose/: strings with values among some words in a row."""
        return [
            f"{source.path}:{node.lineno}"
            for source in self.sources
            if source.path.startswith("pbm/") and not source.path.startswith(_NOT_TELLING)
            for node in ast.walk(source.tree)
            if isinstance(node, ast.JoinedStr) and _is_glued(node)
        ]

    @property
    def modules(self) -> list[int]:
        """The lines of each module that holds more than a docstring."""
        return [len(source.lines) for source in self.sources if not source.is_empty]


def _is_glued(text: ast.JoinedStr) -> bool:
    """Whether a formatted string has values, and words of a sentence around them."""
    words = [each.value for each in text.values if isinstance(each, ast.Constant)]
    return len(words) < len(text.values) and any(_SENTENCE.search(str(each)) for each in words)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name != "_"


def _defined(tree: ast.Module) -> Iterator[str]:
    """The names that a module gives to functions, classes, variables, parameters and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def _used(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Attributes and imported names, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, part) for part in (node.module or "").split("."))
            yield from ((node.lineno, name.name) for name in node.names)


def golden_files_of_a_footer() -> list[int]:
    """In how many golden files each sentence stands that is in a part of golden/parts.txt, the most first."""
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.txt")]
    lines = {line.strip() for part in golden_parts() for piece in part.fixed for line in piece.splitlines()}
    sentences = [line for line in lines if len(line) > 24 and re.search(r"[A-Za-z]{3}.* .*[a-z]{3}", line)]
    return sorted((sum(line in text for text in texts) for line in sentences), reverse=True)
