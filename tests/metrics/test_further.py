"""Metrics that look at scores, texts, tags, classes of items and columns of lists."""

import re
import string
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import log2, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import values_of
from rounds import rounds

from scorer.metrics.tags import find_chunks
from scorer.testing import scored_view, texts_view
from scorer.views.columns import Extras, NamedColumns

LAWS = rounds(40)


# Fmax

SCORES = st.dictionaries(
    st.sampled_from("abcdef"), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.99, 1.0])
)
TRUTH = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 1.0, 2.0]))


def best_f1(lists, steps, rel, average, weight):
    lists = [(s, {x for x in truth if truth[x] >= rel}) for s, truth in lists]
    lists = [(s, known) for s, known in lists if known]
    if not lists:
        return nan
    worth = (
        (lambda items: float(len(items)))
        if weight is None
        else (lambda items: sum(weight[x] for x in items))
    )
    found = []
    for step in range(1, steps + 1):
        kept = [({x for x in s if s[x] >= step / steps - 1e-9}, known) for s, known in lists]
        if average == "pooled":
            right = sum(worth(mine & known) for mine, known in kept)
            p = right / (sum(worth(mine) for mine, _ in kept) or 1)
            r = right / sum(worth(known) for _, known in kept)
        else:
            some = [(mine, known) for mine, known in kept if worth(mine)]
            p = sum(worth(m & t) / worth(m) for m, t in some) / (len(some) or 1)
            r = sum(worth(m & t) / worth(t) for m, t in kept) / len(kept)
        found.append(2 * p * r / (p + r) if p + r else 0.0)
    return max(found)


@pytest.mark.parametrize("average", ["lists", "pooled"])
@pytest.mark.parametrize("weighted", [False, True])
def test_fmax(average, weighted):
    weight = {x: 1 + n / 2 for n, x in enumerate("abcdef")} if weighted else None
    inside = f"average={average},steps=20" + (",weight=ic" if weighted else "")

    @LAWS
    @given(st.lists(st.tuples(SCORES, TRUTH), min_size=1, max_size=4), st.sampled_from([1, 2]))
    def holds(lists, rel):
        item = {"ic": weight} if weighted else None
        found = values_of(f"Fmax({inside},rel={rel})", scored_view(*lists, item=item))
        wanted = best_f1(lists, 20, rel, average, weight)
        assert found == pytest.approx(wanted, nan_ok=True)

    holds()


# Pairs of scored items


def right_pairs(scores, truth, epsilon):
    """How many pairs of the truth are ordered or tied alike, and how many there are."""
    pairs = list(combinations(truth, 2))
    right = 0
    for a, b in pairs:
        if a in scores and b in scores:
            mine, true = scores[a] - scores[b], truth[a] - truth[b]
            right += true == 0 if abs(mine) <= epsilon else mine * true > 0
    return right, len(pairs)


@LAWS
@given(st.lists(st.tuples(SCORES, TRUTH), min_size=1, max_size=4))
def test_pairs_and_ties(lists):
    view = scored_view(*lists)

    def shares(epsilon, average):
        pairs = np.array([right_pairs(*pair, epsilon) for pair in lists], dtype=float)
        if average == "pooled":
            part, whole = pairs.sum(axis=0)
            return part / whole if whole else nan
        values = [part / whole for part, whole in pairs if whole]
        return sum(values) / len(values) if values else nan

    for epsilon in (0, 0.25):
        values = values_of(f"AccEq(epsilon={epsilon})", view)
        mean = np.nanmean(values) if (~np.isnan(values)).any() else nan
        assert mean == pytest.approx(shares(epsilon, "lists"), nan_ok=True)
        pooled = values_of(f"AccEq(epsilon={epsilon},average=pooled)", view)
        assert pooled == pytest.approx(shares(epsilon, "pooled"), nan_ok=True)
    apart = {abs(a - b) for scores, _ in lists for a in scores.values() for b in scores.values()}
    for average in ("lists", "pooled"):
        best = max(shares(epsilon, average) for epsilon in sorted({0.0, *apart}))
        found = values_of(f"AccEqCalibrated(average={average})", view)
        assert found == pytest.approx(best, nan_ok=True)


