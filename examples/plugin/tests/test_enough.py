"""The laws of all metrics, and worked cases."""

from pathlib import Path

from scorer_example.enough import enough

from scorer.testing import cases, laws


def test_enough():
    laws(enough, k=3)
    laws(enough, k=1, wanted=3, rel=2)
    cases(Path(__file__).parent / "enough.yaml")
