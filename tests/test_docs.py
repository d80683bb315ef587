"""The pages of docs/ tell the truth about the code."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from pbm.cli import main
from pbm.cli.loading import keys
from pbm.cli.settings import Configuration, Server
from pbm.core.registry import JOBS, LASTING, REDEEMERS
from pbm.domain.mail import Arrival, Delivery
from pbm.mailin import Action

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FLOW = (DOCS / "mail-flow.md").read_text()
REASONS = ("limit", "move", "ban", "locked", "closed", "reject", "postmaster")
UNITS = sorted((DOCS / "systemd").iterdir())
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@each_page
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for link in links:
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings], link


@pytest.mark.parametrize("page", [*PAGES, *UNITS], ids=lambda page: page.name)
def test_a_server_that_leaves_tasks_to_others_lets_robots_think(page: Path) -> None:
    """The others in these examples only handle; no robot would move."""
    told = re.findall(r"pbm serve [^`\n]*--do ([a-z,]+)", page.read_text())
    if page.name != "postgresql.md":  # one of the processes there does everything
        assert all("think" in tasks.split(",") for tasks in told), told


def tables(heading: str) -> list[list[list[str]]]:
    """The tables under a heading, as rows of cells, without the header row."""
    section = re.split(r"^## ", FLOW, flags=re.MULTILINE)
    (text,) = (part for part in section if part.startswith(f"{heading}\n"))
    blocks = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    return [
        [[cell.strip() for cell in row.strip("|").split(" | ")] for row in block.splitlines()[2:]] for block in blocks
    ]


def named(table: list[list[str]]) -> list[str]:
    return [row[0].strip("` ") for row in table]


def test_every_state_of_a_mail_is_named_with_what_moves_it_and_how_it_gets_out() -> None:
    assert named(tables("Inbox")[0]) == [state.value for state in Arrival]
    assert named(tables("Outbox")[0]) == [state.value for state in Delivery]
    for row in (*tables("Inbox")[0], *tables("Outbox")[0]):
        assert len(row) == 4
        assert all(row)


def test_every_reason_is_named_with_its_state() -> None:
    rows = tables("Inbox")[1]
    assert named(rows) == [*map(str, (Action.IGNORE, Action.BOUNCE, Action.COMPLAINT)), *REASONS]
    assert {row[1].strip("`") for row in rows} <= {state.value for state in Arrival}


def test_every_ticket_and_every_item_of_the_agenda_is_named() -> None:
    (tickets,), (agenda,) = tables("Tickets"), tables("Agenda")
    assert set(named(tickets)) ^ set(REDEEMERS) == set(), "docs/mail-flow.md, Tickets: a row too few or too many"
    assert {row[0].strip("` ") for row in tickets if "more than once" in row[1]} == set(LASTING)
    assert set(named(agenda)) ^ set(map(str, JOBS)) == set(), "docs/mail-flow.md, Agenda: a row too few or too many"


KNOWN = {".".join(key) for key in keys(Configuration)}
TOP = "pbm|games|templates|migrations|tests|bench|docs|\\.ci"
"""The folders that paths on a page begin with."""


@each_page
def test_what_a_page_names_is_there(page: Path) -> None:
    """Commands with their options, targets of make, modules to run, keys of the configuration, and files."""
    text = page.read_text().replace("\\\n", " ")
    shell = re.findall(r"^ *```sh\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    for words in (*re.findall(r"`([^`\n]+)`", text), *"".join(shell).splitlines()):
        if found := re.match(r"(?:sudo (?:-u \w+ )?)?(?:\S*/bin/)?(pbm [a-z][^#]*)", words):
            assert_command(found[1])
        for module in re.findall(r"python3? -m ((?:pbm|bench|tests)[\w.]*)", words):
            assert importlib.util.find_spec(module), words
        if found := re.match(r"make ([\w-]+)", words):
            assert f"\n{found[1]}:" in (ROOT / "Makefile").read_text(), words
        if re.fullmatch(rf"({'|'.join({key.partition('.')[0] for key in KNOWN if '.' in key})})\.\w+", words):
            assert words in KNOWN, words
        if (found := re.fullmatch(rf"((?:{TOP})/[\w./-]*)(?::[\w.]+)?", words)) and "NAME" not in words:
            assert (ROOT / found[1]).exists(), words


def assert_command(line: str) -> None:
    """Assert that the command and all its options exist."""
    command: click.Command = main
    for word in shlex.split(line)[1:]:
        with click.Context(command) as context:
            if isinstance(command, click.Group):
                found = command.get_command(context, word)
                assert found is not None, line
                command = found
            elif word.startswith("--"):
                assert any(word in param.opts for param in command.params), line


def settings_of(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", unit.read_text(), flags=re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_start_commands_that_exist_with_keys_that_exist(unit: Path) -> None:
    settings = settings_of(unit)
    for line in settings.get("ExecStart", []):
        assert_command(line.replace("/opt/pbm/bin/pbm", "pbm", 1))
    variables = {f"PBM_{'__'.join(key).upper()}" for key in keys(Configuration)} | {"PBM_CONFIG"}
    for words in settings.get("Environment", []):
        assert {word.partition("=")[0] for word in words.split()} <= variables


@pytest.mark.parametrize("unit", ["pbm.service", "pbm-work@.service"])
def test_robots_may_give_themselves_a_low_priority(unit: str) -> None:
    """Of groups of system calls only @privileged may be refused: setpriority is one of @resources."""
    refused = [words for words in settings_of(DOCS / "systemd" / unit)["SystemCallFilter"] if words.startswith("~")]
    assert refused == ["~@privileged"]


def test_a_stop_is_waited_for_longer_than_it_may_take() -> None:
    seconds = float(settings_of(DOCS / "systemd/pbm.service")["TimeoutStopSec"][0])
    assert seconds > Server().stop_seconds


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not here")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_understands_the_units(unit: Path, tmp_path: Path) -> None:
    for each in UNITS:
        text = each.read_text().replace("/opt/pbm/bin/pbm", "/bin/true").replace("=pbm\n", "=root\n")
        (tmp_path / each.name).write_text(text)
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(tmp_path / unit.name)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert unit.name not in verified.stderr
    assert verified.returncode == 0, verified.stderr


def test_the_composed_containers_know_keys_that_exist() -> None:
    variables = {f"PBM_{'__'.join(key).upper()}" for key in keys(Configuration)}
    named = set(re.findall(r"\b(PBM_[A-Z_]+):", (DOCS / "compose.yaml").read_text()))
    assert named
    assert named <= variables


def test_the_container_has_all_that_the_package_is_built_of() -> None:
    text = (DOCS / "Containerfile").read_text()
    copied = {path for path, _ in re.findall(r"^COPY ([\w/]+) /src/(\1)$", text, re.MULTILINE)}
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert copied == {*wheel["packages"], *wheel["force-include"]}
    variables = {f"PBM_{'__'.join(key).upper()}" for key in keys(Configuration)}
    assert set(re.findall(r"\b(PBM_[A-Z_]+)=", text)) - {"PBM_CONFIG"} <= variables
    for words in re.findall(r'CMD \["pbm", (.*)\]', text):
        assert_command(" ".join(["pbm", *re.findall(r'"([^"]+)"', words)]))
