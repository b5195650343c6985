"""Where a submission meets the truth in views that look at more than judged items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask, starts
from scorer.tables.table import Table
from scorer.views.diverse import Diverse
from scorer.views.extras import NO_EXTRAS as NO_EXTRAS
from scorer.views.extras import Extras, NamedColumns, placed
from scorer.views.hits import Judged, Ties
from scorer.views.join import GradedItems, order, present
from scorer.views.labelled import Targets
from scorer.views.pairwise import Likelihood, Pairs, Preferred, Ranking, TruePreferences
from scorer.views.returned import Catalogue, Returned
from scorer.views.scored import Scored
from scorer.views.texts import Texts

PAIR = ("better", "worse")


def returned(
    table: Table,
    truth: GradedItems,
    ties: Ties,
    catalogue: Catalogue,
    past: tuple[Ints, Ints],
    columns: Extras = NO_EXTRAS,
    sent_columns: NamedColumns | None = None,
) -> Returned:
    """All that the submission returned, judged or not, with the columns of the items.

    `past` is the history; `columns` of the truth have one element a row of it and of its lists,
    `sent_columns` one a row of the submission.
    """
    ordered, item = order(table, truth.lists, ties), table.ids["item"]
    row = truth.rows(table.ids["list"], item)[ordered.row]
    grade = np.where(row >= 0, np.append(truth.grade, np.nan)[row], np.nan)
    code = catalogue.codes(item, ordered.row)
    extras = Extras(
        placed(columns.truth, row),
        columns.submission if sent_columns is None else sent_columns.at(ordered.row),
        columns.list,
        catalogue.extra.at(code),
    )
    return Returned(
        ordered.in_list, ordered.rank, code, grade, len(truth.lists), catalogue, *past, truth.lists,
        extras,
    )  # fmt: skip


def scored(
    table: Table, truth: GradedItems, ties: Ties, judged: Judged, all_returned: Returned
) -> Scored:
    """The returned items with their scores.

    `all_returned` has all items, in the order of `order`.
    """
    rows = order(table, truth.lists, ties).row
    score = table.numbers.get("score")
    scores = np.full(rows.size, np.nan) if score is None else score[rows]
    return Scored.of_returned(all_returned, scores, judged)


def texts(
    table: Table,
    truth: GradedItems,
    ties: Ties,
    judged: Judged,
    columns: Extras = NO_EXTRAS,
    sent_columns: NamedColumns | None = None,
) -> Texts:
    """The returned items and the truth's, as texts, with scores and further columns.

    `columns` of the truth have one element a row of it, `sent_columns` one a row of the submission.
    """
    ordered, names = order(table, truth.lists, ties), tuple(truth.named)
    returned_texts = table.ids["item"].texts(ordered.row) if ordered.row.size else ()
    truth_texts = [names[code] for code in truth.item.tolist()]
    score = table.numbers.get("score", np.full(len(table), np.nan))[ordered.row]
    if sent_columns is not None:
        columns = columns._replace(submission=sent_columns.at(ordered.row))
    return Texts(
        ordered.in_list,
        ordered.rank,
        returned_texts,
        truth.in_list,
        truth_texts,
        truth.grade,
        judged,
        score,
        columns,
    )


class Subtopics(NamedTuple):
    """The subtopics that each row of a truth was judged for."""

    size: Ints  # of each row of the truth
    subtopic: Ints  # of these, row after row
    grade: Floats
    named: Ints  # of each row of the truth: its item's place by name

    @classmethod
    def of(cls, table: Table, truth: GradedItems) -> Subtopics:
        """The subtopics in the table that the truth was made of; one for all without the column."""
        row = truth.rows(table.ids["list"], table.ids["item"])
        codes = table.ids["subtopic"].codes if "subtopic" in table.ids else np.zeros_like(row)
        grade = table.numbers.get("grade", np.ones(len(table)))
        by = np.lexsort((-grade, codes, row))  # one that is judged again has its highest grade
        by = by[starts(row[by], codes[by])]
        by = by[row[by] >= 0]
        names = sorted(range(len(truth.named)), key=list(truth.named).__getitem__)
        place = np.empty(len(names), dtype=np.int64)
        place[names] = np.arange(len(names))
        size = np.bincount(row[by], minlength=truth.in_list.size)
        return cls(size, codes[by].astype(np.int64), grade[by], place[truth.item])

    def of_judged(self, judged: Judged) -> Diverse:
        """The view of a submission's hits with their subtopics."""
        return Diverse(judged, self.size, self.subtopic, self.grade, self.named)


def rated(
    table: Table,
    truth: GradedItems,
    columns: Extras = NO_EXTRAS,
    sent_columns: NamedColumns | None = None,
) -> Targets:
    """The submission's predictions beside the ratings, which the truth holds as grades.

    Of two predictions for one rating the first counts. `columns` have one element a row of the
    truth, and of its lists, `sent_columns` one a row of the submission.
    """
    row = truth.rows(table.ids["list"], table.ids["item"])
    rows = np.flatnonzero(row >= 0)[::-1]
    place = np.full(truth.in_list.size, -1, dtype=np.int64)
    place[row[rows]] = rows  # from the last, so that the first of two counts
    met = place >= 0
    place = place[met]
    sent = NamedColumns({}, "submission") if sent_columns is None else sent_columns.at(place)
    ends = {role: table.numbers[role][place] for role in ("low", "high") if role in table.numbers}
    sent = NamedColumns({**ends, **sent}, "submission", sent.levels)
    in_list = truth.in_list[met].astype(np.int64)
    return Targets(
        truth.lists,
        np.bincount(in_list, minlength=len(truth.lists)) > 0,
        None,
        truth.grade[met],
        table.numbers["prediction"][place],
        rated_list=in_list,
        extras=Extras(columns.truth.at(met), sent, columns.list, columns.item.at(met)),
    )


def likelihood(table: Table, truth: GradedItems) -> Likelihood:
    """The likelihood of preferences between items of the truth."""
    pairs, ours = _pairs(table, truth)
    return Likelihood(pairs, table.numbers["probability"][ours])


def stated(table: Table, truth: GradedItems) -> Pairs | Ranking:
    """The preferences that pairs, or ranked lists, state between items of the truth."""
    if "better" in table.ids:
        return _pairs(table, truth)[0]
    ordered = order(table, truth.lists, "file")
    row = truth.rows(table.ids["list"], table.ids["item"])[ordered.row]
    height = np.full(truth.in_list.size, np.nan)
    height[row[row >= 0]] = -ordered.before[row >= 0]
    return Ranking(height)


def prefer(table: Table, truth: GradedItems, orders: TruePreferences) -> tuple[Preferred, Mask]:
    """The submission's preferences beside the truth's, and which lists it answers.

    `table` has pairs or ranked lists. Gives the view of all lists, and shape (lists,).
    """
    return Preferred(orders, stated(table, truth)), present(table, truth.lists)


def _pairs(table: Table, truth: GradedItems) -> tuple[Pairs, Mask]:
    """The preferences between items of the truth, and which rows they are."""
    better, worse = (truth.rows(table.ids["list"], table.ids[role]) for role in PAIR)
    ours = (better >= 0) & (worse >= 0)
    return Pairs(better[ours], worse[ours]), ours
