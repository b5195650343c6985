"""Formulas of measures and conditions on columns: what they give, and what they are refused for."""

import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

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


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("0.1*a + 0.3*b + .6*c", {"a": 1, "b": 2, "c": 3}, 0.1 + 0.6 + 1.8),
        ("a - b - c", {"a": 1, "b": 2, "c": 4}, -5),
        ("a / b / c", {"a": 8, "b": 2, "c": 4}, 1),
        ("2 * (a + b)", {"a": 1, "b": 2}, 6),
        ("-a * -+2", {"a": 3}, 6),
        ("- - a", {"a": 3}, 3),
        ("1e-1*a + 01", {"a": 1}, 1.1),
        ("'nDCG@10' + 'b c'", {"nDCG@10": 1, "b c": 2}, 3),
        ("2*nDCG@10*lambda", {"nDCG@10": 1, "lambda": 3}, 6),
        ("min + log", {"min": 4, "log": 1}, 5),
        (" a\n+\tb ", {"a": 1, "b": 2}, 3),
        ("-a ** 2", {"a": 3}, -9),
        ("2 * a ** -0.5", {"a": 4}, 1),
        ("(a - 5) ** 3", {"a": 3}, -8),
        ("min(a, b, 2) + max(a, b)", {"a": 3, "b": 5}, 7),
        ("sqrt(a) + log(b) + exp(c)", {"a": 4, "b": 1, "c": 0}, 3),
        ("round(a, 1) + round(b)", {"a": 0.26, "b": 2.4}, 2.3),
        ("mean(a, b, 1) + sum(a, b)", {"a": 2, "b": 3}, 7),
        ("median(a, b, c) + geometric(a, b)", {"a": 1, "b": 4, "c": 9}, 6),
        ("power(-1, a, b)", {"a": 1, "b": 0.5}, 2 / 3),
        ("power(-5, a, b)", {"a": 1, "b": 0}, 0),
        ("quantile(0.25, a, b)", {"a": 1, "b": 2}, 1.25),
        ("a / b", {"a": 1, "b": 0}, math.nan),
        ("a + b", {"a": math.nan, "b": 1}, math.nan),
        ("max(a, b)", {"a": math.nan, "b": 1}, math.nan),
        ("sqrt(a)", {"a": -1}, math.nan),
        ("log(a)", {"a": 0}, math.nan),
        ("exp(a)", {"a": 1000}, math.nan),
        ("a ** 0.5", {"a": -1}, math.nan),
        ("power(2, a, b)", {"a": -1, "b": 1}, math.nan),
    ],
)
def test_values(text, names, expected):
    assert value(text, **names) == pytest.approx(expected, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  ", "empty"),
        ("1 + 2", "names no measure"),
        ("a +", "ends where"),
        ("(a", "ends where"),
        ("a)", "character 2: ')'"),
        ("(a b)", "character 4: 'b'"),
        ("a, b", "character 2: ','"),
        ("max(*a)", "character 5: '*'"),
        ("a ** b", "an exponent is a number between -100 and 100"),
        ("a ** 200 ** 2", "an exponent is a number between -100 and 100"),
        ("a ^ 2", "character 3: '^' begins no part of a formula"),
        ("a ^ 2", "write such as 0.3*a + 0.7*min(b, c ** 2)"),
        ("'a", "character 1"),
        ("a / (1 - 1)", "divides by 0"),
        ("__import__('os')", "'__import__' is no function here"),
        ("a('b')(c)", "'a' is no function here"),
        ("Max(a, b)", "'Max' is no function here"),
        ("max(a)(b)", "character 7: '('"),
        ("'sin'(a)", "character 6: '('"),
        ("power(a, b)", "power takes an exponent between -100 and 100, not 0, then its parts"),
        ("power(0, a, b)", "power takes an exponent"),
        ("quantile(1.5, a)", "quantile takes a share between 0 and 1"),
        ("quantile(0.5)", "quantile takes a share between 0 and 1, then its parts"),
        ("log()", "character 5: ')'"),
        ("round(a, b)", "round takes one part"),
        ("min(a)", "min takes two parts"),
        ("1e999 * a", "too large"),
        ("(" * 60 + "a" + ")" * 60, "levels deep"),
        ("-" * 60 + "a", "levels deep"),
        ("a + " * 1000 + "a", "more than 400"),
        ("a ** 2 " + " " * 100_000 + "'", "character 100008"),
        ("+".join("a" * 201), "more than 400"),
    ],
)
def test_what_is_no_formula(text, message):
    with pytest.raises(ExpressionError, match=".*" + re.escape(message)):
        parse_formula(text)


