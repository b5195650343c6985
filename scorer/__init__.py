"""The leaderboard scorer for challenges.

    import scorer
    report = scorer.score("challenge.yaml", ["a.csv", "b.csv"])

What a metric of one's own needs is here too: `metric`, the views `Judged` and
`Ranked`, and the parameter types. Names are loaded when they are first used.
"""

# The version of the distribution, and of reports, signatures and receipts.
__version__ = "0.2.0.dev0"

_stub: list = []  # type: ignore[type-arg]  # how names are found, once one is asked for


def __getattr__(name: str) -> object:
    """A public name, from the module that the stub says."""
    if not _stub:
        import lazy_loader

        _stub[:] = lazy_loader.attach_stub(__name__, __file__)
    find, _, names = _stub
    return names if name == "__all__" else find(name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(["__version__", *__getattr__("__all__")])  # type: ignore[misc]
