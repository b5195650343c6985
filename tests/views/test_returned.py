"""Beyond accuracy: a plain oracle, worked numbers, the laws, and what a challenge must have."""

import math
from itertools import combinations

import numpy as np
import pytest
from cards import assert_same_lists
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.challenge.public import Public
from scorer.core.problems import Findings
from scorer.kinds import find_kind
from scorer.kinds.base import SideTables
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse_measure
from scorer.reading.table import make_table
from scorer.results.scorecard import Rules
from scorer.scoring.aggregate import aggregate_values
from scorer.scoring.evaluate import score
from scorer.views.ranked import Judged
from scorer.views.recommendations import Returned

LAWS = rounds(60)
KIND = find_kind("grades")
CATALOGUE = "abcdef"
FEATURES = {"a": (1, 0, 0), "b": (1, 1, 0), "c": (0, 0, 0), "d": (0, 3, 1), "e": (0, 0, 0),
            "f": (2, 0, 0)}  # fmt: skip
VARIANTS = """
CatalogueCoverage@1 CatalogueCoverage@3 ListCoverage Gini@2 Gini@5 Entropy@2 Entropy@5 Novelty@1
Novelty@3 Novelty(base=interactions)@3 Novelty(users=50)@2 ILD@2 ILD@5 ILD(distance=jaccard)@4
Serendipity(expected=1)@3 Serendipity(expected=3,rel=2)@5 Serendipity(expected=history)@3
Serendipity(expected=history,distance=jaccard)@5
"""
NOTATIONS = VARIANTS.split()
MEASURES = [
    parse_measure(metrics().get(n.partition("@")[0].partition("(")[0]), n) for n in NOTATIONS
]
SKIP = Rules("skip", "skip")

items = st.lists(st.sampled_from(CATALOGUE), unique=True, max_size=6)
one = st.tuples(items, st.dictionaries(st.sampled_from(CATALOGUE), st.integers(0, 3), max_size=4))
many = st.lists(st.tuples(one, items), min_size=1, max_size=6)


def table(rows, **numbers):
    """A table of rows `(list, item)` or `(item,)`."""
    roles = ("list", "item")[-len(rows[0]) if rows else 0 :]
    ids = {role: [row[n] for row in rows] for n, role in enumerate(roles)}
    return make_table(ids | numbers)


def names_of(lists):
    return [f"q{n}" for n in range(len(lists))]


def pasts(lists):
    return {name: past for name, (_, past) in zip(names_of(lists), lists, strict=True)}


def card(lists, only=None, catalogue=CATALOGUE, shuffled=None):
    """The scorecard of some of the lists: ((returned, truth), past items) each."""
    names = [n for n in names_of(lists) if only is None or n in only]
    chosen = {n: one for n, (one, _) in zip(names_of(lists), lists, strict=True) if n in names}
    graded = [(n, item, grade) for n, (_, truth) in chosen.items() for item, grade in truth.items()]
    given = [(n, i, k) for n, (got, _) in chosen.items() for k, i in enumerate(got, start=1)]
    past = [(name, item) for name, items in pasts(lists).items() for item in items]
    if shuffled is not None:
        for rows in (graded, given, past):
            shuffled.shuffle(rows)
    columns = list(zip(*(FEATURES[i] for i in catalogue), strict=True))
    features = {f"features[{n}]": column for n, column in enumerate(columns)}
    aids = SideTables(
        Public("grades", dict.fromkeys(names), dict.fromkeys(catalogue)),
        {"items": table([(i,) for i in catalogue], **features), "history": table(past)},
        tuple(features),
    )
    answers = KIND.open(
        table([row[:2] for row in graded], grade=[row[2] for row in graded]), aids, Findings()
    )
    meeting = answers.join(
        table([row[:2] for row in given], rank=[row[2] for row in given]),
        "item-desc",
        frozenset({Judged, Returned}),
    )
    bound = [each.resolve(answers.constants) for each in MEASURES]
    return score(meeting, answers.lists, bound), bound


