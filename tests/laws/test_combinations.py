"""What measures make of their lists: pooled, of groups, of formulas. Laws that hold for all."""

import itertools
import math
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from boards import score
from hypothesis import given
from rounds import rounds
from variants import NOTATIONS, bound, pairs

from scorer.challenge.load import load
from scorer.core.problems import Findings
from scorer.reports.base import Options, report_format
from scorer.results.scorecard import Scorecard
from scorer.scoring.aggregate import aggregate_values
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge
from scorer.scoring.submission import score_table
from scorer.testing import judged_view

TYPES = ("clicks", "carts", "orders")


@pytest.fixture
def made(tmp_path):
    """A challenge of 60 lists in groups, and its submissions."""

    def make(metrics, lists=60, groups=3, submissions=3, draws=500, seed=0, **more):
        rng = np.random.default_rng(seed)
        rows, known = ["list,item,grade"], ["list,type,domain,weight"]
        runs = {f"team{n}": ["list,item,rank"] for n in range(submissions)}
        for n in range(lists):
            name, kind = f"q{n:03}", TYPES[n % groups]
            known.append(f"{name},{kind},domain{n % 2},{1 + n % 4}")
            items = rng.permutation(40)[: int(rng.integers(1, 25))]
            rows += [f"{name},i{item},{1 + item % 2}" for item in items.tolist()]
            for quality, run in enumerate(runs.values()):
                kept = items[rng.random(items.size) < 0.3 + 0.2 * quality]
                got = rng.permutation([*kept.tolist(), *range(50, 55)])
                run += [f"{name},i{item},{rank}" for rank, item in enumerate(got.tolist(), 1)]
        (tmp_path / "truth.csv").write_text("\n".join(rows) + "\n")
        (tmp_path / "lists.csv").write_text("\n".join(known) + "\n")
        for name, run in runs.items():
            (tmp_path / f"{name}.csv").write_text("\n".join(run) + "\n")
        fields = {
            "truth": "truth.csv",
            "lists": {"file": "lists.csv", "columns": {"group": "type"}},
            "submission": {"missing_list": "zero"},
            "metrics": metrics,
            "leaderboard": {"draws": draws},
            **more,
        }
        return load(fields, tmp_path), [tmp_path / f"{name}.csv" for name in runs]

    return make


def board(challenge, files):
    return score(challenge, files)


def values(report, measure):
    return {s.name: s.values[measure].mean for s in report.submissions}


def certain(challenge, files, primary):
    """Everything that is said of how certain a measure is, when it ranks."""
    specs = [m.model_copy(update={"primary": m.id == primary}) for m in challenge.metrics]
    report = board(challenge.model_copy(update={"metrics": tuple(specs)}), files)
    rows = [(row.name, row.interval, row.tier, row.ranks) for row in report.leaderboard]
    return rows, report.certainty


RECALL = {"metric": "R", "k": 20, "denominator": "capped"}
OTTO = [
    {"id": "score", "score": "0.1*clicks + 0.3*carts + 0.6*orders"},
    *({"id": name, **RECALL, "group": name} for name in TYPES),
]


def test_a_composite_is_its_formula_of_means(made):
    report = board(*made(OTTO))
    for each in report.submissions:
        found = {key: value.mean for key, value in each.values.items()}
        wanted = 0.1 * found["clicks"] + 0.3 * found["carts"] + 0.6 * found["orders"]
        assert found["score"] == pytest.approx(wanted, abs=0)
        assert each.values["score"].lists == 60
        assert each.values["clicks"].lists == 20


@pytest.mark.slow("scores random challenges", beyond=1)
@pytest.mark.parametrize(
    "alike",
    [
        {"score": "base"},
        {"score": "1*base"},
        {"metric": "nDCG@10", "average": "lists"},
        {"metric": "nDCG@10", "aggregate": "mean"},
        {"metric": "nDCG@10", "average": "group"},  # of one group
        {"metric": "nDCG@10", "average": "group", "aggregate": "power(-5)"},
    ],
)
def test_what_is_the_same_is_the_same_with_its_intervals_and_tests(made, alike):
    challenge, files = made(
        [{"id": "base", "metric": "nDCG@10"}, {"id": "like", **alike}], groups=1
    )
    report = board(challenge, files)
    assert values(report, "like") == values(report, "base")
    (rows, sure), (own, other) = (certain(challenge, files, name) for name in ("base", "like"))
    assert rows == own
    assert all(interval is not None for _, interval, _, _ in rows)
    assert (sure.p == other.p).all()


