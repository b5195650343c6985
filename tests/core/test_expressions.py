"""Formulas of measures and conditions on columns: what they give, and what they are refused for."""

import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds
from tables import rows

from scorer.core.expressions import ExpressionError, Range, parse_condition, parse_formula

RANGES = {
    "a": Range(0, 1, falls=False),
    "b": Range(0, 1, falls=False),
    "e": Range(0, math.inf, rises=False),  # an error, of which less is better
    "x": Range(-1, 1, falls=False),
}
COLUMNS = {
    "male": ["1", "0", "", "1.0", "True"],
    "age": ["-3", "7", "12", "", "40"],
    "kind": ["a", "b", "a b", "", "1x"],
    "^.*$": ["in", "TRUE", "1e0", " 1", "nan"],
}


def value(text, **names):
    arrays = {name: np.array([float(number)]) for name, number in names.items()}
    return float(parse_formula(text).evaluate(arrays)[0])


@pytest.mark.parametrize(("text", "names", "expected"), rows(__file__, "values"))
def test_values(text, names, expected):
    assert value(text, **names) == pytest.approx(expected, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *rows(__file__, "what_is_no_formula"),
        ("a + " * 1000 + "a", "more than 400"),
        ("a ** 2 " + " " * 100_000 + "'", "character 100008"),
        ("+".join("a" * 201), "more than 400"),
    ],
)
def test_what_is_no_formula(text, message):
    with pytest.raises(ExpressionError, match=".*" + re.escape(message)):
        parse_formula(text)


@pytest.mark.parametrize(("text", "bounds", "moves"), rows(__file__, "bounds_and_directions"))
def test_bounds_and_directions(text, bounds, moves):
    found = parse_formula(text).range(RANGES)
    assert found[:2] == pytest.approx(bounds)
    assert found[2:] == (moves in ("rises", "both"), moves in ("falls", "both"))


FORMULAS = st.recursive(
    st.sampled_from(["a", "b", "e", "x", "0", "2", "0.5"]),
    lambda parts: st.one_of(
        st.tuples(parts, st.sampled_from("+-*/"), parts).map(lambda p: f"({' '.join(p)})"),
        st.tuples(parts, st.sampled_from(["2", "3", "-1", "-2", "0.5"])).map(
            lambda p: f"({p[0]}) ** {p[1]}"
        ),
        st.tuples(parts, parts).map(lambda p: f"max({p[0]}, -{p[1]})"),
        st.tuples(parts, parts).map(lambda p: f"power(-2, {p[0]}, {p[1]})"),
    ),
    max_leaves=6,
)


@rounds(300)
@given(FORMULAS, st.floats(0, 1), st.floats(0, 1), st.floats(0, 9), st.floats(-1, 1), st.data())
def test_values_lie_in_the_range_and_move_as_it_says(text, a, b, e, x, data):
    try:
        formula = parse_formula(text)
    except ExpressionError:
        return
    names = {"a": a, "b": b, "e": e, "x": x}
    found, before = formula.range(RANGES), value(text, **names)
    slack = 1e-9 * (1 + abs(before))
    assert math.isnan(before) or found.low - slack <= before <= found.high + slack
    better = data.draw(st.sampled_from(["a", "b", "e", "x"]))
    limit = 0 if better == "e" else 1
    after = value(text, **names | {better: data.draw(st.floats(*sorted((names[better], limit))))})
    if not math.isnan(before + after):
        assert found.rises or after <= before + slack
        assert found.falls or after >= before - slack


@pytest.mark.parametrize(("text", "rows"), rows(__file__, "rows_that_a_condition_is_true_of"))
def test_rows_that_a_condition_is_true_of(text, rows):
    columns = {name: pl.Series(cells) for name, cells in COLUMNS.items()}
    assert parse_condition(text).mask(columns).tolist() == [row == 1 for row in rows]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *rows(__file__, "what_is_no_condition"),
        ("a = 1 or " * 300 + "a = 1", "more than 400"),
        ("a in (" + "1, " * 50_000 + "!)", "character 5: values in parentheses"),
    ],
)
def test_what_is_no_condition(text, message):
    with pytest.raises(ExpressionError, match=".*" + re.escape(message)):
        parse_condition(text)


def test_a_word_is_not_compared_with_a_number():
    with pytest.raises(ExpressionError, match="kind holds 'a', which is no number to compare"):
        parse_condition("kind > 3").mask({"kind": pl.Series(COLUMNS["kind"])})


@rounds(100)
@given(st.text(st.sampled_from("ab1 '()=<,*/-.é\x00and"), max_size=60) | st.text(max_size=60))
def test_any_text_is_an_expression_or_an_error(text):
    for parse in (parse_formula, parse_condition):
        try:
            found = parse(text)
        except ExpressionError:
            continue
        assert found.names
