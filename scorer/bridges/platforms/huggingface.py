"""A Hugging Face competition: the private dataset repository, and the Dockerfile of its Space."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from scorer.api.kits.sample import sample
from scorer.bridges.base import (
    FOREVER,
    Bundle,
    PlatformRun,
    Subject,
    bridge,
    json_text,
    platform,
    template,
    within,
)
from scorer.bridges.lost import lost
from scorer.bridges.stage import numbers, python, run
from scorer.bytes.write import zipped
from scorer.challenge.phases import Phase
from scorer.prepare.open import public

FILE = "conf.json"
HAS = {"quota", "selected", "select", "best"}
CHECK = "`score check kit.zip FILE` checks a file.\n"
DOCKER = """FROM huggingface/competitions:latest
RUN conda create -y -p /app/scorer python=3.12 && /app/scorer/bin/pip install challenge-scorer
"""
# the hub is a folder here: what the metric asks it for are the bundle's files and the submission
CALL = """
import json, os, sys, types
hub = types.ModuleType("huggingface_hub")
def fetched(repo_id, filename, token, repo_type):
    if not filename.startswith("submissions/"):
        return os.path.join(sys.argv[1], filename)
    if filename.rpartition(".")[2] != sys.argv[2].rpartition(".")[2]:  # as it was uploaded
        raise FileNotFoundError(filename)
    return sys.argv[2]
hub.hf_hub_download = fetched
sys.modules["huggingface_hub"] = hub
sys.path.insert(0, sys.argv[1])
import metric
given = types.SimpleNamespace(competition_id="c", token="", team_id="t", submission_id="1")
given.submission_filenames = json.loads(sys.argv[3])
try:
    print(json.dumps(metric.compute(given)))
except ValueError as error:
    sys.exit(str(error))
"""


def run_as_huggingface(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Call `compute` of the metric; participants see FAILED without a text."""
    said = json.loads((bundle / FILE).read_text("utf-8"))
    names = json.dumps(said["SUBMISSION_FILENAMES"])
    words = [python(), "-c", CALL, str(bundle), str(submission), names]
    ended = run(words, folder, score)
    if ended.code:
        return PlatformRun(ended.code, ended.seconds, "FAILED", {})
    both = json.loads(ended.out)
    public, private = both["public_score"], both["private_score"]
    if list(public) != list(private) or said["SCORING_METRIC"] not in public:
        return PlatformRun(
            1, ended.seconds, "FAILED: public and private scores differ in their keys", {}
        )
    return PlatformRun(0, ended.seconds, "SUCCESS", numbers(public, "public_score"))


@platform("huggingface", FILE, "challenge.zip", run_as_huggingface)
def huggingface(subject: Subject) -> Bundle:
    """The files of a private dataset repository."""
    said = bridge(subject, "huggingface", "result.json", subject.splits)
    archive = zipped(within("challenge", subject.files) | said)
    pages = subject.challenge.pages
    described = subject.challenge.description or subject.title
    texts = {
        "COMPETITION_DESC.md": f"# {subject.title}\n\n{described}\n",
        "DATASET_DESC.md": pages.get("data") or f"{subject.title}: the kit has the files.\n",
        "SUBMISSION_DESC.md": pages.get("submission")
        or "`score check kit.zip FILE` checks a file.\n",
        "RULES.md": pages.get("rules") or "As the organizers say.\n",
        "solution.csv": "id\n",
        "Dockerfile": DOCKER,
    }
    files = {name: text.encode() for name, text in texts.items()}
    files |= {"metric.py": template("huggingface_metric.py"), "challenge.zip": archive}
    files |= {FILE: json_text(_configuration(subject)), "kit.zip": subject.kit}
    files |= {"teams.json": b"{}\n", "user_team.json": b"{}\n"}
    return Bundle(
        files,
        lost=lost(subject, HAS),
        next=(
            "put the files into the competition's private dataset repository",
            "Dockerfile goes into the Space: it gives `score` a Python of its own",
        ),
    )


def _configuration(subject: Subject) -> dict[str, Any]:
    phase = (subject.phases or (Phase(id="main"),))[-1]
    closes = phase.closes or subject.now + timedelta(days=3650)
    primary = subject.measures[0]
    selected = [each.select for each in subject.challenge.phases if each.select]
    return {
        "COMPETITION_TYPE": "generic",
        "SUBMISSION_LIMIT": phase.quota.per_day or FOREVER,
        "SELECTION_LIMIT": max(selected, default=1),
        "END_DATE": closes.date().isoformat(),
        "EVAL_HIGHER_IS_BETTER": int(primary.metric.better == "higher"),
        "SUBMISSION_ID_COLUMN": "id",
        "SUBMISSION_COLUMNS": "",
        "SUBMISSION_ROWS": 1,
        "EVAL_METRIC": "custom",
        "SCORING_METRIC": primary.id,
        "LOGO": "",
        "TIME_LIMIT": 600,
        "HARDWARE": "cpu-basic",
        "DATASET": "",
        "SUBMISSION_FILENAMES": [f"submission.{_suffix(subject)}"],
    }


def _suffix(subject: Subject) -> str:
    """The end of submissions' names, by which the metric finds them."""
    made = sample(subject.prepared, public(subject.prepared))
    return "csv" if made is None else made[0].rpartition(".")[2]
