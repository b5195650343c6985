"""What a board says of its certainty: by whole challenges, good and bad."""

import csv
import json
import re

import numpy as np
import pytest

from scorer import evaluate

HEAD = "list,item,prediction\n"


def rows(values):
    """Predictions of one item a list that are off by these values; NaN leaves the list out."""
    kept = [(n, v) for n, v in enumerate(values) if not np.isnan(v)]
    return HEAD + "".join(f"l{n:03},i,{5 + float(v):.12f}\n" for n, v in kept)


@pytest.fixture
def write(challenge):
    """A challenge in which submissions have these absolute errors: its folder, and their files."""

    def write(errors, metric="MAE(average=lists)", board="{}", yaml="", baselines=(), **files):
        lists = max(len(each) for each in errors.values())
        files["truth.csv"] = "list,item,rating\n" + "".join(f"l{n:03},i,5\n" for n in range(lists))
        files |= {f"{name}.csv": rows(np.array(each, float)) for name, each in errors.items()}
        rules = "submission: {missing_list: skip}\n"
        head = f"truth: truth.csv\nmetrics: [{metric}]\n{rules}leaderboard: {board}\n"
        folder = challenge(head + yaml, **files)
        return folder, [folder / f"{name}.csv" for name in errors if name not in baselines]

    return write


@pytest.fixture
def board(write, score):
    """The report of such submissions, as JSON or as text."""

    def make(errors, rules="", baselines=(), files=None, form="json", metric="MAE(average=lists)"):
        named = ", ".join(f"{name}.csv" for name in baselines)
        board = f"{{baselines: [{named}]{rules}}}"
        folder, sent = write(errors, metric, board, baselines=baselines, **(files or {}))
        ran = score(folder, *sent, "--format", form, "--notes")
        return ran.json() if form == "json" else " ".join(ran.out.split())

    return make


@pytest.fixture
def compared(write, score):
    """What `compare` says of such submissions, as data and as text."""

    def compare(errors, *words):
        folder, sent = write(errors)
        data = score("compare", folder, *sent, *words, "--format", "json").json()
        return data, score("compare", folder, *sent, *words).out

    return compare


def pairs_of(data):
    """What is found of each pair: its names to the comparison."""
    return {(pair["a"], pair["b"]): next(iter(pair["measures"].values())) for pair in data["pairs"]}


def easy_and_hard(seed=0):
    """Twenty easy lists and forty hard ones; `cherry` answers the easy and is worse on each."""
    rng = np.random.default_rng(seed)
    hard = np.repeat([1.0, 5.0], [20, 40]) + rng.uniform(0, 0.5, 60)
    errors = {"good": hard, "fair": hard + 0.33 + rng.uniform(0, 0.02, 60)}
    errors["cherry"] = np.where(np.arange(60) < 20, hard + 0.66, np.nan)
    return errors


def by_name(report):
    return {row["name"]: row for row in report["leaderboard"]}


# Lists that not all have


def test_who_answers_the_easy_lists_does_not_stand_first_unremarked(board):
    report = board(easy_and_hard())
    standings, certainty = by_name(report), report["certainty"]
    assert standings["cherry"]["rank"] == 1
    assert standings["cherry"]["fewer_lists"] == [20, 60]
    assert standings["good"]["fewer_lists"] is None
    # it is worse than both on the lists that it shares with them, and the tiers know
    assert [standings[name]["tier"] for name in ("cherry", "good", "fair")] == [1, 1, 1]
    # ranges hold what the data leave, which the rank by its own lists may not be
    assert [standings[name]["ranks"] for name in ("cherry", "good", "fair")] == [
        [3, 3], [1, 1], [2, 2],
    ]  # fmt: skip
    place = {name: n for n, name in enumerate(certainty["names"])}
    a, b = place["cherry"], place["good"]
    assert certainty["p"][a][b] < 0.01
    assert certainty["difference"][a][b] == pytest.approx(0.66)
    assert certainty["common_lists"][a][b] == 20
    assert certainty["common_lists"][b][place["fair"]] == 60


@pytest.mark.slow("draws intervals of boards", beyond=2)
@pytest.mark.parametrize("form", ["table", "markdown", "latex", "github", "html"])
def test_fewer_lists_are_marked_in_every_format(board, form):
    text = board(easy_and_hard(), form=form)
    assert "20 of 60" in text
    assert "cherry stands above" in text
    assert "is significantly worse on the lists that both have" in text


