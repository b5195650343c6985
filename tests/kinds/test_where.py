"""Rows that no measure's `where` chooses: their cells need not be classes."""

import numpy as np
import pytest

from scorer.challenge.load import load
from scorer.prepare.bind import prepare
from scorer.prepare.open import public

metrics = pytest.importorskip("sklearn.metrics")
log_loss = metrics.log_loss
roc_auc_score = metrics.roc_auc_score

CSV = "id,y\n1,0\n2,1\n3,-1\n4,1\n5,0\n6,-1\n"
LIKELY = [0.2, 0.9, 0.1, 0.4, 0.5, 0.7]
TRUE = np.array([0, 1, -1, 1, 0, -1])
IN = TRUE >= 0
RUN = "id,p\n" + "".join(f"{n},{p}\n" for n, p in enumerate(LIKELY, start=1))
YAML = """
truth: {{file: truth.csv, columns: {{list: id, label: y}}}}
submission: {{columns: {{list: id, {answer}: p}}{more}}}
metrics: [{metrics}]
"""
COLUMNS = "id,cat,dog\n1,0,1\n2,1,1\n3,-1,-1\n4,1,0\n5,0,0\n6,-1,-1\n"
SENT = "id,cat,dog\n1,.1,.9\n2,.6,.1\n3,.1,.1\n4,.9,.2\n5,.7,.1\n6,.1,.1\n"
CAT, DOG = (
    roc_auc_score([0, 1, 1, 0], [0.1, 0.6, 0.9, 0.7]),
    roc_auc_score([1, 1, 0, 0], [0.9, 0.1, 0.2, 0.1]),
)
SEVERAL = """
truth: {file: truth.csv, columns: {list: id, probability: [cat, dog]}, multilabel: ","}
submission: {columns: {list: id, probability: [cat, dog]}}
metrics: [{metric: AUROC, where: "cat != -1"}]
"""
WIDE = """
truth: {file: truth.csv, columns: {list: id, label: y}, wide: {list: "*"}}
submission: {columns: {list: id, probability: p}, wide: {list: "*"}}
metrics: [{metric: AUROC, average: group, where: "y != -1"}]
"""


def chosen(*metrics, answer="probability", more="", where="y != -1"):
    listed = ", ".join(f'{{metric: "{name}", where: "{where}"}}' for name in metrics)
    return YAML.format(answer=answer, more=more, metrics=listed)


def shown(ran):
    """The first figures of the board's one row."""
    return next(line for line in ran.out.splitlines() if line.startswith("1 ")).split()[2:]


@pytest.mark.slow("scores a challenge a row", beyond=2)
@pytest.mark.parametrize(
    ("yaml", "truth", "run", "expected"),
    [
        (chosen("AUROC"), CSV, RUN, roc_auc_score(TRUE[IN], np.array(LIKELY)[IN])),
        (chosen("LogLoss"), CSV, RUN, log_loss(TRUE[IN], np.array(LIKELY)[IN])),
        (chosen("AUROC", answer="score"), CSV, RUN, 0.75),
        (chosen("AUROC", more=", classes: ['0', '1']"), CSV, RUN, 0.75),
        (chosen("AUROC", where="y in (0, 1)"), CSV.replace("-1", ""), RUN, 0.75),
        (SEVERAL, COLUMNS, SENT, (CAT + DOG) / 2),
        (WIDE, COLUMNS, SENT, (CAT + DOG) / 2),
    ],
    ids=["one column", "log loss", "scores", "declared", "empty cells", "several", "wide"],
)
def test_a_measure_looks_at_the_rows_that_it_chooses(challenge, score, yaml, truth, run, expected):
    folder = challenge(yaml, **{"truth.csv": truth, "run.csv": run})
    assert score("lint", folder).code == 0
    ran = score(folder, folder / "run.csv")
    assert ran.code == 0, ran
    assert shown(ran)[0] == f"{expected:.4f}"


@pytest.mark.parametrize(
    ("yaml", "truth", "said"),
    [
        (chosen("AUROC", where="id != 9"), CSV, "T808] a single column of probabilities needs two"),
        (chosen("AUROC")[:-2] + ", LogLoss]\n", CSV, "T808] a single column of probabilities"),
        (chosen("AUROC"), CSV.replace("4,1", "4,elm"), "T808] a single column of probabilities"),
        (
            chosen("AUROC", more=", classes: ['0', '1']"),
            CSV.replace("4,1", "4,elm"),
            "truth.csv:5: error[T801] y 'elm' is not among the declared classes",
        ),
        (chosen("AUROC"), CSV.replace("4,1", "4,"), "truth.csv:5: error[T802] y is empty"),
        (SEVERAL, COLUMNS.replace("4,1,0", "4,1,-1"), "truth.csv:5: error[T809] id '4' has a"),
        (SEVERAL.replace(', where: "cat != -1"', ""), COLUMNS, "truth.csv:4: error[T809]"),
    ],
)
def test_a_row_that_a_measure_chooses_has_a_class(challenge, score, yaml, truth, said):
    folder = challenge(yaml, **{"truth.csv": truth, "run.csv": RUN})
    ran = score(folder, folder / "run.csv")
    assert ran.code == 2
    assert said in ran.err


def test_a_label_of_a_row_that_is_left_out_may_be_answered(challenge, score):
    """A wrong answer is counted as wrong, though no row that counts has this class."""
    yaml = chosen("Accuracy", answer="label").replace("label: p", "label: y")
    folder = challenge(yaml, **{"truth.csv": CSV, "run.csv": CSV.replace("2,1", "2,-1")})
    assert shown(score(folder, folder / "run.csv"))[0] == "0.7500"


def test_a_kit_names_the_classes_that_count(challenge):
    folder = challenge(chosen("AUROC"), **{"truth.csv": CSV})
    assert list(public(prepare(load(folder))).classes) == ["0", "1"]
