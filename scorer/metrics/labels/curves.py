"""Scores of the true and the other rows, for areas under curves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scorer.core.arrays import Floats, Ints, starts
from scorer.core.text import join_first
from scorer.metrics.explain.steps import Sentence, Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import divided, place, whole_number
from scorer.metrics.notation import NotationError
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

MEANS = {  # of the areas of classes; of two classes the positive one's alone
    "macro": r"\frac{1}{C} \sum_{c=1}^{C} A_c",
    "weighted": r"\frac{1}{n} \sum_{c=1}^{C} t_c A_c",
    "micro": "A_1",  # of one class whose rows are those of all
}
Area = Callable[[Floats, Floats, Floats], float]  # of true (0 or 1), score and weight


def scored(labelled: Labelled, positive: str | None) -> Statistics:
    """Binary problems, one a class against the others; of two classes only the positive one's.

    Gives one row a list: its weight, for each problem whether it is true, then its scores. A row
    without an answer stands where it is most wrong.

    `NotationError` if there is no such class.
    """
    true, likely = labelled.indicators(labelled.truth), labelled.ordering
    if len(labelled.classes) == 2 and not labelled.several:
        code = place(labelled, positive)
        code = 1 if code is None else code
        true, likely = true[:, [code]], likely[:, [code]]
    elif positive is not None:
        message = f"positive= is for two classes; there are {join_first(labelled.classes)}"
        raise NotationError(message, "positive")
    likely = np.where(labelled.answered[:, None], likely, np.where(true > 0, -np.inf, np.inf))
    return labelled.pooled(labelled.weights, true, likely)


def parts(statistics: Statistics) -> tuple[Floats, Floats, Floats]:
    """Weights, which rows are true, and scores, as `scored` has laid them out."""
    problems = (statistics.rows.shape[1] - 1) // 2
    rows = statistics.rows
    return rows[:, 0], rows[:, 1 : problems + 1], rows[:, problems + 1 :]


def over_classes(statistics: Statistics, average: str, area: Area) -> float:
    """The mean of the problems' areas.

    Of `statistics` as `scored` gives them: macro; weighted by the true rows; or micro, one area of
    all problems together. `area` takes true (0 or 1), score and weight of one problem, shape
    (rows,) each.
    """
    weight, true, score = parts(statistics)
    if average == "micro":
        flat = np.repeat(weight, true.shape[1])
        return area(true.ravel(), score.ravel(), flat)
    areas = [area(t, s, weight) for t, s in zip(true.T, score.T, strict=True)]
    if len(areas) == 1 or average == "macro":
        return float(np.mean(areas)) if areas else float("nan")
    share = (true * weight[:, None]).sum(axis=0)
    return float(np.average(areas, weights=share)) if share.sum() > 0 else float("nan")


def auroc_area(true: Floats, score: Floats, weight: Floats) -> float:
    """The share of (true, other) pairs of rows that are in the right order; ties count half.

    All are of shape (rows,); `true` is 1 or 0.
    """
    place = _places(score)
    yes, no = np.bincount(place, weight * true), np.bincount(place, weight * (1 - true))
    below = np.cumsum(no) - no
    pairs = yes.sum() * no.sum()
    return float((yes * (below + no / 2)).sum() / pairs) if pairs > 0 else float("nan")


def precision_area(true: Floats, score: Floats, weight: Floats) -> float:
    """The mean of the precisions at each score, weighted by the growth of recall there.

    All are of shape (rows,); `true` is 1 or 0. NaN where no row is true.

    NaN where no row is true.
    """
    yes, no = tallied(true, score, weight)
    if yes.sum() <= 0:
        return float("nan")
    positives, rows = np.cumsum(yes), np.cumsum(yes + no)
    precision = np.divide(positives, rows, out=np.zeros_like(positives), where=rows > 0)
    return float((precision * yes).sum() / yes.sum())


def tallied(true: Floats, score: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """The weight of true and of other rows at each score, from the highest score down.

    All are of shape (rows,), `true` is 1 or 0; the results have an element for each score.
    """
    by = np.argsort(-score, kind="stable")
    starts = _starts(score[by])
    if not starts.size:
        return np.empty(0), np.empty(0)
    yes, no = (np.add.reduceat((weight * side)[by], starts) for side in (true, 1 - true))
    return yes, no


def auroc_terms(true: Floats, score: Floats, weight: Floats) -> Floats:
    """The terms that each row adds to an area, for draws of rows (DeLong et al. 1988).

    The area is the mean over true rows of the share of other rows below them, and the mean over
    other rows of the share of true rows above them; to the first order its draws are half of each,
    so that the pairs need not be counted anew for every draw. All are of shape (rows,); `true` is 1
    or 0. The result has shape (rows, 4): for `of_auroc_terms`.
    """
    level = _places(score)
    yes, no = weight * true, weight * (1 - true)
    sums = [np.bincount(level, side) for side in (yes, no)]
    totals = [float(side.sum()) for side in sums]
    below = [np.cumsum(side) - side / 2 for side in sums]
    pairs = totals[0] * totals[1]
    area = float((sums[0] * below[1]).sum() / pairs) if pairs > 0 else np.nan
    terms = np.full((true.size, 4), np.nan)
    terms[:, 1], terms[:, 3] = yes, no
    if totals[0] > 0 and totals[1] > 0:
        terms[:, 0] = yes * (below[1] / totals[1] - area / 2)[level]
        terms[:, 2] = no * (1 - below[0] / totals[0] - area / 2)[level]
    return terms


def of_auroc_terms(sums: Floats) -> Floats:
    """Areas from sums of `auroc_terms`, along the last axis."""
    return divided(sums[..., 0], sums[..., 1], np.nan) + divided(sums[..., 2], sums[..., 3], np.nan)


def precision_terms(true: Floats, score: Floats, weight: Floats) -> Floats:
    """The terms that each row adds to an average precision, to the first order, for draws of rows.

    The sum of precisions at the true rows is its own gradient by the rows' weights. All are of
    shape (rows,); `true` is 1 or 0. The result has shape (rows, 2): that sum's terms, and the true
    rows.
    """
    by, group = _groups(-score)
    yes, no = weight * true, weight * (1 - true)
    sums = [np.bincount(group, side[by]).astype(np.float64) for side in (yes, no)]
    positives, negatives = (np.cumsum(side) for side in sums)
    rows: Floats = positives + negatives
    # what a row adds to all precisions at or below its own probability
    later = [
        np.cumsum((divided(sums[0] * side, rows**2))[::-1])[::-1] for side in (negatives, positives)
    ]
    precision = divided(positives, rows)
    terms = np.empty((true.size, 2))
    terms[by, 0] = yes[by] * (precision + later[0])[group] - no[by] * later[1][group]
    terms[:, 1] = yes
    return terms


def of_precision_terms(sums: Floats) -> Floats:
    """Average precisions from sums of `precision_terms`, along the last axis."""
    return divided(sums[..., 0], sums[..., 1], np.nan)


def list_terms(
    statistics: Statistics, average: str, terms: Callable[[Floats, Floats, Floats], Floats]
) -> Floats:
    """The terms of every problem, for each list.

    `statistics` are as `scored` gives them; micro makes one problem of all. `terms` makes an array
    of shape (rows, width) of true (0 or 1), score and weight. The result has shape (lists, problems
    x width); 0 for lists without a row.
    """
    weight, true, score = parts(statistics)
    rows, problems = true.shape
    if average == "micro":
        flat = terms(true.ravel(), score.ravel(), np.repeat(weight, problems))
        return placed(statistics, flat.reshape(rows, problems, -1).sum(axis=1))
    blocks = [terms(t, s, weight) for t, s in zip(true.T, score.T, strict=True)]
    return placed(statistics, np.concatenate(blocks, axis=1))


def placed(statistics: Statistics, terms: Floats) -> Floats:
    """Terms of rows at their lists; 0 for lists that have no row."""
    table = np.zeros((statistics.lists, terms.shape[1]))
    table[statistics.in_list] = terms
    return table


def over_terms(sums: Floats, average: str, width: int, area: Callable[[Floats], Floats]) -> Floats:
    """The figure of each draw: the mean of the problems' areas.

    `sums`, shape (draws, problems x width), are of `list_terms`; `area` makes areas of terms, along
    the last axis; `width` is the number of terms of a problem. The result has shape (draws,).
    """
    table = sums.reshape(len(sums), -1, width)
    areas = area(table)
    if average != "weighted" or table.shape[1] == 1:
        mean: Floats = areas.mean(axis=1)
        return mean
    share = table[:, :, 1]
    return divided((areas * share).sum(axis=1), share.sum(axis=1), np.nan)


def order(score: Floats) -> Ints:
    """The rows by score, as a stable `np.argsort` gives them, but faster."""
    by = np.argsort(score)
    ordered = score[by]
    if not score.size or np.isnan(ordered[-1]):  # which equals nothing
        return np.argsort(score, kind="stable")
    group = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    key = group * score.size + by
    key.sort()
    key -= group * score.size
    return key


def _places(score: Floats) -> Ints:
    """The place of each row's score among the distinct ones, from 0 for the lowest."""
    by = np.argsort(score)  # of equal ones any order will do
    group = np.cumsum(starts(score[by])) - 1
    place = np.empty_like(group)
    place[by] = group
    return place


