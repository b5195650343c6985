"""Things that the modules of a package define, and code of others: plugins.

A decorator marks a function with the thing that it defines (`mark`), a metric, a check or a
tool, and `find_marked` finds those in all modules of a package. Code of others is a file that
a challenge names, or a module that an installed project names by an entry point.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import SOURCE_SUFFIXES
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

from scorer.core.errors import PluginError, ScorerError
from scorer.core.text import describe_exception, quoted

T = TypeVar("T")
F = TypeVar("F")

MARK = "__scorer__"
PLUGIN = "scorer_plugin_"  # begins the name of the module of a challenge's own file
AROUND_PLUGINS: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "AROUND_PLUGINS", default=nullcontext
)
"""The context of every call of a plugin. A command sets one that restores the working directory;
elsewhere, such as in a server, this empty one changes nothing of the process."""


def mark(function: F, thing: object) -> F:
    """Attach `thing` to the function that defines it, and return the function."""
    setattr(function, MARK, thing)
    return function


@cache
def find_marked(package: str, type_: type[T]) -> tuple[T, ...]:
    """Return the things of a type in all modules of a package."""
    folders = import_module(package).__path__
    names = [found.name for found in walk_packages(folders, f"{package}.")]
    return tuple(thing for name in names for thing in marked_things(import_module(name), type_))


def marked_things(module: ModuleType, type_: type[T]) -> Iterator[T]:
    """Yield the things of a type that a module defines; those that it imports are not its own."""
    for value in list(vars(module).values()):
        thing = getattr(value, MARK, None) if callable(value) else None
        if isinstance(thing, type_) and getattr(value, "__module__", None) == module.__name__:
            yield thing


def load_module(path: Path, code: bytes | None = None) -> ModuleType:
    """Return the module of a challenge's own file; it runs once, unless the file has changed.

    The file's bytes are compiled here: an import would prefer a `__pycache__` beside the file,
    which may hold other code, and write one otherwise. The module's name has hashes of
    the file's content and path, so that any process that has loaded it unpickles what it defines.

    `PluginError` if the file cannot be read or run. `code` is its content; None to read it.
    """
    message = f"the plugin {quoted(path.name)} is not a Python file that can be read"
    if code is None:
        # To open a pipe would wait.
        if path.suffix not in SOURCE_SUFFIXES or not os.path.isfile(path):
            raise PluginError(message)
        try:
            code = path.read_bytes()
        except OSError:
            raise PluginError(message) from None
    content = blake2b(code, digest_size=8).hexdigest()
    place = blake2b(os.fsencode(path.absolute()), digest_size=4).hexdigest()
    name = f"{PLUGIN}{path.stem}_{content}_{place}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(path)
    with plugin_errors(f"the plugin {quoted(path.name)} cannot be loaded"):
        sys.modules[name] = module
        try:
            exec(compile(code, path, "exec", dont_inherit=True), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
    return module


@contextmanager
def plugin_errors(message: str) -> Iterator[None]:
    """Raise PluginError of any exception of third-party code, also of one that ends the process."""
    try:
        with AROUND_PLUGINS.get()():
            yield
    except (KeyboardInterrupt, ScorerError):
        raise
    except BaseException as error:
        raise PluginError(f"{message}: {describe_exception(error)}") from error
