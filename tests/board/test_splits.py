"""Splits: drawn alike everywhere, and scorecards cut as if the truth had only those lists."""

import random

import numpy as np
import pytest

import scorer
from scorer.challenge.load import load
from scorer.challenge.phases import Splits
from scorer.core.errors import ChallengeError
from scorer.scoring.splits import assign_splits, draw_splits, read_splits, restrict_card

LISTS = [f"q{n}" for n in range(100)]


def splits(**shares):
    return Splits.model_validate({"shares": shares, "seed": 7})


def test_shares_are_kept_and_the_draw_depends_on_names_and_seed_alone():
    found = draw_splits(splits(public=0.3, private="rest"), LISTS)
    assert sorted(found) == sorted(LISTS)
    assert sum(split == "public" for split in found.values()) == 30
    mixed = random.Random(1).sample(LISTS, len(LISTS))
    assert draw_splits(splits(public=0.3, private="rest"), mixed) == found
    other = Splits.model_validate({"shares": {"public": 0.3, "private": "rest"}, "seed": 8})
    assert draw_splits(other, LISTS) != found


def test_a_draw_is_for_ever():
    """These are the splits of seed 7 whatever the machine and the version of scorer."""
    found = draw_splits(splits(public=0.3, private="rest"), [f"q{n}" for n in range(10)])
    assert sorted(name for name, split in found.items() if split == "public") == ["q2", "q5", "q8"]


def test_three_splits_and_shares_without_a_rest():
    found = draw_splits(splits(a=0.2, b=0.5, c=0.3), LISTS)
    assert [sum(s == name for s in found.values()) for name in "abc"] == [20, 50, 30]


def test_groups_stay_whole():
    groups = {name: f"g{n % 10}" for n, name in enumerate(LISTS)}
    by_group = Splits.model_validate(
        {"shares": {"public": 0.3, "private": "rest"}, "seed": 7, "by": "group"}
    )
    found = draw_splits(by_group, LISTS, groups)
    assert all(len({found[n] for n in LISTS if groups[n] == g}) == 1 for g in set(groups.values()))
    assert sum(split == "public" for split in found.values()) == 30


def test_a_cut_scorecard_is_that_of_a_truth_of_these_lists(life, tmp_path):
    sent = life.sent("a", 1.0)
    whole = scorer.score(life.folder, [sent]).submissions[0].card
    kept = life.lists[5:25]
    life.grade = {key: grade for key, grade in life.grade.items() if key[0] in kept}
    life.write_truth()
    small = life.sent("a", 1.0)
    lines = small.read_text().splitlines()
    small.write_text("\n".join([lines[0], *(s for s in lines[1:] if s.split(",")[0] in kept)]))
    part = scorer.score(life.folder, [small]).submissions[0].card
    made = restrict_card(whole, np.array([name in kept for name in whole.lists]))
    assert made.lists == part.lists
    for measure in part.values:
        assert np.array_equal(made.values[measure], part.values[measure], equal_nan=True)
    assert np.array_equal(made.answered, part.answered)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("list,split\nq1,a\nq1,b\nq2,a\n", "T304", "in two splits"),
        ("list,split\nq1,a\nq3,b\nq2,a\n", "T302", "not in the truth"),
        ("list,split\nq1,a\n", "T301", "in no split: 'q2'"),
        ("list,split\nq1,all\nq2,b\n", "T304", "cannot be called 'all'"),
        ("list,part\nq1,a\nq2,b\n", "T201", "'split' is missing"),
    ],
)
def test_a_wrong_file_of_splits_is_told(tmp_path, text, code, words):
    (tmp_path / "splits.csv").write_text(text)
    with pytest.raises(ChallengeError) as caught:
        read_splits(tmp_path / "splits.csv", ["q1", "q2"])
    (problem, *_) = caught.value.problems
    assert problem.code == code
    assert words in problem.message


def test_a_file_of_splits_is_read(tmp_path):
    (tmp_path / "splits.csv").write_text("list,split\nq2,b\nq1,a\n")
    assert read_splits(tmp_path / "splits.csv", ["q1", "q2"]) == {"q1": "a", "q2": "b"}


def test_a_phase_that_shows_a_split_of_no_list_is_told(tmp_path):
    (tmp_path / "splits.csv").write_text("list,split\nq2,b\nq1,a\n")
    yaml = "truth: t.csv\nmetrics: [P@1]\nsplits: {file: splits.csv}\nphases:\n- id: main\n"
    assign_splits(load(yaml + "  show: a\n", folder=tmp_path), ["q1", "q2"], {})
    with pytest.raises(ChallengeError, match=r":6: .*phases\[0\].show: .*'A', which is no split"):
        assign_splits(load(yaml + "  show: A\n", folder=tmp_path), ["q1", "q2"], {})


def test_kaggles_column_of_usage_is_read(tmp_path):
    (tmp_path / "solution.csv").write_text("id,price,Usage\n2,1,Private\n1,3,Public\n")
    splits = read_splits(tmp_path / "solution.csv", ["1", "2"], "id")
    assert splits == {"1": "Public", "2": "Private"}
