"""The edge: the only place with stdout, the environment, the clock and exit codes."""

from __future__ import annotations

import ast
import os
import shutil
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import typer

from scorer import __version__, commands
from scorer.command import Edge, Result
from scorer.errors import ScorerError, UsageError, shown

FIRST = "score"  # the form without a verb
INTERRUPTED, INTERNAL = 130, 4


def main() -> None:
    """Run the command of this process and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """Run one command; whatever happens, an exit code and a plain message, never a traceback."""
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        return _run(words)
    except KeyboardInterrupt:
        _say(["interrupted"])
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return 0
    except ScorerError as error:
        if debug:
            traceback.print_exc()
        _say([f"error: {error}"] if not error.problems else [])
        for problem in error.problems:
            _say([str(problem), *([f"  help: {problem.help}"] if problem.help else [])])
        if error.exit_code == INTERNAL:
            _say(["scoring failed, and no submission is at fault; --debug shows the cause"])
        return error.exit_code
    except (Exception, RecursionError, MemoryError) as error:
        if debug:
            traceback.print_exc()
        _say([f"internal error: {type(error).__name__}: {shown(error)}; --debug shows where"])
        return INTERNAL


def _run(words: Sequence[str]) -> int:
    if list(words) == ["--version"]:
        _give(Result(f"scorer {__version__}\n"))
        return 0
    verb, rest = _verb(words)
    edge = _edge()
    command = _command(verb, overview=verb == FIRST and "--help" in words)
    try:
        result = command.main(
            list(rest),
            prog_name="score" if verb == FIRST else f"score {verb}",
            standalone_mode=False,
            obj=edge,
        )
    except typer.exceptions.TyperException as error:
        usage = "score --help" if verb == FIRST else f"score {verb} --help"
        raise UsageError(f"{error.format_message()} ({usage})") from error
    finally:
        if isinstance(edge.progress, _Progress):
            edge.progress.close()
    if not isinstance(result, Result):  # --help has printed and ended
        return 0 if result is None else int(result)
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
def _command(verb: str, overview: bool = False) -> typer.core.TyperCommand:
    """One verb as a typer command; only the verbs that are asked for are imported."""
    function = getattr(import_module(f"scorer.commands.{verb}"), verb)
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help comes in a third of the time
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
    size = shutil.get_terminal_size((80, 24))
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return Edge(
        sys.stdin.buffer,
        size.columns,
        sys.stdout.isatty() and not plain,
        _Progress() if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" else None,
    )


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
            self._bar = Progress(console=Console(stderr=True), transient=True)
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
        from scorer.output import write

        write(result.output, data)
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout()
    except OSError as error:
        _abandon_stdout()
        raise UsageError(f"the output cannot be written: {error.strerror}") from None


def _say(lines: Sequence[str]) -> None:
    with suppress(OSError):
        for line in lines:
            data = f"{line}\n".encode("utf-8", "backslashreplace")
            sys.stderr.buffer.write(data)
        sys.stderr.flush()


def _abandon_stdout() -> None:
    """Nobody reads on: what is still buffered must not complain at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
