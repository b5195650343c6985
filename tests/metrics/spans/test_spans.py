"""Metrics of spans and events against the plainest Python, and texts that are none."""

from dataclasses import replace
from itertools import permutations
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import values_of
from rounds import rounds
from tables import rows

from scorer.core.errors import ChallengeError, SubmissionRejected
from scorer.metrics.spans import check_span, parse_span
from scorer.testing import texts_view
from scorer.views.columns import Extras, NamedColumns

LAWS = rounds(60)
SPAN = st.tuples(st.sampled_from(["A", "B"]), st.integers(0, 6), st.integers(1, 4))
SIDE = st.lists(SPAN, unique=True, max_size=4)
LISTS = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=3)


def written(side):
    return [f"{kind} {start} {start + length}" for kind, start, length in side]


def view_of(lists):
    """From true and submitted (type, start, length)."""
    return texts_view(*((dict.fromkeys(written(mine), 1.0), written(true)) for true, mine in lists))


def most(true, mine, credit):
    """The most credit of pairs, over every way to pair."""
    short, long = sorted((true, mine), key=len)
    ordered = (lambda a, b: (a, b)) if short is true else (lambda a, b: (b, a))
    return max(
        sum(credit(*ordered(a, b)) for a, b in zip(short, chosen, strict=True))
        for chosen in permutations(long, len(short))
    )


def shared(a, b):
    return len({*range(a[1], a[1] + a[2])} & {*range(b[1], b[1] + b[2])})


def places(side):
    return {(kind, n) for kind, start, length in side for n in range(start, start + length)}


CREDITS = {
    "strict": lambda a, b: a == b,
    "exact": lambda a, b: a[1:] == b[1:],
    "partial": lambda a, b: 1 if a[1:] == b[1:] else (shared(a, b) > 0) / 2,
    "type": lambda a, b: a[0] == b[0] and shared(a, b) > 0,
    "overlap": lambda a, b: a[0] == b[0] and shared(a, b) >= max(a[2], b[2]) / 2 > 0,
}


def amounts(true, mine, match):
    if match == "units":
        return len(places(true) & places(mine)), len(places(true)), len(places(mine))
    return most(true, mine, CREDITS[match]), len(true), len(mine)


@pytest.mark.slow("scores random spans", beyond=1)
@pytest.mark.parametrize("match", [*CREDITS, "units"])
def test_f1_of_spans(match):
    @LAWS
    @given(LISTS)
    def holds(lists):
        rows = [amounts(*pair, match) for pair in lists]
        right, true, mine = map(sum, zip(*rows, strict=True))
        pooled = 2 * right / (true + mine) if true + mine else nan
        view = view_of(lists)
        assert values_of(f"SpanF1(match={match})", view) == pytest.approx(pooled, nan_ok=True)
        each = [2 * r / (t + m) if t + m else 1 for r, t, m in rows]
        assert values_of(f"SpanF1(match={match},average=lists)", view) == pytest.approx(each)
        kept = [[[s for s in side if s[0] == "A"] for side in pair] for pair in lists]
        only = values_of(f"SpanF1(match={match},only=A,average=lists)", view)
        assert only == pytest.approx(
            values_of(f"SpanF1(match={match},average=lists)", view_of(kept))
        )

    holds()


@pytest.mark.parametrize(("longer", "ends"), [(0, True), (0.5, True), (0, False)])
def test_f1_of_events(longer, ends):
    def fits(a, b):
        late = abs(a[1] + a[2] - b[1] - b[2]) <= max(1, longer * a[2])
        return a[0] == b[0] and abs(a[1] - b[1]) <= 1 and (late or not ends)

    @LAWS
    @given(LISTS)
    def holds(lists):
        rows = [(most(*pair, fits), *map(len, pair)) for pair in lists]
        each = [2 * r / (t + m) if t + m else 1 for r, t, m in rows]
        inside = f"tolerance=1,longer={longer},ends={str(ends).lower()},average=lists"
        assert values_of(f"EventF1({inside})", view_of(lists)) == pytest.approx(each)

    holds()


