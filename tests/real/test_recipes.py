"""Every block of docs/mail-servers.md, executed as it is on a machine of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.patience import PATIENCE_SECONDS
from tests.real.recipes import PAGE, WAYS, blocks
from tests.real.servers import ROOT, require

pytestmark = pytest.mark.real

MACHINE = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child")


@pytest.fixture(scope="module")
def machines() -> Iterator[dict[str, subprocess.Popen[str]]]:
    """The processes that follow the page, one for each way, side by side."""
    require()
    if subprocess.run([*MACHINE, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets nobody have namespaces")
    commands = {way: [*MACHINE, sys.executable, "-m", "tests.real.recipes", way] for way in WAYS}
    begun = {
        way: subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for way, command in commands.items()
    }
    yield begun
    for process in begun.values():
        process.kill()


@pytest.mark.parametrize("way", WAYS)
def test_the_page_is_all_one_needs(way: str, machines: dict[str, subprocess.Popen[str]]) -> None:
    said, _ = machines[way].communicate(timeout=5 * PATIENCE_SECONDS)
    assert machines[way].returncode == 0, said
    assert f"{way}: an answer came" in said


def test_no_block_is_left_out() -> None:
    followed = {block.text for sections in WAYS.values() for section in sections for block in blocks(section)}
    assert followed == set(re.findall(r"```[^\n]*\n(.+?)```", PAGE.read_text(), re.DOTALL))
    outside = re.sub(r"```.*?```", "", PAGE.read_text(), flags=re.DOTALL)
    assert not re.search(r"^ {4}\S", outside, re.MULTILINE), "a block without its marks"