def test_fewer_lists_are_marked_in_csv(board):
    assert "undefined,of_lists,better" in board(easy_and_hard(), form="csv")


def test_one_file_with_a_single_list_changes_nobody_elses_tests(board):
    errors = {name: each for name, each in easy_and_hard().items() if name != "cherry"}
    alone = board(errors)
    single = np.where(np.arange(60) < 1, 0.3, np.nan)
    beside = board({**errors, "third": single})
    names = beside["certainty"]["names"]
    pair = [names.index(name) for name in alone["certainty"]["names"]]
    for key in ("p", "difference", "common_lists"):
        wanted = np.array(alone["certainty"][key], dtype=float)
        assert np.array_equal(
            np.array(beside["certainty"][key], dtype=float)[np.ix_(pair, pair)], wanted
        )
    third = names.index("third")
    assert all(beside["certainty"]["p"][third][n] is None for n in pair)
    assert by_name(beside)["third"]["interval"] is None
    assert beside["certainty"]["pairs"] == 1


def test_compare_shows_a_p_that_cannot_be_had_as_a_dash(compared):
    errors = {"a": [1, 2, 3, 4, 5, 6, 7], "b": [2, 3, 4, 5, 6, 7, 9], "c": [3] + [np.nan] * 6}
    data, text = compared(errors)
    pairs = pairs_of(data)
    assert pairs["a", "b"]["p"] == 2 / 2**7
    assert pairs["a", "c"]["p"] is None
    assert (pairs["a", "c"]["difference"], pairs["a", "c"]["lists"]) == (-2, 1)
    assert pairs["a", "c"]["interval"] is None
    low, high = pairs["a", "b"]["interval_of_all"]
    assert low < pairs["a", "b"]["difference"] < high
    lines = [line.split() for line in text.splitlines()]
    ends = [line[-1] for line in lines if {"7-0-0", "1-0-0"} & set(line)]
    assert ends == ["0.0156", "-", "-"]
    tested = data["tests"]["MAE(average=lists)"]
    assert (tested["pairs"], tested["lists"]) == (1, [1, 7])


def test_undefined_lists_are_no_choice(challenge, score):
    rng = np.random.default_rng(2)
    truth, good, sly = "list,item,grade\n", "list,item\n", "list,item\n"
    for n in range(30):
        truth += "".join(f"q{n},{item},{grade}\n" for grade, item in enumerate("abcd"))
        order = rng.permutation(list("dcba"))
        good += "".join(f"q{n},{item}\n" for item in order)
        sly += f"q{n},d\n" if n > 3 else "".join(f"q{n},{item}\n" for item in "dcba")
    yaml = "truth: truth.csv\nmetrics: [Tau]\nundefined: skip\n"
    folder = challenge(yaml, **{"truth.csv": truth, "good.csv": good, "sly.csv": sly})
    report = score(folder, folder / "good.csv", folder / "sly.csv", "--format", "json").json()
    assert [row["name"] for row in report["leaderboard"]] == ["good", "sly"]
    assert by_name(report)["sly"]["values"]["Tau"] is None
    assert by_name(report)["good"]["interval"] is not None
    ran = score(folder, folder / "good.csv", folder / "sly.csv")
    text = " ".join(ran.out.split())
    assert "Tau has no value for 'sly'" in text
    assert "a submission has to have one for each list that the truth has one for" in text


# What can be found at all


def test_with_five_lists_nothing_can_be_significant(board):
    errors = {f"s{n}": np.arange(5) / 10 + 4.0 * n + 1 for n in range(3)}
    report = board(errors)
    assert report["certainty"]["least_p"] == 0.0625
    assert report["certainty"]["detectable"] is None
    text = board(errors, form="table")
    assert "s0 leads with 1.200 MAE(average=lists); 5 lists are too few to tell any two" in text
    assert "No difference can be significant with fewer than 6 lists; there are 5." in text
    assert "the true rank is" not in text
    assert "(1-3)" not in text
    assert "80 % of the time" not in text
    assert "With fewer than 10 lists, 95 % intervals of skewed values contain the true mean" in text
    assert all(row["interval"] for row in report["leaderboard"])
    assert "there is no interval" not in text


