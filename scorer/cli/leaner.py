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

DOCSTRINGS = (  # the modules that give numpy's functions their texts
    "numpy._core._add_newdocs",
    "numpy._core._add_newdocs_scalars",
)
STORES = ("polars.io.delta", "polars.io.iceberg", "polars.io.lance")  # of which functions are used
COMPILE = re.compile


def import_less() -> None:
    """Leave it out of what is imported from now on."""
    # numpy's BLAS has little to do here that pays for the start of its threads
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__") == "__all__":
        sys.modules.setdefault(PLUGINS, PartOfModule(PLUGINS))
    if "numpy" not in sys.modules:
        sys.modules.update({name: ModuleType(name) for name in DOCSTRINGS})
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)


class PartOfModule(ModuleType):
    """What is asked of a module at first; it is imported once more of it is asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        vars(self).update(PARTS[name])

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
        FINDER.known.discard(name)
    return import_module(name)


class Arrays:
    """numpy.typing's NDArray, without the types of all that numpy takes for an array."""

    def __class_getitem__(cls, kind: Any) -> Any:
        import numpy as np

        return np.ndarray[tuple[Any, ...], np.dtype[kind]]


class KeysUnread(dict[str, Any]):
    """A TypedDict that nobody asks for its keys; to make one, each key's type is compiled."""

    def __init_subclass__(cls, total: bool = True) -> None:
        pass


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


PLUGINS = "pydantic.plugin._loader"
PARTS: dict[str, dict[str, Any]] = {
    PLUGINS: {"get_plugins": lambda: ()},  # without a search of all installed projects
    # for arrays without a mask, which is all that polars asks of it
    "numpy.ma": {
        "nomask": False,
        "getmask": lambda values: False,
        "getdata": lambda values: values,
    },
    # nothing here asks what stands for an array
    "numpy._typing": {"NDArray": Arrays},
    "numpy.typing": {"NDArray": Arrays, "ArrayLike": Any, "DTypeLike": Any},
}
CHANGED: dict[str, tuple[str, str, Any]] = {  # module -> what it meets in place of another's
    **dict.fromkeys(  # libyaml takes the place of these expressions
        ("yaml.reader", "yaml.constructor", "yaml.resolver"), ("re", "compile", Expression)
    ),
    "pydantic_core.core_schema": ("typing_extensions", "TypedDict", KeysUnread),
}


class PartLoader(SourceFileLoader):
    """Imports a module once more of it is asked for than a part."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """What stands in its place until then."""
        return Functions(spec.name) if spec.name in STORES else PartOfModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is to be run."""


class ChangedLoader(SourceFileLoader):
    """Imports a module that meets something in place of another module's."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        name, attribute, other = CHANGED[module.__name__]
        whose = import_module(name)
        own = getattr(whose, attribute)
        setattr(whose, attribute, other)
        try:
            super().exec_module(module)
        finally:
            setattr(whose, attribute, own)


class Finder:
    """Finds modules of which a part is left out until it is asked for."""

    def __init__(self) -> None:
        self.known = {*PARTS, *STORES, *CHANGED} - {PLUGINS}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """One of them, to be imported so; none of another module."""
        spec = PathFinder.find_spec(name, path) if name in self.known else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            loader = ChangedLoader if name in CHANGED else PartLoader
            spec.loader = loader(spec.loader.name, spec.loader.path)
        return spec


FINDER = Finder()
