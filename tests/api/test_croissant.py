"""A kit as a Croissant dataset."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "challenges" / "course-2026"
GOOD = ROOT / "submissions_example" / "course-2026" / "good" / "aurora-1.csv"
TOLD = ["--license", "CC-BY-4.0", "--creator", "A", "--creator", "B", "--url", "https://x.org/c"]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def test_a_kit_describes_its_tables(score, tmp_path):
    words = ["kit", COURSE, "-o", tmp_path / "kit.zip", "--croissant", *TOLD]
    assert score(*words, "--published", "2026-10-01").code == 0
    with zipfile.ZipFile(tmp_path / "kit.zip") as kit:
        files = {name: kit.read(name) for name in kit.namelist()}
    said = json.loads(files["croissant.json"])
    assert said["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert said["datePublished"] == "2026-10-01"
    assert [person["name"] for person in said["creator"]] == ["A", "B"]
    tables = {name for name in files if name.endswith(".csv")}
    assert {each["@id"] for each in said["distribution"]} == tables
    assert all(each["sha256"] == digest(files[each["@id"]]) for each in said["distribution"])
    for records in said["recordSet"]:
        head = files[f"{records['name']}.csv"].decode().splitlines()[0].split(",")
        assert [field["source"]["extract"]["column"] for field in records["field"]] == head
    assert score("check", tmp_path / "kit.zip", GOOD).code == 0


def test_without_it_a_kit_is_as_before(score, tmp_path):
    assert score("kit", COURSE, "-o", tmp_path / "kit.zip").code == 0
    with zipfile.ZipFile(tmp_path / "kit.zip") as kit:
        assert "croissant.json" not in kit.namelist()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--croissant"], "needs --license SPDX, --creator NAME and --url URL"),
        (["--croissant", *TOLD, "--license", ""], "needs --license SPDX, --creator NAME"),
        (["--croissant", *TOLD, "--url", "nowhere"], "'nowhere' is no address"),
        (["--url", "x"], "belong to --croissant"),
        (["--croissant", *TOLD, "--published", "soon"], "'soon' is no date; write 2026-10-01"),
    ],
)
def test_what_croissant_needs(words, said, score, tmp_path):
    ran = score("kit", COURSE, "-o", tmp_path / "kit.zip", *words)
    assert ran.code == 2
    assert said in ran.err
