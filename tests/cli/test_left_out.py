"""Files in a folder of submissions that cannot be one: left out, and named in one line."""

import pytest

import scorer

ODD = ("README.md", "Thumbs.db", "desktop.ini", "~$x.xlsx", "x.csv~", "notes.pdf", ".DS_Store")
YAML = "truth: truth.csv\nmetrics: [AP]\n"
RUN = "list,item\nq,a\n"


@pytest.fixture
def folder(challenge, tmp_path):
    path = challenge(YAML, **{"truth.csv": RUN})
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("a.csv", "b.csv", "c.bm25", *ODD):
        (runs / name).write_text(RUN)
    return path


@pytest.mark.parametrize("command", [(), ("check",), ("compare",)])
def test_a_folder_stands_for_what_may_be_submissions(folder, tmp_path, score, command):
    ran = score(*command, folder, tmp_path / "runs")
    assert ran.code == 0, ran
    said = f"runs: {len(ODD)} files are left out, which cannot be submissions: '.DS_Store', 'READ"
    assert ran.err.count(said) == 1


def test_hidden_files_and_folders_are_named_too(folder, tmp_path, score):
    for name in ODD:
        (tmp_path / "runs" / name).unlink()
    (tmp_path / "runs" / ".d.csv").write_text(RUN)
    (tmp_path / "runs" / "old").mkdir()
    said = "runs: 1 file and 1 folder are left out, which cannot be submissions: '.d.csv', 'old/'"
    assert said in score(folder, tmp_path / "runs").err


def test_a_file_that_is_named_is_read(folder, tmp_path, score):
    assert score(folder, tmp_path / "runs" / "README.md").code == 0


def test_one_file_is_told_in_the_singular_and_none_is_an_error(folder, tmp_path, score):
    for name in ODD[1:]:
        (tmp_path / "runs" / name).unlink()
    assert "1 file is left out, which cannot be submissions: 'README.md'" in score(
        folder, tmp_path / "runs"
    ).err  # fmt: skip
    for name in ("a.csv", "b.csv", "c.bm25"):
        (tmp_path / "runs" / name).unlink()
    ran = score(folder, tmp_path / "runs")
    ran.assert_exit(2, err="can be a submission: 'README.md'")


def test_a_system_of_values_may_be_a_folder(tmp_path):
    for system, value in (("good", 1), ("bad", 0)):
        (tmp_path / system).mkdir()
        (tmp_path / system / "one.csv").write_text(f"case,value\nx,{value}\n")
        (tmp_path / system / "README.md").write_text("# values\n")
    report = scorer.values([tmp_path / "good", tmp_path / "bad"])
    assert [row.name for row in report.leaderboard] == ["good", "bad"]