@LAWS
@given(st.lists(st.tuples(st.sampled_from("xy"), SCORES, TRUTH), min_size=1, max_size=5))
def test_pairs_of_systems(segments):
    truths = [
        (mine, list(truth), np.array(list(truth.values()), dtype=float))
        for _, mine, truth in segments
    ]
    view = texts_view(*((mine, names) for mine, names, _ in truths))
    group = np.array([name for name, _, _ in segments], dtype=object)
    grades = np.concatenate([grade for _, _, grade in truths])
    extras = Extras(list=NamedColumns({"group": group}, "list"))
    found = values_of("PairwiseAccuracy", replace(view, grade=grades, extras=extras))
    right = pairs = 0
    for name in "xy":
        of_group = [(mine, truth) for each, mine, truth in segments if each == name]
        systems = sorted({system for _, truth in of_group for system in truth})
        means = {
            s: np.mean([(mine.get(s, nan), truth[s]) for mine, truth in of_group if s in truth], 0)
            for s in systems
        }
        for a, b in combinations(systems, 2):
            mine, true = np.sign(means[a] - means[b])
            right, pairs = right + (mine == true), pairs + 1
    assert found == pytest.approx(right / pairs if pairs else nan, nan_ok=True)


# Texts


def squad(text):
    """SQuAD's own normalization, step by step."""
    text = "".join(ch for ch in text.lower() if ch not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def token_f1(answer, accepted):
    mine, theirs = squad(answer).split(), squad(accepted).split()
    if not mine or not theirs:
        return float(mine == theirs)
    same = sum((Counter(mine) & Counter(theirs)).values())
    if not same:
        return 0.0
    p, r = same / len(mine), same / len(theirs)
    return 2 * p * r / (p + r)


WORDS = st.lists(st.sampled_from(["The", "a", "Nile,", "nile", "river", "U.S.", "2"]), max_size=4)
TEXT = WORDS.map(" ".join)


@LAWS
@given(st.lists(st.tuples(st.none() | TEXT, st.lists(TEXT, unique=True)), min_size=1, max_size=4))
def test_texts(lists):
    view = texts_view(*lists)
    exact = [
        float(squad(text or "") in map(squad, known) if known else not squad(text or ""))
        for text, known in lists
    ]
    assert values_of("ExactMatch", view).tolist() == exact
    f1 = [max(token_f1(text or "", each) for each in known or [""]) for text, known in lists]
    assert values_of("TokenF1", view).tolist() == pytest.approx(f1)
    plain = [float(text in known if known else not text) for text, known in lists if text]
    given_texts = texts_view(*((text, known) for text, known in lists if text))
    assert values_of("ExactMatch(normalize=plain)", given_texts).tolist() == plain


# Chunks


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ("B-PER I-PER O B-LOC", [(0, 2, "PER"), (3, 4, "LOC")]),
        ("I-PER I-PER I-LOC O", [(0, 2, "PER"), (2, 3, "LOC")]),
        ("B-PER B-PER", [(0, 1, "PER"), (1, 2, "PER")]),
        ("S-PER B-LOC E-LOC I-LOC", [(0, 1, "PER"), (1, 3, "LOC"), (3, 4, "LOC")]),
        ("O O", []),
        ("", []),
        ("B I O I", [(0, 2, "_"), (3, 4, "_")]),
    ],
)
def test_chunks(tags, found):
    assert list(find_chunks(tags.split())) == found


def test_chunks_are_seqevals():
    scheme = pytest.importorskip(
        "seqeval.metrics.sequence_labeling", reason="seqeval is missing: pip install seqeval"
    )
    rng = np.random.default_rng(1)
    marks = ["O", "B-A", "I-A", "B-B", "I-B", "E-A", "S-B"]
    for _ in range(200):
        tags = [marks[n] for n in rng.integers(0, len(marks), rng.integers(1, 9))]
        theirs = [(first, last + 1, kind) for kind, first, last in scheme.get_entities(tags)]
        assert list(find_chunks(tags)) == theirs, tags


