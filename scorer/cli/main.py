"""The edge: the only place with stdout, the environment, the clock and exit codes."""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout
from itertools import pairwise
from typing import TextIO

import typer

from scorer import __version__
from scorer.cli.process import (
    Ended,
    abandon,
    answer_signals,
    is_terminal,
    open_what_is_closed,
    same_folder,
)
from scorer.cli.progress import Progress
from scorer.cli.result import Result, Terminal
from scorer.cli.verbs import INSTEAD, PROGRAM, verbs
from scorer.core.errors import ScorerError, UsageError
from scorer.core.plugins import AROUND_PLUGINS
from scorer.core.problems import Findings
from scorer.core.text import describe_exception, isolate_rtl, printable, quoted
from scorer.reports.github import annotation

INTERRUPTED, INTERNAL = 130, 4
COMPLETIONS = ("--install-completion", "--show-completion")
WHEN = ("auto", "always", "never")  # there are colours
COMPLETING = "_SCORE_COMPLETE"  # what the shell's completion asks by


def main() -> None:
    """Run the command of this process and exit with its code."""
    open_what_is_closed()
    answer_signals()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # once more, while the first was answered
        code = INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def _error_lines(error: ScorerError, marks: bool) -> list[str]:
    """Why a command failed: problems as lines, one in many places once, or as marks for GitHub."""
    if not error.problems:
        return [annotation("error", str(error)) if marks else f"error: {error}"]
    findings = Findings()
    findings.extend(error.problems)
    if marks:
        from scorer.reports.findings.lines import workflow_commands

        return workflow_commands(findings)
    from scorer.reports.findings.problems import format_findings

    return format_findings(findings, option="")


def run(words: Sequence[str]) -> int:
    """Run one command: whatever happens, there is an exit code and a message, no traceback."""
    end = words.index("--") if "--" in words else len(words)
    debug = "--debug" in words[:end]
    words = [word for n, word in enumerate(words) if word != "--debug" or n >= end]
    when = "auto"
    marks = "--format=github" in words or ("--format", "github") in pairwise(words)

    def say(texts: Sequence[str]) -> None:
        _say(texts, _coloured(sys.stderr, when))

    try:
        words, when = _when(words)
        when = "never" if marks else when  # runners look for marks at the beginning of a line
        return _run(words, when)
    except KeyboardInterrupt as error:
        abandon(sys.stdout)
        say(["ended by a signal" if isinstance(error, Ended) else "interrupted"])
        return INTERRUPTED
    except BrokenPipeError:
        abandon(sys.stdout)
        return 0
    except ScorerError as error:
        if debug:
            say([traceback.format_exc()])
        say(_error_lines(error, marks))
        if error.exit_code == INTERNAL:
            say(["scoring failed, and no submission is at fault; --debug shows the cause"])
        return error.exit_code
    except MemoryError:
        if debug:
            say([traceback.format_exc()])
        say(["error: there is not enough memory; lower limits in the challenge would help"])
        return INTERNAL
    except Exception as error:
        if debug:
            say([traceback.format_exc()])
        say([f"internal error: {describe_exception(error)}; --debug shows where"])
        return INTERNAL


def _when(words: Sequence[str]) -> tuple[list[str], str]:
    """The words without `--color WHEN`, and when there are colours: auto, always or never."""
    left, when, given = list[str](), "auto", iter(words)
    for word in given:
        if word == "--":
            return [*left, word, *given], when
        name, equals, value = word.partition("=")
        if name != "--color":
            left.append(word)
            continue
        when = value if equals else next(given, "")
        if when not in WHEN:
            raise UsageError(f"--color {quoted(when)}: write one of {', '.join(WHEN)}")
    return left, when


def _coloured(stream: TextIO | None, when: str) -> bool:
    """Whether to write colours there; the command line decides first."""
    if when != "auto":
        return when == "always" and stream is not None
    if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return False
    if stream is None or not _has_bars(stream):
        return False
    return is_terminal(stream) or bool(os.environ.get("FORCE_COLOR"))


