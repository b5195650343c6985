"""Result files of platforms: what each may hold, and what it never does."""

import json
import re

import pytest

YAML = """
title: A test
truth: truth.csv
lists: lists.csv
metrics:
  - {metric: P, k: 1, id: "P: first.of 'all' that a reader looks at first of all", primary: true}
  - {metric: P, k: 2, id: "P: first.of 'all' that a reader looks at first in all"}
  - {metric: AP, rel: 2}
splits: {public: 0.5, private: rest, seed: 1}
undefined: skip
"""
LISTS = "list\nq1\nq2\nq3\nq4\n"
TRUTH = "list,item,grade\n" + "".join(f"q{n},a,1\nq{n},b,0\n" for n in range(1, 5))
GOOD = "list,item\n" + "".join(f"q{n},{item}\n" for n in range(1, 5) for item in "ab")
BAD = "list,item\nq1,a\nq1,a\nq9,a\n"
FORMS = {"codabench", "evalai", "grand-challenge", "gradescope", "classroom"}


@pytest.fixture
def ran(score, challenge):
    folder = challenge(YAML, **{"truth.csv": TRUTH, "lists.csv": LISTS})
    for name, text in (("good", GOOD), ("bad", BAD)):
        (folder / f"{name}.csv").write_text(text)

    def run(form, *names, words=(), verb=()):
        files = [folder / f"{name}.csv" for name in names]
        return score(*verb, folder, *files, "-q", "--format", form, *words)

    return run


def of(ran, form, *names, **rest):
    return json.loads(ran(form, *names, **rest).out)


def test_a_measure_without_a_value_is_no_number_and_keys_are_short_and_their_own(ran):
    scores = of(ran, "codabench", "good")
    first, second = scores
    assert first == "P_first_of_all_that_a_reader_looks_a"
    assert second == "P_first_of_all_that_a_reader_looks_2"
    assert list(scores.values()) == [1.0, 0.5]
    metrics = of(ran, "grand-challenge", "good")["aggregates"]
    assert [value["mean"] for value in metrics.values()] == [1.0, 0.5]
    assert not any("." in key for key in metrics)
    text = ran("tira", "good").out
    assert re.findall(r'^  value: "(.*)"$', text, re.MULTILINE) == ["1.0", "0.5"]
    keys = re.findall(r'^  key: "(.*)"$', text, re.MULTILINE)
    assert len(keys) == 2
    assert not any(set(key) & set(":'\"\\ ") for key in keys)


def test_values_of_each_split_under_its_name(ran):
    words = ("--split", "public", "--split", "private")
    result = of(ran, "evalai", "good", words=words)["result"]
    assert [list(part) for part in result] == [["public"], ["private"]]
    assert all(list(values.values()) == [1.0, 0.5] for part in result for values in part.values())


def test_a_rejected_file_has_no_value_and_its_author_is_told(ran):
    assert of(ran, "codabench", "bad") == {}
    assert of(ran, "evalai", "bad") == {}
    assert ran("tira", "bad").out == ""
    assert ran("tira", "bad").code == 1
    grade = of(ran, "gradescope", "bad")
    assert grade["score"] == 0
    assert "error[S304] line 3: item 'a' is given twice in list 'q1'" in grade["output"]
    assert "leaderboard" not in grade
    test = of(ran, "classroom", "bad")
    assert (test["status"], test["tests"][0]["score"]) == ("fail", 0)
    assert test["tests"][0]["message"] == grade["output"]
    assert of(ran, "classroom", "good")["status"] == "pass"
    assert of(ran, "gradescope", "good")["leaderboard"][0]["value"] == 1.0


@pytest.mark.parametrize("form", sorted(FORMS | {"tira"}))
def test_no_value_of_a_list_and_one_submission(ran, form):
    once = ran(form, "good", words=("--per-list",))
    assert not re.search(r"\bq\d", once.out)
    assert "NaN" not in once.out
    assert once.code == 0
    both = ran(form, "good", "bad")
    assert both.code == 2
    assert "a platform's result file is of one submission, not of 2" in both.err


@pytest.mark.parametrize(("most", "lines"), [(1, 2), (2, 3), (50, 4)])
def test_problems_as_bounded_lines_of_which_the_last_says_all(ran, most, lines):
    said = ran("lines", "bad", words=("--max", most), verb=["check"])
    assert said.code == 1
    *each, last = said.out.splitlines()
    assert len(each) + 1 == lines
    assert all(re.match(r"error\[S30\d\] (line \d: )?\S", line) for line in each)
    assert last.startswith("bad would be rejected: 3 errors (S301, S302, S304): error[S301] 3 of 4")
    assert ran("lines", "good", verb=["check"]).out == "good fine: 1 warning (S410)\n"
