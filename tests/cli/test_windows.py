"""What participants do works without what Windows lacks, in files with CR LF, in code page 1252."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import COMMAND

YAML = """\
title: Bücher
truth: truth.csv
lists: lists.csv
metrics: [P@2, RR]
timezone: Europe/Ljubljana
splits: {public: 0.5, private: rest, seed: 4}
phases: [{id: main, opens: 2020-01-01T00:00:00Z, closes: 2120-01-01T00:00:00Z, show: public}]
leaderboard: {draws: 200, baselines: [poor.csv]}
"""
LISTS = ["q0", *(f"é{n}" for n in range(1, 8))]
PLACE = Path(__file__).parents[1] / "windows"
ENCODED = {
    "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C",
    "PYTHONWARNDEFAULTENCODING": "1",
}  # fmt: skip


def crlf(path, text):
    path.write_bytes(text.replace("\n", "\r\n").encode())


@pytest.fixture
def windows(tmp_path):
    """Run the command in a folder that holds a challenge and two files to send."""
    folder = tmp_path / "challenge"
    folder.mkdir()
    crlf(folder / "challenge.yaml", YAML)
    crlf(folder / "lists.csv", "list\n" + "".join(f"{name}\n" for name in LISTS))
    grades = "".join(f"{name},a,2\n{name},b,1\n{name},c,0\n" for name in LISTS)
    crlf(folder / "truth.csv", f"list,item,grade\n{grades}")
    for path, order in ((tmp_path / "one.csv", "abc"), (tmp_path / "two.csv", "cab")):
        crlf(path, "list,item\n" + "".join(f"{n},{item}\n" for n in LISTS for item in order))
    crlf(folder / "poor.csv", (tmp_path / "two.csv").read_text())
    kept = {key: value for key, value in os.environ.items() if key.startswith("COVERAGE")}

    def run(line, code=0):
        ended = subprocess.run(
            [COMMAND, *line.split()], cwd=tmp_path, capture_output=True, timeout=120,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(PLACE), **ENCODED, **kept},
        )  # fmt: skip
        assert ended.returncode == code, (line, ended.stderr)
        assert b"internal error" not in ended.stderr, (line, ended.stderr)
        return ended.stdout.decode(), ended.stderr.decode()

    return run


def test_the_process_lacks_what_windows_lacks(windows, tmp_path):
    script = "import os, signal; print(hasattr(os, 'fork'), hasattr(signal, 'SIGKILL')); import pwd"
    ended = subprocess.run(
        [COMMAND.parent / "python", "-c", script], env={"PYTHONPATH": str(PLACE)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert ended.stdout == "False False\n"
    assert "ModuleNotFoundError" in ended.stderr


@pytest.mark.slow("starts a process for each of twenty commands")
def test_what_participants_and_organizers_do(windows, tmp_path):
    out, _ = windows("challenge one.csv two.csv")
    assert "Bücher" in out
    assert out.index("one") < out.index("two")
    assert "one.csv: fine" in windows("check challenge one.csv")[0]
    windows("kit challenge -o kit.zip")
    assert "two.csv: fine" in windows("check kit.zip one.csv two.csv")[0]
    crlf(tmp_path / "bad.csv", "list,item\nq0,a\nq0,a\n")
    bad = "".join(windows("check kit.zip bad.csv", code=1))
    assert "bad.csv:" in bad
    assert "\n  3" in bad
    windows("check challenge bad.csv --fix -o fixed.csv", code=1)
    windows("lint challenge")
    assert "two" in windows("compare challenge one.csv two.csv")[0]
    assert "q0" in windows("explain challenge one.csv --list q0")[0]
    windows("init ranking made")
    assert "submission" in windows("made made/submission.csv")[0]
    windows("challenge one.csv --format html -o report.html")
    for team in ("red", "blue"):
        windows(f"team challenge add {team}")
    windows("add challenge one.csv --team red")
    windows("add challenge two.csv --team blue")
    board = windows("board challenge")[0]
    assert board.index("red") < board.index("blue")
    assert "+01:00" in windows("log challenge")[0]


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("command", ["serve", "work"])
def test_limits_that_are_not_there_are_told_in_a_line(windows, command):
    out, err = windows(f"{command} challenge", code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert "need Linux or macOS, or on Windows WSL" in err
