"""The forms of files in challenge.yaml: what they score, and what is wrong with them."""

import pickle
from textwrap import dedent

import pytest

import scorer
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError


def write(folder, **files):
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(dedent(text))
    return folder


def test_the_truth_is_no_file_of_lines(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: truth.csv
            submission: {header: [prediction], lines: {file: truth.csv, columns: {list: list}}}
            metrics: [MAE]
            """,
        truth__csv="list,item,rating\na,b,1\n",
        good__csv="1\n",
    )
    with pytest.raises(ChallengeError) as caught:
        scorer.score(tmp_path, [tmp_path / "good.csv"])
    assert [p.code for p in caught.value.problems] == ["C124"]


def test_the_form_is_part_of_what_a_value_depends_on(tmp_path):
    write(tmp_path, truth__csv="list,item\na,b\n", keys__csv="list\na\n")

    def digests(form):
        write(tmp_path, challenge__yaml=f"truth: truth.csv\nmetrics: [RR]\nsubmission: {form}\n")
        bound = scorer.scoring.bind.bind(load(tmp_path))
        return scorer.scoring.open.open_challenge(bound).digests

    plain, cells = digests("{}"), digests("{cells: {item: ' '}}")
    lines = digests("{header: [item], lines: keys.csv}")
    assert len({plain["rules"], cells["rules"], lines["rules"]}) == 3
    assert plain["truth"] != lines["truth"]
    before = lines["truth"]
    write(tmp_path, keys__csv="list\na\na\n")
    assert digests("{header: [item], lines: keys.csv}")["truth"] != before


def test_a_plan_with_a_layout_pickles(tmp_path):
    write(
        tmp_path,
        challenge__yaml="""
            truth: truth.csv
            submission: {header: [item], cells: {item: ' '}, lines: keys.csv}
            metrics: [RR]
            """,
        truth__csv="list,item\na,b\n",
        keys__csv="list\na\n",
    )
    plan = scorer.scoring.open.open_challenge(scorer.scoring.bind.bind(load(tmp_path))).plan
    assert plan.layout.cells
    assert pickle.loads(pickle.dumps(plan)).layout == plan.layout
