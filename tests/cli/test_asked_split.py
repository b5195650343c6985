"""Which entries count on a split that the phase does not show, and the points that they give."""

import csv
import io

import pytest

LISTS = [f"{n:03}" for n in range(100)]
PUBLIC = {*LISTS[:40]}
YAML = """\
truth: {{file: truth.csv, columns: {{list: id, label: label}}}}
submission: {{columns: {{list: id, label: label}}}}
metrics: [Accuracy]
splits: {{file: splits.csv}}
phases:
  - {{id: main, opens: 2026-10-01T00:00:00Z, closes: 2026-12-15T00:00:00Z, show: public}}
  - {{id: final, after: main, show: private{final}}}
grading: {{from: 0.5, to: 1, points: 10}}
leaderboard: {{intervals: false, tiers: false}}
"""
MAIN, FINAL = "2026-11-28T00:00:00+00:00", "2027-01-01T00:00:00+00:00"
pytestmark = pytest.mark.slow("keeps and evaluates entries")


@pytest.fixture
def folder(challenge, score):
    """A team with two entries: the first is better on public rows, the second on private ones."""

    def made(final):
        truth = {name: "ab"[int(name) % 2] for name in LISTS}
        other = {name: "ba"[int(name) % 2] for name in LISTS}
        wrong = {
            "one.csv": {name for name in LISTS[40:] if int(name) % 3 == 0},
            "two.csv": {name for name in PUBLIC if int(name) % 4 == 0},
        }
        files = {
            name: "id,label\n"
            + "".join(f"{n},{(other if n in rows else truth)[n]}\n" for n in LISTS)
            for name, rows in {"truth.csv": set(), **wrong}.items()
        }
        files["splits.csv"] = "list,split\n" + "".join(
            f"{name},{'public' if name in PUBLIC else 'private'}\n" for name in LISTS
        )
        folder = challenge(YAML.format(final=final), **files)
        for n, name in enumerate(wrong, start=2):
            at = f"2026-10-0{n}T00:00:00+00:00"
            assert score("add", folder, folder / name, "--team", "red", "--at", at).code == 0
        return folder

    return made


def rows(score, *words):
    return [*csv.DictReader(io.StringIO(score(*words, "-q").out))]


def value(score, folder, *words):
    (row,) = rows(score, "board", folder, "--format", "csv", *words)
    return float(row["Accuracy"])


@pytest.mark.parametrize(("final", "private"), [(", select: 1", 40 / 60), ("", 1.0)])
def test_before_the_end_the_entries_count_that_will_count(folder, score, final, private):
    """With `select` the best on the public rows counts at the end, else the best on the private."""
    course = folder(final)
    assert value(score, course, "--at", MAIN) == 1.0
    wanted = pytest.approx(private)
    assert value(score, course, "--at", FINAL) == wanted
    assert value(score, course, "--at", MAIN, "--split", "private") == wanted
    assert value(score, course, "--at", MAIN, "--phase", "final") == wanted
    # afterwards the board of the public rows is as it was
    assert value(score, course, "--at", FINAL, "--split", "public") == 1.0
    # and all rows, which no phase shows, have the entry that counts at the time
    assert value(score, course, "--at", MAIN, "--split", "all") == pytest.approx(0.8)


@pytest.mark.parametrize("how", [["--split", "private"], ["--phase", "final"]])
def test_points_before_the_end_are_those_of_the_end(folder, score, tmp_path, how):
    course = folder(", select: 1")
    (final,) = rows(score, "board", course, "--at", FINAL, "--format", "grades")
    assert final["points"] == "3.33"  # of 10 / 3
    assert score("feedback", course, "-o", tmp_path / "fb", "--at", MAIN, *how).code == 0
    (row,) = csv.DictReader(io.StringIO((tmp_path / "fb" / "grades.csv").read_text()))
    assert row == final
    ran = score(
        "feedback", course, course / "one.csv", "-o", tmp_path / "other", "--phase", "final"
    )
    assert "--phase and --at are of a living board" in ran.err
