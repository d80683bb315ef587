"""What Prometheus reads: true numbers of the queues, even when the database gives trouble."""

from __future__ import annotations

import re
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from pbm.core.counts import BOUNCED, LOOKED, REFUSED, SETTLED
from pbm.domain.mail import Arrival, Delivery, Settlement
from pbm.edges.metrics import MetricsServer
from pbm.store import DatabaseTrouble, Store
from pbm.store.house import BACKED_UP, LOOKS
from pbm.store.pulse import HEARTBEAT
from tests.conversation import House
from tests.patience import PATIENCE_SECONDS

LABELS = ("queue", "state", "share", "kind", "code", "what", "le")
LATER = timedelta(minutes=10)


@contextmanager
def scraped(store: Store, now: datetime) -> Iterator[dict[str, float]]:
    """The server's samples, by name and labels."""
    store.clock = lambda: now
    server = MetricsServer(store, lambda: 3, "127.0.0.1", 0)
    port = server.start()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_SECONDS) as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
    finally:
        server.stop()
    yield {
        " ".join([sample.name, *(sample.labels[name] for name in LABELS if name in sample.labels)]): sample.value
        for family in families
        for sample in family.samples
    }


def test_queues_are_counted_and_their_ages_told(table: House) -> None:
    mail = table.mail("alice", "cross games")
    table.service.accept([mail, mail])
    with scraped(table.service.store, table.now + LATER) as got:
        assert got["pbm_mails inbox new"] == 2
        assert got["pbm_mails_oldest_seconds inbox new"] == LATER.total_seconds()
        assert got["pbm_mails_ever_total inbox"] == 4
        assert got["pbm_mails outbox queued"] == got["pbm_mails_ever_total outbox"] == 4
        assert got["pbm_boards"] == 1
        assert got["pbm_players"] == 2
        assert got["pbm_smtp_connections"] == 3
        assert got["pbm_database_up"] == 1
        assert got["pbm_process_resident_memory_bytes"] > 1e6


def test_what_wants_the_operator_is_counted(table: House) -> None:
    with table.service.store.write() as tx:
        tx.inbox.settle([Settlement(1, Arrival.PARKED, "a fault")], table.now)
        tx.bounces.suspend("bob@example.net", table.now)
        (first, second) = [each.id for each in tx.outbox.latest(None, 10) if each.mail.address == "alice@example.net"]
        tx.outbox.fail(first, table.now, "550 nobody")
        tx.outbox.postpone(second, table.now + LATER, "451 later")
        failed = len(tx.outbox.latest(Delivery.FAILED, 100))
    with scraped(table.service.store, table.now) as got:
        assert got["pbm_mails inbox parked"] == 1
        assert got["pbm_mails outbox failed"] == failed
        assert got["pbm_mails outbox postponed"] == 1
        assert got["pbm_addresses_suspended"] == 1


def test_how_long_the_latest_mails_took(table: House) -> None:
    with table.service.store.write() as tx:
        tx.outbox.sent([each.id for each in tx.outbox.latest(None, 10)], table.now + LATER)
    with scraped(table.service.store, table.now) as got:
        assert got["pbm_mail_seconds outbox 0.5"] >= LATER.total_seconds()
        assert got["pbm_mail_seconds inbox 0.99"] == 0


def test_trouble_with_the_database_is_a_number_too(table: House, monkeypatch) -> None:
    def status_of(store: Store, now: datetime) -> None:
        raise DatabaseTrouble("gone")

    monkeypatch.setattr("pbm.edges.metrics.status_of", status_of)
    with scraped(table.service.store, datetime.now(UTC)) as got:
        assert got["pbm_database_up"] == 0
        assert "pbm_boards" not in got


def test_a_client_that_says_nothing_more_is_not_waited_for(house: House, monkeypatch) -> None:
    """Each has a thread, and there may be any number of them."""
    monkeypatch.setattr("pbm.edges.metrics._LONGEST_SILENCE_SECONDS", 0.01)
    server = MetricsServer(house.service.store, lambda: 3, "127.0.0.1", 0)
    place = "127.0.0.1", server.start()
    try:
        with socket.create_connection(place, timeout=PATIENCE_SECONDS) as silent:
            silent.sendall(b"GET / HT")
            assert silent.recv(1) == b""
    finally:
        server.stop()


def test_every_number_that_an_alert_asks_for_is_there(house: House) -> None:
    rules = "".join(path.read_text() for path in (Path(__file__).parents[2] / "docs/prometheus").iterdir())
    LOOKED.note()
    REFUSED.labels("550").inc()
    BOUNCED.labels("hard").inc()
    SETTLED.labels("handled").inc()
    with house.service.store.write() as tx:
        for what in (HEARTBEAT, BACKED_UP, LOOKS):
            tx.absences.note(what, house.now)
    with scraped(house.service.store, house.now) as samples:
        shown = {name.partition(" ")[0] for name in samples}
    asked = set(re.findall(r"\bpbm_\w+", rules))
    assert asked
    assert asked <= shown
    assert "pbm_build_info" in shown


def test_a_process_counts_what_it_does(house: House) -> None:
    with scraped(house.service.store, house.now) as before:
        pass
    house.player("alice")
    house.send("alice", "games")
    REFUSED.labels("550").inc()
    with scraped(house.service.store, house.now + LATER) as after:
        for name in ("mails_accepted_total", "mails_settled_total handled", "waited_seconds_count"):
            assert after[f"pbm_own_{name}"] == before.get(f"pbm_own_{name}", 0) + 1, name
        assert after["pbm_own_smtp_refused_total 550"] >= 1
        assert after["pbm_own_waited_seconds_bucket +Inf"] == after["pbm_own_waited_seconds_count"]


def test_how_long_ago_things_happened_is_told(house: House) -> None:
    with house.service.store.write() as tx:
        tx.absences.note(BACKED_UP, house.now)
    with scraped(house.service.store, house.now + LATER) as got:
        assert got["pbm_age_seconds backed_up"] == LATER.total_seconds()
