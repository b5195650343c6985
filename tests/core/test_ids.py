"""Patterns of ids: what fits them, what they are guessed to be, what was meant."""

import time

import pytest
from tables import rows

from scorer.core.ids import TextPattern, example_ids, guess_pattern, repair_id, split_ids


@pytest.mark.parametrize(
    ("names", "pattern"), rows(__file__, "a_pattern_is_guessed_that_all_ids_fit")
)
def test_a_pattern_is_guessed_that_all_ids_fit(names, pattern):
    assert guess_pattern(names) == pattern
    assert pattern is None or TextPattern(pattern).filter(names) == names


@pytest.mark.parametrize(("pattern", "name", "meant"), rows(__file__, "what_was_meant"))
def test_what_was_meant(pattern, name, meant):
    assert repair_id(name, TextPattern(pattern)) == (meant and tuple(meant))


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [*rows(__file__, "what_is_no_pattern"), ("a" * 501, "501 characters; 500 are the most")],
)
def test_what_is_no_pattern(pattern, reason):
    with pytest.raises(ValueError, match=reason):
        TextPattern(pattern)


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|a)*", "(a{1,100}){1,100}"])
def test_no_pattern_takes_long(pattern):
    start = time.process_time()
    assert not TextPattern(pattern).fits("a" * 100_000 + "!")
    assert time.process_time() - start < 5


def test_a_pattern_is_of_the_whole_text():
    assert TextPattern("a|b.").filter(["a", "ab", "b\n", "b", "bb", "a\n"]) == ["a", "b\n", "bb"]


@pytest.mark.parametrize(
    "text", ["[0-9]{3}", "tt[0-9]+", "[a-z0-9_-]+", "x-[0-9]{3,9}", "ab*[0-9]"]
)
def test_examples_fit_the_pattern(text):
    examples = example_ids(text, 5)
    assert len(set(examples)) == 5
    assert TextPattern(text).filter(examples) == examples


@pytest.mark.parametrize("cell", ["a1,a2", "a1, a2", "['a1', 'a2']", "['a1' 'a2']", '["a1","a2"]'])
def test_cells_as_programs_write_lists(cell):
    assert split_ids(cell) == ["a1", "a2"]
