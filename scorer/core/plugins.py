"""Things found by name: metrics, formats, checks, kinds of challenges, tools.

A thing enters by standing in a module of its folder, or, where its registry has a group of entry
points such as `scorer.metrics`, in one that an installed project names there. A decorator marks it
(`mark`); nothing process-global changes, so a registry is a value, and a challenge's own plugins
are an overlay of it: their names come first.
"""

from __future__ import annotations

import os
import sys
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
    """Anything that a registry can hold: it has a name, and may have others."""

    @property
    def name(self) -> str:
        """Its own name."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names it answers to."""
        ...


T = TypeVar("T", bound=HasName)
F = TypeVar("F")

MARK = "__scorer__"
PLUGIN = "scorer_plugin_"  # begins the name of the module of a challenge's own file
AROUND_PLUGINS: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "AROUND_PLUGINS", default=nullcontext
)
"""The context of every call of a plugin. A command restores the working directory there; in other
processes, such as a server's, nothing of the process is changed."""


def mark(function: F, thing: object) -> F:
    """Attach `thing` to the function that defines it; the function stays what it was."""
    setattr(function, MARK, thing)
    return function


class Registry(Generic[T]):
    """The things of one kind, each under its own name; loaded when the first is looked up.

    Args:
        kind: what a thing is called in messages.
        package: the package in whose modules the things are.
        type_: their class.
        group: of entry points; None: installed projects add nothing.
        added: a challenge's own, each with the module or file that it comes from.
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
        """A registry with these pairs of thing and module, whose names come before those it has.

        `PluginError` if two that are added claim a name.
        """
        added = (*self._added, *things)
        wider = Registry(self.kind, self.package, self.type_, self.group, added)
        _ = wider._by_name  # so that a clash is an error now
        return wider

    def get(self, name: str) -> T:
        """The thing of a name or alias in any case, by `precedence`; else `UnknownName`."""
        things = self.find_all(name, every=True)
        return min(things, key=lambda thing: getattr(thing, "precedence", 0))

    def find_all(self, name: str, every: bool = False) -> tuple[T, ...]:
        """The things of that name, one for each kind of challenge that has one; else of that alias.

        With `every` those with that alias follow. `UnknownName` if none has it.
        """
        folded = name.casefold()
        things = [thing for thing, _ in self._by_name.get(folded, ())]
        if not things:
            names = [name for thing in self for name in (thing.name, *thing.aliases)]
            raise UnknownName(self.kind, name, names)
        named = [thing for thing in things if thing.name.casefold() == folded]
        if named and not every:
            return tuple(named)
        return (*named, *(thing for thing in things if thing not in named))

    @property
    def things(self) -> dict[str, T]:
        """All of them, by their own names; of several with one name the plainest."""
        return {thing.name: thing for thing, _ in reversed(self._named)}

    def origin(self, thing: T) -> str | None:
        """The module that a thing comes from; None where it is not one of these."""
        return next((origin for other, origin in self._named if other is thing), None)

    def __iter__(self) -> Iterator[T]:
        """In the order of their names, whatever the case."""
        return iter(sorted((t for t, _ in self._named), key=lambda thing: thing.name.casefold()))

    @property
    def replaced(self) -> list[tuple[T, str]]:
        """Things whose name one that was added has taken, and where that comes from."""
        found = ((thing, self._taken_by(thing, thing.name)) for thing, _ in self._found)
        return [(thing, origin) for thing, origin in found if origin is not None]

    @cached_property
    def _found(self) -> list[tuple[T, str]]:
        """The things in the modules of the package, then those from entry points."""
        return find_marked(self.package, self.type_, self.group)

    @cached_property
    def _named(self) -> list[tuple[T, str]]:
        """The things that can be found by their own names, with their modules."""
        found = [pair for pair in self._found if self._taken_by(pair[0], pair[0].name) is None]
        return [*found, *self._added]

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[T, str]]]:
        """By each name or alias in small letters the things that have it, with their modules."""
        names: dict[str, list[tuple[T, str]]] = {}
        for thing, origin in self._named:
            for name in (thing.name, *thing.aliases):
                namesakes = names.setdefault(name.casefold(), [])
                if self._taken_by(thing, name) is not None:
                    continue
                for other, other_origin in namesakes:
                    if other is not thing and can_coexist(thing, other):
                        both = f"in {other_origin} and in {origin}"
                        raise PluginError(f"two {self.kind}s are called {quoted(name)}: {both}")
                if all(other is not thing for other, _ in namesakes):
                    namesakes.append((thing, origin))
        return names

    def _taken_by(self, thing: T, name: str) -> str | None:
        """The module of what was added and has this name in place of `thing`, if there is any."""
        if any(own is thing for own, _ in self._added):
            return None
        for own, origin in self._added:
            names = map(str.casefold, (own.name, *own.aliases))
            if name.casefold() in names and can_coexist(own, thing):
                return origin
        return None


def can_coexist(thing: object, other: object) -> bool:
    """Whether two things can meet in one challenge, so that one name would be unclear."""
    first, second = getattr(thing, "kinds", None), getattr(other, "kinds", None)
    return first is None or second is None or not first.isdisjoint(second)


@cache
def find_marked(package: str, type_: type[T], group: str | None) -> list[tuple[T, str]]:
    """The things in all modules of a package, then those from a group of entry points."""
    folders = import_module(package).__path__
    modules = [import_module(found.name) for found in walk_packages(folders, f"{package}.")]
    for point in installed(group):
        with plugin_call(f"the plugin {point.name!r} ({point.value}) cannot be loaded"):
            loaded = point.load()
        modules.append(loaded if isinstance(loaded, ModuleType) else import_module(point.module))
    # two entry points may name one module
    return [pair for module in dict.fromkeys(modules) for pair in _marked(module, type_)]


@cache
def installed(group: str | None) -> tuple[EntryPoint, ...]:
    """The entry points of installed projects in that group."""
    return () if group is None else tuple(entry_points(group=group))


def plugin(path: Path, type_: type[T]) -> list[tuple[T, str]]:
    """The things that a challenge's own file defines; `PluginError` without any, or if it fails."""
    things = [(thing, path.name) for thing, _ in _marked(load_module(path), type_)]
    if not things:
        raise PluginError(f"the plugin {quoted(path.name)} defines no {type_.__name__.lower()}")
    return things