def _groups(score: Floats) -> tuple[Ints, Ints]:
    """The order of the rows by score, and the number of each one's run of equal scores."""
    by = order(score)
    new = starts(score[by])
    return by, np.cumsum(new) - 1


def _starts(ordered: Floats) -> Ints:
    """Where each run of equal scores begins; a single run where there is nothing."""
    new = np.append(True, ordered[1:] != ordered[:-1])[: ordered.size]
    return np.flatnonzero(new)


def of_pairs(listing: Listing[Labelled], positive: str | None) -> Steps:
    """The steps of a row's pairs with the rows of the other side."""
    view, at = listing.view, listing.view.at
    weight, true, score = parts(scored(view, positive))
    names = view.classes if true.shape[1] > 1 else [positive or view.classes[-1]]
    for n, name in enumerate(names):
        is_true, own_score = bool(true[at, n]), score[at, n]
        others = (true[:, n] > 0) != is_true
        better = others & ((score[:, n] < own_score) if is_true else (score[:, n] > own_score))
        tied = others & (score[:, n] == own_score)
        right, equal, whole = (float(weight[m].sum()) for m in (better, tied, others))
        side = "of that class" if is_true else "of another class"
        pairs = float(weight[true[:, n] > 0].sum() * weight[true[:, n] == 0].sum())
        share = weight[at] * (right + equal / 2) / pairs if pairs else float("nan")
        yield Sentence(
            f"{name}: this row, {side}, has probability {own_score:.6g}. Of "
            f"{whole_number(whole):,} pairs with rows of the other side {whole_number(right):,} "
            f"are in the right order and {whole_number(equal):,} tied; these pairs are "
            f"{share:.6g} of the area, of {weight[at] * whole / pairs:.6g} at most."
            if pairs
            else f"{name}: there are no pairs, so the area is undefined."
        )
