"""The laws and cases of `scorer.testing`, held against metrics that break each of them."""

import sys
from pathlib import Path

import numpy as np
import pytest
from variants import NOTATIONS

import scorer
from scorer import Floats, Judged, Ranked, Ratio, Targets, metric
from scorer.core.errors import PluginError
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.testing import cases, judged_view, laws

ONE_EACH = {parse(notation)[0]: notation for notation in NOTATIONS}


@pytest.mark.slow("tries every metric", beyond=1)
@pytest.mark.parametrize("notation", ONE_EACH.values())
def test_every_metric_keeps_the_laws(notation, monkeypatch):
    monkeypatch.setattr("scorer.testing.assertions.TRIES", 30)  # each has an oracle, too
    found = metrics().get(parse(notation)[0])
    params = parse_measure(found, notation).params
    laws(found.function, **{key: value for key, value in params.items() if value is not None})


def a_metric(view=Judged, result=lambda view: view.hits.total(), **facts):
    """A metric that gives `result` of what it looks at."""

    def mine(seen: view) -> Floats:
        return result(seen)

    mine.__doc__ = facts.pop("page", "What this test says.")
    facts = {"title": "A test's own", "source": "this test", "range": (0, None), **facts}
    metric("Mine", **facts)(mine)
    return mine


@pytest.mark.slow("tries every metric")
def test_an_example_of_a_plugin(tmp_path):
    @metric("Firsts", title="Grades on top", source="this test", range=(0, None))
    def firsts(ranked: Ranked, *, k: int = 1) -> float:
        """The sum of the first grades."""
        return float(np.nansum(np.maximum(ranked.grades[:k], 0)))

    laws(firsts)
    laws(firsts, k=3)
    table = tmp_path / "firsts.yaml"
    table.write_text(
        "- cite: by hand\n"
        "  lists: [{returned: [b, [a, c]], truth: {a: 2, c: 1}}, {returned: [], truth: [a]}]\n"
        "  expect: {Firsts: [0, 0], Firsts@2: [1, 0], Firsts@3: [3, 0/1]}\n"
    )
    cases(table, firsts)
    table.write_text(table.read_text().replace("@2: [1", "@2: [2"))
    with pytest.raises(AssertionError, match=r"case 1 \(by hand\): Firsts@2 is \[1.0, 0.0\], exp"):
        cases(table, firsts)
    table.write_text(table.read_text().replace("@2: [2", "@2: [1") + "  mean: 7\n")
    with pytest.raises(AssertionError, match="mean"):
        cases(table, firsts)


def spoiled(ranked):
    ranked.ideal[:] = 0
    return 0.0


def shrunk(judged):
    judged.hits.grade[:] *= 2
    return judged.hits.total()


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        (a_metric(title=" "), "Mine has no title"),
        (a_metric(source=""), "Mine has no source"),
        (a_metric(page=""), "Mine has no docstring"),
        (a_metric(range=(0, 1)), "gave 2.0 for list '0'; its range is 0 to 1"),
        (a_metric(result=lambda j: -j.hits.total()), "gave -1.0 for list '0'; its range is 0"),
        (
            a_metric(result=lambda j: j.hits.total() + j.lists),
            "does not depend on other lists\n  [2.0, 2.0] together, [1.0, 1.0] one by one",
        ),
        (a_metric(result=lambda j: j.hits.total()[:1]), "range, or NaN\n  metric Mine gave (1,)"),
        (a_metric(result=lambda j: 1 / np.zeros(j.lists)), "range, or NaN\n"),
        (a_metric(Ranked, lambda r: r.grades[0]), "IndexError"),
        (a_metric(Ranked, lambda r: float(r.ideal.max())), "ValueError"),
        (a_metric(Ranked, lambda r: "x"), "it gave str, not a number"),
        (a_metric(Ranked, spoiled), "stays as it was\n  Ranked is not what it was"),
        (a_metric(Judged, shrunk), "stays as it was\n  Judged is not what it was"),
    ],
)
def test_a_law_that_is_broken_is_named(mine, said):
    with np.errstate(all="ignore"), pytest.raises(AssertionError) as told:
        laws(mine)
    assert said in str(told.value)


def test_the_smallest_case_is_shown():
    def value(judged):
        return judged.hits.where((judged.hits.grade == 1) & (judged.hits.rank == 2)).total() * 2

    with pytest.raises(AssertionError, match="Mine breaks a law") as told:
        laws(a_metric(result=value, range=(0, 1)))
    smallest = "".join(told.value.__notes__)
    assert "lists=[([['a', 'b']], {'a': 1.0})]" in smallest


def test_laws_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(PluginError, match="pip install hypothesis"):
        laws(a_metric())


def test_laws_are_for_metrics_of_judged_items():
    with pytest.raises(TypeError, match="is no metric"):
        laws(len)
    with pytest.raises(TypeError, match="mine is no metric that looks at Judged or Ranked"):
        laws(a_metric(Targets))


def test_equal_scores_are_told_from_orders():
    view = judged_view((["b", ["a", "c"]], {"a": 2, "c": 1}), ties="expected")
    assert view.hits.spread
    assert view.hits.tied.tolist() == [2, 2]


def test_the_stub_names_what_can_be_imported():
    for name in scorer.__all__:
        assert getattr(scorer, name) is not None
    assert callable(scorer.compare), "the function, not the folder of that name"
    assert (Path(scorer.__file__).parent / "py.typed").exists()


@pytest.mark.slow("tries every metric")
def test_laws_of_a_metric_that_looks_at_further_columns():
    @metric("Degrees", title="Degrees", source="this test", range=(0, None))
    def degrees(judged: Judged) -> Floats:
        """The degrees of the hits, by the phase of their list."""
        phase = judged.extras.list["phase"] == "x"
        shares = judged.of_hits(judged.extras.item["genres"])[:, 0]
        late = judged.extras.submission["why"] == "y"
        found = judged.of_hits(judged.extras.truth["degree"]) * shares * late
        return judged.hits.total(found) + phase

    extra = {
        "truth": {"degree": "number"},
        "submission": {"why": "text"},
        "lists": {"phase": "text"},
        "items": {"genres": "classes"},
    }
    laws(degrees, extra=extra)
    with pytest.raises(AssertionError, match="lists has no further column 'phase'"):
        laws(degrees)


def test_laws_are_for_metrics_with_a_value_of_each_list():
    @metric("Both", title="Both", source="this test")
    def both(view: Judged) -> Ratio:
        """A share."""
        return Ratio(view.hits.total(), 1)

    with pytest.raises(AssertionError, match="figure of all lists"):
        laws(both, average="pooled")
