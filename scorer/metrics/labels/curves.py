"""Scores of the true and the other rows, for areas under curves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.core.text import join_first
from scorer.metrics.explain.steps import Sentence, Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import place, shown
from scorer.metrics.notation import NotationError
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

Area = Callable[[Floats, Floats, Floats], float]  # of true (0 or 1), score and weight


def scored(labelled: Labelled, positive: str | None) -> Statistics:
    """One problem of true against other rows for each class, for the positive one of two.

    Returns:
        One row a list: its weight, for each problem whether it is true, then its scores. A
        row without an answer stands where it is most wrong.

    Raises:
        NotationError: there is no such class.
    """
    true, likely = labelled.indicators(labelled.truth), labelled.likely
    if len(labelled.classes) == 2 and not labelled.several:
        code = place(labelled, positive)
        code = 1 if code is None else code
        true, likely = true[:, [code]], likely[:, [code]]
    elif positive is not None:
        message = f"positive= is for two classes; there are {join_first(labelled.classes)}"
        raise NotationError(message, "positive")
    likely = np.where(labelled.answered[:, None], likely, np.where(true > 0, -1.0, 2.0))
    return labelled.pooled(labelled.weights, true, likely)


def parts(statistics: Statistics) -> tuple[Floats, Floats, Floats]:
    """Weights, which rows are true, and scores, as `scored` has laid them out."""
    problems = (statistics.rows.shape[1] - 1) // 2
    rows = statistics.rows
    return rows[:, 0], rows[:, 1 : problems + 1], rows[:, problems + 1 :]


def over_classes(statistics: Statistics, average: str, area: Area) -> float:
    """The area of each problem, averaged as asked."""
    weight, true, score = parts(statistics)
    if average == "micro":
        flat = np.repeat(weight, true.shape[1])
        return area(true.ravel(), score.ravel(), flat)
    each = [area(t, s, weight) for t, s in zip(true.T, score.T, strict=True)]
    if len(each) == 1 or average == "macro":
        return float(np.mean(each)) if each else float("nan")
    share = (true * weight[:, None]).sum(axis=0)
    return float(np.average(each, weights=share)) if share.sum() > 0 else float("nan")


def auroc_area(true: Floats, score: Floats, weight: Floats) -> float:
    """The share of pairs of a true row and another that are in the right order; ties are half."""
    by = np.argsort(score, kind="stable")
    yes, no = (weight * true)[by], (weight * (1 - true))[by]
    starts = _starts(score[by])
    yes, no = np.add.reduceat(yes, starts), np.add.reduceat(no, starts)
    below = np.cumsum(no) - no
    pairs = yes.sum() * no.sum()
    return float((yes * (below + no / 2)).sum() / pairs) if pairs > 0 else float("nan")


def precision_area(true: Floats, score: Floats, weight: Floats) -> float:
    """The precision at each score, weighted by how much recall grows there."""
    by = np.argsort(-score, kind="stable")
    starts = _starts(score[by])
    yes = np.add.reduceat((weight * true)[by], starts)
    found, whole = np.cumsum(yes), np.cumsum(np.add.reduceat(weight[by], starts))
    if yes.sum() <= 0:
        return float("nan")
    precision = np.divide(found, whole, out=np.zeros_like(found), where=whole > 0)
    return float((precision * yes).sum() / yes.sum())


def _starts(ordered: Floats) -> Ints:
    """Where each run of equal scores begins; a single run where there is nothing."""
    new = np.append(True, ordered[1:] != ordered[:-1])[: ordered.size]
    return np.flatnonzero(new)


def of_pairs(one: Listing[Labelled], positive: str | None) -> Steps:
    """How many rows of the other side this row is ordered against, and how."""
    view, at = one.view, one.view.at
    weight, true, score = parts(scored(view, positive))
    names = view.classes if true.shape[1] > 1 else [positive or view.classes[-1]]
    for n, name in enumerate(names):
        own, mine = bool(true[at, n]), score[at, n]
        others = (true[:, n] > 0) != own
        better = others & ((score[:, n] < mine) if own else (score[:, n] > mine))
        tied = others & (score[:, n] == mine)
        right, equal, whole = (float(weight[m].sum()) for m in (better, tied, others))
        side = "of that class" if own else "of another class"
        pairs = float(weight[true[:, n] > 0].sum() * weight[true[:, n] == 0].sum())
        share = weight[at] * (right + equal / 2) / pairs if pairs else float("nan")
        yield Sentence(
            f"{name}: this row, {side}, has probability {mine:.6g}. Of {shown(whole):,} pairs with "
            f"rows of the other side {shown(right):,} are in the right order and {shown(equal):,} "
            f"tied; these pairs are {share:.6g} of the area, of {weight[at] * whole / pairs:.6g} "
            "at most."
            if pairs
            else f"{name}: there are no pairs, so the area is undefined."
        )
