"""How many lists a difference takes."""

import json

import pytest

from scorer.api.power import power
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError, UsageError
from scorer.stats.power import detectable

TRUTH = "list,item,grade\n" + "".join(f"q{n},i{n % 10},1\n" for n in range(200))
YAML = "truth: truth.csv\nmetrics: [RR]\nleaderboard: {{baselines: [one.csv, two.csv]{}}}\n"


@pytest.fixture
def differing(challenge):
    """Two baselines whose differences are -1, 0 or 1, with a deviation of .7."""

    def make(rules="", **files):
        runs = {
            f"{name}.csv": "list,item\n"
            + "".join(f"q{n},i{n % 10 if n % by else 'x'}\n" for n in range(200))
            for name, by in (("one", 2), ("two", 3))
        }
        yaml = YAML.format(rules) + files.pop("more", "")
        return challenge(yaml, **{"truth.csv": TRUTH, **runs, **files})

    return make


def test_the_lists_needed_detect_the_difference(differing):
    found = power(differing(), 0.1)  # a path, as `score` and `explain` take it
    assert found.known.basis == "the examples and baselines"
    assert [each.submissions for each in found.needed] == [2, 5, 10, 30]
    assert [each.pairs for each in found.needed] == [1, 10, 45, 435]
    for each in found.needed:
        sd = found.known.deviation
        assert detectable(sd, each.lists, pairs=each.pairs) <= 0.1
        assert detectable(sd, each.lists - 1, pairs=each.pairs) > 0.1
    # z of .975 and of .8: (1.96 + .84)**2 * .7**2 / .1**2
    assert found.needed[0].lists == pytest.approx(2.8**2 * 0.49 / 0.01, rel=0.05)


def test_a_difference_that_any_list_shows_takes_as_many_as_the_test_needs(differing):
    (needed,) = power(load(differing()), 50.0, [2]).needed
    assert needed.lists == 6
    holm = differing(", tiers: {adjust: holm}")
    (needed,) = power(load(holm), 50.0, [5]).needed
    assert needed.lists == 9  # 10 pairs: 2 / 2**9 * 10 = .04


def test_lists_of_clusters_are_as_many_as_now(differing):
    lists = "list,user\n" + "".join(f"q{n},u{n // 5}\n" for n in range(200))
    more = "lists: {file: lists.csv, columns: {cluster: user}}\n"
    found = power(load(differing(more=more, **{"lists.csv": lists})), 0.1, [2])
    assert (found.known.over, found.known.lists, found.known.units) == ("clusters", 200, 40)
    assert found.needed[0].lists % 5 == 0


def test_the_command_says_it_in_words_and_as_json(differing, score):
    folder = differing()
    ran = score("power", folder, "--difference", "0.1")
    assert ran.code == 0, ran
    text = " ".join(ran.out.split())
    assert "to detect a true difference of 0.1 in RR 80 % of the time" in text
    assert "as the examples and baselines do" in text
    data = json.loads(score("power", folder, "-d", "0.1", "-n", "3", "--format", "json").out)
    (needed,) = data["needed"]
    assert (needed["submissions"], needed["pairs"]) == (3, 3)
    assert data["difference"] == 0.1


def test_a_page_draws_it(differing, score):
    page = score("power", differing(), "-d", "0.1", "-n", "2", "-n", "5", "--format", "html").out
    assert page.count('<svg class="picture power"') == 1
    assert "a difference of 0.1, as requested" in page
    assert "2 submissions, 200 lists:" in page
    assert "picture" not in score("power", differing(), "-d", "0.1").out


@pytest.mark.parametrize("difference", [0, -1, float("inf"), float("nan")])
def test_a_difference_is_above_0(differing, difference):
    with pytest.raises(UsageError, match="above 0"):
        power(load(differing()), difference)


def test_one_submission_has_no_pair(differing, score):
    with pytest.raises(UsageError, match="no pair"):
        power(load(differing()), 0.1, [1])
    assert score("power", differing(), "--difference", "0").code == 2


def test_where_nothing_is_known_of_differences_that_is_said(challenge):
    # whatever is submitted, every list counts once
    yaml = "truth: truth.csv\nmetrics: [NumQ]\n"
    with pytest.raises(ChallengeError, match="nothing is known"):
        power(load(challenge(yaml, **{"truth.csv": TRUTH})), 0.1)


def test_a_difference_that_no_number_of_lists_shows_is_refused(differing):
    with pytest.raises(UsageError, match=r"1e-12 takes more than a billion lists; give a larger"):
        power(differing(), 1e-12)
