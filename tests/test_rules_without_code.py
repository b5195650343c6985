"""Rules of known challenges that need no plugin: small files, and values worked by hand."""

import json
import math

import numpy as np
import pytest

DEGREE = 6_371_000 * math.pi / 180  # metres
SUBGROUPS = """
  - {id: subgroup_NAME, metric: BalancedAccuracy, where: NAME = 1}
  - {id: bpsn_NAME, metric: BalancedAccuracy, where: "NAME = 1 and y = 0 or NAME = 0 and y = 1"}
  - {id: bnsp_NAME, metric: BalancedAccuracy, where: "NAME = 1 and y = 1 or NAME = 0 and y = 0"}
"""
BIAS = f"""
truth: {{file: truth.csv, columns: {{list: id, label: y, extra: {{male: number, old: number}}}}}}
submission: {{columns: {{list: id, probability: p}}}}
metrics:
  - {{id: bias, score: "0.25*(all + subgroup + bpsn + bnsp)"}}
  - {{id: all, metric: BalancedAccuracy}}
  - {{id: subgroup, score: "power(-5, subgroup_male, subgroup_old)"}}
  - {{id: bpsn, score: "power(-5, bpsn_male, bpsn_old)"}}
  - {{id: bnsp, score: "power(-5, bnsp_male, bnsp_old)"}}
{SUBGROUPS.replace("NAME", "male")}{SUBGROUPS.replace("NAME", "old")}"""
LIKELY = [0.9, 0.2, 0.4, 0.8, 0.7, 0.1, 0.6, 0.3, 0.5, 0.9]
TRUE = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0]
MALE, OLD = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0], [0, 0, 1, 1, 1, 1, 0, 0, 0, 1]


def biased():
    """A quarter of AUC of 0 and 1, and of the power means of three AUCs of groups."""
    true, sure = np.array(TRUE), np.array(LIKELY) >= 0.5

    def auc(rows):
        pairs = [
            (sure[a] > sure[b]) + 0.5 * (sure[a] == sure[b])
            for a in np.flatnonzero(rows & (true == 1))
            for b in np.flatnonzero(rows & (true == 0))
        ]
        return np.mean(pairs)

    sides = [
        [auc(own == 1), auc(own != true), auc(own == true)] for own in map(np.array, (MALE, OLD))
    ]
    return (auc(true >= 0) + np.sum(np.mean(np.power(sides, -5.0), axis=0) ** -0.2)) / 4


def rows(head, *lines):
    return "\n".join([head, *lines]) + "\n"


