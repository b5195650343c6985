"""`scorer.fix`: what `score check --fix` does, as a function."""

import polars as pl
import pytest

import scorer
from scorer.core.errors import UsageError

YAML = "truth: truth.csv\nlists: lists.csv\nmetrics: [AP]\n"


@pytest.fixture
def files(challenge, tmp_path):
    folder = challenge(YAML, **{"truth.csv": "list,item\nq,a\n", "lists.csv": "list\nq\n"})
    texts = {
        "fine": "list,item,score\nq,a,1\n",
        "commas": 'list,item,score\nq,a,"0,5"\n',
        "wrong": "list,item,score\nz,a,high\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return folder, [tmp_path / f"{name}.csv" for name in texts]


def test_a_copy_is_written_of_what_then_is_fine(files, tmp_path):
    folder, paths = files
    fine, commas, wrong = scorer.fix(folder, paths)
    assert (fine.path, fine.changes) == (paths[0], ())
    assert commas.path == tmp_path / "commas.fixed.csv"
    assert commas.path.read_text() == "list,item,score\nq,a,0.5\n"
    assert len(commas.changes) == 1
    assert (wrong.path, wrong.changes) == (paths[2], ())
    assert {problem.code for problem in wrong.problems} >= {"S501"}
    with pytest.raises(UsageError, match="exists already"):
        scorer.fix(folder, paths)


def test_a_folder_gets_all_that_can_be_scored(files, tmp_path):
    folder, paths = files
    pl.DataFrame({"list": ["q"], "item": ["a"]}).write_parquet(tmp_path / "other.parquet")
    scorer.fix(folder, [*paths, tmp_path / "other.parquet"], tmp_path / "out")
    copies = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert copies == ["commas.csv", "fine.csv", "other.parquet"]
    with pytest.raises(UsageError, match="not empty"):
        scorer.fix(folder, paths, tmp_path / "out")
