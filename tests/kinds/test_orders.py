"""A truth without grades is an order where all measures compare orders."""

import json

import pytest

CELLS = {"truth.csv": "id,order\nn1,a b c d\nn2,x y\n", "sub.csv": "id,order\nn1,a c b d\nn2,y x\n"}
ROWS = {
    "truth.csv": "id,order\nn1,a\nn2,x\nn1,b\nn1,c\nn2,y\nn1,d\n",
    "sub.csv": "id,order\nn1,a\nn1,c\nn1,b\nn1,d\nn2,y\nn2,x\n",
}
YAML = """
truth: {{file: truth.csv, columns: {{list: id, item: order}}{cells}}}
submission: {{columns: {{list: id, item: order}}{cells}}}
undefined: skip
metrics: [{metrics}]
"""


@pytest.mark.parametrize(
    ("files", "metrics", "wanted"),
    [
        (CELLS, "Tau(average=pooled)", (4 - 1) / (6 + 1)),
        (ROWS, "Tau(average=pooled)", (4 - 1) / (6 + 1)),
        (CELLS, "'1 - (1 - Tau) / 2'", None),
        (ROWS, "Tau", (4 / 6 - 1) / 2),
        (CELLS, "Rho, Tau", (1 - 6 * 2 / 60 - 1) / 2),
        (ROWS, "Tau, nDCG", None),  # of which one tells grades apart
    ],
    ids=["cells", "scattered rows", "a formula", "by lists", "two orders", "beside gains"],
)
def test_orders_as_truth(challenge, score, files, metrics, wanted):
    cells = ', cells: {item: " "}' if files is CELLS else ""
    if "'" in metrics:
        metrics, wanted = f"{{id: half, score: {metrics}}}, Tau", 1 - (1 - (4 / 6 - 1) / 2) / 2
    folder = challenge(YAML.format(cells=cells, metrics=metrics), **files)
    ran = score(folder, folder / "sub.csv", "--format", "json")
    (found,) = json.loads(ran.out)["submissions"]
    value = next(iter(found["values"].values()))["mean"]
    assert value == (pytest.approx(wanted) if wanted is not None else None)
