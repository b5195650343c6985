"""Other scorers, live, on seeded random data with ties, missing lists, graded and negative grades.

Scores are eighths, which a float32 holds exactly: pytrec_eval keeps no more.
"""

import warnings

import numpy as np
import pytest
from lists import meet
from peer_data import METRICS, data, differences, ours

from scorer.metrics.notation import parse, parse_measure


@pytest.fixture(scope="module")
def pytrec_eval():
    return pytest.importorskip("pytrec_eval")


@pytest.fixture(scope="module")
def ir_measures():
    peer = pytest.importorskip("ir_measures")
    try:
        peer.parse_measure("AP(rel=2)")
    except AttributeError as error:  # its parser asks for ast.Num, which Python 3.14 has no more
        pytest.skip(f"ir_measures does not run under this Python: {error}")
    return peer


# pytrec_eval


@pytest.mark.parametrize("lowest", [0, -2])
@pytest.mark.parametrize("rel", [1, 3])
def test_pytrec_eval(pytrec_eval, lowest, rel):
    truth, run = data(lowest)
    names = {
        "map": f"AP(rel={rel})",
        "map_cut_5": f"AP(rel={rel})@5",
        "recip_rank": f"RR(rel={rel})",
        "Rprec": f"Rprec(rel={rel})",
        "P_5": f"P(rel={rel})@5",
        "recall_20": f"R(rel={rel})@20",
        "success_5": f"Success(rel={rel})@5",
        "bpref": f"Bpref(rel={rel})",
        "infAP": f"InfAP(rel={rel})",
        "ndcg": "nDCG",
        "ndcg_cut_10": "nDCG@10",
        "set_P": f"SetP(rel={rel})",
        "set_recall": f"SetR(rel={rel})",
        "set_map": f"SetAP(rel={rel})",
        "set_F": f"SetF(rel={rel})",
        "set_relative_P": f"SetRelP(rel={rel})",
        "num_ret": "NumRet",
        "num_rel_ret": f"NumRelRet(rel={rel})",
    }
    asked = {name.rpartition("_")[0] if name[-1].isdigit() else name for name in names}
    found = pytrec_eval.RelevanceEvaluator(truth, asked, relevance_level=rel).evaluate(run)
    for name, notation in names.items():
        theirs = {query: by_name[name] for query, by_name in found.items()}
        assert not differences(ours(notation, truth, run), theirs), name


def test_pytrec_eval_judged_only(pytrec_eval):
    truth, run = data(-2)
    names = {"map": "AP", "P_5": "P@5", "ndcg_cut_10": "nDCG@10", "Rprec": "Rprec", "set_P": "SetP"}
    found = pytrec_eval.RelevanceEvaluator(
        truth, {"map", "P", "ndcg_cut", "Rprec", "set_P"}, judged_docs_only_flag=True
    ).evaluate(run)
    for name, plain in names.items():
        metric, _, k = plain.partition("@")
        notation = f"{metric}(judged_only=True)" + (f"@{k}" if k else "")
        theirs = {query: by_name[name] for query, by_name in found.items()}
        assert not differences(ours(notation, truth, run), theirs), name


def test_trec_evals_f_takes_beta_squared(pytrec_eval):
    truth, run = data()
    found = pytrec_eval.RelevanceEvaluator(truth, {"set_F_4.0"}).evaluate(run)
    theirs = {query: by_name["set_F"] for query, by_name in found.items()}
    assert not differences(ours("SetF(beta=2)", truth, run), theirs)
    # precision 1/2, recall 1/4: 5 P R / (4 P + R) to it, 17 P R / (16 P + R) to us
    truth, run = {"q": dict.fromkeys("abcd", 1)}, {"q": {"a": 2.0, "x": 1.0}}
    (found,) = pytrec_eval.RelevanceEvaluator(truth, {"set_F_4.0"}).evaluate(run).values()
    assert found["set_F"] == pytest.approx(5 / 18)
    assert ours("SetF(beta=4)", truth, run)["q"] == pytest.approx(17 / 66)


def test_trec_evals_interpolated_precision_asks_for_too_few(pytrec_eval):
    truth, run = data()
    found = pytrec_eval.RelevanceEvaluator(truth, {"iprec_at_recall"}).evaluate(run)
    for level in ("0.00", "0.50", "1.00"):  # which its rounding does not hurt
        theirs = {query: by_name[f"iprec_at_recall_{level}"] for query, by_name in found.items()}
        assert not differences(ours(f"IPrec@{level}", truth, run), theirs), level
    # a recall of .3 among 77 is 23.1 items, so 24; trec_eval's float makes it 23
    items = [f"{n:02}" for n in range(77)]
    truth = {"q": dict.fromkeys(items, 1)}
    run = {"q": {item: 100.0 - n for n, item in enumerate(items[:23])}}
    (found,) = pytrec_eval.RelevanceEvaluator(truth, {"iprec_at_recall"}).evaluate(run).values()
    assert found["iprec_at_recall_0.30"] == 1
    assert ours("IPrec@0.3", truth, run)["q"] == 0


