"""Each metric's formula, evaluated in its letters, is the metric's value."""

import math

import numpy as np
import oracles
import pytest
from formulas import at, evaluated
from lists import meet
from variants import NOTATIONS, bound, values

from scorer.metrics.formulas import latex

SLOW = 20  # ranks; formulas that run over more are tried with fewer
SHALLOW = {
    "INSQ": ["INSQ(depth=7)", "INSQ(T=2.5, depth=5)"],
    "INST": ["INST(depth=7)", "INST(T=2.5, depth=6, max_grade=3, min_grade=1)"],
    "NERR10": ["NERR10(depth=7)", "NERR10(p=0.5, depth=4)"],
    "NERR11": ["NERR11(depth=7)", "NERR11(T=2, depth=9)"],
}


def formula(made):
    return latex(made.metric.formula, made.params)


def same(made, found, names, told=""):
    """The value is the formula's; where it has none the metric says when."""
    wanted = evaluated(formula(made), names)
    if math.isnan(found):
        assert made.metric.undefined, f"{made.id} says not when it has no value: {told}"
    else:
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9), (made.id, formula(made), told)


# Ranked lists


def hits_above(flags):
    """How many of the flags down to a rank are set."""
    return lambda i: sum(flags[: int(i)])


def agreement(items, ideal):
    return lambda d: len(set(items[: int(d)]) & set(ideal[: int(d)]))


def letters(items, truth, params):
    """The letters of ranked lists, as docs/notation.md has them."""
    rel, gain = params.get("rel") or 1, params.get("gain", "linear")
    items = oracles.kept(items, truth, params.get("judged_only", False))
    flags = oracles.relevance(items, truth, rel)
    judged = [item for item in truth if truth[item] >= 0]
    table = not isinstance(gain, str)  # which gives an unjudged item nothing, whatever 0 is worth
    grade = {x: truth.get(x) if table else max(truth.get(x, 0), 0) for x in [*items, *truth]}
    by_gain = [item for item in truth if truth[item] >= rel] if "beta" in params else [*truth]
    best = sorted(by_gain, key=lambda x: -oracles.worth(truth[x], gain))
    returned = sorted(items, key=lambda x: -oracles.worth(truth.get(x), gain))
    negative = [n for n, x in enumerate(items) if x in truth and 0 <= truth[x] < rel]
    known, k = [x in truth for x in items], params.get("k", 0)
    return {
        "n": len(items),
        "R": oracles.wanted(truth, rel),
        "N": sum(0 <= g < rel for g in truth.values()),
        "J": len(judged),
        "g": at([grade[item] for item in items], None if table else 0),
        "g*": at([grade[item] for item in best], None if table else 0),
        r"\tildeg": at([grade[item] for item in returned], None if table else 0),
        "r": at([int(flag) for flag in flags]),
        "h": hits_above(flags),
        "s": at([-rank for rank in range(len(items))]),
        "w": lambda g: oracles.worth(g, gain),
        "b": lambda i: sum(n < i - 1 for n in negative),
        "d": lambda i: sum(known[: int(i) - 1]),
        "a": at([int(flag) for flag in known]),
        "t": -negative[k - 1] if params.get("k") and len(negative) >= k else -math.inf,
        "f": 1 + flags.index(True) if any(flags) else 0,
    }


def infap_letters(items, truth, params):
    sampled = [truth.get(item, -1) >= 0 for item in items]
    return {"a": lambda i: sum(sampled[: int(i) - 1])}


def overlaps(items, truth, params):
    """Of the list and the truth's ranking."""
    ideal = sorted((x for x in truth if truth[x] >= 0), key=lambda x: -truth[x])
    short, long = sorted((len(items), len(ideal)))
    return {"X": agreement(items, ideal), "s": short, "l": long}


def compatible(items, truth, params):
    """Of the list and the ideal nearest to it."""
    ideal = [item for item in truth if truth[item] > 0]
    place = {item: n for n, item in enumerate(items)}
    ideal.sort(key=lambda x: (-truth[x], place.get(x, len(items))))
    return {"X": agreement(items, ideal), "T": len(ideal)}


def depths(items, truth, params):
    best = sorted((x for x in truth if truth[x] >= 0), key=lambda x: -truth[x])

    def common(z):
        last = truth[best[min(z, len(best)) - 1]] if best else 0
        among = best[: int(z)]
        if params["at_cutoff"] == "include":
            among = [x for x in best if truth[x] >= last]
        return len(set(among) & set(items[: int(z)]))

    return {"u": common}


def ranks(items, truth, params):
    mine, theirs = oracles.numbers_of(items, truth, None)
    pairs = [
        (oracles.sign(mine[i] - mine[j]), oracles.sign(theirs[i] - theirs[j]))
        for i in range(len(mine))
        for j in range(i)
    ]
    common = [item for item in items if item in truth]
    ideal = sorted(common, key=lambda x: -truth[x])
    one, other = (ideal, common) if params.get("over") == "truth" else (common, ideal)

    def rightly_above(i):
        item, above = one[int(i) - 1], one[: int(i) - 1]
        return sum(other.index(x) < other.index(item) for x in above)

    return {
        "m": len(mine),
        "a": at(oracles.midranks(mine)),
        "b": at(oracles.midranks(theirs)),
        "P": len(pairs),
        "C": sum(a * b > 0 for a, b in pairs),
        "D": sum(a * b < 0 for a, b in pairs),
        "T": sum(a == 0 for a, _ in pairs),
        "T*": sum(b == 0 for _, b in pairs),
        "c": rightly_above,
    }


OWN = {
    "InfAP": infap_letters, "RBO": overlaps, "Compat": compatible, "MARp": depths,
    "Rho": ranks, "Tau": ranks, "TauAP": ranks,
}  # fmt: skip


def random_lists(strict, count=40):
    rng = np.random.default_rng(40)
    for _ in range(count):
        known = rng.permutation(list("abcdefgh"))[: rng.integers(0, 8)].tolist()
        grades = rng.permutation(8)[: len(known)] / 2 if strict else rng.integers(-1, 5, len(known))
        items = rng.permutation(list("abcdefghij"))[: rng.integers(0, 9)].tolist()
        yield items, dict(zip(known, grades.tolist(), strict=True))


TRIED = [n for n in NOTATIONS if bound(n).metric.name not in SHALLOW]
TRIED += [n for shallow in SHALLOW.values() for n in shallow]


@pytest.mark.parametrize("notation", TRIED)
def test_formulas_of_ranked_lists(notation):
    made = bound(notation)
    for items, truth in random_lists(made.metric.strict_order):
        found = values(notation, meet([(items, truth)]))[0]
        own = OWN.get(made.metric.name, lambda *_: {})(items, truth, made.params)
        same(made, found, letters(items, truth, made.params) | own, (items, truth))
