"""Submissions whose values are mathematically equal share a rank, by every measure and rule.

The second submission is the first with its answers exchanged between lists that have the same
truth: the values of lists, or the errors of rows, come in another order.
"""

import everything
import numpy as np
import pytest

from scorer import score
from scorer.leaderboard.standings import Contestant, by_measure, standings

AGGREGATES = ("WinRate", "MeanRank", "Borda", "Copeland", "MC4")
MEASURES = {"grades": "RR, nDCG, AP", "classes": "F1, MCC, BalancedAccuracy"}


def rows_of(path):
    head, *rows = path.read_text().splitlines()
    return head, [row.split(",") for row in rows]


def give_all_lists_one_truth(folder, kind, rng):
    """Lists have the truth of the first list, and the same past; rows have one of three answers."""
    head, rows = rows_of(folder / "truth.csv")
    names = list(dict.fromkeys(row[0] for row in rows))
    if kind in ("grades", "ratings", "preferences"):
        own = [row[1:] for row in rows if row[0] == names[0]]
        rows = [[name, *rest] for name in names for rest in own]
    elif kind == "targets":
        rows = [[name, str(rng.choice([3, 7, 40]))] for name in names]
    everything.write(folder / "truth.csv", head, [",".join(row) for row in rows])
    if kind == "grades":
        past = [f"{name},i{n}" for name in names for n in (2, 5)]
        everything.write(folder / "history.csv", "list,item", past)
    answers = {}
    for name, *rest in rows:
        answers.setdefault(name, []).append(tuple(rest))
    return answers


def exchange(path, answers, rng):
    """The lines of a submission with lists of equal truth exchanged."""
    head, rows = rows_of(path)
    equal = {}
    for name, truth in answers.items():
        equal.setdefault(tuple(truth), []).append(name)
    new = {}
    for names in equal.values():
        new |= dict(zip(names, rng.permutation(names).tolist(), strict=True))
    return head, [",".join([new[row[0]], *row[1:]]) for row in rows]


def submissions(folder, kind, seed):
    rng = np.random.default_rng(seed)
    names = everything.made(folder, kind, rng, lists=30)
    answers = give_all_lists_one_truth(folder, kind, rng)
    everything.sent(folder / "first.csv", kind, names, rng)
    everything.write(folder / "second.csv", *exchange(folder / "first.csv", answers, rng))
    return [folder / "first.csv", folder / "second.csv"]


@pytest.mark.slow("scores by every measure", beyond=1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", everything.KINDS)
def test_the_same_values_in_another_order_share_a_rank(kind, seed, tmp_path):
    files = submissions(tmp_path, kind, seed)
    report = score(tmp_path, files)
    for measure in report.measures:
        entries = [
            Contestant(name, {measure.id: report.mean(name, measure.id)})
            for name in ("first", "second")
        ]
        ranks = [row.rank for row in standings(entries, [by_measure(measure.id, "higher")])]
        assert ranks == [1, 1], (measure.id, [entry.values for entry in entries])


@pytest.mark.slow("scores by every rule", beyond=1)
@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("kind", MEASURES)
def test_they_share_a_rank_by_every_rule(kind, aggregate, tmp_path):
    files = submissions(tmp_path, kind, 5)
    rule = f"rank_by: {{measures: [{MEASURES[kind]}], aggregate: {aggregate}}}"
    yaml = (tmp_path / "challenge.yaml").read_text()
    yaml = yaml.replace("leaderboard: {seed: 3}", f"leaderboard: {{seed: 3, {rule}}}")
    (tmp_path / "challenge.yaml").write_text(yaml)
    assert [row.rank for row in score(tmp_path, files).leaderboard] == [1, 1]


def test_classes_with_other_names_share_a_rank(tmp_path):
    """Recalls (1, 1, 1/3) and (1/3, 1, 1), whose mean differs in its last digit."""
    truth = dict(zip("123456789", "aaabbbccc", strict=True))
    files = {"x.csv": "aaabbbcaa", "y.csv": "abbbbbccc"}
    for name, labels in {"truth.csv": "aaabbbccc", **files}.items():
        rows = [f"{row},{label}" for row, label in zip(truth, labels, strict=True)]
        everything.write(tmp_path / name, "id,y", rows)
    columns = "columns: {list: id, label: y}"
    (tmp_path / "challenge.yaml").write_text(
        f"truth: {{file: truth.csv, {columns}}}\nsubmission: {{{columns}}}\n"
        "metrics: [BalancedAccuracy]\n"
    )
    report = score(tmp_path, [tmp_path / name for name in files])
    assert [row.rank for row in report.leaderboard] == [1, 1]
