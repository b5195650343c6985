"""What submissions return and nobody judged, and the view of them once somebody has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.views.hits import Hits, Judged, ranked_hits


class UnjudgedList(NamedTuple):
    """The unjudged items of one list, beside what is known of it."""

    rank: Ints  # of each unjudged item, ascending
    hit_rank: Ints  # of each judged one, ascending
    hit_grade: Floats
    ideal: Floats  # the grades of all judged items, best first
    returned: int  # how many items the list has


# from a list, the grades that its items can get, ascending from 0, and the parameters of a
# measure: the grades with which it is lowest, and highest; None where that is not known
Extremes = Callable[[UnjudgedList, Floats, Mapping[str, Any]], tuple[Floats, Floats] | None]


@dataclass(frozen=True, eq=False)
class Unjudged:
    """The returned items without a grade, or with one below 0, ordered by list, then by rank."""

    judged: Judged  # without the grades below 0
    in_list: Ints  # one an item, as is the rank
    rank: Ints

    @classmethod
    def of(cls, judged: Judged) -> Unjudged:
        """Those of a view in which each rank of a list holds an item."""
        hits, ideal = (each.relevant(0) for each in (judged.hits, judged.ideal))
        starts = np.append(0, np.cumsum(judged.returned))
        free = np.ones(int(starts[-1]), dtype=bool)
        free[starts[hits.in_list] + hits.rank - 1] = False
        in_list = np.repeat(np.arange(judged.lists), judged.returned)[free]
        rank = np.flatnonzero(free) - starts[in_list] + 1
        return cls(Judged(hits, ideal, judged.returned, judged.names), in_list, rank)

    def each(self) -> Iterator[UnjudgedList]:
        """List by list."""
        hits, ideal = self.judged.hits, self.judged.ideal
        sizes = np.bincount(self.in_list, minlength=self.judged.lists)
        spans = pairwise([0, *np.cumsum(sizes).tolist()])
        returned = self.judged.returned.tolist()
        for own, hit, best, n in zip(spans, hits.spans(), ideal.spans(), returned, strict=True):
            grades = ideal.grade[best]
            yield UnjudgedList(self.rank[slice(*own)], hits.rank[hit], hits.grade[hit], grades, n)

    def graded(self, grade: Floats) -> Judged:
        """The view in which the items have these grades, shape (items,)."""
        hits, best = self.judged.hits, self.judged.ideal
        ideal, place = _with_more(best, self.in_list, grade)
        old = place[best.starts()[hits.in_list] + hits.place - 1]
        in_list = np.concatenate([hits.in_list, self.in_list])
        rank = np.concatenate([hits.rank, self.rank])
        by = np.lexsort((rank, in_list))
        return Judged(
            Hits(
                in_list[by],
                rank[by],
                np.concatenate([hits.grade, grade])[by],
                np.concatenate([old, place[best.rank.size :]])[by],
                rank[by] - 1,
                np.ones_like(rank),
                hits.lists,
            ),
            ideal,
            self.judged.returned,
            self.judged.names,
        )


def _with_more(best: Hits, in_list: Ints, grade: Floats) -> tuple[Hits, Ints]:
    """An ideal with further items, and the place of each of its items, the further ones last."""
    lists = np.concatenate([best.in_list, in_list])
    grades = np.concatenate([best.grade, grade])
    by = np.lexsort((-grades, lists))
    ideal = ranked_hits(lists[by], grades[by], best.lists)
    place = np.empty_like(lists)
    place[by] = ideal.rank
    return ideal, place