# ir_measures


def calculated(ir_measures, notation, truth, run):
    qrels = [ir_measures.Qrel(q, d, g) for q, mine in truth.items() for d, g in mine.items()]
    docs = [ir_measures.ScoredDoc(q, d, s) for q, mine in run.items() for d, s in mine.items()]
    made = ir_measures.iter_calc([ir_measures.parse_measure(notation)], qrels, docs)
    return {metric.query_id: metric.value for metric in made if metric.query_id in run}


STRINGS = """
    AP AP@10 AP(rel=2)@100 MAP AP(judged_only=True) RR MRR(rel=2) P@5 P(rel=2)@3
    P(judged_only=True)@5 Precision@10 R@10 R(judged_only=True)@5 Recall@5
    Rprec RPrec(rel=2) Rprec(judged_only=True) nDCG nDCG@10 NDCG@3 nDCG(judged_only=True)@5
    nDCG(gains={1:5,2:3,4:1})@10 nDCG(dcg='log2')@5 Bpref BPref(rel=2) infAP infAP(rel=2)
    SetP SetP(rel=2) SetP(relative=True) SetRelP SetP(judged_only=True) SetR SetR(rel=2)
    SetF SetF(rel=2) SetF(judged_only=True) SetAP SetAP(rel=2) Success@3 Success(rel=2)@1
    Success(judged_only=True)@1 NumRet NumRelRet NumRet(rel=2) NumQ IPrec@0.5 Judged@10
    Judged@3
"""


@pytest.mark.parametrize("notation", STRINGS.split())
def test_ir_measures_strings_mean_the_same(ir_measures, notation):
    truth, run = data(-1)
    if notation.startswith("Judged"):  # it breaks ties by item id ascending
        found = ours(notation, truth, run, "item-asc")
    else:
        found = ours(notation, truth, run)
    assert not differences(found, calculated(ir_measures, notation, truth, run))


