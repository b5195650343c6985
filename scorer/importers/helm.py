"""HELM's `per_instance_stats.json`, in a folder that is called as its run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from scorer.core.text import quoted
from scorer.importers.base import Case, Model, Tool, ToolFile, as_finite, average_repeats

# Statistics of the prompt, the tokens and the time, which judge nothing.
BOOKKEEPING = re.compile(
    r"(num_|finish_reason_|training_|estimated_|inference_|max_prob|batch_size|prompt_truncated|"
    r"predicted_index|logprob|perplexity|bits_per_byte).*"
)
# Of these measures, HELM's own descriptions of metrics say that lower is better.
LOWER_IS_BETTER = {
    "blacked_out_frac",
    "cer_score",
    "chinese_cer_score",
    "chinese_mer_score",
    "chinese_wer_score",
    "copyright_human",
    "expected_lpips_score",
    "expected_max_nsfw_score",
    "expected_max_toxicity",
    "expected_max_watermark_prob",
    "fractal_dimension_loss",
    "max_nsfw_probability",
    "max_toxicity_probability",
    "mer_score",
    "nsfw_frac",
    "nudity_frac",
    "toxic_frac",
    "toxic_prompt_openai",
    "toxic_prompt_perspective_api",
    "watermark_frac",
    "wer_score",
}


class StatName(Model):
    """What a statistic is of."""

    name: str
    split: str | None = None


class Stat(Model):
    """A statistic of an instance; without a mean it was not worked out."""

    name: StatName
    mean: Any = None


class Instance(Model):
    """An instance in one trial."""

    instance_id: str
    stats: list[Stat]
    perturbation: Any = None


class CaseOfSplit(NamedTuple):
    """A case, and the split that its instance is in."""

    split: str | None
    case: Case


class Run(NamedTuple):
    """A run of a model, named as its folder without the model."""

    model: str
    scenario: str
    name: str


def read_helm(file: ToolFile) -> Iterator[Case]:
    """Yield a case for each instance without perturbation; trials are averaged.

    Where a run has test instances beside those to validate by, these are left out, as in HELM's
    tables.
    """
    run = _parse_run(file)
    cases = list[CaseOfSplit]()
    for n, instance in enumerate(file.read(list[Instance])):
        if instance.perturbation is not None:
            continue
        values = dict[str, float]()
        split = None
        for stat in instance.stats:
            name = stat.name.name
            value = as_finite(stat.mean)
            split = stat.name.split or split
            if value is None or BOOKKEEPING.fullmatch(name):
                continue
            if values.setdefault(name, value) != value:
                file.refuse(f"'[{n}].stats' has two values of {quoted(name)}")
        case_id = f"{run.name}/{instance.instance_id}"
        case = Case(run.model, case_id, values, (run.scenario, run.name))
        cases.append(CaseOfSplit(split, case))
    has_test = any(each.split == "test" for each in cases)
    yield from average_repeats(each.case for each in cases if each.split == "test" or not has_test)


def _parse_run(file: ToolFile) -> Run:
    """Return the run of a folder that is called as `mmlu:subject=law,model=m`."""
    folder = file.folder_name() if file.stem == "per_instance_stats" else file.stem
    scenario, _, arguments = folder.partition(":")
    words = [word for word in arguments.split(",") if word]
    models = [word.removeprefix("model=") for word in words if word.startswith("model=")]
    rest = [word for word in words if not word.startswith(("model=", "model_deployment="))]
    name = f"{scenario}:{','.join(rest)}" if rest else scenario
    model = models[0] if models else ""
    return Run(model or folder, scenario, name)


TOOL = Tool(
    "HELM",
    read_helm,
    lambda file: file.begins_with_keys("instance_id", "train_trial_index", "stats"),
    groups=("scenario", "run"),
    average="run",
    within="scenario",
    lower=frozenset(LOWER_IS_BETTER),
)
