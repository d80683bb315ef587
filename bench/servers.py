"""Real servers to be measured: `pbm serve` and `pbm work` as an operator starts them, and what they consume."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.worlds import ROBOT
from pbm.edges.signing import new_keys

ONE = (("listen", "handle", "deliver"),)
TWO = (("listen", "deliver"), ("handle",))
THREE = (("listen", "deliver"), ("handle",), ("handle",))
"""The tasks of each process of a server."""
ONLY_LISTENING = (("listen",),)
_TICKS = os.sysconf("SC_CLK_TCK")
_CONFIGURATION = """
database = "{url}"
[server]
listen = "127.0.0.1:0"
domain = "{domain}"
max_connections = 1000
max_connections_per_peer = 1000
[delivery]
kind = "smarthost"
[smarthost]
host = "127.0.0.1"
port = {port}
[dkim]
key = "{key}"
"""


@dataclass(frozen=True, slots=True)
class Servers:
    """Running processes. port: where mail is accepted."""

    port: int
    pids: tuple[int, ...]

    def cpu_seconds(self) -> float:
        """The processor time of all of them so far."""
        return sum(_cpu_seconds(pid) for pid in self.pids)

    def megabytes(self, what: str = "VmRSS") -> list[float]:
        """The resident memory of each process now; VmHWM: the most it ever had."""
        return [_kilobytes(pid, what) / 1024 for pid in self.pids]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _kilobytes(pid: int, what: str) -> int:
    found = re.search(rf"^{what}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


@asynccontextmanager
async def serving(folder: Path, url: str, sink_port: int, layout: Sequence[Sequence[str]]) -> AsyncIterator[Servers]:
    """The processes of a server that signs its mails, stopped in the end. Their logs are in the folder."""
    configuration, key = folder / "pbm.toml", folder / "dkim.pem"
    key.write_bytes(new_keys())
    configuration.write_text(_CONFIGURATION.format(domain=ROBOT.domain, port=sink_port, url=url, key=key))
    ours = (sys.executable, "-m", "pbm", "--config", str(configuration))
    commands = [(*ours, "serve" if "listen" in tasks else "work", "--do", ",".join(tasks)) for tasks in layout]
    async with started(folder, commands) as servers:
        yield servers


@asynccontextmanager
async def started(folder: Path, commands: Sequence[Sequence[str]]) -> AsyncIterator[Servers]:
    """Processes that each print where they listen, or another line. Raises: RuntimeError if one ends."""
    processes = []
    try:
        for number, command in enumerate(commands):
            with (folder / f"process-{number}.log").open("ab") as log:
                start = asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=log)
                processes.append(await start)
        ports = [await _port(process) for process in processes]
        if None in ports:
            raise RuntimeError(f"a server has ended before it was ready:\n{_said(folder)}")
        yield Servers(next(filter(None, ports)), tuple(process.pid for process in processes))
    finally:
        for process in processes:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        for process in processes:
            await process.communicate()


def _said(folder: Path) -> str:
    """The ends of all logs."""
    return "\n".join(path.read_text()[-2000:] for path in sorted(folder.glob("*.log")))


async def _port(process: asyncio.subprocess.Process) -> int | None:
    """The port that a process says it listens on; 0 if it listens on none, None if it has ended."""
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
    if not line:
        return None
    found = re.search(r":(\d+)$", line.strip())
    return int(found[1]) if found else 0
