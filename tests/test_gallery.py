"""The gallery's data is what its script makes, and the page that leads there names all of it."""

import importlib.util
import shutil

import pytest
from conftest import ROOT

from scorer.prepare.guess.challenge import challenge_data

GALLERY = ROOT / "challenges" / "gallery"


def test_the_data_is_what_the_script_makes(tmp_path):
    shutil.copytree(GALLERY, tmp_path / "challenges" / "gallery")
    place = tmp_path / "challenges" / "gallery" / "make.py"
    spec = importlib.util.spec_from_file_location("gallery_make", place)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    for make in made.MADE:
        make()
    pairs = ((GALLERY, made.HERE), (ROOT / "submissions_example" / "gallery", made.EXAMPLES))
    for kept, again in pairs:
        files = [p.relative_to(kept) for p in kept.rglob("*") if p.is_file()]
        assert len(files) > 20
        for file in files:
            if "__pycache__" not in file.parts:
                assert (kept / file).read_bytes() == (again / file).read_bytes(), file


def test_the_page_names_every_challenge_of_the_gallery():
    page = (ROOT / "docs" / "find.md").read_text(encoding="utf-8")
    for path in GALLERY.glob("*/challenge.yaml"):
        assert f"`{path.parent.name}`" in page


@pytest.mark.parametrize(
    ("name", "truth", "sample", "keys"),
    [
        ("instacart", "truth.csv", "boosted.csv", {"cells": {"item": " "}}),
        ("otto", "truth.csv", "covisited.csv", {"cells": {"item": " "}}),
        ("kdd-cup-2012", "truth.csv", "factors.csv", {"cells": {"item": " "}}),
        (
            "bioasq",
            "golden.json",
            "dense.json",
            {"json": {"list": "questions[].id", "item": "questions[].documents[]"}},
        ),
    ],
)
def test_the_forms_are_guessed_from_two_files(name, truth, sample, keys):
    good = ROOT / "submissions_example" / "gallery" / name / "good" / sample
    data, _ = challenge_data(GALLERY / name / truth, good)
    for section in ("truth", "submission"):
        assert keys.items() <= data[section].items()
