"""Rows that no measure's `where` chooses: their cells need not be classes."""

from scorer.challenge.load import load
from scorer.scoring.bind import bind
from scorer.scoring.public import read_public

YAML = """
truth: {file: truth.csv, columns: {list: id, label: y}}
submission: {columns: {list: id, probability: p}}
metrics: [{metric: AUROC, where: "y != -1"}]
"""
CSV = "id,y\n1,0\n2,1\n3,-1\n4,1\n5,0\n6,-1\n"


def test_lint_and_kits_know_the_classes_that_count(challenge, score):
    folder = challenge(YAML, **{"truth.csv": CSV})
    assert score("lint", folder).code == 0
    assert list(read_public(bind(load(folder))).classes) == ["0", "1"]
