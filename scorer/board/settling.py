"""The scorecards of an entry, of its folds or runs, cut to some lists, with the rules applied."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scorer.board.models import Entry, Evaluation
from scorer.core.arrays import Mask
from scorer.core.problems import Findings
from scorer.leaderboard.board import Terms, apply_rules
from scorer.leaderboard.repeats import system_of
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.splits import restrict_card


def settled_entry(terms: Terms, keep: Mask, evaluation: Evaluation, entry: Entry) -> Scored:
    """A scored entry on the lists that are kept; several runs in its file are one submission."""
    assert evaluation.card is not None
    findings, whole = Findings.from_json(evaluation.findings), Scorecard.from_bytes(evaluation.card)
    names = {name for name, keeps in zip(whole.lists, keep, strict=True) if keeps}
    parts = {}
    for name, data in evaluation.folds.items():
        card = Scorecard.from_bytes(data)
        parts[name] = restrict_card(
            card, np.array([name in names for name in card.lists], dtype=bool)
        )
    if "run" not in terms.challenge.submission.columns:
        outcome = Outcome(findings, entry.sha256, restrict_card(whole, keep), parts)
        return apply_rules(terms, "", entry.file, outcome, baseline=entry.baseline)
    runs = [
        apply_rules(terms, f"#{run}", entry.file, Outcome(Findings(), None, card),
                baseline=entry.baseline)
        for run, card in parts.items()
    ]  # fmt: skip
    one = system_of("", runs) if len(runs) > 1 else runs[0]
    return replace(one, name="", sha256=entry.sha256, findings=findings)
