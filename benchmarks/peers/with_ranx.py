"""TREC files -> means, with ranx: TRUTH RUN... -> lines of run, measure, mean."""

import sys

from ranx import Qrels, Run, evaluate

MEASURES = {
    "nDCG@10": "ndcg@10",
    "AP": "map",
    "RR": "mrr",
    "P@10": "precision@10",
    "R@100": "recall@100",
}

truth, *runs = sys.argv[1:]
qrels = Qrels.from_file(truth, kind="trec")
for path in runs:
    run = Run.from_file(path, kind="trec")
    means = evaluate(qrels, run, list(MEASURES.values()), make_comparable=True)
    for name, theirs in MEASURES.items():
        print(path, name, repr(float(means[theirs])), sep="\t")
