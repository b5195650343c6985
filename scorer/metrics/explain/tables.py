"""One list of a submission, and the tables that explanations of its value share.

A metric's `explain` is a function from a `Listing`, the value that scoring gave
and the settled parameters to the steps of a working, the last one ending in
that value. It looks at the same view as the metric, of this list alone, so that
it can use the metric's own helpers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints
from scorer.metrics.explain.steps import Cell, Grid, NamedItems, Sentence, grid
from scorer.metrics.params import discounts, gained
from scorer.views.hits import Hits, Judged
from scorer.views.names import Names

if TYPE_CHECKING:
    from scorer.views.rated import Rated
    from scorer.views.returned import Returned

View = TypeVar("View")
TIED = "items with equal scores stand at each of their ranks alike (ties: expected)"


@dataclass(frozen=True, slots=True, eq=False)
class Listing(Generic[View]):
    """One list: what a metric sees of it, and what its items are called."""

    view: View
    names: Names

    @property
    def ranks(self) -> list[Cell]:
        """The rank of each returned item; `2-4` for a tie group that is spread over them."""
        view, names = self.view, self.names
        if not (isinstance(view, Judged) and (view.hits.spread or view.hits.middle)):
            return list(range(1, len(names.returned) + 1))
        groups = zip((names.before + 1).tolist(), (names.before + names.tied).tolist(), strict=True)
        return [first if first == last else f"{first}-{last}" for first, last in groups]


def only_judged(listing: Listing[Judged], wanted: bool = True) -> Listing[Judged]:
    """The list without unjudged items, as `Judged.only_judged`; unchanged unless `wanted`."""
    if not wanted:
        return listing
    view, names = listing.view.only_judged(), listing.names
    judged_rows = [int(rank) - 1 for rank in listing.view.hits.relevant(0).rank]
    return Listing(
        view,
        Names(
            names.truth,
            tuple(names.returned[n] for n in judged_rows),
            view.hits.before,
            view.hits.tied,
        ),
    )


def ranked_table(
    listing: Listing[Judged], at: Hits, columns: Mapping[str, ArrayLike], k: int | None = None
) -> Grid:
    """The list down to rank k, with the grades and further columns of its hits.

    `columns`, shape (hits,) each, are by their headings; `k` is the last rank that is shown, None
    for all.
    """
    grade = _filled(len(listing.names.returned), listing.view.hits.rank, listing.view.hits.grade)
    return _returned_table(listing, at.rank, {"grade": grade}, columns, k, listing.view.hits)


def returned(
    listing: Listing[Returned], at: Returned, columns: Mapping[str, ArrayLike], k: int | None = None
) -> Grid:
    """The list down to rank k, with further columns of its items.

    `columns`, shape (items,) each, are by their headings; `k` is the last rank that is shown, None
    for all.
    """
    return _returned_table(listing, at.rank, {}, columns, k)


def _returned_table(
    listing: Listing[Any],
    rank: Ints,
    full_columns: Mapping[str, Floats],
    columns: Mapping[str, ArrayLike],
    k: int | None,
    ties: Hits | None = None,
) -> Grid:
    names, n = listing.names, len(listing.names.returned)
    spread = ties is not None and ties.spread
    grouped = ties is not None and (ties.spread or ties.middle)  # which have ranks in common
    above = names.before if grouped else np.arange(n)
    count = n if k is None else int((above < k).sum())
    message = f"first {count:,} of {n:,} ranks" if count < n else f"all {n:,} ranks"
    if spread and (names.tied[:count] > 1).any():
        message += f"; {TIED}"
    cells = {**full_columns, **{name: _filled(n, rank, values) for name, values in columns.items()}}
    return grid(
        f"The list, {message}" if n else "The list",
        {
            "rank": listing.ranks[:count],
            "item": names.returned[:count],
            **{name: values[:count].tolist() for name, values in cells.items()},
        },
        np.isin(np.arange(1, count + 1), rank).tolist(),
    )


def rated(listing: Listing[Rated], columns: Mapping[str, ArrayLike]) -> Grid:
    """The predicted ratings, with further columns."""
    view = listing.view
    given = {"item": listing.names.truth, "rating": view.rating, "prediction": view.prediction}
    further = {name: np.asarray(values).tolist() for name, values in columns.items()}
    return grid("The ratings that were predicted", {**given, **further})


def catalogued(listing: Listing[Returned], k: int) -> NamedItems:
    """The items of the catalogue at the first k ranks."""
    in_catalogue = listing.view.top(k).where(listing.view.top(k).item >= 0)
    names = tuple(listing.names.returned[rank - 1] for rank in in_catalogue.rank.tolist())
    return NamedItems(f"of the catalogue, at the first {k:,} ranks", names)


def ideal_table(listing: Listing[Judged], ideal: Hits, columns: Mapping[str, ArrayLike]) -> Grid:
    """The best possible list, with the grades and further columns of its items.

    `ideal` has the items of the best list, in its order; `columns` are of shape (items,) each.
    """
    return grid(
        "The best list",
        {
            "rank": ideal.rank.tolist(),
            "item": named(listing, ideal),
            "grade": ideal.grade.tolist(),
            **{name: np.asarray(values).tolist() for name, values in columns.items()},
        },
    )


def relevant_items(listing: Listing[Judged], rel: float) -> NamedItems:
    """The relevant items of the truth, R of them."""
    names = named(listing, listing.view.ideal.relevant(rel))
    return NamedItems(f"relevant (grade {rel:g} or more), R = {len(names):,}", names)


def items_to_rank(listing: Listing[Judged], k: int) -> tuple[str, ...]:
    """The items at ranks 1 to k; with tied ranks, all that can be there."""
    names = listing.names
    return names.returned[: int((names.before < k).sum()) if listing.view.hits.spread else k]


def named(listing: Listing[Judged], hits: Hits) -> tuple[str, ...]:
    """The names of the items of hits, or of an ideal."""
    return tuple(listing.names.truth[place - 1] for place in hits.place.tolist())


def gains(hits: Hits, gain: Any, discount: str, k: ArrayLike | None) -> dict[str, Floats]:
    """The columns of a discounted gain.

    `k` is the last rank that counts, one for all hits or one a hit; None for all. They are by their
    headings, shape (hits,) each.
    """
    gain, by = gained(hits.grade, gain), discounts(discount)
    shares = hits.discounted(gain, by, k)
    weight = (
        {"weight": hits.at(lambda rank: 1 / by(rank), k)}
        if hits.spread
        else {"discount": by(hits.position)}
    )
    return {"gain": gain, **weight, "contribution": shares, "running total": np.cumsum(shares)}


def first(hits: Hits, k: int | None) -> Iterator[tuple[float, float]]:
    """Yield (rank, probability) of the first of these hits, down to rank k."""
    if hits.middle:
        positions = hits.position[:1][hits.within(k)[:1] > 0]
        yield from ((position, 1.0) for position in positions.tolist())
        return
    if not hits.spread:
        yield from ((rank, 1.0) for rank in hits.top(k).rank[:1].tolist())
        return
    heads, size, _ = hits.groups()
    none = 1.0  # the chance that it did not come yet
    for n in range(int((heads.tied - size)[0]) + 1 if size.size else 0):
        share = float(size[0] / (heads.tied[0] - n))
        rank = int(heads.before[0]) + n + 1
        if k is None or rank <= k:
            yield rank, none * share
        none *= 1 - share


def nothing_relevant(name: str) -> Sentence:
    """Why a value over R is undefined."""
    return Sentence(f"Nothing is relevant in the truth, R = 0, so {name} is undefined.")


def _filled(size: int, rank: Ints, values: ArrayLike) -> Floats:
    """`values` at their ranks, NaN at the others."""
    filled = np.full(size, np.nan)
    filled[rank - 1] = values
    return filled
