"""What submissions tell of the measures, the lists and the truth: planted faults are found."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import scorer
from scorer.api.diagnosis import diagnosed
from scorer.api.submissions import Named, loaded, scored_files
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.results.diagnosis import Mislabelled
from scorer.stats.orders import ranks_of

ROWS = 40
LISTS = "id,label\n" + "".join(f"r{n:02},{'cat' if n % 2 else 'dog'}\n" for n in range(ROWS))
OTHER = {"cat": "dog", "dog": "cat"}


def scored_runs(folder, runs):
    """The challenge opened, its scored runs and their files, in the order of the board."""
    ready = opened(prepare(loaded(folder)))
    files = []
    for name, text in runs.items():
        path = folder.parent / f"{name}.csv"
        path.write_text(text)
        files.append(Named(name, path))
    scored = scored_files(ready, files, None)
    assert all(each.valid for each in scored), [list(each.findings) for each in scored]
    primary = next(each for each in ready.measures if each.primary)
    means = np.array([each.values[primary.id].mean for each in scored])
    ranks = ranks_of(means, primary.metric.better)
    by = np.argsort(ranks, kind="stable").tolist()
    return ready, [scored[n] for n in by], ranks[by], [[files[n]] for n in by]


def labels(flipped):
    """The true classes with some rows the other way round."""
    lines = LISTS.splitlines()
    for n in flipped:
        name, label = lines[n + 1].split(",")
        lines[n + 1] = f"{name},{OTHER[label]}"
    return "\n".join(lines) + "\n"


# each run errs on rows of its own, the fewer the better it is
RUNS = {f"run{n}": labels(range(3 * n, 6 * n + 1)) for n in range(5)}
DRAWS = "\nleaderboard: {draws: 500}\n"
CLASSES = (
    "truth: {file: truth.csv, columns: {list: id}}\nsubmission: {columns: {list: id}}\n"
    f"{DRAWS}metrics: "
)


def test_rows_on_which_good_ones_agree_against_the_label_are_named(challenge):
    folder = challenge(CLASSES + "[Accuracy, MCC]\n", **{"truth.csv": labels([33, 36])})
    found = diagnosed(*scored_runs(folder, RUNS))
    assert found.mislabelled == (
        Mislabelled("r33", "dog", "cat", 1.0),
        Mislabelled("r36", "cat", "dog", 1.0),
        Mislabelled("r06", "dog", "cat", 2 / 3),  # on which run1 and run2 err
    )
    assert found.better_half == ("run0", "run1", "run2")
    assert (found.low, found.reversed) == ((), ())  # rows with labels are not doubted twice
    assert [each.measure for each in found.separations] == ["Accuracy", "MCC"]


def test_reversed_labels_are_told_where_all_would_gain(challenge):
    every = {"truth.csv": labels(range(ROWS))}
    found = diagnosed(*scored_runs(challenge(CLASSES + "[Accuracy, MCC]\n", **every), RUNS))
    assert [(each.measure, each.chance) for each in found.reversed] == [
        ("Accuracy", 0.5),
        ("MCC", 0.0),
    ]
    one_good = RUNS | {"right": labels(range(ROWS))}
    assert diagnosed(*scored_runs(challenge(CLASSES + "[Accuracy, MCC]\n", **every), one_good)
                     ).reversed == ()  # fmt: skip


def several(rows):
    return "id,label\n" + "".join(f"{name},{label}\n" for name, label in rows.items())


def test_labels_of_several_are_doubted_one_by_one(challenge):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id}, multilabel: '|'}\n"
        "submission: {columns: {list: id}}\nmetrics: [Accuracy]\n"
    )
    true = {"r1": "a|b", "r2": "b", "r3": "c", "r4": "a", "r5": "c"}
    folder = challenge(yaml, **{"truth.csv": several(true | {"r3": "b"})})
    runs = {name: several(true | other) for name, other in
            {"x": {}, "y": {}, "z": {"r1": "c"}, "w": {"r4": "c", "r2": "a"}}.items()}  # fmt: skip
    found = diagnosed(*scored_runs(folder, runs))
    assert found.mislabelled == (
        Mislabelled("r3", "b", "not b", 1.0),
        Mislabelled("r3", "not c", "c", 1.0),
    )


def run_of(lists):
    """A run of ranked items: the text of its file."""
    return "list,item\n" + "".join(
        f"q{n},{item}\n" for n, items in enumerate(lists) for item in items
    )


def qrels(lists):
    return "list,item,grade\n" + "".join(
        f"q{n},{item},{grade}\n" for n, grades in enumerate(lists) for item, grade in grades.items()
    )


def test_lists_that_separate_nobody_or_go_against_the_others(challenge):
    """Better runs find `r` nearer to the top; in q1 no run, in q2 all, in q3 the worse ones do."""
    truth = qrels([{"r": 1}] * 24)
    every = {}
    for n in range(8):
        at = [*"xyzuvwt"]
        at.insert(n, "r")
        lists = [at] * 24
        lists[1], lists[2], lists[3] = [*"xyz"], [*"rxy"], ["r" if n > 3 else "x"]
        every[f"run{n}"] = run_of(lists)
    folder = challenge("truth: truth.csv\nmetrics: [RR, P@1]\n" + DRAWS, **{"truth.csv": truth})
    found = diagnosed(*scored_runs(folder, every))
    assert (found.measure, found.failed, found.solved, found.alike) == ("RR", ("q1",), ("q2",), ())
    assert found.tested == 22
    assert [each.name for each in found.against] == ["q3"]
    assert found.against[0].correlation < -0.5
    assert sorted(each.name for each in found.low) == ["q1", "q3"]
    (rr, first) = found.separations
    assert (rr.tau, rr.ap, rr.pairs) == (1.0, 1.0, 28)
    places = [1, 6, 6, 6, 2, 2, 2, 2]  # of 22, 1 and 2 lists at rank 1
    assert first.tau == pytest.approx(kendalltau(range(8), places).statistic)
    assert found.agreements == ((("RR", "P@1", first.tau, first.ap)),)
    assert found.shares.sum(axis=1) == pytest.approx(np.ones(8))


def test_of_two_submissions_no_truth_is_doubted(challenge):
    folder = challenge(CLASSES + "[Accuracy]\n", **{"truth.csv": labels([1])})
    found = diagnosed(*scored_runs(folder, {name: RUNS[name] for name in ("run0", "run1")}))
    assert (found.better_half, found.mislabelled) == ((), ())
    assert any("three submissions" in why for why in found.unknown)


@pytest.mark.slow("writes a study")
def test_a_study_says_the_worst_in_a_few_lines(challenge):
    folder = challenge(CLASSES + "[Accuracy, MCC]\n", **{"truth.csv": labels([33, 34, 35, 36, 37])})
    runs = {name: folder / f"{name}\x1b.csv" for name in ("a", "b", "c")}
    for n, path in enumerate(runs.values()):
        path.write_text(labels(range(9 * n)))
    study = scorer.study(folder, list(runs.values()))
    text = study.render(width=500)
    assert "For 5 rows most of the better half" in text
    assert "r33 (cat, truth dog, 100%), r34 (dog, truth cat, 100%)" in text
    assert "score rescore challenge --dry-run" in text
    assert "\x1b" not in text
    board = scorer.score(folder, list(runs.values())).certainty
    upper = np.triu_indices(3, 1)
    separated = int((board.p[upper] <= study.diagnosis.alpha).sum())
    assert separated > 0
    assert study.diagnosis.separations[0][1:3] == (separated, 3)
    assert study.diagnosis.shares == pytest.approx(board.ranks)
    html = study.render("html")
    assert html.count('class="picture blobs"') == 1


@pytest.mark.slow("writes a study")
def test_values_without_a_truth_have_suspect_cases(challenge):
    """All but the worst fail in c3; nothing is said of a file to correct."""
    folder = challenge(
        "kind: values\nsubmission: {columns: {list: case}, values: {loss: {better: lower}}}\n"
        + DRAWS
    )
    paths = [folder / f"run{n}.csv" for n in range(6)]
    for n, path in enumerate(paths):
        values = [20 - n if at == 3 else n + 0.1 * (at % 3) for at in range(12)]
        rows = "".join(f"c{at},{value}\n" for at, value in enumerate(values))
        path.write_text(f"case,loss\n{rows}")
    study = scorer.study(folder, paths)
    assert [each.name for each in study.diagnosis.low] == ["c3"]
    assert [each.name for each in study.diagnosis.against] == ["c3"]
    assert study.diagnosis.against[0].correlation == pytest.approx(-1)
    text = study.render(width=300)
    assert "Suspect cases" in text
    assert "rescore" not in text
