"""Metrics of spans and events against seqeval, nervaluate and mir_eval, on random ones."""

import numpy as np
import pytest

from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.metrics.ratios import Figure, Ratio
from scorer.metrics.tags import find_chunks
from scorer.testing import texts_view

METRICS = metrics()
SEEDS = range(20)


def of(notation, *lists):
    """Of the true and the submitted spans of each list."""
    made = parse_measure(METRICS.get(parse(notation)[0]), notation)
    view = texts_view(*((dict.fromkeys(mine, 1.0), true) for true, mine in lists))
    found = made.values(view)
    if isinstance(found, Ratio | Figure):
        return found.pooled()
    return found.tolist()


def same(ours, theirs):
    assert ours == pytest.approx(float(theirs), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_strict_spans_of_tags_are_seqevals(seed):
    peer = pytest.importorskip("seqeval.metrics")
    rng = np.random.default_rng(seed)
    tags = np.array(["O", "B-A", "I-A", "B-B", "I-B"])
    true = [tags[rng.integers(5, size=rng.integers(1, 12))].tolist() for _ in range(6)]
    given = [[tags[rng.integers(5)] if rng.random() < 0.3 else t for t in row] for row in true]
    true[0] = ["B-A", *true[0]]  # seqeval warns where there is no chunk at all
    given[0] = ["B-A", *given[0]]
    texts = [
        [[f"{kind} {first} {end}" for first, end, kind in find_chunks(row)] for row in pair]
        for pair in zip(true, given, strict=True)
    ]
    same(of("SpanF1", *texts), peer.f1_score(true, given))


def row(rng):
    """A true span of a list's ten places, or none, and one that is submitted; they may overlap."""
    first, second = sorted(rng.choice(8, 2, replace=False).tolist())
    true = (str(rng.choice(["A", "B"])), first, second)
    moved = [int(rng.integers(-1, 2)) * (rng.random() < 0.5) for _ in range(2)]
    given = (str(rng.choice([true[0], "B"])), first + moved[0], max(second, first + 1) + moved[1])
    return true, (given if given[1] <= given[2] else true)


@pytest.mark.parametrize("seed", SEEDS)
def test_spans_are_nervaluates(seed):
    """Whose ends are in the span, and whose pairs are found in turn: one overlaps one here."""
    peer = pytest.importorskip("nervaluate")
    rng = np.random.default_rng(seed)
    lists = []
    for _ in range(5):
        sides = [], []
        for n in range(int(rng.integers(1, 4))):
            for side, (kind, first, last) in zip(sides, row(rng), strict=True):
                if rng.random() < 0.8:
                    side.append((kind, 20 * n + first + 1, 20 * n + last + 1))
        lists.append(sides)
    asked = [
        [[{"label": k, "start": a, "end": b} for k, a, b in side] for side in sides]
        for sides in zip(*lists, strict=True)
    ]
    found = peer.Evaluator(*asked, tags=["A", "B"], loader="dict").evaluate()["overall"]
    texts = [[[f"{k} {a} {b + 1}" for k, a, b in side] for side in sides] for sides in lists]
    for ours, theirs in {
        "strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"
    }.items():  # fmt: skip
        same(of(f"SpanF1(match={ours})", *texts), found[theirs].f1)


@pytest.mark.parametrize("seed", SEEDS)
def test_events_are_mir_evals(seed):
    onset = pytest.importorskip("mir_eval.onset")
    transcription = pytest.importorskip("mir_eval.transcription")
    rng = np.random.default_rng(seed)
    true, given = (np.sort(rng.choice(400, int(rng.integers(1, 40)), False)) / 100 for _ in "ab")
    times = [list(map(str, side.tolist())) for side in (true, given)]
    theirs, _, _ = onset.f_measure(true, given, window=0.055)
    same(of("EventF1(tolerance=0.055,ends=false)", times), theirs)
    spans = [np.column_stack([side, side + rng.integers(1, 60, side.size) / 100])
             for side in (true, given)]  # fmt: skip
    texts = [[f"{a} {b}" for a, b in side.tolist()] for side in spans]
    pitch = [np.full(side.size, 440.0) for side in (true, given)]
    _, _, theirs, _ = transcription.precision_recall_f1_overlap(
        spans[0], pitch[0], spans[1], pitch[1], onset_tolerance=0.1, offset_ratio=0.2,
        offset_min_tolerance=0.1,
    )  # fmt: skip
    same(of("EventF1(tolerance=0.1,longer=0.2)", texts), theirs)


def taken(true, given, tolerance):
    """Of events, best first, whether each takes the nearest true one that is left and so near."""
    left, right = list(true), []
    for time in given:
        near = [(abs(time - each), each) for each in left if abs(time - each) < tolerance]
        right.append(bool(near))
        if near:
            left.remove(min(near)[1])
    return right


@pytest.mark.parametrize("seed", SEEDS)
def test_events_are_matched_and_averaged_as_in_detect_sleep_states(seed):
    """Scikit-learn's average precision of the matches, by the share of true events matched."""
    sk = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    series, wanted, tolerances = [], [], (3, 8, 20)
    for _ in ("onset", "wakeup"):
        series.append([
            (rng.choice(300, int(rng.integers(1, 9)), False), rng.choice(300, 12, False),
             rng.permutation(10**6)[:12] / 10**6)
            for _ in range(4)
        ])  # fmt: skip
        for tolerance in tolerances:
            hits = [taken(true, given[np.argsort(-score)], tolerance)
                    for true, given, score in series[-1]]  # fmt: skip
            hits = np.concatenate(hits)
            score = np.concatenate([np.sort(score)[::-1] for _, _, score in series[-1]])
            events = sum(true.size for true, _, _ in series[-1])
            area = sk.average_precision_score(hits, score) if hits.any() else 0.0
            wanted.append(area * hits.sum() / events)
    cells = [
        (
            {
                f"{kind} {time}": float(score)
                for kind, part in zip(("onset", "wakeup"), parts, strict=True)
                for time, score in zip(*part[1:], strict=True)
            },
            [
                f"{kind} {time}"
                for kind, part in zip(("onset", "wakeup"), parts, strict=True)
                for time in part[0]
            ],
        )
        for parts in zip(*series, strict=True)
    ]
    made = parse_measure(METRICS.get("EventAP"), "EventAP(tolerances=[3,8,20])")
    found = made.values(texts_view(*cells))
    same(found.pooled(), np.mean(wanted))
