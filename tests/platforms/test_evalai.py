"""EvalAI's own validator and workers take what `score export` writes."""

import json
import re
import shutil

import pytest
from platforms.tries import CHALLENGES, needs

from scorer.challenge.load import load

pytestmark = needs("django", "rest_framework")


def test_a_configuration_is_accepted(tried, checkout, exported, stand):
    bundle = exported("evalai", tried)
    archive = shutil.make_archive(bundle, "zip", bundle)
    told = stand("evalai_upload", checkout("EvalAI"), archive)
    assert told["errors"] == []


@pytest.mark.parametrize(
    ("pattern", "changed"),
    [
        (r"default_order_by: .*", "default_order_by: nothing"),
        (r"visibility: 3\n", "\n"),
        (r"dataset_split_id: 1", "dataset_split_id: 9"),
        (r"(?m)^start_date: .*", "start_date: '2099-01-01 00:00:00'"),
        (r"evaluation_script: .*", "evaluation_script: evaluation_script/"),
        (r"(?m)^title: .*", "title: " + "t" * 101),
    ],
)
def test_what_they_refuse(pattern, changed, checkout, exported, stand):
    bundle = exported("evalai", CHALLENGES[0])
    place = bundle / "challenge_config.yaml"
    text = re.sub(pattern, changed, place.read_text(), count=1)
    assert text != place.read_text()
    place.write_text(text)
    archive = shutil.make_archive(bundle, "zip", bundle)
    assert stand("evalai_upload", checkout("EvalAI"), archive)["errors"]


def expected(tried, means):
    """The values by split, and which of them a participant is shown."""
    splits = ("public", "private") if load(tried.folder).splits else ()
    found = means(tried, *splits)
    return {split or "all": values for split, values in found.items()}, splits[:1] or ("all",)


@pytest.mark.parametrize("which", ["good", "bad"])
def test_their_worker_scores(which, tried, checkout, exported, means, stand):
    told = stand("evalai_worker", checkout("EvalAI"), exported("evalai", tried), tried.sent(which))
    if which == "bad":
        assert told["status"] == "failed"
        assert not told["result"]
        assert tried.said in told["stderr"]
        assert str(tried.folder) not in told["stderr"]
        return
    assert told["status"] == "finished", told
    values, (shown,) = expected(tried, means)
    assert told["result"] == values
    assert json.loads(told["shown"]) == [{shown: values[shown]}]


@pytest.mark.parametrize("which", ["good", "bad"])
def test_our_remote_worker_sends_what_they_take(which, tried, checkout, exported, means, stand):
    told = stand("evalai_remote", checkout("EvalAI"), exported("evalai", tried), tried.sent(which))
    assert not told["refused"]
    assert not told["left"]
    if which == "bad":
        assert told["statuses"] == ["submitted", "running", "failed"]
        assert not told["saved"]
        assert tried.said in told["stderr"]
        return
    assert told["statuses"] == ["submitted", "running", "finished"]
    values, (shown,) = expected(tried, means)
    assert told["saved"] == values
    assert told["shown"] == str([values[shown]])
