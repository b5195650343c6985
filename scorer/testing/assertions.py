"""Tests of metrics by laws and by worked cases, for scorer's own metrics and plug-ins.

    from scorer.testing import cases, laws

    def test_my_metric():
        laws(my_metric, k=3)                    # lists that hypothesis makes
        cases("my_metric.yaml", my_metric)      # worked ones

Both raise `AssertionError`. A file of cases is a list such as

    - cite: our workshop's paper, table 2
      lists:
        - {returned: [b, [a, c]], truth: {a: 2, c: 1}}    # items in [ ] have equal scores
      expect: {MyMetric@2: 0.5, MyMetric: 3/4}            # a list of values for several lists

A case can also have `ties:` (default item-desc), `tolerance:` (default 1e-12) and `mean:`. For a
metric of texts a list is `{answer: Nile, accepted: [the Nile]}`; a pooled metric has one value. The
cases may stand under the key `cases` of a mapping, beside what other tests read (CONTRIBUTING.md).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

import numpy as np
import yaml

from scorer.api.attacks import find_gains
from scorer.challenge.load import load
from scorer.core.arrays import Floats
from scorer.core.errors import PluginError, ScorerError
from scorer.kinds.base import Constants
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure, NotationError, parse, parse_measure
from scorer.scoring.bind import bind
from scorer.scoring.evaluate import evaluate
from scorer.scoring.open import open_challenge
from scorer.testing.views import judged_view, texts_view
from scorer.views.columns import Column, Extras, NamedColumns
from scorer.views.ranked import Judged, Ranked, Ties
from scorer.views.texts import Texts

Pair = tuple[Sequence[Sequence[str]], Mapping[str, float]]  # a returned list and its truth
Extra = Mapping[str, Mapping[str, str]]  # section -> name of a further column -> its kind

TRIES = 100  # how many examples of lists a metric is tested with
GRADES = (1.0, 0.0, 2.0, 3.0, 0.5, -1.0)  # the plainest first: hypothesis prefers these
NO_COLUMNS: Extra = {}
CONSTANTS = Constants(max_grade=3.0, catalogue=20, users=5)


def laws(function: Callable[..., Any], *, extra: Extra = NO_COLUMNS, **params: Any) -> None:
    """Test a metric with these parameters against the laws of all metrics.

    It is for metrics that look at `Judged` or `Ranked`. The laws are:

    - The metric has a title, a source and a docstring.
    - It gives each list a number of its range, or NaN, also if the list is empty or has no truth.
    - It gives a list the same value, to the bit, together with other lists and alone.
    - It does not change what it is given.

    Args:
        function: The metric.
        extra: The further columns that it looks at, as a challenge declares them:
            `{"truth": {"degree": "number"}}`.
        params: Its parameters.

    Raises:
        AssertionError: A law is broken; the message names it, a note shows small lists that do it.
        PluginError: hypothesis is not installed.
    """
    try:
        from hypothesis import Phase, given, settings
        from hypothesis import strategies as st
    except ImportError:
        raise PluginError("laws needs the package hypothesis: pip install hypothesis") from None
    metric = _metric_of(function)
    facts = {"title": metric.title, "source": metric.source, "docstring": metric.page}
    for name, text in facts.items():
        _require(text.strip(), f"{metric.name} has no {name}")
    measure = parse_measure(metric, metric.name, params).resolve(CONSTANTS)
    _require(measure.of_lists, f"{measure.name} is a figure of all lists, not a value of each")

    # Items are mapped from integers, not sampled from a sequence: hypothesis takes unique samples
    # out of the sequence, so that each one changes all later ones, and failing lists stay long.
    items, grades = st.integers(0, 7).map("abcdefgh".__getitem__), st.sampled_from(GRADES)
    truth = st.dictionaries(items, grades)
    if metric.truth_order == "strict":  # no grade stands twice in a list
        rows = st.lists(st.tuples(items, grades), unique_by=(itemgetter(0), itemgetter(1)))
        truth = rows.map(dict)
    returned = st.dictionaries(items, st.integers(1, 6)).map(_group_by_rank)
    tie_rules: tuple[Ties, ...] = ("item-desc", *metric.ties)

    @settings(
        max_examples=TRIES,
        phases=(Phase.generate, Phase.shrink),
        deadline=None,
        database=None,
        derandomize=True,
    )
    @given(
        lists=st.lists(st.tuples(returned, truth), max_size=4),
        ties=st.sampled_from(tie_rules),
    )
    def keeps_the_laws(lists: list[Pair], ties: Ties) -> None:
        broken = _find_broken_law(measure, lists, ties, extra)
        _require(broken is None, f"{measure.name} breaks a law: {broken}")

    keeps_the_laws()


def cases(path: Path | str, *functions: Callable[..., Any]) -> None:
    """Test metrics against the worked cases of a YAML file.

    Args:
        path: The file.
        functions: Metrics that are not installed, as a plug-in's own.

    Raises:
        AssertionError: A value is not the one expected.
    """
    own = ((_metric_of(function), function.__module__) for function in functions)
    registry = metrics().with_metrics(own)
    document = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    rows = document["cases"] if isinstance(document, dict) else document
    for number, case in enumerate(rows, start=1):
        where = f"{path}, case {number} ({case.get('cite', 'not cited')})"
        tolerance = case.get("tolerance", 1e-12)
        view = _view_of_case(case)
        for notation, expected in case["expect"].items():
            measure = parse_measure(registry.get(parse(notation).name), notation)
            result = evaluate(measure, {type(view): view})
            values = result if isinstance(result, np.ndarray) else np.array([result.pooled()])
            _require_equal(f"{where}: {notation}", values, expected, tolerance)
            if "mean" in case:
                mean = np.array([values.mean()])
                _require_equal(f"{where}: the mean of {notation}", mean, case["mean"], tolerance)


def no_gain(challenge: Path | str) -> None:
    """Test that garbage gains nothing by any measure of a challenge, whose plug-ins are run.

    Garbage is made from a good submission: rows, items or lists are left out, all have one class or
    number, or values are invalid, huge, doubled or scaled. It must rank no higher than the good
    one, or be refused.

    Raises:
        AssertionError: Some rank higher; the message says which, by how much, and what to write.
    """
    lines = [
        gain.message
        for gain in find_gains(open_challenge(bind(load(challenge), allow_plugins=True)))
    ]
    _require(not lines, "\n".join(lines))


def _find_broken_law(
    measure: Measure, lists: Sequence[Pair], ties: Ties, extra: Extra
) -> str | None:
    """The law that a measure breaks for these lists, and how; None if it keeps them all."""
    try:
        values = _values_of_lists(measure, lists, ties, extra)
        alone = [_values_of_lists(measure, [pair], ties, extra) for pair in lists]
    except ScorerError as error:
        if ties == "expected" and isinstance(error, NotationError):
            return None  # not all parameters of a metric allow this rule
        return f"each list has a number of the metric's range, or NaN\n  {error}"
    one_by_one = np.concatenate([np.empty(0), *alone])
    if not np.array_equal(values, one_by_one, equal_nan=True):
        together = f"{values.tolist()} together, {one_by_one.tolist()} one by one"
        return f"a list's value does not depend on other lists\n  {together}"
    view = _view_of_lists(lists, ties, extra)
    for argument in view.each() if measure.metric.view is Ranked else [view]:
        before = pickle.dumps(argument)
        measure.metric.call(argument, measure.params)
        if pickle.dumps(argument) != before:
            changed = f"{type(argument).__name__} is not what it was"
            return f"what a metric is given stays as it was\n  {changed}"
    return None


def _values_of_lists(measure: Measure, lists: Sequence[Pair], ties: Ties, extra: Extra) -> Floats:
    return cast(Floats, evaluate(measure, {Judged: _view_of_lists(lists, ties, extra)}))


def _group_by_rank(ranks: Mapping[str, int]) -> list[list[str]]:
    """Groups of the items of each rank, by ascending rank."""
    return [[item for item in ranks if ranks[item] == rank] for rank in sorted(set(ranks.values()))]


def _metric_of(function: Callable[..., Any]) -> Metric:
    metric = getattr(function, "metric", None)
    if not isinstance(metric, Metric) or metric.view not in (Judged, Ranked):
        name = getattr(function, "__name__", function)
        raise TypeError(f"{name} is no metric that looks at Judged or Ranked")
    return metric


def _view_of_case(case: Mapping[str, Any]) -> Judged | Texts:
    """The lists of a case, ranked or of texts."""
    if "answer" in case["lists"][0]:
        return texts_view(*((pair["answer"], pair["accepted"]) for pair in case["lists"]))
    pairs: list[Pair] = []
    for pair in case["lists"]:
        returned = [
            [str(item) for item in entry] if isinstance(entry, list) else str(entry)
            for entry in pair["returned"]
        ]
        truth = pair["truth"]
        grades = truth if isinstance(truth, dict) else dict.fromkeys(truth, 1.0)
        pairs.append((returned, {str(item): float(grade) for item, grade in grades.items()}))
    return judged_view(*pairs, ties=case.get("ties", "item-desc"))


def _require(holds: object, message: str) -> None:
    """Raise `AssertionError` with that message unless `holds`, also under `python -O`."""
    if not holds:
        raise AssertionError(message)


def _require_equal(where: str, values: Floats, expected: Any, tolerance: float) -> None:
    """Raise `AssertionError` if values are not those that a case has: numbers, or texts as 3/4."""
    cells = expected if isinstance(expected, list) else [expected]
    numbers = [float(Fraction(cell) if isinstance(cell, str) else cell) for cell in cells]
    equal = values.size == len(numbers) and np.allclose(
        values, numbers, rtol=0, atol=tolerance, equal_nan=True
    )
    _require(equal, f"{where} is {values.tolist()}, expected {numbers}")


def _view_of_lists(lists: Sequence[Pair], ties: Ties, extra: Extra) -> Judged:
    """The view of these lists, with the further columns.

    The values of these columns depend on the ids of the items alone, so that a list has the same
    values alone as together with others.
    """
    view = judged_view(*lists, ties=ties)
    ideals = [sorted(truth, key=truth.__getitem__, reverse=True) for _, truth in lists]
    items = [item for ideal in ideals for item in ideal]
    ids = {  # what a column of each section has its values made from
        "truth": items,
        "submission": view.of_hits(np.array(items, dtype=object)).tolist(),
        "lists": ["".join(ideal) for ideal in ideals],
        "items": items,
    }
    sections = {}
    for section, kinds in extra.items():
        columns = {name: _make_column(kind, ids[section]) for name, kind in kinds.items()}
        levels = {name: ("x", "y") for name, kind in kinds.items() if kind == "classes"}
        field = {"lists": "list", "items": "item"}.get(section, section)  # of `Extras`
        sections[field] = NamedColumns(columns, field, levels)
    return replace(view, extras=Extras(**sections))


def _make_column(kind: str, ids: Sequence[str]) -> Column:
    """A column of this kind (number, classes or text) with a value for each id."""
    seeds = np.array([sum(map(ord, name)) % 7 for name in ids], dtype=np.float64)  # 0 to 6
    if kind == "number":
        return seeds / 2
    if kind == "classes":
        return np.column_stack([seeds, 6 - seeds]) / 6
    return np.array(["xyz"[int(seed) % 3] for seed in seeds], dtype=object)
