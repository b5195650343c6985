"""A module of Hugging Face's evaluate: the measures of a challenge, of answers that are given."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scorer.api.kit import measure_fields
from scorer.bridges.answers import Truths, sent_answers, true_answers
from scorer.bridges.base import Bundle, PlatformRun, Subject, platform, template, within
from scorer.bridges.lost import lost
from scorer.bridges.stage import made, numbers, python, run
from scorer.challenge.load import load
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.kinds.labels import Labels
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import OpenChallenge, opened

FILE = "evaluate.md"
KEPT = ("length", "range", "sums", "missing_list", "classes", "rank_gaps", "repeats")  # rules
HAS = {
    "baselines",
    "selected",
    "select",
    "grading",
    "late",
    "quota",
    "rejected",
    "phases",
    "show",
    "grace",
    "questions",
    "pages",
}
PREDICTIONS = {
    "item": "predictions: a list of items for each query, best first; references: "
    '{"item": [..], "grade": [..]} for each',
    "label": "predictions, references: a class each",
    "prediction": "predictions, references: a number each",
    "probability": "predictions: the probability of each class, in the order {}; references: a "
    "class each",
}
# evaluate and datasets are stood in for: what the module asks of them, and what `compute` does
CALL = """
import importlib.util, json, sys, types
class Any:
    def __init__(self, *words, **named):
        pass
words = {"datasets": ("Sequence", "Value", "Features"), "evaluate": ("MetricInfo", "Metric")}
for name, known in words.items():
    sys.modules[name] = types.SimpleNamespace(**dict.fromkeys(known, Any))
