"""R-precision with credit for the right class."""

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.scored import Scored

ClassColumn = Annotated[
    str,
    Field(
        min_length=1,
        description="The further column of `items` with the class of each item, of the kind text.",
    ),
]
Credit = Annotated[float, Field(ge=0, le=1, description="What each class that is met is worth.")]


def _counts(scored: Scored, group: str, rel: float) -> tuple[Floats, Floats, Floats]:
    """Of each list its relevant items, and how many of these and of their classes are met."""
    ideal = scored.judged.ideal
    relevant = ideal.grade >= rel
    relevant_count = ideal.count(rel)
    top_items = scored.where(scored.rank <= relevant_count[scored.in_list])
    sides = [(top_items.in_list, top_items.extras.item[group])]
    sides += [(ideal.in_list[relevant], scored.judged.item[group][relevant])]
    if any(names.dtype != object for _, names in sides):
        raise ChallengeError(
            f"ClassRprec: {group} of items must be text; write items: "
            f"{{columns: {{extra: {{{group}: text}}}}}}"
        )
    returned_classes, relevant_classes = (
        {(at, name) for at, name in zip(rows.tolist(), names, strict=True) if name}
        for rows, names in sides
    )
    met = np.array([at for at, _ in returned_classes & relevant_classes], dtype=np.int64)
    classes = np.bincount(met, minlength=scored.lists).astype(np.float64)
    return relevant_count, top_items.total(top_items.grade >= rel), classes


@metric(
    "ClassRprec",
    title="R-precision with credit for the right class",
    source="Chen et al., RecSys Challenge 2018, RecSys 2018, doi:10.1145/3240323.3240342",
    formula=r"\frac{h_R + $credit \cdot u}{R}, \qquad u = \text{classes of relevant items "
    r"among those of the first } R \text{ items}",
    undefined="nothing is relevant in the truth",
    range=(0, None),
    needs=lambda params: (f"items.extra.{params['group']}",),
)
def classrprec(
    scored: Scored, *, group: ClassColumn = "group", credit: Credit = 0.25, rel: Relevant = 1
) -> Quotient:
    """R-precision that gives a part for each class of the relevant items that is met.

    Of the first R items, R being how many are relevant, each relevant one counts 1,
    and each class of relevant items that is among their classes counts `credit`,
    once: the artists of tracks in the RecSys Challenge 2018. A class is met by a
    relevant item too, so that the best value is above 1.

    Tracks a and b by one artist are relevant; a is returned, and c of the same artist:

    >>> item = {"group": {"a": "one", "b": "one", "c": "one"}}
    >>> scored = Scored.of_scores(({"a": 2, "c": 1}, {"a": 1, "b": 1}), item=item)
    >>> classrprec(scored).values                   # (1 + 0.25 * 1) / 2
    array([0.625])
    """
    relevant_count, items, classes = _counts(scored, group, rel)
    relevant = (scored.grade >= rel).astype(np.float64)
    return Quotient(
        items + credit * classes,
        relevant_count,
        f"(found + {credit:g} * classes) / R",
        lambda: (scored, {"relevant": relevant}),
        f"({{}} + {credit:g} * {{}}) / {{}}",
        (items, classes, relevant_count),
        last=relevant_count,
    )
