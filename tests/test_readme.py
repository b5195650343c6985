"""What README says is what the code does."""

import re
from pathlib import Path

import pytest
import readme
import yaml

TEXT = readme.README.read_text(encoding="utf-8")


def test_the_made_parts_are_up_to_date():
    assert readme.made(TEXT) == TEXT, "run: python tests/readme.py"


def test_the_challenge_and_the_metric_in_ten_lines_work(score, tmp_path):
    challenge, metric = (
        re.search(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL).group(1) for kind in ("yaml", "python")
    )
    assert len(challenge.splitlines()) <= 10
    assert len(metric.splitlines()) <= 10
    (tmp_path / "challenge.yaml").write_text(challenge)
    (tmp_path / "truth.csv").write_text("list,item,grade\nq1,a,2\nq1,b,1\nq2,a,1\n")
    (tmp_path / "mine.csv").write_text("query,document,score\nq1,a,2\nq2,b,1\n")
    (tmp_path / "popular.csv").write_text("query,document,score\nq1,a,2\nq2,a,1\n")
    assert score(tmp_path, tmp_path / "mine.csv").code == 0
    (tmp_path / "firsts.py").write_text(metric)
    plain = yaml.safe_load(challenge)
    plain |= {"metrics": ["TopGrade@1"], "plugins": ["firsts.py"], "leaderboard": {}}
    (tmp_path / "challenge.yaml").write_text(yaml.safe_dump(plain))
    ran = score(tmp_path, tmp_path / "mine.csv", "--allow-plugins")
    assert ran.code == 0, ran
    assert "TopGrade@1" in ran.out


@pytest.mark.parametrize("path", re.findall(r"\]\(((?!http|#)[^)]+)\)", TEXT))
def test_links_lead_somewhere(path):
    assert (Path(readme.ROOT) / path).exists()
