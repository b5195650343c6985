"""Formulas of measures: what they are, what they are worth, and what they are refused for."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.core.formula import Bounds, FormulaError, Traits, parse, spelt

UNIT = Bounds(0, 1)
GOOD, BAD = Traits(UNIT, up=True), Traits(Bounds(0, math.inf), up=False)
KNOWN = {"a": GOOD, "b": GOOD, "e": BAD, "x": Traits(Bounds(-1, 1), up=True)}


def value(text, **names):
    return float(parse(text).value({k: np.array([float(v)]) for k, v in names.items()})[0])


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("a", {"a": 0.3}, 0.3),
        ("0.1*a + 0.3*b + .6*c", {"a": 1, "b": 2, "c": 3}, 0.1 + 0.6 + 1.8),
        ("a - b - c", {"a": 1, "b": 2, "c": 4}, -5),
        ("a / b / c", {"a": 8, "b": 2, "c": 4}, 1),
        ("2 * (a + b)", {"a": 1, "b": 2}, 6),
        ("-a * -2", {"a": 3}, 6),
        ("- - a", {"a": 3}, 3),
        ("2*a*b/(a+b)", {"a": 0.5, "b": 1}, 2 / 3),
        ("sqrt(a*b)", {"a": 4, "b": 9}, 6),
        ("min(a, b, 2) + max(a, b)", {"a": 3, "b": 5}, 7),
        ("1e-1*a", {"a": 1}, 0.1),
        ("'nDCG@10' + 'b c'", {"nDCG@10": 1, "b c": 2}, 3),
        ("nDCG@10*2", {"nDCG@10": 1}, 2),
        ("min", {"min": 4}, 4),
        (" a\n+\tb ", {"a": 1, "b": 2}, 3),
        ("log(a) + exp(b)", {"a": 1, "b": 0}, 1),
        ("-a ** 2", {"a": 3}, -9),
        ("2 * a ** -0.5", {"a": 4}, 1),
        ("(a - 5) ** 3", {"a": 3}, -8),
        ("round(a, 1) + round(b)", {"a": 0.26, "b": 2.4}, 2.3),
        ("mean(a, b, 1) + sum(a, b)", {"a": 2, "b": 3}, 7),
        ("median(a, b, c) + geometric(a, b)", {"a": 1, "b": 4, "c": 9}, 6),
        ("power(-1, a, b)", {"a": 1, "b": 0.5}, 2 / 3),
        ("power(-5, a, b)", {"a": 1, "b": 0}, 0),
        ("quantile(0.25, a, b)", {"a": 1, "b": 2}, 1.25),
        ("log", {"log": 4}, 4),
    ],
)
def test_values(text, names, expected):
    assert value(text, **names) == pytest.approx(expected, abs=0)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a / b", {"a": 1, "b": 0}),
        ("sqrt(a)", {"a": -1}),
        ("a + b", {"a": math.nan, "b": 1}),
        ("log(a)", {"a": 0}),
        ("log(a)", {"a": -1}),
        ("a ** 0.5", {"a": -1}),
        ("a ** -1", {"a": 0}),
        ("power(2, a, b)", {"a": -1, "b": 1}),
        ("exp(a)", {"a": 1000}),
        ("max(a, b)", {"a": math.nan, "b": 1}),
        ("median(a, b)", {"a": math.nan, "b": 1}),
    ],
)  # fmt: skip
def test_what_has_no_value_is_nan(text, names):
    assert math.isnan(value(text, **names))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("1 + 2", "names no measure"),
        ("a +", "ends where"),
        ("(a", "ends where"),
        ("a)", "character 2: ')'"),
        ("a b", "character 3: 'b'"),
        ("a ** b", "an exponent is a number between -100 and 100"),
        ("a ** 2 ** 2", "character 8: '**'"),
        ("a ^ 2", "a power is written a ** 2"),
        ("a; b", "character 2, ';'"),
        ("a / 0", "divides by 0"),
        ("a / (1 - 1)", "divides by 0"),
        ("sin(a)", "'sin' is no function here"),
        ("power(a, b)", "power takes an exponent between -100 and 100, not 0, then its parts"),
        ("power(0, a, b)", "power takes an exponent"),
        ("quantile(1.5, a)", "quantile takes a share between 0 and 1"),
        ("quantile(0.5)", "character 13: ')'"),
        ("round(a, b)", "round takes one part"),
        ("log()", "character 5: ')'"),
        ("__import__('os')", "'__import__' is no function here"),
        ("sqrt(a, b)", "sqrt takes one part"),
        ("min(a)", "min takes two parts"),
        ("1e999 * a", "too large"),
        ("(" * 60 + "a" + ")" * 60, "levels deep"),
        ("-" * 60 + "a", "levels deep"),
        ("a + " * 1000 + "a", "characters"),
        ("+".join("a" * 201), "more than 400"),
        ("a . b", "character 3, '.'"),
        ("'a", "character 1"),
    ],
)
def test_mistakes_are_told(text, message):
    with pytest.raises(FormulaError, match=".*" + re.escape(message)):
        parse(text)


@rounds(100)
@given(st.text(max_size=60))
def test_any_text_is_a_formula_or_an_error(text):
    try:
        found = parse(text)
    except FormulaError:
        return
    assert found.names


@pytest.mark.parametrize(
    ("text", "rises"),
    [
        ("a", 1), ("e", -1), ("1 - a", -1), ("1 - e", 1), ("0.5*a + 0.5*b", 1), ("a - e", 1),
        ("a + e", None), ("a*b", 1), ("a*x", None), ("a/e", 1), ("e/a", -1), ("a/b", None),
        ("min(a, b)", 1), ("max(a, e)", None), ("sqrt(a*b)", 1), ("-2*e", 1), ("0*a", 0),
        ("2*a*b/(a+b)", None), ("a*(0 - 2)", -1), ("1/e", 1),
        ("log(e)", -1), ("exp(-e)", 1), ("a ** 2", 1), ("a ** -2", -1), ("x ** 2", None),
        ("x ** 3", 1), ("(x - 2) ** 2", -1), ("(x - 2) ** -1", -1), ("x ** 0.5", 1), ("a ** 0", 0),
        ("power(-5, a, b)", 1), ("mean(a, b)", 1), ("mean(a, e)", None), ("round(e, 2)", -1),
    ],
)  # fmt: skip
def test_directions(text, rises):
    assert parse(text).rises(KNOWN) == rises


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("0.1*a + 0.9*b", (0, 1)), ("1 - a", (0, 1)), ("a*x", (-1, 1)), ("a + e", (0, math.inf)),
        ("a/e", (0, math.inf)), ("sqrt(4*a)", (0, 2)), ("min(a, e)", (0, 1)), ("x/x", None),
        ("log(a)", (-math.inf, 0)), ("exp(a - 1)", (math.exp(-1), 1)), ("x ** 2", (0, 1)),
        ("x ** 3", (-1, 1)), ("x ** -1", None), ("a ** -1", (0, math.inf)),
        ("e ** 2", (0, math.inf)),
        ("power(-5, a, b)", (0, 1)), ("mean(a, x)", (-0.5, 1)), ("round(2.6*a)", (0, 3)),
        ("sum(a, b)", (0, 2)), ("quantile(0.5, a, x)", (-0.5, 1)), ("log(x)", (-math.inf, 0)),
    ],
)  # fmt: skip
def test_bounds(text, bounds):
    assert parse(text).bounds(KNOWN) == Bounds(*(bounds or ()))


@rounds(100)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1))
def test_values_lie_between_the_bounds(a, b, x):
    for text in (
        "0.1*a - 0.9*b",
        "a*x - x",
        "min(a, x)*max(b, x)",
        "sqrt(a + b)",
        "x ** 2",
        "(x + 1) ** 0.5",
        "power(-2, a, b)",
        "quantile(0.3, a, x)",
        "round(x, 1)",
    ):
        low, high = parse(text).bounds(KNOWN)
        assert low - 1e-12 <= value(text, a=a, b=b, x=x) <= high + 1e-12


def test_names_in_quotes():
    assert spelt("clicks") == "clicks"
    assert spelt("nDCG (group)") == "'nDCG (group)'"
    assert parse(spelt("nDCG (group)")).names == ("nDCG (group)",)
