"""Values, findings and reports do not depend on whether lists' names stay as polars has them."""

import json
import pickle

import pytest
from wholes import CASES, SMALL, every_plan, same

from scorer.challenge.load import load
from scorer.engines.local import scored
from scorer.formats import cut
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.results.scorecard import Scorecard
from scorer.tables import names
from scorer.tables.names import HeldNames


def held(monkeypatch):
    """Read every file by polars, and leave it the names."""
    monkeypatch.setattr(cut, "SMALLEST", 0)
    monkeypatch.setattr(names, "MANY", 0)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Every plan as usual, and with names that polars holds."""
    usual = every_plan(tmp_path_factory)
    with pytest.MonkeyPatch.context() as monkeypatch:
        held(monkeypatch)
        return usual, every_plan(tmp_path_factory)


def as_tuples(outcome):
    cards = {name: card._replace(lists=tuple(card.lists)) for name, card in outcome.folds.items()}
    card = outcome.card
    card = None if card is None else card._replace(lists=tuple(card.lists))
    return outcome._replace(card=card, folds=cards)


@pytest.mark.slow("every kind of challenge and file", beyond=1)
@pytest.mark.parametrize(
    ("kind", "sent"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_every_kind_says_the_same(kind, sent, both, tmp_path, monkeypatch):
    usual, other = (plans[kind] for plans in both)
    assert isinstance(other.truth.lists, HeldNames) or "pref" in kind or kind == "pairs by fold"
    path = tmp_path / "mine.csv"
    path.write_text(sent[1])
    expected = scored(usual, path)
    held(monkeypatch)
    same(as_tuples(scored(pickle.loads(pickle.dumps(other)), path)), expected)


@pytest.mark.parametrize("kind", SMALL)
def test_labels_say_the_same(kind, tmp_path, monkeypatch):
    for name, text in zip(("challenge.yaml", "truth.csv", "mine.csv"), SMALL[kind], strict=True):
        (tmp_path / name).write_text(text)
    expected = scored(opened(prepare(load(tmp_path))).plan, tmp_path / "mine.csv")
    held(monkeypatch)
    plan = opened(prepare(load(tmp_path))).plan
    same(as_tuples(scored(plan, tmp_path / "mine.csv")), expected)


@pytest.mark.parametrize(
    "metrics", ["metrics: [nDCG@2, AP]", "metrics: [nDCG@2, AP]\nlists: {file: lists.csv}"]
)
def test_a_report_says_the_same(metrics, challenge, score, monkeypatch):
    folder = challenge(f"truth: truth.csv\n{metrics}\n")
    (folder / "lists.csv").write_text("list,group\nq1,x\nq2,x\nq0,y\n")
    lists = "q1", "q2", *(["q0"] if "lists" in metrics else [])
    rows = "".join(f"{name},{item},{n}\n" for name in lists for n, item in enumerate("abcdef"))
    (folder / "mine.csv").write_text(f"list,item,score\n{rows}")
    words = (folder / "challenge.yaml", folder / "mine.csv", "--format", "json", "--private")
    expected = score(*words)
    held(monkeypatch)
    found = score(*words)
    assert (found.code, found.out, found.err) == (expected.code, expected.out, expected.err)
    assert json.loads(expected.out)["leaderboard"]


def test_a_scorecard_is_kept_with_its_names(challenge, monkeypatch):
    held(monkeypatch)
    folder = challenge("truth: truth.csv\nmetrics: [AP]\n")
    (folder / "mine.csv").write_text("list,item,score\nq1,a,1\nq2,b,1\n")
    card = scored(opened(prepare(load(folder))).plan, folder / "mine.csv").card
    assert isinstance(card.lists, HeldNames)
    assert Scorecard.from_bytes(card.to_bytes()).lists == tuple(card.lists)
