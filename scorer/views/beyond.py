"""Where a submission meets the truth in views that look at more than judged items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Floats, Ints, Mask, starts
from scorer.reading.table import Table, encode
from scorer.views.diverse import Diverse
from scorer.views.extras import NO_EXTRAS, Extras, NamedColumns, placed
from scorer.views.hits import Judged, Ties
from scorer.views.join import GradedItems, answered_lists, order
from scorer.views.labelled import Targets
from scorer.views.pairwise import Likelihood, Pairs, Preferred, Ranking, TruePreferences
from scorer.views.returned import Catalogue, Returned
from scorer.views.scored import Scored
from scorer.views.texts import Texts


def join_returned(
    table: Table,
    truth: GradedItems,
    ties: Ties,
    catalogue: Catalogue,
    past: tuple[Ints, Ints],
    columns: Extras = NO_EXTRAS,
    submission_columns: NamedColumns | None = None,
) -> Returned:
    """Return all that the submission returned, judged or not, with the columns of the items.

    `past` is the history; `columns` of the truth have one element a row of it and of its lists,
    `submission_columns` one a row of the submission.
    """
    ordered = order(table, truth.list_names, ties)
    row = truth.find(table.frame)[ordered.row]
    grade = np.append(truth.grade, np.nan)[row]
    code = catalogue.codes(table.frame["item"].gather(ordered.row))
    extras = Extras(
        placed(columns.truth, row),
        columns.submission if submission_columns is None else submission_columns.at(ordered.row),
        columns.list,
        catalogue.extra.at(code),
    )
    return Returned(
        ordered.in_list, ordered.rank, code, grade, len(truth.lists), catalogue, *past, truth.lists,
        extras,
    )  # fmt: skip


def join_scored(
    table: Table, truth: GradedItems, ties: Ties, judged: Judged, all_returned: Returned
) -> Scored:
    """Return the returned items with their scores.

    `all_returned` has all items, in the order of `order`.
    """
    rows = order(table, truth.list_names, ties).row
    return Scored.of_returned(all_returned, _scores(table)[rows], judged)


def _scores(table: Table) -> Floats:
    """Return the score of each row; NaN where the submission has none."""
    return table.frame["score"].to_numpy() if "score" in table else np.full(len(table), np.nan)


def join_texts(
    table: Table,
    truth: GradedItems,
    ties: Ties,
    judged: Judged,
    columns: Extras = NO_EXTRAS,
    submission_columns: NamedColumns | None = None,
) -> Texts:
    """Return the returned items and the truth's, as texts, with scores and further columns.

    `columns` of the truth have one element a row of it, `submission_columns` one a row of the
    submission.
    """
    ordered = order(table, truth.list_names, ties)
    if submission_columns is not None:
        columns = columns._replace(submission=submission_columns.at(ordered.row))
    return Texts(
        ordered.in_list,
        ordered.rank,
        table.frame["item"].gather(ordered.row).to_list(),
        truth.in_list,
        truth.items.to_list(),
        truth.grade,
        judged,
        _scores(table)[ordered.row],
        columns,
    )


class Subtopics(NamedTuple):
    """The subtopics that each row of a truth was judged for."""

    size: Ints  # of each row of the truth
    subtopic: Ints  # of these, row after row
    grade: Floats
    named: Ints  # of each row of the truth: its item's place by name

    @classmethod
    def of(cls, frame: pl.DataFrame, truth: GradedItems) -> Subtopics:
        """The subtopics in the table that the truth was made of; one for all without the column."""
        row = truth.find(frame)
        codes = encode(frame["subtopic"])[1] if "subtopic" in frame else np.zeros_like(row)
        grade = frame["grade"].to_numpy() if "grade" in frame else np.ones(row.size)
        by = np.lexsort((-grade, codes, row))  # one that is judged again has its highest grade
        by = by[starts(row[by], codes[by])]
        by = by[row[by] >= 0]
        size = np.bincount(row[by], minlength=truth.in_list.size)
        named = truth.items.rank("dense").to_numpy().astype(np.int64) - 1
        return cls(size, codes[by].astype(np.int64), grade[by], named)

    def of_judged(self, judged: Judged) -> Diverse:
        """The view of a submission's hits with their subtopics."""
        return Diverse(judged, self.size, self.subtopic, self.grade, self.named)


def join_ratings(
    table: Table,
    truth: GradedItems,
    columns: Extras = NO_EXTRAS,
    submission_columns: NamedColumns | None = None,
) -> Targets:
    """Return the submission's predictions beside the ratings, which the truth holds as grades.

    Of two predictions for one rating the first counts. `columns` have one element a row of the
    truth, and of its lists, `submission_columns` one a row of the submission.
    """
    row = truth.find(table.frame)
    rows = np.flatnonzero(row >= 0)[::-1]
    place = np.full(truth.in_list.size, -1, dtype=np.int64)
    place[row[rows]] = rows  # from the last, so that the first of two counts
    met = place >= 0
    place = place[met]
    sent = NamedColumns({}, "submission")
    if submission_columns is not None:
        sent = submission_columns.at(place)
    frame = table.frame
    ends = {role: frame[role].to_numpy()[place] for role in ("low", "high") if role in table}
    sent = NamedColumns({**ends, **sent}, "submission", sent.levels)
    in_list = truth.in_list[met].astype(np.int64)
    return Targets(
        truth.lists,
        np.bincount(in_list, minlength=len(truth.lists)) > 0,
        None,
        truth.grade[met],
        frame["prediction"].to_numpy()[place],
        rated_list=in_list,
        extras=Extras(columns.truth.at(met), sent, columns.list, columns.item.at(met)),
    )


def read_likelihood(frame: pl.DataFrame, truth: GradedItems) -> Likelihood:
    """Return the likelihood of preferences between items of the truth."""
    pairs, ours = _read_pairs(frame, truth)
    return Likelihood(pairs, frame["probability"].to_numpy()[ours])


def read_preferences(table: Table, truth: GradedItems) -> Pairs | Ranking:
    """Return the preferences that pairs, or ranked lists, state between items of the truth."""
    if "better" in table:
        return _read_pairs(table.frame, truth)[0]
    ordered = order(table, truth.list_names, "file")
    row = truth.find(table.frame)[ordered.row]
    height = np.full(truth.in_list.size, np.nan)
    height[row[row >= 0]] = -ordered.before[row >= 0]
    return Ranking(height)


def join_preferences(
    table: Table, truth: GradedItems, orders: TruePreferences
) -> tuple[Preferred, Mask]:
    """Return the submission's preferences beside the truth's, and which lists it answers.

    `table` has pairs or ranked lists. Gives the view of all lists, and shape (lists,).
    """
    answered = answered_lists(table.frame, truth.list_names)
    return Preferred(orders, read_preferences(table, truth)), answered


def _read_pairs(frame: pl.DataFrame, truth: GradedItems) -> tuple[Pairs, Mask]:
    """Return the preferences between items of the truth, and which rows they are."""
    better, worse = (truth.find(frame, role) for role in ("better", "worse"))
    ours = (better >= 0) & (worse >= 0)
    return Pairs(better[ours], worse[ours]), ours
