"""Challenges of this repository, and how a command is run for them."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SCORE = Path(sys.executable).with_name("score")


class Tried(NamedTuple):
    """A challenge of this repository, with a submission that is scored and one that is rejected."""

    name: str
    good: str
    bad: str
    said: str  # of the bad one

    @property
    def folder(self):
        return ROOT / "challenges" / self.name

    def sent(self, which):
        file = getattr(self, which)
        return ROOT / "submissions_example" / self.name / which / file


CHALLENGES = [
    Tried("course-2026", "aurora-1.csv", "twice.csv", "item 'b30' is given twice"),
    Tried("diabetes", "linear.csv", "decimal_comma.csv", "has a decimal comma"),
    Tried("iris", "logistic.csv", "percent.csv", "is outside 0 to 1"),
    Tried("gallery/glue", "bag-of-words.zip", "a-class-of-its-own.zip", "is no class"),
    Tried("trec", "bm25.run", "document_twice.run", "is given twice"),
]


def needs(*modules):
    """Skip tests where a module is missing; none is imported here, for some want settings first."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(
        bool(missing), reason=f"{', '.join(missing)} missing: make platforms installs it"
    )


def run(words, **more):
    """Run a command, and give its standard output."""
    ran = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, timeout=300,
        env=os.environ | {"SCORE": str(SCORE), "PYTHONPATH": ""} | more,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
