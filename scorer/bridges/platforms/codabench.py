"""Codabench: a bundle with competition.yaml; a task for each split that a phase shows."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from scorer.bridges.base import (
    FOREVER,
    Bundle,
    PlatformRun,
    Subject,
    bridge,
    derived,
    platform,
    utc,
    within,
    yaml_text,
)
from scorer.bridges.logo import logo
from scorer.bridges.lost import lost
from scorer.bridges.stage import laid_out, made, numbers, python, read_json, run
from scorer.challenge.phases import Phase
from scorer.reports.leaderboard.platforms.codabench import KEY
from scorer.reports.leaderboard.platforms.sent import slugs

FILE = "competition.yaml"
TITLE = 36  # characters of a column's title
NAME = 64  # of a leaderboard's
APP = "/app"
COMMAND = "python3 /app/program/bridge.py /app/input/ref /app/input/res /app/output"
# their worker gives its command to the image's entry point, and owns the folder of results as root
DOCKER = """FROM {image}
USER root
ENTRYPOINT []
"""
TYPES = {"flag": "checkbox", "text": "text", "url": "text", "number": "text"}
RULES = {
    "best": "Force_Best",
    "last": "Force_Last",
    "selected": "Add_And_Delete_Multiple",
    "all": "Add_And_Delete_Multiple",
}
HAS = {"best", "last", "selected", "quota", "phases", "questions", "pages"}


def run_as_codabench(bundle: Path, submission: Path, folder: Path, score: str) -> PlatformRun:
    """Run the first phase's scoring program as the compute worker does."""
    said = yaml.safe_load((bundle / FILE).read_text("utf-8"))
    task = said["tasks"][said["phases"][0]["tasks"][0]]
    program = bundle / task["scoring_program"]
    words = shlex.split(yaml.safe_load((program / "metadata.yaml").read_text("utf-8"))["command"])
    app = folder / "app"
    places = {"program": program, "input/ref": bundle / task["reference_data"]}
    for name, source in places.items():
        laid_out(source, app / name)
    laid_out(submission, app / "input" / "res")
    output = made(app / "output")
    here = [word.replace(APP, str(app), 1) if word.startswith(APP) else word for word in words]
    ended = run([python(), *here[1:]], app / "program", score)
    if ended.code:
        return PlatformRun(ended.code, ended.seconds, f"Failed: {ended.err.strip()}", {})
    values = numbers(read_json(output / "scores.json"), "scores.json")
    columns = {column["key"] for column in said["leaderboards"][0]["columns"]}
    known = {key: value for key, value in values.items() if key in columns}
    return PlatformRun(0, ended.seconds, "Finished", known)


@platform("codabench", FILE, "reference_data", run_as_codabench)
def codabench(subject: Subject) -> Bundle:
    """A folder to be zipped and uploaded: Benchmarks, Management, Upload."""
    splits = subject.splits or (None,)
    image = derived(subject.image, "codabench")
    files: dict[str, bytes] = {"logo.png": logo(), "starting_kit/kit.zip": subject.kit}
    files |= within("reference_data", subject.files)
    for n, split in enumerate(splits):
        shown = [split] if split else []
        page = "detailed_results.html"
        form = bridge(subject, "codabench", "scores.json", shown, page=page)
        files |= within(f"scoring_program_{n}", form)
        files[f"scoring_program_{n}/metadata.yaml"] = yaml_text({"command": COMMAND})
    files["Dockerfile"] = DOCKER.format(image=subject.image).encode()
    pages = _page_files(subject)
    files |= {file: text for _, file, text in pages}
    tasks = [
        {
            "index": n,
            "name": (split or subject.title)[:100],
            "description": split or "all lists",
            "scoring_program": f"scoring_program_{n}",
            "reference_data": "reference_data",
        }
        for n, split in enumerate(splits)
    ]
    files[FILE] = yaml_text(
        {
            "version": 2,
            "title": subject.title,
            "description": subject.title,
            "image": "logo.png",
            "terms": "terms.md",
            "docker_image": image,
            "enable_detailed_results": True,
            "show_detailed_results_in_leaderboard": False,
            "make_programs_available": False,
            "make_input_data_available": False,
            "pages": [{"title": title, "file": file} for title, file, _ in pages],
            "tasks": tasks,
            "phases": _phases(subject, splits),
            "leaderboards": [_leaderboard(subject)],
            "fact_sheet": _questions(subject),
        }
    )
    return Bundle(
        files,
        lost=lost(subject, HAS),
        next=(
            "upload it as a zip: codabench.org, Benchmarks, Management, Upload",
            "build the workers' image in the bundle's folder, and push it where they pull from:",
            f"  docker build -t {image} .",
        ),
    )


def _page_files(subject: Subject) -> list[tuple[str, str, bytes]]:
    """Title, file and text of each page; none may be empty."""
    described = subject.challenge.description or subject.title
    pages = [("Overview", "overview.md", f"# {subject.title}\n\n{described}\n".encode())]
    for name, text in subject.challenge.pages.items():
        pages.append((name.capitalize(), f"{name}.md", (text or name).encode()))
    if "terms" not in subject.challenge.pages:
        pages.append(("Terms", "terms.md", b"# Terms\n\nAs the organizers say.\n"))
    return pages


def _phases(subject: Subject, splits: tuple[str | None, ...]) -> list[dict[str, Any]]:
    """The phases with times in UTC; one that takes no entries gets those of the one before."""
    written: list[dict[str, Any]] = []
    closing: dict[str, datetime] = {}  # phases that another one follows say when they close
    for phase in subject.challenge.phases or (Phase(id="main"),):
        opens = phase.opens or subject.now.replace(microsecond=0)
        if phase.after is not None:
            opens = closing[phase.after] + timedelta(seconds=1)
            opens = max(opens, phase.select_until) if phase.select_until else opens
        closing[phase.id] = phase.closes or opens
        shown = phase.show if phase.show in splits else splits[0]
        entry = {
            "index": len(written),
            "name": phase.id,
            "description": phase.id,
            "start": utc(opens),
            "tasks": [splits.index(shown)],
            "starting_kit": "starting_kit",
            "max_submissions_per_day": phase.quota.per_day or FOREVER,
            "max_submissions": phase.quota.total or FOREVER,
        }
        if phase.closes is not None:
            entry["end"] = utc(phase.closes)
        if phase.after is not None:
            entry["auto_migrate_to_this_phase"] = True
        written.append(entry)
    return written


def _leaderboard(subject: Subject) -> Mapping[str, Any]:
    keys = slugs([measure.id for measure in subject.measures], KEY)
    sorting = subject.better("desc", "asc")
    titles = slugs([measure.id for measure in subject.measures], TITLE, r"[\s]+")
    columns = [
        {
            "title": titles[measure.id],
            "key": keys[measure.id],
            "index": n,
            "sorting": sorting[measure.id],
            "precision": subject.challenge.leaderboard.digits,
            "hidden": False,
        }
        for n, measure in enumerate(subject.measures)
    ]
    rule = RULES[subject.challenge.leaderboard.entry]
    return {
        "title": subject.title[:NAME],
        "key": "main",
        "submission_rule": rule,
        "columns": columns,
    }


def _questions(subject: Subject) -> dict[str, Any]:
    """The fact sheet: exactly these six keys each."""
    return {
        name: {
            "key": name,
            "type": TYPES[question.type],
            "title": name,
            "selection": "",
            "is_required": str(question.required).lower(),
            "is_on_leaderboard": str(question.board).lower(),
        }
        for name, question in subject.challenge.questions.items()
    }
