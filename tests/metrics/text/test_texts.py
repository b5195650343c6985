"""Metrics of texts against the plainest Python, in the metrics' files."""

import math
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import values_of
from rounds import rounds
from variants import EVERY, METRICS, described, oracle_params

from scorer.core.errors import ChallengeError
from scorer.metrics.explain import explain
from scorer.metrics.notation import parse, parse_measure
from scorer.metrics.steps import OneList
from scorer.metrics.text import common_length, edit_distance
from scorer.testing import texts_view
from scorer.views.ranked import Names
from scorer.views.texts import Texts

OURS = [metric for metric in EVERY if metric.view is Texts and described(metric).oracle]
VARIANTS = [notation for metric in OURS for notation in described(metric).variants]
WORDS = ["The", "a", "Nile,", "nile", "U.S.", " ", "é2", "Mari\u0301a", "नमस्ते"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
LISTS = st.lists(st.tuples(st.none() | TEXT, st.lists(TEXT, unique=True)), min_size=1, max_size=4)


def normal(text, how):
    if how == "squad":
        kept = "".join(" " if x == "-" else x for x in text.lower() if x not in string.punctuation)
        return " ".join(word for word in kept.split() if word not in ("a", "an", "the"))
    return text.lower() if how == "lower" else text


@pytest.mark.slow("scores random texts", beyond=2)
@pytest.mark.parametrize("notation", VARIANTS)
def test_values_are_those_of_the_oracle(notation):
    made = parse_measure(METRICS.get(parse(notation)[0]), notation)
    how = made.params.get("normalize", "plain")

    @rounds(60)
    @given(LISTS)
    def holds(lists):
        pairs = np.array(
            [
                described(made.metric).oracle(
                    normal(text or "", how),
                    [normal(each, how) for each in known if made.params["rel"] == 1],
                    **oracle_params(made),
                )
                for text, known in lists
            ],
            dtype=float,
        )
        found = values_of(notation, texts_view(*lists))
        low, high = made.metric.range
        if made.params.get("average") == "pooled":
            part, whole = pairs.sum(axis=0)
            assert found == pytest.approx(part / whole if whole else np.nan, nan_ok=True)
            return
        assert found == pytest.approx(pairs[:, 0] / pairs[:, 1])
        assert ((low <= found) & (found <= (high or np.inf))).all()

    holds()


@pytest.mark.parametrize("seed", range(20))
def test_long_sequences_by_bits_are_those_of_the_table(seed):
    rng = np.random.default_rng(seed)
    first, second = (rng.integers(4, size=rng.integers(150)).tolist() for _ in range(2))
    table = described(METRICS.get("EditDistance")).oracle.__globals__
    assert edit_distance(first, second) == table["distance"](first, second)
    one, other = (" ".join(map(str, each)) for each in (first, second))
    twice, _ = described(METRICS.get("ROUGE_L")).oracle(one, [other], 1, "words")
    assert 2 * common_length(first, second) == twice


@pytest.mark.parametrize("name", ["BLEU", "chrF"])
def test_sums_of_rows_are_the_value_of_all_rows(name):
    """sacrebleu's own values of a corpus are in tests/peers."""
    rows = [
        ("the cat", ["the cat sat", "a cat"]),
        (None, ["dog"]),
        ("x y", []),
        ("So it is", ["so"]),
    ]
    one, other = texts_view(*rows), texts_view(*rows, *rows)
    assert values_of(name, other) == pytest.approx(values_of(name, one))
    assert len(values_of(f"{name}(average=lists)", one)) == 4
    perfect = texts_view(("the cat sat there", ["the cat sat there"]))
    assert values_of(name, perfect) == pytest.approx(100)
    assert values_of(name, texts_view((None, ["dog"]))) == 0


SEEN = [n for m in EVERY if m.view is Texts for n in described(m).variants]


@pytest.mark.parametrize("notation", SEEN)
@pytest.mark.parametrize("submitted", [{"A 1 2": 2.0, "B 3 5": 1.0}, {"A 1 4": 1.0}, {}])
def test_explanations_end_in_the_value(notation, submitted):
    made = parse_measure(METRICS.get(parse(notation)[0]), notation)
    view = texts_view((submitted, ["A 1 2", "A 3 5"]))
    value = float(np.ravel(values_of(notation, view))[0])
    listing = OneList(view, Names((), (), np.empty(0), np.empty(0)))
    steps = list(explain(made, listing, value))
    if math.isnan(value):
        assert "undefined" in steps[-1].text
        return
    assert steps[-1].value == value
    said = steps[-1].write_numbers(repr).replace("×", "*")
    assert eval(said) == pytest.approx(value)


@pytest.mark.parametrize("name", ["BLEU", "chrF"])
def test_without_sacrebleu_it_is_told_what_to_install(name, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu", None)
    with pytest.raises(ChallengeError, match=rf"{name} needs the package sacrebleu: pip install"):
        values_of(name, texts_view(("a", ["a"])))
