"""HELM's `per_instance_stats.json`, in a folder that is called as its run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorer.prepare.tools.base import Case, ToolFile, averaged_repeats, finite, keys, tool

# statistics of the prompt, the tokens and the time, which judge nothing
BOOKKEEPING = re.compile(
    r"(num_|finish_reason_|training_|estimated_|inference_|max_prob|batch_size|prompt_truncated|"
    r"predicted_index|logprob|perplexity|bits_per_byte).*"
)


@tool(
    "HELM",
    keys("instance_id", "train_trial_index", "stats"),
    groups=("scenario", "run"),
    average=("run", "scenario"),
)
def helm(file: ToolFile) -> Iterator[Case]:
    """A case an instance, as it is without perturbation; trials are averaged."""
    if not isinstance(file.document, list):
        file.wrong("this is no list of instances")
    yield from averaged_repeats(_instances(file))


def _instances(file: ToolFile) -> Iterator[Case]:
    system, scenario, run = _run_of(file)
    for n, instance in enumerate(file.document):
        where = f"instance {n:,}"
        name = file.member(instance, "instance_id", str, where)
        if instance.get("perturbation") is not None:
            continue
        values = {}
        for stat in file.member(instance, "stats", list, where):
            called = file.member(file.member(stat, "name", dict, where), "name", str, where)
            value = finite(stat.get("mean"))
            if value is not None and BOOKKEEPING.fullmatch(called) is None:
                values[called] = value
        yield Case(system, f"{run}/{name}", values, (scenario, run))


def _run_of(file: ToolFile) -> tuple[str, str, str]:
    """The model, the scenario and the run, of a folder such as `mmlu:subject=law,model=m`."""
    folder = file.above() if file.stem == "per_instance_stats" else file.stem
    scenario, _, arguments = folder.partition(":")
    said = [each for each in arguments.split(",") if each]
    model = next((each[6:] for each in said if each.startswith("model=")), "")
    rest = ",".join(each for each in said if not each.startswith(("model=", "model_deployment=")))
    return model or folder, scenario, f"{scenario}:{rest}" if rest else scenario
