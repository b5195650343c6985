"""Runs scored against a truth without a challenge.yaml: both may be data of a Python session."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import polars as pl

from scorer.api import data
from scorer.api.arrays import is_array, only_column, read_arrays
from scorer.api.columns import name_columns
from scorer.api.report import Report
from scorer.api.score import score
from scorer.api.submissions import Progress, Submissions, bind_challenge
from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.challenge.roles import ROLES
from scorer.challenge.types import MissingList, TieRule, UndefinedRule, UnknownList
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.plugins import MARK
from scorer.core.text import KIT
from scorer.infer.base import Needs
from scorer.infer.challenge import find_needs
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics, suggest_from_tools
from scorer.scoring.bind import BoundChallenge, bind

# The folder of data: no file can be in it, and as for a kit, messages name its files alone.
SESSION = Path(os.devnull, f"{KIT}session")
BESIDE = ("undefined", "leaderboard", "title")  # rules that are not keys of `submission:`
FRAME = {"format": "parquet"}  # how columns of a frame are read: by their names


Spec = str | Mapping[str, object] | Callable[..., Any]  # a notation, with parameters, a function
Measures = Sequence[Spec] | Spec
# A challenge as `score` takes it; with measures, a truth as `evaluate` does: a file, or data.
ChallengeOrTruth = Challenge | Path | str | object
Columns = Mapping[str, str | Sequence[str]]  # by role; of classes' probabilities several


class RunRules(TypedDict, total=False):
    """What a run must be, as `submission:` of a challenge.yaml says it, and how it counts."""

    length: int | Mapping[str, int]
    range: tuple[float, float]
    missing_list: MissingList
    unknown_list: UnknownList
    ties: TieRule
    limits: Mapping[str, object]
    undefined: UndefinedRule  # what a list without a value counts
    classes: Sequence[str]  # the labels there are, in the order of columns of probabilities
    leaderboard: Mapping[str, object]
    title: str


def evaluate(
    truth: object,
    runs: Submissions,
    measures: Measures,
    *,
    columns: Columns | None = None,
    progress: Progress | None = None,
    **rules: Unpack[RunRules],
) -> Report:
    """Score runs against a truth.

    Args:
        truth: a dict `{list: {item: grade}}`, a data frame (pandas, polars, pyarrow, duckdb:
            whatever has an Arrow stream), rows `(list, item, grade)`, or the path of a file. Of
            a table of classes or numbers a dict `{id: answer}`, rows `(id, answer)`, or an answer
            a row as scikit-learn takes them: an array, a Series, a list.
        runs: name -> run, each a dict `{list: {item: score}}` or `{list: [item, ...]}` best
            first, a data frame, rows `(list, item, score)`, or a path; of a table `{id: answer}`,
            or as many answers as the truth: labels, numbers, or probabilities, shape (rows,) of
            the second of two classes or (rows, classes) in the order of the sorted classes.
        measures: notations such as `nDCG@10` or `AP(rel=2)`, mappings, or metrics of one's own
            (functions under `@metric`); the first one ranks.
        columns: what the frames call their columns, by role: `{"list": "user", "score": "pred"}`,
            by default as the roles, else as `score init --from` would guess;
            a table's probabilities of several classes are `{"probability": ["cat", "dog"]}`.
        progress: called before each run is read.
        rules: as of a challenge's `submission:` (`missing_list="zero"`, `ties="expected"`,
            `length=10`, ...), with `undefined`, `leaderboard` and `title`.

    Returns:
        The report: its means, per-list values, standings, and its text in every form.

    Raises:
        TypeError: the truth, a run or a rule is of a kind that is not understood.
        UsageError: a measure, a column or a rule is not.
        ChallengeError: the truth is wrong; its rows count from 1.

    >>> truth = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    >>> run = {"q1": {"a": 0.1, "b": 0.9}, "q2": {"c": 0.5}}
    >>> report = evaluate(truth, {"mine": run}, ["AP", "P@1"])
    >>> report.mean("mine", "AP"), report.per_list("mine", "P@1")
    (0.75, {'q1': 0.0, 'q2': 1.0})
    >>> runs = {"lr": [0, 1, 0], "rf": [0.2, 0.9, 0.6]}
    >>> report = evaluate([0, 1, 1], runs, ["Accuracy", "AUROC"])
    >>> report.mean("lr"), report.mean("rf", "AUROC")
    (0.6666666666666666, 1.0)
    """
    bound, tables = bind_data(truth, runs, measures, columns, **rules)
    return score(bound, tables, progress=progress)


def bind_data(
    challenge: object,
    runs: Any,
    measures: Measures | None = None,
    columns: Columns | None = None,
    allow_plugins: bool = False,
    **rules: Unpack[RunRules],
) -> tuple[BoundChallenge, Any]:
    """Return a challenge with its measures bound, and the submissions to it.

    Args:
        challenge: A challenge as `score` takes it; with measures, a truth as `evaluate` does.
        runs: The submissions, as the same function takes them.
        measures: With columns and rules they replace a challenge.yaml.
        allow_plugins: Whether the challenge's own code may be run.

    Raises:
        TypeError: Rules or data have no measures, or a rule of numbers has a text.
    """
    if measures is None:
        if rules or columns:
            option = next(iter(rules), "columns")
            raise TypeError(f"{option} needs measures; challenge.yaml has its own")
        return bind_challenge(challenge, allow_plugins), runs
    is_single = isinstance(measures, str | Mapping) or callable(measures)
    specs: list[Any] = [measures] if is_single else list(measures)  # type: ignore[arg-type]
    notations = [name for spec in specs if isinstance(name := _metric_of(spec), str)]
    own = tuple(dict.fromkeys(metric for spec in specs if (metric := _own_metric(spec))))
    needs = find_needs(notations, own)
    truth: Any = challenge
    named_columns: Columns = dict(columns or {})
    if not columns and is_array(only := only_column(truth)):
        classes = [str(name) for name in rules.get("classes", ())]
        truth, runs, named_columns = read_arrays(only, runs, needs, classes)
    elif not columns and isinstance(runs, Mapping):
        truth, runs, named_columns = name_columns(truth, runs, notations, needs)
    _refuse_texts_for_numbers(rules)
    fields = _challenge_fields(truth, specs, named_columns, needs, rules)
    try:
        loaded = load(fields, Path(truth).parent if data.is_path(truth) else SESSION)
        loaded._metrics = own
        bound = bind(loaded, allow_plugins)
    except ChallengeError as error:
        raise as_session_error(error) from None
    if not data.is_path(truth):
        _add_frames(bound, truth)
    return bound, runs


def _refuse_texts_for_numbers(rules: RunRules) -> None:
    """Raise `TypeError` for a text in place of a number, which challenge.yaml would read as one."""
    for key in ("length", "range"):
        value: Any = rules.get(key)
        parts: Any = value.values() if isinstance(value, Mapping) else value
        for part in (parts,) if isinstance(parts, str) or not np.iterable(parts) else parts:
            if isinstance(part, str):
                raise TypeError(f"{key}: {part!r} is a str; write a number without quotes")


def _metric_of(spec: object) -> object:
    """Return the metric of a measure: its notation, or the function."""
    return spec.get("metric") if isinstance(spec, Mapping) else spec


def _own_metric(spec: object) -> Metric | None:
    """Return the metric that a function is; None if the measure is named."""
    function = _metric_of(spec)
    if isinstance(function, Metric):
        return function
    mark = getattr(function, MARK, None)
    return mark if isinstance(mark, Metric) else None


def _challenge_fields(
    truth: object,
    specs: Sequence[object],
    columns: Columns,
    needs: Needs,
    rules: RunRules,
) -> dict[str, Any]:
    """Return the challenge of a truth, measures and rules, as `load` takes it."""
    submission: dict[str, Any] = dict(rules)
    beside = {key: submission.pop(key) for key in BESIDE if key in submission}
    of_truth = {role: name for role, name in columns.items() if role in ROLES["truth"]}
    of_runs = {
        role: name
        for role, name in columns.items()
        if role in ROLES["submission"] or role not in of_truth
    }
    if "probability" in columns:
        if isinstance(columns["probability"], str) or "label" in of_truth:
            of_truth.pop("probability", None)  # the submission's, as the truth has labels
        of_runs.pop("label", None)  # the truth's
    elif data.is_preferences(truth):
        of_truth = {"better": "better", "worse": "worse", **of_truth}
    elif not {"label", "target"} & of_truth.keys():
        of_truth = _answer_columns(truth, needs) | of_truth
    source: dict[str, Any] = {"file": "truth", **FRAME}
    fields: dict[str, Any] = {"id": "evaluation", "title": "evaluation", **beside}
    if data.is_path(truth):
        source = {"file": Path(truth).name}
    elif isinstance(truth, Mapping) and not data.is_flat(truth) and not all(truth.values()):
        list_columns = {"list": of_truth.get("list", "list")}
        fields["lists"] = {"file": "lists", **FRAME, "columns": list_columns}
    return {
        **fields,
        "truth": {**source, "columns": of_truth},
        "submission": {**submission, "columns": of_runs},
        "metrics": [_measure_fields(n, spec) for n, spec in enumerate(specs)],
    }


def _answer_columns(truth: object, needs: Needs) -> dict[str, str]:
    """Return the column of answers, if a truth is a table of classes or numbers."""
    if "labels" not in needs.kinds:
        return {}
    role = "target" if "prediction" in needs.columns else "label"
    names = data.column_names(truth) if data.is_frame(truth) else ()
    if len(needs.kinds) == 1 or data.is_flat(truth) or (role in names and "item" not in names):
        return {role: role}
    return {}


def _measure_fields(n: int, spec: object) -> str | dict[str, Any]:
    """Return a measure as `load` takes it. Raises `TypeError` if it is not a measure."""
    own = _own_metric(spec)
    if isinstance(spec, str):
        return spec
    if own is not None and not isinstance(spec, Mapping):
        return own.name
    metric = _metric_of(spec)
    if callable(metric) and own is None:
        suggestion = suggest_from_tools(metrics(), getattr(metric, "__name__", ""))
        help = suggestion or "@scorer.metric(name, ...) makes it a metric"
        raise TypeError(f"measures[{n}] is a function; {help}")
    if not isinstance(spec, Mapping) or "metric" not in spec:
        example = "write 'nDCG@10' or {'metric': 'nDCG', 'k': 10}"
        raise TypeError(f"measures[{n}] is {spec!r}; {example}")
    return {**spec, "metric": metric if own is None else own.name}


def as_session_error(error: ChallengeError) -> Exception:
    """Return the error of a challenge as one of a session, which has no challenge.yaml."""
    problems = list(error.problems)
    if not problems or not all(problem.code.startswith("C") for problem in problems):
        return error
    messages = []
    for problem in problems:
        message = problem.message.removeprefix("submission.")
        if message.startswith("metrics["):  # as the argument is called here
            message = f"measures{message.removeprefix('metrics')}"
        if problem.code == "C105" and message.startswith("submission: "):
            return TypeError(f"rules: {message.removeprefix('submission: ')}")
        # of a name that nothing is like
        if problem.code == "C113" and message.endswith("'"):
            message += "; a metric of your own is given as its function, not by name: [function]"
        messages.append(message)
    return UsageError("\n".join(messages))


def _add_frames(bound: BoundChallenge, truth: object) -> None:
    """Put a truth, and the lists of a dict, in the place of the challenge's files."""
    challenge: Challenge = bound.challenge
    schema = data.choose_schema(bound.kind.truth, challenge.truth.columns)
    frames = {challenge.truth.file: data.to_frame(truth, schema, "the truth")}
    if challenge.lists is not None and isinstance(truth, Mapping):
        names = {schema.column_name("list"): list(map(str, truth))}
        frames[challenge.lists.file] = pl.DataFrame(names)
    challenge._frames.update(frames)
