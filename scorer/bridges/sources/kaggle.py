"""The files of a Kaggle competition: solution.csv, sample_submission.csv, and its metric."""

from __future__ import annotations

import posixpath

from scorer.bridges.found import Files, FoundChallenge, source
from scorer.core.errors import UsageError

SOLUTION = ("solution.csv", "answers.csv")
SAMPLE = ("sample_submission.csv", "sampleSubmission.csv", "sample_submission.csv.gz")


@source("kaggle")
def kaggle(files: Files) -> FoundChallenge:
    """The solution is the truth; a metric file is run as it is."""
    by_name = {posixpath.basename(path): (path, data) for path, data in sorted(files.items())}
    solution = next((by_name[name] for name in SOLUTION if name in by_name), None)
    if solution is None:
        raise UsageError(f"the bundle has no {' or '.join(SOLUTION)}")
    sample = next(((name, by_name[name][1]) for name in SAMPLE if name in by_name), None)
    metric = by_name.get("metric.py")
    return FoundChallenge(
        title="challenge",
        reference={posixpath.basename(solution[0]): solution[1]},
        sample=sample,
        program={"metric.py": metric[1]} if metric else {},
        metric="metric.py" if metric else None,
        notes=["title, times and quotas are not in the files: write them into challenge.yaml"],
    )
