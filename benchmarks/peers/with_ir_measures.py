"""TREC files -> means, with ir_measures: TRUTH RUN... -> lines of run, measure, mean."""

import sys

import ir_measures
from ir_measures import AP, RR, P, R, nDCG

truth, *runs = sys.argv[1:]
evaluator = ir_measures.evaluator(
    [nDCG @ 10, AP, RR, P @ 10, R @ 100], ir_measures.read_trec_qrels(truth)
)
for path in runs:
    means = evaluator.calc_aggregate(ir_measures.read_trec_run(path))
    for measure, mean in means.items():
        print(path, measure, repr(float(mean)), sep="\t")
