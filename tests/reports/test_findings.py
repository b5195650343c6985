"""Findings as text: for people, and for a log that a workflow's runner reads."""

import pytest

ODD = ["::stop-commands::x.csv", "##[error]x.csv", "  ::error::x.csv"]


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("verb", ["check", None])
def test_no_line_is_a_command_for_a_runner(score, challenge, monkeypatch, name, verb):
    folder = challenge(**{name: "list,item\nq1,a\nq1,a\n"})
    monkeypatch.chdir(folder)
    ran = score(*filter(None, [verb]), ".", name).assert_exit(1)
    assert "S304" in ran.out + ran.err
    for line in (ran.out + ran.err).splitlines():
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line


def test_quiet_leaves_only_what_is_wrong(score, challenge):
    files = {
        "fine.csv": "list,item,odd\nq1,a,x\nq2,a,x\n",
        "bad.csv": "list,item,odd\nq1,a,x\nq1,a,x\nq2,a,x\n",
    }
    folder = challenge(**files)
    sent = [folder / name for name in files]
    loud, quiet = score("check", folder, *sent).out, score("check", folder, *sent, "-q").out
    assert "S205" in loud
    assert "fine.csv: fine" in loud
    assert "fine.csv" not in quiet
    assert "bad.csv: would be rejected" in quiet
    assert not any("warning[" in line for line in quiet.splitlines())


def test_json_names_files_as_they_were_given(score, challenge):
    folder = challenge(**{"bad.csv": "list,item\nq1,a\nq1,a\n"})
    told = score("check", folder, folder / "bad.csv", "--format", "json").json(1)
    assert told["submissions"][0]["path"] == str(folder / "bad.csv")
    assert "private" not in told
