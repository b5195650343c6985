"""Conditions that choose items, of ranked lists and of ratings."""

import numpy as np
import pytest

ITEMS = """
truth: truth.csv
lists: {file: lists.csv, columns: {group: type}}
items: items.csv
folds: folds.csv
metrics:
  - {id: jazz, metric: RR, where: genre = jazz}                     # (1 + 1) / 2: w has none
  - {id: rock, metric: R@1, where: genre = rock}                    # ((1 + 0) / 2 + 1) / 2
  - {id: web, metric: RR, where: source = web}                      # (1/2 + 1) / 2: e stays
  - {id: app, metric: P@1, where: source = app}                     # ((1 + 0) / 2 + 0) / 2
  - {id: named, metric: RR, where: "item in (a, c)"}                # as web
  - {id: both, metric: RR, where: "genre = rock and type = old"}    # of w alone, where b is second
"""
RATED = """
truth: {file: truth.csv, columns: {rating: stars}}
items: items.csv
metrics:
  - {id: jazz, metric: MAE, where: genre = jazz}                    # (1 + 3) / 2
  - {id: cheap, metric: RMSE, where: stars < 3}                     # 1 and 2
"""
GENRES = "item,genre\na,jazz\nb,rock\nc,jazz\nd,rock\ne,rock\n"
GRADED = "list,item,grade,source\nu,a,1,web\nu,b,1,app\nv,c,1,web\nv,d,0,app\nw,b,1,app\n"
RUN = "list,item,score\nu,b,3\nu,e,2\nu,a,1\nv,d,2\nv,c,1\nw,a,3\nw,b,1\n"


def of_items(challenge, score, tmp_path, yaml, sent, **files):
    folder = challenge(yaml, **files, **{"items.csv": GENRES})
    (tmp_path / "run.csv").write_text(sent)
    return folder, score(folder, tmp_path / "run.csv", "--format", "json").means()


def test_items_are_chosen_in_truth_and_submission(challenge, score, tmp_path):
    files = {
        "truth.csv": GRADED,
        "lists.csv": "list,type\nu,new\nv,new\nw,old\n",
        "folds.csv": "list,fold\nu,1\nv,1\nw,2\n",
    }
    folder, found = of_items(challenge, score, tmp_path, ITEMS, RUN, **files)
    expected = {"jazz": 1, "rock": 3 / 4, "web": 3 / 4, "app": 1 / 4, "named": 3 / 4, "both": 1 / 2}
    assert found == pytest.approx(expected)
    score("explain", folder, tmp_path / "run.csv", "--list", "u").assert_exit(0)
    score("kit", folder, "-o", tmp_path / "kit.zip").assert_exit(0)


def test_ratings_are_chosen_by_items_and_by_themselves(challenge, score, tmp_path):
    truth = "list,item,stars\nu,a,1\nu,b,5\nv,c,4\nv,d,2\n"
    sent = "list,item,prediction\nu,a,2\nu,b,5\nv,c,1\nv,d,4\n"
    _, found = of_items(challenge, score, tmp_path, RATED, sent, **{"truth.csv": truth})
    assert found == pytest.approx({"jazz": 2, "cheap": np.sqrt((1 + 4) / 2)})
