"""TREC's ndeval, as pyndeval has it, on seeded random diversity qrels."""

import numpy as np
import pytest

from scorer.challenge.public import Public
from scorer.core.problems import Findings
from scorer.kinds import find_kind
from scorer.kinds.base import SideTables
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.reading.table import make_table
from scorer.views.diverse import Diverse


@pytest.fixture(scope="module")
def pyndeval():
    return pytest.importorskip("pyndeval")


def data():
    """Diversity qrels and a run; some subtopics have no relevant item, some items several."""
    rng = np.random.default_rng(8)
    qrels, run = [], []
    for topic in range(30):
        docs = [f"d{n:02}" for n in rng.permutation(60)[:40]]
        for subtopic in range(1, rng.integers(2, 6)):
            for doc in rng.permutation(docs)[: rng.integers(1, 15)]:
                grade = int(rng.integers(0, 4)) if subtopic < 5 else 0
                qrels.append((str(topic), str(subtopic), str(doc), grade))
        found = [f"d{n:02}" for n in rng.permutation(70)[: rng.integers(1, 50)]]
        scores = rng.permutation(100)[: len(found)] / 8
        run += [(str(topic), doc, float(s)) for doc, s in zip(found, scores, strict=True)]
    return qrels, run


def table(rows, roles, number):
    columns = {role: [row[n] for row in rows] for n, role in enumerate(roles)}
    return make_table({**columns, number: [row[-1] for row in rows]})


def ours(notation, qrels, run):
    made = parse_measure(metrics().get(parse(notation)[0]), notation)
    rows = [(q, d, s, g) for q, s, d, g in qrels]
    topics = dict.fromkeys(q for q, *_ in qrels)
    aids = SideTables(Public("grades", topics), views={Diverse: made.name})
    truth = find_kind("grades").open(
        table(rows, ("list", "item", "subtopic"), "grade"), aids, Findings()
    )
    rows = table(run, ("list", "item"), "score")
    seen = truth.join(rows, "item-desc", frozenset({Diverse}))
    found = made.values(seen.views[Diverse])
    return dict(zip(truth.lists, np.nan_to_num(found).tolist(), strict=True))


NAMES = {
    "ERR-IA@{k}": "ERR_IA(rel={rel})@{k}",
    "nERR-IA@{k}": "nERR_IA(rel={rel})@{k}",
    "alpha-DCG@{k}": "alpha_DCG(alpha={alpha},rel={rel})@{k}",
    "alpha-nDCG@{k}": "alpha_nDCG(alpha={alpha},rel={rel})@{k}",
    "P-IA@{k}": "P_IA(rel={rel})@{k}",
    "strec@{k}": "StRecall(rel={rel})@{k}",
    "NRBP": "NRBP(alpha={alpha},beta={beta},rel={rel})",
    "nNRBP": "nNRBP(alpha={alpha},beta={beta},rel={rel})",
    "MAP-IA": "AP_IA(rel={rel})",
}


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("name", NAMES)
def test_ndeval(pyndeval, name, k, rel):
    """Of ERR-IA and alpha-DCG at 1 see below."""
    qrels, run = data()
    alpha, beta = (0.5, 0.5) if "ERR" in name or rel == 1 else (0.25, 0.75)
    theirs = pyndeval.RelevanceEvaluator(
        qrels, [name.format(k=k)], relevance_level=rel, alpha=alpha, beta=beta
    ).evaluate(run)
    notation = NAMES[name].format(k=k, rel=rel, alpha=alpha, beta=beta)
    found = ours(notation, qrels, run)
    # without a relevant subtopic its nNRBP is 0 / 0, the others 0
    known = {q: float(np.nan_to_num(mine[name.format(k=k)])) for q, mine in theirs.items()}
    assert {q: found[q] for q in known} == pytest.approx(known, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["ERR-IA@{k}", "alpha-DCG@{k}"])
def test_ndeval_does_not_divide_at_1(pyndeval, name):
    qrels, _ = data()
    (found,) = (
        pyndeval.RelevanceEvaluator(qrels, [name.format(k=1)])
        .evaluate([("0", qrels[0][2], 1.0)])
        .values()
    )
    topic = [row for row in qrels if row[0] == "0"]
    subtopics = len({s for _, s, _, g in topic if g >= 1})
    mine = ours(NAMES[name].format(k=1, rel=1, alpha=0.5), topic, [("0", qrels[0][2], 1.0)])
    assert found[name.format(k=1)] == pytest.approx(mine["0"] * subtopics)
