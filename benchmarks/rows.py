"""Bytes of memory that a row of a submission costs, by what the challenge asks for.

    .venv/bin/python benchmarks/rows.py [--rows 2000000 8000000] [--only ratings] [-o table.md]

Each challenge is scored twice with the same truth: with a submission of so many rows, and with one
of its lists alone, which costs what starting and the truth do. The difference of the peaks, over
the rows, is what a row costs, with what is read ahead and worked on at any size; of the second of
two sizes what each further row costs. `whole`: the rows of each list stand together; `scattered`:
in no order. What the truth costs is the peak of the second over that of a tiny set, over the rows
of the truth.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

SCORE = Path(sys.executable).parent / "score"
ITEMS = 99_991  # a prime, so that steps of any size meet each item once
LAX = "missing_list: zero"


def ids(letter, numbers):
    """Ids such as d0000012."""
    return letter + pl.Series(numbers).cast(pl.String).str.zfill(7)


def grid(rows, size, rng, items=ITEMS):
    """Lists of `size` different items each: the list and the item of each row, int64 (rows,).

    Args:
        rows: how many; a multiple of `size`.
        size: items of each list.
        rng: the generator that is drawn from.
        items: how many items there are.
    """
    lists = rows // size
    first, step = rng.integers(0, items, lists), rng.integers(1, items, lists)
    item = (first[:, None] + step[:, None] * np.arange(size)) % items
    return np.repeat(np.arange(lists), size), item.reshape(-1)


def ranked(rows, rng, size=1000, judged=20):
    """A truth of grades, and a submission.

    Args:
        rows: of the submission.
        rng: the generator that is drawn from.
        size: items of each list.
        judged: how many of them the truth grades.
    """
    in_list, item = grid(rows, size, rng)
    truth = np.arange(rows) % size % (size // judged) == 0
    columns = {"list": ids("q", in_list), "item": ids("d", item)}
    sent = pl.DataFrame(columns | {"score": rng.normal(0, 1, rows).round(4)})
    grade = pl.Series("grade", rng.integers(0, 3, int(truth.sum())))
    return sent.select("list", "item").filter(truth).with_columns(grade), sent


def tied(rows, rng):
    """As `ranked`, of scores that are mostly equal to another of the list."""
    truth, sent = ranked(rows, rng)
    return truth, sent.with_columns(pl.Series("score", rng.integers(0, 300, rows)))


def trec(rows, rng):
    """As `ranked`, with ranks beside the scores."""
    truth, sent = ranked(rows, rng)
    sent = sent.sort("list", "score", descending=[False, True], maintain_order=True)
    return truth, sent.with_columns(pl.Series("rank", np.arange(rows) % 1000 + 1))


def exact(rows, rng):
    """As `trec`, with scores of full precision."""
    truth, sent = ranked(rows, rng)
    sent = sent.with_columns(pl.Series("score", rng.normal(0, 1, rows)))
    sent = sent.sort("list", "score", descending=[False, True], maintain_order=True)
    return truth, sent.with_columns(pl.Series("rank", np.arange(rows) % 1000 + 1))


def further(rows, rng):
    """As `ranked`, with a text of its own for each row."""
    truth, sent = ranked(rows, rng)
    return truth, sent.with_columns(note=ids("n", rng.permutation(rows)))


def ignored(rows, rng):
    """As `ranked`, and as many rows of lists that the challenge lacks, each of one row."""
    truth, sent = ranked(max(rows // 100, 1000), rng)
    others = ids("x", np.arange(rows - len(sent)))
    other = pl.DataFrame({"list": others, "item": others, "score": rng.normal(0, 1, len(others))})
    return truth, pl.concat([sent, other])


def catalogue(folder, rng, truth, sent):
    """Write the items, and how many users know each.

    Args:
        folder: of the challenge; the other arguments are what every case has.
        rng: the generator that is drawn from.
        truth: its rows.
        sent: the submission's rows.
    """
    users = rng.integers(0, 1000, ITEMS)
    table = pl.DataFrame({"item": ids("d", np.arange(ITEMS)), "users": users})
    table.write_csv(folder / "items.csv")


def candidates(folder, rng, truth, sent):
    """Write the candidates of each list, which are all that the submission returns.

    Args:
        folder: of the challenge.
        rng: not used.
        truth: not used.
        sent: the submission's rows.
    """
    sent.select("list", "item").write_csv(folder / "items.csv")


def folds(folder, rng, truth, sent):
    """Write a fold for each list.

    Args:
        folder: of the challenge.
        rng: not used.
        truth: its rows.
        sent: not used.
    """
    lists = truth["list"].unique(maintain_order=True)
    fold = pl.Series("fold", np.arange(len(lists)) % 5)
    pl.DataFrame([lists, fold]).write_csv(folder / "folds.csv")


def rated(rows, rng, size=50):
    """A truth of ratings, and a submission.

    Args:
        rows: of the submission, and of the truth.
        rng: the generator that is drawn from.
        size: items of each list.
    """
    in_list, item = grid(rows, size, rng)
    columns = {"list": ids("u", in_list), "item": ids("d", item)}
    truth = pl.DataFrame(columns | {"rating": rng.integers(1, 6, rows)})
    return truth, pl.DataFrame(columns | {"prediction": rng.uniform(1, 5, rows).round(3)})


def bounded(rows, rng):
    """As `rated`, with bounds of each prediction, all of full precision."""
    truth, sent = rated(rows, rng)
    prediction, widths = rng.uniform(1, 5, rows), rng.uniform(0, 1, (2, rows))
    columns = {
        "prediction": prediction,
        "low": prediction - widths[0],
        "high": prediction + widths[1],
    }
    return truth, sent.with_columns(**columns)


def preferred(rows, rng, size=20):
    """A truth that prefers each item to the next one, and pairs of all.

    Args:
        rows: pairs of the submission.
        rng: the generator that is drawn from.
        size: items of each list.
    """
    above, below = np.triu_indices(size, 1)
    lists = rows // above.size
    item = grid(lists * size, size, rng)[1].reshape(lists, size)
    frames = []
    for high, low in ((np.arange(size - 1), np.arange(1, size)), (above, below)):
        name = ids("t", np.repeat(np.arange(lists), high.size))
        pair = (ids("d", item[:, n].reshape(-1)) for n in (high, low))
        frames.append(pl.DataFrame([name, *pair], schema=["list", "better", "worse"]))
    return frames[0], frames[1]


def ordered(rows, rng, size=20):
    """A truth of pairs, and ranked lists.

    Args:
        rows: of the submission.
        rng: the generator that is drawn from.
        size: items of each list.
    """
    truth, _ = preferred(rows // size * 190, rng, size)
    both = pl.concat([truth.select("list", item="better"), truth.select("list", item="worse")])
    sent = both.unique(maintain_order=True).sort("list", maintain_order=True)
    return truth, sent.with_columns(pl.Series("score", rng.normal(0, 1, len(sent)).round(4)))


def classified(rows, rng):
    """A truth of classes, and probabilities."""
    name = ids("n", np.arange(rows))
    truth = pl.DataFrame({"list": name, "label": rng.integers(0, 2, rows)})
    return truth, pl.DataFrame({"list": name, "probability": rng.uniform(0, 1, rows).round(4)})


def named(rows, rng):
    """A truth of classes, and classes."""
    truth, sent = classified(rows, rng)
    label = pl.Series("label", rng.integers(0, 2, rows))
    return truth, sent.select("list").with_columns(label)


def wrong(rows, rng):
    """As `ranked`, of which each row names an item that the challenge lacks."""
    truth, sent = ranked(rows, rng)
    return truth, sent.with_columns(item=ids("x", np.arange(rows)))


def again(rows, rng):
    """As `ranked`, of lists that name each item twice."""
    truth, sent = ranked(rows, rng)
    item = sent["item"].gather(np.arange(rows) // 2 * 2)
    return truth, sent.with_columns(item=item)


GRADES = f"truth: truth.csv\nsubmission: {{{LAX}}}\n"
CATALOGUE = "items: {file: items.csv, columns: {users: users}}\n"
LOOSE = f"truth: truth.csv\nsubmission: {{{LAX}, limits: {{errors: 100000000}}}}\n"
# the system counts what a process was before it became another one: one that is small starts them
SMALL = """
import os, sys
run = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(run, 0)
print(used.ru_maxrss, used.ru_utime + used.ru_stime)
sys.exit(os.waitstatus_to_exitcode(status) not in (0, 1))
"""
CASES = {  # the YAML, the truth and the submission, and what else the challenge has
    "grades": (f"{GRADES}metrics: [nDCG@10, AP]\n", ranked, None),
    "grades, rank and score": (f"{GRADES}metrics: [nDCG@10, AP]\n", trec, None),
    "grades, rank and score in full": (f"{GRADES}metrics: [nDCG@10, AP]\n", exact, None),
    "grades, ties": (f"{GRADES}metrics: [nDCG@10, AP]\n", tied, None),
    "catalogue": (f"{GRADES}items: items.csv\nmetrics: [nDCG@10]\n", ranked, catalogue),
    "Returned": (f"{GRADES}{CATALOGUE}metrics: [nDCG@10, CatalogueCoverage@10, Entropy@10]\n",
                 ranked, catalogue),
    "Returned, ties": (f"{GRADES}{CATALOGUE}metrics: [CatalogueCoverage@10]\n", tied, catalogue),
    "candidates": (f"{GRADES}items: items.csv\nmetrics: [nDCG@10]\n", ranked, candidates),
    "further texts": ("truth: truth.csv\nsubmission: {missing_list: zero, "
                      "columns: {extra: [note]}}\nmetrics: [nDCG@10]\n", further, None),
    "folds": (f"{GRADES}folds: {{file: folds.csv}}\nmetrics: [nDCG@10]\n", ranked, folds),
    "ratings": ("truth: truth.csv\nsubmission: {missing_list: skip}\nundefined: skip\n"
                "metrics: [RMSE, MAE]\n", rated, None),
    "ratings, low and high": ("truth: truth.csv\nsubmission: {missing_list: skip}\n"
                              "undefined: skip\nmetrics: [RMSE, IntervalCoverage]\n",
                              bounded, None),
    "preferences": (f"{GRADES}metrics: [EDRC]\n", preferred, None),
    "preferences, ranked": (f"{GRADES}metrics: [EDRC]\n", ordered, None),
    "labels": ("truth: truth.csv\nsubmission: {missing_list: skip}\nundefined: skip\n"
               "metrics: [AUROC]\n", classified, None),
    "labels, classes": ("truth: truth.csv\nsubmission: {missing_list: skip}\nundefined: skip\n"
                        "metrics: [Accuracy]\n", named, None),
    "ignored lists": ("truth: truth.csv\nsubmission: {missing_list: zero, "
                      "unknown_list: ignore}\nmetrics: [nDCG@10]\n", ignored, None),
    "unknown items": (f"{LOOSE}items: items.csv\nmetrics: [nDCG@10]\n", wrong, catalogue),
    "items twice": (f"{LOOSE}metrics: [nDCG@10]\n", again, None),
}  # fmt: skip


def write_set(folder, case, rows, rng):
    """Write a challenge and three submissions.

    Args:
        folder: which is made.
        case: its name in `CASES`.
        rows: of the submission.
        rng: the generator that is drawn from.

    Returns:
        The number of rows of the truth, and of the submission.
    """
    yaml, make, more = CASES[case]
    folder.mkdir()
    truth, sent = make(rows, rng)
    (folder / "challenge.yaml").write_text(yaml)
    truth.write_csv(folder / "truth.csv")
    if more is not None:
        more(folder, rng, truth, sent)
    sent.write_csv(folder / "whole.csv")
    sent.sample(fraction=1, shuffle=True, seed=1).write_csv(folder / "scattered.csv")
    sent.filter(sent["list"] == sent["list"][0]).write_csv(folder / "one.csv")
    return len(truth), len(sent)


def peak(folder, name):
    """The peak memory of a command in bytes, and its CPU seconds."""
    words = [SCORE, folder, folder / name, "--format", "json", "-q"]
    ran = subprocess.run(
        [sys.executable, "-c", SMALL, *words], capture_output=True, text=True, check=False
    )
    if ran.returncode:
        sys.exit(ran.stderr)
    kib, seconds = map(float, ran.stdout.split())
    return int(kib) << 10, seconds


def main():
    """Print a table, a row a case and size."""
    words = argparse.ArgumentParser()
    words.add_argument("--rows", type=int, nargs="+", default=[2_000_000, 8_000_000])
    words.add_argument("--only", nargs="+", default=list(CASES))
    words.add_argument("-o", "--output", type=Path)
    words.add_argument("--json", action="store_true", help="a line of JSON a case, too")
    options = words.parse_args()
    lines = ["| case | rows | truth, bytes a row | whole, bytes a row | scattered, bytes a row |",
             "|---|---:|---:|---:|---:|"]  # fmt: skip
    print(*lines, sep="\n", flush=True)
    for case in options.only:
        before = None
        for rows in (1000, *options.rows):
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place) / "set"
                in_truth, sent = write_set(folder, case, rows, np.random.default_rng(2011))
                peaks = {n: peak(folder, f"{n}.csv") for n in ("one", "whole", "scattered")}
            if rows == 1000:
                tiny = peaks["one"][0]
                continue
            base = peaks["one"][0]
            costs = np.array([base - tiny, *(peaks[n][0] - base for n in ("whole", "scattered"))])
            per_row, of = costs / (in_truth, sent, sent), f"{rows:,}"
            lines.append(f"| {case} | {of} | " + " | ".join(f"{x:.1f}" for x in per_row) + " |")
            print(lines[-1], flush=True)
            if before is not None:
                per_row = (costs - before[0]) / (in_truth - before[1], *[sent - before[2]] * 2)
                lines.append("| | each further | " + " | ".join(f"{x:.1f}" for x in per_row) + " |")
                print(lines[-1], flush=True)
            before = costs, in_truth, sent
            if options.json:
                print(json.dumps({n: [b >> 20, round(s, 1)] for n, (b, s) in peaks.items()}))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
