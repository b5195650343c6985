"""Values of cases that other tools computed: read in every form, checked, and ranked."""

import math
from dataclasses import replace

import pytest

import scorer
from scorer.api.score import score as scored

HEAD = "kind: values\nleaderboard: {draws: 100}\n"
ONE = HEAD + "submission: {columns: {list: case, value: dice}}\n"
LONG = HEAD + (
    "submission: {columns: {list: case, measure: name, value: number}, values: "
    "{dice: {range: [0, 1]}, time: {better: lower}}}\n"
)


@pytest.mark.parametrize(
    ("rule", "valid", "mean", "counted"),
    [("error", False, None, None), ("zero", True, 0.5, 2), ("skip", True, 1.0, 1)],
)
def test_a_system_with_fewer_cases_is_marked(challenge, tmp_path, rule, valid, mean, counted):
    for name, rows in (("all", "a,1\nb,1\n"), ("some", "a,1\n")):
        (tmp_path / f"{name}.csv").write_text(f"case,dice\n{rows}")
    yaml = ONE.replace("value: dice}", f"value: dice}}, missing_list: {rule}")
    report = scored(challenge(yaml), [tmp_path / "all.csv", tmp_path / "some.csv"])
    some = next(each for each in report.submissions if each.name == "some")
    assert some.valid == valid
    assert any(p.message.startswith("1 of 2 cases is missing: 'b'") for p in some.findings)
    if valid:
        value = some.values["dice"]
        assert (value.mean, value.lists, value.missing) == (mean, counted, 1)
        assert "Cases without an answer, of 2" in report.render()


MANY = HEAD + "submission: {columns: {list: case, value: dice, system: model}}\n"


@pytest.mark.slow("writes a file for each system")
def test_one_table_holds_several_systems(challenge, tmp_path):
    rows = [("b", "x", 0.1), ("a", "x", 0.3), ("b", "y", 0.5), ("a", "y", 0.9)]
    table = "model,case,dice\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    (tmp_path / "all.csv").write_text(table)
    report = scored(challenge(MANY), [tmp_path / "all.csv"])
    assert [row.name for row in report.leaderboard] == ["a", "b"]
    assert report.mean("a") == pytest.approx(0.6)
    (tmp_path / "all.csv").write_text(table.replace("0.5", "good"))
    b, a = scored(challenge(MANY), [tmp_path / "all.csv"]).submissions
    assert [(p.line, p.code) for p in b.findings] == [(4, "S501")]
    assert (a.name, a.valid) == ("a", True)


def test_a_table_of_several_systems_is_not_repaired(challenge, score, tmp_path):
    (tmp_path / "all.csv").write_text("model,case,dice\na,x,0.5\nb,x,0.4\n")
    lists = "lists: {file: l.csv, columns: {list: case}}\n"
    folder = challenge(MANY + lists, **{"l.csv": "case\nx\n"})
    ran = score("check", folder, tmp_path / "all.csv", "--fix")
    ran.assert_exit(2, err="--fix repairs files of one submission, no table of several")


@pytest.mark.slow("keeps a board")
def test_an_entry_of_a_board_is_of_one_system(challenge, score, tmp_path):
    folder = challenge(MANY + "lists: {file: l.csv, columns: {list: case}}\n",
                       **{"l.csv": "case\nx\ny\n"})  # fmt: skip
    (tmp_path / "all.csv").write_text("model,case,dice\nb,x,0.1\nb,y,0.3\na,x,0.5\n")
    assert score("team", folder, "add", "red").code == 0
    ran = score("add", folder, tmp_path / "all.csv", "--team", "red")
    assert ran.code == 1, ran
    assert "all.csv:4: error[S528] model is 'a', and 'b' in earlier rows" in ran.err


@pytest.mark.slow("keeps a board")
def test_runs_in_an_entry_are_one_submission_as_on_files(challenge, tmp_path):
    yaml = (
        "kind: values\nsubmission: {columns: {list: case, value: ok, run: seed}}\n"
        "lists: {file: l.csv, columns: {list: case}}\n"
        "leaderboard: {draws: 50, pass_at: [2]}\n"
    )
    folder = challenge(yaml, **{"l.csv": "case\nx\ny\nz\n"})
    rights = {"a": ["101", "111"], "b": ["100", "101", "110"], "c": ["011"]}
    for name, runs in rights.items():
        rows = "".join(f"{c},{n},{ok}\n" for n, run in enumerate(runs)
                       for c, ok in zip("xyz", run, strict=True))  # fmt: skip
        (tmp_path / f"{name}.csv").write_text(f"case,seed,ok\n{rows}")
    files = [tmp_path / f"{name}.csv" for name in rights]
    (tmp_path / "bad.csv").write_text("case,seed,ok\nx,0,1\ny,0,1\nz,0,1\nx,1,1\ny,1,good\n")
    with scorer.Board.open(folder) as board:
        for file in files:
            board.add([file], team=file.stem)
        (bad,) = board.add([tmp_path / "bad.csv"], team="bad")
        assert [(p.line, p.code) for p in bad.problems if p.line] == [(6, "S501")]
        live, changed = board.board().report, board.rescore(dry_run=True).lists_changed
    on_files = scored(folder, files)
    named = [replace(row, name=row.name.removesuffix("#0")) for row in on_files.leaderboard]
    assert repr(list(live.leaderboard)) == repr(named)
    a = next(each for each in live.submissions if each.name == "a")
    assert ([run.name for run in a.runs], len(a.sha256)) == (["a#0", "a#1"], 64)
    assert changed == 0


def test_a_value_that_only_some_systems_lack_is_never_left_out(challenge, tmp_path):
    rows = "case,name,number\nc,time,1\nd,time,3\nc,dice,0.5\n"
    (tmp_path / "all.csv").write_text(rows + "d,dice,1\n")
    (tmp_path / "some.csv").write_text(rows)
    means = dict[str, float]()
    for files in (["some"], ["all", "some"]):
        report = scored(challenge(LONG), [tmp_path / f"{name}.csv" for name in files])
        means[" ".join(files)] = report.mean("some", "dice")
        assert report.mean("some", "time") == 2
    assert means["some"] == 0.5  # nobody has a value for d, which is no case of dice
    assert math.isnan(means["all some"])
