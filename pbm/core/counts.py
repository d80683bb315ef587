"""The counts and measurements of this process since its start, for monitoring from outside.

Work that a rollback undoes and that is then repeated counts each time. Any number of threads may count.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import time

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)

disable_created_metrics()  # type: ignore[no-untyped-call]
COUNTS = CollectorRegistry()


class Looked(Collector):
    """When the IMAP mailbox was last looked into."""

    def __init__(self) -> None:
        self._at: float | None = None
        COUNTS.register(self)

    def note(self) -> None:
        """The mailbox is being looked into now."""
        self._at = time()

    def seconds(self) -> float | None:
        """Seconds since the last look; None for never."""
        return None if self._at is None else time() - self._at

    def collect(self) -> Iterable[Metric]:
        if (seconds := self.seconds()) is not None:
            meaning = "Since the IMAP mailbox was last looked into."
            yield GaugeMetricFamily("pbm_own_mailbox_age_seconds", meaning, seconds)


def _counter(name: str, meaning: str, *labels: str) -> Counter:
    return Counter(f"pbm_own_{name}", meaning, labels, registry=COUNTS)


def _histogram(name: str, meaning: str) -> Histogram:
    return Histogram(f"pbm_own_{name}", meaning, buckets=_BUCKETS, registry=COUNTS)


ACCEPTED = _counter("mails_accepted", "Emails taken in.")
REFUSED = _counter("smtp_refused", "Refusals while mail came in, by the code of the answer.", "code")
SETTLED = _counter("mails_settled", "Emails handled, by what became of them.", "state")
LIMITED = _counter("answers_limited", "Answers left out, being too many.")
LOST_MOVES = _counter("moves_ignored", "Emails ignored as a machine's though a move stands there; should be none.")
SENT = _counter("mails_delivered", "Emails that the next mail server has taken.")
POSTPONED = _counter("deliveries_postponed", "Tries to deliver that failed for now.")
GIVEN_UP = _counter("mails_given_up", "Emails that were refused for good, or given up.")
BOUNCED = _counter("bounces", "Emails that came back, for good (hard) or for now (soft).", "kind")
WAITED = _histogram("waited_seconds", "From an email taken in until it is handled.")
TRAVELLED = _histogram("delivery_seconds", "From an email written until the next mail server has taken it.")
LOOKED = Looked()
