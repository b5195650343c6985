"""The file of each metric: notations to try it with, its oracle, its cited cases.

`NAME.yaml` belongs to the metric whose function has that name, wherever its code is; those in
`labels/` to metrics of classes and numbers, and all others to those of other kinds.

    variants: [P@3, P(denominator=returned)@5]
    oracle: |                      # plain Python, with the helpers of oracles.py
      def p(items, truth, k, rel=1, denominator="k", judged_only=False):
          ...
    not_raised: {P@3: why raising a relevant item over an irrelevant one can lower this variant}
    cases: [...]                   # see scorer.testing

METRIC=HitShare in the environment holds the laws to that metric; several with commas.

A metric of a view that no oracle is written for names the tests of its values instead:
`tested_in: tests/kinds/test_ratings.py`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import oracles
import yaml
from hypothesis import strategies as st
from lists import meet

from scorer.kinds.base import Constants
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import NotationError, parse, parse_measure
from scorer.views.diverse import Diverse
from scorer.views.preferences import Preferred
from scorer.views.ranked import Judged, Ranked
from scorer.views.recommendations import Returned

METRICS = metrics()
EVERY = list(METRICS)  # namesakes of several kinds too
CONSTANTS = Constants(max_grade=4.0, catalogue=20, users=5)
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Described:
    """What the file of a metric contains; see above."""

    variants: list[str]
    oracle: Callable[..., Any] | None = None
    not_raised: dict[str, str] = field(default_factory=dict)
    tested_in: str = ""
    cases: list[dict[str, Any]] = field(default_factory=list)


def path_of(metric):
    name, folder = metric.function.__name__, ROOT / "tests" / "metrics"
    found = sorted(folder.rglob(f"{name}.yaml"), key=lambda path: len(path.parts))
    wanted = metric.kinds <= {"labels"}
    own = [path for path in found if (path.parent.name == "labels") == wanted]
    return next(iter(own + found), folder / f"{name}.yaml")


@cache
def described(metric):
    """What a metric's file contains; it fails the test where there is none, or it is wrong."""
    path = path_of(metric)
    assert path.exists(), f"{metric.name} needs {path.relative_to(ROOT)}: see CONTRIBUTING.md"
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    if "oracle" in told:
        told["oracle"] = functions(path.parent)[metric.function.__name__]
    return Described(**told)


@cache
def functions(folder):
    """The oracles of a folder's files, in one namespace: some of them call others."""
    names = dict(vars(oracles))
    for path in sorted(folder.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        code = yaml.safe_load(text).get("oracle", "")
        above = text.partition("oracle: |\n")[0].count("\n") + 1  # so that faults have their lines
        exec(compile("\n" * above + code, path, "exec"), names)
    return names


def oracle_params(made):
    """The parameters of a measure that its oracle takes; the options are scorer's own."""
    named = signature(described(made.metric).oracle).parameters
    return {key: value for key, value in made.params.items() if key in named}


def variants(*views):
    """The notations of all metrics that look at one of these views."""
    return [each for metric in EVERY if metric.view in views for each in described(metric).variants]


@cache
def bound(notation):
    return parse_measure(METRICS.get(parse(notation)[0]), notation).resolve(CONSTANTS)


ITEMS = "abcdefgh"
GRADES = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.0, 1.5, 2.0, 2.0, 3.0]
ORDER = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]


@st.composite
def pairs(draw, order=False, tied=False, most=8):
    """A submitted list, in groups that tie, and its truth; either may be empty."""
    known = draw(st.lists(st.sampled_from(ITEMS), unique=True))
    grades = (
        draw(st.permutations(ORDER))
        if order
        else draw(st.lists(st.sampled_from(GRADES), min_size=len(known), max_size=len(known)))
    )
    items = draw(st.lists(st.sampled_from(ITEMS), unique=True, max_size=most))
    groups = [[item] for item in items]
    if tied:
        cuts = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
        groups = []
        for item, new in zip(items, cuts, strict=True):
            if new or not groups:
                groups.append([])
            groups[-1].append(item)
    return groups, dict(zip(known, grades[: len(known)], strict=True))


@cache
def refuses(notation):
    """Whether a metric with a closed form for tied items has none with these parameters."""
    made = bound(notation)
    try:
        values(notation, meet([([["a", "x"]], {"a": 1})], "expected"))
    except NotationError:
        return "expected" in made.metric.ties
    return False


def values(notation, judged):
    """One value a list."""
    made = bound(notation)
    given = judged.each() if made.metric.view is Ranked else ()
    if made.metric.view is Ranked:
        return np.array([made.evaluate(view) for view in given], dtype=np.float64)
    return made.values(judged)


ONLY = os.environ.get("METRIC", "").split(",")
TRIED = [metric for metric in EVERY if ONLY == [""] or metric.name in ONLY]
RANKED = [metric for metric in TRIED if metric.view in (Judged, Ranked)]
OURS = [
    metric for metric in RANKED if metric.pooling not in ("default", "always")
]  # a value a list
NOTATIONS = [each for metric in OURS for each in described(metric).variants]
DIVERSE = variants(Diverse)
RETURNED = variants(Returned)
PREFERRED = variants(Preferred)
# a metric that reads further columns of a challenge has tests of its own
FURTHER = ("tests/metrics/test_further.py", "tests/metrics/labels/test_distributions.py")
PLAIN = [each for each in EVERY if described(each).tested_in not in FURTHER]
PREDICTED = [n for m in PLAIN if m.kind == "ratings" for n in described(m).variants]
