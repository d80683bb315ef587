"""Imports point only downwards: the layer table as data, held against every import of the code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = {
    "games": 0,
    "pbm.domain": 1,
    "pbm.mailin": 1,
    "pbm.draw": 1,
    "pbm.store": 2,
    "pbm.compose": 2,
    "pbm.service": 3,
    "pbm.edges": 4,
    "pbm.cli": 5,
}
LEAVES = {"pbm.resources"}
"""May be used by anyone, and use nobody."""
MODULES = sorted(path for top in ("games", "pbm") for path in (ROOT / top).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """The full names of all modules a file imports, wherever in the file."""
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] + "." if node.level else ""
            yield from (f"{base}{node.module or ''}.{alias.name}".replace("..", ".") for alias in node.names)


def part_of(module: str) -> str | None:
    """The part of the table that a module belongs to; None for the libraries."""
    return next((part for part in (*LAYERS, *LEAVES) if module == part or module.startswith(f"{part}.")), None)


def forbidden(user: str, used: str) -> bool:
    """Whether a module may not import another one: upwards, or sideways into another part of its own layer."""
    one, other = part_of(user), part_of(used)
    if other is None:
        return used == "pbm" or used.startswith(("pbm.", "tests.", "bench."))
    if other in LEAVES or one == other:
        return False
    return one is None or one in LEAVES or LAYERS[one] <= LAYERS[other]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_from_below(path: Path) -> None:
    user = name_of(path)
    if user != "pbm":
        assert part_of(user) is not None, f"{user} has no place in the table of layers"
    assert not [used for used in imports(path) if forbidden(user, used)]


def test_every_part_of_the_table_is_there() -> None:
    for part in (*LAYERS, *LEAVES):
        place = ROOT.joinpath(*part.split("."))
        assert place.is_dir() or place.with_suffix(".py").is_file(), part


def test_the_libraries_of_a_layer_stay_in_it() -> None:
    """Sessions and rows never leave the store; SMTP, clocks and the command line never enter the layers below them."""
    homes = {
        "sqlalchemy": ("pbm.store",),
        "alembic": ("pbm.store",),
        "jinja2": ("pbm.compose",),
        "aiosmtpd": ("pbm.edges", "pbm.cli"),
        "aiosmtplib": ("pbm.edges", "pbm.cli"),
        "click": ("pbm.cli",),
        "argon2": ("pbm.service",),
    }
    for path in MODULES:
        for used in imports(path):
            home = homes.get(used.partition(".")[0])
            assert home is None or part_of(name_of(path)) in home, f"{name_of(path)} imports {used}"


def test_games_are_pure() -> None:
    """No input, no output, no clock, no randomness."""
    impure = {"random", "secrets", "time", "datetime", "os", "socket", "subprocess", "threading", "asyncio", "logging"}
    for path in MODULES:
        if name_of(path).startswith("games."):
            assert not impure & {used.partition(".")[0] for used in imports(path)}, name_of(path)


@pytest.mark.parametrize(
    ("user", "used", "wrong"),
    [
        ("games.cross", "pbm.domain.match", True),
        ("games.cross", "pbm", True),
        ("pbm.domain.match", "games.rules", False),
        ("pbm.domain.match", "pbm.mailin.read", True),
        ("pbm.store.engine", "pbm.resources.folder", False),
        ("pbm.store.engine", "pbm.compose.Composer", True),
        ("pbm.compose.composer", "pbm.draw", False),
        ("pbm.service.service", "pbm.edges.deliver", True),
        ("pbm.cli.serve", "pbm.edges.server", False),
        ("pbm.resources", "pbm.domain.mail", True),
        ("pbm.cli.serve", "tests.conversation", True),
    ],
)
def test_the_table_is_read_as_it_is_meant(user: str, used: str, wrong: bool) -> None:
    assert forbidden(user, used) is wrong
