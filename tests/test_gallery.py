"""The gallery's data is what its script makes, and the page that leads there names all of it."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

GALLERY = ROOT / "challenges" / "gallery"


def test_the_data_is_what_the_script_makes(tmp_path):
    shutil.copytree(GALLERY, tmp_path / "challenges" / "gallery")
    place = tmp_path / "challenges" / "gallery" / "make.py"
    spec = importlib.util.spec_from_file_location("gallery_make", place)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    for make in made.MADE:
        make()
    votes = Path("examples", "arena", "votes.csv")
    assert (ROOT / votes).read_bytes() == (tmp_path / votes).read_bytes()
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


CELLS = {"cells": {"item": " "}}
TASKS = ("CoLA", "MNLI-m", "MNLI-mm", "MRPC", "QNLI", "QQP", "RTE", "SST-2", "STS-B", "WNLI")
PARTS = {"parts": {part: f"{part}.tsv" for part in TASKS}}
PATHS = {"json": {"list": "questions[].id", "item": "questions[].documents[]"}}
LABELS = {"header": ["list", "label"]}
GUESSED = {
    "titanic": ("truth.csv", "forest.csv", {}, {}),
    "house-prices": ("truth.csv", "boosted.csv", {}, {}),
    "hm": ("truth.csv", "two-stages.csv", {}, CELLS | {"unknown_list": "ignore"}),
    "instacart": ("truth.csv", "boosted.csv", CELLS, CELLS),
    "kdd-cup-2012": ("truth.csv", "factors.csv", CELLS, CELLS),
    "msmarco": ("qrels.dev.tsv", "cross-encoder.tsv", {"format": "trec"},
                {"header": ["list", "item", "rank"]}),
    "recsys-2018": ("truth.csv", "neighbours.csv", {},
                    {"header": ["list", "item"], "cells": {"item": ","}, "comment": ["team_info"]}),
    "otto": ("truth.csv", "covisited.csv", CELLS, CELLS | {"unknown_list": "ignore"}),
    "semeval-2017": ("gold.tsv", "network.tsv", LABELS, LABELS),
    "tweet-extraction": ("truth.csv", "span.csv", {}, {}),
    "bioasq": ("golden.json", "dense.json", PATHS, PATHS),
    "trec-diversity": ("qrels.diversity", "xquad.run", {"format": "trec"}, {"format": "trec"}),
    "glue": ("truth.zip", "encoder.zip", PARTS, PARTS | {"numbers": ["STS-B"]}),
}  # fmt: skip
FORM = ("format", "header", "separator", "skip", "comment", "cells", "wide", "json", "parts")
ONE = {  # a measure that the guessed and the declared challenge both have
    "titanic": "Accuracy",
    "house-prices": "RMSLE(log=plain)",
    "semeval-2017": "Accuracy",
    "tweet-extraction": "TokenJaccard",
    "hm": "AP(denominator=capped)@12",
    "kdd-cup-2012": "AP(denominator=capped)@3",
    "instacart": "SetF",
    "msmarco": "RR@10",
    "recsys-2018": "nDCG@500",
    "bioasq": "P@5",
    "otto": "R(average=pooled)@20",
    "trec-diversity": "StRecall@20",
    "glue": {"metric": "Spearman", "group": "STS-B"},
}


# whose form two files alone do not show: runs, boxes, votes, a column of events, weeks
DECLARED = ["tissue-masks", "wheat-boxes", "survival", "votes-of-experts", "stable-credit"]
DECLARED += ["organ-values", "agent-seeds"]  # which have no truth


def test_all_are_guessed_or_said_not_to_be():
    every = {p.parent.name for p in GALLERY.glob("*/challenge.yaml")}
    assert GUESSED.keys() == ONE.keys() == every - set(DECLARED)


@pytest.mark.slow("scores the gallery", beyond=1)
@pytest.mark.parametrize("name", GUESSED)
def test_the_forms_are_guessed_from_two_files_and_read_alike(name, score, tmp_path):
    truth, sample, of_truth, of_sample = GUESSED[name]
    good = ROOT / "submissions_example" / "gallery" / name / "good"
    ran = score("init", "--from", GALLERY / name / truth, good / sample, tmp_path / "made")
    assert (ran.code, ran.err) == (0, ""), ran
    data = yaml.safe_load((tmp_path / "made" / "challenge.yaml").read_text("utf-8"))
    for section, wanted in (("truth", of_truth), ("submission", of_sample)):
        assert wanted.items() <= data[section].items()
        assert {key for key in FORM if key in data[section]} == {k for k in wanted if k in FORM}
    boards = []
    for folder in (tmp_path / "made", GALLERY / name):
        told = yaml.safe_load((folder / "challenge.yaml").read_text("utf-8"))
        kept = {k: v for k, v in told.items() if k not in ("examples", "leaderboard", "metrics")}
        shutil.copytree(folder, tmp_path / "asked", dirs_exist_ok=True)
        (tmp_path / "asked" / "challenge.yaml").write_text(
            yaml.safe_dump(kept | {"metrics": [ONE[name]]}), encoding="utf-8"
        )
        ran = score(tmp_path / "asked", *sorted(good.iterdir()), "--format", "json")
        found = ran.json()["submissions"]
        boards.append([next(iter(one["values"].values()))["mean"] for one in found])
    assert boards[0] == boards[1]
    assert len(set(boards[0])) > 1


def test_ottos_own_case(tmp_path, score):
    """test_get_scores of otto-de/recsys-dataset, test/test_evaluate.py: the best 3 count."""
    folder = tmp_path / "otto"
    shutil.copytree(GALLERY / "otto", folder)
    told = yaml.safe_load((folder / "challenge.yaml").read_text("utf-8"))
    del told["examples"], told["submission"]["length"]
    told["submission"]["missing_list"] = "zero"
    told["metrics"] = [m | ({"k": 3} if "k" in m else {}) for m in told["metrics"]]
    (folder / "challenge.yaml").write_text(yaml.safe_dump(told), "utf-8")
    labels = {"1_orders": "0 1 2 3 4 5 16 17 18 19 20", "2_orders": "1000000 1000004"}
    for session in "234":
        labels |= {f"{session}_clicks": "1000003", f"{session}_carts": "1000000 1000004 1000007"}
    kinds = ("clicks", "carts", "orders")
    sessions = [f"{n}_{kind},{kind}" for n in "1234" for kind in kinds]
    (folder / "sessions.csv").write_text("\n".join(["session_type,type", *sessions]) + "\n")
    sent = {f"{n}_{kind}": "1 2 3" for n in "123" for kind in kinds} | {
        "1_orders": "1 32 33",
        "2_clicks": "1000003 2 3",
        "2_carts": "1000004 2 3 1000007",  # the last is beyond the first three
        "3_carts": "1000007 1000004 3",
    }
    for name, rows in (("truth", labels), ("sent", sent)):
        lines = [f"{one},{items}" for one, items in rows.items()]
        (folder / f"{name}.csv").write_text("\n".join(["session_type,labels", *lines]) + "\n")
    found = score(folder, folder / "sent.csv", "--format", "json").means()
    each = {"clicks": 1 / 3, "carts": 3 / 9, "orders": 1 / 5}
    total = 0.1 * each["clicks"] + 0.3 * each["carts"] + 0.6 * each["orders"]
    assert found == pytest.approx(each | {"score": total}, rel=1e-12)


@pytest.mark.slow("scores the gallery", beyond=2)
@pytest.mark.parametrize("name", [*GUESSED, *DECLARED])
def test_each_kit_checks_its_sample_and_good_and_bad_files(name, score, tmp_path):
    kit = tmp_path / "kit.zip"
    score("kit", GALLERY / name, "-o", kit).assert_exit(0)
    shutil.unpack_archive(kit, tmp_path / "kit")
    samples = list((tmp_path / "kit").glob("sample_submission*"))
    files = ROOT / "submissions_example" / "gallery" / name
    score("check", kit, *samples, *sorted((files / "good").iterdir())).assert_exit(0)
    for path in sorted((files / "bad").iterdir()):
        score("check", kit, path).assert_exit(1)


@pytest.mark.slow("draws a board of votes")
def test_the_arena_has_its_board(score):
    ran = score(ROOT / "examples" / "arena" / "challenge.yaml", ROOT / "examples" / "arena" /
                "votes.csv", "--format", "json")  # fmt: skip
    assert ran.code == 0, ran
    rows = json.loads(ran.out)["leaderboard"]
    assert [row["name"] for row in rows] == ["large", "tuned", "medium", "small", "tiny"]
    assert [row["tier"] for row in rows] == [1, 1, 1, 2, 3]


@pytest.mark.slow("draws a board of runs")
def test_seeds_are_one_system(score):
    good = sorted((ROOT / "submissions_example" / "gallery" / "agent-seeds" / "good").iterdir())
    found = score(GALLERY / "agent-seeds", *good, "--format", "json").json()
    assert [row["name"] for row in found["leaderboard"]] == ["planner", "chat"]
    assert {each["name"]: len(each["runs"]) for each in found["submissions"]} == {
        "planner": 5, "chat": 3,
    }  # fmt: skip
    bad = ROOT / "submissions_example" / "gallery" / "agent-seeds" / "bad" / "twice.csv"
    said = score("check", GALLERY / "agent-seeds", bad).told
    fault = "202: error[S526] task 'task-39' is given twice (first on line 201)"
    assert f"{bad}, seed '4':{fault}" in said