LAPLACE = [(70, 70), (1000, 100)]  # an error, at most 1000, and a spread, at least 70
CASES = {
    "edits of all sequences over their length": (
        """
truth: {file: truth.csv, columns: {list: id, text: words}}
submission: {columns: {list: id, text: words}}
metrics: ["EditDistance(unit=tokens, over=truth, average=pooled)"]
""",
        {"truth.csv": rows("id,words", "01,1 2 3", "02,4 5")},
        rows("id,words", "01,1 3", "02,4 5 6"),
        2 / 5,
    ),
    "logarithm of the error of each type": (
        """
truth: {file: truth.csv, columns: {list: id, target: y}}
lists: {file: test.csv, columns: {list: id, extra: [type]}}
submission: {columns: {list: id, prediction: y}}
metrics: [{id: log, score: log(mae)}, {id: mae, metric: MAE, average: type, aggregate: geometric}]
""",
        {
            "truth.csv": rows("id,y", "1,1", "2,2", "3,4"),
            "test.csv": rows("id,type", "1,a", "2,a", "3,b"),
        },
        rows("id,y", "1,2", "2,5", "3,12"),
        math.log(4),  # of 2 and 8
    ),
    "precision of labels of all rows, ties at the last": (
        """
truth: {file: truth.csv, columns: {list: id, grade: has}, wide: {item: "*"}}
submission: {columns: {list: id, score: p}, wide: {item: "*"}}
metrics: [LRAP(average=pooled)]
""",
        {"truth.csv": rows("id,a,b,c", "x,1,1,0", "y,0,0,1")},
        rows("id,a,b,c", "x,.9,.5,.5", "y,.1,.2,.3"),
        (1 + 2 / 3 + 1) / 3,
    ),
    "Dice of all pixels": (
        """
truth: {file: truth.csv, columns: {list: id, runs: rle}}
submission: {columns: {list: id, runs: found}, range: [1, 16]}
metrics: [Dice(average=pooled)]
""",
        {"truth.csv": rows("id,rle", "a,1 4", "b,-", "c,1 2")},
        rows("id,found", "a,3 4", "b,-", "c,"),
        2 * 2 / (4 + 4 + 2),
    ),
    "divergence from votes": (
        """
truth: {file: truth.csv, columns: {list: id, probability: [s, t]}}
submission: {columns: {list: id, probability: [s, t]}}
metrics: ["KL(eps=1e-15)"]
""",
        {"truth.csv": rows("id,s,t", "1,3,3", "2,2,0")},
        rows("id,s,t", "1,.5,.5", "2,.25,.75"),
        math.log(4) / 2,
    ),
    "a number with its spread": (
        """
truth: {file: truth.csv, columns: {list: id, target: y}}
submission: {columns: {list: id, prediction: y, extra: {Confidence: number}}}
metrics: [{metric: LaplaceLogLikelihood, spread: Confidence, floor: 70, cap: 1000}]
""",
        {"truth.csv": rows("id,y", "1,2000", "2,2000")},
        rows("id,y,Confidence", "1,2070,10", "2,9000,100"),
        -sum(math.sqrt(2) * error / s + math.log(math.sqrt(2) * s) for error, s in LAPLACE) / 2,
    ),
    "quantiles of distances of each trip": (
        """
truth: {file: truth.csv, columns: {list: trip, item: t, rating: lat, extra: {lon: number}}}
submission: {columns: {list: trip, item: t, prediction: lat, extra: {lon: number}}}
metrics: [{metric: Haversine, longitude: lon, quantiles: [0.5, 0.95]}]
""",
        {"truth.csv": rows("trip,t,lat,lon", "a,1,0,0", "a,2,0,0", "b,1,0,0")},
        rows("trip,t,lat,lon", "a,1,0,0", "a,2,0,1", "b,1,0,-2"),
        ((0.5 + 0.95) / 2 + 2) / 2 * DEGREE,
    ),
    "boxes, of a truth with a row for each": (
        """
truth: {file: truth.csv, columns: {list: id}, each: {class: kind, x: l, y: t, w: w, h: h}}
submission: {columns: {list: id, boxes: found}, each: [class, score, x, y, w, h]}
metrics: ["BoxAP(iou=0.4, rule=voc)"]
""",
        {"truth.csv": rows("id,kind,l,t,w,h", "1,a,0,0,10,10", "2,a,0,0,10,10", "2,b,5,5,1,1")},
        rows("id,found", "1,a .9 0 0 10 5", "2,b .5 5 5 1 1"),
        (1 / 2 + 1) / 2,
    ),
    "bias towards groups": (
        BIAS,
        {
            "truth.csv": rows(
                "id,y,male,old",
                *(",".join(map(str, row)) for row in zip(range(10), TRUE, MALE, OLD, strict=True)),
            )
        },
        rows("id,p", *(f"{n},{p}" for n, p in enumerate(LIKELY))),
        biased(),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule_needs_no_code(challenge, score, name):
    yaml, files, honest, expected = CASES[name]
    short = "\n".join(honest.splitlines()[:-1]) + "\n"
    folder = challenge(yaml, **files, **{"honest.csv": honest, "short.csv": short})
    ran = score(folder, folder / "honest.csv", folder / "short.csv", "--format", "json")
    found = {row["name"]: row for row in json.loads(ran.out)["submissions"]}
    value = next(iter(found["honest"]["values"].values()))["mean"]
    assert value == pytest.approx(expected, rel=1e-12)
    codes = {problem["code"] for problem in found["short"]["problems"]}
    assert not found["short"]["valid"]
    assert codes & {"S301", "S508"}
