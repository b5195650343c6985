"""Codabench: a bundle with competition.yaml; a task for each split that a phase shows."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from scorer.challenge.phases import Phase
from scorer.export.base import (
    LOGO,
    NO_LIMIT,
    Bundle,
    ExportContext,
    bridge_files,
    derived_image,
    format_utc,
    format_yaml,
    in_folder,
    unsupported_features,
)
from scorer.reports.leaderboard.platforms import LONGEST_KEY, make_keys

LONGEST_COLUMN_TITLE = 36  # characters
LONGEST_BOARD_TITLE = 64
LONGEST_TASK_NAME = 100
COMMAND = "python3 /app/program/bridge.py /app/input/ref /app/input/res /app/output"
# The worker gives its command to the image's entry point, and root owns the folder of results.
DOCKERFILE = """FROM {image}
USER root
ENTRYPOINT []
"""
SUBMISSION_RULES = {
    "best": "Force_Best",
    "last": "Force_Last",
    "selected": "Add_And_Delete_Multiple",
    "all": "Add_And_Delete_Multiple",
}
SUPPORTED = {"best", "last", "selected", "quota", "phases", "questions", "pages"}


def export_codabench(context: ExportContext) -> Bundle:
    """Return a folder to be zipped and uploaded: Benchmarks, Management, Upload."""
    splits = context.splits or (None,)
    image = derived_image(context.image, "codabench")
    files: dict[str, bytes] = {"logo.png": LOGO, "starting_kit/kit.zip": context.kit}
    files |= in_folder("reference_data", context.files)
    for number, split in enumerate(splits):
        program = bridge_files(
            context,
            "codabench",
            "scores.json",
            [split] if split else [],
            page="detailed_results.html",
        )
        program["metadata.yaml"] = format_yaml({"command": COMMAND})
        files |= in_folder(f"scoring_program_{number}", program)
    files["Dockerfile"] = DOCKERFILE.format(image=context.image).encode()
    pages = _pages(context)
    files |= {file: text for _, file, text in pages}
    files["competition.yaml"] = format_yaml(
        {
            "version": 2,
            "title": context.title,
            "description": context.title,
            "image": "logo.png",
            "terms": "terms.md",
            "docker_image": image,
            "enable_detailed_results": True,
            "show_detailed_results_in_leaderboard": False,
            "make_programs_available": False,
            "make_input_data_available": False,
            "pages": [{"title": title, "file": file} for title, file, _ in pages],
            "tasks": [
                {
                    "index": number,
                    "name": (split or context.title)[:LONGEST_TASK_NAME],
                    "description": split or "all lists",
                    "scoring_program": f"scoring_program_{number}",
                    "reference_data": "reference_data",
                }
                for number, split in enumerate(splits)
            ],
            "phases": _phases(context, splits),
            "leaderboards": [_leaderboard(context)],
            "fact_sheet": _fact_sheet(context),
        }
    )
    return Bundle(
        files,
        unsupported=unsupported_features(context, SUPPORTED),
        next_steps=(
            "upload it as a zip: codabench.org, Benchmarks, Management, Upload",
            "build the workers' image in the bundle's folder, and push it where they pull from:",
            f"  docker build -t {image} .",
        ),
    )


def _pages(context: ExportContext) -> list[tuple[str, str, bytes]]:
    """Return title, file and text of each page; Codabench refuses an empty text."""
    description = context.challenge.description or context.title
    pages = [("Overview", "overview.md", f"# {context.title}\n\n{description}\n".encode())]
    for name, text in context.challenge.pages.items():
        pages.append((name.capitalize(), f"{name}.md", (text or name).encode()))
    if "terms" not in context.challenge.pages:
        pages.append(("Terms", "terms.md", b"# Terms\n\nAs the organizers say.\n"))
    return pages


def _phases(context: ExportContext, splits: tuple[str | None, ...]) -> list[dict[str, Any]]:
    """Return the phases with their times in UTC.

    A phase that takes no entries of its own opens when the phase before it has closed, since
    Codabench moves the entries of that phase then.
    """
    phases: list[dict[str, Any]] = []
    closing: dict[str, datetime] = {}
    for phase in context.challenge.phases or (Phase(id="main"),):
        opens = phase.opens or context.now
        if phase.after is not None:
            opens = closing[phase.after] + timedelta(seconds=1)
            opens = max(opens, phase.select_until) if phase.select_until else opens
        closing[phase.id] = phase.closes or opens
        shown = phase.show if phase.show in splits else splits[0]
        entry = {
            "index": len(phases),
            "name": phase.id,
            "description": phase.id,
            "start": format_utc(opens),
            "tasks": [splits.index(shown)],
            "starting_kit": "starting_kit",
            "max_submissions_per_day": phase.quota.per_day or NO_LIMIT,
            "max_submissions": phase.quota.total or NO_LIMIT,
        }
        if phase.closes is not None:
            entry["end"] = format_utc(phase.closes)
        if phase.after is not None:
            entry["auto_migrate_to_this_phase"] = True
        phases.append(entry)
    return phases


def _leaderboard(context: ExportContext) -> dict[str, Any]:
    """Return the board with a column for each measure."""
    ids = [measure.id for measure in context.measures]
    keys = make_keys(ids, LONGEST_KEY)
    titles = make_keys(ids, LONGEST_COLUMN_TITLE, r"[\s]+")
    sorting = context.by_direction("desc", "asc")
    return {
        "title": context.title[:LONGEST_BOARD_TITLE],
        "key": "main",
        "submission_rule": SUBMISSION_RULES[context.challenge.leaderboard.entry],
        "columns": [
            {
                "title": titles[name],
                "key": keys[name],
                "index": index,
                "sorting": sorting[name],
                "precision": context.challenge.leaderboard.digits,
                "hidden": False,
            }
            for index, name in enumerate(ids)
        ],
    }


def _fact_sheet(context: ExportContext) -> dict[str, Any]:
    """Return the questions; Codabench wants exactly these six keys of each."""
    return {
        name: {
            "key": name,
            "type": "text",
            "title": name,
            "selection": "",
            "is_required": str(question.required).lower(),
            "is_on_leaderboard": str(question.board).lower(),
        }
        for name, question in context.challenge.questions.items()
    }
