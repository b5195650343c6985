"""A measure as a file of numpy and pandas alone, where such a file gives the values of `score`."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scorer.bridges.answers import Truths, true_answers
from scorer.bridges.base import Subject, template
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.kinds.labels import Labels
from scorer.metrics.measure import Measure
from scorer.prepare.open import OpenChallenge

# the measures that the template has, by what they look at, and their own parameters
AVERAGED = ("average", "positive")
WRITTEN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "prediction": {
        **dict.fromkeys(("RMSE", "MSE", "MAE", "MedAE", "MaxError", "MAPE", "SMAPE", "RMSPE"), ()),
        **dict.fromkeys(("R2", "Pearson", "Spearman"), ()),
        "RMSLE": ("log",),
    },
    "label": {
        **dict.fromkeys(("Accuracy", "HammingLoss", "BalancedAccuracy", "MCC"), ()),
        **dict.fromkeys(("Precision", "Recall", "F1", "Jaccard"), AVERAGED),
        "FBeta": ("beta", *AVERAGED),
        "Kappa": ("weights",),
    },
    "probability": {"LogLoss": ("eps",), "Brier": ("scale",), "AUROC": AVERAGED},
    "item": {
        **dict.fromkeys(("P", "R", "AP"), ("k", "rel", "denominator")),
        **dict.fromkeys(("RR", "Success"), ("k", "rel")),
        "nDCG": ("k", "gain", "discount", "ideal"),
    },
}
# parameters of which the template knows only some values
KNOWN: Mapping[str, tuple[Any, ...]] = {
    "gain": ("linear", "exp2"),
    "ideal": ("judged", "uncut"),
    "judged_only": (False,),
    "multi": ("ovr",),
}
TYPES = {"k": "int", "rel": "float", "beta": "float", "eps": "float"}
MOST_ITEMS = 20_000  # that a file names
EMPTY = "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None"
EMPTY_WORDS = {"", *EMPTY.split("|"), "n/a", "nan", "null"}  # pandas reads them as empty cells
BODIES = {
    "prediction": """    sent = in_order(solution, submission, row_id_column_name, [ANSWER])
    true = solution[TRUE].to_numpy(dtype=float)
    return finite({name}(true, numbers(sent, ANSWER, LOW, HIGH){words}))
""",
    "label": """    sent = in_order(solution, submission, row_id_column_name, [ANSWER])
    true = codes(solution[TRUE], CLASSES)
    return finite({name}(true, named(sent, ANSWER, CLASSES), CLASSES{words}))
""",
    "probability": """    sent = in_order(solution, submission, row_id_column_name, COLUMNS)
    true = codes(solution[TRUE], CLASSES)
    table = likely(sent, COLUMNS, FIRST, LOW, HIGH, SUMS)
    return finite({name}(true, table, CLASSES{words}))
""",
    "item": """    sent = in_order(solution, submission, row_id_column_name, [ANSWER])
    lists = ranked(sent, ANSWER, LEAST, LONGEST, EMPTY, ITEMS)
    grades = graded(solution, ANSWER, TRUE)
    pairs = [{name}(*pair{words}) for pair in zip(lists, grades)]
    return finite(over_lists(pairs, AVERAGE, UNDEFINED))
