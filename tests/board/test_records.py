"""What is recorded of submissions and of a challenge makes the same board, without the truth."""

import pickle

import numpy as np
import pytest
from conftest import ROOT

import scorer
from scorer.api.outcomes import facts_of, make_terms, terms_of
from scorer.api.submissions import to_submission_file
from scorer.api.text import content_of
from scorer.board.versions import _read_facts, _write_facts
from scorer.challenge.load import load
from scorer.core.problems import Findings, Problem
from scorer.leaderboard.board import apply_rules, board
from scorer.reports.base import Options, report_format
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge
from scorer.scoring.run import score_submissions

OPTIONS = Options(
    17, distinct=False, per_list=True, notes=True, all_rows=True, width=200, every=True
)
FORMS = ("json", "csv", "table", "markdown", "latex")
RULES = """
truth: truth.csv
metrics:
- nDCG@2
- "DCG(gain={1:2,2:3})"
- ERR
- {metric: P@1, id: first}
- "CatalogueCoverage@2"
- {metric: ERR@2, average: group}
- {id: both, score: "(ERR + first) / 2"}
- {metric: R@2, where: "group == 'x'"}
lists: {file: lists.csv, columns: {group: part}}
items: items.csv
submission: {missing_list: zero, ties: item-asc}
"""
FILES = {
    "truth.csv": "list,item,grade\nq1,a,2\nq1,b,1\nq2,a,1\nq2,c,0\nq3,b,1\nq4,c,2\n",
    "lists.csv": "list,part\nq1,x\nq2,x\nq3,y\nq4,y\n",
    "items.csv": "item\na\nb\nc\n",
    "folds.csv": "list,fold\nq1,1\nq2,2\nq3,1\nq4,2\n",
}
SUBMISSIONS = {
    "one.csv": "list,item,score\nq1,a,3\nq1,b,2\nq2,c,2\nq3,b,1\nq4,a,1\n",
    "two.csv": "list,item,score\nq1,b,3\nq2,a,2\nq3,b,1\n",
    "bad.csv": "list,item,score\nq1,a,x\nq9,a,2\n",
}


@pytest.fixture
def shown(challenge):
    """A challenge with submissions: its folder and their paths."""

    def make(yaml):
        folder = challenge(yaml, **FILES, **SUBMISSIONS)
        return folder, [folder / name for name in SUBMISSIONS]

    return make


def written(report):
    return {name: report_format("leaderboard", name).write(report, OPTIONS) for name in FORMS}


@pytest.mark.slow("scores the bundled challenges", beyond=1)
@pytest.mark.parametrize(
    "more",
    [
        "",
        "folds: folds.csv\n",
        "leaderboard: {rank_by: {preference: RPP(weights=log), aggregate: MC4(jump=0.1)}}\n",
        "leaderboard: {tie_break: [LexiRecall, first], seed: 7, baselines: [one.csv]}\n",
    ],
    ids=["plain", "folds", "preferences", "tie_break"],
)
def test_a_board_is_made_from_records_without_the_truth(shown, more):
    folder, paths = shown(RULES + more)
    ready = open_challenge(bind(load(folder)))
    files = [file for file in map(to_submission_file, paths) if file.name not in more]
    whole = content_of(scorer.score(folder, files))
    outcomes = list(score_submissions(ready.plan, [file.path for file in files]))
    facts, terms = _write_facts(facts_of(ready)), terms_of(ready)
    baselines = [each for each in whole.submissions if each.baseline]
    again = bind(load(folder))
    for path in folder.iterdir():
        path.unlink()  # nothing is opened from here
    kept = make_terms(again, _read_facts(facts), terms.fingerprint)
    scored = [
        apply_rules(kept, file.name, str(file.path), outcome)
        for file, outcome in zip(files, outcomes, strict=True)
    ] + baselines
    report = board(kept, scored)
    assert written(report) == written(whole) == written(pickle.loads(pickle.dumps(whole)))
    assert report.certainty is None or np.array_equal(report.certainty.p, whole.certainty.p)


@pytest.mark.slow("opens and scores the bundled challenges", beyond=1)
@pytest.mark.parametrize(
    "folder", sorted(path.parent.name for path in (ROOT / "challenges").glob("*/challenge.yaml"))
)
def test_every_bundled_challenges_terms_round_trip(folder):
    sent = sorted((ROOT / "submissions_example" / folder / "good").iterdir())[:2]
    report = content_of(scorer.score(ROOT / "challenges" / folder, sent, allow_plugins=True))
    bound = bind(report.definition, allow_plugins=True)
    ready = open_challenge(bound)
    facts, terms = _write_facts(facts_of(ready)), terms_of(ready)
    again = make_terms(bind(bound.challenge, True), _read_facts(facts), terms.fingerprint)
    assert "NaN" not in facts  # JSON that any program reads
    assert [m.board_signature for m in again.measures] == [
        m.board_signature for m in terms.measures
    ]
    assert (again.lists, again.groups, again.notes) == (terms.lists, terms.groups, terms.notes)
    assert written(pickle.loads(pickle.dumps(report))) == written(report)


def test_findings_round_trip_with_what_was_only_counted():
    findings = Findings("s.csv", most=2)
    for line in range(1, 5):
        findings.add(Problem("S304", "twice", line=line, list="é\x1b", item="'"))
    findings.add(Problem("S205", "unused", "warning", times=3, help="drop it"))
    again = Findings.from_json(findings.to_json())
    assert again == findings
    assert (list(again), again.counts, again.fatal) == (list(findings), findings.counts, True)
    again.add(Problem("S304", "twice", line=9))
    assert again.counts["S304"] == 5
    assert len(again) == len(findings)
    assert again != findings
    copied = findings.copy()
    copied.add(Problem("S101", "lost"))
    assert (len(copied), len(findings)) == (4, 3)
