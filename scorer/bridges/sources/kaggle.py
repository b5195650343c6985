"""The files of a Kaggle competition: solution.csv, sample_submission.csv, and its metric."""

from __future__ import annotations

import posixpath
import re

from scorer.bridges.found import BoardColumn, Files, FoundChallenge, below, source
from scorer.core.errors import UsageError

SOLUTION = ("solution.csv", "answers.csv")
EXPORTED = "challenge/challenge.yaml"  # which `score export kaggle` puts beside the three files
UNTOLD = "higher"
SAMPLE = ("sample_submission.csv", "sampleSubmission.csv", "sample_submission.csv.gz")


@source("kaggle")
def kaggle(files: Files) -> FoundChallenge:
    """The solution is the truth; a metric file is run as it is."""
    if EXPORTED in files:
        return FoundChallenge(
            title="challenge", reference=below(files, posixpath.dirname(EXPORTED))
        )
    by_name = {posixpath.basename(path): (path, data) for path, data in sorted(files.items())}
    solution = next((by_name[name] for name in SOLUTION if name in by_name), None)
    if solution is None:
        raise UsageError(f"the bundle has no {' or '.join(SOLUTION)}")
    sample = next(((name, by_name[name][1]) for name in SAMPLE if name in by_name), None)
    metric = by_name.get("metric.py")
    better, told = _direction(metric[1]) if metric else (UNTOLD, [])
    return FoundChallenge(
        title="challenge",
        reference={posixpath.basename(solution[0]): solution[1]},
        sample=sample,
        program={"metric.py": metric[1]} if metric else {},
        metric="metric.py" if metric else None,
        columns=[BoardColumn("metric", better)] if metric else [],
        notes=[
            "title, times and quotas are not in the files: write them into challenge.yaml",
            *told,
        ],
    )


def _direction(metric: bytes) -> tuple[str, list[str]]:
    """Which values are better, as a constant of the file says it, and what is to be known."""
    found = re.search(rb"(?m)^HIGHER_IS_BETTER *= *(True|False)\b", metric)
    if found is None:
        return UNTOLD, ["higher values are taken to be better, which metric.py does not say"]
    return ("higher" if found[1] == b"True" else "lower"), []