@pytest.mark.parametrize(
    ("text", "bounds", "moves"),
    [
        ("0.1*a + 0.9*b", (0, 1), "rises"),
        ("1 - a", (0, 1), "falls"),
        ("a - e", (-math.inf, 1), "rises"),
        ("a + e", (0, math.inf), "both"),
        ("a*x", (-1, 1), "both"),
        ("-2*e", (-math.inf, 0), "rises"),
        ("0*a", (0, 0), "neither"),
        ("a*(0 - 2)", (-2, 0), "falls"),
        ("a/e", (0, math.inf), "rises"),
        ("1/(a + 1)", (0.5, 1), "falls"),
        ("1/(a - 2)", (-1, -0.5), "falls"),
        ("1/x", (-math.inf, math.inf), "both"),
        ("2*a*b/(a + b)", (0, math.inf), "both"),
        ("x ** 2", (0, 1), "both"),
        ("x ** 3", (-1, 1), "rises"),
        ("(x - 2) ** 2", (1, 9), "falls"),
        ("(x - 2) ** -1", (-1, -1 / 3), "falls"),
        ("x ** 0.5", (0, 1), "rises"),
        ("e ** 2", (0, math.inf), "falls"),
        ("a ** 0", (1, 1), "neither"),
        ("a ** -1", (1, math.inf), "falls"),
        ("min(a, e)", (0, 1), "both"),
        ("log(a)", (-math.inf, 0), "rises"),
        ("log(x)", (-math.inf, 0), "rises"),
        ("exp(a - 1)", (math.exp(-1), 1), "rises"),
        ("round(2.6*a)", (0, 3), "rises"),
        ("power(-5, a, b)", (0, 1), "rises"),
        ("mean(a, x)", (-0.5, 1), "rises"),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("male = 1", [1, 0, 0, 1, 1]),
        ("male == true", [1, 0, 0, 1, 1]),
        ("male != 1", [0, 1, 1, 0, 0]),
        ("male <> 1", [0, 1, 1, 0, 0]),
        ("age > -4", [1, 1, 1, 0, 1]),
        ("age >= 7 and age < 40", [0, 1, 1, 0, 0]),
        ("age <= -3 OR kind = b", [1, 1, 0, 0, 0]),
        ("not age < 12", [0, 0, 1, 1, 1]),
        ("kind in (a, 'a b', '1x')", [1, 0, 1, 0, 1]),
        ("kind not in (a, b)", [0, 0, 1, 1, 1]),
        ("kind in (a)", [1, 0, 0, 0, 0]),
        ("'kind' = 'a b'", [0, 0, 1, 0, 0]),
        ("male = 1 and kind = a or age = 7", [1, 1, 0, 0, 0]),
        ("male = 1 and (kind = a or age = 40)", [1, 0, 0, 0, 1]),
        ("'^.*$' in (in, true)", [1, 1, 1, 1, 0]),
        ("'^.*$' = in", [1, 0, 0, 0, 0]),
        ("'^.*$' = 'TRUE'", [0, 1, 0, 0, 0]),
    ],
)
def test_rows_that_a_condition_is_true_of(text, rows):
    columns = {name: pl.Series(cells) for name, cells in COLUMNS.items()}
    assert parse_condition(text).mask(columns).tolist() == [row == 1 for row in rows]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the condition is empty"),
        ("male", "character 1: 'male' begins no comparison; write such as male = 1"),
        ("male = 1 and", "ends where more is expected"),
        ("male and kind = a", "character 1: 'male' begins no comparison"),
        ("male =", "character 7: a value must follow '='; write such as male = 1"),
        ("kind = a and male != ", "character 21: a value must follow '!='"),
        ("(male <= )", "character 9: a value must follow '<='"),
        ("male = and kind = a", "character 8: 'and' is taken for a value; is one missing before"),
        ("male = 1 kind = a", "character 10: 'kind = a'"),
        ("male = 1 & kind = a", "character 10: '&' begins no comparison"),
        ("male = 1 or kind", "character 13: 'kind' begins"),
        ("male < a", "< compares numbers, and 'a' is a text"),
        ("1 < age < 3", "character 1: '1'"),
        ("age < 3 < 4", "character 9: '<'"),
        ("kind in a", "character 8: values in parentheses must follow 'in'"),
        ("kind in (a", "character 8: values in parentheses must follow 'in'"),
        ("kind not in ()", "character 12: values in parentheses must follow 'not in'"),
        ("inside = in and", "ends where more is expected"),
        ("kind not like a", "character 1: 'kind' begins"),
        ("(male = 1", "ends where"),
        ("male = 1e999", "too large a number"),
        ("not " * 60 + "a = 1", "levels deep"),
        ("a = 1 or " * 300 + "a = 1", "more than 400"),
        ("__import__('os')", "character 1: '__import__' begins"),
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
