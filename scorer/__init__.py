"""The leaderboard scorer for challenges.

    import scorer
    report = scorer.score("challenge.yaml", ["a.csv", "b.csv"])

What a metric of one's own needs is here too: `metric`, the views `Judged` and
`Ranked`, and the parameter types. Names are loaded when they are first used.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "pipeline": ("score", "check", "Named"),
    "challenge": ("Challenge", "load"),
    "errors": ("ChallengeError", "PluginError", "Problem", "ScorerError", "UsageError"),
    "results": ("Report", "Scorecard"),
    "measures": ("metric",),
    "judged": ("Floats", "Hits", "Judged", "Ranked", "Statistics", "ratio"),
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
