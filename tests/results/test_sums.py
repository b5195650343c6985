"""Sums over blocks of lists add up to the same bits, however the blocks are shared out."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

import scorer
from scorer.results import sums
from scorer.results.sums import BLOCKS, ListSums, Unnamed, blocks_of, name_hashes
from scorer.stats.exact import exact_mean


def of(names, values):
    order = sorted(range(len(names)), key=names.__getitem__)
    hashes = name_hashes([names[n] for n in order], 1)
    return ListSums.of(np.array([values[n] for n in order]), hashes, 0, 0)


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("block", "total", "size", "which", "low", "high", "missing", "undefined")
    )


@rounds(100)
@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 400))
def test_any_split_of_the_blocks_in_any_order_gives_the_same_bits(seed, parts, lists):
    rng = np.random.default_rng(seed)
    names = [f"u{n}" for n in range(lists)]
    values = rng.random(lists) * 10.0 ** rng.integers(-12, 12, lists)
    values[rng.random(lists) < 0.1] = np.nan
    whole = of(names, values)
    part = blocks_of(name_hashes(names, 1)) % parts
    made = []
    for n in rng.permutation(parts).tolist():
        mine = rng.permutation(np.flatnonzero(part == n)).tolist()
        made.append(of([names[k] for k in mine], values[mine]))
    cut = int(rng.integers(1, parts))
    once, twice = made[:cut], made[cut:]
    merged = once[0].plus(once[1:]).plus([twice[0].plus(twice[1:])])
    assert same(merged, whole)
    known = values[~np.isnan(values)]
    assert merged.lists == known.size
    expected = math.fsum(known) / known.size if known.size else math.nan
    assert merged.mean == pytest.approx(expected, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("lists", [20_000, 30_001])
def test_sums_over_blocks_are_not_rounded_on_the_way(lists):
    values = np.resize([0.3, 0.5, 0.4, 0.1, 0.7], lists)
    found = of([f"u{n}" for n in range(lists)], values.tolist())
    assert found.sum == math.fsum(values)
    assert found.mean == exact_mean(values)


def test_infinite_values_have_infinite_sums():
    assert of(["a", "b"], [math.inf, 1.0]).mean == math.inf


def test_equal_values_have_their_own_mean_and_no_values_have_none():
    assert of(["a", "b", "c"], [0.1, 0.1, 0.1]).mean == 0.1
    assert math.isnan(of(["a"], [math.nan]).mean)
    assert math.isnan(of([], []).sum)


def test_which_lists_count_is_told_from_others():
    one = of(["a", "b", "c"], [1.0, math.nan, 0.0])
    assert one.which == of(["c", "b", "a"], [0.5, math.nan, 1.0]).which
    assert one.which != of(["a", "b", "c"], [1.0, 0.0, math.nan]).which


def test_blocks_are_the_same_everywhere_and_others_with_another_seed():
    # of no name nothing is mixed but the seed, of which SplitMix64 makes these numbers
    known = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [int(name_hashes([""], seed)[0]) for seed in (1, 2, 3)] == known
    names = [f"u{n}" for n in range(3 * BLOCKS)]
    one, other = (blocks_of(name_hashes(names, seed)) for seed in (1, 2))
    assert one.min() >= 0
    assert one.max() < BLOCKS
    assert (one == other).mean() < 0.001
    # as evenly as chance has it: the share of empty blocks is exp(-3)
    assert np.mean(np.bincount(one, minlength=BLOCKS) == 0) == pytest.approx(math.exp(-3), abs=0.01)


def mixed(number):
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        number = (number ^ number >> shift) * factor % 2**64
    return number ^ number >> 31


def hash_of(name, seed):
    """As it is described: the mixed words of eight bytes, the number of bytes, and the seed."""
    data, step = name.encode("utf-8", "surrogatepass"), 0x9E3779B97F4A7C15
    words = [int.from_bytes(data[n : n + 8], "little") for n in range(0, len(data), 8)]
    total = sum(mixed((word + n * step) % 2**64) for n, word in enumerate(words))
    return mixed((seed * step + len(data) + total) % 2**64)


@rounds(100)
@given(st.lists(st.text(st.characters(exclude_categories=())), max_size=9), st.integers(0, 2**65))
def test_each_name_has_the_hash_that_is_described(names, seed):
    assert name_hashes(names, seed).tolist() == [hash_of(name, seed) for name in names]


def test_names_are_hashed_alike_however_many_there_are(monkeypatch):
    monkeypatch.setattr(sums, "NAMES_TOGETHER", 3)
    names = ["q1", "a long name", "two\nlines", "ä", "", "\ud800", "12345678", "q1\0", "😀" * 20]
    found = name_hashes(names, 5).tolist()
    assert found == [hash_of(name, 5) for name in names]
    assert len(set(found)) == len(names)


def test_lists_without_names_are_only_counted():
    lists = Unnamed(3)
    assert len(lists) == 3
    assert list(lists) == []


YAML = "truth: truth.csv\nmetrics: [nDCG@2, RR, NumRet]\nleaderboard: {draws: 20000}\n"


@pytest.mark.slow("scores the same twice, by lists and by sums")
def test_a_report_of_sums_says_what_one_of_lists_says(tmp_path, monkeypatch):
    """Means but for their last digits, intervals and p-values but for other draws.

    Of 2,000 draws the ends differ by some 4 % of the width, of 20,000 by 1 %.
    """
    rng = np.random.default_rng(2)
    names = [f"u{n}" for n in range(2000)]
    (tmp_path / "challenge.yaml").write_text(YAML)
    rows = [f"{name},{item},{rng.integers(0, 3)}\n" for name in names for item in "ab"]
    (tmp_path / "truth.csv").write_text("list,item,grade\n" + "".join(rows))
    for run in ("one", "two", "three"):
        rows = [f"{name},{item},{rng.random()}\n" for name in names for item in "abc"]
        (tmp_path / f"{run}.csv").write_text("list,item,score\n" + "".join(rows))
    paths = [tmp_path / f"{run}.csv" for run in ("one", "two", "three")]
    lists = json.loads(scorer.score(tmp_path, paths).render("json", per_list=True))
    monkeypatch.setattr(sums, "MOST_SHOWN", 1999)
    report = scorer.score(tmp_path, paths)
    found = json.loads(report.render("json", per_list=True))
    for mine, other in zip(found["submissions"], lists["submissions"], strict=True):
        for key, value in mine["values"].items():
            assert value["mean"] == pytest.approx(other["values"][key]["mean"], rel=1e-12)
            assert value["per_list"] == other["values"][key]["per_list"]
    for mine, other in zip(found["leaderboard"], lists["leaderboard"], strict=True):
        assert (mine["name"], mine["tier"]) == (other["name"], other["tier"])
        width = other["interval"][1] - other["interval"][0]
        assert mine["interval"] == pytest.approx(other["interval"], abs=width / 20)
    mine, other = np.array(found["certainty"]["p"]), np.array(lists["certainty"]["p"])
    assert mine == pytest.approx(other, abs=0.06)
    assert found["certainty"]["lists"] == 2000
    assert found["certainty"]["how"]["units"] < 2000  # blocks that have a list
    detectable = lists["certainty"]["detectable"]
    assert found["certainty"]["detectable"] == pytest.approx(detectable, rel=0.05)
    monkeypatch.setattr(sums, "MOST_SHOWN", 2000)
    assert json.loads(scorer.score(tmp_path, paths).render("json", per_list=True)) == lists


def test_equal_submissions_have_equal_sums_and_no_interval_of_a_constant(tmp_path, monkeypatch):
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [RR]\n")
    names = [f"u{n}" for n in range(60)]
    (tmp_path / "truth.csv").write_text("list,item\n" + "".join(f"{n},a\n" for n in names))
    for run in ("one", "two"):
        rows = [f"{name},{item}\n" for name in names for item in ("x", "y", "a", run)]
        (tmp_path / f"{run}.csv").write_text("list,item\n" + "".join(rows))
    monkeypatch.setattr(sums, "MOST_SHOWN", 0)
    report = scorer.score(tmp_path, [tmp_path / "one.csv", tmp_path / "two.csv"])
    assert report.mean("one") == 1 / 3
    assert [row.interval for row in report.standings] == [(1 / 3, 1 / 3)] * 2
    assert report.certainty.p[0, 1] == 1.0
    assert [row.tier for row in report.standings] == [1, 1]
