"""HELM's `per_instance_stats.json`, in a folder that is called as its run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorer.core.text import quoted
from scorer.importers.base import Case, ToolFile, averaged_repeats, finite, keys, tool

# statistics of the prompt, the tokens and the time, which judge nothing
BOOKKEEPING = re.compile(
    r"(num_|finish_reason_|training_|estimated_|inference_|max_prob|batch_size|prompt_truncated|"
    r"predicted_index|logprob|perplexity|bits_per_byte).*"
)


# values of instances of which its own descriptions of metrics say that lower is better
LOWER = frozenset({
    "blacked_out_frac", "cer_score", "chinese_cer_score", "chinese_mer_score", "chinese_wer_score",
    "copyright_human", "expected_lpips_score", "expected_max_nsfw_score", "expected_max_toxicity",
    "expected_max_watermark_prob", "fractal_dimension_loss", "max_nsfw_probability",
    "max_toxicity_probability", "mer_score", "nsfw_frac", "nudity_frac", "toxic_frac",
    "toxic_prompt_openai", "toxic_prompt_perspective_api", "watermark_frac", "wer_score",
})  # fmt: skip


@tool(
    "HELM",
    keys("instance_id", "train_trial_index", "stats"),
    groups=("scenario", "run"),
    average="run",
    within="scenario",
    lower=LOWER,
)
def helm(file: ToolFile) -> Iterator[Case]:
    """A case an instance, as it is without perturbation; trials are averaged.

    Where a run has test instances beside those to validate by, these are left out, as in its
    tables.
    """
    if not isinstance(file.document, list):
        file.wrong("this is no list of instances")
    cases = [*_instances(file)]
    tested = any(split == "test" for split, _ in cases)
    yield from averaged_repeats(case for split, case in cases if split == "test" or not tested)


def _instances(file: ToolFile) -> Iterator[tuple[str, Case]]:
    """The split of each instance, and its case; one for each metric that was worked out."""
    system, scenario, run = _run_of(file)
    for n, instance in enumerate(file.document):
        where = f"instance {n:,}"
        name = file.member(instance, "instance_id", str, where)
        if instance.get("perturbation") is not None:
            continue
        values, split = dict[str, float](), ""
        for stat in file.member(instance, "stats", list, where):
            about = file.member(stat, "name", dict, where)
            called, split = file.member(about, "name", str, where), about.get("split", split)
            value = finite(stat.get("mean"))
            if value is None or BOOKKEEPING.fullmatch(called) is not None:
                continue
            if values.setdefault(called, value) != value:
                file.wrong(f"{where} has two values of {quoted(called)}")
        yield split, Case(system, f"{run}/{name}", values, (scenario, run))


def _run_of(file: ToolFile) -> tuple[str, str, str]:
    """The model, the scenario and the run, of a folder such as `mmlu:subject=law,model=m`."""
    folder = file.above() if file.stem == "per_instance_stats" else file.stem
    scenario, _, arguments = folder.partition(":")
    said = [each for each in arguments.split(",") if each]
    model = next((each[6:] for each in said if each.startswith("model=")), "")
    rest = ",".join(each for each in said if not each.startswith(("model=", "model_deployment=")))
    return model or folder, scenario, f"{scenario}:{rest}" if rest else scenario
