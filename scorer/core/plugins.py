"""Things found by name: metrics, formats, checks, kinds of challenges, tools.

A decorator marks a function with the thing that it defines (`mark`). A registry finds the marked
functions in the modules of a package, and in those that installed projects name by entry points,
such as `scorer.metrics`. It never changes: `with_` returns a wider one, in which the names of a
challenge's own plugins come first.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, cached_property
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import SOURCE_SUFFIXES
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Generic, Protocol, TypeVar

from scorer.core.errors import PluginError, ScorerError, UnknownName
from scorer.core.text import describe_exception, quoted


class HasName(Protocol):
    """Anything that a registry can hold."""

    @property
    def name(self) -> str:
        """Its own name."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names."""


T = TypeVar("T", bound=HasName)
F = TypeVar("F")

# Reads a file of every installed project, whichever group is asked for.
all_entry_points = cache(entry_points)
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


class Registry(Generic[T]):
    """The things of one kind, each under its own name; loaded when the first is looked up.

    Args:
        kind: What a thing is called in messages.
        group: The group of entry points; None if installed projects add nothing.
        added: A challenge's own things, each with the module or file that it comes from.
    """

    def __init__(
        self,
        kind: str,
        package: str,
        type_: type[T],
        group: str | None = None,
        added: tuple[tuple[T, str], ...] = (),
    ) -> None:
        self.kind, self.package, self.type_ = kind, package, type_
        self.group, self._added = group, added

    def with_(self, things: Iterable[tuple[T, str]]) -> Registry[T]:
        """Return a registry with further pairs of thing and module, whose names come first.

        `PluginError` if two that are added claim a name.
        """
        added = (*self._added, *things)
        wider = Registry(self.kind, self.package, self.type_, self.group, added)
        _ = wider._by_name  # so that a clash is an error now
        return wider

    def get(self, name: str) -> T:
        """Return the thing of a name or alias, the one of lowest `precedence`; or `UnknownName`."""
        things = self.find_all(name, every=True)
        return min(things, key=lambda thing: getattr(thing, "precedence", 0))

    def find_all(self, name: str, every: bool = False) -> tuple[T, ...]:
        """Return the things of a name; several if each is for challenges of other kinds.

        Things that have it as an alias are returned if none has it as its name, or, with `every`,
        behind those. `UnknownName` if there is none.
        """
        folded = name.casefold()
        things = self._by_name.get(folded)
        if not things:
            names = [each for thing in self for each in (thing.name, *thing.aliases)]
            raise UnknownName(self.kind, name, names)
        named = [thing for thing in things if thing.name.casefold() == folded]
        if named and not every:
            return tuple(named)
        return (*named, *(thing for thing in things if thing not in named))

    @property
    def things(self) -> dict[str, T]:
        """All things by their own names; of several with one name the first."""
        return {thing.name: thing for thing, _ in reversed(self._named)}

    def origin(self, thing: T) -> str | None:
        """Return the module that a thing comes from; None if it is not one of these."""
        return next((origin for other, origin in self._named if other is thing), None)

    def __iter__(self) -> Iterator[T]:
        """In the order of their names, whatever the case."""
        return iter(sorted((t for t, _ in self._named), key=lambda thing: thing.name.casefold()))

    @property
    def replaced(self) -> list[tuple[T, str]]:
        """The things whose name an added one has taken, and where that one comes from."""
        found = find_marked(self.package, self.type_, self.group)
        taken = ((thing, self._taken_by(thing, thing.name.casefold())) for thing, _ in found)
        return [(thing, origin) for thing, origin in taken if origin is not None]

    @cached_property
    def _named(self) -> list[tuple[T, str]]:
        """The things that can be found by their own names, with their modules."""
        found = find_marked(self.package, self.type_, self.group)
        free = [(t, origin) for t, origin in found if not self._taken_by(t, t.name.casefold())]
        return [*free, *self._added]

    @cached_property
    def _by_name(self) -> dict[str, list[T]]:
        """Casefolded name or alias -> the things under it, of which no challenge has two."""
        things = defaultdict[str, list[T]](list)
        for thing, origin in self._named:
            for folded, name in _folded_names(thing).items():
                namesakes = things[folded]
                if self._taken_by(thing, folded) or any(other is thing for other in namesakes):
                    continue
                for other in namesakes:
                    if _can_meet(thing, other):
                        both = f"in {self.origin(other)} and in {origin}"
                        raise PluginError(f"two {self.kind}s are called {quoted(name)}: {both}")
                namesakes.append(thing)
        return things

    def _taken_by(self, thing: T, name: str) -> str | None:
        """Return the module of an added thing that has a name in place of `thing`, if any."""
        if any(own is thing for own, _ in self._added):
            return None
        for own, origin in self._added:
            if name in _folded_names(own) and _can_meet(own, thing):
                return origin
        return None


def _folded_names(thing: HasName) -> dict[str, str]:
    """Return the name and the aliases of a thing, each by itself in small letters."""
    return {name.casefold(): name for name in (thing.name, *thing.aliases)}


def _can_meet(thing: object, other: object) -> bool:
    """Return whether two things can be in one challenge, where they need different names."""
    first, second = getattr(thing, "kinds", None), getattr(other, "kinds", None)
    return first is None or second is None or not first.isdisjoint(second)


@cache
def find_marked(package: str, type_: type[T], group: str | None) -> list[tuple[T, str]]:
    """Return the things in all modules of a package, then those from a group of entry points."""
    folders = import_module(package).__path__
    modules = [import_module(found.name) for found in walk_packages(folders, f"{package}.")]
    for point in find_entry_points(group):
        with plugin_errors(f"the plugin {point.name!r} ({point.value}) cannot be loaded"):
            loaded = point.load()
        modules.append(loaded if isinstance(loaded, ModuleType) else import_module(point.module))
    # Two entry points may name one module.
    return [pair for module in dict.fromkeys(modules) for pair in _marked(module, type_)]


def find_entry_points(group: str | None) -> tuple[EntryPoint, ...]:
    """Return the entry points of installed projects in a group."""
    return () if group is None else tuple(all_entry_points().select(group=group))


def plugin(path: Path, type_: type[T]) -> list[tuple[T, str]]:
    """Return the things of a challenge's own file, with the file's name; `PluginError` if none."""
    things = [(thing, path.name) for thing, _ in _marked(load_module(path), type_)]
    if not things:
        raise PluginError(f"the plugin {quoted(path.name)} defines no {type_.__name__.lower()}")
    return things


def load_module(path: Path, code: bytes | None = None) -> ModuleType:
    """Return the module of a challenge's own file; it runs once, unless the file has changed.

    The file's bytes are compiled here: an import would prefer a `__pycache__` beside the file,
    which may hold other code, and write one where there is none. The module's name has hashes of
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


def _marked(module: ModuleType, type_: type[T]) -> Iterator[tuple[T, str]]:
    """Yield the things marked in a module, but not imported ones, each with the module's name.

    A thing that differs by the kind of challenge has its variants in `by_kind`.
    """
    for value in list(vars(module).values()):
        thing = getattr(value, MARK, None) if callable(value) else None
        if isinstance(thing, type_) and getattr(value, "__module__", None) == module.__name__:
            for variant in getattr(thing, "by_kind", (thing,)):
                yield variant, module.__name__
