#!/bin/sh
# TREC files -> means, with trec_eval: TRUTH RUN... -> lines of run, measure, mean
truth=$1
shift
for run; do
    trec_eval -c -m ndcg_cut.10 -m map -m recip_rank -m P.10 -m recall.100 "$truth" "$run" |
        awk -v run="$run" 'BEGIN {
            OFS = "\t"; name["ndcg_cut_10"] = "nDCG@10"; name["map"] = "AP"
            name["recip_rank"] = "RR"; name["P_10"] = "P@10"; name["recall_100"] = "R@100"
        } $1 in name {print run, name[$1], $3}'
done
