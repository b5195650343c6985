"""What a command's process leaves out of the modules that it imports, as it never asks for it.

In other processes, such as a server's or a notebook's, nothing is left out.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

PLUGINS = "pydantic.plugin._loader"  # the module
DOCSTRINGS = (  # the modules that give numpy's functions their texts
    "numpy._core._add_newdocs",
    "numpy._core._add_newdocs_scalars",
)
PARSING = ("yaml.reader", "yaml.constructor", "yaml.resolver")  # libyaml takes their place
MASKS = "numpy.ma"
STORES = ("polars.io.delta", "polars.io.iceberg", "polars.io.lance")  # of which functions are used
COMPILE = re.compile


def import_less() -> None:
    """Leave it out of what is imported from now on."""
    # numpy's BLAS has little to do here that pays for the start of its threads
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__") == "__all__":
        sys.modules.setdefault(PLUGINS, NoPlugins())
    if "numpy" not in sys.modules:
        sys.modules.update({name: ModuleType(name) for name in DOCSTRINGS})
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)


class NoPlugins(ModuleType):
    """What pydantic loads plugins of its own by: none, and no search of all installed projects."""

    def __init__(self) -> None:
        super().__init__(PLUGINS)

    def get_plugins(self) -> tuple[()]:
        """No plugins."""
        return ()

    def __getattr__(self, name: str) -> object:
        """Anything else, from the module itself."""
        if name.startswith("__"):
            raise AttributeError(name)
        del sys.modules[PLUGINS]
        return getattr(import_module(PLUGINS), name)


class Expression:
    """A regular expression that is compiled once it is used."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._written = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(COMPILE(*self._written), name)
        setattr(self, name, value)
        return value


class Loader(SourceFileLoader):
    """Imports a module whose expressions are compiled once they are used."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        re.compile = Expression  # type: ignore[assignment]
        try:
            super().exec_module(module)
        finally:
            re.compile = COMPILE


class NoMasks(ModuleType):
    """numpy.ma for arrays without a mask, which is all that polars wants of it."""

    nomask = False

    def getmask(self, values: Any) -> bool:
        """The mask of an array: none."""
        return self.nomask

    def getdata(self, values: Any) -> Any:
        """The array without its mask."""
        return values

    def __getattr__(self, name: str) -> Any:
        """Anything else, from the module itself, which then takes this one's place."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_itself(self), name)


class Functions(ModuleType):
    """A module whose functions import it once they are called."""

    def __getattr__(self, name: str) -> Any:
        """One of the functions; what else its package has is imported by its own name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *given, **named: getattr(_itself(self), name)(*given, **named)


def _itself(module: ModuleType) -> ModuleType:
    """The module in whose place that one stands, and which then takes it."""
    name = module.__name__
    if sys.modules.get(name) is module:
        del sys.modules[name]
        FINDER.known.remove(name)
    return import_module(name)


class LaterLoader(SourceFileLoader):
    """Imports a module once more of it is asked for."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """What stands in its place until then."""
        return NoMasks(MASKS) if spec.name == MASKS else Functions(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is to be run."""


class Finder:
    """Finds modules of which a part is left out until it is asked for."""

    def __init__(self) -> None:
        self.known = {MASKS, *STORES, *PARSING}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """One of them, to be imported so; none of another module."""
        spec = PathFinder.find_spec(name, path) if name in self.known else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            loader = Loader if name in PARSING else LaterLoader
            spec.loader = loader(spec.loader.name, spec.loader.path)
        return spec


FINDER = Finder()
