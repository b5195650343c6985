"""EvalAI: a bundle with challenge_config.yaml; a dataset split for each that a phase shows."""

from __future__ import annotations

import html
from datetime import timedelta
from typing import Any

from scorer.challenge.phases import EVERYTHING, Phase
from scorer.export.base import (
    LOGO,
    NO_LIMIT,
    Bundle,
    ExportContext,
    bridge_files,
    format_utc,
    format_yaml,
    template,
    unsupported_features,
)
from scorer.reading.write import zip_files
from scorer.reports import commonmark

LONGEST_TITLE = 100  # characters
FILE_TYPES = ".csv, .tsv, .txt, .jsonl, .json, .gz, .zip, .parquet"
SUPPORTED = {"best", "quota", "phases", "show"}
# EvalAI wants an end; that of a phase without one lies so many days after its beginning.
OPEN_END_DAYS = 3650
# Who sees the values of a split, in EvalAI's numbers.
HOSTS, PARTICIPANT, EVERYBODY = 1, 2, 3
# Each page, with the key of `pages` in challenge.yaml that has its text.
PAGES = {
    "description": "description",
    "evaluation_details": "evaluation_details",
    "terms_and_conditions": "terms",
    "submission_guidelines": "rules",
    "phase": "phase",
}


def export_evalai(context: ExportContext) -> Bundle:
    """Return a folder to be zipped and uploaded: Host challenge, Upload a zip."""
    splits = context.splits or (EVERYTHING,)
    shown = {
        phase.id: [split for split in splits if _visibility(split, phase) > HOSTS]
        for phase in _entry_phases(context)
    }
    script = bridge_files(context, "evalai", "result.json", context.splits, shown=shown)
    script["__init__.py"] = b"from .main import evaluate\n"
    script["main.py"] = template("evalai_main.py")
    files = {
        "logo.png": LOGO,
        "evaluation_script.zip": zip_files(script),
        "annotations/challenge.zip": zip_files(context.files),
        "kit.zip": context.kit,
        "remote.py": template("evalai_remote.py"),
        "challenge_config.yaml": format_yaml(_configuration(context, splits)),
    }
    for name in PAGES:
        files[f"templates/{name}.html"] = _page_html(context, name).encode()
    return Bundle(
        files,
        unsupported=unsupported_features(context, SUPPORTED),
        next_steps=(
            "upload it as a zip: eval.ai, Host challenge",
            "run remote.py on a machine of yours that has `score`; its first lines say how",
            "or, if EvalAI's own worker has `score`: remote_evaluation: false",
        ),
    )


def _page_html(context: ExportContext, name: str) -> str:
    """Return a page as HTML; EvalAI refuses an empty one."""
    text = context.challenge.pages.get(PAGES[name])
    if name == "description":
        text = context.challenge.description or text
    return commonmark.html(text) if text else f"<p>{html.escape(context.title)}</p>\n"


def _configuration(context: ExportContext, splits: tuple[str, ...]) -> dict[str, Any]:
    """Return what challenge_config.yaml says."""
    phases = _phases(context)
    ascending = context.by_direction(False, True)
    primary = context.measures[0].id
    schema = {
        "labels": [measure.id for measure in context.measures],
        "default_order_by": primary,
        "metadata": {
            measure.id: {
                "sort_ascending": ascending[measure.id],
                "description": measure.metric.title,
            }
            for measure in context.measures
        },
    }
    return {
        "title": context.title[:LONGEST_TITLE],
        "short_description": context.title,
        **{name: f"templates/{name}.html" for name in PAGES if name != "phase"},
        "image": "logo.png",
        "evaluation_script": "evaluation_script.zip",
        "remote_evaluation": True,
        "start_date": phases[0]["start_date"],
        "end_date": phases[-1]["end_date"],
        "leaderboard": [{"id": 1, "schema": schema}],
        "challenge_phases": phases,
        "dataset_splits": [
            {"id": number, "name": split, "codename": split}
            for number, split in enumerate(splits, 1)
        ],
        "challenge_phase_splits": [
            {
                "challenge_phase_id": phase_number,
                "leaderboard_id": 1,
                "dataset_split_id": split_number,
                "visibility": _visibility(split, phase),
                "leaderboard_decimal_precision": context.challenge.leaderboard.digits,
                "is_leaderboard_order_descending": not ascending[primary],
            }
            for phase_number, phase in enumerate(_entry_phases(context), 1)
            for split_number, split in enumerate(splits, 1)
        ],
    }


def _entry_phases(context: ExportContext) -> tuple[Phase, ...]:
    """Return the phases that take entries; EvalAI wants one at least."""
    return context.phases or (Phase(id="main"),)


def _visibility(split: str, phase: Phase) -> int:
    """Return who sees the values of a split in a phase."""
    if phase.show == "own":
        return PARTICIPANT
    return EVERYBODY if phase.show in (split, EVERYTHING) else HOSTS


def _phases(context: ExportContext) -> list[dict[str, Any]]:
    """Return the phases that take entries, with their times in UTC."""
    phases = []
    for number, phase in enumerate(_entry_phases(context), 1):
        opens = phase.opens or context.now
        closes = phase.closes or opens + timedelta(days=OPEN_END_DAYS)
        total = phase.quota.total or NO_LIMIT
        phases.append(
            {
                "id": number,
                "name": phase.id,
                "codename": phase.id,
                "description": "templates/phase.html",
                "leaderboard_public": phase.show not in ("own", "none"),
                "is_public": True,
                "is_submission_public": False,
                "disable_logs": False,
                "start_date": format_utc(opens),
                "end_date": format_utc(closes),
                "test_annotation_file": "annotations/challenge.zip",
                "max_submissions_per_day": phase.quota.per_day or total,
                "max_submissions_per_month": total,
                "max_submissions": total,
                "allowed_submission_file_types": FILE_TYPES,
            }
        )
    return phases
