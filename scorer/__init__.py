"""The leaderboard scorer for challenges.

    import scorer
    report = scorer.score("challenge.yaml", ["a.csv", "b.csv"])

What a metric of one's own needs is here too: `metric`, the views `Judged` and
`Ranked`, and the parameter types. Names are loaded when they are first used.
"""

from functools import cache

# The version of the distribution, and of reports, signatures and receipts.
__version__ = "0.2.0.dev0"


@cache
def _read_stub() -> tuple:  # type: ignore[type-arg]
    """Return the function that imports a public name, one that lists the names, and the names.

    The names and their modules stand in `__init__.pyi`.
    """
    import lazy_loader  # only if a name is asked for: `score --help` needs none

    return lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Return a public name from its module."""
    import_name, _, names = _read_stub()
    return names if name == "__all__" else import_name(name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(["__version__", *_read_stub()[2]])
