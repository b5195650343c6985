"""Results of MTEB: one file per task, in MODEL/REVISION/TASK.json, or MODEL/TASK.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from scorer.importers.base import Case, Model, Tool, ToolFile

# The names of folders of revisions: commits of Hugging Face; what MTEB writes of a model that has
# none, and of results that were taken from a model's card; and numbers, that of a model's version.
REVISION = re.compile(r"[0-9a-f]{40}|no_revision_available|external|[0-9]+")
METADATA = "model_meta.json"  # beside the results


class Subset(Model):
    """The value of a subset of a split."""

    hf_subset: str
    main_score: Annotated[float, Field(allow_inf_nan=False)]


class TaskResult(Model):
    """The results of a task: split -> subsets."""

    task_name: str | None = None
    scores: dict[str, list[Subset]]


class Metadata(Model):
    """What `model_meta.json` says of a model."""

    name: str | None  # null of a model that was given as an object


def read_mteb(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each subset of a split of the task, with its main score."""
    result = file.read(TaskResult)
    task = result.task_name or file.stem
    model = _model_name(file)
    for split, subsets in result.scores.items():
        for subset in subsets:
            case = f"{task}/{split}/{subset.hf_subset}"
            yield Case(model, case, {"main_score": subset.main_score}, (task,))


def _model_name(file: ToolFile) -> str:
    """Return the name of the model by `model_meta.json`, else by the folders of the file.

    Raises:
        ChallengeError: `model_meta.json` is damaged.
    """
    metadata = file.path.with_name(METADATA)
    if metadata.exists() and (name := ToolFile(metadata).read(Metadata).name):
        return name
    is_in_revision = REVISION.fullmatch(file.folder_name()) is not None
    model_level = 2 if is_in_revision else 1
    return file.folder_name(model_level)


TOOL = Tool(
    "MTEB",
    read_mteb,
    lambda file: file.begins_with_keys("mteb_version", "scores", "dataset_revision"),
    groups=("task",),
    average="task",
)