def values(found, bound):
    return {each.id: aggregate_values(found, each, {each.id: SKIP}) for each in bound}


def apart(first, second, distance):
    """The distance of two items, as plainly as can be."""
    x, y = FEATURES[first], FEATURES[second]
    if distance == "jaccard":
        either = sum(bool(p or q) for p, q in zip(x, y, strict=True))
        both = sum(bool(p and q) for p, q in zip(x, y, strict=True))
        return 1 - both / either if either else 0
    lengths = math.hypot(*x) * math.hypot(*y)
    return 1 - sum(p * q for p, q in zip(x, y, strict=True)) / lengths if lengths else 1


def oracle(each, lists):
    """What a measure says of all lists: one value, or one a list."""
    name, at = each.metric.name, dict(each.params)
    k = at.get("k")
    tops = [got[:k] for (got, _), _ in lists]
    counts = {i: sum(top.count(i) for top in tops) for i in CATALOGUE}
    total = sum(counts.values())
    known = {i: sum(i in past for past in pasts(lists).values()) for i in CATALOGUE}
    users = at.get("users") or sum(bool(past) for past in pasts(lists).values())
    if name == "ListCoverage":
        return sum(bool(got) for (got, _), _ in lists) / len(lists)
    if name == "CatalogueCoverage":
        return sum(count > 0 for count in counts.values()) / len(CATALOGUE)
    if name == "Gini":
        p = sorted(count / total for count in counts.values()) if total else [math.nan]
        n = len(CATALOGUE)
        return sum((2 * j - n - 1) * p_j for j, p_j in enumerate(p, start=1)) / (n - 1)
    if name == "Entropy":
        shares = [count / total for count in counts.values() if count]
        return sum(-p * math.log2(p) for p in shares) if total else math.nan
    popular = sorted(CATALOGUE, key=lambda item: (-known[item], item))
    found = []
    for ((_, truth), past), top in zip(lists, tops, strict=True):
        if name == "Novelty":
            base = sum(known.values()) if at["base"] == "interactions" else users
            parts = [-math.log2(max(known[i], 1) / base) for i in top]
            found.append(sum(parts) / len(parts) if parts else math.nan)
        elif name == "ILD":
            parts = [apart(x, y, at["distance"]) for x, y in combinations(top, 2)]
            found.append(sum(parts) / len(parts) if parts else math.nan)
        elif at["expected"] == "history":
            hits = [i for i in top if truth.get(i, -1) >= at["rel"]]
            far = [[apart(i, j, at["distance"]) for j in past] for i in hits]
            found.append(sum(sum(f) / len(f) if f else 1 for f in far) / k)
        else:
            hits = [i for i in top if truth.get(i, -1) >= at["rel"]]
            found.append(sum(i not in popular[: at["expected"]] for i in hits) / k)
    return found


def fair(lists):
    """Whether somebody knows something, and something is returned."""
    return any(past for _, past in lists) and any(got for (got, _), _ in lists)


@LAWS
@given(many.filter(fair))
def test_a_plain_oracle_says_the_same(lists):
    found, bound = card(lists)
    for each, value in zip(bound, values(found, bound).values(), strict=True):
        expected = oracle(each, lists)
        if value.per_list is None:
            assert value.mean == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), each.id
        else:
            got = found.values[each.id]
            got = np.where(got == -np.inf, np.nan, got)  # no value, and not because of the truth
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12, err_msg=each.id)


@pytest.mark.slow("scores random lists")
@LAWS
@given(many.filter(fair), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_other_lists_change_a_bit(lists, random):
    whole, _ = card(lists)
    catalogue = "".join(random.sample(CATALOGUE, len(CATALOGUE)))
    assert card(lists, catalogue=catalogue, shuffled=random)[0].to_bytes() == whole.to_bytes()
    half = {name for name in names_of(lists) if random.random() < 0.5}
    parts = [
        card(lists, part)[0] for part in (half, set(names_of(lists)) - half) if part
    ]  # fmt: skip
    assert_same_lists(parts, whole)
