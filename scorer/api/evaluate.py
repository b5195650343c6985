"""Score runs against a truth without a challenge.yaml: both may be data of a Python session."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypedDict, Unpack, overload

from numpy.typing import NDArray
from pydantic import ValidationError

from scorer.api import data
from scorer.api.arrays import as_tables
from scorer.api.report import Report
from scorer.api.submissions import Progress, Submissions, to_challenge
from scorer.challenge.model import Challenge, DescribedSource
from scorer.challenge.roles import ROLES
from scorer.challenge.submission import Submission, written_keys
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.plugins import MARK
from scorer.core.problems import Problem
from scorer.core.text import nearest, quoted
from scorer.infer.base import Needs
from scorer.infer.challenge import find_needs
from scorer.metrics.api import Metric
from scorer.scoring.bind import bind

TRUTH = "truth"  # what messages call it
UNSAID = ("format", "columns")  # of a challenge's `submission:`, not said here


class Series(Protocol):
    """What pandas' and polars' Series have."""

    def to_numpy(self) -> NDArray[Any]:
        """The values."""
        ...


Spec = str | Mapping[str, object] | Callable[..., Any]  # a notation, with parameters, a function
Measures = Sequence[Spec] | Spec
# one answer a row: an array, a Series of pandas or polars, a list
Answers = Sequence[str] | Sequence[float] | Sequence[bool] | NDArray[Any] | Series
Judgments = Mapping[str, Mapping[str, float]] | Mapping[str, Collection[str]]
Columns = Mapping[str, str | Sequence[str]]  # by role; of classes' probabilities several


class RunRules(TypedDict, total=False):
    """What a run must be, as `submission:` of a challenge.yaml says it, and how it counts."""

    length: int | Mapping[str, int]
    range: tuple[float, float]
    missing_list: str
    unknown_list: str
    ties: str
    limits: Mapping[str, object]
    undefined: str  # what a list without a value counts: zero, skip, error
    classes: Sequence[str]  # the labels there are, in the order of columns of probabilities
    leaderboard: Mapping[str, object]
    title: str


@overload
def evaluate(
    truth: Answers,
    runs: Mapping[str, Answers],
    measures: Measures,
    *,
    progress: Progress | None = None,
    **rules: Unpack[RunRules],
) -> Report: ...


@overload
def evaluate(
    truth: Judgments,
    runs: Mapping[str, Judgments],
    measures: Measures,
    *,
    columns: Columns | None = None,
    progress: Progress | None = None,
    **rules: Unpack[RunRules],
) -> Report: ...


@overload
def evaluate(
    truth: object,
    runs: Submissions,
    measures: Measures,
    *,
    columns: Columns | None = None,
    progress: Progress | None = None,
    **rules: Unpack[RunRules],
) -> Report: ...


def evaluate(
    truth: object,
    runs: Any,
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
    from scorer.api.score import score

    with challenge_and_runs(truth, runs, measures, columns, **rules) as (challenge, tables):
        report = score(challenge, tables, progress=progress)
        return replace(report, notes=tuple(_renamed(report.notes)))


@contextmanager
def challenge_and_runs(
    challenge: object,
    runs: Any,
    measures: Measures | None,
    columns: Columns | None,
    **rules: Unpack[RunRules],
) -> Iterator[tuple[Challenge, Any]]:
    """A challenge and the runs, or the one of a truth, measures and rules, all as of `evaluate`.

    `TypeError` for rules or data without measures.
    """
    if measures is not None:
        specs = _specs(measures)
        names = [name for spec in specs if isinstance(name := _named(spec), str)]
        classes = [str(name) for name in rules.get("classes", ())]
        tables = as_tables(challenge, runs, columns or {}, names, _needs(specs), classes)
        with challenge_of(tables.truth, measures, tables.columns, **rules) as settled:
            yield settled, tables.runs
    elif rules or columns:
        raise TypeError(
            f"{next(iter(rules), 'columns')} needs measures; challenge.yaml has its own"
        )
    else:
        yield to_challenge(challenge), runs


def _specs(measures: Measures) -> list[object]:
    """The measures one by one."""
    single = isinstance(measures, str | Mapping) or callable(measures)
    return [measures] if single else list(measures)  # type: ignore[arg-type]


def _named(spec: object) -> object:
    """The metric of a measure: its notation, or the function."""
    return spec.get("metric") if isinstance(spec, Mapping) else spec


def _own(spec: object) -> Metric | None:
    """The metric that a function is; None where the measure is named."""
    function = _named(spec)
    if isinstance(function, Metric):
        return function
    mark = getattr(function, MARK, None)
    return mark if isinstance(mark, Metric) else None


def _needs(specs: Sequence[object]) -> Needs:
    words = [name for spec in specs if isinstance(name := _named(spec), str)]
    return find_needs(words, [metric for spec in specs if (metric := _own(spec)) is not None])


@contextmanager
def challenge_of(
    truth: object, measures: Measures, columns: Columns | None = None, **rules: Unpack[RunRules]
) -> Iterator[Challenge]:
    """A challenge of data as `evaluate` takes it; its files are there inside the `with`."""
    columns = dict(columns or {})
    roles_there = {role for roles in (ROLES["truth"], ROLES["submission"]) for role in roles}
    for role in columns:
        if role not in roles_there:
            suggestion = nearest(str(role), roles_there)
            hint = (
                f"; did you mean {quoted(suggestion)}?"
                if suggestion
                else f" ({', '.join(sorted(roles_there))})"
            )
            raise UsageError(f"columns: no column has the role {quoted(role)}{hint}")
    with tempfile.TemporaryDirectory(prefix="scorer-") as name:
        folder = Path(name)
        challenge = _challenge(folder, truth, measures, columns, rules)
        try:
            ready = bind(challenge)
            if not data.is_path(truth):
                layout = data.Layout.of(ready.kind.truth, challenge.truth.columns)
                data.write(challenge.truth.file, truth, layout, "the truth")
            yield _with_lists(challenge, truth)
        except ChallengeError as error:
            problems = list(_renamed(error.problems))
            if not problems:
                raise
            if all(problem.code.startswith("C") for problem in problems):
                raise UsageError("\n".join(map(_of_words, problems))) from None
            raise ChallengeError(problems=problems) from None


def _with_lists(challenge: Challenge, truth: object) -> Challenge:
    """The challenge with a file of its lists, where a dict has lists without any item."""
    if (
        not isinstance(truth, Mapping)
        or data.is_flat(truth)
        or all(len(items) for items in truth.values())
    ):
        return challenge
    name = challenge.truth.columns.get("list", "list")
    path = challenge.folder / "lists.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps({name: str(key)})}\n" for key in truth)
    lists = DescribedSource(file=path, columns={"list": name})
    return challenge.model_copy(update={"lists": lists})


def _challenge(
    folder: Path, truth: object, measures: Measures, columns: Columns, rules: RunRules
) -> Challenge:
    """The challenge with that truth, these measures and rules."""
    submission: dict[str, Any] = dict(rules)
    top_level = {
        key: submission.pop(key)
        for key in ("undefined", "leaderboard", "title")
        if key in submission
    }
    rule_names = [key for key in written_keys(Submission) if key not in UNSAID]
    if strange := [key for key in submission if key not in rule_names]:
        suggestion = nearest(strange[0], rule_names)
        hint = (
            f"; did you mean {quoted(suggestion)}?"
            if suggestion
            else f" (there are {', '.join(rule_names)})"
        )
        raise TypeError(f"evaluate() has no rule {quoted(strange[0])}{hint}")
    if isinstance(submission.get("range"), tuple):
        submission["range"] = list(submission["range"])
    of_truth = {role: name for role, name in columns.items() if role in ROLES["truth"]}
    specs = _specs(measures)
    source: dict[str, Any] = {
        "file": Path(truth) if data.is_path(truth) else folder / "truth.jsonl"
    }
    shares = of_truth.pop("probability", None)  # the submission's, where the truth has labels
    if shares is not None and not isinstance(shares, str) and "label" not in of_truth:
        source["probability"] = list(shares)
    elif data.prefers(truth):
        of_truth = {"better": "better", "worse": "worse", **of_truth}
    elif not {"label", "target"} & of_truth.keys():
        of_truth = _answers(truth, specs) | of_truth
    submission_columns = {
        role: name for role, name in columns.items() if role in ROLES["submission"]
    }
    if "probability" in submission_columns:
        classes = submission_columns.pop("probability")
        named = isinstance(classes, str | Mapping)
        submission["probability"] = classes if named else list(classes)
        submission_columns.pop("label", None)  # which is the truth's
    submission["columns"] = submission_columns
    try:
        challenge = Challenge.model_validate(
            {
                "id": "evaluation",
                "title": "evaluation",
                **top_level,
                "truth": {**source, "columns": of_truth},
                "submission": submission,
                "metrics": [_measure(n, spec) for n, spec in enumerate(specs)],
            }
        )
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])).removeprefix('submission.')}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        ]
        raise UsageError("\n".join(faults)) from None
    challenge._folder = folder
    own = (metric for spec in specs if (metric := _own(spec)) is not None)
    challenge._metrics = tuple(dict.fromkeys(own))
    return challenge


def _answers(truth: object, specs: Sequence[object]) -> dict[str, str]:
    """The column of answers, where a truth is a table of classes or numbers."""
    needs = _needs(specs)
    if "labels" not in needs.kinds:
        return {}
    role = "target" if "prediction" in needs.columns else "label"
    names = data.columns_of(truth) if data.is_frame(truth) else ()
    if len(needs.kinds) == 1 or data.is_flat(truth) or (role in names and "item" not in names):
        return {role: role}
    return {}


def _measure(n: int, spec: object) -> dict[str, Any]:
    """A measure as the challenge's model takes it."""
    key = f"measures[{n}]"
    if isinstance(spec, str):
        return {"notation": spec, "key": key}
    own = _own(spec)
    if callable(_named(spec)) and own is None:
        raise TypeError(f"{key} is a function; {_of_function(_named(spec))}")
    if own is not None and not isinstance(spec, Mapping):
        return {"notation": own.name, "key": key}
    if not isinstance(spec, Mapping) or "metric" not in spec:
        raise TypeError(f"{key} is {spec!r}; write 'nDCG@10' or {{'metric': 'nDCG', 'k': 10}}")
    params = {
        name: value for name, value in spec.items() if name not in ("metric", "id", "primary")
    }
    options = {name: spec[name] for name in ("id", "primary") if name in spec}
    notation = spec["metric"] if own is None else own.name
    return {"notation": notation, "params": params, "key": key, **options}


def _of_function(function: object) -> str:
    """What to write for a function that is no metric."""
    from scorer.metrics.catalogue import metrics, suggest_from_tools

    told = suggest_from_tools(metrics(), getattr(function, "__name__", ""))
    return told or "@scorer.metric(name, ...) makes it a metric"


def _of_words(problem: Problem) -> str:
    """What is wrong with a word; of a name that nothing is like, how a metric of one's own goes."""
    unknown = problem.code == "C113" and problem.message.endswith("'")
    own = "; a metric of your own is given as its function, not by name: [function]"
    return problem.message + own * unknown


def _renamed(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Problems of the truth that name it, not the file that it was written to."""
    for problem in problems:
        written = problem.path is not None and Path(problem.path).name == "truth.jsonl"
        yield replace(problem, path=TRUTH, column=None) if written else problem
