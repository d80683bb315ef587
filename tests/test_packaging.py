"""What is installed is ours, under a name of its own; `pbm` on the package index is somebody else's program."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest

from pbm import __version__

ROOT = Path(__file__).parent.parent
OURS = "pbm-server"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TOLD = (".md", ".py", ".service", ".timer", ".toml", ".txt", ".yaml", ".yml", "")
TEXTS = [
    path
    for top in (".ci", "bench", "docs", "games", "migrations", "pbm", "templates", "tests")
    for path in (ROOT / top).rglob("*")
    if path.suffix in TOLD and path.is_file() and path != Path(__file__)
]
SOMEBODY_ELSES = re.compile(
    r"""(?:(?<!un)install|uvx|pipx run|uv tool run|index versions)(?:\ -[\w-]+)*\ ['"]?pbm(?![\w.-])  # by its name
    |\bpbm\[[a-z,]+\]                                                                         # by its extras
    |version\(['"]pbm['"]\)                                                                   # what is installed""",
    re.VERBOSE,
)


@pytest.mark.parametrize(
    ("text", "is_noticed"),
    [
        ("pip install pbm", True),
        ("pip install --upgrade 'pbm>=1'", True),
        ("uvx pbm demo", True),
        ("encrypted mail needs pbm[crypt]", True),
        ("pip install 'pbm-server[crypt]'", False),
        ("pip install /src/pbm", False),
        ("uvx --from . pbm demo", False),
        ("pipx run --spec . pbm demo", False),
    ],
)
def test_a_name_of_somebody_else_is_noticed(text: str, is_noticed: bool) -> None:
    assert bool(SOMEBODY_ELSES.search(text)) == is_noticed


def test_no_text_installs_a_program_of_somebody_else() -> None:
    for path in (*TEXTS, ROOT / "README.md", ROOT / "Makefile", ROOT / "pyproject.toml"):
        found = SOMEBODY_ELSES.search(path.read_text(encoding="utf-8", errors="replace"))
        assert found is None, f"{path.relative_to(ROOT)}: {found}"


def test_extras_are_asked_for_under_our_name() -> None:
    assert PROJECT["name"] == OURS
    asked = {
        extra
        for path in (*TEXTS, ROOT / "README.md", ROOT / "pyproject.toml")
        for extras in re.findall(rf"{OURS}\[([a-z,]+)\]", path.read_text(encoding="utf-8", errors="replace"))
        for extra in extras.split(",")
    }
    assert {"crypt", "postgresql"} <= asked <= set(PROJECT["optional-dependencies"])


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    """What an index would show of our wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    built = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-build-isolation", "--no-deps"]
    done = subprocess.run([*built, "--wheel-dir", folder, ROOT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.iterdir()
    with ZipFile(wheel) as files:
        names = files.namelist()
        assert {"pbm/py.typed", "games/py.typed", "pbm/templates/sentences.txt", "pbm/migrations/env.py"} <= {*names}
        return message_from_bytes(files.read(next(name for name in names if name.endswith("/METADATA"))))


@pytest.mark.servers
def test_the_wheel_says_what_it_is(metadata: Message) -> None:
    assert metadata["Name"] == OURS
    assert metadata["Version"] == __version__
    for field in ("Summary", "Keywords", "Classifier", "Requires-Python", "Description-Content-Type"):
        assert metadata[field], field
    assert metadata["License"] is None, "the owner chooses one"


@pytest.mark.servers
def test_links_and_pictures_of_the_readme_work_on_an_index(metadata: Message) -> None:
    text = metadata.get_payload()
    assert isinstance(text, str)
    assert text.startswith("# pbm")
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    anchors = {"#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert all(link.startswith(("https://", "mailto:")) or link in anchors for link in links), links
