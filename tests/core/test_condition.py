"""Conditions on columns: the rows that they are true of, and what they are refused for."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.core.condition import parse
from scorer.core.grammar import GrammarError

COLUMNS = {
    "male": ["1", "0", "", "1.0", "True"],
    "age": ["-3", "7", "12", "", "40"],
    "kind": ["a", "b", "a b", "", "1x"],
}


def coded(cells):
    names, codes = np.unique(cells, return_inverse=True)
    return SimpleNamespace(names=names.tolist(), codes=codes)


def true_of(text):
    columns = {name: coded(cells) for name, cells in COLUMNS.items()}
    return parse(text).true(columns).astype(int).tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("male = 1", [1, 0, 0, 1, 1]),
        ("male == true", [1, 0, 0, 1, 1]),
        ("male != 1", [0, 1, 1, 0, 0]),
        ("male = 0", [0, 1, 0, 0, 0]),
        ("age > -4", [1, 1, 1, 0, 1]),
        ("age >= 7 and age < 40", [0, 1, 1, 0, 0]),
        ("age <= -3 or kind = b", [1, 1, 0, 0, 0]),
        ("not age < 12", [0, 0, 1, 1, 1]),
        ("kind in (a, 'a b', '1x')", [1, 0, 1, 0, 1]),
        ("kind not in (a, b)", [0, 0, 1, 1, 1]),
        ("'kind' = 'a b'", [0, 0, 1, 0, 0]),
        ("male = 1 and kind = a or age = 7", [1, 1, 0, 0, 0]),
        ("male = 1 and (kind = a or age = 40)", [1, 0, 0, 0, 1]),
        ("MALE = 1", None),
    ],
)
def test_rows_that_a_condition_is_true_of(text, rows):
    if rows is None:  # names are as they are written
        with pytest.raises(KeyError):
            true_of(text)
    else:
        assert true_of(text) == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the condition is empty"),
        ("male", "ends where more is expected"),
        ("male =", "ends where more is expected"),
        ("male = 1 kind = a", "character 10: 'kind'"),
        ("male & kind", "no part of a condition"),
        ("male = 1 | kind = a", "; write or"),
        ("male < a", "< compares numbers, and 'a' is a text"),
        ("kind in a", "character 9: 'a'"),
        ("kind in (a", "ends where"),
        ("kind not like a", "character 10: 'like'"),
        ("(male = 1", "ends where"),
        ("1 = male", "character 1: '1'"),
        ("male = 1e999", "too large a number"),
        ("not " * 60 + "a = 1", "levels deep"),
        ("a = 1 or " * 300 + "a = 1", "characters"),
        ("__import__('os')", "character 11: '('"),
    ],
)
def test_mistakes_are_told(text, message):
    with pytest.raises(GrammarError, match=".*" + re.escape(message)):
        parse(text)


def test_a_word_is_not_compared_with_a_number():
    with pytest.raises(GrammarError, match="kind holds '1x', which is no number to compare"):
        true_of("kind > 3")


@rounds(100)
@given(st.text(max_size=60))
def test_any_text_is_a_condition_or_an_error(text):
    try:
        found = parse(text)
    except GrammarError:
        return
    assert found.names


@rounds(50)
@given(st.lists(st.sampled_from(["0", "1", ""]), min_size=1))
def test_not_and_or_are_those_of_logic(cells):
    columns = {"a": coded(cells), "b": coded(cells[::-1])}

    def of(text):
        return parse(text).true(columns)

    assert np.array_equal(of("not (a = 1 and b = 1)"), of("a != 1 or b != 1"))
    assert np.array_equal(of("not (a = 1 or b = 1)"), of("a != 1 and b != 1"))
