"""What is recorded of submissions and of a challenge makes the same board, without the truth."""

import json
import pickle

import numpy as np
import pytest
from conftest import ROOT

import scorer
from scorer.api.submissions import named_file, terms_of
from scorer.board.records import from_json, to_json
from scorer.challenge.load import load
from scorer.core.errors import ScorerError, UnknownName
from scorer.core.problems import Findings, Problem
from scorer.leaderboard.board import Terms, board, settled
from scorer.metrics.catalogue import metrics
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.reports.base import Options, form_of
from scorer.results.report import Report, Scored
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.run import score_submissions

OPTIONS = Options(17, True, 200, False, True)
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
    "own.py": '''
from scorer import Floats, Judged, metric

@metric("Met", title="How many judged items were met", source="this test", range=(0, None))
def met(judged: Judged) -> Floats:
    """Hits."""
    return judged.hits.total()
''',
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
    return {name: form_of("leaderboard", name).write(report, OPTIONS) for name in FORMS}


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
    ready = opened(prepare(load(folder)))
    files = [file for file in map(named_file, paths) if file.name not in more]
    whole = scorer.score(folder, files)
    outcomes = list(score_submissions(ready.plan, [file.path for file in files]))
    records = [to_json(outcome) for outcome in outcomes]
    terms = to_json(terms_of(ready))
    baselines = [to_json(each) for each in whole.submissions if each.baseline]
    for path in folder.iterdir():
        path.unlink()  # nothing is opened from here
    kept = from_json(Terms, terms)
    scored = [
        settled(kept, file.name, str(file.path), from_json(Outcome, record))
        for file, record in zip(files, records, strict=True)
    ] + [from_json(Scored, each) for each in baselines]
    report = board(kept, scored)
    assert written(report) == written(whole)
    assert report.certainty is None or np.array_equal(report.certainty.p, whole.certainty.p)


@pytest.mark.slow("keeps and evaluates entries", beyond=1)
@pytest.mark.parametrize(
    "folder", sorted(path.parent.name for path in (ROOT / "challenges").glob("*/challenge.yaml"))
)
def test_every_bundled_challenges_report_round_trips(folder):
    sent = sorted((ROOT / "submissions_example" / folder / "good").iterdir())[:2]
    report = scorer.score(ROOT / "challenges" / folder, sent, allow_plugins=True)
    text = to_json(report)
    own = prepare(report.challenge, allow_plugins=True).metrics
    again = from_json(Report, text, own)
    assert to_json(again) == text
    assert written(again) == written(report)
    copied = pickle.loads(pickle.dumps(report))
    assert (to_json(copied), written(copied)) == (text, written(report))
    assert "NaN" not in text.replace('"nan"', "")  # JSON that any program reads
    for scored, other in zip(report.submissions, again.submissions, strict=True):
        assert other.findings == scored.findings
        assert other.card.to_bytes() == scored.card.to_bytes()
        assert to_json(from_json(Scored, to_json(scored))) == to_json(scored)
        assert to_json(from_json(Scorecard, to_json(scored.card))) == to_json(scored.card)


def test_findings_round_trip_with_what_was_only_counted():
    findings = Findings("s.csv", most=2)
    for line in range(1, 5):
        findings.add(Problem("S304", "twice", line=line, list="é\x1b", item="'"))
    findings.add(Problem("S205", "unused", "warning", times=3, help="drop it"))
    again = from_json(Findings, to_json(findings))
    assert again == findings
    assert (list(again), again.counts, again.fatal) == (list(findings), findings.counts, True)
    again.add(Problem("S304", "twice", line=9))
    assert again.counts["S304"] == 5
    assert len(again) == len(findings)
    assert again != findings
    copied = findings.copy()
    copied.add(Problem("S101", "lost"))
    assert (len(copied), len(findings)) == (4, 3)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "nothing", '{"record": "Report", "data": {}}',
     '{"record": "Scored", "data": {}}', '{"record": "Report", "data": {"lists": 3}}'],
)  # fmt: skip
def test_what_is_no_record_says_so(text):
    with pytest.raises(ScorerError, match="this is no record of a Report"):
        from_json(Report, text)


def test_a_plugins_metric_is_read_back_only_with_the_plugin(shown):
    folder, paths = shown("truth: truth.csv\nmetrics: [Met]\nplugins: [own.py]\n")
    report = scorer.score(folder, paths, allow_plugins=True)
    text = to_json(report)
    with pytest.raises(UnknownName, match="no metric is called 'Met'"):
        from_json(Report, text)
    own = prepare(load(folder), allow_plugins=True).metrics
    assert written(from_json(Report, text, own)) == written(report)
    assert "Met" not in [metric.name for metric in metrics()]


def test_arrays_of_objects_are_refused(shown):
    folder, paths = shown(RULES)
    fields = json.loads(to_json(scorer.score(folder, paths)))
    fields["data"]["submissions"][0]["values"]["nDCG@2"]["per_list"]["dtype"] = "|O"
    with pytest.raises(ScorerError, match="this is no record of a Report"):
        from_json(Report, json.dumps(fields))


@pytest.mark.slow("scores the bundled challenges", beyond=1)
@pytest.mark.parametrize(
    "more",
    [
        "",
        "folds: folds.csv\n",
        "leaderboard: {rank_by: {preference: RPP(weights=log), aggregate: MC4(jump=0.1)}}\n",
        "leaderboard: {tie_break: [LexiRecall, first], seed: 7, baselines: [one.csv]}\n",
    ],
)
def test_a_report_pickles(shown, more):
    folder, paths = shown(RULES + more)
    report = scorer.score(folder, paths)
    again = pickle.loads(pickle.dumps(report))
    assert to_json(again) == to_json(report)
    assert written(again) == written(report)
