"""What unjudged items leave possible: on boards of organizers, and nowhere else."""

import csv
import io
import json
from zipfile import ZipFile

import pytest

from scorer.api.kit import kit
from scorer.challenge.load import load
from scorer.prepare.bind import prepare
from scorer.prepare.open import public
from scorer.reports.base import forms

YAML = (
    "truth: truth.csv\nmetrics: [P@2, 'nDCG@2', Bpref]\nbounds: true\n"
    "leaderboard: {intervals: false, tiers: false}\n"
)
FILES = {
    "truth.csv": "list,item,grade\nq1,a,2\nq1,b,1\nq1,n,-1\nq2,a,1\nq2,c,0\nq1,e,0\n",
    "sure.csv": "list,item\nq1,a\nq1,b\nq2,a\nq2,c\n",
    "open.csv": "list,item\nq1,a\nq1,x\nq2,x\nq2,a\n",
    "low.csv": "list,item\nq1,n\nq1,x\nq2,c\nq2,c2\n",
    "none.csv": "list,item\nq1,zz\nq2,c\nq2,c3\n",
}
SENT = ("sure", "open", "low", "none")


@pytest.fixture
def ran(score, challenge):
    def run(*words, yaml=YAML, **files):
        folder = challenge(yaml, **FILES | files)
        return score(folder, *(folder / f"{name}.csv" for name in SENT), *words)

    return run


def test_the_bounds_and_possible_ranks_of_each_submission(ran):
    report = json.loads(ran("--private", "--format", "json").out)
    values = {each["name"]: each["values"] for each in report["submissions"]}
    # by hand, of two lists each: a grade below 0 is none, so that low has 1 judged item of 4
    bounds = {name: values[name]["P@2"]["bounds"] for name in SENT}
    assert bounds == {
        "sure": {"low": 0.75, "high": 0.75, "judged": 1.0},
        "open": {"low": 0.5, "high": 1.0, "judged": 0.5},
        "low": {"low": 0.0, "high": 0.75, "judged": 0.25},
        "none": {"low": 0.0, "high": 0.5, "judged": 0.25},
    }
    ranks = {row["name"]: row["possible_ranks"] for row in report["leaderboard"]}
    assert ranks == {"sure": [1, 3], "open": [1, 4], "low": [1, 4], "none": [2, 4]}
    assert "bounds" not in values["sure"]["Bpref"]


def test_the_bounds_in_a_table(ran):
    rows = list(csv.DictReader(io.StringIO(ran("--private", "--format", "csv").out)))
    parts = ("private_low P@2", "private_high P@2", "private_judged P@2",
             "private_best_rank", "private_worst_rank")  # fmt: skip
    found = {row["name"]: [float(row[part]) for part in parts] for row in rows}
    assert found["open"] == [0.5, 1.0, 0.5, 1, 4]
    assert found["none"] == [0.0, 0.5, 0.25, 2, 4]
    assert not any("Bpref" in part and "private" in part for part in rows[0])
    broken = ran("--private", "--format", "csv", **{"low.csv": "list,item\nq9,a\n"})
    (low,) = (row for row in csv.DictReader(io.StringIO(broken.out)) if row["name"] == "low")
    assert [low[part] for part in parts] == [""] * 5


def test_the_board_says_who_could_exchange_ranks(ran):
    text = ran("--private").out
    part = text[text.index("What unjudged items leave possible") :]
    assert "open   0.5000   0.5000   1.0000    50.0 %" in part
    said = " ".join(part.split())
    assert "sure could exchange its rank by P@2 with 'open', 'low', were all" in said
    assert "No bounds are known of 'Bpref'." in said
    page = ran("--private", "--format", "html").out
    assert "What unjudged items leave possible" in page