def event_ap(lists, tolerance):
    """As the competition's page says, an event after the other."""
    values = []
    for kind in {kind for true, _ in lists for kind, _ in true}:
        found, total = [], 0
        for true, mine in lists:
            times = [time for of, time in true if of == kind]
            total += len(times)
            for (of_kind, time), score in sorted(mine.items(), key=lambda pair: -pair[1]):
                if of_kind == kind:
                    near = [t for t in times if abs(t - time) < tolerance]
                    if near:
                        times.remove(min(near, key=lambda t: abs(t - time)))
                    found.append((score, bool(near)))
        value = recall = 0.0
        for threshold in sorted({score for score, _ in found}, reverse=True):
            above = [right for score, right in found if score >= threshold]
            value += (sum(above) / total - recall) * sum(above) / len(above)
            recall = sum(above) / total
        values.append(value)
    return np.mean(values) if values else nan


EVENT = st.tuples(st.sampled_from(["on", "off"]), st.integers(0, 12))
SCORED = st.dictionaries(EVENT, st.sampled_from([0.125, 0.25, 0.5, 0.75, 0.875]), max_size=6)


@LAWS
@given(st.lists(st.tuples(st.lists(EVENT, unique=True, max_size=4), SCORED), max_size=3))
def test_average_precision_of_events(lists):
    # times that lie between: two true events are equally near to none
    lists = [
        (true, {(k, t + 0.3): s - n / 100 for n, ((k, t), s) in enumerate(mine.items())})
        for true, mine in lists
    ]
    view = texts_view(
        *(
            ({f"{k} {t}": s for (k, t), s in mine.items()}, [f"{k} {t}" for k, t in true])
            for true, mine in lists
        )
    )
    for tolerance in (1, 2.5):
        found = values_of(f"EventAP(tolerances={tolerance})", view)
        assert found == pytest.approx(event_ap(lists, tolerance), nan_ok=True)
    both = np.mean([event_ap(lists, 1), event_ap(lists, 2.5)])
    assert values_of("EventAP(tolerances=[1,2.5])", view) == pytest.approx(both, nan_ok=True)


def test_types_of_a_column_are_those_before_the_numbers():
    view = texts_view(({"1 3": 0.5, "5 6": 0.4}, ["1 3", "5 6"]))
    kinds = np.array(["A", "B"], dtype=object), np.array(["A", "A"], dtype=object)
    truth, sent = (
        NamedColumns({"kind": column}, section)
        for column, section in zip(kinds, ("truth", "submission"), strict=True)
    )
    view = replace(view, extras=Extras(truth, sent))
    assert values_of("SpanF1", view) == 1
    assert values_of("SpanF1(kind=kind)", view) == 0.5
    assert values_of("SpanF1(kind=kind,only=A)", view) == pytest.approx(2 / 3)
    assert values_of("EventAP(kind=kind,tolerances=1)", view) == 0.5
    sent = NamedColumns({"class": kinds[1]}, "submission")
    view = replace(view, extras=Extras(truth, sent))
    assert values_of("SpanF1(kind=['kind','class'])", view) == 0.5
    with pytest.raises(ChallengeError, match="has no further column 'type'"):
        values_of("SpanF1(kind=type)", view)


@pytest.mark.parametrize(("text", "form", "span"), rows(__file__, "texts_as_spans"))
def test_texts_as_spans(text, form, span):
    found = parse_span(text, form)
    assert (found and list(found[:3])) == span
    if form == "ends":
        assert (check_span(text) is None) == (span is not None or text == "1 2 3 4")


def test_a_truth_that_is_no_span_is_the_organizers():
    with pytest.raises(ChallengeError, match="the truth's 'PER x' is no span"):
        values_of("SpanF1", texts_view(({"PER 1 2": 1}, ["PER x"])))
    assert values_of(
        "SpanF1", texts_view(({"PER x": 1, "PER 1 2": 1}, ["PER 1 2"]))
    ) == pytest.approx(2 / 3)


def test_many_spans_of_a_list_are_paired_in_parts_and_not_too_many():
    true = [f"A {n} {n + 1}" for n in range(1100)]
    given = {f"A {n} {n + 2}": 0.0 for n in range(1000)}
    assert values_of("SpanF1(match=type)", texts_view((given, true))) == pytest.approx(2000 / 2100)
    many = {f"A {n} {n + 2}": 0.0 for n in range(10_001)}
    for notation in ("SpanF1", "EventF1(tolerance=1)"):
        with pytest.raises(SubmissionRejected, match="'0' has 10,001 spans, more than 10,000"):
            values_of(notation, texts_view((many, true)))
