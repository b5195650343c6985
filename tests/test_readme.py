"""What README says is what the code does."""

import re
import shutil
from pathlib import Path

import pytest
import readme
import yaml

README = readme.README.read_text(encoding="utf-8")
PAGE = (readme.ROOT / "docs/participate.md").read_text(encoding="utf-8")
FROM_OTHERS = PAGE.partition("\n## Coming from another tool\n")[2]
OWN_METRIC = (readme.ROOT / "docs/own-metric.md").read_text(encoding="utf-8")
OWN = OWN_METRIC.partition("\n## Kaggle's metric files\n")[0]
TEXT = "\n".join([README, OWN, FROM_OTHERS])


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.slow("runs the commands of README")
def test_the_made_parts_are_up_to_date():
    for path in readme.SHOWING:
        text = path.read_text(encoding="utf-8")
        assert readme.made(text) == text, "run: python tests/readme.py"


def test_it_is_short_and_shows_a_board():
    assert len(README.splitlines()) <= 120
    assert "](docs/terminal.svg)" in README
    index = (readme.ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert all(f"]({Path(name).name})" in index for name in readme.PICTURES)
    assert {"make demo", "make test"} <= {line.partition("  ")[0] for line in README.splitlines()}


@pytest.mark.slow("scores the bundled challenge twice")
@pytest.mark.parametrize("name", readme.PICTURES)
def test_a_picture_is_up_to_date(name):
    kept = (readme.ROOT / name).read_text(encoding="utf-8")
    assert readme.PICTURES[name]() == kept, "run: python tests/readme.py"
    assert len(kept) < 60_000
    assert not re.search(r"(?:href=|url\()[\"']?https?:", kept)


def test_the_challenge_and_the_metric_in_ten_lines_work(score, tmp_path):
    (challenge,) = blocks("yaml")
    metric, *others = (block for block in blocks("python") if "@metric" in block)
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
    score(tmp_path, tmp_path / "mine.csv", "--allow-plugins").assert_exit(0, out="TopGrade@1")
    of_lists, of_table, of_rows = others
    (tmp_path / "firsts.py").write_text(of_lists)
    plain |= {"metrics": ["HitShare@2", "HitShare(average=pooled)@2"]}
    (tmp_path / "challenge.yaml").write_text(yaml.safe_dump(plain))
    words = ("--allow-plugins", "--format", "json")
    means = score(tmp_path, tmp_path / "mine.csv", *words).means()
    assert means == dict.fromkeys(plain["metrics"], 0.25)
    (tmp_path / "firsts.py").write_text(of_rows)
    (tmp_path / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [MedianError, MedAE]\nplugins: [firsts.py]\n"
    )
    (tmp_path / "truth.csv").write_text("list,target\na,1\nb,2\nc,4\n")
    (tmp_path / "mine.csv").write_text("list,prediction\na,1\nb,4\nc,5\n")
    assert score(tmp_path, tmp_path / "mine.csv", *words).means() == {"MedianError": 1, "MedAE": 1}
    (tmp_path / "firsts.py").write_text(of_table)
    (tmp_path / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [WAPE]\nplugins: [firsts.py]\n"
    )
    means = score(tmp_path, tmp_path / "mine.csv", *words).means()
    assert means == {"WAPE": (0 + 2 + 1) / (1 + 2 + 4)}


def test_a_first_challenge_from_own_files(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth, sample = blocks("csv")
    (tmp_path / "truth.csv").write_text(truth)
    (tmp_path / "sample.csv").write_text(sample)
    qrels, run = readme.ROOT / "challenges/trec", readme.ROOT / "submissions_example/trec/good"
    shutil.copy(qrels / "qrels.txt", tmp_path)
    shutil.copy(run / "bm25.run", tmp_path / "run.txt")
    commands = [
        line.partition("#")[0].split()[1:]
        for block in blocks("sh")
        for line in block.splitlines()
        if line.startswith("score ")
    ]
    assert len(commands) >= 7
    for words in commands:
        ran = score(*words)
        assert ran.code == 0, (words, ran)


def test_the_python_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = (block for block in blocks("python") if "evaluate" in block)
    names = {}
    exec(block, names)
    assert names["report"].mean("bm25", "AP") == 0.75
    assert (tmp_path / "board.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    "notation", sorted(set(re.findall(r"`([A-Z]\w+\([\w=]+\)(?:@\d+)?)`", TEXT)))
)
def test_a_notation_is_a_measure(notation, score):
    truth = readme.ROOT / "challenges/trec/qrels.txt"
    run = readme.ROOT / "submissions_example/trec/good/bm25.run"
    assert score(truth, run, "-m", notation).code == 0


@pytest.mark.parametrize("path", re.findall(r"\]\(((?!http|#)[^)]+)\)", README))
def test_links_lead_somewhere(path):
    assert (Path(readme.ROOT) / path).exists()