def test_the_board_says_that_none_could(ran):
    found = {"low.csv": "q1,a\nq2,c", "none.csv": "q1,e\nq2,c", "open.csv": "q1,a\nq2,a"}
    sent = {name: f"list,item\n{rows}\n" for name, rows in found.items()}
    text = " ".join(ran("--private", yaml=YAML + "undefined: zero\n", **sent).out.split())
    assert "No two submissions could exchange their ranks by P@2." in text


@pytest.mark.slow("writes each form twice", beyond=2)
@pytest.mark.parametrize("form", sorted(each.name for each in forms("leaderboard")))
def test_nothing_of_it_is_published(ran, form):
    without = ran("--format", form, yaml=YAML.replace("bounds: true\n", ""))
    assert ran("--format", form).out == without.out


def test_nothing_of_it_is_in_the_kit(challenge):
    prepared = prepare(load(challenge(YAML, **FILES)))
    with ZipFile(io.BytesIO(kit(prepared, public(prepared)).data)) as packed:
        yaml = next(name for name in packed.namelist() if name.endswith("challenge.yaml"))
        assert b"P@2" in packed.read(yaml)
        assert b"bounds" not in packed.read(yaml)


@pytest.mark.parametrize(
    ("undefined", "low", "high"),
    [
        ("zero", 0.25, 0.75),  # q2 has no relevant item: 0, or 1 for x at its first rank
        ("skip", 0.5, 0.5),  # and it stays out, whatever x is
    ],
)
def test_a_list_without_relevant_items_counts_as_the_rules_say(ran, undefined, low, high):
    yaml = f"truth: truth.csv\nmetrics: [R@1]\nundefined: {undefined}\nbounds: true\n"
    truth = "list,item,grade\nq1,a,1\nq1,b,1\nq2,c,0\n"
    sent = "list,item\nq1,a\nq2,x\n"
    report = json.loads(
        ran(
            "--private", "--format", "json", yaml=yaml, **{"truth.csv": truth, "open.csv": sent}
        ).out
    )
    bounds = report["submissions"][1]["values"]["R@1"]["bounds"]
    assert (bounds["low"], bounds["high"]) == (low, high)


def test_a_list_that_counts_zero_may_stay_so(ran):
    yaml = "truth: truth.csv\nmetrics: [AP]\nundefined: zero\nbounds: true\n"
    truth = "list,item,grade\nq1,a,1\nq2,c,0\n"
    files = {"truth.csv": truth, "open.csv": "list,item\nq1,a\nq2,c\nq2,x\n"}
    report = json.loads(ran("--private", "--format", "json", yaml=yaml, **files).out)
    bounds = report["submissions"][1]["values"]["AP"]["bounds"]  # x is relevant, or nothing is
    assert (bounds["low"], bounds["high"]) == (0.5, 0.75)


@pytest.mark.parametrize(
    ("yaml", "says"),
    [
        ("metrics: [Bpref]", "[C122] bounds: no measure here has bounds; these have, of lists: AP"),
        ("metrics: [P@2]\nsubmission: {ties: expected}", "[C122] bounds: with submission.ties"),
        ("metrics: [P@2]\nsubmission: {rank_gaps: keep}", "[C122] bounds: with submission.rank_"),
        ("metrics: [P@2]\nsubmission: {repeats: first}", "[C122] bounds: with submission.repeats"),
        ("metrics: [P(average=pooled)@2]", "[C122] bounds: no measure here has bounds"),
    ],
)
def test_what_stands_against_bounds(ran, yaml, says):
    ended = ran(yaml=f"truth: truth.csv\nbounds: true\n{yaml}\n")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert f"challenge.yaml:2: error{says}" in ended.err


def test_a_truth_with_very_many_grades_is_refused(ran):
    rows = "".join(f"q1,i{n},{n / 7}\n" for n in range(1, 120))
    ended = ran(**{"truth.csv": f"list,item,grade\n{rows}"})
    assert "challenge.yaml:3: error[C122] bounds: the truth has 119 different" in ended.err
