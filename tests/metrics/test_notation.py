"""Notation of measures: trec_eval's names."""

import pytest
from tables import rows

from scorer.core.errors import ScorerError
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure


@pytest.mark.parametrize(("theirs", "ours"), rows(__file__, "trec_evals_names"))
def test_trec_evals_names(theirs, ours):
    assert parse_measure(metrics().get(parse(theirs)[0]), theirs).name == ours


@pytest.mark.parametrize("notation", ["P_0", "P_05", "ndcg_cut_10_20", "ndcg_cut_1.5", "P_5@3"])
def test_what_is_no_name_of_trec_evals(notation):
    with pytest.raises(ScorerError):
        parse_measure(metrics().get(parse(notation)[0]), notation)


@pytest.mark.slow("runs the command several times")
def test_trec_evals_names_stand_wherever_a_measure_is_named(challenge, tmp_path, score):
    folder = challenge(
        "truth: truth.csv\nmetrics: [map, {metric: ndcg_cut, k: 5}, recip_rank]\n"
        "leaderboard: {tie_break: [ndcg_cut_5]}\n"
        "examples: [{submission: a.csv, expect: {map: 0.5}}]\n",
        **{"truth.csv": "list,item\nq,b\n", "a.csv": "list,item\nq,a\nq,b\n"},
    )
    ran = score(folder, folder / "a.csv", "--fail-under", "ndcg_cut_5=0.1", "--format", "csv")
    assert ran.code == 0
    assert {"AP", "nDCG@5", "RR"} <= set(ran.out.splitlines()[0].split(","))
    ran = score(folder, folder / "a.csv", "-m", "P_2", "-m", "recall_2", "--format", "csv")
    assert {"P@2", "R@2"} <= set(ran.out.splitlines()[0].split(","))
    assert "map = 0.5 holds" in score("lint", folder, "--all").out
    assert score("metrics", "ndcg_cut_10").out == score("metrics", "nDCG@10").out
    assert score("explain", folder, folder / "a.csv", "--list", "q", "-m", "P_2").code == 0
