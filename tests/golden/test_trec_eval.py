"""trec_eval 9.0.8's own output on its own test collection, full doubles.

SCORER_GOLDEN names the directory that holds trec_eval/trec_eval_v9.0.8.json and
trec_eval/data. The values are trec_eval's, built unchanged but for its printf
format; each case has the arguments that made it.
"""

import json
import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from lists import table

from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.views.join import GradedItems, judge

GOLDEN = os.environ.get("SCORER_GOLDEN")
pytestmark = pytest.mark.skipif(
    not GOLDEN, reason="SCORER_GOLDEN=FOLDER names the folder with trec_eval's values"
)
METRICS = metrics()

# trec_eval's name -> ours; {rel} stands for its -l
NAMES = {
    r"num_q": "NumQ",
    r"num_ret": "NumRet",
    r"num_rel": "NumRel(rel={rel})",
    r"num_rel_ret": "NumRelRet(rel={rel})",
    r"map": "AP(rel={rel})",
    r"map_cut_(\d+)": "AP(rel={rel})@{0}",
    r"Rprec": "Rprec(rel={rel})",
    r"recip_rank": "RR(rel={rel})",
    r"P_(\d+)": "P(rel={rel})@{0}",
    r"recall_(\d+)": "R(rel={rel})@{0}",
    r"success_(\d+)": "Success(rel={rel})@{0}",
    r"bpref": "Bpref(rel={rel})",
    r"infAP": "InfAP(rel={rel})",
    r"ndcg": "nDCG",
    r"ndcg_cut_(\d+)": "nDCG@{0}",
    r"ndcg_([\d.=,]+)": "nDCG(gain={{{0}}})",
    r"set_P": "SetP(rel={rel})",
    r"set_recall": "SetR(rel={rel})",
    r"set_map": "SetAP(rel={rel})",
    r"set_F": "SetF(rel={rel})",
    r"set_F_([\d.]+)": "SetF(rel={rel}, beta={root})",  # theirs is beta squared
    r"set_relative_P": "SetRelP(rel={rel})",
}
# the same sum in another order, so that the last bit may differ
OTHER_FORM = ("set_F", "set_F_0.5")
# see test_num_rel_of_unanswered_lists
MISCOUNTED = ("all_trec_q_l2_c_trunc", "num_rel", "all")
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
CASES = """all_trec_summary official_summary all_trec_q all_trec_q_c_trunc all_trec_q_trunc_no_c
    all_trec_q_c_M100_trunc all_trec_q_M5 all_trec_q_l2 all_trec_q_l1_graded all_trec_q_l3
    all_trec_q_l2_c_trunc all_trec_q_J all_trec_q_N params params_graded_gains"""


@cache
def golden():
    return json.loads((Path(GOLDEN) / "trec_eval" / "trec_eval_v9.0.8.json").read_text())["cases"]


@cache
def rows(name):
    text = (Path(GOLDEN) / "trec_eval" / "data" / name).read_text()
    return [line.split() for line in text.splitlines()]


def judged(qrels, results, deepest=None, complete=False):
    """The collection seen through our judging, and the names of the lists that count."""
    truth = [(query, item, float(grade)) for query, _, item, grade in rows(qrels)]
    found = [(r[0], r[2], float(np.float32(r[4]))) for r in rows(results)]  # as trec_eval holds it
    if deepest:
        best = sorted(found, key=lambda row: (row[2], row[1]), reverse=True)
        seen = {
            query: [r for r in best if r[0] == query][:deepest] for query in {r[0] for r in best}
        }
        found = [row for mine in seen.values() for row in mine]
    answered = {row[0] for row in found}
    if not complete:
        truth = [row for row in truth if row[0] in answered]
    truth = GradedItems.of(table(truth, "grade").frame)
    view, _ = judge(table(found, "score"), truth)
    return view


def option(arguments, letter, default):
    """The value behind -l, -M: `-l2` or `-l 2`."""
    for word in arguments:
        if match := re.fullmatch(rf"-{letter}(\d+)", word):
            return int(match[1])
    return default


