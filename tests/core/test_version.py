"""What is installed: the distribution challenge-scorer, the package scorer, the command score."""

import tomllib
from pathlib import Path

from scorer.core.version import __version__

ROOT = Path(__file__).parents[2]


def test_the_distribution():
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert facts["project"]["name"] == "challenge-scorer"
    assert facts["project"]["version"] == __version__
    assert list(facts["project"]["scripts"]) == ["score"]
    assert facts["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["scorer"]
