"""How far a board depends on the organizer's decisions, from its submissions' scorecards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scorer.api.evaluate import ChallengeOrTruth
from scorer.api.lint import refuse_unanswerable
from scorer.api.notebook import TableResult
from scorer.api.outcomes import score_files, terms_of, to_scored
from scorer.api.probes import make_probes
from scorer.api.submissions import (
    Progress,
    SubmissionFile,
    Submissions,
    find_submitted_lists,
    list_submissions,
    separate_baselines,
    to_challenge,
)
from scorer.api.value_tables import ValueOptions
from scorer.api.values import as_list, read_values
from scorer.api.variations import RankedSubmissions, compare_halves, find_variations
from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.text import printable, quoted
from scorer.leaderboard.board import Terms, rank
from scorer.leaderboard.repeats import with_repeats
from scorer.metrics.notation import Measure, find_measure, parse
from scorer.results import study as results
from scorer.results.json import ABSENT, LINTED, ChallengeIdentity
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome
from scorer.results.study import Halves, Variation, count_stable, span_ranks
from scorer.scoring.bind import BoundChallenge, bind
from scorer.scoring.combine import list_column_names
from scorer.scoring.fingerprint import board_digest, fingerprint
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.public import SubmittedLists

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
NEAREST_CUTOFFS = 2  # how many below the measure's own, and how many above it, are tried
MOST_NAMED = 3  # variations without a value that a message names
WEIGHTS = ("weight", "weights")  # columns of the lists' file that are taken for weights


class Study(TableResult[results.Study]):
    """How far a board depends on decisions such as measures and cut-offs; for organizers.

    Attributes:
        names: The submissions that could be scored, in the official order.
        ranks: Their official ranks.
        ranked_by: The measure, or the rule, that ranks officially.
        variations: The boards by other decisions, and on parts of the lists.
        decisions: The variations that are no random parts of the lists.
        halves: How far two random halves of the lists agree; None if there are too few lists.
        left_out: What could not be varied, and why.
        rejected: The submissions that could not be scored.
    """

    _subject = "study"
    _default_form = "text"

    def __init__(self, result: results.Study) -> None:
        super().__init__(result)
        self.names: Sequence[str] = result.names
        self.ranks: Sequence[int] = result.ranks
        self.ranked_by: str = result.ranked_by
        self.variations: Sequence[Variation] = result.variations
        self.decisions: Sequence[Variation] = result.decisions
        self.halves: Halves | None = result.halves
        self.left_out: Sequence[str] = result.left_out
        self.rejected: Sequence[Scored] = result.rejected

    def __repr__(self) -> str:
        name = printable(self._result.challenge.id, 40)
        stay = self._result.staying
        return (
            f"<Study of {name}: {quoted(self.names[0])} first in {stay.winner} of "
            f"{stay.decisions} variations>"
        )


def study(
    challenge: ChallengeOrTruth,
    submissions: Submissions | None = None,
    *,
    measures: Sequence[str] = (),
    lower: Sequence[str] | str = (),
    higher: Sequence[str] | str = (),
    seed: int | None = None,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> Study:
    """Return the board of some submissions, and the boards that other decisions would give.

    These are other measures, cut-offs, aggregates, weights and rules for missing answers, and
    boards without each group, without a tenth of the lists, and by half of them. Each file is read
    once. For organizers.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder; without
            submissions, values of systems as `scorer.values` takes them.
        submissions: as `score` takes them; the challenge's baselines are left out.
        measures: the one that is to rank officially, then further ones; default: the challenge's.
        lower: names of values of systems that are better if lower.
        higher: names of values that are better if higher; by default, values go by their names.
        seed: of the draws of lists; default: the board's.
        allow_plugins: whether the challenge's own metrics may be run.
        progress: called before each submission is read.

    Raises:
        ChallengeError: the challenge, or a measure, is wrong.
        PluginError: a metric failed.
        UsageError: two submissions have one name, or fewer than two can be scored.
    """
    if submissions is None:
        options = ValueOptions(lower=as_list(lower), higher=as_list(higher))
        tables = read_values(challenge, options)
        return study(
            tables.challenge, tables.files, measures=measures, seed=seed, progress=progress
        )
    official = _with_measures(to_challenge(challenge), measures, allow_plugins)
    plain = bind(official, allow_plugins)  # without the further measures
    listed = list_submissions(plain, submissions)
    ranked_files = [file for file in listed if not file.baseline]
    files, _ = separate_baselines(plain, ranked_files)
    ready, left_out = _open_with_further(plain, find_submitted_lists(plain, files), allow_plugins)
    outcomes = score_files(ready, files, progress)
    terms = terms_of(ready)
    scored = with_repeats(to_scored(terms, files, outcomes))
    valid = sum(submission.valid for submission in scored)
    if valid < 2:
        count = f"{valid} of {len(scored)} submissions can be scored"
        raise UsageError(f"nothing to study: {count}, two are needed (score check says why)")
    further = {m.id for m in ready.measures} - {m.id for m in plain.measures}
    board = _rank_submissions(terms, scored, files, outcomes, frozenset(further))
    seed = official.leaderboard.seed if seed is None else seed
    variations, valueless = find_variations(board, seed)
    if valueless:
        more = len(valueless) - MOST_NAMED
        end = f" and {more} more" if more > 0 else ""
        left_out.append(f"no submission has a value: {'; '.join(valueless[:MOST_NAMED])}{end}")
    is_open = official.truthless and official.splits is None  # nothing in it is hidden
    digest = fingerprint(ready.digests, board_digest(official, plain.measures))
    return Study(
        results.Study(
            private=ABSENT if is_open else LINTED,
            challenge=ChallengeIdentity.of(official, digest),
            ranked_by=_describe_rule(terms),
            lists=len(terms.lists),
            seed=seed,
            submissions=span_ranks(
                [submission.name for submission in board.scored], board.ranks.tolist(), variations
            ),
            staying=count_stable(variations),
            variations=variations,
            halves=compare_halves(board, variations, seed),
            left_out=tuple(left_out),
            called=terms.called,
            rejected=[submission for submission in scored if not submission.valid],
        )
    )


def _rank_submissions(
    terms: Terms,
    scored: Sequence[Scored],
    files: Sequence[SubmissionFile],
    outcomes: Sequence[Outcome],
    further: frozenset[str],
) -> RankedSubmissions:
    """Return the valid submissions by their official ranks, with the outcomes of their runs."""
    rows = rank(terms, scored).leaderboard
    by_name = {submission.name: submission for submission in scored}
    outcome_of = dict(zip((file.name for file in files), outcomes, strict=True))
    best_first = [by_name[row.name] for row in rows]
    of_runs = [
        outcome_of[run.name]
        for submission in best_first
        for run in submission.runs or (submission,)
    ]
    ranks = np.array([row.rank for row in rows], dtype=np.int64)
    return RankedSubmissions(terms, best_first, of_runs, ranks, further)


def _with_measures(
    challenge: Challenge, notations: Sequence[str], allow_plugins: bool
) -> Challenge:
    """Return the challenge with these measures, too; the first of them is primary."""
    if not notations:
        return challenge
    if odd := [text for text in notations if not text.strip() or not text.isprintable()]:
        raise UsageError(f"{quoted(odd[0])} is no measure; write one such as nDCG@10")
    bound = bind(challenge, allow_plugins)
    specs = list(bound.challenge.metrics)
    indices = list[int]()
    for notation in dict.fromkeys(notations):
        measure = find_measure(bound.measures, notation)
        if measure is not None:
            indices.append(bound.measures.index(measure))
        else:
            indices.append(len(specs))
            specs.append(MeasureSpec(notation=notation, key="--metric"))
    metrics = [spec.model_copy(update={"primary": n == indices[0]}) for n, spec in enumerate(specs)]
    rules = challenge.leaderboard.model_copy(update={"rank_by": "primary"})
    return bound.challenge.model_copy(update={"metrics": tuple(metrics), "leaderboard": rules})


def _open_with_further(
    plain: BoundChallenge, submitted: SubmittedLists | None, allow_plugins: bool
) -> tuple[OpenChallenge, list[str]]:
    """Return the challenge opened with further measures, or without them and with the reason."""
    specs = list(_further_measures(plain))
    if not specs:
        return open_challenge(plain, submitted=submitted), []
    wider = plain.challenge.model_copy(update={"metrics": (*plain.challenge.metrics, *specs)})
    try:
        ready = open_challenge(bind(wider, allow_plugins), submitted=submitted)
        refuse_unanswerable(ready, make_probes(ready))
        return ready, []
    except ChallengeError as error:
        # If the challenge itself is wrong, rather than a further measure, this raises the error.
        ready = open_challenge(plain, submitted=submitted)
        why = printable(error.problems[0].message if error.problems else error)
        return ready, [f"other cut-offs and weights: {why}"]


def _further_measures(plain: BoundChallenge) -> Iterator[MeasureSpec]:
    """Yield the primary measure with other cut-offs, and with weights that the lists have."""
    primary = next(measure for measure in plain.measures if measure.primary)
    spec = plain.challenge.metrics[plain.measures.index(primary)]
    by_measure = plain.board.pairwise is None and plain.board.rank_aggregate is None
    if spec.score is not None or not by_measure:
        return
    ids = {measure.id for measure in plain.measures}
    for k in _cutoffs(plain, primary):
        id = f"{primary.metric.name}@{k}" if spec.id is None else f"{spec.id} @{k}"
        if id not in ids:
            update = {
                "notation": parse(spec.notation).name,
                "params": {**primary.params, "k": k},
                "primary": False,
            }
            if spec.id is not None:
                update["id"] = id
            yield spec.model_copy(update=update)
    is_weighted = primary.combination.list_weights or primary.combination.grouped_by
    # A parameter, or a column of the truth, of that name shows that the measure uses the weights.
    used_names = {*primary.metric.parameters.model_fields, *plain.challenge.truth.columns}
    if is_weighted or not primary.of_lists or used_names.intersection(WEIGHTS):
        return
    for column in WEIGHTS:
        if column in list_column_names(plain.challenge):
            id = f"{primary.id} by {column}"
            yield spec.model_copy(update={"weights": (column,), "id": id, "primary": False})


def _cutoffs(plain: BoundChallenge, primary: Measure) -> list[int]:
    """Return the nearest cut-offs below and above a measure's own, within the lists' length."""
    k = primary.params.get("k")
    if primary.metric.cutoff != "k" or not isinstance(k, int):
        return []
    length = plain.challenge.submission.allowed_length
    most = length.max if length is not None and length.max is not None else CUTOFFS[-1]
    below = [cutoff for cutoff in CUTOFFS if cutoff < k][-NEAREST_CUTOFFS:]
    above = [cutoff for cutoff in CUTOFFS if k < cutoff <= most][:NEAREST_CUTOFFS]
    return below + above


def _describe_rule(terms: Terms) -> str:
    """Return the measure or the rule that ranks, in words."""
    if terms.pairwise is not None:
        return f"{terms.pairwise[0].name} by {terms.pairwise[1].name}"
    if (by := terms.rank_aggregate) is not None:
        each = f" in each {by.each}" if by.each is not None else ""
        return f"{' and '.join(by.measures)} by {by.aggregate.name}{each}"
    return terms.primary.id
