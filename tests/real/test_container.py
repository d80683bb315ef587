"""docs/Containerfile: each of its lines is carried out, and what comes of them serves and is found healthy."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.patience import PATIENCE_SECONDS
from tests.real.container import IMAGE, Build, NotCarriedOut, make_tree

ROOT = Path(__file__).parents[2]


@pytest.mark.real
@pytest.mark.skipif(not shutil.which("mmdebstrap"), reason="mmdebstrap is not here")
def test_the_container_file_makes_a_server_that_serves_and_is_healthy() -> None:
    # The user of the container may not enter pytest's folders, which moreover stay for a while.
    with tempfile.TemporaryDirectory(prefix="pbm-container-") as folder:
        make_tree(tree := Path(folder, "tree"))
        stage = Build(ROOT, tree, Path(folder)).carry_out((ROOT / "docs/Containerfile").read_text())
        with stage.running() as process:
            assert process.stdout is not None
            assert "accepting mail" in process.stdout.readline()
            listening = Path(f"/proc/{process.pid}/net/tcp").read_text()
            ((port,),) = stage.declared["EXPOSE"]
            assert f" 00000000:{int(port):04X} 00000000:0000 0A " in listening
            ((seconds, check),) = stage.declared["HEALTHCHECK"]
            beside = ["nsenter", f"--target={process.pid}", "--mount", "--net"]
            subprocess.run([*beside, *stage.words(*json.loads(check))], check=True, timeout=int(seconds))
            process.terminate()
            assert process.wait(PATIENCE_SECONDS) == 0


@pytest.mark.parametrize(
    "line",
    [
        *("ADD games /src/games", "ONBUILD RUN true", "FROM debian:12", "COPY --chown=pbm games /src/games"),
        *("RUN --mount=type=cache,target=/root true", "HEALTHCHECK NONE", 'ENTRYPOINT ["pbm"]', "CMD pbm serve"),
    ],
)
def test_a_line_that_is_not_known_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    with pytest.raises(NotCarriedOut):
        Build(ROOT, tmp_path / "tree", tmp_path).carry_out(f"FROM {IMAGE}\n{line}\n")
