"""Metrics of ranked lists that one challenge defined: MARp, Clicks and ClassRprec."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats, Ints
from scorer.core.errors import ChallengeError
from scorer.metrics.api import metric
from scorer.metrics.parameters import (
    Cutoffs,
    ItemColumn,
    Relevant,
)
from scorer.metrics.ratios import Ratio, Table, divide
from scorer.metrics.steps import NamedItems, OneList, Sentence, Steps, equation, ranked_table
from scorer.views.columns import Column
from scorer.views.ranked import Hits, Judged
from scorer.views.recommendations import Scored

Credit = Annotated[float, Field(ge=0, le=1, description="What each class that is found adds.")]
PageSize = Annotated[int, Strict(), Field(ge=1, description="How many items a page shows.")]
WithoutHit = Annotated[
    float, Field(ge=0, description="The value of a list in which nothing relevant comes.")
]


def _explain_marp(one: OneList, *, cutoffs: Cutoffs, at_cutoff: Literal["include", "cut"]) -> Steps:
    """The sets at each cut-off, their R-precisions, and the mean of these."""
    hits, ideal = one.view.hits.relevant(0), one.view.ideal.relevant(0)
    size, numbers = ideal.rank.size, list[float]()
    yield Sentence(f"The truth has m = {size:,} items.")
    for z in cutoffs:
        depth = min(size, z)
        best = _best_hits(ideal, ideal, z, at_cutoff)
        found = _best_hits(hits, ideal, z, at_cutoff)
        found = found.where(found.in_top(z) > 0)
        yield NamedItems(f"relevant, z = {z}", one.name_items(best))
        if best.rank.size > depth:
            grade = f"Item {depth:,} of the truth has grade {best.grade[-1]:g}"
            yield Sentence(f"{grade}, so that all {best.rank.size:,} down to it are relevant.")
        if hits.spread:  # all tied items that can be among the first z
            last = int((one.names.tie_start < z).sum())
            yield NamedItems(f"retrieved, z = {z}", one.names.returned[:last])
            yield ranked_table(one, found, {"both": found.in_top(z)}, z)
        else:
            yield NamedItems(f"retrieved, z = {z}", one.names.returned[:z])
            yield NamedItems(f"both, z = {z}", one.name_items(found))
        count = float(found.in_top(z).sum())
        share = count / depth if depth else np.nan
        yield equation(f"Rp@{z}", "|both| / min(m, z)", "{} / {}", count, depth, value=share)
        numbers += [count, depth]
    fractions = " + ".join(["{} / {}"] * len(cutoffs))
    ratio = marp(one.view, cutoffs=cutoffs, at_cutoff=at_cutoff)
    filled = f"({fractions}) / {len(cutoffs)}"
    yield equation("AvgRp", ratio.formula, filled, *numbers, value=ratio.values()[0])


@metric(
    "MARp",
    title="Mean average R-precision",
    source="ECML PKDD 2011 VideoLectures.Net challenge, evaluation metrics example",
    latex=r"\frac{1}{\lvert Z \rvert} \sum_{z \in Z} \frac{u_z}{\min(J, z)}, \qquad Z = "
    r"\mathrm{cutoffs}, \qquad u_z = \text{items among the } z \text{ best of the truth and at the "
    r"first } z \text{ ranks}",
    undefined="the truth judges no item 0 or better",
    ties=("expected",),
    explain=_explain_marp,
)
def marp(
    view: Judged, *, cutoffs: Cutoffs, at_cutoff: Literal["include", "cut"] = "include"
) -> Ratio:
    """How many of a list's best items are at its first ranks, averaged over several depths.

    At depth z the relevant items are the z best of the truth, together with those that have the
    same grade as the last of them (`at_cutoff=include`, as in the challenge). `at_cutoff=cut` takes
    exactly the first z, equal grades in the order of the truth file. The hits are divided by
    min(m, z), where m is how many items the truth has (one with a grade below 0 is never relevant).
    The challenge's first example divides by what was retrieved, which would reward short lists; its
    second example and its text, by min(m, z).

    The challenge's second example, list 2: truth 1 to 7; depths 5 and 10:

    >>> truth = {str(n): 51.0 - n for n in range(1, 8)}
    >>> view = judged_view(("23 2 3 20 10 6 7 8 21 22".split(), truth))
    >>> marp(view, cutoffs=(5, 10)).values().round(4)  # (2/5 + 4/7) / 2
    array([0.4857])
    """
    hits, ideal = view.hits.relevant(0), view.ideal.relevant(0)
    terms: dict[str, Floats] = {}
    for z in cutoffs:
        best = _best_hits(hits, ideal, z, at_cutoff)
        terms[f"Rp@{z}"] = divide(best.total(best.in_top(z)), np.minimum(ideal.total(), z))
    formula = f"({' + '.join(terms)}) / {len(cutoffs)}"
    return Ratio(np.sum(list(terms.values()), axis=0), len(cutoffs), formula, terms)


def _best_hits(hits: Hits, ideal: Hits, z: int, at_cutoff: str) -> Hits:
    """The hits that are among the z best items of the truth.

    With `at_cutoff="include"` items of the same grade as the last of these z are among them, too.
    """
    if at_cutoff == "cut":
        return hits.where(hits.place <= z)
    last = ideal.where(ideal.place == np.minimum(ideal.total(), z)[ideal.in_list])
    lowest_grade = last.total(last.grade)  # the grade itself: a list has one last item
    return hits.where(hits.grade >= lowest_grade[hits.in_list])


@metric(
    "Clicks",
    title="Clicks until something relevant is seen",
    source="Chen et al., RecSys Challenge 2018, RecSys 2018, doi:10.1145/3240323.3240342",
    latex=r"[h_n \ge 1] \left\lfloor \frac{f - 1}{b} \right\rfloor + [h_n = 0] \cdot m, "
    r"\qquad f = \text{rank of the first relevant item}",
    range=(0, None),
    better="lower",
    ties=("expected",),
)
def clicks(
    view: Judged, *, page: PageSize = 10, none: WithoutHit = 51.0, rel: Relevant = 1
) -> Ratio:
    """How often the reader asks for the next page before the first relevant item is seen.

    floor((first relevant rank - 1) / page), and `none` where nothing relevant was returned: 51
    after the 50 pages of the RecSys Challenge 2018, whose lists have 500 tracks.

    The first relevant item at rank 3, of pages of two; and none:

    >>> view = judged_view((["x", "y", "a"], {"a": 1}), (["x"], {"a": 1}))
    >>> clicks(view, page=2).values()
    array([ 1., 51.])
    """
    hits = view.hits.relevant(rel)
    # counted down from `none`, since `first` gives 0 to a list without a hit
    saved = hits.first(lambda rank: none - np.floor((rank - 1) / page))
    table = Table(hits, {"relevant": np.ones(hits.rank.size)})
    formula = "none - clicks saved"
    return Ratio(none - saved, 1, formula, {"none": none, "clicks saved": saved}, table)


@metric(
    "ClassRprec",
    title="R-precision with credit for the right class",
    source="Chen et al., RecSys Challenge 2018, RecSys 2018, doi:10.1145/3240323.3240342",
    latex=r"\frac{h_R + c \cdot u}{R}, \qquad u = \text{classes of relevant items "
    r"among those of the first } R \text{ items}",
    range=(0, None),
    undefined="nothing is relevant in the truth",
)
def classrprec(
    view: Scored, *, group: ItemColumn = "group", credit: Credit = 0.25, rel: Relevant = 1
) -> Ratio:
    """R-precision that gives a part for each class of the relevant items that is found.

    Of the first R items, where R are relevant, each relevant one counts 1. Each class of relevant
    items that is among the classes of these R items counts `credit`, once: the artists of tracks in
    the RecSys Challenge 2018. A relevant item finds its class, too, so that the best value is above
    1.

    Tracks a and b by one artist are relevant; a is returned, and c of the same artist:

    >>> item = {"group": {"a": "one", "b": "one", "c": "one"}}
    >>> view = scored_view(({"a": 2, "c": 1}, {"a": 1, "b": 1}), item=item)
    >>> classrprec(view).values()  # (1 + 0.25 * 1) / 2
    array([0.625])
    """
    ideal = view.judged.ideal
    is_relevant, relevant = ideal.grade >= rel, ideal.count(rel)
    top = view.where(view.rank <= relevant[view.in_list])
    found = top.total(top.grade >= rel)
    wanted = _classes_by_list(
        ideal.in_list[is_relevant], view.judged.extras.item[group][is_relevant], group
    )
    both = wanted & _classes_by_list(top.in_list, top.extras.item[group], group)
    in_list = np.array([number for number, _ in both], dtype=np.int64)
    classes = np.bincount(in_list, minlength=view.lists).astype(float)
    return Ratio(
        found + credit * classes,
        relevant,
        "(found + credit × classes) / R",
        {"found": found, "credit": credit, "classes": classes, "R": relevant},
        Table(view, {"relevant": (view.grade >= rel).astype(float)}),
    )


def _classes_by_list(in_list: Ints, classes: Column, column: str) -> set[tuple[int, str]]:
    """The pairs of a list's number and the class of one of its items; '' is no class."""
    if classes.dtype != object:
        raise ChallengeError(
            f"ClassRprec: {column} of items must be text; write items: "
            f"{{columns: {{extra: {{{column}: text}}}}}}"
        )
    pairs = zip(in_list.tolist(), classes, strict=True)
    return {(number, name) for number, name in pairs if name}
