"""What docs/run.md says of courses, played from the first week to the last."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = (ROOT / "docs" / "run.md").read_text(encoding="utf-8")
PAGE = RUN.partition("\n## In a course\n")[2].partition("\n## ")[0]


@pytest.mark.slow("plays a term")
def test_the_page_for_courses_is_played(score, tmp_path, monkeypatch):
    aside = shutil.ignore_patterns(".scorer*")
    shutil.copytree(ROOT / "challenges" / "course-2026", tmp_path / "course", ignore=aside)
    shutil.copytree(ROOT / "submissions_example" / "course-2026" / "good", tmp_path / "sent")
    (grading,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    with (tmp_path / "course" / "challenge.yaml").open("a") as file:
        file.write(grading)
    monkeypatch.chdir(tmp_path)
    commands = "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)).splitlines()
    assert len(commands) >= 8
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "score"
        ran = score(*words)
        assert ran.code == 0, (command, ran)
    assert "of 10 points" in (tmp_path / "feedback" / "aurora.txt").read_text()
    assert (tmp_path / "final" / "grades.csv").read_text() == (tmp_path / "grades.csv").read_text()
