"""The metrics as data."""

from __future__ import annotations

from scorer.metrics.catalogue import distinct_pages, find_metrics, metrics
from scorer.reports.catalogue import Catalogue


def list_metrics(words: str = "") -> Catalogue:
    """Return the metrics as data: names, meanings, parameters, names in other tools.

    Args:
        words: A name, as `describe_metric` takes it, or words that find several; default: all.

    Raises:
        UnknownName: No metric has the name, or all of the words.
    """
    known = metrics()
    found = find_metrics(known, words) if words else known
    return Catalogue.of(distinct_pages(found))
