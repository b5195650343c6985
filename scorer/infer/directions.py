"""Finds whether a higher or a lower value is better from the name of the value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Literal

from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import printable, quoted
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import NotationError, parse

Better = Literal["higher", "lower"]

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|/")  # of snake_case, kebab-case and camelCase
# Words of values that are better if lower: mistakes, distances, costs and ranks.
WORDS_OF_LOWER = """
error errors err loss losses mistake mistakes miss misses failure failures fault faults violation
violations deviation residual residuals mse rmse rmsd mae mape smape msle rmsle wer cer ter mer eer
fpr fnr far frr ece brier nll ppl perplexity toxicity hallucination hallucinations
distance distances dist displacement divergence ade fde hausdorff chamfer fid kid lpips
time times second seconds sec secs millisecond milliseconds ms microseconds minute minutes mins hour
hours days runtime walltime latency duration elapsed delay cost costs energy memory regret penalty
risk
rank ranks
"""
# Words of values that are better if higher. A name with a word of both lists is ambiguous.
WORDS_OF_HIGHER = """
score scores accuracy acc correct correctness success reward return similarity correlation
likelihood gain gains improvement improvements reduction reductions saved saving savings free
inverse inverted negative negated minus speedup reciprocal
"""
LOWER_WORDS = frozenset(WORDS_OF_LOWER.split())
HIGHER_WORDS = frozenset(WORDS_OF_HIGHER.split())
PER = ("per", "/")  # The words after it are a unit: in tokens_per_second, tokens are counted.


def named_metric(name: str) -> Metric | None:
    """Return the metric of the same name as a value, if there is one."""
    with suppress(UnknownName, NotationError):
        metric_name = parse(printable(name)).name
        return metrics().find_all(metric_name)[0]  # of several kinds, all with one direction
    return None


def better_by_name(name: str) -> Better | None:
    """Return which values are better by their name; None if its words contradict each other.

    If the name is a metric's, the metric says it. Else a word such as loss or seconds means lower,
    and a name without such a word higher. As in scikit-learn, `neg_..` is an error times -1.

    >>> better_by_name("val_loss"), better_by_name("tokens_per_second"), better_by_name("dice")
    ('lower', 'higher', 'higher')
    >>> better_by_name("neg_mean_squared_error"), better_by_name("error_reduction")
    ('higher', None)
    """
    if (metric := named_metric(name)) is not None:
        return metric.better
    words = [word.casefold() for word in WORD.findall(name)]
    if words[:1] == ["neg"]:
        return "higher"
    words = list(takewhile(lambda word: word not in PER, words))
    if LOWER_WORDS.isdisjoint(words):
        return "higher"
    return "lower" if HIGHER_WORDS.isdisjoint(words) else None


def find_directions(
    names: Sequence[str],
    lower: Sequence[str],
    higher: Sequence[str],
    known: Mapping[str, Better] | None = None,
) -> dict[str, Better]:
    """Return which direction is better for each value, by its name.

    Args:
        names: The names of the values.
        lower: The values that somebody declared better if lower.
        higher: The values that somebody declared better if higher.
        known: The directions that the source of the values declares; they go before the names.

    Raises:
        UsageError: A declared value does not exist or is declared both, or a name is ambiguous.
    """
    for option, values in (("lower", lower), ("higher", higher)):
        if unknown := [name for name in values if name not in names]:
            choices = ", ".join(map(quoted, names))
            raise UsageError(
                f"{option}: no value is called {quoted(unknown[0])} (there are {choices})"
            )
    if both := [name for name in lower if name in higher]:
        raise UsageError(f"lower and higher: {quoted(both[0])} is in both")
    directions: dict[str, Better] = dict.fromkeys(higher, "higher")
    directions |= dict.fromkeys(lower, "lower")
    for name in names:
        better = directions.get(name) or (known or {}).get(name) or better_by_name(name)
        if better is None:
            raise UsageError(
                f"is a higher or a lower {quoted(name)} better? Its name may mean both: "
                f"add --lower {printable(name)} or --higher {printable(name)} (in Python lower= or "
                "higher=)"
            )
        directions[name] = better
    return directions


def refuse_unclear_ranking(names: Sequence[str]) -> None:
    """Raise UsageError if the first value, by which a board ranks, is no score but a later one is.

    The message says how to choose the value that ranks.
    """
    scores = [name for name in names if _is_score(name)]
    if scores and names[0] not in scores:
        raise UsageError(
            f"which value ranks, {quoted(names[0])} or {quoted(scores[0])}? add --value "
            f"{printable(scores[0])} or another; of several that are given, the first ranks"
        )


def _is_score(name: str) -> bool:
    """Return whether a value has the name of a metric, or a word such as score or accuracy."""
    words = {word.casefold() for word in WORD.findall(name)}
    return named_metric(name) is not None or not words.isdisjoint(("score", "accuracy", "reward"))
