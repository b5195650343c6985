"""Hugging Face's competitions score by the `metric.py` that `score export` writes."""

import pytest
from platforms.tries import needs

from scorer.challenge.load import load

pytestmark = needs("pandas", "sklearn", "loguru", "pydantic")


@pytest.mark.parametrize("which", ["good", "bad"])
def test_a_submission_is_scored(which, tried, checkout, exported, means, stand):
    place = exported("huggingface", tried)
    told = stand("huggingface_compute", checkout("competitions"), place, tried.sent(which))
    if which == "bad":
        assert tried.said in told["failed"]
        return
    splits = ("public", "private") if load(tried.folder).splits else ()
    both = list(means(tried, *splits).values())
    assert told["scores"] == {"public_score": both[0], "private_score": both[-1]}
    assert told["ranks"] == [["first", "second"]] * 2
