"""Metrics of texts against rapidfuzz, jiwer, rouge-score and sacrebleu, on random texts."""

import numpy as np
import pytest

from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.metrics.ratios import Figure, Ratio
from scorer.testing import texts_view

METRICS = metrics()
SENTENCE = "the The cat sat on a mat, U.S. été 42 naïve-ly well- кот 猫"
WORDS = SENTENCE.split()
SEEDS = range(20)


def drawn(seed, most=3):
    """Answers, and one to so many accepted texts each; none is empty."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 12))
    given = [" ".join(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(rows)]
    known = []
    for text in given:
        near = [w for w in [*text.split(), *rng.choice(WORDS, 3)] if rng.random() < 0.8] or ["cat"]
        far = [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(most - 1)]
        known.append(list(dict.fromkeys([" ".join(near), *far[: rng.integers(most)]])))
    return given, known


def of(notation, given, known):
    made = parse_measure(METRICS.get(parse(notation)[0]), notation)
    found = made.values(texts_view(*zip(given, known, strict=True)))
    if isinstance(found, Ratio | Figure):
        return found.pooled()
    return found.tolist()


def same(ours, theirs):
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_edits_are_rapidfuzzs(seed):
    peer = pytest.importorskip("rapidfuzz.distance").Levenshtein
    given, known = drawn(seed)
    pairs = list(zip(given, known, strict=True))
    same(of("EditDistance", *drawn(seed)), [min(peer.distance(a, b) for b in k) for a, k in pairs])
    same(
        of("EditDistance(unit=tokens,over=longer)", given, known),
        [min(peer.normalized_distance(a.split(), b.split()) for b in k) for a, k in pairs],
    )
    pooled = [(peer.distance(a, k[0]), len(k[0])) for a, k in pairs]
    same(
        of("EditDistance(over=truth,average=pooled)", given, [k[:1] for k in known]),
        np.sum(pooled, axis=0)[0] / np.sum(pooled, axis=0)[1],
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_error_rates_are_jiwers(seed):
    peer = pytest.importorskip("jiwer")
    given, known = drawn(seed, most=1)
    true = [k[0] for k in known]
    for name, function in {"WER": peer.wer, "CER": peer.cer}.items():
        same(of(name, given, known), function(true, given))
        rows = [function(b, a) for a, b in zip(given, true, strict=True)]
        same(of(f"{name}(average=lists)", given, known), rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_rouge_l_is_rouge_scores(seed):
    module = pytest.importorskip("rouge_score.rouge_scorer")
    peer = module.RougeScorer(["rougeL"], use_stemmer=False)
    given, known = drawn(seed)
    rows = zip(given, known, strict=True)
    same(
        of("ROUGE_L", given, known),
        [max(peer.score(b, a)["rougeL"].fmeasure for b in k) for a, k in rows],
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("ours", "theirs", "asked"),
    [
        ("BLEU", "BLEU", {}),
        ("BLEU(lowercase=true,tokenize=intl)", "BLEU", {"lowercase": True, "tokenize": "intl"}),
        ("BLEU(smooth='add-k')", "BLEU", {"smooth_method": "add-k"}),
        ("chrF", "CHRF", {}),
        ("chrF(words=2,lowercase=true)", "CHRF", {"word_order": 2, "lowercase": True}),
        ("chrF(beta=1,characters=3)", "CHRF", {"beta": 1, "char_order": 3}),
    ],
)
def test_values_of_a_corpus_and_its_rows_are_sacrebleus(seed, ours, theirs, asked):
    metrics = pytest.importorskip("sacrebleu.metrics")
    given, known = drawn(seed)
    peer = getattr(metrics, theirs)(**asked)
    most = max(map(len, known))
    documents = [[k[n] if n < len(k) else None for k in known] for n in range(most)]
    same(of(ours, given, known), peer.corpus_score(given, documents).score)
    if theirs == "BLEU":
        peer = getattr(metrics, theirs)(**asked, effective_order=True)
    rows = [peer.sentence_score(a, k).score for a, k in zip(given, known, strict=True)]
    by_list = ours.replace("(", "(average=lists,") if "(" in ours else f"{ours}(average=lists)"
    same(of(by_list, given, known), rows)
