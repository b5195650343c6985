"""Laws and worked cases that metrics are tested with, those of plugins as scorer's own.

    from scorer.testing import cases, laws

    def test_my_metric():
        laws(my_metric, k=3)                    # random lists
        cases("my_metric.yaml", my_metric)      # worked ones

Both raise `AssertionError`. A file of cases is a list such as

    - cite: our workshop's paper, table 2
      lists:
        - {returned: [b, [a, c]], truth: {a: 2, c: 1}}    # items in [ ] have equal scores
      expect: {MyMetric@2: 0.5, MyMetric: 3/4}            # a list of values for several lists

with `ties:` (item-desc), `tolerance:` (1e-12) and `mean:` where they are wanted. A list of a
metric of texts is `{answer: Nile, accepted: [the Nile]}`; a pooled metric has one value. The list
may be the key `cases` of a mapping, beside what other tests read (CONTRIBUTING.md).
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.errors import PluginError, ScorerError
from scorer.kinds.base import Constants
from scorer.metrics.api import Figure, Metric, Ratio
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure, NotationError, parse, parse_measure
from scorer.scoring.evaluate import evaluate
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Schema, Table
from scorer.views.extras import Column, Extras, NamedColumns
from scorer.views.hits import Judged, Ranked, Ties
from scorer.views.join import GradedItems, judge
from scorer.views.texts import Texts

Groups = Sequence[str | Sequence[str]]
Pair = tuple[Groups, Mapping[str, float]]  # a returned list, and its truth
Law = Callable[..., str | None]  # of a measure, lists and ties: what is wrong, if anything

TRIES = 100
ITEMS = "abcdefgh"
GRADES = (-1.0, 0.0, 0.5, 1.0, 1.0, 1.0, 2.0, 2.0, 3.0)
SETTLED = Constants(max_grade=3.0, catalogue=20, users=5)
EDGES: tuple[tuple[Pair, ...], ...] = ((), (((), {}),), ((("a",), {}),), (((), {"a": 1.0}),))
SLACK = 1e-9
Extra = Mapping[str, Mapping[str, str]]  # section -> name of a further column -> its kind


def judged(*lists: Pair, ties: Ties = "item-desc", extra: Extra | None = None) -> Judged:
    """Returned lists seen through their truths; items in a group of their own have equal scores.

    `extra` gives further columns, as a challenge declares them, with values made up of the
    items' ids: `{"truth": {"degree": "number"}}`; sections: truth, submission, lists, items.

    >>> judged((["b", ["a", "c"]], {"a": 2, "c": 1})).hits.rank     # c comes first, as in trec_eval
    array([2, 3])
    """
    names = [f"{n:06}" for n in range(len(lists))]
    returned, grades = list[tuple[str, str, float]](), list[tuple[str, str, float]]()
    for name, (groups, truth) in zip(names, lists, strict=True):
        grades += [(name, item, grade) for item, grade in truth.items()]
        for place, group in enumerate(groups):
            items = [group] if isinstance(group, str) else group
            returned += [(name, item, -place) for item in items]
    truth_of = GradedItems.of(_truth_table(grades, "grade"), names)
    view = judge(_truth_table(returned, "score"), truth_of, ties)[0]
    return _with_columns(view, lists, extra) if extra else view


def _with_columns(view: Judged, lists: Sequence[Pair], extra: Extra) -> Judged:
    """With further columns, whose values depend on the item, or the list's items, alone."""
    ranked_items = [sorted(truth, key=lambda x, t=truth: -t[x]) for _, truth in lists]  # type: ignore[misc]
    items = [item for names in ranked_items for item in names]
    returned = view.of_hits(np.array(items, dtype=object)).tolist()
    list_texts = ["".join(names) for names in ranked_items]
    rows = {"truth": items, "submission": returned, "lists": list_texts, "items": items}
    by_section = {}
    for section, kinds in extra.items():
        short = {"lists": "list", "items": "item"}.get(section, section)
        columns = {name: _made_up(kind, rows[section]) for name, kind in kinds.items()}
        levels = {name: ("x", "y") for name, kind in kinds.items() if kind == "classes"}
        by_section[short] = NamedColumns(columns, short, levels)
    return replace(view, extras=Extras(**by_section))


