"""The depth of JSON is limited by us, so that it is the same under every Python and caller."""

import json

import pytest

from scorer.reading.json_faults import DEEPEST, parse_json


def deep(count):
    return '{"a":' * count + "1" + "}" * count


def standing(depth, act):
    """What `act` gives where so many calls are open already."""
    return act() if not depth else standing(depth - 1, act)


@pytest.mark.parametrize("write", [str, str.encode, lambda text: text.encode("utf-16")])
def test_what_is_deep_enough_is_refused_wherever_we_stand(write):
    for depth in (0, 500):
        assert standing(depth, lambda: parse_json(write(deep(DEEPEST)))) == json.loads(
            deep(DEEPEST)
        )
        for count in (DEEPEST + 1, 100_000):
            with pytest.raises(ValueError, match="nested too deeply"):
                standing(depth, lambda count=count: parse_json(write(deep(count))))


@pytest.mark.parametrize(
    "text", ['"' + "[" * 500 + '"', '["\\"' + "[" * 500 + '"]', "[" + "[]," * 500 + "[]]", '"\\\\"']
)
def test_marks_in_text_and_beside_each_other_count_nothing(text):
    assert parse_json(text) == json.loads(text)


@pytest.mark.parametrize("text", ["", "[", '["' + "[" * 500, b"\xff\xff\xff"])
def test_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011
        parse_json(text)
