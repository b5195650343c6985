"""What a board's numbers are and how they were compared: sentences for a paper, and BibTeX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from scorer import __version__
from scorer.core.text import printable, quoted, unit
from scorer.metrics.catalogue import bibtex_entries, bibtex_of, formula_lines
from scorer.metrics.notation import Measure
from scorer.reports.leaderboard.remarks import scope
from scorer.reports.write.latex import escaped
from scorer.results.report import Report

TIES = {
    "item-desc": "Items with equal scores are ordered by their ids, downwards.",
    "item-asc": "Items with equal scores are ordered by their ids, upwards.",
    "file": "Items with equal scores stand in the order of the submission.",
    "expected": "Values are means over all orders of items with equal scores.",
    "mean-rank": "Items with equal scores stand at the mean of their ranks.",
    "error": "Submissions with equal scores in a list are refused.",
}
MISSING = {
    "error": "A submission that leaves a {} out is refused.",
    "zero": "A {} that a submission leaves out is scored as empty.",
    "skip": "A {} that a submission leaves out does not count.",
}
TESTS = {  # how it is called, and who is cited
    "permutation": ("a paired permutation test", ()),
    "skew-corrected t": (
        "a paired t-test corrected for skew",
        ("student1908probable", "hall1992removal"),
    ),
    "t": ("a paired t-test", ("student1908probable",)),
    "corrected t": (
        "a t-test over folds, corrected for shared training data",
        ("nadeau2003inference",),
    ),
}
ADJUSTED = {
    "max": ("by the greatest statistic of all pairs", "westfall1993resampling"),
    "holm": ("by Holm's steps", "holm1979simple"),
}


class Statement(NamedTuple):
    """A sentence without its full stop, what it cites, and a formula below it."""

    text: str
    cites: tuple[str, ...] = ()
    formula: tuple[str, ...] = ()


def sentences(report: Report) -> Iterator[Statement]:
    """What is true of this board; of a published report without what the truth alone settles."""
    challenge, word = report.definition, unit(report.called)
    yield Statement(
        f"The challenge {printable(challenge.id)} (fingerprint {report.challenge.fingerprint}) was "
        f"scored with scorer {__version__}",
        ("scorer",),
    )
    ranked = [row for row in report.leaderboard if row.rank is not None]
    count = f"It has {len(report.lists):,} {unit(report.called, len(report.lists))}"
    if ranked:
        count += (
            f"; {len(ranked):,} {'submissions are' if len(ranked) > 1 else 'submission is'} ranked"
        )
    yield Statement(count)
    if report.scope:
        yield Statement(scope(report.scope, report.called).rstrip("."))
    shown = set[str]()
    for measure in report.measures:
        statement = _computed(measure, report, word)
        formula, *parameters = statement.formula or ("",)
        if formula in shown:  # of another cut-off
            statement = statement._replace(formula=tuple(parameters))
        shown.add(formula)
        yield statement
    if any("grades" in measure.metric.kinds for measure in report.measures):
        yield Statement(TIES[challenge.submission.ties].rstrip("."))
    missing = MISSING[challenge.submission.missing_list or "error"]
    yield Statement(missing.format(unit(report.called, 1)).rstrip("."))
    yield from _certain(report, len(ranked))


def _computed(measure: Measure, report: Report, word: str) -> Statement:
    metric = measure.metric
    role = "The primary measure is" if measure.id == report.primary.id else "A further measure is"
    called = "" if measure.id == measure.name else f", called {printable(measure.id)}"
    how = {
        "mean": f"the mean over the {word}",
        "sum": f"the sum over the {word}",
        "pooled": f"one value of all {word} together",
        "formula": "a formula of the means of its parts",
    }.get(measure.aggregate, f"made of the {word} by {printable(measure.aggregate)}")
    if measure.combination.grouped_by is not None:
        how += f", within {quoted(measure.combination.grouped_by)} first"
    return Statement(
        f"{role} {printable(measure.name)} ({metric.title})"
        f"{called}, {how}; {metric.better} is better",
        tuple(bibtex_of(metric)),
        tuple(formula_lines(metric, measure.params)),
    )


def _certain(report: Report, ranked: int) -> Iterator[Statement]:
    """Intervals, tests and tiers, of a board of several submissions, or of any that will be."""
    board, certainty = report.definition.leaderboard, report.certainty
    if not report.measured:
        is_pairwise = report.pairwise is not None
        measures = "a preference" if is_pairwise else "the ranks by several measures"
        yield Statement(f"Submissions are ranked by {measures}")
        return
    shown = any(row.interval is not None for row in report.leaderboard)
    if report.no_certainty and not shown:
        yield Statement("The primary measure has neither intervals nor tests")
        return
    if board.intervals is not None and (shown or not ranked):
        made, cites = _levelled(report)
        level = f"{100 * board.intervals:g} %"
        yield Statement(f"Intervals have a level of {level}; {made}", cites)
    if board.tiers is None or (ranked and certainty is None):
        return
    rules = board.tiers
    how = certainty.how if certainty is not None else None
    test = how.test if how else "corrected t" if report.definition.folds else "permutation"
    name, cited = TESTS[test]
    over = {"folds": "", "lists": f" of {unit(report.called)}"}.get(how.over if how else "", "")
    adjust, adjuster = ADJUSTED[how.adjust if how else "max"]
    pairs = f" for the {certainty.pairs:,} pairs" if certainty and certainty.pairs > 1 else ""
    yield Statement(
        f"Two submissions differ significantly where {name}{over} finds a p of at most "
        f"{rules.alpha:g}, corrected{pairs} {adjust}",
        (*cited, adjuster),
    )
    yield Statement(
        "A tier ends where every submission above is significantly better than every one below"
    )


def _levelled(report: Report) -> tuple[str, tuple[str, ...]]:
    """How intervals are made, and who is cited."""
    if report.definition.folds is not None:
        return "they are Nadeau and Bengio's, of folds", ("nadeau2003inference",)
    if any(submission.runs for submission in report.submissions):
        return "they are by Student's t, over lists and runs at once", ()
    if report.primary.of_lists and report.primary.combination.plain:
        return (
            "those of a mean are by Student's t, corrected for skew, and where all values are 0 "
            "or 1 by Clopper and Pearson",
            ("hall1992removal", "clopper1934use"),
        )
    return "they are made of the jackknife's pseudo-values", ()


def as_text(report: Report) -> str:
    """The sentences as plain text, formulas below theirs."""
    parts = []
    for sentence in sentences(report):
        parts.append(f"{sentence.text}.")
        parts += [f"    {line}" for line in sentence.formula]
    return "\n".join(parts) + "\n"


def as_latex(report: Report) -> str:
    r"""The sentences as LaTeX, with \cite for the keys of `as_bibtex`."""
    parts = []
    for sentence in sentences(report):
        cites = rf"~\cite{{{','.join(sentence.cites)}}}" if sentence.cites else ""
        end = ":" if sentence.formula else "."
        parts.append(f"{escaped(sentence.text)}{cites}{end}")
        parts += [rf"\[{line}\]" for line in sentence.formula]
    return "\n".join(parts) + "\n"


def as_bibtex(report: Report) -> str:
    """What the sentences cite."""
    known = dict(bibtex_entries())
    for measure in report.measures:
        known |= bibtex_of(measure.metric)
    cited = dict.fromkeys(key for sentence in sentences(report) for key in sentence.cites)
    return "\n\n".join(known[key] for key in cited) + "\n"
