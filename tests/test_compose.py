"""docs/compose.yaml and docs/Containerfile: what each says of ports, folders and variables agrees."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pbm.cli.loading import load
from pbm.cli.settings import Configuration

DOCS = Path(__file__).parent.parent / "docs"
CONTAINER = (DOCS / "Containerfile").read_text()
COMPOSED: dict[str, Any] = yaml.safe_load((DOCS / "compose.yaml").read_text().replace("${DOMAIN}", "example.org"))
OURS, POSTFIX = COMPOSED["services"]["pbm"], COMPOSED["services"]["postfix"]


@pytest.fixture
def configuration(monkeypatch: pytest.MonkeyPatch) -> Configuration:
    """What the server finds in its container: the variables of the image, and over them those of the service."""
    of_image = dict(re.findall(r"^(?:ENV|   ) (PBM_\w+)=(\S+)", CONTAINER, re.MULTILINE))
    assert len(of_image) == 4
    for name, value in {**of_image, **OURS["environment"], "PBM_SERVER__DOMAIN": "example.org"}.items():
        monkeypatch.setenv(name, value)
    return load(None, {}).values


def test_postfix_brings_mail_to_where_the_server_listens(configuration: Configuration) -> None:
    assert configuration.server.lmtp
    port = configuration.server.listen.rpartition(":")[2]
    (script,) = [word for word in POSTFIX["command"] if "postconf" in word]
    assert f"lmtp:inet:pbm:{port} " in script
    assert POSTFIX["ports"] == ["25:25"]


def test_the_server_sends_through_postfix(configuration: Configuration) -> None:
    assert configuration.way is configuration.smarthost
    assert (configuration.smarthost.host, configuration.smarthost.port) == ("postfix", 25)
    assert configuration.smarthost.host in COMPOSED["services"]


def test_what_is_to_last_lies_in_volumes(configuration: Configuration) -> None:
    mounted = {
        place: volume for service in (OURS, POSTFIX) for volume, place in (v.split(":") for v in service["volumes"])
    }
    assert set(mounted.values()) == set(COMPOSED["volumes"])
    (lasting,) = re.findall(r"^VOLUME (\S+)$", CONTAINER, re.MULTILINE)
    assert lasting in mounted
    assert configuration.database.startswith(f"sqlite:///{lasting}/")
    assert OURS["read_only"]
    assert OURS["tmpfs"] == ["/tmp"]  # noqa: S108  of the container


def test_it_may_finish_what_it_has_begun(configuration: Configuration) -> None:
    assert int(OURS["stop_grace_period"].removesuffix("s")) > configuration.server.stop_seconds


def test_the_image_is_built_of_the_file_that_is_here() -> None:
    assert (DOCS / OURS["build"]["context"] / OURS["build"]["dockerfile"]).samefile(DOCS / "Containerfile")


def test_the_shell_understands_what_postfix_is_started_by() -> None:
    shell, _, script = POSTFIX["command"]
    subprocess.run([shell, "-n"], input=script.replace("$$", "$"), text=True, check=True)
