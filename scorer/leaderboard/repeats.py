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

REPEATED = re.compile(r"(.+)#([^#]+)")


def with_repeats(scored: Sequence[Scored]) -> list[Scored]:
    """Return the submissions in their order, with several runs of one system as one submission.

    A system with a rejected run is rejected: it would gain by leaving out a bad run.

    Raises:
        UsageError: another submission is called as a system of several runs.
    """
    runs: dict[str, list[Scored]] = {}
    for each in scored:
        if match := REPEATED.fullmatch(each.name):
            runs.setdefault(match[1], []).append(each)
    runs = {name: own for name, own in runs.items() if len(own) > 1}
    if taken := next((each.name for each in scored if each.name in runs), None):
        message = f"{quoted(taken)} is a submission, and {quoted(runs[taken][0].name)} a run of it"
        raise UsageError(f"{message}; call it {taken}#0")
    gathered = []
    for each in scored:
        match = REPEATED.fullmatch(each.name)
        own = runs.get(match[1], []) if match else []
        if match is None or not own:
            gathered.append(each)
        elif each is own[0]:
            gathered.append(system_of(match[1], own))
    return gathered


def with_passes(
    k: int,
    primary: Measure,
    measures: Sequence[Measure],
    scored: Sequence[Scored],
    group_of: Sequence[str | None],
) -> tuple[tuple[Measure, ...], list[Scored]]:
    """Return the measures and submissions with pass@k by the primary measure, the last measure.

    It is NaN for a submission whose values on lists are not 0 or 1, or that has fewer runs.
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
    """A submission with its pass@k."""
    runs = [_solved(run, primary) for run in scored.runs or (scored,)]
    value = scored.values[primary.id]
    chances = np.full(0, np.nan)
    if (tables := [each for each in runs if each is not None]) and len(tables) == len(runs):
        table = np.array(tables)
        known = ~np.isnan(table).any(axis=0)
        chances = np.full(known.size, np.nan)
        if np.isin(table[:, known], (0.0, 1.0)).all():
            chances[known] = pass_at(
                table[:, known].sum(axis=0).astype(np.int64), len(runs), measure.params["k"]
            )
    lists = int((~np.isnan(chances)).sum())
    own = Value(_mean_of(chances), lists, value.missing, value.undefined, chances)
    here = np.array([group or "" for group in group_of])
    groups = next(iter(scored.groups.values()), {})
    by_group = {group: _mean_of(chances[here == group]) if lists else np.nan for group in groups}
    return replace(
        scored,
        values={**scored.values, measure.id: own},
        groups={**scored.groups, measure.id: by_group} if scored.groups else scored.groups,
    )


def _solved(run: Scored, primary: Measure) -> Floats | None:
    """Which lists a run solves: 1 or 0, NaN where the measure has no value.

    A list that the run leaves out is not solved, also where missing lists are skipped. Otherwise a
    system gained by leaving out the samples that fail. None of a measure without values of lists.
    """
    values, card = run.values[primary.id].per_list, run.card
    if values is None or card is None:
        return None
    unsolved = ~card.answered & lists_of(card, primary)
    if primary.id in card.values:  # there a list that is left out has the value of an empty one
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
    raise PluginError("this is made of the values of several runs")


def _pass_metric(view: type[View]) -> Metric:
    """The metric of a measure that only several runs have."""
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
    """The runs of a system as one submission, whose values are their means."""
    first, findings = runs[0], Findings(runs[0].path)
    for run in runs:
        findings.extend(run.findings)
    if rejected := [run for run in runs if not run.valid]:
        return replace(rejected[0], name=name, sha256=None, findings=findings)
    values = {
        key: _averaged({run.name[len(name) + 1 :]: run.values[key] for run in runs})
        for key in first.values
    }
    groups = {
        key: {group: float(np.mean([run.groups[key][group] for run in runs])) for group in of}
        for key, of in first.groups.items()
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


def _averaged(of_runs: Mapping[str, Value]) -> Value:
    """The mean of several runs; a list counts that all of them have."""
    values = [*of_runs.values()]
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
        runs={name: value.mean for name, value in of_runs.items()},
    )
