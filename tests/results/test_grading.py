"""Points for values: straight between two, capped, none for what has no value; late files lose."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from boards import score as scored_of

from scorer.api.lint import lint
from scorer.challenge.load import load
from scorer.results.grading import grade

TRUTH = "id,y\n" + "".join(f"r{n},{n}\n" for n in range(4))
FILES = {  # mean absolute errors of 1.5, 1, .5, 0
    "zero": "id,y\n" + "".join(f"r{n},0\n" for n in range(4)),
    "one": "id,y\n" + "".join(f"r{n},1\n" for n in range(4)),
    "half": "id,y\n" + "".join(f"r{n},{n + 0.5}\n" for n in range(4)),
    "all": TRUTH,
}
YAML = """
truth: {{file: truth.csv, columns: {{list: id, target: y}}}}
submission: {{columns: {{list: id, prediction: y}}}}
metrics: [MAE]
leaderboard: {{baselines: [zero.csv]}}
grading: {{{grading}}}
"""


@pytest.fixture
def course(challenge):
    def make(grading):
        texts = {f"{name}.csv": text for name, text in FILES.items()}
        folder = challenge(YAML.format(grading=grading), **texts | {"truth.csv": TRUTH})
        (folder / "bad.csv").write_text("id,y\nr0,x\n")
        return folder

    return make


@pytest.mark.parametrize(
    ("grading", "points"),
    [
        ("to: 0.5", {"one": 5.0, "half": 10.0, "all": 10.0, "bad": 0.0}),
        ("to: 0, points: 6", {"one": 2.0, "half": 4.0, "all": 6.0, "bad": 0.0}),
        ("from: zero, to: 0.5, points: 1", {"one": 0.5, "half": 1.0, "all": 1.0}),
        ("from: 1, to: 0, points: 10", {"one": 0.0, "half": 5.0, "all": 10.0}),
        ("from: 0.75, to: 0.25", {"one": 0.0, "half": 5.0, "all": 10.0}),
    ],
)
def test_points_are_straight_between_two_values_and_capped(grading, points, course):
    folder = course(grading)
    report = scored_of(load(folder), [folder / f"{name}.csv" for name in points])
    found = {s.name: grade(report, s).points for s in report.submissions if not s.baseline}
    assert found == pytest.approx(points)


def test_late_files_lose_a_share_for_each_day_begun(course):
    folder = course("to: 0.5, late: {due: '2026-02-01T12:00:00+01:00', lose: 0.3}")
    report = scored_of(load(folder), [folder / "one.csv"])
    (own,) = (s for s in report.submissions if not s.baseline)
    due = datetime(2026, 2, 1, 11, tzinfo=UTC)
    for late, points in (
        (0, 5), (0.999, 5), (1, 3.5), (86_400.5, 3.5), (86_401, 2), (900_000, 0)
    ):  # fmt: skip
        received = {own.name: due + timedelta(seconds=late)}
        found = grade(replace(report, received=received), own)
        assert found.points == pytest.approx(points), late
        assert found.points + found.lost == pytest.approx(5)


@pytest.mark.parametrize(
    ("grading", "said"),
    [
        ("to: 2", "grading.to: 2 is not below 1.5, which gets no points"),
        ("from: nobody, to: 0", "no baseline with a value is called 'nobody'; there are 'zero'"),
        ("to: 0, measure: P@5", "no measure is called 'P@5'; there are 'MAE'"),
        ("from: 1, to: 1", "from and to are the same value"),
        ("to: 0, points: 0", "'0' is not above 0"),
        ("from: 1", "to"),
    ],
)
def test_what_gives_no_points_is_said(grading, said, course, score):
    folder = course(grading)
    ran = score(folder, folder / "one.csv", "--format", "grades", "-q")
    ran.assert_exit(2, err=[said, "challenge.yaml:6: error[C1"])


@pytest.mark.parametrize("grading", ["to: 2", "from: nobody, to: 0", "to: 0, measure: P@5"])
def test_lint_tells_of_points_that_nobody_can_have(grading, course):
    (remark,) = (each for each in lint(course(grading)).remarks if each.severity == "error")
    assert "challenge.yaml:6: error[C1" in remark.message


def test_where_no_texts_can_be_written(course, score, tmp_path):
    folder = course("to: 0.5")
    ran = score("feedback", folder, folder / "one.csv", "-o", folder / "one.csv" / "x", "-q")
    assert (ran.code, "cannot be made: Not a directory" in ran.err) == (2, True), ran
    ran = score("feedback", tmp_path / "none", "-o", tmp_path / "out")
    assert (ran.code, "error[C101] not found" in ran.err) == (2, True), ran


def test_texts_and_a_gradebook(course, score, tmp_path):
    folder = course("to: 0.5, points: 20")
    names = ("one", "all", "bad")
    out = tmp_path / "out"
    ran = score("feedback", folder, *(folder / f"{name}.csv" for name in names), "-o", out, "-q")
    assert ran.code == 1, ran
    assert {path.name for path in out.iterdir()} == {"grades.csv", *(f"{n}.txt" for n in names)}
    rows = list(csv.DictReader(io.StringIO((out / "grades.csv").read_text())))
    assert [(row["id"], float(row["points"])) for row in rows] == [
        ("one", 10), ("all", 20), ("bad", 0),
    ]  # fmt: skip
    text = (out / "one.txt").read_text()
    assert "10 of 20 points: MAE 1.000, 0.500 from 0.500, that of all points." in text
    assert "Rank 2" in text
    assert "The file was rejected: 2 errors" in (out / "bad.txt").read_text()
    printed = score(folder, folder / "one.csv", "-q", "--format", "grades").out
    assert printed.splitlines()[1].startswith('one,10,"10 of 20 points')


def test_a_course_without_points_gets_texts_alone(challenge, score, tmp_path):
    folder = challenge(**{"s.csv": "list,item\nq1,a\nq2,a\n"})
    assert score("feedback", folder, folder / "s.csv", "-o", tmp_path / "out").code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["s.txt"]
    ran = score(folder, folder / "s.csv", "--format", "grades")
    ran.assert_exit(2, err="write  grading: {from: baseline, to: 0.75, points: 10}")


@pytest.mark.slow("keeps a board")
@pytest.mark.parametrize("show", ["all", "none"])
def test_a_phase_that_hides_values_hides_points(show, challenge, score, tmp_path):
    yaml = f"""
truth: truth.csv
metrics: [P@2]
grading: {{from: 0, to: 1}}
phases: [{{id: main, opens: '2020-01-01T00:00:00+00:00', show: {show}}}]
"""
    folder = challenge(yaml, **{"s.csv": "list,item\nq1,a\nq2,a\n"})
    assert score("team", folder, "add", "red").code == 0
    assert score("add", folder, folder / "s.csv", "--team", "red").code == 0
    score("feedback", folder, "-o", tmp_path / "out", "-q").assert_exit(0)
    text = (tmp_path / "out" / "red.txt").read_text()
    assert ("points" in text) == (show == "all")
    assert ("hidden in this phase" in text) == (show == "none")
    assert (tmp_path / "out" / "grades.csv").exists() == (show == "all")
