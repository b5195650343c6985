"""The edge: the only place with stdout, the environment, the clock and exit codes."""

from __future__ import annotations

import ast
import atexit
import gc
import io
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

from scorer import __version__
from scorer.cli import commands
from scorer.core.errors import ScorerError, UsageError
from scorer.core.text import raised, shown

# what takes long to import waits for `run`, where Ctrl-C has an answer
if TYPE_CHECKING:
    from typer.core import TyperCommand

    from scorer.cli.options import Edge, Result

FIRST = "score"  # the form without a verb
REFRESHED = 3  # how often the bar is drawn in a second
GARBAGE = 100_000  # objects more than before until a search for cycles; imports alone make many
INTERRUPTED, INTERNAL = 130, 4


class _Ended(KeyboardInterrupt):
    """The process was told to end, by SIGTERM or the like."""


def main() -> None:
    """Run the command of this process and exit with its code."""
    gc.set_threshold(GARBAGE)
    _open_what_is_closed()
    _answer_signals()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # once more, while the first was answered
        code = INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # else Python searches all there is for cycles once more, only to end
    sys.exit(code)


def _answer_signals() -> None:
    """Tidy up when told to end, and only then end by that signal, as whoever sent it expects."""
    told: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        told.append(number)
        raise _Ended

    def end_by_it() -> None:
        for number in told:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def tell(unraisable: sys.UnraisableHookArgs) -> None:
        # polars raises an interrupt of its own for the same Ctrl-C; one of the two is enough
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)

    sys.unraisablehook = tell
    atexit.register(end_by_it)  # before all others, so that it runs after them
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end)