# Attention


def divergence(p, q):
    def to_middle(one):
        return sum(x * log2(2 * x / (a + b)) for x, a, b in zip(one, p, q, strict=True) if x)

    return (to_middle(p) + to_middle(q)) / 2


def fairness(scores, truth, group, k, target):
    ranked = sorted(scores, key=lambda item: -scores[item])[:k]
    sums = [sum(group[x][c] / log2(max(n, 2)) for n, x in enumerate(ranked, 1)) for c in (0, 1)]
    if target is None:
        target = [sum(group[x][c] for x in truth if truth[x] >= 1) for c in (0, 1)]
    if not sum(target):
        return nan
    if not sum(sums):
        return 0.0
    mine, wanted = ([x / sum(side) for x in side] for side in (sums, target))
    return 1 - divergence(mine, wanted)


@LAWS
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from("abcdef"), unique=True).map(
                lambda items: {item: 9.0 - n for n, item in enumerate(items)}
            ),
            TRUTH,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_awrf(lists):
    shares = [[1, 0], [0, 1], [0.5, 0.5], [0.25, 0.75], [0, 0], [0, 0.5]]
    group = dict(zip("abcdef", shares, strict=True))
    view = scored_view(*lists, item={"group": group})
    found = values_of("AWRF", view)
    assert found.tolist() == pytest.approx(
        [fairness(*pair, group, None, None) for pair in lists], nan_ok=True
    )
    assert values_of("AWRF@2", view).tolist() == pytest.approx(
        [fairness(*pair, group, 2, None) for pair in lists], nan_ok=True
    )
    levels = {"group": ("x", "y")}
    extras = view.extras._replace(item=NamedColumns(dict(view.extras.item), "item", levels))
    wanted = np.tile([0.25, 0.5], (len(lists), 1))
    extras = extras._replace(
        list=NamedColumns({"group": wanted[:, ::-1]}, "list", {"group": ("y", "x")})
    )
    given_targets = replace(view, extras=extras)
    assert values_of("AWRF(target=lists)", given_targets).tolist() == pytest.approx(
        [fairness(*pair, group, None, [0.25, 0.5]) for pair in lists]
    )


@LAWS
@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([1, 2, 3, 4]), min_size=1),
            st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 1.0]), min_size=1),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([0.0, 0.25, 1.0]),
)
def test_classrprec(lists, credit):
    group = dict(zip("abcdef", ["x", "x", "y", "z", "", "y"], strict=True))
    wanted = []
    for scores, truth in lists:
        relevant = {x for x in truth if truth[x] >= 1}
        top = sorted(scores, key=lambda x, s=scores: -s[x])[: len(relevant)]
        classes = ({group[x] for x in top} & {group[x] for x in relevant}) - {""}
        share = len(relevant & set(top)) + credit * len(classes)
        wanted.append(share / len(relevant) if relevant else nan)
    view = scored_view(*lists, item={"group": group})
    found = values_of(f"ClassRprec(credit={credit})", view)
    assert found.tolist() == pytest.approx(wanted, nan_ok=True)


# In files


def test_errors_are_scaled_by_the_columns_of_lists(challenge, score):
    folder = challenge(
        "truth: {file: truth.csv, columns: {list: series, item: day, rating: sold}}\n"
        "lists: {file: lists.csv, columns: {list: series, "
        "extra: {scale: number, weight: number}}}\n"
        "submission: {columns: {list: series, item: day, prediction: sold}}\nmetrics: [WRMSSE]\n",
        **{
            "truth.csv": "series,day,sold\na,1,5\na,2,3\nb,1,2\n",
            "lists.csv": "series,scale,weight\na,4,3\nb,1,1\n",
            "sub.csv": "series,day,sold\na,1,4\na,2,4\nb,1,4\n",
        },
    )
    found = score(folder, folder / "sub.csv", "--format", "json").means()
    assert found == {"WRMSSE": pytest.approx(3 / 4 * sqrt(1 / 4) + 1 / 4 * 2)}
