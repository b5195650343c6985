"""Patterns of ids: what fits them, what they are guessed to be, what was meant."""

import time

import pytest

from scorer.core.ids import TextPattern, example_ids, guess_pattern, repair_id, split_ids


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
def test_a_pattern_is_guessed_that_all_ids_fit(names, pattern):
    assert guess_pattern(names) == pattern
    assert pattern is None or TextPattern(pattern).filter(names) == names


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
    assert repair_id(name, TextPattern(pattern)) == meant


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a", "unclosed group"),
        ("a)|(?:b", "unopened group"),
        ("[z-a]+", "invalid character class range"),
        ("(?=a)", "look-around"),
        ("a{1000}{1000}", "cannot be read"),  # too large once it is compiled
        ("a" * 501, "501 characters; 500 are the most"),
    ],
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
