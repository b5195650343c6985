"""The part of docs/tables.md about combining says what comes out."""

import re

import pytest
from boards import score
from conftest import ROOT

from scorer.challenge.load import load

PAGE = (ROOT / "docs/tables.md").read_text(encoding="utf-8").partition("\n## Combine ")[2]
TRUTH, LISTS, RUN = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
# nDCG of s1_clicks: 1 of 1 + 1 / log2(3); of s4_orders 1 / log2(3)
HALF, SECOND = 1 / (1 + 0.6309297535714575), 0.6309297535714575
EXPECTED = [
    {"recall": 5 / 7, "mean": 4.5 / 6, "micro F1": 10 / 15},
    {"clicks": 2 / 3, "carts": 1 / 2, "orders": 1, "score": 0.1 * 2 / 3 + 0.3 / 2 + 0.6},
    {
        "forums": ((HALF + 1) / 2 + 1 / 2 + (1 + SECOND) / 2) / 3,
        "tracks": 3 / 4 + 1 / 2 + 1,
        "sizes": 4.5 / 6,
        "worst": (((2 / 3) ** -5 + (1 / 2) ** -5 + 1) / 3) ** (-1 / 5),
    },
    {"gm": (0.5 * 0.00001) ** (1 / 6), "median": 1, "weighted": 8.5 / 10},
    {"app": 2.5 / 3, "heavy": 1, "both": (3 / 4 + 5 / 6) / 2},
    {"forums": ((HALF + 1) / 2 + 1 / 2 + (1 + SECOND) / 2) / 3},
    {"Rprec": (1 / 2 + 1 + 1 + 0 + 1 + 0) / 6, "RR": (1 + 1 + 1 + 0 + 1 + 1 / 2) / 6},
    {"nDCG@10": (HALF + 1 + 1 + 0 + 1 + SECOND) / 6},  # win rates are of several submissions
    {"nDCG@10": (HALF + 1 + 1 + 0 + 1 + SECOND) / 6},
]


@pytest.mark.parametrize("n", range(len(EXPECTED)))
def test_the_values_of_the_page(n, tmp_path):
    assert len(BLOCKS) == len(EXPECTED)
    for name, text in (("truth", TRUTH), ("lists", LISTS), ("run", RUN), ("challenge", BLOCKS[n])):
        suffix = "yaml" if name == "challenge" else "csv"
        (tmp_path / f"{name}.{suffix}").write_text(text)
    report = score(load(tmp_path), [tmp_path / "run.csv"])
    (scored,) = report.submissions
    for key, expected in EXPECTED[n].items():
        assert scored.values[key].mean == pytest.approx(expected, rel=1e-12), key
