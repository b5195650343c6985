"""Every returned item with its score, beside the judged ones and their best order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Mask
from scorer.views.extras import Extras, NamedColumns
from scorer.views.hits import Judged
from scorer.views.returned import Returned


@dataclass(frozen=True, slots=True)
class Scored(Returned):
    """All that a submission returned, with the scores that it gave."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    always_defined: ClassVar[bool] = False  # the truth can be without a target

    score: Floats = ...  # type: ignore[assignment]  # of each row; NaN where it ranks without
    judged: Judged = ...  # type: ignore[assignment]  # the same lists' judged items

    def where(self, keep: Mask) -> Scored:
        """Only the items where `keep` holds."""
        return replace(Returned.where(self, keep), score=self.score[keep])

    @classmethod
    def of_returned(cls, returned: Returned, score: Floats, judged: Judged) -> Scored:
        """Add scores, (items,), to the returned items; NaN where the submission has none."""
        columns = {f.name: getattr(returned, f.name) for f in fields(type(returned))}
        return cls(**columns, score=score, judged=judged)

    @classmethod
    def of_scores(
        cls,
        *lists: tuple[Mapping[str, float], Mapping[str, float]],
        item: Mapping[str, Mapping[str, ArrayLike]] | None = None,
    ) -> Scored:
        """From `{item: score}` and `{item: grade}`, list by list; for examples and tests.

        `item` has more columns of items: name -> item -> number, numbers, or text.
        """
        pairs = [
            (sorted(scores, key=lambda x, scores=scores: -scores[x]), truth)  # type: ignore[misc]
            for scores, truth in lists
        ]
        returned, judged = Returned.of(*pairs), Judged.of(*pairs)
        score = [
            scores[x] for (scores, _), (items, _) in zip(lists, pairs, strict=True) for x in items
        ]
        rows = [x for items, _ in pairs for x in items]
        ideal_items = [x for _, truth in pairs for x in sorted(truth, key=lambda x, t=truth: -t[x])]  # type: ignore[misc]

        def columns(items: Sequence[str]) -> NamedColumns:
            values_by_name = {}
            for name, of in (item or {}).items():
                example = np.asarray(next(iter(of.values())))
                kind = object if example.dtype.kind == "U" else np.float64
                values = np.array([of[x] for x in items], dtype=kind)
                values_by_name[name] = values.reshape(len(items), *example.shape)
            return NamedColumns(values_by_name, "item")

        return cls.of_returned(
            replace(returned, extras=Extras(item=columns(rows))),
            np.array(score, dtype=np.float64),
            replace(judged, extras=Extras(item=columns(ideal_items))),
        )
