"""Bundles of EvalAI."""

from __future__ import annotations

import posixpath
from typing import Any

from scorer.bridges.found import (
    ANY,
    TEXT,
    BoardColumn,
    Files,
    FoundChallenge,
    below,
    phase,
    read_yaml,
    source,
)

NAMES = ("challenge_config.yaml", "challenge_config.yml")
TEXTS = ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines")
FORM = {
    **dict.fromkeys(("title", "short_description", "evaluation_script", *TEXTS), TEXT),
    "leaderboard": [
        {"schema": {"labels": [TEXT], "default_order_by": TEXT, "metadata": {ANY: {}}}}
    ],
    "challenge_phases": [{"codename": TEXT, "name": TEXT, "test_annotation_file": TEXT}],
    "dataset_splits": [{"codename": TEXT}],
}


@source("evalai")
def evalai_bundle(files: Files) -> FoundChallenge:
    """What challenge_config.yaml says."""
    said, folder = read_yaml(files, NAMES, {ANY: FORM})
    inside = below(files, folder) if folder else dict(files)
    phases = said.get("challenge_phases") or []
    schema = ((said.get("leaderboard") or [{}])[0] or {}).get("schema") or {}
    labels = list(map(str, schema.get("labels") or []))
    first = str(schema.get("default_order_by") or "")
    labels.sort(key=lambda label: label != first)
    told = schema.get("metadata") or {}
    splits = [str(split.get("codename")) for split in said.get("dataset_splits") or []]
    notes = [f"dataset splits: {', '.join(splits)}; who is in which is in the annotations"]
    annotation = str(phases[0].get("test_annotation_file") or "") if phases else ""
    pages = [posixpath.normpath(str(said[word])) for word in TEXTS if said.get(word)]
    return FoundChallenge(
        title=str(said.get("title") or "challenge"),
        description=str(said.get("short_description") or ""),
        phases=[
            phase(
                each.get("codename") or each.get("name"), each.get("start_date"),
                each.get("end_date"), each.get("max_submissions_per_day"),
                each.get("max_submissions"),
            )
            for each in phases
        ],
        columns=[BoardColumn(label, _better(label, told)) for label in labels],
        reference=below(inside, annotation) if annotation else {},
        program=below(inside, str(said.get("evaluation_script") or "evaluation_script")),
        pages={page: inside[page] for page in pages if page in inside},
        notes=notes if len(splits) > 1 else [],
    )  # fmt: skip


def _better(label: str, told: Any) -> str:
    return "lower" if (told.get(label) or {}).get("sort_ascending") is True else "higher"
