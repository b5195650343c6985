"""What a truth that was judged from a pool gives to the submissions that the pool was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scorer.api.submissions import Named
from scorer.core.arrays import Floats, Ints, Mask, distinct
from scorer.core.problems import Findings
from scorer.formats.read import read
from scorer.kinds.grades import Grades
from scorer.metrics.measure import Measure
from scorer.prepare.open import OpenChallenge
from scorer.results.diagnosis import Pooled
from scorer.results.report import Scored
from scorer.results.scorecard import Scorecard
from scorer.scoring.evaluate import score
from scorer.scoring.lists import score_with_views
from scorer.scoring.settle import settle
from scorer.stats.orders import ranks_of
from scorer.views.hits import Judged, Ranked
from scorer.views.meeting import Views


def seen(ready: OpenChallenge, file: Named) -> Views | None:
    """A submission that has been scored, beside the truth; read once more, without its checks."""
    plan = (ready if file.format is None else ready.reading(file.format)).plan
    table = read(file.path, plan.format(file.path), plan.shapes, Findings(), plan.limits)
    if table is None:
        return None
    plan = replace(plan, checks=False, measures=(), folds={})
    return score_with_views(plan, table, Findings())[1]


def without_own_items(
    ready: OpenChallenge, scored: Sequence[Scored], files: Sequence[Sequence[Named]]
) -> tuple[Pooled, ...] | str:
    """The rank of each submission without the relevant items that only it retrieved.

    Zobel, "How reliable are the results of large-scale information retrieval experiments?",
    SIGIR 1998: a team that sent nothing would have left them unjudged, so that a large loss
    says that new submissions are scored too low. All are scored by the truth without them.
    Gives those that have such items, of most ranks lost first; or why nothing is known, empty
    where the truth has no ranked items.
    """
    if not isinstance(ready.answers, Grades):
        return ""
    primary = next(measure for measure in ready.measures if measure.primary)
    leaves = [part for part in primary.all_parts if not part.parts]
    if any(part.metric.view not in (Judged, Ranked) or part.combination.where for part in leaves):
        return f"{primary.id} looks at more than judged items"
    if ready.folds or not all(part.of_lists for part in leaves):
        return f"{primary.id} has no value for each list alone"
    found = [[seen(ready, file) for file in own] for own in files]
    views = [[each.views[Judged] for each in own if each is not None] for own in found]
    if [*map(len, views)] != [*map(len, files)]:
        return "a submission cannot be read a second time"
    cards = [[run.card for run in each.runs or (each,) if run.card is not None] for each in scored]
    means = np.array([each.values[primary.id].mean for each in scored])
    ranks = ranks_of(means, primary.metric.better)
    rows = []
    for n, gone in enumerate(own_items(views)):
        if not gone.any():
            continue
        less = np.array([
            np.mean([
                _value_without(ready, primary, leaves, card, view, gone)
                for card, view in zip(of_runs, seen_of, strict=True)
            ])
            for of_runs, seen_of in zip(cards, views, strict=True)
        ])  # fmt: skip
        after = ranks_of(less, primary.metric.better)
        rows.append(Pooled(scored[n].name, int(gone.sum()), int(ranks[n]), int(after[n]),
                           float(means[n]), float(less[n])))  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (row.rank - row.without, -row.items, row.rank)))


def own_items(views: Sequence[Sequence[Judged]]) -> list[Mask]:
    """Which relevant items of the truth only one submission has, of each submission.

    `views` are those of each submission's runs, all of one truth; each mask has an element an item
    of the ideal.
    """
    first, places = views[0][0].ideal, list[Ints]()
    starts = first.starts()
    for runs in views:
        every = [view.hits.where(view.hits.grade > 0) for view in runs]
        rows_of_runs = [starts[hits.in_list] + hits.place - 1 for hits in every]
        places.append(distinct(np.concatenate(rows_of_runs)))
    found = np.bincount(np.concatenate(places), minlength=first.rank.size)
    masks = []
    for rows in places:
        mask = np.zeros(first.rank.size, dtype=bool)
        mask[rows[found[rows] == 1]] = True
        masks.append(mask)
    return masks


def _value_without(
    ready: OpenChallenge,
    primary: Measure,
    leaves: Sequence[Measure],
    card: Scorecard,
    view: Judged,
    gone: Mask,
) -> float:
    """The value of a submission by a truth without some items; only their lists are scored."""
    lists = np.unique(view.ideal.in_list[gone])
    part = view.only(lists).without(gone[np.isin(view.ideal.in_list, lists)])
    meeting = Views(card.answered[lists], {Judged: part})
    fresh = score(meeting, [card.lists[n] for n in lists.tolist()], leaves).values
    values: dict[str, Floats] = dict(card.values)
    for id, changed in fresh.items():
        values[id] = values[id].copy()
        values[id][lists] = changed
    return settle(card._replace(values=values), primary, ready.prepared.rules).mean
