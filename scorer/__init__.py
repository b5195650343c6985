"""The leaderboard scorer for challenges.

    import scorer
    report = scorer.score("challenge.yaml", ["a.csv", "b.csv"])

What a metric of one's own needs is here too: `metric`, the views `Judged` and
`Ranked`, and the parameter types. Names are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names as below, since type checkers run no `__getattr__`
    from scorer.api.check import check as check
    from scorer.api.score import score as score
    from scorer.api.submissions import Named as Named
    from scorer.challenge.load import load as load
    from scorer.challenge.model import Challenge as Challenge
    from scorer.core.arrays import Floats as Floats
    from scorer.core.errors import ChallengeError as ChallengeError
    from scorer.core.errors import PluginError as PluginError
    from scorer.core.errors import ScorerError as ScorerError
    from scorer.core.errors import UsageError as UsageError
    from scorer.core.problems import Problem as Problem
    from scorer.metrics.base import metric as metric
    from scorer.metrics.params import Cutoff as Cutoff
    from scorer.metrics.params import Cutoffs as Cutoffs
    from scorer.metrics.params import Discount as Discount
    from scorer.metrics.params import Gain as Gain
    from scorer.metrics.params import Persistence as Persistence
    from scorer.metrics.params import Relevant as Relevant
    from scorer.results.report import Report as Report
    from scorer.results.scorecard import Scorecard as Scorecard
    from scorer.views.hits import Hits as Hits
    from scorer.views.hits import Judged as Judged
    from scorer.views.hits import Ranked as Ranked
    from scorer.views.hits import ratio as ratio
    from scorer.views.pooled import Statistics as Statistics
    from scorer.views.rated import Rated as Rated
    from scorer.views.returned import Returned as Returned

__version__ = "0.1.0"

_HOMES = {
    "api.score": ("score", "check", "Named"),
    "challenge.model": ("Challenge", "load"),
    "core.errors": ("ChallengeError", "PluginError", "Problem", "ScorerError", "UsageError"),
    "results.scorecard": ("Report", "Scorecard"),
    "metrics.base": ("metric",),
    "views.hits": (
        "Floats",
        "Hits",
        "Judged",
        "Ranked",
        "Rated",
        "Returned",
        "Statistics",
        "ratio",
    ),
    "metrics.params": ("Cutoff", "Cutoffs", "Discount", "Gain", "Persistence", "Relevant"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'scorer' has no attribute {name!r}")
    return getattr(import_module(f"scorer.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
