"""EvalAI: a bundle with challenge_config.yaml; a dataset split for each that a phase shows."""

from __future__ import annotations

import html
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from scorer.bridges.base import (
    FOREVER,
    Bundle,
    PlatformRun,
    Subject,
    bridge,
    platform,
    template,
    utc,
    yaml_text,
)
from scorer.bridges.logo import logo
from scorer.bridges.lost import lost
from scorer.bridges.stage import made, numbers, python, run
from scorer.bytes.write import zipped
from scorer.challenge.phases import Phase
from scorer.challenge.words import EVERYTHING
from scorer.reports import commonmark

FILE = "challenge_config.yaml"
TITLE = 100  # characters
FILES = ".csv, .tsv, .txt, .jsonl, .json, .gz, .zip, .parquet"
HAS = {"best", "quota", "phases", "show"}
HOST, OWNER, PUBLIC = 1, 2, 3  # who sees the values of a split
TEXTS = ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines")
CALL = """
import json, sys
sys.path.insert(0, sys.argv[1])
from evaluation_script import evaluate
try:
    print(json.dumps(evaluate(*sys.argv[2:5], submission_metadata={})))
except ValueError as error:
    sys.exit(str(error))
"""


def run_as_evalai(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Import the evaluation script and call `evaluate` for the first phase, as the worker does."""
    said = yaml.safe_load((bundle / FILE).read_text("utf-8"))
    phase = said["challenge_phases"][0]
    with zipfile.ZipFile(bundle / said["evaluation_script"]) as archive:
        archive.extractall(made(folder / "evaluation_script"))
    annotation = bundle / phase["test_annotation_file"]
    words = [python(), "-c", CALL, str(folder), str(annotation), str(submission), phase["codename"]]
    ended = run(words, folder, score)
    if ended.code:
        return PlatformRun(ended.code, ended.seconds, f"Failed: {ended.err.strip()}", {})
    result: dict[str, dict[str, float]] = {}
    for part in json.loads(ended.out)["result"]:
        result |= part
    shown = _shown(said, phase["id"])
    if strange := set(result) - {split["codename"] for split in said["dataset_splits"]}:
        return PlatformRun(
            1, ended.seconds, f"Failed: no split is called {sorted(strange)[0]!r}", {}
        )
    values = numbers(result[shown], "result")
    return PlatformRun(0, ended.seconds, "Finished", values)


def _shown(said: dict[str, Any], phase: int) -> str:
    """The codename of the split that everybody sees in a phase, else of the first."""
    names = {split["id"]: split["codename"] for split in said["dataset_splits"]}
    places = [p for p in said["challenge_phase_splits"] if p["challenge_phase_id"] == phase]
    return str(names[max(places, key=lambda place: place["visibility"])["dataset_split_id"]])


@platform("evalai", FILE, "annotations/challenge.zip", run_as_evalai)
def evalai(subject: Subject) -> Bundle:
    """A folder to be zipped and uploaded: Host challenge, Upload a zip."""
    splits = subject.splits or ("all",)
    package = {
        "__init__.py": b"from .main import evaluate\n",
        "main.py": template("evalai_main.py"),
    }
    shown = {
        phase.id: [split for split in splits if _visible(split, phase) > HOST]
        for phase in _taking(subject)
    }
    package |= bridge(subject, "evalai", "result.json", subject.splits, shown=shown)
    files = {
        "logo.png": logo(),
        "evaluation_script.zip": zipped(package),
        "annotations/challenge.zip": zipped(subject.files),
        "kit.zip": subject.kit,
        "remote.py": template("evalai_remote.py"),
        FILE: yaml_text(_configuration(subject, splits)),
    }
    for name in (*TEXTS, "phase"):
        files[f"templates/{name}.html"] = _page_text(subject, name).encode()
    return Bundle(
        files,
        lost=lost(subject, HAS),
        next=(
            "upload it as a zip: eval.ai, Host challenge",
            "run remote.py on a machine of yours that has `score`; its first lines say how",
            "or, if EvalAI's own worker has `score`: remote_evaluation: false",
        ),
    )


def _page_text(subject: Subject, name: str) -> str:
    """A page of HTML; none may be empty."""
    texts = {"terms_and_conditions": "terms", "submission_guidelines": "rules"}
    page = subject.challenge.pages.get(texts.get(name, name))
    if name == "description":
        page = subject.challenge.description or page
    return commonmark.html(page) if page else f"<p>{html.escape(subject.title)}</p>\n"


def _configuration(subject: Subject, splits: tuple[str, ...]) -> dict[str, Any]:
    phases = _phases(subject)
    labels = [measure.id for measure in subject.measures]
    lower = subject.better(False, True)
    titles = {measure.id: measure.metric.title for measure in subject.measures}
    metadata = {
        name: {"sort_ascending": lower[name], "description": titles[name]} for name in labels
    }
    board = {"labels": labels, "default_order_by": labels[0], "metadata": metadata}
    return {
        "title": subject.title[:TITLE],
        "short_description": subject.title,
        **{name: f"templates/{name}.html" for name in TEXTS},
        "image": "logo.png",
        "evaluation_script": "evaluation_script.zip",
        "remote_evaluation": True,
        "start_date": phases[0]["start_date"],
        "end_date": phases[-1]["end_date"],
        "leaderboard": [{"id": 1, "schema": board}],
        "challenge_phases": phases,
        "dataset_splits": [
            {"id": n, "name": split, "codename": split} for n, split in enumerate(splits, 1)
        ],
        "challenge_phase_splits": [
            {
                "challenge_phase_id": phase["id"],
                "leaderboard_id": 1,
                "dataset_split_id": n,
                "visibility": _visible(split, shown),
                "leaderboard_decimal_precision": subject.challenge.leaderboard.digits,
                "is_leaderboard_order_descending": not lower[labels[0]],
            }
            for phase, shown in zip(phases, _taking(subject), strict=True)
            for n, split in enumerate(splits, 1)
        ],
    }


def _taking(subject: Subject) -> tuple[Phase, ...]:
    """The phases that take entries; at least one."""
    return subject.phases or (Phase(id="main"),)


def _visible(split: str, phase: Phase) -> int:
    """Who sees the values of a split in a phase."""
    if phase.show == "own":
        return OWNER
    return PUBLIC if phase.show in (split, EVERYTHING) else HOST


def _phases(subject: Subject) -> list[dict[str, Any]]:
    """The phases that take entries, with their times in UTC and without an offset."""
    written = []
    for n, phase in enumerate(_taking(subject), 1):
        opens = phase.opens or subject.now.replace(microsecond=0)
        closes = phase.closes or opens + timedelta(days=3650)
        total = phase.quota.total or FOREVER
        written.append(
            {
                "id": n,
                "name": phase.id,
                "codename": phase.id,
                "description": "templates/phase.html",
                "leaderboard_public": phase.show not in ("own", "none"),
                "is_public": True,
                "is_submission_public": False,
                "disable_logs": False,
                "start_date": utc(opens),
                "end_date": utc(closes),
                "test_annotation_file": "annotations/challenge.zip",
                "max_submissions_per_day": phase.quota.per_day or total,
                "max_submissions_per_month": total,
                "max_submissions": total,
                "allowed_submission_file_types": FILES,
            }
        )
    return written
