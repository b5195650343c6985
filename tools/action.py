"""The step of action.yml: checks or scores $FILES for $CHALLENGE in a workflow of GitHub.

Marks go to stdout, the board or the findings as Markdown to $GITHUB_STEP_SUMMARY, the page to
$PAGE. The exit code is the one of `score`, or of `score compare` where $FAIL_IF_WORSE names the
submission before.
"""

import os
import subprocess
import sys
from glob import glob
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

SCORING = ("METRICS", "FAIL_UNDER", "FAIL_IF_WORSE", "MARGIN")


def main() -> int:
    """Run the commands, and give the exit code of the first that fails."""
    if said := fault():
        print(f"::error::{said}")
        return 2
    files = [path for line in lines("FILES") for path in sorted(glob(line)) or [line]]
    challenge, plugins = value("CHALLENGE"), ["--allow-plugins"] * on("ALLOW_PLUGINS")
    measures = [word for metric in lines("METRICS") for word in ("-m", metric)]
    floors = [word for floor in lines("FAIL_UNDER") for word in ("--fail-under", floor)]
    checks = ["check"] * on("CHECK")
    words = [*checks, challenge, *files, *plugins, *measures]
    code = score(*words, *floors, "--format", "github")
    with TemporaryDirectory() as folder:
        page, summary = Path(folder, "page.html"), Path(folder, "summary.md")
        score(*words, "-q", "-o", str(page), "-o", str(summary), quiet=True)
        keep(page, summary)
    before, margin = value("FAIL_IF_WORSE"), value("MARGIN")
    if code or not before:
        return code
    code = score("check", challenge, before, *plugins, "--format", "github")
    margins = ["--margin", margin] if margin else []
    compared = ("compare", challenge, *files, before, *plugins, *measures, *margins)
    with TemporaryDirectory() as folder:
        summary = Path(folder, "summary.md")
        code = code or score(*compared, "--fail-if-worse", "-o", str(summary))
        keep(None, summary)
    return code


def value(name: str) -> str:
    """An input in one line."""
    return os.environ[name].strip()


def lines(name: str) -> list[str]:
    """The lines of an input that say anything."""
    return [line.strip() for line in os.environ[name].splitlines() if line.strip()]


def on(name: str) -> bool:
    """An input that is true or false."""
    return value(name).lower() == "true"


def fault() -> str | None:
    """Why the inputs do not go together."""
    called = {name: name.lower().replace("_", "-") for name in ("CHECK", "ALLOW_PLUGINS", *SCORING)}
    for name in ("CHECK", "ALLOW_PLUGINS"):
        if value(name).lower() not in ("true", "false"):
            return f"{called[name]}: write true or false"
    for name in ("CHALLENGE", "FILES"):
        if not lines(name):
            return f"{name.lower()}: it is empty"
    if value("MARGIN") and not value("FAIL_IF_WORSE"):
        return "margin: it needs fail-if-worse, the submission before"
    if on("CHECK") and (scoring := [called[name] for name in SCORING if value(name)]):
        return f"{scoring[0]}: it needs values, and check: true only checks"
    return None


def keep(page: Path | None, summary: Path) -> None:
    """Add what was written to the job's summary, and put the page where it belongs."""
    if summary.exists():
        with open(os.environ.get("GITHUB_STEP_SUMMARY") or os.devnull, "ab") as file:
            file.write(summary.read_bytes() + b"\n")
    if page is not None and page.exists() and value("PAGE"):
        place = Path(value("PAGE"))
        place.parent.mkdir(parents=True, exist_ok=True)
        copyfile(page, place)


def score(*words: str, quiet: bool = False) -> int:
    """Run `score`; errors on stderr become marks. `quiet` for what was said before."""
    ran = subprocess.run(["score", *words], capture_output=True, check=False)
    if not quiet:
        sys.stdout.buffer.write(ran.stdout)
        for line in ran.stderr.decode("utf-8", "replace").splitlines():
            is_error = line.startswith("error: ")
            print(f"::error::{line.removeprefix('error: ')}" if is_error else line)
        sys.stdout.flush()
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
