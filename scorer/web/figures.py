"""The figures of a server, as Prometheus reads them."""

from __future__ import annotations

import json
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from scorer.store.records import Status
from scorer.web.site import Site

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)  # seconds of a request
METHODS = ("GET", "HEAD", "POST", "DELETE")  # anybody can send others, of any name
STATES: tuple[Status, ...] = ("pending", "scored", "rejected", "failed")


class Requests:
    """The requests that were answered: their number, and the time that each took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, int]] = Counter()
        self._times = {method: [0] * (len(BOUNDS) + 1) for method in (*METHODS, "other")}
        self._seconds: Counter[str] = Counter()

    def count(self, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        method = method if method in METHODS else "other"
        with self._lock:
            self._counts[method, status] += 1
            self._times[method][bisect_left(BOUNDS, seconds)] += 1
            self._seconds[method] += seconds  # type: ignore[assignment]

    def figures(self) -> Iterator[str]:
        """The lines of a counter and a histogram."""
        with self._lock:
            counts = {_labels(method=m, status=s): n for (m, s), n in self._counts.items()}
            times = {method: [*times] for method, times in self._times.items() if any(times)}
            seconds = dict(self._seconds)
        yield from family("requests_total", "counter", "Requests by method and status.", counts)
        yield from _metric_head(
            "request_seconds", "histogram", "Seconds until a request was answered."
        )
        for method, numbers in times.items():
            for n, bound in enumerate((*BOUNDS, "+Inf"), 1):
                labels = _labels(method=method, le=bound)
                yield f"scorer_request_seconds_bucket{labels} {sum(numbers[:n])}"
            yield f"scorer_request_seconds_sum{_labels(method=method)} {seconds[method]:.6f}"
            yield f"scorer_request_seconds_count{_labels(method=method)} {sum(numbers)}"


def of_challenges(sites: Iterable[Site]) -> Iterator[str]:
    """The lines of entries, of what waits, and of what workers hold."""
    entries: dict[str, float] = {}
    waiting, ages, leases = dict(entries), dict(entries), dict(entries)
    now = datetime.now(UTC)
    for site in sites:
        numbers = site.board.ledger.listing().by_status()
        queue = site.board.evaluations.queue(now)
        for each in STATES:
            entries[_labels(challenge=site.id, status=each)] = numbers.get(each, 0)
        labels = _labels(challenge=site.id)
        waiting[labels], leases[labels] = queue.waiting, queue.leases
        ages[labels] = max((now - queue.oldest).total_seconds(), 0) if queue.oldest else 0
    yield from family("entries", "gauge", "Entries by status.", entries)
    yield from family("queue", "gauge", "Evaluations that no worker has taken.", waiting)
    yield from family("queue_age_seconds", "gauge", "For how long the first waits.", ages)
    yield from family("leases", "gauge", "Evaluations that a worker holds.", leases)


def family(name: str, kind: str, help: str, values: Mapping[str, float]) -> Iterator[str]:
    """The lines of figures of one name, by their labels."""
    yield from _metric_head(name, kind, help)
    for labels, value in sorted(values.items()):
        yield f"scorer_{name}{labels} {value}"


def _metric_head(name: str, kind: str, help: str) -> tuple[str, str]:
    return f"# HELP scorer_{name} {help}", f"# TYPE scorer_{name} {kind}"


def _labels(**labels: object) -> str:
    return "{" + ",".join(f"{k}={json.dumps(str(v))}" for k, v in labels.items()) + "}"
