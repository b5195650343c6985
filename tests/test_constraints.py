"""constraints.txt: every dependency at one version that pyproject.toml allows, by its hashes."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"].values()
WANTED = [
    *PROJECT["build-system"]["requires"],
    *PROJECT["project"]["dependencies"],
    *(each for extra in EXTRAS for each in extra if Requirement(each).name != "challenge-scorer"),
]
TEXT = (ROOT / "constraints.txt").read_text().replace("\\\n", " ")
PINNED = [line for line in TEXT.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("wanted", sorted(set(WANTED)))
def test_every_dependency_is_pinned(wanted):
    requirement = Requirement(wanted)
    versions = [
        pin.specifier
        for line in PINNED
        if canonicalize_name((pin := Requirement(line.split("--hash")[0])).name)
        == canonicalize_name(requirement.name)
    ]
    assert versions, "make constraints"
    for version in versions:
        (only,) = version
        assert only.operator == "=="
        assert requirement.specifier.contains(only.version, prereleases=True), "make constraints"


@pytest.mark.parametrize("line", PINNED, ids=lambda line: line.split("=")[0])
def test_every_pin_has_a_hash_and_names_no_place(line):
    assert re.search(r"--hash=sha256:[0-9a-f]{64}", line)
    assert "://" not in line
    assert " @ " not in line
