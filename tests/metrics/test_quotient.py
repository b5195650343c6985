"""A quotient is the value of each list, the statistics of all, and the steps of an explanation."""

from dataclasses import replace

import numpy as np
import pytest

from scorer.metrics.base import metrics
from scorer.metrics.explain.steps import Formula, Grid, NamedItems, Sentence
from scorer.metrics.explain.tables import Listing
from scorer.metrics.explain.worked import of_row, worked
from scorer.metrics.quotient import Quotient, Rowwise, found, total
from scorer.views.hits import Judged
from scorer.views.labelled import targets
from scorer.views.names import Names
from scorer.views.pooled import Statistics

JUDGED = Judged.of((["a", "x", "b"], {"a": 2, "b": 1, "c": 1}))
NAMES = Names(("a", "b", "c"), ("a", "x", "b"), np.arange(3), np.ones(3, dtype=np.int64))
LISTING = Listing(JUDGED, NAMES)


def steps(quotient, value=None, **params):
    return [*worked("Own", LISTING, quotient, float(quotient.values[0]), params)]


def test_values_and_statistics():
    made = Quotient(np.array([1.0, 3.0, 0.0]), np.array([2.0, 4.0, 0.0]), "found / R")
    assert np.array_equal(made.values, [0.5, 0.75, np.nan], equal_nan=True)
    assert made.settled("lists").tolist()[:2] == [0.5, 0.75]
    assert isinstance(made.settled("pooled"), Statistics)
    assert made.settled("pooled").share() == 4 / 6


def test_one_number_is_the_whole_of_all_lists():
    assert Quotient(np.array([1.0, 3.0]), 4, "found / k").values.tolist() == [0.25, 0.75]
    assert Quotient(np.array([1.0, 3.0]), None, "found").values.tolist() == [1, 3]
    root = Quotient(np.array([9.0]), 1, "sqrt", then=np.sqrt)
    assert root.values.tolist() == [3]


def test_steps_of_a_quotient():
    quotient = Quotient(
        np.array([2.0]), np.array([3.0]), "found / R", found(JUDGED.hits, 1), relevant=1,
        notes=lambda: ["A note."],
    )  # fmt: skip
    relevant, note, table, formula = steps(quotient)
    assert relevant == NamedItems("relevant (grade 1 or more), R = 3", ("a", "b", "c"))
    assert note == Sentence("A note.")
    assert isinstance(table, Grid)
    assert table.rows == ((1, "a", 2.0, 1.0), (2, "x", None, None), (3, "b", 1.0, 1.0))
    assert formula == Formula("Own", "found / R", "{} / {}", (2.0, 3.0), 2 / 3)


@pytest.mark.parametrize(
    ("k", "rows", "parts"), [(None, 3, (2.0, 1.0)), (3, 3, (2.0, 1.0)), (1, 1, (2.0,))]
)
def test_steps_of_a_sum_end_at_the_cut_off(k, rows, parts):
    hits = JUDGED.hits
    table, formula = steps(
        total(hits, hits.grade * hits.within(k), "sum of grades", lambda: {"gain": hits.grade}), k=k
    )
    assert table.columns == ("rank", "item", "grade", "gain", "running total")
    assert len(table.rows) == rows
    assert formula.parts == parts


def test_an_undefined_value_is_said_in_a_sentence():
    quotient = Quotient(np.zeros(1), np.zeros(1), "found / R", undefined="Nothing is relevant")
    assert steps(quotient) == [Sentence("Nothing is relevant, so Own is undefined.")]


def test_a_table_is_made_for_explanations_alone():
    def table():
        raise AssertionError("it was called")

    made = Quotient(np.ones(1), 2, "found / k", table)
    assert made.values.tolist() == [0.5]
    with pytest.raises(AssertionError, match="it was called"):
        steps(made)


def test_a_metric_gives_plain_values():
    found = metrics().get("P").values(JUDGED, k=2)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [0.5]


@pytest.mark.parametrize(
    ("weight", "columns", "row", "name"),
    [
        (None, ("target", "prediction", "error"), (5.0, 7.0, 2.0), "Own, of all rows"),
        (
            np.array([1.0, 3.0]), ("target", "prediction", "error", "weight"),
            (5.0, 7.0, 2.0, 3.0), "Own, of all rows; the mean of the rows by weight",
        ),
    ],
)  # fmt: skip
def test_steps_of_a_row(weight, columns, row, name):
    view = replace(targets([3, 5], [4, 7]), weight=weight).single(1)
    rowwise = Rowwise(view.mean(view.error), lambda: {"error": np.abs(view.error)})
    table, formula = of_row("Own", view, rowwise, 0.5)
    assert (table.columns, table.rows) == (columns, (row,))
    assert formula == Formula(name, "", "{}", (0.5,), 0.5)


def test_a_row_names_its_formula():
    view = targets([3, 5], [4, 7]).single(0)
    _, formula = of_row("Own", view, Rowwise(view.mean(view.error), says="{} = error"), 1)
    assert formula.name == "Own = error"
