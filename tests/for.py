"""Which tests to run after a change: `python -m tests.for FILE...` prints a line for each test file, and why.

A file of the product is tested where its folder and name say, and by the tests that import it; whatever may change a
mail is told by the golden conversations.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
CONVERSATIONS = "tests/test_conversations.py"
BY_FOLDER = (
    ("pbm/", CONVERSATIONS, "may change what is said"),
    ("pbm/reading/", "tests/test_bad_input.py", "decides what is refused"),
    ("pbm/mailin/", "tests/test_bad_input.py", "decides what is refused"),
    ("templates/", CONVERSATIONS, "changes what is said"),
    ("templates/", "tests/test_english.py", "is what people read"),
    ("templates/help/", "tests/test_help.py", "is a page of the help"),
    ("templates/", "tests/compose", "is rendered there"),
    ("games/", "tests/games/test_contract.py", "is a game, or used by games"),
    ("migrations/", "tests/store", "makes the tables"),
    ("pbm/store/tables.py", "tests/store", "is the tables"),
    ("docs/", "tests/test_docs.py", "is documentation"),
    ("docs/developing.md", "tests/test_developing.py", "names files and functions"),
    ("README.md", "tests/test_readme.py", "is the README"),
    ("bench/", "tests/test_bench.py", "is a benchmark"),
    ("tests/golden/", CONVERSATIONS, "is golden"),
    ("tests/golden/mails/", "tests/compose/test_forms.py", "is golden"),
    ("tests/golden/boards/", "tests/games/test_contract.py", "is golden"),
)
"""What the path of a changed file begins with, the tests to run, and why."""


def tests() -> list[Path]:
    return sorted((ROOT / "tests").rglob("test_*.py"))


def tests_for(changed: str) -> dict[str, str]:
    """The tests to run after a change of a file, each with the reason. changed: its path below the root."""
    path = Path(changed)
    found = {test: why for begin, test, why in BY_FOLDER if changed.startswith(begin)}
    if path.name.startswith("test_"):
        found[changed] = "is the test"
    if path.suffix != ".py" or path.name.startswith("test_"):
        return found
    module = ".".join(path.with_suffix("").parts)
    for test in tests():
        name = str(test.relative_to(ROOT))
        if test.stem == f"test_{path.stem}":
            found[name] = "has its name"
        elif module in _imports(test):
            found.setdefault(name, "imports it")
    return found


@cache
def _imports(test: Path) -> set[str]:
    """The modules that a test imports, and what it imports from them, which may be modules."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            names.update(name.name for name in node.names)
    return names


def main() -> None:
    for changed in sys.argv[1:]:
        path = str(Path(changed).resolve().relative_to(ROOT))
        for test, why in sorted(tests_for(path).items()):
            print(f"{test:50}  {path} {why}")


if __name__ == "__main__":
    main()
