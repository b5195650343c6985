"""The smallest difference that the lists of a challenge can show, as `score lint` says it."""

import math

import pytest

from scorer.api.lint import lint
from scorer.stats.power import detectable

TRUTH = "list,item,grade\n" + "".join(f"q{n},i{n % 10},1\n" for n in range(200))
YAML = "truth: truth.csv\nmetrics: [RR]\nleaderboard: {baselines: [one.csv, two.csv]}\n"


@pytest.fixture
def differing(challenge):
    """Two baselines whose differences are -1, 0 or 1, with a deviation of .7."""

    def make(more="", **files):
        runs = {
            f"{name}.csv": "list,item\n"
            + "".join(f"q{n},i{n % 10 if n % by else 'x'}\n" for n in range(200))
            for name, by in (("one", 2), ("two", 3))
        }
        return challenge(YAML + more, **{"truth.csv": TRUTH, **runs, **files})

    return make


def test_the_lists_of_smaller_differences_detect_them_and_one_less_does_not(differing):
    found = lint(differing()).detectable
    assert found.basis == "the examples and baselines"
    assert [each.submissions for each in found.among] == [2, 5, 10, 30]
    assert found.difference == found.among[0].difference
    assert found.deviation == pytest.approx(0.7, abs=0.02)
    # z of .975 and of .8: (1.96 + .84) * .7 / sqrt(200)
    assert found.difference == pytest.approx(2.8 * 0.7 / math.sqrt(200), rel=0.05)
    # thirty have 435 pairs: z of .05 / 870 and of .8 instead of .05 / 2 and of .8
    assert found.among[-1].difference == pytest.approx((3.86 + 0.84) * 0.7 / 200**0.5, rel=0.05)
    shares = [each.difference / found.difference for each in found.smaller]
    assert shares == pytest.approx([0.5, 0.25])
    for each in found.smaller:
        assert detectable(found.deviation, each.lists) <= each.difference
        assert detectable(found.deviation, each.lists - 1) > each.difference


@pytest.mark.slow("draws and scores degraded truths")
def test_without_baselines_degraded_truths_say_how_far_differences_vary(challenge):
    drawn = lint(challenge(YAML.split("leaderboard")[0], **{"truth.csv": TRUTH})).detectable
    assert drawn.basis == "degraded truths"
    # a random submission has all it has on one list of ten, a degraded truth on most
    assert 0.2 < drawn.deviation < 1


def test_lists_of_clusters_are_as_many_as_now(differing):
    lists = "list,user\n" + "".join(f"q{n},u{n // 5}\n" for n in range(200))
    more = "lists: {file: lists.csv, columns: {cluster: user}}\n"
    found = lint(differing(more, **{"lists.csv": lists})).detectable
    assert (found.over, found.lists, found.units) == ("clusters", 200, 40)
    for each in found.smaller:
        assert each.lists % 5 == 0
        assert detectable(found.deviation, each.lists // 5) <= each.difference


def test_the_command_says_it_in_words_and_as_json(differing, score):
    folder = differing()
    said = score("lint", folder, "--format", "json").json()["detectable"]
    half, quarter = said["smaller"]
    words = (
        f"Between two, a difference of {half['difference']:.4g} takes {half['lists']:,} lists, "
        f"of {quarter['difference']:.4g} takes {quarter['lists']:,} lists."
    )
    assert words in " ".join(score("lint", folder, "--all").out.split())
