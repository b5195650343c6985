"""A rule of a known challenge that needs no plugin; kinds/cases.yaml has others."""

import numpy as np
import pytest

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


FILES = {
    "truth.csv": rows(
        "id,y,male,old",
        *(",".join(map(str, row)) for row in zip(range(10), TRUE, MALE, OLD, strict=True)),
    ),
    "honest.csv": rows("id,p", *(f"{n},{p}" for n, p in enumerate(LIKELY))),
}


def test_the_bias_towards_groups_needs_no_code(challenge, score):
    folder = challenge(BIAS, **FILES)
    found = score(folder, folder / "honest.csv", "--format", "json").means()
    assert found["bias"] == pytest.approx(biased(), rel=1e-12)