def ours(name, rel):
    """Our notation for trec_eval's name, None where we have no such metric."""
    for pattern, notation in NAMES.items():
        if match := re.fullmatch(pattern, name):
            inside = [part.replace("=", ":") for part in match.groups()]
            root = float(inside[0]) ** 0.5 if "root" in notation else None
            return notation.format(*inside, rel=rel, root=root)
    return None


def values(notation, view):
    made = parse_measure(METRICS.get(parse(notation).name), notation)
    return np.nan_to_num(made.values(view))  # undefined is 0 to trec_eval


@pytest.mark.parametrize("case", CASES.split())
def test_trec_eval(case):
    arguments = golden()[case]["args"]
    view = judged(*arguments[-2:], deepest=option(arguments, "M", None), complete="-c" in arguments)
    if "-J" in arguments:
        view = view.only_judged()
    compared = 0
    for name, by_query in golden()[case]["full"].items():
        notation = ours(name, option(arguments, "l", 1))
        if notation is None:
            continue
        found = values(notation, view)
        mine = dict(zip(view.names, found.tolist(), strict=True))
        total = sum(mine.values())
        mine["all"] = total if name in COUNTS else total / len(found)
        for query, theirs in by_query.items():
            if (case, name, query) == MISCOUNTED:
                continue
            if name in OTHER_FORM:
                assert mine[query] == pytest.approx(theirs, rel=1e-12), (name, query)
            else:
                assert mine[query] == theirs, (name, query)  # to the bit
            compared += 1
    assert compared >= {"params": 40, "params_graded_gains": 12, "official_summary": 14}.get(
        case, 40
    )


def test_judged_only_is_minus_j():
    theirs = golden()["all_trec_q_J"]["full"]
    view = judged("qrels.test", "results.test")
    for name, notation in {
        "map": "AP(judged_only=True)",
        "P_20": "P(judged_only=True)@20",
        "recall_30": "R(judged_only=True)@30",
        "recip_rank": "RR(judged_only=True)",
        "Rprec": "Rprec(judged_only=True)",
        "ndcg_cut_10": "nDCG(judged_only=True)@10",
        "set_P": "SetP(judged_only=True)",
        "set_map": "SetAP(judged_only=True)",
        "success_10": "Success(judged_only=True)@10",
    }.items():
        assert values(notation, view).tolist() == [theirs[name][q] for q in view.names], name


def test_interpolated_precision_differs_where_trec_eval_misrounds():
    """It takes int(level * R + .9) in floats: of .3 * 77 = 23.1 it asks for 23, not 24."""
    theirs = golden()["all_trec_q"]["full"]
    view = judged("qrels.test", "results.test")
    differ = {}
    for tenth in range(11):
        found = values(f"IPrec@{tenth / 10}", view)
        named = theirs[f"iprec_at_recall_{tenth / 10:.2f}"]
        for query, wanted, value in zip(view.names, values("NumRel", view), found, strict=True):
            exact = -(-tenth * int(wanted) // 10)
            if int(tenth / 10 * wanted + 0.9) == exact:
                assert value == named[query], (tenth, query)
            else:
                differ[query, tenth] = (value, named[query])
    assert differ == {("302", 3): (24 / 34, 23 / 31)}


def test_negative_grades_do_not_count():
    """qrels.rel_level says -1, pooled but not judged, of 304 items; the cases above hold them."""
    view = judged("qrels.rel_level", "results.test")
    assert (view.ideal.grade < 0).sum() == 304
    assert (view.hits.grade < 0).any()


def test_num_rel_of_unanswered_lists():
    """Summing up with -c, trec_eval counts grades from 1 whatever -l says; we count from 2."""
    theirs = golden()["all_trec_q_l2_c_trunc"]["full"]["num_rel"]
    view = judged("qrels.rel_level", "results.trunc", complete=True)
    assert theirs["all"] == values("NumRel(rel=1)", view).sum() == 559
    assert values("NumRel(rel=2)", view).sum() == 97
