"""Values of measures on views that tests make, as challenges compute them."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure
from scorer.metrics.ratios import Figure, Ratio
from scorer.views.rows import Targets


def measure_of(notation, view, multilabel=False, **params):
    """The measure of the metric that looks at such a view, with the classes of the view."""
    kind = "ratings" if getattr(view, "rated_list", None) is not None else "labels"
    metric = next(
        each
        for each in metrics().find_all(parse(notation)[0], every=True)
        if each.view is type(view) and (each.view is not Targets or kind in each.kinds)
    )
    known = SimpleNamespace(classes=getattr(view, "classes", ()), multilabel=multilabel)
    made = parse_measure(metric, notation, params).resolve(known)
    return replace(made, weighted=getattr(view, "weight", None) is not None)


def values_of(notation, view, multilabel=False, **params):
    """The values of the lists of a view, or the value of all of them together."""
    found = measure_of(notation, view, multilabel, **params).values(view)
    return found.pooled() if isinstance(found, Ratio | Figure) else found


def value_of(notation, view, multilabel=False, **params):
    """The value of all lists of a view together, or the mean of theirs."""
    found = values_of(notation, view, multilabel, **params)
    return float(np.mean(found)) if np.size(found) else math.nan
