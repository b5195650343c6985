"""Several runs of one system as one submission: `name#1`, `name#2`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.errors import PluginError, UsageError
from scorer.core.problems import Findings
from scorer.core.text import quoted
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure
from scorer.results.groups import lists_of
from scorer.results.report import Scored, Value
from scorer.stats.repeats import pass_at
from scorer.stats.units import exact_mean
from scorer.views.columns import View

RUN_NAME = re.compile(r"(.+)#([^#]+)")  # a system and its run


def with_repeats(scored: Sequence[Scored]) -> list[Scored]:
    """Return the submissions in their order, with several runs of one system as one submission.

    A system with a rejected run is rejected: it would gain by leaving out a bad run.

    Raises:
        UsageError: another submission has the name of a system of several runs.
    """
    runs: dict[str, list[Scored]] = {}
    for each in scored:
        if match := RUN_NAME.fullmatch(each.name):
            runs.setdefault(match[1], []).append(each)
    # A single run is an ordinary submission.
    runs = {name: of_system for name, of_system in runs.items() if len(of_system) > 1}
    if taken := next((each.name for each in scored if each.name in runs), None):
        message = f"{quoted(taken)} is a submission, and {quoted(runs[taken][0].name)} a run of it"
        raise UsageError(f"{message}; call it {taken}#0")
    gathered = []
    for each in scored:
        match = RUN_NAME.fullmatch(each.name)
        of_system = runs.get(match[1], []) if match else []
        if match is None or not of_system:
            gathered.append(each)
        elif each is of_system[0]:  # the system takes the place of its first run
            gathered.append(system_of(match[1], of_system))
    return gathered


def with_passes(
    k: int,
    primary: Measure,
    measures: Sequence[Measure],
    scored: Sequence[Scored],
    group_of: Sequence[str | None],
) -> tuple[tuple[Measure, ...], list[Scored]]:
    """Return the measures and the submissions with a further, last measure: pass@k.

    It is made of the primary measure's values of lists, 1 for a solved list and 0 for another. It
    is NaN for a submission with other values, or with fewer than k runs.
    """
    metric = _pass_metric(primary.metric.view)
    signature = f"{metric.name}|k:{k}|of:({primary.board_signature})"
    measure = Measure(metric, {"k": k}, f"Pass@{k}", f"pass@{k}", board_signature=signature)
    return (
        (*measures, measure),
        [_passed(each, measure, primary, group_of) if each.valid else each for each in scored],
    )


def _passed(
    scored: Scored, measure: Measure, primary: Measure, group_of: Sequence[str | None]
) -> Scored:
    """Return a submission with its pass@k, `measure`."""
    runs = [_solved(run, primary) for run in scored.runs or (scored,)]
    solved = [each for each in runs if each is not None]
    value = scored.values[primary.id]
    chances = np.empty(0)
    if len(solved) == len(runs):
        table = np.array(solved)  # (runs, lists)
        known = ~np.isnan(table).any(axis=0)
        chances = np.full(known.size, np.nan)
        if np.isin(table[:, known], (0.0, 1.0)).all():
            chances[known] = pass_at(
                table[:, known].sum(axis=0).astype(np.int64), len(runs), measure.params["k"]
            )
    lists = int((~np.isnan(chances)).sum())
    passed = Value(_mean_of(chances), lists, value.missing, value.undefined, chances)
    groups_of_lists = np.array([group or "" for group in group_of])
    names = next(iter(scored.groups.values()), {})
    by_group = {
        name: _mean_of(chances[groups_of_lists == name]) if lists else np.nan for name in names
    }
    return replace(
        scored,
        values={**scored.values, measure.id: passed},
        groups={**scored.groups, measure.id: by_group} if scored.groups else scored.groups,
    )


def _solved(run: Scored, primary: Measure) -> Floats | None:
    """Return (lists,): 1 for a list that the run solves, 0 for another, NaN for an undefined one.

    A list that the run leaves out is not solved, even if the rules skip missing lists. Otherwise a
    system would gain by leaving out the samples that fail. None if the measure has no values of
    lists.
    """
    values, card = run.values[primary.id].per_list, run.card
    if values is None or card is None:
        return None
    unsolved = ~card.answered & lists_of(card, primary)
    if primary.id in card.values:  # it has the value of an empty answer for a list left out
        unsolved &= ~np.isnan(card.values[primary.id])
    return np.where(unsolved, 0.0, values)


def _mean_of(values: Floats) -> float:
    """Return the mean of values that are not NaN; NaN without any."""
    return exact_mean(values[~np.isnan(values)])


def passes(lists: View, *, k: int = 1) -> Floats:
    """The chance that any of k runs is right, where c of n runs are, in the mean over lists.

    1 - C(n - c, k) / C(n, k), which is unbiased; of k = 1 the share of right runs. A run is not
    right on a list that it leaves out.
    """
    # Only the docstring is used: `with_passes` computes the values from several runs.
    raise PluginError("this is made of the values of several runs")


def _pass_metric(view: type[View]) -> Metric:
    """Return the metric Pass, which no challenge can name: a board makes it of several runs."""
    return Metric(
        "Pass",
        title="The chance that any of k runs is right",
        source="Chen and others, Evaluating large language models trained on code, "
        "arXiv:2107.03374",
        view=view,
        in_catalogue=False,
    ).of(passes)


def rename(scored: Scored, name: str) -> Scored:
    """Return a submission, and its runs, under another name."""
    runs = tuple(replace(run, name=f"{name}#{run.name.rpartition('#')[2]}") for run in scored.runs)
    return replace(scored, name=name, runs=runs)


def system_of(name: str, runs: Sequence[Scored]) -> Scored:
    """Return the runs of a system as one submission with the means of their values."""
    first, findings = runs[0], Findings(runs[0].path)
    for run in runs:
        findings.extend(run.findings)
    if rejected := next((run for run in runs if not run.valid), None):
        return replace(rejected, name=name, sha256=None, findings=findings)
    values = {
        key: _mean_value({run.name[len(name) + 1 :]: run.values[key] for run in runs})
        for key in first.values
    }
    groups = {
        key: {group: float(np.mean([run.groups[key][group] for run in runs])) for group in means}
        for key, means in first.groups.items()
    }
    return replace(
        first,
        name=name,
        sha256=None,
        baseline=all(run.baseline for run in runs),
        findings=findings,
        values=values,
        groups=groups,
        runs=tuple(runs),
    )


def _mean_value(by_run: Mapping[str, Value]) -> Value:
    """Return the mean of the runs' values; a list counts if all runs have a value of it."""
    values = [*by_run.values()]
    means = np.array([value.mean for value in values])
    tables = [value.per_list for value in values if value.per_list is not None]
    per_list: Floats | None = np.mean(tables, axis=0) if len(tables) == len(values) else None
    lists = values[0].lists if per_list is None else int((~np.isnan(per_list)).sum())
    return Value(
        exact_mean(means),
        min([lists, *(value.lists for value in values)]),
        max(value.missing for value in values),
        max(value.undefined for value in values),
        per_list,
        deviation=float(means.std(ddof=1)) if means.size > 1 else None,
        combined=values[0].combined,
        runs={name: value.mean for name, value in by_run.items()},
    )
