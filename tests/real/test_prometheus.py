"""The files shipped for Prometheus, tried with Prometheus: its rules, what it reads, and an alert that fires."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest

from pbm.edges.metrics import MetricsServer
from tests.conversation import House
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.ports import reserved_port

SHIPPED = Path(__file__).parents[2] / "docs/prometheus"
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("promtool"), reason="prometheus is not here"),
]


def promtool(*words: str, typed: bytes = b"") -> None:
    done = subprocess.run(["promtool", *words], input=typed, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def test_the_rules_are_rules() -> None:
    promtool("check", "rules", str(SHIPPED / "alerts.yml"))


def test_every_expression_of_the_dashboard_is_understood(tmp_path: Path) -> None:
    panels = json.loads((SHIPPED / "dashboard.json").read_text())["panels"]
    lines = [target["expr"] for panel in panels for target in panel["targets"]]
    rules = [{"record": f"pbm:of_dashboard:{number}", "expr": line} for number, line in enumerate(lines)]
    path = tmp_path / "rules.yml"  # JSON is YAML
    path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", str(path))


def test_prometheus_reads_what_we_tell_and_raises_an_alert(house: House, tmp_path: Path) -> None:
    server = MetricsServer(house.service.store, lambda: 0, "127.0.0.1", 0)
    house.send("eve@example.com", "hello", to="postmaster@example.org")
    port = server.start()
    told = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_SECONDS).read()
    promtool("check", "metrics", typed=told)
    pace = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    job = {"job_name": "pbm", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}
    config = {"global": pace, "rule_files": [str(SHIPPED / "alerts.yml")], "scrape_configs": [job]}
    (tmp_path / "prometheus.yml").write_text(json.dumps(config))
    with reserved_port() as own:
        process = subprocess.Popen(
            [
                "prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data",
                f"--web.listen-address=127.0.0.1:{own}",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path, env=dict(os.environ),
        )  # fmt: skip
        try:
            wait_until(lambda: "PbmMailsParked" in raised(own))
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)
            server.stop()


def raised(port: int) -> set[str]:
    """The alerts that fire; none as long as Prometheus does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/alerts", timeout=PATIENCE_SECONDS) as answer:
            alerts = json.load(answer)["data"]["alerts"]
    except OSError:
        return set()
    return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}
