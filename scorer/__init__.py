"""The leaderboard scorer for challenges.

    import scorer
    report = scorer.score("challenge.yaml", ["a.csv", "b.csv"])

What a metric of one's own needs is here too: `metric`, the views `Judged` and
`Ranked`, and the parameter types. Names are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names as below, since type checkers run no `__getattr__`
    from scorer.challenge import Challenge as Challenge
    from scorer.challenge import load as load
    from scorer.errors import ChallengeError as ChallengeError
    from scorer.errors import PluginError as PluginError
    from scorer.errors import Problem as Problem
    from scorer.errors import ScorerError as ScorerError
    from scorer.errors import UsageError as UsageError
    from scorer.judged import Floats as Floats
    from scorer.judged import Hits as Hits
    from scorer.judged import Judged as Judged
    from scorer.judged import Ranked as Ranked
    from scorer.judged import Rated as Rated
    from scorer.judged import Returned as Returned
    from scorer.judged import Statistics as Statistics
    from scorer.judged import ratio as ratio
    from scorer.measures import metric as metric
    from scorer.params import Cutoff as Cutoff
    from scorer.params import Cutoffs as Cutoffs
    from scorer.params import Discount as Discount
    from scorer.params import Gain as Gain
    from scorer.params import Persistence as Persistence
    from scorer.params import Relevant as Relevant
    from scorer.pipeline import Named as Named
    from scorer.pipeline import check as check
    from scorer.pipeline import score as score
    from scorer.results import Report as Report
    from scorer.results import Scorecard as Scorecard

__version__ = "0.1.0"

_HOMES = {
    "pipeline": ("score", "check", "Named"),
    "challenge": ("Challenge", "load"),
    "errors": ("ChallengeError", "PluginError", "Problem", "ScorerError", "UsageError"),
    "results": ("Report", "Scorecard"),
    "measures": ("metric",),
    "judged": ("Floats", "Hits", "Judged", "Ranked", "Rated", "Returned", "Statistics", "ratio"),
    "params": ("Cutoff", "Cutoffs", "Discount", "Gain", "Persistence", "Relevant"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'scorer' has no attribute {name!r}")
    return getattr(import_module(f"scorer.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
