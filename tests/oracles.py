"""What the oracles of the metrics share: plain Python for one list, no code of the package.

The oracle of a metric is in its YAML file in tests/metrics, and calls these and other oracles by
name. `items` are the returned items, best first; `truth` is `{item: grade}` in the order of its
file. NaN: the value is undefined.
"""

from fractions import Fraction  # noqa: F401
from itertools import permutations, product
from math import ceil, log, log2, nan, prod, sqrt  # noqa: F401
from unicodedata import category  # noqa: F401


def divided(part, whole):
    return part / whole if whole > 0 else nan


def judged_only(items, truth):
    return [item for item in items if truth.get(item, -1) >= 0]


def relevance(items, truth, rel):
    """True and False down the list."""
    return [item in truth and truth[item] >= rel for item in items]


def wanted(truth, rel):
    return sum(grade >= rel for grade in truth.values())


def worth(grade, gain):
    if not isinstance(gain, str) and grade in gain:
        return gain[grade]
    if grade is None or grade < 0:
        return 0
    return 2**grade - 1 if gain == "exp2" else grade


def dcg_of(gains, discount="log2"):
    by = {"log2": lambda i: log2(i + 1), "jarvelin": lambda i: max(1, log2(i))}[discount]
    return sum(gain / by(i) for i, gain in enumerate(gains, start=1))


def expected(oracle, groups, truth, **params):
    """The mean over all orders of the items that tie, each group permuted."""
    values = [
        oracle([item for group in order for item in group], truth, **params)
        for order in product(*map(permutations, groups))
    ]
    return sum(values) / len(values)


def kept(items, truth, wish):
    return judged_only(items, truth) if wish else items


def f_of(precision, recall, beta):
    if precision + recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def numbers_of(items, truth, scores):
    both = [(n, item) for n, item in enumerate(items) if item in truth]
    mine = [-n if scores is None else scores[item] for n, item in both]
    return mine, [truth[item] for _, item in both]


def sign(x):
    return (x > 0) - (x < 0)


def midranks(numbers):
    return [sum(y < x for y in numbers) + (sum(y == x for y in numbers) + 1) / 2 for x in numbers]


# C/W/L: gain per item looked at


def scaled(truth, item, max_grade, min_grade):
    high = max([0, *truth.values()]) if max_grade is None else max_grade
    if item not in truth or high <= min_grade:
        return 0.0
    return (min(max(truth[item], min_grade), high) - min_grade) / (high - min_grade)


def walked(items, truth, max_grade, min_grade, depth, goes_on):
    """The weights of ranks 1 to depth are products of `goes_on(rank, gain, found)`."""
    weight, found, gained, looked = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        item = items[rank - 1] if rank <= len(items) else None
        gain = scaled(truth, item, max_grade, min_grade)
        found += gain
        gained += weight * gain
        looked += weight
        weight *= goes_on(rank, gain, found)
    return gained / looked


# Subtopics: the truth is `{item: {subtopic: grade}}`


def subtopics(items, truth, rel, judged_only=False):
    """The items that count, each item's relevant subtopics, and all of them."""
    if judged_only:
        items = [item for item in items if max(truth.get(item, {"": -1}).values()) >= 0]
    relevant = {
        item: [s for s, grade in grades.items() if grade >= rel] for item, grades in truth.items()
    }
    return items, relevant, {s for mine in relevant.values() for s in mine}


def by_subtopic(items, truth, rel, alpha, judged_only=False):
    """All subtopics; the gain of each item, and of each of the ideal list, best first."""
    items, relevant, known = subtopics(items, truth, rel, judged_only)
    left, ideal = sorted(relevant, reverse=True), []  # greedy, equal gains by name downwards
    while left:
        gains = [novel_gains([*ideal, item], relevant, alpha)[-1] for item in left]
        ideal.append(left.pop(gains.index(max(gains))))
    return known, novel_gains(items, relevant, alpha), novel_gains(ideal, relevant, alpha)


def novel_gains(items, relevant, alpha):
    """What each item adds, its subtopics together."""
    seen, gains = {}, []
    for item in items:
        mine = relevant.get(item, ())
        gains.append(sum((1 - alpha) ** seen.get(s, 0) for s in mine))
        seen |= {s: seen.get(s, 0) + 1 for s in mine}
    return gains
