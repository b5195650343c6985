"""The public form of ids: what it is guessed to be, what fits it, what was meant."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.core.ids import IdPattern, split_ids


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (["a1", "a2"], "[A-Za-z0-9_-]+"),
        (["01", "12", "33"], "[0-9]{2}"),
        (["1", "12"], "[A-Za-z0-9_-]+"),  # few
        ([str(n) for n in range(100)], "[0-9]+"),
        ([f"0{n}" for n in range(5, 30)], "[0-9]+"),  # of several lengths
        (["http://x/1.5"], "[A-Za-z0-9_./:-]+"),
        (["a b"], None),
        (["ä"], None),
        ([], None),
    ],
)
def test_the_form_that_ids_have(names, pattern):
    assert getattr(IdPattern.of(names), "text", None) == pattern


@pytest.mark.parametrize(
    ("pattern", "name", "meant"),
    [
        ("[0-9]{5}", "00042", None),
        ("[0-9]{5}", "42", ("S307", "00042")),
        ("[0-9]{5}", "42.0", ("S306", "00042")),
        ("[0-9]{5}", "123456", None),
        ("[0-9]+", "42.0", ("S306", "42")),
        ("[0-9]{2,5}", "4", None),  # how many zeros were there?
        ("tt[0-9]{3}", "42", None),
        ("[0-9.]+", "42.0", None),
    ],
)
def test_what_was_meant(pattern, name, meant):
    assert IdPattern(pattern).repair_id(name) == meant


@pytest.mark.parametrize("text", ["", "[0-9]", "(a+)+", "[z-a]+", "[0-9]*", "[^a]+", "[0-9]{5,2}"])
def test_what_is_no_pattern(text):
    with pytest.raises(ValueError, match=r"expected|bad character|min repeat"):
        IdPattern(text)


@rounds(100)
@given(
    st.sampled_from(["[0-9]{3}", "tt.[0-9]+", "a-[a-z_.-]{1,4}", "[A-Za-z0-9,;|]+"]),
    st.text(st.sampled_from("atz09.,-_;|\n é")),
)
def test_polars_reads_a_pattern_as_python_does(text, name):
    pattern = IdPattern(text)
    assert pattern.fits(name) == pl.Series([name]).str.contains(pattern.expression).item()


@pytest.mark.parametrize("text", ["[0-9]{3}", "tt[0-9]+", "[A-C]{2}", "[a-z0-9_-]+", "x[ab]{3,9}"])
def test_examples_have_the_form(text):
    pattern = IdPattern(text)
    examples = pattern.examples(5)
    assert len(set(examples)) == 5
    assert all(map(pattern.fits, examples))


@pytest.mark.parametrize("cell", ["a1,a2", "a1, a2", "['a1', 'a2']", "['a1' 'a2']", '["a1","a2"]'])
def test_cells_as_programs_write_lists(cell):
    assert split_ids(cell) == ["a1", "a2"]
