"""The leaderboard scorer for challenges.

    import scorer
    report = scorer.score("challenge.yaml", ["a.csv", "b.csv"])

What a metric of one's own needs is here too: `metric`, the views `Judged` and
`Ranked`, and the parameter types. Names are loaded when they are first used.
"""

import sys
from types import ModuleType

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


class _Package(ModuleType):
    """The package `scorer`, in which `compare` is the function, not the folder of that name."""

    @property
    def compare(self) -> object:
        return __getattr__("compare")

    @compare.setter
    def compare(self, folder: ModuleType) -> None:
        """Ignore the folder, which the import system sets when it is first imported."""


sys.modules[__name__].__class__ = _Package
