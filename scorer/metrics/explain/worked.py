"""The explanation of a metric that returns a `Quotient`, or a `Rowwise`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorer.metrics.explain.steps import Grid, Sentence, Step, Steps, formula, grid, summed
from scorer.metrics.explain.tables import (
    Listing,
    ideal_table,
    only_judged,
    ranked_table,
    rated,
    relevant_items,
    returned,
)
from scorer.metrics.quotient import Quotient, Rowwise
from scorer.views.diverse import Diverse
from scorer.views.hits import Judged
from scorer.views.labelled import LabelledRows, Targets
from scorer.views.rated import Rated


def worked(
    name: str, listing: Listing[Any], quotient: Quotient, value: float, params: Mapping[str, Any]
) -> Steps:
    """The steps to the value of the metric `name` of one list."""
    k = params.get("k") if quotient.last is None else int(_number(quotient.last))
    if isinstance(listing.view, Diverse):
        listing = Listing(listing.view.judged, listing.names)
    listing = only_judged(listing, params.get("judged_only", False))
    if quotient.relevant is not None:
        yield relevant_items(listing, quotient.relevant)
    yield from map(Sentence, quotient.notes())
    if quotient.table is not None:
        yield _table(listing, *quotient.table(), k)
    if quotient.ideal is not None:
        yield ideal_table(listing, *quotient.ideal())
    if value != value and quotient.undefined:
        yield Sentence(f"{quotient.undefined}, so {name} is undefined.")
    else:
        yield _formula(name, quotient, value, k)


def of_row(name: str, view: LabelledRows, rowwise: Rowwise, value: float) -> Steps:
    """The steps of one row: its cells, and its value or the statistic of all rows."""
    columns: dict[str, Any] = {}
    if isinstance(view, Targets):
        columns = {"target": view.target, "prediction": view.prediction}
    columns |= rowwise.columns()
    if view.weight is not None:
        columns["weight"] = view.weight
    yield grid("This row", {heading: [cells[view.at]] for heading, cells in columns.items()})
    yield formula(by_weight(view, rowwise.says.format(name)), "", "{}", value, value=value)


def by_weight(view: LabelledRows, symbols: str) -> str:
    """A row's formula; where rows have weights, with a note that says so."""
    return symbols if view.weight is None else f"{symbols}; the mean of the rows by weight"


def _table(
    listing: Listing[Any], items: Any, columns: Mapping[str, ArrayLike], k: int | None
) -> Grid:
    if isinstance(listing.view, Rated):
        return rated(listing, columns)
    table = ranked_table if isinstance(listing.view, Judged) else returned
    return table(listing, items, columns, k)


def _formula(name: str, quotient: Quotient, value: float, k: int | None) -> Step:
    if quotient.summands is not None and quotient.table is not None:
        hits, _ = quotient.table()
        shown = slice(None) if k is None or hits.spread else hits.position <= k
        return summed(name, quotient.says, quotient.numbers, quotient.summands[shown], value)
    terms = quotient.terms
    if terms is None:
        terms = [quotient.part] if quotient.whole is None else [quotient.part, quotient.whole]
    return formula(name, quotient.says, quotient.numbers, *map(_number, terms), value=value)


def _number(term: ArrayLike) -> float:
    """A term of the only list."""
    return float(np.asarray(term, dtype=np.float64).reshape(-1)[0])
