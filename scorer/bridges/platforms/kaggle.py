"""Kaggle: a metric file of numpy and pandas alone, the solution with Usage, and a sample."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from scorer.bridges.answers import Answer, SentAnswer, sample_answers, sent_answers, true_answers
from scorer.bridges.base import Bundle, PlatformRun, Subject, platform, within
from scorer.bridges.lost import lost
from scorer.bridges.metric_file import (
    column_names,
    metric_file,
    refuse_alike,
    refuse_inexact,
    role_of,
)
from scorer.bridges.stage import made, numbers, python, run
from scorer.challenge.load import load
from scorer.core.errors import UsageError
from scorer.metrics.measure import Measure
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import OpenChallenge, opened, public
from scorer.prepare.splits import split_of_lists

FILE = "sample_submission.csv"
USAGE = "Usage"
WORDS = ("Public", "Private", "Ignored")
HAS = {"selected", "best"}
ROW_A_LIST = "the form of files: a row a list there, its items in order with blanks between"
# the rows of the other usages are taken out, as Kaggle does; what is in no usage stays
CALL = """
import json, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import pandas as pd
import metric
solution, sample, sent = (pd.read_csv(file) for file in (
    os.path.join(sys.argv[1], "solution.csv"), os.path.join(sys.argv[1], "sample_submission.csv"),
    sys.argv[2],
))
row, values = sample.columns[0], {}
try:
    for usage in ("Public", "Private"):
        inside = solution["Usage"] == usage
        if inside.any():
            here = ~sent[row].isin(solution[row][~inside]) if row in sent else slice(None)
            frames = solution[inside].drop(columns="Usage"), sent[here]
            frames = [frame.reset_index(drop=True) for frame in frames]
            values[usage] = metric.score(*frames, row, **json.loads(sys.argv[3]))
except metric.ParticipantVisibleError as error:
    sys.exit(str(error))
except Exception as error:  # of which participants are told nothing
    print(type(error).__name__, error, sep=": ", file=sys.stderr)
    sys.exit(2)
print(json.dumps(values))
"""


def run_as_kaggle(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Call the metric's `score` for each Usage, with the files as pandas reads them.

    A submission is written as participants write it there, where its form is another here.
    """
    if find_spec("pandas") is None:
        raise UsageError("a metric file is rehearsed with pandas: pip install pandas")
    settled = load(bundle / "challenge")
    prepared = prepare(settled, bool(settled.plugins))
    measure = next(m for m in prepared.measures if m.primary)
    params = {} if measure.metric.own else measure.params
    file = _as_sent_there(prepared, measure, submission, bundle, folder) or submission
    ended = run([python(), "-c", CALL, str(bundle), str(file), json.dumps(params)], folder, score)
    if ended.code:
        said = ended.err.strip() if ended.code == 1 else f"the metric failed: {ended.err.strip()}"
        return PlatformRun(ended.code, ended.seconds, said, {})
    values = numbers(json.loads(ended.out), "score")
    seen = ", ".join(f"{usage} {value:g}" for usage, value in values.items())
    parts = [{measure.id: value} for value in values.values()]
    return PlatformRun(0, ended.seconds, seen, parts[0], tuple(parts[1:]))


def _as_sent_there(
    prepared: BoundChallenge, measure: Measure, submission: Path, bundle: Path, folder: Path
) -> Path | None:
    """The submission in the form that the sample shows; None where it stays as it is."""
    sent = None
    if measure.metric.own:
        sent = sent_answers(prepared, submission, role_of(measure, prepared.kind.name))
    if sent is None:
        return None
    if prepared.rules[measure.id].missing == "zero":  # an empty cell there
        absent = set(public(prepared).lists).difference(answer.name for answer in sent)
        sent += [SentAnswer(name, ()) for name in sorted(absent)]
    header = (bundle / FILE).read_text("utf-8").splitlines()[:1]
    file = made(folder) / "submission.csv"
    file.write_text(_csv_text(next(csv.reader(header)), map(_sent_row, sent)), "utf-8")
    return file


