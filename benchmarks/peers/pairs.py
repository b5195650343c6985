"""RPP of every two runs, pair by pair in plain Python: TRUTH RUN... -> lines of run, run, mean.

The definition is that of `score metrics` for RPP: for each grade above 0 that a list's truth
uses, the share of the j for which the j-th item of at least that grade comes sooner in the
first run, less the share for which it comes later; their mean, weighted by the number of items.
Each run's positions are worked out once, not once a pair.
"""

import math
import sys
from collections import defaultdict
from itertools import combinations


def read_qrels(path):
    """List -> item -> grade."""
    truth = defaultdict(dict)
    with open(path) as file:
        for line in file:
            topic, _, item, grade = line.split()
            truth[topic][item] = int(grade)
    return truth


def read_run(path):
    """List -> item -> rank; by score, equal ones as trec_eval: the later id first."""
    rows = defaultdict(list)
    with open(path) as file:
        for line in file:
            topic, _, item, _, score, _ = line.split()
            rows[topic].append((float(score), item))
    return {
        topic: {item: rank for rank, (_, item) in enumerate(sorted(found, reverse=True), 1)}
        for topic, found in rows.items()
    }


def positions(ranks, grades):
    """For each grade above 0: where the items of at least that grade stand, in order."""
    return [
        sorted(ranks.get(item, math.inf) for item, grade in grades.items() if grade >= least)
        for least in sorted({grade for grade in grades.values() if grade > 0})
    ]


def rpp(mine, theirs):
    """The preference of one list, from the positions of two runs."""
    total = weight = 0
    for x, y in zip(mine, theirs, strict=True):
        # the mean of the signs times their number is their sum
        total += sum((a < b) - (a > b) for a, b in zip(x, y, strict=True))
        weight += len(x)
    return total / weight


def main():
    path, *paths = sys.argv[1:]
    truth = read_qrels(path)
    topics = [topic for topic, grades in truth.items() if max(grades.values()) > 0]
    found = {}
    for path in paths:
        run = read_run(path)
        found[path] = {topic: positions(run.get(topic, {}), truth[topic]) for topic in topics}
    for a, b in combinations(paths, 2):
        mean = sum(rpp(found[a][topic], found[b][topic]) for topic in topics) / len(topics)
        print(a, b, repr(mean), sep="\t")


if __name__ == "__main__":
    main()