def test_one_group_of_groups_of_one_list_is_the_mean_of_lists(made):
    """Drawing lists as groups of their own is drawing lists."""
    metrics = [{"id": "base", "metric": "nDCG@10"}, {"id": "like", "metric": "nDCG@10",
               "average": "list_name"}]  # fmt: skip
    challenge, files = made(metrics[:1], lists=25)
    lists = challenge.folder / "lists.csv"
    lines = lists.read_text().splitlines()
    lists.write_text("\n".join(
        f"{line},{line.split(',')[0] if n else 'list_name'}" for n, line in enumerate(lines)
    ))  # fmt: skip
    fields = {"truth": "truth.csv", "lists": {"file": "lists.csv"}, "metrics": metrics,
              "leaderboard": {"draws": 500}}  # fmt: skip
    challenge = load(fields, challenge.folder)
    report = board(challenge, files)
    assert values(report, "like") == pytest.approx(values(report, "base"), abs=1e-15)


RATIOS = [each for each in NOTATIONS if bound(each).metric.pooling in ("optional", "default")]


@pytest.mark.slow("scores random boards", beyond=2)
@pytest.mark.parametrize("notation", RATIOS)
def test_pooled_over_one_list_is_the_mean_of_lists(notation):
    @rounds(30)
    @given(pairs())
    def holds(pair):
        groups, truth = pair
        items = [item for group in groups for item in group]
        judged = judged_view((items, truth))
        result = bound(notation).evaluate(judged)
        alone, together = float(result.values()[0]), result.pooled()
        relevant = judged.ideal.count(bound(notation).params.get("rel", 1))[0]
        returned = bool(judged.returned[0])
        if "empty=one" in notation and not (relevant or returned):
            assert alone == 1  # a list counts 1; a pool of nothing has no value
            assert math.isnan(together)
            return
        if notation.startswith("AUC") and not result.denominator[0]:
            assert alone == 0.5 or "all" in notation  # likewise
            assert math.isnan(together)
            return
        if notation.startswith(("F", "SetF", "SetJ")) and not relevant and together == 0:
            # no recall, and so no mean of it; but what is returned there is wrong in a pool
            assert math.isnan(alone) or "empty=one" in notation
            return
        assert together == pytest.approx(alone, abs=1e-15, nan_ok=True)

    holds()


def test_what_is_returned_where_nothing_is_relevant_counts_in_a_pooled_f():
    judged = judged_view((["a", "x"], {"a": 1}), (["y", "z"], {"y": 0}))
    for notation, mean, pooled in (("SetF", 2 / 3, 2 / 5), ("F@2", 2 / 3, 2 / 5)):
        one = bound(notation)
        result = one.evaluate(judged)
        lists = result.values()
        assert lists[0] == pytest.approx(mean)
        assert math.isnan(lists[1])
        assert result.pooled() == pytest.approx(pooled)


def test_a_board_of_one_list_says_the_same_pooled(made):
    names = ("P@3", "R@3", "SetF", "Rprec", "nDCG@5")
    metrics = [{"id": f"{n}-{how}", "metric": n, "average": how}
               for n in names for how in ("lists", "pooled")]  # fmt: skip
    report = board(*made(metrics, lists=1, groups=1))
    for name in names:
        assert values(report, f"{name}-lists") == pytest.approx(values(report, f"{name}-pooled"))
        assert max(values(report, f"{name}-lists").values()) > 0


def test_a_group_mean_is_the_mean_of_the_groups_means(made):
    challenge, files = made(
        [
            {"id": "all", "metric": "nDCG@10", "average": "group"},
            *({"id": name, "metric": "nDCG@10", "group": name} for name in TYPES),
            {"id": "mean", "score": "(clicks + carts + orders) / 3"},
        ]
    )
    report = board(challenge, files)
    assert values(report, "all") == pytest.approx(values(report, "mean"), abs=1e-15)
    (rows, sure), (own, other) = (certain(challenge, files, name) for name in ("all", "mean"))
    for one, another in zip(rows, own, strict=True):
        assert one[1] == pytest.approx(another[1], abs=1e-12)
    assert sure.p == pytest.approx(other.p)


def test_of_a_group_of_one_list_nothing_is_known_of_its_spread(made):
    formula = [
        *({"id": name, "metric": "nDCG@10", "group": name} for name in TYPES),
        {"id": "mean", "score": "(clicks + carts + orders) / 3", "primary": True},
    ]
    for metrics in ([{"metric": "nDCG@10", "average": "group"}], formula):
        report = board(*made(metrics, lists=5))
        assert [row.interval for row in report.leaderboard] == [None] * 3
        assert "1 list" in report.no_certainty


def numbers(report, name, key):
    """Of each list: its value, and what the columns say of it."""
    (each,) = (s for s in report.submissions if s.name == name)
    return each.values[key].per_list


