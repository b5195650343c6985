"""Worked examples: tables and sums in which no Python stands, as pages and rules show them."""

import pytest

import scorer
from scorer.api.example import measure_example, metric_example
from scorer.metrics.catalogue import metrics, page_prose
from scorer.metrics.notation import parse_measure

SHOWN = {
    "nDCG": ("nDCG@3", ["rank   item   grade   gain   discount   contribution   running total",
                        "nDCG = DCG / DCG of the best = 1.8928 / 4.7619 = 0.3975"]),
    "P": ("P@3", ["P = found / k = 1 / 3 = 0.3333"]),
    "RMSE": ("RMSE", ["item   target   prediction   error²",
                      "sqrt(sum of error² / rows) = sqrt((0.25 + 1 + 0) / 3) = 0.6455"]),
    "LogLoss": ("LogLoss", ["= sum of -ln(probability) / rows = 0.9163 / 1 = 0.9163"]),
    "EDRC": ("EDRC", ["W(v): the items that are not below v."]),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_is_a_table_and_its_sum(name):
    notation, lines = SHOWN[name]
    metric = metrics().get(name)
    text = measure_example(parse_measure(metric, notation))
    assert [line for line in lines if line not in text] == []
    assert "Not for publication" not in text  # it is of no truth
    assert text.rstrip().split("\n")[-1].startswith(f"{notation} = ")


def test_a_metric_that_no_example_fits_has_none():
    assert metric_example(metrics().get("Serendipity")) == ""


def test_pages_have_no_python(score):
    ran = score("metrics", "F1").assert_exit(0, out="A worked example:")
    for word in (">>>", "import", "HOW[", "array("):
        assert word not in ran.out, word
    assert "Precision and recall in one number" in ran.out


def test_no_metric_tells_python_to_people():
    for metric in metrics():
        prose = page_prose(metric)
        assert ">>>" not in prose, metric.name
        assert prose.split("\n")[0] == metric.page.split("\n")[0]


def test_a_page_is_an_object_whose_text_the_command_prints(score):
    page = scorer.describe_metric("nDCG@10")
    assert page.title == "Normalised discounted cumulative gain"
    assert page.formula[0].startswith("\\frac")
    assert "k" in [parameter.name for parameter in page.parameters]
    assert page.example.rstrip() in page.text.replace("\n    ", "\n")
    assert str(page) == score("metrics", "nDCG@10").out.rstrip("\n")
