"""TREC files -> means, with pytrec_eval: TRUTH RUN... -> lines of run, measure, mean."""

import sys

import pytrec_eval

MEASURES = {
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "RR": "recip_rank",
    "P@10": "P_10",
    "R@100": "recall_100",
}

truth, *runs = sys.argv[1:]
with open(truth) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(
    qrels, {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100"}
)
for path in runs:
    with open(path) as file:
        values = evaluator.evaluate(pytrec_eval.parse_run(file))
    for name, theirs in MEASURES.items():
        # as trec_eval -c: a judged list without an answer counts 0
        mean = sum(value[theirs] for value in values.values()) / len(qrels)
        print(path, name, repr(float(mean)), sep="\t")
