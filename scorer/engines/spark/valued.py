"""Values of lists whose truth Spark reads, too: nothing of either is ever in one place."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from scorer.core.errors import PluginError, SubmissionRejected
from scorer.core.problems import Findings
from scorer.engines.spark.pack import unpacked
from scorer.engines.spark.reading import NOTES
from scorer.engines.spark.scoring import Work
from scorer.engines.spark.truths import Opening, without_rows
from scorer.results.scorecard import UNDEFINED, Rules
from scorer.scoring.lists import Plan, outcome, score_lists
from scorer.scoring.settle import settle

VALUES = "list string, group string, measure string, value double"


def valuer(opening: bytes, work: Work) -> Callable[[Any, Any, Any], Any]:
    """What gives the values of a bucket's lists."""
    return lambda key, left, right: _valued(
        pickle.loads(opening), work.open(), key[0].as_py(), left, right
    )


def _valued(opening: Opening, plan: Plan, bucket: int, left: Any, right: Any) -> Any:
    import pyarrow as pa

    data = left.column("data").to_pylist()
    if bucket == NOTES:
        for notes in map(pickle.loads, data):
            if notes.findings.fatal:
                raise SubmissionRejected(problems=notes.findings)
        return pa.table(_no_values())
    truth, table = unpacked(right.column("data").to_pylist()), unpacked(data)
    truth = without_rows(opening.shape) if truth is None else truth
    public, ready = opening.open(bucket, truth)
    whole = replace(plan, public=public, truth=ready)
    findings = Findings()
    part = score_lists(whole, without_rows(plan.shapes[0]) if table is None else table)
    scored = outcome(whole, part, findings, None)
    return pa.table(_values_of(whole, opening.rules, scored))


def _no_values() -> dict[str, Any]:
    import pyarrow as pa

    texts = {name: pa.array([], pa.string()) for name in ("list", "group", "measure")}
    return {**texts, "value": pa.array([], pa.float64())}


def _values_of(plan: Plan, rules: Mapping[str, Rules], scored: Any) -> dict[str, Any]:
    import pyarrow as pa

    if scored.card is None:
        wrong = [problem for problem in scored.findings if problem.severity == "error"]
        raise SubmissionRejected(problems=wrong[:3])
    lists, measures, values = list[str](), list[str](), list[np.ndarray[Any, Any]]()
    for measure in plan.measures:
        states = scored.card.states(measure.id, rules[measure.id])
        if rules[measure.id].undefined == "error" and (states >= UNDEFINED).any():
            at = scored.card.lists[int(np.argmax(states >= UNDEFINED))]
            raise PluginError(f"{measure.id} is undefined for list {at!r}")
        per_list = settle(scored.card, measure, rules[measure.id]).per_list
        assert per_list is not None
        lists += scored.card.lists
        measures += [measure.id] * len(scored.card.lists)
        values.append(per_list)
    column = np.concatenate([np.empty(0), *values])
    return {
        "list": pa.array(lists, pa.string()),
        "group": pa.array([plan.public.groups.get(name) for name in lists], pa.string()),
        "measure": pa.array(measures, pa.string()),
        "value": pa.array(column, pa.float64(), mask=np.isnan(column)),
    }