def test_below_five_lists_there_is_no_interval(board):
    errors = {f"s{n}": np.arange(4) / 10 + 4.0 * n + 1 for n in range(3)}
    report = board(errors)
    assert [row["interval"] for row in report["leaderboard"]] == [None] * 3
    # no range of ranks says more than the tests
    assert [row["ranks"] for row in report["leaderboard"]] == [[1, 3]] * 3
    assert report["certainty"]["detectable"] is None
    lines = re.split(r" (?=\d,s\d)", board(errors, form="csv"))
    table = csv.DictReader(lines)
    assert [(row["low"], row["high"]) for row in table] == [("", "")] * 3
    for form in ("table", "markdown", "latex", "html"):
        text = board(errors, form=form)
        assert "With fewer than 5 lists there is no interval." in text
        assert "% interval" not in text.replace("\\", "")
        assert "No difference can be significant with fewer than 6 lists; there are 4" in text


def test_the_sentence_on_missing_intervals_has_the_challenges_word(challenge, score):
    truth = "query,item\n" + "".join(f"q{n},a\n" for n in range(3))
    yaml = (
        "truth: {file: truth.csv, columns: {list: query}}\n"
        "submission: {columns: {list: query}}\nmetrics: [AP]\n"
    )
    folder = challenge(yaml, **{"truth.csv": truth, "x.csv": truth})
    text = " ".join(score(folder, folder / "x.csv").out.split())
    assert "With fewer than 5 queries there is no interval." in text


def test_only_those_with_fewer_lists_than_five_have_no_interval(board):
    rng = np.random.default_rng(3)
    errors = {"all": rng.random(9), "few": np.append(rng.random(4), [np.nan] * 5)}
    rows_of = by_name(board(errors))
    assert rows_of["all"]["interval"] is not None
    assert rows_of["few"]["interval"] is None
    assert "With fewer than 5 lists there is no interval." in board(errors, form="table")


def test_clusters_count_for_an_interval_and_not_their_lists(board):
    lists = "list,user\n" + "".join(f"l{n:03},u{n % 4}\n" for n in range(40))
    files = {"lists.csv": lists, "yaml": "lists: {file: lists.csv, columns: {cluster: user}}\n"}
    errors = {name: np.random.default_rng(n).random(40) for n, name in enumerate("ab")}
    assert {row["interval"] for row in board(errors, files=files)["leaderboard"]} == {None}
    said = board(errors, files=files, form="table")
    assert "With fewer than 5 clusters there is no interval." in said


@pytest.mark.parametrize(("lists", "missing"), [(4, 0), (4, 1), (5, 0), (5, 1)])
def test_no_interval_of_a_difference_denies_that_none_can_be_significant(compared, lists, missing):
    """With and without max-T: pairs with different lists have tests of their own."""
    errors = np.random.default_rng(lists).random((3, lists + 1)) + np.array([[0], [3], [0]])
    errors[:, lists:] = np.nan
    errors[2][: missing * lists : 2] = np.nan
    data, _ = compared(dict(zip("abc", errors, strict=True)))
    for found in pairs_of(data).values():
        for key in ("interval", "interval_of_all"):
            if found["lists"] < 5:
                assert found[key] is None
            elif found[key] is not None:
                assert found[key][0] <= 0 <= found[key][1]


def test_what_is_detectable_is_said_for_the_pairs_that_are_tested(board):
    rng = np.random.default_rng(4)
    errors = {f"s{n}": rng.uniform(1, 2, 50) for n in range(10)}
    two = board({name: errors[name] for name in ("s0", "s1")})["certainty"]
    ten = board(errors)["certainty"]
    assert ten["pairs"] == 45
    assert 1.3 < ten["detectable"] / two["detectable"] < 1.9


def test_equal_values_are_no_certainty(board):
    report = board({"a": np.ones(12), "b": np.full(12, 2.0)}, form="table")
    assert report.count("all equal") == 2
    assert "[1.000" not in report


# Baselines


