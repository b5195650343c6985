"""Calls the metrics on a submission that is joined with the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.errors import MetricFailed, PluginError
from scorer.core.plugins import plugin_errors
from scorer.core.text import describe_exception, quoted
from scorer.kinds.base import Views
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Figure, Ratio
from scorer.results.scorecard import NO_COLUMNS, NOT_GIVEN, OF_TRUTH, ListColumns, Scorecard
from scorer.views.preferences import Positions
from scorer.views.ranked import Judged, Ranked


def score(
    joined: Views,
    lists: Sequence[str],
    measures: Sequence[Measure],
    columns: ListColumns = NO_COLUMNS,
    of_fold: bool = False,
) -> Scorecard:
    """Return the raw value of each list, or one figure for all lists if a measure pools them.

    A list's value depends on that list and on the measures' parameters only, so that lists can be
    scored in parts, on several machines. A composite has no raw value.

    Args:
        joined: The submission and the truth, joined for the measures.
        lists: The ids of the lists.
        measures: The measures; composites with their parts.
        columns: The groups and weights of the lists.
        of_fold: Whether the truth belongs to a fold.

    Returns:
        For each measure float64 values of shape (lists,), or a figure. A value is NaN if the truth
        leaves it undefined, NOT_GIVEN if the submission does. If a measure with a figure has
        groups, or is of a fold, its id and `OF_TRUTH` is the key of a second figure, which the
        truth would have as a submission.

    Raises:
        PluginError: A metric raised, or did not return one number for each list.
    """
    values: dict[str, Floats] = {}
    figures: dict[str, Ratio | Figure] = {}

    @cache
    def truth_as_submission(view: type, where: str | None) -> Any:
        return joined.where(where).join_truth(view, None)

    parts = {part.id: part for measure in measures for part in measure.all_parts if not part.parts}
    for measure in parts.values():
        view: type = measure.metric.view
        where = measure.combination.where
        filtered = joined.where(where)
        raw = evaluate(measure, filtered.views)
        if isinstance(raw, np.ndarray):
            values[measure.id] = _mark_not_given(measure, filtered, raw)
            continue
        figures[measure.id] = raw
        if measure.combination.grouped_by is None and not of_fold:
            continue
        if (truth_view := truth_as_submission(view, where)) is not None:
            truth_figure = evaluate(measure, {view: truth_view})
            assert not isinstance(truth_figure, np.ndarray)
            figures[measure.id + OF_TRUTH] = truth_figure
    positions = joined.views.get(Positions)
    return Scorecard(
        tuple(lists), joined.answered, values, figures, positions=positions, columns=columns
    )


def evaluate(measure: Measure, views: Mapping[type, Any]) -> Floats | Ratio | Figure:
    """Return the metric's value of each list, or the figure of all lists if it pools them.

    Raises:
        PluginError: A metric raised, or did not return one number for each list; `MetricFailed`
            if it is not one of scorer's own.
    """
    metric = measure.metric
    try:
        with plugin_errors(f"metric {metric.name} failed"):
            if metric.view is Ranked:
                return _evaluate_each_list(measure, views[Judged])
            values: Any = measure.values(views[metric.view])
        if isinstance(values, Ratio):
            return values.subset()  # of all lists; it drops what only explanations show
        if isinstance(values, Figure):
            return values
        names = views[metric.view].names
        if not isinstance(values, np.ndarray) or values.shape != (len(names),):
            shape = values.shape if isinstance(values, np.ndarray) else type(values).__name__
            raise PluginError(f"metric {metric.name} gave {shape}; one number a list was asked")
        return _check_range(measure, values, names)
    except PluginError as error:
        if metric.own:
            raise
        raise MetricFailed(str(error)) from error.__cause__


def _mark_not_given(measure: Measure, joined: Views, values: Floats) -> Floats:
    """Return the values with NOT_GIVEN for NaN where the truth as a submission has a value."""
    lists = np.flatnonzero(np.isnan(values))
    if not lists.size:
        return values
    view = Judged if measure.metric.view is Ranked else measure.metric.view
    has_value = np.full(lists.size, view.truth_defines_all)
    if (truth_view := joined.join_truth(view, lists)) is not None:
        try:
            truth_values = evaluate(measure, {view: truth_view})
        except PluginError:  # a plugin may not be made for the truth as a submission
            return values
        assert isinstance(truth_values, np.ndarray)
        has_value = ~np.isnan(truth_values)
    marked = values.copy()
    marked[lists[has_value]] = NOT_GIVEN
    return marked


def _evaluate_each_list(measure: Measure, judged: Judged) -> Floats:
    """Return the value of each list from a metric that is called with one list at a time."""
    if measure.params.get("judged_only"):
        judged = judged.only_judged()
    values = np.empty(judged.lists)
    name = measure.metric.name
    for n, ranked in enumerate(judged.each()):
        where = f"metric {name} failed on list {quoted(ranked.name)}"
        try:
            value = measure.metric.call(ranked, measure.params)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may call exit()
            raise PluginError(f"{where}: {describe_exception(error)}") from error
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise PluginError(f"{where}: it gave {type(value).__name__}, not a number")
        values[n] = value
    return _check_range(measure, values, judged.names)


def _check_range(measure: Measure, values: Floats, names: Sequence[str]) -> Floats:
    """Return the values as floats; PluginError if one but NaN is out of the metric's range."""
    floats = values.astype(np.float64)
    low, high = measure.metric.range
    slack = 1e-9  # for rounding errors
    wrong = np.isinf(floats)
    if low is not None:
        wrong |= floats < low - slack
    if high is not None:
        wrong |= floats > high + slack
    if wrong.any():
        at = int(np.argmax(wrong))
        raise PluginError(
            f"metric {measure.metric.name} gave {floats[at]} for list {quoted(names[at])}; "
            f"its range is {'-∞' if low is None else low} to {'∞' if high is None else high}"
        )
    return floats