""",
}


def role_of(measure: Measure, kind: str) -> str:
    """The column of answers that a measure looks at: item, label, prediction or probability."""
    if kind == "grades":
        return "item"
    return next(iter(measure.metric.columns), "label")


def refuse_inexact(ready: OpenChallenge, measure: Measure) -> None:
    """`UsageError` with the reason where no file can give the values that `score` gives."""
    reason = next(_inexact(ready, measure), None)
    if reason is not None:
        raise UsageError(
            f"{printable(measure.id)} cannot be computed by numpy and pandas alone as it is here: "
            f"{reason}"
        )


def _inexact(ready: OpenChallenge, measure: Measure) -> Iterator[str]:
    challenge, kind = ready.prepared.challenge, ready.prepared.kind.name
    role, rules = role_of(measure, kind), ready.prepared.rules[measure.id]
    if measure.parts:
        yield "it is a formula of other measures"
    elif kind not in ("grades", "labels"):
        yield f"no file is made for challenges of {kind}"
    elif not measure.metric.own or measure.metric.name not in WRITTEN.get(role, {}):
        yield f"no file is made for {measure.metric.name}; there are {_others(kind)}"
    if not measure.combination.plain:
        yield f"its lists are not counted alike{measure.combination.suffix}"
    for name, values in KNOWN.items():
        if measure.params.get(name, values[0]) not in values:
            words = " or ".join(map(str, values))
            yield f"{name} is {measure.params[name]}, and a file knows {words}"
    if challenge.submission.parts or challenge.folds is not None or challenge.exclude is not None:
        yield "submissions of several files, folds and excluded items are not said there"
    if rules.missing == "skip" or (rules.missing == "zero" and kind == "labels"):
        yield f"missing_list is {rules.missing}, and every row has to be there"
    if rules.undefined == "worst":
        yield "undefined is worst, and a file knows zero, skip and error"
    if measure.params.get("denominator") in ("hits", "returned") and rules.undefined != "zero":
        yield "a submission may leave it undefined; a file knows that with undefined: zero"
    yield from _inexact_lists(ready) if kind == "grades" else _inexact_rows(ready, role)


def _inexact_lists(ready: OpenChallenge) -> Iterator[str]:
    rules = ready.prepared.challenge.submission
    if rules.ties in ("expected", "mean-rank"):
        yield f"ties is {rules.ties}, and a list there has an order"
    if rules.rank_gaps == "keep" or rules.repeats == "first" or ready.public.complete:
        yield "rank_gaps, repeats or complete are not as by default"
    if rules.texts:
        yield "answers are texts"
    items = {item for grades in true_answers(ready).values() for item in grades}  # type: ignore[union-attr]
    for item in sorted({*items, *(ready.public.items or ())}):
        if item.split() != [item] or _changed(item):
            yield f"pandas reads the item {quoted(item)} otherwise, or in parts"
            return


def _inexact_rows(ready: OpenChallenge, role: str) -> Iterator[str]:
    truth, rules = ready.answers, ready.prepared.challenge.submission
    assert isinstance(truth, Labels)
    if truth.weight is not None:
        yield "rows have weights"
    if truth.constants.several or truth.soft is not None or truth.numbered is not None:
        yield "a row has several labels, shares of classes, or a number beside classes"
    if "score" in rules.columns:
        yield "submissions have scores, no probabilities"
    if role == "label" and rules.probability:
        yield "it is made of probabilities, and a file reads classes"
    for name in truth.constants.classes:
        if _changed(name):
            yield f"pandas reads the class {quoted(name)} otherwise"


def _others(kind: str) -> str:
    roles = ("item",) if kind == "grades" else ("prediction", "label", "probability")
    return ", ".join(name for role in roles for name in WRITTEN[role])


def _changed(name: str) -> bool:
    """Whether pandas may read a name as another one: 007, 1e5, NA, true."""
    if name in EMPTY_WORDS or name != name.strip():
        return True
    try:
        float(name)
    except ValueError:
        return name.lower() in ("true", "false") and name not in ("True", "False")
    return re.fullmatch(r"-?[1-9][0-9]{0,14}|0", name) is None


def refuse_alike(lists: Truths) -> None:
    """`UsageError` where pandas cannot tell the ids of two rows apart, or sees none."""
    seen: dict[object, str] = {}
    for name in lists:
        try:
            value: object = int(name) if name.isdecimal() else float(name)
        except ValueError:
            value = name
        if name in EMPTY_WORDS or seen.setdefault(value, name) != name:
            other = seen.get(value, "an empty cell")
            raise UsageError(f"pandas cannot tell the id {quoted(name)} from {quoted(other)}")


def metric_file(subject: Subject, ready: OpenChallenge, measure: Measure) -> bytes:
    """The file: its constants, the functions that it needs, and `score`."""
    role = role_of(measure, ready.prepared.kind.name)
    words = WRITTEN[role][measure.metric.name]
    constants = _constants(ready, measure, role)
    body = BODIES[role].format(name=measure.metric.name, words="".join(f", {w}" for w in words))
    parameters = [f"{word}: {TYPES.get(word, 'str')} = {measure.params[word]!r}" for word in words]
    what = f"{measure.metric.title}, as `score` computes it: {measure.name}."
    lines = [
        "def score(",
        "    solution: pd.DataFrame,",
        "    submission: pd.DataFrame,",
        "    row_id_column_name: str,",
        *(f"    {parameter}," for parameter in parameters),
        ") -> float:",
        f"    {_docstring(what)}",
        body,
    ]
    head = _docstring(f"{subject.title}: {measure.id}. For Kaggle; made by `score export kaggle`.")
    said = "".join(f"{name} = {_literal(value)}\n" for name, value in constants.items())
    functions = _functions(f"{measure.metric.name} {body}")
    better = f"HIGHER_IS_BETTER = {measure.metric.better == 'higher'}\n"
    text = f"{head}\n\nimport numpy as np\nimport pandas as pd\n\n{better}{said}{functions}\n\n\n"
    return (text + "\n".join(lines)).encode()


def _constants(ready: OpenChallenge, measure: Measure, role: str) -> dict[str, Any]:
    rules, public = ready.prepared.challenge.submission, ready.public
    answer, true = column_names(ready, role)
    said: dict[str, Any] = {"ANSWER": answer[0], "TRUE": true}
    low, high = rules.range or ((0.0, 1.0) if role == "probability" else (-math.inf, math.inf))
    if role == "item":
        length = rules.lengths
        items = public.items
        settled = ready.prepared.rules[measure.id]
        return said | {
            "LEAST": (length and length.min) or 0,
            "LONGEST": (length and length.max) or math.inf,
            "EMPTY": settled.missing == "zero",
            "ITEMS": None if items is None or len(items) > MOST_ITEMS else frozenset(items),
            "AVERAGE": measure.params.get("average", "lists"),
            "UNDEFINED": settled.undefined,
        }
    said |= {"LOW": low, "HIGH": high}
    truth = ready.answers
    assert isinstance(truth, Labels)
    if role == "prediction":
        return said
    said = {"TRUE": true, "CLASSES": list(truth.constants.classes)}
    if role == "label":
        return said | {"ANSWER": answer[0]}
    first = truth.columns[0] if len(truth.columns) == 1 else 0
    table = {"COLUMNS": _by_code(answer, truth), "FIRST": first}
    return said | table | {"LOW": low, "HIGH": high, "SUMS": rules.sums}


def _by_code(columns: tuple[str, ...], truth: Labels) -> list[str]:
    """The columns of probabilities in the order of the classes."""
    by = sorted(zip(truth.columns, columns, strict=True))
    return [name for _, name in by]


def column_names(ready: OpenChallenge, role: str) -> tuple[tuple[str, ...], str]:
    """What Kaggle's files call the columns of answers, and that of the truth."""
    challenge = ready.prepared.challenge
    sent, true = challenge.submission.columns, challenge.truth.columns
    if role == "item":
        return (ready.prepared.called("item"),), true.get("grade", "grade")
    target = "target" if role == "prediction" else "label"
    likely = tuple(challenge.submission.probability.values())
    own = likely if role == "probability" and likely else (sent.get(role, role),)
    return own, true.get(target, target)


def _functions(text: str) -> str:
    """The definitions of the template that a text needs, and that these need."""
    source = template("kaggle_metric.py").decode()
    found = dict[str, ast.stmt]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
    wanted, new = set[str](), {"ParticipantVisibleError", *re.findall(r"\w+", text)}
    while new := {name for name in new if name in found and name not in wanted}:
        wanted |= new
        names = (n for name in new for n in ast.walk(found[name]) if isinstance(n, ast.Name))
        new = {node.id for node in names}
    chosen = [
        (node, ast.get_source_segment(source, node)) for n, node in found.items() if n in wanted
    ]
    return "".join(
        f"{text}\n" if isinstance(node, ast.Assign) else f"\n\n{text}\n" for node, text in chosen
    ).rstrip()


def _docstring(text: str) -> str:
    """A docstring of one line, whatever the challenge's words are."""
    plain = printable(text, 200).replace("\\", "/").replace('"', "'")
    return f'"""{plain}"""'


def _literal(value: Any) -> str:
    """A value as Python writes it."""
    if isinstance(value, float) and math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    if isinstance(value, frozenset):
        return f"frozenset({' '.join(sorted(value))!r}.split())"
    return repr(value)