def _open_what_is_closed() -> None:
    """Make nothing of a standard stream that is closed, lest a file we write take its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free


def run(words: Sequence[str]) -> int:
    """Run one command; whatever happens, an exit code and a plain message, never a traceback."""
    end = words.index("--") if "--" in words else len(words)
    debug = "--debug" in words[:end]
    words = [word for n, word in enumerate(words) if word != "--debug" or n >= end]
    try:
        return _run(words)
    except KeyboardInterrupt as error:
        _abandon(sys.stdout)
        _say(["ended by a signal" if isinstance(error, _Ended) else "interrupted"])
        return INTERRUPTED
    except BrokenPipeError:
        _abandon(sys.stdout)
        return 0
    except ScorerError as error:
        if debug:
            _say([traceback.format_exc()])
        _say([f"error: {error}"] if not error.problems else [])
        for problem in error.problems:
            _say([str(problem), *([f"  help: {problem.help}"] if problem.help else [])])
        if error.exit_code == INTERNAL:
            _say(["scoring failed, and no submission is at fault; --debug shows the cause"])
        return error.exit_code
    except MemoryError:
        if debug:
            _say([traceback.format_exc()])
        _say(["error: there is not enough memory for this; the challenge's limits can be lower"])
        return INTERNAL
    except Exception as error:
        if debug:
            _say([traceback.format_exc()])
        _say([f"internal error: {raised(error)}; --debug shows where"])
        return INTERNAL


def _run(words: Sequence[str]) -> int:
    import typer

    from scorer.cli.options import Result

    if list(words) == ["--version"]:
        _give(Result(f"scorer {__version__}\n"))
        return 0
    # numpy's BLAS has little to do here that pays for the start of its threads
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pydantic would look through all installed projects for plugins of its own
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    verb, rest = _verb(words)
    command = _command(verb, overview=verb == FIRST and "--help" in words)
    name = "score" if verb == FIRST else f"score {verb}"
    edge, said = _edge(), io.StringIO()
    try:
        # not `main`, which has answers of its own to Ctrl-C and to a closed pipe
        with redirect_stdout(said):
            context = command.make_context(name, rest, obj=edge)
        with _lone_stdout(), edge.kept, context:
            result: Result = command.invoke(context)
    except typer.Exit:  # --help has been said
        _give(Result(said.getvalue()))
        return 0
    except typer.exceptions.TyperException as error:
        raise UsageError(f"{error.format_message()} ({name} --help)") from error
    _say(result.notes)
    _give(result)
    return result.exit_code


def _verb(words: Sequence[str]) -> tuple[str, list[str]]:
    """The verb that a command line names, and its other words.

    The first word that is no option decides, wherever options stand.
    """
    verbs = {module.name for module in iter_modules(commands.__path__)} - {FIRST}
    takes = {
        name
        for parameter in _command(FIRST).params
        if not getattr(parameter, "is_flag", False)
        for name in parameter.opts
        if name.startswith("-")
    }
    n = 0
    while n < len(words):
        word = words[n]
        if word == "--":
            break
        if word.startswith("-") and word != "-":
            n += 2 if word in takes else 1
            continue
        if word in verbs:
            return word, [*words[:n], *words[n + 1 :]]
        break
    return FIRST, list(words)


@cache
def _command(verb: str, overview: bool = False) -> TyperCommand:
    """One verb as a typer command; only the verbs that are asked for are imported."""
    import typer

    function = getattr(import_module(f"scorer.cli.commands.{verb}"), verb)
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # so that help does not wait for rich
    )
    app.command(name=verb, epilog=_overview() if overview else None)(function)
    return typer.main.get_command(app)  # type: ignore[return-value]


def _overview() -> str:
    """The other verbs, for the help of the first form: the first line of each module, read only."""
    said = ["\b", "Other commands (score COMMAND --help):"]
    for module in iter_modules(commands.__path__):
        if module.name != FIRST:
            source = Path(commands.__path__[0], f"{module.name}.py").read_text(encoding="utf-8")
            page = ast.get_docstring(ast.parse(source)) or ""
            words, _, what = page.split("\n")[0].replace("`", "").partition(": ")
            said += [f"  {words}", f"      {what}"]
    said += ["", "\b", "score --version; --debug with any command shows where an error came from"]
    return "\n".join(said)


def _edge() -> Edge:
    from scorer.cli.options import Edge

    size = shutil.get_terminal_size((80, 24))
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    kept, progress = ExitStack(), None
    if _terminal(sys.stderr) and os.environ.get("TERM") != "dumb":
        progress = _Progress()
        kept.callback(progress.close)
    return Edge(
        sys.stdin.buffer if sys.stdin else None,
        size.columns,
        _terminal(sys.stdout) and not plain,
        kept,
        progress,
    )


def _terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()  # None where the stream is closed


@contextmanager
def _lone_stdout() -> Iterator[None]:
    """What a plugin prints, however it does so, goes to stderr: the result stands alone."""
    printed = [each for each in (sys.stdout, sys.__stdout__) if each is not None]
    for stream in printed:
        stream.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        with suppress(OSError, ValueError):
            for stream in printed:
                stream.flush()
        os.dup2(kept, 1)
        os.close(kept)


class _Progress:
    """A bar on stderr for work that takes more than a second."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar: Any = None

    def __call__(self, done: float, of: int, name: str) -> None:
        if self._bar is None and time.monotonic() - self._start > 1 and done < of:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import Progress

            self._escape = escape
            self._bar = Progress(
                console=Console(stderr=True), transient=True, refresh_per_second=REFRESHED
            )
            self._bar.add_task("", total=of)
            self._bar.start()
        if self._bar is not None:
            self._bar.update(0, completed=done, description=self._escape(shown(name, 40)))

    def close(self) -> None:
        """Take the bar away, however the work ended."""
        if self._bar is not None:
            self._bar.stop()


def _give(result: Result) -> None:
    """The result to stdout or to its file."""
    text = result.text
    data = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    if result.output is not None:
        from scorer.io.write import write

        write(result.output, data)
        return
    if sys.stdout is None:
        raise UsageError("the output cannot be written: standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)
    except OSError as error:
        _abandon(sys.stdout)
        raise UsageError(f"the output cannot be written: {error.strerror}") from None


def _say(texts: Sequence[str]) -> None:
    """Say each on stderr, in which no text from outside can steer the terminal."""
    if sys.stderr is None:  # it is closed
        return
    try:
        for line in "\n".join(texts).splitlines() if texts else ():
            sys.stderr.buffer.write(f"{shown(line, len(line))}\n".encode())
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def _abandon(stream: TextIO | None) -> None:
    """Nobody reads on: what is still buffered must not complain at exit."""
    if stream is not None:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