def _made_up(kind: str, names: Sequence[str]) -> Column:
    seeds = np.array([sum(map(ord, name)) % 7 for name in names], dtype=np.float64)
    if kind == "number":
        return seeds / 2
    if kind == "classes":
        return np.column_stack([seeds, 6 - seeds]) / 6
    texts = np.empty(len(names), dtype=object)
    texts[:] = ["xyz"[int(seed) % 3] for seed in seeds]
    return texts


def laws(function: Callable[..., Any], *, extra: Extra | None = None, **params: Any) -> None:
    """Test a metric with these parameters against the laws of all metrics.

    `extra` declares the further columns that it looks at, as a challenge does:
    `laws(my_metric, extra={"truth": {"degree": "number"}}, k=3)`.

    It is for metrics that look at `Judged` or `Ranked`. It has a title, a source
    and a docstring; refuses parameters it does not have; gives each list a
    number of its range, or NaN, whatever the list, an empty one and one without
    truth included; the same, to the bit, however the lists are split; and leaves
    what it is given as it was.

    Raises:
        AssertionError: a law is broken; the message names it, and the smallest lists found.
    """
    metric = _metric(function)
    for what in ("title", "source", "page"):
        message = "docstring" if what == "page" else what
        _hold(getattr(metric, what).strip(), f"{metric.name} has no {message}")
    bound = parse_measure(metric, metric.name, params).settled(SETTLED)
    try:
        parse_measure(metric, metric.name, {**params, "no_such_parameter": 1})
    except NotationError:
        pass
    else:
        raise AssertionError(f"{metric.name} takes parameters that it does not have")
    rng = random.Random(1)
    tries = [*EDGES, *(_random_lists(rng, metric) for _ in range(TRIES))]
    for ties in ("item-desc", "expected"):
        if ties == "expected" and not (metric.expected_ties and _has_closed_form(bound, extra)):
            continue
        for lists in tries:
            for law, rule in LAWS.items():
                broken = partial(rule, extra=extra)
                if _broken(broken, bound, lists, ties):
                    raise AssertionError(_smallest_case(bound, law, broken, lists, ties))


def no_gain(challenge: Path | str) -> None:
    """Test that garbage gains nothing by any measure of a challenge, whose plugins are run.

    Submissions made from a good one by dropping rows, items and lists, by one class or number for
    all, invalid, huge, doubled and scaled values, rank no higher, or are refused.

    Raises:
        AssertionError: some rank higher; the message says which, by how much, and what to write.
    """
    from scorer.api.attacks import gains
    from scorer.challenge.load import load
    from scorer.prepare.bind import prepare
    from scorer.prepare.open import opened

    lines = [
        f"{gain.measure} gains by {gain.attack}: {gain.attacked:.6g} in place of "
        f"{gain.honest:.6g}; write {gain.remedy}"
        for gain in gains(opened(prepare(load(challenge), allow_plugins=True)))
    ]
    _hold(not lines, "\n".join(lines))


def cases(path: Path | str, *functions: Callable[..., Any]) -> None:
    """Test metrics against the worked cases of a YAML file.

    Args:
        path: the file.
        functions: metrics that are not installed, as a plugin's own.

    Raises:
        AssertionError: a value is not the one expected.
    """
    import yaml

    registry = metrics().with_((_metric(function), function.__module__) for function in functions)
    told = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    for n, case in enumerate(told["cases"] if isinstance(told, dict) else told):
        where = f"{path}, case {n + 1} ({case.get('cite', 'not cited')})"
        view = _view(case)
        tolerance = case.get("tolerance", 1e-12)
        for notation, wanted in case["expect"].items():
            values = _values_of_metric(
                parse_measure(registry.get(parse(notation)[0]), notation), view
            )
            expected = [
                _number(value) for value in (wanted if isinstance(wanted, list) else [wanted])
            ]
            message = f"{where}: {notation} is {values.tolist()}, expected {expected}"
            _hold(values.size == len(expected), message)
            _hold(np.allclose(values, expected, rtol=0, atol=tolerance, equal_nan=True), message)
            if "mean" in case:
                mean, of = _number(case["mean"]), float(values.mean())
                _hold(abs(of - mean) <= tolerance, f"{where}: mean {of}, expected {mean}")