@pytest.mark.slow("draws intervals of boards")
def test_baselines_are_outside_the_family_of_the_ranked(board):
    rng = np.random.default_rng(6)
    errors = {"a": rng.uniform(1, 2, 30), "b": rng.uniform(1.15, 2.2, 30)}
    extra = {f"base{n}": rng.uniform(0, 9, 30) for n in range(8)}
    alone, beside = board(errors), board({**errors, **extra}, baselines=tuple(extra))
    for key in ("names", "p", "difference", "detectable", "how", "pairs"):
        assert alone["certainty"][key] == beside["certainty"][key], key
    for name in errors:
        assert by_name(alone)[name] == by_name(beside)[name] | {
            "rank": by_name(alone)[name]["rank"]
        }
    against = beside["certainty"]["baselines"]
    assert [each["name"] for each in against] == sorted(
        extra, key=lambda name: float(np.mean(extra[name]))
    )
    assert all(len(each["p"]) == 2 for each in against)
    text = board({**errors, **extra}, baselines=tuple(extra), form="table")
    assert "Better than the baseline base" in text
    assert "(p < 0.05): a and b." in text


# Tiers


@pytest.mark.slow("draws intervals of boards")
def test_tiers_end_where_all_above_are_better_than_all_below(board):
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.1, (3, 40))
    errors = {name: 2 + n * 0.035 + noise[n] for n, name in enumerate("abc")}
    report = board(errors)
    p = np.array(report["certainty"]["p"])
    assert p[0, 2] <= 0.05 < min(p[0, 1], p[1, 2])
    assert [row["tier"] for row in report["leaderboard"]] == [1, 1, 1]
    text = board(errors, form="table")
    said = " ".join(text.split())
    assert "Some differ significantly, but no rule parts all above it from all below" in said
    assert "with 95 % confidence, for all rows at once" in said
    apart = {name: 2 + n + noise[n] for n, name in enumerate("abc")}
    said = " ".join(board(apart, form="table").split())
    assert "Above a rule all are significantly better than all below it" in said
    alike = {name: 2 + noise[n] - noise[n].mean() for n, name in enumerate("abc")}
    assert "No two of the 3 submissions differ significantly" in " ".join(
        board(alike, form="table").split()
    )


def test_of_two_with_one_list_each_count_is_said_as_it_is():
    report = evaluate({"q": {"a": 1, "b": 0}}, {"x": {"q": ["b", "a"]}, "y": {"q": ["a"]}}, ["AP"])
    said = " ".join(report.render(notes=True).split())
    assert "The two submissions do not differ significantly (AP," in said
    assert "No difference can be significant with fewer than 6 lists; there is 1." in said
    assert "tier" not in said


def test_a_page_has_the_first_digits_of_a_digest(board):
    """JSON has them all."""
    page = board({"a": [0.1, 0.2], "b": [0.3, 0.1]}, form="html")
    digests = re.findall("SHA-256 ([0-9a-f]+)", page)
    assert [len(each) for each in digests] == [12, 12]
    assert not re.search("[0-9a-f]{32}", page)


# Folds


# Whole-challenge measures


def test_where_no_interval_is_valid_the_reason_is_given(challenge, score):
    truth = "list,item,grade\n" + "".join(f"q{n},{'ab'[n % 2]},1\n" for n in range(8))
    yaml = "truth: truth.csv\nmetrics: ['CatalogueCoverage@1', 'P@1']\nitems: items.csv\n"
    run = "list,item\n" + "".join(f"q{n},a\n" for n in range(8))
    items = "item\na\nb\nc\n"
    folder = challenge(yaml, **{"truth.csv": truth, "items.csv": items, "x.csv": run, "y.csv": run})
    sent = [folder / "x.csv", folder / "y.csv"]
    text = " ".join(score(folder, *sent).out.split())
    assert "share the first rank with 0.333 CatalogueCoverage@1; a draw of lists holds" in text
    data = score(folder, *sent, "--format", "json").json()
    assert data["no_certainty"].startswith("a draw of lists holds fewer different items")
    text = " ".join(score("compare", folder, *sent, "--all").out.split())
    assert "CatalogueCoverage@1 is not compared: a draw of lists" in text


# Clusters


def test_blocks_of_many_lists_are_no_clusters(board):
    """A median of more than 400 lists is worked out anew without blocks of them."""
    errors = {name: np.random.default_rng(n).random(450) for n, name in enumerate("ab")}
    metric = "{metric: MAE, average: lists, aggregate: median}"
    report = board(errors, metric=metric, rules=", draws: 200")
    assert (report["certainty"]["how"]["over"], report["certainty"]["how"]["units"]) == (
        "lists",
        200,
    )
    assert "drawn together" not in board(errors, metric=metric, rules=", draws: 200", form="table")