def loaded_module(name: str) -> ModuleType | None:
    """The module of that name, if it is loaded; of a plugin also its file at another path."""
    if name in sys.modules or not name.startswith(PLUGIN):
        return sys.modules.get(name)
    same_content = f"{name.rpartition('_')[0]}_"
    return next((sys.modules[n] for n in reversed(sys.modules) if n.startswith(same_content)), None)


def load_module(path: Path) -> ModuleType:
    """The module of a challenge's own file; it runs once, unless the file has changed.

    The file's bytes are compiled here: an import would prefer a `__pycache__` beside the file,
    which may hold other code, and write one where there is none. The module is called by the file's
    path and content, so that what it defines can be sent to a process that has it, too.

    `PluginError` if the file cannot be read or run.
    """
    message = f"the plugin {quoted(path.name)} is not a Python file that can be read"
    if path.suffix not in SOURCE_SUFFIXES or not os.path.isfile(path):  # no pipe is waited for
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
    with plugin_call(f"the plugin {quoted(path.name)} cannot be loaded"):
        sys.modules[name] = module
        try:
            exec(compile(code, path, "exec", dont_inherit=True), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
    return module


@contextmanager
def plugin_call(message: str) -> Iterator[None]:
    """Run third-party code: any exception, and what would end the process, is a `PluginError`."""
    try:
        with AROUND_PLUGINS.get()():
            yield
    except (KeyboardInterrupt, ScorerError):
        raise
    except BaseException as error:
        raise PluginError(f"{message}: {describe_exception(error)}") from error


def _marked(module: ModuleType, type_: type[T]) -> Iterator[tuple[T, str]]:
    """The things marked in a module itself, not those that it imports.

    One that is different things for several kinds of challenge has them as its `by_kind`.
    """
    for value in list(vars(module).values()):
        thing = getattr(value, MARK, None) if callable(value) else None
        if isinstance(thing, type_) and getattr(value, "__module__", None) == module.__name__:
            for variant in getattr(thing, "by_kind", (thing,)):
                yield variant, module.__name__