def _gives(
    bound: Measure, lists: Sequence[Pair], ties: Ties, extra: Extra | None = None
) -> str | None:
    _evaluated(bound, judged(*lists, ties=ties, extra=extra))
    return None


def _in_range(
    bound: Measure, lists: Sequence[Pair], ties: Ties, extra: Extra | None = None
) -> str | None:
    low, high = bound.metric.range
    for value in _evaluated(bound, judged(*lists, ties=ties, extra=extra)).tolist():
        if low is not None and value < low - SLACK:
            return f"{value} is below {low:g}"
        if high is not None and value > high + SLACK:
            return f"{value} is above {high:g}"
    return None


def _of_any_split(
    bound: Measure, lists: Sequence[Pair], ties: Ties, extra: Extra | None = None
) -> str | None:
    whole = _evaluated(bound, judged(*lists, ties=ties, extra=extra))
    parts = [_evaluated(bound, judged(pair, ties=ties, extra=extra)) for pair in lists]
    one_by_one = np.concatenate([np.empty(0), *parts])
    if np.array_equal(whole, one_by_one, equal_nan=True):
        return None
    return f"{whole.tolist()} together, {one_by_one.tolist()} one by one"


def _unmodified(
    bound: Measure, lists: Sequence[Pair], ties: Ties, extra: Extra | None = None
) -> str | None:
    view = judged(*lists, ties=ties, extra=extra)
    views = list(view.each()) if bound.metric.view is Ranked else [view]
    for argument in views:
        before = pickle.dumps(argument)
        bound.metric.call(argument, bound.params)
        if pickle.dumps(argument) != before:
            return f"{type(argument).__name__} is not what it was"
    return None


LAWS: dict[str, Law] = {
    "each list has a number or NaN": _gives,
    "values are in the metric's range": _in_range,
    "a list's value does not depend on other lists": _of_any_split,
    "what a metric is given stays as it was": _unmodified,
}


def _broken(law: Law, bound: Measure, lists: Sequence[Pair], ties: Ties) -> str | None:
    try:
        return law(bound, lists, ties)
    except ScorerError as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _hold(holds: object, message: str) -> None:
    """`assert` that `python -O` keeps."""
    if not holds:
        raise AssertionError(message)


def _view(case: Mapping[str, Any]) -> Judged | Texts:
    """The lists of a case, ranked or of texts."""
    if "answer" in case["lists"][0]:
        return Texts.of(*((pair["answer"], pair["accepted"]) for pair in case["lists"]))
    return judged(*map(_pair, case["lists"]), ties=case.get("ties", "item-desc"))


def _result(bound: Measure, view: Judged | Texts) -> Floats | Ratio | Figure:
    """What scoring makes of a view, not yet held to the range."""
    unbounded = replace(bound, metric=replace(bound.metric, range=(None, None)))
    return evaluate(unbounded, {type(view): view})


def _values_of_metric(bound: Measure, view: Judged | Texts) -> Floats:
    """One value a list, or that of all lists together, not yet held to the range."""
    result = _result(bound, view)
    return result if isinstance(result, np.ndarray) else np.array([result.pooled()])


def _evaluated(bound: Measure, view: Judged | Texts) -> Floats:
    """One value a list, not yet held to the range."""
    values = _result(bound, view)
    if not isinstance(values, np.ndarray):
        raise PluginError(f"{bound.name} gives a figure of all lists, not one value a list")
    return values


