"""Attention-weighted rank fairness."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula, grid
from scorer.metrics.explain.tables import Listing, returned
from scorer.metrics.params import Cutoff, Persistence, Relevant
from scorer.views.hits import ratio
from scorer.views.returned import Returned
from scorer.views.scored import Scored

GROUP = "group"

ClassColumn = Annotated[
    str,
    Field(
        min_length=1,
        description="The further column of `items` with the classes of each item, of the kind "
        "classes.",
    ),
]
Target = Annotated[
    Literal["relevant", "catalogue", "lists"],
    Field(
        description="Whose shares of classes attention is compared with: those of the list's "
        "relevant items, of all items, or of `lists`, whose further column has the same name."
    ),
]


def _attention(scored: Scored, k: int | None, weight: str, p: float) -> Floats:
    """The weight of each returned item."""
    rank = scored.rank.astype(np.float64)
    attention = 1 / np.log2(np.maximum(rank, 2)) if weight == "log" else (1 - p) * p ** (rank - 1)
    return np.where(rank <= (np.inf if k is None else k), attention, 0.0)


def _distribution(totals: Floats) -> Floats:
    """Each row over its sum; NaN where there is none."""
    return ratio(totals, totals.sum(axis=1, keepdims=True))


def _target(scored: Scored, group: str, target: str, rel: float) -> Floats:
    """The shares of classes that each list should have: shape (lists, classes)."""
    shares = _classes(scored, group)
    if target == "lists":
        list_shares = scored.list[group]
        names, list_classes = scored.extras.item.levels[group], scored.list.levels.get(group)
        if list_classes is None:
            raise ChallengeError(
                f"AWRF: {group} of lists must be classes; write lists: "
                f"{{columns: {{extra: {{{group}: classes}}}}}}"
            )
        if strange := [name for name in list_classes if name not in names]:
            raise ChallengeError(f"AWRF: no item has the class {strange[0]!r} of lists' {group}")
        targets = np.zeros((scored.lists, len(names)))
        targets[:, [names.index(name) for name in list_classes]] = list_shares
        return _distribution(targets)
    if target == "catalogue":
        item_shares = scored.catalogue.extra[group][:-1]
        catalogue_shares = item_shares.sum(axis=0, keepdims=True)
        return np.repeat(_distribution(catalogue_shares), scored.lists, axis=0)
    ideal = scored.judged.ideal
    of_ideal = scored.judged.item[group] * (ideal.grade >= rel)[:, None]
    totals = [ideal.total(of_ideal[:, n]) for n in range(shares.shape[1])]
    return _distribution(np.column_stack(totals).reshape(scored.lists, shares.shape[1]))


def _classes(scored: Scored, group: str) -> Floats:
    shares: Floats = scored.extras.item[group]
    if shares.ndim != 2:
        raise ChallengeError(
            f"AWRF: {group} of items must be classes; write items: "
            f"{{columns: {{extra: {{{group}: classes}}}}}}"
        )
    return shares


def _exposure(scored: Scored, group: str, attention: Floats) -> Floats:
    shares = _classes(scored, group)
    totals = [scored.total(shares[:, n] * attention) for n in range(shares.shape[1])]
    return _distribution(np.column_stack(totals).reshape(scored.lists, shares.shape[1]))


def _divergence(first: Floats, second: Floats) -> Floats:
    """The Jensen-Shannon divergence of each row, in bits."""
    middle = (first + second) / 2
    divergence = np.zeros(len(first))
    for side in (first, second):
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(side > 0, side * np.log2(side / middle), 0.0)
        divergence += np.where(np.isnan(side).any(axis=1), np.nan, terms.sum(axis=1)) / 2
    return np.clip(divergence, 0.0, 1.0)


def _explain(
    listing: Listing[Scored],
    value: float,
    *,
    k: int | None,
    group: str,
    target: str,
    weight: str,
    p: float,
    rel: float,
) -> Steps:
    attention = _attention(listing.view, k, weight, p)
    rows: Listing[Returned] = Listing(listing.view, listing.names)
    yield returned(rows, listing.view, {"attention": attention}, k)
    exposure = _exposure(listing.view, group, attention)
    target_shares = _target(listing.view, group, target, rel)
    names = listing.view.extras.item.levels.get(group) or tuple(map(str, range(exposure.shape[1])))
    yield grid("Classes", {"class": names, "attention": exposure[0], "target": target_shares[0]})
    if value != value:
        yield Sentence("There is no target, so AWRF is undefined.")
        return
    divergence = float(_divergence(exposure, target_shares)[0])
    if divergence != divergence:
        yield Sentence("No returned item has a class.")
        yield formula("AWRF", "", "{}", 0.0, value=value)
        return
    yield formula("AWRF", "1 - divergence", "1 - {}", divergence, value=value)


@metric(
    "AWRF",
    title="Attention-weighted rank fairness",
    source="Sapiezynski et al., WWW 2019, doi:10.1145/3308560.3317595; TREC Fair Ranking 2021",
    formula=r"1 - \frac{1}{2} \sum_{c=1}^{C} \left([e_c > 0] e_c \log_2(\frac{e_c}{m_c}) + "
    r"[t_c > 0] t_c \log_2(\frac{t_c}{m_c})\right), \qquad m_c = \frac{e_c + t_c}{2}, "
    r"\qquad e_c = \text{share of the attention that class } c \text{ gets}, \qquad "
    r"t_c = \text{share that it should have}",
    undefined="there is no target",
    needs=lambda params: (
        f"items.extra.{params['group']}",
        *([f"lists.extra.{params['group']}"] if params["target"] == "lists" else ()),
    ),
    explain=_explain,
)
def awrf(
    scored: Scored,
    *,
    k: Cutoff | None = None,
    group: ClassColumn = GROUP,
    target: Target = "relevant",
    weight: Literal["log", "geometric"] = "log",
    p: Persistence = 0.5,
    rel: Relevant = 1,
) -> Floats:
    """How near the attention that classes of items get comes to the shares they should have.

    Rank i gets the attention 1 / log2(max(i, 2)), as in TREC's Fair Ranking track, or
    (1 - p) p^(i - 1) (`weight=geometric`, as the paper). An item's attention is
    divided by its shares of classes, a further column of `items` of the kind
    classes: `a`, `a|b` for a half each, `a:0.7|b:0.3`. The value is 1 less the
    Jensen-Shannon divergence, in bits, of these sums from the target. 0 where no
    returned item has a class; undefined without a target.

    a and b are relevant, of two classes; a alone is returned:

    >>> item = {"group": {"a": [1.0, 0.0], "b": [0.0, 1.0]}}
    >>> scored = Scored.of_scores(({"a": 0.9}, {"a": 1, "b": 1}), item=item)
    >>> awrf(scored).round(6)                       # 1 - (log2(4/3) / 2 + (1 + ...) / 2)
    array([0.688722])
    """
    exposure = _exposure(scored, group, _attention(scored, k, weight, p))
    target_shares = _target(scored, group, target, rel)
    fairness = 1 - _divergence(np.where(np.isnan(exposure), target_shares, exposure), target_shares)
    return np.where(np.isnan(exposure).any(axis=1) & ~np.isnan(fairness), 0.0, fairness)