@platform("kaggle", FILE, "challenge", run_as_kaggle, computes=True)
def kaggle(subject: Subject) -> Bundle:
    """The three files that a host uploads; the challenge beside them stays with the organizer."""
    ready = opened(subject.prepared)
    measure = next(m for m in ready.measures if m.primary)
    make = _written_here if measure.metric.own or measure.parts else _as_it_is
    three = make(subject, ready, measure)
    return Bundle(
        {**three.files, **within("challenge", subject.files), "kit.zip": subject.kit},
        lost=(*lost(subject, HAS), *_lost_here(subject, measure), *three.lost),
        next=(
            "upload metric.py as the metric, solution.csv and sample_submission.csv",
            *three.next,
            "challenge/ stays with you: score rehearse and score import read it",
        ),
    )


def _written_here(subject: Subject, ready: OpenChallenge, measure: Measure) -> Bundle:
    """The three files of a measure of ours."""
    refuse_inexact(ready, measure)
    truths = true_answers(ready)
    refuse_alike(truths)
    role = role_of(measure, ready.prepared.kind.name)
    answer, true = column_names(ready, role)
    name = ready.prepared.called("list")
    head = [name, *answer, true] if role == "item" else [name, true]
    usage = _usages(subject, ready)
    solution = ([n, *_true_cells(cell), usage[n]] for n, cell in truths.items())
    files = {
        "metric.py": metric_file(subject, ready, measure),
        "solution.csv": _csv_text([*head, USAGE], solution).encode(),
        FILE: _csv_text([name, *answer], map(_sent_row, sample_answers(ready, role))).encode(),
    }
    return Bundle(files, lost=(ROW_A_LIST,) if role == "item" else ())


def _as_it_is(subject: Subject, ready: OpenChallenge, measure: Measure) -> Bundle:
    """The three files of a metric of Kaggle's form: it is one there, too."""
    spec = next((s for s in subject.challenge.metrics if s.kaggle and s.primary), None)
    spec = spec or subject.challenge.metrics[0]
    row = subject.challenge.truth.columns.get("list", "list")
    if spec.kaggle is None or row != subject.challenge.submission.columns.get("list", "list"):
        refuse_inexact(ready, measure)
        raise UsageError("solution and submissions have one name for the column of row ids there")
    head, *rows = csv.reader(io.StringIO(ready.solution))
    usage, at = _usages(subject, ready), head.index(row)
    if USAGE not in head:
        rows = [[*cells, usage[cells[at]]] for cells in rows]
        head = [*head, USAGE]
    place = head.index(USAGE)
    names = [row, *(name for n, name in enumerate(head) if n not in (at, place))]
    empty = ([cells[at], *[""] * (len(names) - 1)] for cells in rows)
    files = {
        "metric.py": spec.kaggle.read_bytes(),
        "solution.csv": _csv_text(head, iter(rows)).encode(),
        FILE: _csv_text(names, empty).encode(),
    }
    words = ", ".join(f"{k}={v!r}" for k, v in spec.params.items())
    hints = (
        "fill sample_submission.csv with a valid submission",
        *([f"the metric's arguments: {words}"] if words else []),
    )
    return Bundle(files, next=hints)


def _lost_here(subject: Subject, measure: Measure) -> Iterator[str]:
    others = [each.id for each in subject.measures if each.id != measure.id]
    if others:
        yield f"the measures beside {measure.id}: {', '.join(others)}"


def _usages(subject: Subject, ready: OpenChallenge) -> Mapping[str, str]:
    """The Usage of each list: of the splits that phases show, the first and the last one."""
    assert ready.answers is not None
    lists = ready.answers.lists
    splits = split_of_lists(subject.challenge, lists, ready.public.groups)
    names = subject.splits or tuple(dict.fromkeys(splits.values()))
    if set(names) <= {*WORDS}:
        return {name: splits.get(name, WORDS[0]) for name in lists}
    words = {names[-1]: WORDS[1], names[0]: WORDS[0]}
    return {name: words.get(splits[name], WORDS[2]) for name in lists}


def _true_cells(truth: object) -> list[str]:
    if not isinstance(truth, Mapping):
        return [repr(truth) if isinstance(truth, float) else str(truth)]
    return [" ".join(truth), " ".join(f"{grade:.17g}" for grade in truth.values())]


def _sent_row(sent: SentAnswer) -> list[str]:
    return [sent.name, *_sent_cells(sent.answer)]


def _sent_cells(answer: Answer) -> list[str]:
    if isinstance(answer, str):
        return [answer]
    if all(isinstance(each, float) for each in answer) and answer:
        return [repr(each) for each in answer]
    return [" ".join(map(str, answer))]


def _csv_text(head: Sequence[str], rows: Iterator[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()