def _run(words: Sequence[str], when: str) -> int:
    if list(words) == ["--version"]:
        _give(Result(f"scorer {__version__}\n"))
        return 0
    terminal, printed = _terminal(when), io.StringIO()
    completing = COMPLETING in os.environ
    group = verbs(completing or any(word.startswith(COMPLETIONS) for word in words[:1]))
    if completing:
        group.main([], prog_name=PROGRAM)  # answers the shell, and ends
    token = AROUND_PLUGINS.set(same_folder)
    try:
        # not `main`, which has answers of its own to Ctrl-C and to a closed pipe
        with (
            redirect_stdout(printed),
            group.make_context(PROGRAM, [*words], obj=terminal, color=terminal.colour) as context,
        ):
            result: Result = group.invoke(context)
    except (typer.Exit, SystemExit) as ended:  # --help or a completion has been said
        _give(Result(printed.getvalue()))
        return _code(ended)
    except typer.exceptions.TyperException as error:
        failed_context = getattr(error, "ctx", None)
        path = failed_context.command_path if failed_context else PROGRAM
        command = str(getattr(failed_context, "info_name", ""))
        instead = INSTEAD.get((command, getattr(error, "option_name", "")))
        message = error.format_message() if instead is None else f"{error.message}; {instead}"
        raise UsageError(f"{message} ({path} --help)") from error
    finally:
        AROUND_PLUGINS.reset(token)
    coloured = _coloured(sys.stderr, when)
    notes = [*terminal.notes, *result.notes]
    if coloured and notes and result.text and not result.files and terminal.width:
        notes.append("\n")  # the report follows on the same terminal
    _say(notes, coloured)
    _give(result)
    _say(result.written, coloured)
    return result.exit_code


def _code(ended: BaseException) -> int:
    """The exit code of one of typer's ends."""
    code = getattr(ended, "exit_code", getattr(ended, "code", 0))
    return code if isinstance(code, int) else 0


def _terminal(when: str) -> Terminal:
    wide = is_terminal(sys.stdout)  # a pipe or a file has no width, whatever COLUMNS says
    cleanup, progress = ExitStack(), None
    if is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb":
        progress = Progress()
        cleanup.callback(progress.close)
    return Terminal(
        sys.stdin.buffer if sys.stdin else None,
        shutil.get_terminal_size((80, 24)).columns if wide else None,
        _coloured(sys.stdout, when),
        cleanup,
        [],
        progress,
    )


def _has_bars(stream: TextIO) -> bool:
    """Whether a stream's encoding has the signs of bars, which come with colours."""
    try:
        "━▌█╌".encode(getattr(stream, "encoding", None) or "utf-8")
    except (LookupError, UnicodeError):
        return False
    return True


def _give(result: Result) -> None:
    """The result to stdout or to its files."""
    data = _as_bytes(result.text)
    if result.files:
        from scorer.reading.write import write_file

        for path, content in result.files:
            write_file(path, _as_bytes(content))
        return
    if sys.stdout is None:
        raise UsageError("the output cannot be written: standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        abandon(sys.stdout)
    except OSError as error:
        abandon(sys.stdout)
        raise UsageError(f"the output cannot be written: {error.strerror}") from None


def _as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")


def _say(texts: Sequence[str], coloured: bool) -> None:
    """Write each on stderr; text from outside cannot control the terminal."""
    if sys.stderr is None:  # it is closed
        return
    lines = "\n".join(texts).splitlines() if texts else []
    try:
        if coloured and lines:
            from scorer.reports.write.text import TextWriter

            width = shutil.get_terminal_size().columns if is_terminal(sys.stderr) else None
            writer = TextWriter(width, True)
            writer.write_problems(lines)
            sys.stderr.buffer.write(_as_bytes(writer.text + "\n" * (not lines[-1])))
            lines = []
        for line in lines:
            sys.stderr.buffer.write(f"{isolate_rtl(printable(line, len(line)))}\n".encode())
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)