spec = importlib.util.spec_from_file_location("measures", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(module)
module.Measures()._info()
with open(sys.argv[2], encoding="utf-8") as file:
    given = json.load(file)
try:
    print(json.dumps(module.Measures()._compute(**given)))
except ValueError as error:
    sys.exit(str(error))
except RuntimeError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


def run_as_evaluate(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Call `compute` for a submission's answers and the challenge's, which are in the bundle."""
    prepared = prepare(load(bundle / "challenge"))
    ready = opened(prepared)
    role = _answer_role(prepared)
    sent = sent_answers(prepared, submission, role)
    if sent is None:
        return PlatformRun(1, 0.0, "the file cannot be read as predictions", {})
    given = folder / "given.json"
    made(folder)
    given.write_text(json.dumps(_given_columns(true_answers(ready), sent, role)), "utf-8")
    (module,) = bundle.glob("*/*.py")
    ended = run([python(), "-c", CALL, str(module), str(given)], folder, score)
    if ended.code:
        return PlatformRun(ended.code, ended.seconds, ended.err.strip(), {})
    found = {name: value for name, value in json.loads(ended.out).items() if value is not None}
    return PlatformRun(0, ended.seconds, ended.out.strip(), numbers(found, "compute"))


def _given_columns(truths: Truths, sent: Any, role: str) -> dict[str, list[Any]]:
    """Ids, predictions and references of one length; None where one of the two has none."""
    first, further = dict[str, Any](), []
    for name, answer in sent:
        value = answer[0] if role == "prediction" else answer
        if name in truths and name not in first:
            first[name] = value
        else:
            further.append((name, value))
    ids = [*truths, *(name for name, _ in further)]
    predictions = [*(first.get(name) for name in truths), *(value for _, value in further)]
    references = [*map(_reference, truths.values()), *[None] * len(further)]
    return {"ids": ids, "predictions": predictions, "references": references}


def _reference(truth: Any) -> Any:
    if not isinstance(truth, Mapping):
        return truth
    return {"item": [*truth], "grade": [*truth.values()]}


@platform("evaluate", FILE, "challenge", run_as_evaluate)
def evaluate_module(subject: Subject) -> Bundle:
    """The folder of the module; the challenge beside it stays with the organizer."""
    ready = opened(subject.prepared)
    _refuse_unsaid(ready)
    name = re.sub(r"\W+", "_", subject.challenge.id).strip("_").lower() or "measures"
    name = name if name[0].isalpha() else f"m_{name}"
    settings = json.dumps(_module_settings(subject, ready), ensure_ascii=True, sort_keys=False)
    text = template("evaluate_module.py").decode().replace('"{}"', repr(settings))
    page = f'# {subject.title}\n\n```python\nimport evaluate\nevaluate.load("{name}").compute('
    files = within("challenge", subject.files)
    files[f"{name}/{name}.py"] = text.encode()
    files[FILE] = f"{page}predictions=.., references=..)\n```\n\n{_inputs(ready)}\n".encode()
    return Bundle(
        files,
        lost=lost(subject, HAS),
        next=(
            f'evaluate.load("OUT/{name}").compute(predictions=.., references=..)',
            f"{name}/ has no answers and can be published; challenge/ stays with you",
        ),
    )


def _answer_role(prepared: BoundChallenge) -> str:
    if prepared.kind.name == "grades":
        return "item"
    roles = {
        role for m in prepared.measures for part in m.all_parts for role in part.metric.columns
    }
    if "prediction" in roles or "target" in prepared.challenge.truth.columns:
        return "prediction"
    likely = "probability" in roles or prepared.challenge.submission.probability
    return "probability" if likely else "label"


def _refuse_unsaid(ready: OpenChallenge) -> None:
    """`UsageError`, which names the measure, where predictions and references do not say enough."""
    challenge, kind, truth = ready.prepared.challenge, ready.prepared.kind.name, ready.answers
    for measure in ready.measures:
        parts = measure.all_parts
        if kind not in ("grades", "labels"):
            why = f"no module is made for challenges of {kind}"
        elif challenge.submission.parts or challenge.folds or challenge.exclude:
            why = "submissions of several files, folds and excluded items are not said there"
        elif any(part.needs or not (part.metric.own or part.parts) for part in parts):
            why = "it needs files beside the truth, or a plugin"
        elif any(not part.combination.plain for part in parts):
            why = f"its lists are not counted alike{measure.combination.suffix}"
        elif challenge.submission.texts or challenge.truth.further:
            why = "answers are texts, or the truth has further columns"
        elif isinstance(truth, Labels) and _of_more(truth, ready.prepared):
            why = "rows have weights, several labels or scores"
        else:
            continue
        raise UsageError(f"{printable(measure.id)} is no measure of an evaluate module: {why}")


def _of_more(truth: Labels, prepared: BoundChallenge) -> bool:
    columns = prepared.challenge.submission.columns
    both = "label" in columns and bool(prepared.challenge.submission.probability)
    several = truth.constants.several or truth.soft is not None or truth.numbered is not None
    return truth.weight is not None or several or "score" in columns or both


def _inputs(ready: OpenChallenge) -> str:
    return PREDICTIONS[_answer_role(ready.prepared)].replace("{}", ", ".join(ready.public.classes))


def _module_settings(subject: Subject, ready: OpenChallenge) -> dict[str, Any]:
    """What the module knows: rules and measures, and what is public; no answer."""
    role, challenge = _answer_role(ready.prepared), subject.challenge
    rules = challenge.submission.model_dump(mode="json", exclude_defaults=True, include=set(KEPT))
    if "classes" in rules or role == "probability":
        rules["classes"] = list(ready.public.classes)
    likely = {name: f"p{n}" for n, name in enumerate(challenge.submission.probability)}
    sent = {"item": ["item", "rank"], "probability": [*likely.values()] or ["p0"]}.get(
        role, ["answer"]
    )
    named: dict[str, Any] = {role: "answer"}
    if role == "item":
        named = {"item": "item", "rank": "rank"}
    elif role == "probability":
        named = {role: likely if likely and "" not in likely else "p0"}
    true = {"item": {"item": "item", "grade": "grade"}, "prediction": {"target": "true"}}.get(
        role, {"label": "true"}
    )
    said = {
        "scorer": 1,
        "id": challenge.id,
        "truth": {"file": "truth.csv", "columns": {"list": "id", **true}},
        "submission": {**rules, "columns": {"list": "id", **named}},
        "metrics": [measure_fields(spec) for spec in challenge.metrics],
    }
    if role == "item":
        said["lists"] = {"file": "lists.csv", "columns": {"list": "id"}}
        if ready.public.items is not None:
            said["items"] = {"file": "items.csv", "columns": {"item": "item"}}
    if challenge.undefined:
        said["undefined"] = challenge.undefined
    return {
        "role": role,
        "description": f"{subject.title}: {', '.join(m.id for m in subject.measures)}",
        "inputs": _inputs(ready),
        "true": ["id", *true.values()],
        "sent": ["id", *sent],
        "items": [*(ready.public.items or ())] if role == "item" else [],
        "challenge": said,
    }