# The same bytes


@pytest.mark.slow("draws intervals of boards")
def test_another_order_and_another_submission_change_no_byte_of_the_rest(write, score):
    rng = np.random.default_rng(8)
    folder, sent = write(
        {f"s{n}": rng.uniform(0, 3, 45) for n in range(7)}, "MAE(average=lists), RMSE"
    )

    def report(some):
        return score(folder, *some, "--format", "json").out

    one, other = json.loads(report(sent[:6])), json.loads(report(sent[:6][::-1]))
    order = [row["name"] for row in one["submissions"]]
    other["submissions"].sort(key=lambda row: order.index(row["name"]))
    assert json.dumps(one) == json.dumps(other)
    more = json.loads(report(sent))
    rows_of = ({row["name"]: row for row in each["leaderboard"]} for each in (one, more))
    mine, theirs = rows_of
    for name, row in mine.items():
        for key in ("values", "interval"):
            assert json.dumps(row[key]) == json.dumps(theirs[name][key])
    names = more["certainty"]["names"]
    at = [names.index(name) for name in one["certainty"]["names"]]
    difference = np.array(more["certainty"]["difference"])[np.ix_(at, at)]
    assert np.array_equal(difference, one["certainty"]["difference"])


# Groups that shake up


@pytest.mark.slow("draws random boards")
def test_public_and_private_ranks_are_held_against_chance(board):
    rng = np.random.default_rng(10)
    groups = "list,group\n" + "".join(
        f"l{n:03},{'Public' if n < 15 else 'Private'}\n" for n in range(60)
    )
    files = {"lists.csv": groups, "yaml": "lists: lists.csv\n"}
    even = {f"s{n}": rng.uniform(1, 2, 60) for n in range(8)}
    made = board(even, files=files)["certainty"]["shake_up"]
    assert made["groups"] == ["Public", "Private"]
    assert made["moved"] <= made["most"]
    # those that were chosen by the public lists fall on the private ones
    bent = {name: each + np.where(np.arange(60) < 15, 1, -1) * int(name[1]) * 0.4
            for name, each in even.items()}  # fmt: skip
    made = board(bent, files=files)["certainty"]["shake_up"]
    assert made["moved"] > made["most"] > made["expected"]
    assert "random groups of these sizes give" in board(bent, files=files, form="table")


# Equivalence


def test_compare_tells_equivalent_submissions_from_untested_ones(compared, write, score):
    rng = np.random.default_rng(11)
    base = rng.uniform(1, 2, 60)
    errors = {"a": base, "b": base + rng.normal(0, 0.05, 60), "c": base + 0.5}
    data, text = compared(errors, "--margin", "0.1")
    equal = {names: found["equivalence_p"] for names, found in pairs_of(data).items()}
    assert equal["a", "b"] < 0.01
    assert equal["a", "c"] > 0.99
    assert "p equal" in text
    folder, sent = write(errors)
    assert "p equal" not in score("compare", folder, *sent).out
    assert score("compare", folder, *sent, "--margin", "-1").code == 2


@pytest.mark.parametrize("metric", ["MSE(average=list)", "MSE", "RMSE", "R2"])
def test_whatever_predictions_are_accepted_a_board_can_be_made(metric, challenge, score):
    """The figures of one entry are no reason to leave the others without theirs."""
    lists = [f"q{n}" for n in range(12)]
    truth = "".join(f"{name},{item},{n % 5}\n" for n, name in enumerate(lists) for item in "ab")

    def sent(number):
        rows = (f"{name},{item},{n + 1}{number}\n" for n, name in enumerate(lists) for item in "ab")
        return "list,item,prediction\n" + "".join(rows)

    folder = challenge(
        f"truth: truth.csv\nmetrics: ['{metric}']\n",
        **{
            "truth.csv": "list,item,rating\n" + truth,
            "large.csv": sent("e28"),
            "small.csv": sent("e-28"),
            "larger.csv": sent("e30"),
        },
    )
    files = [folder / f"{name}.csv" for name in ("large", "small", "larger")]
    ran = score(folder, *files, "--format", "json")
    assert ran.code == 1
    assert "larger.csv:4:6: error[S503] prediction '2e30' is too large to compute with" in ran.err
    board = json.loads(ran.out)
    assert [row["name"] for row in board["leaderboard"]] == ["small", "large"]
