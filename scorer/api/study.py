"""How far a board depends on what was decided, from the scorecards of its submissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scorer.api.notebook import TableResult
from scorer.api.probes import find_unanswerable_lists, make_probes
from scorer.api.submissions import (
    Progress,
    Submissions,
    find_submitted_lists,
    list_submissions,
    score_files,
    separate_baselines,
    terms_of,
    to_challenge,
    to_scored,
)
from scorer.api.value_tables import ValueOptions
from scorer.api.values import as_list, read_values
from scorer.api.variations import Entrants, halves, variations
from scorer.challenge.model import Challenge, MeasureSpec
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.text import printable, quoted
from scorer.leaderboard.board import Terms, ranked
from scorer.leaderboard.repeats import with_repeats
from scorer.metrics.notation import Measure, find_measure, parse
from scorer.results import study as studies
from scorer.results.json import ABSENT, LINTED, ChallengeIdentity
from scorer.results.study import count_staying, span_ranks
from scorer.scoring.bind import BoundChallenge, bind
from scorer.scoring.combine import list_column_names
from scorer.scoring.fingerprint import board_digest, fingerprint
from scorer.scoring.open import OpenChallenge, open_challenge
from scorer.scoring.public import SubmittedLists

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
NEAREST = 2  # of them on each side that a board is tried with
NAMED = 3  # variations without a value that are told
WEIGHTS = ("weight", "weights")  # columns of the lists


@dataclass(frozen=True, repr=False, eq=False)
class Study(TableResult, studies.Study):
    """How far a board depends on what was decided; for organizers."""

    subject, plain = "study", "text"

    def __repr__(self) -> str:
        return f"<Study of {printable(self.challenge.id, 40)}: {len(self.variations)} variations>"


def study(
    challenge: Challenge | Path | str | object,
    submissions: Submissions | None = None,
    *,
    measures: Sequence[str] = (),
    lower: Sequence[str] | str = (),
    higher: Sequence[str] | str = (),
    seed: int | None = None,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> Study:
    """The board of some submissions, and what it would be if something else were decided.

    Other measures, cut-offs, aggregates, rules for what is missing, weights; without each group,
    without a tenth of the lists, by half of them. A file is read once. For organizers.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder; without
            submissions, values of systems as `scorer.values` takes them.
        submissions: as `score` takes them; the challenge's baselines are left out.
        measures: the one that is to rank officially, then further ones; default: the challenge's.
        lower: of values of systems, the ones of which lower is better.
        higher: those of which higher is better; by default their names tell.
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
    official = _official(to_challenge(challenge), measures, allow_plugins)
    plain = bind(official, allow_plugins)
    named = list_submissions(submissions, plain)
    ranked_files = [file for file in named if not file.baseline]
    files, _ = separate_baselines(ranked_files, plain)
    ready, left_out = _opened_with_more(plain, find_submitted_lists(plain, files), allow_plugins)
    outcomes = score_files(ready, files, progress)
    further = {each.id for each in ready.measures} - {each.id for each in plain.measures}
    terms = terms_of(ready)
    scored = with_repeats(to_scored(terms, files, outcomes))
    valid = sum(each.valid for each in scored)
    if valid < 2:
        count = f"{valid} of {len(scored)} submissions can be scored"
        raise UsageError(f"nothing to study: {count}, two are needed (score check says why)")
    rows = ranked(terms, scored).leaderboard
    place = {each.name: n for n, each in enumerate(scored)}
    best_first = tuple(scored[place[row.name]] for row in rows)
    at = {file.name: n for n, file in enumerate(files)}
    runs = [[at[run.name] for run in each.runs or (each,)] for each in best_first]
    entrants = Entrants(
        terms,
        best_first,
        tuple(tuple(outcomes[n] for n in own) for own in runs),
        np.array([row.rank for row in rows], dtype=np.int64),
        frozenset(further),
    )
    digest = fingerprint(ready.digests, board_digest(official, plain.measures))
    seed = official.leaderboard.seed if seed is None else seed
    every = list(variations(entrants, seed))
    found = [each for each in every if not isinstance(each, str)]
    if valueless := [each for each in every if isinstance(each, str)]:
        left_out.append(f"no submission has a value: {'; '.join(valueless[:NAMED])}")
        left_out[-1] += f" and {len(valueless) - NAMED} more" if len(valueless) > NAMED else ""
    is_open = official.truthless and official.splits is None  # nothing in it is hidden
    return Study(
        private=ABSENT if is_open else LINTED,
        challenge=ChallengeIdentity.of(official, digest),
        ranked_by=_ruled(terms),
        lists=len(terms.lists),
        seed=seed,
        submissions=span_ranks([row.name for row in rows], entrants.ranks.tolist(), found),
        staying=count_staying(found),
        variations=found,
        halves=halves(entrants, [each for each in found if each.about == "half"], seed),
        left_out=tuple(left_out),
        called=terms.called,
        rejected=[each for each in scored if not each.valid],
    )


