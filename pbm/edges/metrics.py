"""Numbers for Prometheus, over HTTP: the state of the server, read from the database when they are asked for.

All processes over one database therefore report the same, and asking one of them is enough; only the numbers under
pbm_process_, pbm_smtp_ and pbm_own_ are those of the process that is asked, since its start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from threading import Thread
from wsgiref.simple_server import WSGIServer

import structlog
from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from pbm import __version__
from pbm.core.counts import COUNTS
from pbm.server.status import Status, status_of
from pbm.store import DatabaseTrouble, Store, house

log = structlog.get_logger()

_LONGEST_SILENCE_SECONDS = 10.0
"""How long a client may say nothing: each one that is connected has a thread."""


class MetricsServer:
    """Answers GET /metrics from start() to stop(), in its own threads."""

    def __init__(self, store: Store, connections: Callable[[], int], host: str, port: int) -> None:
        """connections: how many SMTP clients are connected now. port: 0 takes a free one."""
        self._registry = CollectorRegistry()
        self._registry.register(_Collector(store, connections))
        ProcessCollector(namespace="pbm", registry=self._registry)
        self._place = (host, port)
        self._serving: tuple[WSGIServer, Thread] | None = None

    def start(self) -> int:
        """Returns the port. Raises: OSError if the address cannot be bound."""
        host, port = self._place
        self._serving = start_http_server(port, host, self._registry)
        self._serving[0].RequestHandlerClass.timeout = _LONGEST_SILENCE_SECONDS  # type: ignore[attr-defined]
        return int(self._serving[0].server_port)

    def stop(self) -> None:
        if self._serving is not None:
            server, thread = self._serving
            server.shutdown()
            server.server_close()
            thread.join()


class _Collector(Collector):
    def __init__(self, store: Store, connections: Callable[[], int]) -> None:
        self._store = store
        self._connections = connections

    def collect(self) -> Iterable[Metric]:
        yield InfoMetricFamily("pbm_build", "What runs.", {"version": __version__})
        yield GaugeMetricFamily("pbm_smtp_connections", "SMTP clients connected now.", self._connections())
        yield from COUNTS.collect()
        try:
            status = status_of(self._store, self._store.clock())
        except DatabaseTrouble as trouble:
            log.warning("metrics_trouble", trouble=str(trouble))
            yield GaugeMetricFamily("pbm_database_up", "1 if the database answers.", 0)
            return
        yield GaugeMetricFamily("pbm_database_up", "1 if the database answers.", 1)
        yield self._ages(status.at)
        yield GaugeMetricFamily("pbm_database_octets", "The size of the database.", status.room.octets)
        if status.room.unused is not None:
            yield GaugeMetricFamily("pbm_database_unused_octets", "What of it holds nothing.", status.room.unused)
        yield from _queues(status)
        yield from _people(status)

    def _ages(self, now: datetime) -> Metric:
        """How long ago each thing last happened; those that never did are left out."""
        family = GaugeMetricFamily("pbm_age_seconds", "Since something happened last, by what.", labels=["what"])
        with self._store.read() as tx:
            noted = {what: tx.absences.noted(what) for what in house.NOTED}
        for what, at in noted.items():
            if at is not None:
                family.add_metric([what], max(0.0, (now - at).total_seconds()))
        return family


def _queues(status: Status) -> Iterable[Metric]:
    mails = GaugeMetricFamily("pbm_mails", "Emails that wait, by queue and state.", labels=["queue", "state"])
    ages = GaugeMetricFamily("pbm_mails_oldest_seconds", "Age of the oldest of them.", labels=["queue", "state"])
    ever = CounterMetricFamily("pbm_mails_ever", "Emails that ever came into a queue.", labels=["queue"])
    took = GaugeMetricFamily(
        "pbm_mail_seconds", "How long the latest emails took, in the inbox until handled, in the outbox until sent.",
        labels=["queue", "share"],
    )  # fmt: skip
    for name, queue in status.queues.items():
        for state, waiting in queue.waiting.items():
            mails.add_metric([name, state], waiting.number)
            age = (status.at - waiting.oldest_at).total_seconds() if waiting.oldest_at else 0
            ages.add_metric([name, state], max(0, age))
        ever.add_metric([name], queue.flow.ever)
        for share in (0.5, 0.99):
            took.add_metric([name, str(share)], queue.flow.quantile(share) or 0)
    return [mails, ages, ever, took]


def _people(status: Status) -> Iterable[Metric]:
    yield GaugeMetricFamily("pbm_players", "Accounts.", status.players)
    yield GaugeMetricFamily("pbm_boards", "Boards under way.", status.boards)
    yield GaugeMetricFamily(
        "pbm_boards_overdue", "Boards on which something should have happened.", status.deadlines.overdue
    )
    yield GaugeMetricFamily("pbm_addresses_suspended", "Addresses that get no email any more.", status.suspended.number)
    yield GaugeMetricFamily("pbm_locks", "Locks against guessing.", len(status.locked))
    yield GaugeMetricFamily("pbm_broadcasts_waiting", "Broadcasts that wait for the operator.", status.broadcasts)
    agenda = GaugeMetricFamily("pbm_agenda", "Things to do at some time, by kind.", labels=["kind"])
    due = GaugeMetricFamily("pbm_agenda_due", "Those of them whose time has come.", labels=["kind"])
    for kind, (items, overdue) in status.agenda.items():
        agenda.add_metric([kind], items)
        due.add_metric([kind], overdue)
    yield from (agenda, due)
