"""One million rows of a table, five measures: score against pandas and scikit-learn, CPU time.

    make .venv/peers
    .venv/bin/python benchmarks/tables.py [--rows 1000000] [--runs 3]

Both read two CSV files and compute AUROC, accuracy, F1, log loss and MCC; score also checks the
submission and draws intervals. Prints the median CPU time of each as a ratio to the peer's, start
of the process included. The exit code is 1 where a value differs by more than 1e-12 of itself.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

HERE = Path(__file__).parent
SCORE = Path(sys.executable).parent / "score"
YAML = """truth: {file: truth.csv, columns: {list: id, label: label}}
submission: {columns: {list: id, probability: p}}
metrics: [AUROC, Accuracy, F1, LogLoss, MCC]
"""


def make(folder, rows, classes):
    """Write a truth and a submission, from one seed.

    Args:
        folder: of the challenge.
        rows: of each file.
        classes: the two labels.
    """
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, rows)
    likely = (1 / (1 + np.exp(1 - 2 * true - rng.normal(0, 1.5, rows)))).round(4)
    with (folder / "truth.csv").open("w") as truth, (folder / "sub.csv").open("w") as sent:
        writers = csv.writer(truth), csv.writer(sent)
        writers[0].writerow(["id", "label"])
        writers[1].writerow(["id", "p"])
        writers[0].writerows((n, classes[t]) for n, t in enumerate(true.tolist(), 10_000_000))
        writers[1].writerows((n, p) for n, p in enumerate(likely.tolist(), 10_000_000))
    (folder / "challenge.yaml").write_text(YAML)


def run(words):
    """The CPU seconds of a process, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, json.loads(ended.stdout)


def ours(folder):
    """CPU seconds and values of score."""
    used, report = run([SCORE, folder, folder / "sub.csv", "--format", "json"])
    return used, [value["mean"] for value in report["submissions"][0]["values"].values()]


def theirs(folder, positive):
    """CPU seconds and values of pandas and scikit-learn."""
    return run([sys.executable, HERE / "peers" / "with_sklearn.py", folder, positive])


def main():
    """Print the ratios."""
    words = argparse.ArgumentParser()
    words.add_argument("--rows", type=int, default=1_000_000)
    words.add_argument("--runs", type=int, default=3)
    options = words.parse_args()
    wrong = False
    for name, classes in (("classes no, yes", ("no", "yes")), ("classes 0, 1", ("0", "1"))):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            make(folder, options.rows, classes)
            pairs = [(ours(folder), theirs(folder, classes[1])) for _ in range(options.runs)]
        own_cpu, peer_cpu = (median(pair[n][0] for pair in pairs) for n in (0, 1))
        difference = max(
            abs(a / b - 1) for a, b in zip(pairs[0][0][1], pairs[0][1][1], strict=True)
        )
        wrong |= difference > 1e-12
        print(f"{options.rows:,} rows, {name}: {own_cpu / peer_cpu:.2f} of the peer's CPU time; "
              f"values differ by {difference:.1g} at most")  # fmt: skip
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