@pytest.mark.parametrize(
    ("notation", "mine"),
    [
        ("ERR@20", "ERR(max_grade=4)@20"),
        ("ERR@3", "ERR(max_grade=4)@3"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
    ],
)
def test_gdeval(ir_measures, notation, mine):
    if not any(
        p.NAME == "gdeval" and p.is_available() for p in ir_measures.providers.registry.values()
    ):
        pytest.skip("gdeval needs perl")
    truth, run = data(-1)
    theirs = calculated(ir_measures, notation, truth, run)
    assert not differences(ours(mine, truth, run), theirs, 0.0000051)  # it prints five decimals


def test_rank_biased_precision_on_grades(ir_measures):
    """Without a `rel`, ir_measures' RBP and ranx' add up grades; here is what that gives."""
    parameters = ir_measures.RBP.SUPPORTED_PARAMS
    assert parameters["p"].default == 0.8
    assert "graded" in parameters["rel"].desc
    truth, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    graded = (1 - 0.8) * (2 + 1 * 0.8**2)
    assert graded == pytest.approx(0.528)
    assert ours("RBP(p=0.8)", truth, run)["q"] == pytest.approx(0.2 * (1 + 0.8**2))  # .328


CWL = """
    INST(max_rel=4) INST(T=3.0,max_rel=4) INST(max_rel=2) INSQ(max_rel=4) INSQ(T=2.0,max_rel=4)
    BPM(max_rel=4)@10 BPM(T=2.0,max_rel=4)@20 SDCG(max_rel=4)@10 NERR8(max_rel=4)@10
    NERR9(max_rel=4)@10 NERR10(max_rel=4) NERR10(p=0.8,max_rel=4) NERR11(max_rel=4)
    NERR11(T=2.0,max_rel=4,min_rel=1)
"""


@pytest.mark.parametrize("notation", CWL.split())
def test_cwl_eval(ir_measures, notation):
    """By way of ir_measures, which leaves equal scores in the order of the run."""
    pytest.importorskip("cwl")
    truth, run = data(-1)
    found = ours(notation, truth, run, "file")
    assert not differences(found, calculated(ir_measures, notation, truth, run))


@pytest.mark.parametrize("notation", ["Compat", "Compat(p=0.5)", "Compat(normalize=False)"])
def test_compatibility(ir_measures, notation):
    """ir_measures puts equal scores in ascending order of their items."""
    truth, run = data(-1)
    run = {q: {item: score + 1 for item, score in mine.items()} for q, mine in run.items()}
    theirs = calculated(ir_measures, notation, truth, run)
    found = {q: v for q, v in ours(notation, truth, run, "item-asc").items() if q in theirs}
    assert not differences(found, theirs)


def test_compatibility_of_negative_scores_differs(ir_measures):
    """There an item that was not returned has score 0, and comes before returned ones below."""
    truth, run = {"q": {"a": 1, "b": 1}}, {"q": {"x": -1.0, "b": -2.0}}
    (theirs,) = calculated(ir_measures, "Compat(p=0.5)", truth, run).values()
    assert theirs == pytest.approx((1 / 2 * 1 / 2) / (1 + 1 / 2))  # ideal a, b
    (found,) = ours("Compat(p=0.5)", truth, run).values()
    assert found == pytest.approx((1 / 2 * 1 / 2) / (1 + 1 / 2))  # ideal b, a: as much at depth 2
    run = {"q": {"b": -2.0, "x": -3.0}}
    (theirs,) = calculated(ir_measures, "Compat(p=0.5)", truth, run).values()
    (found,) = ours("Compat(p=0.5)", truth, run).values()
    assert theirs == pytest.approx((1 / 2 * 1 / 2) / (1 + 1 / 2))  # ideal a, b
    assert found == pytest.approx((1 + 1 / 2 * 1 / 2) / (1 + 1 / 2))  # ideal b, a


def test_rank_biased_overlap():
    """The package rbo, whose lists have no ties."""
    peer = pytest.importorskip("rbo")
    rng = np.random.default_rng(3)
    items = [f"{n:02}" for n in range(30)]
    for size, returned in ((30, 30), (10, 25), (25, 10), (1, 20), (7, 7)):
        best = rng.permutation(items)[:size].tolist()
        mine = rng.permutation(items)[:returned].tolist()
        truth = {"q": {item: float(size - n) for n, item in enumerate(best)}}
        run = {"q": {item: float(returned - n) for n, item in enumerate(mine)}}
        for p in (0.5, 0.9):
            theirs = peer.RankingSimilarity(best, mine).rbo_ext(p=p)
            assert ours(f"RBO(p={p})", truth, run)["q"] == pytest.approx(theirs, abs=1e-9)


# scikit-learn and scipy


@pytest.fixture(scope="module")
def complete():
    """Lists that rank every item there is, with ties; scikit-learn knows no other."""
    rng = np.random.default_rng(4)
    grades, scores = rng.integers(0, 4, (30, 20)), rng.integers(0, 12, (30, 20))
    grades[:, 0], grades[:, 1] = 3, 0
    items = [f"{n:02}" for n in range(20)]
    lists = [
        (
            [[x for x, s in zip(items, row, strict=True) if s == at] for at in range(12, -1, -1)],
            dict(zip(items, map(float, mine), strict=True)),
        )
        for mine, row in zip(grades, scores, strict=True)
    ]
    lists = [([group for group in groups if group], truth) for groups, truth in lists]
    return lists, grades, scores


def expected(notation, lists):
    made = parse_measure(METRICS.get(parse(notation)[0]), notation)
    return made.values(meet(lists, "expected"))


@pytest.mark.parametrize("k", [None, 1, 3, 10])
def test_scikit_learns_dcg_is_ours_with_expected_ties(complete, k):
    sklearn = pytest.importorskip("sklearn.metrics")
    lists, grades, scores = complete
    at = f"@{k}" if k else ""
    for name, function in (("DCG", sklearn.dcg_score), ("nDCG", sklearn.ndcg_score)):
        theirs = [function([g], [s], k=k) for g, s in zip(grades, scores, strict=True)]
        assert expected(name + at, lists) == pytest.approx(theirs, rel=1e-12)


def test_scikit_learns_auc_is_ours_of_all_pairs(complete):
    sklearn = pytest.importorskip("sklearn.metrics")
    lists, grades, scores = complete
    theirs = [sklearn.roc_auc_score(g >= 2, s) for g, s in zip(grades, scores, strict=True)]
    found = expected("AUC(pairs=all, rel=2, catalogue=20)", lists)
    assert found == pytest.approx(theirs, rel=1e-12)


def test_scikit_learns_average_precision_without_ties(complete):
    sklearn = pytest.importorskip("sklearn.metrics")
    _, grades, scores = complete
    items = [f"{n:02}" for n in range(20)]
    for mine, row in zip(grades, scores, strict=True):
        order = np.argsort(-row, kind="stable")
        run = {"q": {items[item]: 20.0 - rank for rank, item in enumerate(order)}}
        truth = {"q": dict(zip(items, map(float, mine), strict=True))}
        theirs = sklearn.average_precision_score(mine >= 1, [run["q"][item] for item in items])
        assert ours("AP", truth, run)["q"] == pytest.approx(theirs, rel=1e-12)


def test_scipys_correlations(complete):
    from scipy import stats

    lists, grades, scores = complete
    for notation, function in (("Tau", stats.kendalltau), ("Rho", stats.spearmanr)):
        theirs = [function(g, s).statistic for g, s in zip(grades, scores, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert expected(notation, lists) == pytest.approx(theirs, rel=1e-12, abs=1e-12)