def _official(challenge: Challenge, words: Sequence[str], allow_plugins: bool) -> Challenge:
    """The challenge of which the first of some measures ranks; it has the others, too."""
    if not words:
        return challenge
    if odd := [word for word in words if not word.strip() or not word.isprintable()]:
        raise UsageError(f"{quoted(odd[0])} is no measure; write one such as nDCG@10")
    challenge, _, bound, *_ = bind(challenge, allow_plugins)
    specs, places = list(challenge.metrics), list[int]()
    for word in dict.fromkeys(words):
        known = find_measure(bound, word)
        places.append(len(specs) if known is None else bound.index(known))
        specs += [MeasureSpec(notation=word, key="--metric")] if known is None else []
    ranking = (s.model_copy(update={"primary": n == places[0]}) for n, s in enumerate(specs))
    rules = challenge.leaderboard.model_copy(update={"rank_by": "primary"})
    return challenge.model_copy(update={"metrics": tuple(ranking), "leaderboard": rules})


def _opened_with_more(
    plain: BoundChallenge, submitted: SubmittedLists | None, allow_plugins: bool
) -> tuple[OpenChallenge, list[str]]:
    """The challenge opened with further measures, or without them, and why."""
    challenge, specs = plain.challenge, list(_further(plain))
    if not specs:
        return open_challenge(plain, submitted=submitted), []
    wider = challenge.model_copy(update={"metrics": (*challenge.metrics, *specs)})
    try:
        ready = open_challenge(bind(wider, allow_plugins), submitted=submitted)
        if problems := tuple(find_unanswerable_lists(ready, make_probes(ready))):
            raise ChallengeError(problems=problems)
        return ready, []
    except ChallengeError as error:
        # This raises an error where the challenge itself is wrong.
        ready = open_challenge(plain, submitted=submitted)
        why = printable(error.problems[0].message if error.problems else error)
        return ready, [f"other cut-offs and weights: {why}"]


def _further(plain: BoundChallenge) -> Iterator[MeasureSpec]:
    """The primary measure with other cut-offs, and with weights that the lists have."""
    primary = next(each for each in plain.measures if each.primary)
    spec = plain.challenge.metrics[plain.measures.index(primary)]
    ids = {each.id for each in plain.measures}
    if spec.score is not None or plain.rank_by is not None or plain.ranked_by is not None:
        return
    name, params = parse(spec.notation)[0], primary.params
    for k in _cutoffs(plain, primary):
        id = f"{primary.metric.name}@{k}" if spec.id is None else f"{spec.id} @{k}"
        if id not in ids:
            yield spec.model_copy(
                update={"notation": name, "params": {**params, "k": k}, "primary": False}
                | ({} if spec.id is None else {"id": id})
            )
    taken = {*primary.metric.parameters.model_fields, *plain.challenge.truth.columns}
    weighted = primary.combination.list_weights or primary.combination.grouped_by
    if weighted or not primary.of_lists or taken.intersection(WEIGHTS):
        return
    for column in [each for each in WEIGHTS if each in list_column_names(plain.challenge)]:
        update = {"weights": (column,), "id": f"{primary.id} by {column}", "primary": False}
        yield spec.model_copy(update=update)


def _cutoffs(plain: BoundChallenge, primary: Measure) -> list[int]:
    """The nearest cut-offs below and above the one of a measure, within the lists' length."""
    k = primary.params.get("k")
    if primary.metric.cutoff != "k" or not isinstance(k, int):
        return []
    length = plain.challenge.submission.lengths
    most = length.max if length is not None and length.max is not None else CUTOFFS[-1]
    below = [each for each in CUTOFFS if each < k][-NEAREST:]
    return below + [each for each in CUTOFFS if k < each <= most][:NEAREST]


def _ruled(terms: Terms) -> str:
    """What ranks, in words."""
    if terms.rank_by is not None:
        return f"{terms.rank_by[0].name} by {terms.rank_by[1].name}"
    if (by := terms.ranked_by) is not None:
        each = f" in each {by.each}" if by.each is not None else ""
        return f"{' and '.join(by.measures)} by {by.aggregate.name}{each}"
    return terms.primary.id
