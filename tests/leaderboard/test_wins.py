"""Ranks in each list, or group, as the measure that ranks a board."""

import pytest

from scorer.api.score import score
from scorer.api.text import content_of

TRUTH = [(f"r{task}{n}", f"t{task}") for task in range(7) for n in range(4)]
WORDS = ("no", "yes")
RIGHT = {"a": 0, "b": 1, "c": 2}  # of four rows of a task so many are wrong; c is best in task 0


@pytest.fixture
def challenge(tmp_path):
    """Seven tasks of four rows, of which a has all right but in task 0."""
    rows = "".join(f"{row},{WORDS[int(row[-1]) % 2]},{task}\n" for row, task in TRUTH)
    (tmp_path / "truth.csv").write_text(f"id,label,task\n{rows}")
    for name, wrong in RIGHT.items():
        answers = [
            (row, int(row[-1]) < (2 - wrong if task == "t0" else wrong)) for row, task in TRUTH
        ]
        text = "".join(f"{row},{WORDS[(int(row[-1]) + missed) % 2]}\n" for row, missed in answers)
        (tmp_path / f"{name}.csv").write_text(f"id,label\n{text}")

    def make(rule, columns="{list: id, label: label, group: task}", more="", draws=200):
        path = tmp_path / "challenge.yaml"
        path.write_text(
            f"truth: {{file: truth.csv, columns: {columns}}}\n"
            "submission: {columns: {list: id, label: label}}\n"
            f"metrics: [{{metric: Accuracy}}, {{metric: F1, positive: 'yes'}}]\n"
            f"leaderboard:\n  draws: {draws}\n  rank_by: {rule}\n{more}"
        )
        return path

    make.files = [tmp_path / f"{name}.csv" for name in RIGHT]
    return make


def test_win_rates_of_groups(challenge):
    path = challenge("{measures: [Accuracy], each: group, aggregate: WinRate}")
    report = score(path, challenge.files)
    values = {row.name: row.values["WinRate"] for row in report.leaderboard}
    assert values == pytest.approx({"a": 6 / 7, "b": 1 / 2, "c": 1 / 7})
    assert [row.rank for row in report.leaderboard] == [1, 2, 3]
    assert content_of(report).primary.id == "WinRate"
    assert [measure.primary for measure in report.measures] == [True, False, False]
    assert content_of(report).certainty.how.over == "groups"
    assert content_of(report).certainty.how.units == 7
    low, high = report.leaderboard[0].interval
    assert 0 <= low < 6 / 7 < high <= 1
    assert report.submissions[0].groups["WinRate"]["t0"] == 0
    assert "the share of the other submissions that one is above by 'Accuracy'" in report.render(
        notes=True
    )
    assert report.to_dict()["ranked_by"] == {
        "measures": ["Accuracy"], "aggregate": "WinRate", "tie_break": [], "each": "group",
    }  # fmt: skip
    assert "WinRate" in report.render("html")


def test_mean_ranks_of_lists(challenge):
    path = challenge("{measures: [Accuracy], each: list, aggregate: MeanRank}")
    report = score(path, challenge.files)
    # by hand: of 28 rows all three are right on 14, and so on 12 others two of three
    values = {row.name: row.values["MeanRank"] for row in report.leaderboard}
    assert sum(values.values()) == pytest.approx(6)
    assert [row.name for row in report.leaderboard] == ["a", "b", "c"]
    assert content_of(report).primary.metric.better == "lower"
    assert content_of(report).certainty.how.over == "lists"
    row = report.submissions[0].values["MeanRank"]
    assert row.lists == 28
    assert row.per_list.mean() == pytest.approx(values["a"])


def test_a_baseline_changes_nothing(challenge):
    rule = "{measures: [Accuracy], each: group, aggregate: Borda}"
    alone = score(challenge(rule), challenge.files[:2])
    beside = score(challenge(rule, more="  baselines: [c.csv]\n"), challenge.files[:2])
    shown = {row.name: row for row in beside.leaderboard}
    assert shown["c"].rank is None
    for row in alone.leaderboard:
        assert shown[row.name].values["Borda"] == row.values["Borda"]
        assert shown[row.name].interval == row.interval
    signatures = [report.measures[0].board_signature for report in (alone, beside)]
    assert signatures[0] == signatures[1]
    fewer = score(challenge(rule), challenge.files[1:])
    assert fewer.measures[0].board_signature != signatures[0]


# What is drawn


@pytest.mark.parametrize(("unit", "over"), [("list", "clusters"), ("group", "groups")])
def test_what_is_drawn(tmp_path, unit, over):
    """Five tasks over the same four documents."""
    rows = [(f"{t}{d}", f"t{t}", f"d{d}") for t in range(5) for d in range(4)]
    (tmp_path / "lists.csv").write_text(
        "list,group,cluster\n" + "".join(",".join(row) + "\n" for row in rows)
    )
    (tmp_path / "truth.csv").write_text("id,y\n" + "".join(f"{row},0\n" for row, *_ in rows))
    for shift in (1, 2):
        (tmp_path / f"s{shift}.csv").write_text(
            "id,p\n" + "".join(f"{r},{shift + int(t[1]) / 9 + int(d[1]) / 7}\n" for r, t, d in rows)
        )
    path = tmp_path / "challenge.yaml"
    path.write_text(
        "truth: {file: truth.csv, columns: {list: id, target: y}}\n"
        "lists: {file: lists.csv, columns: {group: group, cluster: cluster}}\n"
        "submission: {columns: {list: id, prediction: p}}\n"
        f"metrics: [{{metric: MAE, unit: {unit}}}]\nleaderboard: {{draws: 100}}\n"
    )
    report = score(path, [tmp_path / "s1.csv", tmp_path / "s2.csv"])
    assert content_of(report).certainty.how.over == over
