"""Results of MTEB: a file a task, in a folder of the model and its revision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from scorer.core.errors import ChallengeError
from scorer.importers.base import Case, Model, Tool, ToolFile

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

    name: str


def read_mteb(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each subset of a split of the task, with its main score."""
    result = file.read(TaskResult)
    task, system = result.task_name or file.stem, _model_name(file)
    for split, subsets in result.scores.items():
        for subset in subsets:
            case = f"{task}/{split}/{subset.hf_subset}"
            yield Case(system, case, {"main_score": subset.main_score}, (task,))


def _model_name(file: ToolFile) -> str:
    """Return the name of the model by `model_meta.json`, else by the folders of the file."""
    try:
        return ToolFile(file.path.with_name(METADATA)).read(Metadata).name
    except ChallengeError:
        return file.folder_name(2 if REVISION.fullmatch(file.folder_name()) else 1)


TOOL = Tool(
    "MTEB",
    read_mteb,
    lambda file: file.begins_with_keys("mteb_version", "scores", "dataset_revision"),
    groups=("task",),
    average="task",
)
