"""`score check` of a problem in many places, and of a file that would command GitHub."""

import re

import pytest


@pytest.fixture
def folder(challenge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = challenge(
        "truth: truth.csv\nmetrics: [P@2]\nlists: lists.csv\n", **{"lists.csv": "list\nq1\nq2\n"}
    )
    (made / "truth.csv").unlink()  # every test here is blind
    return made


def test_a_problem_in_many_places_is_told_once_or_all(folder, tmp_path, score):
    rows = "".join(f"q1,a,{n}\n" for n in range(1, 13))
    (tmp_path / "mine.csv").write_text(f"list,item,rank\n{rows}q2,b,1\n")
    said = score("check", folder, "mine.csv").out.splitlines()
    assert sum("[S304]" in line for line in said) == 1
    assert "    and 10 more of S304, on lines 4, 5, 6, ... (--all)" in said
    said = score("check", folder, "mine.csv", "--all").out.splitlines()
    assert sum("[S304]" in line for line in said) == 11


def test_no_text_of_a_file_starts_a_github_command(folder, tmp_path, score):
    (tmp_path / "evil.csv").write_text('list,item\n"q1\n::stop-commands::x",a\nq1,a\nq2,b\n')
    ran = score("check", folder, "evil.csv", "--format", "github").assert_exit(1)
    assert all(re.match(r"::(error|warning) ", line) for line in ran.out.splitlines())