def _has_closed_form(bound: Measure, extra: Extra | None) -> bool:
    """Whether these parameters have one for tied items; some have none, and say so."""
    try:
        _evaluated(bound, judged((["a", "b"], {"a": 1.0}), ties="expected", extra=extra))
    except NotationError:
        return False
    return True


def _smallest_case(bound: Measure, law: str, broken: Law, lists: Sequence[Pair], ties: Ties) -> str:
    smallest = list(lists)
    while True:
        failing = (s for s in _smaller(smallest) if _broken(broken, bound, s, ties))
        if (smaller := next(failing, None)) is None:
            break
        smallest = smaller
    lines = "".join(
        f"\n  returned {list(groups)!r}, truth {dict(truth)!r}" for groups, truth in smallest
    )
    message = f"{bound.name} (ties: {ties}) breaks a law: {law}"
    return f"{message}\n  {_broken(broken, bound, smallest, ties)}\nthe smallest case found:{lines}"


def _smaller(lists: Sequence[Pair]) -> Iterator[list[Pair]]:
    """The same lists with something left out, or simpler."""
    for n, (groups, truth) in enumerate(lists):
        before, after = list(lists[:n]), list(lists[n + 1 :])
        if len(lists) > 1:
            yield [*before, *after]
        for at in range(len(groups)):
            yield [*before, ([*groups[:at], *groups[at + 1 :]], truth), *after]
            if not isinstance(groups[at], str):
                flattened = [*groups[:at], *groups[at], *groups[at + 1 :]]
                yield [*before, (flattened, truth), *after]
        for item, grade in truth.items():
            yield [*before, (groups, {k: v for k, v in truth.items() if k != item}), *after]
            if grade not in (0.0, 1.0) and 1.0 not in truth.values():
                yield [*before, (groups, {**truth, item: 1.0}), *after]


def _random_lists(rng: random.Random, metric: Metric) -> tuple[Pair, ...]:
    pairs = []
    for _ in range(rng.randint(1, 4)):
        judged_items = rng.sample(ITEMS, rng.randint(0, len(ITEMS)))
        grades = (
            rng.sample([float(n) / 2 for n in range(-2, 7)], len(judged_items))
            if metric.strict_order
            else rng.choices(GRADES, k=len(judged_items))
        )
        groups: list[str | list[str]] = []
        for item in rng.sample(ITEMS, rng.randint(0, len(ITEMS))):
            if groups and rng.random() < 0.25:
                last = groups.pop()
                groups.append([*last, item])
            else:
                groups.append(item)
        pairs.append((groups, dict(zip(judged_items, grades, strict=True))))
    return tuple(pairs)


def _metric(function: Callable[..., Any]) -> Metric:
    metric = getattr(function, "metric", None)
    if not isinstance(metric, Metric) or metric.view not in (Judged, Ranked):
        name = getattr(function, "__name__", function)
        raise TypeError(f"{name} is no metric that looks at Judged or Ranked")
    return metric


def _pair(case: Mapping[str, Any]) -> Pair:
    groups = [list(map(str, x)) if isinstance(x, list) else str(x) for x in case["returned"]]
    truth = case["truth"]
    if isinstance(truth, list):
        return groups, dict.fromkeys(map(str, truth), 1.0)
    return groups, {str(item): float(grade) for item, grade in truth.items()}


def _number(value: Any) -> float:
    return float(Fraction(value)) if isinstance(value, str) else float(value)


def _truth_table(rows: Sequence[tuple[str, str, float]], number: str) -> Table:
    ids = {}
    for column, role in enumerate(("list", "item")):
        texts = [str(row[column]) for row in rows]
        names = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([names[text] for text in texts], dtype=np.int64)
        ids[role] = CodedColumn(codes, tuple(names))
    numbers = {number: np.array([row[2] for row in rows], dtype=np.float64)}
    lines = np.arange(1, len(rows) + 1, dtype=np.int64)
    return Table(ids, numbers, lines, Schema(("list", "item")))
