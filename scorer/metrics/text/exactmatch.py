"""Exact match of texts."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Relevant
from scorer.metrics.text.answers import Normalize, normal
from scorer.views.texts import Texts


def _matches(texts: Texts, rel: float, normalize: str) -> list[float]:
    matches = []
    for text, accepted in zip(texts.first(), texts.accepted(rel), strict=True):
        accepted_texts = {normal(candidate, normalize) for candidate in accepted}
        answer = normal("" if text is None else text, normalize)
        matches.append(float(answer in accepted_texts if accepted else not answer))
    return matches


def _explain(listing: Listing[Texts], value: float, *, rel: float, normalize: str) -> Steps:
    (text,), (accepted,) = listing.view.first(), listing.view.accepted(rel)
    answer = "" if text is None else text
    yield Sentence(f"The answer, as compared: {normal(answer, normalize) or 'nothing'}")
    compared = [normal(candidate, normalize) for candidate in accepted]
    yield grid("Accepted", {"text": accepted, "as compared": compared})
    yield formula("ExactMatch", "", "{}", value, value=value)


@metric(
    "ExactMatch",
    title="Exact match of texts",
    source="Rajpurkar et al., EMNLP 2016, doi:10.18653/v1/D16-1264; SQuAD",
    elsewhere={
        "SQuAD": "exact_match; in percent",
    },
    formula=r"[a \in A], \qquad a = \text{the text, made alike}, \qquad A = \text{the "
    r"accepted texts, made alike}",
    aliases=("EM",),
    explain=_explain,
)
def exactmatch(texts: Texts, *, rel: Relevant = 1, normalize: Normalize = "squad") -> Floats:
    """Whether the first text of a list is one of those that the truth accepts: 1 or 0.

    A list is a question, its items are texts: in the truth the accepted
    answers, in the submission the answer. As in SQuAD, texts are compared in lower
    case, without punctuation, articles and further blanks; `normalize=plain`
    compares them as they stand. Where no answer is accepted, none is right: a list
    of the public `lists` without truth rows, left out by the submission.

    >>> texts = Texts.of(("The Nile!", ["nile", "river Nile"]), ("Po", ["Rhine"]), (None, []))
    >>> exactmatch(texts)
    array([1., 0., 1.])
    """
    return np.array(_matches(texts, rel, normalize), dtype=np.float64)
