"""Targets in columns of their own: each is a group, and the cells of a row are drawn together."""

import json

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

SENT = 'submission: {columns: {list: qa_id}, wide: {list: "*"}}\n'
TARGETS = ("clear", "helpful", "fun")
YAML = """
truth: {file: truth.csv, columns: {list: qa_id, target: TARGET}, wide: {list: "*"}}
submission: {columns: {list: qa_id}, wide: {list: "*"}}
metrics:
  - {id: mean, metric: Spearman, average: group, primary: true}
  - {id: linear, metric: Pearson, average: group}
  - {id: formula, score: (clear + helpful + fun) / 3}
  - {id: clear, metric: Spearman, group: clear}
  - {id: helpful, metric: Spearman, group: helpful}
  - {id: fun, metric: Spearman, group: fun}
leaderboard: {draws: 500}
"""


def wide(numbers):
    rows = [f"{n},{','.join(f'{v:.4f}' for v in row)}" for n, row in enumerate(numbers)]
    return "\n".join([f"qa_id,{','.join(TARGETS)}", *rows]) + "\n"


@pytest.fixture
def board(challenge, score):
    rng = np.random.default_rng(30)
    truth = rng.random((40, 3)).round(4)
    sent = [(truth * w + rng.random((40, 3)) * (1 - w)).round(4) for w in (0.7, 0.4)]
    texts = {"truth.csv": wide(truth), "one.csv": wide(sent[0]), "two.csv": wide(sent[1])}

    def run(yaml, *words, **files):
        folder = challenge(yaml, **texts, **files)
        return score(folder, folder / "one.csv", folder / "two.csv", *words)

    return run, truth, sent


def test_a_correlation_of_each_column_and_their_mean(board):
    run, truth, sent = board
    ran = run(YAML, "--format", "json")
    assert ran.code == 0, ran
    for one, numbers in zip(json.loads(ran.out)["submissions"], sent, strict=True):
        found = {name: each["mean"] for name, each in one["values"].items()}
        each = [spearmanr(truth[:, n], numbers[:, n])[0] for n in range(3)]
        assert [found[name] for name in TARGETS] == pytest.approx(each, rel=1e-12)
        assert found["mean"] == pytest.approx(np.mean(each), rel=1e-12)
        assert found["formula"] == pytest.approx(np.mean(each), rel=1e-12)
        linear = [pearsonr(truth[:, n], numbers[:, n])[0] for n in range(3)]
        assert found["linear"] == pytest.approx(np.mean(linear), rel=1e-12)


def test_the_cells_of_a_row_are_drawn_together_as_if_it_were_said(board):
    run, _, _ = board
    plain = run(YAML, "--notes")
    assert "qas of the same qa drawn" in plain.out
    said = [f"{t}/{n},{t},{n}" for t in TARGETS for n in range(40)]
    files = {"lists.csv": "\n".join(["list,part,qa", *said]) + "\n"}
    lists = "lists: {file: lists.csv, columns: {group: part, cluster: qa}}\n"
    results = [json.loads(run(y, "--format", "json", **files).out) for y in (YAML, lists + YAML)]
    intervals = [[row["interval"] for row in found["leaderboard"]] for found in results]
    assert intervals[0] == intervals[1]
    assert all(high > low for low, high in intervals[0])


def test_a_column_that_a_submission_lacks_is_told(board):
    run, _, _ = board
    sent = 'submission: {columns: {list: qa_id}, wide: {list: "*"}}'
    assert sent in YAML
    ran = run(YAML.replace(sent, sent.replace('"*"', "[clear, funny]")))
    assert ran.code == 1
    assert "error[S201] 2 columns are missing: 'fun', 'helpful'" in ran.err


@pytest.mark.parametrize("metric", ["Spearman", "Pearson", "KendallTau", "RMSE", "nDCG"])
def test_what_the_cells_are_has_to_be_said_where_they_could_be_several_things(board, metric):
    run, _, _ = board
    said = f'truth: {{file: truth.csv, columns: {{list: qa_id}}, wide: {{list: "*"}}}}\n{SENT}'
    ran = run(f"{said}metrics: [{metric}]\n")
    assert ran.code == 2
    assert ran.out == ""
    assert (
        "challenge.yaml:1: error[C121] truth.wide: what the cells of these columns are" in ran.err
    )
    assert "{target: number}" in ran.err


def test_classes_in_columns_need_no_word_where_nothing_else_fits(challenge, score):
    yaml = """
truth: {file: truth.csv, columns: {list: id}, wide: {list: "*"}}
submission: {columns: {list: id}, wide: {list: "*"}}
metrics: [Accuracy]
"""
    rows = "id,a,b\n1,x,y\n2,y,x\n"
    folder = challenge(yaml, **{"truth.csv": rows, "one.csv": rows})
    score(folder, folder / "one.csv").assert_exit(0, out="1.000")


def test_lint_alone_warns_of_an_order_of_single_items(board, score, tmp_path):
    run, _, _ = board
    truth = 'truth: {file: truth.csv, columns: {list: qa_id, item: x}, wide: {list: "*"}}'
    ran = run(f"{truth}\n{SENT}metrics: [Rho]\n")
    assert "has no value for any" not in ran.out + ran.err
    said = " ".join(score("lint", tmp_path / "challenge").out.split())
    assert "Rho has no value for any qa_id: it needs 2 judged items in a qa_id, and none" in said


def test_numbers_for_an_order_of_items_are_refused(board):
    run, _, _ = board
    ran = run(YAML.split("metrics:")[0] + "metrics: [Tau]\n")
    assert ran.code == 2
    assert "challenge.yaml:4: error[C115] metrics[0]: Tau looks at grades" in ran.err
    assert "target" in ran.err
