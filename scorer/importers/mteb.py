"""Results of MTEB: a file a task, in a folder of the model and its revision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from scorer.importers.base import Case, ToolFile, finite, keys, tool

REVISION = re.compile(r"[0-9a-f]{40}|no_revision_available|external|[0-9]+")


@tool(
    "MTEB",
    keys("mteb_version", "scores", "dataset_revision"),
    groups=("task",),
    average="task",
)
def mteb(file: ToolFile) -> Iterator[Case]:
    """A case a subset of a split of a task, with its main score."""
    scores = file.member(file.document, "scores", dict)
    task = file.document.get("task_name") or file.stem
    system = _model(file)
    for split, subsets in scores.items():
        if not isinstance(subsets, list):
            file.wrong(f"'scores' of {split!r} is no list of subsets")
        for subset in subsets:
            where = f"split {split!r}"
            name = file.member(subset, "hf_subset", str, where)
            value = finite(subset.get("main_score"))
            if value is None:
                file.wrong(f"'main_score' of {where}, {name!r}, is missing or no number")
            yield Case(system, f"{task}/{split}/{name}", {"main_score": value}, (str(task),))


def _model(file: ToolFile) -> str:
    """The model, as `model_meta.json` beside it says, else as its folder is called."""
    beside: Any = None
    with suppress(OSError, ValueError, RecursionError):
        beside = json.loads((file.path.parent / "model_meta.json").read_bytes()[: 1 << 20])
    if isinstance(beside, dict) and isinstance(beside.get("name"), str):
        return str(beside["name"])
    folder = file.above()
    return file.above(2) if REVISION.fullmatch(folder) else folder