@pytest.mark.slow("scores random challenges", beyond=2)
@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({"aggregate": "sum"}, lambda v, w: v.sum()),
        ({"aggregate": "median"}, lambda v, w: np.median(v)),
        ({"aggregate": "geometric"}, lambda v, w: np.exp(np.log(v).mean()) if v.all() else 0),
        (
            {"aggregate": "geometric(0.00001)"},
            lambda v, w: np.exp(np.log(np.maximum(v, 1e-5)).mean()),
        ),
        ({"aggregate": "power(2)"}, lambda v, w: np.sqrt((v**2).mean())),
        ({"aggregate": "power(-1)"}, lambda v, w: 1 / (1 / v).mean() if v.all() else 0),
        ({"weights": "weight"}, lambda v, w: np.average(v, weights=w)),
        ({"weights": "weight", "aggregate": "sum"}, lambda v, w: (v * w).sum()),
    ],
)
def test_aggregates_of_lists(made, how, wanted):
    challenge, files = made([{"id": "m", "metric": "nDCG@10", **how}])
    report = board(challenge, files)
    weights = np.array([1 + n % 4 for n in range(60)])
    for each in report.submissions:
        found = each.values["m"]
        assert found.mean == pytest.approx(wanted(found.per_list, weights), rel=1e-13)
        assert found.combined


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({"average": "group"}, lambda g: np.mean([v.mean() for v in g.values()])),
        ({"average": "group", "aggregate": "sum"}, lambda g: sum(v.mean() for v in g.values())),
        (
            {"average": "group", "weights": "size"},
            lambda g: np.mean([v for each in g.values() for v in each]),
        ),
        (
            {"average": "group", "aggregate": ["median", "power(-5)"]},
            lambda g: np.mean([np.median(v) ** -5.0 for v in g.values()]) ** (-1 / 5),
        ),
    ],
)
def test_groups(made, how, wanted):
    challenge, files = made([{"id": "m", "metric": "nDCG@10", **how}])
    for each in board(challenge, files).submissions:
        of = {name: each.values["m"].per_list[n::3] for n, name in enumerate(TYPES)}
        assert each.values["m"].mean == pytest.approx(wanted(of), rel=1e-13)


EVERY = [
    *OTTO,
    {"id": "pooled", **RECALL, "average": "pooled"},
    {"id": "groups", **RECALL, "average": ["pooled", "group"], "aggregate": "power(-5)"},
    {"id": "sizes", "metric": "nDCG@10", "average": "domain", "weights": "size"},
    {"id": "gmap", "metric": "AP", "aggregate": "geometric(0.00001)"},
    {"id": "median", "metric": "AP", "aggregate": "median"},
    {"id": "weighted", "metric": "AP", "weights": "weight"},
    {"id": "drawn", "metric": "AP", "unit": "group"},
    {"id": "product", "score": "sqrt(ap*ndcg)"},
    {"id": "scaled", "score": "100*product + 0.1*median"},
    {"id": "ap", "metric": "AP"},
    {"id": "ndcg", "metric": "nDCG@10"},
]  # fmt: skip
IDS = [each["id"] for each in EVERY]


@pytest.mark.slow("scores random boards")
def test_the_order_of_submissions_changes_no_bytes(made):
    challenge, files = made(EVERY, draws=100)
    for primary in ("score", "groups", "median", "scaled"):
        specs = [m.model_copy(update={"primary": m.id == primary}) for m in challenge.metrics]
        own = challenge.model_copy(update={"metrics": tuple(specs)})
        texts = set()
        for order in itertools.permutations(files):
            report = board(own, order)
            bare = replace(report, submissions=())
            texts.add(report_format("leaderboard", "json").write(bare, Options(private=True)))
        assert len(texts) == 1


def card_of(plan, path):
    """The scorecard of a file, by a plan that came from elsewhere."""
    plan, findings = pickle.loads(plan), Findings()
    table = plan.read(path, findings).table
    return score_table(plan, table, findings).card.to_bytes()


@pytest.mark.slow("scores in processes")
def test_another_process_gives_the_same(made):
    challenge, files = made(EVERY)
    ready = open_challenge(bind(challenge))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(card_of, pickle.dumps(ready.plan), files[0]).result()
    (here, *_) = board(challenge, files).submissions
    card = Scorecard.from_bytes(there)
    for m in ready.measures:
        assert aggregate_values(card, m, ready.bound.undefined_rules).mean == here.values[m.id].mean


@pytest.mark.slow("scores random boards", beyond=2)
@pytest.mark.parametrize("primary", IDS)
def test_every_one_of_them_has_intervals_and_tests(made, primary):
    challenge, files = made(EVERY, draws=300)
    rows, sure = certain(challenge, files, primary)
    means = values(board(challenge, files), primary)
    assert np.isfinite(sure.p).all()
    if primary == "drawn":  # three groups can show nothing, and have no interval
        assert {ends for _, ends, _, _ in rows} == {None}
        assert sure.how.over == "groups"
        assert sure.how.units == 3
    else:
        for name, (low, high), _, _ in rows:
            assert low < means[name] < high
        assert sure.p[0, 2] <= 0.05  # the best of three against the worst
