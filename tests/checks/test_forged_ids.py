"""An id that was made to have the hash of another one is no other id, whoever reads the file."""

import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
import yaml

import scorer
from scorer.core import matching

# Two ids with the same hash in polars 2 if the seed is 0, as it is by default.
REAL, FORGED = "movie-00000000042", "4uHnHbO.?HibXAVd-nrc<~5YJPPN:Ro"
PAGE = yaml.safe_load(Path(__file__).with_name("forged.yaml").read_text(encoding="utf-8"))
CASES, FINE = ({case["name"]: case for case in PAGE[part]} for part in ("cases", "fine"))


@pytest.fixture(params=["drawn", "seed 0", "equal"], autouse=True)
def _hashes(request, monkeypatch):
    """The hashes as they are; those of seed 0; and the same ones for both ids for certain."""
    if request.param == "seed 0":
        monkeypatch.setattr(matching, "SEED", 0)
    if request.param == "equal":
        hash_rows = matching.hash_rows

        def hash_alike(columns):
            return hash_rows(
                [
                    each.replace(FORGED, REAL) if each.dtype == pl.String else each
                    for each in columns
                ]
            )

        monkeypatch.setattr(matching, "hash_rows", hash_alike)


def written(folder, case):
    """The challenge, and its good and its forged file."""
    files = {"challenge.yaml": case["challenge"], **case.get("files", {})}
    files["good.csv"] = case.get("good") or files["truth.csv"]
    files["forged.csv"] = case.get("forged") or files["good.csv"].replace("REAL", "FORGED")
    for name, text in files.items():
        (folder / name).write_text(text.replace("REAL", REAL).replace("FORGED", FORGED))
    return folder / "good.csv", folder / "forged.csv"


def codes_of(findings):
    counts = Counter(p.code for p in findings if p.severity == "error")
    return " ".join(code + (f"*{n}" if n > 1 else "") for code, n in sorted(counts.items()))


@pytest.mark.parametrize("name", CASES)
def test_a_forged_id_is_another_one(name, tmp_path):
    case = CASES[name]
    good, forged = written(tmp_path, case)
    checked = scorer.check(tmp_path, [good, forged])
    assert [codes_of(each.findings) for each in checked] == ["", case["codes"]]
    report = scorer.score(tmp_path, [good, forged])
    assert {each.name: each.valid for each in report.submissions} == {"good": True, "forged": False}


@pytest.mark.parametrize("name", FINE)
def test_a_forged_id_is_in_nobody_s_way(name, tmp_path):
    good, forged = written(tmp_path, FINE[name])
    report = scorer.score(tmp_path, [good, forged])
    assert all(each.valid for each in report.submissions)
    (value,) = next(each for each in report.submissions if each.name == "forged").values.values()
    assert value.mean == pytest.approx(FINE[name]["mean"])


@pytest.mark.parametrize("name", ["ratings", "an item ten times, behind a forged one"])
def test_a_forged_id_is_another_one_for_the_commands(name, tmp_path, score):
    case = CASES[name]
    good, forged = written(tmp_path, case)
    for words in (["check", tmp_path, forged], [tmp_path, forged]):
        ran = score(*words).assert_exit(1)
        codes = re.findall(r"forged\.csv:\S* error\[(\w+)\]", ran.told)
        assert sorted(set(codes)) == case["codes"].partition("*")[0].split()
    added = score("add", tmp_path, good, forged, "--team-from-name", "-q")
    added.assert_exit(1, out=["of good: scored", "of forged: rejected"])
